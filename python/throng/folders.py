"""The folders of a trial. Both are made when they are first asked for."""

import os


def _folder(variable, by_hand):
    path = os.environ.get(variable) or os.path.abspath(by_hand)
    os.makedirs(path, exist_ok=True)
    return path


def checkpoint_dir():
    """A folder that survives attempts and machines; ./checkpoint by hand."""
    return _folder("THRONG_CHECKPOINT", "checkpoint")


def output_dir():
    """A folder for results to keep; ./output by hand."""
    return _folder("THRONG_OUTPUT", "output")
