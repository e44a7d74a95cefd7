/* slurm_bench.h - Slurm's commands as small scripts, for the tests of its place
 */
#ifndef THRONG_TESTS_ENGINE_SLURM_BENCH_H
#define THRONG_TESTS_ENGINE_SLURM_BENCH_H

#include "command_bench.h"
#include "base/json.h"

static int open_bench(void **state)
{
    struct bench *b = bench_new(0.1);
    command(b, "scontrol",
            "[ $1 = update ] && echo \"$@\" >>updated\n"
            "echo 'MaxArraySize = 1001'; echo 'KillWait = 3 sec'; "
            "echo 'AccountingStorageType = "
            "accounting_storage/slurmdbd'");
    command(b, "sinfo",
            "echo 'n0|4|4000|gpu:2|idle|main*'; "
            "echo 'n1|4|4000|gpu:2|idle|main*'");
    command(b, "sbatch",
            "echo x >>submits\n[ -e refuse ] && { cat refuse >&2; exit 1; }\n"
            "n=$(($(cat job 2>/dev/null || echo 6) + 1)); echo $n >job\n"
            "echo $n");
    command(b, "squeue",
            "case \"$*\" in *--name=*) cat found 2>/dev/null; exit 0;;\n"
            "*--user=*) cat usage 2>/dev/null; echo x >>asked; exit 0;; esac\n"
            "echo x >>looks\n[ -e slow ] && sleep 0.4\n[ -e fail ] && { cat "
            "fail >&2; exit 1; }\n"
            "cat queue 2>/dev/null; exit 0");
    command(b, "scancel", "echo \"$@\" >>cancelled");
    command(b, "sacct", "cat account 2>/dev/null; exit 0");
    *state = b;
    return 0;
}

/* What start k of bundle i of a submission says. */
static char *stem_of(struct bench *b, const char *bundle)
{
    return arena_printf(b->arena, "%s/jobs/%s", b->rig.folder, bundle);
}

static void say(struct bench *b, const char *bundle, uint32_t k,
                const struct record *r)
{
    say_at(b, stem_of(b, bundle), k, r);
}

static void say_starting(struct bench *b, const char *bundle, uint32_t k,
                         uint64_t task)
{
    say_starting_at(b, stem_of(b, bundle), k, task);
}

static inline void say_ended(struct bench *b, const char *bundle, uint32_t k,
                             uint64_t task)
{
    say_ended_at(b, stem_of(b, bundle), k, task);
}

static void submit(struct bench *b, uint64_t tasks)
{
    submit_to(b, "slurm", tasks);
}

static bool one_started(struct bench *b)
{
    return rig_count(&b->rig, RECORD_STARTING) == 1;
}

/* Two more good answers than there were. */
static size_t looks_before;
static size_t looks(struct bench *b)
{
    return strlen(get(b, "looks")) / 2;
}

static bool looked_thrice_more(struct bench *b)
{
    return looks(b) >= looks_before + 3;
}

static void look_thrice(struct bench *b)
{
    looks_before = looks(b);
    run(b, looked_thrice_more);
}

/* ---- jobs that are begun again ------------------------------------------- */

static inline uint32_t next_number(struct rig *r, const struct seen *s)
{
    (void)r;
    return s->attempt + 1;
}

static inline bool begun_again(struct bench *b)
{
    return rig_count(&b->rig, RIG_AGAIN) == 1;
}

#endif
