/* packing.c - small files of many trials go into packs
 *
 * A trial that wrote a line costs a folder, a file and a block of the disk for
 * ever; a million of them, gigabytes and more files than a quota allows. So
 * the small logs of trials that have ended, and what built-in training left,
 * are packed (store's packs.c), a few while the study runs, the rest when it
 * is over. Studies of at most a thousand trials stay as they are: there a
 * person likes to look with `ls` and `cat`.
 *
 * A trial whose state goes back, by `throng retry` or because the power failed
 * right after, gets its files back before it goes on (study_unpack). */
#include "base/num.h"
#include "study/conductor.h"

#define STUDY_TRIALS 1000 /* of a study that is packed: more */
#define FILES_LEAST 100   /* in a thousand trials that are worth it */
#define LOG_BYTES ((uint64_t)1 << 16)    /* at most, of a log … */
#define OUTPUT_BYTES ((uint64_t)1 << 20) /* … and of what training left */
#define LEASE_NS 10000000000ll
/* While trials run, packing takes at most one part in so many of the time. */
#define REST_FACTOR 20

struct packing {
    struct study *study;
    struct arena *arena;
    VEC(struct to_pack) files;
};

/* ---- which files ------------------------------------------------------ */

static void add_file(struct packing *p, int64_t trial, const char *home,
                     const char *name, uint64_t most)
{
    uint64_t bytes = file_bytes(path_join(p->arena, home, name));
    struct to_pack one = {trial, name};
    if (bytes && bytes <= most)
        vec_push(&p->files, one);
}

static void add_trial(struct packing *p, int64_t trial, const char *home)
{
    add_file(p, trial, home, "log", LOG_BYTES);
    char *output = path_join(p->arena, home, "output");
    if (!p->study->plan->model_root || !file_is_dir(output))
        return;
    const char **names = dir_list(output, p->arena, NULL);
    for (; names && *names; names++)
        add_file(p, trial, home, path_join(p->arena, "output", *names),
                 OUTPUT_BYTES);
}

/* Marks the trials of a thousand that have ended, from its first on. */
static int find_final(struct packing *p, int64_t thousand, bool *final,
                      struct err *err)
{
    int64_t first = thousand * PACK_TRIALS;
    struct query q = {.selector =
                          arena_printf(p->arena, "%lld-%lld", (long long)first,
                                       (long long)(first + PACK_TRIALS - 1)),
                      .results = true};
    struct rows *rows = store_rows(p->study->store, &q, err);
    struct trial t;
    int got = rows ? 0 : -1;
    while (rows && (got = rows_next(rows, &t, err)) > 0)
        final[t.id - first] = state_final(t.state);
    rows_close(rows);
    return got;
}

/* A pack knows one file of a name for each trial: one that has several folders
 * stays as it is. */
static void leave_several(const char **names, int64_t first, bool *final)
{
    for (; *names; names++) {
        int64_t id;
        bool only;
        if (store_folder_trial(*names, &id, &only) && !only && id >= first &&
            id < first + PACK_TRIALS)
            final[id - first] = false;
    }
}

static int pack_thousand(struct packing *p, int64_t thousand, struct err *err)
{
    const char *folder = p->study->setup.folder;
    int64_t first = thousand * PACK_TRIALS;
    bool *final = arena_array(p->arena, PACK_TRIALS, sizeof(*final));
    char *home =
        path_folder(p->arena, store_attempt_folder(folder, first, 0, p->arena));
    const char **names = dir_list(home, p->arena, NULL);
    if (!names || find_final(p, thousand, final, err))
        return names ? -1 : 0;
    leave_several(names, first, final);
    for (; *names; names++) {
        int64_t id;
        if (num_int(str_of(*names), &id) && id >= first &&
            id < first + PACK_TRIALS && final[id - first])
            add_trial(p, id, path_join(p->arena, home, *names));
    }
    return p->files.len < FILES_LEAST
               ? 0
               : packs_add(folder, p->files.p, p->files.len, err);
}

static int pack(struct study *s, int64_t thousand, struct err *err)
{
    struct packing p = {.study = s, .arena = arena_new()};
    int rc = pack_thousand(&p, thousand, err);
    vec_done(&p.files);
    arena_free(p.arena);
    return rc;
}

/* ---- when ------------------------------------------------------------- */

bool study_is_large(const struct study *s)
{
    return s->run.counts.total > STUDY_TRIALS;
}

/* Once more trials have ended than a thousand holds, all of an earlier one
 * have, but for a few: those wait for the end. */
void study_pack_look(struct study *s)
{
    int64_t now = clock_mono_ns();
    int64_t last = s->run.next_id / PACK_TRIALS - 1;
    if (!study_is_large(s) || now < s->pack_next_ns || s->pack_next >= last)
        return;
    /* What fails here fails again, and is said, when the run is over. */
    pack(s, s->pack_next++, NULL);
    int64_t cost_ns = clock_mono_ns() - now;
    s->pack_next_ns = now + (REST_FACTOR + 1) * cost_ns;
}

/* A study may be large enough for this to take a minute: whoever looks at its
 * lease must see that somebody is there. */
static int touch(struct study *s, int64_t *since_ns, struct err *err)
{
    int64_t now = clock_mono_ns();
    if (now - *since_ns < LEASE_NS)
        return 0;
    *since_ns = now;
    return store_lease_touch(s->store, err);
}

void study_pack(struct study *s)
{
    int64_t since_ns = clock_mono_ns(), last = s->run.next_id / PACK_TRIALS;
    struct err err = {0};
    for (int64_t i = 0; study_is_large(s) && i <= last; i++)
        if (touch(s, &since_ns, &err) || pack(s, i, &err)) {
            log_to(s->setup.log, LOG_WARN,
                   "small files stay as they are and are packed by the next "
                   "run: %s",
                   err.text);
            return;
        }
}

int study_unpack(struct packs *packs, const char *folder, int64_t trial,
                 struct err *err)
{
    struct arena *a = arena_new();
    int rc = packs_restore(
        packs, trial, store_attempt_folder(folder, trial, 0, a), true, err);
    arena_free(a);
    return rc;
}
