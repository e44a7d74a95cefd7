"""Where libraries look for wandb's inner parts."""
