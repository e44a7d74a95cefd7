"""What the stand-in has not got: each such name says what to do instead.

An import of wandb.something that is not here ends at the finder below, which
stands last. It says so with the exception that Python raises anyway, so that
a library that only tries is not disturbed.
"""

import sys

_LOG = "log its values with wandb.log({...})"
_TRACE = "log what a call took and gave with wandb.log, or wandb.Table"

# The longest name that fits decides.
_INSTEAD = {
    "apis": "`throng export`, `throng rank` and, in Python, "
            "throng.Study(...).trials() read what a study has found",
    "integration.lightning": "Lightning's own WandbLogger works with `wandb: "
                             "stand-in` in the study; throng.lightning has a "
                             "logger besides",
    "integration.sb3": "give Stable-Baselines3 a callback of your own that "
                       "calls wandb.log",
    "integration.fastai": "give fastai a Callback of your own that calls "
                          "wandb.log",
    "fastai": "give fastai a Callback of your own that calls wandb.log",
    "integration.sklearn": "call wandb.sklearn, or " + _LOG,
    "integration.langchain": _TRACE,
    "integration.openai": _TRACE,
    "sdk.data_types": "wandb.data_types has tables and pictures; for a trace "
                      + _TRACE,
    "proto": "it belongs to W&B's own service, which does not run here",
    "sdk": "it is an inner part of W&B's own program",
    "old": "it is an inner part of W&B's own program",
    "integration": _LOG,
}


def text(name):
    """The whole sentence for wandb.NAME."""
    parts = name.split(".")
    instead = None
    while parts and not instead:
        instead = _INSTEAD.get(".".join(parts))
        parts.pop()
    return ("throng's stand-in for wandb has no wandb.%s%s. `wandb: real` in "
            "the study takes the real wandb, where it is installed"
            % (name, ": " + instead if instead else ""))


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        top, dot, inner = name.partition(".")
        if top == "wandb" and dot and not inner.split(".")[-1].startswith("_"):
            # Without name=, or `from wandb import x` would lose the text.
            raise ModuleNotFoundError(text(inner))
        return None


def listen():
    """From now on imports of what is not there are answered."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
