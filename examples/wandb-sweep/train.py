"""A training script as it was written for W&B; nothing in it knows throng."""
import argparse
import math

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--learning_rate", type=float, default=0.01)
parser.add_argument("--optimizer", default="adam")
parser.add_argument("--layers", type=int, default=2)
args = parser.parse_args()

run = wandb.init(project="digits", config=vars(args))
wandb.define_metric("val_loss", summary="min")

speed = 1.5 if wandb.config.optimizer == "adam" else 1.0
for epoch in range(8):
    rate = wandb.config.learning_rate * speed
    train_loss = math.exp(-20 * rate * (epoch + 1)) + 0.1 / args.layers
    val_loss = train_loss + 2 * rate + 0.02 * args.layers
    wandb.log({"epoch": epoch, "loss": train_loss, "val_loss": val_loss})

wandb.finish()
