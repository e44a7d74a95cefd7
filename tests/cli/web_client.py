"""web_client - what the tests of `throng web` ask it, and replay from its page

    web_client.py ask ADDRESS METHOD PATH [HEADER: VALUE]... [--body TEXT]
    web_client.py replay ADDRESS PAGE [control]

ADDRESS is what `throng web` printed, with its token. `ask` prints the status and
then the body; of a header `X-Throng-Token: -` none is sent. `replay` asks what
the blocks ```http of a page of the documentation say, and compares each answer
with the block behind it: same keys, same kinds, and the same values but of what
differs from run to run.
"""

import http.client
import json
import re
import sys
import urllib.parse

# What no two runs have in common.
VOLATILE = {"folder", "changed", "seconds", "created", "started", "ended",
            "revision", "made", "from", "to", "width", "mean", "most", "host",
            "times", "cpus", "load", "memory_bytes", "free_bytes", "gpus",
            "max_rss_bytes", "cpu_seconds", "spans", "lane", "text",
            "waiting", "median", "nine_tenths", "lately"}


def request(address, method, path, headers=(), body=None):
    url = urllib.parse.urlsplit(address)
    token = re.search(r"token=(\w+)", url.fragment).group(1)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    sent = {"X-Throng-Token": token}
    sent.update(dict(h.split(": ", 1) for h in headers))
    if sent["X-Throng-Token"] == "-":
        del sent["X-Throng-Token"]
    connection.request(method, path, body=body, headers=sent)
    answer = connection.getresponse()
    return answer, answer.read()


def keys_of(values):
    return [key for key in values if key not in VOLATILE]


def differences(where, shown, got):
    """What `got` has otherwise than the example on the page."""
    if type(shown) is int and type(got) is float:
        shown = float(shown)
    if shown is not None and got is not None and type(shown) is not type(got):
        yield "%s: %r, not %r" % (where, got, shown)
    elif isinstance(shown, dict):
        if keys_of(shown) != keys_of(got):
            yield "%s: has %s, not %s" % (where, list(got), list(shown))
            return
        for key in shown:
            if key not in VOLATILE:
                yield from differences(where + "." + key, shown[key], got[key])
    elif isinstance(shown, list):
        if len(shown) != len(got):
            yield "%s: has %d items, not %d" % (where, len(got), len(shown))
            return
        for i, (a, b) in enumerate(zip(shown, got)):
            yield from differences("%s[%d]" % (where, i), a, b)
    elif isinstance(shown, float):
        if abs(shown - got) > 1e-9:
            yield "%s: %r, not %r" % (where, got, shown)
    elif shown != got:
        yield "%s: %r, not %r" % (where, got, shown)


BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def replay(address, page, control):
    with open(page) as f:
        blocks = BLOCK.findall(f.read())
    asked, faults = 0, []
    for (kind, words, text), (_, answer_words, expected) in zip(blocks,
                                                               blocks[1:]):
        if kind != "http" or ("control" in words) != control:
            continue
        lines = text.splitlines()
        method, path = lines[0].split()
        answer, body = request(address, method, path,
                               body="\n".join(lines[1:]) or None)
        status = int((re.findall(r"status=(\d+)", answer_words) or [200])[0])
        asked += 1
        if answer.status != status:
            faults.append("%s: status %d: %s" % (lines[0], answer.status, body))
        elif answer.getheader("Content-Type") != "application/json":
            if body.decode() != expected:
                faults.append("%s: %r" % (lines[0], body))
        else:
            faults += differences(lines[0], json.loads(expected),
                                  json.loads(body))
    print("%d asked" % asked)
    for fault in faults:
        print(fault)
    return 1 if faults or not asked else 0


def main():
    what, address, *rest = sys.argv[1:]
    if what == "replay":
        sys.exit(replay(address, rest[0], rest[1:] == ["control"]))
    body = None
    if "--body" in rest:
        at = rest.index("--body")
        body, rest = rest[at + 1], rest[:at]
    answer, text = request(address, rest[0], rest[1], rest[2:], body)
    print(answer.status)
    sys.stdout.flush()
    sys.stdout.buffer.write(text)


if __name__ == "__main__":
    main()
