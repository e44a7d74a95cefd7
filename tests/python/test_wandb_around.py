"""The stand-in for wandb and what is around it: a server that is not there,
other processes, a real wandb."""

import importlib
import json
import os
import subprocess
import sys
import unittest

from place import PYTHON, STAND_IN, THRONG, InFolder, said
from standing import Standing

import throng
import wandb


class Servers(Standing):
    def test_login_is_always_right(self):
        self.assertTrue(wandb.login(key="abc"))
        wandb.setup()
        wandb.require("core")

    def test_the_api_says_what_to_use(self):
        with self.assertRaisesRegex(wandb.Error, "throng.Study"):
            wandb.Api()

    def test_an_agent_runs_the_function_once_with_this_trials_parameters(self):
        seen = []

        def train():
            with wandb.init() as run:
                seen.append(run.config.lr)

        with said() as text:
            name = wandb.sweep({"method": "random"}, project="p")
            wandb.agent(name, function=train, count=20)
        self.assertEqual((name, seen), ("mine", [0.5]))
        self.assertIn("throng is the agent", text.getvalue())

    def test_a_controller_says_what_to_run(self):
        with self.assertRaisesRegex(wandb.Error, "throng run"):
            wandb.controller("x")


class Sweeps(Standing):
    """wandb.sweep and wandb.agent by hand: a real study, whose trials run in
    this process."""

    def setUp(self):
        super().setUp()
        for name in [n for n in os.environ if n.startswith("THRONG_")]:
            del os.environ[name]
        os.environ["THRONG"] = THRONG
        os.environ["PYTHONPATH"] = PYTHON

    def sweep(self, **more):
        return wandb.sweep({
            "name": "my sweep", "method": "grid",
            "metric": {"name": "loss", "goal": "minimize"},
            "parameters": {"lr": {"values": [0.1, 0.2, 0.3]},
                           "batch": {"value": 8}}, **more}, project="p")

    def trials(self, name):
        return throng.Study(name).trials()

    def test_an_agent_runs_the_function_here_for_each_trial(self):
        seen, here = [], os.getpid()

        def train():
            self.assertEqual(os.getpid(), here)
            with wandb.init(project="p") as run:
                seen.append((wandb.config.lr, wandb.config.batch))
                for epoch in range(3):
                    run.log({"loss": wandb.config.lr / (epoch + 1)})

        with said() as text:
            name = self.sweep()
            wandb.agent(name, function=train, count=2)
        self.assertIn("throng rank " + name, text.getvalue())
        self.assertEqual(seen, [(0.1, 8), (0.2, 8)])
        with said():
            wandb.agent("me/p/" + name, train)
        self.assertEqual(seen, [(0.1, 8), (0.2, 8), (0.3, 8)])
        rows = self.trials(name)
        self.assertEqual({row["state"] for row in rows}, {"done"})
        self.assertEqual([round(row["value"], 9) for row in rows],
                         [round(lr / 3, 9) for lr in (0.1, 0.2, 0.3)])
        self.assertEqual(throng.Study(name).best()["params"]["lr"], 0.1)
        self.assertNotIn("THRONG_TRIAL", os.environ)
        self.assertIsNone(wandb.run)

    def test_what_the_function_raises_ends_its_trial_only(self):
        def train():
            wandb.init()
            if wandb.config.lr == 0.2:
                raise ValueError("not this one")
            wandb.log({"loss": wandb.config.lr})

        with said() as text:
            name = self.sweep()
            wandb.agent(name, function=train)
        self.assertIn("ValueError: not this one", text.getvalue())
        self.assertEqual([row["state"] for row in self.trials(name)],
                         ["done", "failed", "done"])

    def test_an_interrupt_ends_the_agent_and_the_next_goes_on(self):
        seen = []

        def train():
            seen.append(wandb.init().config.lr)
            if len(seen) == 2:
                raise KeyboardInterrupt
            wandb.log({"loss": 1})

        with said():
            name = self.sweep()
            with self.assertRaises(KeyboardInterrupt):
                wandb.agent(name, function=train)
            wandb.agent(name, function=train)
        self.assertEqual(seen, [0.1, 0.2, 0.2, 0.3])
        self.assertEqual([row["state"] for row in self.trials(name)],
                         ["done"] * 3)

    def test_a_trial_that_is_asked_to_stop_ends_and_the_next_begins(self):
        ended = []

        def train():
            wandb.init()
            for epoch in range(1000000):
                wandb.log({"loss": epoch})
                if wandb.config.lr == 0.1 and epoch == 2:
                    open(os.environ["THRONG_STOP"], "w").close()
                if wandb.config.lr > 0.1:
                    break
            ended.append(wandb.config.lr)

        with said() as text:
            name = self.sweep()
            wandb.agent(name, function=train)
        self.assertIn("throng asks this trial to stop", text.getvalue())
        self.assertEqual(ended, [0.2, 0.3])
        self.assertNotIn("failed", [row["state"] for row in
                                    self.trials(name)])

    def test_by_hand_a_trial_says_where_it_runs(self):
        with said():
            name = self.sweep()
        done = subprocess.run([THRONG, "run", name + ".yaml", "--quiet"],
                              capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 3, done.stderr)
        logs = subprocess.run([THRONG, "logs", name, "1"],
                              capture_output=True, text=True, timeout=250)
        self.assertIn("the script that calls wandb.agent", logs.stdout)

    def test_a_sweep_with_a_program_runs_it(self):
        self.write("train.py", "import wandb\n"
                   "wandb.init()\nwandb.log({'loss': wandb.config.lr})\n")
        with said():
            name = self.sweep(program="train.py")
            wandb.agent(name, count=3)
        self.assertEqual([row["value"] for row in self.trials(name)],
                         [0.1, 0.2, 0.3])

    def test_mistakes_are_said_by_throng(self):
        with said(), self.assertRaisesRegex(wandb.Error, "methd"):
            wandb.sweep({"methd": "grid", "parameters": {"x": {"value": 1}}})
        self.assertEqual(os.listdir("."), ["params.json"])
        with self.assertRaisesRegex(wandb.Error, "there is no sweep-x.yaml"):
            wandb.agent("sweep-x", function=print)


