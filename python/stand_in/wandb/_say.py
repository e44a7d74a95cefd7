"""What the stand-in tells the person, on standard error."""

import os
import sys

_said = set()


def say(text):
    if os.environ.get("WANDB_SILENT", "").lower() not in ("true", "1"):
        sys.stderr.write("wandb (throng): %s\n" % text)
        sys.stderr.flush()


def once(text, key=None):
    """Say it, but only the first time (for this `key`)."""
    key = key or text
    if key not in _said:
        _said.add(key)
        say(text)
