"""Pictures of a training, drawn by matplotlib."""

from .place import verify_path


def plot_history(out, history, metric="loss", val=True, title=None, width=8,
                 height=6):
    """Draws a metric of each epoch, and with `val` that of the validation
    rows, into the file OUT.plot.METRIC.png."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("candle.plot_history needs matplotlib, which is not "
                          "installed for this Python", name="matplotlib") \
            from None
    matplotlib.use("Agg")
    from matplotlib import pyplot
    values = getattr(history, "history", history)
    if metric not in values:
        raise KeyError("the history has no %s, only %s"
                       % (metric, ", ".join(sorted(values))))
    figure, axes = pyplot.subplots(figsize=(width, height))
    for name in [metric] + ["val_" + metric] * bool(val):
        if name in values:
            axes.plot(values[name], marker="o", label=name)
    axes.set_title(title or metric)
    axes.set_xlabel("epoch")
    axes.set_ylabel(metric)
    axes.legend(loc="best")
    path = "%s.plot.%s.png" % (out, metric)
    verify_path(path)
    figure.savefig(path, bbox_inches="tight")
    pyplot.close(figure)
