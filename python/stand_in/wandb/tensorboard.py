"""wandb.tensorboard: its files are not read."""

from ._say import NOT_READ, once


def patch(*args, **kwargs):
    once(NOT_READ)


log = unpatch = patch
