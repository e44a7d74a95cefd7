/* submission.c - an array of jobs: what was handed out, and what became of it
 */
#include "engine/submission.h"

#include "base/num.h"
#include "sys/sys.h"
#include "terms/task.h"
#include <stdio.h>
#include <unistd.h>

char *submission_root(struct arena *a, const char *study_folder)
{
    return path_join(a, study_folder, "jobs");
}

static struct submission *make(const char *root, uint32_t n, const char *name,
                               uint32_t count)
{
    struct submission *s = xcalloc(1, sizeof *s);
    s->arena = arena_new();
    s->n = n;
    s->name = arena_cstr(s->arena, str_of(name));
    s->folder = arena_printf(s->arena, "%s/%u", root, n);
    s->class = "";
    s->count = count;
    s->bundles = arena_array(s->arena, count, sizeof *s->bundles);
    needs_init(&s->needs);
    for (uint32_t i = 0; i < count; i++) {
        struct bundle *b = &s->bundles[i];
        b->of = s;
        b->index = i;
        b->exit_code = -1;
        b->numbers = "";
        b->stem = arena_printf(s->arena, "%s/%u", s->folder, i);
        b->asked.path = bundle_asked(b->stem, s->arena);
    }
    return s;
}

void submission_free(struct submission *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->count; i++)
        vec_done(&s->bundles[i].starts);
    arena_free(s->arena);
    free(s);
}

struct submission *submission_new(const char *root, uint32_t n,
                                  const char *name, uint32_t count,
                                  struct err *err)
{
    struct submission *s = make(root, n, name, count);
    if (dir_make(s->folder, err) == 0)
        return s;
    submission_free(s);
    return NULL;
}

/* The needs of the array are those of any task in it. */
static void note_task(struct bundle *b, const struct record *r, struct arena *a)
{
    struct task t;
    if (task_parse(&t, r->payload, a, NULL))
        return;
    b->of->needs = t.needs;
    if (!b->probe)
        b->probe = arena_cstr(b->of->arena, t.folder);
    b->grace_s = t.grace_s > b->grace_s ? t.grace_s : b->grace_s;
}

static const char *print_numbers(const struct bundle *b, struct arena *a)
{
    uint64_t *ids = arena_array(a, b->count, sizeof *ids);
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < b->count; i++)
        ids[i] = b->tasks[i].id;
    job_tasks_print(&text, ids, b->count);
    const char *numbers = arena_cstr(b->of->arena, buf_str(&text));
    buf_done(&text);
    return numbers;
}

static void list_tasks(struct bundle *b, const struct record *tasks,
                       size_t count)
{
    struct arena *a = arena_new();
    b->tasks = arena_array(b->of->arena, count, sizeof *b->tasks);
    b->count = count;
    for (size_t i = 0; i < count; i++) {
        b->tasks[i] = (struct out_task){.id = tasks[i].task,
                                        .as = tasks[i].attempt,
                                        .attempt = tasks[i].attempt,
                                        .bundle = b};
        note_task(b, &tasks[i], a);
        arena_reset(a);
    }
    b->numbers = print_numbers(b, a);
    arena_free(a);
}

int submission_fill(struct submission *s, uint32_t i,
                    const struct record *tasks, size_t count, struct err *err)
{
    struct bundle *b = &s->bundles[i];
    struct buf text;
    buf_init(&text);
    for (size_t k = 0; k < count; k++)
        record_print(&text, &tasks[k]);
    int rc =
        file_write(bundle_tasks(b->stem, s->arena), buf_str(&text), false, err);
    buf_done(&text);
    list_tasks(b, tasks, count);
    return rc;
}

static const char *file_in(const struct submission *s, const char *name)
{
    return path_join(s->arena, s->folder, name);
}

int submission_taken(struct submission *s, uint64_t job, struct err *err)
{
    char text[32];
    s->job = job;
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)job);
    return file_write(file_in(s, "job"), str_of(text), true, err);
}

/* ---- what is there already ------------------------------------------------
 */

static uint32_t count_bundles(const char *folder, struct arena *a)
{
    const char **names = dir_list(folder, a, NULL);
    uint32_t count = 0;
    for (; names && *names; names++) {
        char *stem = bundle_stem(*names, a);
        uint64_t i;
        if (stem && num_uint(str_of(stem), &i) && i >= count &&
            i < UINT32_MAX - 1)
            count = (uint32_t)i + 1;
    }
    return count;
}

/* A bundle whose tasks cannot be read has none: they are all settled as what
 * no place knows. */
static int load_bundle(struct bundle *b, struct err *err)
{
    struct bundle_list tasks = {0};
    struct arena *a = arena_new();
    int rc = 0;
    if (file_exists(bundle_tasks(b->stem, a))) {
        rc = bundle_read(b->stem, a, &tasks, err);
        list_tasks(b, tasks.list.p, tasks.list.len);
    }
    vec_done(&tasks.list);
    arena_free(a);
    return rc;
}

