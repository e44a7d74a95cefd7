/* pieces.c - which length of job a task gets, and what its end cuts off
 *
 * A task that goes on from checkpoints loses nothing when its job's time is up:
 * it is cut into pieces of the shortest class. Another one would lose all, so
 * it is put where it fits: by the limit that its needs say, else by the longest
 * that was measured; where nobody knows, into the longest class. One that was
 * cut off all the same gets a longer class, and where there is none its time is
 * up for good: it would be cut off again and again. */
#include "engine/jobs.h"

#include "base/num.h"
#include "terms/kind.h"
#include <math.h>
#include <stdio.h>

/* Between two looks for checkpoints of tasks that run. */
#define PROBE_SECONDS 10.0

/* ---- what earlier conductors measured -------------------------------------
 */

static const char *measured(const struct jobs *j, struct arena *a)
{
    return path_join(a, j->root, "measured");
}

void pieces_keep(const struct jobs *j)
{
    struct arena *a = arena_new();
    if (j->task_s >= 0 || j->saves)
        file_write(measured(j, a),
                   str_of(arena_printf(a, "%.17g %.17g %d\n", j->task_s,
                                       j->longest_s, j->saves)),
                   false, NULL);
    arena_free(a);
}

static void read_measured(struct jobs *j)
{
    struct arena *a = arena_new();
    struct buf text;
    double n[3];
    size_t count = 0;
    buf_init(&text);
    if (file_read(measured(j, a), 256, &text, NULL) == 0) {
        struct str rest = str_trim(buf_str(&text)), word;
        while (count < 3 && str_split(&rest, ' ', &word) &&
               num_double(word, &n[count]))
            count++;
    }
    if (count == 3) {
        j->task_s = n[0];
        j->longest_s = n[1];
        j->saves = n[2] > 0;
    }
    buf_done(&text);
    arena_free(a);
}

/* ---- what earlier conductors saw cut off ----------------------------------
 *
 * Lines of a file: "12 saved 9876543210", "12 cut short". Of several lines of
 * one task and kind the last counts, and what it saved undoes that it was cut
 * off. */

static const char *cuts(const struct jobs *j, struct arena *a)
{
    return path_join(a, j->root, "cuts");
}

static void keep_cut(const struct jobs *j, uint64_t task, const char *kind,
                     const char *value)
{
    struct arena *a = arena_new();
    FILE *f = fopen(cuts(j, a), "ae");
    if (f) { /* without it a task may be tried once more than it need be */
        fprintf(f, "%llu %s %s\n", (unsigned long long)task, kind, value);
        fclose(f);
    }
    arena_free(a);
}

static void set_saved(struct jobs *j, uint64_t task, uint64_t digest)
{
    idmap_set(j->checkpoints, task, (void *)(uintptr_t)digest);
    idmap_del(j->cut, task);
}

static void set_cut(struct jobs *j, uint64_t task, const char *class)
{
    for (size_t i = 0; i < j->classes.list.len; i++)
        if (strcmp(j->classes.list.p[i].name, class) == 0)
            idmap_set(j->cut, task, &j->classes.list.p[i]);
}

static void read_cut(struct jobs *j, struct str line)
{
    struct arena *a = arena_new();
    struct str id, kind;
    uint64_t task, digest;
    if (str_split(&line, ' ', &id) && str_split(&line, ' ', &kind) &&
        num_uint(id, &task)) {
        if (str_is(kind, "cut"))
            set_cut(j, task, arena_cstr(a, line));
        else if (str_is(kind, "saved") && num_uint(line, &digest) && digest)
            set_saved(j, task, digest);
    }
    arena_free(a);
}

static void read_cuts(struct jobs *j)
{
    struct arena *a = arena_new();
    struct buf text;
    buf_init(&text);
    if (file_read(cuts(j, a), 0, &text, NULL) == 0) {
        struct str rest = buf_str(&text), line;
        while (rest.len && str_split(&rest, '\n', &line))
            read_cut(j, line);
    }
    buf_done(&text);
    arena_free(a);
}

/* ---- the site's classes ---------------------------------------------------
 */

