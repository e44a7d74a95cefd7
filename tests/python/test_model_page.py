"""docs/reference/model-file.md has exactly the keys and names of the sources."""

import os
import re
import unittest

from place import ROOT


def source(name):
    with open(os.path.join(ROOT, "src", "nn", name), encoding="utf-8") as file:
        return file.read()


def table_of(text, name):
    """The words of `*const NAME[] = {…}`."""
    found = re.search(r"\*const %s\[\] = \{(.*?)\}" % name, text, re.DOTALL)
    return set(re.findall(r'"(\w+)"', found.group(1)))


class ModelPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        path = os.path.join(ROOT, "docs", "reference", "model-file.md")
        with open(path, encoding="utf-8") as file:
            cls.parts = {part.splitlines()[0]: part for part in
                         re.split(r"^#+ ", file.read(), flags=re.MULTILINE)
                         if part}

    def words(self, part, column=None):
        """Words in code marks: of a column of the part's first table (whose
        head is none of it), or of all of the part."""
        text = self.parts[part]
        if column is None:
            return set(re.findall(r"`(\w+)`", text))
        rows = [line.split("|") for line in text.splitlines()
                if line.startswith("|")][2:]
        return set(re.findall(r"`(\w+)`", " ".join(row[column]
                                                   for row in rows)))

    def test_the_first_table_has_the_keys_of_the_file(self):
        self.assertEqual(self.words("Model files", 1),
                         table_of(source("model.c"), "root_keys"))

    def test_every_loss_has_a_row(self):
        self.assertEqual(self.words("Losses", 1),
                         table_of(source("heads.c"), "nn_loss_names"))

    def test_every_key_of_a_head_is_said(self):
        said = self.words("Losses") | self.words("Model files")
        said |= set(re.findall(r"`(\w+): ", self.parts["Losses"]))
        self.assertLessEqual(table_of(source("heads.c"), "head_keys"), said)

    def test_every_optimizer_and_its_numbers(self):
        text = source("training.c")
        self.assertEqual(self.words("Optimizers", 1),
                         table_of(text, "optimizer_names"))
        keys = table_of(text, "optimizer_keys") - {"name"}
        names = table_of(text, "optimizer_names")
        self.assertEqual(self.words("Optimizers") - names - {"optimizer"}, keys)

    def test_every_schedule_and_its_keys(self):
        text = source("training.c")
        names = table_of(text, "schedule_names")
        self.assertEqual(self.words("Schedules", 1), names)
        keys = table_of(text, "schedule_keys") - {"name"}
        self.assertEqual(self.words("Schedules") - names - {"schedule", "lr"},
                         keys)

    def test_every_metric(self):
        said = re.split(r"\. `confusion`", self.parts["Metrics"])
        self.assertEqual(
            set(re.findall(r"`(\w+)`", said[0])) - {"top_1", "top_10",
                                                    "val_site_accuracy"}
            | {"confusion"},
            table_of(source("heads.c"), "nn_metric_names"))


if __name__ == "__main__":
    unittest.main()
