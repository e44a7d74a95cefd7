"""Python literals, and nothing else of Python.

CANDLE hands each value of a parameter file to eval(). Here nothing is
evaluated: strings, numbers, True, False, None, lists, tuples and dictionaries
are read; an expression, a call or a bare word is refused with its place.

throng reads the same in C (src/candle), and its tasks are handed what it made
of a file. A script that is run by hand reads here all the same: it must work
where only this package is, so that asking throng, where it is on PATH, would be
a second way beside this one, not less code.
"""

import json
import re

from .problems import shown

DEPTH_MAX = 100  # as deep as throng's own reader goes

_NUMBER = re.compile(r"0[xX][0-9A-Za-z_.]*"
                     r"|(?:[eE][+-](?=[0-9])|[0-9A-Za-z_.\x80-\U0010ffff])+")
_WORD = re.compile(r"[0-9A-Za-z_\x80-\U0010ffff]+")
_STRING = re.compile(r"([rRuUbBfF]{0,2})('''|\"\"\"|'|\")")
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f",
            "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}
_HINTS = {"true": "write True", "TRUE": "write True", "false": "write False",
          "FALSE": "write False", "none": "write None", "null": "write None",
          "inf": "write 1e400"}
_DIGITS = frozenset("0123456789")
_NUMBERS = re.compile(r"\[[-+0-9.eE,\[\] \t\r\n]*\][ \t\r\n]*")
_LONG = re.compile(r"[0-9]{19}")
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class Fault(ValueError):
    """Why a text is no literal, and at which of its characters."""

    def __init__(self, at, text, hint=None):
        super().__init__(text + (" (%s)" % hint if hint else ""))
        self.at, self.text, self.hint = at, text, hint


def read(text, doubled=False):
    """The value of one literal; blanks and comments may stand around it.
    With `doubled` a % in a string is written %%, as configparser has it."""
    value = _numbers(text)
    return _Reader(text, doubled).whole() if value is None else value


def _numbers(text):
    """A long list of numbers is mostly JSON too, whose reader is C and 50
    times as fast; None for all that is not, or could differ."""
    if not _NUMBERS.fullmatch(text) or _LONG.search(text) \
            or text.count("[") > DEPTH_MAX:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


