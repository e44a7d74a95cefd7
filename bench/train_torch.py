"""train_torch.py - the PyTorch side of bench/train

    train_torch.py config            what this torch is; fails unless its BLAS
                                     is OpenBLAS and oneDNN is on
    train_torch.py MODEL ROWS        then commands, as train_bench has them
    train_torch.py --once            one digits model in a process of its own

MODEL is the name of a file in models/, written here as a person would write
it. Tensors are in memory, batches are slices by a shuffled index, no
DataLoader, one thread. The first line says the model's numbers (statistics of
batch norm counted), so that both sides can be compared.
"""

import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)


class MnistCnn(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(),
            nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(),
            nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(128, 10))


class CatDog(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(3, 16, 5, 2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 5, 2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(64 * 5 * 5, 500), nn.ReLU(), nn.Linear(500, 50),
            nn.ReLU(), nn.Linear(50, 2))


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(400, 1200)
        self.tasks = nn.ModuleList(
            nn.Sequential(nn.Linear(1200, 1200), nn.ReLU(),
                          nn.Linear(1200, 1200), nn.ReLU(),
                          nn.Linear(1200, classes))
            for classes in (10, 5, 2))

    def forward(self, x):
        x = F.relu(self.shared(x))
        return [task(x) for task in self.tasks]


class BiLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(300, 100, batch_first=True, bidirectional=True)
        self.out = nn.Linear(200, 2)

    def forward(self, x):
        _, (hidden, _) = self.lstm(x)
        return self.out(torch.cat([hidden[0], hidden[1]], 1))


class BiGru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(300, 100, batch_first=True, bidirectional=True)
        self.out = nn.Linear(200, 2)

    def forward(self, x):
        _, hidden = self.gru(x)
        return self.out(torch.cat([hidden[0], hidden[1]], 1))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*(
            nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0,
                                       batch_first=True) for _ in range(2)))
        self.out = nn.Linear(128, 10)

    def forward(self, x):
        return self.out(self.blocks(x).mean(1))


class Conv1d(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv1d(1, 128, 20), nn.ReLU(), nn.Conv1d(128, 128, 10),
            nn.ReLU(), nn.MaxPool1d(10), nn.Flatten(),
            nn.Linear(128 * 597, 200), nn.ReLU(), nn.Linear(200, 20),
            nn.ReLU(), nn.Linear(20, 2))


def conv_norm(inputs, outputs, kernel, stride=1, groups=1, active=True):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2,
                        groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return layers + [nn.ReLU6(inplace=True)] * active


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, stride, widen):
        super().__init__()
        wide = inputs * widen
        self.around = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            *(conv_norm(inputs, wide, 1) if widen > 1 else []),
            *conv_norm(wide, wide, 3, stride, wide),
            *conv_norm(wide, outputs, 1, active=False))

    def forward(self, x):
        return x + self.body(x) if self.around else self.body(x)


class MobileNetV2(nn.Module):
    BLOCKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
              (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self):
        super().__init__()
        layers, inputs = conv_norm(3, 32, 3, 2), 32
        for widen, outputs, count, stride in self.BLOCKS:
            for i in range(count):
                layers.append(Inverted(inputs, outputs, 1 if i else stride,
                                       widen))
                inputs = outputs
        self.body = nn.Sequential(*layers, *conv_norm(320, 1280, 1))
        self.out = nn.Linear(1280, 1000)

    def forward(self, x):
        return self.out(self.body(x).mean((2, 3)))


def mlp(*widths, dropout=0.0):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        if dropout:
            layers.append(nn.Dropout(dropout))
    return nn.Sequential(*layers[:-2 if dropout else -1])


