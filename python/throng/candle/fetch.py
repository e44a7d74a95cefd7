"""Data files: fetched once, checked, kept.

A file appears under its name only when it is complete and its checksum is
right. Any number of runs may ask for it at once, on one machine or on a
shared file system: one fetches, the others wait for its lock. A fetch that
broke off goes on where it ended, when the server still has the same file.
"""

import contextlib
import fcntl
import hashlib
import http.client
import os
import re
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request

from . import unpack as archives
from .place import data_root, sync_folder

CHUNK = 1 << 20
TRIES = 4          # of one fetch; each goes on where the last one ended
PAUSE_S = 0.5      # before the second try, then twice as long each time
TIMEOUT_S = 60     # without a byte
_SCHEMES = ("http", "https", "ftp", "file")
_HASHES = {32: "md5", 64: "sha256"}


class FetchError(OSError):
    """A file that could not be fetched, or was not the one asked for."""


def fetch_file(link, subdir, unpack=False, md5_hash=None, sha256_hash=None):
    """The path of the file that a link points to, fetched into the folder
    `subdir` of CANDLE's data folder if it is not there yet."""
    return get_file(os.path.basename(urllib.parse.urlparse(link).path), link,
                    unpack, md5_hash, subdir, sha256_hash=sha256_hash)


def get_file(fname, origin, unpack=False, md5_hash=None,
             cache_subdir="common", datadir=None, untar=False,
             sha256_hash=None):
    """The path of the file `fname`, fetched from `origin` if it is not there
    yet. It is kept in cache_subdir of `datadir` or, unsaid, of
    $CANDLE_DATA_DIR (./Data without that).

    With md5_hash or sha256_hash it is checked, also when it is there
    already: one that differs is fetched again. Archives (.tar.gz, .tgz, .zip
    and so on) are unpacked; the path is then that of what was in them."""
    if not fname or fname != os.path.basename(fname) or fname in (".", ".."):
        raise FetchError("%r is no name for a file to fetch %s into"
                         % (fname, origin))
    checksum = _checksum(md5_hash, sha256_hash)
    folder = os.path.join(datadir or data_root(), cache_subdir or "")
    path = os.path.join(folder, fname)
    name = archives.stem(fname)
    if (unpack or untar) and name is None:
        raise FetchError("%s cannot be unpacked: its name ends in none of %s"
                         % (fname, ", ".join(archives.SUFFIXES)))
    result = path if name is None else os.path.join(folder, name)
    # What has its name is complete, so no lock is needed: the folder of data
    # that everybody shares is often one to read only.
    if os.path.exists(result) and _present(path, result, checksum):
        return result
    os.makedirs(folder, exist_ok=True)
    with locked(folder, fname):
        fresh = False
        if not _present(path, result, checksum):
            _fetch(origin, path, checksum)
            fresh = True
        if name is not None and (fresh or not os.path.exists(result)):
            if fresh and os.path.lexists(result):
                _remove(result)
            _unpack(origin, path, name, checksum, fresh)
    return result


def _unpack(origin, path, name, checksum, fresh):
    """A broken archive of which no checksum says that it should be so is
    fetched anew; what comes broken is not kept, or it would stay for ever."""
    folder = os.path.dirname(path)
    try:
        archives.unpack(path, folder, name)
    except archives.BrokenArchive as error:
        if checksum:
            raise
        if fresh:
            os.unlink(path)
            raise archives.BrokenArchive(
                "%s; it came so from %s and was removed" % (error, origin)) \
                from error
        _fetch(origin, path, checksum)
        _unpack(origin, path, name, checksum, True)


def validate_file(path, hash):
    """True when the file has this MD5 or SHA-256 sum, by its length."""
    kind, expected = _checksum(hash, None) or (None, None)
    if kind is None:
        raise ValueError("there is no checksum to compare %s with" % path)
    return _sum_of(path, kind) == expected


def _present(path, result, checksum):
    """An archive that is gone after it was unpacked was checked then."""
    if not os.path.exists(path):
        return result != path and os.path.exists(result)
    return checksum is None or _sum_of(path, checksum[0]) == checksum[1]


def _remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


# ---- checksums -------------------------------------------------------------

def _checksum(md5_hash, sha256_hash):
    """("md5" or "sha256", the sum in lower case), or None."""
    text = sha256_hash or md5_hash
    if not text:
        return None
    text = text.strip().lower()
    kind = _HASHES.get(len(text))
    if kind is None or not re.fullmatch("[0-9a-f]+", text) \
            or (sha256_hash and kind != "sha256"):
        raise ValueError("%r is neither an MD5 sum (32 hexadecimal digits) "
                         "nor a SHA-256 sum (64)" % (sha256_hash or md5_hash))
    return kind, text


