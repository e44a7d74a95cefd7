#!/usr/bin/env python3
"""candle_networks.py - what each of CANDLE's parameter files gives

    tests/cli/candle_networks.py build/throng $THRONG_TEST_DATA/candle-parameters

prints a table: each file, how many of its values are read as expected.jsonl
has them, and the network that it trains (for a table of the width and classes
that its benchmark has), or the rule by which it gives none. Exit status 1 when
a value differs, or when neither a network nor a rule comes out.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

# Numbers in a row, labels, and classes (0: numbers) of each benchmark's data.
DATA = {"adrp": (1613, 1, 0), "attn": (6212, 1, 2), "p1b1": (942, 0, 0),
        "p1b2": (28204, 1, 10), "p1b3": (29532, 1, 0), "p3b1": (400, 3, 13),
        "p3b2": (20, 1, 9), "tc1": (60483, 1, 36)}
ROWS_LEAST = 20  # so that some of them can judge
RULES = [("nothing here says a network", "no keyword says a network: the "
          "model's script does"),
         ("there are no towers of layers that share weights",
          "dense_feature_layers: towers that share weights"),
         ("there are no blocks of layers that share weights",
          "transformer_depth: blocks that share weights"),
         ("there is no model", "model: only 'ae' is said by keywords")]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def values(throng, path, expected):
    """How many values are as they should be, of how many."""
    got = json.loads(run(throng, "params", path, "--json").stdout or "{}")
    right = sum(repr(got.get(key, "absent")) == repr(value)
                for key, value in expected.items())
    return right, len(expected)


def write_table(path, width, labels, classes):
    row = ",".join("%d" % (i % 7) for i in range(width))
    with open(path, "w", encoding="utf-8") as file:
        for i in range(max(classes, ROWS_LEAST)):
            label = i % classes if classes else i + 0.5
            file.write(("%s," % label) * labels
                       + row + "\n")


def rule(text):
    return next((says for part, says in RULES if part in text), None)


def layers(model):
    """Kinds and widths, in one line."""
    parts = []
    for layer in model["layers"]:
        if layer["kind"] in ("dropout", "flatten", "activation"):
            continue
        size = "×".join(map(str, layer["output"]))
        part = "%s %s" % (layer["kind"], size)
        if parts and parts[-1][0] == part:
            parts[-1][1] += 1
        else:
            parts.append([part, 1])
    return ", ".join(p if n == 1 else "%d × %s" % (n, p) for p, n in parts)


def network(throng, path, given):
    """(the network in words, True), (the rule, True) or (why not, False)."""
    said = run(throng, "model", "show", path)
    name = re.match("[a-z0-9]+-([^_.]+)", os.path.basename(path))[1]
    if rule(said.stderr):
        return rule(said.stderr), True
    if name not in DATA:
        return said.stderr.strip(), False
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.csv")
        write_table(table, *DATA[name])
        files = ["%s=%s" % (key, table) for key in
                 {"train_data", "test_data"} | {"val_data"} & set(given)]
        said = run(throng, "model", "show", path, "--json", *files,
                   "data.header=false")
    if said.returncode:
        return said.stderr.strip(), False
    model = json.loads(said.stdout)
    return "%s (%s parameters)" % (
        layers(model), format(model["trained"], ",")), True


def main(throng, folder):
    good = True
    print("| file | values as expected | network, or the rule by which there "
          "is none |\n|---|---|---|")
    with open(os.path.join(folder, "expected.jsonl"),
              encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in sorted(rows, key=lambda row: row["file"]):
        path = os.path.join(folder, row["file"])
        right, all_ = values(throng, path, row["values"])
        words, known = network(throng, path, row["values"])
        good = good and known and right == all_
        print("| %s | %d of %d | %s |" % (row["file"], right, all_, words))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
