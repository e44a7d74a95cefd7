"""ClassAd expressions, as far as job and machine descriptions use them.

An ad is a dict whose names are compared without regard to case. `evaluate`
takes an expression's text, the ad it belongs to (MY) and the one it is
matched with (TARGET); what is not there is UNDEFINED, as HTCondor has it.
"""
import json
import re


class Undefined:
    def __repr__(self):
        return "undefined"


UNDEFINED = Undefined()


class Expr(str):
    """A value that is an expression: JSON shows it as \\/Expr(...)\\/."""


class ParseError(Exception):
    pass


TOKEN = re.compile(r'''\s*(?:
    (?P<number>\d+\.\d*(?:[eE][-+]?\d+)?|\d+)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<name>[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)?)
  | (?P<op>=\?=|=!=|\|\||&&|==|!=|<=|>=|[-+*/%<>!?:(),{}\[\]])
)''', re.X)

LEVELS = [["||"], ["&&"], ["==", "!=", "=?=", "=!="],
          ["<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"]]


def tokens(text):
    at, found = 0, []
    text = text.rstrip()
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise ParseError(text)
        found.append((m.lastgroup, m.group(m.lastgroup)))
        at = m.end()
    return found


class Parser:
    """Makes a tree of tuples: ("name", text), ("value", v), (op, left, right),
    ("call", name, arguments)."""

    def __init__(self, text):
        self.text, self.found, self.at = text, tokens(text), 0

    def peek(self):
        return self.found[self.at] if self.at < len(self.found) else ("", "")

    def take(self, op):
        if self.peek() == ("op", op):
            self.at += 1
            return True
        return False

    def want(self, op):
        if not self.take(op):
            raise ParseError(self.text)

    def whole(self):
        tree = self.choice()
        if self.at < len(self.found):
            raise ParseError(self.text)
        return tree

    def choice(self):
        tree = self.binary(0)
        if self.take("?"):
            yes = self.choice()
            self.want(":")
            return ("?", tree, yes, self.choice())
        return tree

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        tree = self.binary(level + 1)
        while self.peek()[0] == "op" and self.peek()[1] in LEVELS[level]:
            op = self.peek()[1]
            self.at += 1
            tree = (op, tree, self.binary(level + 1))
        return tree

    def unary(self):
        for op in "!-":
            if self.take(op):
                return ("unary" + op, self.unary())
        return self.atom()

    def listed(self, end):
        found = []
        while not self.take(end):
            if found:
                self.want(",")
            found.append(self.choice())
        return found

    def atom(self):
        kind, text = self.peek()
        self.at += 1
        if kind == "number":
            return ("value", float(text) if re.search("[.eE]", text)
                    else int(text))
        if kind == "string":
            return ("value", json.loads(text))
        if kind == "name":
            return self.named(text)
        if (kind, text) == ("op", "("):
            tree = self.choice()
            self.want(")")
            return tree
        if (kind, text) == ("op", "{"):
            return ("list", self.listed("}"))
        raise ParseError(self.text)

    def named(self, text):
        constants = {"true": True, "false": False, "undefined": UNDEFINED}
        if text.lower() in constants:
            return ("value", constants[text.lower()])
        if self.take("("):
            return ("call", text.lower(), self.listed(")"))
        return ("name", text)


def parse(text):
    return Parser(text).whole()


def lookup(ad, name):
    for key, value in ad.items():
        if key.lower() == name.lower():
            return value
    return UNDEFINED


def same(a, b):
    if isinstance(a, str) and isinstance(b, str):
        return a.lower() == b.lower()
    return a == b


def compare(op, a, b):
    if op == "=?=":
        return type(a) is type(b) and a == b or \
            a is UNDEFINED and b is UNDEFINED
    if op == "=!=":
        return not compare("=?=", a, b)
    if a is UNDEFINED or b is UNDEFINED:
        return UNDEFINED
    if op in ("==", "!="):
        return same(a, b) == (op == "==")
    try:
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
    except TypeError:
        return UNDEFINED


