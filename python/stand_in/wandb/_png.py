"""An array as a PNG file, without a library.

The array is rows of grey values, or rows of pixels of 1 to 4 channels; from
anything with tolist() or made of lists. Floats from 0 to 1 are spread over
0 to 255; others are taken as they are.
"""

import struct
import zlib

_COLOUR = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's kind of colour by channels


def encode(array):
    rows = _channels_last(_as_lists(array))
    channels = len(rows[0][0])
    if channels not in _COLOUR:
        raise ValueError("an image has 1 to 4 channels, not %d" % channels)
    scale = 255 if _from_0_to_1(rows) else 1
    lines = b"".join(b"\0" + _line(row, scale) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8,
                       _COLOUR[channels], 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) +
            _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b""))


def _chunk(kind, data):
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(
        ">I", checksum)


def _line(row, scale):
    return bytes(min(255, max(0, int(value * scale)))
                 for pixel in row for value in pixel)


def _as_lists(array):
    if hasattr(array, "detach"):  # a tensor that may be on a GPU
        array = array.detach().cpu()
    rows = array.tolist() if hasattr(array, "tolist") else array
    if not rows or not rows[0]:
        raise ValueError("an image without pixels")
    if not isinstance(rows[0][0], (list, tuple)):
        return [[[value] for value in row] for row in rows]
    return rows


def _channels_last(rows):
    """Tensors often have channels first: 3 planes rather than rows."""
    width, depth = len(rows[0]), len(rows[0][0])
    if len(rows) <= 4 < depth:
        return [[[plane[y][x] for plane in rows] for x in range(depth)]
                for y in range(width)]
    return rows


def _from_0_to_1(rows):
    values = [v for row in rows for pixel in row for v in pixel]
    return any(isinstance(v, float) for v in values) and (
        min(values) >= 0 and max(values) <= 1)
