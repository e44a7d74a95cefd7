/* slurm_text.c - what Slurm's commands print, read */
#include "engine/slurm_text.h"

#include <math.h>
#include "base/num.h"
#include "sys/sys.h"

/* ---- jobs ---------------------------------------------------------------- */

/* States that are in no row are those of a job that has not ended. */
static const struct {
    const char *name;
    enum job_stage stage;
    enum job_end end;
    const char *words;
} states[] = {
    {"PENDING", JOB_WAITS, JOB_ENDED, ""},
    {"REQUEUED", JOB_WAITS, JOB_ENDED, ""},
    {"REQUEUE_HOLD", JOB_WAITS, JOB_ENDED, ""},
    {"REQUEUE_FED", JOB_WAITS, JOB_ENDED, ""},
    {"RESV_DEL_HOLD", JOB_WAITS, JOB_ENDED, "its reservation is gone"},
    {"SPECIAL_EXIT", JOB_WAITS, JOB_ENDED, ""},
    {"COMPLETED", JOB_OVER, JOB_ENDED, ""},
    {"FAILED", JOB_OVER, JOB_ENDED, ""},
    {"TIMEOUT", JOB_OVER, JOB_OVER_TIME, "its time was up"},
    {"OUT_OF_MEMORY", JOB_OVER, JOB_OVER_MEMORY,
     "it took more memory than it asked for"},
    {"DEADLINE", JOB_OVER, JOB_ENDED, "its deadline was over"},
    {"CANCELLED", JOB_OVER, JOB_REMOVED, "it was cancelled"},
    {"PREEMPTED", JOB_OVER, JOB_EVICTED, "its room was wanted for others"},
    {"REVOKED", JOB_OVER, JOB_EVICTED, "another cluster has it"},
    {"NODE_FAIL", JOB_OVER, JOB_VANISHED, "its node failed"},
    {"BOOT_FAIL", JOB_OVER, JOB_VANISHED, "its node could not be started"},
};

static void set_state(struct job_word *w, struct str state)
{
    w->state = state;
    w->stage = JOB_RUNS;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (str_is(state, states[i].name)) {
            w->stage = states[i].stage;
            w->end = states[i].end;
            w->words = str_of(states[i].words);
        }
}

/* Why a job waits, by what its reason begins with; the first row counts.
 * Squeue writes some in words with blanks. */
static const struct {
    const char *prefix, *words;
    bool stuck;
} reasons[] = {
    {"Resources", "it waits for room on the nodes", false},
    {"Priority", "jobs with a higher priority come first", false},
    {"JobArrayTaskLimit", "as many of its array run as may at once", false},
    {"Dependency", "another job must end first", false},
    {"BeginTime", "it may not begin before a certain time", false},
    {"Licenses", "it waits for licences", false},
    {"Reservation", "it waits for its reservation to begin", false},
    {"NodeDown", "a node that it needs is down", false},
    {"ReqNodeNotAvail", "nodes that it needs are down, drained or reserved",
     false},
    {"Nodes required for job are DOWN",
     "nodes that it needs are down, drained or reserved", false},
    {"Cleaning", "its last start is being cleared away", false},
    {"JobHeldUser", "somebody holds it back: scontrol release lets it go",
     true},
    {"JobHeldAdmin", "an administrator holds it back", true},
    {"JobHoldMaxRequeue",
     "it was begun again so often that Slurm holds it: scontrol release lets "
     "it go",
     true},
    {"launch failed requeued held",
     "it could not be started on its node, and Slurm holds it: scontrol "
     "release lets it go",
     true},
    {"PartitionDown", "its partition is down", false},
    {"PartitionInactive", "its partition is closed", false},
    {"PartitionTimeLimit", "it asks for more time than its partition gives",
     true},
    {"PartitionNodeLimit", "it asks for more nodes than its partition gives",
     true},
    {"BadConstraints", "no node is as it asks for", true},
    {"Job's account not", "its account may not use the partition", true},
    {"AccountNotAllowed", "its account may not use the partition", true},
    {"QOSNotAllowed", "its qos may not be used there", true},
    {"InvalidAccount", "its account is not valid", true},
    {"InvalidQOS", "its qos is not valid", true},
    {"QOSMax", "a limit on what one person or job may have (qos)", false},
    {"QOSGrp", "a limit on what all jobs of its qos may have", false},
    {"QOS", "a limit of its qos", false},
    {"AssocMax", "a limit on what one person or job may have (account)", false},
    {"AssocGrp", "a limit on what all jobs of its account may have", false},
    {"Assoc", "a limit of its account", false},
    {"MaxMemPerLimit", "it asks for more memory than it may have", true},
    {"MaxCpuPer", "it asks for more cpus than it may have", true},
};

