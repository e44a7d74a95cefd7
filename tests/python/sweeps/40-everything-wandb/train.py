"""Everything at once: sweep parameters over the script's own, a summary that
keeps the least, a row in two parts."""
import argparse
import ast

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, required=True)
parser.add_argument("--bs", type=int, required=True)
parser.add_argument("--opt", type=ast.literal_eval, required=True)
args = parser.parse_args()
run = wandb.init(entity="me", project="all", config=args, tags=["a"],
                 settings=wandb.Settings(start_method="thread"))
run.define_metric("val/loss", summary="min")
run.config.update({"workers": 2}, allow_val_change=True)
assert run.config.opt["betas"] == [0.9, 0.999] and run.config.workers == 2
for step in range(12):
    run.log({"val/loss": 0.1 + args.lr / (1 + step)}, commit=False)
    run.log({"train/loss": args.bs / (1 + step)})
