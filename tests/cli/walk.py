"""walk.py - do what a page tells its reader to do, and see what it shows

    walk.py [--update] [--build] PAGE...

Prints TAP. THRONG_BUILD says where the programs are (default: build). Each
page is walked from top to bottom in a fresh folder (for a page below examples/,
in a copy of its folder), in one shell whose output is a terminal of 80 columns:

    ```yaml file=NAME     (or sh, python, …) the file is written; one that is
                          there must hold the same, unless `change` is said
    ```console            a line `$ command` is run; the lines below it are
                          what it must print. `…` stands for any text in a
                          line and, alone, for any number of lines
    ```console status=3   the last command of this block exits with 3
    ```console build      only with --build: it takes minutes, or a network

Comments that a reader does not see:

    <!-- copy: examples/c -->      the folder is copied, and the shell is in it
    <!-- needs: Rscript -->        else the rest of the page is skipped
    <!-- unless: COMMAND -->       where it succeeds, the same
    <!-- run: COMMAND -->          what is not worth showing
    <!-- wait: COMMAND -->         until it succeeds

Times, sizes, rates, dates, process numbers, hosts and the widths of gaps may
differ from those on the page, and so may the words at which a long line breaks,
since numbers and folders before it are longer elsewhere. --update writes what was really printed into
the page, where it differs in more than that.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("THRONG_BUILD", "build"))
COLUMNS, ROWS = 80, 24
SECONDS = 200  # for one command, on a busy machine
BUILD_SECONDS = 1800
HOME = "/home/ann"  # what pages show in place of the fresh folder
HERE = "/opt/throng"  # and in place of this checkout
HOST = "laptop"

FENCE = re.compile(
    r"^```(?P<kind>\w+) *(?P<info>[^\n]*)\n(?P<body>.*?)^```$"
    r"|^<!-- (?P<order>copy|needs|unless|run|wait): (?P<what>.*?) -->$",
    re.MULTILINE | re.DOTALL)

UNIT = r"(?:ms|s|m|h|d)"
SAME = [  # what may differ, and what stands for it
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "DATE"),
    (r"\b\d+(\.\d+)? ?[KMGT]?i?B\b", "SIZE"),
    (r"\b[\d.]+/(s|min|h)\b", "RATE"),
    (r"\b\d+(\.\d+)?%s( \d+%s)*\b" % (UNIT, UNIT), "TIME"),
    (r"\b(pid|process) \d+", "pid N"),
    (r"^(machine|python) .*", r"\1"),
    (r"\b\d+ trials? fits? this machine", "N trials fit this machine"),
    (r"\bpython3\b", "python"),  # whichever there is
    (r"\b((?:done|failed|stopped|killed|timed_out|invalid)\s+)[\d.]+$",
     r"\1TIME"),
    (r"[ \t]+", " "),
]

made = failed = 0


def say(name, good, why=""):
    global made, failed
    made += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", made, name))
    if not good:
        for line in str(why).splitlines():
            print("#   " + line)
    sys.stdout.flush()


# ---- The terminal ----------------------------------------------------------

class Screen:
    """Enough of a terminal to know which lines stay on it."""

    SEQUENCE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|[\r\n\b]|\x1b.|[^\x1b]",
                          re.DOTALL)

    def __init__(self):
        self.lines, self.row, self.column = [""], 0, 0

    def feed(self, text):
        for m in self.SEQUENCE.finditer(text):
            if m.group(2):
                self.control(m.group(1), m.group(2))
            elif m.group() == "\r":
                self.column = 0
            elif m.group() == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append("")
            elif m.group() == "\b":
                self.column = max(0, self.column - 1)
            elif m.group()[0] != "\x1b":
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = (line[:self.column] + m.group() +
                                        line[self.column + 1:])
                self.column += 1

    def control(self, argument, letter):
        count = int(argument) if argument.isdigit() else 1
        if letter == "A":
            self.row = max(0, self.row - count)
        elif letter == "K":
            keep = 0 if argument == "2" else self.column
            self.lines[self.row] = self.lines[self.row][:keep]
        elif letter == "J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        elif letter == "G":
            self.column = count - 1

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines).rstrip()


class Shell:
    """A bash that keeps its folder, variables and background jobs from one
    command to the next."""

    MARK = "\x1e"

    def __init__(self, folder, build):
        self.seconds = BUILD_SECONDS if build else SECONDS
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=folder, text=True,
            stdin=subprocess.PIPE, stdout=slave, stderr=slave,
            env=environment(folder, build), start_new_session=True)
        os.close(slave)

    def run(self, command):
        """Its exit status (None: it took too long) and what it printed."""
        self.bash.stdin.write(
            "{ (exit ${walked:-0}); %s\n} </dev/null; walked=$?; "
            "printf '\\036%%d\\036' $walked\n" % command)
        self.bash.stdin.flush()
        text, end = "", time.monotonic() + self.seconds
        while text.count(self.MARK) < 2:
            if time.monotonic() > end or not self.more():
                return None, text
            text += self.decoder.decode(self.read())
        printed, status, _ = text.split(self.MARK, 2)
        screen = Screen()
        screen.feed(printed)
        return int(status), screen.text()

    def more(self):
        while not select.select([self.master], [], [], 1)[0]:
            if self.bash.poll() is not None:
                return False
        return True

    def read(self):
        try:
            return os.read(self.master, 65536)
        except OSError:
            return b""

    def folder(self):
        return os.readlink("/proc/%d/cwd" % self.bash.pid)

    def close(self):
        self.bash.stdin.close()
        try:
            self.bash.wait(1)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.bash.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.bash.wait()
        os.close(self.master)


def environment(folder, build):
    """That of somebody who has installed throng, or is about to."""
    library = BUILD
    if os.path.exists(os.path.join(ROOT, "build", "libthrong.a")):
        # One that was built with sanitizers needs their libraries too.
        library = os.path.join(ROOT, "build")
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("THRONG") and k != "NO_COLOR"}
    place = os.path.join(folder, ".local", "bin") if build else BUILD
    env.update(PATH=place + ":" + os.environ["PATH"], HOME=folder,
               TERM="xterm", LC_ALL="C.UTF-8", COLUMNS=str(COLUMNS),
               NO_COLOR="1", PAGER="",
               PYTHONPATH=os.path.join(ROOT, "python"),
               PYTHONDONTWRITEBYTECODE="1",
               CPATH=os.path.join(ROOT, "include"), LIBRARY_PATH=library,
               URL=ROOT)
    return env


# ---- Comparing -------------------------------------------------------------

# What a shell says of a killed job comes whenever it looks.
KILLED = re.compile(r"^\S*bash: line \d+: +\d+ Killed .*\n", re.MULTILINE)


def shown(text, scratch):
    """As a page shows it: other folders, another host."""
    text = KILLED.sub("", text).replace(scratch, HOME).replace(ROOT, HERE)
    return re.sub(r"\b%s\b" % re.escape(socket.gethostname()), HOST, text)


def plain(text):
    lines = []
    for line in text.splitlines():
        for pattern, stands in SAME:
            line = re.sub(pattern, stands, line)
        lines.append(line.rstrip())
    return "\n".join(lines).strip("\n")


def unbroken(text):
    """The same in one line, wherever it was broken."""
    line = " ".join(plain(text).split())
    for pattern, stands in SAME:
        if pattern[0] != "^":  # the others are of single lines
            line = re.sub(pattern, stands, line)
    return line


def matches(expected, actual):
    return matches_lines(expected, actual) or re.fullmatch(
        re.escape(unbroken(expected)).replace("\\ …", ".*").replace("…", ".*"),
        unbroken(actual)) is not None


def matches_lines(expected, actual):
    pattern = ""
    for line in plain(expected).split("\n"):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*"
        else:
            pattern += re.escape(line).replace("…", ".*") + r"\n"
    return re.fullmatch(pattern, plain(actual) + "\n") is not None


# ---- Walking ---------------------------------------------------------------

def commands(body):
    """[[command, expected output], …] of a console block."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and line.startswith("> ") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][1].append(line)
    return [(c, "\n".join(lines)) for c, lines in found]


