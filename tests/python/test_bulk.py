"""Tables of an inference over many rows as arrays of NumPy, beside the same
tables as CSV."""

import csv
import os
import subprocess
import unittest

import of_debian  # noqa: F401

try:
    import numpy
except ImportError:
    numpy = None

from place import THRONG  # noqa: E402
from test_ensemble import Models, write_ensemble  # noqa: E402

RULES = ("{top: {by: %s, n: 7}, where: '%s > 0', all: true, "
         "histogram: {of: %s, bins: 4, from: -1, to: 1}}")


def predict(name, **keys):
    """Runs the inference, and says what was said."""
    with open(name + ".yaml", "w") as f:
        f.write("predict:\n")
        for key, value in keys.items():
            f.write("  %s: %s\n" % (key, value))
    return subprocess.run([THRONG, "run", name + ".yaml"],
                          capture_output=True, text=True)


@unittest.skipUnless(numpy, "numpy is not installed (python3-numpy)")
class Arrays(Models):
    def new_rows(self, names=("new0.csv", "new11.csv")):
        draw = numpy.random.default_rng(4)
        for name in names:
            with open(name, "w") as f:
                f.write("a,b,c\n")
                for row in draw.normal(size=(50, 3)):
                    f.write("%r,%r,%r\n" % tuple(map(float, row)))

    def same(self, array, text):
        """Each cell is what the CSV has there, to the last bit."""
        found = numpy.load(array)
        with open(text, newline="") as f:
            names, *rows = csv.reader(f)
        self.assertEqual(list(found.dtype.names), names)
        self.assertEqual(len(found), len(rows))
        for i, name in enumerate(names):
            cells = [row[i] for row in rows]
            column = found[name]
            if column.dtype.kind == "U":
                self.assertEqual(list(column), cells)
            elif name in ("row", "rows"):
                self.assertEqual(column.dtype, numpy.int64)
                self.assertEqual(list(column), list(map(int, cells)))
            else:
                self.assertEqual(column.dtype, numpy.float64)
                numpy.testing.assert_array_equal(
                    column, [float(x or "nan") for x in cells])
        return found

    def ensemble(self, classes):
        self.rows(classes)
        files = self.members(
            outputs=classes or 1, metrics="",
            loss="sparse_categorical_crossentropy" if classes else "mse")
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        self.new_rows()

    def test_all_rows_are_those_of_the_csv(self):
        self.ensemble(0)
        for size in 13, 40:
            self.assertEqual(predict(
                "npy%d" % size, models="all.ensemble", data="new*.csv",
                samples=3, shard=size, output="all%d.npy" % size).returncode, 0)
        predict("text", models="all.ensemble", data="new*.csv", samples=3,
                shard=17, output="all.csv")
        found = self.same("all13.npy", "all.csv")
        # Aleatoric is empty: no head says it.
        self.assertTrue(numpy.isnan(found["aleatoric"]).all())
        with open("all13.npy", "rb") as a, open("all40.npy", "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_rules_leave_arrays(self):
        self.ensemble(3)
        for form in "npy", "csv":
            said = predict(form, models="all.ensemble", data="new*.csv",
                           shard=13, output=form, format=form,
                           keep=RULES % (("entropy",) * 3))
            self.assertIn("top." + form, said.stderr)
        for name in "top", "histogram", "listed":
            self.same("npy/%s.npy" % name, "csv/%s.csv" % name)
        self.assertEqual(sorted(os.listdir("npy")),
                         ["histogram.npy", "listed.npy", "top.npy"])
        # The same study with tables of the other kind asks no model again.
        with open("npy.yaml") as f:
            text = f.read().replace("format: npy", "format: csv")
        with open("npy.yaml", "w") as f:
            f.write(text)
        again = subprocess.run([THRONG, "run", "npy.yaml"],
                               capture_output=True, text=True)
        self.assertIn("top.csv", again.stderr)
        self.assertIn("listed.csv", os.listdir("npy"))

    def test_rows_of_shards_that_failed_are_left_out(self):
        self.ensemble(0)
        with open("new05.csv", "w") as f:
            f.write("a,other\n" + "1,2\n" * 20)
        said = predict("some", models="all.ensemble", data="new*.csv",
                       shard=17, output="some.npy")
        self.assertEqual(said.returncode, 3)
        found = numpy.load("some.npy")
        self.assertEqual(list(found["file"]),
                         ["new0.csv"] * 50 + ["new11.csv"] * 50)
        self.assertEqual(list(found["row"]), 2 * list(range(1, 51)))
        self.assertTrue(os.path.exists("some.npy.missing.csv"))

    def test_names_of_columns_are_read_back(self):
        self.rows(2)
        with open("rows.csv") as f:
            lines = f.read().split("\n")
        kinds = {"0": "it's \\ \"1\"", "1": "größer, ja"}
        with open("rows.csv", "w", newline="") as f:
            out = csv.writer(f)
            out.writerow(lines[0].split(","))
            for line in filter(None, lines[1:]):
                cells = line.split(",")
                out.writerow(cells[:3] + [kinds[cells[3]]])
        files = self.members(batches=(16,), outputs=2, metrics="",
                             loss="sparse_categorical_crossentropy")
        self.new_rows(["new.csv"])
        for form in "npy", "csv":
            predict(form, models=files[0], data="new.csv", shard=20,
                    output="one." + form)
        found = self.same("one.npy", "one.csv")
        self.assertIn("p_größer, ja", found.dtype.names)
        self.assertEqual(set(found["predicted"]), set(kinds.values()))


if __name__ == "__main__":
    unittest.main()
