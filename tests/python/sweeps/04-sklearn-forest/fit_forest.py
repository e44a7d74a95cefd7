"""No metric; None and booleans arrive as Python prints them."""
import argparse
import ast

parser = argparse.ArgumentParser()
parser.add_argument("--n_estimators", type=int, required=True)
parser.add_argument("--max_depth", type=ast.literal_eval, required=True)
parser.add_argument("--bootstrap", type=ast.literal_eval, required=True)
parser.add_argument("--criterion", required=True)
args = parser.parse_args()
assert args.max_depth in (None, 5, 10), args
assert isinstance(args.bootstrap, bool) and args.criterion == "gini", args
print("a forest of", args.n_estimators)
