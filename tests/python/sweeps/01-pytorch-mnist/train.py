"""argparse, handed to wandb."""
import argparse

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, required=True)
parser.add_argument("--learning_rate", type=float, required=True)
parser.add_argument("--optimizer", choices=["adam", "sgd"], required=True)
args = parser.parse_args()
wandb.init(project="mnist", config=args)
for epoch in range(3):
    gain = args.learning_rate * (epoch + 1) / args.batch_size
    wandb.log({"epoch": epoch, "val_accuracy": 0.5 + gain})
