"""Parameters from wandb.config only, over the script's defaults."""
import wandb

defaults = dict(units=1, activation="linear", dropout=0.0, epochs=4, seed=1)

sweep_configuration = {"method": "grid"}


def train():
    with wandb.init(project="demo", config=defaults, tags=["sweep"]) as run:
        config = wandb.config
        assert config.dropout == 0.5 and config["epochs"] == 4
        assert "units" in config and config.get("nix") is None
        bonus = 0.1 if config.activation == "relu" else 0.0
        for epoch in range(config.epochs):
            run.log({"accuracy": bonus + epoch / config.units})
        print("finished", run.name, dict(config))


# The notebook's way, which is common in scripts too.
if __name__ == "__main__":
    sweep_id = wandb.sweep(sweep_configuration, project="demo")
    wandb.agent(sweep_id, function=train, count=5)
