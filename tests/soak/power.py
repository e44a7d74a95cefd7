#!/usr/bin/env python3
"""power.py - cut the power of a running study, and look at what is left

    power.py CUTS [SEED]

A study lives on a file system of its own, an image behind a loop device. A cut
is a copy of that image as the device has it, without what only the memory
knows: everything that runs is killed, the copy is mounted in the image's
place, and the study goes on from there. What is checked is what kills.py
checks; the side files lie elsewhere, so they outlive every cut.

A task brings what it reported, and its checkpoint, to the disk before it says
that the checkpoint is there, as a program must that wants both to outlive the
power. An attempt whose
row was not on the disk yet begins again under its number, so starts may come
twice.

Needs root, THRONG and ROOT. Says in TAP what it checked.
"""

import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from crash import Checks, kill  # noqa: E402
from kills import Driver, Study, look  # noqa: E402

WAYS = ["file", "print", "report", "checkpointed", "retries", "adaptive",
        "asha"]
MEBIBYTES = 64


def command(*argv):
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(argv), done.stderr))


class Disk:
    """An image, and where it is mounted."""

    def __init__(self, name):
        self.image = os.path.abspath(name + ".img")
        self.folder = os.path.abspath(name + ".mnt")
        os.makedirs(self.folder)
        with open(self.image, "wb") as f:
            f.truncate(MEBIBYTES << 20)
        command("mkfs.ext4", "-q", "-F", self.image)
        self.mount()

    def mount(self):
        command("mount", "-o", "loop", self.image, self.folder)

    def unmount(self):
        """What has just been killed may hold it for a moment."""
        end = time.monotonic() + 60
        while True:
            try:
                return command("umount", self.folder)
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def copy(self):
        """The image at one moment: nothing was written while it was copied."""
        first, second = self.image + ".1", self.image + ".2"
        shutil.copyfile(self.image, first)
        while True:
            shutil.copyfile(self.image, second)
            if filecmp.cmp(first, second, shallow=False):
                os.unlink(second)
                return first
            os.replace(second, first)

    def remove(self):
        self.unmount()
        os.unlink(self.image)
        os.rmdir(self.folder)


def stop(pid):
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        pass


class Cutter(Driver):
    """The victim is the machine."""

    def __init__(self, disk, study, rng):
        super().__init__(study, "conductor", rng)
        self.disk = disk

    def strike(self, child):
        for pid in self.left():
            stop(pid)
        copy = self.disk.copy()
        while self.left():
            for pid in self.left():
                kill(pid)
        child.wait()
        self.disk.unmount()
        os.replace(copy, self.disk.image)
        self.disk.mount()
        return True


def sound(study, attempts):
    """Every attempt has an end, and the store is whole."""
    wrong = ["trial %d has an open attempt: %s" % (n, rows)
             for n, rows in sorted(attempts.items())
             if "none" in [o for _, o in rows]]
    said = subprocess.run(
        ["sqlite3", os.path.join(study.home, ".throng/kills/study.db"),
         "pragma integrity_check"], capture_output=True, text=True)
    words = (said.stdout + said.stderr).strip()
    return wrong + ([] if words == "ok" else words.splitlines())


def run_study(checks, name, way, most, rng):
    disk = Disk(name)
    study = Study(os.path.join(disk.folder, "study"), way, side=name + ".side")
    os.sync()
    cutter = Cutter(disk, study, rng)
    try:
        cutter.run(most)
        look(checks, cutter, None, name, twice=sound)
    except RuntimeError as e:
        checks.check(name + ": it runs to its end",
                     [str(e), "after %d cuts" % cutter.kills] +
                     study.said().splitlines()[-15:])
        checks.end()
    disk.remove()
    return cutter.kills


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    cuts = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else \
        random.SystemRandom().randrange(1 << 32)
    print("# to repeat: power.py %d %d" % (cuts, seed))
    os.environ["SYNC"] = "yes"  # for the tasks
    checks, rng, done, turn = Checks(), random.Random(seed), 0, 0
    while done < cuts:
        way = WAYS[turn % len(WAYS)]
        turn += 1
        done += run_study(checks, "power-%d-%s" % (turn, way), way,
                          min(3, cuts - done), rng)
    print("# %d cuts" % done)
    checks.end()


if __name__ == "__main__":
    main()
