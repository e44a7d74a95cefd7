"""The stand-in for wandb and what is around it: a server that is not there,
other processes, a real wandb."""

import importlib
import json
import os
import sys
import unittest

from place import STAND_IN, InFolder, said
from standing import Standing

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

    def test_outside_of_throng_a_sweep_says_what_to_run(self):
        del os.environ["THRONG_TRIAL"]
        for call in (lambda: wandb.sweep({}), lambda: wandb.agent("x"),
                     lambda: wandb.controller("x")):
            with self.assertRaisesRegex(wandb.Error, "throng run"):
                call()


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
