# thorough: Optuna and matplotlib, large packages
"""throng plot beside Optuna's figures of the same study: the same numbers."""

import csv
import io
import math
import os
import random
import subprocess
import unittest

from place import BUILD, THRONG, InFolder

try:
    import matplotlib
    matplotlib.use("Agg")
    import optuna
    from matplotlib import pyplot
    from optuna.visualization import matplotlib as drawn
    optuna.logging.set_verbosity(optuna.logging.ERROR)
except ImportError:
    optuna = None

STUDY = """\
name: s
command: sh train.sh {x} {lr} {kind}
method: random
run_cap: 40
seed: 1
parallel: 2
metrics:
- {name: loss, goal: minimize}
- {name: size, goal: minimize}
parameters:
  x: {min: -5.0, max: 5.0}
  lr: {distribution: log_uniform_values, min: 1e-4, max: 1.0}
  kind: {values: [plain, fancy]}
"""
TRAIN = """\
awk -v x="$1" -v lr="$2" -v kind="$3" 'BEGIN {
    l = log(lr) / log(10)
    for (s = 1; s <= 5; s++)
        printf "::throng step=%d loss=%.9f size=%.9f\\n", s, \
            (x - 2) ^ 2 + (l + 2) ^ 2 + (kind == "plain") + 1 / s, x * x + 1
}'
"""


