"""Two processes; only the first one logs."""
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--model_name_or_path", required=True)
parser.add_argument("--task_name", choices=["mrpc"], required=True)
parser.add_argument("--learning_rate", type=float, required=True)
parser.add_argument("--per_device_train_batch_size", type=int, required=True)
parser.add_argument("--num_train_epochs", type=int, required=True)
parser.add_argument("--fp16", type=lambda text: text == "True", required=True)
args = parser.parse_args()
assert args.fp16 and os.environ["WORLD_SIZE"] == "2", args
if os.environ["RANK"] == "0":
    import wandb
    wandb.init(project="glue", config=args)
    for epoch in range(args.num_train_epochs):
        wandb.log({"eval/f1": 0.5 + epoch / 10 + args.learning_rate})
