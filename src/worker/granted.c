/* granted.c - what a scheduler has granted a job on this node, and what of its
 * variables a task of the job may see
 *
 * One row for each scheduler. Its own words are taken, not what the machine
 * has: where a scheduler does not hold a job to its grant, somebody else's job
 * has the rest. */
#include "worker/granted.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "sys/sys.h"
#include "worker/environment.h"

#define MEBIBYTE (UINT64_C(1) << 20)
#define FILE_MAX_BYTES MEBIBYTE

struct granted {
    const char *name;
    double kill_s;
    /* Of these the first that is set counts; NULL: no more. */
    const char *cpus[3];
    const char *memory; /* MiB on the node, or … */
    const char *memory_per_cpu, *memory_per_gpu;
    const char *gpus; /* indices and UUIDs */
    const char *node; /* as the scheduler calls it; NULL: it does not say */
    const char *none; /* what it calls no GPU; NULL: nothing special */
    /* Names a file that says more than the variables: of lines NAME = VALUE,
     * these. NULL: there is none. */
    const char *file, *file_cpus, *file_memory;
};

static const struct granted table[] = {
    {.name = "slurm",
     .kill_s = 30, /* KillWait of slurm.conf */
     .cpus = {"SLURM_CPUS_ON_NODE", "SLURM_CPUS_PER_TASK"},
     .memory = "SLURM_MEM_PER_NODE",
     .memory_per_cpu = "SLURM_MEM_PER_CPU",
     .memory_per_gpu = "SLURM_MEM_PER_GPU",
     .gpus = "CUDA_VISIBLE_DEVICES",
     .node = "SLURMD_NODENAME"},
    {.name = "htcondor",
     .kill_s = 600, /* MachineMaxVacateTime */
     .cpus = {"OMP_NUM_THREADS", "PYTHON_CPU_COUNT"},
     .gpus = "CUDA_VISIBLE_DEVICES",
     .none = "10000",
     .file = "_CONDOR_MACHINE_AD",
     .file_cpus = "Cpus",
     .file_memory = "Memory"},
};
#define ROWS (sizeof table / sizeof *table)

const struct granted *granted_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

double granted_kill_s(const struct granted *g)
{
    return g->kill_s;
}

const char *granted_node(const struct granted *g, const char *const *env)
{
    const char *name = g->node ? environment_get(env, str_of(g->node)) : NULL;
    return name && *name ? name : NULL;
}

/* ---- the room ---------------------------------------------------------- */

/* 1: *value is what the variable says; 0: it is not set. */
static int read_number(const char *const *env, const char *name,
                       uint64_t *value, struct err *err)
{
    const char *text = name ? environment_get(env, str_of(name)) : NULL;
    if (!text || !*text)
        return 0;
    if (!num_uint(str_of(text), value))
        return err_set(err, ERR_INPUT, "%s is `%s`, which is no number", name,
                       text);
    return 1;
}

/* The same of a line of its file. */
static int read_line(const struct granted *g, const char *const *env,
                     const char *name, uint64_t *value)
{
    const char *path = g->file ? environment_get(env, str_of(g->file)) : NULL;
    struct buf text;
    struct str line, key, rest;
    int got = 0;
    buf_init(&text);
    if (path && file_read(path, FILE_MAX_BYTES, &text, NULL) == 0) {
        rest = buf_str(&text);
        while (got == 0 && rest.len > 0) {
            str_split(&rest, '\n', &line);
            if (str_split(&line, '=', &key) && str_is(str_trim(key), name))
                got = num_uint(str_trim(line), value);
        }
    }
    buf_done(&text);
    return got;
}

static int read_cpus(const struct granted *g, const char *const *env,
                     uint64_t *cpus, struct err *err)
{
    int got = read_line(g, env, g->file_cpus, cpus);
    for (size_t i = 0; got == 0 && g->cpus[i]; i++)
        got = read_number(env, g->cpus[i], cpus, err);
    if (got < 0)
        return -1;
    if (got > 0 && *cpus > 0)
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s does not say how many cpus there are: is this a job of "
                   "%s?",
                   g->cpus[0], g->name);
}

/* "NoDevFiles", "-1" and the like mean none, as for CUDA itself. */
static bool is_gpu(struct str id)
{
    uint64_t index;
    return num_uint(id, &index) || str_starts(id, STR("GPU-")) ||
           str_starts(id, STR("MIG-"));
}

static void read_gpus(const struct granted *g, const char *const *env,
                      struct arena *a, struct room *r)
{
    const char *text = environment_get(env, str_of(g->gpus));
    struct str rest = str_of(text ? text : ""), id;
    while (rest.len > 0 && str_split(&rest, ',', &id)) {
        id = str_trim(id);
        if (g->none && str_is(id, g->none))
            return;
        if (!is_gpu(id) || r->gpu_count == ROOM_GPUS_MAX)
            return;
        struct room_gpu gpu = {.id = arena_str(a, id),
                               .name = STR(""),
                               .number = (unsigned)r->gpu_count};
        room_add_gpu(r, &gpu);
    }
}

