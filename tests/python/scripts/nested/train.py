"""A configuration of objects within objects."""
import wandb

DEFAULTS = {
    "optimizer": {"name": "none", "lr": 1.0, "momentum": 0.9},
    "model": {"depth": 1, "block": {"width": 1, "norm": "batch"}},
}

run = wandb.init(config=DEFAULTS)
config = run.config
# The sweep wins at every depth; what it does not name stays.
assert config["optimizer"]["momentum"] == 0.9
assert config.model["block"] == {"width": 16, "norm": "batch"}
assert config.model.block.norm == "batch"
assert config.optimizer["lr"] == 0.001

penalty = {"sgd": 1.0, "adam": 0.5}[config.optimizer["name"]]
for epoch in range(2):
    wandb.log({
        "train": {"loss": penalty},
        "val": {"loss": penalty / config["model"]["depth"], "deep": {"a": 1}},
    })
wandb.finish()
