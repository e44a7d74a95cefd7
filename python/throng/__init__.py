"""throng's side of Python. Standard library only, Python 3.8+.

In a training script:

    import throng

    p = throng.params(lr=0.1)                 # {"lr": 0.01, ...}
    for step in range(100):
        loss = train(p["lr"])
        throng.report(step=step, loss=loss)
        if throng.should_stop():
            break

Outside of throng the same script runs by hand: params() reads --name=value
arguments, report() prints its line, should_stop() says no, and the folders
are ./checkpoint and ./output.

In a notebook:

    study = throng.Study("study.yaml").run()
    study.best()["params"]
    study.trials().frame()                    # a pandas frame

And where a program runs its own trials, throng.Optimizer says which.
"""

from .folders import checkpoint_dir, output_dir
from .identity import (attempt, budget, deadline, inside, seed, study_name,
                       subset, trial)
from .metrics import report, should_stop
from .parameters import params

__all__ = [
    "Optimizer",
    "Study",
    "StudyInUse",
    "StudyNotFound",
    "ThrongError",
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
    "study_name",
    "subset",
    "trial",
]

# What only a notebook needs. It comes when asked for: a study of short tasks
# starts this package thousands of times.
_LATER = {
    "Optimizer": "optimizer",
    "Study": "study",
    "StudyInUse": "program",
    "StudyNotFound": "program",
    "ThrongError": "program",
}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError("module 'throng' has no attribute %r" % name)
    from importlib import import_module
    value = getattr(import_module("." + _LATER[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_LATER))
