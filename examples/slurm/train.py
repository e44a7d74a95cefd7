"""Walks down a valley, a step at a time, and keeps a checkpoint of each.

By hand: python3 train.py --lr=0.1
"""
import argparse
import json
import os
import time

import throng

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, required=True)
args = parser.parse_args()

path = os.path.join(os.environ.get("THRONG_CHECKPOINT", "."), "state.json")
state = {"epoch": 0, "x": 10.0}
if os.path.exists(path):
    with open(path) as f:
        state = json.load(f)

while state["epoch"] < 20:
    time.sleep(0.05)  # a real epoch takes longer
    state["x"] -= args.lr * 2 * (state["x"] - 3)
    state["epoch"] += 1
    throng.report(step=state["epoch"], loss=(state["x"] - 3) ** 2)
    with open(path + ".new", "w") as f:
        json.dump(state, f)
    os.replace(path + ".new", path)  # a checkpoint is whole, or the last one
    if throng.should_stop():
        break
