"""Arguments from argparse, handed to wandb."""
import argparse

import wandb


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", type=float, default=1.0)
    parser.add_argument("--batch_size", type=int, default=1)
    parser.add_argument("--nesterov", type=lambda s: s == "True")
    parser.add_argument("--epochs", type=int, default=3)
    return parser.parse_args()


def main():
    args = parse()
    wandb.login()
    wandb.init(project="digits", entity="lab", config=args, save_code=True)
    wandb.config.update(vars(args))
    assert wandb.config.nesterov is True
    for epoch in range(args.epochs):
        loss = args.learning_rate + args.batch_size / (1 + epoch)
        wandb.log({"epoch": epoch, "val_loss": loss})


if __name__ == "__main__":
    main()