# By file in models/: the model, a row's shape, classes of each head (none:
# the row itself is the label), batch, optimizer.
ADAM, SGD = torch.optim.Adam, torch.optim.SGD
MODELS = {
    "digits": (lambda: mlp(64, 32, 10), [64], [10], 32, ADAM),
    "mlp": (lambda: mlp(784, 512, 512, 10, dropout=0.2), [784], [10], 128,
            ADAM),
    "mnist_cnn": (MnistCnn, [1, 28, 28], [10], 128, ADAM),
    "cat_dog": (CatDog, [3, 224, 224], [2], 32, ADAM),
    "multitask_10": (MultiTask, [400], [10, 5, 2], 10, SGD),
    "multitask_128": (MultiTask, [400], [10, 5, 2], 128, SGD),
    "bilstm_200": (BiLstm, [200, 300], [2], 16, ADAM),
    "bilstm_700": (BiLstm, [700, 300], [2], 16, ADAM),
    "bigru_200": (BiGru, [200, 300], [2], 16, ADAM),
    "encoder": (Encoder, [64, 128], [10], 32, ADAM),
    "conv1d": (Conv1d, [1, 6000], [2], 20, SGD),
    "mobilenet_v2": (MobileNetV2, [3, 96, 96], [1000], 16, SGD),
    "autoencoder": (lambda: mlp(6048, 2000, 600, 2000, 6048), [6048], [], 100,
                    ADAM),
}


class Side:
    def __init__(self, name, rows):
        make, shape, classes, self.batch, optimizer = MODELS[name]
        self.make, self.optimizer = make, optimizer
        self.x = torch.randn(rows, *shape)
        self.labels = [torch.randint(0, count, (rows,)) for count in classes]
        self.begin()

    def begin(self):
        self.model = self.make()
        self.steps = self.optimizer(self.model.parameters(), lr=1e-3)

    def numbers(self):
        return sum(p.numel() for p in self.model.parameters()) + sum(
            b.numel() for b in self.model.buffers() if b.dim())

    def loss(self, at):
        x = self.x[at]
        out = self.model(x)
        if not self.labels:
            return F.mse_loss(out, x)
        outs = out if isinstance(out, list) else [out]
        return sum(F.cross_entropy(o, y[at])
                   for o, y in zip(outs, self.labels))

    def epochs(self, count):
        for _ in range(count):
            order = torch.randperm(len(self.x))
            for i in range(0, len(order), self.batch):
                self.steps.zero_grad()
                loss = self.loss(order[i:i + self.batch])
                loss.backward()
                self.steps.step()
        return float(loss)

    def models(self, count):
        for _ in range(count):
            self.begin()
            loss = self.epochs(20)
        return loss

    def stacked(self, count):
        """`count` digits models as one, by bmm; Adam on the stack."""
        w = [(torch.randn(count, 64, 32) / 8).requires_grad_(),
             torch.zeros(count, 1, 32, requires_grad=True),
             (torch.randn(count, 32, 10) / 6).requires_grad_(),
             torch.zeros(count, 1, 10, requires_grad=True)]
        steps, rows = ADAM(w, lr=1e-3), len(self.x)
        y = self.labels[0]
        for _ in range(20):
            order = torch.stack([torch.randperm(rows) for _ in range(count)])
            for i in range(0, rows, 32):
                at = order[:, i:i + 32]
                hidden = F.relu(torch.baddbmm(w[1], self.x[at], w[0]))
                out = torch.baddbmm(w[3], hidden, w[2])
                steps.zero_grad()
                loss = F.cross_entropy(out.reshape(-1, 10), y[at].reshape(-1))
                (loss * count).backward()
                steps.step()
        return float(loss)


def config():
    torch.ones(64, 64) @ torch.ones(64, 64)
    with open("/proc/self/maps") as f:
        libraries = {line.split()[-1] for line in f if "blas" in line}
    print("torch %s, oneDNN %s, BLAS %s" % (
        torch.__version__, torch.backends.mkldnn.is_available(),
        " ".join(sorted(libraries))))
    print(torch.__config__.show())
    if not any("openblas" in path for path in libraries):
        sys.exit("this torch's BLAS is not OpenBLAS (update-alternatives "
                 "--config libblas.so.3-x86_64-linux-gnu chooses it)")
    if not torch.backends.mkldnn.is_available():
        sys.exit("this torch has no oneDNN")


def main():
    if sys.argv[1] == "config":
        return config()
    if sys.argv[1] == "--once":
        Side("digits", 1797).models(1)
        return None
    side = Side(sys.argv[1], int(sys.argv[2]))
    print(side.numbers(), flush=True)
    for line in sys.stdin:
        verb, count = line.split()
        cpu, wall = time.process_time(), time.monotonic()
        loss = getattr(side, verb)(int(count))
        print("%.9f %.9f %.9g" % (time.process_time() - cpu,
                                  time.monotonic() - wall, loss), flush=True)
    return None


if __name__ == "__main__":
    main()
