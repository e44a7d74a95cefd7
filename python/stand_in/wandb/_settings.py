"""wandb.Settings: anything may be set; the stand-in looks at a few."""

import os


class Settings:
    def __init__(self, **given):
        self.__dict__.update(given)

    def __getattr__(self, name):
        # What was not set has W&B's usual "unset".
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __getitem__(self, name):
        return getattr(self, name)

    def update(self, given=None, **more):
        given = given.__dict__ if isinstance(given, Settings) else given
        self.__dict__.update(given or {}, **more)

    def keys(self):
        return self.__dict__.keys()


def chosen(given, variable, default=None):
    """An argument of init, else the environment's, else the default."""
    if given is not None:
        return given
    return os.environ.get(variable) or default
