"""The job event log, in the form of HTCondor 25.0.13.

Each function returns an event's text behind its head; `Log.write` puts number,
job and time before it and `...` behind. The form was taken from logs of a real
pool, and tests/cluster/condor_form.sh holds it against them.
"""
import json
import os
import random
import re
import threading
import time

HOST = "127.0.0.1"


def sinful(pool, sock):
    return (f"<{HOST}:9618?addrs={HOST}-9618&alias={pool}&noUDP"
            f"&sock={sock}>")


def as_json(ad, number, text):
    """The event as [03e-json-all.log] has it, as far as it tells of a job's
    state: +UserLogUseXML = 2."""
    event = {"Proc": ad["ProcId"], "Cluster": ad["ClusterId"], "Subproc": 0,
             "EventTime": time.strftime("%Y-%m-%dT%H:%M:%S.000"),
             "EventTypeNumber": number}
    hold = "Hold" if number in (12, 21) else ""
    body = text.partition("\n\t")[2].partition("\n")[0]
    code = re.search(r"Code (-?\d+) Subcode (-?\d+)", text)
    slot = re.search(r"SlotName: (\S+)", text)
    value = re.search(r"\((return value|signal) (\d+)\)", text)
    if code:
        event[hold + "ReasonCode"] = int(code.group(1))
        event[hold + "ReasonSubCode"] = int(code.group(2))
    if slot:
        event["SlotName"] = slot.group(1)
        event["ExecuteProps"] = {"Cpus": ad["RequestCpus"]}
    if number == 5 and value:
        event["TerminatedNormally"] = value.group(1) == "return value"
        event["ReturnValue" if event["TerminatedNormally"] else
              "TerminatedBySignal"] = int(value.group(2))
    if number in (9, 12, 13):
        event[hold + "Reason"] = body
    return json.dumps(event, indent=2) + "\n"


class Log:
    """Writes events of all jobs, each to the file that its ad names.

    A log that cannot be written is passed over in silence, as HTCondor does.
    Now and then an event is written in two parts: readers of a real log saw
    2.5 % of its growths end inside one (htcondor.md, section 3)."""

    def __init__(self, legacy):
        self.form = "%m/%d %H:%M:%S" if legacy else "%Y-%m-%d %H:%M:%S"
        self.sealed = False
        self.lock = threading.Lock()
        self.files = {} # a shadow keeps its log open: renaming moves nothing

    def file_of(self, path):
        if self.sealed:
            raise PermissionError
        if path not in self.files:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self.files[path] = open(path, "ab", buffering=0)
        return self.files[path]

    def write(self, ad, number, text):
        when = time.strftime(self.form)
        record = (f"{number:03d} ({ad['ClusterId']:03d}.{ad['ProcId']:03d}.000)"
                  f" {when} {text}\n...\n").encode()
        if ad.get("UserLogUseXML") == 2:
            record = as_json(ad, number, text).encode()
        with self.lock:
            try:
                out = self.file_of(ad["UserLog"])
                if random.random() < 0.025:
                    cut = random.randrange(1, len(record))
                    out.write(record[:cut])
                    time.sleep(0.01)
                    record = record[cut:]
                out.write(record)
            except (OSError, KeyError):
                pass

    def close(self, path):
        """When no job writes to it any more."""
        with self.lock:
            if path in self.files:
                self.files.pop(path).close()


def submitted(pool, schedd):
    return f"Job submitted from host: {sinful(pool, schedd)}"


def input_begins(pool, slot_sock):
    return ("Started transferring input files\n"
            f"\tTransferring to host: {sinful(pool, slot_sock)}")


INPUT_ENDS = "Finished transferring input files"
OUTPUT_BEGINS = "Started transferring output files"
OUTPUT_ENDS = "Finished transferring output files"


def executing(run):
    lines = [f"Job executing on host: {sinful(run.pool.name, run.startd)}",
             f"\tSlotName: {run.slot_name}",
             f"\tAvailableGPUs = {{ {run.gpu_names()} }}",
             f'\tCondorScratchDir = "{run.sandbox}"',
             f"\tCpus = {run.cpus}", f"\tDisk = {run.disk}",
             f"\tGPUs = {run.ad['RequestGPUs']}", f"\tMemory = {run.memory}"]
    return "\n".join(lines)


