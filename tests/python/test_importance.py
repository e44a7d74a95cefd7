# thorough: models are asked again for every column of theirs
"""`evaluate --importance` is what shuffling a file by hand comes to."""

import csv
import hashlib
import json
import os
import random
import subprocess
import tempfile
import unittest

from place import THRONG

MASK = (1 << 64) - 1
REPEATS = 3


def stir(x):
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def permuted(key, k, n):
    """As src/base/rng.c has it."""
    half = 1
    while half < 32 and (n - 1) >> (2 * half):
        half += 1
    mask = (1 << half) - 1
    stirred = stir((key + 0x9E3779B97F4A7C15) & MASK)
    while True:
        left, right = k >> half, k & mask
        for turn in range(1, 9):
            mixed = stir((stirred + (right << 8 | turn)) & MASK)
            left, right = right, left ^ (mixed >> 32 & mask)
        k = left << half | right
        if k < n:
            return k


MODEL = """
layers: [{dense: 6, activation: tanh}, dense: %s]
loss: %s
metrics: [%s]
epochs: 40
optimizer: {name: adam, lr: 0.03}
data: {file: rows.csv, label: y, scale: std}
"""


class Importance(unittest.TestCase):
    NAMES = ["size", "colour", "none", "g1", "g2", "y"]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        chance = random.Random(4)
        self.rows = []
        for _ in range(60):
            size, colour = chance.gauss(0, 1), chance.choice(["red", "blue"])
            g1 = chance.gauss(5, 2)
            truth = 2 * size + (colour == "red") + 0.1 * g1
            self.rows.append(["%.5f" % size, colour, "%.5f" % chance.random(),
                              "%.5f" % g1, "%.5f" % chance.random(),
                              "%.5f" % truth])

    def write(self, name, rows):
        with open(os.path.join(self.folder, name), "w", newline="",
                  encoding="utf-8") as f:
            csv.writer(f).writerows([self.NAMES, *rows])

    def throng(self, *words, code=0):
        done = subprocess.run([THRONG, *words], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if not code else done.stderr

    def train(self, *words):
        self.write("rows.csv", self.rows)
        with open(os.path.join(self.folder, "net.yaml"), "w",
                  encoding="utf-8") as f:
            f.write(MODEL % words)
        self.throng("train", "net.yaml")

    model = "net.safetensors"

    def judged(self, file, *words):
        return json.loads(self.throng("evaluate", self.model, "--data",
                                      file, "--json", *words))

    def by_hand(self, columns, metric):
        """By how much the metric changes, order by order."""
        before = self.judged("rows.csv")["metrics"][metric]
        found = []
        for repeat in range(REPEATS):
            rows = [list(row) for row in self.rows]
            for k, row in enumerate(rows):
                other = self.rows[permuted(repeat + 1, k, len(rows))]
                for column in columns:
                    row[self.NAMES.index(column)] = \
                        other[self.NAMES.index(column)]
            self.write("other.csv", rows)
            found.append(self.judged("other.csv")["metrics"][metric] - before)
        mean = sum(found) / REPEATS
        spread = (sum((x - mean) ** 2 for x in found) / (REPEATS - 1)) ** 0.5
        return mean, spread

    def compare(self, told, columns, metrics):
        for metric in metrics:
            mean, spread = self.by_hand(columns, metric)
            change = told["changes"][metric]
            self.assertAlmostEqual(change["mean"], mean, 9)
            self.assertAlmostEqual(change["sd"], spread, 9)

    def test_columns_by_hand(self):
        self.train("1", "mse", "mae")
        told = self.judged("rows.csv", "--importance", "--repeats",
                           str(REPEATS))
        self.assertEqual(told["importance"]["baseline"], told["metrics"])
        columns = {one["name"]: one for one in told["importance"]["columns"]}
        self.assertEqual(set(columns), set(self.NAMES) - {"y"})
        self.assertEqual(columns["colour"]["columns"], 2)  # one a category
        self.assertEqual(told["importance"]["columns"][0]["name"], "size")
        for name in ("size", "colour", "none"):
            self.compare(columns[name], [name], ["loss", "mae"])
        self.assertGreater(
            columns["size"]["changes"]["loss"]["mean"],
            20 * abs(columns["none"]["changes"]["loss"]["mean"]))

    def test_groups_by_hand(self):
        self.rows = [[*row[:-1], str(int(float(row[-1]) > 1))]
                     for row in self.rows]
        self.train("2", "sparse_categorical_crossentropy", "accuracy")
        told = self.judged("rows.csv", "--importance", "--repeats",
                           str(REPEATS), "--groups", "genes=g*; look=colour")
        columns = {one["name"]: one for one in told["importance"]["columns"]}
        self.assertEqual(set(columns), {"genes", "look"})
        self.compare(columns["genes"], ["g1", "g2"], ["loss", "accuracy"])
        self.compare(columns["look"], ["colour"], ["loss", "accuracy"])

    def train_several(self, *words):
        """Members that are each fitted on rows of their own: scaling, and the
        categories, differ."""
        self.rows[7][1] = "green"
        self.write("rows.csv", self.rows)
        with open(os.path.join(self.folder, "net.yaml"), "w",
                  encoding="utf-8") as f:
            f.write((MODEL % words).replace("std}", "std, bootstrap: true}"))
        members = []
        for seed in range(4):
            name = "m%d.safetensors" % seed
            self.throng("train", "net.yaml", "--seed", str(seed),
                        "--output", name)
            with open(os.path.join(self.folder, name), "rb") as f:
                digest = hashlib.sha256(f.read()).hexdigest()
            members.append({"weights": name, "sha256": digest,
                            "weight": 1 + seed})
        with open(os.path.join(self.folder, "all.ensemble"), "w",
                  encoding="utf-8") as f:
            json.dump({"format": "throng.ensemble/1", "combine": "mean",
                       "members": members}, f)
        self.model = "all.ensemble"

    def test_an_ensemble_by_hand(self):
        self.train_several("1", "mse", "mae")
        told = self.judged("rows.csv", "--importance", "--repeats",
                           str(REPEATS))
        self.assertEqual(told["importance"]["baseline"], told["metrics"])
        columns = {one["name"]: one for one in told["importance"]["columns"]}
        self.assertEqual(set(columns), set(self.NAMES) - {"y"})
        for name in ("size", "colour", "none"):
            self.compare(columns[name], [name], ["loss", "mae"])
        # By what single members predict of the last shuffled file.
        each = [[float(row["predicted"]) for row in csv.DictReader(
            self.throng("predict", "m%d.safetensors" % seed, "--data",
                        "other.csv", "--csv").splitlines())]
                for seed in range(4)]
        wrong = sum((sum((1 + seed) * each[seed][k] for seed in range(4)) / 10
                     - float(row[-1])) ** 2
                    for k, row in enumerate(self.rows)) / len(self.rows)
        self.assertAlmostEqual(self.judged("other.csv")["metrics"]["loss"],
                               wrong, 6)
        told = self.judged("rows.csv", "--importance", "--groups",
                           "genes=g*;look=colour", "--repeats", str(REPEATS))
        columns = {one["name"]: one for one in told["importance"]["columns"]}
        self.compare(columns["genes"], ["g1", "g2"], ["loss", "mae"])
        self.assertIn("the group a names the column zzz: ", self.throng(
            "evaluate", "all.ensemble", "--importance", "--groups", "a=zzz",
            code=1))

    def test_samples_of_one_model(self):
        """With its dropout: the same draws for every order."""
        self.write("rows.csv", self.rows)
        with open(os.path.join(self.folder, "net.yaml"), "w",
                  encoding="utf-8") as f:
            f.write((MODEL % ("1", "mse", "mae")).replace(
                "dense: 1", "{dropout: 0.3}, dense: 1"))
        self.throng("train", "net.yaml")
        judged = self.judged
        self.judged = lambda file, *words: judged(file, "--samples", "4",
                                                  *words)
        told = self.judged("rows.csv", "--importance", "--repeats",
                           str(REPEATS))
        columns = {one["name"]: one for one in told["importance"]["columns"]}
        self.compare(columns["size"], ["size"], ["loss", "mae"])

    def test_its_own_rows_and_tables(self):
        self.train("1", "mse", "mae")
        out = self.throng("evaluate", "net.safetensors", "--importance")
        self.assertIn("shuffled\tloss by\t±\tmae by\t±", out)
        self.assertIn("\nsize\t", out)

    def test_a_column_in_two_groups(self):
        """Each group is shuffled by itself, whole."""
        self.train("1", "mse", "mae")
        self.write("rows.csv", self.rows)
        told = self.judged("rows.csv", "--importance", "--groups",
                           "genes=g*;more=size,g1;", "--repeats", str(REPEATS))
        columns = {one["name"]: one for one in told["importance"]["columns"]}
        self.compare(columns["genes"], ["g1", "g2"], ["loss", "mae"])
        self.compare(columns["more"], ["size", "g1"], ["loss", "mae"])

    def test_bad_words(self):
        self.train("1", "mse", "mae")
        for words, code, text in (
                (["--groups", "a=zzz"], 1,
                 "the group a names the column zzz: the data has none that "
                 "is called so"),
                (["--groups", "a=g1,sise;b=g2"], 1,
                 "the group a names the column sise: the data has none that "
                 "is called so; did you mean size?"),
                (["--groups", "a=size;b=g1;a=g2"], 2,
                 "--groups has two groups a: put the columns of both into "
                 "one, or give one another name"),
                (["--groups", "zzz"], 2, "--groups is NAME=COLUMN"),
                (["--groups", "a=g1;zzz"], 2, "`zzz` is no such group"),
                (["--groups", ""], 2, "--groups is NAME=COLUMN"),
                (["--repeats", "0"], 2, "--repeats is a whole number")):
            self.assertIn(text, self.throng(
                "evaluate", "net.safetensors", "--importance", *words,
                code=code))
        for words in (["--groups", "a=size"], ["--repeats", "3"]):
            self.assertIn("%s goes with --importance" % words[0], self.throng(
                "evaluate", "net.safetensors", *words, code=2))
        bare = [row[:-1] for row in self.rows]
        self.NAMES, names = self.NAMES[:-1], self.NAMES
        self.write("bare.csv", bare)
        self.NAMES = names
        self.assertIn("the rows have no labels", self.throng(
            "evaluate", "net.safetensors", "--data", "bare.csv",
            "--importance", code=1))


if __name__ == "__main__":
    unittest.main()
