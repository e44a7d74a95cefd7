"""wandb.init, wandb.finish, and the run that is current meanwhile."""

import atexit
import os
import re
import secrets
import sys
import time

import throng

from ._config import Config, read, read_defaults
from ._run import Run
from ._say import NOT_READ, once, say
from ._settings import Settings, chosen

_runs = []  # all that were begun in this process, newest last


def init(job_type=None, dir=None, config=None, project=None, entity=None,
         reinit=None, tags=None, group=None, name=None, notes=None,
         magic=None, config_exclude_keys=None, config_include_keys=None,
         anonymous=None, mode=None, allow_val_change=None, resume=None,
         force=None, tensorboard=None, sync_tensorboard=None,
         monitor_gym=None, save_code=None, id=None, settings=None,
         fork_from=None, resume_from=None, **others):
    """Begin a run. All arguments of W&B are taken; those about its server do
    nothing."""
    current = _module().run
    if current is not None and current._pid == os.getpid():
        if reinit in (None, False, "default", "return_previous"):
            current.config.update(_wanted(config, config_exclude_keys,
                                          config_include_keys), True)
            return current
        if reinit != "create_new":
            current.finish()
    given = settings if isinstance(settings, dict) else vars(
        settings or Settings())
    settings = Settings(**given)
    run_id = _id(chosen(id or settings.run_id, "WANDB_RUN_ID"))
    identity = {
        "id": run_id,
        "name": chosen(name or settings.run_name, "WANDB_NAME", run_id),
        "project": chosen(project or settings.project, "WANDB_PROJECT",
                          throng.study_name("uncategorized")),
        "entity": chosen(entity or settings.entity, "WANDB_ENTITY"),
        "group": chosen(group or settings.run_group, "WANDB_RUN_GROUP"),
        "job_type": chosen(job_type, "WANDB_JOB_TYPE"),
        "notes": chosen(notes or settings.run_notes, "WANDB_NOTES"),
        "tags": _tags(chosen(tags, "WANDB_TAGS")),
    }
    run = Run(identity, _config(config, config_exclude_keys,
                                config_include_keys),
              _folder(chosen(dir, "WANDB_DIR", "."), run_id), settings,
              resume=resume not in (None, False, "never"),
              offset=_offset(),
              disabled=chosen(mode or settings.mode,
                              "WANDB_MODE") == "disabled")
    _begin(run, sync_tensorboard or tensorboard or monitor_gym)
    return run


def finish(exit_code=None, quiet=None):
    """End the current run; without one there is nothing to do."""
    run = _module().run
    if run is not None:
        run.finish(exit_code, quiet)


def _begin(run, unsupported):
    _runs.append(run)
    run._on_finish.append(_ended)
    _module()._take_run(run)
    # A forked process inherits this; finish() does nothing there.
    atexit.register(run.finish)
    if run.disabled:
        say("mode is disabled: nothing is reported")
    elif not throng.inside():
        say("offline, without a server; this run is in %s" % run._folder.path)
    if unsupported:
        once(NOT_READ)


def _ended(run):
    atexit.unregister(run.finish)
    if _module().run is run:
        _module()._take_run(None)


def _module():
    return sys.modules[__package__]


# ---- the parts of a run ---------------------------------------------------


def _wanted(config, without, only):
    values = read(config)
    if only:
        values = {k: v for k, v in values.items() if k in only}
    return {k: v for k, v in values.items() if k not in (without or ())}


def _config(config, without, only):
    values = {**read_defaults(), **_wanted(config, without, only)}
    return Config({str(k).strip("-"): v for k, v in values.items()},
                  throng.params() if throng.inside() else {})


def _id(given):
    """Inside of throng the trial's, in each of its attempts the same."""
    if given:
        return str(given)
    if not throng.inside():
        return secrets.token_hex(4)
    study = re.sub(r"[^\w.-]", "_", throng.study_name("study"))
    return "%s-%d%s" % (study, throng.trial(), _again())


def _folder(top, run_id):
    if throng.inside():
        output = os.environ.get("THRONG_OUTPUT") or "output"
        return os.path.join(output, "wandb" + _again())
    when = time.strftime("%Y%m%d_%H%M%S")
    return os.path.abspath(os.path.join(
        top, "wandb", "offline-run-%s-%s" % (when, run_id)))


def _tags(tags):
    return tuple(tags.split(",") if isinstance(tags, str) else tags or ())


def _again():
    """What tells a second run of one trial from the first."""
    return "-%d" % (len(_runs) + 1) if _runs else ""


def _offset():
    """A second run in one trial goes on behind the first: its values must
    not take the place of the first's."""
    runs = [run for run in _runs if not run.disabled]
    return runs[-1]._offset + runs[-1].step + 1 if runs else 0
