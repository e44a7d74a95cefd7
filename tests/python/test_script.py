"""What a training script calls: parameters in, metrics out, folders."""

import contextlib
import io
import json
import os
import sys
import unittest
from unittest import mock

from place import InFolder

import throng
from throng.parameters import literal, read_words


class Parameters(InFolder):
    def test_inside_they_come_from_the_study(self):
        self.enter_trial({"lr": 0.5, "opt": {"name": "sgd"}})
        self.assertEqual(throng.params(),
                         {"lr": 0.5, "opt": {"name": "sgd"}})

    def test_blanks_behind_the_object_do_not_matter(self):
        self.enter_trial()
        self.write("params.json", '{"lr": 1}      \n   ')
        self.assertEqual(throng.params(), {"lr": 1})

    def test_defaults_stand_in_only_for_absent_ones(self):
        self.enter_trial({"lr": 0.5})
        self.assertEqual(throng.params(lr=1, depth=3),
                         {"lr": 0.5, "depth": 3})

    def test_by_hand_they_come_from_the_command_line(self):
        words = ["train.py", "--lr=0.1", "--name", "a b", "seed=3", "--fast"]
        with mock.patch.object(sys, "argv", words):
            self.assertEqual(throng.params(depth=2), {
                "depth": 2, "lr": 0.1, "name": "a b", "fast": True,
                "seed": 3})

    def test_every_way_in_which_throng_writes_arguments_is_read(self):
        point = {"lr": 1e-05, "n": 3, "on": True, "off": None, "s": "x=y",
                 "opt": {"lr": 0.01}}
        with_equals = ["--%s=%s" % item for item in point.items()]
        apart = [w for k, v in point.items() for w in ("--" + k, str(v))]
        bare = ["%s=%s" % item for item in point.items()]
        for words in (with_equals, apart, bare):
            self.assertEqual(read_words(words), point)

    def test_words_that_are_no_parameters_are_left_alone(self):
        self.assertEqual(read_words(["data.csv", "-v", "--", "--lr=-2"]),
                         {"lr": -2})

    def test_a_negative_number_may_stand_apart(self):
        self.assertEqual(read_words(["--shift", "-0.5"]), {"shift": -0.5})

    def test_a_text_that_only_begins_like_a_literal_stays_a_text(self):
        for text in ("Tom", "[1", "None of these", "", "1e", "{a}"):
            self.assertEqual(literal(text), text)


