"""What CANDLE's models ask of Keras, which is large and absent here: a small
fake has the few names that are used."""

import os
import sys
import types
import unittest
from unittest import mock

from candle_place import Candle

from throng import candle


class Made:
    """Remembers how it was made, as the classes of Keras do."""

    def __init__(self, *args, **options):
        self.args, self.options = args, options


def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    return made


def classes(*names):
    return {name: type(name, (Made,), {}) for name in names}


def fake_keras(custom):
    class Dropout(Made):
        def call(self, inputs, training=None):
            return inputs, training

    return module(
        "keras",
        optimizers=module(
            "optimizers", **classes("SGD", "RMSprop", "Adagrad", "Adadelta",
                                    "Adam"),
            get=lambda name: types.SimpleNamespace(name=name),
            schedules=module("schedules", **classes("InverseTimeDecay"))),
        initializers=module(
            "initializers", **classes("Constant", "RandomUniform",
                                      "RandomNormal", "GlorotUniform",
                                      "GlorotNormal", "LecunUniform",
                                      "HeNormal")),
        layers=module("layers", Dropout=Dropout),
        utils=module("utils", get_custom_objects=lambda: custom))


class Keras(Candle):
    def setUp(self):
        super().setUp()
        self.custom = {}
        patch = mock.patch.dict(
            sys.modules, {"keras": fake_keras(self.custom)})
        patch.start()
        self.addCleanup(patch.stop)
        self.forget()
        self.addCleanup(self.forget)

    def forget(self):
        """The class is made anew, of the Keras that is there."""
        sys.modules.pop("throng.candle.keras", None)
        for name in ("PermanentDropout", "build_optimizer",
                     "build_initializer", "register_permanent_dropout"):
            vars(candle).pop(name, None)

    def test_optimizers_have_candles_numbers(self):
        made = candle.build_optimizer("sgd", 0.1,
                                      candle.keras_default_config())
        self.assertEqual((type(made).__name__, made.options), (
            "SGD", {"momentum": 0.0, "nesterov": False,
                    "learning_rate": 0.1}))
        made = candle.build_optimizer("Adam", None, {"epsilon": 1e-3})
        self.assertEqual(made.options, {"beta_1": 0.9, "beta_2": 0.999,
                                        "epsilon": 1e-3})
        made = candle.build_optimizer("rmsprop", 0.5, {"decay_lr": 0.01})
        self.assertEqual(made.options["learning_rate"].args, (0.5, 1, 0.01))

    def test_other_optimizers_are_keras_own(self):
        made = candle.build_optimizer("nadam", 0.3)
        self.assertEqual((made.name, made.learning_rate), ("nadam", 0.3))

    def test_initializers(self):
        for name, kind, options in [
                ("constant", "Constant", {"value": 2.0}),
                ("uniform", "RandomUniform",
                 {"minval": -0.05, "maxval": 0.05, "seed": 3}),
                ("normal", "RandomNormal",
                 {"mean": 0.0, "stddev": 0.05, "seed": 3}),
                ("glorot_uniform", "GlorotUniform", {"seed": 3}),
                ("he_normal", "HeNormal", {"seed": 3})]:
            made = candle.build_initializer(
                name, candle.keras_default_config(), seed=3, constant=2.0)
            self.assertEqual((type(made).__name__, made.options),
                             (kind, options))

    def test_parameters_are_counted(self):
        def weights(*shapes):
            return [types.SimpleNamespace(shape=s) for s in shapes]
        model = types.SimpleNamespace(
            trainable_weights=weights((3, 4), (4,)),
            non_trainable_weights=weights((5,), ()))
        self.assertEqual(candle.compute_trainable_params(model), {
            "trainable_params": 16, "non_trainable_params": 6,
            "total_params": 22})

    def test_permanent_dropout_goes_on_after_training(self):
        candle.register_permanent_dropout()
        layer = self.custom["PermanentDropout"](0.5)
        self.assertIs(type(layer), candle.PermanentDropout)
        self.assertEqual(layer.call("x", training=False), ("x", True))

    def test_threads_are_those_of_the_variables(self):
        said = {}
        threading = types.SimpleNamespace(
            set_intra_op_parallelism_threads=lambda n: said.update(intra=n),
            set_inter_op_parallelism_threads=lambda n: said.update(inter=n))
        tensorflow = module("tensorflow",
                            config=types.SimpleNamespace(threading=threading))
        with mock.patch.dict(sys.modules, {"tensorflow": tensorflow}):
            candle.set_parallelism_threads()
            self.assertEqual(said, {})
            with mock.patch.dict(os.environ, {"NUM_INTRA_THREADS": "3",
                                              "NUM_INTER_THREADS": "2"}):
                candle.set_parallelism_threads()
        self.assertEqual(said, {"intra": 3, "inter": 2})


if __name__ == "__main__":
    unittest.main()
