"""Every name that a script finds in wandb."""

import enum
import importlib
import sys

import throng

from . import _ids as util
from . import _absent, _sweep, env, errors, plot
from ._artifact import Artifact
from ._init import finish, init
from ._media import (Audio, Classes, Graph, Histogram, Html, Image,
                     JoinedTable, Molecule, Object3D, Plotly, Table, Video)
from ._run import Run
from ._say import once, say
from ._settings import Settings
from .errors import CommError, Error, UnsupportedError, UsageError

__version__ = "0.19.0"
sys.modules[__package__ + ".util"] = util  # for `import wandb.util`
sys.modules[__package__ + ".plots"] = plots = plot  # its older name
_absent.listen()

__all__ = [
    "AlertLevel", "Api", "Artifact", "Audio", "Classes", "CommError",
    "Error", "Graph", "Histogram", "Html", "Image", "JoinedTable",
    "Molecule", "Object3D", "Plotly", "Run", "Settings", "Table",
    "UsageError", "Video", "agent", "alert", "config", "controller",
    "define_metric", "ensure_configured", "env", "errors", "finish",
    "init", "join", "link_artifact", "link_model", "log", "log_artifact",
    "log_model", "login", "mark_preempting", "plot", "plot_table", "plots",
    "require", "restore", "run", "save", "setup", "summary", "sweep",
    "teardown", "termerror", "termlog", "termwarn", "unwatch",
    "use_artifact", "use_model", "util", "watch",
]


class AlertLevel(enum.Enum):
    INFO, WARN, ERROR = "INFO", "WARN", "ERROR"


# ---- the current run ------------------------------------------------------


class _Before:
    """config and summary while there is no run."""

    def __init__(self, name):
        object.__setattr__(self, "_name", name)

    def _refuse(self, *args, **kwargs):
        raise Error("call wandb.init() before you use wandb.%s" % self._name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    __setattr__ = __getitem__ = __setitem__ = __iter__ = _refuse
    __contains__ = __len__ = keys = update = get = _refuse

    def __bool__(self):
        return False


run, config, summary = None, _Before("config"), _Before("summary")


def _take_run(new):
    """Make `new` the current run, or nothing with None."""
    module = sys.modules[__package__]
    module.run = new
    module.config = new.config if new else config
    module.summary = new.summary if new else summary


def _of_run(name):
    """A function of the module that is a method of the current run."""

    def call(*args, **kwargs):
        current = sys.modules[__package__].run
        if current is None:
            raise Error("call wandb.init() before wandb.%s()" % name)
        return getattr(current, name)(*args, **kwargs)

    call.__name__, call.__doc__ = name, getattr(Run, name).__doc__
    return call


log = _of_run("log")
define_metric = _of_run("define_metric")
save = _of_run("save")
restore = _of_run("restore")
watch = _of_run("watch")
unwatch = _of_run("unwatch")
alert = _of_run("alert")
log_artifact = _of_run("log_artifact")
use_artifact = _of_run("use_artifact")
log_model = _of_run("log_model")
use_model = _of_run("use_model")
link_artifact = _of_run("link_artifact")
link_model = _of_run("link_model")
mark_preempting = _of_run("mark_preempting")
join = finish
plot_table = plot.plot_table


# ---- without a server -----------------------------------------------------


def login(*args, **kwargs):
    """Nobody to log in with: always right."""
    return True


def setup(*args, **kwargs):
    return None


def teardown(*args, **kwargs):
    finish()


def require(*args, **kwargs):
    pass


def ensure_configured():
    pass


def termlog(string="", *args, **kwargs):
    say(string)


termwarn = termerror = termlog

_HOW = ("throng runs sweeps itself: put the sweep's dictionary into a file "
        "(the format is the same) and run it with `throng run sweep.yaml`")


def sweep(sweep=None, entity=None, project=None, prior_runs=None):
    """By hand a study of its own, for wandb.agent; its id. Inside of throng
    the sweep is there already: the study."""
    if not throng.inside():
        return _sweep.write(sweep)
    once("wandb.sweep: the parameters come from the study %s, not from this "
         "call" % throng.study_name())
    return throng.study_name()


def agent(sweep_id=None, function=None, entity=None, project=None, count=None,
          **kwargs):
    """By hand the function runs for each trial of the sweep, in this process.
    Inside of throng, which is the agent, it runs once, with the parameters of
    this trial."""
    if not throng.inside():
        _sweep.run(sweep_id, function, count)
        return
    if function is None:
        raise UnsupportedError("wandb.agent: " + _HOW)
    once("wandb.agent: throng is the agent; the function runs once, with the "
         "parameters of this trial")
    function()


def controller(*args, **kwargs):
    raise UnsupportedError("wandb.controller: " + _HOW)


class Api:
    def __init__(self, *args, **kwargs):
        raise UnsupportedError(
            "wandb.Api: there is no W&B server; `throng export`, `throng "
            "rank` and, in Python, throng.Study(...).trials() read what a "
            "study has found")


# Modules that come when they are asked for, as with W&B.
_LATER = ("data_types", "gym", "integration", "keras", "lightgbm", "sdk",
          "sklearn", "tensorboard", "wandb_run", "xgboost")


def __getattr__(name):
    if name in _LATER:
        return importlib.import_module("." + name, __package__)
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(_absent.text(name))
