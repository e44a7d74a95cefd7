"""throng driven from a notebook, with the real program."""

import http.client
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import types
import unittest
import urllib.parse
from unittest import mock

from place import PYTHON, THRONG, InFolder, said

import throng
from throng import program

SITE = "http://hub.localhost:8000/user/ann/proxy/{port}/"
STUDY = """
name: toy
method: grid
metric: {name: loss, goal: minimize}
parallel: 2
command: [/bin/sh, task.sh]
parameters:
  x: {values: [3, 1, 2]}
  opt: {parameters: {lr: {value: 0.5}}}
"""
TASK = """
echo "{\\"loss\\": $THRONG_P_x}" >>"$THRONG_METRICS"
echo "{\\"loss\\": 1$THRONG_P_x, \\"odd\\": NaN}" >>"$THRONG_METRICS"
"""


def wait_for(path):
    end = time.monotonic() + 60
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise AssertionError("%s did not appear" % path)
        time.sleep(0.02)


class WithProgram(InFolder):
    def setUp(self):
        super().setUp()
        os.environ["THRONG"] = THRONG
        self.write("task.sh", TASK)
        self.write("toy.yaml", STUDY)

    def run_quietly(self, study, **options):
        with said() as text:
            study.run(**options)
        return text.getvalue()


class Running(WithProgram):
    def test_a_study_is_run_and_read(self):
        study = throng.Study("toy.yaml")
        text = self.run_quietly(study)
        self.assertIn("3/3 done", text)
        self.check_trials(study.trials())
        self.check_best(study)
        self.assertEqual(study.status()["finished"], 3)
        self.assertEqual(repr(study), "throng.Study('toy.yaml')")

    def check_trials(self, rows):
        self.assertEqual([row["params"]["x"] for row in rows], [3, 1, 2])
        self.assertEqual({row["state"] for row in rows}, {"done"})
        self.assertEqual(rows[0]["params"]["opt"], {"lr": 0.5})
        self.assertEqual(rows[0]["metrics"]["loss"], {"last": 13, "best": 3})
        self.assertTrue(math.isnan(rows[0]["metrics"]["odd"]["last"]))

    def test_the_curves_of_a_trial_are_read_point_by_point(self):
        study = throng.Study("toy.yaml")
        began = time.time()
        self.run_quietly(study)
        points = study.history(1)
        self.assertEqual([(p["trial"], p["step"], p["metric"], p["value"])
                          for p in points if p["metric"] == "loss"],
                         [(1, 0, "loss", 3), (1, 1, "loss", 13)])
        for point in points:
            self.assertTrue(began - 1 < point["time"] < time.time() + 1)
        odd = study.history([1, 2], metric="odd")
        self.assertEqual([p["trial"] for p in odd], [1, 2])
        self.assertTrue(math.isnan(odd[0]["value"]))
        self.assertEqual(len(study.history()), 9)
        self.assertEqual(study.history("failed"), [])
        with self.assertRaises(throng.StudyNotFound):
            study.history(9)

    def check_best(self, study):
        best = study.best()
        self.assertEqual((best["value"], best["params"]["x"]), (11, 1))
        self.assertEqual([t["params"]["x"] for t in study.rank()], [1, 2, 3])
        self.assertEqual(len(study.rank(2)), 2)
        self.assertEqual([t["params"]["x"] for t in study.rank(by="x")],
                         [1, 2, 3])
        self.assertEqual(len(study.trials(2)), 1)
        self.assertEqual(len(study.trials(where="x>1")), 2)
        self.assertEqual(len(study.rank(where="x>1")), 2)

    def test_count_and_quiet_reach_throng(self):
        study = throng.Study("toy.yaml")
        self.assertEqual(self.run_quietly(study, count=1, quiet=True), "")
        self.assertEqual(study.status()["finished"], 1)

    def test_a_run_under_a_new_name_gives_that_study(self):
        with said():
            other = throng.Study("toy.yaml").run(new="other")
        self.assertEqual(other.status()["study"], "other")
        self.assertEqual(len(other.trials()), 3)

    def test_a_path_may_be_a_path_object(self):
        from pathlib import Path
        self.run_quietly(throng.Study(Path("toy.yaml"), program=THRONG))

    def test_trials_may_be_listed_and_ranked_without_a_limit(self):
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        self.assertEqual([t["id"] for t in study.trials([3, 1])], [1, 3])
        self.assertEqual(len(study.trials(range(1, 3))), 2)
        self.assertEqual(study.trials([]), [])
        self.assertEqual(len(study.rank(count=None)), 3)
        self.assertEqual(len(study.rank(2)), 2)

    def test_no_trial_of_a_kind_is_an_empty_list(self):
        study = throng.Study("toy.yaml")
        with self.assertRaises(throng.StudyNotFound):
            study.trials("failed")
        self.run_quietly(study)
        self.assertEqual(study.trials("failed"), [])
        self.assertEqual(study.trials("tag:x"), [])
        self.assertEqual(study.trials(where="x>9"), [])
        with self.assertRaisesRegex(throng.StudyNotFound, "99"):
            study.trials(99)

    def test_the_notebook_may_go_elsewhere(self):
        study = throng.Study("toy.yaml")
        os.mkdir("elsewhere")
        os.chdir("elsewhere")
        self.run_quietly(study)
        self.assertEqual(study.best()["params"]["x"], 1)
        self.assertEqual(os.listdir("."), [])
        self.assertEqual(len(throng.Study(b"../.throng/toy").trials()), 3)

    def test_a_program_may_be_a_path_from_here(self):
        study = throng.Study("toy.yaml", program=pathlib.Path(
            os.path.relpath(THRONG)))
        self.run_quietly(study)
        self.assertEqual(len(study.trials()), 3)

    def test_failed_trials_are_no_error(self):
        self.write("task.sh", "[ $THRONG_P_x != 2 ] || exit 9\n" + TASK)
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        failed = study.trials("failed")
        self.assertEqual([t["params"]["x"] for t in failed], [2])
        self.assertIn("exit code 9", failed[0]["reason"])
        self.assertEqual(study.best()["params"]["x"], 1)

    def test_without_a_value_there_is_no_best(self):
        self.write("task.sh", "exit 0\n")
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        self.assertIsNone(study.best())


