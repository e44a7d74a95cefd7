"""A CANDLE benchmark: the model's file, its own keywords, its folders.

    class MNIST(candle.Benchmark):
        def set_locals(self):
            self.required = {"epochs", "batch_size"}
            self.additional_definitions = [
                {"name": "latent_dim", "type": int, "help": "..."}]

    bmk = MNIST(os.path.dirname(__file__), "mnist_params.txt", "keras")
    gParameters = candle.finalize_parameters(bmk)

The same script runs by hand and as the program of a study: then the trial's
parameters stand above all others, and its folders are throng's.
"""

import argparse
import json
import os
import pprint
import sys
import warnings

from .. import identity
from . import ini, place
from .keywords import (BOOL, FLOAT, INT, STR, Keyword, Keywords,
                       ListOfListsAction, str2bool)
from .problems import COMMAND_LINE, ParameterError, Problems
from .settle import LIBRARY, settle

_DATA_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64"}


class Parameters(dict):
    """The parameters of a run. Old names (drop, lr, datatype) find what has
    a new one, so that scripts of any age do."""

    def __init__(self, values, present):
        super().__init__(values)
        self._present = present

    def __missing__(self, name):
        now = self._present.get(name)
        if now is not None and dict.__contains__(self, now):
            return dict.__getitem__(self, now)
        raise KeyError(name)

    def __contains__(self, name):
        return (dict.__contains__(self, name) or
                dict.__contains__(self, self._present.get(name)))

    def get(self, name, default=None):
        return self[name] if name in self else default

    def copy(self):
        return Parameters(self, self._present)

    def __reduce__(self):
        return Parameters, (dict(self), self._present)


class ArgumentStruct:
    """Parameters as attributes: args = ArgumentStruct(**gParameters)."""

    def __init__(self, **entries):
        self.__dict__.update(entries)


class Benchmark:
    """What a model needs to be told. A subclass sets `required` (names that
    must have a value) and `additional_definitions` (keywords of its own) in
    set_locals(), as class attributes or in the call."""

    required = None
    additional_definitions = None

    def __init__(self, filepath, defmodel, framework=None, prog=None,
                 desc=None, parser=None, additional_definitions=None,
                 required=None):
        self.file_path, self.default_model = filepath or "", defmodel
        self.framework = framework or "keras"
        self.prog, self.desc, self._parser = prog, desc, parser
        self._options = None  # of the parser, those of keywords
        self.conffile = os.path.join(self.file_path, self.default_model)
        if not os.path.isfile(self.conffile):
            raise FileNotFoundError(
                "the model's parameter file %s is not there; it is given by "
                "the first two arguments of a Benchmark" % self.conffile)
        self.required = set(_or(required, type(self).required))
        self.additional_definitions = list(_or(
            additional_definitions, type(self).additional_definitions))
        self.set_locals()

    def set_locals(self):
        """For subclasses: sets self.required and
        self.additional_definitions."""

    @property
    def parser(self):
        """An argparse parser of all keywords. What a model adds to it counts
        as a definition."""
        if self._options is None:
            self._parser = self._parser or argparse.ArgumentParser(
                prog=self.prog, description=self.desc,
                conflict_handler="resolve")
            before = list(self._parser._actions)
            _add_keywords(self._parser, Keywords(self.additional_definitions))
            self._options = [a for a in self._parser._actions
                             if a not in before]
        return self._parser

    @parser.setter
    def parser(self, parser):
        self._parser, self._options = parser, self._options or []

    def definitions(self):
        """The model's own keywords: those it defines, and those that it has
        added to the parser."""
        if self._parser is None:
            return self.additional_definitions
        return self.additional_definitions + [
            _definition_of(action) for action in self._parser._actions
            if action not in (self._options or [])
            and not isinstance(action, argparse._HelpAction)]

    def parse_parameters(self):
        """The parser knows all keywords already."""

    parse_from_common = parse_from_benchmark = parse_parameters

    def initialize(self, words=None):
        """The parameters of this run; see finalize_parameters."""
        return finalize_parameters(self, words)

    @property
    def model_name(self):
        """As the model file says; without that, as the program is called."""
        entry = ini.read(self.conffile, Problems()).get("model_name")
        if entry and isinstance(entry.value, str) and entry.value:
            return entry.value
        return self.name_without_file()

    def name_without_file(self):
        return self.prog or os.path.splitext(
            os.path.basename(sys.argv[0] or "model"))[0]

    def read_config_file(self, file):
        """The values of one parameter file, as they are written."""
        problems = Problems()
        entries = ini.read(file, problems)
        problems.raise_errors()
        return {key: entry.value for key, entry in entries.items()}

    def check_required_exists(self, gparam):
        """Raises when a required parameter has no value; all are named."""
        keywords = Keywords(self.definitions(), self.required)
        missing = [name for name in keywords.required if name not in gparam
                   and keywords.present_name(name) not in gparam]
        if missing:
            problems = Problems()
            problems.error(self.conffile, None,
                           "%d required parameter%s missing: %s"
                           % (len(missing), "s are" if len(missing) > 1
                              else " is", ", ".join(missing)),
                           "set them in this file, or on the command line")
            problems.raise_errors()


def _or(given, otherwise):
    return given if given is not None else otherwise or ()


# ---- the parameters of a run -----------------------------------------------

