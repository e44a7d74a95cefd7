# thorough: needs python3-torch and python3-h5py
"""Weights of Keras and of PyTorch predict here what they predict there.

Keras is not in Debian: its files are written by h5py as Keras 2 and Keras 3
lay them out, and what they predict is computed by NumPy and PyTorch."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

import of_debian

try:
    import h5py
    import numpy
    import torch
    import torch.nn.functional as F
except ImportError as fault:
    torch, WHY = None, "%s has no PyTorch or h5py: %s" % (sys.executable,
                                                           fault)

from place import BUILD

THRONG = os.path.join(BUILD, "throng")
CLOSE = 1e-6


def softmax(x):
    e = numpy.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def relu(x):
    return numpy.maximum(x, 0)


@unittest.skipIf(torch is None, torch is None and WHY)
class Foreign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = numpy.random.default_rng(7)
        torch.manual_seed(3)
        torch.set_num_threads(1)

    def path(self, name):
        return os.path.join(self.folder, name)

    def numbers(self, *shape):
        return self.random.normal(0, 0.4, shape).astype("f4")

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text if isinstance(text, str) else json.dumps(text))

    def throng(self, *words, fails=False):
        done = subprocess.run([THRONG, *words], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return done.stderr if fails else done.stdout

    def predicted(self, *words):
        """The numbers of each row, without its number, label and class."""
        lines = list(csv.DictReader(io.StringIO(
            self.throng("predict", *words, "--csv"))))
        names = [n for n in lines[0] if n.startswith("p_")] or ["predicted"]
        return numpy.array([[float(line[n]) for n in names]
                            for line in lines])

    def agree(self, ours, theirs):
        theirs = numpy.asarray(theirs, "f8").reshape(len(theirs), -1)
        self.assertEqual(ours.shape, theirs.shape)
        self.assertLess(numpy.abs(ours - theirs).max(), CLOSE)
        self.assertGreater(numpy.abs(theirs).max(), 1e-2)


# ---- Keras -----------------------------------------------------------------

def layer(kind, name, **config):
    return {"class_name": kind, "config": {"name": name, **config}}


def sequential(*layers):
    return {"class_name": "Sequential", "keras_version": "2.4.0",
            "config": {"name": "sequential", "layers": list(layers)}}


def joined(layers, inputs, outputs):
    """A functional model: each layer with the names that it takes."""
    told = []
    for one, sources in layers:
        nodes = [[[s, 0, 0, {}] for s in sources]] if sources else []
        told.append({**one, "name": one["config"]["name"],
                     "inbound_nodes": nodes})
    return {"class_name": "Functional", "config": {
        "name": "model", "layers": told,
        "input_layers": [[n, 0, 0] for n in inputs],
        "output_layers": [[n, 0, 0] for n in outputs]}}


def write_keras2(path, weights, root=""):
    """weights: {layer: {variable: array}}; a slash in a variable is a group
    below the layer's own."""
    with h5py.File(path, "w") as f:
        top = f.create_group(root) if root else f
        top.attrs["layer_names"] = [n.encode() for n in weights]
        for name, variables in weights.items():
            group = top.create_group(name)
            group.attrs["weight_names"] = [
                ("%s/%s:0" % (name, v)).encode() for v in variables]
            for variable, array in variables.items():
                group.create_dataset("%s/%s:0" % (name, variable), data=array)


def write_keras3(path, layers):
    """layers: {"dense_1" or "bidirectional/forward_layer/cell": [arrays]}"""
    with h5py.File(path, "w") as f:
        for name, arrays in layers.items():
            group = f.create_group("layers/%s/vars" % name)
            for i, array in enumerate(arrays):
                group.create_dataset(str(i), data=array)
        f.create_group("optimizer/vars").create_dataset("0", data=3)
        f.create_group("layers/dropout/seed_generator/vars").create_dataset(
            "0", data=numpy.arange(2, dtype="u4"))


