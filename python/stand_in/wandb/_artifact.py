"""Artifacts: files kept by the hash of their content.

    artifacts/objects/<sha256>      each content once
    artifacts/<name>-v0/model.pt    a link to it, under the name it had
    artifacts/<name>-v0.json        type, metadata, aliases, files
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile

from ._folder import dumps
from ._media import Media, Table
from ._say import once
from .errors import CommError


class Artifact:
    def __init__(self, name, type, description=None, metadata=None,
                 incremental=False, use_as=None, **kwargs):
        self.name, self.type = str(name), str(type)
        self.description = description
        self.metadata = dict(metadata or {})
        self.aliases, self.version = [], None
        self._files = {}  # name in the artifact: path of the source
        self._added = []  # pairs (name, Media) to write when it is logged
        self._references = {}
        self._scratch = None
        self._sums = None  # hashes of the files, once it is logged
        self._logged_at = None  # the folder with its links

    # ---- filling

    def add_file(self, local_path, name=None, is_tmp=False, **kwargs):
        path = os.fspath(local_path)
        if not os.path.isfile(path):
            raise ValueError("add_file: there is no file %s" % path)
        self._files[name or os.path.basename(path)] = os.path.abspath(path)

    def add_dir(self, local_path, name=None, **kwargs):
        folder = os.fspath(local_path)
        if not os.path.isdir(folder):
            raise ValueError("add_dir: there is no folder %s" % folder)
        for here, _, names in os.walk(folder):
            for each in names:
                path = os.path.join(here, each)
                inner = os.path.relpath(path, folder)
                inner = os.path.join(name, inner) if name else inner
                self._files[inner] = os.path.abspath(path)

    def add_reference(self, uri, name=None, **kwargs):
        """The address is noted; what it leads to is not fetched."""
        uri = str(uri)
        self._references[name or os.path.basename(uri)] = uri

    def add(self, obj, name, **kwargs):
        if not isinstance(obj, Media):
            raise ValueError("add: a wandb.Table, wandb.Image or the like, "
                             "not %.80r" % (obj,))
        self._added.append((name, obj))

    @contextlib.contextmanager
    def new_file(self, name, mode="x", encoding=None):
        path = os.path.join(self._own_folder(), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode, encoding=encoding) as file:
            yield file
        self.add_file(path, name)

    def _own_folder(self):
        if not self._scratch:
            self._scratch = tempfile.TemporaryDirectory()
        return self._scratch.name

    # ---- reading, once it is logged

    @property
    def digest(self):
        sums = self._sums or _sums(self._files)
        text = json.dumps([sorted(sums.items()),
                           sorted(self._references.items())])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def size(self):
        return sum(os.path.getsize(p) for p in self._files.values())

    @property
    def id(self):
        return self.digest[:16]

    @property
    def qualified_name(self):
        return "%s:%s" % (self.name, self.version or "v0")

    def wait(self, timeout=None):
        return self

    def save(self, *args, **kwargs):
        raise CommError("artifact.save() needs W&B's server; in a run, "
                        "run.log_artifact(artifact) keeps it")

    def finalize(self):
        pass

    def files(self, *args, **kwargs):
        return sorted(self._files)

    def file(self, root=None):
        return os.path.join(self.download(root), self.files()[0])

    def get_path(self, name):
        return self.get_entry(name)

    def get_entry(self, name):
        return Entry(self, name)

    def get(self, name):
        """The table that was added under this name; None when there is
        none. Pictures and the like are files: get_entry(name).download()."""
        path = self._files.get(name + Table.suffix)
        if not path:
            return None
        with open(path, encoding="utf-8") as file:
            return Table(**json.load(file))

    def download(self, root=None, **kwargs):
        """The folder with its files; with `root`, copies of them there."""
        if not self._logged_at:
            raise CommError("%s: nothing to download: it was not logged in "
                            "this run" % self.name)
        if root is None:
            return self._logged_at
        shutil.copytree(self._logged_at, os.fspath(root), dirs_exist_ok=True)
        return os.fspath(root)

    checkout = download


class Entry:
    """One file of an artifact."""

    def __init__(self, artifact, name):
        self.artifact, self.path = artifact, name
        if name not in artifact._files:
            raise KeyError("%s holds no %s; there are: %s" % (
                artifact.name, name, ", ".join(artifact.files())))

    def get(self):
        """The table that this file holds; None when it is of another kind."""
        if not self.path.endswith(Table.suffix):
            return None
        return self.artifact.get(self.path[:-len(Table.suffix)])

    def download(self, root=None, **kwargs):
        return os.path.join(self.artifact.download(root), self.path)


class Shelf:
    """The artifacts of one run."""

    def __init__(self, folder):
        self._folder = folder
        self._logged = []

    def keep(self, artifact, aliases=None):
        """Content that is there already makes no new version."""
        for name, media in artifact._added:
            self._keep_media(artifact, name, media)
        artifact._added = []
        artifact._sums = _sums(artifact._files)
        same = [a for a in self._logged if a.name == artifact.name]
        twins = [a for a in same if a.digest == artifact.digest]
        if twins:
            artifact.version = twins[0].version
            artifact._logged_at = twins[0]._logged_at
            self._logged.remove(twins[0])
        else:
            self._keep_new(artifact)
        self._logged.append(artifact)
        artifact.aliases = list(dict.fromkeys(
            ["latest"] + list(aliases or []) + [artifact.version]))
        self._write_manifest(artifact)
        self._take_aliases(artifact, same)
        return artifact

    def _take_aliases(self, artifact, others):
        """An alias belongs to the newest version that was given it."""
        for other in others:
            if other.version != artifact.version:
                other.aliases = [alias for alias in other.aliases
                                 if alias not in artifact.aliases]
                self._write_manifest(other)

    def find(self, name):
        """`name`, `name:v1` or `name:alias`, with or without a path."""
        name, _, version = str(name).split("/")[-1].partition(":")
        for artifact in reversed(self._logged):
            if artifact.name == name and (
                    not version or version in artifact.aliases):
                return artifact
        raise CommError(
            "use_artifact(%r): this run logged no such artifact, and "
            "there is no W&B server to fetch it from; put the file where the "
            "script can read it (`inputs:` in the study carries files)" % name)

    def _keep_new(self, artifact):
        count = 0
        stem = artifact.name.replace(os.sep, "_")
        top = self._folder.made("artifacts")
        while os.path.exists(os.path.join(top, "%s-v%d" % (stem, count))):
            count += 1
        artifact.version = "v%d" % count
        artifact._logged_at = self._folder.made(
            "artifacts", "%s-%s" % (stem, artifact.version))
        for name, source in artifact._files.items():
            self._keep_file(artifact._logged_at, name, source,
                            artifact._sums[name])
        # The sources may change or go; what was kept does not.
        artifact._files = {name: os.path.join(artifact._logged_at, name)
                           for name in artifact._files}
        if artifact._references:
            once("artifact %s: references are noted, not fetched"
                 % artifact.name, "references")

    def _keep_file(self, links, name, source, sha256):
        objects = self._folder.made("artifacts", "objects")
        kept = os.path.join(objects, sha256)
        if not os.path.exists(kept):
            shutil.copyfile(source, kept + ".new")
            os.replace(kept + ".new", kept)
        link = os.path.join(links, name)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        if not os.path.lexists(link):
            os.symlink(os.path.relpath(kept, os.path.dirname(link)), link)

    def _keep_media(self, artifact, name, media):
        said = media.keep(self._folder, "%s_%s" % (artifact.name, name), 0)
        if "path" in said:
            path = os.path.join(self._folder.path, said["path"])
            suffix = media.suffix if path.endswith(media.suffix) else (
                os.path.splitext(path)[1])
            artifact._files[name + suffix] = path

    def _write_manifest(self, artifact):
        manifest = {
            "name": artifact.name, "version": artifact.version,
            "type": artifact.type, "description": artifact.description,
            "aliases": artifact.aliases, "metadata": artifact.metadata,
            "digest": artifact.digest, "references": artifact._references,
            "files": {name: {"sha256": artifact._sums[name],
                             "size": os.path.getsize(path)}
                      for name, path in sorted(artifact._files.items())},
        }
        path = artifact._logged_at + ".json"
        with open(path, "w", encoding="utf-8") as file:
            file.write(dumps(manifest, indent=2) + "\n")


def _sums(files):
    return {name: _sha256(path) for name, path in files.items()}


def _sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()
