"""Parameters of CANDLE models: files, command line, precedence, folders."""

import argparse
import contextlib
import io
import json
import os
import pickle
import random
import subprocess
import sys
import time
import unittest
import warnings
from unittest import mock

from candle_place import CANDLE, REAL_DATA, Candle
from place import THRONG, said

from throng import candle
from throng.candle import ini, literal
from throng.candle.keywords import DefinitionError, Keywords
from throng.candle.problems import ParameterError, Problems
from throng.candle.settle import settle

FOLDER = os.path.join(REAL_DATA, "candle-parameters")


class Literals(unittest.TestCase):
    def test_every_form_is_read(self):
        for text, value in [
                ("'x'", "x"), ('"x"', "x"), ("'a' 'b'", "ab"),
                ("'''a\nb'''", "a\nb"), (r"r'\d'", r"\d"), ("u'x'", "x"),
                (r"'\x41\u00e4\101\n'", "A\xe4A\n"), ("10", 10), ("-1", -1),
                ("+2", 2), ("0x10", 16), ("0o17", 15), ("0b11", 3),
                ("30_000", 30000), ("0.1", 0.1), (".1", 0.1), ("0.", 0.0),
                ("-5.", -5.0), ("1e-5", 1e-5), ("1_0.5e1_0", 10.5e10),
                ("1e400", float("inf")), ("True", True), ("False", False),
                ("None", None), ("[]", []), ("[1, 'a', [2.5]]",
                                             [1, "a", [2.5]]),
                ("[(2, 2)]", [(2, 2)]), ("(1)", 1), ("(1,)", (1,)),
                ("()", ()), ("1, 2", (1, 2)), ("{'a': {'b': 1}}",
                                               {"a": {"b": 1}}),
                ("4 # four", 4), ("[1, # one\n2]", [1, 2])]:
            got = literal.read(text)
            self.assertEqual(repr(got), repr(value), text)
        self.assertEqual(literal.read("'50%%'", doubled=True), "50%")
        self.assertEqual(literal.read("'50%%'"), "50%%")

    def test_nothing_else_is(self):
        for text, at, words in [
                ("2*3", 1, "an expression"), ("f32", 0, "not a literal"),
                ("true", 0, "write True"), ("os.getcwd()", 0, "expression"),
                ("__import__('os')", 0, "expression"),
                ("[x for x in y]", 1, "not a literal"), ("010", 0, "zeros"),
                ("1;2", 1, "comment"), ("'a", 0, "no end"),
                ("[1", 0, "closed"),
                ("[1 2]", 3, "comma"), ("b'x'", 0, "not read"),
                ("f'{1}'", 0, "not read"), ("", 0, "no value"),
                ("9223372036854775808", 0, "64 bits"),
                ("1" * 5000, 0, "64 bits"), ("- -1", 0, "sign"),
                ("{1: 2}", 1, "string"), ("{'a': 1, 'a': 2}", 9, "twice"),
                ("[" * 101, 100, "deeper"), (r"'\N{DIGIT ONE}'", 1, "name"),
                ("1j", 0, "not a number"), ("{1, 2}", 1, "string")]:
            with self.assertRaises(literal.Fault, msg=text) as caught:
                literal.read(text)
            self.assertEqual(caught.exception.at, at, text)
            self.assertIn(words, str(caught.exception), text)


    def test_lists_of_numbers_are_read_alike_by_both_ways(self):
        for text in ("[1, 2]", "[-0]", "[1.5e3, -2]", "[01]", "[1.]", "[]",
                     "[[1], [2,\n3]]\n", "[1,]", "[1e400]", "[1e5]", "[+1]",
                     "[9223372036854775807]", "[9223372036854775808]",
                     "[--1]", "[1 2]", "[-]", "[" * 101 + "]" * 101):
            try:
                slow = repr(literal._Reader(text, False).whole())
            except literal.Fault as fault:
                slow = str(fault)
            try:
                fast = repr(literal.read(text))
            except literal.Fault as fault:
                fast = str(fault)
            self.assertEqual(fast, slow, text)

    def test_long_lists_are_read_fast(self):
        text = "[G]\nnoise = [%s]\n" % ", ".join(map(str, range(0, 2450, 7)))
        data, begin = text.encode(), time.process_time()
        for _ in range(1000):
            ini.parse(data, "m.txt", None)
        self.assertLess(time.process_time() - begin, 0.3)


