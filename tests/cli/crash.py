#!/usr/bin/env python3
"""crash.py - kill throng at random moments, and look at what is left

    crash.py conductor|worker KILLS [SEED]

A study of short tasks is run. At random moments the conductor (sometimes its
worker along with it), or only the worker, is killed with SIGKILL; the study
is resumed at once, until it is complete; then the next one begins, until
there were KILLS kills. An uninterrupted run of the same study says which
points there are.

What a task does follows from its trial's number, so how every trial must end
is known beforehand, however often it was interrupted. Every task writes its
trial and attempt to a side file before it does anything else.

Needs THRONG (the program) and runs in the current folder, which should be
empty. Says in TAP what it checked; of what failed, exactly what differs.
"""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

THRONG = os.environ["THRONG"]
TRIALS = 120
RETRIES = 2
TIME_LIMIT_S = 0.3
LIVE_SECONDS = 200  # no run may take longer
GONE_SECONDS = 30   # processes must be gone by then

# What kind of task a trial runs: its number modulo len(KINDS).
KINDS = ["plain", "fails", "checkpoints", "plain", "flaky", "slow", "plain",
         "invalid", "daemon", "stuck", "plain", "plain"]
FINAL = {"plain": "done", "fails": "failed", "checkpoints": "done",
         "flaky": "done", "slow": "timed_out", "invalid": "invalid",
         "daemon": "done", "stuck": "failed"}
CHECKPOINTS = 3

STATES = ["waiting", "running", "paused", "done", "failed", "invalid",
          "stopped", "timed_out", "killed", "diverged"]
OUTCOMES = ["none", "done", "failed", "invalid", "stopped", "timed_out",
            "killed", "diverged", "lost", "checkpointed", "memory", "spawn",
            "unstarted", "interrupted"]
ENDS_TRIAL = {"done", "invalid", "stopped", "timed_out", "killed", "diverged"}

TASK = r"""#!/bin/sh
# The first thing is one write to the side file.
printf '%s %s\n' "$THRONG_TRIAL" "$THRONG_ATTEMPT" >>"$SIDE/starts"
# Over some time, so that a crash comes between the points of one attempt.
report() {
    for step in 1 2 3; do
        printf '{"step":%s,"loss":%s}\n' "$step" "$((THRONG_TRIAL * 10 + step))" \
            >>"$THRONG_METRICS"
        sleep 0.05
    done
}
case $(kind_of "$THRONG_TRIAL") in
plain) sleep 0.0$((THRONG_TRIAL % 7)); report ;;
fails) echo "no such luck"; exit 3 ;;
flaky) mark=$SIDE/flaky.$THRONG_TRIAL
    if [ ! -e "$mark" ]; then : >"$mark"; exit 4; fi
    report ;;
checkpoints)
    step=0
    [ ! -e "$THRONG_CHECKPOINT/step" ] || read -r step <"$THRONG_CHECKPOINT/step"
    printf '%s %s\n' "$THRONG_TRIAL" "$step" >>"$SIDE/steps"
    if [ "$step" -lt CHECKPOINTS ]; then
        echo $((step + 1)) >"$THRONG_CHECKPOINT/next"
        mv "$THRONG_CHECKPOINT/next" "$THRONG_CHECKPOINT/step"
        exit 85
    fi
    report ;;
stuck)
    [ -e "$THRONG_CHECKPOINT/state" ] || : >"$THRONG_CHECKPOINT/state"
    exit 85 ;;
slow) sleep 60 ;;
invalid) exit 78 ;;
daemon)
    setsid sh -c 'sleep 60' </dev/null >/dev/null 2>&1 &
    report ;;
esac
"""


def kind(trial):
    return KINDS[trial % len(KINDS)]


class Checks:
    """TAP lines."""

    def __init__(self):
        self.made = self.failed = 0

    def check(self, name, wrong):
        """wrong: what differs, line by line; empty when all is well."""
        self.made += 1
        self.failed += bool(wrong)
        print("%sok %d - %s" % ("not " if wrong else "", self.made, name))
        for line in list(wrong)[:20]:
            print("#   %s" % line)
        if len(wrong) > 20:
            print("#   ... and %d more" % (len(wrong) - 20))
        sys.stdout.flush()

    def end(self):
        print("1..%d" % self.made)
        sys.exit(1 if self.failed else 0)


