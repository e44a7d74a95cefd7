# thorough: matplotlib, a large package
"""candle.plot_history draws with the real matplotlib."""
import os
import sys
import tempfile
import types
import unittest
import warnings

import of_debian

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../python"))
from throng import candle

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import colors, image, pyplot
except ImportError:
    matplotlib = None

BLUE, ORANGE = "#1f77b4", "#ff7f0e"  # the first two lines of a chart


def has_colour(picture, name):
    want = colors.to_rgb(name)
    return bool((abs(picture[:, :, :3] - want).max(axis=2) < 0.01).any())


@unittest.skipUnless(matplotlib, "there is no matplotlib for this Python")
class Plots(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "new/folder/model")
        self.history = types.SimpleNamespace(history={
            "loss": [3, 2, 1.5], "val_loss": [4, 3, 3.5], "mae": [1, 1, 1]})

    def draw(self, *arguments, **more):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            candle.plot_history(self.out, *arguments, **more)

    def test_a_history_is_drawn_into_its_file(self):
        self.draw(self.history, "loss")
        picture = image.imread(self.out + ".plot.loss.png")
        self.assertTrue(has_colour(picture, BLUE))
        self.assertTrue(has_colour(picture, ORANGE))
        self.assertGreater(picture.shape[1], picture.shape[0])

    def test_what_has_no_validation_rows_is_one_line(self):
        self.draw(self.history, "mae", title="all of it")
        self.draw(self.history, val=False)
        for metric in "mae", "loss":
            picture = image.imread("%s.plot.%s.png" % (self.out, metric))
            self.assertTrue(has_colour(picture, BLUE))
            self.assertFalse(has_colour(picture, ORANGE))

    def test_a_dictionary_is_a_history_and_the_size_is_as_said(self):
        self.draw({"loss": [1, 2]}, width=2, height=6)
        picture = image.imread(self.out + ".plot.loss.png")
        self.assertGreater(picture.shape[0], 2 * picture.shape[1])

    def test_a_metric_that_it_has_not_is_named(self):
        with self.assertRaisesRegex(KeyError, "accuracy.*loss, mae, val_loss"):
            self.draw(self.history, "accuracy")
        self.assertFalse(os.path.exists(self.out + ".plot.accuracy.png"))

    def test_no_figure_stays_open(self):
        for _ in range(3):
            self.draw(self.history)
        self.assertEqual(pyplot.get_fignums(), [])


if __name__ == "__main__":
    unittest.main()
