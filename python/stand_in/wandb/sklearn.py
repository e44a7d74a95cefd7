"""wandb.sklearn: it would draw charts of a fitted model in W&B's page."""

from ._say import once


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def leave_out(*args, **kwargs):
        once("wandb.sklearn.%s: charts of a fitted model are not made; log its "
             "scores with wandb.log, or a picture with wandb.Image" % name,
             "sklearn")

    leave_out.__name__ = name
    return leave_out
