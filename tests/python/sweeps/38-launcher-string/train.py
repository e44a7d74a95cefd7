import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--lora_r", type=int, required=True)
parser.add_argument("--lora_alpha", type=int, required=True)
parser.add_argument("--gradient_checkpointing", choices=["True", "False"],
                    required=True)
args = parser.parse_args()
assert os.environ["ACCELERATE_MIXED_PRECISION"] == "bf16"
print("::throng loss=%g" % (args.lora_alpha / args.lora_r))
