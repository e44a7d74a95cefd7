"""The page of a study in a notebook's cell.

A server of its own shows it as long as this Python lives or until close().
The browser asks it at 127.0.0.1, which is right where notebook and browser are
on one machine (or the port is forwarded). Behind a proxy, as JupyterHub has
one, the browser needs another address: `url`, or the variable THRONG_WEB_URL,
with {port} and {host} in their places.
"""

import atexit
import ctypes
import html
import os
import signal
import socket
import subprocess
import tempfile
import urllib.parse

from . import program

_PR_SET_PDEATHSIG = 1
_TRIES = 5
# A notebook of this machine, at whatever port it is.
_HERE = ("http://localhost:*", "http://127.0.0.1:*")


class Page:
    """What `study.show()` gives: a notebook shows it as a frame."""

    def __init__(self, what, height, url, control, binary, home):
        self.height = height
        self._child, self.url = _start(what, url or _site_url(), control,
                                       binary, home)
        atexit.register(self.close)

    def close(self):
        """End its server; the frame goes dark."""
        atexit.unregister(self.close)
        if self._child.poll() is None:
            self._child.terminate()
        self._child.wait()
        self._child.stdout.close()

    def __repr__(self):
        return "the page of a study at " + self.url

    def _repr_html_(self):
        return ('<iframe src="%s" title="throng" width="100%%" height="%d" '
                'style="border: 0" allow="clipboard-write"></iframe>'
                % (html.escape(self.url), self.height))


def _site_url():
    """Where a proxy of this site shows a port, or None."""
    given = os.environ.get("THRONG_WEB_URL")
    hub = os.environ.get("JUPYTERHUB_PUBLIC_URL")
    return given or (hub.rstrip("/") + "/proxy/{port}/" if hub else None)


def _options(url):
    """What the server must know of a proxy's address."""
    if url is None:
        return [w for origin in _HERE for w in ("--frame-ancestor", origin)]
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise program.ThrongError(
            "url is an address such as "
            "https://hub.example.org/user/ann/proxy/{port}/, not %r" % url)
    base = parts.path.rstrip("/")
    return ["--allow-host", parts.hostname,
            "--frame-ancestor", "%s://%s" % (parts.scheme, parts.netloc)
            ] + (["--base", base] if base else [])


def _start(what, url, control, binary, home):
    for attempt in range(_TRIES):
        port = _free_port()
        shown = url and url.replace("{port}", str(port)).replace(
            "{host}", socket.gethostname())
        words = ["web", what, "--port", str(port)] + _options(shown)
        words += ["--control"] if control else []
        with tempfile.TemporaryFile() as talk:
            child = program.spawn(
                subprocess.Popen, [binary or program.find()] + words,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=talk,
                cwd=home, preexec_fn=_end_with_parent)
            said = child.stdout.readline().decode().strip()
            if said:
                return child, _address(said, shown)
            code = child.wait()
            child.stdout.close()
            talk.seek(0)
            text = talk.read().decode("utf-8", "replace")
        if "in use" not in text or attempt + 1 == _TRIES:
            raise program.error(code, text)


def _end_with_parent():
    """Also when this Python is killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _address(said, shown):
    if not shown:
        return said
    fragment = urllib.parse.urlsplit(said).fragment
    return shown.rstrip("/") + "/#" + fragment
