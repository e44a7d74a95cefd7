"""The keywords of CANDLE and those that models define.

The standard ones are the table keywords.json, which the program throng reads
too. A keyword says what its values are; the same rules hold for values from
files, from the command line (where they are text) and from a study.
"""

import argparse
import json
import os
import re

from .problems import shown

ANY, STR, INT, FLOAT, BOOL, CALL = "any", "str", "int", "float", "bool", "call"
_WORDS = {STR: "text", INT: "a whole number", FLOAT: "a number",
          BOOL: "True or False"}
_TYPES = {"str": STR, "int": INT, "float": FLOAT, "bool": BOOL,
          "str2bool": BOOL, "candle.str2bool": BOOL, "parse_str": STR}
_KEYS = {"name", "abv", "type", "default", "help", "choices", "nargs",
         "action", "aliases", "group", "whole"}
_INT = re.compile(r"[+-]?[0-9]+", re.ASCII)
_FLOAT = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
                    r"|nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_TRUE = ("yes", "true", "t", "y", "1")
_FALSE = ("no", "false", "f", "n", "0")


class DefinitionError(ValueError):
    """A definition of a keyword that means nothing."""


class ValueRefused(ValueError):
    """A value that a keyword does not take."""


def str2bool(v):
    """The truth value that a word stands for: yes, true, t, y, 1 and no,
    false, f, n, 0, in any case."""
    if isinstance(v, bool):
        return v
    word = str(v).lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise argparse.ArgumentTypeError(
        "expected a truth value (%s or %s), not %r"
        % (", ".join(_TRUE), ", ".join(_FALSE), v))


def eval_string_as_list(str_read, separator, dtype=int):
    """"3 4 5" with the separator " " is [3, 4, 5]; brackets may stand around
    it, and numbers of every type are read."""
    text = str_read.strip().strip("[]")
    items = text.split() if separator.isspace() else text.split(separator)
    return [(dtype or int)(item.strip()) for item in items]


def eval_string_as_list_of_lists(str_read, separator_out, separator_in,
                                 dtype=int):
    """"1,2:3,4" with ":" and "," is [[1, 2], [3, 4]]."""
    return [eval_string_as_list(part, separator_in, dtype)
            for part in str_read.split(separator_out)]


class ListOfListsAction(argparse.Action):
    """As the action of a definition: 'a, b:c' is [[a, b], [c]]."""

    def __init__(self, option_strings, dest, type=None, **rest):
        self.element = type or int
        super().__init__(option_strings, dest, **rest)

    def __call__(self, parser, namespace, values, option_string=None):
        keyword = Keyword({"name": self.dest, "type": self.element,
                           "action": "list-of-lists"})
        try:
            setattr(namespace, self.dest, keyword.convert(values))
        except ValueRefused as error:
            raise argparse.ArgumentError(self, str(error)) from None


