"""The parameters of a CANDLE model, from all that give them.

One order: library default < model file < --config_file < command line <
study. Each level replaces single values of those before it. A value is
checked and converted by its keyword wherever it comes from. One of a file
that does not fit is warned of and kept: models define standard keywords anew,
and CANDLE looks at no type in a file.

A parameter that was written under an old name (drop) has its value under the
present one (dropout) and under the old one too, so that old and new models
both find it.
"""

import os

from . import ini, words as command_line
from .keywords import Keywords, ValueRefused
from .problems import COMMAND_LINE, Problems, nearest, shown

CONFIG_FILES_MAX = 8  # files that name one another
LIBRARY, MODEL, CONFIG, WORDS, STUDY = range(5)


class Settled:
    """The result: values by name, what was found doubtful, and which levels
    gave each value."""

    def __init__(self, values, problems, levels, config_file):
        self.values, self.problems, self.levels = values, problems, levels
        self.config_file = config_file


def settle(model_file, definitions=None, required=None, words=(), study=None,
           study_name="study"):
    """The parameters as Settled; raises ParameterError with all mistakes.
    `words` are those of a command line, `study` the parameters of a trial."""
    return _Settling(model_file, Keywords(definitions, required)).run(
        list(words), study or {}, study_name)


def find_file(path, model_file):
    """A relative path is looked for here, beside the model file and in
    CANDLE's data folder; the last two are where CANDLE itself looks."""
    folders = ["", os.path.dirname(model_file),
               os.environ.get("CANDLE_DATA_DIR") or ""]
    for folder in folders:
        candidate = os.path.join(folder, path)
        if os.path.exists(candidate):
            return candidate
    return path


class _Setting:
    """One parameter as it stands."""

    def __init__(self, name):
        self.name, self.written = name, name
        self.given = False
        self.raw = self.value = self.level = self.file = None