class Files(Candle):
    def parse(self, text):
        problems = Problems()
        entries = ini.parse(text.encode(), "f.txt", problems)
        return ({k: e.value for k, e in entries.items()},
                [str(p) for p in problems])

    def test_the_dialect_of_configparser(self):
        values, problems = self.parse(
            "[Global_Params]\nEPOCHS=4 # c\nmetrics='a=b'\n; c\n# c\n"
            "a b: 2\ndense=[1,\n  2,\n  3]\n[Monitor Params]\ntimeout=5\n"
            "[DEFAULT]\nsolo=1\n")
        self.assertEqual(values, {"epochs": 4, "metrics": "a=b", "a b": 2,
                                  "dense": [1, 2, 3], "timeout": 5,
                                  "solo": 1})
        self.assertEqual(problems, [])

    def test_a_file_without_a_header(self):
        self.assertEqual(self.parse("x = 1\ny = 'a'")[0], {"x": 1, "y": "a"})

    def test_of_two_sections_the_first_counts(self):
        values, problems = self.parse("[a]\nx=1\n[b]\nx=2\n")
        self.assertEqual(values, {"x": 1})
        self.assertIn("f.txt:4:1: warning", problems[0])

    def test_mistakes_have_places(self):
        for text, place, words in [
                ("[a]\nx=1\nx=2", "3:1", "twice"),
                ("[a]\n[a]", "2:1", "twice"), ("x=\ny=1", "1:3", "no value"),
                ("x", "1:1", "expected key = value"),
                ("x = [1,\n2]", "1:5", "closed"),
                ("x = '%s'", "1:6", "doubled"),
                ("x = [1,\n  2*3]", "2:4", "a comma"),
                ("\xe4=2*3", "1:4", "expression"), ("=1", "1:1", "no key"),
                ("x = lambda: 0", "1:5", "not a literal")]:
            with self.subTest(text):
                problems = self.parse(text)[1]
                self.assertTrue(problems, text)
                self.assertIn("f.txt:%s: error" % place, problems[0])
                self.assertIn(words, problems[0])

    def test_bytes_that_are_no_text(self):
        for data, place in [(b"x=1\ny='\xff'", "2:4"), (b"x='\0'", "1:4"),
                            (b"\xef\xbb\xbfx='\xff'", "1:4"),
                            (b"x='\0'\ny='\xff'", "1:4")]:
            problems = Problems()
            ini.parse(data, "f", problems)
            self.assertIn("f:%s: error: the byte 0x" % place,
                          str(problems[0]))


@unittest.skipUnless(os.path.isdir(FOLDER),
                     "THRONG_TEST_DATA names no folder that has it")
