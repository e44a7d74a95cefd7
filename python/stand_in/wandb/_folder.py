"""The folder of a run. It is made when something is first written into it,
so that a trial that only reports numbers leaves none."""

import glob
import json
import os
import shutil

from throng.metrics import append


class Folder:
    def __init__(self, path):
        self.path = path
        self._watched = []  # pairs (source, target) to copy again at the end

    @property
    def files(self):
        """run.dir: what a script puts there is kept."""
        return self.made("files")

    def made(self, *parts):
        path = os.path.join(self.path, *parts)
        os.makedirs(path, exist_ok=True)
        return path

    def append(self, name, row):
        """One line of JSON, in one write."""
        data = (dumps(row) + "\n").encode()
        path = os.path.join(self.made(), name)
        append(path, data)
        return path

    def write(self, name, value):
        path = os.path.join(self.made(), name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(dumps(value, indent=2) + "\n")
        os.replace(path + ".new", path)
        return path

    def note_step(self, step):
        """Of one width, so that it is whole whenever the process is killed."""
        file = os.open(os.path.join(self.made(), "step"),
                       os.O_WRONLY | os.O_CREAT, 0o666)
        try:
            os.write(file, b"%20d" % step)
        finally:
            os.close(file)

    def noted_step(self):
        """The step that an earlier attempt noted; -1: none."""
        try:
            with open(os.path.join(self.path, "step"), "rb") as file:
                return int(file.read())
        except (OSError, ValueError):
            return -1

    def save(self, pattern, base_path=None, again=True):
        """Copies of the files that match; at the end once more, since a
        script may go on writing them. Returns the paths of the copies."""
        pattern = os.fspath(pattern)
        base = os.fspath(base_path or os.path.dirname(pattern) or ".")
        kept = []
        for source in sorted(glob.glob(pattern, recursive=True)):
            inner = os.path.relpath(source, base)
            if inner.split(os.sep)[0] == os.pardir:
                inner = os.path.basename(source)
            target = os.path.join(self.files, inner)
            pair = (os.path.abspath(source), target)
            copy(*pair)
            kept.append(target)
            if again and pair not in self._watched:
                self._watched.append(pair)
        return kept

    def close(self):
        for source, target in self._watched:
            if os.path.exists(source):
                copy(source, target)


def copy(source, target):
    if os.path.exists(target) and os.path.samefile(source, target):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)


def dumps(value, indent=None):
    return json.dumps(value, indent=indent, default=plain)


def plain(value):
    """Something for JSON in place of what JSON does not know."""
    for name in ("tolist", "item"):
        if hasattr(value, name):
            try:
                return getattr(value, name)()
            except (TypeError, ValueError, RuntimeError):
                pass
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if hasattr(value, "keys"):
        return {str(key): value[key] for key in value.keys()}
    return str(value)
