#!/usr/bin/env python3
"""faults.py - what happens to a pool while a study runs on it

    faults.py FAULTS [SEED]         CONDOR, POOL_FOLDER, THRONG are set

Studies run one after the other, and faults hit them one after the other, at
random moments, until FAULTS have hit a trial that ran. The trials count, save
after each step and report a number that depends on all of their steps. Each
fault is printed with the trials that it hit and what became of them; then the
study must hold every trial once, with the right value and every step once, and
no job and no process may be left, but copies that a crash has left to
themselves. Each fault is what starter.py, pool.py or the tool of that name
replay of a real pool.
"""
import csv
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

CONDOR = os.environ["CONDOR"]
POOL = os.environ["POOL_FOLDER"]
THRONG = os.environ["THRONG"]
TRIALS = 32
STEPS, STEP_SECONDS = 10, 0.3
PATIENCE = 300 # seconds for what must happen at last
OUTCOMES = ["none", "done", "failed", "invalid", "stopped", "timed out",
            "killed", "diverged", "lost", "checkpointed", "memory", "spawn",
            "unstarted", "interrupted"]

PROGRAM = """x=$1 n=0 sum=0
if [ -s "$THRONG_CHECKPOINT/state" ]; then
    read -r n sum <"$THRONG_CHECKPOINT/state"
fi
while [ "$n" -lt %d ]; do
    sleep %g
    n=$((n + 1))
    sum=$(((sum * 31 + x * n) %% 1000003))
    # Said before it is saved: who dies between the two says it again.
    echo "{\\"step\\":$n,\\"loss\\":$sum}" >>"$THRONG_METRICS"
    echo "$n $sum" >"$THRONG_CHECKPOINT/next"
    mv "$THRONG_CHECKPOINT/next" "$THRONG_CHECKPOINT/state"
    if [ -e "$THRONG_STOP" ] && [ "$n" -lt %d ]; then exit 85; fi
done
""" % (STEPS, STEP_SECONDS, STEPS)

STUDY = """name: %s
command: [sh, count.sh, "{x}"]
method: grid
grid: {order: written}
parameters:
  x: {distribution: int_uniform, min: 1, max: %d}
metric: {name: loss, goal: minimize}
retries: 0
grace: 2s
htcondor: {look: 1, bundle_time: 8s, lease: 60s, vacate: 20s,
           checkpoint_every: 4s}
"""


def value_of(x):
    total = 0
    for n in range(1, STEPS + 1):
        total = (total * 31 + x * n) % 1000003
    return total


def call(*argv):
    return subprocess.run(argv, capture_output=True, text=True)


def wait_until(what, condition, seconds=PATIENCE):
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            raise TimeoutError(what)
        time.sleep(0.1)


# ---- what runs ---------------------------------------------------------------