class Reports(InFolder):
    def test_a_torn_line_does_not_spoil_the_next_one(self):
        self.enter_trial()
        self.write("metrics.jsonl", '{"x": 1}\n{"x"')
        throng.report(x=2)
        throng.report(x=3)
        self.assertEqual(self.read("metrics.jsonl"),
                         '{"x": 1}\n{"x"\n{"x": 2}\n{"x": 3}\n')

    def test_a_report_is_one_line_of_the_metrics_file(self):
        self.enter_trial()
        throng.report(step=3, loss=0.25, **{"val/acc": 1})
        throng.report({"a b": 2})
        self.assertEqual(self.metrics(), [
            {"step": 3, "loss": 0.25, "val/acc": 1}, {"a b": 2}])

    def test_it_is_appended_to_what_others_wrote(self):
        self.enter_trial()
        self.write("metrics.jsonl", '{"x": 1}\n')
        throng.report(x=2)
        self.assertEqual(self.metrics(), [{"x": 1}, {"x": 2}])

    def test_nan_and_infinity_are_values(self):
        self.enter_trial()
        throng.report(a=float("nan"), b=float("inf"), c=-float("inf"))
        self.assertEqual(self.read("metrics.jsonl"),
                         '{"a": NaN, "b": Infinity, "c": -Infinity}\n')

    def test_numbers_of_other_libraries_become_pythons(self):
        class Scalar:  # as numpy's and torch's are
            def item(self):
                return 0.5

        class Floatable:
            def __float__(self):
                return 1.5

        self.enter_trial()
        throng.report(step=Scalar2(4), a=Scalar(), b=Floatable(), c=True)
        self.assertEqual(self.metrics(),
                         [{"step": 4, "a": 0.5, "b": 1.5, "c": True}])

    def test_a_value_that_is_no_number_is_named(self):
        self.enter_trial()
        for value in ("0.5", [1, 2], Several()):
            with self.assertRaisesRegex(TypeError, "the metric loss is not"):
                throng.report(loss=value)
        with self.assertRaisesRegex(TypeError, "the metric a/b is not"):
            throng.report(a={"b": "x"})
        self.assertEqual(self.metrics(), [])

    def test_a_step_that_is_not_whole_is_refused(self):
        self.enter_trial()
        for step in (0.5, "x", float("nan"), float("inf"), -float("inf")):
            with self.assertRaisesRegex(TypeError, "a step is a whole"):
                throng.report(step=step, loss=1)

    def test_by_hand_the_line_is_printed(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertTrue(throng.report(step=1, loss=2))
        self.assertEqual(json.loads(out.getvalue()), {"step": 1, "loss": 2})

    def test_a_full_disk_is_an_error_not_a_silence(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        self.enter_trial(THRONG_METRICS="/dev/full")
        with self.assertRaises(OSError):
            throng.report(loss=1)

    def test_lines_of_many_processes_do_not_mix(self):
        self.enter_trial()
        pids = []
        for worker in range(4):
            pid = os.fork()
            if pid == 0:
                for step in range(200):
                    throng.report({"w": worker, "pad" * 50: 1}, step=step)
                os._exit(0)
            pids.append(pid)
        for pid in pids:
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(len(self.metrics()), 800)


class Scalar2:
    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


class Several:
    """An array of two elements: item() refuses."""

    def item(self):
        raise ValueError("can only convert an array of size 1")


class Stopping(InFolder):
    def test_throng_asks_through_a_file(self):
        self.enter_trial()
        self.assertFalse(throng.should_stop())
        self.assertTrue(throng.report(loss=1))
        self.write("stop", "")
        self.assertTrue(throng.should_stop())
        self.assertFalse(throng.report(loss=1))

    def test_by_hand_nobody_asks(self):
        self.assertFalse(throng.should_stop())


class Identity(InFolder):
    def test_inside(self):
        self.enter_trial(THRONG_ATTEMPT="2", THRONG_BUDGET="27",
                         THRONG_DEADLINE="1e9", THRONG_SUBSET="0.25")
        self.assertTrue(throng.inside())
        self.assertEqual(
            (throng.study_name(), throng.trial(), throng.attempt(),
             throng.seed(), throng.budget(), throng.deadline(),
             throng.subset()), ("mine", 7, 2, 99, 27, 1e9, 0.25))

    def test_by_hand(self):
        self.assertFalse(throng.inside())
        self.assertEqual(
            (throng.study_name(), throng.trial(), throng.attempt(),
             throng.seed(), throng.budget(), throng.deadline(),
             throng.subset()), (None, 0, 1, 0, None, None, 1.0))

    def test_by_hand_with_defaults(self):
        self.assertEqual((throng.seed(5), throng.budget(10),
                          throng.subset(0.1)), (5, 10, 0.1))

    def test_a_seed_of_64_bits_is_whole(self):
        self.enter_trial(THRONG_SEED=str(2**64 - 1))
        self.assertEqual(throng.seed(), 2**64 - 1)


class Folders(InFolder):
    def test_inside_they_are_the_trials(self):
        self.enter_trial()
        self.assertEqual(throng.checkpoint_dir(), self.folder + "/checkpoint")
        self.assertEqual(throng.output_dir(), self.folder + "/output")
        self.assertEqual(sorted(os.listdir()),
                         ["checkpoint", "output", "params.json"])

    def test_by_hand_they_are_here(self):
        self.assertEqual(throng.checkpoint_dir(), self.folder + "/checkpoint")
        self.assertTrue(os.path.isdir("checkpoint"))
        self.assertEqual(throng.output_dir(), self.folder + "/output")


class Package(InFolder):
    def test_a_training_script_does_not_pay_for_the_notebook_side(self):
        self.script("import sys, throng\n"
                    "assert 'subprocess' not in sys.modules\n"
                    "assert 'throng.study' not in sys.modules\n"
                    "throng.Study\n"
                    "assert 'throng.study' in sys.modules\n")

    def test_every_public_name_is_there(self):
        for name in throng.__all__:
            self.assertTrue(hasattr(throng, name), name)

    def test_a_misspelt_name_is_an_attribute_error(self):
        with self.assertRaises(AttributeError):
            throng.reprot


if __name__ == "__main__":
    unittest.main()
