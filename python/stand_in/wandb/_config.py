"""wandb.config: what the script says, under what the study says.

The parameters of the trial are locked, as those of a sweep are with W&B: a
script that sets one gets a warning and goes on with the study's value.
"""

import argparse
import json
import os

from ._nested import Nested, merged, nest
from ._say import once
from .errors import ConfigError, UsageError


class Config:
    def __init__(self, items=None, locked=None):
        object.__setattr__(self, "_items", Nested(items or {}))
        object.__setattr__(self, "_locked", set())
        self.merge_locked(locked or {})

    # ---- reading

    def __getitem__(self, key):
        return self._items[key]

    def __getattr__(self, name):
        # Unpickling asks before there are items.
        if name.startswith("__") or name in ("_items", "_locked"):
            raise AttributeError(name)
        return getattr(self._items, name)

    def __contains__(self, key):
        return key in self._items

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return repr(dict(self._items))

    def keys(self):
        return self._items.keys()

    def values(self):
        return self._items.values()

    def items(self):
        return self._items.items()

    def get(self, *args):
        return self._items.get(*args)

    def as_dict(self):
        return dict(self._items)

    _as_dict = as_dict

    # ---- writing

    def __setitem__(self, key, value):
        self._set(key, value, False)

    def __setattr__(self, name, value):
        self._set(name, value, False)

    def update(self, values, allow_val_change=None):
        for key, value in read(values).items():
            self._set(key, value, allow_val_change)

    def setdefaults(self, values):
        for key, value in read(values).items():
            if key.strip("-") not in self._items:
                self._set(key, value, False)

    def merge_locked(self, values, user=None, _allow_val_change=None):
        """The study's parameters: from now on nothing else changes them."""
        for key, value in values.items():
            self._items[key] = merged(self._items.get(key), value)
            self._locked.add(key)

    update_locked = merge_locked

    def persist(self):
        """Nothing to do: the configuration is written when the run ends."""

    def _set(self, key, value, allow_change):
        key = str(key).strip("-")
        value = nest(value)
        if key in self._locked:
            if not _same(value, self._items[key]):
                once("Config item '%s' was locked by 'sweep' (ignored update)"
                     "; it stays %r" % (key, self._items[key]))
            return
        known = key in self._items
        if known and not allow_change and not _same(value, self._items[key]):
            raise ConfigError(
                'Attempted to change value of key "%s" from %s to %s; if you '
                "really want to do this, pass allow_val_change=True to "
                "config.update()" % (key, self._items[key], value))
        self._items[key] = value


def _same(a, b):
    try:
        return bool(a == b)
    except (TypeError, ValueError):  # arrays
        return a is b


# ---- what a configuration may be given as --------------------------------


def read(given):
    """A dict from a dict, a Namespace, flags of absl, a file, or None."""
    if given is None:
        return {}
    if isinstance(given, (str, os.PathLike)):
        return read_file(os.fspath(given))
    if isinstance(given, argparse.Namespace):
        return dict(vars(given))
    if hasattr(given, "flag_values_dict"):
        return dict(given.flag_values_dict())
    if hasattr(given, "keys"):
        return {key: given[key] for key in given.keys()}
    raise UsageError("config: a dict, an argparse.Namespace or the path of a "
                     "YAML or JSON file, not %.80r" % (given,))


def read_file(path):
    """W&B's files may hold {"value": …, "desc": …} in place of a value."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    values = _parse(text, path) or {}
    return {key: value["value"]
            if isinstance(value, dict) and "value" in value else value
            for key, value in values.items() if key != "wandb_version"}


def _parse(text, path):
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        import yaml
    except ImportError:
        raise UsageError("%s: to read a YAML file PyYAML is needed, which is "
                         "not installed for this Python; JSON can be read"
                         % path) from None
    return yaml.safe_load(text)


def read_defaults(path="config-defaults.yaml"):
    """The file of defaults that W&B takes from the current folder."""
    if not os.path.exists(path):
        return {}
    try:
        return read_file(path)
    except UsageError as problem:
        once("%s is left out: %s" % (path, problem))
        return {}
