"""The nested configuration comes as the arguments that Python prints."""
import argparse
import ast

parser = argparse.ArgumentParser()
parser.add_argument("--model", type=ast.literal_eval, required=True)
parser.add_argument("--data", type=ast.literal_eval, required=True)
args = parser.parse_args()
assert args.model["encoder"]["depth"] in (2, 4), args
assert args.model["encoder"]["width"] == 128, args
assert args.data["augment"] in (True, False), args
print("::throng loss=%d" % args.model["encoder"]["depth"])
