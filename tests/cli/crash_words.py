#!/usr/bin/env python3
"""crash_words.py - what a task has handed in is not lost with its worker

    crash_words.py KILLS [SEED]

Tasks say a number, save it in their checkpoint, and say the next; they go on
from there. They say it in a metrics file, on standard output or by `throng
report`, with and without steps. At random moments the worker, or conductor and
worker together, is killed with SIGKILL; the study is run again until it is
complete, then the next one begins, until there were KILLS kills of each. Every trial
must end with the last number that its task has said, as its value.

Needs THRONG (the program) and runs in the current folder. Says in TAP what it
checked.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from family import children

THRONG = os.environ["THRONG"]
WAYS = ["file", "print", "report", "file_steps", "print_steps", "report_steps"]
LAST = 8
TRIALS = 12
LIVE_SECONDS = 300
STUDY_KILLS = 60  # then it is let alone, however little a slow machine did

# The number is said before it is saved: what is in the checkpoint was said.
TASK = r"""
path=$THRONG_CHECKPOINT/n
n=0
[ ! -e "$path" ] || read -r n <"$path"
while [ "$n" -lt %d ]; do
    n=$((n + 1))
    case $1 in
    file) echo "{\"y\":$n}" >>"$THRONG_METRICS" ;;
    file_steps) echo "{\"step\":$n,\"y\":$n}" >>"$THRONG_METRICS" ;;
    print) echo "::throng y=$n" ;;
    print_steps) echo "::throng step=$n y=$n" ;;
    report) throng report "y=$n" || exit 1 ;;
    report_steps) throng report "step=$n" "y=$n" || exit 1 ;;
    esac
    echo "$n" >"$path.new"
    mv "$path.new" "$path"
    sleep 0.0$((n %% 5))
done
""" % LAST


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def strike(target, conductor):
    """True when something was there to be killed."""
    workers = children(conductor.pid)
    if conductor.poll() is not None or not workers:
        return False
    if target == "both":
        kill(conductor.pid)
    for pid in workers:
        kill(pid)
    return True


def live(target, rng, left):
    """Runs the study until it ends or its conductor dies; returns the kills."""
    kills = 0
    with subprocess.Popen([THRONG, "run", "-q", "study.yaml"],
                          stderr=subprocess.PIPE) as conductor:
        end = time.monotonic() + LIVE_SECONDS
        while conductor.poll() is None and time.monotonic() < end:
            try:
                conductor.wait(rng.uniform(0.02, 0.6))
            except subprocess.TimeoutExpired:
                if kills < min(left, 2):  # three losses in a row are a failure
                    kills += strike(target, conductor)
        if conductor.poll() is None:
            kill(conductor.pid)
            raise RuntimeError("throng run does not end")
        words = conductor.stderr.read().decode(errors="replace")
    return kills, conductor.returncode, words


def look(rounds):
    db = sqlite3.connect(".throng/words/study.db")
    wrong = []
    for trial, point, state, value, summary, reason in db.execute(
            "select trials.id, point, state, value, summary, reason from trials"
            " left join texts on texts.id = trials.id"):
        way = json.loads(point)["way"]
        if (reason or "").startswith("lost 3 times in a row"):
            # It might be what kills, if it ran, and alone, each time.
            lost = list(db.execute(
                "select company, checkpoint_digest from attempts where "
                "trial = ? and outcome = 8 order by number desc limit 3",
                (trial,)))
            if len(lost) < 3 or len(set(lost)) > 1 or lost[0][0] != 1:
                wrong.append("study %d trial %d (%s): given up after %s"
                             % (rounds, trial, way, lost))
            continue
        if state != 3 or value != LAST:
            wrong.append("study %d trial %d (%s): state %d, value %s"
                         % (rounds, trial, way, state, value))
            continue
        seen = json.loads(summary)["y"]
        # What was said and not yet saved is said again, with the next step.
        if not way.endswith("_steps") and seen["count"] < LAST or \
                way.endswith("_steps") and seen["count"] != LAST:
            wrong.append("study %d trial %d (%s): %d points"
                         % (rounds, trial, way, seen["count"]))
    db.close()
    return wrong


def write_study():
    with open("task.sh", "w") as file:
        file.write(TASK)
    again = list(range(TRIALS // len(WAYS)))
    with open("study.yaml", "w") as file:
        json.dump({"name": "words", "method": "grid",
                   "command": ["sh", "task.sh", "{way}"],
                   "metric": {"name": "y", "goal": "maximize"},
                   "parameters": {"again": {"values": again},
                                  "way": {"values": WAYS}},
                   "parallel": 4, "retries": 100, "retry_delay": 0}, file)


def study(target, rng, left, number):
    """One study to its end; returns the kills and what is wrong."""
    shutil.rmtree(".throng", ignore_errors=True)
    kills, rc, words = 0, -1, ""
    more = 1
    while more and rc not in (0, 3):  # it was killed, or its first worker
        more, rc, words = live(target, rng, min(left, STUDY_KILLS) - kills)
        kills += more
    if rc in (0, 3):
        return kills, look(number)
    return kills, ["study %d: exit %d, %s" % (number, rc, words[-300:])]


def main():
    wanted = int(sys.argv[1])
    seed = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] else \
        str(random.randrange(10 ** 6))
    print("# seed %s" % seed)
    write_study()
    failed = 0
    for check, target in enumerate(["worker", "both"], 1):
        rng = random.Random(seed + target)
        kills = number = 0
        wrong = []
        while kills < wanted:
            number += 1
            more, found = study(target, rng, wanted - kills, number)
            kills += more
            wrong += found
        failed += bool(wrong)
        print("%sok %d - after kills of %s every value is the last that was "
              "said" % ("not " if wrong else "", check,
                        "the worker" if target == "worker" else "both"))
        print("#   %d kills in %d studies" % (kills, number))
        for line in wrong[:20]:
            print("#   %s" % line)
    print("1..2")
    sys.exit(1 if failed else 0)


main()
