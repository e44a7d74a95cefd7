"""throng's stand-in for CANDLE's file file_utils.py, which old scripts import by
itself. One that the script brings with it comes first."""

import os as _os
import sys as _sys

try:
    import throng as _throng  # noqa: F401
except ImportError:  # only this folder is on the path
    _sys.path.append(_os.path.dirname(_os.path.dirname(
        _os.path.abspath(__file__))))

from throng.candle import stand_in as _stand_in

_stand_in.take_place(globals())