class _Reader:
    def __init__(self, text, doubled):
        self.text, self.doubled = text, doubled
        self.at, self.depth = 0, 0

    def peek(self):
        return self.text[self.at:self.at + 1]

    def skip(self, lines=False):
        """Blanks and comments; line ends only where Python skips them."""
        blanks = " \t\f\r" + ("\n" if lines or self.depth else "")
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif c in blanks:
                self.at += 1
            else:
                return

    # ---- the whole ---------------------------------------------------------

    def whole(self):
        self.skip(True)
        if self.at == len(self.text):
            raise Fault(0, "there is no value here",
                        "None stands for no value")
        value = self.value()
        self.skip()
        if self.peek() == ",":
            value = self.rest(value)
        self.skip(True)
        if self.at < len(self.text):
            raise self.left_over()
        return value

    def rest(self, first):
        """1, 2 without parentheses is a tuple too."""
        items = [first]
        while self.peek() == ",":
            self.at += 1
            self.skip()
            if self.peek() in ("", "\n"):
                break
            items.append(self.value())
            self.skip()
        return tuple(items)

    def left_over(self):
        c = self.peek()
        if c == ";":
            return Fault(self.at, "; ends no value and begins no comment here",
                         "a comment begins with #")
        if c in "+-*/%<>=!&|^@.~[(" or _WORD.match(c):
            return self.expression(self.at)
        return Fault(self.at, "expected the end of the value before %s"
                     % shown(self.text[self.at:]))

    def expression(self, at):
        return Fault(at, "an expression where a literal belongs: %s"
                     % shown(self.text.strip()),
                     "write the result; nothing is evaluated")

    def value(self):
        c = self.peek()
        if c and c in "[({":
            return self.bracket()
        if c in _DIGITS:
            return self.number()
        if c == "." and self.text[self.at + 1:self.at + 2] in _DIGITS:
            return self.number()
        if c in ("-", "+"):
            return self.signed()
        if _STRING.match(self.text, self.at):
            return self.string()
        return self.word()

    # ---- words and numbers -------------------------------------------------

    def word(self):
        at = self.at
        match = _WORD.match(self.text, at)
        word = match.group() if match else ""
        if at == len(self.text):
            raise Fault(at, "the text ends where a value belongs")
        self.at += len(word)
        if word in ("True", "False"):
            return word == "True"
        if word == "None":
            return None
        self.skip()
        if word and self.peek() and self.peek() in "(.[+-*/":
            raise self.expression(at)
        if not word:
            raise Fault(at, "expected a value, not %s" % shown(self.text[at]))
        raise Fault(at, "%s is not a literal" % shown(word),
                    _HINTS.get(word, "text stands in quotes"))

    def signed(self):
        at, minus = self.at, self.peek() == "-"
        self.at += 1
        self.skip()
        if self.peek() not in _DIGITS and self.peek() != ".":
            raise Fault(at, "a sign must stand before a number",
                        "a value is written out; nothing is evaluated")
        return self.number(minus)

    def number(self, minus=False):
        at = self.at
        token = _NUMBER.match(self.text, at).group()
        self.at += len(token)
        if not token.isascii():
            raise self.bad_number(at, token)
        if len(token) > 40 and re.fullmatch("[1-9][0-9]*", token):
            return self.limited(at, token, 2**63)
        try:
            number = int(token, 0)
            return self.limited(at, token, -number if minus else number)
        except ValueError as fault:
            if isinstance(fault, Fault):
                raise
        if re.fullmatch("[0-9][0-9_]*", token):
            raise self.bad_number(at, token, "leave out the leading zeros"
                                  if "_" not in token else None)
        try:
            return -float(token) if minus else float(token)
        except ValueError:
            raise self.bad_number(at, token) from None

    @staticmethod
    def limited(at, token, number):
        if not -2**63 <= number < 2**63:
            raise Fault(at, "the integer %s needs more than 64 bits"
                        % shown(token), "write it as a float or as text")
        return number

    @staticmethod
    def bad_number(at, token, hint=None):
        return Fault(at, "%s is not a number of Python's" % shown(token), hint)

    # ---- strings -----------------------------------------------------------

    def string(self):
        """One string or several side by side, which are one."""
        pieces, match = [], _STRING.match(self.text, self.at)
        while match:
            pieces.append(self.piece(*match.groups()))
            self.skip()
            match = _STRING.match(self.text, self.at)
        return "".join(pieces)

    def piece(self, prefix, quotes):
        lower = prefix.lower()
        if "b" in lower or "f" in lower or ("u" in lower and len(lower) > 1):
            raise Fault(self.at, "strings marked %s are not read" % prefix,
                        "a plain string is written 'text'")
        at = self.at + len(prefix)
        self.at = at + len(quotes)
        out = []
        while self.at < len(self.text):
            c = self.text[self.at]
            if self.text.startswith(quotes, self.at):
                self.at += len(quotes)
                return "".join(out)
            if c == "\n" and len(quotes) == 1:
                break
            self.at += 1
            if c == "%":
                out.append(self.percent())
            elif c != "\\" or self.at == len(self.text):
                out.append(c)
            elif lower == "r":
                out.append(c + self.text[self.at])
                self.at += 1
            else:
                out.append(self.escape())
        raise Fault(at, "this string has no end",
                    "close it with the quote that opened it")

    def percent(self):
        if not self.doubled:
            return "%"
        if self.peek() == "(":
            raise Fault(self.at - 1, "references to other keys are not read",
                        "write the value out")
        if self.peek() != "%":
            raise Fault(self.at - 1, "a percent sign must be doubled",
                        "write %% for one percent sign")
        self.at += 1
        return "%"

    def escape(self):
        at, c = self.at - 1, self.text[self.at]
        self.at += 1
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c in "01234567":
            digits = re.compile("[0-7]{1,3}").match(self.text, at + 1).group()
            return self.numbered(at, digits, 8)
        if c in "xuU":
            count = {"x": 2, "u": 4, "U": 8}[c]
            digits = self.text[self.at:self.at + count]
            if not re.fullmatch("[0-9a-fA-F]{%d}" % count, digits):
                raise Fault(at, "this escape needs %d hexadecimal digits"
                            % count)
            return self.numbered(at, digits, 16)
        if c == "N" and self.peek() == "{":
            raise Fault(at, "characters by name are not read",
                        "write the character itself")
        return "\\" + c

    def numbered(self, at, digits, base):
        code = int(digits, base)
        if code == 0 or code > 0x10ffff or 0xd800 <= code < 0xe000:
            raise Fault(at, "this escape is no character that text can hold")
        self.at = at + (1 if base == 8 else 2) + len(digits)
        return chr(code)

    # ---- lists, tuples, dictionaries ---------------------------------------

    def bracket(self):
        if self.depth == DEPTH_MAX:
            raise Fault(self.at, "nested deeper than %d" % DEPTH_MAX)
        self.depth += 1
        try:
            return {"[": self.list, "(": self.tuple,
                    "{": self.dictionary}[self.peek()]()
        finally:
            self.depth -= 1

    def items(self, read_one):
        """Calls read_one for each item up to the bracket that closes; the
        number of commas."""
        opened, close = self.at, _CLOSING[self.peek()]
        self.at += 1
        commas = 0
        while True:
            self.skip(True)
            if self.peek() == close:
                break
            if self.at == len(self.text):
                raise self.no_end(opened)
            read_one()
            self.skip(True)
            if self.peek() == close:
                break
            if self.peek() != ",":
                raise self.no_end(opened)
            self.at += 1
            commas += 1
        self.at += 1
        return commas

    def no_end(self, opened):
        bracket = self.text[opened]
        if self.at == len(self.text):
            return Fault(opened, "this %s is never closed" % bracket,
                         "lines that go on with a value begin with a blank")
        return Fault(self.at, "expected a comma or %s before %s"
                     % (_CLOSING[bracket], shown(self.peek())))

    def list(self):
        out = []
        self.items(lambda: out.append(self.value()))
        return out

    def tuple(self):
        """() is an empty tuple, (1) is 1, (1,) a tuple of one."""
        out = []
        commas = self.items(lambda: out.append(self.value()))
        return out[0] if len(out) == 1 and commas == 0 else tuple(out)

    def dictionary(self):
        out = {}
        self.items(lambda: self.member(out))
        return out

    def member(self, out):
        at = self.at
        key = self.value()
        if not isinstance(key, str):
            raise Fault(at, "a key of a dictionary must be a string")
        if key in out:
            raise Fault(at, "the key '%s' stands here twice" % shown(key))
        self.skip(True)
        if self.peek() != ":":
            raise Fault(self.at, "expected a colon behind the key")
        self.at += 1
        self.skip(True)
        out[key] = self.value()
