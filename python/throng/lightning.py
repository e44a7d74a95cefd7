"""PyTorch Lightning: a logger, and a callback that stops when throng asks.

    from throng.lightning import ThrongCallback, ThrongLogger

    trainer = Trainer(logger=ThrongLogger(), callbacks=[ThrongCallback()],
                      default_root_dir=throng.checkpoint_dir())

Importing this module imports Lightning (lightning or pytorch_lightning).
"""

from .folders import output_dir
from .identity import study_name, trial
from .metrics import report, should_stop

try:
    from lightning.pytorch.callbacks import Callback
    from lightning.pytorch.loggers.logger import Logger
    from lightning.pytorch.utilities import rank_zero_only
except ImportError:
    from pytorch_lightning.callbacks import Callback
    from pytorch_lightning.loggers.logger import Logger
    from pytorch_lightning.utilities import rank_zero_only


class ThrongLogger(Logger):
    """Reports what the module logs; only the first of several ranks does."""

    @property
    def name(self):
        return study_name("throng")

    @property
    def version(self):
        return trial()

    @property
    def save_dir(self):
        return output_dir()

    @property
    def experiment(self):
        return None

    @rank_zero_only
    def log_metrics(self, metrics, step=None):
        values = dict(metrics)
        values.pop("step", None)  # that is throng's own word
        if values:
            report(values, step=step)

    @rank_zero_only
    def log_hyperparams(self, params=None, *args, **kwargs):
        """throng knows the parameters: it gave them."""


class ThrongCallback(Callback):
    """Ends the training after a batch or a validation when throng asks."""

    def _look(self, trainer):
        if should_stop():
            trainer.should_stop = True

    def on_train_batch_end(self, trainer, *args, **kwargs):
        self._look(trainer)

    def on_validation_end(self, trainer, *args, **kwargs):
        self._look(trainer)
