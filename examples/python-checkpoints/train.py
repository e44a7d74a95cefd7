"""Trains a small network, with checkpoints, as a PyTorch script does.

By hand: python3 train.py --lr=0.1
"""
import csv
import json
import math
import os
import random
import time

import throng


class Model:
    """y = b . tanh(w x + c), and the gradient of its squared error."""

    def __init__(self, hidden):
        self.w = [random.gauss(0, 2) for _ in range(hidden)]
        self.c = [random.gauss(0, 1) for _ in range(hidden)]
        self.b = [0.0] * hidden

    def state_dict(self):
        return {"w": self.w, "c": self.c, "b": self.b}

    def load_state_dict(self, state):
        self.w, self.c, self.b = state["w"], state["c"], state["b"]

    def layer(self, x):
        return [math.tanh(w * x + c) for w, c in zip(self.w, self.c)]

    def loss(self, rows):
        return sum((sum(b * h for b, h in zip(self.b, self.layer(x))) - y) ** 2
                   for x, y in rows) / len(rows)

    def step(self, x, y, lr):
        h = self.layer(x)
        error = sum(b * v for b, v in zip(self.b, h)) - y
        for i, v in enumerate(h):
            back = error * self.b[i] * (1 - v * v)
            self.b[i] -= lr * error * v
            self.w[i] -= lr * back * x
            self.c[i] -= lr * back


def read(name):
    with open(name, newline="") as f:
        return [(float(x), float(y)) for x, y in csv.reader(f)]


def save(path, model, epoch):
    """Written beside and renamed: a kill never leaves half a checkpoint."""
    with open(path + ".new", "w") as f:
        json.dump({"epoch": epoch, "model": model.state_dict()}, f)
    os.replace(path + ".new", path)


p = throng.params(lr=0.1, hidden=8, epochs=30, data="clean.csv")
seed = throng.seed()
random.seed(seed)
rows = read(p["data"])
train, held_out = rows[::2], rows[1::2]
model = Model(p["hidden"])

checkpoint = os.path.join(throng.checkpoint_dir(), "state.json")
first = 0
if os.path.exists(checkpoint):
    with open(checkpoint) as f:
        state = json.load(f)
    model.load_state_dict(state["model"])
    first = state["epoch"]
    print("going on after epoch", first)

for epoch in range(first + 1, p["epochs"] + 1):
    # The order depends on nothing but seed and epoch, so a run that was
    # broken off comes to the same end as one that was not.
    for x, y in random.Random(seed + epoch).sample(train, len(train)):
        model.step(x, y, p["lr"])
    time.sleep(0.1)  # a larger model would take its time
    # Said first: an epoch whose checkpoint is there is never done again, so
    # a kill in between would leave it without its value.
    throng.report(step=epoch, val_loss=model.loss(held_out))
    save(checkpoint, model, epoch)
    if throng.should_stop():
        print("asked to stop after epoch", epoch)
        break

with open(os.path.join(throng.output_dir(), "model.json"), "w") as f:
    json.dump(model.state_dict(), f)
