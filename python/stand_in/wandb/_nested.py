"""Dicts within dicts: with attributes, merged, flattened."""


class Nested(dict):
    """A dict whose items are attributes as well, at every depth."""

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.update(*args, **kwargs)

    def __setitem__(self, key, value):
        super().__setitem__(key, nest(value))

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError("no %r here; there are: %s" % (
                name, ", ".join(map(str, self)) or "none")) from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        del self[name]


def nest(value):
    if isinstance(value, dict) and not isinstance(value, Nested):
        return Nested(value)
    if isinstance(value, list):
        return [nest(item) for item in value]
    return value


def merged(below, above):
    """`above` laid over `below`, object by object."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    result = dict(below)
    for key, value in above.items():
        result[key] = merged(below.get(key), value)
    return result


def without(values, taken):
    """What of `values` is not in `taken`, object by object."""
    result = {}
    for key, value in values.items():
        if key not in taken:
            result[key] = value
        elif isinstance(value, dict) and isinstance(taken[key], dict):
            rest = without(value, taken[key])
            if rest:
                result[key] = rest
    return result


def flat(values, prefix=""):
    """The pairs of name and value, {"a": {"b": 1}} as a.b, as wandb names them."""
    for name, value in values.items():
        name = prefix + str(name)
        if isinstance(value, dict):
            yield from flat(value, name + ".")
        else:
            yield name, value
