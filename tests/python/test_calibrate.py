"""Calibration beside numpy: what `calibrate` says of held-out rows is what
numpy makes of the predictions of the same rows."""

import json
import math
import unittest

import of_debian

try:
    import numpy
except ImportError:
    numpy = None

from test_ensemble import (  # noqa: E402
    Models, run, table, table_of_one, write_ensemble)


def calibrated(*words):
    found = json.loads(run("calibrate", "--json", *words))
    one, = found["outputs"]
    return one["metrics"]


def conformal(scores, alpha):
    rank = math.ceil(round((len(scores) + 1) * (1 - alpha), 9))
    return numpy.sort(scores)[rank - 1] if rank <= len(scores) else math.inf


def ranks(x):
    """Equal numbers share theirs."""
    return numpy.array([(x < v).sum() + ((x == v).sum() - 1) / 2 for v in x])


def cdf(z):
    return numpy.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in z])


def ece(p, label):
    sure, right = p.max(0), p.argmax(0) == label
    edges = numpy.linspace(0, 1, 16)
    total = 0
    for low, high in zip(edges, edges[1:]):
        some = (sure > low) & (sure <= high)
        if some.any():
            total += abs(sure[some].mean() - right[some].mean()) * some.mean()
    return total


@unittest.skipUnless(numpy, "numpy is not installed (python3-numpy)")
class Calibration(Models):
    def test_numbers(self):
        self.rows(0)
        files = self.members(outputs=1, loss="mse", metrics="mae")
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        got = calibrated("all.ensemble")
        rows = table("all.ensemble")
        error, sd = abs(rows["predicted"] - rows["label"]), rows["sd"]
        z = error / sd
        self.near(got["mae"], error.mean())
        self.near(got["rmse"], math.sqrt((error ** 2).mean()))
        self.near(got["interval"], conformal(error, 0.1))
        self.near(got["interval_sd"], conformal(z, 0.1))
        self.near(got["coverage"], (z <= 1.6448536269514722).mean())
        self.near(got["sharpness"], sd.mean())
        self.near(got["nll"], (numpy.log(sd * math.sqrt(2 * math.pi))
                               + z ** 2 / 2).mean())
        density = numpy.exp(-z ** 2 / 2) / math.sqrt(2 * math.pi)
        self.near(got["crps"], (sd * (z * (2 * cdf(z) - 1) + 2 * density
                                      - 1 / math.sqrt(math.pi))).mean())
        self.near(got["rank_correlation"],
                  numpy.corrcoef(ranks(sd), ranks(error))[0, 1])
        run("calibrate", "all.ensemble", "-o", "found.json")
        told = table("all.ensemble", "--calibration", "found.json")
        self.near(told["low"], rows["predicted"] - got["interval_sd"] * sd)
        self.near(told["high"], rows["predicted"] + got["interval_sd"] * sd)
        inside = ((told["low"] - 1e-12 <= rows["label"])
                  & (rows["label"] <= told["high"] + 1e-12))
        self.assertEqual(inside.sum(), math.ceil((len(sd) + 1) * 0.9))
        tight = calibrated("all.ensemble", "--alpha", "0.5")
        self.near(tight["interval"], conformal(error, 0.5))
        # Too few rows for so much: nothing is far enough.
        out = run("calibrate", "all.ensemble", "--alpha", "0.001")
        self.assertIn("interval\tinf\n", out)
        one = calibrated(files[0])
        run("calibrate", files[0], "-o", "one.json")
        told = table(files[0], "--calibration", "one.json")
        self.near((told["high"] - told["low"]) / 2,
                  numpy.full(len(sd), one["interval"]))
        run("calibrate", files[0], "-o", "one.json", "--alpha", "0.001")
        told = table(files[0], "--calibration", "one.json")
        self.assertTrue((told["high"] == math.inf).all())
        self.assertTrue((told["low"] == -math.inf).all())
        self.assertIn("interval", one)
        self.assertNotIn("nll", one)

    def test_classes(self):
        self.rows(3)
        files = self.members(outputs=3, loss="sparse_categorical_crossentropy",
                             metrics="accuracy")
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        got = calibrated("all.ensemble", "--alpha", "0.2")
        rows = table("all.ensemble")
        label = rows["label"].astype(int)
        p = numpy.array([rows["p_%d" % k] for k in range(3)])
        at = numpy.arange(len(label))
        logits = numpy.log(p)

        def scaled(inverse):
            e = numpy.exp(inverse * logits - (inverse * logits).max(0))
            return e / e.sum(0)

        def slope(inverse):
            return ((scaled(inverse) * logits).sum(0)
                    - logits[label, at]).mean()

        low, high = 1e-3, 1e3
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        self.near(got["accuracy"], (p.argmax(0) == label).mean())
        self.near(got["nll"], -numpy.log((p / p.sum(0))[label, at]).mean())
        self.near(got["ece"], ece(scaled(1), label))
        self.near(got["temperature"], 1 / low)
        best = scaled(low)
        self.near(got["nll_scaled"], -numpy.log(best[label, at]).mean())
        self.near(got["ece_scaled"], ece(best, label))
        self.assertLessEqual(got["nll_scaled"], got["nll"] + 1e-12)
        most = conformal(1 - p[label, at], 0.2)
        self.near(got["threshold"], 1 - most)
        self.near(got["set_size"], (1 - p <= most).sum(0).mean())
        run("calibrate", "all.ensemble", "--alpha", "0.2", "-o", "found.json")
        told = table("all.ensemble", "--calibration", "found.json")
        self.near([told["p_%d" % k] for k in range(3)], best)
        sets = numpy.array([told["in_%d" % k] for k in range(3)])
        clear = abs(1 - p - most) > 1e-12
        self.assertTrue(((1 - p <= most) == sets)[clear].all())
        # How sure it is said to be is of the probabilities that are said.
        self.near(told["entropy"], -(best * numpy.log(best)).sum(0))
        each = numpy.array([[table_of_one(f)["p_%d" % k] for k in range(3)]
                            for f in files]) ** low
        each /= each.sum(1, keepdims=True)
        mean = each.mean(0)
        self.near(told["mutual_information"],
                  -(mean * numpy.log(mean)).sum(0)
                  + (each * numpy.log(each)).sum(1).mean(0))

    def test_two_classes_of_one_output(self):
        self.rows(2)
        files = self.members(outputs=1, loss="binary_crossentropy",
                             metrics="accuracy")
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        inverse = 1 / calibrated("all.ensemble")["temperature"]

        def scaled(p):
            return p ** inverse / (p ** inverse + (1 - p) ** inverse)

        def entropy(p):
            return -(p * numpy.log(p) + (1 - p) * numpy.log(1 - p))
        run("calibrate", "all.ensemble", "-o", "found.json")
        told = table("all.ensemble", "--calibration", "found.json")
        each = numpy.array([table_of_one(f)["p_1"] for f in files])
        best = scaled(each.mean(0))
        self.near(told["p_1"], best)
        self.near(told["entropy"], entropy(best))
        self.near(told["mutual_information"],
                  entropy(scaled(each).mean(0)) - entropy(scaled(each)).mean(0))

    def test_reliability(self):
        self.rows(3)
        file, = self.members((16,), outputs=3, metrics="accuracy",
                             loss="sparse_categorical_crossentropy")
        one, = json.loads(run("calibrate", "--json", file))["outputs"]
        bins = one["reliability"]
        rows = sum(b["rows"] for b in bins)
        self.assertEqual(rows, len(table(file)["label"]))
        self.near(sum(abs(b["sure"] - b["right"]) * b["rows"] for b in bins)
                  / rows, one["metrics"]["ece"])
        self.near(sum(b["right"] * b["rows"] for b in bins) / rows,
                  one["metrics"]["accuracy"])
        self.assertIn("sure\tright\trows",
                      run("calibrate", "--reliability", file))


if __name__ == "__main__":
    unittest.main()
