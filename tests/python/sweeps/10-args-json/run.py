import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--config", type=json.loads, required=True)
config = parser.parse_args().config
assert config["layers"] == [64, 32] and config["lr"] in (0.1, 1e-7), config
