"""Several quantiles of one label: they are what a head for each would learn,
and are judged by the mean of their pinball losses."""

import csv
import io
import json
import math
import unittest

import of_debian  # noqa: F401

try:
    import numpy
except ImportError:
    numpy = None

from test_calibrate import conformal  # noqa: E402
from test_ensemble import Models, judged, run, write_ensemble  # noqa: E402

QUANTILES = (0.05, 0.5, 0.95)
SHORT = """\
layers: [{dense: 6, activation: tanh}, {dropout: 0.1}, {dense: 3}]
loss: quantile
quantile: [0.05, 0.5, 0.95]
metrics: [mae]
"""
LONG = """\
layers:
  - {dense: 6, activation: tanh}
  - {dropout: 0.1}
  - {dense: 1, name: q0.05}
  - {dense: 1, name: q0.5, from: dropout_2}
  - {dense: 1, name: q0.95, from: dropout_2}
heads:
  - {from: q0.05, loss: quantile, quantile: 0.05, weight: %(third)s, label: y}
  - {from: q0.5, loss: quantile, quantile: 0.5, weight: %(third)s, label: y,
     metrics: [mae]}
  - {from: q0.95, loss: quantile, quantile: 0.95, weight: %(third)s, label: y}
""" % {"third": repr(1 / 3)}
COMMON = """\
epochs: 20
seed: 3
data: {file: rows.csv, label: y, scale: std, validation: 0.3}
"""


@unittest.skipUnless(numpy, "numpy is not installed (python3-numpy)")
class Quantiles(Models):
    def setUp(self):
        super().setUp()
        self.rows(0)
        for name, text in (("short", SHORT), ("long", LONG)):
            with open(name + ".yaml", "w") as f:
                f.write(text + COMMON)
            run("train", name + ".yaml")

    def table(self, *words):
        rows = list(csv.DictReader(io.StringIO(
            run("predict", "--csv", *words))))
        return {name: numpy.array([float(r[name] or "nan") for r in rows])
                for name in rows[0]}

    def test_they_are_a_head_for_each(self):
        self.assertEqual(run("predict", "--csv", "short.safetensors"),
                         run("predict", "--csv", "long.safetensors"))

    def test_they_are_judged_by_the_mean_of_pinball_losses(self):
        got = self.table("short.safetensors")
        self.assertEqual(list(got),
                         ["row", "label"] + ["q%g" % q for q in QUANTILES])
        label = got["label"]
        losses = []
        for q in QUANTILES:
            off = label - got["q%g" % q]
            losses.append(numpy.maximum(q * off, (q - 1) * off).mean())
        told = judged("short.safetensors")
        self.near(told["loss"], numpy.mean(losses), 1e-6)
        self.near(told["q0.5_mae"],
                  abs(label - got["q0.5"]).mean(), 1e-6)
        below = [(label <= got["q%g" % q]).mean()
                 for q in QUANTILES]
        self.assertEqual(below, sorted(below))

    def test_an_ensemble_and_a_graph_take_them(self):
        run("model", "export", "short.safetensors", "--onnx")
        run("model", "export", "short.safetensors", "--torch")
        got = self.table("short.safetensors", "--samples", "3")
        self.assertIn("q0.05", got)
        # Of what the passes say of one quantile, not of the truth.
        for name in ("q0.05_sd", "q0.05_q0.05", "q0.05_q0.95"):
            self.assertIn(name, got)
        spread = got["q0.05_q0.95"] - got["q0.05_q0.05"]
        self.assertTrue((spread >= 0).all() and spread.any())

    def widened(self, models, alpha, *words):
        """What is found of both ends, and the interval that is made of it."""
        found = json.loads(run("calibrate", "--json", models, "--alpha",
                               str(alpha), "-o", "found.json", *words))
        low, middle, high = (o["metrics"] for o in found["outputs"])
        self.assertNotIn("widening", middle)
        self.assertEqual(low.get("widening"), high.get("widening"))
        got = self.table(models, "--rows", "validation", "--calibration",
                         "found.json", *words)
        self.assertNotIn("q0.5_low", got)
        self.assertNotIn("q0.05_high", got)
        # A float, of which nine digits are told.
        label = got["label"].astype(numpy.float32).astype(float)
        score = numpy.maximum(got["q0.05"] - label, label - got["q0.95"])
        self.assertEqual(found["rows"], len(score))
        self.near(low["between"], (score <= 0).mean())
        return low, got, conformal(score, alpha)

    def test_they_are_widened_to_hold_what_they_say(self):
        for name in ("1", "2"):
            with open("m%s.yaml" % name, "w") as f:
                f.write(SHORT + COMMON.replace("seed: 3", "seed: " + name))
            run("train", "m%s.yaml" % name)
        write_ensemble("all.ensemble", {"m1.safetensors": 1,
                                        "m2.safetensors": 3})
        for models, words in (("all.ensemble", ()),
                              ("short.safetensors", ("--samples", "3")),
                              ("short.safetensors", ())):
            for alpha in (0.1, 0.3, 0.6):
                low, got, wanted = self.widened(models, alpha, *words)
                self.near(low["widening"], wanted)
                self.near(got["q0.05_low"], got["q0.05"] - wanted)
                self.near(got["q0.95_high"], got["q0.95"] + wanted)
        # Too few rows for so much.
        run("calibrate", "short.safetensors", "--alpha", "0.001", "-o",
            "found.json")
        got = self.table("short.safetensors", "--calibration", "found.json")
        self.assertTrue((got["q0.05_low"] == -math.inf).all())
        self.assertTrue((got["q0.95_high"] == math.inf).all())

    def test_rules_go_by_them(self):
        run("predict", "-q", "short.safetensors", "--data", "rows.csv",
            "--study", "kept", "--keep", "top:q0.95:3")
        with open(".throng/kept/kept/top.csv") as f:
            kept = list(csv.DictReader(f))
        got = self.table("short.safetensors", "--data", "rows.csv")
        self.near([float(r["q0.95"]) for r in kept],
                  numpy.sort(got["q0.95"])[::-1][:3], 1e-6)

    def test_heads_with_other_names_keep_them(self):
        with open("named.yaml", "w") as f:
            f.write(LONG.replace("q0.05", "low") + COMMON)
        run("train", "named.yaml")
        got = self.table("named.safetensors")
        self.assertEqual(list(got), ["row", "low_label", "low_predicted",
                                     "q0.5_label", "q0.5", "q0.95_label",
                                     "q0.95"])


if __name__ == "__main__":
    unittest.main()
