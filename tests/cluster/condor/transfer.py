"""Files in and out of a job's sandbox, and the spool that keeps what a job
that was evicted, or that made a checkpoint, has sent."""
import errno
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request

from describe import listed, url_scheme

STDOUT, STDERR = "_condor_stdout", "_condor_stderr"


class Failed(Exception):
    def __init__(self, reason, subcode, starter_says, code=None):
        super().__init__(reason)
        self.reason, self.subcode = reason, subcode
        self.code = code # of the hold; None: that of the way
        self.starter_says = starter_says
        self.sent_some = False # of what was listed


def size_of(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(d, f))
               for d, _, files in os.walk(path) for f in files
               if not os.path.islink(os.path.join(d, f)))


class Link(OSError):
    """A link to a folder, which HTCondor's file transfer refuses with these
    words (its source: FileTransfer::DoUpload)."""

    def __init__(self, path):
        super().__init__(errno.EISDIR, "a link to a folder", path)


def refuse_above(run, name):
    """No part of a name that keeps its place may be "..": whoever receives it
    says so, with the code of what is received (FileTransfer::DoDownload)."""
    if ".." in name.split("/"):
        what = f"Attempt to write to illegal sandbox path: {name}"
        raise Failed(
            f"Transfer input files failure at execution point {run.slot_name} "
            f"while receiving files from access point {run.pool.short}. "
            f"Details: {what}", errno.EPERM,
            f"Failed to transfer files: STARTER at 127.0.0.1 failed to receive "
            f"file(s) from <127.0.0.1:9618>: {what}", 12)


def refuse_links(folder, name):
    """Of a name below a folder: no part of its path, and nothing in it, may be
    a link to a folder, or one that leads nowhere."""
    path = folder
    for part in name.strip("/").split("/"):
        path = os.path.join(path, part)
        if os.path.islink(path) and os.path.isdir(path):
            raise Link(path)
    for where, folders, files in os.walk(path):
        for path in (os.path.join(where, n) for n in folders + files):
            if os.path.islink(path) and os.path.isdir(path):
                raise Link(path)
            if os.path.islink(path) and not os.path.exists(path):
                raise FileNotFoundError(errno.ENOENT, "", path)


def copy(source, target):
    """A tree or a file; what stands in a tree's place already is merged."""
    if os.path.isdir(source):
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        shutil.copy2(source, target)


def trouble(e, path):
    more = "; Transfer of symlinks to directories is not supported." \
        if isinstance(e, Link) else ""
    return (f"1 total failures: first failure: reading from file "
            f"{e.filename or path}: (errno {e.errno}) "
            f"{os.strerror(e.errno)}{more}")


# ---- in ------------------------------------------------------------------------

def input_failed(run, e, path):
    what = trouble(e, path)
    return Failed(
        f"Transfer input files failure at access point {run.pool.short} while "
        f"sending files to execution point {run.slot_name}. Details: {what}",
        e.errno, "Failed to transfer files: SHADOW at 127.0.0.1 failed to send "
        f"file(s) to <127.0.0.1:40497>: |Error: {what}; STARTER failed to "
        "receive file(s) from <127.0.0.1:9618>")


def url_failed(run, scheme, url, e):
    why = (f"The requested URL returned error: {e.code}"
           if isinstance(e, urllib.error.HTTPError) else str(e))
    reason = (f"Transfer input files failure at execution point "
              f"{run.slot_name} using protocol {scheme}. Details: {why} "
              f"( URL file = {url} )")
    return Failed(reason, 256, "Failed to transfer files: " + reason)


def fetch(run, url):
    """osdf:// is read below the folder that CONDOR_TEST_OSDF names."""
    scheme = url_scheme(url)
    rest = urllib.parse.urlsplit(url)
    name = os.path.basename(rest.path)
    source = url
    if scheme == "osdf":
        source = "file://" + run.pool.settings["osdf"] + rest.path
    try:
        with urllib.request.urlopen(source, timeout=20) as f, \
                open(os.path.join(run.sandbox, name), "wb") as out:
            shutil.copyfileobj(f, out)
    except OSError as e:
        raise url_failed(run, scheme, url, e) from None


def put_input(run, name):
    if url_scheme(name):
        fetch(run, name)
        return 0
    source = os.path.join(run.ad["Iwd"], name)
    kept = run.ad.get("PreserveRelativePaths") and not os.path.isabs(name)
    target = name if kept else os.path.basename(name.rstrip("/"))
    if name.endswith("/") and not kept:
        target = ""
    if kept:
        refuse_above(run, name)
    try:
        refuse_links(*(run.ad["Iwd"], name) if kept else
                     os.path.split(source.rstrip("/")))
        copy(source, os.path.join(run.sandbox, target).rstrip("/"))
        return size_of(source)
    except OSError as e:
        raise input_failed(run, e, source) from None
    except shutil.Error as e:
        raise input_failed(run, OSError(errno.EACCES, str(e)),
                           source) from None


