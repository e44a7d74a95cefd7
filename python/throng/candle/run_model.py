"""Runs a benchmark as CANDLE's Supervisor does, without its command line.

    python -m throng.candle.run_model nt3_baseline_keras2.py

imports the program, calls its initialize_parameters() and hands the result to
its run(), with the trial's parameters laid over it. Many benchmarks print no
result anywhere: what they leave is the History that run() returns. Its
numbers become the trial's metrics, epoch by epoch.
"""

import importlib.util
import json
import os
import sys

from .. import metrics
from .benchmark import Parameters


class NoBenchmark(Exception):
    """A program that cannot be run this way."""


def load(path):
    """The program as a module; what stands beside it can be imported."""
    if not os.path.isfile(path):
        raise NoBenchmark("there is no file %s" % path)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    for function in ("initialize_parameters", "run"):
        if not callable(getattr(module, function, None)):
            raise NoBenchmark(
                "%s has no function %s(); style: import is for programs with "
                "initialize_parameters() and run(parameters)"
                % (path, function))
    return module


def parameters_of(module):
    """What initialize_parameters() gives, and over it the trial's own values,
    where CANDLE's real library has made it and knows nothing of them."""
    default = os.environ.get("CANDLE_DEFAULT_MODEL_FILE")
    params = (module.initialize_parameters(default) if default
              else module.initialize_parameters())
    path = os.environ.get("THRONG_PARAMS")
    if isinstance(params, Parameters) or not path:
        return params
    with open(path, encoding="utf-8") as file:
        for name, value in json.load(file).items():
            params[name] = as_supervisor(value)
    for name in ("experiment_id", "run_id"):
        value = os.environ.get("CANDLE_" + name.upper())
        if value:
            params[name] = value
    return params


def as_supervisor(value):
    """Text of several numbers is a list of them, as in "200 20"."""
    words = value.split() if isinstance(value, str) else []
    if len(words) < 2:
        return value
    for kind in (int, float):
        try:
            return [kind(word) for word in words]
        except ValueError:
            continue
    return value


def report(result):
    """Reports what run() has returned. A History of Keras has a list for
    each metric; other models return a dictionary, or one number."""
    history = getattr(result, "history", result)
    if not isinstance(history, dict):
        value = metrics.number(history)
        if value is not None:
            print("IMPROVE_RESULT %r" % value)  # the study's own metric
        return value is not None
    single = {k: metrics.number(v) for k, v in history.items()
              if metrics.number(v) is not None}
    lists = {k: v.tolist() if hasattr(v, "tolist") else list(v)
             for k, v in history.items() if k not in single
             and (isinstance(v, (list, tuple)) or hasattr(v, "tolist"))}
    epochs = list(getattr(result, "epoch", None) or [])
    for i in range(max(map(len, lists.values()), default=0)):
        line = {k: metrics.number(v[i]) for k, v in lists.items()
                if i < len(v) and metrics.number(v[i]) is not None}
        if line:
            metrics.report(line, step=epochs[i] if i < len(epochs) else i)
    if single:
        metrics.report(single)
    return bool(single or lists)


def main(words):
    if not words:
        sys.stderr.write("usage: python -m throng.candle.run_model PROGRAM "
                         "[--name value]...\n")
        return 2
    path, sys.argv = words[0], list(words)
    try:
        module = load(path)
    except NoBenchmark as error:
        sys.stderr.write("%s\n" % error)
        return 1
    if not report(module.run(parameters_of(module))):
        sys.stderr.write(
            "run() of %s returned no numbers: a History of Keras, a "
            "dictionary or a number would be reported\n" % path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
