"""What the stand-in tells the person, on standard error."""

import mmap
import os
import sys

NOT_READ = ("TensorBoard files and gym videos are not read; log what they hold "
            "with wandb.log")
_said = set()
_shared = mmap.mmap(-1, 1)  # forked processes see the same byte


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


def once_with_forks(text):
    """Say it the first time that this process or one forked from it does;
    data loaders are forked by the dozen."""
    if _shared[0] == 0:
        _shared[0] = 1
        say(text)
