"""Tables, scaling, partitions and noise of CANDLE models."""

import contextlib
import io
import random
import unittest
import warnings

from candle_place import Candle, need_numpy

need_numpy()

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from throng import candle  # noqa: E402
from throng.candle import partition  # noqa: E402


def quiet(call, *args, **options):
    with contextlib.redirect_stdout(io.StringIO()), \
            warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **options)


class Partitions(unittest.TestCase):
    def test_cross_validation(self):
        parts = candle.generate_cross_validation_partition(
            range(5), n_folds=5, n_repeats=2, portions=None, random_seed=0)
        tests = [2, 0, 1, 3, 4, 0, 2, 1, 4, 3]
        self.assertEqual(parts, [
            [[t], [i for i in range(5) if i != t]] for t in tests])

    def test_groups_stay_together_and_large_ones_come_first(self):
        labels = list("aabcccd")
        parts = candle.generate_cross_validation_partition(labels, n_folds=2)
        self.assertEqual(parts, [[[3, 4, 5, 6], [0, 1, 2]],
                                 [[0, 1, 2], [3, 4, 5, 6]]])
        parts = candle.generate_cross_validation_partition(
            range(6), n_folds=3, portions=[1, 1, 1])
        self.assertEqual(parts[1], [[1, 4], [2, 5], [0, 3]])

    def test_folds_that_cannot_be(self):
        with self.assertRaisesRegex(ValueError, "2 groups cannot fill 5"):
            candle.generate_cross_validation_partition([0, 0, 1])
        with self.assertRaisesRegex(ValueError, "add up to 4, not to"):
            candle.generate_cross_validation_partition(range(9),
                                                       portions=[2, 2])

    def distribute(self, train, test, valid, **params):
        got = quiet(candle.generate_index_distribution, train, test, valid,
                    params)
        return [None if part is None else part.tolist() for part in got]

    def test_block_lists(self):
        def span(*ends):
            return [i for a, b in zip(ends[::2], ends[1::2])
                    for i in range(a, b + 1)]
        for sizes, lists, expected in [
                ((10, 4, 0), ([0, 1], [2], []),
                 (span(0, 5), span(6, 9), None)),
                ((10, 4, 0), ([0, 2], [], [1]),
                 (span(0, 4, 10, 13), None, span(5, 9))),
                ((7, 3, 1), ([0, 1], [2], [3]),
                 (span(0, 5), span(6, 8), span(9, 10))),
                ((11, 0, 0), ([2, 0], [1], []),
                 (span(8, 10, 0, 3), span(4, 7), None)),
                ((6, 4, 0), ([1, 3], [0], [2]),
                 (span(3, 5, 9, 9), span(0, 2), span(6, 8))),
                ((5, 0, 0), ([0, 1, 2], [3], []),
                 (span(0, 2), span(3, 4), None))]:
            got = self.distribute(*sizes, uq_train_vec=lists[0],
                                  uq_valid_vec=lists[1],
                                  uq_test_vec=lists[2])
            self.assertEqual(got, list(expected), (sizes, lists))

    def sizes(self, parts):
        return [None if p is None else len(p) for p in parts]

    def test_block_counts(self):
        for sizes, blocks, expected in [
                ((10, 4, 0), (2, 1, 0), [6, 3, None]),
                ((11, 4, 0), (2, 1, 0), [8, 3, None]),
                ((100, 50, 0), (2, 0, 1), [100, None, 50]),
                ((1000, 500, 0), (4, 1, 1), [1000, 250, 250])]:
            got = self.distribute(*sizes, uq_train_bks=blocks[0],
                                  uq_valid_bks=blocks[1],
                                  uq_test_bks=blocks[2])
            self.assertEqual(self.sizes(got), expected)
            members = [i for p in got if p for i in p]
            self.assertEqual(len(set(members)), len(members))

    def test_fractions(self):
        for sizes, fractions, expected in [
                ((7, 3, 0), (.5, .5, 0), [4, 3, None]),
                ((5, 3, 0), (.5, .5, 0), [2, 2, None]),
                ((100, 50, 50), (.5, .25, .25), [100, 50, 50]),
                ((100, 50, 0), (.6, 0., .4), [90, None, 60])]:
            got = self.distribute(*sizes, uq_train_fr=fractions[0],
                                  uq_valid_fr=fractions[1],
                                  uq_test_fr=fractions[2])
            self.assertEqual(self.sizes(got), expected)
        np.random.seed(3)
        first = self.distribute(9, 0, 0, uq_train_fr=.5, uq_valid_fr=.5,
                                uq_test_fr=0)
        np.random.seed(3)
        self.assertEqual(first, self.distribute(
            9, 0, 0, uq_train_fr=.5, uq_valid_fr=.5, uq_test_fr=0))

    def test_the_first_complete_triplet_counts(self):
        got = self.distribute(
            4, 0, 0, uq_train_fr=.5, uq_valid_fr=.5, uq_train_vec=[1],
            uq_valid_vec=[0], uq_test_vec=[], uq_train_bks=1, uq_valid_bks=1,
            uq_test_bks=0)
        self.assertEqual(got, [[2, 3], [0, 1], None])

    def test_what_is_refused_or_warned_of(self):
        with self.assertRaisesRegex(KeyError, "uq_train_"):
            self.distribute(1, 1, 1, uq_train_fr=1)
        with self.assertRaisesRegex(ValueError, "not 1.5"):
            self.distribute(1, 1, 1, uq_train_fr=1.5, uq_valid_fr=0,
                            uq_test_fr=0)
        with self.assertRaisesRegex(ValueError, "add up to"):
            self.distribute(1, 1, 1, uq_train_fr=.5, uq_valid_fr=0.4,
                            uq_test_fr=0)
        with self.assertRaisesRegex(ValueError, "at least one"):
            self.distribute(1, 1, 1, uq_train_bks=0, uq_valid_bks=0,
                            uq_test_bks=0)
        with self.assertWarnsRegex(RuntimeWarning, "not each of 0 to 1"), \
                contextlib.redirect_stdout(io.StringIO()):
            candle.generate_index_distribution(4, 0, 0, {
                "uq_train_vec": [0], "uq_valid_vec": [0], "uq_test_vec": []})
        with self.assertWarnsRegex(RuntimeWarning, "3 equal blocks"), \
                contextlib.redirect_stdout(io.StringIO()):
            candle.generate_index_distribution(10, 0, 0, {
                "uq_train_bks": 2, "uq_valid_bks": 1, "uq_test_bks": 0})

    def test_limits(self):
        self.assertEqual(partition.compute_limits(10, 3, 3, 1), (3, 6))
        self.assertEqual(partition.compute_limits(10, 3, 3, 2), (6, 10))


