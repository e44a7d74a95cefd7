"""Rows of a layer beside numpy: distances from training rows with their
threshold, principal components, k-means and silhouettes."""

import csv
import io
import json
import math
import subprocess
import unittest

import of_debian  # noqa: F401

try:
    import numpy
except ImportError:
    numpy = None

from place import THRONG  # noqa: E402
from test_ensemble import Models, run, write_ensemble  # noqa: E402


def floats(rows):
    """The numbers of a layer are floats, of which a table has nine digits."""
    return numpy.array([[numpy.float32(x) for x in row] for row in rows],
                       numpy.float64)


def layer(*words):
    rows = list(csv.reader(io.StringIO(
        run("predict", "--csv", "m0.safetensors", "--layer", "dense_1",
            *words))))
    return floats([row[1:] for row in rows[1:]])


def columns(*words):
    rows = list(csv.DictReader(io.StringIO(
        run("predict", "--csv", "m0.safetensors", *words))))
    return {name: numpy.array([float(r[name] or "nan") for r in rows])
            for name in rows[0]}


def shrunk(x):
    """Ledoit and Wolf's covariance, by their definition: the distance of the
    covariances of single rows from that of all is its noise."""
    x = x - x.mean(0)
    n, p = x.shape
    s = x.T @ x / n
    mu = numpy.trace(s) / p
    spread = ((s - mu * numpy.eye(p)) ** 2).sum() / p
    noise = sum(((numpy.outer(r, r) - s) ** 2).sum() for r in x) / p / n ** 2
    share = min(noise, spread) / spread
    return (1 - share) * s + share * mu * numpy.eye(p), share


def distances(x, of):
    inverse = numpy.linalg.inv(shrunk(of)[0])
    off = x - of.mean(0)
    return numpy.sqrt(numpy.einsum("ij,jk,ik->i", off, inverse, off))


