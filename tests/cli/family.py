"""family - the programs that a program has started"""


def command(pid):
    with open("/proc/%d/cmdline" % pid, "rb") as file:
        return file.read()


def children(pid):
    """Programs, not copies of pid: a sanitizer looks for leaks in one of those,
    and whoever waits for it would wait for ever."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            kids = [int(word) for word in file.read().split()]
        return [kid for kid in kids if command(kid) != command(pid)]
    except OSError:
        return []
