"""The throng program, run from Python."""

import os
import shutil
import signal
import subprocess
import sys


class ThrongError(Exception):
    """throng said no; the text is its own. `code` is its exit code."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code


class StudyNotFound(ThrongError):
    """There is no such study or trial."""


class StudyInUse(ThrongError):
    """Somebody else runs the study."""


OK, FAILED_TRIALS, NO_SUCH, IN_USE, INTERRUPTED = 0, 3, 4, 5, 130
_KINDS = {NO_SUCH: StudyNotFound, IN_USE: StudyInUse}


def find():
    """The path of the throng program: $THRONG, beside this package (in a
    source tree or where it was installed), or on PATH."""
    given = os.environ.get("THRONG")
    if given:
        return given
    here = os.path.dirname(os.path.abspath(__file__))
    for beside in ("../../build/throng", "../../../../bin/throng",
                   "../../../bin/throng"):
        path = os.path.normpath(os.path.join(here, beside))
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    path = shutil.which("throng")
    if not path:
        raise ThrongError("the program throng was not found; put its folder "
                          "on PATH, or its path into the variable THRONG")
    return path


def read(words, program=None, cwd=None):
    """What `throng WORDS...` prints on standard output."""
    command = [program or find()] + [str(word) for word in words]
    done = spawn(subprocess.run, command, stdin=subprocess.DEVNULL, cwd=cwd,
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != OK:
        raise error(done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8")


def talk(words, program=None, cwd=None):
    """Run `throng WORDS...` to its end and show what it says as it says it;
    in a notebook that is below the cell. Returns its exit code and text.

    It gets a session of its own: an interrupt then reaches only this process,
    which passes it on, whether it came from a terminal or a notebook.
    """
    command = [program or find()] + [str(word) for word in words]
    child = spawn(subprocess.Popen, command, stdin=subprocess.DEVNULL,
                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                  start_new_session=True, cwd=cwd)
    said = []
    with child:
        while True:
            try:
                for line in child.stderr:
                    said.append(line.decode("utf-8", "replace"))
                    sys.stderr.write(said[-1])
                    sys.stderr.flush()
                return child.wait(), "".join(said)
            except KeyboardInterrupt:
                child.send_signal(signal.SIGINT)
            except BaseException:
                child.send_signal(signal.SIGTERM)
                raise


def error(code, text):
    """The exception for an exit code and what was said before it."""
    text = text.strip() or "throng ended with exit code %d" % code
    return _KINDS.get(code, ThrongError)(text, code)


def spawn(how, command, **options):
    """Start it with subprocess.run or Popen. A path of the program counts
    from here, whatever folder it is to run in."""
    first = os.fspath(command[0])
    if os.sep in first:
        first = os.path.abspath(first)
    try:
        return how([first] + command[1:], **options)
    except OSError as problem:
        raise ThrongError("%s cannot be started: %s"
                          % (problem.filename or first,
                             problem.strerror)) from problem