def rows(words):
    done = subprocess.run([THRONG, "plot", *words, "--data"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def points(axes):
    """All points of a scatter, in order."""
    return [tuple(map(float, p)) for c in axes.collections
            for p in c.get_offsets()]


@unittest.skipUnless(optuna, "Optuna or matplotlib is not installed")
class Beside(InFolder):
    def setUp(self):
        super().setUp()
        self.write("study.yaml", STUDY)
        self.write("train.sh", TRAIN)
        subprocess.run([THRONG, "run", "study.yaml"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        out = subprocess.run([THRONG, "export", "--csv"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        self.trials = list(csv.DictReader(io.StringIO(out)))
        self.addCleanup(pyplot.close, "all")

    def column(self, row, name):
        """export's columns are params.x, metrics.loss.last or the like."""
        fits = [k for k in row if k == name or k.split(".")[-1] == name or
                k in ("param." + name, "params." + name,
                      "metric.%s.last" % name, "metrics.%s.last" % name,
                      name + ".last")]
        return row[fits[0]]

    def study(self, *metrics):
        """The same trials in Optuna."""
        space = {"x": optuna.distributions.FloatDistribution(-5, 5),
                 "lr": optuna.distributions.FloatDistribution(1e-4, 1,
                                                              log=True),
                 "kind": optuna.distributions.CategoricalDistribution(
                     ["plain", "fancy"])}
        made = optuna.create_study(directions=["minimize"] * len(metrics))
        own = {int(r["trial"]): r for r in
               rows(["slice", "--params", "x,lr,kind"])}
        sizes = {int(r["trial"]): r for r in rows(["pareto"])}
        for number in sorted(own):
            r = own[number]
            values = {"loss": float(r["loss"]),
                      "size": float(sizes[number]["size"])}
            made.add_trial(optuna.trial.create_trial(
                params={"x": float(r["x"]), "lr": float(r["lr"]),
                        "kind": r["kind"]},
                distributions=space,
                values=[values[m] for m in metrics]))
        return made

    def test_the_trials_are_those_of_export(self):
        own = rows(["slice", "--params", "x,lr,kind"])
        self.assertEqual(len(own), len(self.trials))
        for mine, theirs in zip(own, self.trials):
            for name in ("x", "lr"):
                self.assertEqual(float(mine[name]),
                                 float(self.column(theirs, name)))

    def test_history(self):
        axes = drawn.plot_optimization_history(self.study("loss"))
        own = rows(["history"])
        self.assertEqual([y for _, y in points(axes)],
                         [float(r["loss"]) for r in own])
        best = [line for line in axes.get_lines() if len(line.get_ydata())]
        self.assertEqual(list(best[0].get_ydata()),
                         [float(r["best"]) for r in own])

    def test_slice(self):
        axes = drawn.plot_slice(self.study("loss"), params=["x", "lr"])
        own = rows(["slice", "--params", "x,lr"])
        for one in axes:
            name = one.get_xlabel()
            self.assertEqual(points(one),
                             [(float(r[name]), float(r["loss"]))
                              for r in own])
            logarithmic = one.get_xscale() == "log"
            self.assertEqual(logarithmic, name == "lr")

    def test_contour(self):
        axes = drawn.plot_contour(self.study("loss"), params=["x", "lr"])
        own = rows(["contour", "--x", axes.get_xlabel(), "--y",
                    axes.get_ylabel()])
        scatter = [tuple(map(float, p)) for c in axes.collections
                   if type(c).__name__ == "PathCollection" and
                   len(c.get_offsets()) == len(own) for p in c.get_offsets()]
        mine = [(float(r[axes.get_xlabel()]), float(r[axes.get_ylabel()]))
                for r in own]
        self.assertEqual(sorted(scatter), sorted(mine))

    def test_pareto(self):
        study = self.study("loss", "size")
        front = {t.number for t in study.best_trials}
        own = rows(["pareto"])
        self.assertEqual({i for i, r in enumerate(own) if r["front"] == "1"},
                         front)
        axes = drawn.plot_pareto_front(study)
        self.assertEqual(sorted(points(axes)),
                         sorted((float(r["loss"]), float(r["size"]))
                                for r in own))

    def test_curves(self):
        own = rows(["curves", "--trials", "1-3"])
        out = subprocess.run([THRONG, "export", "--history", "1-3"],
                             check=True, stdout=subprocess.PIPE,
                             text=True).stdout
        theirs = [(int(r["trial"]), int(r["step"]), float(r["value"]))
                  for r in csv.DictReader(io.StringIO(out))
                  if r["metric"] == "loss"]
        self.assertEqual([(int(r["trial"]), int(r["step"]), float(r["loss"]))
                          for r in own], theirs)

    def test_heat_is_a_mean(self):
        own = rows(["heat", "--x", "kind", "--y", "lr"])
        all_trials = rows(["slice", "--params", "lr,kind"])
        self.assertEqual(sum(int(r["trials"]) for r in own),
                         len(all_trials))
        for cell in own:
            inside = [float(r["loss"]) for r in all_trials
                      if r["kind"] == cell["kind"] and
                      float(cell["lr_from"]) <= float(r["lr"])
                      < float(cell["lr_to"])]
            if len(inside) == int(cell["trials"]) and inside:
                self.assertAlmostEqual(sum(inside) / len(inside),
                                       float(cell["mean"]), places=9)


@unittest.skipUnless(optuna, "matplotlib is not installed")
class Predictions(InFolder):
    def test_uncertainty_is_what_numpy_computes(self):
        import numpy
        draw = random.Random(1)
        table = [(draw.gauss(0, 2), draw.gauss(0, 1), draw.uniform(0.1, 3))
                 for _ in range(1000)]
        self.write("p.csv", "truth,mean,sd\n" + "".join(
            "%r,%r,%r\n" % row for row in table))
        own = rows(["uncertainty", "--from", "p.csv"])
        truth, mean, sd = numpy.array(table).T
        error = numpy.abs(truth - mean)
        order = numpy.argsort(sd, kind="stable")
        parts = [r for r in own if r["part"] == "reliability"]
        for group, r in zip(numpy.array_split(order, 10), parts):
            self.assertAlmostEqual(float(r["x"]), math.sqrt(
                (sd[group] ** 2).mean()), places=9)
            self.assertAlmostEqual(float(r["y"]), math.sqrt(
                (error[group] ** 2).mean()), places=9)
        for r in (r for r in own if r["part"] == "coverage"):
            import statistics
            z = statistics.NormalDist().inv_cdf((1 + float(r["x"])) / 2)
            self.assertEqual(float(r["y"]), (error <= z * sd).mean())
        inside = sum(float(r["rows"]) for r in own
                     if r["part"] == "histogram")
        self.assertTrue(980 <= inside <= 1000)


if __name__ == "__main__":
    unittest.main()