def environment(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            parts = f.read().decode(errors="replace").split("\0")
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            command = f.read().split(b"\0")
    except OSError:
        return {}, []
    return dict(p.split("=", 1) for p in parts if "=" in p), command


def job_of(sandbox):
    """C.P of the job whose sandbox it is, while that is there."""
    try:
        with open(sandbox + "/.job.ad") as f:
            ad = dict(re.findall(r"^(\w+) = (.*)$", f.read(), re.M))
        return f"{ad['ClusterId']}.{ad['ProcId']}"
    except (OSError, KeyError):
        return None


def running():
    """{job: trials} of what runs in sandboxes that are there."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        env, command = environment(pid)
        if b"count.sh" not in command or "THRONG_TRIAL" not in env:
            continue
        job = job_of(env.get("_CONDOR_SCRATCH_DIR", ""))
        if job and env["_CONDOR_SCRATCH_DIR"].startswith(POOL + "/"):
            found.setdefault(job, set()).add(int(env["THRONG_TRIAL"]))
    return found


def jobs():
    said = call("condor_q", "-af:j", "JobStatus")
    return None if said.returncode else said.stdout.split("\n")[:-1]


# ---- faults ------------------------------------------------------------------

class Conductor:
    def __init__(self, name):
        self.name, self.process, self.stops = name, None, []

    def start(self):
        self.process = subprocess.Popen(
            [THRONG, "run", self.name + ".yaml", "--engine", "htcondor"],
            stdout=open(self.name + ".out", "ab"), stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL)

    def ended(self):
        """It may stop and say why, as for a job that somebody removed twice:
        then it is run again."""
        code = self.process.poll()
        if code is None:
            return False
        if code == 0:
            return True
        with open(self.name + ".out") as f:
            self.stops.append(f.read().strip().rpartition("\n")[2])
        if len(self.stops) > 20:
            return True
        self.start()
        return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        time.sleep(1)
        self.start()


class Faults:
    """Each returns the jobs that it hits."""

    def __init__(self, chance, conductor):
        self.chance, self.conductor = chance, conductor

    def vacate(self, job):
        return [job] if not call("condor_vacate_job", job).returncode else []

    def vacate_fast(self, job):
        return [job] if not call("condor_vacate_job", "-fast",
                                 job).returncode else []

    def hold_release(self, job):
        if call("condor_hold", job).returncode:
            return []
        wait_until("it is held", lambda: not call(
            "condor_release", job).returncode)
        return [job]

    def rm(self, job):
        return [job] if not call("condor_rm", job).returncode else []

    def daemon(self, what, *job):
        return call(CONDOR, "fault", POOL, what, *job).stdout.split()

    def shadow(self, job):
        return self.daemon("shadow", job)

    def starter(self, job):
        return self.daemon("starter", job)

    def startd(self, job):
        return self.daemon("startd", job)

    def schedd(self, _):
        return self.daemon("schedd")

    def crash(self, _):
        return self.daemon("crash")

    def conductor_killed(self, _):
        hit = list(running())
        self.conductor.kill()
        return hit


KINDS = ["vacate", "vacate_fast", "hold_release", "rm", "shadow", "starter",
         "schedd", "startd", "crash", "conductor_killed"]


# ---- what became of it -----------------------------------------------------------

class Report:
    def __init__(self):
        self.number = self.failed = 0

    def check(self, name, wrong):
        self.number += 1
        print("%s %d - %s" % ("not ok" if wrong else "ok", self.number, name))
        self.failed += bool(wrong)
        for line in wrong or []:
            print("#   " + line)
        sys.stdout.flush()


def stored(name, sql):
    db = sqlite3.connect(f"file:.throng/{name}/study.db?mode=ro", uri=True)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def history(name):
    """{trial: [(step, value)]} of the metric."""
    said = call(THRONG, "export", name, "--history").stdout
    found = {}
    for row in csv.DictReader(said.splitlines()):
        if row.get("metric", row.get("name")) == "loss":
            found.setdefault(int(row["trial"]), []).append(
                (int(row["step"]), float(row["value"])))
    return found


def tell_faults(name, made):
    rows = stored(name, "select trial, outcome from attempts "
                        "order by trial, number")
    for kind, hit in made:
        words = []
        for trial in sorted(hit):
            outcomes = [OUTCOMES[o] for t, o in rows if t == trial and o != 12]
            words.append(f"{trial} {'+'.join(outcomes)}")
        print("# fault %-16s hit %2d: %s" % (kind, len(hit), ", ".join(words)))


def verify(report, name):
    trials = stored(name, "select id, state from trials")
    undone = [f"trial {t}: state {s}" for t, s in trials if s != 3]
    if len(trials) != TRIALS:
        undone.append(f"{len(trials)} trials")
    report.check(f"{name}: nothing is lost", undone)
    points = history(name)
    wrong = []
    for x in range(1, TRIALS + 1):
        steps = sorted(points.get(x, []))
        if [s for s, _ in steps] != list(range(1, STEPS + 1)):
            wrong.append(f"trial {x}: steps {[s for s, _ in steps]}")
        elif steps[-1][1] != value_of(x):
            wrong.append(f"trial {x}: {steps[-1][1]}, not {value_of(x)}")
    report.check(f"{name}: every step counts once, every value is right", wrong)
    ends = stored(name, "select trial, count(*) from attempts where outcome = "
                        "1 group by trial having count(*) > 1")
    report.check(f"{name}: nothing is doubled",
                 [f"trial {t} is done {n} times" for t, n in ends])


def left_behind():
    try:
        wait_until("jobs", lambda: jobs() == [], 60)
    except TimeoutError:
        return ["job " + j for j in jobs() or ["the queue does not answer"]]
    return [f"trials {t} of {j} run" for j, t in running().items()]


# ---- the whole ---------------------------------------------------------------------

def one_fault(faults, kind, chance):
    """The trials that it hit."""
    before = running()
    if not before:
        return set()
    try:
        hit = getattr(faults, kind)(chance.choice(sorted(before)))
    except TimeoutError:
        return set()
    return {t for j in hit for t in before.get(j, ())}


def one_study(report, number, kinds, chance):
    name = f"faults{number}"
    with open(name + ".yaml", "w") as f:
        f.write(STUDY % (name, TRIALS))
    conductor = Conductor(name)
    faults, made = Faults(chance, conductor), []
    conductor.start()
    wait_until("trials run", lambda: running() or conductor.ended())
    while not conductor.ended():
        time.sleep(chance.uniform(0.2, 2.5))
        hit = one_fault(faults, kinds[0], chance) if kinds else None
        if hit:
            made.append((kinds.pop(0), hit))
    tell_faults(name, made)
    verify(report, name)
    report.check(f"{name}: no job and no process is left", left_behind())
    for stop in conductor.stops:
        print("# it was run again after: " + stop)
    return len(made)


def main():
    wanted = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else \
        random.SystemRandom().randrange(1 << 30)
    print(f"# seed {seed}", flush=True)
    chance = random.Random(seed)
    with open("count.sh", "w") as f:
        f.write(PROGRAM)
    kinds = [KINDS[i % len(KINDS)] for i in range(wanted)]
    chance.shuffle(kinds)
    report, number, made = Report(), 0, 0
    while kinds and number <= 4 + wanted:
        number += 1
        made += one_study(report, number, kinds, chance)
    report.check(f"{wanted} faults hit trials that ran",
                 [f"only {made} did"] if made < wanted else None)
    print(f"1..{report.number}")
    sys.exit(bool(report.failed))


if __name__ == "__main__":
    main()