static void set_reason(struct job_word *w, struct str reason)
{
    if (str_is(reason, "None"))
        return;
    w->reason = reason;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (w->stage == JOB_WAITS &&
            str_starts(reason, str_of(reasons[i].prefix))) {
            w->words = str_of(reasons[i].words);
            w->stuck = reasons[i].stuck;
            return;
        }
}

static bool parse_u32(struct str s, uint32_t *v)
{
    uint64_t n;
    if (!num_uint(s, &n) || n > UINT32_MAX)
        return false;
    *v = (uint32_t)n;
    return true;
}

/* The fields of a line, each with a bar behind it. */
static bool split_line(struct str line, struct str *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!line.p || str_find(line, '|') < 0 ||
            !str_split(&line, '|', &fields[i]))
            return false;
    return str_trim(line).len == 0;
}

/* A job that is no element of an array is none of ours: 0. */
static int read_job(struct str line, struct job_word *w)
{
    struct str f[7];
    uint32_t status;
    if (!split_line(line, f, 7) || !num_uint(str_trim(f[0]), &w->job))
        return -1;
    if (!parse_u32(f[1], &w->index))
        return 0;
    set_state(w, f[2]);
    set_reason(w, f[3]);
    w->node = f[4];
    if (!parse_u32(f[5], &w->starts))
        return -1;
    w->exit_code =
        parse_u32(f[6], &status) && (status & 0x7f) == 0 && w->stage == JOB_OVER
            ? (int)(status >> 8 & 0xff)
            : -1;
    return 1;
}

int slurm_read_queue(struct str text, struct job_words *words, struct err *err)
{
    struct str line;
    if (text.len && text.p[text.len - 1] != '\n')
        return err_set(err, ERR_SYSTEM, "the answer of squeue was cut off");
    while (text.len && str_split(&text, '\n', &line)) {
        struct job_word w = {0};
        int got = read_job(line, &w);
        if (got < 0)
            return err_set(err, ERR_SYSTEM,
                           "squeue answered with a line that makes no sense: "
                           "%.*s",
                           (int)(line.len > 200 ? 200 : line.len), line.p);
        if (got)
            vec_push(&words->list, w);
    }
    return 0;
}

/* "1-02:00:00", "30:00", "UNLIMITED". */
static double seconds_of(struct str text)
{
    struct str days = {0}, part;
    uint64_t day = 0, number;
    double seconds = 0;
    if (str_find(text, '-') >= 0) {
        str_split(&text, '-', &days);
        if (!num_uint(days, &day))
            return INFINITY;
    }
    while (text.p && str_split(&text, ':', &part)) {
        if (!num_uint(part, &number))
            return INFINITY;
        seconds = 60 * seconds + (double)number;
    }
    return seconds + 86400.0 * (double)day;
}

/* GPUs among "cpu=1,gres/gpu=2", "gres:gpu:a100:2" or "gres/gpu:2". Where the
 * count of all types stands beside those of single ones, it is the largest. */