class ByHand(Standing):
    def setUp(self):
        super().setUp()
        for name in [n for n in os.environ if n.startswith("THRONG_")]:
            del os.environ[name]

    def run_folder(self):
        names = [n for n in os.listdir("wandb") if n.startswith("offline-run")]
        self.assertEqual(len(names), 1)
        return "wandb/" + names[0]

    def test_everything_goes_into_a_folder_that_is_named(self):
        with said() as text:
            with wandb.init(config={"a": 1}) as run:
                run.log({"loss": 1, "t": "x"})
                run.summary["best"] = 2
        top = self.run_folder()
        self.assertIn(top, text.getvalue())
        row = self.lines(top + "/history.jsonl")[0]
        self.assertEqual((row["_step"], row["loss"], row["t"]), (0, 1, "x"))
        self.assertEqual(json.loads(self.read(top + "/config.json")),
                         {"a": 1})
        self.assertEqual(json.loads(self.read(top + "/summary.json")),
                         {"loss": 1, "t": "x", "best": 2})
        self.assertFalse(os.path.exists("metrics.jsonl"))

    def test_the_folder_can_be_elsewhere(self):
        with said():
            wandb.init(dir="logs")
            wandb.finish()
        self.assertEqual(os.listdir("logs"), ["wandb"])


