"""One run of a job, from its claim to its end: what HTCondor's shadow and
starter do. A run is a thread; what happens to it arrives in its inbox.

Each fault below names the sample, or the row of htcondor.md, that it replays.
"""
import errno
import os
import queue
import resource
import signal
import subprocess
import threading
import time

import classad
import events
import family
import transfer
from describe import listed

IDLE, RUNNING, REMOVED, COMPLETED, HELD = 1, 2, 3, 4, 5
IMAGE_SIZE_EVERY = 5.0 # STARTER_UPDATE_INTERVAL
VACATE_TIME = 600      # MachineMaxVacateTime


def started(command, **how):
    """All starters are threads of one process here, as they are not in
    HTCondor: while one of them writes a program into its sandbox, another may
    fork, and until that child has become its program the file counts as being
    written."""
    for tries in range(600):
        try:
            return subprocess.Popen(command, **how)
        except OSError as e:
            if e.errno != errno.ETXTBSY or tries == 599:
                raise
        time.sleep(0.05)


class Leave:
    """That a run is to end before its job has: by vacate, hold or rm."""

    def __init__(self, status, reason="", code=0, subcode=0):
        self.status, self.reason = status, reason
        self.code, self.subcode = code, subcode


class Run(threading.Thread):
    def __init__(self, pool, ad, machine, slot, serial):
        super().__init__(daemon=True)
        self.pool, self.ad, self.machine, self.slot = pool, ad, machine, slot
        self.key = (ad["ClusterId"], ad["ProcId"])
        self.startd = machine.startd
        self.slot_name = f"slot1_{slot}@{machine.name}"
        self.sock = f"slot1_{slot}_{machine.startd.split('_', 1)[1]}_{serial}"
        self.sandbox = os.path.join(pool.folder, "execute", f"dir_{serial}")
        self.spool = os.path.join(pool.folder, "spool",
                                  "%d.%d" % self.key)
        self.cpus = ad["RequestCpus"]
        self.memory = -(-ad["RequestMemory"] // 128) * 128
        self.disk = ad["RequestDisk"] + 1024
        self.gpus = []
        self.inbox = queue.Queue()
        self.process, self.began, self.claimed = None, 0, time.time()
        self.leaving, self.kill_at, self.hard = None, None, False
        self.removal = None # asked for while disconnected
        self.image_at = 0
        self.image, self.resident = 1, 0
        self.user_s = self.system_s = 0.0
        self.sent = self.received = 0
        self.there_before = set()

    # ---- what the event log is told -------------------------------------------

    def log(self, number, text):
        self.pool.schedd_up.wait()
        self.pool.log.write(self.ad, number, text)

    def gpu_names(self):
        return ", ".join(self.gpus)

    def seconds_since(self, when):
        return int(time.time() - when)

    def cpu_seconds(self):
        return self.user_s, self.system_s

    def cpu_share(self):
        if not self.began:
            return ""
        share = (self.user_s + self.system_s) / max(1, time.time() - self.began)
        return f"{share:.2f}" if share > 0 else "0"

    def memory_used(self):
        return -(-self.resident // 1024) if self.began else ""

    def disk_used(self):
        try:
            return max(1, transfer.size_of(self.sandbox) // 1024)
        except OSError:
            return 1

    # ---- its life ----------------------------------------------------------------

    def run(self):
        try:
            self.live()
        except Exception: # a stand-in that fails must not fail in silence
            self.pool.complain()
            raise
        finally:
            if self.process:
                family.kill(self.process.pid, self.sandbox)
            transfer.remove(self.sandbox)
            self.pool.run_ended(self)

    def live(self):
        self.log(40, events.input_begins(self.pool.name, self.sock))
        os.makedirs(self.sandbox)
        if self.left_meanwhile():
            return
        try:
            self.received = transfer.bring_in(self)
        except transfer.Failed as e:
            self.log(40, events.INPUT_ENDS)
            self.log(40, events.OUTPUT_BEGINS)
            self.fail(e.code or 13, e)
            return
        self.ad["BytesRecvd"] += self.received
        self.log(40, events.INPUT_ENDS)
        self.furnish()
        if "TransferOutput" not in self.ad:
            self.pool.pause(1) # htcondor.md, 1.11
        if self.begin():
            self.began = time.time()
            self.image_at = self.began + IMAGE_SIZE_EVERY
            self.pool.started(self)
            self.log(1, events.executing(self))
            self.attend()

    def left_meanwhile(self):
        """[04-urlbadport]: who removes a job while its files are on their way
        sees them called finished, an eviction, and no 001."""
        until = time.time() + self.pool.settings["transfer"]
        while time.time() < until:
            try:
                what, *how = self.inbox.get(timeout=until - time.time())
            except queue.Empty:
                return False
            if what in ("leave", "fast"):
                self.log(40, events.INPUT_ENDS)
                self.log(4, events.evicted(self, 1009, 0, "Claim deactivated"))
                self.pool.left(self, how[0] if how else Leave(IDLE))
                return True
            if what == "forget":
                return True
        return False

    def furnish(self):
        with self.pool.lock:
            job = {k: v for k, v in self.ad.items()
                   if not isinstance(v, (dict, list))}
        for name, ad in ((".job.ad", job),
                         (".machine.ad", self.machine.slot_ad(self))):
            with open(os.path.join(self.sandbox, name), "w") as f:
                f.write(classad.as_lines(ad))
        os.makedirs(os.path.join(self.sandbox, "var", "tmp"), exist_ok=True)
        for name in (".chirp.config", ".update.ad"):
            open(os.path.join(self.sandbox, name), "w").close()
        self.there_before = set(os.listdir(self.sandbox))

    def environment(self):
        n, dir_ = str(self.cpus), self.sandbox
        gpus = ",".join(self.gpus)
        env = {"_CONDOR_SCRATCH_DIR": dir_, "_CONDOR_JOB_IWD": dir_,
               "_CONDOR_JOB_AD": dir_ + "/.job.ad",
               "_CONDOR_MACHINE_AD": dir_ + "/.machine.ad",
               "_CONDOR_SLOT": f"slot1_{self.slot}",
               "_CONDOR_AssignedGPUs": gpus or "10000",
               "CUDA_VISIBLE_DEVICES": gpus or "10000",
               "NVIDIA_VISIBLE_DEVICES": gpus or "none",
               "BATCH_SYSTEM": "HTCondor", "HOME": os.path.expanduser("~"),
               "TMPDIR": "/tmp", "TMP": "/tmp", "TEMP": "/tmp"}
        for name in ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "GOMAXPROCS",
                     "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                     "PYTHON_CPU_COUNT"):
            env[name] = n
        env.update(self.ad["Env"])
        return env

    def command(self):
        own = "./" + os.path.basename(self.ad["Cmd"])
        image = self.ad.get("ContainerImage")
        if not image:
            return [own] + self.ad["Args"]
        return [self.pool.settings["apptainer"], "exec", "--bind",
                self.sandbox, "--pwd", self.sandbox,
                image if "://" in image else os.path.basename(image),
                own] + self.ad["Args"]

    def begin(self):
        """Starts the program, in a session of its own. False: it cannot be."""
        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.umask(0o022)
        at = [os.path.join(self.sandbox, n)
              for n in (transfer.STDOUT, transfer.STDERR)]
        try:
            with open(at[0], "ab") as out, open(at[1], "ab") as err:
                self.process = started(
                    self.command(), cwd=self.sandbox, stdout=out, stderr=err,
                    stdin=subprocess.DEVNULL, env=self.environment(),
                    start_new_session=True, preexec_fn=prepare)
        except OSError as e:
            self.cannot_execute(e)
            return False
        threading.Thread(target=self.wait_for, args=(self.process,),
                         daemon=True).start()
        return True

    def wait_for(self, process):
        _, status, use = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.user_s += use.ru_utime
        self.system_s += use.ru_stime
        self.resident = max(self.resident, use.ru_maxrss)
        self.inbox.put(("exit", process))

    def cannot_execute(self, e):
        """[03-badexe]: 001 is written all the same."""
        self.log(1, events.executing(self))
        path = os.path.join(self.sandbox, os.path.basename(self.ad["Cmd"]))
        why = f"(errno={e.errno}: '{os.strerror(e.errno)}')"
        with open(path, "rb") as f:
            first = f.readline().decode(errors="replace").strip()
        if e.errno == 2 and first.startswith("#!"):
            why = (f"invalid interpreter ({first[2:].split()[0]}) specified on "
                   f"first line of script {why}")
        reason = f"Failed to execute '{path}': {why}"
        self.log(21, events.starter_error(self.slot_name, reason, 6, e.errno))
        self.pool.pause(20)
        self.hold_after(6, e.errno, f"Error from {self.slot_name}: {reason}")

    # ---- while it runs -----------------------------------------------------------

    def attend(self):
        ended = False
        while not ended:
            now = time.time()
            due = min(self.image_at, self.kill_at or now + 60)
            try:
                what, *how = self.inbox.get(timeout=max(0, due - now))
            except queue.Empty:
                self.something_is_due()
                continue
            ended = getattr(self, "on_" + what)(*how)

    def something_is_due(self):
        now = time.time()
        if self.kill_at and now >= self.kill_at:
            self.hard, self.kill_at = True, None
            family.kill(self.process.pid, self.sandbox)
        if now >= self.image_at:
            self.image_at = now + IMAGE_SIZE_EVERY * 4
            self.tell_image_size()

    def tell_image_size(self):
        image, resident = family.memory_kb(self.process.pid)
        self.image = max(self.image, image)
        self.resident = max(self.resident, resident)
        self.log(6, events.image_size(self.image, self.resident))

    def terminate(self):
        """Only the first process hears of it (htcondor.md, section 6)."""
        wait = self.ad.get("JobMaxVacateTime", VACATE_TIME)
        self.kill_at = time.time() + wait * self.pool.settings["pace"]
        try:
            os.kill(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass

    def on_exit(self, process):
        if process is not self.process:
            return False
        family.kill(process.pid, self.sandbox)
        self.pool.schedd_up.wait()
        self.kill_at = None
        if self.leaving:
            return self.leave()
        if process.returncode == self.ad.get("SuccessCheckpointExitCode"):
            return self.checkpoint()
        self.end(process.returncode)
        return True

    def on_leave(self, leaving):
        if self.leaving: # a second word: the last one tells what becomes of it
            self.leaving = leaving
            return False
        self.leaving = leaving
        self.terminate()
        return False

    def on_fast(self):
        """[08-vacatefast]: killed at once, nothing is sent."""
        family.kill(self.process.pid, self.sandbox)
        self.log(4, events.evicted(self, 1004, 0,
                                   "User requested the job to vacate"))
        self.tell_image_size()
        self.pool.again(self, self.pool.between(2, 4))
        return True

    def leave(self):
        """[05c-evict0]: with ON_EXIT_OR_EVICT outputs go to the spool, unless
        the job had to be killed."""
        if self.ad.get("WhenToTransferOutput") == "ON_EXIT_OR_EVICT" and \
                not self.hard:
            self.log(40, events.OUTPUT_BEGINS)
            try:
                transfer.send_to_spool(self, transfer.outputs(self))
            except transfer.Failed as e:
                self.fail(12, e)
                return True
            self.log(40, events.OUTPUT_ENDS)
        self.tell_image_size()
        self.log(4, events.evicted(self, 1009, 0, "Claim deactivated"))
        self.pool.left(self, self.leaving)
        return True

    def checkpoint(self):
        """[05-quiet]: a pair of 040, and the program begins again."""
        self.tell_image_size()
        self.log(40, events.OUTPUT_BEGINS)
        time.sleep(self.pool.settings["transfer"]) # nothing is heard meanwhile
        try:
            transfer.send_to_spool(
                self, listed(self.ad.get("TransferCheckpoint", "")))
        except transfer.Failed:
            why = "Starter failed to upload checkpoint" # [05-missing]
            self.log(21, events.starter_error(self.slot_name, why, 36, -1))
            self.pool.pause(20)
            self.hold_after(36, -1, f"Error from {self.slot_name}: {why}")
            return True
        self.log(40, events.OUTPUT_ENDS)
        with self.pool.lock:
            self.ad["CheckpointNumber"] = self.ad.get(
                "CheckpointNumber", -1) + 1
        return not self.begin()

    def end(self, status):
        self.tell_image_size()
        if transfer.outputs(self) or self.ad.get("Out") or self.ad.get("Err"):
            self.log(40, events.OUTPUT_BEGINS)
        with self.pool.lock:
            self.ad.update(ExitBySignal=status < 0)
            self.ad["ExitSignal" if status < 0 else "ExitCode"] = abs(status)
        try:
            transfer.send_home(self)
        except transfer.Failed as e:
            self.fail(12, e)
            return
        self.log(40, events.OUTPUT_ENDS)
        self.log(5, events.terminated(self, status))
        self.pool.over(self.ad, COMPLETED)

    def fail(self, code, e):
        """[03-missingout, 03-missingin]: 021 has a code of its own."""
        if e.sent_some: # [03-missingout], but not [04b-onexit_missing]
            self.log(40, events.OUTPUT_ENDS)
        self.log(21, events.starter_error(self.slot_name, e.starter_says, 13,
                                          e.subcode))
        self.hold_after(code, e.subcode, e.reason)

    def hold_after(self, code, subcode, reason):
        self.log(4, events.evicted(self, code, subcode, reason))
        self.pool.hold(self.ad, reason, code, subcode)

    # ---- faults --------------------------------------------------------------------

    def on_shadow(self):
        """[08b-shadow]: SIGTERM, nothing is sent, no event but a second 001;
        and NumJobStarts has not counted this start."""
        self.terminate()
        while self.process.returncode is None:
            time.sleep(0.05)
            if self.kill_at and time.time() > self.kill_at:
                family.kill(self.process.pid, self.sandbox)
        with self.pool.lock:
            self.ad["NumJobStarts"] -= 1
        self.pool.again(self, self.pool.between(1, 5))
        return True

    def on_starter(self):
        """[08b-starter]: killed; 022, 2 s later 024 and 004 1008."""
        family.kill(self.process.pid, self.sandbox)
        self.log(22, events.disconnected(self, events.SOCKET_CLOSED))
        self.pool.pause(2)
        self.give_up("Job not found at execution machine", True)
        self.pool.again(self, self.pool.between(6, 10))
        return True

    def on_startd(self):
        """[08b-startd, 08b-lease]: killed; 022, then nothing until the lease
        ends; the 004 comes 10 s after the 024."""
        family.kill(self.process.pid, self.sandbox)
        self.log(22, events.disconnected(self, events.SOCKET_CLOSED))
        return self.wait_for_lease(3, 10, True)

    def on_crash(self, back):
        """[08b-overlap]: all but the starter die, and the pool begins again:
        the process goes on in a sandbox that is gone, and after the lease a
        second copy begins. No 004."""
        self.pool.orphans.append((self.process, self.sandbox))
        self.process = None
        back.wait()
        transfer.remove(self.sandbox)
        self.log(22, events.disconnected(self, events.SCHEDD_DIED))
        return self.wait_for_lease(9, 0, False)

    def wait_for_lease(self, already, behind, evict):
        lease = self.ad["JobLeaseDuration"]
        until = time.time() + max(0, lease - already) * \
            self.pool.settings["pace"]
        while time.time() < until:
            try:
                what, *how = self.inbox.get(timeout=until - time.time())
            except queue.Empty:
                break
            if what == "leave":
                self.removal = how[0]
            if what == "forget":
                return True
        why = (f"Job disconnected too long: JobLeaseDuration ({lease} seconds)"
               " expired")
        self.give_up(why, evict, behind)
        if self.removal:
            self.pool.left(self, self.removal)
        else:
            self.pool.again(self, self.pool.between(7, 10))
        return True

    def give_up(self, why, evict, behind=0):
        self.log(24, events.reconnection_failed(self, why))
        self.pool.pause(behind)
        if evict:
            self.began = 0
            self.log(4, events.evicted(self, 1008, 0, why))

    def on_forget(self):
        """condor_rm -forcex."""
        return True

