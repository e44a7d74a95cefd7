"""Holds event logs that the stand-in writes against those of a real pool.

    form.py CONDOR SAMPLES FOLDER

For each real log in SAMPLES that SCENES below knows, the same is done here: a
job of the same description, the same tools and faults. Then each job's events
must be the same, in order, line by line. Masked are times, ids, hosts, paths,
numbers of bytes and usage, and the user's name; left out are 006 events, whose
moments are chance, but not how they look. Prints TAP.
"""
import os
import re
import shutil
import subprocess
import sys
import threading
import time

ALL = """should_transfer_files = YES
request_memory = 64M
request_disk = 20M
log = x.log
executable = job
output = out.$(Process)
error = err.$(Process)
"""
EVICT = """when_to_transfer_output = ON_EXIT_OR_EVICT
checkpoint_exit_code = 85
transfer_checkpoint_files = ck, result.txt
transfer_output_files = ck, result.txt
"""
LONG = "#!/bin/sh\nexec /bin/sleep 60\n"
COUNTING = """#!/bin/sh
PATH=/bin:/usr/bin
[ -e n ] || echo 0 >n
n=$(($(cat n) + 1))
echo $n >n
%s
"""


def begun(times=1):
    return ("wait", lambda log: len(re.findall("^001 ", log, re.M)) >= times)


def told(number):
    return ("wait", lambda log: re.search(f"^{number:03d} ", log, re.M))


def saved(times):
    return ("wait", lambda log:
            log.count("Finished transferring output") >= times)


def tool(*words):
    return ("tool", words)


def fault(*words):
    return ("fault", words)


RM = tool("condor_rm", "1")

# sample: (description beyond ALL, program, what is done meanwhile)
SCENES = {
    "03-normal": ("queue 3\n", "#!/bin/sh\n/bin/sleep 0.2\n", []),
    "03-fail": ("queue\n", "#!/bin/sh\nexit 7\n", []),
    "03-signal": ("queue\n", "#!/bin/sh\nkill -11 $$\n", []),
    "03-holdrel": ("queue\n", LONG, [
        begun(), tool("condor_hold", "1.0"), told(12),
        tool("condor_release", "1.0"), begun(2),
        tool("condor_hold", "-reason", "by tool", "-subcode", "77", "1.0"),
        ("wait", lambda log: log.count("\n012 ") == 2), RM]),
    "03-rmrun": ("queue\n", LONG, [begun(), RM]),
    "03-rmidle": ('requirements = (Machine == "nowhere")\nqueue\n', LONG,
                  [told(0), tool("condor_rm", "-reason", "not wanted", "1")]),
    "03-vacate": ("queue\n", LONG, [
        begun(), tool("condor_vacate_job", "1.0"), begun(2),
        tool("condor_vacate_job", "-fast", "1.0"), begun(3), RM]),
    "03-missingout": (
        "transfer_output_files = result.txt, not-made.txt\nqueue\n",
        "#!/bin/sh\n>result.txt\n", [told(12), RM]),
    "03-missingin": ("transfer_input_files = gone.dat\nqueue\n", LONG,
                     [told(12), RM]),
    "03-badexe": ("queue\n", "#!/no/such/interp\n", [told(12), RM]),
    "05-quiet": ("checkpoint_exit_code = 85\ntransfer_checkpoint_files = n\n"
                 "transfer_output_files = n\nqueue\n",
                 COUNTING % "[ $n -eq 3 ] || exit 85", []),
    "05-missing": ("checkpoint_exit_code = 85\ntransfer_checkpoint_files = m\n"
                   "transfer_output_files = n\nqueue\n",
                   COUNTING % "exit 85", [told(12), RM]),
    "05c-evict0": (EVICT + "queue\n", """#!/bin/sh
PATH=/bin:/usr/bin
[ -e ck/two ] && exit 0
[ -e ck/one ] && { >ck/two; exit 85; }
mkdir -p ck; >result.txt
trap '>ck/one; exit 0' TERM
sleep 60 & wait
""", [begun(), tool("condor_vacate_job", "1.0")]),
    "05-evictor": ("when_to_transfer_output = ON_EXIT_OR_EVICT\n"
                   "transfer_output_files = result.txt\n"
                   "checkpoint_exit_code = 85\n"
                   "transfer_checkpoint_files = n\nqueue\n",
                   COUNTING % "[ $n -gt 2 ] || exit 85; exec sleep 60",
                   [saved(2), tool("condor_vacate_job", "1.0"), told(12), RM]),
    "08-vac4": ("job_max_vacate_time = 4\nqueue\n",
                "#!/bin/sh\ntrap '' TERM\n/bin/sleep 60\n",
                [begun(), tool("condor_vacate_job", "1.0"), begun(2), RM]),
    "08b-shadow": ("queue\n", LONG, [begun(), fault("shadow", "1.0"),
                                     begun(2), RM]),
    "08b-starter": ("queue\n", LONG, [begun(), fault("starter", "1.0"),
                                      begun(2), RM]),
    "08b-schedd": ("queue\n", LONG, [begun(), fault("schedd"), told(23), RM]),
    "08b-lease": ("job_lease_duration = 60\nqueue\n", LONG,
                  [begun(), fault("startd", "1.0"), begun(2), RM]),
    "08b-overlap": ("job_lease_duration = 60\nqueue\n", LONG,
                    [begun(), fault("crash"), begun(2), RM]),
}