def written(command):
    return "$ " + command.replace("\n", "\n> ")


class Walk:
    def __init__(self, page, scratch, update, build):
        self.path, self.update, self.build = page, update, build
        self.scratch, self.skipping = scratch, None
        self.page = os.path.relpath(page, ROOT)
        with open(page, encoding="utf-8") as f:
            self.text = f.read()

    def walk(self):
        start = self.scratch
        if self.page.startswith("examples/"):
            start = self.copy(os.path.dirname(self.page))
        self.shell = Shell(start, self.build)
        try:
            self.text = FENCE.sub(self.step, self.text)
        finally:
            self.shell.close()
        if self.update:
            with open(self.path, "w", encoding="utf-8") as f:
                f.write(self.text)

    def copy(self, folder):
        to = os.path.join(self.scratch, os.path.basename(folder))
        shutil.copytree(os.path.join(ROOT, folder), to,
                        ignore=shutil.ignore_patterns(".throng"))
        return to

    def step(self, m):
        words = (m.group("info") or "").split()
        info = dict(w.partition("=")[::2] for w in words)
        if self.skipping or ("build" in info and not self.build):
            return m.group()
        if m.group("order"):
            self.order(m.group("order"), m.group("what"))
        elif "file" in info:
            self.write(info["file"], m.group("body"), "change" in info)
        elif m.group("kind") == "console":
            head = m.group()[:m.group().index("\n") + 1]
            return (head + self.console(commands(m.group("body")),
                                        int(info.get("status", 0))) + "```")
        return m.group()

    def write(self, name, body, change):
        path = os.path.join(self.shell.folder(), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path) and not change:
            with open(path, encoding="utf-8") as f:
                say("%s: %s is as in the example" % (self.page, name),
                    f.read() == body)
            return
        with open(path, "w", encoding="utf-8") as f:
            f.write(body)

    def order(self, order, what):
        if order == "copy":
            self.shell.run("cd '%s'" % self.copy(what))
        elif order == "needs":
            absent = [p for p in what.split() if not shutil.which(p)]
            if absent:
                self.skip("%s is not installed" % absent[0])
        elif order == "unless":
            status, _ = self.shell.run("(%s) >/dev/null 2>&1" % what)
            if status == 0:
                self.skip("`%s` succeeds here" % what)
        elif order == "run":
            status, printed = self.shell.run(what)
            say("%s: (%s)" % (self.page, what), status == 0, printed)
        elif order == "wait":
            status, printed = self.shell.run(
                "for i in $(seq 2000); do if %s; then break; fi; "
                "sleep 0.05; done >/dev/null 2>&1; %s" % (what, what))
            say("%s: (until %s)" % (self.page, what), status == 0, printed)

    def skip(self, why):
        global made
        made += 1
        self.skipping = why
        print("ok %d - %s # SKIP %s" % (made, self.page, why))

    def console(self, pairs, last_status):
        result = ""
        for i, (command, expected) in enumerate(pairs):
            status, printed = self.shell.run(command)
            printed = shown(printed, self.scratch)
            must = last_status if i == len(pairs) - 1 else 0
            same = matches(expected, printed)
            why = "expected exit status %s, got %s\n" % (must, status)
            why += "expected:\n%s\nprinted:\n%s" % (expected, printed)
            good = status == must and (same or self.update)
            say("%s: %s" % (self.page, command.split("\n")[0]), good, why)
            keep = printed if good and not same else expected
            result += written(command) + "\n" + (keep + "\n" if keep else "")
        return result


def main(arguments):
    update, build = "--update" in arguments, "--build" in arguments
    for page in arguments:
        if not page.startswith("--"):
            with tempfile.TemporaryDirectory(prefix="throng-test.") as scratch:
                Walk(os.path.abspath(page), os.path.realpath(scratch), update,
                     build).walk()
    print("1..%d" % made)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
