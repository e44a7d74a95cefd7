#!/usr/bin/env python3
"""cut.py - vacates the jobs of a study at random moments

    cut.py STUDY_FOLDER TIMES SEED PID

Each job is vacated in TIMES of its starts or more, each time some moments after
its worker has said a report, so that each such start is a slice with work in
it. Ends with the process PID, the study's conductor, and prints how often it
did so.

Which jobs run, and where, it reads in their event logs. Of a pool whose
sandboxes are on this machine it looks into those; elsewhere a second of running
must do for a report.
"""
import glob
import os
import random
import re
import struct
import subprocess
import sys
import time

REPORTS = (4, 8)  # RECORD_METRICS, RECORD_POINTS
EVENT = re.compile(r"^(\d{3}) \((\d+)\.(\d+)\.\d+\) .*?^\.\.\.$", re.M | re.S)
SCRATCH = re.compile(r'^\tCondorScratchDir = "(.*)"$', re.M)


def starts_of(folder):
    """{(cluster, proc): [scratch folder of each start]}, and who runs."""
    starts, running = {}, set()
    for path in glob.glob(os.path.join(folder, "jobs/*/events.log")):
        with open(path) as f:
            text = f.read()
        for m in EVENT.finditer(text):
            number, job = m.group(1), (int(m.group(2)), int(m.group(3)))
            if number == "001":
                found = SCRATCH.search(m.group(0))
                starts.setdefault(job, []).append(found and found.group(1))
                running.add(job)
            elif number in ("004", "005", "009", "012"):
                running.discard(job)
    return starts, running


def reports(path):
    """Whether a file of records has one with reports."""
    with open(path, "rb") as f:
        text = f.read()
    at = 0
    while at + 12 <= len(text):
        length = struct.unpack_from("<I", text, at)[0]
        if text[at + 9] in REPORTS:
            return True
        at += 4 + length
    return False


def slices(scratch):
    """How many starts have reported, and whether the newest has."""
    said = glob.glob(os.path.join(scratch, "throng-out", "*.said.*"))
    said.sort(key=lambda p: int(p.rpartition(".")[2]))
    told = [reports(p) for p in said]
    return sum(told), bool(told) and told[-1]


def due(scratch, begun, times, cut):
    if scratch and os.path.isdir(scratch):
        try:
            count, newest = slices(scratch)
        except OSError: # it is leaving
            return False
        return newest and count <= times
    return time.time() - begun > 1 and cut < times + 2


def main():
    folder, times, seed, pid = sys.argv[1], int(sys.argv[2]), sys.argv[3], \
        int(sys.argv[4])
    random.seed(seed)
    seen, moments, cut, vacated = {}, {}, {}, 0
    while os.path.isdir(f"/proc/{pid}"):
        time.sleep(0.05)
        chosen = []
        starts, running = starts_of(folder)
        for job in sorted(running):
            key = job, len(starts[job])
            begun = seen.setdefault(key, time.time())
            if moments.get(key) is None and due(
                    starts[job][-1], begun, times, cut.get(job, 0)):
                moments[key] = time.time() + random.uniform(0, 0.3)
            if 0 < (moments.get(key) or 0) <= time.time():
                moments[key] = 0 # once
                chosen.append(job)
        if chosen:
            subprocess.run(["condor_vacate_job"] + ["%d.%d" % j for j in chosen],
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
            vacated += len(chosen)
            for job in chosen:
                cut[job] = cut.get(job, 0) + 1
    print(vacated)


main()
