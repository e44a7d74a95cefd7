"""The Lightning logger and the Keras callbacks. The frameworks themselves are
large and absent here: small fakes have the few names that are used."""

import importlib
import os
import sys
import types
import unittest
from unittest import mock

from place import STAND_IN, InFolder, said


def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    return made


class Base:
    """Stands for the base classes Callback and Logger."""

    model = None

    def on_train_batch_end(self, *args, **kwargs):
        pass


def lightning_of(top):
    """The fake packages lightning.pytorch or pytorch_lightning."""
    parts = {
        top: module(top),
        top + ".callbacks": module("callbacks", Callback=Base),
        top + ".loggers": module("loggers"),
        top + ".loggers.logger": module("logger", Logger=Base),
        top + ".utilities": module("utilities", rank_zero_only=lambda f: f),
    }
    if "." in top:
        parts[top.split(".")[0]] = module(top.split(".")[0])
    return parts


class WithFakes(InFolder):
    def load(self, name, fakes, absent=()):
        """A fresh import of the module that sees only these frameworks."""
        modules = {**fakes, **{name: None for name in absent}}
        patch = mock.patch.dict(sys.modules, modules)
        patch.start()
        self.addCleanup(patch.stop)
        sys.modules.pop(name, None)
        self.addCleanup(sys.modules.pop, name, None)
        return importlib.import_module(name)

    def setUp(self):
        super().setUp()
        self.enter_trial()


class Lightning(WithFakes):
    def loaded(self):
        return self.load("throng.lightning", lightning_of("lightning.pytorch"))

    def test_the_logger_reports_with_a_fake_lightning(self):
        logger = self.loaded().ThrongLogger()
        logger.log_metrics(metrics={"loss": 0.5, "epoch": 1}, step=30)
        logger.log_metrics({"step": 3}, step=31)
        logger.log_hyperparams({"lr": 1})
        self.assertEqual(self.metrics(), [
            {"step": 30, "loss": 0.5, "epoch": 1}])
        self.assertEqual((logger.name, logger.version), ("mine", 7))
        self.assertEqual(logger.save_dir, self.folder + "/output")

    def test_the_older_package_will_do_with_a_fake_lightning(self):
        loaded = self.load("throng.lightning",
                           lightning_of("pytorch_lightning"),
                           absent=["lightning"])
        loaded.ThrongLogger().log_metrics({"loss": 1}, 0)
        self.assertEqual(self.metrics(), [{"step": 0, "loss": 1}])

    def test_the_callback_stops_when_asked_with_a_fake_lightning(self):
        callback = self.loaded().ThrongCallback()
        trainer = types.SimpleNamespace(should_stop=False)
        callback.on_train_batch_end(trainer, None, None, None, 0)
        self.assertFalse(trainer.should_stop)
        self.write("stop", "")
        callback.on_validation_end(trainer, None)
        self.assertTrue(trainer.should_stop)

    def test_without_the_framework_the_import_says_which(self):
        with self.assertRaisesRegex(ImportError, "lightning"):
            self.load("throng.lightning", {},
                      absent=["lightning", "pytorch_lightning"])


class WithKeras(WithFakes):
    FAKES = {"keras": module("keras"),
             "keras.callbacks": module("callbacks", Callback=Base)}

    def fit(self, callback, epochs=2, batches=2):
        """The calls that a model makes."""
        callback.model = types.SimpleNamespace(stop_training=False)
        for epoch in range(epochs):
            for batch in range(batches):
                callback.on_train_batch_end(batch, {"loss": 5})
            callback.on_epoch_end(epoch, {"loss": 2 - epoch, "val_loss": 3,
                                          "odd": "text"})
        return callback.model


class Keras(WithKeras):
    def test_the_callback_reports_epochs_with_a_fake_keras(self):
        loaded = self.load("throng.keras", self.FAKES)
        model = self.fit(loaded.ThrongCallback())
        self.assertEqual(self.metrics(), [
            {"step": 0, "loss": 2, "val_loss": 3},
            {"step": 1, "loss": 1, "val_loss": 3}])
        self.assertFalse(model.stop_training)

    def test_the_callback_reports_batches_with_a_fake_keras(self):
        loaded = self.load("throng.keras", self.FAKES)
        self.fit(loaded.ThrongCallback(every=2), epochs=1)
        self.assertEqual(self.metrics()[0], {"step": 2, "batch/loss": 5})

    def test_the_callback_stops_when_asked_with_a_fake_keras(self):
        loaded = self.load("throng.keras", self.FAKES)
        self.write("stop", "")
        self.assertTrue(self.fit(loaded.ThrongCallback()).stop_training)

    def test_the_keras_of_tensorflow_will_do_with_a_fake_keras(self):
        fakes = {"tensorflow": module("tensorflow"),
                 "tensorflow.keras": module("tensorflow.keras"),
                 "tensorflow.keras.callbacks": self.FAKES["keras.callbacks"]}
        loaded = self.load("throng.keras", fakes, absent=["keras"])
        self.fit(loaded.ThrongCallback(), epochs=1)
        self.assertEqual(len(self.metrics()), 1)