class RealFiles(Candle):
    def test_they_give_what_is_expected_and_what_throng_gives(self):
        with open(os.path.join(FOLDER, "expected.jsonl")) as file:
            rows = [json.loads(line) for line in file]
        self.assertEqual(len(rows), 40)
        for row in rows:
            path = os.path.join(FOLDER, row["file"])
            with warnings.catch_warnings(), \
                    contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                got = candle.finalize_parameters(
                    candle.Benchmark(FOLDER, row["file"], "keras"), [])
            for key, value in row["values"].items():
                if key != "output_dir":
                    self.assertEqual(repr(_plain(got[key])), repr(value),
                                     (row["file"], key))
            said = subprocess.run([THRONG, "params", path, "--json"],
                                  capture_output=True, text=True, check=True)
            theirs = json.loads(said.stdout)
            ours = _plain(settle(path).values)
            self.assertEqual(sorted(ours), list(theirs), row["file"])
            for key, value in theirs.items():
                self.assertEqual(repr(ours[key]), repr(value),
                                 (row["file"], key))

    def test_throng_says_the_same_of_command_lines(self):
        path = os.path.join(FOLDER, "0db7b9-attn_default_model.txt")
        for words in [["-e", "3"], ["-e3"], ["-lr", "0.5"], ["-lr0.5"],
                      ["--dense", "10", "20"], ["--dense", "10, 20"],
                      ["--drop=0.3"], ["--dropout", "0.3", "--drop", "0.4"],
                      ["--ckpt_save_i", "4"], ["-v", "YES"],
                      ["--rng_seed", "456"], ["--momentum", "-1.5"],
                      ["--loss", "nan"], ["--momentum", "nan"],
                      ["--new", "[1, 2]"], ["--other", "word"],
                      ["--epochs", "1", "--epochs", "2"],
                      ["-ckpt_keep_limit", "3"], ["--logfile", "None"]]:
            said = subprocess.run([THRONG, "params", path, "--json"] + words,
                                  capture_output=True, text=True, check=True)
            ours = json.dumps(settle(path, words=words).values,
                              sort_keys=True)
            self.assertEqual(json.loads(ours, parse_constant=str),
                             json.loads(said.stdout, parse_constant=str),
                             words)

    def test_throng_refuses_the_same(self):
        for text in ["epochs = 2*3", "x = f32", "x", "[a]\nx=1\nx=2", "x = [1", "x =",
                     "clr_flag = True\nwarmup_lr = True",
                     "config_file = 'bad.txt'"]:
            self.write("bad.txt", text)
            done = subprocess.run([THRONG, "params", "bad.txt"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, text)
            with self.assertRaises(ParameterError) as caught:
                settle("bad.txt")
            theirs = [line for line in done.stderr.splitlines()
                      if ": error: " in line]
            self.assertEqual([str(p) for p in caught.exception.problems],
                             theirs, text)

    def test_throng_keeps_the_same_with_the_same_warnings(self):
        for text in ["epochs = '3x'", "scaling = 'bogus'", "batch_size = 5.5",
                     "clr_flag = 3", "train_bool = 'x'", "dense = []",
                     "dense = [1, 'x']", "model_name = 3"]:
            self.write("odd.txt", text)
            done = subprocess.run([THRONG, "params", "odd.txt", "--json"],
                                  capture_output=True, text=True, check=True)
            settled = settle("odd.txt")
            self.assertEqual(_plain(settled.values), json.loads(done.stdout))
            self.assertEqual([str(p) for p in settled.problems],
                             done.stderr.splitlines(), text)

    BITS = (b"'", b'"', b"[", b"]", b"(", b")", b"{", b"}", b",", b":", b"=",
            b"#", b";", b"%", b"%%", b"\\", b"\n", b"\n  ", b" ", b"-", b".",
            b"e", b"_", b"0x", b"1e400", b"True", b"None", b"r'", b"\xff",
            b"[a]\n", b"epochs = ", b"dense = ", b"\\x41", b"\r\n")

    def damaged(self, rng, names):
        """Some lines of a real file, with one to four things changed."""
        with open(os.path.join(FOLDER, rng.choice(names)), "rb") as file:
            lines = file.read().split(b"\n")
        at = rng.randrange(len(lines))
        text = bytearray(b"\n".join(lines[max(0, at - 3):at + 4]))
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(text))
            if rng.random() < 0.7:
                text[at:at] = rng.choice(self.BITS)
            else:
                del text[at:at + rng.randint(1, 5)]
        return bytes(text)

    def test_throng_says_the_same_of_damaged_files(self):
        rng = random.Random(7)
        names = sorted(n for n in os.listdir(FOLDER) if n.endswith(".txt"))
        refused = 0
        for _ in range(60):
            text = self.damaged(rng, names)
            with open("m.txt", "wb") as file:
                file.write(text)
            done = subprocess.run([THRONG, "params", "m.txt", "--json"],
                                  capture_output=True, text=True)
            try:
                ours = _plain(settle("m.txt").values)
                self.assertEqual(done.returncode, 0, text)
                self.assertEqual(ours, json.loads(done.stdout), text)
            except ParameterError as error:
                refused += 1
                self.assertEqual(
                    [str(p) for p in error.problems],
                    [line for line in done.stderr.splitlines()
                     if ": error: " in line], text)
        self.assertTrue(20 < refused < 58, refused)


def _plain(value):
    return json.loads(json.dumps(value))


