# thorough: needs python3-torch
"""Training on the reference device is what PyTorch does in float64.

Every model of tests/nn/models.json is trained twice for 50 steps, from the
same weights and in the same order of rows: by build/tests/nn/nn_dump, and by
a twin that PyTorch makes of the model's text. Weights files go both ways."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import of_debian

try:
    import numpy
    import torch
    import torch_twin
except ImportError as fault:
    torch, WHY = None, "%s has no PyTorch: %s" % (sys.executable, fault)

from place import BUILD, ROOT

DUMP = os.path.join(BUILD, "tests", "nn", "nn_dump")
CLOSE = 1e-9

with open(os.path.join(ROOT, "tests", "nn", "models.json"),
          encoding="utf-8") as models:
    MODELS = json.load(models)


def dump(*words):
    done = subprocess.run([DUMP, *words], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def tensor(field, rows):
    kind = torch.int64 if field["classes"] else torch.float64
    return torch.tensor(field["values"], dtype=kind).reshape(
        rows, *field["shape"])


def array(param):
    return numpy.array(param["values"]).reshape(param["shape"])


@unittest.skipIf(torch is None, torch is None and WHY)
class Training(unittest.TestCase):
    """One test for each model."""

    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        cls.dumped = {one["name"]: one for one in dump("train")}

    def close(self, what, ours, theirs):
        ours, theirs = numpy.asarray(ours), numpy.asarray(theirs)
        self.assertEqual(ours.shape, theirs.shape, what)
        # What has no gradient but rounding (the bias of an attention's keys)
        # stays near 0 on both sides.
        off = numpy.abs(ours - theirs).max(initial=0)
        size = numpy.abs(theirs).max(initial=0)
        self.assertLessEqual(off, CLOSE * max(size, 0.01),
                             "%s: off by %g of %g" % (what, off, size))

    def compare(self, name):
        told, spec = self.dumped[name], MODELS[name]
        rows, count = told["rows"], told["train"]
        twin = torch_twin.Twin(spec, {
            n: (array(p), p["trained"]) for n, p in told["before"].items()})
        inputs = [tensor(f, rows) for f in told["inputs"]]
        labels = [tensor(f, rows) for f in told["labels"]]
        weights = torch.tensor(told.get("row_weights", [1.0] * rows),
                               dtype=torch.float64)
        trained = torch_twin.train(twin, inputs, labels, weights,
                                   told["order"], list(range(count, rows)),
                                   told["seed"])
        self.assertNotEqual(told["losses"][0], told["losses"][-1])
        for epoch, (loss, judged) in enumerate(trained):
            self.close("loss of epoch %d" % (epoch + 1),
                       told["losses"][epoch], loss)
            self.close("validation loss of epoch %d" % (epoch + 1),
                       told["validation_losses"][epoch], judged)
        for n, param in told["after"].items():
            self.close(n, array(param), twin[n].detach().numpy())


def add_tests():
    for name in MODELS:
        def test(self, name=name):
            self.compare(name)
        setattr(Training, "test_" + name, test)


add_tests()


# ---- Weights files ---------------------------------------------------------

def read_safetensors(path):
    """name -> array, and the notes."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        head = json.loads(file.read(size))
        numbers = file.read()
    types = {"F32": "<f4", "F64": "<f8"}
    notes = head.pop("__metadata__", {})
    return {name: numpy.frombuffer(
        numbers[one["data_offsets"][0]:one["data_offsets"][1]],
        types[one["dtype"]]).reshape(one["shape"])
        for name, one in head.items()}, notes


def write_safetensors(path, arrays):
    head, numbers = {}, b""
    for name, a in arrays.items():
        part = a.astype("<f4").tobytes()
        head[name] = {"dtype": "F32", "shape": list(a.shape),
                      "data_offsets": [len(numbers),
                                       len(numbers) + len(part)]}
        numbers += part
    text = json.dumps(head).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + numbers)


@unittest.skipIf(torch is None, torch is None and WHY)
class WeightsFiles(unittest.TestCase):
    MODELS = ("wide dense", "inverted residual", "bilstm with masked padding")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "weights.safetensors")

    def agree(self, model, told, arrays):
        twin = torch_twin.Twin(MODELS[model], {
            n: (a, False) for n, a in arrays.items()})
        inputs = [tensor(f, 80)[60:] for f in told["inputs"]]
        with torch.no_grad():
            theirs = twin.outputs(twin.forward(inputs, False, 0))
        theirs = theirs.numpy().ravel()
        self.assertEqual(len(theirs), 60)
        off = numpy.abs(numpy.array(told["outputs"]) - theirs).max()
        self.assertLess(off, 2e-6, model)

    def test_pytorch_predicts_the_same_from_our_weights(self):
        for model in self.MODELS:
            for device, kind in (("reference", "<f8"), ("cpu", "<f4")):
                told, = dump("save", device, model, self.path)
                arrays, notes = read_safetensors(self.path)
                self.assertEqual({a.dtype.str for a in arrays.values()},
                                 {kind})
                self.assertEqual(notes["format"], "throng")
                self.agree(model, told, arrays)

    def test_we_predict_the_same_from_weights_of_pytorch(self):
        random = torch.Generator().manual_seed(1)
        for model in self.MODELS:
            dump("save", "reference", model, self.path)
            arrays = {
                name: torch.randn(a.shape, generator=random).numpy() / 8
                + (name.endswith(".variance") and 1)
                for name, a in read_safetensors(self.path)[0].items()}
            write_safetensors(self.path, arrays)
            for device in ("reference", "cpu"):
                told, = dump("load", device, model, self.path)
                self.agree(model, told, arrays)


if __name__ == "__main__":
    unittest.main()