class Processes(Standing):
    def setUp(self):
        super().setUp()
        os.environ["THRONG_WANDB"] = "stand-in"

    def test_the_end_of_the_script_ends_the_run(self):
        self.script("import wandb\nwandb.init()\n"
                    "wandb.log({'a': 1}, commit=False)\n"
                    "wandb.summary['b'] = 2\n")
        self.assertEqual(self.metrics(), [{"step": 0, "a": 1},
                                          {"step": 0, "b": 2}])

    def test_an_exception_ends_the_run_too(self):
        self.script("import wandb\nwandb.init()\n"
                    "wandb.log({'a': 1}, commit=False)\n1 / 0\n", status=1)
        self.assertEqual(self.metrics(), [{"step": 0, "a": 1}])

    def test_a_forked_process_neither_reports_nor_ends_the_run(self):
        done = self.script(
            "import os, sys, wandb\nwandb.init()\nwandb.summary['b'] = 2\n"
            "wandb.log({'a': 1}, commit=False)\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    wandb.log({'a': 5})\n    wandb.log({'a': 6})\n"
            "    wandb.run.log_artifact('script.py')\n"
            "    sys.exit(0)\n"  # runs what atexit holds
            "os.waitpid(pid, 0)\n"
            "wandb.log({'a': 2})\n")
        self.assertEqual(self.metrics(), [{"step": 0, "a": 2},
                                          {"step": 1, "b": 2}])
        self.assertEqual(done.stderr.count("log() is left out"), 1)
        self.assertFalse(os.path.exists("output"))

    def test_config_and_run_reach_a_spawned_process(self):
        self.script(
            "import multiprocessing, wandb\n"
            "def work(config, run, queue):\n"
            "    run.log({'a': 9})\n"
            "    queue.put((config.lr, config.opt.name, run.id))\n"
            "if __name__ == '__main__':\n"
            "    context = multiprocessing.get_context('spawn')\n"
            "    queue = context.Queue()\n"
            "    run = wandb.init()\n"
            "    child = context.Process(target=work,\n"
            "                            args=(wandb.config, run, queue))\n"
            "    child.start()\n"
            "    assert queue.get() == (0.5, 'sgd', 'mine-7')\n"
            "    child.join()\n"
            "    assert child.exitcode == 0\n")
        self.assertEqual(self.metrics(), [])

    def test_only_the_stand_ins_folder_is_needed(self):
        self.script("import wandb\nwandb.init()\nwandb.log({'a': 1})\n",
                    path=(STAND_IN,))
        self.assertEqual(self.metrics(), [{"step": 0, "a": 1}])


class SteppingAside(InFolder):
    """Who is imported: the stand-in or a real wandb."""

    REAL = ("from wandb.part import VALUE\nimport wandb.part\n"
            "__version__ = 'real'\n")
    ASK = ("import sys, wandb\n"
           "print(wandb.__version__, wandb is sys.modules['wandb'])\n")

    def install_real(self):
        self.write("site/wandb/__init__.py", self.REAL)
        self.write("site/wandb/part.py", "VALUE = 1\n")
        return self.folder + "/site"

    def asked(self, **env):
        site = self.install_real()
        done = self.script(self.ASK, path=(STAND_IN, site), **env)
        return done.stdout.strip()

    def test_a_real_one_is_taken_when_there_is_one(self):
        self.assertEqual(self.asked(), "real True")

    def test_not_when_the_study_says_stand_in(self):
        self.assertEqual(self.asked(THRONG_WANDB="stand-in"),
                         wandb.__version__ + " True")

    def test_a_folder_of_runs_is_no_real_one(self):
        os.makedirs("wandb/offline-run-1")
        done = self.script(self.ASK, path=(STAND_IN,))
        self.assertEqual(done.stdout.strip(), wandb.__version__ + " True")

    def test_one_that_a_finder_gives_is_taken(self):
        site = self.install_real()
        done = self.script(
            "import sys\nfrom importlib.machinery import PathFinder\n"
            "class Editable:\n"
            "    @staticmethod\n"
            "    def find_spec(name, path, target=None):\n"
            "        if name == 'wandb':\n"
            "            return PathFinder.find_spec(name, [%r])\n"
            "sys.meta_path.append(Editable)\n" % site + self.ASK,
            path=(STAND_IN,))
        self.assertEqual(done.stdout.strip(), "real True")

    def test_nothing_of_the_stand_in_is_left_behind(self):
        site = self.install_real()
        done = self.script(
            "import sys, wandb\n"
            "print([n for n in sys.modules if n.startswith('wandb._')], "
            "hasattr(wandb, 'init'))\n", path=(STAND_IN, site))
        self.assertEqual(done.stdout.strip(), "[] False")

    def test_a_real_one_that_is_broken_says_so(self):
        site = self.install_real()
        self.write("site/wandb/__init__.py", "import no_such_thing\n")
        done = self.script(self.ASK, path=(STAND_IN, site), status=1)
        self.assertIn("no_such_thing", done.stderr)


if __name__ == "__main__":
    unittest.main()