class Keyword:
    """One keyword: its names, and what its values are."""

    def __init__(self, definition, standard=False):
        if not isinstance(definition, dict):
            raise DefinitionError("a definition is a dictionary, not %.80r"
                                  % (definition,))
        self.name = definition.get("name")
        if not isinstance(self.name, str) or not self.name:
            raise DefinitionError("a definition lacks its name: %.80r"
                                  % (definition,))
        self.name = self.name.replace("-", "_")  # as argparse calls it
        for key in definition:
            if key not in _KEYS:
                raise self.wrong("%r is no part of a definition" % (key,),
                                 "there are: " + ", ".join(sorted(_KEYS)))
        self.letter = definition.get("abv") or ""
        self.help = definition.get("help") or ""
        self.group = definition.get("group") or "the model's own"
        self.aliases = list(definition.get("aliases") or [])
        self.whole = bool(definition.get("whole"))
        self.standard = standard
        self.call = None
        self.type = self.read_type(definition.get("type"))
        self.nargs = self.read_nargs(definition.get("nargs"))
        self.lists = self.read_action(definition.get("action"))
        choices = definition.get("choices")
        self.choices = None if choices is None else list(choices)
        self.has_default = definition.get(
            "default", argparse.SUPPRESS) is not argparse.SUPPRESS
        self.default = self.read_default(definition)

    def wrong(self, text, hint):
        return DefinitionError("the definition of %s: %s (%s)"
                               % (shown(self.name), text, hint))

    def read_type(self, what):
        if what is None:
            return ANY
        if isinstance(what, str):
            if what in _TYPES:
                return _TYPES[what]
            raise self.wrong("the type is %r" % what, "one of: "
                             + ", ".join(sorted(_TYPES)))
        if not callable(what):
            raise self.wrong("the type is %.40r" % (what,),
                             "int, float, str, str2bool or a function")
        name = getattr(what, "__name__", "")
        if name in _TYPES:
            return _TYPES[name]
        if isinstance(what, type):  # numpy's int32, float64 and so on
            for start, kind in (("int", INT), ("uint", INT), ("float", FLOAT)):
                if re.fullmatch(start + "[0-9]*_?", name):
                    return kind
        self.call = what
        return CALL

    def read_nargs(self, what):
        if what in (None, "?"):
            return None
        if what in ("+", "*") or (isinstance(what, int) and what > 0):
            return what
        raise self.wrong("nargs is %r" % (what,),
                         "one of: +, *, ?, a number")

    def read_action(self, what):
        if what in (None, "store"):
            return False
        if what == "list-of-lists" or (
                isinstance(what, type) and issubclass(what, argparse.Action)):
            if self.type == ANY:
                self.type = INT
            return True
        if str(what).startswith("store_"):
            raise self.wrong("the action %s cannot be set from a file" % what,
                             "leave action out and write 'type': "
                             "candle.str2bool")
        raise self.wrong("the action is %r" % (what,),
                         "one of: store, list-of-lists")

    def read_default(self, definition):
        if not self.has_default:
            return None
        try:
            return self.convert(definition["default"])
        except ValueRefused:
            # argparse looks at no default that is not a text, and models
            # count on it: type int with a default of 0.5.
            if isinstance(definition["default"], str):
                raise self.wrong("the default %r is not %s" % (
                    definition["default"], _WORDS.get(
                        self.type, "one of its choices")),
                    "set it to a value that can be used") from None
            return definition["default"]

    # ---- values ------------------------------------------------------------

    def takes_as_written(self, value):
        """Whether a value of a file stays as it is: a text where a list of
        texts belongs ('a:b:c') is taken apart by the model itself."""
        return (isinstance(value, str) and self.nargs is not None and
                self.type in (ANY, STR) and self.choices is None)

    def convert(self, value):
        """The value as this keyword wants it; raises ValueRefused."""
        if self.lists:
            return self.convert_lists(value)
        if self.nargs is not None:
            return self.convert_list(value)
        if self.standard and isinstance(value, (list, tuple)):
            # Models define standard keywords anew with nargs: activation and
            # pool are lists in many files.
            return [self.convert_item(item) for item in value]
        return self.convert_item(value)

    def refuse(self, value, what):
        text = repr(value)
        if len(text) > 200:
            text = type(value).__name__
        return ValueRefused("%s is %s, not %s" % (self.name, what, text))

    def convert_item(self, value):
        typed = self.to_type(value)
        if self.choices is not None and typed is not None and not any(
                c == typed and type(c) is type(typed) for c in self.choices):
            raise self.refuse(value, "one of "
                              + ", ".join(str(c) for c in self.choices))
        return typed

    def to_type(self, value):
        if self.type == ANY or value is None:
            return value
        if self.type == CALL:
            return self.call_type(value)
        if self.type == STR:
            if isinstance(value, str):
                return value
        elif isinstance(value, str):
            return self.text_to_type(value)
        elif self.type == BOOL:
            if value in (0, 1) and isinstance(value, int):
                return bool(value)
        elif isinstance(value, bool):
            pass
        elif isinstance(value, int):
            return value
        elif isinstance(value, float):
            if self.type == FLOAT:
                return value
            # Searches hand whole numbers over as 10.0.
            if value.is_integer() and abs(value) < 9e15:
                return int(value)
        raise self.refuse(value, _WORDS[self.type])

    def call_type(self, value):
        """A model's own function reads texts; other values are there."""
        if not isinstance(value, str):
            return value
        try:
            return self.call(value)
        except (ValueError, TypeError, argparse.ArgumentTypeError) as error:
            raise self.refuse(value, "what its type takes (%s)" % error) \
                from None

    def text_to_type(self, value):
        text = value.strip()
        if text == "None":
            return None
        if self.type == BOOL and text.lower() in _TRUE + _FALSE:
            return text.lower() in _TRUE
        if (self.type == INT or self.whole) and _INT.fullmatch(text) \
                and len(text) < 20 and -2**63 <= int(text) < 2**63:
            return int(text)
        if self.type == FLOAT and _FLOAT.fullmatch(text):
            return float(text)
        raise self.refuse(value, _WORDS[self.type])

    def convert_list(self, value):
        if value is None:
            return None
        if isinstance(value, str) and (self.type != STR or
                                       value.startswith("[")):
            items = _split(value)
        elif isinstance(value, (list, tuple)):
            items = value
        else:
            items = [value]
        if self.nargs == "+" and not items and self.standard:
            raise self.refuse(value, "a list with at least one item")
        if isinstance(self.nargs, int) and len(items) != self.nargs:
            raise self.refuse(value, "a list of %d" % self.nargs)
        return [self.convert_item(item) for item in items]

    def convert_lists(self, value):
        """'a, b:c' is [[a, b], [c]]; brackets may stand around each part."""
        if value is None:
            return None
        if isinstance(value, str):
            parts = [_split(part) for part in value.split(":")] if value \
                else []
        elif not isinstance(value, (list, tuple)):
            raise self.refuse(value, "lists as in '1, 2:3'")
        elif not all(isinstance(part, (list, tuple)) for part in value):
            raise self.refuse(value, "a list of lists")
        else:
            parts = value
        return [[self.convert_item(item) for item in part] for part in parts]


