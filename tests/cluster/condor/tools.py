"""What each condor_* tool prints, from the pool's state.

Texts and exit codes are those of the samples 01-submit-*, 02-q-json, 02-qedit,
03-user-commands, 06-history, 06-status, 08b-schedd-down and 08b-pool-down.
"""
import os
import re
import time

import classad
import describe
from starter import HELD, IDLE, Leave, REMOVED, RUNNING

VERSION_LINE = f"$CondorVersion: {describe.VERSION} 2026-11-15 $"
PLATFORM_LINE = "$CondorPlatform: X86_64-Debian_12 $"


class Fail(Exception):
    """Ends a tool: what it says on standard error, and on standard output."""

    def __init__(self, err, out="", code=1):
        super().__init__(err)
        self.err, self.out, self.code = err, out, code


class Options:
    """Words with values (`-attributes X`), flags, and the rest."""

    def __init__(self, argv, flags, valued):
        self.given, self.rest, self.auto = {}, [], None
        argv = list(argv)
        while argv:
            word = argv.pop(0)
            if re.match(r"-(af|autoformat)(:|$)", word):
                self.auto = (word.partition(":")[2], argv)
                break
            if word in valued:
                self.given.setdefault(word, []).append(argv.pop(0))
            elif word in flags:
                self.given[word] = [""]
            elif word.startswith("-") and word != "-":
                raise Fail(f"Error: unrecognized argument {word}\n")
            else:
                self.rest.append(word)

    def last(self, word):
        return self.given.get(word, [None])[-1]

    def has(self, word):
        return word in self.given


def chosen(ads, options):
    """Those that ids and constraints name."""
    ids = []
    for word in options.rest:
        m = re.fullmatch(r"(\d+)(?:\.(\d+))?", word)
        if m:
            ids.append((int(m.group(1)), m.group(2) and int(m.group(2))))
    found = [a for a in ads if not ids or any(
        a["ClusterId"] == c and p in (None, a["ProcId"]) for c, p in ids)]
    for constraint in options.given.get("-constraint", []):
        try:
            found = [a for a in found if classad.matches(constraint, a)]
        except classad.ParseError:
            raise Fail("Error: Parse error of constraint expression "
                       f"{constraint}\n") from None
    if options.last("-limit"):
        found = found[:int(options.last("-limit"))]
    return found


def shown_ad(ad):
    """An ad as the tools show it, without what is ours alone."""
    shown = {k: v for k, v in ad.items() if k not in ("Env", "Args")}
    shown["Args"] = " ".join(ad["Args"])
    return shown


def formatted(ads, options, empty):
    if options.auto:
        flags, names = options.auto
        lines = []
        for ad in ads:
            words = [f"{ad['ClusterId']}.{ad['ProcId']}"] if "j" in flags \
                else []
            words += [classad.as_word(classad.lookup(ad, n)) for n in names]
            lines.append(" ".join(words) + "\n")
        return "".join(lines)
    names = re.split(r"[,\s]+", options.last("-attributes") or "")
    return classad.as_json(ads, [n for n in names if n]) or empty


# ---- condor_submit -------------------------------------------------------------

def condor_submit(pool, asked):
    options = Options(asked["argv"], {"-terse", "-verbose"},
                      {"-append", "-batch-name", "-name"})
    terse = options.has("-terse")
    shown = options.rest[0] if options.rest else "-"
    text = asked["stdin"]
    if shown != "-":
        try:
            with open(os.path.join(asked["cwd"], shown)) as f:
                text = f.read()
        except OSError as e:
            raise Fail(f"\nERROR: Failed to open command file ({shown}) "
                       f"({e.strerror})\n") from None
    with pool.lock:
        cluster = pool.cluster + 1
        try:
            ads, unused = describe.jobs_of(text, asked["cwd"], cluster, shown)
        except describe.Refused as e:
            raise Fail(str(e), "" if terse else "Submitting job(s)\n") from None
        pool.cluster = cluster
    for proc, ad in enumerate(ads):
        ad.update(ClusterId=cluster, ProcId=proc)
    pool.submit(ads)
    err = "".join(f"WARNING: the line '{line}' was unused by condor_submit. "
                  "Is it a typo?\n" for line in unused)
    if terse:
        return f"{cluster}.0 - {cluster}.{len(ads) - 1}\n", err
    return (f"Submitting job(s){'.' * len(ads)}\n{len(ads)} job(s) submitted "
            f"to cluster {cluster}.\n"), err


