#!/usr/bin/env python3
"""kills.py - kill every part of throng in every kind of study

    kills.py KILLS [SEED] [WAY/VICTIM...]

A cell is a way in which a study works (how its tasks report, how they end,
how points are chosen) and a victim: the conductor, the worker, both at once,
a task, a trainer. In each cell studies are run to their end, and at random
moments the victim is killed with SIGKILL; KILLS kills in all, the same number
in each cell. A conductor that was killed is started again at once.

A task reports a step and only then writes it to its checkpoint. So whatever
is killed when, every step that a checkpoint holds must be in the store in the
end, and a trial's value is the last one that its task said. A task that keeps
no checkpoint begins anew, and makes more reports the first time than later: of
what an attempt said that did not come to its end, nothing may count. Each task
writes into side files when it starts, when it has made a step, and what it ends
with:

    starts    trial, attempt      nothing runs twice
    steps     trial, step         moments are chosen by progress, not by time
    finals    trial, value        what the store must say
    counts    trial, reports      of the attempt that ended, with no checkpoint

Needs THRONG (the program) and ROOT (the project), and runs in the current
folder, which should be empty. Says in TAP what it checked.
"""

import contextlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time

from crash import (GONE_SECONDS, LIVE_SECONDS, OUTCOMES, THRONG, Checks, kill,
                   processes, wait)

ROOT = os.environ["ROOT"]
TRIALS = 16
STEPS = 8
MISSED_MAX = 100  # studies in a row that end before anybody was killed: short
                  # ones are hit once in four
RUNGS = {"type": "asha", "min_iter": 2, "max_iter": STEPS}

TASK = r"""#!/bin/sh
printf '%s %s\n' "$THRONG_TRIAL" "$THRONG_ATTEMPT" >>"$SIDE/starts"
keep() {
    echo "$n" >"$THRONG_CHECKPOINT/next"
    if [ -n "${SYNC:-}" ]; then
        sync /dev/stdout "$THRONG_CHECKPOINT/next"
        [ ! -e "$THRONG_METRICS" ] || sync "$THRONG_METRICS"
    fi
    mv "$THRONG_CHECKPOINT/next" "$THRONG_CHECKPOINT/n"
}
n=0
[ ! -e "$THRONG_CHECKPOINT/n" ] || read -r n <"$THRONG_CHECKPOINT/n"
loss=$((THRONG_P_a * 100 - n))
here=0 last=${THRONG_BUDGET:-STEPS}
[ "$KEEP" != none ] || [ -n "${THRONG_BUDGET:-}" ] ||
    [ "$THRONG_ATTEMPT" != 1 ] || last=$((2 * last))
while [ "$n" -lt "$last" ]; do
    n=$((n + 1)) here=$((here + 1))
    loss=$((THRONG_P_a * 100 - n))
    [ "$last" = "${THRONG_BUDGET:-STEPS}" ] || loss=$((loss + STEPS))
    case $HOW in
    say) echo "::throng loss=$loss" ;;
    file) printf '{"step":%s,"loss":%s}\n' "$n" "$loss" >>"$THRONG_METRICS" ;;
    print) echo "::throng step=$n loss=$loss" ;;
    report) throng report "loss=$loss" ;;
    esac
    [ "$KEEP" = none ] || keep
    printf '%s %s\n' "$THRONG_TRIAL" "$n" >>"$SIDE/steps"
    sleep 0.01
    [ "$END" != 85 ] || [ "$here" -lt 3 ] || exit 85
    if [ "$END" = fail ] && [ "$n" = 4 ]; then
        [ -e "$THRONG_CHECKPOINT/failed" ] || {
            : >"$THRONG_CHECKPOINT/failed"
            exit 4
        }
    fi
done
[ "$KEEP" != none ] || printf '%s %s\n' "$THRONG_TRIAL" "$n" >>"$SIDE/counts"
printf '%s %s\n' "$THRONG_TRIAL" "$loss" >>"$SIDE/finals"
"""


