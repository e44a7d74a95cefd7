"""Reading a submit description: text in, one ad per job out.

What condor_submit refuses is refused in its own words, what it takes though
it is wrong is taken (htcondor.md, section 2; sample 01-submit-errors).
"""
import os
import re

from classad import Expr, ParseError, parse

VERSION = "25.0.13"


class Refused(Exception):
    """In condor_submit's words, for standard error."""


# What a command becomes in the ad, and how its value is read.
COMMANDS = {
    "universe": ("", "ignored"), "notification": ("", "ignored"),
    "getenv": ("", "ignored"), "notify_user": ("", "ignored"),
    "executable": ("Cmd", "path"), "arguments": ("", "arguments"),
    "environment": ("", "environment"),
    "input": ("In", "text"), "output": ("Out", "text"),
    "error": ("Err", "text"), "log": ("UserLog", "path"),
    "initialdir": ("Iwd", "path"),
    "should_transfer_files": ("ShouldTransferFiles", "text"),
    "when_to_transfer_output": ("WhenToTransferOutput", "when"),
    "transfer_executable": ("TransferExecutable", "bool"),
    "transfer_input_files": ("TransferInput", "text"),
    "transfer_output_files": ("TransferOutput", "quoted"),
    "transfer_output_remaps": ("TransferOutputRemaps", "quoted"),
    "transfer_checkpoint_files": ("TransferCheckpoint", "text"),
    "checkpoint_exit_code": ("SuccessCheckpointExitCode", "int"),
    "preserve_relative_paths": ("PreserveRelativePaths", "bool"),
    "container_image": ("ContainerImage", "text"),
    "request_cpus": ("RequestCpus", "int"),
    "request_memory": ("RequestMemory", "megabytes"),
    "request_disk": ("RequestDisk", "kilobytes"),
    "request_gpus": ("RequestGPUs", "int"),
    "gpus_minimum_capability": ("GPUsMinCapability", "number"),
    "gpus_maximum_capability": ("GPUsMaxCapability", "number"),
    "gpus_minimum_memory": ("GPUsMinMemory", "megabytes"),
    "require_gpus": ("RequireGPUs", "expr"),
    "requirements": ("", "requirements"), "rank": ("Rank", "expr"),
    "priority": ("JobPrio", "int"), "hold": ("", "hold"),
    "batch_name": ("JobBatchName", "text"),
    "job_batch_name": ("JobBatchName", "text"),
    "job_max_vacate_time": ("JobMaxVacateTime", "int"),
    "job_lease_duration": ("JobLeaseDuration", "int"),
    "max_retries": ("MaxRetries", "int"),
    "accounting_group": ("AcctGroup", "text"),
    "stream_output": ("StreamOut", "bool"),
    "stream_error": ("StreamErr", "bool"),
}

SIZES = {"": 1, "k": 1, "kb": 1, "m": 1024, "mb": 1024, "g": 1024 ** 2,
         "gb": 1024 ** 2, "t": 1024 ** 3, "tb": 1024 ** 3}


