"""wandb.sweep and wandb.agent by hand: in a notebook, or in a script.

A sweep is a study file in the current folder, and its id the study's name. An
agent runs that study by `throng run`. Each trial is a small program that hands
its variables to this process and waits (throng.in_process): the function runs
here, where its data are, with wandb.config set as in any trial, one after the
other. So `throng rank`, `throng show` and all else know these trials, and a
second agent goes on with them.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback

import throng
from throng import in_process, program

from . import _ids, _init
from ._say import say
from .errors import Error, UsageError

ACCEPT_S = 0.2  # between two looks whether throng still runs


def write(sweep):
    """The study file of a sweep; the sweep's id."""
    sweep = sweep() if callable(sweep) else sweep
    if not hasattr(sweep, "items"):
        raise UsageError("wandb.sweep: a dictionary, not %.80r; a file is run "
                         "by `throng run FILE`" % (sweep,))
    study = dict(sweep)
    name = "sweep-" + _ids.generate_id(6)
    if isinstance(study.get("name"), str):
        study.setdefault("description", study["name"])
    study["name"] = name
    if "program" not in study:
        _in_process(study)
    _write_file(name, study)
    _check(name)
    say("the sweep %s is the study file %s.yaml; `throng rank %s` shows its "
        "trials" % (name, name, name))
    return name


def _in_process(study):
    study.pop("program", None)
    study["command"] = [sys.executable, "-m", "throng.in_process"]
    study["parallel"] = 1
    study.setdefault("resources", {"gpus": 0})  # of the program that waits


def _write_file(name, study):
    text = json.dumps(study, indent=2, default=_plain) + "\n"
    with open(name + ".yaml", "w", encoding="utf-8") as file:
        file.write(text)


def _plain(value):
    """Numbers and arrays of numpy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value)


def _check(name):
    try:
        program.read(["check", name + ".yaml"])
    except program.ThrongError as error:
        os.unlink(name + ".yaml")
        raise UsageError("wandb.sweep: " + str(error)) from None


def run(sweep_id, function, count):
    """Runs trials of the sweep until there are `count` more, or no more."""
    name = str(sweep_id).split("/")[-1]
    path = name + ".yaml"
    if not os.path.exists(path):
        raise UsageError("wandb.agent: there is no %s here; wandb.sweep({…}) "
                         "makes it and gives its id" % path)
    words = ["run", path] + ([] if count is None else ["--count", str(count)])
    if function is None:
        _end(*program.talk(words))
        return
    with open(path, encoding="utf-8") as file:
        study = json.load(file)
    if "program" in study:  # W&B calls the function all the same
        _in_process(study)
        _write_file(name, study)
    with _listening() as (listener, socket_path):
        _end(*_serve(words, listener, socket_path, function))


def _end(code, text):
    if code == program.INTERRUPTED:
        raise KeyboardInterrupt("the sweep was interrupted; wandb.agent goes "
                                "on with it")
    if code not in (program.OK, program.FAILED_TRIALS):
        raise Error(str(program.error(code, text)))


@contextlib.contextmanager
def _listening():
    folder = tempfile.mkdtemp(prefix="wandb-")
    path = os.path.join(folder, "agent")
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            listener.settimeout(ACCEPT_S)
            yield listener, path
    finally:
        shutil.rmtree(folder)


def _serve(words, listener, path, function):
    """throng's exit code and what it said; the function runs for each trial
    that calls meanwhile."""
    said = []
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("THRONG_")}
    child = program.spawn(
        subprocess.Popen, [program.find()] + words, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True, env={**env, in_process.AGENT: path})
    talk = threading.Thread(target=_show, args=(child, said), daemon=True)
    talk.start()
    caller = None
    try:
        while child.poll() is None:
            try:
                caller, _ = listener.accept()
            except socket.timeout:
                continue
            _one(caller, function)
            caller.close()
    except BaseException:
        # The trial that waits must not end by itself, or it would count as
        # failed: throng ends it, and it goes on in the next run.
        child.send_signal(signal.SIGTERM)
        raise
    finally:
        code = child.wait()
        if caller is not None:
            caller.close()
        talk.join()
        child.stderr.close()
    return code, "".join(said)


def _show(child, said):
    for line in child.stderr:
        said.append(line.decode("utf-8", "replace"))
        sys.stderr.write(said[-1])
        sys.stderr.flush()


def _one(caller, function):
    line = caller.makefile().readline()
    if not line:
        return
    with _as_trial(json.loads(line)):
        code = _call(function)
    with contextlib.suppress(BrokenPipeError):  # throng ended the trial
        caller.sendall(b"%d\n" % code)


@contextlib.contextmanager
def _as_trial(variables):
    """This process is the trial, for a while."""
    before = {k: v for k, v in os.environ.items() if k.startswith("THRONG_")}
    runs = list(_init._runs)
    os.environ.update(variables)
    _init._runs.clear()
    try:
        yield
    finally:
        _init.finish()
        _init._runs[:] = runs
        for name in variables:
            os.environ.pop(name, None)
        os.environ.update(before)


def _call(function):
    """0 when the function came to its end, or was asked to stop; what it
    raises ends this trial only."""
    try:
        function()
    except KeyboardInterrupt:
        if not throng.should_stop():
            raise
    except Exception:
        traceback.print_exc()
        return 1
    except SystemExit as end:
        return int(end.code not in (None, 0))
    return 0
