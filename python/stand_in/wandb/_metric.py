"""define_metric: what the summary keeps of a metric.

Without a definition that is the last value. With summary="min" and the like
it is an object, summary["loss"]["min"], as with W&B.
"""

import fnmatch

from .errors import UsageError

KINDS = {"min", "max", "mean", "best", "last", "copy", "none"}


class Metric:
    """One definition; the name may be a pattern such as val/*."""

    def __init__(self, name, step_metric=None, step_sync=None, hidden=None,
                 summary=None, goal=None, overwrite=None):
        self.name = name
        self.step_metric = getattr(step_metric, "name", step_metric)
        self.step_sync = (self.step_metric is not None if step_sync is None
                          else step_sync)
        self.hidden, self.overwrite = hidden, overwrite
        self.summary, self.goal = _kinds(summary), _goal(goal)
        if "best" in self.summary and not self.goal:
            raise UsageError('define_metric(%r): summary="best" needs goal='
                             '"minimize" or "maximize"' % name)

    def covers(self, name):
        return name == self.name or fnmatch.fnmatchcase(name, self.name)


def _kinds(summary):
    if isinstance(summary, str):
        summary = summary.split(",")
    kinds = tuple(kind.strip().lower() for kind in summary or ())
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise UsageError("define_metric: summary may be %s; not %s" % (
            ", ".join(sorted(KINDS)), ", ".join(unknown)))
    return kinds


def _goal(goal):
    if goal is None:
        return None
    if str(goal)[:3].lower() not in ("min", "max"):
        raise UsageError('define_metric: goal is "minimize" or "maximize", '
                         "not %r" % (goal,))
    return str(goal)[:3].lower()


class Definitions:
    """All definitions of a run, and the running means."""

    def __init__(self):
        self._all = []
        self._counts = {}

    def add(self, metric):
        """Kinds add up over several definitions of one name."""
        same = [m for m in self._all if m.name == metric.name]
        if same and not metric.overwrite:
            metric.summary = tuple(dict.fromkeys(
                same[0].summary + metric.summary))
            metric.goal = metric.goal or same[0].goal
            metric.step_metric = metric.step_metric or same[0].step_metric
        self._all = [m for m in self._all if m.name != metric.name] + [metric]

    def find(self, name):
        """The definition of exactly this name, else the newest pattern."""
        covering = [m for m in self._all if m.covers(name)]
        exact = [m for m in covering if m.name == name]
        return (exact or covering or [None])[-1]

    def folds(self, name):
        """True when the summary holds an object of this metric."""
        metric = self.find(name)
        return metric and metric.summary not in ((), ("copy",), ("none",))

    def fold(self, name, before, value):
        """The new entry of the summary; None when there shall be none."""
        metric = self.find(name)
        kinds = metric.summary if metric else ()
        if "none" in kinds:
            return None
        if not kinds or kinds == ("copy",):
            return value
        entry = dict(before) if isinstance(before, dict) else {}
        for kind in kinds:
            if kind != "copy":
                entry[kind] = self._one(name, kind, metric.goal,
                                        entry.get(kind), value)
        return entry

    def _one(self, name, kind, goal, before, value):
        if kind == "mean":
            count = self._counts[name] = self._counts.get(name, 0) + 1
            before = 0.0 if before is None else before
            return before + (value - before) / count
        if kind == "last" or before is None or before != before:
            return value
        if value != value:
            return before
        least = kind == "min" or kind == "best" and goal == "min"
        return min(before, value) if least else max(before, value)
