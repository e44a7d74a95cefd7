"""Values that are no numbers: tables, pictures, charts. Each becomes a file.

keep(folder, name, step) writes it and gives what the history says of it.
"""

import os

from . import _overlays, _png
from ._folder import copy, dumps
from ._say import once


class Media:
    """One value with a file. `data` may be the path of one."""

    kind, suffix = "media", ".bin"

    def __init__(self, data_or_path=None, *args, caption=None, **kwargs):
        self.data, self.caption = data_or_path, caption
        self.details = {k: v for k, v in kwargs.items() if v is not None}

    def keep(self, folder, name, step):
        target = _target(folder, self.kind, name, step, self._suffix())
        said = {"_type": self.kind + "-file"}
        try:
            self._write(target)
            said["path"] = os.path.relpath(target, folder.path)
            said["size"] = os.path.getsize(target)
            said.update(self._beside(folder, target))
        except Exception as problem:  # of whatever library made the value
            once("%s of type %s could not be kept: %s" % (
                name, type(self.data).__name__, problem),
                (self.kind, "unkept"))
            said["error"] = str(problem)
        if self.caption is not None:
            said["caption"] = self.caption
        return said

    def _beside(self, folder, target):
        """More that belongs to it, and what the history says of that."""
        return {}

    def _path(self):
        is_path = isinstance(self.data, (str, os.PathLike))
        return os.fspath(self.data) if is_path else None

    def _suffix(self):
        path = self._path()
        return os.path.splitext(path)[1] if path else self.suffix

    def _write(self, target):
        path = self._path()
        if path:
            copy(path, target)
        else:
            _write_bytes(target, self._bytes())

    def _bytes(self):
        data = self.data
        if hasattr(data, "getvalue"):
            data = data.getvalue()
        elif hasattr(data, "read"):
            data = data.read()
        if isinstance(data, str):
            return data.encode()
        if isinstance(data, (bytes, bytearray)):
            return bytes(data)
        return dumps(data).encode()


class Image(Media):
    kind, suffix = "images", ".png"

    def _write(self, target):
        data = self.data
        if self._path():
            super()._write(target)
        elif hasattr(data, "savefig"):
            data.savefig(target)
        elif hasattr(data, "save"):
            data.save(target)
        else:
            _write_bytes(target, _png.encode(data))

    def _beside(self, folder, target):
        return _overlays.keep(self.details, folder, target)


class Video(Media):
    kind, suffix = "videos", ".json"


class Audio(Media):
    kind, suffix = "audio", ".json"


class Object3D(Media):
    kind, suffix = "object3D", ".json"


class Molecule(Media):
    kind, suffix = "molecule", ".pdb"


class Html(Media):
    kind, suffix = "html", ".html"

    def _path(self):
        path = super()._path()
        return path if path and os.path.exists(path) else None


class Plotly(Media):
    kind, suffix = "plotly", ".plotly.json"

    def _bytes(self):
        return self.data.to_json().encode()


class Chart(Media):
    """What wandb.plot makes: the kind of chart and its arguments."""

    kind, suffix = "charts", ".json"

    def __init__(self, chart, args, kwargs):
        super().__init__({"chart": chart, "args": args, **kwargs})


class Histogram(Media):
    """The counts of a sequence in `num_bins` bins of equal width."""

    kind, suffix = "histograms", ".json"

    def __init__(self, sequence=None, np_histogram=None, num_bins=64):
        super().__init__()
        if np_histogram is not None:
            counts, edges = np_histogram
            self.histogram, self.bins = list(counts), list(edges)
        else:
            self.histogram, self.bins = _count(
                [] if sequence is None else sequence, num_bins)

    def _bytes(self):
        return dumps({"values": self.histogram, "bins": self.bins}).encode()


def _count(sequence, num_bins):
    if hasattr(sequence, "detach"):
        sequence = sequence.detach().cpu()
    if hasattr(sequence, "flatten"):
        sequence = sequence.flatten()
    values = [float(v) for v in sequence]
    values = [v for v in values if v - v == 0]  # neither NaN nor infinite
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    width = (high - low) / num_bins or 1.0
    counts = [0] * num_bins
    for value in values:
        counts[min(num_bins - 1, int((value - low) / width))] += 1
    return counts, [low + i * width for i in range(num_bins + 1)]


