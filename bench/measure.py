"""measure.py - what the measurements in this folder share

A measurement is a script that makes some rows `what, measured, limit, met`,
shows each as it comes, and ends with status 1 when a limit is missed, 2 when
it could not measure. Under bench/run the rows are also collected in one table
(the file $BENCH_ROWS).

Ratios are taken between things that ran in turn, a few times, and the median
counts: the machine may be busy with something else at any moment. Limits in
seconds and rates of short tasks still want a machine without other work; the
load is shown at the start.
"""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# What is measured: $THRONG_BUILD, which names a folder by its path or below the
# project's.
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, os.environ.get("THRONG_BUILD", "build"))
THRONG = os.path.join(BUILD, "throng")
SLOTS = len(os.sched_getaffinity(0))
REALTIME = bool(os.environ.get("BENCH_REALTIME"))


def broken(text):
    """Ends a script that cannot measure what it should."""
    print(text, file=sys.stderr)
    sys.exit(2)


def program(name):
    """A program of bench/meson.build."""
    path = os.path.join(BUILD, "bench", name)
    if not os.path.exists(path):
        broken("%s is not built; `make` builds it" % path)
    return path


@contextlib.contextmanager
def scratch():
    """An empty folder on a real file system, removed at the end."""
    folder = tempfile.mkdtemp(prefix="throng-bench.",
                              dir=os.environ.get("BENCH_DIR"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_study(folder, name, **keys):
    """JSON is YAML, so a study file can be printed as JSON."""
    path = os.path.join(folder, name + ".yaml")
    with open(path, "w") as f:
        json.dump({"name": name, **keys}, f)
    return path


def go_first():
    """Before all ordinary work of the machine, in turn with each other."""
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


class Run:
    """A finished command: seconds of wall and CPU (the command and all that
    it waited for), its exit status and what it printed. first: with
    BENCH_REALTIME no other work of the machine disturbs it."""

    def __init__(self, argv, cwd=None, statuses=(0,), first=False):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("THRONG_")}
        start = time.monotonic()
        self.began = time.time()
        child = subprocess.Popen(argv, cwd=cwd, env=env,
                                 stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True,
                                 preexec_fn=go_first if first and REALTIME
                                 else None)
        self.output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        self.ended = time.time()
        self.wall = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.status = child.returncode = os.waitstatus_to_exitcode(status)
        if self.status not in statuses:
            broken("%s ended with status %d:\n%s" %
                   (" ".join(argv), self.status, self.output[-4000:]))


def most_memory(pid):
    """The most that a process has had so far, in bytes; 0: it is gone."""
    try:
        with open("/proc/%d/status" % pid) as f:
            for line in f:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def watch_memory(argv, cwd=None):
    """Runs a command and returns the most memory it had, in bytes. VmHWM
    only grows, so the last look is as good as one at the very end."""
    child = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    most = 0
    while child.poll() is None:
        most = max(most, most_memory(child.pid))
        time.sleep(0.02)
    said = child.stderr.read()
    if child.returncode != 0:
        broken("%s ended with status %d:\n%s" %
               (" ".join(argv), child.returncode, said[-4000:]))
    return most


def median(values):
    return statistics.median(values)


class Table:
    """The rows of one script."""

    def __init__(self):
        self.missed = 0

    def row(self, what, measured, limit, unit="", least=False):
        """limit None: for orientation only. least: the limit is the least
        that will do, otherwise the most."""
        met = (limit is None or
               (measured >= limit if least else measured <= limit))
        self.missed += not met
        number = "%.3g" % measured if measured < 100 else "%.0f" % measured
        cells = [what, (number + " " + unit).strip(),
                 "" if limit is None else
                 ("%s %g %s" % (">=" if least else "<=", limit, unit)).strip(),
                 "" if limit is None else "yes" if met else "NO"]
        show(cells)
        rows = os.environ.get("BENCH_ROWS")
        if rows:
            with open(rows, "a") as f:
                f.write(json.dumps(cells) + "\n")

    def end(self):
        sys.exit(1 if self.missed else 0)


def show(cells):
    print("%-52s %14s  %-12s %s" % tuple(cells), flush=True)


def say(text):
    print("# " + text, file=sys.stderr, flush=True)
