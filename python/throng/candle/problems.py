"""Mistakes in parameters, each with its place and the way to mend it.

All are collected before any is raised, so that one look shows them all. The
texts are those of `throng params`.
"""

import functools
from collections import Counter

COMMAND_LINE = "command line"


class ParameterError(ValueError):
    """Parameters that cannot be used. The text has one line for each
    mistake; `problems` has them as objects."""

    def __init__(self, problems):
        self.problems = in_order(p for p in problems if p.level == "error")
        lines = [str(p) for p in self.problems]
        super().__init__("\n" * (len(lines) > 1) + "\n".join(lines))


def in_order(problems):
    """File by file, in the order of their places; those of a file as a whole
    come last."""
    problems = list(problems)
    files = {}
    for problem in problems:
        files.setdefault(problem.file, len(files))
    return sorted(problems, key=lambda p: (
        files[p.file], p.line or float("inf"), p.column))


class Problem:
    """One mistake (error), doubtful thing (warning) or remark (notice)."""

    def __init__(self, level, file, place, text, hint=None):
        self.level, self.file, self.text, self.hint = level, file, text, hint
        self.line, self.column = place or (0, 0)

    def __str__(self):
        where = self.file
        if self.line:
            where += ":%d:%d" % (self.line, self.column)
        return "%s: %s: %s%s" % (where, self.level, self.text,
                                 " (%s)" % self.hint if self.hint else "")


class Problems(list):
    """The problems found so far."""

    def error(self, file, place, text, hint=None):
        self.append(Problem("error", file, place, text, hint))

    def warning(self, file, place, text, hint=None):
        self.append(Problem("warning", file, place, text, hint))

    def notice(self, file, place, text, hint=None):
        self.append(Problem("notice", file, place, text, hint))

    def errors(self):
        return [p for p in self if p.level == "error"]

    def raise_errors(self):
        if self.errors():
            raise ParameterError(self)


def nearest(name, names):
    """The name that a typing mistake would most likely have meant, or None
    when none is near."""
    best, best_distance = None, 0
    letters = _letters(name)
    for other in names:
        longer = max(len(name), len(other))
        limit = (longer + 2) // 3
        # Letters that only one of them has are a distance that is known
        # without measuring it.
        if abs(len(name) - len(other)) > limit:
            continue
        theirs = _letters(other)
        if max(sum((letters - theirs).values()),
               sum((theirs - letters).values())) > limit:
            continue
        distance = _distance(name, other)
        if distance > limit or distance >= longer:
            continue
        if best is None or distance < best_distance:
            best, best_distance = other, distance
    return best


@functools.lru_cache(maxsize=1000)
def _letters(name):
    return Counter(name)


def _distance(a, b):
    """How many letters must be added, taken out or replaced."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1,
                                         before + (x != y))
    return row[-1]


def shown(text, most=60):
    """A text of unknown length and content, fit for one line."""
    data = str(text).encode("utf-8", "replace")
    cut = data[:most].decode("utf-8", "ignore")
    cut += "…" if len(data) > most else ""
    return "".join("?" if c < " " or c == "\x7f" else c for c in cut)
