"""One run. Inside of throng its numbers are the metrics of the trial; what
else it logs, and everything by hand, goes into its folder."""

import json
import os
import re
import threading
import time

import throng
from throng.metrics import describe, number, write_line

from ._artifact import Artifact, Shelf
from ._folder import Folder, dumps
from ._history import History
from ._media import as_media
from ._metric import Definitions, Metric
from ._nested import flat, without
from ._say import once, once_with_forks, say
from ._summary import Summary
from .errors import CommError, UsageError

# Threads may log at once. Not in the run itself, which can be pickled.
_logging = threading.RLock()


class Run:
    """Made by wandb.init()."""

    def __init__(self, identity, config, folder, settings, resume=False,
                 offset=0, disabled=False):
        self.__dict__.update(identity)  # id, name, project, tags, …
        self.config, self.summary = config, Summary()
        self.settings, self.disabled = settings, disabled
        self.start_time = time.time()
        self._folder = Folder(folder)
        self._resumes = resume and throng.inside() and not disabled
        first_step = self._first_step()
        self.starting_step = first_step
        self.resumed = self._resumes and first_step > 0
        self._shelf = Shelf(self._folder)
        self._definitions = Definitions()
        self._history = History(self._write_row, first_step)
        self._pid, self._finished, self._asked = os.getpid(), False, False
        self._offset = offset  # what earlier runs of this trial used up
        self._on_finish = []
        self._kinds = set()
        self._described = None
        self._describe()

    # ---- who it is

    offline, url, sweep_url, project_url = True, None, None, None
    mode = "dryrun"  # as W&B has it offline

    @property
    def dir(self):
        return self._folder.files

    @property
    def step(self):
        return self._history.step

    @property
    def path(self):
        return "/".join(filter(None, [self.entity, self.project, self.id]))

    @property
    def sweep_id(self):
        return throng.study_name()

    @property
    def config_static(self):
        return self.config

    def project_name(self):
        return self.project

    def get_url(self):
        return None

    get_project_url = get_sweep_url = get_url

    def __repr__(self):
        return "<wandb.Run %s of throng's stand-in>" % self.id

    def __getattr__(self, name):
        raise AttributeError(
            "throng's stand-in for wandb has no run.%s; `wandb: real` in the "
            "study takes the real one" % name)

    def _first_step(self):
        """Behind those of an earlier attempt, if it left a checkpoint."""
        if self.disabled or not throng.inside():
            return 0
        path = os.environ.get("THRONG_CHECKPOINT")
        left = path and os.path.isdir(path) and os.listdir(path)
        noted = self._folder.noted_step() + 1 if self._resumes and left else 0
        return max(noted, int(os.environ.get("THRONG_FIRST_STEP") or 0))

    def _describe(self):
        """What is no metric and no parameter, for throng: said when the run
        begins, so that a crash does not lose it, and again when it has
        changed."""
        if self.disabled or not throng.inside():
            return
        values = {"group": self.group, "job_type": self.job_type,
                  **without(self.config.as_dict(), throng.params())}
        values = {k: v for k, v in values.items() if v is not None}
        said = ([_tag(tag) for tag in self.tags or ()], self.notes,
                json.loads(dumps(values)))
        if said != self._described:
            self._described = said
            describe(*said)

    # ---- logging

    def log(self, data, step=None, commit=None, sync=None):
        if not isinstance(data, dict) and not hasattr(data, "items"):
            raise ValueError("log: a dict such as {\"loss\": 0.1}, not %.80r"
                             % (data,))
        if not self._listens("log"):
            return
        values = dict(flat(dict(data)))
        with _logging:
            self._history.log(values, step, commit)
        self._stop_if_asked()

    def define_metric(self, name, step_metric=None, step_sync=None,
                      hidden=None, summary=None, goal=None, overwrite=None,
                      objective=None, **kwargs):
        metric = Metric(name, step_metric, step_sync, hidden, summary,
                        goal or objective, overwrite)
        self._definitions.add(metric)
        return metric

    def _write_row(self, step, row):
        numbers, others = {}, {}
        for name, value in row.items():
            plain = number(value)
            if plain is None:
                others[name] = self._keep(name, value, step)
            else:
                numbers[name] = plain
                self.summary._take(name, self._definitions.fold(
                    name, self.summary.get(name), plain))
        for name, value in others.items():
            self.summary._take(name, value)
        if self.disabled:
            return
        if throng.inside():
            self._write_inside(step, numbers, others)
            if self._resumes:
                self._folder.note_step(step)
        else:
            self._folder.append("history.jsonl", {
                "_step": step, "_timestamp": time.time(), **numbers, **others})

    def _write_inside(self, step, numbers, others):
        """A metric named step would be taken for the step itself."""
        if "step" in numbers:
            others["step"] = numbers.pop("step")
        if numbers:
            write_line({"step": self._offset + step, **numbers})
        if others:
            self._folder.append("history.jsonl", {"_step": step, **others})
            self._say_kept(others)

    def _say_kept(self, others):
        """Once for each kind of value: names may be as many as epochs. Where
        it is, as seen from the trial's folder, is said with the first."""
        for name, value in others.items():
            kind = _kind(value)
            if kind in self._kinds:
                continue
            say("%s (%s): no number, so kept in %s" % (
                name, kind, "the same file" if self._kinds else
                "output/%s/history.jsonl" % os.path.basename(
                    self._folder.path)))
            self._kinds.add(kind)

    def _keep(self, name, value, step):
        """What the history says of a value that is no number."""
        many = isinstance(value, (list, tuple))
        if many and any(as_media(item) for item in value):
            return [self._keep("%s_%d" % (name, i), item, step)
                    for i, item in enumerate(value)]
        media = as_media(value)
        if media is None or self.disabled:
            return value if media is None else {"_type": media.kind}
        return media.keep(self._folder, name, step)

    def _listens(self, verb):
        """A forked process has a copy of this run; only the process that
        called init reports, as with W&B."""
        if self._finished:
            raise UsageError("%s: this run is finished; call wandb.init() for "
                             "a new one" % verb)
        if os.getpid() == self._pid:
            return True
        once_with_forks("%s() is left out in process %d (and others forked "
                        "like it): wandb.init() was called in process %d"
                        % (verb, os.getpid(), self._pid))
        return False

    def _stop_if_asked(self):
        """W&B interrupts a run that its sweep stops; so do we. throng's
        SIGTERM would come only after a time of grace."""
        if self._asked or not throng.should_stop():
            return
        self._asked = True
        say("throng asks this trial to stop")
        import _thread
        _thread.interrupt_main()

    # ---- files

    def save(self, glob_str=None, base_path=None, policy="live"):
        if glob_str is None:
            return True
        if not self._listens("save") or self.disabled:
            return []
        kept = self._folder.save(glob_str, base_path, policy != "now")
        if not kept:
            once("save(%r): no file matches" % str(glob_str), "save")
        return kept

    def restore(self, name, run_path=None, replace=False, root=None):
        """A file of this run (an earlier attempt may have saved it)."""
        path = os.path.join(self._folder.path, "files", name)
        if run_path or not os.path.exists(path):
            raise CommError("restore(%r): this run saved no such file, and "
                            "there is no W&B server to fetch it from" % name)
        return open(path, encoding="utf-8", errors="surrogateescape")

    def log_artifact(self, artifact_or_path, name=None, type=None,
                     aliases=None, tags=None):
        artifact = artifact_or_path
        if not isinstance(artifact, Artifact):
            path = os.fspath(artifact)
            default = "run-%s-%s" % (self.id, os.path.basename(path))
            artifact = _artifact_of(path, name or default, type)
        if not self._listens("log_artifact") or self.disabled:
            return artifact
        return self._shelf.keep(artifact, aliases)

    def use_artifact(self, artifact_or_name, type=None, aliases=None,
                     use_as=None):
        if isinstance(artifact_or_name, Artifact):
            return self.log_artifact(artifact_or_name, aliases=aliases)
        return self._shelf.find(artifact_or_name)

    upsert_artifact = finish_artifact = log_artifact

    def log_model(self, path, name=None, aliases=None):
        return self.log_artifact(path, name, "model", aliases)

    def use_model(self, name):
        return self.use_artifact(name).download()

    def link_artifact(self, artifact, target_path, aliases=None):
        once("link_artifact: there is no registry; the artifact is kept with "
             "the run")
        if artifact.version is None:
            self.log_artifact(artifact, aliases=aliases)

    def link_model(self, path, registered_model_name, name=None, aliases=None):
        once("link_model: there is no registry; the model is kept with the "
             "run")
        self.log_model(path, name or registered_model_name, aliases)

    def log_code(self, *args, **kwargs):
        once("log_code: left out; throng records the commit and the changes "
             "of the study's folder")

    # ---- what only a server could do

    def watch(self, *args, **kwargs):
        once("watch: gradients and parameters are not recorded; "
             "wandb.Histogram logs them where you want them")

    def unwatch(self, *args, **kwargs):
        pass

    def alert(self, title, text="", level=None, wait_duration=None):
        level = getattr(level, "value", level) or "INFO"
        say("alert (%s): %s: %s" % (level, title, text))

    def mark_preempting(self):
        pass

    def status(self):
        return None

    def display(self, *args, **kwargs):
        return False

    def to_html(self, *args, **kwargs):
        return ""

    def _label(self, *args, **kwargs):
        """Libraries mark their runs with this."""

    # ---- the end

    def finish(self, exit_code=None, quiet=None):
        if self._finished or os.getpid() != self._pid:
            return
        self._history.flush()
        final = self.summary._final(self._definitions)
        if not self.disabled:
            self._write_end(final)
            self._folder.close()
        self._finished = True
        for call in self._on_finish:
            call(self)

    join = finish

    def _write_end(self, final):
        """Inside of throng only what throng does not know already."""
        inside = throng.inside()
        if inside:
            self._write_inside(self._history.step, final, {})
            self._describe()
        config, others = self.config.as_dict(), self.summary._others_by_hand()
        if not inside or config != throng.params():
            self._folder.write("config.json", config)
        if not inside or others:
            self._folder.write("summary.json", self.summary._as_dict())
        if not inside:
            say("this run is in %s" % self._folder.path)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.finish(exit_code=0 if kind is None else 1)
        return False


def _kind(value):
    """What a value that is no number is called, as _keep() left it."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = value[0]
    if isinstance(value, dict) and "_type" in value:
        return value["_type"].replace("-file", "")
    if isinstance(value, (bool, int, float)):
        return "metric named step"
    return {"str": "text", "NoneType": "None"}.get(type(value).__name__,
                                                   type(value).__name__)


def _tag(tag):
    """As `tag:` can name it: without blanks and commas."""
    fit = re.sub(r"[\s,]+", "-", str(tag)).strip("-")
    if fit != tag:
        once("the tag %r is %r for throng" % (tag, fit))
    return fit


def _artifact_of(path, name, type):
    artifact = Artifact(name, type or "unspecified")
    if os.path.isdir(path):
        artifact.add_dir(path)
    else:
        artifact.add_file(path)
    return artifact
