"""A study, driven from Python through the throng program."""

import json
import os

from . import program

_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"),
            "-Infinity": float("-inf")}


def _pandas():
    try:
        import pandas
    except ImportError:
        raise program.ThrongError(
            "a frame needs pandas, which is not installed for this "
            "Python; the rows themselves are dicts") from None
    return pandas


class Rows(list):
    """Trials as dicts. Where pandas is installed a notebook shows them as a
    table, and frame() gives that table."""

    def frame(self):
        """A pandas frame with one column for each parameter and metric."""
        return _pandas().DataFrame([_frame_row(row) for row in self])

    def _repr_html_(self):
        """None lets a notebook show the list."""
        try:
            return self.frame()._repr_html_()
        except program.ThrongError:
            return None


class History(Rows):
    """Points of learning curves as dicts with trial, step, time, metric and
    value."""

    def frame(self):
        """A pandas frame with one row for each step of each trial and one
        column for each metric."""
        steps = {}
        for point in self:
            key = (point["trial"], point["step"])
            row = steps.setdefault(key, {"trial": key[0], "step": key[1],
                                         "time": point["time"]})
            name = point["metric"]
            row["metrics." + name if name in ("trial", "step", "time")
                else name] = point["value"]
        return _pandas().DataFrame([steps[key] for key in sorted(steps)])


class Study:
    """A study file, or the name or folder of a study that ran before.

        study = throng.Study("study.yaml").run()
        study.status()["finished"]
        study.best()                    # {"id": 7, "value": 0.02, "params": …}
        study.trials("failed")          # rows as dicts
        study.trials().frame()          # a pandas frame
        study.history(7)                # its learning curves, point by point
        study.show()                    # its page, in a notebook's cell

    What throng refuses is raised as throng.ThrongError with its own text.
    """

    def __init__(self, what, program=None):
        self.what = os.fsdecode(what)
        self.program = program
        self._home = os.getcwd()  # a notebook may go elsewhere later

    def __repr__(self):
        return "throng.Study(%r)" % self.what

    def run(self, count=None, new=None, take_over=False, keep_going=False,
            quiet=False):
        """Run the study, or go on with it, until it is complete; the
        arguments are the options of `throng run`. Trials that failed are no
        error here: trials("failed") has them. An interrupt lets running
        trials finish, a second one ends them; either way the next run() goes
        on. Returns the study."""
        words = ["run", self.what]
        words += [] if count is None else ["--count", count]
        words += [] if new is None else ["--new", new]
        words += ["--take-over"] if take_over else []
        words += ["--keep-going"] if keep_going else []
        words += ["--quiet"] if quiet else []
        code, text = program.talk(words, self.program, self._home)
        if code == program.INTERRUPTED:
            raise KeyboardInterrupt("the study was interrupted; run() goes on")
        if code not in (program.OK, program.FAILED_TRIALS):
            raise program.error(code, text)
        return self if new is None else self._called(new)

    def status(self):
        """How the study stands: the object of `throng status --json`."""
        return self._json("status", self.what, "--json")

    def trials(self, select="all", where=None):
        """The trials as dicts with id, state, value, params, metrics (last
        and best of each), attempts, seconds. `select` is "all", 7, [7, 9],
        "1-10,15", "failed", "best:20", "tag:x", "last"; `where` is a filter
        such as "lr>1e-3". What comes is a list, of which .frame() makes a pandas
        frame with one column for each parameter and metric."""
        return Rows(map(numbers, self._exported(select, where)))

    def history(self, select="all", metric=None, where=None):
        """Every point of the learning curves as a dict with trial, step, time
        (when it reached the study, unix time, or None), metric and value;
        `select` and `where` name trials as in trials(), `metric` one metric.
        .frame() has a row for each step and a column for each metric."""
        points = self._exported(select, where, "--history")
        return History(
            dict(point, value=numbers(point["value"])) for point in points
            if metric is None or point["metric"] == metric)

    def rank(self, count=10, by=None, where=None):
        """The best trials, best first, with rank, id, state, value, params,
        seconds. `by` is a metric, a parameter or a column to rank by; with
        count=None there are all."""
        words = ["rank", self.what, "--json", "-n", count or 0]
        words += [] if by is None else ["--by", by]
        words += [] if where is None else ["--where", where]
        return Rows(self._json(*words)["trials"])

    def show(self, height=700, url=None, control=False):
        """The page of `throng web` in a notebook's cell, live while the study
        runs. `url` is where a proxy shows a port of this machine, such as
        "https://hub.example.org/user/ann/proxy/{port}/"; `control` lets the
        page change the study. .close() of what comes ends it."""
        from .show import Page
        return Page(self.what, height, url, control, self.program, self._home)

    def best(self):
        """The best trial so far, as in rank(); None when there is none."""
        first = self.rank(1)
        return first[0] if first else None

    def _exported(self, select, where, *options):
        if isinstance(select, (list, tuple, range)):
            select = ",".join(map(str, select))
            if not select:
                return []
        words = ["export", self.what, select, "--jsonl", *options]
        words += [] if where is None else ["--where", where]
        try:
            text = program.read(words, self.program, self._home)
        except program.StudyNotFound:
            if str(select)[:1].isdigit():
                raise
            self.status()  # raises when it is the study that is not there
            text = ""  # none has failed, say
        return map(json.loads, text.splitlines())

    def _json(self, *words):
        text = program.read(words, self.program, self._home)
        return numbers(json.loads(text))

    def _called(self, name):
        folder = os.path.dirname(os.path.join(self._home, self.what))
        return Study(os.path.join(folder, ".throng", name), self.program)


# What people wrote stays as it is.
_TEXTS = {"params", "note", "reason", "tags", "study", "run_id", "by"}


def numbers(value):
    """NaN and the infinities, which throng's strict JSON writes as texts, as
    numbers."""
    if isinstance(value, dict):
        return {k: v if k in _TEXTS else numbers(v)
                for k, v in value.items()}
    if isinstance(value, list):
        return [numbers(v) for v in value]
    return _NUMBERS.get(value, value) if isinstance(value, str) else value


def _flat(prefix, values, row):
    for name, value in values.items():
        if isinstance(value, dict):
            _flat(prefix + name + ".", value, row)
        else:
            row[prefix + name] = value


def _frame_row(row):
    """A parameter is a column under its own name and a metric under its name
    for the last value, with `.best` for the best; a name that is taken gets
    `params.` or `metrics.` in front."""
    flat = {k: v for k, v in row.items() if k not in ("params", "metrics")}
    params, metrics = {}, {}
    _flat("", row["params"], params)
    for name, value in row.get("metrics", {}).items():
        metrics[name] = value["last"]
        metrics[name + ".best"] = value["best"]
    for kind, values in (("params.", params), ("metrics.", metrics)):
        for name, value in values.items():
            flat[kind + name if name in flat else name] = value
    return flat