class Scaling(unittest.TestCase):
    MAT = np.array([[1., -4., 5.], [3., 2., 5.]])

    def test_each_way(self):
        for way, expected in [
                (None, self.MAT), ("none", self.MAT),
                ("maxabs", [[1 / 3, -1, 1], [1, .5, 1]]),
                ("minabs", [[1 / 3, -1, 1], [1, .5, 1]]),
                ("minmax", [[0, 0, 0], [1, 1, 0]]),
                ("std", [[-1, -1, 0], [1, 1, 0]])]:
            got = candle.scale_array(self.MAT.copy(), way)
            np.testing.assert_allclose(got, expected, err_msg=str(way))
        with self.assertRaisesRegex(ValueError, "one of maxabs"):
            candle.scale_array(self.MAT, "stdd")

    def test_gaps_and_kinds_of_numbers(self):
        gaps = np.array([[np.nan, np.nan], [1., np.nan], [3., np.nan]])
        for way, column in (("std", [np.nan, -1, 1]),
                            ("minmax", [np.nan, 0, 1]),
                            ("maxabs", [np.nan, 1 / 3, 1])):
            got = candle.scale_array(gaps, way)
            np.testing.assert_allclose(got[:, 0], column)
            self.assertTrue(np.isnan(got[:, 1]).all())
        self.assertEqual(candle.scale_array(
            self.MAT.astype(np.float32), "std").dtype, np.float32)
        np.testing.assert_allclose(candle.scale_array(
            np.array([[1], [3]]), "minmax"), [[0], [1]])
        constant = np.full((7, 1), 0.1)
        np.testing.assert_allclose(candle.scale_array(constant, "std"), 0,
                                   atol=1e-12)

    def test_gaps_are_filled(self):
        mat = np.array([[1., np.nan], [np.nan, np.nan], [3., np.nan]])
        np.testing.assert_allclose(candle.impute_and_scale_array(mat),
                                   [[1, 0], [2, 0], [3, 0]])
        frame = pd.DataFrame({"a": [1., np.nan, 1., 4.], "b": [np.nan] * 4})
        for way, value in (("mean", 2), ("median", 1), ("most_frequent", 1)):
            got = candle.drop_impute_and_scale_dataframe(
                frame, scaling=None, imputing=way)
            self.assertEqual(got.columns.tolist(), ["a"])
            self.assertEqual(got["a"][1], value)
        got = candle.drop_impute_and_scale_dataframe(frame, None, "mean",
                                                     dropna=None)
        self.assertEqual(got["b"].tolist(), [0, 0, 0, 0])

    def test_classes(self):
        np.testing.assert_array_equal(
            candle.to_categorical([[0], [2]]), [[1, 0, 0], [0, 0, 1]])
        np.testing.assert_array_equal(
            candle.convert_to_class([[.1, .9], [.8, .2]]), [1, 0])
        with self.assertRaisesRegex(ValueError, "the class 5 is not one of"):
            candle.to_categorical([1, 5], 3)
        np.testing.assert_array_equal(
            candle.discretize_array(np.arange(10), bins=2),
            [0] * 5 + [1] * 5)
        frame = candle.discretize_dataframe(
            pd.DataFrame({"x": [1, 5, 9]}), "x", cutoffs=[4, 8])
        self.assertEqual(frame["x"].tolist(), [0, 1, 2])

    def test_lookup(self):
        frame = pd.DataFrame({"a": ["Lung", "lungs", "skin"],
                              "v": [1, 2, 3]})
        self.assertEqual(candle.lookup(frame, "LUNG", ["v"], ["a"]), [1])
        self.assertEqual(sorted(candle.lookup(
            frame, "lung", ["v"], ["a"], "contains")), [1, 2])