class Table(Media):
    kind, suffix = "table", ".table.json"

    def __init__(self, columns=None, data=None, rows=None, dataframe=None,
                 **kwargs):
        super().__init__()
        data = data if data is not None else rows
        if data is not None and hasattr(data, "columns"):
            dataframe, data = data, None
        if dataframe is not None:
            columns = list(dataframe.columns)
            data = dataframe.values.tolist()
        self.columns = list(columns or ["Input", "Output", "Expected"])
        self.data = [list(row) for row in (data if data is not None else [])]

    def add_data(self, *row):
        if len(row) != len(self.columns):
            raise ValueError("a row of this table has %d values (%s), not %d"
                             % (len(self.columns), ", ".join(self.columns),
                                len(row)))
        self.data.append(list(row))

    def add_row(self, *row):
        self.add_data(*row)

    def add_column(self, name, data):
        values = list(data)
        if self.data and len(values) != len(self.data):
            raise ValueError("the table has %d rows; the column %s has %d "
                             "values" % (len(self.data), name, len(values)))
        if not self.data:
            self.data, self.columns = [[] for _ in values], []
        self.columns.append(name)
        for row, value in zip(self.data, values):
            row.append(value)

    def get_column(self, name, convert_to=None):
        at = self.columns.index(name)
        return [row[at] for row in self.data]

    def get_dataframe(self):
        import pandas
        return pandas.DataFrame(self.data, columns=self.columns)

    def iterrows(self):
        return enumerate(self.data)

    def _path(self):
        return None

    def keep(self, folder, name, step):
        """The pictures in its cells become files of their own."""
        rows = [[value.keep(folder, "%s_%d_%d" % (name, y, x), step)
                 if isinstance(value, Media) else value
                 for x, value in enumerate(row)]
                for y, row in enumerate(self.data)]
        target = _target(folder, self.kind, name, step, self.suffix)
        _write_bytes(target, dumps({"columns": self.columns,
                                    "data": rows}).encode())
        return {"_type": "table-file", "nrows": len(rows),
                "ncols": len(self.columns),
                "path": os.path.relpath(target, folder.path)}


class JoinedTable(Media):
    """Two tables and the column in which they agree."""

    kind, suffix = "joined-table", ".joined-table.json"

    def __init__(self, table1, table2, join_key):
        super().__init__()
        self.tables, self.key = [table1, table2], join_key

    def _bytes(self):
        tables = [{"columns": t.columns, "data": t.data}
                  if isinstance(t, Table) else t for t in self.tables]
        return dumps({"join_key": self.key, "tables": tables}).encode()


class Classes(Media):
    """Names of classes: [{"id": 0, "name": "cat"}, …]."""

    kind, suffix = "classes", ".json"

    def __init__(self, class_set):
        super().__init__([dict(entry) for entry in class_set])


class Graph(Media):
    """A network: its nodes and edges as texts."""

    kind, suffix = "graphs", ".json"

    def __init__(self, format="keras"):
        super().__init__({"format": format, "nodes": [], "edges": []})

    def add_node(self, node=None, **node_kwargs):
        self.data["nodes"].append(node_kwargs if node is None else str(node))

    def add_edge(self, from_node, to_node):
        self.data["edges"].append([str(from_node), str(to_node)])


def as_media(value):
    """The media that a figure of a plotting library stands for, else None."""
    if isinstance(value, Media):
        return value
    if hasattr(value, "savefig"):
        return Image(value)
    if hasattr(value, "gcf"):  # matplotlib.pyplot itself
        return Image(value.gcf())
    if hasattr(value, "to_plotly_json"):
        return Plotly(value)
    return None


def _target(folder, kind, name, step, suffix):
    parts = [p for p in name.split("/") if p not in ("", ".", "..")]
    *inner, last = parts or [kind]
    return os.path.join(folder.made("media", kind, *inner),
                        "%s_%d%s" % (last, step, suffix))


def _write_bytes(target, data):
    with open(target, "wb") as file:
        file.write(data)
