"""throng's stand-in for wandb: a script that says `import wandb` runs under
throng as it is, without an account, a server or a package to install.

What it logs becomes the metrics of the trial; wandb.config holds the trial's
parameters. By hand it works as well: everything goes into a folder ./wandb.
docs/reference/wandb.md lists each difference from the real one.
"""

import os as _os
import sys as _sys

from . import _elsewhere

_real = _elsewhere.find_real()
if _real is not None:
    for _name in [n for n in _sys.modules if n.startswith("wandb.")]:
        del _sys.modules[_name]
    _elsewhere.step_aside(_real)
else:
    try:
        import throng as _throng
    except ImportError:  # only this folder is on the path
        _sys.path.append(_os.path.dirname(_os.path.dirname(
            _os.path.dirname(_os.path.abspath(__file__)))))
    from ._public import *  # noqa: F401,F403
    from ._public import __getattr__, __version__, _take_run  # noqa: F401
