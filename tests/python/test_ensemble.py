# thorough: cross-validations are trained and made into ensembles, over and over
"""Ensembles beside numpy: what several models predict together, how sure that
is, and how good, is what numpy makes of the predictions of each."""

import csv
import hashlib
import io
import json
import math
import os
import re
import subprocess
import unittest

import of_debian

try:
    import numpy
except ImportError:
    numpy = None
try:
    from scipy.optimize import nnls
except ImportError:
    nnls = None

from place import THRONG, InFolder  # noqa: E402

MODEL = """\
layers: [{dense: 6, activation: tanh}, {dropout: 0.2}, {dense: %(outputs)d}]
loss: %(loss)s
optimizer: {name: adam, lr: 0.02}
batch_size: %(batch)d
epochs: 3
metrics: [%(metrics)s]
data: {file: rows.csv, label: y, scale: std, validation: 0.3}
"""
ROWS = 160


def run(*words):
    done = subprocess.run([THRONG, *words], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def floats(column):
    """Nine digits tell which floats they are."""
    return column.astype(numpy.float32).astype(float)


def table(*words):
    """The columns of `predict --csv`, as arrays; empty is NaN."""
    rows = list(csv.DictReader(io.StringIO(run("predict", "--csv", *words))))
    columns = {name: numpy.array([float(r[name] or "nan") for r in rows])
               for name in rows[0]}
    return dict(columns, label=floats(columns["label"]))


def table_of_one(*words):
    """The same of one model, whose numbers are floats."""
    return {name: floats(column) for name, column in table(*words).items()}


def judged(*words):
    return json.loads(run("evaluate", "--json", *words))["metrics"]


def write_ensemble(path, weights, combine="mean"):
    members = []
    for file, weight in weights.items():
        with open(file, "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()
        members.append({"weights": file, "sha256": digest, "weight": weight})
    with open(path, "w") as f:
        json.dump({"format": "throng.ensemble/1", "combine": combine,
                   "members": members}, f)


class Models(InFolder):
    """Rows, and models that are trained on them."""

    def rows(self, classes):
        draw = numpy.random.default_rng(8)
        x = draw.normal(size=(ROWS, 3))
        y = x @ [1, -2, 0.5] + draw.normal(size=ROWS) * 0.5
        if classes:
            y = numpy.digitize(y, numpy.quantile(
                y, numpy.arange(1, classes) / classes))
        with open("rows.csv", "w") as f:
            f.write("a,b,c,y\n")
            for row, label in zip(x, y):
                f.write("%r,%r,%r,%r\n" % (*map(float, row), label.item()))

    def members(self, batches=(16, 16, 16), **what):
        """Models of other seeds."""
        files = []
        for seed, batch in enumerate(batches):
            what["batch"] = batch
            with open("model.yaml", "w") as f:
                f.write(MODEL % what)
            files.append("m%d.safetensors" % seed)
            run("train", "model.yaml", "--seed", str(seed),
                "--output", files[-1])
        return files

    def near(self, found, wanted, places=1e-9):
        numpy.testing.assert_allclose(found, wanted, rtol=places, atol=places)


@unittest.skipUnless(numpy, "numpy is not installed (python3-numpy)")
class Ensembles(Models):
    def test_numbers(self):
        self.rows(0)
        files = self.members(outputs=1, loss="mse", metrics="mae, r2")
        each = numpy.array([table_of_one(f)["predicted"] for f in files])
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        got = table("all.ensemble")
        self.near(got["predicted"], each.mean(0))
        self.near(got["sd"], each.std(0))
        self.near(got["epistemic"], each.std(0))
        self.assertTrue(numpy.isnan(got["aleatoric"]).all())
        for q in (0.05, 0.5, 0.95):
            self.near(got["q%g" % q], numpy.quantile(each, q, axis=0))
        error = got["predicted"] - got["label"]
        truth = judged("all.ensemble")
        self.near(truth["loss"], (error ** 2).mean())
        self.near(truth["mae"], abs(error).mean())
        write_ensemble("some.ensemble", dict(zip(files, (1, 2, 5))))
        weights = numpy.array([1, 2, 5]) / 8
        got = table("some.ensemble")
        mean = weights @ each
        self.near(got["predicted"], mean)
        self.near(got["sd"], numpy.sqrt(weights @ (each - mean) ** 2))
        write_ensemble("middle.ensemble", dict.fromkeys(files, 1), "median")
        self.near(table("middle.ensemble")["predicted"],
                  numpy.median(each, axis=0))

    def test_spreads(self):
        self.rows(0)
        files = self.members(outputs=2, loss="heteroscedastic", metrics="mae")
        tables = [table_of_one(f) for f in files]
        mean = numpy.array([t["predicted"] for t in tables])
        own = numpy.exp(numpy.array([t["log_variance"] for t in tables])).mean(0)
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        got = table("all.ensemble")
        total = mean.var(0) + own
        self.near(got["predicted"], mean.mean(0))
        self.near(got["sd"], numpy.sqrt(total))
        self.near(got["epistemic"], mean.std(0))
        self.near(got["aleatoric"], numpy.sqrt(own))
        error = got["predicted"] - got["label"]
        self.near(judged("all.ensemble")["loss"],
                  (0.5 * (error ** 2 / total + numpy.log(total))).mean())

    def test_classes(self):
        self.rows(3)
        files = self.members(outputs=3, loss="sparse_categorical_crossentropy",
                             metrics="accuracy")
        names = ["p_%d" % k for k in range(3)]
        tables = [table_of_one(f) for f in files]
        each = numpy.array([[t[n] for n in names] for t in tables])
        label = tables[0]["label"].astype(int)
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        got = table("all.ensemble")
        mean = each.mean(0)
        entropy = -(mean * numpy.log(mean)).sum(0)
        own = -(each * numpy.log(each)).sum(1).mean(0)
        self.near([got[n] for n in names], mean)
        self.near(got["entropy"], entropy)
        self.near(got["mutual_information"], entropy - own)
        truth = judged("all.ensemble")
        at = numpy.arange(len(label))
        sums = mean.sum(0)
        self.near(truth["loss"], -numpy.log(mean[label, at] / sums).mean())
        self.near(truth["accuracy"], (mean.argmax(0) == label).mean())
        write_ensemble("votes.ensemble", dict.fromkeys(files, 1), "vote")
        votes = numpy.array([(each.argmax(1) == k).mean(0) for k in range(3)])
        self.near([table("votes.ensemble")[n] for n in names], votes)

    def test_batches_of_several_sizes(self):
        """The last bits of a float depend on how rows are put together."""
        self.rows(0)
        files = self.members((16, 32), outputs=1, loss="mse", metrics="mae")
        each = numpy.array([table_of_one(f)["predicted"] for f in files])
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        self.near(table("all.ensemble")["predicted"], each.mean(0), 1e-6)

    def test_two_classes_of_one_output(self):
        self.rows(2)
        files = self.members(outputs=1, loss="binary_crossentropy",
                             metrics="accuracy, auc")
        each = numpy.array([table_of_one(f)["p_1"] for f in files])
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        got = table("all.ensemble")
        mean = each.mean(0)
        self.near(got["p_1"], mean)
        yes = got["label"] == 1
        self.near(judged("all.ensemble")["loss"],
                  -numpy.log(numpy.where(yes, mean, 1 - mean)).mean())
        above = (mean[yes][:, None] > mean[~yes]).mean()
        self.near(judged("all.ensemble")["auc"], above)

    def test_samples(self):
        """One model that is asked several times, with its dropout."""
        self.rows(0)
        file, = self.members((16,), outputs=1, loss="mse", metrics="mae")
        still = table_of_one(file)["predicted"]
        first = table(file, "--samples", "1")["predicted"]
        self.assertGreater(abs(first - still).max(), 1e-3)
        two = table(file, "--samples", "2")
        second = 2 * two["predicted"] - first
        self.near(two["sd"], abs(second - first) / 2)
        self.assertGreater(two["sd"].max(), 1e-3)
        many = table(file, "--samples", "400")
        again = table(file, "--samples", "400")
        self.assertEqual(many["predicted"].tolist(),
                         again["predicted"].tolist())
        # Behind the dropout all is linear: the mean is that without it.
        error = many["sd"] / 20
        self.assertLess((abs(many["predicted"] - still) / error).max(), 5)

    def study(self, trials, **what):
        self.rows(what.pop("classes"))
        with open("model.yaml", "w") as f:
            f.write(MODEL % dict(what, batch=16))
        with open("study.yaml", "w") as f:
            f.write("name: s\nmodel: model.yaml\nmethod: random\n"
                    "run_cap: %d\nkeep: all\nparallel: 1\n"
                    "metric: {name: val_loss, goal: minimize}\n"
                    "parameters: {unused: {min: 0.0, max: 1.0}}\n" % trials)
        run("run", "-q", "study.yaml")
        return [".throng/s/trials/0/%d/output/weights.safetensors" % (i + 1)
                for i in range(trials)]

    def greedy(self, losses_of, members, most):
        """As the paper has it; losses_of: of weights."""
        taken, best = [], (numpy.inf, None)
        for _ in range(most):
            tried = [(losses_of(numpy.bincount(
                taken + [m], minlength=members) / (len(taken) + 1)), m)
                for m in range(members)]
            # Of those that differ by rounding alone the first is taken.
            loss = min(tried)[0]
            loss, m = next(t for t in sorted(tried, key=lambda t: t[1])
                           if t[0] <= loss + 1e-12 * abs(loss))
            taken.append(m)
            if loss < best[0] - 1e-12 * abs(loss):
                best = loss, numpy.bincount(taken, minlength=members)
        return best[0], best[1] / best[1].sum()

    def chosen(self, *words):
        out = run("ensemble", "s", "all", *words, "-o", "made.ensemble")
        rows = [line.split("\t") for line in out.splitlines()[1:]]
        return {int(trial): float(weight) for trial, weight in rows}

    def test_greedy(self):
        for what in (
                {"classes": 0, "outputs": 1, "loss": "mse", "metrics": "mae"},
                {"classes": 3, "outputs": 3, "metrics": "accuracy",
                 "loss": "sparse_categorical_crossentropy"}):
            files = self.study(6, **what)
            tables = [table_of_one(f) for f in files]
            truth = tables[0]["label"]
            if what["classes"]:
                said = numpy.array([[t["p_%d" % k] for k in range(3)]
                                    for t in tables])
                at = numpy.arange(len(truth))

                def loss(w):
                    p = numpy.tensordot(w, said, 1)
                    return -numpy.log(p[truth.astype(int), at]
                                      / p.sum(0)).mean()
            else:
                said = numpy.array([t["predicted"] for t in tables])

                def loss(w):
                    return ((w @ said - truth) ** 2).mean()
            wanted, weights = self.greedy(loss, len(files), 8)
            got = self.chosen("--greedy", "8", "--bundle")
            self.near([got.get(i + 1, 0) for i in range(6)], weights)
            self.near(judged("made.ensemble")["loss"], wanted)
            os.rename(".throng", "gone%d" % what["classes"])
            self.near(judged("made.ensemble")["loss"], wanted)

    def test_greedy_votes_are_chosen_by_their_votes(self):
        for loss, outputs, classes in (
                ("sparse_categorical_crossentropy", 3, 3),
                ("binary_crossentropy", 1, 2)):
            files = self.study(6, classes=classes, outputs=outputs, loss=loss,
                               metrics="accuracy")
            tables = [table_of_one(f) for f in files]
            truth = tables[0]["label"].astype(int)
            said = numpy.array([[t["p_%d" % k] for k in range(classes)]
                                for t in tables])
            votes = (said.argmax(1)[:, None, :]
                     == numpy.arange(classes)[:, None]).astype(float)
            least = float(numpy.finfo(numpy.float32).tiny)

            def loss_of(w):
                p = numpy.tensordot(w, votes, 1)
                right = p[truth, numpy.arange(len(truth))]
                return -numpy.log(numpy.maximum(right, least)).mean()
            wanted, _ = self.greedy(loss_of, len(files), 6)
            got = self.chosen("--greedy", "6", "--combine", "vote")
            weights = numpy.array([got.get(i + 1, 0) for i in range(6)])
            self.near(loss_of(weights), wanted)
            self.near(judged("made.ensemble")["loss"], wanted)
            os.rename(".throng", "voted%d" % classes)

    def test_greedy_goes_by_the_loss_of_the_model(self):
        """Of numbers numpy has it, of all what `evaluate` says."""
        for i, (loss, outputs, classes, error) in enumerate((
                ("mae", 1, 0, numpy.abs),
                ("huber\ndelta: 0.3", 1, 0, lambda d: numpy.where(
                    abs(d) > 0.3, 0.3 * (abs(d) - 0.15), d * d / 2)),
                ("quantile\nquantile: 0.9", 1, 0,
                 lambda d: numpy.maximum(-0.9 * d, 0.1 * d)),
                ("quantile\nquantile: [0.1, 0.5, 0.9]", 3, 0, None),
                ("dice", 1, 2, None),
                ("sparse_categorical_crossentropy\nclass_weights: [1, 4, 9]",
                 3, 3, None),
                ("mse\nweight: 3", 1, 0, lambda d: 3 * d * d))):
            files = self.study(5, classes=classes, outputs=outputs, loss=loss,
                               metrics="")
            done = subprocess.run(
                [THRONG, "ensemble", "s", "all", "--greedy", "6", "-o",
                 "made.ensemble"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = re.search(r"with the loss (\S+)", done.stderr)[1]
            self.near(float(said), judged("made.ensemble")["loss"], 1e-5)
            if error:
                tables = [table_of_one(f) for f in files]
                each = numpy.array([t["predicted"] for t in tables])
                wanted, _ = self.greedy(
                    lambda w: error(w @ each - tables[0]["label"]).mean(),
                    len(files), 6)
                self.near(judged("made.ensemble")["loss"], wanted)
            os.rename(".throng", "chosen%d" % i)

    def test_least_squares_are_refused_of_other_losses(self):
        for loss, outputs in (("mae", 1),
                              ("quantile\nquantile: [0.1, 0.5, 0.9]", 3)):
            self.study(2, classes=0, outputs=outputs, loss=loss, metrics="")
            for how in ("weighted", "stacking"):
                done = subprocess.run(
                    [THRONG, "ensemble", "s", "all", "--combine", how, "-o",
                     "none.ensemble"], capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("the loss is %s, and weights by least squares"
                              % loss.split("\n")[0], done.stderr)
                self.assertIn("--combine mean or median, or --greedy",
                              done.stderr)
                self.assertFalse(os.path.exists("none.ensemble"))
            os.rename(".throng", "gone-" + loss.split("\n")[0])

    def cross_validation(self, skip=(), **what):
        """Settings by folds. By setting what its folds say of the rows that
        they have held out (NaN: nobody has), and its trials."""
        self.rows(what.pop("classes"))
        with open("model.yaml", "w") as f:
            f.write(MODEL.replace("dense: 6", 'dense: "${units}"').replace(
                "validation: 0.3", 'test: 0.2, fold: {k: "${fold}", of: 3}')
                % dict(what, batch=16))
        points = [(u, k) for k in (1, 2, 3) for u in (2, 4, 6, 9)
                  if (u, k) not in skip]
        with open("points.csv", "w") as f:
            f.write("units,fold\n" + "".join("%d,%d\n" % p for p in points))
        with open("study.yaml", "w") as f:
            f.write("name: s\nmodel: model.yaml\npoints: points.csv\n"
                    "keep: all\nparallel: 1\n"
                    "metric: {name: val_loss, goal: minimize}\n")
        run("run", "-q", "study.yaml")
        said, label = {}, numpy.full(ROWS, numpy.nan)
        for i, (units, fold) in enumerate(points):
            one = table_of_one(
                ".throng/s/trials/0/%d/output/weights.safetensors" % (i + 1),
                "--rows", "validation")
            names = [n for n in one if n.startswith("p_")] or ["predicted"]
            own = said.setdefault(units, [numpy.full(
                (len(names), ROWS), numpy.nan), []])
            at = one["row"].astype(int) - 1
            self.assertTrue(numpy.isnan(own[0][:, at]).all(), "disjoint")
            own[0][:, at] = [one[n] for n in names]
            own[1].append(i + 1)
            label[at] = one["label"]
        return list(said.values()), label

    def shared(self, settings, weights):
        """Of settings, by trial."""
        return {trial: w / len(trials)
                for (_, trials), w in zip(settings, weights) for trial in trials
                if w > 0}

    def same_weights(self, got, wanted):
        self.assertEqual(sorted(got), sorted(wanted))
        self.near([got[t] for t in sorted(got)],
                  [wanted[t] for t in sorted(got)], 1e-8)

    @unittest.skipUnless(nnls, "scipy is not installed (python3-scipy)")
    def test_settings_of_a_cross_validation(self):
        for what, skip in (
                ({"classes": 0, "outputs": 1, "loss": "mse",
                  "metrics": "mae"}, ()),
                ({"classes": 3, "outputs": 3, "metrics": "accuracy",
                  "loss": "sparse_categorical_crossentropy"}, ()),
                ({"classes": 0, "outputs": 1, "loss": "mse",
                  "metrics": "mae"}, ((4, 2),))):
            numbers = not what["classes"]
            settings, label = self.cross_validation(skip, **dict(what))
            at = ~numpy.isnan([s for s, _ in settings]).any((0, 1))
            self.assertEqual(at.sum(), 86 if skip else 128)
            said = numpy.array([s[:, at] for s, _ in settings])
            truth = label[at]

            def loss(w):
                both = numpy.tensordot(w, said, 1)
                if numbers:
                    return ((both[0] - truth) ** 2).mean()
                return -numpy.log(both[truth.astype(int), range(len(truth))]
                                  / both.sum(0)).mean()
            wanted, weights = self.greedy(loss, len(settings), 8)
            done = subprocess.run(
                [THRONG, "ensemble", "s", "all", "--greedy", "8",
                 "--out-of-fold", "-o", "made.ensemble"],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.near(float(re.search(r"with the loss (\S+)",
                                      done.stderr)[1]), wanted, 1e-5)
            self.assertIn("on the %d rows that folds of each of 4 settings "
                          "have held out" % at.sum(), done.stderr)
            self.assertEqual("; 42 that not all of them have are left out"
                             in done.stderr, bool(skip))
            rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
            self.same_weights({int(t): float(w) for t, w in rows},
                              self.shared(settings, weights))
            if not skip:
                # By rows as `calibrate` has them it is as good.
                told = json.loads(run("calibrate", "--out-of-fold", "--json",
                                      "made.ensemble"))["outputs"][0]
                self.near(told["metrics"]["rmse"] ** 2 if numbers
                          else told["metrics"]["nll"], wanted, 1e-6)
            if numbers:
                # The middle of an even number of those who may speak.
                self.chosen("--combine", "median")
                told = json.loads(run("calibrate", "--out-of-fold", "--json",
                                      "made.ensemble"))["outputs"][0]
                speak = ~numpy.isnan([s[0] for s, _ in settings]).all(0)
                middle = numpy.nanmedian(
                    numpy.array([s[0] for s, _ in settings])[:, speak], 0)
                self.near(told["metrics"]["mae"],
                          numpy.abs(middle - label[speak]).mean(), 1e-9)
            self.assertEqual(said.shape[1], what["outputs"])
            truths = [truth] if numbers else [
                (truth == k).astype(float) for k in range(3)]
            for how in ("weighted", "stacking"):
                _, weights = self.fits(how, said.transpose(1, 2, 0), truths,
                                       numbers)
                self.same_weights(self.chosen("--combine", how,
                                              "--out-of-fold"),
                                  self.shared(settings, weights))
            # Out of fold a stack is judged by what it was fitted by.
            models = [self.stacked(said[:, k].T, t, numbers)
                      for k, t in enumerate(truths)]
            both = numpy.array([b + x @ said[:, k]
                                for k, (b, x) in enumerate(models)])
            if not numbers:
                both = numpy.minimum(both, 1)
                both /= both.sum(0)
            done = subprocess.run(
                [THRONG, "calibrate", "--out-of-fold", "--json",
                 "made.ensemble"], capture_output=True, text=True)
            told = json.loads(done.stdout)
            self.assertEqual(told["rows"], at.sum())
            self.assertEqual("42 rows are left out" in done.stderr,
                             bool(skip))
            metrics = told["outputs"][0]["metrics"]
            if numbers:
                errors = numpy.sort(numpy.abs(both[0] - truth))
                rank = math.ceil(round((len(errors) + 1) * 0.9, 9))
                self.near(metrics["mae"], errors.mean(), 1e-8)
                self.near(metrics["interval"], errors[rank - 1], 1e-8)
            else:
                self.near(metrics["nll"], -numpy.log(
                    both[truth.astype(int), range(len(truth))]).mean(), 1e-8)
            # What is stacked predicts new rows: the mean of each setting's
            # folds in the place of the setting.
            names = ["predicted"] if numbers else ["p_0", "p_1", "p_2"]
            tables = {t: table_of_one(
                ".throng/s/trials/0/%d/output/weights.safetensors" % t)
                for _, trials in settings for t in trials}
            new = numpy.array([numpy.mean([[tables[t][n] for n in names]
                                           for t in trials], 0)
                               for _, trials in settings])
            both = numpy.array([b + x @ new[:, k]
                                for k, (b, x) in enumerate(models)])
            if not numbers:
                both = numpy.minimum(both, 1)
                both /= both.sum(0)
            got = table("made.ensemble")
            self.assertEqual(len(got["row"]), 32)
            self.near([got[n] for n in names], both, 1e-8)
            os.rename(".throng", "gone%d%d" % (what["classes"], len(skip)))

    def weighed(self, errors):
        """The least of |errors @ w| where w is from 0 and adds up to 1."""
        scale = numpy.sqrt((errors ** 2).sum(0).max())
        u = nnls(numpy.vstack([errors, scale * numpy.ones(errors.shape[1])]),
                 numpy.append(numpy.zeros(len(errors)), scale))[0]
        return u / u.sum()

    def stacked(self, said, truth, added):
        """As scikit-learn's LinearRegression(positive=True) has it."""
        if not added:
            return 0, nnls(said, truth)[0]
        x = nnls(said - said.mean(0), truth - truth.mean())[0]
        return truth.mean() - said.mean(0) @ x, x

    def fits(self, how, said, truth, numbers):
        """said: outputs × rows × members; truth: outputs × rows. What is
        predicted, and whose weights are above 0."""
        if how == "weighted":
            errors = numpy.vstack([s - t[:, None]
                                   for s, t in zip(said, truth)])
            w = self.weighed(errors)
            return numpy.array([s @ w for s in said]), w
        models = [self.stacked(s, t, numbers) for s, t in zip(said, truth)]
        both = numpy.array([b + s @ x for s, (b, x) in zip(said, models)])
        if not numbers:
            both = numpy.minimum(both, 1)
            both = both / both.sum(0) if len(both) > 1 else both
        share = sum(x for _, x in models)
        return both, share / share.sum()

    @unittest.skipUnless(nnls, "scipy is not installed (python3-scipy)")
    def test_weighted_and_stacking(self):
        for what, names in (
                ({"classes": 0, "outputs": 1, "loss": "mse",
                  "metrics": "mae"}, ["predicted"]),
                ({"classes": 0, "outputs": 2, "loss": "heteroscedastic",
                  "metrics": "mae"}, ["predicted"]),
                ({"classes": 2, "outputs": 1, "metrics": "accuracy",
                  "loss": "binary_crossentropy"}, ["p_1"]),
                ({"classes": 3, "outputs": 3, "metrics": "accuracy",
                  "loss": "sparse_categorical_crossentropy"},
                 ["p_0", "p_1", "p_2"])):
            numbers, kind = not what["classes"], what["loss"]
            files = self.study(7, **what)
            tables = [table_of_one(f) for f in files]
            label = tables[0]["label"]
            said = [numpy.array([t[n] for t in tables]).T for n in names]
            truth = [label] if numbers else [label == int(n[2:])
                                             for n in names]
            truth = [t.astype(float) for t in truth]
            for how in ("weighted", "stacking"):
                wanted, weights = self.fits(how, said, truth, numbers)
                got = self.chosen("--combine", how)
                self.near([got.get(i + 1, 0) for i in range(7)], weights, 1e-8)
                self.assertLess(len(got), 7, kind)
                both = table("made.ensemble")
                self.near([both[n] for n in names], wanted)
                if kind == "mse":
                    error = (wanted[0] - label) ** 2
                    self.near(judged("made.ensemble")["loss"], error.mean())
                    told = json.loads(run("calibrate", "--json",
                                          "made.ensemble"))
                    self.near(told["outputs"][0]["metrics"]["rmse"],
                              numpy.sqrt(error.mean()))
            os.rename(".throng", "gone-" + kind)


if __name__ == "__main__":
    unittest.main()
