"""Metrics out, and the wish to stop in.

A report is one line, appended to the file THRONG_METRICS in one write, so
that lines of several processes never mix.
"""

import json
import os
import sys


def report(_metrics=None, step=None, **metrics):
    """Report metrics: report(step=3, val_loss=0.21) or report({"a/b": 1}).

    True when the trial should go on, False when it should finish now. By
    hand the line is printed. Numbers of numpy, torch and the like are fine;
    an object {"a": {"b": 1}} is the metric a/b.
    """
    line = {} if step is None else {"step": _whole(step)}
    for name, value in {**(_metrics or {}), **metrics}.items():
        line[str(name)] = _plain(name, value)
    write_line(line)
    return not should_stop()


def should_stop():
    """True when throng asks the trial to finish early."""
    path = os.environ.get("THRONG_STOP")
    return bool(path) and os.path.exists(path)


def write_line(line):
    """Append one object, of numbers and objects, as it is."""
    text = json.dumps(line) + "\n"
    path = os.environ.get("THRONG_METRICS")
    if not path:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    append(path, text.encode())


def describe(tags=(), note=None, values=None):
    """Say something of the trial itself: tags, a note, and values that are
    no parameters of the study."""
    said = {"tags": list(tags), "note": note, "values": values}
    said = {key: value for key, value in said.items() if value}
    if said:
        write_line({"throng": said})


def append(path, data):
    """Append a line in one write, so that those of several processes never
    mix; one that an earlier write left torn is ended first."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        end = os.fstat(file).st_size
        if end and os.pread(file, 1, end - 1) != b"\n":
            data = b"\n" + data
        if os.write(file, data) != len(data):
            raise OSError("%s: only a part of a line could be written; is "
                          "the disk full?" % path)
    finally:
        os.close(file)


def number(value):
    """The Python number that a value of any library stands for; None when it
    stands for none (a text, a list, an array of several elements)."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (str, bytes)) or value is None:
        return None
    try:
        if hasattr(value, "item"):
            value = value.item()
        return value if isinstance(value, (bool, int)) else float(value)
    except (TypeError, ValueError, RuntimeError):
        return None


def _plain(name, value):
    if isinstance(value, dict):
        return {str(k): _plain("%s/%s" % (name, k), v)
                for k, v in value.items()}
    if value is None:
        return None
    plain = number(value)
    if plain is None:
        raise TypeError("report: the metric %s is not a number but %.80r"
                        % (name, value))
    return plain


def _whole(step):
    plain = number(step)
    whole = isinstance(plain, int) or (plain is not None
                                       and float(plain).is_integer())
    if not whole:
        raise TypeError("report: a step is a whole number, not %.80r"
                        % (step,))
    return int(plain)
