"""The modules `candle` and `candle_keras`, where no CANDLE is installed, and
those of its files that old scripts import by themselves (data_utils).

Their folder comes first on the path of a trial, so they are the ones that are
imported. They look whether there is a real one behind them and, if so, step
aside; else they offer the names of throng.candle. What is behind them may be
another stand-in, which a person has put on PYTHONPATH for runs by hand: it comes
here as well, and looks behind both.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

from .. import candle

# Scripts also import from CANDLE's own files.
_FILES = ("benchmark_def", "ckpt_pytorch_utils", "ckpt_utils",
          "data_preprocessing_utils", "data_utils", "default_utils",
          "feature_selection_utils", "file_utils", "generic_utils",
          "helper_utils", "noise_utils", "parsing_utils", "uq_utils")


_folders = set()  # of stand-ins


def take_place(names):
    """Fills the namespace of the module that calls this."""
    name, path = names["__name__"], names["__file__"]
    ours = os.path.dirname(os.path.abspath(path))
    if "__path__" in names:  # a package is a folder in ours
        ours = os.path.dirname(ours)
    _folders.add(ours)
    spec = _real(name)
    if spec is not None:
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return
    names.update(__getattr__=candle.__getattr__, __dir__=candle.__dir__,
                 __all__=candle.__all__, __version__="0.6")
    for file in _FILES if "__path__" in names else ():
        sys.modules["%s.%s" % (name, file)] = names[file] = candle


def _real(name):
    path = [p for p in sys.path if os.path.abspath(p or ".") not in _folders]
    for finder in sys.meta_path:
        if finder is PathFinder:
            spec = finder.find_spec(name, path)
        elif hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, None)  # an editable install
        else:
            spec = None
        # A folder ./candle with files of runs is no package.
        if spec is not None and spec.origin and spec.loader:
            return spec
    return None
