"""predict_kills.py - an inference whose processes are killed again and again

    predict_kills.py THRONG FOLDER STUDY KILLS [SEED [all]]

Runs STUDY.yaml, of which FOLDER/whole and FOLDER/killed have a copy each, once
undisturbed and once with its conductor, its worker or a trainer killed at KILLS
random moments. Prints TAP: the tables are equal to the byte, and no shard that
was done before a kill was done again. With `all` it is a failure as well when
the study ends before each of the kills, or, of 20 and more, one of the three was
never killed. What the study writes is the file out.csv, or a folder, out.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

from family import children

made = failed = 0


def check(name, good, why=""):
    global made, failed
    made += 1
    failed += not good
    print("%s %d - %s" % ("ok" if good else "not ok", made, name), flush=True)
    if not good:
        print("#   " + str(why).replace("\n", "\n#   "))


def read(path):
    with open(os.path.normpath(path), "rb") as f:
        return f.read()


class Study:
    def __init__(self, throng, folder, name):
        self.throng, self.folder, self.name = throng, folder, name

    def start(self):
        return subprocess.Popen(
            [self.throng, "run", "-q", self.name + ".yaml"], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def done(self):
        """The attempt that each done shard was done by."""
        said = subprocess.run(
            [self.throng, "export", self.name, "--jsonl"], cwd=self.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
        all_of_them = map(json.loads, said.splitlines())
        return {t["params"]["shard"]: (t["id"], t["attempts"])
                for t in all_of_them if t["state"] == "done"}

    def errors(self):
        """Why shards have failed."""
        return subprocess.run(
            [self.throng, "errors", self.name], cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, capture_output=True).stdout

    def tables(self):
        """What is written, by name."""
        out = os.path.join(self.folder, "out")
        names = os.listdir(out) if os.path.isdir(out) else ["../out.csv"]
        return {name: read(os.path.join(out, name)) for name in names}


def victim(conductor, chance):
    """Who dies: the conductor, its worker, or a trainer of that."""
    workers = children(conductor)
    trainers = [t for w in workers for t in children(w)]
    whom = chance.choice(["conductor", "worker", "trainer"])
    if whom == "worker" and workers:
        return whom, workers[0]
    if whom == "trainer" and trainers:
        return whom, chance.choice(trainers)
    return "conductor", conductor


def end_by_itself(process, pause):
    try:
        return process.wait(timeout=pause) is not None
    except subprocess.TimeoutExpired:
        return False


def torment(study, kills, longest, chance):
    """Kills until it is done; how many there were, by whom."""
    count, before, twice = {}, {}, []
    process = study.start()
    while sum(count.values()) < kills:
        if end_by_itself(process, chance.uniform(0.01, longest)):
            if process.returncode == 0:
                break
            process = study.start()
            continue
        whom, pid = victim(process.pid, chance)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        count[whom] = count.get(whom, 0) + 1
        if whom == "conductor":
            process.wait()
            now = study.done()
            twice += [s for s in before if now.get(s) != before[s]]
            before = now
            process = study.start()
    process.wait()
    for _ in range(20):
        if process.returncode == 0:
            break
        process = study.start()
        process.wait()
    now = study.done()
    twice += [s for s in before if now.get(s) != before[s]]
    return count, twice, process.returncode


def main():
    throng, folder, name, kills = sys.argv[1:5]
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    whole = Study(throng, os.path.join(folder, "whole"), name)
    killed = Study(throng, os.path.join(folder, "killed"), name)
    began = time.monotonic()
    check("it runs undisturbed", whole.start().wait() == 0)
    took = time.monotonic() - began
    # Moments anywhere in the work, so that most of the kills find some left;
    # where all of them must, earlier.
    every = "all" in sys.argv[6:]
    count, twice, code = torment(killed, int(kills),
                                 (0.8 if every else 2) * took / int(kills),
                                 random.Random(seed))
    print("# %.1f s undisturbed; %d shards; killed: %s" %
          (took, len(whole.done()), count))
    if every:
        check("they were killed as often as was said, and each of them",
              sum(count.values()) == int(kills) and
              (len(count) == 3 or int(kills) < 20), count)
    else:
        check("somebody was killed", sum(count.values()) > 0)
    check("it ends well", code == 0, "%d\n%s" % (code, killed.errors()))
    check("every shard is done", set(killed.done()) == set(whole.done()))
    check("none was done twice", not twice, twice)
    tables = whole.tables()
    check("the tables are equal", tables and killed.tables() == tables)
    print("1..%d" % made)
    return failed > 0


sys.exit(main())