@unittest.skipUnless(numpy, "numpy is not installed (python3-numpy)")
class Novelty(Models):
    def setUp(self):
        super().setUp()
        self.rows(0)
        self.members(batches=(16,), outputs=1, loss="mse", metrics="mae")

    def fit(self, *words):
        run("novelty", "m0.safetensors", "-o", "m.novelty", *words)
        with open("m.novelty") as f:
            return json.load(f)

    def test_the_distance_is_mahalanobis(self):
        found = self.fit("--alpha", "0.1")
        training = layer("--rows", "training")
        held_out = layer("--rows", "validation")
        covariance, share = shrunk(training)
        self.assertEqual(found["layer"], "dense_1")
        self.assertEqual(found["rows"], len(training))
        self.assertEqual(found["held_out"], len(held_out))
        self.near(found["shrinkage"], share)
        self.near(found["mean"], training.mean(0))
        self.near(found["covariance"],
                  covariance[numpy.tril_indices(len(covariance))])
        rank = math.ceil(round((len(held_out) + 1) * 0.9, 9))
        limit = numpy.sort(distances(held_out, training))[rank - 1]
        self.near(found["threshold"], limit)
        with open("new.csv", "w") as f:
            f.write("a,b,c\n0.1,0.2,-0.1\n900,-900,900\n-8,0,0\n")
        scored = columns("--data", "new.csv", "--novelty", "m.novelty")
        wanted = distances(layer("--data", "new.csv"), training)
        self.near(scored["distance"], wanted)
        self.assertEqual(list(scored["unlike"]), list(wanted > limit))
        own = columns("--novelty", "m.novelty", "--rows", "validation")
        self.assertLessEqual(own["unlike"].mean(), 0.1)
        plain = columns("--data", "new.csv")
        self.assertEqual(list(plain["predicted"]), list(scored["predicted"]))

    def test_of_an_ensemble_it_is_a_mean_of_members(self):
        """Each by its own training rows, divided by the root of its width."""
        files = self.members(batches=(16, 8, 16), outputs=1, loss="mse",
                             metrics="mae")
        with open("wide.yaml", "w") as f:
            f.write("""\
layers: [{dense: 9, activation: tanh, name: wide}, {dense: 1}]
loss: mse
epochs: 2
data: {file: rows.csv, label: y, scale: std, validation: 0.3}
""")
        run("train", "wide.yaml", "--output", "wide.safetensors")
        files.append("wide.safetensors")
        weights = numpy.array([1, 2, 4, 1]) / 8
        write_ensemble("all.ensemble", dict(zip(files, weights * 8)))
        run("novelty", "all.ensemble", "-o", "all.novelty", "--alpha", "0.1")
        with open("all.novelty") as f:
            head, *lines = [json.loads(line) for line in f]
        self.assertEqual([m["layer"] for m in lines],
                         ["dense_1"] * 3 + ["wide"])
        self.near(head["weights"], weights)

        def rows(file, *words):
            layer = "wide" if file.startswith("wide") else "dense_1"
            found = list(csv.reader(io.StringIO(run(
                "predict", "--csv", file, "--layer", layer, *words))))[1:]
            return [r[0] for r in found], floats([r[1:] for r in found])

        def scores(*words):
            """By row: the mean of what members make of it."""
            told = []
            for file, weight in zip(files, weights):
                training = rows(file, "--rows", "training")[1]
                names, x = rows(file, *words)
                part = weight * distances(x, training) / x.shape[1] ** 0.5
                told.append(dict(zip(names, part)))
            common = [n for n in told[0] if all(n in t for t in told)]
            return numpy.array([sum(t[n] for t in told) for n in common])

        held_out = scores("--rows", "validation")
        self.assertEqual(head["held_out"], len(held_out))
        rank = math.ceil(round((len(held_out) + 1) * 0.9, 9))
        limit = numpy.sort(held_out)[rank - 1]
        self.near(head["threshold"], limit)
        with open("new.csv", "w") as f:
            f.write("a,b,c\n0.1,0.2,-0.1\n900,-900,900\n-8,0,0\n")
        found = list(csv.DictReader(io.StringIO(run(
            "predict", "--csv", "all.ensemble", "--data", "new.csv",
            "--novelty", "all.novelty"))))
        wanted = scores("--data", "new.csv")
        self.near([float(r["distance"]) for r in found], wanted)
        self.assertEqual([r["unlike"] for r in found],
                         [str(int(w > limit)) for w in wanted])
        plain = list(csv.DictReader(io.StringIO(run(
            "predict", "--csv", "all.ensemble", "--data", "new.csv"))))
        self.assertEqual([r["predicted"] for r in plain],
                         [r["predicted"] for r in found])
        self.refused("fitted for an ensemble", "predict", "m0.safetensors",
                     "--novelty", "all.novelty")
        self.fit()
        self.refused("fitted for no ensemble", "predict", "all.ensemble",
                     "--novelty", "m.novelty")
        write_ensemble("less.ensemble", dict.fromkeys(files[:2], 1))
        self.refused("fitted for another ensemble", "predict",
                     "less.ensemble", "--novelty", "all.novelty")
        with open("rows.csv") as f, open("other.csv", "w") as to:
            to.write(f.read())
        with open("wide.yaml") as f:
            text = f.read().replace("rows.csv", "other.csv")
        with open("other.yaml", "w") as f:
            f.write(text)
        run("train", "other.yaml", "--output", "other.safetensors")
        write_ensemble("other.ensemble", dict.fromkeys(
            [files[0], "other.safetensors"], 1))
        self.refused("none are held out by all", "novelty", "other.ensemble",
                     "-o", "x")

    def refused(self, text, *words):
        done = subprocess.run([THRONG, *words], capture_output=True,
                              text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(text, done.stderr)

    def test_what_cannot_be_scored_is_refused(self):
        def says(text, *words):
            done = subprocess.run([THRONG, *words], capture_output=True,
                                  text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, done.stderr)
        says("too few", "novelty", "m0.safetensors", "-o", "x", "--alpha",
             "0.001")
        says("has no test rows", "novelty", "m0.safetensors", "-o", "x",
             "--rows", "test")
        says("has no layer nowhere", "novelty", "m0.safetensors", "-o", "x",
             "--layer", "nowhere")
        says("takes training, validation or test", "predict",
             "m0.safetensors", "--rows", "some")
        self.fit()
        self.members(batches=(8,), outputs=1, loss="mse", metrics="mae")
        says("fitted for other weights", "predict", "m0.safetensors",
             "--novelty", "m.novelty")
        with open("m.novelty", "w") as f:
            f.write('{"format": "throng.novelty/1", "layer": "dense_1"}')
        says("is damaged", "predict", "m0.safetensors", "--novelty",
             "m.novelty")
        with open("m.novelty", "w") as f:
            f.write('{}')
        says("is none that `novelty` has written", "predict",
             "m0.safetensors", "--novelty", "m.novelty")
        says("goes with predictions", "predict", "m0.safetensors",
             "--novelty", "m.novelty", "--layer", "dense_1")
        says("say --layer NAME", "predict", "m0.safetensors", "--pca", "2")
        says("up to the 6 of the layer", "predict", "m0.safetensors",
             "--layer", "dense_1", "--pca", "7")
        says("up to the 48 rows", "predict", "m0.safetensors", "--layer",
             "dense_1", "--k-means", "49")

    def test_principal_components(self):
        x = layer()
        found = columns("--layer", "dense_1", "--pca", "3")
        _, s, v = numpy.linalg.svd(x - x.mean(0), full_matrices=False)
        for k in range(3):
            direction = v[k] * numpy.sign(v[k][numpy.abs(v[k]).argmax()])
            self.near(found["pc_%d" % (k + 1)], (x - x.mean(0)) @ direction)
        told = subprocess.run([THRONG, "predict", "m0.safetensors", "--layer",
                               "dense_1", "--pca", "1"], capture_output=True,
                              text=True)
        self.assertIn("pc_1 has %.1f %% of the variance"
                      % (100 * s[0] ** 2 / (s ** 2).sum()), told.stderr)

    def test_groups(self):
        x = layer()
        found = columns("--layer", "dense_1", "--k-means", "4")
        group = found["cluster"]
        sizes = [(group == k).sum() for k in (1, 2, 3, 4)]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertTrue(all(sizes))
        # No row is nearer to the centre of another group.
        centres = numpy.array([x[group == k].mean(0) for k in (1, 2, 3, 4)])
        far = ((x[:, None] - centres) ** 2).sum(2)
        self.assertEqual(list(far.argmin(1) + 1), list(group))
        # No start of many finds a better one by more than a little.
        draw = numpy.random.default_rng(1)
        best = min(self.squares(x, draw) for _ in range(50))
        self.assertLess(far.min(1).sum(), best * 1.05)
        # Silhouettes by their definition.
        apart = numpy.sqrt(((x[:, None] - x) ** 2).sum(2))
        for i, own in enumerate(group):
            mean = {k: apart[i][group == k].sum() / (sizes[int(k) - 1]
                                                     - (k == own))
                    for k in (1, 2, 3, 4) if k != own or sizes[int(k) - 1] > 1}
            a, b = mean.get(own), min(v for k, v in mean.items() if k != own)
            wanted = 0 if a is None else (b - a) / max(a, b)
            self.near(found["silhouette"][i], wanted)

    @staticmethod
    def squares(x, draw):
        centres = x[draw.choice(len(x), 4, replace=False)]
        for _ in range(100):
            group = ((x[:, None] - centres) ** 2).sum(2).argmin(1)
            centres = numpy.array([
                x[group == k].mean(0) if (group == k).any() else centres[k]
                for k in range(4)])
        return ((x - centres[group]) ** 2).sum()


if __name__ == "__main__":
    unittest.main()
