# thorough: forty studies, and one of them needs R
"""Forty sweep files, each run with the programs that it names.

tests/plan/sweeps has the files, which tests/plan/test_sweeps.c expands;
sweeps/ here has their programs: those of one sweep in a folder of its name,
t.py and eval.py for those that share them, and in tools/ the launchers that
some of the commands need. Every program ends with an error when its
arguments are not what its author would expect.
"""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from place import ROOT, THRONG

SWEEPS = os.path.join(ROOT, "tests", "plan", "sweeps")
PROGRAMS = os.path.join(ROOT, "tests", "python", "sweeps")
STOPPED = {"done", "stopped"}  # where early_terminate decides
PAUSED = {"done", "paused"}  # where the best of a rung go on
# Of 1, 2, 4 and 8 ranks those that this machine has a cpu each for.
FITTING = sum(n <= len(os.sched_getaffinity(0)) for n in (1, 2, 4, 8))

# name: how many trials to ask for, how many that makes, and the metrics that
# every trial that ended well has. A grid or a list may have fewer than asked.
LIST = {
    "01-pytorch-mnist": (3, 3, ["val_accuracy", "epoch"]),
    "02-keras-random": (2, 2, ["val_loss"]),
    "03-bayes-hyperband": (6, 6, ["epoch/val_loss"]),
    "04-sklearn-forest": (4, 4, []),
    "05-nested-optimizer": (9, 4, ["train.loss"]),
    "06-nested-deep": (2, 2, ["loss"]),
    "07-hydra-style": (2, 2, ["loss"]),
    "08-no-equals": (9, 2, ["loss"]),
    "09-boolean-flags": (9, 4, []),
    "10-args-json": (9, 2, []),
    "11-args-json-file": (9, 2, []),
    "12-fixed-arguments": (9, 2, []),
    "13-int-uniform-grid": (3, 3, ["loss"]),
    "14-q-uniform-grid": (3, 3, ["loss"]),
    "15-python-types": (9, 5, ["loss"]),
    "16-anchors": (9, 4, ["loss"]),
    "17-when": (9, 3, ["loss"]),
    "18-points-inline": (9, 3, ["size"]),
    "19-points-csv": (9, 3, ["size"]),
    "20-points-jsonl": (9, 3, ["temperature"]),
    "21-shell-pipe": (9, 6, []),
    "22-braces-survive": (9, 2, []),
    "23-beta-normal": (2, 2, ["loss"]),
    "24-log-family": (2, 2, ["loss"]),
    "25-probabilities": (2, 2, ["loss"]),
    "26-huggingface": (3, 3, ["eval/f1"]),
    "27-lightning": (9, 2, ["loss"]),
    "28-r-script": (1, 1, ["error"]),
    "29-compiled-program": (9, 4, ["residual"]),
    "30-mpi-scaling": (FITTING, FITTING, ["ranks_seen"]),
    "31-quoted-string": (9, 2, []),
    "32-unicode": (9, 3, []),
    "33-yaml-numbers": (9, 6, ["loss"]),
    "34-repeat-seed": (9, 6, ["loss"]),
    "35-multi-objective": (3, 3, ["accuracy", "latency_ms", "memory_mb"]),
    "36-asha": (6, 6, ["loss"]),
    "37-env-setup-templates": (9, 2, []),
    "38-launcher-string": (9, 2, ["loss"]),
    "39-block-script": (9, 2, ["lines"]),
    "40-everything-wandb": (4, 4, ["val/loss", "train/loss"]),
}
EARLY = {"03-bayes-hyperband": STOPPED, "36-asha": PAUSED,
         "40-everything-wandb": STOPPED}
FILES = {  # what a sweep's program reads
    "12-fixed-arguments": ["data/train/images"],
    "20-points-jsonl": ["a b.txt", "c'd.txt",
                        "${envvar:HOME} {temperature}"],
    "22-braces-survive": ['{"lr": 0.1, "undeclared": {x}}',
                          '{"lr": 0.2, "undeclared": {x}}', "{unknown}"],
}