class Way:
    """How a study works, and what of its table is known beforehand."""

    def __init__(self, how="file", end="", points=STEPS, equal=True, keep="",
                 **more):
        self.how, self.end, self.keep = how, end, keep
        self.points = points  # least number of them; None: not known
        self.equal = equal    # the table is that of an undisturbed run
        self.more = more

    @property
    def trains(self):
        return "model" in self.more

    def study(self):
        file = {"name": "kills", "method": "random", "seed": 11,
                "run_cap": TRIALS, "command": ["./task"],
                "metric": {"name": "loss", "goal": "minimize"},
                "parameters": {"a": {"min": 1, "max": 999}},
                "resources": {"cpus": 0.5}, "parallel": 4, "grace": 1,
                "retries": 100, "retry_delay": 0}
        file.update(self.more)
        return {k: v for k, v in file.items() if v is not None}


WAYS = {
    "file": Way("file"),
    "print": Way("print"),
    "report": Way("report"),
    "checkpointed": Way("report", end="85"),
    "retries": Way("print", end="fail"),
    "anew": Way("say", keep="none", points=None),
    "anew_report": Way("report", keep="none", points=None),
    "anew_asha": Way("say", keep="none", points=None, method="tpe",
                     order="lag", lag=4, early_terminate=RUNGS),
    "adaptive": Way("file", method="tpe", order="lag", lag=4),
    "asha": Way("file", points=None, method="tpe", order="lag", lag=4,
                early_terminate=RUNGS),
    # What is reported again after a crash counts as one report more.
    "counted": Way("report", points=None, equal=False, method="tpe",
                   early_terminate=RUNGS),
    # Who copies whom depends on who is ready first.
    "pbt": Way("file", points=None, equal=False, method="pbt",
               pbt={"population": 4, "steps": 3}),
    "training": Way(points=200, command=None, model="mlp.yaml", resources=None,
                    metric={"name": "val_loss", "goal": "minimize"},
                    parameters={"lr": {"min": 0.001, "max": 0.01},
                                "units": {"values": [16, 24]},
                                "dropout": {"value": 0.1},
                                "epochs": {"value": 200}}),
    # States at rungs lie in packs.
    "trained_rungs": Way(points=None, command=None, model="mlp.yaml",
                         resources=None, method="tpe", order="lag", lag=4,
                         metric={"name": "val_loss", "goal": "minimize"},
                         parameters={"lr": {"min": 0.001, "max": 0.01},
                                     "units": {"value": 16},
                                     "dropout": {"value": 0.1},
                                     "epochs": {"value": 180}},
                         early_terminate={"type": "asha", "min_iter": 20,
                                          "max_iter": 180}),
}
VICTIMS = ["conductor", "worker", "both", "task"]


def victims_of(way):
    return VICTIMS[:3] + ["trainer" if WAYS[way].trains else "task"]


