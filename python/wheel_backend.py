"""A build backend (PEP 517) that zips the package into a wheel."""

import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as f:
    TEXT = f.read()


def field(name):
    return re.search(r'^%s = "(.*)"$' % name, TEXT, re.MULTILINE).group(1)


NAME, VERSION = field("name"), field("version")
INFO = "%s-%s.dist-info" % (NAME, VERSION)


def files():
    for folder, folders, names in os.walk(os.path.join(HERE, NAME)):
        folders[:] = sorted(d for d in folders if d != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                yield os.path.relpath(path, HERE), f.read()


def described():
    yield INFO + "/METADATA", (
        "Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\n"
        "Requires-Python: %s\n" % (NAME, VERSION, field("description"),
                                   field("requires-python"))).encode()
    yield INFO + "/WHEEL", (b"Wheel-Version: 1.0\nGenerator: throng\n"
                            b"Root-Is-Purelib: true\nTag: py3-none-any\n")


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    wheel = "%s-%s-py3-none-any.whl" % (NAME, VERSION)
    record = ""
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w",
                         zipfile.ZIP_DEFLATED) as z:
        for name, data in [*files(), *described()]:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record += "%s,sha256=%s,%d\n" % (
                name, digest.rstrip(b"=").decode(), len(data))
            z.writestr(name, data)
        z.writestr(INFO + "/RECORD", record + INFO + "/RECORD,,\n")
    return wheel
