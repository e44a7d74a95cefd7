"""With the real numpy and pandas, of this Python or of the system's."""

import os
import sys
import unittest

import of_debian

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None

from place import STAND_IN, THRONG, InFolder, said  # noqa: E402

sys.path.insert(0, STAND_IN)
os.environ["THRONG_WANDB"] = "stand-in"

import throng  # noqa: E402
import wandb  # noqa: E402
from wandb import _init  # noqa: E402


@unittest.skipUnless(numpy, "numpy and pandas are not installed (python3-pandas)")
class Numpy(InFolder):
    def setUp(self):
        super().setUp()
        self.enter_trial()
        _init._runs.clear()

    def test_its_scalars_are_numbers(self):
        throng.report(step=numpy.int64(3), a=numpy.float32(0.5),
                      b=numpy.array(2), c=numpy.array([[7.0]]),
                      d=numpy.bool_(True), e=numpy.float64("nan"))
        line = self.metrics()[0]
        self.assertEqual((line["step"], line["a"], line["b"], line["c"],
                          line["d"]), (3, 0.5, 2, 7.0, True))
        self.assertNotEqual(line["e"], line["e"])

    def test_its_arrays_are_not(self):
        with self.assertRaisesRegex(TypeError, "the metric a is not"):
            throng.report(a=numpy.zeros(2))

    def test_wandb_keeps_arrays_pictures_and_histograms(self):
        with said():
            with wandb.init(config={"w": numpy.arange(2)}) as run:
                run.config.update({"w": run.config.w})
                run.log({"loss": numpy.float64(1), "array": numpy.ones(2),
                         "im": wandb.Image(numpy.zeros((2, 3, 3), "uint8")),
                         "h": wandb.Histogram(numpy.ones((2, 2))),
                         "t": wandb.Table(columns=["a"],
                                          data=numpy.eye(1).tolist())})
        row = self.lines("output/wandb/history.jsonl")[0]
        self.assertEqual(row["array"], [1, 1])
        for name in ("im", "h", "t"):
            self.assertGreater(os.path.getsize("output/wandb/" +
                                               row[name]["path"]), 10)
        self.assertEqual(self.metrics(), [{"step": 0, "loss": 1.0}])


@unittest.skipUnless(pandas, "numpy and pandas are not installed (python3-pandas)")
class Pandas(InFolder):
    def test_trials_are_a_frame(self):
        self.write("s.yaml", "command: [sh, -c, 'throng report loss={x}']\n"
                   "method: grid\nmetric: {name: loss}\n"
                   "parameters: {x: {values: [1, 2]}}\n")
        with said():
            study = throng.Study("s.yaml", program=THRONG).run()
        rows = study.trials()
        self.assertEqual(rows[0]["params"], {"x": 1})
        self.assertIn("<table", rows._repr_html_())
        frame = rows.frame()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame["x"]), [1, 2])
        self.assertEqual(list(frame["loss"]), [1.0, 2.0])
        ranked = study.rank().frame()
        self.assertEqual(list(ranked["id"]), [1, 2])
        self.assertEqual(frame.groupby("state")["value"].min()["done"], 1.0)

    def test_a_frame_is_a_table(self):
        table = wandb.Table(dataframe=pandas.DataFrame({"a": [1, 2]}))
        self.assertEqual((table.columns, table.data), (["a"], [[1], [2]]))


if __name__ == "__main__":
    unittest.main()
