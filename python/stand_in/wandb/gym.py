"""wandb.gym: videos of an environment are not read."""

from ._say import NOT_READ, once


def monitor(*args, **kwargs):
    once(NOT_READ)
