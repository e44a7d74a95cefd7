"""Its data lie where an environment variable says."""
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--workers", type=int, required=True)
parser.add_argument("--lr", type=float, required=True)
parser.add_argument("--k", type=int, required=True)
args = parser.parse_args()
assert os.path.isdir(args.data) and args.workers == 4, args
