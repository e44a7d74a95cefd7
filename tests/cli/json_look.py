"""json_look.py EXPRESSION [FILE] - print what a Python expression makes of `d`

`d` is the JSON value that the file (or standard input) holds, read as strictly
as the strictest reader would: bare NaN and Infinity, and an object with the
same key twice, are errors. A file of several lines that are JSON each becomes
a list. Called by `python3 -S`, since it is called hundreds of times and what
site looks for takes longer than all that it does.
"""

import json
import sys


def refuse(word):
    raise ValueError("%s is not JSON" % word)


def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice in %s" % pairs)
    return dict(pairs)


def read(text):
    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


source = open(sys.argv[2]) if len(sys.argv) > 2 else sys.stdin
lines = source.read().splitlines()
d = read(lines[0]) if len(lines) == 1 else [read(line) for line in lines]
print(eval(sys.argv[1]))
