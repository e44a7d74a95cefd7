# timeout: 1800
# thorough: 320 trainings, each calibrated and asked, by programs of their own
"""Conformal intervals and sets hold what they promise: over many splits of four
data sets, two of them with noise that hangs on the row, as many of the test rows
are covered as theory says. SPLITS=200 looks closer, for a minute or two more."""

import json
import math
import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

import of_debian  # noqa: F401

try:
    import numpy
except ImportError:
    numpy = None

from place import THRONG, InFolder  # noqa: E402
from test_ensemble import run, table  # noqa: E402

SPLITS = int(os.environ.get("SPLITS", "80"))
ROWS = 300
ALPHA = 0.1
MODEL = """\
layers: [{dense: 8, activation: tanh}, {dense: %s}]
loss: %s
optimizer: {name: adam, lr: 0.03}
epochs: 8
data: {file: rows.csv, label: y, scale: std, validation: 0.25, test: 0.4,
       split_seed: "${split}"}
defaults: {split: 1}
"""
STUDY = """\
name: splits
model: model.yaml
method: grid
keep: all
metric: {name: val_loss}
parameters: {split: {min: 1, max: %d}}
"""


def calibrated(weights):
    found = json.loads(run("calibrate", weights, "--json", "--alpha",
                           str(ALPHA)))
    return found["rows"], found["outputs"][0]["metrics"]


@unittest.skipUnless(numpy, "numpy is not installed (python3-numpy)")
class Coverage(InFolder):
    def train(self, x, y, outputs, loss):
        with open("rows.csv", "w") as f:
            f.write("a,b,y\n")
            for (a, b), label in zip(x, y):
                f.write("%r,%r,%r\n" % (float(a), float(b), label.item()))
        with open("model.yaml", "w") as f:
            f.write(MODEL % (outputs, loss))
        with open("study.yaml", "w") as f:
            f.write(STUDY % SPLITS)
        subprocess.run([THRONG, "run", "--quiet", "study.yaml"], check=True)
        told = [json.loads(line)
                for line in run("export", "splits", "--jsonl").splitlines()]
        self.assertEqual([t["state"] for t in told], ["done"] * SPLITS)
        return [os.path.join(".throng/splits/trials/0", str(t["id"]),
                             "output/weights.safetensors") for t in told]

    def covered(self, weights, share):
        """The share of test rows that each split covers is, in the mean, not
        below what is promised nor above what is possible."""
        with ThreadPoolExecutor(2) as crew:
            found = list(crew.map(share, weights))
        shares = numpy.array([s for s, _ in found])
        rows = found[0][1]
        error = 3 * shares.std(ddof=1) / math.sqrt(len(shares))
        self.assertGreaterEqual(shares.mean(), 1 - ALPHA - error)
        self.assertLessEqual(shares.mean(),
                             1 - ALPHA + 1 / (rows + 1) + error)

    def test_numbers(self):
        draw = numpy.random.default_rng(1)
        x = draw.normal(size=(ROWS, 2))
        y = x[:, 0] - x[:, 1] ** 2 + draw.standard_t(3, ROWS) * 0.3

        def share(weights):
            rows, metrics = calibrated(weights)
            t = table(weights)
            off = abs(t["predicted"] - t["label"])
            return (off <= metrics["interval"]).mean(), rows
        self.covered(self.train(x, y, 1, "mse"), share)

    def test_noise_that_hangs_on_the_row(self):
        draw = numpy.random.default_rng(2)
        x = draw.normal(size=(ROWS, 2))
        y = x[:, 0] + draw.normal(size=ROWS) * numpy.exp(x[:, 1])

        def share(weights):
            rows, metrics = calibrated(weights)
            t = table(weights)
            sd = numpy.exp(t["log_variance"] / 2)
            off = abs(t["predicted"] - t["label"])
            return (off <= metrics["interval_sd"] * sd).mean(), rows
        self.covered(self.train(x, y, 2, "heteroscedastic"), share)

    def test_quantiles(self):
        draw = numpy.random.default_rng(4)
        x = draw.normal(size=(ROWS, 2))
        y = x[:, 0] + draw.normal(size=ROWS) * numpy.exp(x[:, 1])

        def share(weights):
            rows, metrics = calibrated(weights)
            t = table(weights)
            off = numpy.maximum(t["q0.1"] - t["label"], t["label"] - t["q0.9"])
            return (off <= metrics["widening"]).mean(), rows
        self.covered(self.train(x, y, 2, "quantile\nquantile: [0.1, 0.9]"),
                     share)

    def test_classes(self):
        draw = numpy.random.default_rng(3)
        x = draw.normal(size=(ROWS, 2))
        y = numpy.digitize(x[:, 0] + draw.normal(size=ROWS), (-0.7, 0.7))

        def share(weights):
            rows, metrics = calibrated(weights)
            t = table(weights)
            p = numpy.array([t["p_%d" % k] for k in range(3)])
            own = p[t["label"].astype(int), numpy.arange(p.shape[1])]
            return (own >= metrics["threshold"]).mean(), rows
        self.covered(self.train(x, y, 3, "sparse_categorical_crossentropy"),
                     share)


if __name__ == "__main__":
    unittest.main()