class Tables(Candle):
    def setUp(self):
        super().setUp()
        rows = ["%d,%s,%d,%d,%d" % (i, "ab"[i % 2], i, 10 * i, -i)
                for i in range(10)]
        self.train = self.write("train.csv", "id,kind,x,y,z\n"
                                + "\n".join(rows) + "\n")
        self.test = self.write("test.csv", "id,kind,x,y,z\n9,c,20,200,-20\n")

    def test_parts_come_as_they_are_asked_for(self):
        x, = candle.load_csv_data(self.train, drop_cols=["id", "kind"])
        self.assertEqual(x.columns.tolist(), ["x", "y", "z"])
        got = candle.load_csv_data(
            self.train, self.test, y_cols=["kind"], drop_cols=["id"],
            onehot_cols=["kind"], validation_split=0.25,
            return_dataframe=False, return_header=True)
        self.assertEqual([part.shape for part in got[:6]],
                         [(8, 3), (8, 3), (2, 3), (2, 3), (1, 3), (1, 3)])
        self.assertEqual(got[6], ["x", "y", "z"])
        self.assertEqual(got[7], ["kind:a", "kind:b", "kind:c"])
        self.assertEqual(got[2][:, 0].tolist(), [8, 9])
        self.assertEqual(got[5].tolist(), [[0, 0, 1]])

    def test_the_listing_of_the_tutorial(self):
        x_train, y_train, x_val, y_val, x_test, y_test, x_labels, y_labels = \
            candle.load_csv_data(
                self.train, self.test, x_cols=None, y_cols=["kind"],
                drop_cols=["id"], onehot_cols=["kind"], n_cols=2,
                shuffle=True, scaling="minmax", dtype="f32",
                validation_split=0.1, return_dataframe=False,
                return_header=True, seed=2017)
        self.assertEqual(x_labels, ["x", "y"])
        self.assertEqual(x_train.dtype, np.float32)
        self.assertEqual((len(x_train), len(x_val), len(x_test)), (9, 1, 1))
        self.assertEqual(x_test.tolist(), [[1, 1]])

    def test_a_split_of_no_rows_leaves_training_whole(self):
        x, val = candle.load_csv_data(self.train, drop_cols=["kind"],
                                      validation_split=0.05)
        self.assertEqual((len(x), len(val)), (10, 0))
        with self.assertRaisesRegex(ValueError, "fraction"):
            candle.load_csv_data(self.train, validation_split=2)

    def test_columns(self):
        def names(**options):
            return candle.load_csv_data(self.train, **options)[0] \
                .columns.tolist()
        self.assertEqual(names(x_cols=["z", "x"]), ["x", "z"])
        self.assertEqual(names(n_cols=2, x_cols=["z"]), ["id", "z"])
        self.assertEqual(names(n_cols=2, x_cols=["z"], drop_cols=["id"]),
                         ["kind", "z"])
        self.assertEqual(len(names(n_cols=3, random_cols=True)), 3)
        with self.assertRaisesRegex(KeyError, "no column 'q'.*id, kind"):
            candle.load_csv_data(self.train, drop_cols=["q"])

    def test_one_hot_features_come_first(self):
        x = candle.load_csv_data(self.train, onehot_cols=["kind"],
                                 drop_cols=["id"])[0]
        self.assertEqual(x.columns.tolist(),
                         ["kind:a", "kind:b", "x", "y", "z"])

    def test_shuffles_are_those_of_pandas(self):
        x = candle.load_csv_data(self.train, drop_cols=["kind"],
                                 shuffle=True, seed=7)[0]
        self.assertEqual(x["x"].tolist(), pd.read_csv(self.train).sample(
            frac=1, random_state=7)["x"].tolist())
        self.assertEqual(len(candle.load_csv_data(
            self.train, nrows=4, drop_cols=["kind"])[0]), 4)

    def test_the_older_loaders(self):
        options = dict(class_col="kind", drop_cols=["id", "kind"],
                       scaling="maxabs")
        (x, y), (xv, yv), (xt, yt) = candle.load_Xy_one_hot_data2(
            self.train, self.test, validation_split=0.2, **options)
        self.assertEqual((x.shape, xv.shape, xt.shape),
                         ((8, 3), (2, 3), (1, 3)))
        self.assertEqual(xv[:, 0].tolist(), [0, np.float32(1 / 20)])
        # A class that only one file has still has its column in both.
        self.assertEqual((y.shape, yv.shape, yt.tolist()),
                         ((8, 3), (2, 3), [[0, 0, 1]]))
        (_, y), (_, yv), (_, yt) = candle.load_Xy_data2(
            self.train, self.test, validation_split=0.2, **options)
        self.assertEqual((yv.tolist(), yt.tolist()), ([0, 1], [2]))
        (x, y), (xt, yt) = candle.load_Xy_one_hot_data(
            self.train, self.test, **options)
        self.assertEqual((len(x), len(xt)), (10, 1))
        x, xt = candle.load_X_data(self.train, self.test,
                                   drop_cols=["id", "kind"])
        self.assertEqual((len(x), len(xt), x.dtype), (10, 1, np.float32))
        x, xv, xt = candle.load_X_data2(self.train, self.test,
                                        drop_cols=["id", "kind"])
        self.assertEqual((len(x), len(xv), len(xt)), (9, 1, 1))
        with self.assertRaisesRegex(ValueError, "class_col"):
            candle.load_Xy_data2(self.train, self.test)

    def test_the_column_of_the_labels_may_be_a_list_of_one(self):
        def load(column):
            return candle.load_Xy_one_hot_data2(
                self.train, self.test, class_col=column,
                drop_cols=["id", "kind"], validation_split=0.2)
        for got, wanted in zip(load(["kind"]), load("kind")):
            np.testing.assert_array_equal(got[1], wanted[1])
        with self.assertRaisesRegex(ValueError, "one column"):
            load(["kind", "id"])

    def test_without_a_header(self):
        train = self.write("a.csv", "0,1,2\n1,3,4\n")
        test = self.write("b.csv", "1,5,8\n")
        x, y, xt, yt = candle.load_Xy_data_noheader(train, test, 2,
                                                    scaling="maxabs")
        np.testing.assert_allclose(x, [[.2, .25], [.6, .5]], rtol=1e-6)
        self.assertEqual((y.tolist(), yt.tolist()),
                         ([[1, 0], [0, 1]], [[0, 1]]))


