/* htcondor_text.c - what HTCondor's commands print, read */
#include "engine/htcondor_text.h"

#include "base/json.h"
#include "base/num.h"
#include <math.h>
#include <stdio.h>

/* ---- condor_submit ---------------------------------------------------------
 */

/* "12.3" */
static bool read_id(struct str text, uint64_t *cluster, uint64_t *proc)
{
    struct str first, rest = str_trim(text);
    return str_find(rest, '.') > 0 && str_split(&rest, '.', &first) &&
           num_uint(first, cluster) && num_uint(rest, proc);
}

/* Sites put words of their own before it. */
static struct str last_line(struct str text)
{
    struct str rest = str_trim(text), line = {0};
    while (rest.len && str_split(&rest, '\n', &line))
        ;
    return str_trim(line);
}

uint64_t condor_submitted(struct str text, uint32_t *count)
{
    struct str rest = last_line(text), first;
    uint64_t cluster, from, to, again;
    if (str_find(rest, '-') < 0 || !str_split(&rest, '-', &first) ||
        !read_id(first, &cluster, &from) || !read_id(rest, &again, &to) ||
        again != cluster || from != 0 || to >= UINT32_MAX)
        return 0;
    *count = (uint32_t)to + 1;
    return cluster;
}

static bool has(struct str text, const char *word)
{
    return memmem(text.p, text.len, word, strlen(word)) != NULL;
}

static struct str find_warning(struct str said, bool unused)
{
    struct str line;
    while (said.len && str_split(&said, '\n', &line))
        if (str_starts(str_trim(line), STR("WARNING:")) &&
            has(line, "was unused by condor_submit") == unused)
            return str_trim(line);
    return STR("");
}

struct str condor_unused(struct str said)
{
    return find_warning(said, true);
}

struct str condor_warning(struct str said)
{
    return find_warning(said, false);
}

bool condor_passes(struct str said)
{
    static const char *const passing[] = {
        "Failed to connect to", "Can't find address of",
        "SECMAN:2007",          "SECMAN:2011",
        "Failed to fetch ads",  "timed out",
        "Connection refused",   "CEDAR:6001",
        "MAX_JOBS_PER_OWNER",   "MAX_JOBS_SUBMITTED",
        "did not end within", /* our own: it was ended */
    };
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (has(said, passing[i]))
            return true;
    return false;
}

static bool tells_of_gone(struct str line)
{
    return str_ends(line, STR("not found")) ||
           str_ends(line, STR("already marked for removal")) ||
           str_ends(line, STR("not running to be vacated")) ||
           str_starts(line, STR("Couldn't find/remove all jobs"));
}

bool condor_gone(struct str said)
{
    struct str line;
    bool gone = said.len > 0;
    while (gone && said.len && str_split(&said, '\n', &line)) {
        line = str_trim(line);
        gone = !line.len || tells_of_gone(line);
    }
    return gone;
}

/* ---- ads --------------------------------------------------------------------
 */

/* An answer is a list of objects, or nothing at all. */
static int read_list(struct str text, struct arena *a,
                     const struct value **list, struct err *err)
{
    static const struct value none = {.kind = VALUE_LIST};
    *list = &none;
    if (str_trim(text).len == 0)
        return 0;
    *list = json_parse(a, text, "the answer", false, err);
    if (!*list)
        return -1;
    if ((*list)->kind != VALUE_LIST)
        return err_set(err, ERR_INPUT, "the answer is not a list");
    return 0;
}

static int64_t int_of(const struct value *ad, const char *name,
                      int64_t otherwise)
{
    const struct value *v = value_get(ad, str_of(name));
    double n = value_is_number(v) ? value_number(v) : NAN;
    return n >= -9e15 && n <= 9e15 ? (int64_t)n : otherwise;
}

static struct str text_of(const struct value *v)
{
    return v && v->kind == VALUE_STRING ? str_trim(v->s) : STR("");
}

static void keep(char *to, size_t size, const struct value *v)
{
    snprintf(to, size, "%.*s", STRF(text_of(v)));
}

static const enum condor_state states[] = {
    [1] = CONDOR_JOB_IDLE,    [2] = CONDOR_JOB_RUNS,
    [3] = CONDOR_JOB_REMOVED, [4] = CONDOR_JOB_DONE,
    [5] = CONDOR_JOB_HOLDS,   [6] = CONDOR_JOB_RUNS, /* sends its output */
    [7] = CONDOR_JOB_RUNS,                           /* is suspended */
};

/* The code of a job that was ended by a signal is one of another run. */
static void read_end(const struct value *ad, struct condor_job *j)
{
    const struct value *by = value_get(ad, STR("ExitBySignal"));
    if (by && by->kind == VALUE_BOOL && by->boolean)
        j->exit_signal = (int)int_of(ad, "ExitSignal", 0);
    else
        j->exit_code = (int)int_of(ad, "ExitCode", -1);
}