class Precedence(Candle):
    """library < model file < config_file < command line < study."""

    DEFINITIONS = [
        {"name": "i", "type": int, "default": 0},
        {"name": "f", "type": float, "default": 0.5, "abv": "q"},
        {"name": "s", "type": str, "default": "lib"},
        {"name": "b", "type": candle.str2bool, "default": False},
        {"name": "l", "type": int, "nargs": "+", "default": [0]},
        {"name": "c", "choices": ["a", "b", "c", "d", "e"], "default": "a"},
        {"name": "st", "type": int, "action": "store", "default": 0},
        {"name": "ll", "action": "list-of-lists", "default": "0"},
        {"name": "o", "type": int, "default": 0, "aliases": ["old"]}]
    VALUES = {  # for each level: as written in a file, on the command line
        "i": [("1", "1"), ("2", "2"), ("3", "3")],
        "f": [("1.5", "1.5"), ("2.5", "2.5"), ("3.5", "3.5")],
        "s": [("'m'", "m"), ("'c'", "c"), ("'w'", "w")],
        "b": [("True", "true"), ("False", "no"), ("True", "1")],
        "l": [("[1, 2]", "1 2"), ("[3]", "3"), ("[4, 5]", "4 5")],
        "c": [("'b'", "b"), ("'c'", "c"), ("'d'", "d")],
        "st": [("1", "1"), ("2", "2"), ("3", "3")],
        "ll": [("'1, 2:3'", "1, 2:3"), ("'4'", "4"), ("'5:6'", "5:6")],
        "o": [("1", "1"), ("2", "2"), ("3", "3")]}

    def value(self, name, levels):
        """Its value when these levels (1 model, 2 config, 3 words, 4 study)
        give one."""
        forms = self.VALUES[name]
        self.write("model.txt", "%s = %s\n" % (name, forms[0][0])
                   if 1 in levels else "other = 1\n")
        words, study = [], {}
        if 2 in levels:
            self.write("config.txt", "%s = %s\n" % (name, forms[1][0]))
            words = ["--config_file", "config.txt"]
        if 3 in levels:
            text = forms[2][1]
            words += ["--" + name] + (text.split() if name == "l" else [text])
        if 4 in levels:
            study = {name: _plain(literal.read(forms[1][0]))}
        return settle("model.txt", self.DEFINITIONS, [], words,
                      study).values[name]

    def test_every_pair_of_levels_and_every_type(self):
        expected = {
            "i": [0, 1, 2, 3, 2], "f": [0.5, 1.5, 2.5, 3.5, 2.5],
            "s": ["lib", "m", "c", "w", "c"],
            "b": [False, True, False, True, False],
            "l": [[0], [1, 2], [3], [4, 5], [3]],
            "c": ["a", "b", "c", "d", "c"], "st": [0, 1, 2, 3, 2],
            "ll": [[[0]], [[1, 2], [3]], [[4]], [[5], [6]], [[4]]],
            "o": [0, 1, 2, 3, 2]}
        for name, values in expected.items():
            for high in range(5):
                for low in range(high + 1):
                    self.assertEqual(
                        self.value(name, {low, high}), values[high],
                        (name, low, high))

    def test_a_config_file_is_laid_over_the_model_file(self):
        self.write("model.txt", "epochs = 1\nloss = 'mse'\n")
        self.write("config.txt", "epochs = 2\n")
        values = settle("model.txt", words=["-conf", "config.txt"]).values
        self.assertEqual((values["epochs"], values["loss"]), (2, "mse"))

    def test_files_that_name_one_another(self):
        self.write("model.txt", "config_file = 'a.txt'\n")
        self.write("a.txt", "epochs = 1\nconfig_file = 'b.txt'\n")
        self.write("b.txt", "epochs = 2\n")
        self.assertEqual(settle("model.txt").values["epochs"], 2)
        self.write("b.txt", "config_file = 'a.txt'\n")
        with self.assertRaisesRegex(ParameterError,
                                    r"b\.txt:1:15: .*leads back to a\.txt"):
            settle("model.txt")

    def test_a_file_that_is_not_there(self):
        self.write("model.txt", "epochs = 1\nconfig_file = 'gone.txt'\n")
        with self.assertRaisesRegex(
                ParameterError,
                r"model\.txt:2:15: .*gone\.txt: there is no such"):
            settle("model.txt")
        with self.assertRaisesRegex(ParameterError, "there is no such file"):
            settle("nothing.txt")

    def test_text_of_the_right_kind_is_converted_everywhere(self):
        self.write("m.txt", "epochs = '5'\ntrain_bool = 'false'\n"
                   "ckpt_skip_epochs = 5.0\ndense = '200 20'\nverbose = 1\n")
        values = settle("m.txt").values
        self.assertEqual([values[k] for k in (
            "epochs", "train_bool", "ckpt_skip_epochs", "dense", "verbose")],
            [5, False, 5, [200, 20], True])

    def test_all_mistakes_are_told_at_once(self):
        self.write("m.txt", "batch_size = 2*3\n")
        with self.assertRaises(ParameterError) as caught:
            settle("m.txt", required=["loss", "drop", "epochs"],
                   words=["--momentum", "a"])
        text = str(caught.exception)
        for words in ("m.txt:1:15: error: batch_size: an expression",
                      "command line: error: momentum is a number",
                      "3 required parameters are missing: drop, epochs, loss"):
            self.assertIn(words, text)

    def test_values_of_a_wrong_type_in_a_file_are_warned_of_and_kept(self):
        self.write("m.txt", "epochs = 'x'\nscaling = 'no'\nbatch_size = 1.5\n"
                   "loss = 1\n")
        settled = settle("m.txt")
        self.assertEqual([settled.values[k] for k in (
            "epochs", "scaling", "batch_size", "loss")], ["x", "no", 1.5, 1])
        text = "\n".join(map(str, settled.problems))
        for words in ("m.txt:1:10: warning: epochs is a whole number, not "
                      "'x'; kept as it is",
                      "m.txt:2:11: warning: scaling is one of",
                      "m.txt:3:14: warning: batch_size is a whole number"):
            self.assertIn(words, text)
        with self.assertRaisesRegex(ParameterError, "epochs is a whole"):
            settle("m.txt", study={"epochs": "x"})

    def test_unknown_keywords_are_kept_and_the_nearest_is_named(self):
        self.write("m.txt", "epoch = 3\nmy_own_thing = 1\n")
        settled = settle("m.txt")
        self.assertEqual(settled.values["epoch"], 3)
        text = "\n".join(map(str, settled.problems))
        self.assertIn("did you mean epochs?", text)
        self.assertIn("kept: my_own_thing", text)

    def test_old_names(self):
        self.write("m.txt", "drop = 0.1\nlr = 1\n")
        values = settle("m.txt", required=["drop", "learning_rate"]).values
        self.assertEqual((values["drop"], values["dropout"]), (0.1, 0.1))
        self.assertEqual((values["lr"], values["learning_rate"]), (1, 1))