int pieces_open(struct jobs *j, struct err *err)
{
    read_measured(j);
    classes_read(&j->classes, j->given->site, j->arena);
    classes_share(&j->classes, nodes_gpus(j->scheduler->nodes(j->at)));
    read_cuts(j);
    for (size_t i = 0; !j->only && j->time_s > 0 && i < j->classes.list.len;
         i++)
        if (j->classes.list.p[i].time_s >= j->time_s)
            j->only = &j->classes.list.p[i];
    if (j->time_s <= 0 || !j->classes.list.len || j->only)
        return 0;
    struct buf said, longest;
    buf_init(&said);
    buf_init(&longest);
    num_print_seconds(&said, j->time_s);
    num_print_seconds(&longest, vec_last(&j->classes.list).time_s);
    err_set(err, ERR_INPUT,
            "jobs shall have a time of %s, and the longest class, %s, has %s: "
            "leave the time out, or add a class",
            said.p, vec_last(&j->classes.list).name, longest.p);
    buf_done(&said);
    buf_done(&longest);
    return -1;
}

/* ---- who saves ------------------------------------------------------------
 */

static bool holds_checkpoint(const char *folder)
{
    struct arena *a = arena_new();
    const char **names = dir_list(path_join(a, folder, "checkpoint"), a, NULL);
    bool some = names && *names;
    arena_free(a);
    return some;
}

bool pieces_saves(const struct task *t)
{
    const struct task_kind *kind = task_kind_find(t->kind);
    if ((kind && kind->runs == RUNS_MODEL) || t->resume_from.len)
        return true;
    if (t->attempt < 2)
        return false;
    struct arena *a = arena_new();
    bool saves =
        holds_checkpoint(arena_cstr(a, t->folder)) ||
        (t->copy_of.len && holds_checkpoint(arena_cstr(a, t->copy_of)));
    arena_free(a);
    return saves;
}

static bool any_saves(const struct jobs *j)
{
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++) {
            const struct bundle *b = &j->list.p[i]->bundles[k];
            if (b->open && b->begun && b->probe && holds_checkpoint(b->probe))
                return true;
        }
    return false;
}

static void probe(struct jobs *j)
{
    int64_t now = clock_mono_ns();
    if (j->saves || now < j->probed_ns + (int64_t)(PROBE_SECONDS * 1e9))
        return;
    j->probed_ns = now;
    j->saves = any_saves(j);
    if (j->saves)
        log_to(j->given->log, LOG_NOTICE,
               "trials write checkpoints: they are cut into jobs of class %s",
               j->classes.list.p[0].name);
}

/* ---- which class ----------------------------------------------------------
 */

/* For how long one runs by now. */
static double oldest(const struct jobs *j)
{
    double first = INFINITY;
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++) {
            const struct bundle *b = &j->list.p[i]->bundles[k];
            if (b->open && b->began_wall > 0)
                first = fmin(first, b->began_wall);
        }
    return isinf(first) ? -1 : clock_wall() - first;
}

void pieces_look(struct jobs *j)
{
    if (!j->classes.list.len || !j->waiting.len)
        return;
    probe(j);
    j->need_s = j->longest_s < 0 ? -1 : fmax(j->longest_s, oldest(j));
}

static struct class_work work_of(const struct jobs *j, const struct waiting *w)
{
    const struct job_class *cut = idmap_get(j->cut, w->id);
    bool limit = w->needs.time_s > 0;
    return (struct class_work){.seconds = limit ? w->needs.time_s : j->need_s,
                               .limit = limit,
                               /* Others may save where this one did not. */
                               .saves = !cut && (w->saves || j->saves),
                               .had_s = cut ? cut->time_s : 0,
                               .lead_s = j->lead_s};
}

const struct job_class *pieces_class(const struct jobs *j,
                                     const struct waiting *w)
{
    if (!j->classes.list.len || j->only)
        return j->only;
    struct class_work work = work_of(j, w);
    const struct job_class *class = classes_choose(&j->classes, &work);
    return class ? class : &vec_last(&j->classes.list);
}

