"""Checkpoints by CANDLE's rules.

    class Ckpt(candle.CandleCkpt):
        def write_model_backend(self, model, epoch):
            ...                                    # writes self.model_file
        def build_model(self, model_file):
            ...                                    # reads it again

    ckpt = Ckpt(gParameters)
    ckpt.set_model(model)
    J = ckpt.restart(model)
    for epoch in range(J["epoch"] if J else 0, gParameters["epochs"]):
        ...
        ckpt.ckpt_epoch(epoch, "-", val_loss)      # epoch counts from 0

On disk, in ckpt_directory:

    epochs/NNN/     model.h5, ckpt-info.json, random.json of epoch NNN
    best, last      links to two of them
    work/           the one that is being written
    ckpt.log

An epoch's folder appears complete or not at all, and a link always points to
one: both are renamed into place. The links are relative, so the folder can be
moved. The states of Python's and numpy's random numbers are saved and
restored too, and whatever the model puts into ckpt.state (a learning rate's
schedule, the order of the data).
"""

import contextlib
import json
import logging
import math
import os
import random
import shutil
import sys
import time
import zlib

from .keywords import Keywords
from .logs import set_up_logger
from .place import checkpoint_folder, sync_folder

MODEL_FILE, INFO_FILE, RANDOM_FILE = "model.h5", "ckpt-info.json", \
    "random.json"
NO_CHECKSUM, FIRST = "__DISABLED__", "__FIRST__"
_GROWING = ("accuracy", "acc", "auc", "r2", "corr", "f1", "precision",
            "recall")
