"""The older place of the LightGBM callback."""

from .integration.lightgbm import log_summary, wandb_callback  # noqa: F401