class Study:
    def __init__(self, folder, way, side=None):
        self.way = WAYS[way]
        self.home = os.path.abspath(folder)
        self.side = os.path.abspath(side or os.path.join(folder, "side"))
        os.makedirs(self.home)
        os.makedirs(self.side)
        self.mark = re.compile(b"SIDE=%s$" % re.escape(self.side).encode())
        self.write("task", TASK.replace("STEPS", str(STEPS)), 0o755)
        self.write("study.yaml", json.dumps(self.way.study()))
        if self.way.trains:
            self.copy_model()

    def copy_model(self):
        digits = os.path.join(ROOT, "examples", "digits")
        shutil.copy(os.path.join(digits, "digits.csv.gz"), self.home)
        with open(os.path.join(digits, "mlp.yaml")) as f:
            text = f.read()
        self.write("mlp.yaml", re.sub(r"(?m)^epochs:.*", "epochs: ${epochs}",
                                      text))

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.home, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)

    def start(self):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("THRONG_")}
        env.update(SIDE=self.side, HOW=self.way.how, END=self.way.end,
                   KEEP=self.way.keep,
                   PATH=os.path.dirname(THRONG) + ":" + env["PATH"],
                   XDG_CACHE_HOME=os.path.join(self.home, "cache"))
        with open(os.path.join(self.side, "said"), "ab") as said:
            return subprocess.Popen(
                [THRONG, "run", "--keep-going", "study.yaml"], cwd=self.home,
                env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True)

    def said(self):
        with open(os.path.join(self.side, "said"), errors="replace") as f:
            return f.read()

    def lines(self, name):
        path = os.path.join(self.side, name)
        if not os.path.exists(path):
            return []
        with open(path) as f:
            return [tuple(map(int, line.split())) for line in f
                    if line.endswith("\n")]

    def progress(self):
        try:
            return os.stat(os.path.join(self.side, "steps")).st_size
        except OSError:
            return 0

    def throng(self, *args):
        said = subprocess.run([THRONG, *args], cwd=self.home,
                              capture_output=True, text=True)
        if said.returncode:
            raise RuntimeError("throng %s: %s" % (" ".join(args),
                                                  said.stderr))
        return said.stdout

    def trials(self):
        return {t["id"]: t for t in map(json.loads, self.throng(
            "export", "kills", "--jsonl").splitlines())}

    def attempts(self):
        shown = json.loads(self.throng("show", "kills", "all", "--json"))
        return {t["trial"]["id"]: [(a["number"], a["outcome"])
                                   for a in t["attempts"]]
                for t in shown["trials"]}

    def losses_alone(self):
        """How often a trial was lost while nobody ran beside it, by trial."""
        path = os.path.join(self.home, ".throng/kills/study.db")
        with contextlib.closing(sqlite3.connect(path)) as store:
            return dict(store.execute(
                "select trial, count(*) from attempts where outcome = ? and "
                "coalesce(company, 1) <= 1 group by trial",
                (OUTCOMES.index("lost"),)))

    def points(self, metric):
        """How many points of it the store has, by trial."""
        found, trial = {}, None
        for line in self.throng("show", "kills", "all").splitlines():
            words = line.split()
            if words[:1] == ["trial"]:
                trial = int(words[1])
            elif len(words) == 5 and words[0] == metric:
                found[trial] = int(words[4])
        return found


# ---- Killing ---------------------------------------------------------------

def stat_of(pid):
    """Its name, its parent, and when it started."""
    with open("/proc/%d/stat" % pid) as f:
        name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
    words = rest.split()
    return name, int(words[1]), int(words[19])


def is_throng(name):
    """A trainer is the worker's file, executed again by way of /proc."""
    return name.startswith("throng") or name == "exe"