# ---- condor_q, condor_history, condor_status -----------------------------------

def analysis(pool, ad):
    """What -better-analyze ends with."""
    fit = sum(m.could(ad, True) for m in pool.machines)
    count = len(pool.machines)
    name = f"{ad['ClusterId']:03d}.{ad['ProcId']:03d}"
    text = (f"\n\n-- Schedd: {pool.name} : <127.0.0.1:9618?...\n"
            f"The Requirements expression for job {name} is\n\n"
            f"    {ad['Requirements']}\n\n"
            f"{name}:  Run analysis summary ignoring user priority.  Of {count}"
            f" slots on {count} machines,\n"
            f"      {count - fit} slots are rejected by your job's requirements"
            "\n      0 slots reject your job because of their own requirements"
            f"\n      {fit} slots match and are willing to run your job\n\n")
    if not fit:
        text += ("WARNING:  Be advised:\n   No machines matched the job's "
                 "constraints\n\n")
    return text


LETTERS = {IDLE: "I", RUNNING: "R", REMOVED: "X", 4: "C", HELD: "H"}


def table(pool, ads):
    lines = [f"\n\n-- Schedd: {pool.name} : <127.0.0.1:9618?... @ "
             + time.strftime("%m/%d/%y %H:%M:%S"),
             " ID      OWNER            SUBMITTED     RUN_TIME ST PRI SIZE CMD"]
    for ad in ads:
        job = f"{ad['ClusterId']:>4}.{ad['ProcId']:<3}"
        when = time.strftime("%m/%d %H:%M", time.localtime(ad["QDate"]))
        lines.append(f"{job} {ad['Owner']:<14} {when}   0+00:00:00 "
                     f"{LETTERS[ad['JobStatus']]}  0    0.0 "
                     f"{os.path.basename(ad['Cmd'])}")
    counts = [sum(a["JobStatus"] == s for a in ads)
              for s in (4, REMOVED, IDLE, RUNNING, HELD)]
    words = ", ".join(f"{n} {w}" for n, w in zip(
        counts, ("completed", "removed", "idle", "running", "held")))
    lines.append(f"\nTotal for query: {len(ads)} jobs; {words}, 0 suspended \n")
    return "\n".join(lines) + "\n"


def condor_q(pool, asked):
    options = Options(asked["argv"], {
        "-json", "-allusers", "-nobatch", "-hold", "-run", "-idle",
        "-better-analyze", "-analyze", "-totals", "-all"},
        {"-attributes", "-constraint", "-limit", "-name", "-pool"})
    with pool.lock:
        ads = [dict(pool.jobs[k]) for k in sorted(pool.jobs)]
        ads = chosen(ads, options)
        if options.has("-better-analyze") or options.has("-analyze"):
            return "".join(analysis(pool, a) for a in ads[:1]), ""
    if options.has("-hold"):
        ads = [a for a in ads if a["JobStatus"] == HELD]
    if options.has("-json") or options.auto:
        return formatted([shown_ad(a) for a in ads], options, ""), ""
    return table(pool, ads), ""


def condor_history(pool, asked):
    options = Options(asked["argv"], {"-json", "-allusers"},
                      {"-attributes", "-constraint", "-limit", "-match",
                       "-name"})
    if options.has("-match"):
        options.given["-limit"] = options.given["-match"]
    with pool.lock:
        ads = chosen([dict(a) for a in pool.history], options)
    if options.has("-json") or options.auto:
        return formatted([shown_ad(a) for a in ads], options, "[\n]\n"), ""
    return table(pool, ads), ""


def schedd_ad(pool):
    count = {s: sum(a["JobStatus"] == s for a in pool.jobs.values())
             for s in (IDLE, RUNNING, HELD)}
    return {"Name": pool.name, "Machine": pool.name, "MaxJobsRunning": 10000,
            "TotalIdleJobs": count[IDLE], "TotalRunningJobs": count[RUNNING],
            "TotalHeldJobs": count[HELD]}


