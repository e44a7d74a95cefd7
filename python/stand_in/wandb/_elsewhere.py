"""A real wandb, if one is installed.

The stand-in's folder comes first on the path, so it is the one that is
imported. When the study did not ask for it by name (`wandb: stand-in`, which
sets THRONG_WANDB), it looks whether there is a real one behind it and, if so,
steps aside. That costs a task without wandb nothing, and one with it a look
along the path. Another stand-in may stand there as well, where a person has put
one on PYTHONPATH for runs by hand: that is no real one.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec


def find_real():
    """The spec of the real wandb, or None."""
    if os.environ.get("THRONG_WANDB") == "stand-in":
        return None
    ours = {os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    spec = _find(ours)
    while spec is not None and _is_stand_in(spec):
        folder = os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))
        if folder in ours:  # found by something else than the path
            return None
        ours.add(folder)
        spec = _find(ours)
    return spec


def _is_stand_in(spec):
    beside = os.path.dirname(spec.origin)
    return os.path.exists(os.path.join(beside, os.path.basename(__file__)))


def _find(ours):
    path = [p for p in sys.path if os.path.abspath(p or ".") not in ours]
    for finder in sys.meta_path:
        if finder is PathFinder:
            spec = finder.find_spec("wandb", path)
        elif hasattr(finder, "find_spec"):
            spec = finder.find_spec("wandb", None)  # an editable install
        else:
            spec = None
        # A folder ./wandb with the files of runs is no package.
        if spec is not None and spec.origin and spec.loader:
            return spec
    return None


def step_aside(spec):
    """Let the real one take our place; the import goes on with it."""
    module = module_from_spec(spec)
    sys.modules["wandb"] = module
    spec.loader.exec_module(module)