def kilobytes(text, bare):
    m = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?b?)", text.strip().lower())
    if not m:
        return None
    unit = SIZES[m.group(2)] if m.group(2).strip("b") else bare
    return -int(-float(m.group(1)) * unit // 1)


def words_of(text, what):
    """The new syntax of arguments and environment: in double quotes, which
    are doubled inside; words with blanks stand in single quotes."""
    if not text.startswith('"'):
        return text.split()
    if len(text) < 2 or not text.endswith('"') or text[1:-1].replace(
            '""', "").count('"'):
        raise Refused("ERROR: Unterminated double-quote.\n"
                      f"The full {what} you specified were: {text}\n")
    words, word, quoted = [], None, False
    text = text[1:-1].replace('""', "\0")
    i = 0
    while i < len(text):
        c = text[i]
        if c == "'":
            if quoted and text[i + 1:i + 2] == "'":
                word += "'"
                i += 1
            else:
                quoted = not quoted
                word = word or ""
        elif c in " \t" and not quoted:
            words += [] if word is None else [word]
            word = None
        else:
            word = (word or "") + c
        i += 1
    words += [] if word is None else [word]
    return [w.replace("\0", '"') for w in words]


def want_expression(name, text):
    try:
        parse(text)
    except (ParseError, ValueError):
        raise Refused("ERROR: Parse error in expression: \n"
                      f"\t{name} = {text}\n\t\n") from None


def literal(text):
    """The value of `+Name = text`."""
    if re.fullmatch(r'"(?:[^"\\]|\\.)*"', text):
        return parse(text)[1]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return Expr(text)


class Description:
    """The commands in force at one queue line, and how they are read."""

    def __init__(self, folder):
        self.folder = folder
        self.set, self.line_of, self.used = {}, {}, set()

    def command(self, name, value, line):
        self.set[name.lower()] = value
        self.line_of[name.lower()] = line

    def expand(self, text, macros, depth=0):
        def one(m):
            name, _, default = m.group(1).partition(":")
            key = name.lower()
            if key in macros:
                return str(macros[key])
            if key in self.set and depth < 20:
                self.used.add(key)
                return self.expand(self.set[key], macros, depth + 1)
            return default
        return re.sub(r"\$\(([^()]*)\)", one, text)

    def read(self, kind, name, value):
        if kind == "path":
            return os.path.join(self.folder, value)
        if kind == "int":
            return int(value) if re.fullmatch(r"-?\d+", value) else Expr(value)
        if kind == "number":
            return float(value)
        if kind == "bool":
            return value.lower() == "true"
        if kind == "quoted":
            return value[1:-1] if value[:1] == '"' else value
        if kind == "megabytes":
            kb = kilobytes(value, 1024)
            return Expr(value) if kb is None else -(-kb // 1024)
        if kind == "kilobytes":
            kb = kilobytes(value, 1)
            return Expr(value) if kb is None else kb
        if kind == "expr":
            want_expression(name, value)
            return Expr(value)
        if kind == "when":
            if value.upper() not in ("ON_EXIT", "ON_EXIT_OR_EVICT",
                                     "ON_SUCCESS"):
                raise Refused(
                    f"\nERROR: invalid value ({value}) for "
                    "WhenToTransferOutput. Please either \nspecify ON_EXIT, "
                    "or ON_EXIT_OR_EVICT and try again. \n")
            return value.upper()
        return value

    def ad(self, macros):
        """The ad of the job that these commands describe."""
        ad, special = {"Iwd": self.folder}, {}
        for key, text in self.set.items():
            value = self.expand(text, macros).strip()
            if key[0] == "+" or key.startswith("my."):
                name = self.line_of[key].lstrip("+").split("=")[0].strip()
                name = re.sub("(?i)^my[.]", "", name)
                want_expression(name, value)
                ad[name] = literal(value)
            elif key in COMMANDS:
                name, kind = COMMANDS[key]
                if not name:
                    special[kind] = value
                elif value:
                    ad[name] = self.read(kind, name, value)
        self.finish(ad, special)
        return ad

    def finish(self, ad, special):
        if "Cmd" not in ad:
            raise Refused("ERROR: No 'executable' parameter was provided\n")
        check_executable(ad["Cmd"], self.expand(self.set["executable"], {}))
        for name, key in (("Out", "output"), ("Err", "error")):
            if re.search(r"\s", ad.get(name, "")): # its source: SetStdFile
                raise Refused(f"\nERROR: The '{key}' takes exactly one argument "
                              f"({ad[name]})\n")
        ad["Args"] = words_of(special.get("arguments", ""), "arguments")
        ad["Env"] = dict(w.partition("=")[::2] for w in words_of(
            special.get("environment", ""), "environment"))
        ad.setdefault("RequestCpus", 1)
        ad.setdefault("RequestMemory", 128)
        ad.setdefault("RequestDisk", 1024)
        ad.setdefault("RequestGPUs", 0)
        ad.setdefault("JobLeaseDuration", 2400)
        ad.setdefault("ShouldTransferFiles", "IF_NEEDED")
        ad["WantFTOnCheckpoint"] = "SuccessCheckpointExitCode" in ad
        ad["Requirements"] = Expr(requirements(
            ad, special.get("requirements")))
        want_expression("Requirements", ad["Requirements"])
        ad["OnHold"] = special.get("hold", "").lower() == "true"
        for name in listed(ad.get("TransferOutput", "")) + listed(
                ad.get("TransferCheckpoint", "")):
            if "/" in name.rstrip("/"):
                raise Refused(
                    "\nERROR: the stand-in has no sample of how an output "
                    f"inside a folder comes back: {name}\n")

    def unused(self):
        return [self.line_of[k] for k in self.set
                if k[0] != "+" and not k.startswith("my.")
                and k not in COMMANDS and k not in self.used]


def check_executable(path, shown):
    try:
        with open(path, "rb") as f:
            first = f.readline()
    except OSError as e:
        raise Refused(f"\nERROR: Can't access executable file {shown}: "
                      f"{e.strerror}\n") from None
    if first.startswith(b"#!") and first.endswith(b"\r\n"):
        raise Refused(
            f"\nERROR: Executable file {shown} is a script with CRLF "
            "(DOS/Windows) line endings.\nThis generally doesn't work, and "
            f"you should probably run 'dos2unix {shown}' -- or a similar "
            "tool -- before you resubmit.\n")


def listed(text):
    return [s.strip() for s in text.split(",") if s.strip()]


def url_scheme(name):
    m = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", name)
    return m.group(1) if m else None


def requirements(ad, own):
    parts = [f"({own})"] if own else []
    parts += ['(TARGET.Arch == "X86_64")', '(TARGET.OpSys == "LINUX")',
              "(TARGET.Disk >= RequestDisk)",
              "(TARGET.Memory >= RequestMemory)"]
    if ad["RequestCpus"] != 1:
        parts.append("(TARGET.Cpus >= RequestCpus)")
    if ad["RequestGPUs"]:
        parts.append("(TARGET.GPUs >= RequestGPUs)")
    if ad["ShouldTransferFiles"].upper() == "YES":
        parts.append("(TARGET.HasFileTransfer)")
    if ad["WantFTOnCheckpoint"]:
        parts.append("TARGET.HasSelfCheckpointTransfers")
    if "ContainerImage" in ad:
        parts.append("TARGET.HasContainer")
    schemes = {url_scheme(n) for n in listed(ad.get("TransferInput", ""))}
    for scheme in sorted(schemes - {None}):
        parts.append(f'stringListIMember("{scheme}",'
                     "TARGET.HasFileTransferPluginMethods)")
    return " && ".join(parts)


# ---- the file ----------------------------------------------------------------

def logical_lines(text):
    """(number of its first line, text), with continued lines joined."""
    joined, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if not joined:
            first = number
        if line.endswith("\\"):
            joined += line[:-1]
            continue
        yield first, joined + line
        joined = ""


def rows_from(path, number, shown):
    try:
        with open(path) as f:
            lines = f.read().split("\n")
    except OSError as e:
        raise Refused(f"\nERROR: on Line {number} of {shown}: can't open file "
                      f"{path}: {e.strerror}\n\nERROR: Failed to parse command "
                      f"file (line {number}).\n") from None
    rows = lines[:-1] if lines and not lines[-1] else lines
    filled = []
    for row in rows: # an empty line repeats the row before it
        filled.append(row if row.strip() or not filled else filled[-1])
    return filled


def queue_rows(rest, folder, number, shown):
    """The macros of each job that a queue line makes."""
    m = re.fullmatch(r"(\d*)\s*(?:([\w,\s]+?)\s+)?(from|in)\s+(.*)", rest,
                     re.I)
    if not m:
        return [{} for _ in range(int(rest or 1))]
    names = [n.lower() for n in re.split(r"[,\s]+", m.group(2) or "item")]
    if m.group(3).lower() == "in":
        rows = re.split(r"[,\s]+", m.group(4).strip("() "))
    else:
        rows = rows_from(os.path.join(folder, m.group(4).strip()), number,
                         shown)
    made = []
    for row in rows:
        fields = re.split(r"[,\s]+", row.strip(), maxsplit=len(names) - 1)
        made += [dict(zip(names, fields))] * int(m.group(1) or 1)
    return made


def jobs_of(text, folder, cluster, shown):
    """(ads, lines that nothing used). Ads have no ProcId twice."""
    d = Description(folder)
    ads, queued = [], False

    def queue(rows):
        for row in rows:
            macros = {"cluster": cluster, "clusterid": cluster,
                      "process": len(ads), "procid": len(ads), **row}
            ads.append(d.ad(macros))

    for number, line in logical_lines(text):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if re.match(r"queue\b", line, re.I):
            queue(queue_rows(line[5:].strip(), folder, number, shown))
            queued = True
            continue
        name, sign, value = line.partition("=")
        if not sign or not re.fullmatch(r"[+\w.]+", name.strip()):
            raise Refused(f"\nERROR: on Line {number} of {shown}: \n\nERROR: "
                          f"Failed to parse command file (line {number}).\n")
        d.command(name.strip(), value.strip(), line)
    if not queued:
        queue([{}])
    return ads, d.unused()
