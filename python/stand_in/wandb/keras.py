"""The older place of the Keras callbacks."""

from .integration.keras import WandbCallback, WandbMetricsLogger  # noqa: F401
