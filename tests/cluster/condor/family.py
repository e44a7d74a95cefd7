"""The processes of a job: its first one, all that descend from it, and those
that have left it but still carry its sandbox in their environment."""
import os
import signal
import time


def parents():
    """{pid: parent's pid} of all processes."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as f:
                rest = f.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if rest[0] != b"Z":
            found[int(name)] = int(rest[1])
    return found


def carries(pid, mark):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            return mark in f.read().split(b"\0")
    except OSError:
        return False


def members(pid, sandbox):
    mark = b"_CONDOR_SCRATCH_DIR=" + sandbox.encode()
    above = parents()
    found = {p for p in above if p == pid or carries(p, mark)}
    grown = True
    while grown:
        more = {p for p, parent in above.items()
                if parent in found and p not in found}
        found |= more
        grown = bool(more)
    return found - {os.getpid()}


def kill(pid, sandbox):
    """SIGKILL until nothing is left: one may fork while we look."""
    for _ in range(50):
        found = members(pid, sandbox)
        if not found:
            return
        for p in found:
            try:
                os.kill(p, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def birth(pid):
    """When a process began, in the kernel's ticks; None: it is not there."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            rest = f.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if rest[0] == b"Z" else rest[19]


def outlive(pid, then):
    """Waits until a process is no more; for ever if there was none."""
    born = birth(pid)
    while born is None or birth(pid) == born:
        time.sleep(0.5)
    then()


def memory_kb(pid):
    """(image, resident) of one process; of one that is gone (1, 0)."""
    try:
        with open(f"/proc/{pid}/status") as f:
            lines = dict(line.split(":", 1) for line in f)
        return (int(lines["VmPeak"].split()[0]), int(lines["VmHWM"].split()[0]))
    except (OSError, KeyError, ValueError):
        return (1, 0)
