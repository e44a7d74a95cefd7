"""Keras: a callback that reports, and stops when throng asks.

    from throng.keras import ThrongCallback

    model.fit(x, y, callbacks=[ThrongCallback()])

Importing this module imports Keras (keras or tensorflow.keras).
"""

from . import metrics

try:
    from keras.callbacks import Callback
except ImportError:
    from tensorflow.keras.callbacks import Callback


class ThrongCallback(Callback):
    """One report an epoch, or one every `every` batches as well (their names
    get `batch/` in front)."""

    def __init__(self, every=None):
        super().__init__()
        self.every, self.batches = every, 0

    def on_epoch_end(self, epoch, logs=None):
        self._report(epoch, logs or {}, "")

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
        if self.every and self.batches % self.every == 0:
            self._report(self.batches, logs or {}, "batch/")

    def _report(self, step, logs, prefix):
        values = {prefix + name: value for name, value in logs.items()
                  if metrics.number(value) is not None}
        if values:
            metrics.report(values, step=step)
        if metrics.should_stop():
            self.model.stop_training = True