void pieces_warn(struct jobs *j, const struct waiting *w)
{
    struct class_work work = work_of(j, w);
    const struct job_class *class = pieces_class(j, w);
    struct buf takes;
    if (j->length_told || work.seconds < 0 || classes_fit(class, &work))
        return;
    j->length_told = true;
    buf_init(&takes);
    num_print_seconds(&takes, work.seconds);
    log_to(j->given->log, LOG_WARN,
           "trials may take %s, more than a job of class %s has: unless they "
           "save checkpoints, its end cuts them off for good",
           takes.p, class->name);
    buf_done(&takes);
}

/* Of one job; a GPU that tasks share is needed whole. */
static double job_gpus(const struct jobs *j, const struct needs *n)
{
    struct spread ranks;
    uint32_t slots = (uint32_t)jobs_job_slots(j, n);
    return needs_spread(n, &ranks) ? n->gpus : needs_times(n, slots).gpus;
}

uint32_t pieces_room(const struct jobs *j, const struct job_class *class,
                     const struct needs *n)
{
    size_t at = (size_t)(class - j->classes.list.p);
    struct class_load out = j->others ? j->others[at] : (struct class_load){0};
    for (size_t i = 0; i < j->list.len; i++) {
        const struct submission *s = j->list.p[i];
        for (uint32_t k = 0; strcmp(s->class, class->name) == 0 && k < s->count;
             k++)
            if (s->bundles[k].open) {
                out.jobs++;
                out.gpus += job_gpus(j, &s->needs);
            }
    }
    return classes_left(class, &out, job_gpus(j, n));
}

/* ---- what is cut off ------------------------------------------------------
 */

/* One that shared its job with others may have begun late. */
static bool had_all(const struct jobs *j, const struct out_task *t,
                    const struct record_ended *e)
{
    const struct submission *s = t->bundle->of;
    return t->bundle->count <= jobs_job_slots(j, &s->needs) ||
           (s->time_s > 0 && e->seconds >= s->time_s / 2);
}

/* True when it saved something since the time of its job was up last: who has
 * the same again after a whole job would never come to its end. */
static bool got_on(struct jobs *j, const struct out_task *t, uint64_t digest)
{
    void *before = idmap_get(j->checkpoints, t->id);
    char text[24];
    if (!digest || before == (void *)(uintptr_t)digest)
        return false;
    snprintf(text, sizeof text, "%llu", (unsigned long long)digest);
    set_saved(j, t->id, digest);
    keep_cut(j, t->id, "saved", text);
    return true;
}

/* Its worker says so, or the scheduler, which ended it without a warning. */
static bool is_time_up(struct jobs *j, struct out_task *t, uint32_t start,
                       const struct record_ended *e)
{
    return (e->outcome == OUTCOME_INTERRUPTED &&
            str_is(e->reason, BUNDLE_TIME_UP)) ||
           ending_for_time(j, t->bundle, start, e);
}

bool pieces_cut_off(struct jobs *j, struct out_task *t, uint32_t start,
                    struct record_ended *e, struct buf *reason)
{
    if (!is_time_up(j, t, start, e) || !had_all(j, t, e) ||
        got_on(j, t, e->checkpoint_digest))
        return false;
    const struct submission *s = t->bundle->of;
    const struct job_class *had = classes_find(&j->classes, s->class);
    if (had && !j->only && had != &vec_last(&j->classes.list)) {
        set_cut(j, t->id, had->name);
        keep_cut(j, t->id, "cut", had->name);
        return false;
    }
    buf_adds(reason, BUNDLE_TIME_UP);
    if (s->time_s > 0) {
        buf_adds(reason, " (");
        num_print_seconds(reason, s->time_s);
        buf_addf(reason, "%s%s)", *s->class ? ", class " : "", s->class);
    }
    buf_adds(reason, e->checkpoint_digest
                         ? ", and it had saved nothing new since the job before"
                         : ", and it had saved no checkpoint to go on from");
    e->outcome = OUTCOME_TIMED_OUT;
    e->reason = buf_str(reason);
    return true;
}