def condor_status(pool, asked):
    options = Options(asked["argv"], {"-json", "-schedd", "-compact"},
                      {"-attributes", "-constraint", "-limit", "-pool"})
    with pool.lock:
        ads = [schedd_ad(pool)] if options.has("-schedd") else \
            [m.ad() for m in pool.machines]
    ads = chosen(ads, options)
    if options.has("-json") or options.auto:
        return formatted(ads, options, ""), ""
    return "".join(f"{a['Name']}\n" for a in ads), ""


# ---- condor_rm, condor_hold, condor_release, condor_vacate_job -------------------

def tell_rm(pool, ad, how):
    run = pool.runs.get((ad["ClusterId"], ad["ProcId"]))
    reason = how["reason"] or "via condor_rm"
    reason += f" (by user {pool.user})"
    if how["forcex"]:
        if ad["JobStatus"] != REMOVED:
            return "not in `X' state to be forcibly removed"
        if run:
            run.inbox.put(("forget",))
        pool.remove(ad, reason)
        return None
    if ad["JobStatus"] == REMOVED:
        return "already marked for removal"
    if run:
        pool.turn(ad, REMOVED)
        ad["RemoveReason"] = reason
        run.inbox.put(("leave", Leave(REMOVED, reason)))
    else:
        pool.remove(ad, reason)
    return None


def tell_hold(pool, ad, how):
    if ad["JobStatus"] == HELD:
        return "already held"
    run = pool.runs.get((ad["ClusterId"], ad["ProcId"]))
    reason = (how["reason"] or "via condor_hold") + f" (by user {pool.user})"
    leave = Leave(HELD, reason, 1, how["subcode"])
    if run:
        pool.turn(ad, HELD)
        run.inbox.put(("leave", leave))
    else:
        pool.ready.pop((ad["ClusterId"], ad["ProcId"]), None)
        pool.hold(ad, reason, 1, how["subcode"])
    return None


def tell_release(pool, ad, how):
    if ad["JobStatus"] != HELD or "HoldReason" not in ad:
        return "not held to be released" # or it still runs
    pool.release(ad, (how["reason"] or "via condor_release")
                 + f" (by user {pool.user})")
    return None


def tell_vacate(pool, ad, how):
    run = pool.runs.get((ad["ClusterId"], ad["ProcId"]))
    if ad["JobStatus"] != RUNNING or not run:
        return "not running to be vacated"
    run.inbox.put(("fast",) if how["fast"] else ("leave", Leave(IDLE)))
    return None


# What does it, what it says of a job, of a cluster, and the word of its errors.
ACTS = {
    "condor_rm": (tell_rm, "marked for removal",
                  "have been marked for removal", "find/remove"),
    "condor_hold": (tell_hold, "held", "have been held", "find/hold"),
    "condor_release": (tell_release, "released", "have been released",
                       "find/release"),
    "condor_vacate_job": (tell_vacate, "vacated", "have been vacated",
                          "find/vacate"),
}


def act_on(pool, tool, word, how):
    """(what is said, whether it worked) of one id."""
    tell, of_job, of_cluster, couldnt = ACTS[tool]
    if how["fast"]:
        of_job, of_cluster = "fast-vacated", "have been fast-vacated"
    m = re.fullmatch(r"(\d+)(?:\.(\d+))?", word)
    if not m:
        return f"Couldn't {couldnt} all jobs of user \"{word}\"", False
    cluster = int(m.group(1))
    if m.group(2) is None:
        ads = [a for k, a in sorted(pool.jobs.items()) if k[0] == cluster]
        told = [tell(pool, a, how) for a in ads]
        if not ads or all(told):
            return f"Couldn't {couldnt} all jobs in cluster {cluster}", False
        return f"All jobs in cluster {cluster} {of_cluster}", True
    ad = pool.jobs.get((cluster, int(m.group(2))))
    if not ad:
        return f"Job {word} not found", False
    wrong = tell(pool, ad, how)
    return f"Job {word} {wrong or of_job}", not wrong


def act_on_constraint(pool, tool, text, how):
    tell, _, of_cluster, couldnt = ACTS[tool]
    ads = [a for _, a in sorted(pool.jobs.items()) if classad.matches(text, a)]
    told = [tell(pool, a, how) for a in ads]
    if not ads or all(told):
        return f"Couldn't {couldnt} all jobs matching constraint {text}", False
    return f"Jobs matching constraint {text} {of_cluster}", True


