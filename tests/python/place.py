"""place - what the tests in this folder share: where things are, and an
environment that looks like a trial's"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "python")
STAND_IN = os.path.join(PYTHON, "stand_in")
BUILD = os.path.join(ROOT, os.environ.get("THRONG_BUILD", "build"))
THRONG = os.path.join(BUILD, "throng")

if PYTHON not in sys.path:
    sys.path.insert(0, PYTHON)


class InFolder(unittest.TestCase):
    """Each test runs in an empty folder and in an environment without a
    study."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith(("THRONG", "WANDB"))}
        patch = mock.patch.dict(os.environ, clean, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def lines(self, name):
        """The objects of a file of JSON lines; [] when there is none. Blank
        lines mean nothing: who sees another in the middle of its write takes
        that for torn, and begins a line of his own."""
        if not os.path.exists(os.path.join(self.folder, name)):
            return []
        return [json.loads(line) for line in self.read(name).splitlines()
                if line.strip()]

    def enter_trial(self, params=None, **variables):
        """From here on the process looks like trial 7 of a study."""
        self.write("params.json", json.dumps(params or {}))
        os.environ.update({
            "THRONG_STUDY": "mine", "THRONG_TRIAL": "7",
            "THRONG_ATTEMPT": "1", "THRONG_SEED": "99",
            "THRONG_PARAMS": self.folder + "/params.json",
            "THRONG_METRICS": self.folder + "/metrics.jsonl",
            "THRONG_CHECKPOINT": self.folder + "/checkpoint",
            "THRONG_OUTPUT": self.folder + "/output",
            "THRONG_STOP": self.folder + "/stop", **variables})

    def metrics(self):
        return [line for line in self.lines("metrics.jsonl")
                if "throng" not in line]

    def described(self):
        """What the task said of itself, line by line."""
        return [line["throng"] for line in self.lines("metrics.jsonl")
                if "throng" in line]

    def script(self, text, *words, path=(PYTHON, STAND_IN), status=0, **env):
        """Run a script in a Python of its own; what it wrote."""
        self.write("script.py", text)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(path),
               "PYTHONDONTWRITEBYTECODE": "1", **env}
        done = subprocess.run([sys.executable, "script.py", *words], env=env,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=250)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done


@contextlib.contextmanager
def said():
    """What is written to standard error meanwhile."""
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        yield text