def _split(text):
    """'10 20', '10, 20' and '[10, 20]' as a list of texts."""
    text = text.strip()
    if len(text) >= 2 and text[0] == "[" and text[-1] == "]":
        text = text[1:-1].strip()
    out = []
    for part in text.split(",") if text else []:
        out += [word for word in part.split(" ") if word] or [""]
    return out


class Keywords:
    """All keywords of a model, by name and by old name."""

    def __init__(self, definitions=(), required=()):
        with open(os.path.join(os.path.dirname(os.path.dirname(
                os.path.abspath(__file__))), "keywords.json"),
                encoding="utf-8") as file:
            table = json.load(file)
        self.list, self.names = [], {}
        for definition in table["keywords"]:
            self.add(Keyword(definition, standard=True))
        self.dropped = set(table["dropped"])
        self.conflicts = table["conflicts"]
        self.required = sorted({name.replace("-", "_")
                                for name in required or ()})
        for definition in definitions or ():
            self.add(Keyword(definition))

    def add(self, keyword):
        """A keyword that is defined anew keeps its short form and old
        names."""
        old = self.names.get(keyword.name)
        if old is not None and old.name == keyword.name:
            keyword.letter = keyword.letter or old.letter
            keyword.aliases = keyword.aliases or old.aliases
            self.list[self.list.index(old)] = keyword
        else:
            self.list.append(keyword)
        for other in self.list:
            if other is not keyword and keyword.letter == other.letter:
                other.letter = ""
        for name in [keyword.name] + keyword.aliases:
            self.names[name] = keyword

    def find(self, name):
        return self.names.get(name)

    def find_option(self, name):
        """By a name of the command line, where --batch-size is one too."""
        return self.names.get(name) or self.names.get(name.replace("-", "_"))

    def present_name(self, name):
        """The name under which a parameter stands today."""
        keyword = self.names.get(name)
        return keyword.name if keyword else name