def calculate(op, a, b):
    if a is UNDEFINED or b is UNDEFINED:
        return UNDEFINED
    try:
        return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
                "/": lambda: a // b if isinstance(a, int) and
                isinstance(b, int) else a / b, "%": lambda: a % b}[op]()
    except (TypeError, ZeroDivisionError):
        return UNDEFINED


def split_list(text):
    return [s.strip() for s in re.split("[, ]+", text) if s.strip()]


FUNCTIONS = {
    "regexp": lambda pattern, text, *options: UNDEFINED
    if text is UNDEFINED else bool(re.search(pattern, text)),
    "stringlistmember": lambda x, text, *_: UNDEFINED
    if text is UNDEFINED else x in split_list(text),
    "stringlistimember": lambda x, text, *_: UNDEFINED
    if text is UNDEFINED else x.lower() in split_list(text.lower()),
    "member": lambda x, items: any(same(x, i) for i in items),
    "isundefined": lambda x: x is UNDEFINED,
    "ifthenelse": lambda c, a, b: a if c is True else b,
}


class Evaluation:
    def __init__(self, my, target):
        self.my, self.target = my, target

    def name(self, text):
        scope, _, rest = text.rpartition(".")
        ads = {"my": [self.my], "target": [self.target]}.get(
            scope.lower(), [self.my, self.target])
        for ad in ads:
            value = lookup(ad, rest)
            if value is not UNDEFINED:
                if isinstance(value, Expr):
                    return evaluate(value, self.my, self.target)
                return value
        return UNDEFINED

    def both(self, op, left, right):
        stop = op == "||"
        a = self.of(left)
        if a is stop:
            return stop
        b = self.of(right)
        if b is stop:
            return stop
        return UNDEFINED if UNDEFINED in (a, b) else not stop

    def of(self, tree):
        kind = tree[0]
        if kind == "value":
            return tree[1]
        if kind == "name":
            return self.name(tree[1])
        if kind == "list":
            return [self.of(t) for t in tree[1]]
        if kind == "call":
            call = FUNCTIONS.get(tree[1])
            return call(*[self.of(t) for t in tree[2]]) if call else UNDEFINED
        if kind == "?":
            return self.of(tree[2] if self.of(tree[1]) is True else tree[3])
        if kind.startswith("unary"):
            a = self.of(tree[1])
            if a is UNDEFINED:
                return a
            return not a if kind[-1] == "!" else -a
        if kind in ("||", "&&"):
            return self.both(kind, tree[1], tree[2])
        a, b = self.of(tree[1]), self.of(tree[2])
        known = compare if kind in sum(LEVELS[2:4], []) else calculate
        return known(kind, a, b)


def evaluate(text, my, target=None):
    return Evaluation(my, target or {}).of(parse(text))


def matches(text, my, target=None):
    return evaluate(text, my, target) is True


# ---- how ads are shown ------------------------------------------------------

def as_json(ads, attributes):
    """What -json prints: nothing at all where there is no ad."""
    wanted = {a.lower() for a in attributes} if attributes else None
    shown = []
    for ad in ads:
        kept = {k: f"\\/Expr({v})\\/" if isinstance(v, Expr) else v
                for k, v in sorted(ad.items(), key=lambda i: i[0].lower())
                if wanted is None or k.lower() in wanted}
        text = json.dumps(kept, indent=2, ensure_ascii=False)
        shown.append(text.replace('"\\\\/Expr(', '"\\/Expr(')
                     .replace(')\\\\/"', ')\\/"'))
    return "[\n" + "\n,\n".join(shown) + "\n]\n" if shown else ""


def as_word(value):
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def as_line(value):
    """As a file of an ad's lines has it."""
    if isinstance(value, str) and not isinstance(value, Expr):
        return json.dumps(value, ensure_ascii=False)
    return as_word(value)


def as_lines(ad):
    return "".join(f"{k} = {as_line(v)}\n" for k, v in sorted(ad.items()))
