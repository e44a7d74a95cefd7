"""candle_place - what the tests of throng.candle share"""

import os
import sys
from unittest import mock

from place import PYTHON, InFolder

CANDLE = os.path.join(PYTHON, "stand_in_candle")
REAL_DATA = os.environ.get("THRONG_TEST_DATA", "")
DEBIAN = "/usr/bin/python3"


def need_numpy():
    """Goes on as Debian's Python when this one has no numpy."""
    try:
        import numpy  # noqa: F401
        import pandas  # noqa: F401
    except ImportError:
        if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN) \
                and os.path.exists(DEBIAN):
            os.execv(DEBIAN, [DEBIAN] + sys.argv)
        print("numpy and pandas are not installed for %s" % sys.executable)
        sys.exit(77)


class Candle(InFolder):
    """Each test without CANDLE's variables too, and without waiting for the
    disk."""

    def setUp(self):
        super().setUp()
        patch = mock.patch.object(os, "fsync")
        self.fsync = patch.start()
        self.addCleanup(patch.stop)
        for name in [n for n in os.environ if n.startswith("CANDLE")]:
            del os.environ[name]
