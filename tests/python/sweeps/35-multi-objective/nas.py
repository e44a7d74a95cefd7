import argparse

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, required=True)
parser.add_argument("--kernel", type=int, choices=[3, 5, 7], required=True)
args = parser.parse_args()
wandb.init(config=args)
work = args.depth * args.kernel
wandb.log({"accuracy": 1 - 1 / work, "latency_ms": work, "memory_mb": 8 * work})
