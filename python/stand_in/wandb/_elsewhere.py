"""A real wandb, if one is installed.

The stand-in's folder comes first on the path, so it is the one that is
imported. When the study did not ask for it by name (`wandb: stand-in`, which
sets THRONG_WANDB), it looks whether there is a real one behind it and, if so,
steps aside. That costs a task without wandb nothing, and one with it a look
along the path.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec


def find_real():
    """The spec of the real wandb, or None."""
    if os.environ.get("THRONG_WANDB") == "stand-in":
        return None
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = [p for p in sys.path if os.path.abspath(p or ".") != ours]
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
