"""Archives, unpacked without trust.

What an archive holds is checked before anything is written: a path that is
absolute or leads up, a link that points out of the archive, a path through a
link, a device or a pipe, and nothing of it is unpacked. The result appears
under its name only when it is complete.
"""

import collections
import contextlib
import gzip
import lzma
import os
import posixpath
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib

SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")


class UnsafeArchive(ValueError):
    """An archive that would write where it should not."""


class BrokenArchive(ValueError):
    """A file that is no archive, or ends too early."""


_BROKEN = (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error,
           lzma.LZMAError, EOFError)


def stem(name):
    """The name without the suffix of an archive, or None for others."""
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[:-len(suffix)]
    return None


def unpack(path, folder, name):
    """Unpacks into the folder; returns folder/name, where name is the top
    entry that the archive should have. One that has none such is unpacked
    into a folder of that name."""
    target = os.path.join(folder, name)
    temporary = tempfile.mkdtemp(prefix=".%s." % name, dir=folder)
    try:
        extract(path, temporary)
        _move(temporary, folder, name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target


def _move(temporary, folder, name):
    """The entry that says that all is there comes last."""
    entries = os.listdir(temporary)
    if name not in entries:
        whole = tempfile.mkdtemp(prefix=".%s." % name, dir=folder)
        os.rmdir(whole)
        os.rename(temporary, whole)
        os.chmod(whole, 0o755)
        os.rename(whole, os.path.join(folder, name))
        return
    entries.remove(name)
    for entry in sorted(entries) + [name]:
        target = os.path.join(folder, entry)
        if not os.path.lexists(target):
            os.rename(os.path.join(temporary, entry), target)


def extract(path, folder):
    """Unpacks a tar or zip file into an empty folder. Raises UnsafeArchive
    and writes nothing, or BrokenArchive, when the folder is of no use."""
    with _named(path):
        if zipfile.is_zipfile(path):
            _extract_zip(path, folder)
        else:
            _extract_tar(path, folder)


@contextlib.contextmanager
def _named(path):
    """The errors of four kinds of readers become one, with the file's name."""
    try:
        yield
    except _BROKEN as error:
        raise BrokenArchive("%s is no archive that can be read: %s"
                            % (path, str(error).partition("\n")[0])) from error


def _extract_tar(path, folder):
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        _check([_tar_entry(m, path) for m in members], path)
        _check_hard_links(members, path)
        for member in members:
            _write_tar(archive, member, folder)


# ---- what may be in it -----------------------------------------------------

def _clean(name, path):
    """A member's path in its plain form."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\0" in name or "\\" in name:
        raise UnsafeArchive("%s holds the path %r, which leads out of its "
                            "folder; nothing was unpacked" % (path, name))
    return posixpath.normpath(name)


def _tar_entry(member, path):
    """Its path and, of a link, the path that it stands for, step by step."""
    name = _clean(member.name, path)
    if member.isfile() or member.isdir():
        return name, None
    if member.issym():
        if member.linkname.startswith("/") or "\0" in member.linkname:
            raise _leads_out(path, name, member.linkname)
        return name, posixpath.join(posixpath.dirname(name), member.linkname)
    if member.islnk():
        _clean(member.linkname, path)
        return name, None
    raise UnsafeArchive("%s holds %s, which is neither a file nor a folder "
                        "nor a link; nothing was unpacked" % (path, name))


def _leads_out(path, name, target):
    return UnsafeArchive("%s holds the link %s to %s, which points out of its "
                         "folder; nothing was unpacked" % (path, name, target))


def _check(entries, path):
    """No path and no link's target may lead through a link (links that point
    upwards could add up) or out, nor a name stand for a link and for
    something else."""
    links = {name for name, target in entries if target is not None}
    for name, target in entries:
        for whole in (name, target or ""):
            at = []
            for step in whole.split("/"):
                if at and "/".join(at) in links:
                    raise UnsafeArchive(
                        "%s holds the path %s, which leads through a link; "
                        "nothing was unpacked" % (path, whole))
                if step == ".." and not at:
                    raise _leads_out(path, name, target)
                if step == "..":
                    at.pop()
                elif step not in ("", "."):
                    at.append(step)
    counts = collections.Counter(name for name, _ in entries)
    if any(counts[name] > 1 for name in links):
        raise UnsafeArchive("%s holds a link and something else under one "
                            "name; nothing was unpacked" % path)


def _check_hard_links(members, path):
    files = {posixpath.normpath(m.name) for m in members if m.isfile()}
    for member in members:
        if member.islnk() and \
                posixpath.normpath(member.linkname) not in files:
            raise UnsafeArchive("%s holds the link %s to %s, which is no file "
                                "in it; nothing was unpacked"
                                % (path, member.name, member.linkname))


# ---- writing ---------------------------------------------------------------

def _write_tar(archive, member, folder):
    target = os.path.join(folder, posixpath.normpath(member.name))
    if member.isdir():
        os.makedirs(target, exist_ok=True)
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if member.issym():
        os.symlink(member.linkname, target)
        return
    with archive.extractfile(member) as source:  # follows hard links
        _write(source, target, member.mode & 0o111)


def _extract_zip(path, folder):
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        for member in members:
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise UnsafeArchive("%s holds %s, which is a link or a "
                                    "device; nothing was unpacked"
                                    % (path, member.filename))
            _clean(member.filename, path)
        for member in members:
            target = os.path.join(folder, posixpath.normpath(member.filename))
            if member.is_dir():
                os.makedirs(target, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with archive.open(member) as source:
                _write(source, target, member.external_attr >> 16 & 0o111)


def _write(source, target, executable):
    if os.path.islink(target):
        raise UnsafeArchive("%s is a link already" % target)
    with open(target, "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    if executable:
        os.chmod(target, os.stat(target).st_mode | 0o111 & ~0o022)
