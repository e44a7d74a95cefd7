"""The scripts of docs/reference/python.md do what the page says."""

import os
import re
import unittest

from place import PYTHON, ROOT, THRONG, InFolder

FENCE = re.compile(r"^```\w+ file=(\S+)[^\n]*\n(.*?)^```$",
                   re.MULTILINE | re.DOTALL)


class Page(InFolder):
    def files(self):
        page = os.path.join(ROOT, "docs", "reference", "python.md")
        with open(page, encoding="utf-8") as file:
            return dict(FENCE.findall(file.read()))

    def test_the_notebook_runs_and_prints_the_best(self):
        files = self.files()
        for name, text in files.items():
            self.write(name, text)
        done = self.script(files["notebook.py"], path=(PYTHON,),
                           THRONG=THRONG)
        self.assertIn("{'lr': 0.4}", done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 3)

    def test_by_hand_the_script_runs_too(self):
        done = self.script(self.files()["train.py"], "--lr=0.3",
                           path=(PYTHON,))
        self.assertEqual(len(done.stdout.splitlines()), 5)
        self.assertIn('"loss": 0.7', done.stdout)

    def test_the_optimizer_finds_it(self):
        done = self.script(self.files()["optimize.py"], path=(PYTHON,),
                           THRONG=THRONG)
        self.assertEqual(done.stdout, "found: True\n")


if __name__ == "__main__":
    unittest.main()