# ---- The study -------------------------------------------------------------

class Study:
    """One folder with the study file, the task, and the side files."""

    def __init__(self, folder, keep="all"):
        self.home = os.path.abspath(folder)
        self.side = os.path.join(self.home, "side")
        self.store = os.path.join(self.home, ".throng", "crash")
        os.makedirs(self.side)
        cases = "".join("%d) echo %s ;;\n" % (i, k)
                        for i, k in enumerate(KINDS))
        task = TASK.replace("#!/bin/sh\n", "#!/bin/sh\nkind_of() {\n"
                            "case $(($1 %% %d)) in\n%sesac\n}\n"
                            % (len(KINDS), cases))
        self.write("task", task.replace("-lt CHECKPOINTS",
                                        "-lt %d" % CHECKPOINTS), 0o755)
        self.write("study.yaml", json.dumps({
            "name": "crash", "method": "random", "seed": 7,
            "run_cap": TRIALS, "command": ["./task"],
            "metric": {"name": "loss", "goal": "minimize"},
            "parameters": {"lr": {"distribution": "log_uniform_values",
                                  "min": 1e-5, "max": 1e-1},
                           "layers": {"min": 1, "max": 9},
                           "opt": {"values": ["sgd", "adam"]}},
            "resources": {"time": TIME_LIMIT_S, "cpus": 0.5},
            "parallel": 4, "grace": 0.1,
            "retries": RETRIES, "retry_delay": 0, "keep": keep}))

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.home, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)

    def start(self):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("THRONG_")}
        env["SIDE"] = self.side
        with open(os.path.join(self.home, "said"), "ab") as said:
            return subprocess.Popen(
                [THRONG, "run", "--keep-going", "study.yaml"], cwd=self.home,
                env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True)

    def said(self):
        with open(os.path.join(self.home, "said"), errors="replace") as f:
            return f.read()

    def lines(self, name):
        """Whole lines of a side file, each as a tuple of numbers."""
        path = os.path.join(self.side, name)
        if not os.path.exists(path):
            return []
        with open(path) as f:
            return [tuple(map(int, line.split())) for line in f]

    def read_live(self, sql):
        """A query while the conductor writes."""
        db = sqlite3.connect("file:%s/study.db?mode=ro" % self.store,
                             uri=True, timeout=30)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def read(self, sql):
        """A query on a copy, so that looking changes nothing: not even the
        log that the next conductor must recover from."""
        copy = os.path.join(self.home, "copy.db")
        for suffix in ("", "-wal"):
            if os.path.exists(copy + suffix):
                os.unlink(copy + suffix)
            path = os.path.join(self.store, "study.db" + suffix)
            if os.path.exists(path):
                shutil.copy(path, copy + suffix)
        db = sqlite3.connect(copy)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def finals(self, live):
        """The trials that are over: number -> (state, ended, value, ...)."""
        if not os.path.exists(os.path.join(self.store, "study.db")):
            return {}
        read = self.read_live if live else self.read
        try:
            rows = read("select id, state, ended, value, attempts "
                        "from trials where state >= 3")
        except sqlite3.OperationalError as e:
            if "no such table" in str(e):
                return {}
            raise
        return {r[0]: r[1:] for r in rows}

    def export(self):
        said = subprocess.run([THRONG, "export", "crash", "--jsonl"],
                              cwd=self.home, capture_output=True, text=True)
        if said.returncode != 0:
            raise RuntimeError("export: " + said.stderr)
        return [json.loads(line) for line in said.stdout.splitlines()]