class Features(unittest.TestCase):
    def test_gaps(self):
        data = np.array([[1, np.nan, 1], [2, np.nan, np.nan]])
        self.assertEqual(candle.select_features_by_missing_values(
            data, 0.6).tolist(), [0, 2])

    def test_variation(self):
        data = np.array([[0., 1, 5], [0, 2, 9], [0, 3, np.nan]])
        self.assertEqual(candle.select_features_by_variation(
            data, threshold=0.1).tolist(), [1, 2])
        self.assertEqual(candle.select_features_by_variation(
            data, "mad", portion=0.4).tolist(), [2])
        self.assertEqual(candle.select_features_by_variation(
            data).tolist(), [])
        with self.assertRaises(ValueError):
            candle.select_features_by_variation(data, threshold=1, portion=1)

    def test_correlation(self):
        a = np.array([1., 2, 3, 4])
        data = np.column_stack([a, a, -2 * a, [5, 1, 4, 2], [7, 7, 7, 7]])
        self.assertEqual(candle.select_decorrelated_features(data).tolist(),
                         [0, 2, 3])
        for method in ("pearson", "spearman"):
            self.assertEqual(candle.select_decorrelated_features(
                pd.DataFrame(data), method, threshold=0.9).tolist(), [0, 3])
        self.assertEqual(len(candle.select_decorrelated_features(
            data, threshold=0.9, random_seed=1)), 2)

    def test_quantiles(self):
        got = candle.quantile_normalization(np.array([[1., 2, 3],
                                                      [9., 5, 7]]))
        np.testing.assert_allclose(got, [[3, 4.5, 6], [6, 3, 4.5]])
        frame = candle.quantile_normalization(pd.DataFrame(
            [[1., np.nan], [2., 4.]], index=["r", "s"]))
        self.assertTrue(np.isnan(frame.loc["r", 1]))


