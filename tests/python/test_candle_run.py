"""Checkpoints and the log of a run, by CANDLE's rules."""

import contextlib
import io
import json
import os
import random
import shutil
import sys
import types
import unittest
from unittest import mock

from candle_place import Candle

from throng import candle
from throng.candle import checkpoint


class Ckpt(candle.CandleCkpt):
    """The model is a list of one number."""

    def write_model_backend(self, model, epoch):
        with open(self.model_file, "w") as file:
            json.dump(model, file)

    def build_model(self, model_file):
        with open(model_file) as file:
            self.model[:] = json.load(file)


class Checkpoints(Candle):
    def ckpt(self, kind=Ckpt, **params):
        return kind({"epochs": 8, "ckpt_save_interval": 1,
                     "output_dir": self.folder, **params}, logger=None)

    def train(self, metric=lambda n: 1 / n, first=0, direction="-",
              ckpt=None, **params):
        """One training; metric(n) is that of epoch n, from 1."""
        ckpt = ckpt or self.ckpt(**params)
        ckpt.set_model([0])
        for epoch in range(first, ckpt.epoch_max):
            ckpt.model[0] = epoch + 1
            ckpt.ckpt_epoch(epoch, direction, metric(epoch + 1))
        return ckpt

    def on_disk(self, folder="ckpts"):
        """Numbers of the epochs, and those that best and last point to."""
        folder = os.path.join(self.folder, folder)
        if not os.path.isdir(folder):
            return [], None, None
        links = []
        for name in ("best", "last"):
            path = os.path.join(folder, name)
            links.append(int(os.path.basename(os.readlink(path)))
                         if os.path.islink(path) else None)
        return [sorted(int(n) for n in os.listdir(folder + "/epochs"))] \
            + links

    def test_the_keep_rule(self):
        def best_first(n):
            return n
        for name, metric, params, expected in [
                ("keep 5, improving", None, {}, [[4, 5, 6, 7, 8], 8, 8]),
                ("keep 5, best at 1", best_first, {},
                 [[1, 4, 5, 6, 7, 8], 1, 8]),
                ("keep 2, best at 1", best_first, {"ckpt_keep_limit": 2},
                 [[1, 7, 8], 1, 8]),
                ("interval 3, no best", None,
                 {"epochs": 7, "ckpt_save_interval": 3,
                  "ckpt_save_best": False}, [[3, 6, 7], None, 7]),
                ("interval 3, constant", lambda n: 1,
                 {"epochs": 7, "ckpt_save_interval": 3},
                 [[1, 3, 6, 7], 1, 7]),
                ("skip 3", None, {"epochs": 5, "ckpt_skip_epochs": 3},
                 [[3, 4, 5], 5, 5]),
                ("all", None, {"ckpt_keep_mode": "all",
                               "ckpt_keep_limit": 1},
                 [[1, 2, 3, 4, 5, 6, 7, 8], 8, 8])]:
            with self.subTest(name):
                self.train(metric or (lambda n: 1 / n), **params)
                self.assertEqual(self.on_disk(), expected)
                shutil.rmtree(self.folder + "/ckpts")

    def test_exponential_thins_out_with_age(self):
        self.train(epochs=40, ckpt_keep_mode="exponential",
                   ckpt_keep_limit=10, ckpt_save_best=False)
        epochs, _, last = self.on_disk()
        self.assertEqual(last, 40)
        self.assertLess(len(epochs), 9)
        self.assertTrue(any(e <= 24 for e in epochs), epochs)
        self.assertIn(39, epochs)

    def test_an_interval_of_0_writes_nothing(self):
        self.train(ckpt_save_interval=0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_metric_that_should_grow(self):
        self.train(lambda n: n / 10, direction="+",
                   ckpt_save_best_metric="val_accuracy")
        self.assertEqual(self.on_disk()[1], 8)
        ckpt = self.ckpt(ckpt_save_best_metric="val_accuracy",
                         ckpt_directory="second")
        self.train(lambda n: -n, direction=None, ckpt=ckpt)
        self.assertEqual(self.on_disk("second")[1], 1)

    def test_numbers_that_are_none_are_never_best(self):
        self.train(lambda n: float("nan") if n < 4 else n)
        self.assertEqual(self.on_disk()[1:], [4, 8])

    def test_directions(self):
        for metric, sign in [("loss", "-"), ("val_loss", "-"), ("lr", "-"),
                             ("accuracy", "+"), ("val_accuracy", "+"),
                             ("val_r2", "+"), ("my_loss", "-")]:
            self.assertEqual(checkpoint.direction_of(metric), sign)
        with self.assertRaisesRegex(candle.CheckpointError, "grow or fall"):
            checkpoint.direction_of("beauty")

    def test_it_goes_on_from_the_last_one(self):
        self.train(epochs=3)
        ckpt, model = self.ckpt(epochs=5), [0]
        info = ckpt.restart(model)
        self.assertEqual((info["epoch"], model), (3, [3]))
        self.assertEqual(ckpt.best_metric_last, 1 / 3)
        self.train(first=3, ckpt=ckpt)
        self.assertEqual(self.on_disk(), [[1, 2, 3, 4, 5], 5, 5])

    def test_a_worse_run_keeps_the_best(self):
        self.train(epochs=3)
        ckpt = self.ckpt(epochs=5)
        ckpt.restart([0])
        self.train(lambda n: 9, first=3, ckpt=ckpt)
        self.assertEqual(self.on_disk()[1:], [3, 5])

    def test_restart_modes(self):
        self.assertIsNone(self.ckpt().restart([0]))
        with self.assertRaisesRegex(candle.CheckpointError,
                                    self.folder + "/ckpts/last/model.h5"):
            self.ckpt(ckpt_restart_mode="required").restart([0])
        self.train()
        self.assertIsNone(self.ckpt(ckpt_restart_mode="off").restart([0]))
        self.assertEqual(self.ckpt(ckpt_restart_mode="required").restart(
            [0])["epoch"], 8)

    def test_what_the_file_says(self):
        self.train(epochs=2, ckpt_checksum=True, metadata="job 7")
        with open(self.folder + "/ckpts/last/ckpt-info.json") as file:
            info = json.load(file)
        self.assertEqual([info[k] for k in (
            "epoch", "save_best_metric", "best_metric_last", "model_file",
            "metadata")], [2, "val_loss", 0.5, "model.h5", "job 7"])
        self.assertRegex(info["timestamp"],
                         r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        self.assertGreaterEqual(info["time_elapsed"], 0)
        self.assertTrue(info["checksum"].isdigit())
        with open(self.folder + "/ckpts/epochs/001/ckpt-info.json") as file:
            self.assertEqual(json.load(file)["time_elapsed"], "__FIRST__")

    def test_a_damaged_model_is_refused(self):
        self.train(ckpt_checksum=True)
        with open(self.folder + "/ckpts/last/model.h5", "w") as file:
            file.write("[7]")
        with self.assertRaisesRegex(candle.CheckpointError,
                                    "epochs/008/model.h5 is damaged"):
            self.ckpt(ckpt_checksum=True).restart([0])
        # Written without a checksum, it is not looked at.
        self.train(ckpt_checksum=False, ckpt_directory="plain")
        self.ckpt(ckpt_checksum=True, ckpt_directory="plain").restart([0])

    def test_without_its_json(self):
        self.train()
        os.unlink(self.folder + "/ckpts/last/ckpt-info.json")
        with self.assertRaisesRegex(candle.CheckpointError, "no ckpt-info"):
            self.ckpt().restart([0])
        self.assertEqual(self.ckpt(require_json=False).restart([0])["epoch"],
                         8)
        with open(self.folder + "/ckpts/last/ckpt-info.json", "w") as file:
            file.write("{")
        with self.assertRaisesRegex(candle.CheckpointError, "cannot be read"):
            self.ckpt().restart([0])

    def test_rolling_back(self):
        self.train()
        os.unlink(self.folder + "/ckpts/last")
        os.symlink("epochs/006", self.folder + "/ckpts/last")
        self.assertEqual(self.ckpt().restart([0])["epoch"], 6)
        os.unlink(self.folder + "/ckpts/last")
        self.assertIsNone(self.ckpt().restart([0]))

    def test_the_folder_can_be_moved(self):
        self.train()
        os.rename("ckpts", "moved")
        self.assertEqual(os.readlink("moved/last"), "epochs/008")
        self.assertEqual(self.ckpt(ckpt_directory="moved").restart(
            [0])["epoch"], 8)

    def test_a_crash_while_writing_leaves_the_last_one(self):
        class Dies(Ckpt):
            def write_model_backend(self, model, epoch):
                with open(self.model_file, "w") as file:
                    file.write("[9")
                raise KeyboardInterrupt
        self.train(epochs=2)
        ckpt = self.ckpt(Dies)
        ckpt.restart([0])
        with self.assertRaises(KeyboardInterrupt):
            ckpt.ckpt_epoch(2, "-", 0)
        self.assertEqual(os.listdir("ckpts/work"), ["model.h5"])
        model = [0]
        self.assertEqual(self.ckpt().restart(model)["epoch"], 2)
        self.assertEqual(model, [2])
        self.train(epochs=3)
        self.assertFalse(os.path.exists("ckpts/work"))

    def test_a_checkpoint_is_on_the_disk_before_it_has_its_name(self):
        order = []
        real = os.rename
        self.fsync.side_effect = lambda handle: order.append(
            os.path.basename(os.readlink("/proc/self/fd/%d" % handle)))
        with mock.patch.object(os, "rename", lambda a, b: (
                order.append("rename"), real(a, b))):
            self.train(epochs=1)
        before = order[:order.index("rename")]
        self.assertEqual(sorted(before), ["ckpt-info.json", "model.h5",
                                          "random.json", "work"])
        self.assertEqual(order[order.index("rename") + 1], "epochs")

    def test_last_is_there_at_every_moment(self):
        """A crash at any rename or link leaves something to go on from."""
        self.train(epochs=2)
        self.fatal, calls = 0, []
        for name in ("rename", "replace", "symlink", "unlink"):
            real = getattr(os, name)

            def dies(*args, real=real, **options):
                calls.append(1)
                if len(calls) == self.fatal:
                    raise KeyboardInterrupt
                return real(*args, **options)
            patch = mock.patch.object(os, name, dies)
            patch.start()
            self.addCleanup(patch.stop)
        for fatal in range(1, 40):
            self.fatal = 0
            ckpt = self.ckpt()
            model = [0]
            before = ckpt.restart(model)["epoch"]
            self.assertGreaterEqual(before, 2)
            del calls[:]
            self.fatal = fatal
            try:  # the second epoch once more, then the third
                ckpt.ckpt_epoch(1, "-", 0.4)
                ckpt.ckpt_epoch(2, "-", 0.3)
            except KeyboardInterrupt:
                continue
            break
        else:
            self.fail("it never came to its end")
        self.assertGreater(fatal, 4)

    def test_random_numbers_go_on(self):
        random.seed(5)
        self.train(epochs=2)
        expected = [random.random() for _ in range(3)]
        random.seed(1)
        self.ckpt().restart([0])
        self.assertEqual([random.random() for _ in range(3)], expected)

    def test_the_models_own_state(self):
        ckpt = self.ckpt()
        ckpt.set_model([1])
        ckpt.state["lr"] = 0.25
        ckpt.ckpt_epoch(0, "-", 1)
        again = self.ckpt()
        again.restart([0])
        self.assertEqual(again.state, {"lr": 0.25})

    def test_settings_that_mean_nothing(self):
        for params in ({"ckpt_keep_limit": 0}, {"ckpt_save_interval": -1},
                       {"ckpt_keep_mode": "bogus"},
                       {"ckpt_restart_mode": "maybe"},
                       {"ckpt_checksum": "perhaps"}):
            with self.assertRaises(ValueError, msg=params):
                self.ckpt(**params)
        with self.assertRaisesRegex(ValueError, "'\\+' or '-'"):
            self.ckpt().ckpt_epoch(0, "down", 1)
        with self.assertRaises(NotImplementedError):
            self.ckpt(candle.CandleCkpt).ckpt_epoch(0, "-", 1)

    def test_in_a_trial_they_survive_it(self):
        self.enter_trial()
        self.train()
        self.assertEqual(self.on_disk("checkpoint")[2], 8)
        self.assertEqual(self.ckpt().restart([0])["epoch"], 8)
        self.train(ckpt_directory="models")
        self.assertEqual(self.on_disk("checkpoint/models")[2], 8)
        self.train(ckpt_directory=self.folder + "/far")
        self.assertEqual(self.on_disk("far/mine/7")[2], 8)
        self.train(ckpt_directory=self.folder + "/checkpoint/x")
        self.assertEqual(self.on_disk("checkpoint/x")[2], 8)

    def test_the_log(self):
        with contextlib.redirect_stdout(io.StringIO()):
            ckpt = Ckpt({"epochs": 2, "ckpt_save_interval": 1,
                         "ckpt_directory": "c"})
            self.train(ckpt=ckpt)
            ckpt.report_final()
        for handler in ckpt.logger.handlers:
            handler.close()
        text = self.read("c/ckpt.log")
        self.assertIn("CandleCkpt: epoch 2 saved", text)
        self.assertIn("checkpoints list: [1, 2]", text)

    def test_pytorch(self):
        """With as much of torch as it calls."""
        class Part:
            def __init__(self, value):
                self.value = value

            def state_dict(self):
                return {"value": self.value}

            def load_state_dict(self, state):
                self.value = state["value"]

        def save(what, path):
            with open(path, "w") as file:
                json.dump(what, file)

        def load(path):
            with open(path) as file:
                return json.load(file)
        torch = types.ModuleType("torch")
        torch.save, torch.load, torch.restored = save, load, None
        torch.get_rng_state = lambda: 77
        torch.set_rng_state = lambda s: setattr(torch, "restored", s)
        with mock.patch.dict(sys.modules, {"torch": torch}):
            sys.modules.pop("throng.candle.torch", None)
            params = {"epochs": 2, "ckpt_save_interval": 1,
                      "ckpt_directory": "c", "ckpt_save_best_metric":
                      "val_accuracy"}
            ckpt = candle.CandleCkptPyTorch(params, logger=None)
            ckpt.set_model({"model": Part(1), "optimizer": Part(2)})
            ckpt.ckpt_epoch(0, 0.5)
            ckpt.ckpt_epoch(1, 0.4)
            self.assertEqual(self.on_disk("c"), [[1, 2], 1, 2])
            ckpt = candle.CandleCkptPyTorch(params, logger=None)
            parts = {"model": Part(0), "optimizer": Part(0)}
            ckpt.set_model(parts)
            self.assertEqual(ckpt.restart(parts["model"])["epoch"], 2)
            self.assertEqual((parts["model"].value,
                              parts["optimizer"].value, torch.restored),
                             (1, 2, 77))
            sys.modules.pop("throng.candle.torch", None)
            vars(candle).pop("CandleCkptPyTorch", None)


class RunLog(Candle):
    def log(self, **more):
        params = {"epochs": 2, "run_id": "R1", "experiment_id": "E1",
                  "output_dir": self.folder + "/out", **more}
        return candle.CandleRemoteMonitor(params=params)

    def records(self):
        return json.loads(self.read("out/run.R1.json"))

    def test_the_file_is_whole_after_each_epoch(self):
        log = self.log()
        log.on_train_begin()
        self.assertEqual(self.records()[0]["status"], "Started")
        self.assertIn("epochs: 2", self.records()[0]["parameters"])
        log.on_epoch_end(0, {"loss": 0.5, "val_loss": float("nan")})
        record = self.records()[1]
        self.assertEqual((record["status"], record["training_loss"],
                          record["validation_loss"]),
                         ({"set": "Running"}, {"set": 0.5}, {"set": "nan"}))
        self.assertRegex(record["run_progress"]["add"][0],
                         r"^epoch: 1/2, duration: .*s, loss: 0.5, "
                         "val_loss: nan$")
        log.on_train_end()
        last = self.records()[-1]
        self.assertEqual(last["status"], {"set": "Finished"})
        self.assertEqual(last["date_modified"], {"set": "NOW"})
        self.assertGreaterEqual(last["runtime_hours"]["set"], 0)

    def test_a_second_run_adds_to_it(self):
        for _ in range(2):
            log = self.log()
            log.on_train_begin()
            log.on_train_end()
        self.assertEqual([r["status"] for r in self.records()],
                         ["Started", {"set": "Finished"}] * 2)

    def test_a_file_in_another_form_is_gone_on_with(self):
        for text in ("[]", '[{"status": "Finished"}]',
                     '[\n  {\n"a": 1\n}\n]  '):
            self.write("out/run.R1.json", text)
            self.log().on_train_begin()
            self.assertEqual(self.records()[:-1], json.loads(text))

    def test_a_file_that_cannot_be_read_is_put_aside(self):
        self.write("out/run.R1.json", "[{}][")
        self.log().on_train_begin()
        self.assertEqual(len(self.records()), 1)
        self.assertEqual(self.read("out/run.R1.json.unreadable"), "[{}][")

    def test_by_hand_nothing_is_reported(self):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            self.log().on_epoch_end(0, {"loss": 1})
        self.assertEqual(text.getvalue(), "")

    def test_in_a_trial_metrics_are_reported(self):
        self.enter_trial()
        log = self.log()
        log.on_train_begin()
        log.on_epoch_end(0, {"loss": 0.5, "val_loss": 0.25, "note": "x"})
        self.assertFalse(log.stop_training)
        self.write("stop", "")
        log.on_epoch_end(1, {"loss": 0.4})
        self.assertTrue(log.stop_training)
        self.assertEqual(self.metrics(), [
            {"step": 0, "loss": 0.5, "val_loss": 0.25},
            {"step": 1, "loss": 0.4}])

    def test_it_stops_a_model_of_keras(self):
        self.enter_trial()
        self.write("stop", "")
        log, model = self.log(), types.SimpleNamespace(stop_training=False)
        log.set_model(model)
        log.set_params({})
        log.on_batch_begin(0)
        log.on_epoch_end(0, {"loss": 1})
        self.assertTrue(model.stop_training)

    def test_timeouts(self):
        timer = candle.TerminateOnTimeOut(-1)
        timer.on_train_begin()
        timer.on_epoch_end(0)
        self.assertFalse(timer.stop_training)
        timer = candle.TerminateOnTimeOut(0)
        timer.on_train_begin()
        with contextlib.redirect_stdout(io.StringIO()) as text:
            timer.on_epoch_end(0)
        self.assertTrue(timer.stop_training)
        self.assertIn("Timeout", text.getvalue())
        os.environ["THRONG_DEADLINE"] = "1.0"
        timer = candle.TerminateOnTimeOut(-1)
        timer.on_epoch_end(0)
        self.assertTrue(timer.stop_training)

    def test_lines_for_each_epoch(self):
        lines = []
        candle.LoggingCallback(lines.append).on_epoch_end(
            3, {"b": 2, "a": 0.5})
        self.assertEqual(lines, ["[Epoch: 3] a: 0.500000, b: 2.000000"])

    def test_a_bar(self):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            bar = candle.Progbar(4)
            bar.update(2, [("loss", 1.0)])
            bar.add(2, [("loss", 3.0)])
        self.assertTrue(text.getvalue().endswith(" - loss: 2.0000\n"),
                        text.getvalue())

    def test_defaults_of_all_back_ends(self):
        config = candle.keras_default_config()
        self.assertEqual((config["rho"], config["epsilon"],
                          config["beta_2"], config["stddev_normal"]),
                         (0.9, 1e-8, 0.999, 0.05))

    def test_seeds(self):
        candle.set_seed(7102)
        first = random.random()
        candle.set_seed(7102.0)
        self.assertEqual(random.random(), first)


if __name__ == "__main__":
    unittest.main()
