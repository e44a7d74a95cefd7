"""Joins beside pandas' merge: a model that is trained on tables that throng
joins is the one that is trained on the table that pandas has written; and
scales beside what numpy says of the same columns."""

import csv
import os
import subprocess
import unittest

import of_debian

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None

from place import THRONG, InFolder  # noqa: E402

MODEL = """\
layers: [{dense: 4, activation: tanh}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: 0.01}
batch_size: 16
epochs: 2
seed: 5
data: {label: y, validation: 0.25, %s}
"""
JOIN = ("file: response.csv, join: {drug1: drugs.csv, drug2: drugs.csv, "
        "cell: {file: cells.csv, key: name}}")
ROWS = 120


@unittest.skipUnless(numpy, "numpy and pandas are not installed (python3-pandas)")
class Join(InFolder):
    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(3)
        self.drugs = pandas.DataFrame({
            "drug": ["D%d" % i for i in range(12)],
            "a": draw.normal(size=12), "b": draw.normal(size=12) * 3,
            "c": draw.integers(0, 5, 12)})
        self.cells = pandas.DataFrame({
            "x": draw.normal(size=9), "name": range(100, 109),
            "tissue": draw.choice(["lung", "skin", "colon"], 9)})
        self.response = pandas.DataFrame({
            "drug1": draw.choice(self.drugs["drug"], ROWS),
            "cell": draw.choice(self.cells["name"], ROWS),
            "dose": draw.normal(size=ROWS),
            "drug2": draw.choice(self.drugs["drug"], ROWS),
            "y": draw.normal(size=ROWS)})

    def tables(self):
        self.drugs.to_csv("drugs.csv", index=False)
        self.cells.to_csv("cells.csv", index=False)
        self.response.to_csv("response.csv", index=False)

    def merged(self, how):
        """What pandas joins, with the names that throng gives, in the order
        of the rows: an inner join of old pandas has one of its own."""
        table = self.response.reset_index()
        for key, other, name in (("drug1", self.drugs, "drug"),
                                 ("drug2", self.drugs, "drug"),
                                 ("cell", self.cells, "name")):
            renamed = other.rename(columns={
                c: "%s.%s" % (key, c) for c in other.columns if c != name})
            table = table.merge(renamed, how=how, left_on=key, right_on=name,
                                validate="many_to_one", sort=False)
            table = table.drop(columns=name)
        return table.sort_values("index").drop(
            columns=["index", "drug1", "drug2", "cell"])

    def train(self, name, data, extra=""):
        self.write(name + ".yaml", MODEL % (data + extra))
        done = subprocess.run([THRONG, "train", name + ".yaml"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def predict(self, name, *words):
        done = subprocess.run(
            [THRONG, "predict", name + ".safetensors", "--csv", *words],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.reader(done.stdout.splitlines()))

    def fails(self, name, data):
        self.write(name + ".yaml", MODEL % data)
        done = subprocess.run([THRONG, "train", name + ".yaml"],
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_it_is_merge(self):
        self.tables()
        self.merged("left").to_csv("merged.csv", index=False)
        for n, extra in enumerate((", scale: std", ", scale: quantile",
                                   ", scale: robust, outliers: {iqr: 1}")):
            self.train("joined%d" % n, JOIN, extra)
            self.train("merged%d" % n, "file: merged.csv", extra)
            self.assertEqual(self.predict("joined%d" % n),
                             self.predict("merged%d" % n))

    def test_missing_keys_are_what_a_left_join_lacks(self):
        self.response.loc[[3, 40, 41], "drug2"] = "D99"
        self.response.loc[7, "cell"] = 999
        self.tables()
        self.assertIn("response.csv:5: column drug2: \"D99\" is not in ",
                      self.fails("refused", JOIN))
        # Filled by means: pandas' left join has gaps in the same places.
        self.merged("left").to_csv("merged.csv", index=False)
        self.train("joined", JOIN, ", missing: mean, scale: std")
        self.train("merged", "file: merged.csv", ", missing: mean, scale: std")
        self.assertEqual(self.predict("joined"), self.predict("merged"))

    def test_dropped_keys_are_an_inner_join(self):
        self.response.loc[[3, 40, 41], "drug2"] = "D99"
        self.response.loc[7, "cell"] = 999
        self.tables()
        inner = self.merged("inner")
        inner.to_csv("merged.csv", index=False)
        self.assertEqual(len(inner), ROWS - 4)
        said = self.train("joined", JOIN, ", missing: drop, scale: std")
        self.assertIn("3 of 120 rows have a drug2 that ", said)
        self.assertIn("1 of 120 rows have a cell that ", said)
        self.train("merged", "file: merged.csv", ", scale: std")
        rows = [line[1:] for line in self.predict("joined")[1:]]
        self.assertEqual(rows, [line[1:] for line in
                                self.predict("merged")[1:]])

    def test_double_keys_are_refused_by_both(self):
        self.drugs.loc[8, "drug"] = "D2"
        self.tables()
        with self.assertRaises(pandas.errors.MergeError):
            self.merged("left")
        self.assertIn("drugs.csv:10: column drug: the key \"D2\" stands twice "
                      "(first in line 4)", self.fails("double", JOIN))

    def test_new_rows_are_joined_by_the_weights(self):
        self.tables()
        self.train("joined", JOIN, ", scale: std")
        whole = self.predict("joined", "--data", "response.csv")
        some = self.response.iloc[[9, 2]][["cell", "drug2", "dose", "drug1"]]
        some.to_csv("new.csv", index=False)
        new = self.predict("joined", "--data", "new.csv")
        names = whole[0]
        at = names.index("y") if "y" in names else -1
        self.assertEqual(len(new), 3)
        for line, row in zip(new[1:], (9, 2)):
            self.assertIn(line[-1], whole[row + 1], (names, at))
        done = subprocess.run(
            [THRONG, "evaluate", "joined.safetensors", "--data",
             "response.csv"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.rename("drugs.csv", "elsewhere.csv")
        done = subprocess.run(
            [THRONG, "predict", "joined.safetensors", "--data", "new.csv"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("drugs.csv, which the model joins its rows with",
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
