"""What a run did, as a file and as metrics of its trial.

    log = candle.CandleRemoteMonitor(params=gParameters)
    log.on_train_begin()
    for epoch in range(epochs):
        ...
        log.on_epoch_end(epoch, {"loss": loss, "val_loss": val_loss})
        if log.stop_training:
            break
    log.on_train_end()

With Keras these objects are handed over as callbacks; without it a script
calls them itself. The file is output_dir/run.RUN_ID.json, one JSON array of
CANDLE's own form ({"training_loss": {"set": 0.5}}) that is whole after each
epoch; a second run adds to it.
"""

import json
import math
import os
import sys
import time

from .. import identity, metrics
from .place import write_whole


def _callback():
    """Keras' own class when the script uses Keras, else one like it."""
    for name in ("keras.callbacks", "tensorflow.keras.callbacks"):
        if name.split(".")[0] in sys.modules:
            try:
                return __import__(name, fromlist=["Callback"]).Callback
            except ImportError:
                continue
    return _Plain


class _Plain:
    """What Keras calls, with nothing behind it."""

    def __init__(self):
        self.model = None
        self.params = {}

    def __getattr__(self, name):
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)

    def set_model(self, model):
        self.model = model

    def set_params(self, params):
        self.params = params


_Base = _callback()


class _Stopping(_Base):
    """Ends a training, with Keras or without."""

    def __init__(self):
        super().__init__()
        self.stop_training = False

    def stop(self):
        self.stop_training = True
        if getattr(self, "model", None) is not None:
            try:
                self.model.stop_training = True
            except AttributeError:
                pass  # a model that is no object of Keras'


_END, _EMPTY = b"\n]\n", b"[\n]\n"


class CandleRemoteMonitor(_Stopping):
    """The run log. In a trial each epoch's metrics are reported to throng
    too, and stop_training is set when throng asks the trial to finish."""

    def __init__(self, params=None):
        super().__init__()
        self.global_params = params if params is not None else {}
        self.experiment_id = self.global_params.get("experiment_id", "EXP000")
        self.run_id = self.global_params.get("run_id", "RUN000")
        self.path = os.path.join(self.global_params.get("output_dir") or ".",
                                 "run.%s.json" % self.run_id)
        self.started = self.epoch_started = None

    def on_train_begin(self, logs=None):
        _begin(self.path)
        self.started = self.epoch_started = time.time()
        params = ["%s: %s" % (k, v)
                  for k, v in sorted(self.global_params.items())]
        self.add({"experiment_id": self.experiment_id, "run_id": self.run_id,
                  "parameters": params, "start_time": _text(self.started),
                  "status": "Started"})

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch_started = time.time()

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        now = time.time()
        if self.started is None:
            self.on_train_begin()
        loss, val_loss = logs.get("loss"), logs.get("val_loss")
        progress = "epoch: %d/%s, duration: %.3fs, loss: %s, val_loss: %s" % (
            epoch + 1, self.global_params.get("epochs"),
            now - (self.epoch_started or now), loss, val_loss)
        self.epoch_started = now
        self.add({"run_id": self.run_id, "status": {"set": "Running"},
                  "training_loss": {"set": _number(loss)},
                  "validation_loss": {"set": _number(val_loss)},
                  "run_progress": {"add": [progress]}})
        values = {k: v for k, v in logs.items()
                  if metrics.number(v) is not None}
        if identity.inside() and values:
            metrics.report(values, step=epoch)
        if metrics.should_stop():
            self.stop()

    def on_train_end(self, logs=None):
        now = time.time()
        hours = (now - (self.started or now)) / 3600
        self.add({"run_id": self.run_id, "runtime_hours": {"set": hours},
                  "end_time": {"set": _text(now)},
                  "status": {"set": "Finished"},
                  "date_modified": {"set": "NOW"}})

    def add(self, record):
        """Writes over the end of the array, in one write: the file is whole
        before and after it."""
        if self.started is None or not os.path.exists(self.path):
            _begin(self.path)
        text = json.dumps(record, default=str)
        with open(self.path, "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            first = size == len(_EMPTY)
            file.seek(size - len(_END))
            file.write((b"" if first else b",") + b"\n" + text.encode() + _END)


class TerminateOnTimeOut(_Stopping):
    """Ends a training at the end of the epoch in which it has taken the
    parameter `timeout` in seconds, or in which throng's time for the trial
    has come; -1 is no limit."""

    def __init__(self, timeout_in_sec=10):
        super().__init__()
        self.timeout_in_sec = timeout_in_sec
        self.started = time.monotonic()

    def on_train_begin(self, logs=None):
        self.started = time.monotonic()

    def on_epoch_end(self, epoch, logs=None):
        taken = time.monotonic() - self.started
        limit = self.timeout_in_sec
        if limit is not None and limit != -1 and taken >= limit:
            print("Timeout: %.3f s have passed, %s are allowed"
                  % (taken, limit))
            self.stop()
        deadline = identity.deadline()
        if deadline is not None and time.time() >= deadline:
            self.stop()


class LoggingCallback(_Base):
    """Hands one line about each epoch to a function, print unless said."""

    def __init__(self, print_fcn=print):
        super().__init__()
        self.print_fcn = print_fcn

    def on_epoch_end(self, epoch, logs=None):
        self.print_fcn("[Epoch: %i] %s" % (epoch, ", ".join(
            "%s: %f" % item for item in sorted((logs or {}).items()))))


def _begin(path):
    """Makes the file an array that can be added to. One of an earlier run is
    gone on with; one that cannot be read is put aside."""
    records = []
    try:
        with open(path, encoding="utf-8") as file:
            records = json.load(file)
    except FileNotFoundError:
        pass
    except ValueError:
        os.replace(path, path + ".unreadable")
    if not isinstance(records, list):
        records = [records]
    lines = ",".join("\n" + json.dumps(record) for record in records)
    write_whole(path, "[" + lines + _END.decode())


def _number(value):
    plain = metrics.number(value)
    if isinstance(plain, float) and not math.isfinite(plain):
        return str(plain)
    return plain


def _text(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