class Noise(unittest.TestCase):
    def setUp(self):
        random.seed(1)
        np.random.seed(1)

    def labels(self, classes, count=400):
        return candle.to_categorical(np.arange(count) % classes)

    def test_labels_are_flipped_and_stay_labels(self):
        for classes in (2, 5):
            before = self.labels(classes)
            after, share = quiet(candle.label_flip, before.copy(), 0.3)
            self.assertTrue((after.sum(axis=1) == 1).all())
            changed = (after != before).any(axis=1).mean()
            self.assertEqual(changed, share)
            self.assertTrue(0.2 < share < 0.4, share)

    def test_two_classes_flip_as_in_the_original(self):
        random.seed(9)
        flips = [random.random() < 0.5 for _ in range(50)]
        random.seed(9)
        before = self.labels(2, 50)
        after, _ = quiet(candle.label_flip, before.copy(), 0.5)
        self.assertEqual((after != before).any(axis=1).tolist(), flips)

    def test_with_a_feature(self):
        x = np.column_stack([np.arange(100), np.zeros(100)])
        before = self.labels(2, 100)
        after, share = quiet(candle.label_flip_correlated, before.copy(),
                             1.0, x, [0], 49)
        self.assertEqual((after != before).any(axis=1).tolist(),
                         [False] * 50 + [True] * 50)
        self.assertEqual(share, 0.5)

    def test_features(self):
        x = np.zeros((500, 3))
        self.assertAlmostEqual(candle.add_gaussian_noise(
            x, 0, 2.0).std(), 2, delta=0.2)
        got = candle.add_column_noise(x.copy(), 0, 1, [1], "uniform")
        self.assertTrue((np.abs(got) <= 1).all() and got[:, 1].any())
        self.assertFalse(got[:, [0, 2]].any())
        got = quiet(candle.add_cluster_noise, x.copy(), 0, 1, [2], "gaussian",
                    range(100), 0.5)
        self.assertFalse(got[100:].any() or got[:, :2].any())
        self.assertTrue(30 < (got[:, 2] != 0).sum() < 70)
        with self.assertRaisesRegex(ValueError, "gaussian or uniform"):
            candle.add_column_noise(x, noise_type="pink")

    def test_what_the_parameters_ask_for(self):
        x, y = np.zeros((50, 2)), self.labels(2, 50)
        settings = {"label_noise": 0.0, "noise_correlated": False,
                    "feature_col": [1], "feature_threshold": 1,
                    "noise_gaussian": False, "noise_cluster": False,
                    "noise_column": False, "noise_type": "gaussian",
                    "std_dev": 1.0, "sample_ids": [0, 1]}

        def apply(**more):
            got = quiet(candle.add_noise, x.copy(), y.copy(),
                        {**settings, **more})
            return [(np.array_equal(got[0], x), np.array_equal(got[1], y))][0]
        self.assertEqual(apply(add_noise=False, label_noise=1.0),
                         (True, True))
        self.assertEqual(apply(add_noise=True, label_noise=1.0),
                         (True, False))
        self.assertEqual(apply(add_noise=True, noise_gaussian=True),
                         (False, True))
        self.assertEqual(apply(add_noise=True, noise_column=True),
                         (False, True))
        self.assertEqual(apply(add_noise=True, noise_cluster=True,
                               label_noise=1.0), (False, True))