static double gpus_of(struct str text)
{
    static const char gpu[] = "gpu";
    struct str item;
    double most = 0;
    while (text.len && str_split(&text, ',', &item)) {
        const char *at = memmem(item.p, item.len, gpu, sizeof gpu - 1);
        size_t last = item.len;
        uint32_t n = 1;
        if (!at)
            continue;
        while (last && item.p[last - 1] != ':' && item.p[last - 1] != '=')
            last--;
        if (!parse_u32(str_n(item.p + last, item.len - last), &n))
            n = 1; /* "gres:gpu" is one */
        most = n > most ? n : most;
    }
    return most;
}

static bool read_queued(struct str line, struct queued_job *q)
{
    struct str f[8];
    uint32_t nodes;
    if (!split_line(line, f, 8) || !num_uint(str_trim(f[0]), &q->job))
        return false;
    q->partition = str_trim(f[1]);
    q->qos = str_trim(f[2]);
    q->time_s = seconds_of(str_trim(f[3]));
    nodes = parse_u32(str_trim(f[4]), &nodes) && nodes ? nodes : 1;
    q->gpus = gpus_of(f[5]); /* where Slurm counts them itself */
    if (!(q->gpus > 0))
        q->gpus = gpus_of(f[6]) * nodes + gpus_of(f[7]);
    return true;
}

int slurm_read_usage(struct str text, struct queued_jobs *jobs, struct err *err)
{
    struct str line;
    while (text.len && str_split(&text, '\n', &line)) {
        struct queued_job q = {0};
        if (!read_queued(line, &q))
            return err_set(err, ERR_SYSTEM,
                           "squeue answered with a line that makes no sense: "
                           "%.*s",
                           (int)(line.len > 200 ? 200 : line.len), line.p);
        vec_push(&jobs->list, q);
    }
    return 0;
}

/* Behind the end where there is none. */
static size_t find_word(const struct job_words *words, uint64_t job,
                        uint32_t index)
{
    size_t i = 0;
    while (i < words->list.len &&
           (words->list.p[i].job != job || words->list.p[i].index != index))
        i++;
    return i;
}

/* "CANCELLED by 1000" */
static struct str who(struct str state, struct arena *a)
{
    static const char by[] = "CANCELLED by ";
    uint32_t user;
    struct str rest = state;
    struct buf name;
    if (!str_starts(state, str_of(by)))
        return (struct str){0};
    rest.p += sizeof by - 1;
    rest.len -= sizeof by - 1;
    if (!parse_u32(rest, &user))
        return (struct str){0};
    buf_init(&name);
    user_print(&name, user);
    struct str s = arena_str(a, buf_str(&name));
    buf_done(&name);
    return s;
}

/* "0:15": exit code and signal. */
static int exit_code_of(struct str text)
{
    struct str code;
    uint32_t n;
    str_split(&text, ':', &code);
    return str_is(text, "0") && parse_u32(code, &n) ? (int)n : -1;
}

/* False: the line was cut off, or is of no job of ours. */
static bool read_account_line(struct str line, struct arena *a,
                              struct job_word *w)
{
    struct str f[4], job, state;
    for (size_t i = 0; i < 4; i++)
        if (!str_split(&line, '|', &f[i]))
            return false;
    struct str index = f[0], rest = f[1];
    if (!str_split(&index, '_', &job) || !num_uint(job, &w->job) || !index.p ||
        !parse_u32(index, &w->index))
        return false;
    w->by = who(f[1], a);
    str_split(&rest, ' ', &state);
    set_state(w, arena_str(a, state));
    w->node = arena_str(a, f[2]);
    w->exit_code = exit_code_of(f[3]);
    return true;
}

static void set_before(struct job_word *w, const struct job_word *before)
{
    w->before.state = before->state;
    w->before.words = before->words;
    w->before.node = before->node;
}

/* Starts of a job come one after the other. Of one that the queue knows, those
 * that are over are starts before, unless it is over itself. */
