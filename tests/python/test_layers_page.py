"""docs/reference/layers.md has every layer and exactly its keys."""

import glob
import os
import re
import unittest

from place import ROOT

KIND = re.compile(r'\{"(\w+)",\s*(?:"(\w+)"|NULL),\s*(\w+),\s*\w+,\s*\w+,'
                  r'\s*build_')
KEYS = re.compile(r"(?:\*const (\w+_keys)\[\] =\s*\{|#define (CONV_KEYS)\b)"
                  r"(.*?)(?:;|\nstatic)", re.DOTALL)


def sources():
    for path in sorted(glob.glob(os.path.join(ROOT, "src/nn/layer_*.c"))):
        with open(path, encoding="utf-8") as file:
            yield file.read()


def keys_of(row):
    """Those of all columns but the first, its name, and the last, a text."""
    cells = row.strip().strip("|").split("|")
    return set(re.findall(r"`(\w+)`", " ".join(cells[1:-1])))


class LayersPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        page = os.path.join(ROOT, "docs", "reference", "layers.md")
        with open(page, encoding="utf-8") as file:
            cls.rows = [line for line in file if line.startswith("|")]

    def row_of(self, kind):
        found = [row for row in self.rows
                 if "`%s`" % kind in row.split("|")[1]]
        self.assertEqual(len(found), 1, "rows of %s" % kind)
        return found[0]

    def test_every_kind_has_a_row_with_its_keys(self):
        seen = 0
        for text in sources():
            keys = {a or b: set(re.findall(r'"(\w+)"', c))
                    | ({"CONV_KEYS"} if "CONV_KEYS" in c else set())
                    for a, b, c in KEYS.findall(text)}
            for its in keys.values():
                if "CONV_KEYS" in its:
                    its.remove("CONV_KEYS")
                    its |= keys["CONV_KEYS"]
            for kind, main, its in KIND.findall(text):
                row, seen = self.row_of(kind), seen + 1
                known = keys[its] | ({main} if main else set())
                own = keys_of(row) - {"dense"}
                more = (keys_of(self.row_of("dense"))
                        if "those of `dense`" in row else set())
                self.assertLessEqual(known, own | more, kind)
                self.assertLessEqual(own, known, kind)
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
