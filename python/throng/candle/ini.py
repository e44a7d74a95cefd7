"""CANDLE parameter files.

The dialect is that of configparser with its default settings: sections,
`key = value` or `key: value`, keys in lower case, comments in lines of their
own, values that go on in lines with a deeper indent. Each value is then one
Python literal. Sections carry no meaning: all are merged, and of two equal
keys in two of them the first counts. A file without any header is read too.
"""

from . import literal
from .problems import shown

_BLANKS = " \t\r"


class Entry:
    """A value with the places of its key and of itself."""

    def __init__(self, value, key_place, place):
        self.value, self.key_place, self.place = value, key_place, place


def read(path, problems, called=None):
    """The entries of a file by key, in the order in which they count. What
    is wrong goes to `problems`, under the name `called`; the rest is
    returned."""
    called = called or path
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        problems.error(called, None, "cannot read %s: there is no such file"
                       % shown(path, 300))
        return {}
    except OSError as error:
        problems.error(called, None, "cannot read %s: %s"
                       % (shown(path, 300), error.strerror or error))
        return {}
    return parse(data, called, problems)


def parse(data, called, problems):
    """The same for the bytes of a file."""
    text = _decode(data, called, problems)
    return _File(called, problems).read(text) if text is not None else {}


def _decode(data, called, problems):
    data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    bad, text = data.find(b"\0"), None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = error.start if bad < 0 else min(bad, error.start)
    if bad < 0:
        return text
    begin = data.rfind(b"\n", 0, bad) + 1
    column = len(data[begin:bad].decode("utf-8")) + 1
    problems.error(called, (data.count(b"\n", 0, bad) + 1, column),
                   "the byte 0x%02x is not text" % data[bad],
                   "save the file as UTF-8 text")
    return None


class _File:
    def __init__(self, name, problems):
        self.name, self.problems = name, problems
        self.section, self.sections = 1, 1  # 0: [DEFAULT]; 1: no header yet
        self.headers, self.seen = set(), set()
        self.entries = []      # (section, key, Entry)
        self.key = None        # the one whose value is not complete yet
        self.key_place, self.skipped, self.indent = None, False, 0
        self.parts = []        # (line, column, text) of its value

    def read(self, text):
        for number, line in enumerate(text.split("\n"), 1):
            self.line(number, line)
        self.close()
        return self.merged()

    # ---- lines -------------------------------------------------------------

    def line(self, number, raw):
        line = raw.strip(_BLANKS)
        indent = len(raw) - len(raw.lstrip(_BLANKS)) if line else 0
        if not line and self.key is not None:
            self.parts.append((number, 1, ""))  # may be part of a string
        if not line or line[0] in "#;":
            return
        if self.key is not None and indent > self.indent:
            self.parts.append((number, indent + 1, line))
            return
        self.close()
        self.indent = indent
        if line[0] == "[":
            self.header(number, indent + 1, line)
        else:
            self.key_line(number, indent + 1, line)

    def header(self, number, column, line):
        """[name], and whatever stands behind it."""
        close = line.rfind("]")
        if close < 2:
            self.problems.error(self.name, (number, column),
                                "a section's name stands between [ and ]",
                                "write [Global_Params]")
            return
        name = line[1:close]
        if name == "DEFAULT":
            self.section = 0
            return
        self.sections += 1
        self.section = self.sections
        if name in self.headers:
            self.problems.error(self.name, (number, column),
                                "the section [%s] stands here twice"
                                % shown(name),
                                "put the keys of both into one section")
        self.headers.add(name)

    def key_line(self, number, column, line):
        cut = min([i for i in (line.find("="), line.find(":")) if i >= 0],
                  default=-1)
        if cut < 0:
            self.problems.error(
                self.name, (number, column),
                "expected key = value, not %s" % shown(line),
                "a line that goes on with a value begins with a blank")
            return
        key = line[:cut].strip(_BLANKS)
        if not key:
            self.problems.error(self.name, (number, column),
                                "there is no key before the %s" % line[cut])
            return
        after = line[cut + 1:]
        value = after.strip(_BLANKS)
        blanks = len(after) - len(after.lstrip(_BLANKS)) if value else 0
        self.key = "".join(chr(ord(c) | 32) if "A" <= c <= "Z" else c
                           for c in key)
        self.key_place = (number, column)
        self.parts = [(number, column + cut + 1 + blanks, value)]
        self.skipped = (self.section, self.key) in self.seen
        self.seen.add((self.section, self.key))
        if self.skipped:
            self.problems.error(self.name, self.key_place,
                                "the key '%s' stands in this section twice"
                                % shown(self.key), "keep one of them")

    # ---- values ------------------------------------------------------------

    def close(self):
        """The value at hand is complete."""
        key, self.key = self.key, None
        if key is None or self.skipped:
            return
        text = "\n".join(part for _, _, part in self.parts)
        try:
            value = literal.read(text, doubled=True)
        except literal.Fault as fault:
            self.problems.error(self.name, self.place(fault.at),
                                "%s: %s" % (shown(key), fault.text),
                                fault.hint)
            return
        entry = Entry(value, self.key_place, self.parts[0][:2])
        self.entries.append((self.section, key, entry))

    def place(self, at):
        """Line and column of a character of the joined text."""
        for line, column, part in self.parts:
            if at <= len(part):
                return line, column + at
            at -= len(part) + 1
        return self.key_place

    def merged(self):
        """The first section, then what it inherits, then the others."""
        first = next((s for s, _, _ in self.entries if s), 0)
        order = ([e for e in self.entries if first and e[0] == first] +
                 [e for e in self.entries if e[0] == 0] +
                 [e for e in self.entries if e[0] not in (0, first)])
        merged = {}
        for section, key, entry in order:
            if key not in merged:
                merged[key] = entry
            elif section != 0:
                self.problems.warning(
                    self.name, entry.key_place,
                    "'%s' stands in an earlier section too: that one counts"
                    % shown(key))
        return merged