class Sweep:
    """One of them in a folder of its own, run to its end."""

    def __init__(self, name, top):
        self.name, self.count = name, LIST[name][0]
        self.folder = os.path.join(top, name)
        own = os.path.join(PROGRAMS, name)
        if os.path.isdir(own):
            shutil.copytree(own, self.folder)
        else:
            os.mkdir(self.folder)
            for shared in ("t.py", "eval.py"):
                shutil.copy(os.path.join(PROGRAMS, shared), self.folder)
        for file in os.listdir(SWEEPS):
            if file.startswith(name[:3]) and not file.endswith(".expected"):
                shutil.copy(os.path.join(SWEEPS, file), self.folder)
        for file in FILES.get(name, []):
            path = self.folder + "/" + file
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write("one two\n")
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("THRONG", "WANDB", "DATA_DIR"))}
        self.env["DATA_DIR"] = self.folder + "/data"
        self.env["PATH"] = os.pathsep.join([top + "/tools", os.path.dirname(
            THRONG), self.env["PATH"]])

    def call(self, *words):
        return subprocess.run(words, cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=250)

    def run(self):
        """The exit code, what was said, and the trials."""
        if self.name == "29-compiled-program":
            os.mkdir(self.folder + "/build")
            self.call("cc", "-o", "build/solver", "solver.c").check_returncode()
        ran = self.call(THRONG, "run", self.name + ".yaml", "--count",
                        str(self.count))
        rows = self.call(THRONG, "export", self.study(), "all", "--jsonl")
        said = ran.stdout + ran.stderr + rows.stderr
        if ran.returncode != 0:
            said += self.call(THRONG, "logs", self.study(), "1").stdout
        return ran.returncode, said, [json.loads(line) for line
                                      in rows.stdout.splitlines()]

    def study(self):
        return next(name for name in os.listdir(self.folder + "/.throng")
                    if not name.startswith("."))


class Sweeps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = os.path.realpath(folder.name)
        tools = os.path.join(cls.top, "tools")
        shutil.copytree(os.path.join(PROGRAMS, "tools"), tools)
        for name in ("python", "python3"):
            os.symlink(sys.executable, os.path.join(tools, name))
        pool = concurrent.futures.ThreadPoolExecutor(2)
        cls.addClassCleanup(pool.shutdown)
        cls.runs = {name: pool.submit(Sweep(name, cls.top).run)
                    for name in LIST
                    if name != "28-r-script" or shutil.which("Rscript")}

    def ranks(self, name):
        """Whether the sweep has an objective."""
        with open(os.path.join(SWEEPS, name + ".yaml"),
                  encoding="utf-8") as file:
            return "\nmetric:" in file.read()

    def check(self, name):
        _, made, metrics = LIST[name]
        code, said, rows = self.runs[name].result()
        self.assertEqual(code, 0, said)
        self.assertEqual(len(rows), made, said)
        for row in rows:
            self.assertIn(row["state"], EARLY.get(name, {"done"}))
            for metric in metrics:
                self.assertIn(metric, row["metrics"])
            if self.ranks(name):
                self.assertIsInstance(row["value"], (int, float))

    def test_the_list_is_of_all_that_there_are(self):
        files = {f[:-5] for f in os.listdir(SWEEPS) if f.endswith(".yaml")}
        self.assertEqual(files, set(LIST))
        self.assertEqual(len(LIST), 40)

    def test_a_simulation_leaves_its_result(self):
        self.runs["37-env-setup-templates"].result()
        path = ("/37-env-setup-templates/.throng/37-env-setup-templates/"
                "trials/0/2/output/energy.dat")
        with open(self.top + path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "465.75\n")


def add(name):
    def test(self):
        if name not in self.runs:
            self.skipTest("Rscript is not installed (package r-base-core)")
        self.check(name)

    setattr(Sweeps, "test_" + name.replace("-", "_"), test)


for each in LIST:
    add(each)

if __name__ == "__main__":
    unittest.main()
