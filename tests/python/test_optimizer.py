"""throng.Optimizer: ask and tell over `throng suggest`."""

import math
import os
import signal
import subprocess
import sys
import threading
import unittest

from place import PYTHON, THRONG, InFolder

import throng
from throng import program

SPACE = {"x": {"min": -5.0, "max": 5.0},
         "lr": {"distribution": "log_uniform_values", "min": 1e-4, "max": 1.0},
         "kind": {"values": ["plain", "fancy"]}}


def measure(p):
    return ((p["x"] - 2) ** 2 + (math.log10(p["lr"]) + 2) ** 2
            + (p["kind"] == "plain"))


class WithOptimizer(InFolder):
    def optimizer(self, space=None, *words, **options):
        made = throng.Optimizer(SPACE if space is None else space, *words,
                                program=THRONG, **options)
        self.addCleanup(made.close)
        return made


class Asking(WithOptimizer):
    def test_it_finds_the_optimum(self):
        optimizer = self.optimizer(None, "tpe", seed=1)
        for trial in optimizer.trials(80):
            optimizer.tell(trial, measure(trial))
        best = optimizer.best()
        self.assertLess(best["value"], 0.3)
        self.assertEqual(best["params"]["kind"], "fancy")
        self.assertAlmostEqual(best["value"], measure(best["params"]))

    def test_a_seed_gives_the_same_points_again(self):
        first, again, other = [
            [t.params for t in self.optimizer(seed=seed, method="random")
             .ask(5)] for seed in (3, 3, 4)]
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_a_study_file_is_a_space_too(self):
        self.write("study.yaml", "method: grid\nmetric: {name: a, goal: "
                   "maximize}\nparameters: {a: {values: [1, 2, 3]}}\n")
        with throng.Optimizer("study.yaml", program=THRONG) as optimizer:
            trials = optimizer.ask(10)
            self.assertTrue(optimizer.ended)
            self.assertIsNone(optimizer.ask())
            for trial in reversed(trials):
                optimizer.tell(trial.id, trial["a"])
            self.assertEqual([t["params"]["a"] for t in optimizer.best(2)],
                             [3, 2])
            self.assertIn("a", repr(trials[0]))

    def test_goal_says_which_end_is_best(self):
        optimizer = self.optimizer({"a": {"values": [1, 2]}}, "grid",
                                   goal="maximize")
        self.assertIsNone(optimizer.best())
        for trial in optimizer.trials(9):
            optimizer.tell(trial, trial["a"])
        self.assertEqual(optimizer.best()["params"], {"a": 2})

    def test_failed_trials_and_infinite_values_are_results_too(self):
        optimizer = self.optimizer(None, "random")
        one, two, three = optimizer.ask(3)
        optimizer.tell(one, state="failed")
        optimizer.tell(two, float("inf"))
        optimizer.tell(three, 5)
        self.assertEqual(optimizer.best()["id"], three.id)

    def test_several_metrics_have_a_list_of_values(self):
        optimizer = self.optimizer({
            "method": "random", "parameters": {"a": {"min": 0.0, "max": 1.0}},
            "metrics": [{"name": "loss"}, {"name": "size"}]})
        optimizer.tell(optimizer.ask(), [1, 2.5])
        self.assertEqual(optimizer.best()["values"], [1, 2.5])

    def test_a_report_says_whether_to_go_on(self):
        optimizer = self.optimizer({
            "method": "random", "parameters": SPACE,
            "metric": {"name": "loss"},
            "early_terminate": {"type": "patience", "patience": 2}})
        trial = optimizer.ask()
        said = [optimizer.report(trial, value, step=step)
                for step, value in enumerate([0.5, 0.6, 0.7])]
        self.assertEqual(said, ["continue", "continue", "stop"])
        optimizer.tell(trial, 0.5, state="stopped", step=2)

    def test_results_from_before_count(self):
        optimizer = self.optimizer(None, "random")
        point = {"x": 1.0, "lr": 0.01, "kind": "fancy"}
        optimizer.told(point, 0.25, id=0)
        optimizer.told(point, 0.75)
        self.assertGreater(optimizer.ask().id, 0)
        self.assertEqual(optimizer.best()["value"], 0.25)

    def test_threads_may_share_one(self):
        optimizer, seen = self.optimizer(None, "random"), []

        def work():
            for trial in optimizer.trials(20):
                seen.append(trial.id)
                optimizer.tell(trial, measure(trial))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(seen), list(range(80)))


