"""The stand-in for wandb, function by function."""

import argparse
import importlib
import json
import os
import sys
import types
import unittest
import zlib
from unittest import mock

import of_debian

from place import said
from standing import Standing

import wandb
from wandb import _init, _png


class Config(Standing):
    def test_it_holds_the_parameters_of_the_trial(self):
        wandb.init()
        self.assertEqual(wandb.config.lr, 0.5)
        self.assertEqual(wandb.config["lr"], 0.5)
        self.assertEqual(wandb.config.opt["name"], "sgd")
        self.assertEqual(wandb.config.opt.name, "sgd")
        self.assertEqual(wandb.config["opt"].wd, 0.1)

    def test_the_study_wins_over_the_script_and_the_rest_stays(self):
        wandb.init(config={"lr": 9, "epochs": 3, "opt": {"wd": 9, "beta": 1}})
        self.assertEqual(dict(wandb.config), {
            "lr": 0.5, "epochs": 3,
            "opt": {"name": "sgd", "wd": 0.1, "beta": 1}})

    def test_a_parameter_is_locked_and_the_script_goes_on(self):
        wandb.init()
        with said() as text:
            wandb.config.update({"lr": 3, "depth": 2})
            wandb.config.lr = 4
            wandb.config["lr"] = 0.5
        self.assertEqual((wandb.config.lr, wandb.config.depth), (0.5, 2))
        self.assertEqual(text.getvalue().count("'lr' was locked"), 1)

    def test_another_value_may_not_change_unless_allowed(self):
        wandb.init(config={"depth": 2})
        with self.assertRaisesRegex(wandb.Error, "allow_val_change"):
            wandb.config.update({"depth": 3})
        wandb.config.update({"depth": 2})
        wandb.config.update({"depth": 3}, allow_val_change=True)
        self.assertEqual(wandb.config.depth, 3)

    def test_it_takes_what_argparse_and_absl_give(self):
        flags = types.SimpleNamespace(flag_values_dict=lambda: {"b": 2})
        wandb.init(config=argparse.Namespace(a=1))
        wandb.config.update(flags)
        wandb.config.setdefaults({"a": 5, "c": 3})
        self.assertEqual([wandb.config[k] for k in "abc"], [1, 2, 3])
        with self.assertRaisesRegex(wandb.Error, "config: a dict"):
            wandb.config.update(7)

    def test_keys_may_be_chosen(self):
        wandb.init(config={"a": 1, "b": 2}, config_exclude_keys=["a"])
        self.assertNotIn("a", wandb.config)
        wandb.finish()
        wandb.init(config={"a": 1, "b": 2}, config_include_keys=["a"])
        self.assertNotIn("b", wandb.config)

    def test_a_file_gives_values(self):
        self.write("c.json", '{"a": {"value": 1, "desc": "x"}, "b": 2}')
        wandb.init(config="c.json")
        self.assertEqual((wandb.config.a, wandb.config.b), (1, 2))

    def test_the_file_of_defaults_lies_below_all(self):
        self.write("config-defaults.yaml", '{"a": {"value": 1}, "b": 2}')
        wandb.init(config={"b": 3})
        self.assertEqual((wandb.config.a, wandb.config.b), (1, 3))

    def test_yaml_without_pyyaml_is_said(self):
        self.write("c.yaml", "a: 1\n")
        with mock.patch.dict(sys.modules, {"yaml": None}):
            with self.assertRaisesRegex(wandb.Error, "PyYAML"):
                wandb.init(config="c.yaml")

    def test_it_reads_like_a_dict(self):
        wandb.init(config={"a": 1})
        self.assertEqual(sorted(wandb.config.keys()), ["a", "lr", "opt"])
        self.assertEqual(sorted(wandb.config), ["a", "lr", "opt"])
        self.assertEqual(len(wandb.config), 3)
        self.assertEqual(wandb.config.get("nix", 4), 4)
        self.assertIn(("a", 1), list(wandb.config.items()))
        self.assertEqual(dict(**wandb.config)["a"], 1)
        self.assertEqual(vars(wandb.config).get("_items")["a"], 1)
        with self.assertRaises(AttributeError):
            wandb.config.nix
        with self.assertRaises(KeyError):
            wandb.config["nix"]
        self.assertEqual(getattr(wandb.config, "nix", 5), 5)

    def test_it_can_be_copied_and_pickled(self):
        import copy
        import pickle
        wandb.init(config={"a": 1})
        for same in (copy.deepcopy(wandb.config),
                     pickle.loads(pickle.dumps(wandb.config))):
            self.assertEqual((same.a, same.opt.name), (1, "sgd"))

    def test_what_the_script_added_is_kept(self):
        wandb.init(config={"a": 1})
        wandb.finish()
        self.assertEqual(json.loads(self.read("output/wandb/config.json")),
                         {**self.params, "a": 1})

    def test_without_additions_nothing_is_written(self):
        wandb.init()
        wandb.log({"loss": 1})
        wandb.finish()
        self.assertFalse(os.path.exists("output"))


