"""Debian's packages belong to Debian's Python, whatever comes first in PATH: a
test that wants some imports this before all others, and goes on there."""

import os
import sys

SYSTEM = "/usr/bin/python3"
if (os.path.exists(SYSTEM)
        and os.path.realpath(sys.executable) != os.path.realpath(SYSTEM)):
    os.execv(SYSTEM, [SYSTEM, *sys.argv])
