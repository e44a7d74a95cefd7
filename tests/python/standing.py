"""standing - what the tests of the stand-in for wandb share"""

import os
import sys

from place import STAND_IN, InFolder, said

sys.path.insert(0, STAND_IN)
os.environ["THRONG_WANDB"] = "stand-in"

import wandb  # noqa: E402
from wandb import _init, _say  # noqa: E402


class Standing(InFolder):
    """Each test begins as trial 7, without a run, with nothing said."""

    params = {"lr": 0.5, "opt": {"name": "sgd", "wd": 0.1}}

    def setUp(self):
        super().setUp()
        self.enter_trial(self.params)
        _say._said.clear()
        _init._runs.clear()
        self.addCleanup(self.drop_run)

    def drop_run(self):
        with said():
            wandb.finish()

    def history(self):
        return self.lines("output/wandb/history.jsonl")