def image_size(kb, resident_kb):
    return (f"Image size of job updated: {kb}\n"
            f"\t{-(-resident_kb // 1024)}  -  MemoryUsage of job (MB)\n"
            f"\t{resident_kb}  -  ResidentSetSize of job (KB)")


def times(seconds):
    s = int(seconds)
    return f"{s // 86400} {s // 3600 % 24:02d}:{s // 60 % 60:02d}:{s % 60:02d}"


def usage_line(run, what, remote=True):
    user, system = run.cpu_seconds() if remote else (0, 0)
    return (f"\t\tUsr {times(user)}, Sys {times(system)}  -  {what} Usage")


def resources(run):
    """The table of usage, request and what was allocated. Numbers are aligned
    at their point, where one of them has one."""
    cpus = run.cpu_share()
    point = "." in cpus
    rows = [("Cpus", cpus, run.ad["RequestCpus"], run.cpus),
            ("Disk (KB)", run.disk_used(), run.ad["RequestDisk"], run.disk),
            ("GPUs", "", run.ad["RequestGPUs"] or "", run.ad["RequestGPUs"]),
            ("Memory (MB)", run.memory_used(), run.ad["RequestMemory"],
             run.memory)]
    if run.began:
        rows.append(("TimeExecute (s)", run.seconds_since(run.began), "", ""))
    rows.append(("TimeSlotBusy (s)", run.seconds_since(run.claimed), "", ""))
    lines = ["\tPartitionable Resources :    Usage  Request Allocated "]
    for name, used, asked, given in rows:
        used = str(used)
        if point and used and "." not in used:
            used += "   "
        lines.append(f"\t   {name:<21}:{used:>9}{asked!s:>9}{given!s:>10} ")
    return "\n".join(lines)


def evicted(run, code, subcode, reason):
    return "\n".join([
        f"Job was evicted. Code {code} Subcode {subcode}",
        "\t(0) CPU times", usage_line(run, "Run Remote"),
        usage_line(run, "Run Local", False),
        f"\t{run.sent}  -  Run Bytes Sent By Job",
        f"\t{run.received}  -  Run Bytes Received By Job",
        f"\tReason: {reason}", resources(run)])


def terminated(run, status):
    how = [f"\t(1) Normal termination (return value {status})"]
    if status < 0:
        how = [f"\t(0) Abnormal termination (signal {-status})",
               "\t(0) No core file"]
    return "\n".join(["Job terminated."] + how + [
        usage_line(run, "Run Remote"), usage_line(run, "Run Local", False),
        usage_line(run, "Total Remote"), usage_line(run, "Total Local", False),
        f"\t{run.sent}  -  Run Bytes Sent By Job",
        f"\t{run.received}  -  Run Bytes Received By Job",
        f"\t{run.ad['BytesSent']}  -  Total Bytes Sent By Job",
        f"\t{run.ad['BytesRecvd']}  -  Total Bytes Received By Job",
        resources(run)])


def aborted(reason):
    return f"Job was aborted.\n\t{reason}"


def held(reason, code, subcode):
    return f"Job was held.\n\t{reason}\n\tCode {code} Subcode {subcode}"


def released(reason):
    return f"Job was released.\n\t{reason}"


def starter_error(slot_name, reason, code, subcode):
    return (f"Error from starter on {slot_name}:\n\t{reason}\n"
            f"\tCode {code} Subcode {subcode}")


SOCKET_CLOSED = "Socket between submit and execute hosts closed unexpectedly"
SCHEDD_DIED = "Local schedd and job shadow died, schedd now running again"


def disconnected(run, why):
    return ("Job disconnected, attempting to reconnect\n"
            f"    {why}\n    Trying to reconnect to {run.slot_name} "
            f"{sinful(run.pool.name, run.startd)}")


def reconnected(run):
    return (f"Job reconnected to {run.slot_name}\n"
            f"    startd address: {sinful(run.pool.name, run.startd)}\n"
            f"    starter address: {sinful(run.pool.name, run.sock)}")


def reconnection_failed(run, why):
    return (f"Job reconnection failed\n    {why}\n"
            f"    Can not reconnect to {run.slot_name}, rescheduling job")