static void add_account(struct job_words *words, size_t queued,
                        struct job_word *w)
{
    size_t at = find_word(words, w->job, w->index);
    bool over = w->stage == JOB_OVER || str_is(w->state, "REQUEUED");
    if (at == words->list.len) {
        vec_push(&words->list, *w);
        return;
    }
    struct job_word *known = &words->list.p[at];
    if (at >= queued) {
        set_before(w, known);
        *known = *w;
    } else {
        if (w->by.len)
            known->by = w->by;
        if (over && known->stage != JOB_OVER)
            set_before(known, w);
    }
}

void slurm_read_account(struct str text, struct arena *a,
                        struct job_words *words)
{
    struct str line;
    size_t queued = words->list.len;
    while (text.len && str_split(&text, '\n', &line)) {
        struct job_word w = {0};
        if (read_account_line(line, a, &w))
            add_account(words, queued, &w);
    }
}

/* What a step's daemon writes; the first row that is found in a line counts.
 * Of several lines the last does, but one with less weight changes nothing: who
 * took too much memory is cancelled without a cause, too. */
static const struct cause {
    const char *cause, *state, *words;
    int weight;
} causes[] = {
    {"DUE TO PREEMPTION", "PREEMPTED", NULL, 3},
    {"DUE TO TIME LIMIT", "TIMEOUT", NULL, 3},
    {"DUE TO NODE FAILURE", "NODE_FAIL", NULL, 3},
    {"DUE TO JOB REQUEUE", "REQUEUED", "somebody put it back into the queue",
     3},
    {"exceeded memory limit", "OUT_OF_MEMORY", NULL, 2},
    {"oom_kill event", "OUT_OF_MEMORY", NULL, 2},
    {"oom-kill event", "OUT_OF_MEMORY", NULL, 2},
    {"CANCELLED AT", "CANCELLED", NULL, 1},
};

static bool contains(struct str text, const char *what)
{
    return memmem(text.p, text.len, what, strlen(what)) != NULL;
}

/* "slurmstepd: error: *** JOB 7 ON t0 CANCELLED AT … DUE TO PREEMPTION ***",
 * "slurmstepd: error: StepId=7.batch exceeded memory limit (9 > 5), being
 * killed" */
static const struct cause *cause_in(struct str line)
{
    bool of_job = contains(line, "*** JOB ") && contains(line, "CANCELLED AT");
    bool of_step = contains(line, "slurmstepd") && contains(line, "StepId=");
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if ((of_job || (of_step && causes[i].weight == 2)) &&
            contains(line, causes[i].cause))
            return &causes[i];
    return NULL;
}

static void read_node(struct str line, struct str *node)
{
    static const char on[] = " ON ";
    const char *at = memmem(line.p, line.len, on, sizeof on - 1);
    if (!at)
        return;
    const char *from = at + sizeof on - 1;
    struct str rest = str_n(from, (size_t)(line.p + line.len - from));
    str_split(&rest, ' ', node);
}

bool slurm_read_log(struct str text, struct job_word *w)
{
    struct str line, node = {0};
    const struct cause *found = NULL;
    while (text.len && str_split(&text, '\n', &line)) {
        const struct cause *c = cause_in(line);
        if (!c || (found && c->weight < found->weight))
            continue;
        found = c;
        node = (struct str){0};
        read_node(line, &node);
    }
    if (!found)
        return false;
    *w = (struct job_word){.stage = JOB_OVER, .exit_code = -1, .node = node};
    set_state(w, str_of(found->state));
    if (found->words)
        w->words = str_of(found->words);
    return true;
}

/* ---- nodes --------------------------------------------------------------- */

/* A node that does not answer has a mark behind its state. */
static bool is_usable(struct str state)
{
    static const char *const usable[] = {"idle",       "mixed",   "allocated",
                                         "completing", "planned", "reserved"};
    if (str_find(state, '*') >= 0)
        return false;
    for (size_t i = 0; i < sizeof usable / sizeof *usable; i++)
        if (str_starts(state, str_of(usable[i])))
            return true;
    return false;
}

