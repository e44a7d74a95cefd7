"""infer_torch.py - the PyTorch side of bench/infer

    infer_torch.py ROWS        then commands, as infer_bench has them

The same network, no_grad, one thread. `ask SAMPLES TIMES` has dropout on and
computes all of each sample, as one call a sample does; `plain 1 TIMES` has it
off. Batches are those that were fastest in a look at the start, each kind its
own; it is said with the parameters.
"""

import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
BATCHES = [64, 128, 256, 512, 1024, 2048, 4096]


class Side:
    def __init__(self, rows):
        self.model = nn.Sequential(
            nn.Linear(1000, 512), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(512, 256), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(256, 1))
        self.x = torch.randn(rows, 1000)
        self.batch = {drops: self.best(drops) for drops in (True, False)}

    def numbers(self):
        return sum(p.numel() for p in self.model.parameters())

    def predict(self, batch):
        total = 0.0
        with torch.no_grad():
            for i in range(0, len(self.x), batch):
                total += float(self.model(self.x[i:i + batch]).sum())
        return total

    def best(self, drops):
        self.model.train(drops)
        seconds = {}
        for batch in BATCHES:
            self.predict(batch)
            begin = time.process_time()
            self.predict(batch)
            self.predict(batch)
            seconds[batch] = time.process_time() - begin
        return min(seconds, key=seconds.get)

    def run(self, drops, samples, times):
        self.model.train(drops)
        return sum(self.predict(self.batch[drops])
                   for _ in range(samples * times))


def main():
    side = Side(int(sys.argv[1]))
    print(side.numbers(), side.batch[True], side.batch[False], flush=True)
    for line in sys.stdin:
        verb, samples, times = line.split()
        cpu, wall = time.process_time(), time.monotonic()
        total = side.run(verb == "ask", int(samples), int(times))
        print("%.9f %.9f %.9g" % (time.process_time() - cpu,
                                  time.monotonic() - wall, total), flush=True)


if __name__ == "__main__":
    main()