class WithWandb(WithFakes):
    """The callbacks that scripts take from wandb."""

    def setUp(self):
        super().setUp()
        os.environ["THRONG_WANDB"] = "stand-in"
        sys.path.insert(0, STAND_IN)
        self.addCleanup(sys.path.remove, STAND_IN)
        self.wandb = importlib.import_module("wandb")
        self.wandb._init._runs.clear()
        self.addCleanup(self.finish)

    def finish(self):
        with said():
            self.wandb.finish()


class WandbKeras(WithWandb, WithKeras):
    def loaded(self):
        self.wandb.init()
        return self.load("wandb.integration.keras", self.FAKES)

    def test_wandb_callback_logs_and_keeps_the_best_with_a_fake_keras(self):
        with said():
            self.fit(self.loaded().WandbCallback(monitor="loss"))
        self.assertEqual(self.metrics()[1],
                         {"step": 1, "epoch": 1, "loss": 1, "val_loss": 3})
        self.finish()
        self.assertEqual(self.metrics()[2],
                         {"step": 2, "best_loss": 1, "best_epoch": 1})

    def test_wandb_metrics_logger_logs_with_a_fake_keras(self):
        with said():
            self.fit(self.loaded().WandbMetricsLogger(log_freq=2), epochs=1)
        self.assertEqual(self.metrics(), [
            {"step": 0, "batch/batch_step": 2, "batch/loss": 5},
            {"step": 1, "epoch/epoch": 0, "epoch/loss": 2,
             "epoch/val_loss": 3}])

    def test_what_a_checkpoint_saves_is_kept_with_a_fake_keras(self):
        class ModelCheckpoint(Base):
            def __init__(self, filepath):
                self.filepath = filepath

            def on_train_end(self, logs=None):
                pass

        loaded = self.loaded()
        fakes = {"keras": module("keras"), "keras.callbacks": module(
            "callbacks", ModelCheckpoint=ModelCheckpoint)}
        self.write("m/model-1.keras", "weights")
        with mock.patch.dict(sys.modules, fakes):
            loaded.WandbModelCheckpoint("m/model-{epoch:02d}.keras"
                                        ).on_train_end()
        self.assertEqual(self.read("output/wandb/files/model-1.keras"),
                         "weights")
        with self.assertRaisesRegex(AttributeError, "keras.Nonsense"):
            loaded.Nonsense
        with mock.patch.dict(sys.modules, self.FAKES):
            from wandb.keras import WandbCallback
        self.assertEqual(WandbCallback.__name__, "WandbCallback")


class WandbBoosting(WithWandb):
    def test_xgboost_rounds_are_logged_with_a_fake_xgboost(self):
        self.wandb.init()
        loaded = self.load("wandb.integration.xgboost", {
            "xgboost": module("xgboost"),
            "xgboost.callback": module("callback", TrainingCallback=Base)})
        callback = loaded.WandbCallback(log_model=False)
        log = {"train": {"rmse": []}, "valid": {"rmse": []}}
        for epoch in range(2):
            log["train"]["rmse"].append(1 - epoch)
            log["valid"]["rmse"].append(2 - epoch)
            self.assertFalse(callback.after_iteration(None, epoch, log))
        model = types.SimpleNamespace(best_score=1.5, best_iteration=1)
        self.assertIs(callback.after_training(model), model)
        self.finish()
        self.assertEqual(self.metrics(), [
            {"step": 0, "epoch": 0, "train-rmse": 1, "valid-rmse": 2},
            {"step": 1, "epoch": 1, "train-rmse": 0, "valid-rmse": 1},
            {"step": 2, "best_score": 1.5, "best_iteration": 1}])

    def test_lightgbm_rounds_are_logged_as_lightgbm_calls(self):
        self.wandb.init()
        from wandb.lightgbm import log_summary, wandb_callback
        log = wandb_callback()
        for i in range(2):
            log(types.SimpleNamespace(
                iteration=i, begin_iteration=0, params={"num_leaves": 31},
                evaluation_result_list=[("valid", "auc", 0.5 + i, True)]))
        log_summary(types.SimpleNamespace(
            best_iteration=1, best_score={"valid": {"auc": 1.5}}))
        self.assertEqual(self.wandb.config.num_leaves, 31)
        self.finish()
        self.assertEqual(self.metrics(), [
            {"step": 0, "iteration": 0, "valid_auc": 0.5},
            {"step": 1, "iteration": 1, "valid_auc": 1.5},
            {"step": 2, "best_iteration": 1, "best_score.valid.auc": 1.5}])


if __name__ == "__main__":
    unittest.main()
