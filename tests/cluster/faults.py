#!/usr/bin/env python3
"""faults.py - what happens to a cluster while a study runs on it

    faults.py FAULTS [SEED]         SLURM_FOLDER, THRONG, WORKER, TMP are set

Studies run one after the other, and faults hit them one after the other, at
random moments, until FAULTS have hit a trial that ran. The trials count, save
after each step and report a number that depends on all of their steps. Each
fault is printed with the trials that it hit and what became of them; then the
study must hold every trial once, with the right value and every step once, and
no job and no process may be left.
"""

import csv
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SLURM = os.path.join(HERE, "slurm")
FOLDER = os.environ["SLURM_FOLDER"]
THRONG = os.environ["THRONG"]
TRIALS = 40
STEP_SECONDS = 0.4
SHORT, LONG = 10, 260  # steps; those of every tenth trial outlast a time limit
PATIENCE = 600         # seconds for what must happen at last
NODES = ["t0", "t1", "t2", "t3"]
OUTCOMES = ["none", "done", "failed", "invalid", "stopped", "timed out",
            "killed", "diverged", "lost", "checkpointed", "memory", "spawn",
            "unstarted", "interrupted"]

PROGRAM = """#!/bin/sh
x=$1 steps=%d n=0 sum=0
if [ $((x %% 10)) = 5 ]; then steps=%d; fi
# No two may work in one folder.
exec 9>"$THRONG_CHECKPOINT/held"
flock -n 9 || echo "$x" >>"$2/shared"
if [ -s "$THRONG_CHECKPOINT/state" ]; then
    read -r n sum <"$THRONG_CHECKPOINT/state"
fi
while [ "$n" -lt "$steps" ]; do
    sleep %g 9>&-
    n=$((n + 1))
    sum=$(((sum * 31 + x * n) %% 1000003))
    # Said before it is saved: who dies between the two says it again.
    echo "{\\"step\\":$n,\\"loss\\":$sum}" >>"$THRONG_METRICS"
    echo "$n $sum" >"$THRONG_CHECKPOINT/next"
    mv "$THRONG_CHECKPOINT/next" "$THRONG_CHECKPOINT/state"
    if [ -e "$THRONG_STOP" ] && [ "$n" -lt "$steps" ]; then exit 85; fi
done
""" % (SHORT, LONG, STEP_SECONDS)

STUDY = """name: %(name)s
command: [sh, %(folder)s/count.sh, "{x}", %(folder)s]
method: grid
grid: {order: written}
parameters:
  x: {distribution: int_uniform, min: 1, max: %(trials)d}
metric: {name: loss, goal: minimize}
retries: 0
grace: 2s
slurm: {partition: low, look: 2, lead: 5}
"""


def steps_of(x):
    return LONG if x % 10 == 5 else SHORT


def value_of(x):
    total = 0
    for n in range(1, steps_of(x) + 1):
        total = (total * 31 + x * n) % 1000003
    return total


# ---- what runs ---------------------------------------------------------------

class Running:
    """A process of a trial, found by its environment."""

    def __init__(self, pid, env):
        self.pid = pid
        self.trial = int(env["THRONG_TRIAL"])
        self.attempt = int(env["THRONG_ATTEMPT"])
        self.job = env["SLURM_ARRAY_JOB_ID"] + "_" + env["SLURM_ARRAY_TASK_ID"]
        self.node = env["SLURMD_NODENAME"]
        self.start = start_time(pid)

    def lives(self):
        return start_time(self.pid) == self.start


