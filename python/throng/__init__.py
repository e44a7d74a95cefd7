"""throng's side of a training script. Standard library only, Python 3.8+.

    import throng

    p = throng.params()                       # {"lr": 0.01, ...}
    for step in range(100):
        loss = train(p["lr"])
        throng.report(step=step, loss=loss)
        if throng.should_stop():
            break

Outside of throng the same script runs by hand: params() reads --name=value
arguments, report() prints its line, should_stop() says no, and the folders
are ./checkpoint and ./output.
"""

import json
import os
import sys

__all__ = [
    "attempt",
    "budget",
    "checkpoint_dir",
    "deadline",
    "inside",
    "output_dir",
    "params",
    "report",
    "seed",
    "should_stop",
    "subset",
    "trial",
]


def inside():
    """True when throng runs this script."""
    return "THRONG_TRIAL" in os.environ


def trial():
    """The number of this trial; 0 by hand."""
    return int(os.environ.get("THRONG_TRIAL", 0))


def attempt():
    """Which attempt at the trial this is, from 1."""
    return int(os.environ.get("THRONG_ATTEMPT", 1))


def _literal(text):
    """A number, true, false, null or JSON where it reads as one, else text."""
    try:
        return json.loads(text)
    except ValueError:
        return {"True": True, "False": False, "None": None}.get(text, text)


def _params_by_hand(words):
    found = {}
    for word in words:
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("--") and name:
            found[name] = _literal(value) if equals else True
    return found


def params(**defaults):
    """This trial's parameters; `defaults` stand in for absent ones."""
    path = os.environ.get("THRONG_PARAMS")
    if path:
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
    else:
        given = _params_by_hand(sys.argv[1:])
    return {**defaults, **given}


def _plain(value):
    """Numbers of any library (numpy, torch) as Python's own."""
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if hasattr(value, "item"):
        return _plain(value.item())
    return float(value)


def report(_metrics=None, step=None, **metrics):
    """Report metrics: report(step=3, val_loss=0.21) or report({"a/b": 1}).

    True when the trial should go on, False when it should finish now.
    """
    line = {} if step is None else {"step": int(step)}
    for name, value in {**(_metrics or {}), **metrics}.items():
        line[name] = _plain(value)
    text = json.dumps(line) + "\n"
    path = os.environ.get("THRONG_METRICS")
    if not path:
        sys.stdout.write(text)
        return True
    # One write of one line: lines of several processes never mix.
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)
    return not should_stop()


def should_stop():
    """True when throng asks the trial to finish early."""
    path = os.environ.get("THRONG_STOP")
    return bool(path) and os.path.exists(path)


def _folder(variable, by_hand):
    path = os.environ.get(variable) or os.path.abspath(by_hand)
    os.makedirs(path, exist_ok=True)
    return path


def checkpoint_dir():
    """A folder that survives attempts and machines."""
    return _folder("THRONG_CHECKPOINT", "checkpoint")


def output_dir():
    """A folder for results to keep."""
    return _folder("THRONG_OUTPUT", "output")


def seed(default=0):
    """The seed of this trial."""
    return int(os.environ.get("THRONG_SEED", default))


def budget(default=None):
    """Steps allowed for now, or `default` when there is no limit."""
    text = os.environ.get("THRONG_BUDGET")
    return int(text) if text else default


def deadline():
    """Unix time at which this attempt will be ended, or None."""
    text = os.environ.get("THRONG_DEADLINE")
    return float(text) if text else None


def subset(default=1.0):
    """The fraction of the data to use."""
    return float(os.environ.get("THRONG_SUBSET", default))