class Logging(Standing):
    def test_each_call_is_a_step(self):
        wandb.init()
        wandb.log({"loss": 2})
        wandb.log({"loss": 1, "acc": 0.5})
        self.assertEqual(self.metrics(), [
            {"step": 0, "loss": 2}, {"step": 1, "loss": 1, "acc": 0.5}])
        self.assertEqual(wandb.run.step, 2)

    def test_nested_names_are_joined(self):
        wandb.init()
        wandb.log({"train": {"loss": 1, "deep": {"er": 2}}, "x": 3})
        self.assertEqual(self.metrics(), [
            {"step": 0, "train.loss": 1, "train.deep.er": 2, "x": 3}])

    def test_commit_false_waits_for_the_rest_of_the_row(self):
        wandb.init()
        wandb.log({"a": 1}, commit=False)
        self.assertEqual(self.metrics(), [])
        wandb.log({"b": 2}, commit=False)
        wandb.log({"a": 5})
        self.assertEqual(self.metrics(), [{"step": 0, "a": 5, "b": 2}])

    def test_what_waits_is_written_at_the_end(self):
        wandb.init()
        wandb.log({"a": 1}, commit=False)
        wandb.finish()
        self.assertEqual(self.metrics(), [{"step": 0, "a": 1}])

    def test_a_given_step_is_written_at_once(self):
        wandb.init()
        wandb.log({"a": 1}, step=10)
        wandb.log({"b": 2}, step=10)
        wandb.log({"a": 3}, step=20)
        self.assertEqual(self.metrics(), [
            {"step": 10, "a": 1}, {"step": 10, "b": 2},
            {"step": 20, "a": 3}])

    def test_a_call_without_a_step_belongs_to_the_step_given_before(self):
        wandb.init()
        wandb.log({"a": 1}, step=10)
        wandb.log({"b": 2})
        wandb.log({"c": 3})
        self.assertEqual([m["step"] for m in self.metrics()], [10, 10, 11])

    def test_a_higher_step_ends_a_row_that_waits(self):
        wandb.init()
        wandb.log({"a": 1}, step=1, commit=False)
        wandb.log({"b": 2}, step=2, commit=True)
        wandb.log({"c": 3})
        self.assertEqual([sorted(m) + [m["step"]] for m in self.metrics()], [
            ["a", "step", 1], ["b", "step", 2], ["c", "step", 3]])

    def test_steps_only_go_up_and_it_is_said_once(self):
        wandb.init()
        wandb.log({"a": 1}, step=5)
        with said() as text:
            wandb.log({"a": 2}, step=3)
            wandb.log({"a": 2}, step=4)
        self.assertEqual(len(self.metrics()), 1)
        self.assertEqual(text.getvalue().count("steps only go up"), 1)

    def test_scalars_of_numpy_and_torch_are_numbers(self):
        scalar = types.SimpleNamespace(item=lambda: 0.25)
        wandb.init()
        wandb.log({"a": scalar, "b": True, "c": float("nan")})
        line = self.metrics()[0]
        self.assertEqual((line["a"], line["b"]), (0.25, True))
        self.assertNotEqual(line["c"], line["c"])
        self.assertEqual(self.history(), [])

    def test_what_is_no_number_is_kept_and_said_once(self):
        wandb.init()
        with said() as text:
            wandb.log({"loss": 1, "text": "hello", "list": [1, 2]})
            wandb.log({"loss": 1, "text": "again", "none": None})
        self.assertEqual(self.metrics(), [
            {"step": 0, "loss": 1}, {"step": 1, "loss": 1}])
        self.assertEqual(self.history(), [
            {"_step": 0, "text": "hello", "list": [1, 2]},
            {"_step": 1, "text": "again", "none": None}])
        said_of = [line.split(": ")[1] for line in
                   text.getvalue().splitlines()]
        self.assertEqual(said_of, ["text (text)", "list (list)",
                                   "none (None)"])
        self.assertEqual(text.getvalue().count(
            "kept in output/wandb/history.jsonl\n"), 1)

    def test_what_is_said_of_a_kind_fits_a_line(self):
        wandb.init()
        with said() as text:
            wandb.log({"text": "hello", "list": [1], "none": None,
                       "table": wandb.Table(["a"], [[1]]),
                       "confusion": wandb.Image([[0.0, 1.0]])})
        lines = text.getvalue().splitlines()
        self.assertEqual(len(lines), 5, lines)
        self.assertLess(max(map(len, lines)), 80)

    def test_it_is_said_once_for_a_kind_not_for_each_name(self):
        wandb.init()
        with said() as text:
            for i in range(5):
                wandb.log({"text_%d" % i: "x",
                           "table_%d" % i: wandb.Table(["a"], [[i]]),
                           "images_%d" % i: [wandb.Image([[0.0, 1.0]])],
                           "lost_%d" % i: wandb.Image("no-such.png")})
                wandb.save("no-such-%d.pt" % i)
        lines = text.getvalue().splitlines()
        self.assertEqual(len(lines), 5, lines)
        for kind in ("(text)", "(table)", "(images)", "could not be kept",
                     "no file matches"):
            self.assertEqual(text.getvalue().count(kind), 1, kind)
        self.assertEqual(len(self.history()), 5)

    def test_a_metric_named_step_does_not_move_the_step(self):
        wandb.init()
        with said():
            wandb.log({"step": 100, "loss": 1})
        self.assertEqual(self.metrics(), [{"step": 0, "loss": 1}])
        self.assertEqual(self.history(), [{"_step": 0, "step": 100}])

    def test_threads_may_log_at_once(self):
        import threading
        wandb.init()
        threads = [threading.Thread(target=lambda: [
            wandb.log({"a": i}) for i in range(100)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([m["step"] for m in self.metrics()],
                         list(range(400)))

    def test_only_a_dict_can_be_logged(self):
        wandb.init()
        with self.assertRaisesRegex(ValueError, "a dict"):
            wandb.log(3)

    def test_before_init_it_says_what_to_do(self):
        self.assertIsNone(wandb.run)
        with self.assertRaisesRegex(wandb.Error, "wandb.init"):
            wandb.log({"a": 1})
        with self.assertRaisesRegex(wandb.Error, "wandb.init"):
            wandb.config.lr
        with self.assertRaisesRegex(wandb.Error, "wandb.init"):
            wandb.config["lr"]
        with self.assertRaisesRegex(wandb.Error, "wandb.init"):
            wandb.config.lr = 3
        with self.assertRaisesRegex(wandb.Error, "wandb.init"):
            wandb.summary["a"] = 1

    def test_a_finished_run_takes_no_more(self):
        run = wandb.init()
        run.finish()
        with self.assertRaisesRegex(wandb.Error, "finished"):
            run.log({"a": 1})

    def test_a_stop_interrupts_the_script_once(self):
        wandb.init()
        wandb.log({"a": 1})
        self.write("stop", "")
        with said() as text:
            with self.assertRaises(KeyboardInterrupt):
                wandb.log({"a": 2})
            wandb.log({"a": 3})
        self.assertIn("asks this trial to stop", text.getvalue())
        self.assertEqual(len(self.metrics()), 3)


class Summary(Standing):
    def test_it_holds_the_last_value(self):
        wandb.init()
        wandb.log({"loss": 2, "a": {"b": 1}})
        wandb.log({"loss": 1})
        self.assertEqual(wandb.summary["loss"], 1)
        self.assertEqual(wandb.run.summary.loss, 1)
        self.assertEqual(wandb.summary["a.b"], 1)
        self.assertEqual(sorted(wandb.summary.keys()), ["a.b", "loss"])

    def test_what_is_set_by_hand_becomes_a_metric_at_the_end(self):
        wandb.init()
        wandb.log({"loss": 1})
        wandb.summary["best"] = 0.5
        wandb.run.summary.update({"deep": {"er": 2}})
        wandb.summary.acc = 0.75
        self.assertEqual(len(self.metrics()), 1)
        wandb.finish()
        self.assertEqual(self.metrics()[1:], [
            {"step": 1, "best": 0.5, "deep.er": 2, "acc": 0.75}])

    def test_what_was_logged_nested_is_read_nested(self):
        wandb.init()
        wandb.log({"val.top": 1, "val": {"loss": 3, "top": {"1": 0.5}}})
        self.assertEqual(wandb.summary["val"]["loss"], 3)
        self.assertEqual(wandb.summary.val.top["1"], 0.5)
        self.assertEqual(wandb.summary.get("val.loss"), 3)
        self.assertEqual(wandb.summary.get("va", 7), 7)
        with self.assertRaises(KeyError):
            wandb.summary["va"]
        with self.assertRaises(AttributeError):
            wandb.summary.va

    def test_a_logged_value_replaces_what_was_set_by_hand(self):
        wandb.init()
        wandb.summary["loss"] = 9
        wandb.log({"loss": 1})
        self.assertEqual(wandb.summary["loss"], 1)
        wandb.finish()
        self.assertEqual(self.metrics(), [{"step": 0, "loss": 1}])

    def test_a_text_set_by_hand_is_kept(self):
        wandb.init()
        wandb.summary["why"] = "early"
        wandb.finish()
        self.assertEqual(json.loads(self.read("output/wandb/summary.json")),
                         {"why": "early"})

    def test_something_can_be_taken_out(self):
        wandb.init()
        wandb.summary["a"] = 1
        del wandb.summary["a"]
        self.assertNotIn("a", wandb.summary)
        wandb.finish()
        self.assertEqual(self.metrics(), [])


class Definitions(Standing):
    def fed(self, *values, **definition):
        wandb.init()
        wandb.define_metric("loss", **definition)
        for value in values:
            wandb.log({"loss": value})
        return wandb.summary.get("loss")

    def test_min_and_max_and_mean(self):
        self.assertEqual(self.fed(3, 1, 2, summary="min"), {"min": 1})
        wandb.define_metric("loss", summary="max")
        wandb.log({"loss": 5})
        self.assertEqual(wandb.summary["loss"], {"min": 1, "max": 5})
        wandb.finish()
        self.assertEqual(self.fed(1, 2, 6, summary="mean,last"),
                         {"mean": 3.0, "last": 6})

    def test_best_needs_a_goal(self):
        with self.assertRaisesRegex(wandb.Error, "goal"):
            self.fed(summary="best")
        wandb.finish()
        self.assertEqual(self.fed(3, 1, 2, summary="best", goal="minimize"),
                         {"best": 1})
        wandb.finish()
        self.assertEqual(self.fed(1, 3, 2, summary="best",
                                  objective="maximize"), {"best": 3})

    def test_nan_is_never_the_best(self):
        nan = float("nan")
        self.assertEqual(self.fed(nan, 2, nan, summary="min"), {"min": 2})

    def test_none_and_copy(self):
        self.assertIsNone(self.fed(1, summary="none"))
        wandb.finish()
        self.assertEqual(self.fed(1, 2, summary="copy"), 2)

    def test_a_pattern_covers_many(self):
        wandb.init()
        metric = wandb.define_metric("val/*", summary="max", step_metric="e")
        self.assertEqual((metric.name, metric.step_metric), ("val/*", "e"))
        wandb.log({"val/a": 2, "train/a": 2})
        wandb.log({"val/a": 1, "train/a": 1})
        self.assertEqual(wandb.summary["val/a"], {"max": 2})
        self.assertEqual(wandb.summary["train/a"], 1)

    def test_what_was_asked_for_becomes_a_metric_at_the_end(self):
        self.fed(3, 1, 2, summary="min")
        wandb.finish()
        self.assertEqual(self.metrics()[-1], {"step": 3, "loss.min": 1})

    def test_a_pattern_for_the_steps_makes_no_metrics_of_files(self):
        wandb.init()
        wandb.define_metric("*", step_metric="train/global_step")
        with said():
            wandb.log({"loss": 1, "t": wandb.Table(["a"], [[1]])})
            wandb.finish()
        self.assertEqual(self.metrics(), [{"step": 0, "loss": 1}])

    def test_a_misspelt_kind_is_named(self):
        with self.assertRaisesRegex(wandb.Error, "minn"):
            self.fed(summary="minn")


class Runs(Standing):
    def test_who_it_is(self):
        run = wandb.init(project="p", entity="e", name="n", group="g",
                         tags=["t"], notes="note", job_type="j")
        self.assertIs(run, wandb.run)
        self.assertEqual((run.id, run.name, run.project, run.entity, run.group,
                          run.tags, run.notes, run.job_type, run.path),
                         ("mine-7", "n", "p", "e", "g", ("t",), "note", "j",
                          "e/p/mine-7"))
        self.assertEqual(run.sweep_id, "mine")
        self.assertIsNone(run.url)
        self.assertEqual(run.dir, self.folder + "/output/wandb/files")
        self.assertTrue(os.path.isdir(run.dir))

    def test_what_it_says_of_itself_is_handed_to_throng_at_once(self):
        wandb.init(tags=["baseline", "long run"], notes="first try",
                   group="night", job_type="train",
                   config={"epochs": 3, "lr": 9, "opt": {"name": "adam",
                                                         "beta": 0.9}})
        self.assertEqual(self.described(), [{
            "tags": ["baseline", "long-run"], "note": "first try",
            "values": {"group": "night", "job_type": "train", "epochs": 3,
                       "opt": {"beta": 0.9}}}])
        wandb.finish()
        self.assertEqual(len(self.described()), 1)

    def test_what_it_adds_later_is_handed_over_at_its_end(self):
        run = wandb.init(config={"epochs": 3})
        run.config.update({"batch": 32})
        run.tags += ("late",)
        run.finish()
        self.assertEqual(self.described()[1:], [{
            "tags": ["late"], "values": {"epochs": 3, "batch": 32}}])

    def test_who_says_nothing_of_itself_writes_no_line(self):
        wandb.init().finish()
        wandb.init(mode="disabled", tags=["a"], reinit=True).finish()
        self.assertEqual(self.described(), [])

    def test_names_come_from_the_environment_too(self):
        os.environ.update(WANDB_NAME="n", WANDB_RUN_ID="i", WANDB_TAGS="a,b",
                          WANDB_PROJECT="p")
        run = wandb.init()
        self.assertEqual((run.name, run.id, run.tags, run.project),
                         ("n", "i", ("a", "b"), "p"))

    def test_every_argument_of_wandb_is_taken(self):
        wandb.init(magic=False, anonymous="allow", resume="allow", force=True,
                   sync_tensorboard=False, monitor_gym=False, save_code=True,
                   settings=wandb.Settings(start_method="thread"),
                   settings_of_the_future=1)
        self.assertEqual(wandb.run.settings.start_method, "thread")
        self.assertIsNone(wandb.run.settings.something_else)

    def test_init_again_gives_the_same_run(self):
        run = wandb.init(config={"a": 1})
        self.assertIs(wandb.init(config={"b": 2}), run)
        self.assertEqual((wandb.config.a, wandb.config.b), (1, 2))

    def test_a_second_run_goes_on_behind_the_first(self):
        for fold in range(2):
            run = wandb.init(reinit=True)
            run.log({"loss": fold})
            run.log({"loss": fold}, step=5)
        self.assertEqual(run.id, "mine-7-2")
        self.assertEqual([m["step"] for m in self.metrics()], [0, 5, 6, 11])
        self.assertEqual(run.step, 5)

    def test_a_run_may_be_made_beside_another(self):
        first = wandb.init()
        first.log({"a": 1})
        second = wandb.init(reinit="create_new")
        second.log({"a": 2})
        self.assertEqual([m["step"] for m in self.metrics()], [0, 2])
        self.assertEqual((first.id, second.id), ("mine-7", "mine-7-2"))
        first.finish()
        self.assertIs(wandb.run, second)

    def test_as_a_context_it_ends_at_its_end(self):
        with wandb.init() as run:
            run.log({"a": 1}, commit=False)
        self.assertIsNone(wandb.run)
        self.assertEqual(self.metrics(), [{"step": 0, "a": 1}])
        with self.assertRaises(ZeroDivisionError):
            with wandb.init() as run:
                1 / 0
        self.assertIsNone(wandb.run)

    def test_disabled_means_nothing_is_written(self):
        with said() as text:
            run = wandb.init(mode="disabled", config={"a": 1})
            run.log({"loss": 1, "im": wandb.Image("none.png")})
            run.summary["x"] = 1
            self.assertEqual(run.summary["loss"], 1)
            artifact = wandb.Artifact("a", "t")
            run.log_artifact(artifact)
            run.finish()
        self.assertIn("disabled", text.getvalue())
        self.assertEqual(sorted(os.listdir()), ["params.json"])

    def test_disabled_by_the_environment(self):
        os.environ["WANDB_MODE"] = "disabled"
        with said():
            wandb.init()
        self.assertTrue(wandb.run.disabled)

    def attempt(self, steps, **options):
        """What an attempt does that logs so many steps and dies."""
        run = wandb.init(**options)
        for _ in range(steps):
            run.log({"loss": 1})
        wandb._take_run(None)
        import atexit
        atexit.unregister(run.finish)
        _init._runs.clear()

    def test_resume_goes_on_with_the_steps_of_the_attempt_before(self):
        self.write("checkpoint/model", "")
        self.attempt(42, resume="allow")
        run = wandb.init(resume="allow")
        self.assertTrue(run.resumed)
        self.assertEqual((run.step, run.starting_step), (42, 42))
        run.log({"loss": 2})
        self.assertEqual(self.metrics()[-1], {"step": 42, "loss": 2})

    def test_the_end_of_an_attempt_uses_up_no_step(self):
        self.write("checkpoint/model", "")
        with wandb.init(resume="allow") as run:
            run.log({"loss": 1})
            run.summary["best"] = 1
        _init._runs.clear()
        self.assertEqual(wandb.init(resume="allow").step, 1)

    def test_a_script_that_goes_on_may_say_an_earlier_step(self):
        self.write("checkpoint/model", "")
        self.attempt(42, resume="must")
        wandb.init(resume="must")
        wandb.log({"loss": 2}, step=40)
        self.assertEqual(self.metrics()[-1], {"step": 40, "loss": 2})

    def test_without_a_checkpoint_an_attempt_begins_at_0(self):
        self.attempt(42, resume="allow")
        run = wandb.init(resume="allow")
        self.assertEqual((run.resumed, run.step), (False, 0))

    def test_who_does_not_resume_begins_at_0_and_notes_nothing(self):
        self.write("checkpoint/model", "")
        self.attempt(3)
        self.assertFalse(os.path.exists("output"))
        self.assertEqual(wandb.init(resume="never").step, 0)

    def test_what_the_stand_in_lacks_is_named(self):
        wandb.init()
        with self.assertRaisesRegex(AttributeError, "run.nonsense"):
            wandb.run.nonsense
        with self.assertRaisesRegex(AttributeError, "wandb.nonsense.*real"):
            wandb.nonsense

    def test_a_module_that_it_lacks_says_what_to_do(self):
        for name, instead in (
                ("integration.sb3", "callback of your own"),
                ("integration.lightning", "throng.lightning"),
                ("integration.fastai", "Callback"), ("fastai", "Callback"),
                ("integration.diffusers", "wandb.log"),
                ("apis.public", "throng export"), ("apis", "throng export"),
                ("proto", "service"), ("proto.wandb_internal_pb2", "service"),
                ("sdk.data_types.trace_tree", "wandb.Table"),
                ("cli", "wandb: real")):
            with self.assertRaises(ImportError) as caught:
                importlib.import_module("wandb." + name)
            self.assertIn("has no wandb.", str(caught.exception))
            self.assertIn(instead, str(caught.exception))
            self.assertIn("`wandb: real`", str(caught.exception))
        with self.assertRaisesRegex(ImportError, "no wandb.WandbThing.*real"):
            from wandb import WandbThing  # noqa: F401
        with self.assertRaisesRegex(AttributeError, "apis: `throng export`"):
            wandb.apis

    def test_modules_are_attributes_too(self):
        self.assertIs(wandb.plots, wandb.plot)
        self.assertEqual(wandb.env.get_project("mine"), "mine")
        self.assertIs(wandb.data_types.Table, wandb.Table)
        with said() as text:
            wandb.tensorboard.patch(root_logdir="logs")
            wandb.gym.monitor()
        self.assertEqual(text.getvalue().count("are not read"), 1)
        wandb.init()
        with said() as text:
            wandb.sklearn.plot_classifier(None, None, None)
            wandb.sklearn.plot_roc(None)
        self.assertEqual(text.getvalue().count("wandb.sklearn"), 1)
        with said():
            wandb.log({"roc": wandb.plots.ROC([0, 1], [0.2, 0.8])})
        self.assertEqual(os.listdir("output/wandb/media/charts"),
                         ["roc_0.json"])

    def test_every_public_name_is_there(self):
        from wandb import _public
        for name in _public.__all__:
            self.assertTrue(hasattr(wandb, name), name)

    def test_libraries_find_the_classes_where_they_look(self):
        from wandb.data_types import Table
        from wandb.sdk.lib import RunDisabled
        from wandb.sdk.wandb_run import Run as Inner
        from wandb.util import generate_id
        from wandb.wandb_run import Run
        self.assertEqual(len(generate_id()), 8)
        self.assertIs(wandb.util.generate_id, generate_id)
        run = wandb.init()
        run._label(code="some_library")
        self.assertIsInstance(run, Run)
        self.assertIsInstance(run, (Inner, RunDisabled))
        self.assertIs(Table, wandb.Table)


class Files(Standing):
    def test_save_keeps_a_copy_and_the_end_a_newer_one(self):
        self.write("m/model.pt", "1")
        wandb.init()
        kept = wandb.save("m/*.pt", base_path=".")
        self.assertEqual(kept, [wandb.run.dir + "/m/model.pt"])
        self.write("m/model.pt", "2")
        self.assertEqual(self.read("output/wandb/files/m/model.pt"), "1")
        wandb.finish()
        self.assertEqual(self.read("output/wandb/files/m/model.pt"), "2")

    def test_save_of_a_file_elsewhere_or_in_the_folder_itself(self):
        path = self.write("x/y/z.txt", "z")
        wandb.init()
        wandb.save(path)
        self.assertEqual(self.read("output/wandb/files/z.txt"), "z")
        own = self.write("output/wandb/files/own.txt", "o")
        wandb.save(own)
        wandb.save(path, base_path="/nowhere")
        self.assertEqual(self.read("output/wandb/files/own.txt"), "o")

    def test_save_of_nothing_is_said(self):
        wandb.init()
        with said() as text:
            self.assertEqual(wandb.save("*.pt"), [])
        self.assertIn("no file matches", text.getvalue())

    def test_restore_gives_what_was_saved_and_says_what_was_not(self):
        self.write("a.txt", "A")
        wandb.init()
        wandb.save("a.txt")
        with wandb.restore("a.txt") as file:
            self.assertEqual(file.read(), "A")
        with self.assertRaisesRegex(wandb.CommError, "no W&B server"):
            wandb.restore("b.txt")


class Artifacts(Standing):
    TOP = "output/wandb/artifacts/"

    def logged(self, text, **options):
        artifact = wandb.Artifact("model", "model", metadata={"a": 1})
        artifact.add_file(self.write("model.pt", text))
        return wandb.log_artifact(artifact, **options)

    def test_a_file_is_kept_by_its_hash_under_its_name(self):
        wandb.init()
        self.logged("x", aliases=["best"])
        self.write("model.pt", "changed since")
        sha256 = ("2d711642b726b04401627ca9fbac32f5"
                  "c8530fb1903cc4db02258717921a4881")
        self.assertEqual(self.read(self.TOP + "objects/" + sha256), "x")
        self.assertEqual(self.read(self.TOP + "model-v0/model.pt"), "x")
        manifest = json.loads(self.read(self.TOP + "model-v0.json"))
        self.assertEqual(manifest["files"],
                         {"model.pt": {"sha256": sha256, "size": 1}})
        self.assertEqual(manifest["aliases"], ["latest", "best", "v0"])
        self.assertEqual(manifest["metadata"], {"a": 1})

    def test_the_same_content_makes_no_new_version(self):
        wandb.init()
        versions = [self.logged(text).version for text in "xyxx"]
        self.assertEqual(versions, ["v0", "v1", "v0", "v0"])
        self.assertEqual(len(os.listdir(self.TOP + "objects")), 2)

    def test_an_alias_moves_to_the_newest(self):
        wandb.init()
        self.logged("x", aliases=["best"])
        self.logged("y")
        first = json.loads(self.read(self.TOP + "model-v0.json"))
        self.assertEqual(first["aliases"], ["best", "v0"])
        self.assertEqual(wandb.use_artifact("model:latest").version, "v1")
        self.assertEqual(wandb.use_artifact("e/p/model:best").version, "v0")
        self.assertEqual(wandb.use_artifact("model").version, "v1")

    def test_the_links_survive_a_move(self):
        wandb.init()
        self.logged("x")
        wandb.finish()
        os.rename("output", "moved")
        self.assertEqual(
            self.read("moved/wandb/artifacts/model-v0/model.pt"), "x")

    def test_folders_new_files_tables_and_references(self):
        self.write("data/a/b.txt", "B")
        wandb.init()
        artifact = wandb.Artifact("set", type="dataset")
        artifact.add_dir("data", name="d")
        with artifact.new_file("n.txt", mode="w") as file:
            file.write("N")
        artifact.add(wandb.Table(columns=["x"], data=[[1]]), "t")
        artifact.add_reference("s3://bucket/big.bin")
        with said() as text:
            wandb.run.log_artifact(artifact).wait()
        self.assertIn("not fetched", text.getvalue())
        self.assertEqual(self.read(self.TOP + "set-v0/d/a/b.txt"), "B")
        self.assertEqual(self.read(self.TOP + "set-v0/n.txt"), "N")
        self.assertEqual(len(artifact.files()), 3)
        self.assertEqual(artifact.get_path("n.txt").download(),
                         artifact.download() + "/n.txt")
        artifact.download(root="copy")
        self.assertEqual(self.read("copy/n.txt"), "N")

    def test_a_table_comes_back_out_of_it(self):
        run = wandb.init()
        artifact = wandb.Artifact("data", "dataset")
        artifact.add(wandb.Table(["a", "b"], [[1, "x"]]), "rows")
        run.log_artifact(artifact)
        used = run.use_artifact("data:latest")
        self.assertEqual(used.get("rows").data, [[1, "x"]])
        self.assertIsNone(used.get("other"))
        entry = used.get_path("rows.table.json")
        self.assertEqual(entry.get().data, [[1, "x"]])
        self.assertTrue(os.path.exists(used.download() + "/rows.table.json"))

    def test_a_path_is_an_artifact_too(self):
        wandb.init()
        artifact = wandb.log_artifact(self.write("w.bin", "w"), name="w",
                                      type="weights")
        self.assertEqual((artifact.name, artifact.type), ("w", "weights"))
        wandb.run.log_model(self.write("m.bin", "m"), name="m")
        self.assertEqual(self.read(self.TOP + "m-v0/m.bin"), "m")
        self.assertEqual(wandb.run.use_model("m"),
                         self.folder + "/" + self.TOP + "m-v0")

    def test_an_artifact_of_somewhere_else_says_what_to_do(self):
        wandb.init()
        with self.assertRaisesRegex(wandb.CommError, "inputs:"):
            wandb.use_artifact("team/project/data:v3")

    def test_a_file_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(ValueError, "no file nix.pt"):
            wandb.Artifact("a", "b").add_file("nix.pt")
        with self.assertRaisesRegex(ValueError, "no folder nix"):
            wandb.Artifact("a", "b").add_dir("nix")

    def test_the_registry_is_said_to_be_absent(self):
        wandb.init()
        with said() as text:
            wandb.run.link_artifact(wandb.Artifact("a", "b"), "r/a")
            wandb.run.link_model(self.write("m", "m"), "registered")
        self.assertEqual(text.getvalue().count("no registry"), 2)
        self.assertTrue(os.path.exists(self.TOP + "registered-v0/m"))


class Values(Standing):
    def kept(self, value, name="x"):
        """The file that a logged value became."""
        if wandb.run is None:
            wandb.init()
        with said():
            wandb.log({name: value})
        said_of_it = self.history()[-1][name]
        self.assertIn("path", said_of_it)
        return "output/wandb/" + said_of_it["path"]

    def test_a_table_is_a_file_with_columns_and_rows(self):
        table = wandb.Table(columns=["a", "b"])
        table.add_data(1, "x")
        table.add_column("c", [2])
        self.assertEqual(json.loads(self.read(self.kept(table))),
                         {"columns": ["a", "b", "c"], "data": [[1, "x", 2]]})
        self.assertEqual(table.get_column("b"), ["x"])
        with self.assertRaisesRegex(ValueError, "3 values"):
            table.add_data(1)

    def test_a_table_of_a_frame_like_thing(self):
        frame = types.SimpleNamespace(
            columns=["a"], values=types.SimpleNamespace(tolist=lambda: [[1]]))
        for table in (wandb.Table(dataframe=frame), wandb.Table(data=frame)):
            self.assertEqual((table.columns, table.data), (["a"], [[1]]))

    def test_a_table_becomes_a_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not there")
        frame = wandb.Table(["a", "b"], [[1, "x"], [2, "y"]]).get_dataframe()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.columns), ["a", "b"])
        self.assertEqual(frame.values.tolist(), [[1, "x"], [2, "y"]])

    def test_pictures_in_a_table_are_files(self):
        table = wandb.Table(columns=["im"], data=[[wandb.Image([[0, 255]])]])
        cell = json.loads(self.read(self.kept(table)))["data"][0][0]
        self.assertTrue(os.path.exists("output/wandb/" + cell["path"]))

    def test_an_image_from_a_file_an_array_and_a_figure(self):
        class Figure:
            def savefig(self, path):
                with open(path, "w") as file:
                    file.write("figure")

        self.write("a.jpg", "jpg")
        path = self.kept(wandb.Image("a.jpg", caption="c"))
        self.assertEqual((self.read(path), path[-4:]), ("jpg", ".jpg"))
        self.assertEqual(self.history()[-1]["x"]["caption"], "c")
        with open(self.kept(wandb.Image([[0.0, 1.0]])), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertEqual(self.read(self.kept(Figure())), "figure")

    def test_masks_and_boxes_of_an_image_are_files_beside_it(self):
        box = {"position": {"minX": 0, "maxX": 1, "minY": 0, "maxY": 1},
               "class_id": 2}
        path = self.kept(wandb.Image(
            [[0, 255]], masks={"guess": {"mask_data": [[0, 2]],
                                         "class_labels": {2: "cat"}}},
            boxes={"truth/a": {"box_data": [box]}}))
        logged = self.history()[-1]["x"]
        self.assertEqual("output/wandb/" + logged["path"], path)
        mask = logged["masks"]["guess"]
        self.assertEqual(mask["class_labels"], {"2": "cat"})
        with open("output/wandb/" + mask["path"], "rb") as file:
            data = file.read()
        at = data.index(b"IDAT")
        size = int.from_bytes(data[at - 4:at], "big")
        self.assertEqual(zlib.decompress(data[at + 4:at + 4 + size]),
                         b"\0\0\2")
        boxes = logged["boxes"]["truth/a"]
        self.assertEqual(json.loads(self.read("output/wandb/" + boxes["path"])),
                         {"box_data": [box]})

    def test_a_mask_of_too_many_classes_is_said(self):
        wandb.init()
        with said():
            wandb.log({"x": wandb.Image([[0]], masks={
                "m": {"mask_data": [[256]]}})})
        self.assertIn("from 0 to 255", self.history()[-1]["x"]["error"])

    def test_a_list_of_images_is_as_many_files(self):
        wandb.init()
        with said():
            wandb.log({"x": [wandb.Image([[0]]), wandb.Image([[1]])]})
        self.assertEqual([v["path"] for v in self.history()[0]["x"]],
                         ["media/images/x_0_0.png", "media/images/x_1_0.png"])

    def test_joined_tables_classes_and_graphs_are_files(self):
        wandb.init()
        graph = wandb.Graph()
        graph.add_node(id="in")
        graph.add_edge("in", "out")
        table = wandb.Table(["id", "x"], [[1, 2]])
        with said():
            wandb.log({"both": wandb.JoinedTable(table, table, "id"),
                       "names": wandb.Classes([{"id": 0, "name": "cat"}]),
                       "net": graph})
        top = "output/wandb/media/"
        both = json.loads(self.read(
            top + "joined-table/both_0.joined-table.json"))
        self.assertEqual(both["join_key"], "id")
        self.assertEqual(both["tables"][1]["data"], [[1, 2]])
        self.assertEqual(json.loads(self.read(top + "classes/names_0.json")),
                         [{"id": 0, "name": "cat"}])
        self.assertEqual(
            json.loads(self.read(top + "graphs/net_0.json"))["edges"],
            [["in", "out"]])

    def test_a_histogram_counts(self):
        path = self.kept(wandb.Histogram([0, 1, 1, 4, float("nan")],
                                         num_bins=4))
        self.assertEqual(json.loads(self.read(path)),
                         {"values": [1, 2, 0, 1], "bins": [0, 1, 2, 3, 4]})
        given = wandb.Histogram(np_histogram=([1, 2], [0, 1, 2]))
        self.assertEqual(json.loads(self.read(self.kept(given)))["values"],
                         [1, 2])

    def test_html_video_audio_and_charts_are_files(self):
        self.assertEqual(self.read(self.kept(wandb.Html("<b>"))), "<b>")
        self.write("v.mp4", "v")
        self.assertEqual(self.read(self.kept(wandb.Video("v.mp4", fps=4))),
                         "v")
        self.assertEqual(self.read(self.kept(wandb.Audio([0.5, 1]))),
                         "[0.5, 1]")
        table = wandb.Table(columns=["x", "y"], data=[[1, 2]])
        chart = json.loads(self.read(self.kept(
            wandb.plot.line(table, "x", "y", title="t"))))
        self.assertEqual((chart["chart"], chart["title"]), ("line", "t"))
        plotly = types.SimpleNamespace(to_plotly_json=None,
                                       to_json=lambda: "{}")
        self.assertEqual(self.read(self.kept(plotly)), "{}")

    def test_a_value_that_cannot_be_kept_is_said_once(self):
        wandb.init()
        with said() as text:
            for _ in range(2):
                wandb.log({"im": wandb.Image("nowhere.png")})
        self.assertEqual(text.getvalue().count("could not be kept"), 1)
        self.assertIn("error", self.history()[0]["im"])

    def test_a_name_cannot_lead_out_of_the_folder(self):
        path = self.kept(wandb.Html("x"), name="../../../../evil")
        self.assertEqual(path, "output/wandb/media/html/evil_0.html")

    def test_watch_and_alert_are_said(self):
        wandb.init()
        with said() as text:
            wandb.watch(object(), log="all")
            wandb.watch(object())
            wandb.unwatch()
            wandb.alert("Title", "text", level=wandb.AlertLevel.WARN)
        self.assertEqual(text.getvalue().count("watch:"), 1)
        self.assertIn("alert (WARN): Title: text", text.getvalue())

    def test_silence_can_be_asked_for(self):
        os.environ["WANDB_SILENT"] = "true"
        with said() as text:
            wandb.init(mode="disabled")
        self.assertEqual(text.getvalue(), "")


class Pictures(unittest.TestCase):
    def decode(self, data):
        """Width, height, kind of colour and the bytes of the lines."""
        import struct
        import zlib
        width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
        self.assertEqual(depth, 8)
        size = struct.unpack(">I", data[33:37])[0]
        return width, height, colour, zlib.decompress(data[41:41 + size])

    def test_grey_floats_are_spread(self):
        self.assertEqual(self.decode(_png.encode([[0.0, 1.0, 0.5]])),
                         (3, 1, 0, b"\0\x00\xff\x7f"))

    def test_whole_numbers_are_taken_as_they_are(self):
        rows = [[[1, 2, 3]], [[4, 5, 300]]]
        self.assertEqual(self.decode(_png.encode(rows)),
                         (1, 2, 2, b"\0\1\2\3\0\4\5\xff"))

    def test_planes_become_pixels(self):
        planes = [[[c] * 5] for c in (1, 2, 3)]  # 3 x 1 x 5
        self.assertEqual(self.decode(_png.encode(planes)),
                         (5, 1, 2, b"\0" + b"\1\2\3" * 5))

    def test_an_array_of_a_library(self):
        array = types.SimpleNamespace(tolist=lambda: [[7]])
        self.assertEqual(self.decode(_png.encode(array))[3], b"\0\7")

    def test_what_is_no_picture_is_refused(self):
        for wrong in ([], [[]], [[[1] * 5] * 5] * 5):
            with self.assertRaises(ValueError):
                _png.encode(wrong)


if __name__ == "__main__":
    unittest.main()
