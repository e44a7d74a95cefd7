"""Defaults in a dict; everything read from wandb.config."""
import wandb

defaults = {"dropout": 0.5, "hidden_layer_size": 128, "epochs": 1,
            "learning_rate": 0.01, "activation": "relu", "seed": 42}
with wandb.init(config=defaults) as run:
    config = wandb.config
    assert config.epochs == 27 and config.seed == 42
    assert config["activation"] in ("relu", "elu", "selu", "softmax")
    assert config.hidden_layer_size in (96, 128, 148)
    for epoch in range(config.epochs):
        run.log({"val_loss": config.dropout + config.learning_rate / (1 + epoch)})
