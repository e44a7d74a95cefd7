"""Where libraries look for tables and pictures."""

from ._media import (Audio, Classes, Graph, Histogram,  # noqa: F401
                     Html, Image, JoinedTable, Molecule, Object3D, Plotly,
                     Table, Video)