MASKS = [
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
    (r"sock=(slot|startd|schedd)\w*", r"sock=\1"),
    (r"127\.0\.0\.1:\d+", "HOST"), (r"slot1_\d+@", "slot1@"),
    (r"by user \w+", "by user USER"),
    (r"/\S*/(dir_\d+/)?", "FOLDER/"), (r'FOLDER/dir_\d+"', 'FOLDER/DIR"'),
    (r"execute 'FOLDER/[^']*'", "execute 'PROGRAM'"),
    (r"^(\t+)\d+  -  ", r"\1N  -  "), (r"updated: \d+", "updated: N"),
    (r"^\t(Cpus|Disk|GPUs|Memory) = \d+", r"\t\1 = N"),
    (r"(Usr|Sys) \d \d\d:\d\d:\d\d", r"\1 USED"),
]
# Rows of the table that are there or not as the moment had it.
CHANCE = ("GPUs", "TimeExecute (s)", "TimeSlotBusy (s)")
ROW = re.compile(r"\t   (.{21}):(.{9})(.{9})(.{10}) $")


def masked(line):
    row = ROW.match(line)
    if row:
        name, used, asked, given = [w.strip() for w in row.groups()]
        if not re.fullmatch(r"(\d+(\.\d\d)?)?", used):
            return line
        return None if name in CHANCE else \
            f"row {name} {asked and 'N'} {given and 'N'}"
    for pattern, by in MASKS:
        line = re.sub(pattern, by, line)
    return line


def jobs_of(text):
    """{proc: its events}, each a list of masked lines; and the looks of 006."""
    jobs, sizes = {}, set()
    for event in text.split("\n...\n"):
        if not event:
            continue
        number, proc = re.match(r"(\d{3}) \(\d+\.(\d+)\.000\) ",
                                event).groups()
        lines = re.sub(r"\(\d+\.\d+\.000\)", "(ID)", event).split("\n")
        lines = [m for m in map(masked, lines) if m is not None]
        if number == "006":
            sizes.add("\n".join(lines))
        else:
            jobs.setdefault(int(proc), []).append("\n".join(lines))
    return jobs, sizes


def settled(events):
    """001 may come before the second 040 of a start (htcondor.md, 3)."""
    events = list(events)
    for i in range(len(events) - 1):
        if events[i].startswith("001") and "Finished transferring input" in \
                events[i + 1]:
            events[i], events[i + 1] = events[i + 1], events[i]
    return events


class Scene(threading.Thread):
    def __init__(self, name, condor, samples, folder):
        super().__init__()
        self.label, self.condor = name, condor
        self.folder = os.path.join(folder, name)
        self.sample = os.path.join(samples, name + ".log")
        self.wrong = []

    def call(self, *argv):
        env = dict(os.environ, CONDOR_TEST_FIRST="0-0.1",
                   CONDOR_TEST_PACE="0.05",
                   CONDOR_TEST_POOL=self.folder + "/pool",
                   PATH=f"{self.folder}/pool/bin:{os.environ['PATH']}")
        return subprocess.run(argv, cwd=self.folder, env=env,
                              capture_output=True, text=True)

    def log(self):
        try:
            with open(self.folder + "/x.log") as f:
                return f.read()
        except OSError:
            return ""

    def wait(self, condition):
        for _ in range(1200):
            if condition(self.log()):
                return
            time.sleep(0.05)
        self.wrong.append("what was waited for did not come")

    def run(self):
        os.makedirs(self.folder)
        self.call(self.condor, "up", self.folder + "/pool")
        try:
            self.play()
        finally:
            self.call(self.condor, "down", self.folder + "/pool")
        self.compare()

    def play(self):
        description, program, steps = SCENES[self.label]
        with open(self.folder + "/job", "w") as f:
            f.write(program)
        os.chmod(self.folder + "/job", 0o755)
        with open(self.folder + "/x.sub", "w") as f:
            f.write(ALL + description)
        self.call("condor_submit", "-terse", "x.sub")
        for kind, what in steps:
            if kind == "wait":
                self.wait(what)
            elif kind == "tool":
                self.call(*what)
            else:
                self.call(self.condor, "fault", self.folder + "/pool", *what)
        count = len(re.findall("^000 ", self.log(), re.M))
        self.wait(lambda log: len(re.findall("^00[59] ", log, re.M)) >= count)

    def compare(self):
        with open(self.sample) as f:
            theirs, sizes = jobs_of(f.read())
        ours, our_sizes = jobs_of(self.log())
        if our_sizes - sizes and sizes:
            self.wrong.append(f"006 is not so: {our_sizes}")
        for proc in sorted(theirs):
            a, b = settled(theirs[proc]), settled(ours.get(proc, []))
            if a[-1][:3] not in ("005", "009"): # it was not followed further
                b = b[:len(a)]
            if a != b:
                self.wrong += self.difference(proc, a, b)

    @staticmethod
    def difference(proc, a, b):
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                  min(len(a), len(b)))
        return [f"proc {proc}, event {at}:",
                "real: " + (a[at] if at < len(a) else "no more"),
                "ours: " + (b[at] if at < len(b) else "no more")]


def main(condor, samples, folder):
    scenes = [Scene(n, condor, samples, folder) for n in SCENES]
    for at in range(0, len(scenes), 5):
        for scene in scenes[at:at + 5]:
            scene.start()
        for scene in scenes[at:at + 5]:
            scene.join()
    failed = 0
    for i, scene in enumerate(scenes, 1):
        word = "not ok" if scene.wrong else "ok"
        failed += bool(scene.wrong)
        print(f"{word} {i} - the event log of {scene.label} is as a real one")
        for line in "\n".join(scene.wrong).split("\n") if scene.wrong else []:
            print("#   " + line)
        shutil.rmtree(scene.folder, ignore_errors=True)
    print(f"1..{len(scenes)}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