class Showing(WithProgram):
    """The page in a notebook's cell."""

    def ask(self, page, host="127.0.0.1"):
        url = urllib.parse.urlsplit(page.url)
        fragment = urllib.parse.parse_qs(url.fragment)
        port = re.search(r":(\d+)|proxy/(\d+)",
                         url.path if "proxy" in url.path else url.netloc)
        connection = http.client.HTTPConnection(
            "127.0.0.1", int(port.group(1) or port.group(2)), timeout=60)
        connection.request("GET", "/api/v1/studies/" + fragment["study"][0],
                           headers={"X-Throng-Token": fragment["token"][0],
                                    "Host": host})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer

    def test_a_frame_with_its_token_until_it_is_closed(self):
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        page = study.show(height=300)
        self.addCleanup(page.close)
        self.assertIn('height="300"', page._repr_html_())
        self.assertIn(page.url.split("&")[0], page._repr_html_())
        answer = self.ask(page)
        self.assertEqual(answer.status, 200)
        self.assertIn("http://localhost:*",
                      answer.getheader("Content-Security-Policy"))
        page.close()
        with self.assertRaises(ConnectionRefusedError):
            self.ask(page)

    def test_behind_a_proxy_it_opens_to_that_address_alone(self):
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        page = study.show(url=SITE)
        self.addCleanup(page.close)
        self.assertRegex(page.url, r"^http://hub.localhost:8000/user/ann/"
                                   r"proxy/\d+/#token=\w+&study=toy$")
        answer = self.ask(page, "hub.localhost:8000")
        self.assertEqual(answer.status, 200)
        self.assertIn("frame-ancestors http://hub.localhost:8000",
                      answer.getheader("Content-Security-Policy"))
        self.assertEqual(self.ask(page, "other.localhost").status, 421)

    def test_the_hub_says_where_it_is(self):
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        with mock.patch.dict(os.environ, {
                "JUPYTERHUB_PUBLIC_URL": "https://hub.example.org/user/a/"}):
            page = study.show()
        self.addCleanup(page.close)
        self.assertRegex(page.url,
                         "^https://hub.example.org/user/a/proxy/[0-9]+/#")

    def test_it_ends_with_a_python_that_is_killed(self):
        self.run_quietly(throng.Study("toy.yaml"))
        child = subprocess.Popen(
            [sys.executable, "-c", "import throng, time\n"
             "print(throng.Study('toy.yaml').show().url, flush=True)\n"
             "time.sleep(600)"],
            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": PYTHON})
        page = types.SimpleNamespace(url=child.stdout.readline().decode())
        self.assertEqual(self.ask(page).status, 200)
        child.kill()
        child.communicate()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                self.ask(page)
            except OSError:
                return
            time.sleep(0.05)
        self.fail("its server is still there")

    def test_what_is_not_there_is_an_error(self):
        with self.assertRaises(throng.StudyNotFound):
            throng.Study("nothing").show()
        with self.assertRaisesRegex(throng.ThrongError, "hub.example.org"):
            throng.Study("toy.yaml").show(url="hub/proxy")


class Interrupted(WithProgram):
    def test_an_interrupt_ends_the_run_and_the_next_one_goes_on(self):
        self.write("task.sh", "touch began\nwhile [ ! -e free ]; do "
                   "sleep 0.05; done\n" + TASK)
        self.write("toy.yaml", STUDY.replace("parallel: 2", "parallel: 1"))
        self.write("drive.py", "import throng\n"
                   "try:\n    throng.Study('toy.yaml').run()\n"
                   "except KeyboardInterrupt as e:\n"
                   "    print('stopped:', e)\n")
        child = subprocess.Popen(
            [sys.executable, "drive.py"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": PYTHON})
        wait_for("began")
        child.send_signal(signal.SIGINT)
        while "running trials finish" not in child.stderr.readline():
            self.assertIsNone(child.poll())
        self.write("free", "")
        out, _ = child.communicate(timeout=250)
        self.assertIn("stopped: the study was interrupted", out)
        study = throng.Study("toy.yaml")
        self.assertEqual(study.status()["finished"], 1)
        self.run_quietly(study)
        self.assertEqual(study.status()["finished"], 3)


class Errors(WithProgram):
    def test_a_wrong_study_file_is_throngs_own_text(self):
        self.write("toy.yaml", STUDY.replace("method", "methd"))
        with self.assertRaises(throng.ThrongError) as caught, said():
            throng.Study("toy.yaml").run()
        self.assertIn("methd", str(caught.exception))
        self.assertEqual(caught.exception.code, 1)

    def test_a_study_that_never_ran_is_not_found(self):
        with self.assertRaises(throng.StudyNotFound) as caught:
            throng.Study("nowhere").status()
        self.assertIn("nowhere", str(caught.exception))
        self.assertEqual(caught.exception.code, 4)

    def test_a_wrong_filter_is_throngs_own_text(self):
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        with self.assertRaisesRegex(throng.ThrongError, "x >>> 1"):
            study.trials(where="x >>> 1")

    def test_a_study_that_runs_already_is_in_use(self):
        self.write("task.sh", "touch began; while [ ! -e free ]; do "
                   "sleep 0.05; done\n")
        first = subprocess.Popen([THRONG, "run", "-q", "toy.yaml"],
                                 stderr=subprocess.DEVNULL)
        try:
            wait_for("began")
            with self.assertRaises(throng.StudyInUse), said():
                throng.Study("toy.yaml").run()
        finally:
            self.write("free", "")
            first.wait(60)

    def test_a_program_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(throng.ThrongError, "/no/throng cannot"):
            throng.Study("toy.yaml", program="/no/throng").status()

    def test_no_program_anywhere_says_what_to_do(self):
        del os.environ["THRONG"]
        os.environ["PATH"] = self.folder
        with mock.patch.object(program, "__file__",
                               self.folder + "/a/b/c/program.py"):
            with self.assertRaisesRegex(throng.ThrongError, "PATH"):
                program.find()


class Finding(InFolder):
    def executable(self, name):
        path = self.write(name, "")
        os.chmod(path, 0o755)
        return path

    def test_the_variable_wins(self):
        os.environ["THRONG"] = "/some/where"
        self.assertEqual(program.find(), "/some/where")

    def find_from(self, package):
        with mock.patch.object(program, "__file__",
                               os.path.join(self.folder, package)):
            return program.find()

    def test_in_a_source_tree_it_is_the_build(self):
        path = self.executable("tree/build/throng")
        self.assertEqual(self.find_from("tree/python/throng/program.py"), path)

    def test_installed_it_is_below_the_same_prefix(self):
        path = self.executable("opt/bin/throng")
        for lib in ("opt/lib/python3/dist-packages",
                    "opt/lib/python3.11/site-packages"):
            self.assertEqual(self.find_from(lib + "/throng/program.py"), path)

    def test_else_it_is_on_the_path(self):
        path = self.executable("here/throng")
        os.environ["PATH"] = self.folder + "/here"
        self.assertEqual(self.find_from("x/y/z/program.py"), path)


class Frames(WithProgram):
    def test_a_frame_of_curves_has_a_row_for_each_step(self):
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        fake = types.ModuleType("pandas")
        fake.DataFrame = list
        with mock.patch.dict(sys.modules, pandas=fake):
            rows = study.history(1).frame()
        self.assertEqual([(row["step"], row["loss"]) for row in rows],
                         [(0, 3), (1, 13)])
        self.assertIn("odd", rows[0])

    def test_a_frame_has_a_column_for_each_name_with_a_fake_pandas(self):
        fake = types.ModuleType("pandas")
        fake.DataFrame = list
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        with mock.patch.dict(sys.modules, {"pandas": fake}):
            rows = study.trials().frame()
        self.assertEqual(rows[0]["x"], 3)
        self.assertEqual(rows[0]["opt.lr"], 0.5)
        self.assertEqual((rows[0]["loss"], rows[0]["loss.best"]), (13, 3))
        self.assertNotIn("params", rows[0])

    def test_without_pandas_it_says_so(self):
        study = throng.Study("toy.yaml")
        self.run_quietly(study)
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(throng.ThrongError, "pandas"):
                study.trials().frame()
            self.assertIsNone(study.trials()._repr_html_())

    def test_names_that_collide_keep_apart(self):
        from throng.study import _frame_row
        row = _frame_row({"id": 1, "value": 2, "params": {"id": 3, "loss": 4},
                          "metrics": {"loss": {"last": 5, "best": 6}}})
        self.assertEqual(row, {"id": 1, "value": 2, "params.id": 3, "loss": 4,
                               "metrics.loss": 5, "loss.best": 6})


if __name__ == "__main__":
    unittest.main()