static void read_node(const struct value *ad, struct condor_job *j)
{
    const struct value *host = value_get(ad, STR("RemoteHost"));
    keep(j->node, sizeof j->node,
         host ? host : value_get(ad, STR("LastRemoteHost")));
    const char *at = strrchr(j->node, '@'); /* "slot1_1@glidein_7_8@e7" */
    if (at)
        memmove(j->node, at + 1, strlen(at + 1) + 1);
}

static bool read_ad(const struct value *ad, struct condor_ad *to)
{
    int64_t cluster = int_of(ad, "ClusterId", 0);
    int64_t proc = int_of(ad, "ProcId", -1);
    int64_t status = int_of(ad, "JobStatus", 0);
    struct condor_job *j = &to->job;
    if (cluster <= 0 || proc < 0 || proc >= UINT32_MAX || status < 1 ||
        status >= (int64_t)(sizeof states / sizeof *states))
        return false;
    condor_job_init(j);
    to->cluster = (uint64_t)cluster;
    to->proc = (uint32_t)proc;
    j->state = states[status];
    j->starts = (uint32_t)int_of(ad, "NumJobStarts", 0);
    j->code = (int)int_of(ad, "HoldReasonCode", 0);
    j->subcode = (int)int_of(ad, "HoldReasonSubCode", 0);
    condor_job_reason(j,
                      text_of(value_get(ad, status == 3 ? STR("RemoveReason")
                                                        : STR("HoldReason"))));
    read_node(ad, j);
    if (status == 4)
        read_end(ad, j);
    return true;
}

int condor_read_jobs(struct str text, struct condor_ads *ads, struct err *err)
{
    struct arena *a = arena_new();
    const struct value *list;
    int rc = read_list(text, a, &list, err);
    for (size_t i = 0; !rc && i < list->count; i++) {
        struct condor_ad ad;
        if (read_ad(list->items[i], &ad))
            vec_push(&ads->list, ad);
    }
    arena_free(a);
    return rc;
}

/* ---- machines
 * ---------------------------------------------------------------- */

/* What the whole slot has, where it says so: a partitionable one shows as its
 * own only what nobody has taken. */
static int64_t most(const struct value *ad, const char *all, const char *now)
{
    return int_of(ad, all, int_of(ad, now, 0));
}

int condor_read_nodes(struct str text, struct arena *a, struct nodes *nodes,
                      struct err *err)
{
    const struct value *list;
    if (read_list(text, a, &list, err))
        return -1;
    for (size_t i = 0; i < list->count; i++) {
        const struct value *ad = list->items[i];
        struct str name = value_text(value_get(ad, STR("Machine")));
        int64_t cpus = most(ad, "TotalSlotCpus", "Cpus");
        int64_t memory = most(ad, "TotalSlotMemory", "Memory");
        int64_t gpus = most(ad, "TotalSlotGPUs", "GPUs");
        struct node n = {.name = arena_cstr(a, name), .usable = true};
        if (!name.len || cpus <= 0 || cpus > UINT32_MAX)
            continue;
        n.cpus = (uint32_t)cpus;
        n.memory_bytes = memory > 0 ? (uint64_t)memory << 20 : 0;
        if (gpus > 0 && gpus < 1024) {
            n.gpu_kinds = 1;
            n.gpus[0].count = (uint32_t)gpus;
        }
        vec_push(&nodes->list, n);
    }
    return 0;
}

/* ---- holds
 * -------------------------------------------------------------------- */

static const struct {
    int from, to; /* codes */
    struct condor_hold hold;
} holds[] = {
    {1, 1, {"somebody holds it: condor_release lets it go", false}},
    {3,
     3,
     {"a rule of the site or of the submit description holds it: mend what it "
      "names, then condor_release",
      false}},
    {6,
     6,
     {"its program could not be started there: condor_release tries another "
      "time",
      true}},
    {12,
     12,
     {"a file could not be written where it was to arrive: of what it made, is "
      "there room on this disk, may it be written? Then condor_release",
      true}},
    {13,
     13,
     {"a file that it needs could not be sent: put it back, then "
      "condor_release",
      true}},
    {15, 15, {"it was submitted on hold: condor_release lets it go", false}},
    {32,
     32,
     {"its input is larger than the pool allows: name less in `inputs`, or a "
      "URL",
      false}},
    {34,
     34,
     {"it took more than it asked for: say more `memory` or `disk`, then "
      "condor_rm has its trials submitted anew",
      false}},
    {36,
     36,
     {"its checkpoint could not be saved: condor_release goes on", true}},
    {46,
     47,
     {"it took longer than the pool allows: say `checkpoint_every` or a "
      "shorter "
      "`time`, then condor_release",
      false}},
};

const struct condor_hold *condor_hold_find(int code)
{
    static const struct condor_hold other = {
        "mend what it names, then condor_release lets it go on, or condor_rm "
        "has its trials submitted anew",
        false};
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++)
        if (holds[i].from <= code && code <= holds[i].to)
            return &holds[i].hold;
    return &other;
}