class Mistakes(WithOptimizer):
    def test_a_wrong_space_is_throngs_own_text(self):
        own = r"the space: error: .* \(did you mean 'min'"
        with self.assertRaisesRegex(throng.ThrongError, own):
            self.optimizer({"x": {"mn": 1, "max": 2}})
        with self.assertRaisesRegex(throng.ThrongError, "nonsense"):
            self.optimizer(None, "nonsense")
        with self.assertRaisesRegex(throng.ThrongError, "no-such.yaml"):
            self.optimizer("no-such.yaml")

    def test_a_wrong_request_is_named_and_the_next_one_goes_on(self):
        optimizer = self.optimizer(None, "random")
        trial = optimizer.ask()
        with self.assertRaisesRegex(throng.ThrongError, "99"):
            optimizer.tell(99, 1.0)
        with self.assertRaisesRegex(TypeError, "a number, not 'low'"):
            optimizer.tell(trial, "low")
        optimizer.tell(trial, 1.0)
        with self.assertRaisesRegex(throng.ThrongError, "before"):
            optimizer.tell(trial, 2.0)
        self.assertEqual(optimizer.best()["value"], 1.0)

    def test_a_closed_one_says_so_and_leaves_nothing(self):
        optimizer = self.optimizer(None, "random")
        child, folder = optimizer._child, optimizer._folder.name
        optimizer.close()
        optimizer.close()
        self.assertEqual(child.returncode, 0)
        self.assertFalse(os.path.exists(folder))
        with self.assertRaisesRegex(throng.ThrongError, "closed"):
            optimizer.ask()

    def test_a_forked_process_may_measure_but_not_ask(self):
        optimizer = self.optimizer(None, "random")
        pid = os.fork()
        if pid == 0:
            try:
                optimizer.ask()
            except throng.ThrongError as problem:
                good = "belongs to process" in str(problem)
                optimizer.close()
                os._exit(0 if good else 1)
            os._exit(2)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertTrue(os.path.exists(optimizer._folder.name))
        self.assertEqual(optimizer.ask().id, 0)

    def test_one_that_was_killed_is_an_error_not_a_wait(self):
        optimizer = self.optimizer(None, "random")
        os.kill(optimizer._child.pid, signal.SIGKILL)
        with self.assertRaises(program.ThrongError):
            optimizer.ask()

    def test_an_interrupt_does_not_end_it(self):
        script = self.write("catch.py", """
import os, signal, throng
o = throng.Optimizer({"x": {"min": 0.0, "max": 1.0}}, "random")
try:
    os.killpg(0, signal.SIGINT)  # as a terminal does
    signal.pause()
except KeyboardInterrupt:
    pass
o.tell(o.ask(), 1.0)
print(o.best()["id"])
""")
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True,
            start_new_session=True, timeout=250,
            env={**os.environ, "PYTHONPATH": PYTHON, "THRONG": THRONG})
        self.assertEqual((done.stdout, done.returncode), ("0\n", 0),
                         done.stderr)

    def test_no_interrupt_gives_an_answer_to_another_request(self):
        """At whichever instruction of the conversation it comes."""
        optimizer = self.optimizer(None, "random")
        optimizer.tell(optimizer.ask(), 1.0)
        places, rounds = 0, 0
        while places == rounds:
            rounds += 1
            places += interrupted_at(rounds, lambda: optimizer.best(7))
            self.assertEqual(optimizer.best()["value"], 1.0)
            self.assertGreater(optimizer.ask().id, 0)
        self.assertGreater(places, 20)

    def test_an_interrupt_while_waiting_does_not_shift_answers(self):
        script = self.write("wait.py", """
import os, signal, throng
o = throng.Optimizer({"x": {"min": 0.0, "max": 1.0}}, "random")
child = o._child.pid
os.kill(child, signal.SIGSTOP)  # answers do not come
signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    o.ask(3)
except KeyboardInterrupt:
    os.kill(child, signal.SIGCONT)
print(o.ask().id, o.best())
""")
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True,
            timeout=250,
            env={**os.environ, "PYTHONPATH": PYTHON, "THRONG": THRONG})
        self.assertEqual(done.stdout, "3 None\n", done.stderr)


def interrupted_at(count, call):
    """Calls it, with an interrupt before the instruction of the optimizer
    that has this number, from 1. False when there are not so many."""
    left = [count]

    def trace(frame, event, arg):
        if not frame.f_code.co_filename.endswith("throng/optimizer.py"):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    return left[0] <= 0


if __name__ == "__main__":
    unittest.main()