def processes(mark):
    """Those whose environment holds the mark: pid -> name."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/environ" % name, "rb") as f:
                if not any(mark.match(one) for one in f.read().split(b"\0")):
                    continue
            with open("/proc/%s/comm" % name) as f:
                found[int(name)] = f.read().strip()
        except OSError:
            continue
    return found


def mark_of(study):
    """Any epoch and any role: of the worker and of its tasks."""
    return re.compile(rb"THRONG_STORE=([0-9]+\.[a-z]+:)?" +
                      re.escape(study.store.encode()) + rb"\Z")


# ---- Killing ---------------------------------------------------------------

def moment(rng):
    """Seconds until the next kill: often at once, while the program starts
    and takes over what was left; at times long enough for slow tasks."""
    dice = rng.random()
    if dice < 0.3:
        return rng.uniform(0, 0.05)
    if dice < 0.8:
        return rng.uniform(0, 0.4)
    return rng.uniform(0.4, 1.2)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def wait(child, seconds):
    """True when it ended in that time."""
    try:
        child.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def workers(study, child):
    """Children of the conductor that are its worker."""
    found = []
    for pid, name in processes(mark_of(study)).items():
        try:
            with open("/proc/%d/stat" % pid) as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        if parent == child.pid and name == "throng-worker":
            found.append(pid)
    return found


class Driver:
    """Runs one study to its end under fire."""

    def __init__(self, study, what, rng):
        self.study, self.what, self.rng = study, what, rng
        self.kills, self.wrong, self.known = 0, [], {}

    def remember(self):
        """What is over stays as it is."""
        now = self.study.finals(self.what == "worker")
        for trial, row in self.known.items():
            if now.get(trial) != row:
                self.wrong.append("trial %d was over as %s, then was %s" %
                                  (trial, row, now.get(trial)))
        self.known = now

    def kill_conductor(self, child):
        both = self.rng.random() < 0.2
        victims = workers(self.study, child) if both else []
        order = [child.pid] + victims
        self.rng.shuffle(order)
        for pid in order:
            kill(pid)
        child.wait()
        self.remember()

    def kill_worker(self, child):
        self.remember()
        return any([kill(pid) for pid in workers(self.study, child)])

    def run(self, most):
        """Until the study is complete; kills at most so often."""
        child, end = self.study.start(), time.monotonic() + LIVE_SECONDS
        while True:
            armed = self.kills < most
            if wait(child, moment(self.rng) if armed else LIVE_SECONDS):
                if child.returncode in (0, 3):
                    return
                if self.what == "conductor" or time.monotonic() > end:
                    raise RuntimeError("throng ended with status %d" %
                                       child.returncode)
                child = self.study.start()
            elif not armed or time.monotonic() > end + 2 * self.kills:
                os.kill(child.pid, signal.SIGABRT)
                child.wait()
                raise RuntimeError("throng hangs")
            elif self.what == "conductor":
                self.kill_conductor(child)
                self.kills += 1
                child = self.study.start()
            else:
                self.kills += self.kill_worker(child)


# ---- What must be true at the end ------------------------------------------

def cut_short(outcomes, reason):
    """How a trial ends, whatever its task does: three losses in a row count
    as failed where it was alone, also with interruptions between them, and on
    a busy machine any task may run into its time limit."""
    began = [o for o in outcomes if o not in ("interrupted", "unstarted")]
    if began[-3:] == ["lost"] * 3 and reason.startswith("lost 3 times"):
        return "failed"
    return "timed_out" if outcomes[-1:] == ["timed_out"] else None


def expected_state(trial, outcomes, reason):
    return cut_short(outcomes, reason) or FINAL[kind(trial)]


def check_trials(study, attempts, trials):
    wrong = []
    for trial in range(1, TRIALS + 1):
        if trial not in trials:
            wrong.append("trial %d is not there" % trial)
            continue
        outcomes = [o for _, o in attempts.get(trial, [])]
        state = expected_state(trial, outcomes,
                               trials[trial]["reason"] or "")
        if trials[trial]["state"] != state:
            wrong.append("trial %d (%s) is %s, not %s, after %s: %s" % (
                trial, kind(trial), trials[trial]["state"], state, outcomes,
                trials[trial]["reason"]))
    wrong += ["trial %d is one too many" % t for t in trials if t > TRIALS]
    return wrong


def check_values(trials):
    wrong = []
    for number, trial in sorted(trials.items()):
        want = number * 10 + 3 if trial["state"] == "done" else None
        found = trial["value"]
        if found != want and (want or found == found):
            wrong.append("trial %d has the value %s, not %s" %
                         (number, found, want))
    return wrong


def check_attempts(attempts, trials):
    """One end for every attempt, one final end for every trial."""
    wrong = []
    for number, trial in sorted(trials.items()):
        rows = attempts.get(number, [])
        outcomes = [o for _, o in rows]
        if [n for n, _ in rows] != list(range(1, len(rows) + 1)):
            wrong.append("trial %d has the attempts %s" % (number, rows))
        if trial["attempts"] != len(rows):
            wrong.append("trial %d says %d attempts, there are %d" %
                         (number, trial["attempts"], len(rows)))
        if "none" in outcomes:
            wrong.append("trial %d has an attempt without an end: %s" %
                         (number, outcomes))
        early = [o for o in outcomes[:-1] if o in ENDS_TRIAL]
        if early:
            wrong.append("trial %d went on after %s: %s" %
                         (number, early[0], outcomes))
        failures = outcomes.count("failed")
        if failures > RETRIES + 1:
            wrong.append("trial %d failed %d times" % (number, failures))
    return wrong


def check_starts(starts, attempts):
    wrong = ["trial %d, attempt %d was started %d times" %
             (t, a, starts.count((t, a)))
             for t, a in sorted(set(starts)) if starts.count((t, a)) > 1]
    for trial, attempt in sorted(set(starts)):
        if attempt not in [n for n, _ in attempts.get(trial, [])]:
            wrong.append("trial %d, attempt %d was started and is not in the "
                         "store" % (trial, attempt))
    begun = set(starts)
    for trial, rows in sorted(attempts.items()):
        for number, outcome in rows:
            # On a busy machine the time may be over before the first line.
            ran = outcome not in ("interrupted", "lost", "unstarted", "none",
                                  "timed_out")
            if ran and (trial, number) not in begun:
                wrong.append("trial %d, attempt %d is in the store as %s and "
                             "was never started" % (trial, number, outcome))
    return wrong


def check_steps(study):
    """A checkpoint is never lost: each attempt starts where one before it
    stood."""
    wrong, last = [], {}
    for trial, step in study.lines("steps"):
        if step < last.get(trial, 0):
            wrong.append("trial %d went back from step %d to %d" %
                         (trial, last[trial], step))
        last[trial] = step
    wrong += ["trial %d ended at step %d" % (t, s)
              for t, s in sorted(last.items())
              if s != CHECKPOINTS]
    return wrong


def check_counters(study, trials):
    counted = {STATES[s]: n for s, n in study.read(
        "select state, trials from counters") if n}
    real = {}
    for trial in trials.values():
        real[trial["state"]] = real.get(trial["state"], 0) + 1
    return [] if counted == real else ["counters: %s, trials: %s" %
                                       (counted, real)]


def check_times(study):
    """Nobody is out of time before the time is over, that of the attempts
    counted which it goes on from."""
    return ["trial %d ran out of time after %.3f s" % row
            for row in study.read(
                "select trial, sum(seconds) from attempts group by trial "
                "having max(outcome = %d) and sum(seconds) < %g" %
                (OUTCOMES.index("timed_out"), TIME_LIMIT_S))]


def check_integrity(study):
    said = subprocess.run(
        ["sqlite3", os.path.join(study.store, "study.db"),
         "pragma integrity_check"], capture_output=True, text=True)
    words = (said.stdout + said.stderr).strip()
    return [] if words == "ok" else words.splitlines()


def check_gone(study):
    end = time.monotonic() + GONE_SECONDS
    while True:
        left = processes(mark_of(study))
        if not left:
            return []
        if time.monotonic() > end:
            return ["process %d (%s) is left" % p for p in left.items()]
        time.sleep(0.05)


def check_kept(study, trials):
    """At the end only the best and the logs of failures are kept. Folders
    of the others are gone, also when the end itself was interrupted."""
    best = sorted((t["value"], n) for n, t in trials.items()
                  if t["state"] == "done")[:3]
    may_stay = {n for _, n in best} | {n for n, t in trials.items()
                                       if t["state"] != "done"}
    left = []
    for thousand, folders, _ in os.walk(os.path.join(study.store, "trials")):
        if os.path.basename(os.path.dirname(thousand)) == "trials":
            left += [int(f) for f in folders if f.isdigit()]
    return ["the folder of trial %d is left" % n for n in sorted(left)
            if n not in may_stay]


def read_attempts(study):
    attempts = {}
    for trial, number, outcome in study.read(
            "select trial, number, outcome from attempts "
            "order by trial, number"):
        attempts.setdefault(trial, []).append((number, OUTCOMES[outcome]))
    return attempts


def check_all(checks, study, points, driver, name):
    attempts = read_attempts(study)
    trials = {t["id"]: t for t in study.export()}
    cut = [t for t, rows in attempts.items()
           if kind(t) != "slow" and t in trials and
           cut_short([o for _, o in rows], trials[t]["reason"] or "")]
    print("# %s: %d kills, %d starts, %d attempts, lost or out of time: %s" %
          (name, driver.kills, len(study.lines("starts")),
           sum(map(len, attempts.values())), cut or "none"))
    found = {t: trial["params"] for t, trial in trials.items()}
    checks.check(name + ": the points are those of an undisturbed run",
                 [] if found == points else
                 ["trial %d: %s, undisturbed: %s" %
                  (t, found.get(t), points.get(t))
                  for t in sorted(set(found) | set(points))
                  if found.get(t) != points.get(t)])
    checks.check(name + ": every trial ended as it must",
                 check_trials(study, attempts, trials))
    checks.check(name + ": the values are right", check_values(trials))
    checks.check(name + ": every attempt has one end, every trial one",
                 check_attempts(attempts, trials))
    checks.check(name + ": every start has its attempt, and only one",
                 check_starts(study.lines("starts"), attempts))
    checks.check(name + ": no checkpoint was lost",
                 [w for w in check_steps(study)
                  if int(w.split()[1]) not in cut])
    checks.check(name + ": what was over stayed as it was", driver.wrong)
    checks.check(name + ": nobody ran out of time too early",
                 check_times(study))
    checks.check(name + ": the counters are right",
                 check_counters(study, trials))
    checks.check(name + ": the store is sound", check_integrity(study))
    checks.check(name + ": no process is left", check_gone(study))


def run_round(checks, what, turn, left, rng, points):
    """One study; returns how many kills it took."""
    study = Study("round-%d" % turn, "all" if turn % 2 else "best:3")
    driver = Driver(study, what, rng)
    name = "study %d" % turn
    try:
        driver.run(left)
    except RuntimeError as e:
        checks.check(name + ": it runs to its end",
                     [str(e), "after %d kills" % driver.kills] +
                     study.said().splitlines()[-15:] +
                     ["left: %s" % processes(mark_of(study))])
        checks.end()
    driver.remember()
    failed = checks.failed
    check_all(checks, study, points, driver, name)
    if turn % 2 == 0:
        checks.check(name + ": only what is to be kept was kept",
                     check_kept(study, {t["id"]: t for t in study.export()}))
    if checks.failed > failed:
        print("# the end of what it said:\n#   " +
              "\n#   ".join(study.said().splitlines()[-10:]))
    elif not os.environ.get("THRONG_KEEP"):
        shutil.rmtree(study.home)
    return driver.kills


def undisturbed(checks):
    """The points of a run that nobody killed, and its own checks."""
    study = Study("undisturbed")
    driver = Driver(study, "conductor", random.Random(0))
    try:
        driver.run(0)
    except RuntimeError as e:
        checks.check("an undisturbed run ends", [str(e)] +
                     study.said().splitlines()[-15:])
        checks.end()
    points = {t["id"]: t["params"] for t in study.export()}
    check_all(checks, study, points, driver, "undisturbed")
    return points


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("conductor", "worker"):
        sys.exit(__doc__)
    what, kills = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3] else \
        random.SystemRandom().randrange(1 << 32)
    print("# to repeat: crash.py %s %d %d" % (what, kills, seed))
    checks, rng = Checks(), random.Random(seed)
    points = undisturbed(checks)
    done = turn = 0
    while done < kills:
        turn += 1
        done += run_round(checks, what, turn, kills - done, rng, points)
    checks.end()


if __name__ == "__main__":
    main()