def children(parent, ours):
    """Children of a process: those that are throng's own, or the others."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            name, above, _ = stat_of(int(entry))
        except (OSError, ValueError):
            continue
        if above == parent and is_throng(name) == ours:
            found.append(int(entry))
    return found


def targets(conductor, victim, rng):
    """The processes to kill, in a random order."""
    workers = children(conductor, True)
    if victim == "conductor":
        found = [conductor]
    elif victim == "worker":
        found = workers
    elif victim == "both":
        found = [conductor] + workers
        if not workers:
            return []
    else:
        found = [p for w in workers
                 for p in children(w, victim == "trainer")]
        found = [rng.choice(found)] if found else []
    rng.shuffle(found)
    return found


class Driver:
    """Runs one study to its end under fire."""

    def __init__(self, study, victim, rng):
        self.study, self.victim, self.rng = study, victim, rng
        self.kills, self.wrong, self.trainers = 0, [], {}

    def await_moment(self, child):
        """Until some more steps were made; training has no side file, so it
        goes by time. False when the study is over."""
        if self.study.way.trains:
            return not wait(child, self.rng.uniform(0, 0.6))
        mark = self.study.progress() + self.rng.choice((1, 30, 100, 200))
        end = time.monotonic() + LIVE_SECONDS
        while self.study.progress() < mark:
            if wait(child, 0.003):
                return False
            if time.monotonic() > end:
                raise RuntimeError("throng hangs")
        return not wait(child, self.rng.uniform(0, 0.02))

    def strike(self, child):
        """True when somebody was killed."""
        found = targets(child.pid, self.victim, self.rng)
        self.remember_trainers(found)
        return any([kill(pid) for pid in found])

    def remember_trainers(self, parents):
        """They do not inherit the mark."""
        for pid in [p for parent in parents for p in children(parent, True)]:
            try:
                self.trainers[pid] = stat_of(pid)[2]
            except OSError:
                continue

    def left(self):
        """Processes of the study that live."""
        found = processes(self.study.mark)
        for pid, start in self.trainers.items():
            try:
                name, _, now = stat_of(pid)
            except OSError:
                continue
            if now == start:
                found[pid] = name
        return found

    def nobody_is_left(self):
        """With neither conductor nor worker no trainer goes on."""
        end = time.monotonic() + GONE_SECONDS
        while True:
            left = {p: n for p, n in self.left().items()
                    if is_throng(n)}
            if not left:
                return
            if time.monotonic() > end:
                self.wrong.append("left alone, these live on: %s" % left)
                return
            time.sleep(0.02)

    def fire(self, child, most):
        """Kills until it was often enough or the study is over; returns the
        conductor."""
        while self.kills < most and self.await_moment(child):
            if not self.strike(child):
                continue
            self.kills += 1
            if self.victim in ("conductor", "both"):
                child.wait()
                if self.victim == "both" and self.study.way.trains:
                    self.nobody_is_left()
                child = self.study.start()
        return child

    def run(self, most):
        while True:
            child = self.fire(self.study.start(), most)
            if not wait(child, 2 * LIVE_SECONDS):
                child.kill()
                child.wait()
                raise RuntimeError("throng hangs")
            if child.returncode in (0, 3):
                return
            # A worker that dies before its first word, or again and again
            # before any task has ended, may be a wrong one.
            if self.victim != "worker" or not re.search(
                    "did not come up|no task has ended", self.study.said()):
                raise RuntimeError("throng ended with status %d" %
                                   child.returncode)


# ---- What must be true at the end ------------------------------------------

def check_states(study, trials, attempts):
    """A trial that was lost three times with nobody beside it is given up: it
    might be what kills its worker."""
    wrong = ["trial %d is not there" % t for t in range(1, TRIALS + 1)
             if t not in trials]
    alone = study.losses_alone()
    for number, trial in sorted(trials.items()):
        given_up = trial["state"] == "failed" and alone.get(number, 0) >= 3
        if trial["state"] not in ("done", "stopped") and not given_up:
            wrong.append("trial %d is %s: %s, after %s" % (
                number, trial["state"], trial["reason"], attempts[number]))
    return wrong


def check_finals(study, trials):
    last = dict(study.lines("finals"))
    return ["trial %d has the value %s, its task said %s" %
            (n, t["value"], last.get(n)) for n, t in sorted(trials.items())
            if t["state"] == "done" and not study.way.trains and
            t["value"] != last.get(n)]


def check_counts(study, trials):
    """Of tasks without checkpoints the last attempt alone counts."""
    found = study.points(study.way.study()["metric"]["name"])
    return ["trial %d has %d points, its task said %d" %
            (number, found.get(number, 0), said)
            for number, said in sorted(dict(study.lines("counts")).items())
            if trials[number]["state"] == "done" and
            found.get(number, 0) != said]


def check_points(study, trials):
    if study.way.keep == "none":
        return check_counts(study, trials)
    if not study.way.points:
        return []
    name = study.way.study()["metric"]["name"]
    found = study.points(name)
    exact = study.way.how != "report"
    wrong = []
    for number, trial in sorted(trials.items()):
        have, want = found.get(number, 0), study.way.points
        if trial["state"] == "done" and \
                (have < want or exact and have != want):
            wrong.append("trial %d has %d points of %d" % (number, have, want))
    return wrong


def check_doubles(study, attempts):
    starts = study.lines("starts")
    wrong = ["trial %d, attempt %d was started %d times" %
             (*s, starts.count(s)) for s in sorted(set(starts))
             if starts.count(s) > 1]
    for number, rows in sorted(attempts.items()):
        ends = [o for _, o in rows]
        if len(set(n for n, _ in rows)) != len(rows):
            wrong.append("trial %d has the attempts %s" % (number, rows))
        if "done" in ends[:-1] and not study.way.more.get("early_terminate"):
            wrong.append("trial %d went on after its end: %s" % (number, rows))
        wrong += ["trial %d has an open attempt: %s" % (number, rows)
                  for o in ends if o not in OUTCOMES or o == "none"]
    return wrong


def table(trials):
    return {n: (t["state"], t["params"], t["value"])
            for n, t in trials.items()}


def check_table(study, trials, calm):
    """As undisturbed; a trial that was given up has told no value, which a
    method that learns may notice."""
    found = table(trials)
    lost = [n for n, row in found.items() if row[0] == "failed"]
    if not study.way.equal or lost and study.way.more.get("order"):
        return []
    return ["trial %d: %s, undisturbed: %s" % (n, found.get(n), row)
            for n, row in sorted(calm.items())
            if found.get(n) != row and n not in lost]


def check_gone(driver):
    end = time.monotonic() + GONE_SECONDS
    while driver.left():
        if time.monotonic() > end:
            return ["process %d (%s) is left" % p
                    for p in driver.left().items()]
        time.sleep(0.05)
    return []


def look(checks, driver, calm, name, twice=check_doubles):
    study = driver.study
    trials, attempts = study.trials(), study.attempts()
    given_up = [n for n, t in trials.items() if t["state"] == "failed"]
    wrong = {
        "no trial is lost": check_states(study, trials, attempts),
        "no final value is wrong": check_finals(study, trials),
        "no point is lost": check_points(study, trials),
        "nothing is done twice": twice(study, attempts),
        "no process is left": check_gone(driver) + driver.wrong,
    }
    if calm:
        wrong["all is as undisturbed"] = check_table(study, trials, calm)
    print("# %s: %d kills, %d attempts%s" % (
        name, driver.kills, sum(map(len, attempts.values())),
        ", given up: %s" % given_up if given_up else ""))
    for what, rows in wrong.items():
        checks.check("%s: %s" % (name, what), rows)
    return not any(wrong.values())


def run_study(checks, folder, way, victim, most, rng, calm):
    """One study to its end. Returns how often it was hit, and its table."""
    study = Study(folder, way)
    driver = Driver(study, victim, rng)
    name = "%s %s" % (folder, victim)
    try:
        driver.run(most)
        good = look(checks, driver, calm, name)
        rows = table(study.trials())
    except RuntimeError as e:
        checks.check(name + ": it runs to its end",
                     [str(e), "after %d kills" % driver.kills] +
                     study.said().splitlines()[-15:] +
                     ["left: %s" % driver.left()])
        checks.end()
    if good:
        if not os.environ.get("THRONG_KEEP"):
            shutil.rmtree(study.home)
    else:
        print("# the end of what it said:\n#   " +
              "\n#   ".join(study.said().splitlines()[-10:]))
    return driver.kills, rows


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    kills = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else \
        random.SystemRandom().randrange(1 << 32)
    cells = sys.argv[3:] or ["%s/%s" % (w, v) for w in WAYS
                             for v in victims_of(w)]
    print("# to repeat: kills.py %d %d %s" % (kills, seed,
                                              " ".join(sys.argv[3:])))
    checks, rng, calm, sum_of = Checks(), random.Random(seed), {}, 0
    for number, cell in enumerate(cells):
        way, victim = cell.split("/")
        if way not in calm:
            _, calm[way] = run_study(checks, "%s-calm" % way, way, "nobody", 0,
                                     rng, None)
        share = kills * (number + 1) // len(cells) - sum_of
        turn = done = missed = 0
        while done < share:
            turn += 1
            hit, _ = run_study(checks, "%s-%s-%d" % (way, victim, turn), way,
                               victim, share - done, rng, calm[way])
            done += hit
            missed = 0 if hit else missed + 1
            if missed == MISSED_MAX:
                checks.check(cell + ": there is somebody to kill",
                             ["none in %d studies" % missed])
                checks.end()
        sum_of += done
    print("# %d kills" % sum_of)
    checks.end()


if __name__ == "__main__":
    main()
