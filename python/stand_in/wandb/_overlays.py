"""What lies over a picture: masks that give each pixel a class, and boxes.

    wandb.Image(picture,
        masks={"prediction": {"mask_data": ids, "class_labels": {1: "cat"}}},
        boxes={"truth": {"box_data": [{"position": …, "class_id": 1}],
                         "class_labels": {1: "cat"}}})

A mask becomes a grey PNG whose values are the classes' numbers; boxes become
a file with their corners, from 0 to 1 across the picture or in its pixels.
"""

import os

from . import _png
from ._folder import copy, dumps

CLASSES_MAX = 256  # that a grey PNG can tell apart


def keep(details, folder, target):
    """Writes them beside the picture; gives what the history says of them."""
    said = {}
    for kind, write in (("masks", _write_mask), ("boxes", _write_boxes)):
        for name, given in sorted((details.get(kind) or {}).items()):
            base = "%s.%s.%s" % (os.path.splitext(target)[0], kind,
                                 str(name).replace("/", "_"))
            path = write(given, base)
            entry = {"path": os.path.relpath(path, folder.path)}
            labels = given.get("class_labels")
            if labels:
                entry["class_labels"] = {str(k): str(v)
                                         for k, v in labels.items()}
            said.setdefault(kind, {})[str(name)] = entry
    return said


def _write_mask(given, base):
    path = given.get("path")
    target = base + (os.path.splitext(os.fspath(path))[1] if path else ".png")
    if path:
        copy(os.fspath(path), target)
        return target
    rows = [[int(value) for value in row] for row in _rows(given["mask_data"])]
    if any(not 0 <= value < CLASSES_MAX for row in rows for value in row):
        raise ValueError("a mask has classes from 0 to %d"
                         % (CLASSES_MAX - 1))
    _write(target, _png.encode(rows))
    return target


def _rows(data):
    if hasattr(data, "detach"):  # a tensor that may be on a GPU
        data = data.detach().cpu()
    return data.tolist() if hasattr(data, "tolist") else data


def _write_boxes(given, base):
    _write(base + ".json", dumps({"box_data": list(given["box_data"])})
           .encode())
    return base + ".json"


def _write(target, data):
    with open(target, "wb") as file:
        file.write(data)
