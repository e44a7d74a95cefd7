"""run.summary: the last, or the defined, value of each metric, and what the
script sets by hand. What was set by hand becomes a metric when the run ends,
so that a study can be ranked by it."""

from throng.metrics import number

from ._nested import Nested, flat


class Summary:
    def __init__(self):
        object.__setattr__(self, "_items", Nested())
        object.__setattr__(self, "_by_hand", set())

    def __getitem__(self, key):
        if key not in self._items:
            inner = self._inner(key)
            if inner:
                return inner
        return self._items[key]

    def _inner(self, key):
        """What was logged as {"key": {"a": 1}}, and is kept as key.a."""
        inner, start = Nested(), str(key) + "."
        for name, value in self._items.items():
            if str(name).startswith(start):
                *path, last = str(name)[len(start):].split(".")
                at = inner
                for part in path:
                    if not isinstance(at.setdefault(part, {}), dict):
                        at[part] = {}
                    at = at[part]
                at[last] = value
        return inner

    def __setitem__(self, key, value):
        self._items[key] = value
        self._by_hand.add(key)

    def __delitem__(self, key):
        del self._items[key]
        self._by_hand.discard(key)

    def __getattr__(self, name):
        if name.startswith("__") or name in ("_items", "_by_hand"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            return getattr(self._items, name)

    __setattr__ = __setitem__
    __delattr__ = __delitem__

    def __contains__(self, key):
        return key in self._items

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __repr__(self):
        return repr(dict(self._items))

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def keys(self):
        return self._items.keys()

    def items(self):
        return self._items.items()

    def update(self, values=None, **more):
        for key, value in {**(values or {}), **more}.items():
            self[key] = value

    def _as_dict(self):
        return dict(self._items)

    def _take(self, name, entry):
        """A value was logged: it replaces what was set by hand."""
        if entry is None:
            self._items.pop(name, None)
        else:
            self._items[name] = entry
        self._by_hand.discard(name)

    def _final(self, definitions):
        """The numbers that no log line carried: those set by hand, and what
        define_metric asked for, as loss.min."""
        found = {}
        for key, value in self._items.items():
            if key in self._by_hand:
                found.update(flat({key: value}))
            elif definitions.folds(key) and isinstance(value, dict):
                found.update(flat({key: value}))
        numbers = {name: number(value) for name, value in found.items()}
        return {k: v for k, v in numbers.items() if v is not None}

    def _others_by_hand(self):
        """What was set by hand and is no number."""
        pairs = flat({k: self._items[k] for k in self._by_hand})
        return {k: v for k, v in pairs if number(v) is None}
