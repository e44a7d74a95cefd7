"""As many epochs as the sweep's bands look at."""
import argparse
import math

import wandb

parser = argparse.ArgumentParser()
for name in ("--lr", "--warmup", "--weight_decay"):
    parser.add_argument(name, type=float, required=True)
args = parser.parse_args()
assert 1e-5 < args.lr < 0.2 and args.warmup % 100 == 0
run = wandb.init(config=vars(args))
far = abs(math.log(args.lr) + 5) + args.weight_decay
for epoch in range(27):
    run.log({"epoch/val_loss": 0.2 + far / (1 + epoch), "epoch/epoch": epoch})
run.finish()