class Definitions(Candle):
    def test_a_name_with_dashes_is_the_one_with_underscores(self):
        self.write("m.txt", "batch_size = 4\n")
        definitions = [{"name": "batch-size", "type": int},
                       {"name": "my-own", "default": 3}]
        values = settle("m.txt", definitions, ["batch-size"],
                        ["--batch-size", "8", "--learning-rate", "0.5"]).values
        self.assertEqual((values["batch_size"], values["my_own"],
                          values["learning_rate"]), (8, 3, 0.5))
        self.assertNotIn("batch-size", values)

    def test_the_table_has_65_keywords(self):
        self.assertEqual(len(Keywords().list), 65)

    def test_what_cannot_be_defined(self):
        for definition, words in [
                ({"type": int}, "lacks its name"),
                ({"name": "x", "action": "store_true"}, "candle.str2bool"),
                ({"name": "x", "type": "complex"}, "one of"),
                ({"name": "x", "nargs": "many"}, "nargs"),
                ({"name": "x", "typ": int}, "no part of a definition"),
                ({"name": "x", "type": int, "default": "a"}, "default 'a'"),
                ("x", "dictionary")]:
            with self.assertRaisesRegex(DefinitionError, words):
                Keywords([definition])

    def test_a_standard_keyword_defined_anew_keeps_its_letter(self):
        self.write("m.txt", "pool = [1, 10]\n")
        values = settle("m.txt", [{"name": "pool", "nargs": "+", "type": int},
                                  {"name": "epochs", "type": int,
                                   "default": 9}], words=["-e", "4"]).values
        self.assertEqual((values["pool"], values["epochs"]), ([1, 10], 4))

    def test_defaults_that_argparse_would_take(self):
        values = settle(self.write("m.txt", "x = []\n"), [
            {"name": "x", "nargs": "+", "default": []},
            {"name": "y", "type": int, "default": 0.5},
            {"name": "z", "choices": ["a"], "default": None}]).values
        self.assertEqual([values[k] for k in "xyz"], [[], 0.5, None])

    def test_the_keywords_of_p3b1(self):
        """As the tutorial prints its file; feature_names is a text that the
        model takes apart itself."""
        self.write("p3b1.txt", "n_fold = 1\nshared_nnet_spec = '1200'\n"
                   "ind_nnet_spec = '1200, 1200:1200, 1200:1200, 1200'\n"
                   "feature_names = 'Primary site:Tumor laterality:"
                   "Histological grade'\n")
        definitions = [
            {"name": "shared_nnet_spec", "nargs": "+", "type": int},
            {"name": "ind_nnet_spec", "action": "list-of-lists"},
            {"name": "feature_names", "nargs": "+", "type": str},
            {"name": "n_fold", "action": "store", "type": int}]
        required = ["n_fold", "shared_nnet_spec", "ind_nnet_spec",
                    "feature_names", "solr_root"]
        values = settle("p3b1.txt", definitions, required).values
        self.assertEqual(values["shared_nnet_spec"], [1200])
        self.assertEqual(values["ind_nnet_spec"], [[1200, 1200]] * 3)
        self.assertEqual(values["feature_names"].split(":")[1],
                         "Tumor laterality")
        values = settle("p3b1.txt", definitions, required, [
            "--feature_names", "a", "b"]).values
        self.assertEqual(values["feature_names"], ["a", "b"])
        self.write("p3b1.json", json.dumps({"definitions": [
            {**d, **({"type": d["type"].__name__} if "type" in d else {})}
            for d in definitions], "required": required}))
        said = subprocess.run([THRONG, "params", "p3b1.txt", "--json",
                               "--definitions", "p3b1.json"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(said.stdout),
                         settle("p3b1.txt", definitions, required).values)

    def test_a_function_as_type(self):
        self.write("m.txt", "x = '3'\ny = 5\n")
        values = settle("m.txt", [{"name": "x", "type": lambda s: s * 2},
                                  {"name": "y", "type": lambda s: s * 2}])
        self.assertEqual((values.values["x"], values.values["y"]), ("33", 5))

    def test_str2bool(self):
        for word in ("yes", "Yes", "YES", "true", "True", "TRUE", "t", "T",
                     "y", "Y", "1"):
            self.assertIs(candle.str2bool(word), True)
        for word in ("no", "No", "NO", "false", "False", "FALSE", "f", "F",
                     "n", "N", "0"):
            self.assertIs(candle.str2bool(word), False)
        with self.assertRaises(argparse.ArgumentTypeError):
            candle.str2bool("candle")

    def test_for_argparse(self):
        parser = candle.parse_from_dictlist(
            [{"name": "rng_seed", "abv": "r", "type": float},
             {"name": "on", "type": candle.str2bool, "default": False},
             {"name": "spec", "action": "list-of-lists"}],
            argparse.ArgumentParser())
        args = parser.parse_args(["--rng_seed", "456", "--on", "yes",
                                  "--spec", "1,2:3"])
        self.assertEqual((args.rng_seed, args.on, args.spec),
                         (456.0, True, [[1, 2], [3]]))
        self.assertNotIn("rng_seed", vars(parser.parse_args([])))

    def test_texts_as_lists(self):
        self.assertEqual(candle.eval_string_as_list("3 4 5", " ", int),
                         [3, 4, 5])
        self.assertEqual(candle.eval_string_as_list("[.5,2]", ",", float),
                         [0.5, 2.0])
        self.assertEqual(candle.eval_string_as_list("3, 4", ",", None),
                         [3, 4])
        self.assertEqual(candle.eval_string_as_list_of_lists(
            "1,2:3,4", ":", ",", int), [[1, 2], [3, 4]])
        self.assertEqual(candle.eval_string_as_list_of_lists(
            "[1,2]:[3]", ":", ",", float), [[1.0, 2.0], [3.0]])

    def test_conflicts(self):
        candle.check_flag_conflicts({"clr_flag": True, "warmup_lr": False})
        with self.assertRaisesRegex(ParameterError, "both be True"):
            candle.check_flag_conflicts({"clr_flag": True, "warmup_lr": True})


class Model(candle.Benchmark):
    def set_locals(self):
        self.required = {"epochs"}
        self.additional_definitions = [
            {"name": "latent_dim", "action": "store", "type": int,
             "help": "latent dimensions"}]


class Finalized(Candle):
    def finalize(self, text="epochs = 3\nmodel_name = 'm'\n", words=(),
                 kind=Model):
        self.write("model/m.txt", text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            params = kind(self.folder + "/model", "m.txt", "keras",
                          prog="m").initialize(list(words))
        self.printed = out.getvalue()
        return params

    def test_what_a_script_gets(self):
        params = self.finalize(words=["-e", "5", "--latent_dim", "7"])
        self.assertEqual((params["epochs"], params["latent_dim"],
                          params["rng_seed"], params["timeout"]),
                         (5, 7, 7102, -1))
        self.assertEqual(params["data_type"], "float32")
        self.assertIn("Configuration file: %s/model/m.txt" % self.folder,
                      self.printed)
        saved = literal.read(self.read("Output/EXP000/RUN000/"
                                       "final_params.txt"))
        self.assertEqual(saved, dict(params))

    def test_old_names_find_new_ones(self):
        params = self.finalize("epochs = 1\ndropout = 0.2\n")
        self.assertEqual(params["drop"], 0.2)
        self.assertEqual(params["datatype"], "float32")
        self.assertIn("drop", params)
        self.assertNotIn("lr", params)
        self.assertIsNone(params.get("lr"))
        with self.assertRaises(KeyError):
            params["lr"]
        self.assertNotIn("drop", dict(params))
        again = pickle.loads(pickle.dumps(params))
        self.assertEqual((again, again["drop"]), (params, 0.2))
        args = candle.ArgumentStruct(**params)
        self.assertEqual(args.dropout, 0.2)

    def test_folders(self):
        here, data = self.folder, self.folder + "/data"
        for given, variables, folder in [
                ("", {}, here + "/Output/EXP000/RUN000"),
                ("output_dir = '.'", {}, here),
                ("output_dir = 'save'", {}, here + "/save/EXP000/RUN000"),
                ("", {"CANDLE_DATA_DIR": data},
                 data + "/m/Output/EXP000/RUN000"),
                ("output_dir = 'save'", {"CANDLE_DATA_DIR": data},
                 data + "/m/save/EXP000/RUN000"),
                ("output_dir = '.'", {"CANDLE_DATA_DIR": data},
                 data + "/m/EXP000/RUN000"),
                ("", {"CANDLE_DATA_DIR": data,
                      "CANDLE_OUTPUT_DIR": here + "/out"},
                 here + "/out/m/Output/EXP000/RUN000"),
                ("output_dir = '%s/abs'" % here, {"CANDLE_DATA_DIR": data},
                 here + "/abs/EXP000/RUN000"),
                ("experiment_id = 'E9'\nrun_id = 'R3'", {},
                 here + "/Output/E9/R3")]:
            with self.subTest(given, variables=variables):
                os.environ.update(variables)
                params = self.finalize("epochs = 1\nmodel_name = 'm'\n"
                                       + given)
                self.assertEqual(params["output_dir"], folder)
                self.assertTrue(os.path.isdir(folder))
                self.assertEqual(
                    params["data_dir"], data + "/m/Data"
                    if variables else here + "/Data")
                for name in variables:
                    del os.environ[name]

    def test_ids_lead_nowhere_else(self):
        for word in ("../../x", "/tmp/x", ""):
            with self.assertRaisesRegex(ValueError, "name of a folder"):
                self.finalize(words=["--run_id", word])

    def test_in_a_trial(self):
        self.enter_trial({"epochs": 9, "lr": 0.25})
        params = self.finalize(words=["--epochs", "4"])
        self.assertEqual((params["epochs"], params["lr"],
                          params["learning_rate"]), (9, 0.25, 0.25))
        self.assertEqual((params["experiment_id"], params["run_id"]),
                         ("mine", "RUN007"))
        self.assertEqual(params["output_dir"], self.folder + "/output")
        os.environ["CANDLE_OUTPUT_DIR"] = self.folder + "/output"
        params = self.finalize("epochs = 1\noutput_dir = 'save'\n"
                               "run_id = 'mine'\n")
        self.assertEqual(params["output_dir"], self.folder + "/output/save")
        self.assertEqual(params["run_id"], "mine")
        os.environ["CANDLE_OUTPUT_DIR"] = self.folder + "/shared"
        params = self.finalize()
        self.assertEqual(params["output_dir"],
                         self.folder + "/shared/m/Output/mine/RUN007")

    def test_a_budget_is_a_number_of_epochs(self):
        self.enter_trial({"epochs": 9}, THRONG_BUDGET="4")
        self.assertEqual(self.finalize()["epochs"], 4)

    def test_mistakes_of_the_command_line_end_the_program(self):
        with said() as text, self.assertRaises(SystemExit) as caught:
            self.finalize(words=["--epochs", "many"])
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("epochs is a whole number, not 'many'", text.getvalue())

    def test_mistakes_of_files_are_raised(self):
        with self.assertRaisesRegex(ParameterError, "m.txt:1:11: .*express"):
            self.finalize("epochs = 2*3\n")
        with self.assertRaisesRegex(ParameterError, "1 required .*: epochs"):
            self.finalize("loss = 'mse'\n")
        with self.assertRaisesRegex(FileNotFoundError, "gone.txt"):
            Model(self.folder, "gone.txt", "keras")

    def test_unknown_keywords_are_warned_of(self):
        with self.assertWarnsRegex(RuntimeWarning, "kept: my_own_thing"):
            self.finalize("epochs = 1\nmy_own_thing = 1\n")

    def test_help(self):
        with contextlib.redirect_stdout(io.StringIO()) as text, \
                self.assertRaises(SystemExit) as caught:
            Model(self.folder, self.write("m.txt", "epochs=1"),
                  "keras").initialize(["-help"])
        self.assertEqual(caught.exception.code, 0)
        self.assertIn("-e, --epochs", text.getvalue())
        self.assertIn("latent dimensions", text.getvalue())

    def test_definitions_and_requirements_given_in_other_ways(self):
        class Other(candle.Benchmark):
            required = ["epochs", "loss"]
        with self.assertRaisesRegex(ParameterError, "1 required .*: loss"):
            self.finalize(kind=Other)
        self.write("m.txt", "epochs = 1\n")
        with contextlib.redirect_stdout(io.StringIO()), \
                self.assertRaisesRegex(ParameterError, "missing: loss"):
            candle.finalize_parameters(candle.Benchmark(
                self.folder, "m.txt", "keras", required=["loss"],
                additional_definitions=[{"name": "z", "type": int}]), [])
        candle.Benchmark(self.folder, "m.txt", "keras", required=["loss"]) \
            .check_required_exists({"loss": None})


class Parser(Candle):
    """The argparse parser of a Benchmark."""

    def benchmark(self, **more):
        self.write("m.txt", "epochs = 3\nmodel_name = 'm'\n")
        return Model(self.folder, "m.txt", **more)

    def test_it_knows_all_keywords(self):
        parser = self.benchmark().parser
        self.assertIsInstance(parser, argparse.ArgumentParser)
        args, rest = parser.parse_known_args(
            ["--epochs", "4", "--dense", "10", "20", "--other", "-v", "yes"])
        self.assertEqual((args.epochs, args.dense, args.verbose, rest),
                         (4, [10, 20], True, ["--other"]))
        self.assertNotIn("momentum", vars(args))

    def test_more_definitions_may_be_added(self):
        bmk = self.benchmark()
        bmk.parser = candle.parse_from_dictlist(
            [{"name": "rng_seed", "type": float}], bmk.parser)
        self.assertEqual(bmk.parser.parse_args(["--rng_seed", "4"]).rng_seed,
                         4.0)

    def test_options_that_a_model_adds_are_parameters(self):
        for bmk in (self.benchmark(),
                    self.benchmark(parser=argparse.ArgumentParser())):
            bmk.parser.add_argument("--depth", type=int, default=2)
            bmk.parser.add_argument("--fast", action="store_true")
            with contextlib.redirect_stdout(io.StringIO()):
                params = candle.finalize_parameters(bmk, ["--depth", "7"])
            self.assertEqual((params["depth"], params["fast"],
                              params["epochs"]), (7, False, 3))

    def test_the_framework_is_keras_unless_it_is_said(self):
        self.assertEqual(self.benchmark().framework, "keras")
        self.assertEqual(self.benchmark(framework="pytorch").framework,
                         "pytorch")
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(sys, "argv", ["x.py"]):
            params = candle.create_params(self.folder, "m.txt")
        self.assertEqual(params["epochs"], 3)


class StandIn(Candle):
    def test_both_names_and_their_files(self):
        self.script("""
import candle
import candle_keras
from candle.file_utils import get_file
from candle_keras.default_utils import str2bool
import candle.parsing_utils
assert candle.get_file is get_file
assert candle.parsing_utils.finalize_parameters is candle.finalize_parameters
assert candle_keras.Benchmark is candle.Benchmark
assert "throng" in candle.Benchmark.__module__
from candle import *
assert str2bool("yes")
""", path=(CANDLE,))

    def test_what_needs_a_framework_says_so(self):
        for name, words in [("heteroscedastic_loss", "TensorFlow"),
                            ("plot_scatter", "matplotlib"),
                            ("pytorch_mse", "PyTorch")]:
            done = self.script("from candle import " + name, path=(CANDLE,),
                               status=1)
            self.assertIn("ImportError: candle.%s works with %s"
                          % (name, words), done.stderr)
            self.assertIn("pip install git+https://github.com/ECP-CANDLE/"
                          "candle_lib@develop", done.stderr)
        done = self.script("import candle\ncandle.nonsense", path=(CANDLE,),
                           status=1)
        self.assertIn("AttributeError", done.stderr)

    def test_the_tutorials_original_code_finds_its_module(self):
        self.write("Data/P3B1/P3B1_data/x", "1")
        self.script("""
from data_utils import get_file
data_loc = get_file('P3B1_data.tgz', 'http://127.0.0.1:9/P3B1_data.tgz',
                    untar=True, md5_hash=None, cache_subdir='P3B1')
assert data_loc.endswith('/P3B1/P3B1_data'), data_loc
from file_utils import get_file as same
from default_utils import initialize_parameters
assert same is get_file
""", path=(CANDLE,))

    def test_a_scripts_own_module_comes_before_the_stand_in(self):
        self.write("common/data_utils.py", "mine = True\n")
        self.script("import sys\nsys.path.append('common')\n"
                    "import data_utils\nassert data_utils.mine\n",
                    path=(CANDLE,))

    def test_names_that_models_import_are_there_without_their_frameworks(self):
        self.script("""
import sys
for name in ("keras", "tensorflow", "matplotlib"):
    sys.modules[name] = None
from candle import (build_initializer, build_optimizer,
                    compute_trainable_params, plot_history,
                    register_permanent_dropout, set_parallelism_threads)
from candle import *
import candle
candle.set_parallelism_threads()
for call, what in [(lambda: build_optimizer("sgd"), "Keras"),
                   (lambda: build_initializer("normal"), "Keras"),
                   (lambda: register_permanent_dropout(), "Keras"),
                   (lambda: candle.PermanentDropout, "Keras"),
                   (lambda: plot_history("x", {}), "matplotlib")]:
    try:
        call()
    except ImportError as error:
        assert what in str(error), error
    else:
        raise AssertionError(what)
""", path=(CANDLE,))

    def test_a_real_one_comes_first(self):
        self.write("site/candle/__init__.py", "from .x import real\n")
        self.write("site/candle/x.py", "real = True\n")
        self.script("import candle\nassert candle.real\n"
                    "from candle.x import real\n",
                    path=(CANDLE, self.folder + "/site"))

    def test_parameters_need_the_standard_library_only(self):
        self.write("m.txt", "epochs = 1\n")
        self.script("""
import sys
sys.modules["numpy"] = sys.modules["pandas"] = None
import candle
candle.finalize_parameters(candle.Benchmark(".", "m.txt", "keras"))
candle.CandleCkpt({"epochs": 1})
candle.CandleRemoteMonitor({}).on_train_begin()
candle.get_file, candle.set_seed(3)
try:
    candle.load_csv_data
except ImportError as error:
    assert "needs numpy" in str(error), error
else:
    raise AssertionError
""", path=(CANDLE,))


if __name__ == "__main__":
    unittest.main()