/* What is not said is what the machine has, if that says so. */
static int read_memory(const struct granted *g, const char *const *env,
                       struct room *r, struct err *err)
{
    uint64_t node = 0, of_cpu = 0, of_gpu = 0;
    struct machine m = {0};
    struct arena *a = arena_new();
    int rc = 0;
    if (read_number(env, g->memory, &node, err) < 0 ||
        read_number(env, g->memory_per_cpu, &of_cpu, err) < 0 ||
        read_number(env, g->memory_per_gpu, &of_gpu, err) < 0)
        rc = -1;
    if (node == 0 && g->file_memory)
        read_line(g, env, g->file_memory, &node);
    if (node == 0)
        node = of_cpu * (uint64_t)r->cpus;
    if (node == 0)
        node = of_gpu * r->gpu_count;
    if (node == 0 && machine_read(&m, "", a, NULL) == 0)
        node = m.memory_bytes / MEBIBYTE;
    r->memory_bytes = r->free_memory_bytes = node * MEBIBYTE;
    arena_free(a);
    return rc;
}

int granted_room(const struct granted *g, const char *const *env,
                 struct arena *a, struct room *r, struct err *err)
{
    struct room read;
    uint64_t cpus = 0;
    if (read_cpus(g, env, &cpus, err) != 0)
        return -1;
    room_init(&read, (double)cpus, 0, 0);
    read_gpus(g, env, a, &read);
    if (read_memory(g, env, &read, err) != 0)
        return -1;
    *r = read;
    return 0;
}

/* ---- the variables ----------------------------------------------------- */

/* A * at the end stands for the rest of a name. */
static const char *const of_ranks[] = {
    "SLURM_NTASKS*",    "SLURM_NPROCS",       "SLURM_PROCID",
    "SLURM_LOCALID",    "SLURM_NODEID",       "SLURM_GTIDS",
    "SLURM_STEP*",      "SLURM_TASK_PID",     "SLURM_LAUNCH_*",
    "SLURM_SRUN_*",     "SLURM_DISTRIBUTION", "SLURM_CPU_BIND*",
    "SLURM_MEM_BIND*",  "SLURM_GPU*",         "SLURM_JOB_GPUS",
    "SLURM_MPI_TYPE",   "SLURM_PMI*",         "PMI*",
    "PALS_*",           "OMPI_COMM_*",        "OMPI_UNIVERSE_SIZE",
    "OMPI_APP*",        "OMPI_FIRST_RANKS",   "OMPI_NUM_APP_CTX",
    "OMPI_MCA_orte_*",  "OMPI_MCA_ess*",      "OMPI_MCA_pmix*",
    "PRTE_*",           "MPI_LOCALRANKID",    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_*", "HYDI_CONTROL_FD",    "FLUX_TASK_*"};

/* What a variable that stays counts. */
enum counts { CPUS, MEBIBYTES, RANKS, GPUS };
static const struct {
    const char *name;
    enum counts counts;
} shares[] = {
    {"SLURM_CPUS_ON_NODE", CPUS},      {"SLURM_CPUS_PER_TASK", CPUS},
    {"SLURM_JOB_CPUS_PER_NODE", CPUS}, {"SLURM_MEM_PER_NODE", MEBIBYTES},
    {"SLURM_TASKS_PER_NODE", RANKS},   {"SLURM_NNODES", RANKS},
    {"SLURM_JOB_NUM_NODES", RANKS},    {"ROCR_VISIBLE_DEVICES", GPUS},
    {"GPU_DEVICE_ORDINAL", GPUS},
};

static bool is_named(const char *assignment, const char *name)
{
    size_t len = strlen(name);
    bool any = name[len - 1] == '*';
    len -= any;
    return strncmp(assignment, name, len) == 0 &&
           (any || assignment[len] == '=');
}

bool granted_is_of_ranks(const char *assignment)
{
    for (size_t i = 0; i < sizeof of_ranks / sizeof *of_ranks; i++)
        if (is_named(assignment, of_ranks[i]))
            return true;
    return false;
}

const char *granted_share(const char *assignment, const struct needs *n,
                          const char *gpus, struct arena *a)
{
    size_t i = 0;
    while (i < sizeof shares / sizeof *shares &&
           !is_named(assignment, shares[i].name))
        i++;
    if (i == sizeof shares / sizeof *shares)
        return NULL;
    switch (shares[i].counts) {
    case CPUS:
        return arena_printf(a, "%s=%.0f", shares[i].name,
                            fmax(1, ceil(n->cpus)));
    case MEBIBYTES:
        return n->memory_bytes == 0
                   ? NULL
                   : arena_printf(
                         a, "%s=%llu", shares[i].name,
                         (unsigned long long)(n->memory_bytes / MEBIBYTE));
    case RANKS:
        return arena_printf(a, "%s=1", shares[i].name);
    case GPUS:
        return arena_printf(a, "%s=%s", shares[i].name, gpus);
    }
    return NULL;
}