def act(pool, asked):
    options = Options(asked["argv"], {"-fast", "-forcex"},
                      {"-reason", "-subcode", "-constraint", "-name"})
    how = {"reason": options.last("-reason"), "fast": options.has("-fast"),
           "forcex": options.has("-forcex"),
           "subcode": int(options.last("-subcode") or 0)}
    out, err = "", ""
    with pool.lock:
        said = [act_on(pool, asked["tool"], w, how) for w in options.rest]
        said += [act_on_constraint(pool, asked["tool"], c, how)
                 for c in options.given.get("-constraint", [])]
    for text, worked in said:
        if worked:
            out += text + "\n"
        else:
            err += "\n" + text + "\n"
    if err:
        raise Fail(err, out)
    return out, err


def condor_qedit(pool, asked):
    """As in the sample 02-qedit: one attribute of the jobs that are named."""
    word, name, text = asked["argv"]
    with pool.lock:
        named = chosen([dict(a) for a in pool.jobs.values()],
                       Options([word], set(), set()))
        if not named:
            raise Fail(f'Failed to set attribute "{name}" for job {word}.\n'
                       "Queue transaction failed.  No attributes were set.\n")
        tree = classad.parse(text)
        for ad in named:
            pool.jobs[ad["ClusterId"], ad["ProcId"]][name] = \
                tree[1] if tree[0] == "value" else classad.Expr(text)
    return f'Set attribute "{name}" for {len(named)} matching jobs.\n', ""


# ---- the others --------------------------------------------------------------------

def condor_version(pool, asked):
    return f"{VERSION_LINE}\n{PLATFORM_LINE}\n", ""


def condor_config_val(pool, asked):
    known = {"CONDOR_HOST": "127.0.0.1", "NUM_CPUS": str(pool.settings["cpus"]),
             "FILESYSTEM_DOMAIN": "example.net", "UID_DOMAIN": "example.net"}
    out = [known.get(n) for n in asked["argv"]]
    missing = [n for n, v in zip(asked["argv"], out) if v is None]
    if missing:
        raise Fail("".join(f"Not defined: {n}\n" for n in missing))
    return "".join(v + "\n" for v in out), ""


def fault(pool, asked):
    what, *job = asked["argv"]
    key = tuple(int(n) for n in job[0].split(".")) if job else None
    hit = pool.fault(what, key)
    return "".join("%d.%d\n" % k for k in hit), ""


def seal(pool, asked):
    pool.seal(asked["argv"][0])
    return "", ""


TOOLS = {"seal": seal, "condor_submit": condor_submit, "condor_q": condor_q,
         "condor_history": condor_history, "condor_status": condor_status,
         "condor_version": condor_version, "fault": fault,
         "condor_config_val": condor_config_val, "condor_qedit": condor_qedit, **dict.fromkeys(ACTS, act)}
NEED_SCHEDD = {"condor_submit", "condor_q", "condor_qedit", *ACTS}


def away(pool, tool):
    """What is said while the schedd, or everything, is down."""
    if tool == "condor_submit":
        return ("\nERROR: Can't find address of local schedd\n"
                if pool.all_down else
                "\nERROR: Failed to connect to local queue manager\n"
                "SECMAN:2011:Connection closed during command authorization. "
                "Probably due to an unknown command.\n")
    if tool == "condor_q":
        return ("Error: (null)\n\nExtra Info: You probably saw this error "
                "because the condor_schedd is not \nrunning on the machine you "
                "are trying to query.\n" if pool.all_down else
                "\n-- Failed to fetch ads from: <127.0.0.1:9618?addrs="
                f"127.0.0.1-9618&alias={pool.name}&noUDP&sock={pool.schedd}> : "
                f"{pool.name}\nSECMAN:2007:Failed to end classad message.\n")
    return (f"{tool}: (null)\n" if pool.all_down else
            "SECMAN:2007:Failed to end classad message.\n")


def answer(pool, asked):
    tool = asked["tool"]
    try:
        if tool in NEED_SCHEDD and not pool.schedd_up.is_set():
            raise Fail(away(pool, tool))
        if tool == "condor_status" and pool.all_down:
            raise Fail("Error: communication error\nCEDAR:6001:Failed to "
                       "connect to <127.0.0.1:9618>\n")
        out, err = TOOLS[tool](pool, asked)
        return {"out": out, "err": err, "code": 0}
    except Fail as e:
        return {"out": e.out, "err": e.err, "code": e.code}
