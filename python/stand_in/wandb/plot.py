"""wandb.plot: a chart keeps its kind and its data, as a file."""

from ._media import Chart, Table


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def make(*args, **kwargs):
        return Chart(name, [_data(a) for a in args],
                     {k: _data(v) for k, v in kwargs.items()})

    make.__name__ = name
    return make


def _data(value):
    if isinstance(value, Table):
        return {"columns": value.columns, "data": value.data}
    return value
