"""Scripts that say `import wandb`, with W&B's own kind of sweep files, run
under throng as they are: scripts/<name>/train.py and sweep.yaml."""

import json
import os
import shutil
import subprocess
import unittest
from unittest import mock

from place import ROOT, THRONG, InFolder

SCRIPTS = os.path.join(ROOT, "tests", "python", "scripts")


class Scripts(InFolder):
    def throng(self, *words):
        done = subprocess.run([THRONG, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def sweep(self, name):
        """Run it to its end; its trials, all of them done."""
        shutil.copytree(os.path.join(SCRIPTS, name), name)
        os.chdir(name)
        self.throng("run", "sweep.yaml")
        rows = [json.loads(line) for line in
                self.throng("export", "all", "--jsonl").splitlines()]
        self.assertEqual({row["state"] for row in rows}, {"done"})
        return rows

    def last(self, row, name):
        return row["metrics"][name]["last"]

    def points(self, trial):
        """How many points each metric of a trial has."""
        text = self.throng("show", str(trial))
        table = text.split("\nmetrics")[1].split("\ncreated")[0]
        lines = [line.split() for line in table.splitlines()[1:]]
        return {line[0]: int(line[-1]) for line in lines}

    def test_argparse(self):
        rows = self.sweep("argparse")
        self.assertEqual(len(rows), 4)
        for row in rows:
            params = row["params"]
            self.assertAlmostEqual(
                self.last(row, "val_loss"),
                params["learning_rate"] + params["batch_size"] / 3)
            self.assertEqual(row["value"], self.last(row, "val_loss"))
        self.assertEqual(self.points(1), {"epoch": 3, "val_loss": 3})

    def test_beside_the_stand_in_for_runs_by_hand(self):
        shutil.copytree(os.path.join(ROOT, "python", "stand_in"), "other")
        with mock.patch.dict(os.environ, PYTHONPATH=os.path.abspath("other")):
            self.assertEqual(len(self.sweep("argparse")), 4)

    def test_config_alone_in_the_notebooks_way(self):
        rows = self.sweep("config")
        self.assertEqual(
            {(r["params"]["activation"], r["params"]["units"]):
             self.last(r, "accuracy") for r in rows},
            {("relu", 8): 0.1 + 3 / 8, ("relu", 64): 0.1 + 3 / 64,
             ("tanh", 8): 3 / 8, ("tanh", 64): 3 / 64})
        self.assertIn("finished config-style-2", self.throng("logs", "2"))

    def test_nested_config(self):
        rows = self.sweep("nested")
        self.assertEqual(sorted(r["value"] for r in rows),
                         [0.5 / 3, 0.5 / 2, 1 / 3, 1 / 2])
        self.assertEqual(sorted(rows[0]["metrics"]),
                         ["train.loss", "val.deep.a", "val.loss"])

    def test_forked_data_loaders(self):
        rows = self.sweep("loaders")
        for row in rows:
            self.assertEqual(row["value"], 1.0)
            self.assertEqual(sorted(row["metrics"]), ["loss", "samples"])
            self.assertEqual(self.last(row, "samples"),
                             10 * row["params"]["workers"])
            self.assertEqual(self.points(row["id"]),
                             {"loss": 3, "samples": 1})
        self.assertEqual(self.throng("logs", "2").count("left out"), 1)

    def test_steps_and_rows(self):
        rows = self.sweep("steps")
        self.assertEqual([r["value"] for r in rows], [1.1, 1.2])
        self.assertEqual(self.points(1), {
            "train/loss": 10, "eval/loss": 2, "epoch": 2, "test/a": 1,
            "test/b": 1, "test/c": 1})

    def test_summary_and_define_metric(self):
        rows = self.sweep("summary")
        self.assertEqual([r["value"] for r in rows], [2, 4, 6])
        self.assertEqual(self.last(rows[0], "loss.min"), 2)
        self.assertEqual(self.last(rows[0], "loss.max"), 5)
        self.assertEqual(self.last(rows[2], "accuracy.best"), 6)
        self.assertEqual(self.last(rows[2], "best_epoch"), 2)

    def test_artifacts(self):
        rows = self.sweep("artifacts")
        self.assertEqual([r["value"] for r in rows], [0.5, 0.25])
        top = ".throng/sweep/trials/0/2/output/wandb/"
        read = lambda name: self.read("artifacts/" + top + name)  # noqa: E731
        self.assertEqual(read("files/model.txt"), "in the run's folder")
        self.assertEqual(read("files/extra.txt"), "saved")
        self.assertEqual(read("artifacts/model-sweep-2-v1/model.pt"),
                         "weights 5")
        self.assertEqual(len(os.listdir(top + "artifacts/objects")), 2)
        self.assertEqual(len(os.listdir(top + "media/images")), 3)
        table = json.loads(read("media/table/predictions_3.table.json"))
        self.assertEqual(table["data"], [[0, 0], [1, 4], [2, 8]])
        self.assertIn("alert (INFO): Done", self.throng("logs", "2"))


if __name__ == "__main__":
    unittest.main()
