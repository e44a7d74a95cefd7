/* sandbox.c - a bundle on a machine that shares no disk with the conductor */
#include "worker/sandbox.h"

#include <unistd.h>
#include "base/num.h"
#include "sys/sys.h"
#include "terms/bundle.h"

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

void sandbox_anchor(struct task *t, struct arena *a)
{
    struct str *const paths[] = {&t->workdir,     &t->folder,     &t->copy_of,
                                 &t->resume_from, &t->state.file, &t->weights};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        *paths[i] = anchored(*paths[i], a);
}