class Uncertainty(unittest.TestCase):
    def frame(self, *columns):
        rows = 4
        filler = [np.zeros(rows)] * 4
        truth = [np.array([1., 2, 3, 4]), np.zeros(rows)]
        return pd.DataFrame(np.column_stack(filler + truth + list(columns)))

    def test_passes(self):
        truth = np.array([1., 2, 3, 4])
        got = quiet(candle.compute_statistics_homoscedastic,
                    self.frame(truth, truth + 2))
        np.testing.assert_allclose(got[1], truth + 1)
        np.testing.assert_allclose(got[2], [-1] * 4)
        np.testing.assert_allclose(got[3], [1] * 4)
        self.assertEqual(got[5], 4)
        with self.assertRaisesRegex(ValueError, "at least"):
            candle.compute_statistics_homoscedastic(self.frame().iloc[:, :3])

    def test_learned_spread(self):
        truth = np.array([1., 2, 3, 4])
        logs = np.log(np.full(4, 9.))
        got = quiet(candle.compute_statistics_heteroscedastic,
                    self.frame(truth, logs, truth, logs))
        np.testing.assert_allclose(got[3], [3] * 4)

    def test_quantiles(self):
        truth = np.array([1., 2, 3, 4])
        got = quiet(candle.compute_statistics_quantile,
                    self.frame(truth, truth - 1.28, truth + 1.28))
        np.testing.assert_allclose(got[3], [1] * 4)
        np.testing.assert_allclose(got[6], truth - 1.28)

    def test_a_summary(self):
        frame = pd.DataFrame(np.arange(16.).reshape(2, 8))
        got = quiet(candle.compute_statistics_homoscedastic_summary, frame)
        self.assertEqual((got[0].tolist(), got[1].tolist(), got[3].tolist()),
                         ([0, 8], [6, 14], [7, 15]))

    def test_a_split_for_calibration(self):
        values = np.arange(10.)
        parts = candle.split_data_for_empirical_calibration(
            values, values + 100, values + 200, 0.8)
        self.assertEqual([len(p) for p in parts], [10, 8, 2, 8, 2, 8, 2])
        self.assertEqual(sorted(np.concatenate(parts[5:7])), list(values))
        np.testing.assert_allclose(parts[1], parts[5] + 200)


if __name__ == "__main__":
    unittest.main()
