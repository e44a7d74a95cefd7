"""The nested configuration comes from wandb alone."""
import argparse

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int)
args, _ = parser.parse_known_args()
wandb.init(config={"optimizer": {"name": "none", "betas": [0.9, 0.99]}})
optimizer = wandb.config.optimizer
assert wandb.config["optimizer"]["name"] in ("adam", "sgd")
assert optimizer["betas"] == [0.9, 0.99] and args.seed == 42
wandb.log({"train": {"loss": optimizer["lr"]}})