def bring_in(run):
    """Executable, inputs, then what the spool has of an earlier run. Returns
    how many bytes were received."""
    got = put_input(run, run.ad["Cmd"])
    name = os.path.basename(run.ad["Cmd"])
    path = os.path.join(run.sandbox, name)
    os.chmod(path, os.stat(path).st_mode | 0o100)
    for item in listed(run.ad.get("TransferInput", "")):
        got += put_input(run, item)
    image = run.ad.get("ContainerImage", "")
    if image and not url_scheme(image):
        got += put_input(run, image)
    if os.path.isdir(run.spool):
        for entry in os.listdir(run.spool):
            remove(os.path.join(run.sandbox, entry))
            copy(os.path.join(run.spool, entry),
                 os.path.join(run.sandbox, entry))
    return got


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.unlink(path)


# ---- out -----------------------------------------------------------------------

def output_failed(run, e, path, where):
    if where == "execution point":
        what = trouble(e, path)
        reason = (f"Transfer output files failure at execution point "
                  f"{run.slot_name} while sending files to access point "
                  f"{run.pool.short}. Details: {what}")
    else:
        what = (f"writing to file {path}: (errno {e.errno}) "
                f"{os.strerror(e.errno)}")
        reason = (f"Transfer output files failure at access point "
                  f"{run.pool.short} while receiving files from execution "
                  f"point {run.slot_name}. Details: {what}")
    return Failed(reason, e.errno,
                  "STARTER at 127.0.0.1 failed to send file(s) to "
                  f"<127.0.0.1:9618>: |Error: {what}; SHADOW failed to receive "
                  "file(s) from <127.0.0.1:37675>")


def outputs(run):
    """What comes back: the list, else every new file at the top."""
    if "TransferOutput" in run.ad:
        return listed(run.ad["TransferOutput"])
    return [n for n in os.listdir(run.sandbox)
            if n not in run.there_before and n not in (STDOUT, STDERR)
            and os.path.isfile(os.path.join(run.sandbox, n))]


def remaps(run):
    pairs = run.ad.get("TransferOutputRemaps", "").split(";")
    return dict([s.strip() for s in p.split("=", 1)]
                for p in pairs if "=" in p)


def deliver(run, source, target):
    """Over what is there, as a whole."""
    if run.pool.outputs_sealed:
        raise PermissionError(errno.EACCES, "sealed")
    if os.path.isdir(source):
        copy(source, target)
        return
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    shutil.copyfile(source, target)
    shutil.copymode(source, target)


def send_home(run):
    """To the submit side, at the end. What is missing is found missing after
    the rest was sent."""
    sent, first, listed_sent = 0, None, False
    moved = remaps(run)
    items = [(n.rstrip("/"), moved.get(n.rstrip("/"), n.rstrip("/")))
             for n in outputs(run)]
    items += [(STDOUT, run.ad["Out"])] if run.ad.get("Out") else []
    items += [(STDERR, run.ad["Err"])] if run.ad.get("Err") else []
    for name, target in items:
        source = os.path.join(run.sandbox, name)
        target = os.path.join(run.ad["Iwd"], target)
        if not os.path.lexists(source):
            first = first or output_failed(
                run, OSError(errno.ENOENT, ""), source, "execution point")
            continue
        try:
            refuse_links(run.sandbox, name)
        except OSError as e:
            first = first or output_failed(run, e, source, "execution point")
            continue
        try:
            deliver(run, source, target)
            sent += size_of(source)
            listed_sent |= name not in (STDOUT, STDERR)
        except (OSError, shutil.Error) as e:
            code = getattr(e, "errno", None) or errno.EACCES
            first = first or output_failed(run, OSError(code, ""), target,
                                           "access point")
    run.sent += sent
    run.ad["BytesSent"] += sent
    if first:
        first.sent_some = listed_sent
        raise first


def send_to_spool(run, names):
    """All of them replace what the spool has, or it stays as it is."""
    new = run.spool + ".new"
    remove(new)
    os.makedirs(new)
    for name in names + [STDOUT, STDERR]:
        source = os.path.join(run.sandbox, name.rstrip("/"))
        if not os.path.lexists(source):
            raise output_failed(run, OSError(errno.ENOENT, ""), source,
                                "execution point")
        try:
            refuse_links(run.sandbox, name)
            copy(source, os.path.join(new, name.rstrip("/")))
            run.sent += size_of(source)
        except OSError as e:
            raise output_failed(run, e, source, "execution point") from None
    remove(run.spool)
    os.rename(new, run.spool)