def start_time(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return None if fields[0] in "ZX" else fields[19]
    except OSError:
        return None


def environment(pid):
    try:
        with open("/proc/%d/environ" % pid, "rb") as f:
            parts = f.read().decode(errors="replace").split("\0")
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            command = f.read().split(b"\0")
    except OSError:
        return None, []
    return dict(p.split("=", 1) for p in parts if "=" in p), command


def running(name):
    found = []
    for pid in os.listdir("/proc"):
        if not pid.isdigit():
            continue
        env, command = environment(int(pid))
        if (env and env.get("THRONG_STUDY") == name and "THRONG_TRIAL" in env
                and env.get("SLURM_CONF") == os.environ["SLURM_CONF"]
                and "SLURMD_NODENAME" in env and command[:1] == [b"sh"]):
            found.append(Running(int(pid), env))
    return [r for r in found if r.start]


def wait_until(what, test, patience=PATIENCE):
    end = time.monotonic() + patience
    while not test():
        if time.monotonic() > end:
            raise TimeoutError("%s: not within %d s" % (what, patience))
        time.sleep(0.05)


def command(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)


def slurm(*argv):
    done = command(SLURM, argv[0], FOLDER, *argv[1:])
    if done.returncode:
        raise RuntimeError(done.stdout)


def jobs():
    """Of the studies, as (job, state); None: Slurm does not answer."""
    done = command("squeue", "-h", "-r", "-O",
                   "ArrayJobID: ,ArrayTaskID: ,State: ,Name:80")
    if done.returncode:
        return None
    rows = [line.split() for line in done.stdout.splitlines()]
    return [(r[0] + "_" + r[1], r[2]) for r in rows
            if len(r) > 3 and r[3].startswith("throng-")]


# ---- the conductor -------------------------------------------------------------

class Conductor:
    """`throng run`, each time on a login node of another name."""

    def __init__(self, name, log):
        self.name, self.log = name, log
        self.count = 0
        self.stops = []
        self.process = None

    def start(self):
        self.count += 1
        there = ("hostname login%d && exec %s run %s.yaml --engine slurm" %
                 (self.count, THRONG, self.name))
        argv = ["unshare", "--uts", "--pid", "--fork", "--kill-child",
                "--mount-proc", "sh", "-c", there]
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(argv, stdout=out, stderr=out,
                                            stdin=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()  # and with it all of its login node
        self.process.wait()

    def ended(self):
        """True when the study has; one that stopped for a reason that it
        names is run again."""
        code = self.process.poll()
        if code is None:
            return False
        if code == 0:
            return True
        with open(self.log, errors="replace") as f:
            said = [line for line in f.read().splitlines() if line.strip()]
        self.stops.append(said[-1] if said else "exit code %d" % code)
        if len(self.stops) > 20:
            raise RuntimeError("the study stops again and again: " +
                               "\n".join(self.stops[-3:]))
        self.start()
        return False


# ---- faults --------------------------------------------------------------------

class Faults:
    """Each makes one fault on a trial that runs, waits until the cluster is
    whole again, and returns the processes that it hit, or nothing."""

    def __init__(self, chance, conductor):
        self.chance, self.conductor = chance, conductor

    def victim(self):
        now = running(self.conductor.name)
        return self.chance.choice(now) if now else None

    def on_node(self, node):
        return [r for r in running(self.conductor.name) if r.node == node]

    def of_job(self, job):
        return [r for r in running(self.conductor.name) if r.job == job]

    def pause(self, most):
        time.sleep(self.chance.uniform(0, most))

    def node_up(self, node):
        def test():
            done = command("sinfo", "-h", "-N", "-p", "main", "-n", node, "-o",
                           "%T")
            return done.stdout.strip() in ("idle", "mixed", "allocated",
                                           "completing")
        wait_until("node %s comes back" % node, test)

    def node_killed(self, node, _):
        hit = self.on_node(node)
        slurm("node", "kill", node)
        self.pause(15)
        slurm("node", "start", node)
        self.node_up(node)
        return hit

    def slurmd_killed(self, node, _):
        hit = self.on_node(node)
        with open(os.path.join(FOLDER, "slurmd-%s.pid" % node)) as f:
            os.kill(int(f.read()), signal.SIGKILL)
        hit = [r for r in hit if r.lives()]
        self.pause(15)
        slurm("node", "start", node)
        self.node_up(node)
        return hit

    def network_cut(self, node, _):
        slurm("node", "cut", node)
        hit = self.on_node(node)
        self.pause(25)
        slurm("node", "heal", node)
        self.node_up(node)
        return hit

    def controller_restarted(self, _node, _job):
        slurm("controller", "stop")
        hit = running(self.conductor.name)
        self.pause(8)
        slurm("controller", "start")
        for node in NODES:
            self.node_up(node)
        return hit

    def requeued(self, _node, job):
        hit = self.of_job(job)
        return hit if command("scontrol", "requeue", job).returncode == 0 else []

    def cancelled(self, _node, job):
        hit = self.of_job(job)
        return hit if command("scancel", job).returncode == 0 else []

    def time_limit(self, _node, _job):
        """Slurm counts in minutes, so a long one is waited for."""
        long = [r for r in running(self.conductor.name)
                if steps_of(r.trial) == LONG]
        if not long:
            return []
        one = self.chance.choice(long)
        if command("scontrol", "update", "job=" + one.job,
                   "TimeLimit=1").returncode:
            return []
        try:
            wait_until("its time is up", lambda: not one.lives(), 150)
        except TimeoutError:
            return []
        return [one]

    def preempted(self, node, _):
        hit = self.on_node(node)
        done = command("sbatch", "--parsable", "-p", "main", "-w", node,
                       "--exclusive", "--job-name=other", "-o", "/dev/null",
                       "--wrap=sleep 2")
        if done.returncode:
            return []
        wait_until("the other job has ended", lambda: not command(
            "squeue", "-h", "-j", done.stdout.strip()).stdout.strip())
        return [r for r in hit if not r.lives()]

    def conductor_killed(self, _node, _job):
        self.conductor.kill()
        hit = running(self.conductor.name)
        self.pause(6)
        self.conductor.start()
        return hit


KINDS = ["node_killed", "slurmd_killed", "network_cut", "controller_restarted",
         "requeued", "cancelled", "time_limit", "preempted",
         "conductor_killed"]
# Those that end a trial: one that came to its own end first was not hit.
CUTTING = ["node_killed", "requeued", "cancelled", "time_limit", "preempted"]


# ---- a study ---------------------------------------------------------------------

class Report:
    def __init__(self):
        self.number = self.failed = 0

    def check(self, name, wrong):
        self.number += 1
        self.failed += bool(wrong)
        print("%s %d - %s" % ("not ok" if wrong else "ok", self.number, name))
        for line in (wrong or [])[:20]:
            print("#   %.300s" % line)
        sys.stdout.flush()


def write_study(name, folder):
    with open(os.path.join(folder, "count.sh"), "w") as f:
        f.write(PROGRAM)
    with open(name + ".yaml", "w") as f:
        f.write(STUDY % {"name": name, "folder": folder,
                         "trials": TRIALS})


def counted_steps(name):
    """Of each trial the steps that count, with their values."""
    done = command(THRONG, "export", name, "--history")
    steps = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        steps.setdefault(int(row["trial"]), []).append(
            (int(row["step"]), float(row["value"])))
    return steps


def expected_steps(x):
    total, steps = 0, []
    for n in range(1, steps_of(x) + 1):
        total = (total * 31 + x * n) % 1000003
        steps.append((n, float(total)))
    return steps


def tell_steps(x, found):
    missing = sorted(set(expected_steps(x)) - set(found))
    wrong = sorted(set(found) - set(expected_steps(x)))
    twice = sorted({s for s in found if found.count(s) > 1})
    return "trial %d: missing %s, wrong %s, twice %s" % (x, missing, wrong,
                                                         twice)


def attempts_of(name):
    db = sqlite3.connect(".throng/%s/study.db" % name)
    rows = db.execute("select trial, number, outcome, reason from attempts "
                      "order by trial, number").fetchall()
    trials = db.execute("select id, state, value from trials").fetchall()
    db.close()
    return rows, trials


def tell_faults(name, faults):
    """Prints them; the kinds of those that came too late to hit a trial."""
    outcome = {(t, n): OUTCOMES[o] for t, n, o, _ in attempts_of(name)[0]}
    late = []
    for kind, hit in faults:
        became = [(r, outcome.get((r.trial, r.attempt), "unknown"))
                  for r in hit]
        if kind in CUTTING:
            became = [(r, o) for r, o in became if o != "done"]
        if not became:
            late.append(kind)
        print("# fault %-20s hit %2d: %s" % (kind, len(became), ", ".join(
            "%d.%d %s" % (r.trial, r.attempt, o) for r, o in became)))
    return late


def verify(report, name, folder):
    rows, trials = attempts_of(name)
    done = {t for t, state, _ in trials if state == 3}
    report.check("%s: nothing is lost" % name,
                 ["trial %d: state %s" % (t, s) for t, s, _ in trials
                  if t not in done] +
                 ["%d trials" % len(trials)] * (len(trials) != TRIALS))
    report.check("%s: every value is right" % name,
                 ["trial %d: %s, not %d" % (t, v, value_of(t))
                  for t, _, v in trials if v != value_of(t)])
    steps = counted_steps(name)
    report.check("%s: every step counts once" % name,
                 [tell_steps(x, steps.get(x, []))
                  for x in range(1, TRIALS + 1)
                  if sorted(steps.get(x, [])) != expected_steps(x)])
    ends = [t for t, _, o, _ in rows if OUTCOMES[o] == "done"]
    last = {t: OUTCOMES[o] for t, _, o, _ in rows}
    report.check("%s: nothing is doubled" % name,
                 ["trial %d is done twice" % t for t in set(ends)
                  if ends.count(t) > 1] +
                 ["trial %d went on after it was done" % t for t in set(ends)
                  if last[t] != "done"])
    shared = os.path.join(folder, "shared")
    report.check("%s: no two worked in one folder" % name,
                 open(shared).read().split() if os.path.exists(shared) else [])


def left_behind(name):
    wrong = []
    try:
        wait_until("jobs", lambda: jobs() == [], 60)
    except TimeoutError:
        wrong += ["job %s: %s" % j for j in jobs() or []]
    try:
        wait_until("processes", lambda: not running(name), 60)
    except TimeoutError:
        wrong += ["process %d of trial %d on %s" % (r.pid, r.trial, r.node)
                  for r in running(name)]
    return wrong


def one_study(report, number, kinds, chance):
    """Makes faults from the front of `kinds` while the study runs."""
    name = "faults%d" % number
    folder = os.path.join(os.getcwd(), name)
    os.mkdir(folder)
    write_study(name, folder)
    conductor = Conductor(name, name + ".out")
    faults = Faults(chance, conductor)
    made = []
    conductor.start()
    wait_until("trials run", lambda: running(name) or conductor.ended())
    while not conductor.ended():
        time.sleep(chance.uniform(0.2, 4))
        victim = faults.victim() if kinds else None
        if not victim:
            continue
        hit = getattr(faults, kinds[0])(victim.node, victim.job)
        print("# %s on %s: %d trials ran there" % (
            kinds[0], victim.node, len(hit)), flush=True)
        if hit:
            made.append((kinds.pop(0), hit))
        elif len(kinds) > 1:
            kinds.append(kinds.pop(0))
    late = tell_faults(name, made)
    kinds.extend(late)
    verify(report, name, folder)
    report.check("%s: no job and no process is left" % name, left_behind(name))
    for stop in conductor.stops:
        print("# it was run again after: %s" % stop)
    return len(made) - len(late)


def main():
    wanted = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else \
        random.SystemRandom().randrange(1 << 30)
    print("# seed %d" % seed, flush=True)
    chance = random.Random(seed)
    kinds = [KINDS[i % len(KINDS)] for i in range(wanted)]
    chance.shuffle(kinds)
    report, number, made = Report(), 0, 0
    while kinds:
        number += 1
        made += one_study(report, number, kinds, chance)
        if number > 4 + wanted:
            break
    report.check("%d faults hit trials that ran" % wanted,
                 ["only %d did" % made] if made < wanted else None)
    print("1..%d" % report.number)
    sys.exit(bool(report.failed))


if __name__ == "__main__":
    main()
