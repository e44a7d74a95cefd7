"""The parameters of a trial: from throng, or by hand from the command line."""

import json
import os
import sys


def params(**defaults):
    """This trial's parameters; `defaults` stand in for absent ones.

    By hand they come from the command line, written in any of the ways in
    which throng writes them: --name=value, --name value, --name, name=value.
    """
    path = os.environ.get("THRONG_PARAMS")
    if path:
        with open(path, encoding="utf-8") as file:
            return {**defaults, **json.load(file)}
    return {**defaults, **read_words(sys.argv[1:])}


def read_words(words):
    """The parameters that the words of a command line give."""
    found, words = {}, list(words)
    while words:
        word = words.pop(0)
        name, equals, text = word.lstrip("-").partition("=")
        dashed = word.startswith("--")
        if not name or not (dashed or equals):
            continue
        if not equals and words and not words[0].startswith("--"):
            equals, text = "=", words.pop(0)
        found[name] = literal(text) if equals else True
    return found


def literal(text):
    """A number, true, false, null, a list or an object where the text reads
    as JSON or as Python writes it, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    if not text or text[0] not in "{[(TFN":
        return text
    import ast
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
