# thorough: needs python3-torch
"""Weights of throng predict elsewhere what they predict here: a state_dict in
PyTorch, a graph of ONNX in a reader that computes with NumPy and PyTorch."""

import unittest

import of_debian  # noqa: F401

try:
    import numpy
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None  # then test_foreign says why

from test_foreign import Foreign


def fields(bytes_):
    """(number, value) of a protobuf message, one after another."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = bytes_[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(bytes_):
        key = varint()
        if key & 7 == 0:
            value = varint()
            value -= (value >> 63) << 64
        else:
            size = varint() if key & 7 == 2 else 4
            value = bytes_[at:at + size]
            at += size
        yield key >> 3, value


class Onnx:
    """A reader of ONNX files that computes with NumPy and PyTorch."""

    def __init__(self, path):
        with open(path, "rb") as f:
            model = dict(fields(f.read()))
        self.nodes, self.known, self.inputs, self.outputs = [], {}, [], []
        for number, value in fields(model[7]):
            if number == 1:
                self.nodes.append(self.node(value))
            elif number == 5:
                self.add_constant(value)
            elif number in (11, 12):
                name = dict(fields(value))[1].decode()
                (self.inputs if number == 11 else self.outputs).append(name)

    @staticmethod
    def node(bytes_):
        takes, gives, op, said = [], [], None, {}
        for number, value in fields(bytes_):
            if number in (1, 2):
                (takes if number == 1 else gives).append(value.decode())
            elif number == 4:
                op = value.decode()
            elif number == 5:
                one = list(fields(value))
                kind = dict(one)[20]
                name = dict(one)[1].decode()
                if kind == 7:
                    said[name] = [v for k, v in one if k == 8]
                elif kind == 1:
                    said[name] = float(numpy.frombuffer(dict(one)[2], "<f4")[0])
                else:
                    value = dict(one)[3 if kind == 2 else 4]
                    said[name] = value if kind == 2 else value.decode()
        return op, takes, gives, said

    def add_constant(self, bytes_):
        one = list(fields(bytes_))
        kind = {1: "<f4", 7: "<i8"}[dict(one)[2]]
        shape = [v for k, v in one if k == 1]
        array = numpy.frombuffer(dict(one)[9], kind).reshape(shape)
        self.known[dict(one)[8].decode()] = torch.from_numpy(
            array.astype("f8" if kind == "<f4" else "i8"))

    def run(self, **inputs):
        t = dict(self.known)
        t.update((k, torch.tensor(v, dtype=torch.float64))
                 for k, v in inputs.items())
        for op, takes, gives, said in self.nodes:
            found = getattr(self, op)(*[t[n] for n in takes], **said)
            for name, one in zip(gives, found if isinstance(found, tuple)
                                 else (found,)):
                t[name] = one
        return [t[n].numpy() for n in self.outputs]

    Identity = staticmethod(lambda x: x)
    MatMul = staticmethod(lambda a, b: a @ b)
    Add = staticmethod(lambda a, b: a + b)
    Sub = staticmethod(lambda a, b: a - b)
    Mul = staticmethod(lambda a, b: a * b)
    Div = staticmethod(lambda a, b: a / b)
    Sqrt = staticmethod(lambda x: x.sqrt())
    Erf = staticmethod(lambda x: torch.erf(x))
    Relu = staticmethod(lambda x: F.relu(x))
    Selu = staticmethod(lambda x: F.selu(x))
    Tanh = staticmethod(lambda x: torch.tanh(x))
    Sigmoid = staticmethod(lambda x: torch.sigmoid(x))
    Softplus = staticmethod(lambda x: F.softplus(x, threshold=1e9))
    LeakyRelu = staticmethod(lambda x, alpha: F.leaky_relu(x, alpha))
    Elu = staticmethod(lambda x, alpha: F.elu(x, alpha))
    Clip = staticmethod(lambda x, a, b: x.clamp(float(a), float(b)))
    Softmax = staticmethod(lambda x, axis: F.softmax(x, axis))
    Transpose = staticmethod(lambda x, perm: x.permute(*perm))
    Reshape = staticmethod(lambda x, shape: x.reshape(shape.tolist()))
    Concat = staticmethod(lambda *xs, axis: torch.cat(xs, axis))
    Expand = staticmethod(lambda x, shape: x * torch.ones(shape.tolist(),
                                                          dtype=x.dtype))
    Gather = staticmethod(lambda table, at: table[at])
    Cast = staticmethod(lambda x, to: x.long())
    ReduceMean = staticmethod(lambda x, axes, keepdims: x.mean(
        axes, keepdim=bool(keepdims)))
    ReduceMax = staticmethod(lambda x, axes, keepdims: x.amax(
        axes, keepdim=bool(keepdims)))

    @staticmethod
    def pad(x, pads, value=0.0):
        half = len(pads) // 2
        return F.pad(x, [p for i in reversed(range(half))
                         for p in (pads[i], pads[half + i])], value=value)

    @classmethod
    def Conv(cls, x, w, b=None, *, kernel_shape, strides, pads, dilations,
             group):
        run = F.conv1d if len(strides) == 1 else F.conv2d
        return run(cls.pad(x, pads), w, b, stride=strides,
                   dilation=dilations, groups=group)

    @staticmethod
    def ConvTranspose(x, w, b=None, *, kernel_shape, strides, pads, dilations,
                      group, output_padding):
        y = F.conv_transpose2d(x, w, None, stride=strides)
        y = F.pad(y, (0, output_padding[1], 0, output_padding[0]))
        y = y[:, :, pads[0]:y.shape[2] - pads[2],
              pads[1]:y.shape[3] - pads[3]]
        return y if b is None else y + b[:, None, None]

    @classmethod
    def MaxPool(cls, x, *, kernel_shape, strides, pads):
        run = F.max_pool1d if len(strides) == 1 else F.max_pool2d
        return run(cls.pad(x, pads, -numpy.inf), kernel_shape, strides)

    @classmethod
    def AveragePool(cls, x, *, kernel_shape, strides, pads):
        run = F.avg_pool1d if len(strides) == 1 else F.avg_pool2d
        return (run(cls.pad(x, pads), kernel_shape, strides)
                / run(cls.pad(torch.ones_like(x), pads), kernel_shape,
                      strides))

    @staticmethod
    def steps(x, direction):
        return reversed(range(len(x))) if direction == "reverse" else range(
            len(x))

    @classmethod
    def LSTM(cls, x, w, r, b, *, hidden_size, direction):
        h = c = torch.zeros(x.shape[1], hidden_size, dtype=x.dtype)
        all_ = [None] * len(x)
        b = b[0, :4 * hidden_size] + b[0, 4 * hidden_size:]
        for step in cls.steps(x, direction):
            i, o, f, g = (x[step] @ w[0].T + h @ r[0].T + b).split(
                hidden_size, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            all_[step] = h = torch.sigmoid(o) * torch.tanh(c)
        return torch.stack(all_)[:, None], h[None]

    @classmethod
    def GRU(cls, x, w, r, b, *, hidden_size, direction, linear_before_reset):
        assert linear_before_reset == 1
        h = torch.zeros(x.shape[1], hidden_size, dtype=x.dtype)
        all_ = [None] * len(x)
        for step in cls.steps(x, direction):
            one = (x[step] @ w[0].T + b[0, :3 * hidden_size]).split(
                hidden_size, 1)
            two = (h @ r[0].T + b[0, 3 * hidden_size:]).split(hidden_size, 1)
            z = torch.sigmoid(one[0] + two[0])
            new = torch.tanh(one[2] + torch.sigmoid(one[1] + two[1]) * two[2])
            all_[step] = h = (1 - z) * new + z * h
        return torch.stack(all_)[:, None], h[None]


class Export(Foreign):
    def trained(self, layers, x, loss="mse", width=2, data=""):
        """Weights after an epoch, and what they predict for x."""
        x = numpy.asarray(x, "f4")
        numpy.save(self.path("x.npy"), x)
        y = (self.random.integers(0, width, len(x)) if "sparse" in loss
             else self.numbers(len(x), width))
        numpy.save(self.path("y.npy"), y)
        self.write("net.yaml", "layers:\n%s\nloss: %s\nepochs: 2\n"
                               "optimizer: {name: adam, lr: 0.01}\n"
                               "data: {inputs: x.npy, labels: y.npy%s}\n"
                   % ("\n".join("  - " + one for one in layers), loss, data))
        self.throng("train", "net.yaml")
        return x, self.predicted("net.safetensors", "--data", "x.npy")

    def onnx(self, *words, **more):
        x, ours = self.trained(*words, **more)
        self.throng("model", "export", "net.safetensors", "--onnx")
        graph = Onnx(self.path("net.onnx"))
        theirs, = graph.run(**{graph.inputs[0]: x})
        self.agree(ours, theirs)

    def test_a_state_dict_that_pytorch_loads(self):
        x, ours = self.trained(
            ["{conv2d: 4, name: conv, activation: relu}",
             "{type: batch_norm, name: norm}", "flatten",
             "{dense: 5, name: first, activation: tanh}",
             "{dense: 2, name: last}"], self.numbers(60, 6, 5, 2))
        self.throng("model", "export", "net.safetensors", "--torch", "-o",
                    "out.pt")
        net = torch.nn.ModuleDict({
            "conv": torch.nn.Conv2d(2, 4, 3),
            "norm": torch.nn.BatchNorm2d(4, eps=1e-3),
            "first": torch.nn.Linear(48, 5), "last": torch.nn.Linear(5, 2)})
        net.load_state_dict(torch.load(self.path("out.pt")))
        net.eval()
        with torch.no_grad():
            y = F.relu(net["conv"](torch.tensor(x).permute(0, 3, 1, 2)))
            y = torch.tanh(net["first"](net["norm"](y).flatten(1)))
            self.agree(ours, net["last"](y))

    def test_a_graph_of_dense_layers_and_functions(self):
        names = ["relu", "relu6", "leaky_relu", "elu", "selu", "gelu",
                 "sigmoid", "tanh", "softplus", "swish"]
        self.onnx(["{dense: 12, activation: %s}" % n for n in names]
                  + ["layer_norm", "dropout: 0.3", "batch_norm", "dense: 3"],
                  self.random.normal(40, 6, (80, 5)),
                  "sparse_categorical_crossentropy", 3, ", scale: std")

    def test_a_graph_of_windows(self):
        self.onnx(["{conv2d: 4, kernel: [3, 2], stride: [2, 1], "
                   "padding: same, name: a}",
                   "{conv2d: 4, kernel: 1, groups: 2, name: b}",
                   "{type: add, from: [a, b], name: c}",
                   "{type: multiply, from: [c, b], name: d}",
                   "{type: concat, from: [c, d]}",
                   "depthwise_conv2d: 2", "{average_pool2d: 2, padding: same}",
                   "{conv2d_transpose: 3, stride: 2, padding: same}",
                   "{conv2d_transpose: 3, kernel: 2, stride: 3}",
                   "upsample2d: 2", "max_pool2d: [3, 2]",
                   "global_average_pool", "dense: 2"],
                  self.numbers(60, 9, 8, 2))

    def test_a_graph_of_steps(self):
        self.onnx(["{conv1d: 4, padding: causal, dilation: 2}",
                   "{lstm: 4, sequence: true, bidirectional: true}",
                   "{attention: 2, causal: true}",
                   "{gru: 3, sequence: true, backwards: true}",
                   "upsample1d: 2", "max_pool1d: 2", "{gru: 3}",
                   "reshape: [3, 1]", "{type: lstm, units: 2}", "dense: 2"],
                  self.numbers(60, 7, 3))

    def test_what_cannot_go_out_is_named(self):
        self.trained(["dense: 4", "{dropout: 0.5, permanent: true}",
                      "dense: 2"], self.numbers(40, 3))
        told = self.throng("model", "export", "net.safetensors", "--onnx",
                           fails=True)
        self.assertIn("the layer dropout_2 draws when it predicts", told)
        self.assertIn("say --torch or --onnx", self.throng(
            "model", "export", "net.safetensors", fails=True))


if __name__ == "__main__":
    unittest.main()
