"""What is said of rows, and of how sure predictions are, beside scikit-learn."""
# thorough: scikit-learn and scipy are large packages

import json
import unittest

import of_debian  # noqa: F401

try:
    import numpy
    import sklearn.covariance
    import sklearn.decomposition
    import sklearn.metrics
except ImportError:
    sklearn = None

from test_calibrate import calibrated  # noqa: E402
from test_ensemble import Models, judged, run, table, write_ensemble  # noqa: E402
from test_novelty import columns, layer  # noqa: E402


@unittest.skipUnless(sklearn, "scikit-learn is not installed "
                              "(python3-sklearn)")
class Beside(Models):
    def one(self):
        self.rows(0)
        self.members(batches=(16,), outputs=1, loss="mse", metrics="mae")

    def test_distances(self):
        self.one()
        run("novelty", "m0.safetensors", "-o", "m.novelty")
        with open("m.novelty") as f:
            found = json.load(f)
        x = layer("--rows", "training")
        fitted = sklearn.covariance.LedoitWolf().fit(x)
        self.near(found["shrinkage"], fitted.shrinkage_)
        self.near(found["covariance"],
                  fitted.covariance_[numpy.tril_indices(x.shape[1])])
        scored = columns("--novelty", "m.novelty", "--rows", "training")
        self.near(scored["distance"] ** 2, fitted.mahalanobis(x))

    def test_groups_and_components(self):
        self.one()
        x = layer()
        got = columns("--layer", "dense_1", "--k-means", "3")
        self.near(got["silhouette"],
                  sklearn.metrics.silhouette_samples(x, got["cluster"]))
        got = columns("--layer", "dense_1", "--pca", "2")
        wanted = sklearn.decomposition.PCA(2, svd_solver="full")
        wanted = wanted.fit_transform(x)
        for k in range(2):
            mine = got["pc_%d" % (k + 1)]
            sign = numpy.sign(mine @ wanted[:, k])  # theirs is arbitrary
            self.near(mine, sign * wanted[:, k])

    def test_numbers_of_an_ensemble(self):
        self.rows(0)
        files = self.members(outputs=1, loss="mse", metrics="mae")
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        rows, got = table("all.ensemble"), calibrated("all.ensemble")
        truth, said = rows["label"], rows["predicted"]
        self.near(got["mae"], sklearn.metrics.mean_absolute_error(truth, said))
        self.near(got["rmse"], sklearn.metrics.mean_squared_error(
            truth, said, squared=False))

    def test_classes_of_an_ensemble(self):
        self.rows(3)
        files = self.members(outputs=3, loss="sparse_categorical_crossentropy",
                             metrics="accuracy")
        write_ensemble("all.ensemble", dict.fromkeys(files, 1))
        rows, got = table("all.ensemble"), calibrated("all.ensemble")
        truth = rows["label"].astype(int)
        p = numpy.array([rows["p_%d" % k] for k in range(3)]).T
        self.near(got["accuracy"],
                  sklearn.metrics.accuracy_score(truth, p.argmax(1)))
        p = p / p.sum(1, keepdims=True)
        self.near(got["nll"],
                  sklearn.metrics.log_loss(truth, p, labels=[0, 1, 2]))
        self.near(judged("all.ensemble")["accuracy"], got["accuracy"])


if __name__ == "__main__":
    unittest.main()
