/* served.c - a study that is served: its trials in memory
 *
 * However many look, a study is read once for each change, and reading takes a
 * small part of the time: after a look comes a rest of many times what it
 * took. */
#include "web/served.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SLICE_S 0.05   /* for one look at a large study that is new here */
#define COPY_REST_S 10 /* a copy on a network is made that often */
#define TICK_S 0.05    /* longer than the ticks of a file system's clock */

struct served *served_new(const char *folder, const char *name)
{
    struct served *s = xcalloc(1, sizeof(*s));
    struct arena *a = arena_new();
    char *around = path_join(a, folder, ".throng");
    s->arena = a;
    s->where = (struct place_of_study){.folder = path_join(a, around, name),
                                       .home = arena_cstr(a, str_of(folder)),
                                       .name = arena_cstr(a, str_of(name))};
    s->frame = frame_new();
    return s;
}

void served_free(struct served *s)
{
    if (!s)
        return;
    frame_free(s->frame);
    free(s->where_text);
    free(s->standing);
    free(s->order_text);
    vec_done(&s->matched);
    vec_done(&s->ordered);
    arena_free(s->arena);
    free(s);
}

bool served_is_there(const struct served *s)
{
    struct arena *a = arena_new();
    bool there = is_study_folder(a, s->where.folder);
    arena_free(a);
    return there;
}

/* Two stores that had the same name one after the other differ in this: files
 * take the numbers of removed ones, but not their birth. 0: nobody can tell. */
static uint64_t birth_of(const struct served *s)
{
    struct arena *a = arena_new();
    struct statx st = {0};
    int rc = statx(AT_FDCWD, path_join(a, s->where.folder, "study.db"), 0,
                   STATX_INO | STATX_BTIME, &st);
    arena_free(a);
    return rc ? 0
              : st.stx_ino * 31 + (uint64_t)st.stx_btime.tv_sec * 1000000007 +
                    st.stx_btime.tv_nsec;
}

/* A study that was removed and begun anew under the same name is another. */
static void follow_birth(struct served *s)
{
    uint64_t born = birth_of(s);
    if (s->born && born && s->born != born) {
        uint32_t made = s->frame->made;
        frame_free(s->frame);
        s->frame = frame_new();
        s->frame->made = made + 1;
        s->changed_ns = 0;
    }
    s->born = born ? born : s->born;
}

static bool is_current(const struct served *s, int64_t changed_ns)
{
    int64_t rest = SERVED_REST_FACTOR * s->cost_ns;
    if (s->as_of > 0 && rest < (int64_t)(COPY_REST_S * 1e9))
        rest = (int64_t)(COPY_REST_S * 1e9);
    return s->frame->whole && (changed_ns == s->changed_ns ||
                               clock_mono_ns() - s->looked_ns < rest);
}

/* A file's time is coarse: what was written in the same tick as what was read
 * has the same time, so a change of just now is looked at once more. */
static int64_t seen_until(int64_t changed_ns)
{
    return clock_wall() * 1e9 - (double)changed_ns < TICK_S * 1e9
               ? changed_ns - 1
               : changed_ns;
}

int served_look(struct served *s, bool whole, struct err *err)
{
    struct arena *a = arena_new();
    int64_t changed_ns = study_changed_ns(a, s->where.folder);
    arena_free(a);
    if (is_current(s, changed_ns))
        return 0;
    int64_t seen_ns = seen_until(changed_ns);
    follow_birth(s);
    struct store *store = store_open(s->where.folder, false, err);
    if (!store)
        return -1;
    int64_t before = clock_mono_ns();
    int rc;
    do
        rc = frame_update(s->frame, store, SLICE_S, err);
    while (!rc && whole && !s->frame->whole);
    s->looked_ns = clock_mono_ns();
    s->cost_ns = s->looked_ns - before;
    s->changed_ns = seen_ns;
    s->as_of = store_as_of(store);
    store_close(store);
    return rc;
}

static int read_matched(struct served *s, const char *where, struct err *err)
{
    struct query q = {.where = where, .results = true};
    struct store *store = store_open(s->where.folder, false, err);
    struct arena *a = arena_new();
    struct trial t;
    struct rows *rows = NULL;
    int got = -1;
    s->matched.len = 0;
    if (store && !names_check_filter(store, where, a, err))
        rows = store_rows(store, &q, err);
    if (rows)
        got = 1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0) {
        size_t row = frame_row(s->frame, t.id);
        if (row != SIZE_MAX)
            vec_push(&s->matched, (uint32_t)row);
    }
    rows_close(rows);
    arena_free(a);
    store_close(store);
    return got;
}

static void match_all(struct served *s)
{
    s->matched.len = 0;
    for (size_t i = 0; i < s->frame->rows; i++)
        vec_push(&s->matched, (uint32_t)i);
}

int served_match(struct served *s, const char *where, const uint32_t **rows,
                 size_t *count, struct err *err)
{
    const struct frame *f = s->frame;
    const char *text = where ? where : "";
    bool known = s->where_text && !strcmp(s->where_text, text) &&
                 s->where_revision == f->revision && s->where_made == f->made;
    if (!known) {
        free(s->where_text);
        s->where_text = NULL;
        if (!*text)
            match_all(s);
        else if (read_matched(s, text, err))
            return -1;
        s->where_text = xstrdup(text);
        s->where_revision = f->revision;
        s->where_made = f->made;
    }
    *rows = s->matched.p;
    *count = s->matched.len;
    return 0;
}

static void order_anew(struct served *s, const char *by, bool reverse,
                       const uint32_t *matched, size_t count)
{
    s->ordered.len = 0;
    for (size_t i = 0; i < count; i++)
        vec_push(&s->ordered, matched[i]);
    if (by || reverse)
        frame_sort(s->frame, str_of(by ? by : "trial"), reverse, s->ordered.p,
                   count);
}

int served_order(struct served *s, const char *where, const char *by,
                 bool reverse, const uint32_t **rows, size_t *count,
                 struct err *err)
{
    const struct frame *f = s->frame;
    const uint32_t *matched;
    struct buf text;
    if (served_match(s, where, &matched, count, err))
        return -1;
    buf_init(&text);
    buf_addf(&text, "%d %s\n%s", reverse, by ? by : "", where ? where : "");
    if (!s->order_text || strcmp(s->order_text, text.p) ||
        s->order_revision != f->revision || s->order_made != f->made) {
        order_anew(s, by, reverse, matched, *count);
        free(s->order_text);
        s->order_text = xstrdup(text.p);
        s->order_revision = f->revision;
        s->order_made = f->made;
    }
    buf_done(&text);
    *rows = s->ordered.p;
    return 0;
}