def finalize_parameters(bmk, words=None):
    """The parameters of this run, with its folders made. One order: library
    default < model file < --config_file < command line < study. `words` is
    the command line; unsaid, that of this program.

    Mistakes in files raise ParameterError with all of them; mistakes on the
    command line alone end the program with status 2, as argparse does."""
    words = sys.argv[1:] if words is None else words
    if any(word in ("-h", "--help", "-help") for word in words):
        print(help_text(bmk))
        sys.exit(0)
    try:
        settled = settle(bmk.conffile, bmk.definitions(), bmk.required,
                         words, *_study())
    except ParameterError as error:
        if any(p.file != COMMAND_LINE for p in error.problems):
            raise
        sys.stderr.write("usage: %s [-h] [--name value]...\n%s\n" % (
            bmk.prog or os.path.basename(sys.argv[0]), str(error).strip()))
        sys.exit(2)
    for problem in settled.problems:
        warnings.warn(str(problem), RuntimeWarning, stacklevel=2)
    params = _finish(bmk, settled)
    print("Configuration file: %s" % (settled.config_file or bmk.conffile))
    print("Params:")
    pprint.pprint(dict(params))
    place.write_whole(os.path.join(params["output_dir"], "final_params.txt"),
                      pprint.pformat(dict(params)) + "\n")
    return params


initialize_parameters = finalize_parameters


def create_params(file_path=None, default_model=None, framework=None,
                  prog_name=None, desc=None, additional_definitions=None,
                  required=None):
    """finalize_parameters for a model without a class of its own."""
    return finalize_parameters(Benchmark(
        file_path, default_model, framework, prog_name, desc,
        additional_definitions=additional_definitions, required=required))


def _study():
    """The parameters of the trial that this is, and the file's name."""
    path = os.environ.get("THRONG_PARAMS")
    if not path:
        return {}, "study"
    with open(path, encoding="utf-8") as file:
        return json.load(file), path


def _finish(bmk, settled):
    keywords = Keywords(bmk.definitions())
    present = {name: k.name for name, k in keywords.names.items()
               if name != k.name}
    params = Parameters(settled.values, present)
    for name in ("data_type", "datatype"):
        if dict.__contains__(params, name) and isinstance(params[name], str):
            params[name] = _DATA_TYPES.get(params[name], params[name])
    if identity.inside():
        if settled.levels.get("experiment_id") == LIBRARY:
            params["experiment_id"] = identity.study_name("EXP000")
        if settled.levels.get("run_id") == LIBRARY:
            params["run_id"] = "RUN%03d" % identity.trial()
        if identity.budget() and "epochs" in params:
            # So many are allowed for now; a later trial may go on from the
            # checkpoint of this one.
            params["epochs"] = identity.budget()
    name = params.get("model_name")
    place.set_folders(params, name if isinstance(name, str) and name
                      else bmk.name_without_file())
    return params


def check_flag_conflicts(params):
    """Raises when two flags that exclude each other are both True."""
    for a, b in Keywords().conflicts:
        if params.get(a) is True and params.get(b) is True:
            problems = Problems()
            problems.error("parameters", None,
                           "%s and %s cannot both be True" % (a, b),
                           "set one of them to False")
            problems.raise_errors()


# ---- help, and argparse for those who want it ------------------------------

def help_text(bmk):
    """What --help prints: all keywords, by group."""
    keywords = Keywords(bmk.definitions(), bmk.required)
    lines = ["usage: %s [-h] [--name value]..." % (
        bmk.prog or os.path.basename(sys.argv[0]))]
    lines += ["", bmk.desc] if bmk.desc else []
    groups = {}
    for keyword in keywords.list:
        groups.setdefault(keyword.group, []).append(keyword)
    for group, members in groups.items():
        lines += ["", group + ":"]
        for k in members:
            names = ("-%s, " % k.letter if k.letter else "") + "--" + k.name
            notes = [k.help] if k.help else []
            notes += ["one of " + ", ".join(map(str, k.choices))] \
                if k.choices else []
            notes += ["default %r" % (k.default,)] if k.has_default else []
            notes += ["required"] if k.name in keywords.required else []
            lines.append("  %-32s %s" % (names, "; ".join(notes)))
    return "\n".join(lines)


def parse_from_dictlist(dictlist, parser):
    """Adds definitions to an argparse parser and returns it."""
    for definition in dictlist:
        _add_keyword(parser, Keyword(definition), definition.get("name"))
    return parser


_ARGPARSE_TYPES = {INT: int, FLOAT: float, STR: str, BOOL: str2bool}


def _add_keyword(parser, keyword, written):
    names = ["-" + keyword.letter] if keyword.letter else []
    options = {"dest": keyword.name,
               "help": (keyword.help or "").replace("%", "%%") or None,
               "default": keyword.default if keyword.has_default
               else argparse.SUPPRESS}
    kind = keyword.call or _ARGPARSE_TYPES.get(keyword.type)
    if kind is not None:
        options["type"] = kind
    if keyword.lists:
        options["action"] = ListOfListsAction
    elif keyword.choices is not None:
        options["choices"] = keyword.choices
    if keyword.nargs is not None and not keyword.lists:
        options["nargs"] = keyword.nargs
    parser.add_argument(*names, "--" + written, **options)


def _add_keywords(parser, keywords):
    """Adds all, but for options that the parser has already."""
    for keyword in keywords.list:
        if "--" + keyword.name not in parser._option_string_actions:
            _add_keyword(parser, keyword, keyword.name)


def _definition_of(action):
    """An option of argparse as a definition."""
    definition = {"name": action.dest, "help": action.help or ""}
    if isinstance(action, (argparse._StoreTrueAction,
                           argparse._StoreFalseAction)):
        definition.update(type=str2bool, default=action.default)
        return definition
    if action.type is not None:
        definition["type"] = action.type
    if action.nargs is not None:
        definition["nargs"] = action.nargs
    if action.choices is not None:
        definition["choices"] = list(action.choices)
    if isinstance(action, ListOfListsAction):
        definition["action"] = "list-of-lists"
    if action.default is not None:
        definition["default"] = action.default
    return definition