class Keras(Foreign):
    MLP = sequential(
        layer("Dense", "first", units=8, activation="relu", use_bias=True,
              batch_input_shape=[None, 5]),
        layer("BatchNormalization", "norm", axis=[1], epsilon=0.002,
              momentum=0.9, center=True, scale=True),
        layer("Dropout", "drop", rate=0.5, noise_shape=None, seed=None),
        layer("Dense", "second", units=3, activation="softmax",
              use_bias=False))

    def mlp(self):
        w = {"first": {"kernel": self.numbers(5, 8),
                       "bias": self.numbers(8)},
             "norm": {"gamma": self.numbers(8) + 1, "beta": self.numbers(8),
                      "moving_mean": self.numbers(8),
                      "moving_variance": abs(self.numbers(8)) + 0.5},
             "drop": {},
             "second": {"kernel": self.numbers(8, 3)}}
        x = self.numbers(20, 5)
        n = w["norm"]
        h = relu(x @ w["first"]["kernel"] + w["first"]["bias"])
        h = ((h - n["moving_mean"]) / numpy.sqrt(n["moving_variance"] + 0.002)
             * n["gamma"] + n["beta"])
        self.write("model.json", self.MLP)
        self.truth = softmax(h @ w["second"]["kernel"])
        self.labels = self.random.integers(0, 3, 20)
        numpy.savetxt(self.path("rows.csv"), x, "%.9g", ",")
        numpy.savetxt(self.path("known.csv"),
                      numpy.column_stack([x, self.labels]), "%.9g", ",")
        return w

    def test_a_network_of_keras_2(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        ours = self.predicted("model.json", "--weights", "weights.h5",
                              "--data", "rows.csv")
        self.agree(ours, self.truth)

    def test_a_network_that_keras_2_saved_as_a_whole(self):
        write_keras2(self.path("all.h5"), self.mlp(), "model_weights")
        self.agree(self.predicted("model.json", "--weights", "all.h5",
                                  "--data", "known.csv"), self.truth)

    def test_a_network_of_keras_3(self):
        w = self.mlp()
        write_keras3(self.path("m.weights.h5"), {
            "dense": [w["first"]["kernel"], w["first"]["bias"]],
            "batch_normalization": list(w["norm"].values()),
            "dense_1": [w["second"]["kernel"]]})
        self.agree(self.predicted("model.json", "--weights", "m.weights.h5",
                                  "--data", "rows.csv"), self.truth)

    def test_a_file_that_keras_3_saved_as_a_whole(self):
        w = self.mlp()
        write_keras3(self.path("m.weights.h5"), {
            "dense": [w["first"]["kernel"], w["first"]["bias"]],
            "batch_normalization": list(w["norm"].values()),
            "dense_1": [w["second"]["kernel"]]})
        with zipfile.ZipFile(self.path("net.keras"), "w") as z:
            z.writestr("metadata.json", '{"keras_version": "3.3.3"}')
            z.writestr("config.json", json.dumps(self.MLP))
            z.write(self.path("m.weights.h5"), "model.weights.h5")
        self.agree(self.predicted("net.keras", "--data", "rows.csv"),
                   self.truth)
        self.assertIn("leave out --weights", self.throng(
            "predict", "net.keras", "--weights", "m.weights.h5", "--data",
            "rows.csv", fails=True))
        with zipfile.ZipFile(self.path("half.keras"), "w") as z:
            z.writestr("config.json", json.dumps(self.MLP))
        self.assertIn("half.keras has no model.weights.h5", self.throng(
            "predict", "half.keras", "--data", "rows.csv", fails=True))

    def test_it_is_judged(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        told = json.loads(self.throng(
            "evaluate", "model.json", "--weights", "weights.h5", "--data",
            "known.csv", "--json"))["metrics"]
        loss = -numpy.log(self.truth[range(20), self.labels]).mean()
        right = (self.truth.argmax(1) == self.labels).mean()
        self.assertAlmostEqual(told["loss"], loss, 6)
        self.assertAlmostEqual(told["accuracy"], right, 9)

    def test_it_is_judged_by_another_loss_and_first_column(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        table = numpy.loadtxt(self.path("known.csv"), delimiter=",")
        numpy.savetxt(self.path("turned.csv"), numpy.roll(table, 1, axis=1),
                      "%.9g", ",")
        self.agree(self.predicted("model.json", "--weights", "weights.h5",
                                  "--data", "turned.csv", "--label", "1"),
                   self.truth)
        x = numpy.loadtxt(self.path("rows.csv"), delimiter=",")
        numpy.save(self.path("x.npy"), x)
        numpy.save(self.path("y.npy"), numpy.eye(3)[self.labels])
        told = json.loads(self.throng(
            "evaluate", "model.json", "--weights", "weights.h5", "--data",
            "x.npy", "--labels", "y.npy", "--loss", "mse",
            "--json"))["metrics"]
        off = ((self.truth - numpy.eye(3)[self.labels]) ** 2).mean()
        self.assertAlmostEqual(told["loss"], off, 6)

    def test_permanent_dropout_draws(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        words = ["model.json", "--weights", "weights.h5", "--data",
                 "rows.csv", "--permanent-dropout"]
        none, half = (self.predicted(*words, r) for r in ("0", "0.5"))
        self.agree(none, self.truth)
        self.assertGreater(numpy.abs(half - none).max(), 0.01)
        self.assertEqual(half.tolist(), self.predicted(*words, "0.5").tolist())
        again = json.loads(json.dumps(self.MLP))
        again["config"]["layers"][2]["class_name"] = "PermanentDropout"
        self.write("again.json", again)
        self.assertEqual(half.tolist(), self.predicted(
            "again.json", *words[1:-1]).tolist())

    def listing(self, *rates):
        """Files of an unrolled parameter file as CANDLE's tutorial has it:
        one set of weights, and a model for each rate of a dropout that
        stays."""
        write_keras2(self.path("ckpt.weights.h5"), self.mlp())
        lines = ""
        for i, rate in enumerate(rates, 1):
            model = json.loads(json.dumps(self.MLP))
            model["config"]["layers"][2]["class_name"] = "PermanentDropout"
            model["config"]["layers"][2]["config"]["rate"] = rate
            self.write("ckpt.%02d.model.json" % i, model)
            lines += json.dumps({
                "id": "dropout%d" % i,
                "model_file": self.path("ckpt.%02d.model.json" % i),
                "weights_file": "ckpt.weights.h5"}, indent=4) + "\n"
        self.write("upf.txt", lines)
        self.write("infer.yaml", "parameters_file: upf.txt\n"
                   "task: {kind: infer, data: known.csv}\n"
                   "metric: {name: loss, goal: minimize}\n")

    def trial(self, number):
        with open(self.path(".throng/infer/trials/0/%d/output/"
                            "predictions.csv" % number),
                  encoding="utf-8") as f:
            return f.read()

    def test_an_unrolled_file_is_five_inferences(self):
        self.listing(0.1, 0.2, 0.3, 0.4, 0.5)
        self.throng("run", "--quiet", "infer.yaml")
        told = [json.loads(line) for line in
                self.throng("export", "infer", "--jsonl").splitlines()]
        self.assertEqual([t["run_id"] for t in told],
                         ["dropout%d" % i for i in range(1, 6)])
        seen = set()
        for i, trial in enumerate(told, 1):
            words = ["ckpt.%02d.model.json" % i, "--weights",
                     "ckpt.weights.h5", "--data", "known.csv"]
            self.assertEqual(self.trial(i),
                             self.throng("predict", *words, "--csv"))
            judged = json.loads(self.throng("evaluate", *words, "--json"))
            self.assertEqual(trial["state"], "done")
            self.assertEqual(trial["metrics"]["loss"]["last"],
                             judged["metrics"]["loss"])
            self.assertEqual(trial["metrics"]["accuracy"]["last"],
                             judged["metrics"]["accuracy"])
            seen.add(self.trial(i))
        self.assertEqual(len(seen), 5)
        order = [int(line.split("\t")[1]) for line in
                 self.throng("rank", "infer").splitlines()[1:]]
        self.assertEqual(order, sorted(
            range(1, 6), key=lambda i: told[i - 1]["metrics"]["loss"]["last"]))

    def test_what_one_of_them_lacks_is_named_and_the_others_go_on(self):
        self.listing(0.1, 0.2, 0.3, 0.4, 0.5)
        os.remove(self.path("ckpt.02.model.json"))
        model = json.loads(json.dumps(self.MLP))
        model["config"]["layers"][2] = layer("Masking", "mask", mask_value=0)
        self.write("ckpt.04.model.json", model)
        subprocess.run([THRONG, "run", "--quiet", "infer.yaml"],
                       cwd=self.folder, stderr=subprocess.PIPE, check=False)
        told = [json.loads(line) for line in
                self.throng("export", "infer", "--jsonl").splitlines()]
        self.assertEqual([t["state"] for t in told],
                         ["done", "invalid", "done", "invalid", "done"])
        self.assertIn("ckpt.02.model.json: No such file",
                      self.throng("show", "infer", "2"))
        self.assertIn("Masking", self.throng("show", "infer", "4"))

    def table(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def test_shards_say_what_the_verb_says(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        words = ["model.json", "--weights", "weights.h5"]
        for name, more in (("once", []), ("known", []),
                           ("sampled", ["--samples", "5"]),
                           ("rate", ["--samples", "5", "--permanent-dropout",
                                     "0.3"])):
            rows = "known.csv" if name == "known" else "rows.csv"
            self.throng("predict", *words, "--data", rows, "--study", name,
                        "--shard", "7", "-o", name + ".out.csv", "-q", *more)
            self.assertEqual(self.table(name + ".out.csv"), self.throng(
                "predict", *words, "--data", rows, "--csv", *more))
        self.agree(numpy.loadtxt(self.path("once.out.csv"), delimiter=",",
                                 skiprows=1)[:, -3:], self.truth)

    def test_shards_of_an_array_and_of_one_file(self):
        w = self.mlp()
        write_keras3(self.path("m.weights.h5"), {
            "dense": [w["first"]["kernel"], w["first"]["bias"]],
            "batch_normalization": list(w["norm"].values()),
            "dense_1": [w["second"]["kernel"]]})
        with zipfile.ZipFile(self.path("net.keras"), "w") as z:
            z.writestr("config.json", json.dumps(self.MLP))
            z.write(self.path("m.weights.h5"), "model.weights.h5")
        x = numpy.loadtxt(self.path("rows.csv"), delimiter=",")
        for name, part in (("new0.npy", x[:11]), ("new1.npy", x[11:])):
            numpy.save(self.path(name), part.astype("f4"))
        self.write("many.yaml", "predict: {models: net.keras, data: new*.npy, "
                                "shard: 4, output: many.csv}\n")
        self.throng("run", "-q", "many.yaml")
        lines = list(csv.DictReader(io.StringIO(self.table("many.csv"))))
        self.agree(numpy.array([[float(line["p_%d" % i]) for i in range(3)]
                                for line in lines]), self.truth)
        self.assertEqual(sorted(os.listdir(self.path(".throng/many/models"))),
                         ["foreign.safetensors"])
        model = json.loads(json.dumps(self.MLP))
        model["config"]["layers"][2] = layer("Masking", "mask", mask_value=0)
        with zipfile.ZipFile(self.path("net.keras"), "w") as z:
            z.writestr("config.json", json.dumps(model))
            z.write(self.path("m.weights.h5"), "model.weights.h5")
        self.assertIn("net.keras has changed since this inference began",
                      self.throng("run", "many.yaml", fails=True))
        self.write("more.yaml", "predict: {models: net.keras, data: new*.npy}")
        for told in (self.throng("check", "more.yaml", fails=True),
                     self.throng("predict", "net.keras", "--data", "rows.csv",
                                 fails=True)):
            self.assertIn("net.keras: the layer mask is a Masking", told)
            self.assertNotIn("/tmp/throng-", told)

    def test_a_product_of_tables(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        left, right = self.numbers(4, 2), self.numbers(6, 3)
        numpy.savetxt(self.path("left.csv"), left, "%.9g", ",")
        numpy.savetxt(self.path("right.csv"), right, "%.9g", ",")
        words = ["model.json", "--weights", "weights.h5"]
        with open(self.path("both.csv"), "w", encoding="utf-8") as f:
            for one in self.table("left.csv").split():
                for other in self.table("right.csv").split():
                    f.write("%s,%s\n" % (one, other))
        self.throng("predict", *words, "--product", "left.csv,right.csv",
                    "--keep", "all", "--samples", "3", "-o", "alone", "-q")
        self.throng("predict", *words, "--product", "left.csv,right.csv",
                    "--keep", "all", "--samples", "3", "-o", "shards", "-q",
                    "--study", "all", "--shard", "5")
        self.assertEqual(self.table("alone/listed.csv"),
                         self.table("shards/listed.csv"))
        whole = self.throng("predict", *words, "--data", "both.csv", "--csv")
        once = self.throng("predict", *words, "--product",
                           "left.csv,right.csv", "--keep", "all", "--csv")
        ours, theirs = ([[float(line["p_%d" % i]) for i in range(3)] for line
                         in csv.DictReader(io.StringIO(text))]
                        for text in (once, whole))
        self.agree(numpy.array(ours), numpy.array(theirs))

    def test_a_study_says_what_only_training_draws(self):
        self.steps(layer("SpatialDropout1D", "spatial", rate=0.3))
        self.write("s.yaml", "predict: {models: steps.json, weights: steps.h5,"
                             " data: x.npy, output: s.csv}\n")
        for verb in ("check", "run"):
            told = subprocess.run([THRONG, verb, "s.yaml"], cwd=self.folder,
                                  capture_output=True, text=True, check=True)
            self.assertEqual((told.stdout + told.stderr).count(
                "they give what they get: spatial (SpatialDropout1D)"), 1)
        self.write("t.yaml", "predict: {models: steps.json, weights: steps.h5,"
                             " data: x.npy, samples: 3}\n")
        self.assertIn("this model drops in others, too: spatial",
                      self.throng("check", "t.yaml", fails=True))

    def test_images_and_several_inputs(self):
        model = joined([
            (layer("InputLayer", "image", batch_input_shape=[None, 9, 8, 2]),
             []),
            (layer("InputLayer", "age", batch_input_shape=[None, 3]), []),
            (layer("Conv2D", "conv", filters=4, kernel_size=[3, 2],
                   strides=[2, 1], padding="same", activation="relu",
                   data_format="channels_last", dilation_rate=[1, 1],
                   groups=1, use_bias=True), ["image"]),
            (layer("MaxPooling2D", "pool", pool_size=[2, 2], strides=[2, 2],
                   padding="valid"), ["conv"]),
            (layer("DepthwiseConv2D", "deep", kernel_size=[2, 2],
                   strides=[1, 1], depth_multiplier=2, padding="valid",
                   activation="linear", use_bias=True), ["pool"]),
            (layer("Conv2DTranspose", "back", filters=3, kernel_size=[2, 2],
                   strides=[2, 2], padding="valid", activation="tanh",
                   output_padding=None, use_bias=True,
                   dilation_rate=[1, 1]), ["deep"]),
            (layer("Flatten", "flat", data_format="channels_last"), ["back"]),
            (layer("Concatenate", "both", axis=-1), ["flat", "age"]),
            (layer("Dense", "grown", units=1, activation="linear",
                   use_bias=True), ["both"]),
            (layer("Dense", "is", units=1, activation="sigmoid",
                   use_bias=True), ["both"]),
        ], ["image", "age"], ["grown", "is"])
        w = {"conv": {"kernel": self.numbers(3, 2, 2, 4),
                      "bias": self.numbers(4)},
             "deep": {"depthwise_kernel": self.numbers(2, 2, 4, 2),
                      "bias": self.numbers(8)},
             "back": {"kernel": self.numbers(2, 2, 3, 8),
                      "bias": self.numbers(3)},
             "grown": {"kernel": self.numbers(39, 1), "bias": self.numbers(1)},
             "is": {"kernel": self.numbers(39, 1), "bias": self.numbers(1)}}
        image, age = self.numbers(6, 9, 8, 2), self.numbers(6, 3)

        def t(a):
            return torch.tensor(a, dtype=torch.float64)

        x = t(image).permute(0, 3, 1, 2)
        # rows: ceil(9/2) = 5, padding 2: 1 before; columns: 8, padding 1: 0.
        x = F.pad(x, (0, 1, 1, 1))
        x = F.relu(F.conv2d(x, t(w["conv"]["kernel"]).permute(3, 2, 0, 1),
                            t(w["conv"]["bias"]), stride=(2, 1)))
        x = F.max_pool2d(x, 2)
        kernel = t(w["deep"]["depthwise_kernel"]).reshape(2, 2, 8)
        x = F.conv2d(x, kernel.permute(2, 0, 1)[:, None],
                     t(w["deep"]["bias"]), groups=4)
        x = torch.tanh(F.conv_transpose2d(
            x, t(w["back"]["kernel"]).permute(3, 2, 0, 1),
            t(w["back"]["bias"]), stride=2))
        x = x.permute(0, 2, 3, 1).flatten(1)
        x = torch.cat([x, t(age)], 1)
        grown = x @ t(w["grown"]["kernel"]) + t(w["grown"]["bias"])
        is_it = torch.sigmoid(x @ t(w["is"]["kernel"]) + t(w["is"]["bias"]))
        self.write("two.json", model)
        write_keras2(self.path("two.h5"), w)
        numpy.save(self.path("image.npy"), image)
        numpy.save(self.path("age.npy"), age)
        lines = list(csv.DictReader(io.StringIO(self.throng(
            "predict", "two.json", "--weights", "two.h5", "--data",
            "image=image.npy,age=age.npy", "--csv"))))
        self.agree(numpy.array([[float(one["grown_predicted"])]
                                for one in lines]), grown)
        self.agree(numpy.array([[float(one["is_p_1"])] for one in lines]),
                   is_it)

    def steps(self, *inside, axis=-1):
        """Rows of 7 steps of 3 numbers: a Conv1D, a norm over `axis`, and
        `inside` before the last layer. What it predicts is self.truth."""
        w = {"conv": {"kernel": self.numbers(2, 3, 4),
                      "bias": self.numbers(4)},
             "norm": {"gamma": self.numbers(4) + 1, "beta": self.numbers(4),
                      "moving_mean": self.numbers(4),
                      "moving_variance": abs(self.numbers(4)) + 0.5},
             "out": {"kernel": self.numbers(24, 2), "bias": self.numbers(2)}}
        x = self.numbers(9, 7, 3)
        numpy.save(self.path("x.npy"), x)
        self.write("steps.json", sequential(
            layer("InputLayer", "in", batch_shape=[None, 7, 3]),
            layer("Conv1D", "conv", filters=4, kernel_size=[2], strides=[1],
                  padding="valid", activation="linear", use_bias=True),
            layer("BatchNormalization", "norm", axis=axis, epsilon=0.001),
            *inside,
            layer("Flatten", "flat"),
            layer("Dense", "out", units=2, activation="linear")))
        write_keras2(self.path("steps.h5"), w)
        n, kernel = w["norm"], w["conv"]["kernel"]
        h = x[:, :-1] @ kernel[0] + x[:, 1:] @ kernel[1] + w["conv"]["bias"]
        h = ((h - n["moving_mean"]) / numpy.sqrt(n["moving_variance"] + 0.001)
             * n["gamma"] + n["beta"])
        self.truth = (h.reshape(9, -1) @ w["out"]["kernel"]
                      + w["out"]["bias"])
        return ["steps.json", "--weights", "steps.h5", "--data", "x.npy"]

    def test_a_norm_of_the_last_axis(self):
        for axis in (-1, 2, [2], [-1]):
            words = self.steps(axis=axis)
            self.agree(self.predicted(*words), self.truth)
        for axis in (1, [1], [1, 2]):
            words = self.steps(axis=axis)
            self.assertIn(
                "the layer norm is a BatchNormalization with axis %s, and "
                "throng has it for the last axis alone, which is -1 or 2 here"
                % json.dumps(axis, separators=(",", ":")),
                self.throng("predict", *words, fails=True))

    def test_what_draws_only_in_training_is_told(self):
        words = self.steps(layer("SpatialDropout1D", "spatial", rate=0.3),
                           layer("GaussianNoise", "noise", stddev=0.3))
        self.agree(self.predicted(*words), self.truth)
        told = subprocess.run([THRONG, "predict", *words], cwd=self.folder,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=True)
        self.assertIn("they give what they get: spatial (SpatialDropout1D), "
                      "noise (GaussianNoise)", told.stderr)
        for more in (["--samples", "3"], ["--permanent-dropout", "0.2"]):
            self.assertIn("this model drops in others, too: spatial "
                          "(SpatialDropout1D); predict without samples",
                          self.throng("predict", *words, *more, fails=True))
        words = self.steps(layer("GaussianNoise", "noise", stddev=0.3),
                           layer("Dropout", "drop", rate=0.3))
        self.assertIn("sd", self.throng("predict", *words, "--samples", "3"))

    def recurrent(self, kind, units, gates):
        return {"kernel": self.numbers(3, gates * units),
                "recurrent_kernel": self.numbers(units, gates * units),
                "bias": self.numbers(2, gates * units) if kind == "GRU"
                else self.numbers(gates * units)}

    def run_recurrent(self, kind, w, x):
        """The last output, as Keras writes the equations down."""
        units = w["recurrent_kernel"].shape[0]
        h = c = numpy.zeros((len(x), units))

        def sigmoid(v):
            return 1 / (1 + numpy.exp(-v))

        for step in range(x.shape[1]):
            if kind == "LSTM":
                z = (x[:, step] @ w["kernel"] + h @ w["recurrent_kernel"]
                     + w["bias"])
                i, f, g, o = numpy.split(z, 4, 1)
                c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
                h = sigmoid(o) * numpy.tanh(c)
            else:
                a = numpy.split(x[:, step] @ w["kernel"] + w["bias"][0], 3, 1)
                b = numpy.split(h @ w["recurrent_kernel"] + w["bias"][1], 3, 1)
                z, r = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
                h = z * h + (1 - z) * numpy.tanh(a[2] + r * b[2])
        return h

    def test_layers_along_steps(self):
        for kind, gates in (("LSTM", 4), ("GRU", 3)):
            inner = layer(kind, "inner", units=4, activation="tanh",
                          recurrent_activation="sigmoid", use_bias=True,
                          return_sequences=False, reset_after=True)
            self.write("s.json", sequential(
                layer("InputLayer", "in", batch_shape=[None, 6, 3]),
                layer("Bidirectional", "both", layer=inner,
                      merge_mode="concat"),
                layer("Dense", "out", units=2, activation="linear")))
            front, back = (self.recurrent(kind, 4, gates) for _ in range(2))
            out = {"kernel": self.numbers(8, 2), "bias": self.numbers(2)}
            x = self.numbers(7, 6, 3)
            h = numpy.concatenate(
                [self.run_recurrent(kind, front, x),
                 self.run_recurrent(kind, back, x[:, ::-1])], 1)
            numpy.save(self.path("x.npy"), x)
            cell = "%s_cell" % kind.lower()
            write_keras2(self.path("s.h5"), {
                "both": {"%s_inner/%s/%s" % (way, cell, name): array
                         for way, w in (("forward", front), ("backward", back))
                         for name, array in w.items()},
                "out": out})
            write_keras3(self.path("s3.h5"), {
                "bidirectional/forward_layer/cell": list(front.values()),
                "bidirectional/backward_layer/cell": list(back.values()),
                "dense": list(out.values())})
            for file in ("s.h5", "s3.h5"):
                self.agree(self.predicted("s.json", "--weights", file,
                                          "--data", "x.npy"),
                           h @ out["kernel"] + out["bias"])

    def test_an_unrolled_file_is_a_study_of_inferences(self):
        """CANDLE's listing: five models of one training, by their dropout."""
        write_keras2(self.path("ckpt.weights.h5"), self.mlp())
        with open(self.path("upf-1.txt"), "w", encoding="utf-8") as f:
            for i in range(1, 6):
                model = json.loads(json.dumps(self.MLP))
                drop = model["config"]["layers"][2]
                drop["class_name"] = "PermanentDropout"
                drop["config"]["rate"] = i / 10
                self.write("ckpt.%02d.model.json" % i, model)
                f.write(json.dumps({
                    "id": "dropout%d" % i,
                    "model_file": self.path("ckpt.%02d.model.json" % i),
                    "weights_file": self.path("ckpt.weights.h5")}, indent=4)
                    + "\n")
        self.write("infer.yaml", """
command: %s evaluate {model_file} --weights {weights_file} --data known.csv
parameters_file: upf-1.txt
metric: {name: loss, pattern: "^loss[[:blank:]]+([^ ]+)"}
""" % THRONG)
        self.throng("run", "--quiet", "infer.yaml")
        told = [json.loads(line) for line in self.throng(
            "export", "infer", "--jsonl").splitlines()]
        trials = {one["params"]["run_id"]: one for one in told}
        self.assertEqual(sorted(trials), ["dropout%d" % i
                                          for i in range(1, 6)])
        for i in range(1, 6):
            one = trials["dropout%d" % i]
            self.assertEqual(one["state"], "done")
            alone = json.loads(self.throng(
                "evaluate", "ckpt.%02d.model.json" % i, "--weights",
                "ckpt.weights.h5", "--data", "known.csv", "--json"))
            self.assertAlmostEqual(one["value"], alone["metrics"]["loss"], 5)

    def test_a_shape_that_stands_beside_the_layers(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        model = json.loads(json.dumps(self.MLP))
        del model["config"]["layers"][0]["config"]["batch_input_shape"]
        words = ["built.json", "--weights", "weights.h5", "--data", "rows.csv"]
        self.write("built.json", model)
        self.assertIn("the input input does not say the shape of a row",
                      self.throng("predict", *words, fails=True))
        model["config"]["build_input_shape"] = [32, 5]
        self.write("built.json", model)
        self.agree(self.predicted(*words), self.truth)

    def test_a_model_inside_of_a_model_is_named(self):
        write_keras2(self.path("weights.h5"), self.mlp())
        inner = json.loads(json.dumps(self.MLP))
        inner["config"]["name"] = "tower"
        self.write("outer.json", sequential(
            inner, layer("Dense", "last", units=1, activation="linear",
                         use_bias=True)))
        self.assertIn(
            "the layer tower is a Sequential, which is not among the layers",
            self.throng("predict", "outer.json", "--weights", "weights.h5",
                        "--data", "rows.csv", fails=True))

    def test_what_does_not_fit_is_named(self):
        w = self.mlp()
        write_keras2(self.path("weights.h5"), w)
        words = ["--weights", "weights.h5", "--data", "rows.csv"]
        for change, text in (
                (("class_name", "LocallyConnected1D"),
                 "the layer first is a LocallyConnected1D, which is not among"),
                (("config", {**self.MLP["config"]["layers"][0]["config"],
                             "activation": "hard_sigmoid"}),
                 "the layer first is a Dense with the activation hard_sigmoid"),
                (("config", {**self.MLP["config"]["layers"][0]["config"],
                             "units": 9}),
                 "the shape of first/first/kernel:0 is 5×8, which does not "
                 "fit 5×9"),
                (("config", {**self.MLP["config"]["layers"][0]["config"],
                             "name": "other"}),
                 "has no kernel of the layer other")):
            model = json.loads(json.dumps(self.MLP))
            model["config"]["layers"][0][change[0]] = change[1]
            self.write("bad.json", model)
            self.assertIn(text, self.throng("predict", "bad.json", *words,
                                            fails=True))
        with open(self.path("weights.h5"), "r+b") as f:
            f.truncate(3000)
        self.assertIn("libhdf5 cannot open it", self.throng(
            "predict", "model.json", *words, fails=True))
        self.assertIn("names no data: say which rows", self.throng(
            "predict", "model.json", "--weights", "weights.h5", fails=True))
        self.assertIn("weights are read from HDF5 files of Keras", self.throng(
            "predict", "model.json", "--weights", "model.json", "--data",
            "rows.csv", fails=True))


# ---- PyTorch ---------------------------------------------------------------

class Torch(Foreign):
    def compare(self, model, net, x, *words, save=None):
        """rows x, channels last, through both."""
        net.eval()
        self.write("model.yaml", model)
        torch.save(save or net.state_dict(), self.path("net.pt"))
        numpy.save(self.path("x.npy"), x.numpy())
        first = x.movedim(-1, 1) if x.dim() > 2 else x
        with torch.no_grad():
            self.agree(self.predicted("model.yaml", "--weights", "net.pt",
                                      "--data", "x.npy", *words), net(first))

    def test_modules_by_their_order(self):
        net = torch.nn.Sequential(
            torch.nn.Linear(5, 8), torch.nn.ReLU(), torch.nn.BatchNorm1d(8),
            torch.nn.LayerNorm(8, eps=1e-5), torch.nn.Linear(8, 2))
        net(torch.randn(30, 5))
        self.compare("""
input: 5
layers:
  - {dense: 8, activation: relu}
  - {type: batch_norm, epsilon: 1e-5}
  - {type: layer_norm, epsilon: 1e-5}
  - dense: 2
loss: mse
""", net, torch.randn(9, 5))

    def test_an_image_that_is_flattened(self):
        net = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, (3, 2)), torch.nn.ReLU(),
            torch.nn.MaxPool2d(2), torch.nn.Flatten(),
            torch.nn.BatchNorm1d(4 * 3 * 2), torch.nn.Linear(24, 5),
            torch.nn.Softmax(1))
        net(torch.randn(30, 3, 8, 6))
        self.compare("""
input: [8, 6, 3]
layers:
  - {conv2d: 4, kernel: [3, 2], activation: relu}
  - max_pool2d: 2
  - flatten
  - {type: batch_norm, epsilon: 1e-5}
  - dense: 5
loss: sparse_categorical_crossentropy
""", net, torch.randn(7, 8, 6, 3))

    def test_modules_by_their_names_and_a_checkpoint(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.late = torch.nn.Linear(8, 1)   # another order
                self.rnn = torch.nn.GRU(3, 4, batch_first=True,
                                        bidirectional=True)

            def forward(self, x):
                _, h = self.rnn(x.movedim(1, -1))
                return self.late(torch.cat([h[0], h[1]], 1))

        net = Net()
        self.compare("""
input: [6, 3]
layers:
  - {gru: 4, bidirectional: true, name: rnn}
  - {dense: 1, name: late}
loss: mse
""", net, torch.randn(5, 6, 3),
                     save={"epoch": 3, "model": net.state_dict(),
                           "optimizer": {"state": {}}})

    def test_lstm_and_attention(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = torch.nn.LSTM(3, 4, batch_first=True)
                self.look = torch.nn.MultiheadAttention(4, 2, batch_first=True)
                self.last = torch.nn.Linear(4, 2)

            def forward(self, x):
                y, _ = self.rnn(x.movedim(1, -1))
                return self.last(self.look(y, y, y)[0].mean(1))

        self.compare("""
input: [6, 3]
layers:
  - {lstm: 4, sequence: true}
  - {attention: 2}
  - global_average_pool
  - dense: 2
loss: mse
""", Net(), torch.randn(5, 6, 3))

    def test_types_and_strides(self):
        net = torch.nn.Sequential(torch.nn.Linear(4, 3))
        for kind in (torch.float64, torch.float16, torch.bfloat16):
            small = torch.nn.Sequential(torch.nn.Linear(4, 3)).to(kind)
            net.load_state_dict(small.state_dict())
            state = small.state_dict()
            state["0.weight"] = state["0.weight"].T.contiguous().T[:, :]
            self.compare("input: 4\nlayers: [dense: 3]\nloss: mse\n", net,
                         torch.randn(5, 4), save=state)

    def test_rows_that_the_model_file_has(self):
        """What is fitted is fitted on its training rows."""
        x = numpy.round(self.random.normal(50, 9, (40, 2)), 3)
        y = x @ [1.0, -1.0]
        numpy.savetxt(self.path("rows.csv"), numpy.column_stack([x, y]),
                      "%.9g", ",", header="a,b,y", comments="")
        net = torch.nn.Sequential(torch.nn.Linear(2, 1))
        torch.save(net.state_dict(), self.path("net.pt"))
        self.write("model.yaml", """
layers: [dense: 1]
loss: mse
data: {file: rows.csv, scale: std}
""")
        scaled = (x - x.mean(0)) / x.std(0)
        with torch.no_grad():
            theirs = net(torch.tensor(scaled, dtype=torch.float32))
        self.agree(self.predicted("model.yaml", "--weights", "net.pt"), theirs)
        numpy.savetxt(self.path("new.csv"), x[:3, ::-1], "%.9g", ",",
                      header="b,a", comments="")
        self.agree(self.predicted("model.yaml", "--weights", "net.pt",
                                  "--data", "new.csv"), theirs[:3])

    def test_what_does_not_fit_is_named(self):
        net = torch.nn.Sequential(torch.nn.Linear(4, 3))
        numpy.save(self.path("x.npy"), self.numbers(3, 4))
        words = ["model.yaml", "--weights", "net.pt", "--data", "x.npy"]
        for layers, text in (
                ("[dense: 4]", "the shape of 0.weight is 3×4, which does not "
                               "fit 4×4, that of the model's dense_1.weight"),
                ("[dense: 4, dense: 3]", "has weights of 1 modules, the model "
                                         "has 2 layers with weights"),
                ("[{dense: 3, bias: false}]",
                 "has 0.bias, which no layer of the model takes")):
            torch.save(net.state_dict(), self.path("net.pt"))
            self.write("model.yaml",
                       "input: 4\nlayers: %s\nloss: mse\n" % layers)
            self.assertIn(text, self.throng("predict", *words, fails=True))

    def test_weights_that_are_not_finite_are_named(self):
        net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(),
                                  torch.nn.Linear(3, 1))
        net[0].weight.data[1, 2] = float("nan")
        torch.save(net.state_dict(), self.path("net.pt"))
        numpy.save(self.path("x.npy"), self.numbers(3, 4))
        self.write("model.yaml", "input: 4\nlayers: [{dense: 3, activation: "
                   "relu}, dense: 1]\nloss: mse\n")
        self.assertIn(
            "dense_1.weight has what is no finite number",
            self.throng("predict", "model.yaml", "--weights", "net.pt",
                        "--data", "x.npy", fails=True))

    def test_nothing_in_a_file_is_run(self):
        class Bad:
            def __reduce__(self):
                return os.mkdir, (made,)

        made = self.path("made")
        torch.save({"0.weight": Bad()}, self.path("net.pt"))
        self.write("model.yaml", "input: 4\nlayers: [dense: 3]\nloss: mse\n")
        numpy.save(self.path("x.npy"), self.numbers(3, 4))
        told = self.throng("predict", "model.yaml", "--weights", "net.pt",
                           "--data", "x.npy", fails=True)
        self.assertIn("calls posix.mkdir, which is no part of a state_dict",
                      told)
        self.assertFalse(os.path.exists(made))


if __name__ == "__main__":
    unittest.main()
