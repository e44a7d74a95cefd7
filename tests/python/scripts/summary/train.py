"""The result is set in the summary; define_metric keeps the extremes."""
import argparse

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=int)
args = parser.parse_args()

wandb.init(config=args)
wandb.define_metric("loss", summary="min")
wandb.define_metric("loss", summary="max")
wandb.define_metric("accuracy", summary="best", goal="maximize")
best = 0
for epoch in range(4):
    accuracy = args.lr * (2 - abs(epoch - 2))
    wandb.log({"loss": 5 - epoch, "accuracy": accuracy})
    if accuracy > best:
        best = accuracy
        wandb.run.summary["best_accuracy"] = accuracy
        wandb.run.summary["best_epoch"] = epoch
assert wandb.summary["loss"] == {"min": 2, "max": 5}
assert wandb.summary["accuracy"]["best"] == 2 * args.lr
wandb.summary.update({"verdict": "good"})
