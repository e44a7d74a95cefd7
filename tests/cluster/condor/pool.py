"""The pool's one process: queue, machines, and what the tools ask of them."""
import getpass
import json
import os
import random
import re
import shutil
import signal
import socketserver
import sys
import threading
import time
import traceback

import classad
import events
import family
import starter
import tools
import transfer
from starter import COMPLETED, HELD, IDLE, REMOVED, RUNNING

SCHEDD_AWAY = 10     # s until the master has it running again [08b-schedd]
CRASH_AWAY = 7       # s until the pool was started again [08b-overlap]
MEMORY_MB, DISK_KB = 16384, 83083424


class Machine:
    """One partitionable slot."""

    def __init__(self, name, settings):
        self.name, self.cpus = name, settings["cpus"]
        self.free_cpus, self.free_memory = self.cpus, MEMORY_MB
        self.all_gpus = [f"GPU-{i:08x}" for i in range(settings["gpus"])]
        self.gpus = list(self.all_gpus)
        self.numbers = set() # of the slots that are claimed
        self.container = bool(settings["apptainer"])
        self.methods = "data,file,http,https" + (
            ",osdf" if settings["osdf"] else "")
        self.born()

    def born(self):
        self.startd = f"startd_{os.getpid()}_{random.randrange(65536):04x}"

    def ad(self):
        busy = self.free_cpus < self.cpus
        return {
            "Machine": self.name, "Name": f"slot1@{self.name}",
            "SlotType": "Partitionable", "PartitionableSlot": True,
            "State": "Unclaimed", "Activity": "Idle", "Arch": "X86_64",
            "OpSys": "LINUX", "OpSysAndVer": "Debian12",
            "CondorVersion": tools.VERSION_LINE,
            "Cpus": self.free_cpus, "Memory": self.free_memory,
            "Disk": DISK_KB, "GPUs": len(self.gpus),
            "TotalCpus": float(self.cpus), "TotalMemory": MEMORY_MB,
            "TotalDisk": DISK_KB, "TotalGPUs": len(self.all_gpus),
            "TotalSlotCpus": self.cpus, "TotalSlotMemory": MEMORY_MB,
            "TotalSlotDisk": DISK_KB, "TotalSlotGPUs": len(self.all_gpus),
            "NumDynamicSlots": len(self.numbers) if busy else 0,
            "HasFileTransfer": True, "HasSelfCheckpointTransfers": True,
            "HasContainer": self.container,
            "HasFileTransferPluginMethods": self.methods,
            "FileSystemDomain": "example.net"}

    def slot_ad(self, run):
        return {**self.ad(), "Name": run.slot_name, "SlotType": "Dynamic",
                "PartitionableSlot": False, "Cpus": run.cpus,
                "Memory": run.memory, "Disk": run.disk, "SlotID": 1,
                "GPUs": len(run.gpus), "AssignedGPUs": ",".join(run.gpus)}

    def could(self, job, whole):
        """Whether the job matches: with what is free, or with all of it."""
        ad = self.ad()
        if whole:
            ad.update(Cpus=self.cpus, Memory=MEMORY_MB,
                      GPUs=len(self.all_gpus))
        elif ad["Cpus"] < job["RequestCpus"]:
            return False
        return classad.matches(job["Requirements"], job, ad) and \
            self.gpu_fits(job)

    @staticmethod
    def gpu_fits(job):
        """The pretended GPUs have capability 8.0 and 40,000 MB."""
        return job.get("GPUsMinCapability", 0) <= 8.0 and \
            job.get("GPUsMaxCapability", 99) >= 8.0 and \
            job.get("GPUsMinMemory", 0) <= 40000

    def claim(self):
        number = next(i for i in range(1, 1000) if i not in self.numbers)
        self.numbers.add(number)
        return number

    def take(self, run):
        self.free_cpus -= run.cpus
        self.free_memory -= run.memory
        count = run.ad["RequestGPUs"]
        run.gpus, self.gpus = self.gpus[:count], self.gpus[count:]

    def give_back(self, run):
        self.free_cpus += run.cpus
        self.free_memory += run.memory
        self.gpus += run.gpus
        self.numbers.discard(run.slot)