static uint64_t read_job(const struct submission *s)
{
    struct buf text;
    uint64_t job = 0;
    buf_init(&text);
    if (file_read(file_in(s, "job"), 64, &text, NULL) == 0)
        num_uint(str_trim(buf_str(&text)), &job);
    buf_done(&text);
    return job;
}

static void keep(char *to, size_t size, struct str from)
{
    snprintf(to, size, "%.*s", STRF(from));
}

/* What was said to an earlier conductor: what the scheduler has forgotten since
 * is not lost. */
static void read_state(struct submission *s)
{
    struct buf text;
    struct job_head head;
    struct job_line l;
    buf_init(&text);
    if (file_read(file_in(s, "state"), 0, &text, NULL) == 0) {
        struct str rest = buf_str(&text), line;
        if (str_split(&rest, '\n', &line) && job_head_parse(line, &head)) {
            s->class = arena_cstr(s->arena, head.class);
            s->time_s = head.time_s;
        }
        while (rest.len && str_split(&rest, '\n', &line)) {
            if (!job_line_parse(line, &l) || l.index >= s->count)
                continue;
            struct bundle *b = &s->bundles[l.index];
            keep(b->state, sizeof b->state, l.state);
            keep(b->reason, sizeof b->reason, l.reason);
            keep(b->node, sizeof b->node, l.node);
            keep(b->by, sizeof b->by, l.by);
            keep(b->words, sizeof b->words, l.words);
        }
    }
    buf_done(&text);
}

struct submission *submission_load(const char *root, uint32_t n,
                                   const char *name, struct err *err)
{
    struct arena *a = arena_new();
    uint32_t count = count_bundles(arena_printf(a, "%s/%u", root, n), a);
    arena_free(a);
    if (count == 0)
        return NULL;
    struct submission *s = make(root, n, name, count);
    s->loaded = true;
    s->job = read_job(s);
    read_state(s);
    for (uint32_t i = 0; i < count; i++)
        if (load_bundle(&s->bundles[i], err)) {
            submission_free(s);
            return NULL;
        }
    return s;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint32_t *submission_numbers(const char *root, struct arena *a, size_t *count)
{
    const char **names = dir_list(root, a, NULL);
    VEC(uint32_t) found = {0};
    for (; names && *names; names++) {
        uint64_t n;
        if (num_uint(str_of(*names), &n) && n > 0 && n < UINT32_MAX)
            vec_push(&found, (uint32_t)n);
    }
    *count = found.len;
    if (found.len)
        qsort(found.p, found.len, sizeof *found.p, by_number);
    return vec_to_arena(a, &found);
}

/* ---- the end ----------------------------------------------------------------
 */

/* Files that a conductor or worker needs, and logs in which nothing is. */
static bool is_used_up(const struct submission *s, const char *name)
{
    struct str n = str_of(name);
    if (str_ends(n, STR(".log")))
        return file_bytes(file_in(s, name)) == 0;
    return str_ends(n, STR(".tasks")) || str_ends(n, STR(".asked")) ||
           strstr(name, ".said.") != NULL || str_ends(n, STR(".tmp"));
}

/* A worker that was killed leaves the folder of its tools; what was sent and
 * came back has its place by now. */
void submission_tidy(struct submission *s)
{
    const char **names = dir_list(s->folder, s->arena, NULL);
    for (; names && *names; names++)
        if (str_starts(str_of(*names), STR(TOOLS_PREFIX)) ||
            str_ends(str_of(*names), STR(".in")) ||
            str_ends(str_of(*names), STR(".out")))
            dir_remove(file_in(s, *names), NULL);
        else if (is_used_up(s, *names))
            unlink(file_in(s, *names));
}

void submission_remove(struct submission *s)
{
    dir_remove(s->folder, NULL);
}

bool bundle_waits(const struct bundle *b, bool *again)
{
    size_t heard = b->starts.len;
    while (heard && !b->starts.p[heard - 1].at)
        heard--;
    bool waits = b->stage == JOB_WAITS && heard <= b->restarts;
    *again = waits && heard;
    return waits;
}

static void print_bundle(struct buf *b, const struct bundle *x)
{
    bool again;
    bundle_waits(x, &again);
    struct job_line l = {.index = x->index,
                         .stage = x->over ? JOB_OVER : x->stage,
                         .again = again,
                         .tasks = str_of(x->numbers),
                         .state = str_of(x->state),
                         .reason = str_of(x->reason),
                         .node = str_of(x->node),
                         .by = str_of(x->by),
                         .words = str_of(x->words),
                         .exit_code = x->exit_code};
    job_line_print(b, &l);
}

void submission_write_state(struct submission *s, const char *scheduler)
{
    struct buf b;
    if (!s->changed)
        return;
    s->changed = false;
    buf_init(&b);
    struct job_head head = {.scheduler = str_of(scheduler),
                            .job = s->job,
                            .class = str_of(s->class),
                            .time_s = s->time_s};
    job_head_print(&b, &head);
    for (uint32_t i = 0; i < s->count; i++)
        print_bundle(&b, &s->bundles[i]);
    file_write(file_in(s, "state"), buf_str(&b), false, NULL);
    buf_done(&b);
}