def _sum_of(path, kind):
    digest = hashlib.new(kind)
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(CHUNK), b""):
            digest.update(chunk)
    return digest.hexdigest()


# ---- the lock --------------------------------------------------------------

@contextlib.contextmanager
def locked(folder, name):
    """Nobody else is in here for the same file. The lock's file is removed
    by whoever holds it, so one that was opened may be gone by the time it is
    locked; then it is opened anew."""
    path = os.path.join(folder, "." + name + ".lock")
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                break
        except FileNotFoundError:
            pass
        os.close(handle)
    try:
        yield
    finally:
        os.unlink(path)
        os.close(handle)


# ---- fetching --------------------------------------------------------------

def _fetch(origin, path, checksum):
    """Puts the file at path, or leaves what is there and raises."""
    parsed = urllib.parse.urlparse(origin)
    if parsed.scheme not in _SCHEMES:
        raise FetchError("%s is no URL: it must begin with one of %s"
                         % (origin, ", ".join(s + "://" for s in _SCHEMES)))
    if (parsed.hostname or "").endswith("modac.cancer.gov"):
        raise FetchError("%s asks for a login; fetch it yourself and put it "
                         "at %s" % (origin, path))
    folder, name = os.path.split(path)
    part = os.path.join(folder, "." + name + ".part")
    for number in range(TRIES):
        if number:
            time.sleep(PAUSE_S * 2 ** (number - 1))
        try:
            _download(origin, part)
            break
        except urllib.error.HTTPError as error:
            if error.code < 500 or number == TRIES - 1:
                raise FetchError("%s: the server says %d %s" % (
                    origin, error.code, error.reason)) from None
        except (OSError, EOFError, http.client.HTTPException) as error:
            if number == TRIES - 1:
                raise FetchError("%s could not be fetched: %s; what came is "
                                 "kept, the next try goes on from there"
                                 % (origin, getattr(error, "reason", error))) \
                    from error
    _accept(origin, part, path, checksum)


def _accept(origin, part, path, checksum):
    if checksum:
        got = _sum_of(part, checksum[0])
        if got != checksum[1]:
            _forget(part)
            raise FetchError(
                "%s is not the file that was asked for: its %s sum is %s, not "
                "%s; the server has another one, or the sum is out of date"
                % (origin, checksum[0].upper(), got, checksum[1]))
    with open(part, "rb") as file:
        os.fsync(file.fileno())
    os.replace(part, path)
    _forget(part)
    sync_folder(os.path.dirname(path))


def _forget(part):
    for path in (part, part + ".tag"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _download(origin, part):
    """One try. Only a file that the server marks (ETag, Last-Modified) can be
    gone on with: it might be another one by now."""
    have = os.path.getsize(part) if os.path.exists(part) else 0
    tag = _read_tag(part)
    request = urllib.request.Request(origin)
    if have and tag:
        request.add_header("Range", "bytes=%d-" % have)
        request.add_header("If-Range", tag)
    try:
        reply = urllib.request.urlopen(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        error.close()
        _forget(part)  # it is not as long as what we have
        reply = urllib.request.urlopen(origin, timeout=TIMEOUT_S)
    with reply:
        _receive(reply, part, have)


def _receive(reply, part, have):
    began = re.match(r"bytes (\d+)-", reply.headers.get("Content-Range") or "")
    partly = reply.getcode() == 206
    goes_on = partly and began and int(began.group(1)) == have
    if partly and not goes_on:
        raise OSError("the server sent another part than was asked for")
    length = reply.headers.get("Content-Length")
    tag = reply.headers.get("ETag") or ""
    if not tag or tag.startswith("W/"):
        tag = reply.headers.get("Last-Modified") or ""
    if not goes_on:
        _forget(part)
        if tag:
            with open(part + ".tag", "w", encoding="utf-8") as file:
                file.write(tag)
    came = 0
    with open(part, "ab" if goes_on else "wb") as file:
        for chunk in iter(lambda: reply.read(CHUNK), b""):
            file.write(chunk)
            came += len(chunk)
    if length is not None and came < int(length):
        raise EOFError("the connection ended after %d of %s bytes"
                       % (came, length))


def _read_tag(part):
    try:
        with open(part + ".tag", encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""
