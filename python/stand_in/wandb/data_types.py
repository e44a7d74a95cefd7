"""Where libraries look for tables and pictures."""

from ._media import (Audio, Histogram, Html, Image, Molecule,  # noqa: F401
                     Object3D, Plotly, Table, Video)
