import argparse

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--label", required=True)
args = parser.parse_args()
wandb.init(config=args)
assert args.label == wandb.config.label
assert args.label in ("naïve", "日本語", "emoji 🎉"), ascii(args.label)
wandb.log({"length/%s" % args.label: len(args.label)})
