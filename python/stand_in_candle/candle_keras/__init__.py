"""throng's stand-in for CANDLE's library: a script that says
`import candle_keras` runs under throng, and by hand, where CANDLE is not
installed. A real one that is installed comes first. docs/reference/candle-python.md lists what there is.
"""

import os as _os
import sys as _sys

try:
    import throng as _throng  # noqa: F401
except ImportError:  # only this folder is on the path
    _sys.path.append(_os.path.dirname(_os.path.dirname(
        _os.path.dirname(_os.path.abspath(__file__)))))

from throng.candle import stand_in as _stand_in

_stand_in.take_place(globals())