_FALLING = ("loss", "lr", "mse", "mae", "rmse", "error")


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be used, or cannot be made."""


def direction_of(metric):
    """'+' for a metric that should grow, '-' for one that should fall."""
    name = metric[4:] if metric.startswith("val_") else metric
    if name in _GROWING or name.endswith(("_accuracy", "_acc")):
        return "+"
    if name in _FALLING or name.endswith("_loss"):
        return "-"
    raise CheckpointError(
        "ckpt_save_best_metric is %r, and whether that should grow or fall is "
        "not known; known are %s (fall), %s (grow), with or without val_"
        % (metric, ", ".join(_FALLING), ", ".join(_GROWING)))


class CandleCkpt:
    """Writes a checkpoint at the end of an epoch when it is due, and goes on
    from the last one. A subclass knows how a model is written and read."""

    def __init__(self, gParameters=None, logger="DEFAULT", verbose=True):
        self.gParams = gParameters if gParameters is not None else {}
        self.folder = checkpoint_folder(self.gParams)
        self.scan_params()
        self.epochs = []      # written by this run, oldest first
        self.epoch_best = 0
        self.model = None
        self.model_file = None
        self.state = {}       # the model's own, as JSON
        self.saved_at = None
        self.logger = self.open_log(verbose) if logger == "DEFAULT" else logger
        if self.save_interval == 0:
            self.info("ckpt_save_interval is 0: no checkpoints are written")

    # ---- settings ----------------------------------------------------------

    def scan_params(self):
        self.keywords = Keywords()
        self.epoch_max = self.param("epochs", None)
        self.skip_epochs = self.count("ckpt_skip_epochs", 0, 0)
        self.save_interval = self.count("ckpt_save_interval", 1, 0)
        self.keep_limit = self.count("ckpt_keep_limit", 5, 1)
        self.save_best = self.param("ckpt_save_best", True)
        self.save_best_metric = self.param("ckpt_save_best_metric", "val_loss")
        self.checksum_enabled = self.param("ckpt_checksum", False)
        self.keep_mode = self.param("ckpt_keep_mode", "linear")
        self.restart_mode = self.param("ckpt_restart_mode", "auto")
        self.metadata = self.gParams.get("metadata")
        self.best_metric_last = self.gParams.get("ckpt_best_metric_last")

    def param(self, name, default):
        """One setting, as its keyword wants it."""
        value = self.gParams.get(name)
        return default if value is None \
            else self.keywords.find(name).convert(value)

    def count(self, name, default, least):
        value = self.param(name, default)
        if value < least:
            raise ValueError("%s is %d or more, not %d" % (name, least, value))
        return value

    def open_log(self, verbose):
        if self.save_interval == 0:
            return None
        os.makedirs(self.folder, exist_ok=True)
        logger = logging.Logger("CandleCkpt")
        set_up_logger(os.path.join(self.folder, "ckpt.log"), logger, verbose,
                      "%(asctime)s CandleCkpt: %(message)s")
        return logger

    def info(self, text):
        if self.logger is not None:
            self.logger.info(text)

    def debug(self, text):
        if self.logger is not None:
            self.logger.debug(text)

    # ---- what a subclass does ----------------------------------------------

    def set_model(self, model):
        self.model = model

    def write_model_backend(self, model, epoch):
        """Writes the model to self.model_file."""
        raise NotImplementedError("a subclass of CandleCkpt must say how a "
                                  "model is written: write_model_backend")

    def build_model(self, model_file):
        """Reads the model from a file."""
        raise NotImplementedError("a subclass of CandleCkpt must say how a "
                                  "model is read: build_model")

    # ---- saving ------------------------------------------------------------

    def ckpt_epoch(self, epoch, direction, metric_value):
        """The end of an epoch, counted from 0; True when a checkpoint was
        written. The direction is '+' for a metric that should grow, '-' for
        one that should fall, None for what its name says."""
        number = int(epoch) + 1
        if direction is None:
            direction = direction_of(self.save_best_metric)
        if direction not in ("+", "-"):
            raise ValueError("the direction of a metric is '+' or '-', not %r"
                             % (direction,))
        if not self.save_check(number, direction, metric_value):
            return False
        self.save(number)
        return True

    def save_check(self, number, direction, metric_value):
        """Whether this epoch is to be saved; notes it when it is the best."""
        if self.save_interval == 0 or number < self.skip_epochs:
            return False
        if self.save_best and self.improves(direction, metric_value):
            self.best_metric_last = float(metric_value)
            self.epoch_best = number
            return True
        return number == self.epoch_max or number % self.save_interval == 0

    def improves(self, direction, value):
        value, best = float(value), self.best_metric_last
        if not math.isfinite(value):
            return False
        if best is None:
            return True
        return value > best if direction == "+" else value < best

    def save(self, number):
        """Writes the checkpoint of an epoch, counted from 1."""
        work = os.path.join(self.folder, "work")
        target = os.path.join(self.folder, "epochs", "%03i" % number)
        shutil.rmtree(work, ignore_errors=True)  # of a run that broke off
        os.makedirs(work)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        started = time.time()
        self.write_model(work, number)
        self.put_in_place(work, target)
        if number in self.epochs:
            self.epochs.remove(number)
        self.epochs.append(number)
        if self.epoch_best == number:
            self.link("best", target)
        self.link("last", target)
        self.debug("epoch %d saved in %.3f s" % (number,
                                                 time.time() - started))
        self.clean(number)

    def write_model(self, work, number):
        self.model_file = os.path.join(work, MODEL_FILE)
        self.write_model_backend(self.model, number)
        if not os.path.exists(self.model_file):
            raise CheckpointError("write_model_backend did not write %s"
                                  % self.model_file)
        _write_json(os.path.join(work, RANDOM_FILE), _random_state())
        checksum = NO_CHECKSUM
        if self.checksum_enabled:
            checksum = self.checksum_file(self.model_file)
        now = time.time()
        _write_json(os.path.join(work, INFO_FILE), {
            "epoch": number,
            "save_best_metric": self.save_best_metric,
            "best_metric_last": self.best_metric_last,
            "best_epoch": self.epoch_best,
            "model_file": MODEL_FILE,
            "checksum": checksum,
            "timestamp": time.strftime("%Y-%m-%d %H:%M:%S",
                                       time.localtime(now)),
            "time_elapsed": FIRST if self.saved_at is None
            else now - self.saved_at,
            "metadata": self.metadata,
            "state": self.state})
        self.saved_at = now
        for name in os.listdir(work):
            _sync(os.path.join(work, name))
        sync_folder(work)

    def put_in_place(self, work, target):
        """The older one of the same epoch steps aside first."""
        old = target + ".old"
        shutil.rmtree(old, ignore_errors=True)
        if os.path.lexists(target):
            os.rename(target, old)
        os.rename(work, target)
        shutil.rmtree(old, ignore_errors=True)
        sync_folder(os.path.dirname(target))

    def link(self, name, target):
        """Points a link to a folder, in one step."""
        path = os.path.join(self.folder, name)
        new = path + ".new"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)
        os.symlink(os.path.relpath(target, self.folder), new)
        os.replace(new, path)
        sync_folder(self.folder)

    @staticmethod
    def checksum_file(path):
        """CRC-32 of a file, as decimal digits."""
        checksum = 0
        with open(path, "rb") as file:
            for chunk in iter(lambda: file.read(10 << 20), b""):
                checksum = zlib.crc32(chunk, checksum)
        return str(checksum)

    # ---- what is kept ------------------------------------------------------

    def clean(self, now):
        """Removes what the keep rule no longer wants, of what this run has
        written; returns how many were kept and removed."""
        kept, buckets = [], set()
        ages = {}
        for epoch in self.epochs:  # oldest first: it fills its bucket
            bucket = (now - epoch).bit_length()
            ages[epoch] = bucket not in buckets
            buckets.add(bucket)
        for epoch in reversed(self.epochs):
            wanted = self.keep_mode == "all" or epoch in (now,
                                                          self.epoch_best)
            if not wanted and len(kept) < self.keep_limit:
                wanted = self.keep_mode != "exponential" or ages[epoch]
            if wanted:
                kept.append(epoch)
        removed = [epoch for epoch in self.epochs if epoch not in kept]
        for epoch in removed:
            shutil.rmtree(os.path.join(self.folder, "epochs", "%03i" % epoch),
                          ignore_errors=True)
            self.debug("epoch %d removed" % epoch)
        self.epochs = sorted(kept)
        return len(kept), len(removed)

    def report_final(self):
        self.info("checkpoints kept: %i" % len(self.epochs))
        self.info("checkpoints list: %s" % self.epochs)

    # ---- going on ----------------------------------------------------------

    def restart(self, model=None, verbose=True):
        """Goes on from the last checkpoint: reads the model and returns what
        ckpt-info.json says, of which "epoch" is the first epoch to train,
        counted from 0. None when there is nothing to go on from."""
        if model is not None:
            self.model = model
        if self.restart_mode == "off":
            return None
        folder = self.last_folder()
        if folder is None:
            if self.restart_mode == "required":
                raise CheckpointError(
                    "ckpt_restart_mode is 'required', but there is no "
                    "checkpoint at %s"
                    % os.path.join(self.folder, "last", MODEL_FILE))
            return None
        info = self.read_info(folder)
        model_file = os.path.join(folder, MODEL_FILE)
        self.check_sum(model_file, info)
        self.build_model(model_file)
        self.take_over(folder, info)
        self.info("goes on from epoch %s of %s" % (info["epoch"],
                                                   info.get("timestamp")))
        return info

    def last_folder(self):
        """Where `last` points to. A link to nothing is what a crash leaves
        when it strikes while an epoch is written anew; then the older one of
        that epoch comes back, or the newest epoch counts. A link that was
        taken away means a fresh start."""
        last = os.path.join(self.folder, "last")
        if not os.path.islink(last):
            return os.path.realpath(last) if os.path.exists(
                os.path.join(last, MODEL_FILE)) else None
        target = os.path.join(self.folder, os.readlink(last))
        if not os.path.exists(target) and os.path.exists(target + ".old"):
            os.rename(target + ".old", target)
        if os.path.exists(os.path.join(target, MODEL_FILE)):
            return os.path.realpath(target)
        epochs = os.path.join(self.folder, "epochs")
        names = sorted(n for n in os.listdir(epochs) if n.isdigit()) \
            if os.path.isdir(epochs) else []
        whole = [n for n in names if os.path.exists(
            os.path.join(epochs, n, MODEL_FILE))]
        if not whole:
            return None
        newest = max(whole, key=int)
        self.info("%s points to nothing; epoch %s is taken" % (last, newest))
        return os.path.join(epochs, newest)

    def read_info(self, folder):
        path = os.path.join(folder, INFO_FILE)
        try:
            with open(path, encoding="utf-8") as file:
                info = json.load(file)
                info["epoch"] = int(info["epoch"])
                return info
        except FileNotFoundError:
            if self.gParams.get("require_json") is False:
                return {"epoch": int(os.path.basename(folder)),
                        "best_metric_last": None}
            raise CheckpointError(
                "%s has a model but no %s; re-point `last` to a whole "
                "checkpoint, or set require_json to False"
                % (folder, INFO_FILE)) from None
        except (ValueError, KeyError, TypeError) as error:
            raise CheckpointError("%s cannot be read: %s" % (path, error)) \
                from None

    def check_sum(self, model_file, info):
        expected = info.get("checksum", NO_CHECKSUM)
        if not self.checksum_enabled or expected == NO_CHECKSUM:
            return
        got = self.checksum_file(model_file)
        if got != expected:
            raise CheckpointError(
                "%s is damaged: its checksum is %s, not %s; re-point `last` "
                "to another folder of epochs/, or remove it to start anew"
                % (model_file, got, expected))

    def take_over(self, folder, info):
        self.best_metric_last = info.get("best_metric_last")
        self.epoch_best = info.get("best_epoch") or 0
        self.state = info.get("state") or {}
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.join(folder, RANDOM_FILE),
                      encoding="utf-8") as file:
                _restore_random(json.load(file))


# ---- files -----------------------------------------------------------------

def _write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.write("\n")


def _sync(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---- random numbers --------------------------------------------------------

def _random_state():
    """Of Python's generator, and of numpy's when the script uses it."""
    version, words, gauss = random.getstate()
    state = {"python": [version, list(words), gauss]}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        kind, keys, place, has_gauss, cached = numpy.random.get_state()
        state["numpy"] = [kind, keys.tolist(), place, has_gauss, cached]
    return state


def _restore_random(state):
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    numpy = sys.modules.get("numpy")
    if numpy is not None and "numpy" in state:
        numpy.random.set_state(tuple(state["numpy"]))