/* "gpu:a100:4(S:0-1),gpu:2,shard:8": what is no GPU does not count. */
static void read_gres(struct str text, struct arena *a, struct node *node)
{
    struct str item;
    while (text.p && str_split(&text, ',', &item)) {
        struct str kind, type = {0}, count;
        long sockets = str_find(item, '(');
        uint32_t n;
        if (sockets >= 0)
            item.len = (size_t)sockets;
        if (!str_split(&item, ':', &kind) || !str_is(kind, "gpu") || !item.p)
            continue;
        str_split(&item, ':', &count);
        if (item.p) {
            type = count;
            count = item;
        }
        if (!parse_u32(count, &n) || node->gpu_kinds == NODE_GPU_KINDS)
            continue;
        node->gpus[node->gpu_kinds].type = arena_str(a, type);
        node->gpus[node->gpu_kinds++].count = n;
    }
}

static bool names(const char *list, struct str name)
{
    struct str rest = str_of(list), item;
    while (rest.p && str_split(&rest, ',', &item))
        if (str_eq(item, name))
            return true;
    return false;
}

/* The default partition has a star behind its name. */
static bool is_in(struct str partition, const char *wanted, bool has_default)
{
    bool is_default = str_ends(partition, STR("*"));
    if (!wanted)
        return is_default || !has_default;
    partition.len -= is_default;
    return names(wanted, partition);
}

static bool is_known(const struct nodes *nodes, struct str name)
{
    for (size_t i = 0; i < nodes->list.len; i++)
        if (str_is(name, nodes->list.p[i].name))
            return true;
    return false;
}

void slurm_read_nodes(struct str text, const char *partitions, struct arena *a,
                      struct nodes *nodes)
{
    struct str line, rest = text, f[6];
    bool has_default = false;
    while (rest.len && str_split(&rest, '\n', &line))
        has_default |= str_ends(str_trim(line), STR("*"));
    while (text.len && str_split(&text, '\n', &line)) {
        struct node node = {0};
        uint64_t megabytes;
        for (size_t i = 0; i < 6; i++)
            if (!str_split(&line, '|', &f[i]))
                f[i] = (struct str){0};
        if (!is_in(str_trim(f[5]), partitions, has_default) ||
            !parse_u32(f[1], &node.cpus) || is_known(nodes, f[0]))
            continue;
        node.name = arena_cstr(a, f[0]);
        if (num_uint(f[2], &megabytes))
            node.memory_bytes = megabytes << 20;
        read_gres(f[3], a, &node);
        node.usable = is_usable(f[4]);
        vec_push(&nodes->list, node);
    }
}

/* ---- the rest ------------------------------------------------------------ */

struct str slurm_config(struct str text, const char *name)
{
    struct str line, key;
    while (text.len && str_split(&text, '\n', &line))
        if (str_find(line, '=') >= 0 && str_split(&line, '=', &key) &&
            str_is(str_trim(key), name))
            return str_trim(line);
    return (struct str){0};
}

uint64_t slurm_job_id(struct str text)
{
    struct str rest = str_trim(text), id;
    uint64_t job;
    return str_split(&rest, ';', &id) && num_uint(id, &job) ? job : 0;
}

bool slurm_passes(struct str said)
{
    static const char *const words[] = {
        "Unable to contact slurm controller",
        "Connection refused",
        "Connection timed out",
        "Socket timed out",
        "did not end within",
        "temporarily",
        "Zero Bytes were transmitted",
        "Slurm backup controller in standby mode",
        "job submit limit",
        "SubmitJobs",
        "MaxSubmitJob",
        "Job limit",
    };
    struct arena *a = arena_new();
    const char *text = arena_cstr(a, said);
    bool passes = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        passes |= strstr(text, words[i]) != NULL;
    arena_free(a);
    return passes;
}