class Pool:
    def __init__(self, folder, settings):
        self.folder, self.settings = folder, settings
        names = [f"pool{i + 1}.example.net" for i in
                 range(settings["machines"])]
        self.name, self.short = names[0], "pool1"
        self.machines = [Machine(n, settings) for n in names]
        self.user = getpass.getuser()
        self.schedd = f"schedd_{os.getpid()}_{random.randrange(65536):04x}"
        self.log = events.Log(settings["legacy"])
        self.outputs_sealed = False
        self.lock = threading.RLock()
        self.jobs, self.ready, self.runs = {}, {}, {}
        self.history, self.orphans = [], []
        self.schedd_up, self.all_down = threading.Event(), False
        self.schedd_up.set()
        self.cluster, self.serial = 0, 10000
        self.next_start = 0.0

    # ---- time ------------------------------------------------------------------

    def pause(self, seconds):
        time.sleep(seconds * self.settings["pace"])

    def between(self, low, high):
        return random.uniform(low, high) * self.settings["pace"]

    # ---- the queue ---------------------------------------------------------------

    def submit(self, ads):
        """All of them, in the log before this returns."""
        now = int(time.time())
        first = time.time() + random.uniform(*self.settings["first"])
        with self.lock:
            for ad in ads:
                key = (ad["ClusterId"], ad["ProcId"])
                ad.update(JobStatus=IDLE, NumJobStarts=0, NumShadowStarts=0,
                          NumHolds=0, QDate=now, EnteredCurrentStatus=now,
                          BytesSent=0, BytesRecvd=0, ExitBySignal=False,
                          Owner=self.user, NumCkpts=0,
                          GlobalJobId=f"{self.name}#{key[0]}.{key[1]}#{now}")
                self.jobs[key] = ad
                self.log.write(ad, 0, events.submitted(self.name, self.schedd))
                if ad.pop("OnHold"):
                    self.hold(ad, "submitted on hold at user's request", 15, 0)
                else:
                    self.ready[key] = first

    def turn(self, ad, status):
        ad["JobStatus"] = status
        ad["EnteredCurrentStatus"] = int(time.time())

    def started(self, run):
        with self.lock:
            run.ad["NumJobStarts"] += 1
            run.ad["JobCurrentStartExecutingDate"] = int(time.time())

    def run_ended(self, run):
        with self.lock:
            run.machine.give_back(run)
            run.ad["LastRemoteHost"] = run.slot_name
            if self.runs.get(run.key) is run: # the next may have begun
                del self.runs[run.key]
                run.ad.pop("RemoteHost", None)
            self.heed_last_words(run)

    def heed_last_words(self, run):
        """Hold and removal that were asked for when it was about to end."""
        while not run.inbox.empty():
            what, *how = run.inbox.get()
            if what == "leave" and how[0].status != IDLE and \
                    run.key in self.jobs:
                self.ready.pop(run.key, None)
                self.left(run, how[0])

    def again(self, run, wait_s):
        """It is idle again, for a while."""
        with self.lock:
            if run.ad["JobStatus"] == RUNNING:
                self.turn(run.ad, IDLE)
                self.ready[run.key] = time.time() + wait_s

    def left(self, run, leaving):
        if leaving.status == IDLE:
            self.again(run, self.between(1, 3))
        elif leaving.status == HELD:
            self.hold(run.ad, leaving.reason, leaving.code, leaving.subcode)
        else:
            self.remove(run.ad, leaving.reason)

    def hold(self, ad, reason, code, subcode):
        with self.lock:
            if ad["JobStatus"] == REMOVED:
                self.remove(ad, ad["RemoveReason"])
                return
            self.turn(ad, HELD)
            ad.update(HoldReason=reason, HoldReasonCode=code,
                      HoldReasonSubCode=subcode, NumHolds=ad["NumHolds"] + 1)
            self.log.write(ad, 12, events.held(reason, code, subcode))

    def release(self, ad, reason):
        with self.lock:
            self.turn(ad, IDLE)
            for name in ("HoldReason", "HoldReasonCode", "HoldReasonSubCode"):
                ad.pop(name, None)
            self.log.write(ad, 13, events.released(reason))
            self.ready[(ad["ClusterId"], ad["ProcId"])] = \
                time.time() + self.between(0.5, 2)

    def remove(self, ad, reason):
        with self.lock:
            ad["RemoveReason"] = reason
            self.log.write(ad, 9, events.aborted(reason))
            self.over(ad, REMOVED)

    def over(self, ad, status):
        """It leaves the queue for the history; its spool is discarded."""
        key = (ad["ClusterId"], ad["ProcId"])
        with self.lock:
            self.turn(ad, status)
            ad["CompletionDate"] = int(time.time())
            self.jobs.pop(key, None)
            self.ready.pop(key, None)
            self.history.insert(0, ad)
            if not any(j.get("UserLog") == ad.get("UserLog")
                       for j in self.jobs.values()):
                self.log.close(ad.get("UserLog"))
        transfer.remove(os.path.join(self.folder, "spool", "%d.%d" % key))

    # ---- matching ------------------------------------------------------------------

    def negotiate(self):
        while True:
            time.sleep(0.02)
            if self.schedd_up.is_set() and time.time() >= self.next_start:
                with self.lock:
                    self.start_one()

    def start_one(self):
        """The next job that fits, and its like is not looked at again when it
        does not."""
        if not any(m.free_cpus for m in self.machines):
            return
        now, refused = time.time(), set()
        for key in sorted(self.ready):
            if self.ready[key] > now:
                continue
            ad = self.jobs[key]
            named = re.findall(r"\bMY\.(\w+)", ad["Requirements"])
            like = (ad["Requirements"], ad["RequestCpus"],
                    str(ad["RequestMemory"]), ad["RequestGPUs"],
                    *(str(ad.get(n)) for n in named))
            if like in refused:
                continue
            for machine in self.machines:
                if machine.could(ad, False):
                    del self.ready[key]
                    self.start(ad, machine)
                    self.next_start = now + 1 / self.settings["rate"]
                    return
            refused.add(like)

    def start(self, ad, machine):
        self.serial += 1
        run = starter.Run(self, ad, machine, machine.claim(), self.serial)
        machine.take(run)
        self.turn(ad, RUNNING)
        ad["NumShadowStarts"] += 1
        ad["RemoteHost"] = run.slot_name
        ad["JobStartDate"] = int(time.time())
        self.runs[run.key] = run
        run.start()

    # ---- faults ----------------------------------------------------------------------

    def schedd_dies(self):
        """[08b-schedd]: tools fail, jobs go on, 022 and 023 when it is back."""
        self.schedd_up.clear()
        self.pause(SCHEDD_AWAY)
        with self.lock:
            for run in self.runs.values():
                if run.began:
                    self.log.write(run.ad, 22, events.disconnected(
                        run, events.SCHEDD_DIED))
                    self.log.write(run.ad, 23, events.reconnected(run))
            self.schedd_up.set()

    def startd_dies(self, machine):
        with self.lock:
            machine.born()
            hit = [r for r in self.runs.values() if r.machine is machine]
        for run in hit:
            run.inbox.put(("startd",))

    def crashes(self):
        back = threading.Event()
        self.all_down = True
        self.schedd_up.clear()
        with self.lock:
            hit = list(self.runs.values())
        for run in hit:
            run.inbox.put(("crash", back))
        self.pause(CRASH_AWAY)
        for machine in self.machines:
            machine.born()
        self.all_down = False
        self.schedd_up.set()
        back.set()

    def fault(self, what, key):
        """What `condor fault` asks for. Returns the jobs that it hit."""
        with self.lock:
            running = sorted(k for k, r in self.runs.items() if r.began)
        if what in ("shadow", "starter"):
            self.runs[key].inbox.put((what,))
            return [key]
        if what == "startd":
            machine = self.runs[key].machine if key else self.machines[0]
            self.startd_dies(machine)
            return [k for k in running if self.runs[k].machine is machine]
        act = {"schedd": self.schedd_dies, "crash": self.crashes}[what]
        threading.Thread(target=act, daemon=True).start()
        return running

    def seal(self, what):
        """[01c-dirs]: logs, or outputs, may not be written any more: of the
        first nobody hears, the second hold jobs with 12/13."""
        self.log.sealed = what == "logs"
        self.outputs_sealed = what == "outputs"

    # ---- its own life -------------------------------------------------------------

    def complain(self):
        traceback.print_exc()
        sys.stderr.flush()

    def end(self):
        with self.lock:
            runs = list(self.runs.values())
        for process, sandbox in self.orphans + [
                (r.process, r.sandbox) for r in runs if r.process]:
            family.kill(process.pid, sandbox)


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        try:
            asked = json.loads(self.rfile.readline())
            answer = tools.answer(self.server.pool, asked)
        except Exception:
            self.server.pool.complain()
            answer = {"out": "", "err": traceback.format_exc(), "code": 70}
        self.wfile.write(json.dumps(answer).encode())


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


def main(folder):
    with open(os.path.join(folder, "settings.json")) as f:
        pool = Pool(folder, json.load(f))
    for name in ("execute", "spool"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)

    def leave(*_):
        pool.end()
        shutil.rmtree(os.path.join(folder, "execute"), ignore_errors=True)
        os._exit(0)
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    threading.Thread(target=family.outlive, daemon=True,
                     args=(pool.settings["owner"], leave)).start()
    threading.Thread(target=pool.negotiate, daemon=True).start()
    with Server(os.path.join(folder, "socket"), Handler) as server:
        server.pool = pool
        server.serve_forever()
