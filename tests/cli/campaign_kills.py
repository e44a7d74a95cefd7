"""campaign_kills.py - a campaign whose conductor is killed again and again

    campaign_kills.py THRONG FOLDER KILLS [SEED]

Runs examples/campaign (copies in FOLDER/whole and FOLDER/killed), larger than it
is, once undisturbed and once with its conductor killed at KILLS random moments;
every second time the conductors of its stages die with it. Prints TAP: the
tables are equal, and what had ended before a kill never ran again.
"""

import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

STAGES = ("prepare", "search", "ensemble", "decide")
made = failed = 0


def check(name, good, why=""):
    global made, failed
    made += 1
    failed += not good
    print("%s %d - %s" % ("ok" if good else "not ok", made, name))
    if not good:
        print("#   " + str(why).replace("\n", "\n#   "))


def trials(throng, folder, stage):
    """The trials of a stage by number; none where it has not begun."""
    said = subprocess.run([throng, "export", "leaves/" + stage, "--jsonl"],
                          cwd=folder, capture_output=True, text=True)
    return {t["id"]: t for t in map(json.loads, said.stdout.splitlines())}


def results(throng, folder):
    """What tables are made of: no times, no counts of attempts."""
    return {stage: {i: (t["state"], t["value"], t["params"], t["metrics"])
                    for i, t in trials(throng, folder, stage).items()}
            for stage in STAGES}


def children(pid):
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as f:
                text = f.read()
        except OSError:
            continue
        if int(text[text.rindex(")") + 2:].split()[1]) == pid:
            found.append(int(path.split("/")[2]))
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_killed(throng, folder, rng, both, longest):
    """One run that is killed at a random moment; True: it had ended before."""
    process = subprocess.Popen([throng, "run", "leaves.yaml"], cwd=folder,
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(rng.uniform(0, longest))
    over = process.poll() is not None
    below = children(process.pid) if both else []
    kill(process.pid)
    for pid in below:
        kill(pid)
    process.wait()
    return over


def redone(before, after):
    """Trials that had ended and have run again since."""
    return [(stage, i) for stage, list_ in before.items()
            for i, t in list_.items() if t["state"] == "done" and
            (after[stage].get(i, {}).get("ended") != t["ended"] or
             after[stage][i]["attempts"] != t["attempts"])]


def enlarge(folder, rate):
    """So that a run takes about `rate` times as long."""
    path = os.path.join(folder, "ensemble.yaml")
    with open(path) as f:
        text = f.read()
    text = re.sub(r"max: 10\}", "max: %d}" % (10 * rate), text)
    with open(path, "w") as f:
        f.write(text)


def main(throng, folder, kills, seed="1"):
    rng = random.Random(int(seed))
    whole, killed = (os.path.join(folder, n) for n in ("whole", "killed"))
    for copy in (whole, killed):
        enlarge(copy, 4)
    began = time.time()
    code = subprocess.run([throng, "run", "-q", "leaves.yaml"], cwd=whole,
                          stdin=subprocess.DEVNULL).returncode
    took = time.time() - began
    check("undisturbed it runs to its end", code == 0, code)
    ended, again, inside = {s: {} for s in STAGES}, [], 0
    for k in range(int(kills)):
        over = run_killed(throng, killed, rng, k % 2 == 1,
                          max(0.5, took / int(kills) * 3))
        now = {s: trials(throng, killed, s) for s in STAGES}
        again += redone(ended, now)
        inside += not over
        ended = now
    code = subprocess.run([throng, "run", "-q", "leaves.yaml"], cwd=killed,
                          stdin=subprocess.DEVNULL).returncode
    again += redone(ended, {s: trials(throng, killed, s) for s in STAGES})
    check("killed %s times it runs to its end" % kills, code == 0, code)
    x, y = results(throng, whole), results(throng, killed)
    for stage in STAGES:
        check("the table of %s is the same (%d trials)" %
              (stage, len(x[stage])), x[stage] and x[stage] == y[stage],
              "%d and %d trials" % (len(x[stage]), len(y[stage])))
    check("nothing that was done ran again", not again, again[:10])
    check("it was killed while it ran", inside > 0, "%d times" % inside)
    print("# %d of %s kills came while it ran" % (inside, kills))
    print("1..%d" % made)
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
