"""The older place of the XGBoost callback."""

from .integration.xgboost import WandbCallback, wandb_callback  # noqa: F401
