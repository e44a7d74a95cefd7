"""Messages, bars, seeds and the defaults that all back ends share."""

import logging
import os
import random
import sys
import time

from .place import verify_path


def set_up_logger(logfile, logger, verbose=False,
                  fmt_line="[%(asctime)s %(process)d] %(message)s",
                  fmt_date="%Y-%m-%d %H:%M:%S"):
    """Lets a logger write everything to a file, and to standard output what
    is not for debugging (with `verbose` that too)."""
    verify_path(logfile)
    file = logging.FileHandler(logfile)
    file.setFormatter(logging.Formatter(fmt_line, datefmt=fmt_date))
    file.setLevel(logging.DEBUG)
    screen = logging.StreamHandler(sys.stdout)
    screen.setFormatter(logging.Formatter(""))
    screen.setLevel(logging.DEBUG if verbose else logging.INFO)
    logger.setLevel(logging.DEBUG)
    logger.addHandler(file)
    logger.addHandler(screen)


class Progbar:
    """A bar on standard output: Progbar(100), then update(3, [("loss", 1)])
    or add(1). Values are averaged over the steps they came with."""

    def __init__(self, target, width=30, verbose=1, interval=0.01):
        self.target, self.width = target, width
        self.verbose, self.interval = verbose, interval
        self.sums, self.seen = {}, 0
        self.started, self.shown_at = time.monotonic(), 0.0

    def update(self, current, values=(), force=False):
        for name, value in values:
            total, steps = self.sums.get(name, (0.0, 0))
            step = current - self.seen
            self.sums[name] = (total + value * step, steps + step)
        self.seen = current
        now = time.monotonic()
        done = self.target and current >= self.target
        if self.verbose and (force or done or
                             now - self.shown_at >= self.interval):
            self.shown_at = now
            self.show(now, done)

    def add(self, n, values=()):
        self.update(self.seen + n, values)

    def show(self, now, done):
        share = min(self.seen / self.target, 1.0) if self.target else 0.0
        full = int(self.width * share)
        text = "%d/%s [%s%s] %.0fs" % (
            self.seen, self.target, "=" * full, "." * (self.width - full),
            now - self.started)
        for name, (total, steps) in self.sums.items():
            text += " - %s: %.4f" % (name, total / max(1, steps))
        if self.verbose == 1:
            sys.stdout.write("\r" + text + ("\n" if done else ""))
        elif done:
            sys.stdout.write(text + "\n")
        sys.stdout.flush()


def set_seed(seed):
    """Seeds Python's random numbers, and those of numpy, torch and
    tensorflow when the script has imported them."""
    seed = int(seed)
    os.environ["PYTHONHASHSEED"] = "0"
    random.seed(seed)
    numpy, torch, tensorflow = (
        sys.modules.get(name) for name in ("numpy", "torch", "tensorflow"))
    if numpy is not None:
        numpy.random.seed(seed % 2**32)
    if torch is not None:
        torch.manual_seed(seed)
    if tensorflow is not None:
        tensorflow.random.set_seed(seed)


def keras_default_config():
    """Numbers that optimizers and initializers take when nobody says
    otherwise, the same for every framework."""
    return {
        "decay_lr": 0.0, "epsilon": 1e-8, "rho": 0.9, "momentum_sgd": 0.0,
        "nesterov_sgd": False, "beta_1": 0.9, "beta_2": 0.999,
        "decay_schedule_lr": 0.004, "minval_uniform": -0.05,
        "maxval_uniform": 0.05, "mean_normal": 0.0, "stddev_normal": 0.05,
    }
