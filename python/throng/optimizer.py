"""throng as the optimizer of a program that runs its own trials.

It is a conversation with `throng suggest`: one line of JSON each way. That
program ends with this object, or with this process. A thread holds it, since
Python interrupts only the first one of a program (Ctrl-C): a request that was
interrupted is sent and answered all the same, and no answer is taken for that
of another.
"""

import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from . import program
from .metrics import number
from .study import numbers

_FILE = "optimizer.yaml"


class Suggestion:
    """One trial to make: `id`, `params` (a dict; trial["lr"] is one of them),
    and, where the method has them, `budget` (steps for now) and `parent` (the
    trial from whose checkpoint to go on)."""

    def __init__(self, answer):
        self.id, self.params = answer["id"], answer["params"]
        self.budget = answer.get("budget")
        self.parent = answer.get("parent")

    def __getitem__(self, name):
        return self.params[name]

    def __repr__(self):
        return "<trial %d: %s>" % (self.id, self.params)


class Optimizer:
    """Says which points to try, and learns what came of them.

        optimizer = throng.Optimizer({"lr": {"min": 0.0, "max": 1.0}}, "tpe")
        for trial in optimizer.trials(100):
            optimizer.tell(trial, measure(trial["lr"]))
        optimizer.best()["params"]

    `space` is a study file, or a dict of parameters as a study file has them,
    or the dict of a whole study. `method` and `seed` are used in place of the
    file's; `goal` is for a dict of parameters. Nothing is stored.
    """

    def __init__(self, space, method=None, seed=None, goal="minimize",
                 program=None):
        self._talk = ThreadPoolExecutor(1, "throng-optimizer")
        self._child, self._folder, self._pid = None, None, os.getpid()
        self.ended = False
        path = self._file(space, goal)
        words = ["suggest", path]
        words += [] if method is None else ["--method", method]
        words += [] if seed is None else ["--seed", str(seed)]
        self._start(words, program)
        try:
            self._request(study={"version": 1})
        except BaseException:
            self.close()
            raise

    # ---- what to try

    def ask(self, count=None):
        """The next trial; with a count, a list of so many. None, or fewer,
        when the method wants results of those that are out first, or when
        there are no more: then `ended` is True."""
        answer = self._request(ask=1 if count is None else count)
        self.ended = bool(answer.get("end"))
        trials = [Suggestion(each) for each in answer["trials"]]
        if count is not None:
            return trials
        return trials[0] if trials else None

    def trials(self, count):
        """At most `count` trials, one after the other; each is to be told
        before the next is asked for."""
        for _ in range(count):
            trial = self.ask()
            if trial is None:
                return
            yield trial

    # ---- what came of it

    def report(self, trial, value, step=None):
        """How a trial that still runs does: "continue", "stop" or "pause"
        says what it should do."""
        said = {} if step is None else {"step": step}
        return self._request(report=_id(trial), value=_plain(value),
                             **said)["decision"]

    def tell(self, trial, value=None, state=None, constraints=None, step=None):
        """A trial has ended, with a value (a list of them where the study has
        several metrics), or with a state such as "failed"."""
        said = _result(value)
        said.update({} if state is None else {"state": state})
        said.update({} if constraints is None else
                    {"constraints": [_plain(c) for c in constraints]})
        said.update({} if step is None else {"step": step})
        self._request(tell=_id(trial), **said)

    def told(self, params, value, id=None):
        """A result from before: a point of your own or, with its id, a trial
        of an earlier optimizer."""
        said = {"params": params, **_result(value)}
        self._request(told=said if id is None else {"id": id, **said})

    def best(self, count=None):
        """The best trial so far as a dict with id, value and params, or None;
        with a count a list, best first."""
        answer = self._request(best=1 if count is None else count)
        trials = numbers(answer["trials"])
        if count is not None:
            return trials
        return trials[0] if trials else None

    # ---- the conversation

    def close(self):
        """End the conversation. An optimizer is a context manager, too."""
        if self._pid != os.getpid():
            return  # a forked process has only a copy of it
        child, self._child = self._child, None
        if child:
            try:
                child.stdin.close()
            except BrokenPipeError:  # it ended before it read everything
                pass
            child.wait()
            self._talk.shutdown()
            child.stdout.close()
            self._said.close()
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()

    def __del__(self):
        self.close()

    def _file(self, space, goal):
        if not isinstance(space, dict):
            return os.fspath(space)
        if "parameters" not in space:
            space = {"metric": {"name": "value", "goal": goal},
                     "parameters": space}
        self._folder = tempfile.TemporaryDirectory(prefix="throng-")
        path = os.path.join(self._folder.name, _FILE)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(space, file, default=_other, ensure_ascii=False)
        return path

    def _start(self, words, path):
        """In a session of its own: an interrupt that the person catches must
        not end it."""
        command = [path or program.find()] + words
        self._said = tempfile.TemporaryFile()
        self._child = program.spawn(
            subprocess.Popen, command, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._said, start_new_session=True)

    def _request(self, **what):
        if self._pid != os.getpid():
            raise program.ThrongError(
                "this optimizer belongs to process %d; ask and tell there, "
                "and let other processes only measure" % self._pid)
        if not self._child:
            raise program.ThrongError("this optimizer is closed")
        line = (json.dumps(what, default=_other) + "\n").encode()
        said = self._talk.submit(_exchange, self._child, line).result()
        if not said.endswith(b"\n"):
            raise self._ended()
        answer = json.loads(said)
        if "error" in answer:
            raise program.ThrongError(answer["error"])
        return answer

    def _ended(self):
        """It refused the study, or was killed: its own words say why."""
        code = self._child.wait()
        self._said.seek(0)
        text = self._said.read().decode("utf-8", "replace")
        if self._folder:  # where in the file we made says nothing
            made = re.escape(os.path.join(self._folder.name, _FILE))
            text = re.sub(made + r"(:\d+:\d+)?", "the space", text)
        return program.error(code, text)


def _exchange(child, line):
    """The line that answers this one; without its end when there is none."""
    try:
        child.stdin.write(line)
        child.stdin.flush()
    except (BrokenPipeError, ValueError):  # it ended, or was closed
        return b""
    return child.stdout.readline()


def _id(trial):
    return trial.id if isinstance(trial, Suggestion) else trial


def _plain(value):
    plain = number(value)
    if plain is None and value is not None:
        raise TypeError("a value is a number, not %.80r" % (value,))
    return plain


def _result(value):
    if value is None:
        return {}
    if isinstance(value, (list, tuple)):
        return {"values": [_plain(each) for each in value]}
    return {"value": _plain(value)}


def _other(value):
    """A number or an array of numpy among the parameters."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError("%.80r cannot be written as JSON" % (value,))
