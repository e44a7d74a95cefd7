"""Points of which each names only what it needs."""
import argparse

import throng

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
for name in ("--size", "--patch"):
    parser.add_argument(name, type=float)
for name in ("--pretrained", "--note"):
    parser.add_argument(name)
args = parser.parse_args()
given = {k: v for k, v in vars(args).items() if v is not None}
assert args.model in ("resnet", "vit", 'conv "x"'), args.model
assert sorted(given) == sorted(throng.params()), given
throng.report(size=args.size or 0)
