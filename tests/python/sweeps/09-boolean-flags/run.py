import argparse

import throng

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
parser.add_argument("--compile", action="store_true")
parser.add_argument("--lr", type=float, required=True)
args = parser.parse_args()
assert vars(args) == throng.params(), args
