import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--config", type=argparse.FileType(), required=True)
config = json.load(parser.parse_args().config)
assert list(config) == ["lr"] and config["lr"] in (0.1, 0.2), config
