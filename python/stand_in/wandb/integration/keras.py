"""Keras callbacks that log to the current run. Importing this module imports
Keras (keras or tensorflow.keras)."""

import re
import sys

try:
    from keras.callbacks import Callback
except ImportError:
    from tensorflow.keras.callbacks import Callback

_wandb = sys.modules["wandb"]


class WandbMetricsLogger(Callback):
    """Logs epoch/loss and the like; with log_freq, batch/loss as well."""

    def __init__(self, log_freq="epoch", initial_global_step=0, **kwargs):
        super().__init__()
        self.every = {"epoch": 0, "batch": 1}.get(log_freq, log_freq)
        self.batches = initial_global_step

    def on_epoch_end(self, epoch, logs=None):
        values = {"epoch/" + name: v for name, v in (logs or {}).items()}
        _wandb.log({"epoch/epoch": epoch, **values})

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
        if self.every and self.batches % self.every == 0:
            values = {"batch/" + name: v for name, v in (logs or {}).items()}
            _wandb.log({"batch/batch_step": self.batches, **values})


class WandbCallback(Callback):
    """Logs loss, val_loss and the like, and the best in the summary. What W&B
    also does (models, gradients, predictions) it does not."""

    def __init__(self, monitor="val_loss", mode="auto", **kwargs):
        super().__init__()
        rising = mode == "max" or mode == "auto" and "acc" in monitor
        self.monitor, self.sign = monitor, -1 if rising else 1
        self.best = None

    def on_epoch_end(self, epoch, logs=None):
        logs = dict(logs or {})
        _wandb.log({"epoch": epoch, **logs})
        value = logs.get(self.monitor)
        if value is None:
            return
        if self.best is None or self.sign * (value - self.best) < 0:
            self.best = value
            _wandb.summary["best_" + self.monitor] = value
            _wandb.summary["best_epoch"] = epoch


def _checkpoint():
    try:
        from keras.callbacks import ModelCheckpoint
    except ImportError:
        from tensorflow.keras.callbacks import ModelCheckpoint

    class WandbModelCheckpoint(ModelCheckpoint):
        """Keras's own; what it has saved is kept with the run at the end."""

        def on_train_end(self, logs=None):
            super().on_train_end(logs)
            _wandb.save(re.sub(r"{[^}]*}", "*", str(self.filepath)))

    return WandbModelCheckpoint


def __getattr__(name):
    if name == "WandbModelCheckpoint":
        return globals().setdefault(name, _checkpoint())
    raise AttributeError(
        "throng's stand-in for wandb has no wandb.integration.keras.%s" % name)
