"""campaign_kills.py - a campaign whose conductor is killed again and again

    campaign_kills.py THRONG FOLDER CAMPAIGN KILLS [SEED]

Runs CAMPAIGN.yaml, of which FOLDER/whole and FOLDER/killed have a copy each,
once undisturbed and once with its conductor killed at KILLS random moments;
every second time the conductors of its stages die with it. Prints TAP: the
tables are equal, and what had ended before a kill never ran again.
"""

import glob
import json
import os
import random
import signal
import subprocess
import sys
import time

made = failed = 0


def check(name, good, why=""):
    global made, failed
    made += 1
    failed += not good
    print("%s %d - %s" % ("ok" if good else "not ok", made, name))
    if not good:
        print("#   " + str(why).replace("\n", "\n#   "))


class Campaign:
    """One copy of it, in a folder of its own."""

    def __init__(self, throng, folder, name):
        self.throng, self.folder, self.name = throng, folder, name

    def start(self, *words):
        return subprocess.Popen(
            [self.throng, "run", *words, self.name + ".yaml"], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def said(self, *words):
        return subprocess.run([self.throng, *words], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True).stdout

    def stages(self):
        """Those that have trials: a summary has none."""
        said = json.loads(self.said("status", self.name, "--json"))
        return [s["stage"] for s in said["stages"] if self.trials(s["stage"])]

    def trials(self, stage):
        """Of a stage, by number; none where it has not begun."""
        said = self.said("export", self.name + "/" + stage, "--jsonl")
        return {t["id"]: t for t in map(json.loads, said.splitlines())}

    def results(self, stage):
        """What tables are made of: no times, no counts of attempts."""
        return {i: (t["state"], t["value"], t["params"], t["metrics"])
                for i, t in self.trials(stage).items()}


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


def run_killed(campaign, rng, both, longest):
    """One run that is killed at a random moment; True: it had ended before."""
    process = campaign.start("-q")
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


def main(throng, folder, name, kills, seed="1"):
    rng = random.Random(int(seed))
    whole, killed = (Campaign(throng, os.path.join(folder, n), name)
                     for n in ("whole", "killed"))
    began = time.time()
    code = whole.start("-q").wait()
    took = time.time() - began
    check("undisturbed it runs to its end", code == 0, code)
    stages = whole.stages()
    ended, again, inside = {s: {} for s in stages}, [], 0
    for k in range(int(kills)):
        over = run_killed(killed, rng, k % 2 == 1,
                          max(0.5, took / int(kills) * 3))
        now = {s: killed.trials(s) for s in stages}
        again += redone(ended, now)
        inside += not over
        ended = now
    code = killed.start("-q").wait()
    again += redone(ended, {s: killed.trials(s) for s in stages})
    check("killed %s times it runs to its end" % kills, code == 0, code)
    for stage in stages:
        x, y = whole.results(stage), killed.results(stage)
        check("the table of %s is the same (%d trials)" % (stage, len(x)),
              x and x == y, "%d and %d trials" % (len(x), len(y)))
    check("nothing that was done ran again", not again, again[:10])
    check("it was killed while it ran", inside > 0, "%d times" % inside)
    print("# %d of %s kills came while it ran, which takes %.0f s" %
          (inside, kills, took))
    print("1..%d" % made)
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
