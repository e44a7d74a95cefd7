"""Steps of its own, rows that are put together, another axis."""
import argparse

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--warmup")
args = parser.parse_args()

run = wandb.init(config=vars(args), settings=wandb.Settings(silent=True))
wandb.define_metric("eval/*", step_metric="epoch")
step = 0
for epoch in range(2):
    for batch in range(5):
        wandb.log({"train/loss": args.lr * 10 - step}, step=step)
        if batch == 4:
            wandb.log({"eval/loss": args.lr + epoch, "epoch": epoch},
                      step=step)
        step += 10
run.log({"test/a": 1}, commit=False)
run.log({"test/b": 2}, commit=False)
run.log({"test/c": 3})
assert run.step == 91, run.step
