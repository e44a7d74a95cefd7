/* training.c - one model trained by itself: its task, and what it leaves */
#include "base/json.h"
#include "study/study.h"

struct task training_task(const struct value *model, const char *file,
                          const char *scratch, uint64_t seed, struct arena *a)
{
    struct buf text;
    struct task task = {.id = 1, .attempt = 1, .kind = STR("train")};
    needs_init(&task.needs);
    buf_init(&text);
    json_print(&text, model);
    task.model = arena_str(a, buf_str(&text));
    buf_done(&text);
    task.workdir = str_of(path_folder(a, path_absolute(a, file)));
    task.folder = str_of(path_join(a, scratch, "1"));
    task.study = path_stem(file);
    task.params = STR("{}");
    task.seed = seed;
    task.judge_test = 1;
    task.grace_s = 5;
    return task;
}

/* ---- what it leaves -------------------------------------------------------
 */

/* Out of the scratch folder. */
static int take_out(const char *from, const char *to, struct err *err)
{
    struct buf bytes;
    buf_init(&bytes);
    int rc = file_read(from, 0, &bytes, err) ||
             file_write(to, buf_str(&bytes), false, err);
    buf_done(&bytes);
    return rc;
}

static const char *output(const char *scratch, const char *name,
                          struct arena *a)
{
    return arena_printf(a, "%s/1/output/%s.safetensors", scratch, name);
}

/* STEM_epoch_5.safetensors, for every epoch that was reached. */
static int keep_snapshots(const struct value *model, const char *scratch,
                          struct str stem, struct arena *a, struct err *err)
{
    const struct value *epochs = value_get(model, STR("snapshots"));
    for (size_t i = 0; epochs && i < epochs->count; i++) {
        const char *name =
            arena_printf(a, "epoch_%lld", (long long)epochs->items[i]->i);
        const char *from = output(scratch, name, a);
        if (file_exists(from) &&
            take_out(from,
                     arena_printf(a, "%.*s_%s.safetensors", STRF(stem), name),
                     err))
            return -1;
    }
    return 0;
}

int training_keep(const struct value *model, const char *scratch,
                  const char *to, struct arena *a, struct err *err)
{
    struct str stem = str_of(to);
    if (str_ends(stem, STR(".safetensors")))
        stem.len -= strlen(".safetensors");
    if (take_out(output(scratch, "weights", a), to, err))
        return -1;
    return keep_snapshots(model, scratch, stem, a, err);
}
