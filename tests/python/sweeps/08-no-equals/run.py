import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, required=True)
parser.add_argument("--name", required=True)
args = parser.parse_args()
assert args.name == "two words", args
print("::throng loss=%g" % args.lr)
