/* sandbox.c - a bundle on a machine that shares no disk with the conductor */
#include "worker/sandbox.h"

#include <unistd.h>
#include "base/json.h"
#include "base/num.h"
#include "sys/sys.h"
#include "terms/bundle.h"
#include "terms/kind.h"

#define BEGAN ".throng-began" /* beside the folder: it does not travel */

const char *sandbox_make(const char *name, struct arena *a, struct err *err)
{
    const char *folder = path_absolute(a, name);
    const char *layout = path_join(a, folder, SANDBOX_LAYOUT_FILE);
    if (dir_unflatten(folder, err) != 0 ||
        dir_make(path_join(a, folder, "trials"), err) != 0 ||
        file_write(layout, STR(SANDBOX_LAYOUT "\n"), false, err) != 0) {
        err_wrap(err, "make what is to come back from this job");
        return NULL;
    }
    return folder;
}

/* As it is, most of it travels as well. */
void sandbox_pack_up(const char *name, const struct log *log)
{
    struct arena *a = arena_new();
    struct err err = {0};
    if (dir_flatten(path_absolute(a, name), &err))
        log_to(log, LOG_WARN, "%s", err.text);
    arena_free(a);
}

uint32_t sandbox_starts(const char *stem, struct arena *a)
{
    struct str before = str_of(arena_printf(a, "%s.said.", path_name(stem).p));
    const char **names = dir_list(path_folder(a, stem), a, NULL);
    uint32_t starts = 0;
    for (; names && *names; names++) {
        uint64_t k;
        struct str name = str_of(*names);
        if (!str_starts(name, before) ||
            !num_uint(str_n(name.p + before.len, name.len - before.len), &k))
            continue;
        if (k <= BUNDLE_START_MAX && k >= starts)
            starts = (uint32_t)k + 1;
    }
    return starts;
}

double sandbox_age_s(const char *folder, struct arena *a)
{
    const char *path = path_join(a, path_folder(a, folder), BEGAN);
    struct buf text;
    double began, now = clock_wall();
    buf_init(&text);
    if (file_read(path, 0, &text, NULL) != 0 ||
        !num_double(buf_str(&text), &began) || began > now) {
        began = now;
        buf_reset(&text);
        buf_addf(&text, "%.3f", now);
        file_write(path, buf_str(&text), false, NULL);
    }
    buf_done(&text);
    return now - began;
}

static struct str anchored(struct str path, struct arena *a)
{
    if (path.len == 0 || path.p[0] == '/')
        return path;
    return str_of(path_absolute(a, arena_cstr(a, path)));
}

static void anchor_text(struct value *o, const char *key, struct arena *a)
{
    struct value *v = value_get(o, str_of(key));
    if (v && v->kind == VALUE_STRING)
        v->s = anchored(v->s, a);
}

static void anchor_list(struct value *members, struct arena *a)
{
    for (size_t i = 0;
         members && members->kind == VALUE_LIST && i < members->count; i++) {
        anchor_text(members->items[i], "weights", a);
        anchor_text(members->items[i], "workdir", a);
    }
}

/* Where the other members of an ensemble are, and layers: committee.c and
 * unlike.c. What cannot be read is said there. */
static void anchor_members(struct task *t, struct arena *a)
{
    struct value *options = json_parse(a, t->options, "options", false, NULL);
    struct value *novelty = value_get(options, STR("novelty"));
    struct buf b;
    if (!options)
        return;
    anchor_list(value_get(options, STR("members")), a);
    anchor_list(value_get(novelty, STR("layers")), a);
    anchor_text(novelty, "file", a);
    buf_init(&b);
    json_print(&b, options);
    t->options = arena_str(a, buf_str(&b));
    buf_done(&b);
}

void sandbox_anchor(struct task *t, struct arena *a)
{
    struct str *const paths[] = {&t->workdir,     &t->folder,     &t->copy_of,
                                 &t->resume_from, &t->state.file, &t->weights,
                                 &t->shard.file};
    const struct task_kind *kind = task_kind_find(t->kind);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        *paths[i] = anchored(*paths[i], a);
    if (kind && kind->runs == RUNS_ROWS && t->options.len)
        anchor_members(t, a);
}
