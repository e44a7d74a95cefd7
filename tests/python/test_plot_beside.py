# thorough: Optuna and matplotlib, large packages
"""throng plot beside Optuna's figures of the same study: the same numbers; and
beside NumPy's where Optuna has no such figure."""

import csv
import io
import json
import math
import os
import random
import subprocess
import unittest

import of_debian

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

    def reported(self, trials):
        """(trial, step, loss), as export has them."""
        out = subprocess.run([THRONG, "export", "--history", trials],
                             check=True, stdout=subprocess.PIPE,
                             text=True).stdout
        return [(int(r["trial"]), int(r["step"]), float(r["value"]))
                for r in csv.DictReader(io.StringIO(out))
                if r["metric"] == "loss"]

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
        curves = {}
        for trial, step, value in self.reported("1-40"):
            curves.setdefault(trial, {})[step] = value
        for number in sorted(own):
            r = own[number]
            values = {"loss": float(r["loss"]),
                      "size": float(sizes[number]["size"])}
            made.add_trial(optuna.trial.create_trial(
                intermediate_values=curves.get(number, {})
                if len(metrics) == 1 else {},
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
        axes = drawn.plot_intermediate_values(self.study("loss"))
        own = {}
        for r in rows(["curves"]):
            own.setdefault(int(r["trial"]), []).append(
                (float(r["step"]), float(r["loss"])))
        theirs = [list(map(tuple, line.get_xydata()))
                  for line in axes.get_lines()]
        self.assertEqual([own[t] for t in sorted(own)], theirs)
        self.assertEqual([(int(r["trial"]), int(r["step"]), float(r["loss"]))
                          for r in rows(["curves", "--trials", "1-3"])],
                         self.reported("1-3"))

    def test_bands_are_quantiles(self):
        import numpy
        curves = {}
        kinds = {int(r["trial"]): r["kind"]
                 for r in rows(["slice", "--params", "kind"])}
        for trial, step, value in self.reported("1-40"):
            curves.setdefault((kinds[trial], step), []).append(value)
        own = rows(["curves", "--group", "kind"])
        self.assertEqual(len(own), len(curves))
        for r in own:
            values = curves[r["kind"], int(r["step"])]
            self.assertEqual(int(r["trials"]), len(values))
            for name, part in (("q05", 5), ("q25", 25), ("q50", 50),
                               ("q75", 75), ("q95", 95)):
                self.assertAlmostEqual(float(r[name]),
                                       numpy.percentile(values, part),
                                       places=9)

    def test_parallel(self):
        """Optuna lays each parameter over the range of the objective."""
        axes = drawn.plot_parallel_coordinate(self.study("loss"),
                                              params=["x", "lr"])
        own = rows(["parallel", "--params", "x,lr"])
        losses = [float(r["loss"]) for r in own]
        columns = []
        for name, scale in (("lr", math.log10), ("x", float)):
            values = [scale(float(r[name])) for r in own]
            low, high = min(values), max(values)
            columns.append([(v - low) / (high - low) *
                            (max(losses) - min(losses)) + min(losses)
                            for v in values])
        segments = axes.figure.axes[0].collections[0].get_segments()
        self.assertEqual(len(segments), len(own))
        for i, line in enumerate(segments):
            for k, want in enumerate([losses] + columns):
                self.assertAlmostEqual(line[k][1], want[i], places=6)

    def test_importance_is_that_of_the_verb(self):
        out = subprocess.run([THRONG, "importance", "--json"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        said = {p["name"]: p["share"] for p in json.loads(out)["parameters"]}
        own = {r["parameter"]: float(r["share"]) for r in rows(["importance"])}
        self.assertEqual(own, said)
        self.assertAlmostEqual(sum(own.values()), 1, places=9)
        self.assertEqual(sorted(own, key=own.get)[-1], "x")

    def test_matrix_is_means_of_groups(self):
        groups = {}
        for r in rows(["slice", "--params", "kind,lr"]):
            groups.setdefault(r["kind"], []).append(float(r["loss"]))
        own = rows(["matrix", "--x", "kind", "--y", "lr"])
        for kind, values in groups.items():
            cells = [r for r in own if r["kind"] == kind and
                     r["trials"] != "0"]
            drawn_values = [float(r["mean"]) for r in cells
                            if r["trials"] == "1"]
            self.assertTrue(set(drawn_values) <= set(values))
            for r in cells:
                self.assertTrue(float(r["min"]) <= float(r["mean"])
                                <= float(r["max"]))

    def test_load_and_gantt_are_the_same_attempts(self):
        import numpy
        spans = [(float(r["from"]), float(r["to"]))
                 for r in rows(["gantt"])]
        self.assertEqual(len(spans), len(self.trials))
        lanes = {}
        for r in rows(["gantt"]):
            lanes.setdefault((r["host"], r["lane"]), []).append(
                (float(r["from"]), float(r["to"])))
        for busy in lanes.values():
            busy.sort()
            for one, other in zip(busy, busy[1:]):
                self.assertTrue(one[1] <= other[0] + 1e-6)
        load = rows(["load"])
        at = numpy.array([float(r["seconds"]) for r in load])
        width = at[1] - at[0]
        for middle, r in zip(at, load):
            low, high = middle - width / 2, middle + width / 2
            inside = sum(max(0, min(high, b) - max(low, a))
                         for a, b in spans) / width
            self.assertAlmostEqual(float(r["mean"]), inside, places=2)
            self.assertTrue(float(r["mean"]) <= float(r["most"]))

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


class Rungs(InFolder):
    def test_rungs_are_what_was_reported_there(self):
        self.write("train.sh", TRAIN)
        self.write("study.yaml", STUDY + "early_terminate: {type: asha, "
                   "min_iter: 1, max_iter: 5, eta: 2}\n")
        subprocess.run([THRONG, "run", "study.yaml"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        out = subprocess.run([THRONG, "export", "--history", "1-40"],
                             check=True, stdout=subprocess.PIPE,
                             text=True).stdout
        said = {(r["trial"], r["step"]): float(r["value"])
                for r in csv.DictReader(io.StringIO(out))
                if r["metric"] == "loss"}
        own = rows(["rungs"])
        self.assertEqual({r["rung"] for r in own}, {"1", "2", "4", "5"})
        for r in own:
            self.assertEqual(float(r["loss"]), said[r["trial"], r["rung"]])
        later = {(r["trial"], r["rung"]) for r in own}
        following = {"1": "2", "2": "4", "4": "5"}
        for r in own:
            self.assertEqual(r["fate"] == "went on",
                             (r["trial"], following.get(r["rung"])) in later)


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
        rank, = [r for r in own if r["part"] == "rank_correlation"]
        places = [numpy.argsort(numpy.argsort(v)) for v in (sd, error)]
        self.assertAlmostEqual(float(rank["y"]),
                               numpy.corrcoef(*places)[0, 1], places=9)
        self.check_given(own, mean - truth, sd)

    def check_given(self, own, error, sd):
        """Shares of errors among the rows of a column of sd add up to 1, and
        are those of numpy's histogram over the same edges."""
        import numpy
        given = [r for r in own if r["part"] == "given"]
        columns = sorted({float(r["x"]) for r in given})
        for x in columns:
            some = [r for r in given if float(r["x"]) == x]
            self.assertAlmostEqual(sum(float(r["share"]) for r in some), 1)
        width = min(numpy.diff(columns))
        up = sorted({float(r["y"]) for r in given})
        high = min(numpy.diff(up))
        for r in given:
            x, y = float(r["x"]), float(r["y"])
            # The largest that is drawn lies on the edge of its cell.
            column = ((abs(sd - x) <= width * 0.5000001)
                      & (abs(error) <= high * 10.000001))
            rows = column & (abs(error - y) <= high * 0.5000001)
            self.assertEqual(float(r["rows"]), rows.sum())
            self.assertAlmostEqual(float(r["share"]),
                                   rows.sum() / column.sum(), places=9)

    def test_ways_to_an_sd_stand_beside_each_other(self):
        draw = random.Random(5)
        for name, rate in (("a.csv", 1), ("b=1.csv", 0.2)):
            self.write(name, "label,predicted,sd\n" + "".join(
                "%r,0,%r\n" % (draw.gauss(0, 1 + 3 * rate * (i % 2)),
                               1 + 3 * (i % 2)) for i in range(400)))
        own = rows(["uncertainty", "--from", "dropout=a.csv,b=1.csv"])
        self.assertEqual({r["method"] for r in own}, {"dropout", "b=1.csv"})
        rank = [float(r["y"]) for r in own if r["part"] == "rank_correlation"]
        self.assertGreater(rank[0], rank[1])
        for name in ("dropout", "b=1.csv"):
            alone = rows(["uncertainty", "--from",
                          {"dropout": "a.csv"}.get(name, name)])
            for part in ("reliability", "coverage"):
                self.assertEqual(
                    [r["y"] for r in alone if r["part"] == part],
                    [r["y"] for r in own
                     if r["part"] == part and r["method"] == name])
        said = subprocess.run([THRONG, "plot", "uncertainty", "--from",
                               "a.csv,none.csv"], stderr=subprocess.PIPE,
                              text=True)
        self.assertIn("none.csv", said.stderr)
        said = subprocess.run([THRONG, "plot", "uncertainty", "--from",
                               ",".join(["a.csv"] * 7)],
                              stderr=subprocess.PIPE, text=True)
        self.assertIn("takes 6 files at most", said.stderr)

    def test_files_of_numpy_are_tables_too(self):
        import numpy
        draw = random.Random(2)
        table = numpy.array([(draw.gauss(0, 2), draw.gauss(0, 1),
                              draw.uniform(0.1, 3)) for _ in range(200)],
                            dtype=numpy.float32)
        self.write("p.csv", "truth,mean,sd\n" + "".join(
            ",".join(repr(float(v)) for v in row) + "\n" for row in table))
        numpy.save("p.npy", table)
        numpy.save("f.npy", numpy.asfortranarray(table))
        numpy.savez_compressed("p.npz", label=table[:, 0], mean=table[:, 1],
                               std=table[:, 2])
        want = rows(["uncertainty", "--from", "p.csv"])
        for file in ("p.npy", "f.npy", "p.npz"):
            self.assertEqual(rows(["uncertainty", "--from", file]), want)
        numpy.save("two.npy", table[:, :2])
        said = subprocess.run([THRONG, "plot", "uncertainty", "--from",
                               "two.npy"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(said.returncode, 1)
        self.assertIn("two.npy: has 2 columns, not 3: truth, mean, sd",
                      said.stderr)

    def test_confusion_is_what_numpy_counts(self):
        import numpy
        draw = random.Random(3)
        pairs = [(draw.randrange(12), draw.randrange(12)) for _ in range(500)]
        numpy.savez("c.npz", label=[p[0] for p in pairs],
                    predicted=[p[1] for p in pairs])
        counts = numpy.zeros((12, 12), int)
        numpy.add.at(counts, tuple(numpy.array(pairs).T), 1)
        own = rows(["confusion", "--from", "c.npz"])
        self.assertEqual([int(r["rows"]) for r in own],
                         counts.flatten().tolist())


if __name__ == "__main__":
    unittest.main()