class _Settling:
    def __init__(self, model_file, keywords):
        self.model_file, self.keywords = model_file, keywords
        self.problems, self.settings, self.old = Problems(), {}, {}
        self.unknown, self.unknown_place = [], None
        self.config_file = None

    def run(self, words, study, study_name):
        for keyword in self.keywords.list:
            if keyword.has_default:
                self.put(LIBRARY, "keywords", keyword.name, keyword.default,
                         None)
        model = ini.read(self.model_file, self.problems)
        self.put_entries(MODEL, self.model_file, model)
        self.put_configs(*self.find_config(words, study, study_name, model))
        self.put_words(words)
        for name, value in study.items():
            self.warn_unknown(study_name, None, name)
            self.put(STUDY, study_name, name, value, None)
        self.say_unknown()
        self.check_required()
        self.check_conflicts()
        self.problems.raise_errors()
        return Settled(self.values(), self.problems,
                       {s.name: s.level for s in self.settings.values()},
                       self.config_file)

    # ---- one value ---------------------------------------------------------

    def put(self, level, file, written, value, place):
        keyword = self.keywords.find(written)
        name = keyword.name if keyword else written
        typed = value
        in_file = level in (MODEL, CONFIG)
        as_written = keyword and in_file and keyword.takes_as_written(value)
        if keyword and level != LIBRARY and not as_written:
            try:
                typed = keyword.convert(value)
            except ValueRefused as error:
                if not in_file:
                    self.problems.error(file, place, str(error))
                    self.settings.setdefault(name, _Setting(name))
                    return
                self.problems.warning(file, place,
                                      "%s; kept as it is" % error)
        setting = self.settings.setdefault(name, _Setting(name))
        if name != written:
            self.old.setdefault(written, setting)
        if self.loses(setting, level, file, written, typed, place):
            return
        setting.written, setting.value, setting.given = written, typed, True
        # Text of the command line means what the keyword makes of it.
        setting.raw = typed if level == WORDS else value
        setting.level, setting.file = level, file

    def loses(self, setting, level, file, written, typed, place):
        """Two names of one parameter in one file: the present one counts."""
        if not setting.given or level == WORDS or setting.level != level \
                or setting.file != file or setting.written == written:
            return False
        lost = setting.written == setting.name
        if setting.value != typed:
            self.problems.warning(
                file, place, "%s and %s are the same parameter; %s counts"
                % (shown(setting.written), shown(written),
                   shown(setting.written if lost else written)))
        return lost

    def put_entries(self, level, file, entries):
        for name, entry in entries.items():
            self.warn_unknown(file, entry.key_place, name)
            self.put(level, file, name, entry.value, entry.place)

    def is_known(self, name):
        return (self.keywords.find(name) or name in self.settings
                or name in self.keywords.required)

    def warn_unknown(self, file, place, name):
        """A name near to a known one is warned of by itself; the others are
        most likely the model's own and share one line."""
        if self.is_known(name):
            return
        if name in self.keywords.dropped:
            self.problems.notice(file, place,
                                 "%s has no effect any more" % shown(name))
            return
        near = nearest(name, self.keywords.names)
        if near:
            self.problems.warning(
                file, place, "%s is not a keyword of CANDLE's; its value is "
                "kept" % shown(name), "did you mean %s?" % near)
            return
        self.unknown_place = self.unknown_place or (file, place)
        self.unknown.append(shown(name))

    def say_unknown(self):
        if self.unknown:
            self.problems.warning(
                *self.unknown_place, "no keyword%s of CANDLE's, kept: %s"
                % ("s" * (len(self.unknown) > 1), ", ".join(self.unknown)),
                "a model's own keywords are defined in "
                "additional_definitions")

    # ---- the levels --------------------------------------------------------

    def find_config(self, words, study, study_name, model):
        """The config_file of the highest level that names one, the file that
        names it and where."""
        name = study.get("config_file")
        if isinstance(name, str) and name:
            return name, study_name, None
        unsaid = Problems()  # put_words says them
        given = [o.value for o in command_line.read(
            words, self.keywords, self.settings, unsaid)
            if o.name == "config_file"]
        if given and isinstance(given[-1], str) and given[-1]:
            return given[-1], COMMAND_LINE, None
        entry = model.get("config_file")
        if entry and isinstance(entry.value, str) and entry.value:
            return entry.value, self.model_file, entry.place
        return None, None, None

    def put_configs(self, name, named_in, place):
        """Reads the file, and the one it names, and so on, each over the
        other."""
        seen = []
        while name:
            if name in seen:
                self.problems.error(named_in, place, "config_file leads back "
                                    "to %s" % shown(name),
                                    "take config_file out here")
                return
            if len(seen) == CONFIG_FILES_MAX:
                self.problems.error(named_in, place, "more than %d files name "
                                    "one another as config_file"
                                    % CONFIG_FILES_MAX)
                return
            seen.append(name)
            path = find_file(name, self.model_file)
            if not os.path.exists(path):
                self.problems.error(
                    named_in, place, "cannot read %s: there is no such file"
                    % shown(name, 300), "a relative path is looked for here, "
                    "beside the model file and in CANDLE_DATA_DIR")
                return
            self.config_file = path
            entries = ini.read(path, self.problems, name)
            self.put_entries(CONFIG, name, entries)
            further = entries.get("config_file")
            named_in, place = name, further.place if further else None
            name = further.value if further and isinstance(
                further.value, str) else None

    def put_words(self, words):
        for option in command_line.read(words, self.keywords, self.settings,
                                        self.problems):
            self.warn_unknown(COMMAND_LINE, None, option.name)
            self.put(WORDS, COMMAND_LINE, option.name, option.value, None)

    # ---- the whole ---------------------------------------------------------

    def given(self, name):
        setting = self.settings.get(self.keywords.present_name(name))
        return setting if setting and setting.given else None

    def check_required(self):
        missing = [shown(name) for name in self.keywords.required
                   if not self.given(name)
                   and name not in self.keywords.dropped]
        if missing:
            self.problems.error(
                self.model_file, None, "%d required parameter%s missing: %s"
                % (len(missing), "s are" if len(missing) > 1 else " is",
                   ", ".join(missing)),
                "set them in this file, or on the command line")

    def check_conflicts(self):
        for a, b in self.keywords.conflicts:
            both = [self.given(a), self.given(b)]
            if all(s and s.value is True for s in both):
                self.problems.error(
                    self.model_file, None,
                    "%s and %s cannot both be True" % (a, b),
                    "set one of them to False")

    def values(self):
        values = {s.name: s.value for s in self.settings.values() if s.given}
        for name, setting in self.old.items():
            if setting.given:
                as_written = setting.written == name
                values[name] = setting.raw if as_written else setting.value
        return values
