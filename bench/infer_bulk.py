"""infer_bulk.py - inferences over very many rows, for bench/infer

A product of three tables as a study whose shards are trials: rows a second a
core, by the CPU seconds of conductor, worker and trainers together, and the
memory of all of them, each at its most, added up. Then names of files for a
program of a user, which is not waited for: it takes each name and says so, so
that what is measured is what throng needs for them. How often it was given
each shard, and each name, is counted by what it wrote.
"""

import os
import random
import subprocess
import time

from measure import THRONG, Run, broken, say, scratch, write_study

COLUMNS = 100
LEAST_RATE = 2e6    # rows a second a core
MOST_MEMORY = 300   # MB, of all processes
MOST_GROWTH = 1.25  # of memory, when names are ten times as many
NAMES_A_SHARD = 10000
# What it writes of a name is the name; each start leaves a line.
PROGRAM = ('cat "$THRONG_SHARD" > "$THRONG_PREDICTIONS" && '
           'echo "$THRONG_P_shard" >> starts')


# ---- processes -------------------------------------------------------------------

def family(pid):
    """A process and all below it."""
    found, at = [pid], 0
    while at < len(found):
        try:
            tasks = os.listdir("/proc/%d/task" % found[at])
            for task in tasks:
                with open("/proc/%d/task/%s/children" % (found[at], task)) as f:
                    found += map(int, f.read().split())
        except OSError:
            pass
        at += 1
    return found


def look(pid):
    """Its name, and the most memory it has had, in bytes."""
    name, most = "", 0
    try:
        with open("/proc/%d/status" % pid) as f:
            for line in f:
                if line.startswith("Name:"):
                    name = line.split()[1]
                if line.startswith("VmHWM:"):
                    most = int(line.split()[1]) * 1024
    except OSError:
        pass
    return name, most


def watch(argv, cwd):
    """Runs a command; the most memory of each process of ours: {(pid, name):
    bytes}. VmHWM only grows, so that a late look misses little."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("THRONG_")}
    child = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    most = {}
    while child.poll() is None:
        for pid in family(child.pid):
            name, bytes_ = look(pid)
            if name.startswith("throng"):
                most[pid, name] = max(most.get((pid, name), 0), bytes_)
        time.sleep(0.02)
    said = child.stderr.read()
    if child.returncode != 0:
        broken("%s ended with status %d:\n%s" %
               (" ".join(argv), child.returncode, said[-4000:]))
    return child.pid, most


# ---- a product of tables ----------------------------------------------------------

def write_tables(folder, counts):
    chance = random.Random(1)
    names = ["t%d_%d" % (t, i) for t in range(3) for i in range(COLUMNS)]
    with open(os.path.join(folder, "train.csv"), "w") as f:
        f.write(",".join(names) + ",y\n")
        for _ in range(200):
            row = [chance.random() for _ in names]
            f.write(",".join("%.4f" % x for x in row) + ",%.4f\n" %
                    sum(row[:5]))
    for t, count in enumerate(counts):
        with open(os.path.join(folder, "t%d.csv" % t), "w") as f:
            f.write("id," + ",".join(names[t * COLUMNS:(t + 1) * COLUMNS]) +
                    "\n")
            for i in range(count):
                f.write("r%d," % i + ",".join(
                    "%.4f" % chance.random() for _ in range(COLUMNS)) + "\n")


def train(folder):
    path = os.path.join(folder, "net.yaml")
    with open(path, "w") as f:
        f.write("layers: [{dense: 64, activation: relu}, {dense: 1}]\n"
                "loss: mse\nepochs: 2\n"
                "data: {file: train.csv, label: y, scale: std}\n")
    Run([THRONG, "train", "net.yaml"], cwd=folder)


def product_study(folder, name, rows):
    return write_study(
        folder, name,
        predict={"models": "net.safetensors",
                 "product": ["t0.csv", "t1.csv", "t2.csv"],
                 "keep": {"top": {"by": "mean", "n": 50000}},
                 "shard": rows // 8, "output": name})


def product_rows(table, quick):
    """Rows of the table about a product."""
    counts = (100, 200, 250) if quick else (500, 500, 400)
    rows = counts[0] * counts[1] * counts[2]
    with scratch() as folder:
        write_tables(folder, counts)
        train(folder)
        run = Run([THRONG, "run", "-q", product_study(folder, "timed", rows)],
                  cwd=folder, first=True)
        _, most = watch([THRONG, "run", "-q",
                         product_study(folder, "watched", rows)], folder)
        with open(os.path.join(folder, "timed", "top.csv")) as f:
            first = f.read()
        with open(os.path.join(folder, "watched", "top.csv")) as f:
            if f.read() != first or first.count("\n") != 50001:
                broken("the tables are not those of 50000 rows")
    say("product of %d rows: %.2f s of CPU, %.2f s; %s" % (
        rows, run.cpu, run.wall, ", ".join(
            "%s %.1f MB" % (name, b / 1e6) for (_, name), b in most.items())))
    table.row("product of %.0e rows, rows/s a core" % rows, rows / run.cpu,
              LEAST_RATE, least=True)
    table.row("the same, memory of all processes", sum(most.values()) / 1e6,
              MOST_MEMORY, "MB")


# ---- names for a program ------------------------------------------------------------

def write_names(path, count):
    with open(path, "w") as f:
        for i in range(0, count, 10000):
            f.write("".join("images/%09d.png\n" % k
                            for k in range(i, min(i + 10000, count))))


def not_once(folder, count):
    """Names that are not there exactly once, and shards that were not."""
    seen = bytearray(count)
    with open(os.path.join(folder, "said.txt")) as f:
        for line in f:
            at = int(line[7:16])
            seen[at] = min(seen[at] + 1, 9)
    with open(os.path.join(folder, "starts")) as f:
        starts = sorted(map(int, f))
    shards = -(-count // NAMES_A_SHARD)
    return (count - seen.count(1),
            abs(len(starts) - shards) + shards - len(set(starts)))


def run_names(folder, count):
    """Memory of conductor and worker; names and shards that were not seen
    exactly once."""
    os.mkdir(folder)
    write_names(os.path.join(folder, "names.txt"), count)
    study = write_study(folder, "names", command=PROGRAM,
                        predict={"data": "names.txt", "output": "said.txt",
                                 "shard": NAMES_A_SHARD})
    conductor, most = watch([THRONG, "run", "-q", study], folder)
    return (max(b for (pid, _), b in most.items() if pid == conductor),
            max(b for (pid, _), b in most.items() if pid != conductor),
            *not_once(folder, count))


def name_rows(table, quick):
    """Rows of the table about names of files."""
    count = 1000000 if quick else 18000000
    with scratch() as folder:
        few = run_names(os.path.join(folder, "few"), count // 10)
        begin = time.monotonic()
        many = run_names(os.path.join(folder, "many"), count)
        took = time.monotonic() - begin
    say("%d names: %.1f s; conductor %.1f MB, of a tenth %.1f; worker %.1f MB,"
        " of a tenth %.1f" % (count, took, many[0] / 1e6, few[0] / 1e6,
                              many[1] / 1e6, few[1] / 1e6))
    what = "%.3g million names" % (count / 1e6)
    table.row(what + ", conductor's memory to a tenth's", many[0] / few[0],
              MOST_GROWTH)
    table.row(what + ", worker's memory to a tenth's", many[1] / few[1],
              MOST_GROWTH)
    table.row(what + ", not given exactly once", few[2] + many[2], 0)
    table.row(what + ", shards not started exactly once", few[3] + many[3], 0)
