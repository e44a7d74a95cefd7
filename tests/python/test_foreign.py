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


# ---- Weights that go out ---------------------------------------------------

def fields(bytes_):
    """(number, value) of a protobuf message, one after another."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = bytes_[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(bytes_):
        key = varint()
        if key & 7 == 0:
            value = varint()
            value -= (value >> 63) << 64
        else:
            size = varint() if key & 7 == 2 else 4
            value = bytes_[at:at + size]
            at += size
        yield key >> 3, value


class Onnx:
    """A reader of ONNX files that computes with NumPy and PyTorch."""

    def __init__(self, path):
        with open(path, "rb") as f:
            model = dict(fields(f.read()))
        self.nodes, self.known, self.inputs, self.outputs = [], {}, [], []
        for number, value in fields(model[7]):
            if number == 1:
                self.nodes.append(self.node(value))
            elif number == 5:
                self.add_constant(value)
            elif number in (11, 12):
                name = dict(fields(value))[1].decode()
                (self.inputs if number == 11 else self.outputs).append(name)

    @staticmethod
    def node(bytes_):
        takes, gives, op, said = [], [], None, {}
        for number, value in fields(bytes_):
            if number in (1, 2):
                (takes if number == 1 else gives).append(value.decode())
            elif number == 4:
                op = value.decode()
            elif number == 5:
                one = list(fields(value))
                kind = dict(one)[20]
                name = dict(one)[1].decode()
                if kind == 7:
                    said[name] = [v for k, v in one if k == 8]
                elif kind == 1:
                    said[name] = float(numpy.frombuffer(dict(one)[2], "<f4")[0])
                else:
                    value = dict(one)[3 if kind == 2 else 4]
                    said[name] = value if kind == 2 else value.decode()
        return op, takes, gives, said

    def add_constant(self, bytes_):
        one = list(fields(bytes_))
        kind = {1: "<f4", 7: "<i8"}[dict(one)[2]]
        shape = [v for k, v in one if k == 1]
        array = numpy.frombuffer(dict(one)[9], kind).reshape(shape)
        self.known[dict(one)[8].decode()] = torch.from_numpy(
            array.astype("f8" if kind == "<f4" else "i8"))

    def run(self, **inputs):
        t = dict(self.known)
        t.update((k, torch.tensor(v, dtype=torch.float64))
                 for k, v in inputs.items())
        for op, takes, gives, said in self.nodes:
            found = getattr(self, op)(*[t[n] for n in takes], **said)
            for name, one in zip(gives, found if isinstance(found, tuple)
                                 else (found,)):
                t[name] = one
        return [t[n].numpy() for n in self.outputs]

    Identity = staticmethod(lambda x: x)
    MatMul = staticmethod(lambda a, b: a @ b)
    Add = staticmethod(lambda a, b: a + b)
    Sub = staticmethod(lambda a, b: a - b)
    Mul = staticmethod(lambda a, b: a * b)
    Div = staticmethod(lambda a, b: a / b)
    Sqrt = staticmethod(lambda x: x.sqrt())
    Erf = staticmethod(lambda x: torch.erf(x))
    Relu = staticmethod(lambda x: F.relu(x))
    Selu = staticmethod(lambda x: F.selu(x))
    Tanh = staticmethod(lambda x: torch.tanh(x))
    Sigmoid = staticmethod(lambda x: torch.sigmoid(x))
    Softplus = staticmethod(lambda x: F.softplus(x, threshold=1e9))
    LeakyRelu = staticmethod(lambda x, alpha: F.leaky_relu(x, alpha))
    Elu = staticmethod(lambda x, alpha: F.elu(x, alpha))
    Clip = staticmethod(lambda x, a, b: x.clamp(float(a), float(b)))
    Softmax = staticmethod(lambda x, axis: F.softmax(x, axis))
    Transpose = staticmethod(lambda x, perm: x.permute(*perm))
    Reshape = staticmethod(lambda x, shape: x.reshape(shape.tolist()))
    Concat = staticmethod(lambda *xs, axis: torch.cat(xs, axis))
    Expand = staticmethod(lambda x, shape: x * torch.ones(shape.tolist(),
                                                          dtype=x.dtype))
    Gather = staticmethod(lambda table, at: table[at])
    Cast = staticmethod(lambda x, to: x.long())
    ReduceMean = staticmethod(lambda x, axes, keepdims: x.mean(
        axes, keepdim=bool(keepdims)))
    ReduceMax = staticmethod(lambda x, axes, keepdims: x.amax(
        axes, keepdim=bool(keepdims)))

    @staticmethod
    def pad(x, pads, value=0.0):
        half = len(pads) // 2
        return F.pad(x, [p for i in reversed(range(half))
                         for p in (pads[i], pads[half + i])], value=value)

    @classmethod
    def Conv(cls, x, w, b=None, *, kernel_shape, strides, pads, dilations,
             group):
        run = F.conv1d if len(strides) == 1 else F.conv2d
        return run(cls.pad(x, pads), w, b, stride=strides,
                   dilation=dilations, groups=group)

    @staticmethod
    def ConvTranspose(x, w, b=None, *, kernel_shape, strides, pads, dilations,
                      group, output_padding):
        y = F.conv_transpose2d(x, w, None, stride=strides)
        y = F.pad(y, (0, output_padding[1], 0, output_padding[0]))
        y = y[:, :, pads[0]:y.shape[2] - pads[2],
              pads[1]:y.shape[3] - pads[3]]
        return y if b is None else y + b[:, None, None]

    @classmethod
    def MaxPool(cls, x, *, kernel_shape, strides, pads):
        run = F.max_pool1d if len(strides) == 1 else F.max_pool2d
        return run(cls.pad(x, pads, -numpy.inf), kernel_shape, strides)

    @classmethod
    def AveragePool(cls, x, *, kernel_shape, strides, pads):
        run = F.avg_pool1d if len(strides) == 1 else F.avg_pool2d
        return (run(cls.pad(x, pads), kernel_shape, strides)
                / run(cls.pad(torch.ones_like(x), pads), kernel_shape,
                      strides))

    @staticmethod
    def steps(x, direction):
        return reversed(range(len(x))) if direction == "reverse" else range(
            len(x))

    @classmethod
    def LSTM(cls, x, w, r, b, *, hidden_size, direction):
        h = c = torch.zeros(x.shape[1], hidden_size, dtype=x.dtype)
        all_ = [None] * len(x)
        b = b[0, :4 * hidden_size] + b[0, 4 * hidden_size:]
        for step in cls.steps(x, direction):
            i, o, f, g = (x[step] @ w[0].T + h @ r[0].T + b).split(
                hidden_size, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            all_[step] = h = torch.sigmoid(o) * torch.tanh(c)
        return torch.stack(all_)[:, None], h[None]

    @classmethod
    def GRU(cls, x, w, r, b, *, hidden_size, direction, linear_before_reset):
        assert linear_before_reset == 1
        h = torch.zeros(x.shape[1], hidden_size, dtype=x.dtype)
        all_ = [None] * len(x)
        for step in cls.steps(x, direction):
            one = (x[step] @ w[0].T + b[0, :3 * hidden_size]).split(
                hidden_size, 1)
            two = (h @ r[0].T + b[0, 3 * hidden_size:]).split(hidden_size, 1)
            z = torch.sigmoid(one[0] + two[0])
            new = torch.tanh(one[2] + torch.sigmoid(one[1] + two[1]) * two[2])
            all_[step] = h = (1 - z) * new + z * h
        return torch.stack(all_)[:, None], h[None]


class Export(Foreign):
    def trained(self, layers, x, loss="mse", width=2, data=""):
        """Weights after an epoch, and what they predict for x."""
        x = numpy.asarray(x, "f4")
        numpy.save(self.path("x.npy"), x)
        y = (self.random.integers(0, width, len(x)) if "sparse" in loss
             else self.numbers(len(x), width))
        numpy.save(self.path("y.npy"), y)
        self.write("net.yaml", "layers:\n%s\nloss: %s\nepochs: 2\n"
                               "optimizer: {name: adam, lr: 0.01}\n"
                               "data: {inputs: x.npy, labels: y.npy%s}\n"
                   % ("\n".join("  - " + one for one in layers), loss, data))
        self.throng("train", "net.yaml")
        return x, self.predicted("net.safetensors", "--data", "x.npy")

    def onnx(self, *words, **more):
        x, ours = self.trained(*words, **more)
        self.throng("model", "export", "net.safetensors", "--onnx")
        graph = Onnx(self.path("net.onnx"))
        theirs, = graph.run(**{graph.inputs[0]: x})
        self.agree(ours, theirs)

    def test_a_state_dict_that_pytorch_loads(self):
        x, ours = self.trained(
            ["{conv2d: 4, name: conv, activation: relu}",
             "{type: batch_norm, name: norm}", "flatten",
             "{dense: 5, name: first, activation: tanh}",
             "{dense: 2, name: last}"], self.numbers(60, 6, 5, 2))
        self.throng("model", "export", "net.safetensors", "--torch", "-o",
                    "out.pt")
        net = torch.nn.ModuleDict({
            "conv": torch.nn.Conv2d(2, 4, 3),
            "norm": torch.nn.BatchNorm2d(4, eps=1e-3),
            "first": torch.nn.Linear(48, 5), "last": torch.nn.Linear(5, 2)})
        net.load_state_dict(torch.load(self.path("out.pt")))
        net.eval()
        with torch.no_grad():
            y = F.relu(net["conv"](torch.tensor(x).permute(0, 3, 1, 2)))
            y = torch.tanh(net["first"](net["norm"](y).flatten(1)))
            self.agree(ours, net["last"](y))

    def test_a_graph_of_dense_layers_and_functions(self):
        names = ["relu", "relu6", "leaky_relu", "elu", "selu", "gelu",
                 "sigmoid", "tanh", "softplus", "swish"]
        self.onnx(["{dense: 12, activation: %s}" % n for n in names]
                  + ["layer_norm", "dropout: 0.3", "batch_norm", "dense: 3"],
                  self.random.normal(40, 6, (80, 5)),
                  "sparse_categorical_crossentropy", 3, ", scale: std")

    def test_a_graph_of_windows(self):
        self.onnx(["{conv2d: 4, kernel: [3, 2], stride: [2, 1], "
                   "padding: same, name: a}",
                   "{conv2d: 4, kernel: 1, groups: 2, name: b}",
                   "{type: add, from: [a, b], name: c}",
                   "{type: multiply, from: [c, b], name: d}",
                   "{type: concat, from: [c, d]}",
                   "depthwise_conv2d: 2", "{average_pool2d: 2, padding: same}",
                   "{conv2d_transpose: 3, stride: 2, padding: same}",
                   "{conv2d_transpose: 3, kernel: 2, stride: 3}",
                   "upsample2d: 2", "max_pool2d: [3, 2]",
                   "global_average_pool", "dense: 2"],
                  self.numbers(60, 9, 8, 2))

    def test_a_graph_of_steps(self):
        self.onnx(["{conv1d: 4, padding: causal, dilation: 2}",
                   "{lstm: 4, sequence: true, bidirectional: true}",
                   "{attention: 2, causal: true}",
                   "{gru: 3, sequence: true, backwards: true}",
                   "upsample1d: 2", "max_pool1d: 2", "{gru: 3}",
                   "reshape: [3, 1]", "{type: lstm, units: 2}", "dense: 2"],
                  self.numbers(60, 7, 3))

    def test_what_cannot_go_out_is_named(self):
        self.trained(["dense: 4", "{dropout: 0.5, permanent: true}",
                      "dense: 2"], self.numbers(40, 3))
        told = self.throng("model", "export", "net.safetensors", "--onnx",
                           fails=True)
        self.assertIn("the layer dropout_2 draws when it predicts", told)
        self.assertIn("say --torch or --onnx", self.throng(
            "model", "export", "net.safetensors", fails=True))


if __name__ == "__main__":
    unittest.main()
