"""CANDLE's options of a command line.

As argparse reads them: --name value, --name=value, unique beginnings of
names, short forms (-e 3, -e3), lists as several words. Names may also stand
behind one dash (-conf file), as CANDLE's tutorials write them.
"""

from . import literal
from .keywords import _FLOAT
from .problems import COMMAND_LINE, shown


class Option:
    """One option: its keyword (None: nobody's), its name, its value."""

    def __init__(self, word):
        self.word, self.keyword, self.name, self.value = word, None, "", None


def read(words, keywords, known, problems):
    """The options that the words give. A name in `known` is no beginning of a
    keyword."""
    return _Words(list(words), keywords, known, problems).read()


def is_option(word):
    """A word that begins with a dash and is no number."""
    return len(word) > 1 and word[0] == "-" and not _FLOAT.fullmatch(word)


class _Words:
    def __init__(self, words, keywords, known, problems):
        self.words, self.at = words, 0
        self.keywords, self.problems = keywords, problems
        self.known = set(known) | set(keywords.required)

    def mistake(self, text, hint=None):
        self.problems.error(COMMAND_LINE, None, text, hint)

    def read(self):
        options = []
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if not is_option(word):
                self.mistake("the word %s belongs to no parameter"
                             % shown(word),
                             "parameters are written --name value")
                continue
            option = self.option(word)
            if option is not None:
                options.append(option)
        return options

    def option(self, word):
        """The option that a word begins, or None when it is mistaken."""
        option = Option(word)
        name, equals, text = word[2 if word[1] == "-" else 1:].partition("=")
        if not name:
            self.mistake("%s names no parameter" % word)
            return None
        value = text if equals else None
        if word[1] == "-":
            found = self.find_name(name, option)
        else:
            found, value = self.find_short(name, value, option)
        if not found:
            self.values(option)
            return None
        if value is not None:
            option.value = self.one(option, value)
        else:
            values = self.values(option)
            if not values:
                self.mistake("%s lacks its value" % word,
                             "a truth value too: -v true")
                return None
            option.value = values[0] if len(values) == 1 else values
        return option

    # ---- names -------------------------------------------------------------

    def by_letter(self, letter):
        return next((k for k in self.keywords.list
                     if k.letter and k.letter == letter), None)

    def by_beginning(self, name):
        return [k for k in self.keywords.list if k.name.startswith(name)]

    def find_name(self, name, option):
        option.name, option.keyword = name, self.keywords.find(name)
        if option.keyword or name in self.known:
            return True
        option.keyword = self.keywords.find_option(name)
        if option.keyword:
            option.name = option.keyword.name
            return True
        found = self.by_beginning(name)
        if len(found) == 1:
            option.keyword, option.name = found[0], found[0].name
        elif found:
            self.mistake("%s could be any of %s" % (
                option.word, ", ".join("--" + k.name for k in found)),
                "write more of the name")
        return len(found) <= 1

    def find_short(self, name, value, option):
        """A short form, a name or its beginning, or a short form with its
        value: -e3, -lr0.1."""
        option.keyword = self.by_letter(name)
        known = name in self.known or self.keywords.find_option(name)
        if not option.keyword and not known and value is None \
                and not self.by_beginning(name):
            for length in range(len(name) - 1, 0, -1):
                option.keyword = self.by_letter(name[:length])
                if option.keyword:
                    value = name[length:]
                    break
        if not option.keyword:
            return self.find_name(name, option), value
        option.name = option.keyword.name
        return True, value

    # ---- values ------------------------------------------------------------

    def one(self, option, word):
        """What nobody has defined is a literal where it looks like one."""
        if option.keyword:
            return word
        try:
            return literal.read(word)
        except literal.Fault:
            return word

    def values(self, option):
        many = not option.keyword or option.keyword.nargs is not None
        values = []
        while self.at < len(self.words) and not is_option(self.words[self.at]):
            values.append(self.one(option, self.words[self.at]))
            self.at += 1
            if not many:
                break
        return values
