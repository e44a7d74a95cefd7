"""Trains a line through noisy points, step by step, with a checkpoint.

By hand: python3 train.py --lr=0.1
"""
import json
import os
import random

import throng

p = throng.params(lr=0.1, momentum=0.0)
points = [(x / 20, 3 * x / 20 - 1 + random.Random(x).gauss(0, 0.1))
          for x in range(20)]


def gradient(a, b):
    errors = [(a * x + b - y, x) for x, y in points]
    return (2 * sum(e * x for e, x in errors) / len(points),
            2 * sum(e for e, _ in errors) / len(points))


def loss(a, b):
    return sum((a * x + b - y) ** 2 for x, y in points) / len(points)


state = {"epoch": 0, "a": 0.0, "b": 0.0, "va": 0.0, "vb": 0.0}
checkpoint = os.path.join(throng.checkpoint_dir(), "state.json")
if os.path.exists(checkpoint):
    with open(checkpoint) as f:
        state = json.load(f)

# The budget counts from the very beginning: 1, then 3, then 9 …
for epoch in range(state["epoch"] + 1, throng.budget(27) + 1):
    da, db = gradient(state["a"], state["b"])
    state["va"] = p["momentum"] * state["va"] - p["lr"] * da
    state["vb"] = p["momentum"] * state["vb"] - p["lr"] * db
    state["a"] += state["va"]
    state["b"] += state["vb"]
    state["epoch"] = epoch
    with open(checkpoint + ".new", "w") as f:
        json.dump(state, f)
    os.replace(checkpoint + ".new", checkpoint)
    throng.report(step=epoch, loss=loss(state["a"], state["b"]))
