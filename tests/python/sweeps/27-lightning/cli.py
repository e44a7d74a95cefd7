import argparse

parser = argparse.ArgumentParser()
parser.add_argument("verb", choices=["fit"])
parser.add_argument("--config", type=argparse.FileType(), required=True)
parser.add_argument("--trainer.max_epochs", type=int, required=True)
parser.add_argument("--model.lr", type=float, required=True)
parser.add_argument("--data.batch_size", type=int, required=True)
args = vars(parser.parse_args())
assert args["config"].read().startswith("seed:")
for epoch in range(args["trainer.max_epochs"]):
    print("::throng step=%d loss=%g" % (epoch, args["model.lr"] / (1 + epoch)))
