"""Learns a line from points, an epoch at a time, and keeps a checkpoint of each.

By hand: python3 train.py --lr=0.1 --data-dir=data
"""
import argparse
import csv
import json
import os

try:
    import throng
except ImportError:  # without throng it prints nothing but its end
    throng = None

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--data-dir", default="data")
parser.add_argument("--checkpoint-dir",
                    default=os.environ.get("THRONG_CHECKPOINT", "output"))
args = parser.parse_args()

with open(os.path.join(args.data_dir, "points.csv")) as f:
    points = [(float(x), float(y)) for x, y in csv.reader(f)]

path = os.path.join(args.checkpoint_dir, "state.json")
state = {"epoch": 0, "a": 0.0, "b": 0.0}
if os.path.exists(path):
    with open(path) as f:
        state = json.load(f)

while state["epoch"] < 30:
    errors = [state["a"] * x + state["b"] - y for x, y in points]
    loss = sum(e * e for e in errors) / len(points)
    state["a"] -= args.lr * sum(
        e * x for e, (x, _) in zip(errors, points)) / len(points)
    state["b"] -= args.lr * sum(errors) / len(points)
    state["epoch"] += 1
    if throng:
        throng.report(step=state["epoch"], loss=loss)
    with open(path + ".new", "w") as f:
        json.dump(state, f)
    os.replace(path + ".new", path)  # a checkpoint is whole, or the last one
    if throng and throng.should_stop():
        break
print(f"epoch {state['epoch']}: loss {loss:.6f}")
