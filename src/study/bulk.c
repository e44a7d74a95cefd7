/* bulk.c - an inference over very many rows, whose shards are trials */
#include "study/bulk.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/json.h"
#include "nn/nn.h"
#include "study/shards.h"
#include "study/task_file.h"

struct bulk {
    struct arena *arena;
    struct shards *shards;
    struct task task; /* of models; its rows are those of a shard */
    bool of_command;
    const char *notice;
};

/* ---- making it
 * --------------------------------------------------------------- */

/* As inference_task takes them; NULL: all rows are kept. */
static const char *rules_text(const struct value *keep, struct arena *a)
{
    struct buf b;
    if (!keep || keep->kind == VALUE_STRING)
        return keep ? arena_cstr(a, keep->s) : NULL;
    buf_init(&b);
    json_print(&b, keep);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* A table that is named twice is there once; each has a folder, since names of
 * columns are made of theirs. */
static int copy_tables(const struct plan_predict *p, const char *home,
                       const char *folder, const char **to, struct arena *a,
                       struct err *err)
{
    for (size_t i = 0; i < p->product_count; i++) {
        const char *from = path_join(a, home, arena_cstr(a, p->product[i]));
        const char *own = arena_printf(a, "%s/" BULK_TABLES "/%zu", folder, i);
        struct str bytes;
        for (size_t k = 0; k < i && !to[i]; k++)
            if (str_eq(p->product[k], p->product[i]))
                to[i] = to[k];
        if (to[i])
            continue;
        to[i] = path_join(a, own, arena_cstr(a, path_name(from)));
        if (dir_make(own, err) || file_map(from, &bytes, err))
            return -1;
        int rc = file_write(to[i], bytes, true, err);
        file_unmap(bytes);
        if (rc)
            return -1;
    }
    return 0;
}

/* The rows that the task names: a product of tables, or those of its first
 * shard. */
static int name_rows(const struct plan_predict *p, const char *home,
                     const char *folder, struct inference *to, struct arena *a,
                     struct err *err)
{
    struct task_shard first;
    if (p->product_count) {
        const char **tables =
            arena_array(a, p->product_count + 1, sizeof(*tables));
        to->product = tables;
        return copy_tables(p, home, folder, tables, a, err);
    }
    struct shards *s = shards_open(folder, err);
    int rc = s ? shards_at(s, 1, &first, err) : -1;
    if (!rc)
        to->data = arena_cstr(a, first.file);
    shards_close(s);
    return rc;
}

static int make_task(const struct plan *p, const char *home, const char *folder,
                     struct arena *a, struct task *task, struct err *err)
{
    const char *models = path_join(a, folder, BULK_MODELS);
    struct inference wanted = {
        .predict = true,
        .samples = p->predict->samples,
        .keep = rules_text(p->predict->keep, a),
        .calibration = bulk_file(p->predict->calibration, home, a),
        .novelty = bulk_file(p->predict->novelty, home, a),
        .layer = p->predict->layer ? arena_cstr(a, p->predict->layer->s) : NULL,
        .permanent_dropout = p->predict->permanent_dropout,
        .scratch = models,
        .keeps_models = true,
        .combine =
            p->predict->combine.len ? arena_cstr(a, p->predict->combine) : NULL,
    };
    struct bulk_found found;
    if (name_rows(p->predict, home, folder, &wanted, a, err) ||
        dir_make(models, err) ||
        bulk_models(p->predict, home, models, &found, a, err))
        return -1;
    wanted.models = found.path;
    wanted.called = found.called;
    return inference_task(&wanted, a, task, err);
}

/* The list first: who finds the task finds all of it. */
static int make(struct bulk *b, const struct plan *p, const char *home,
                const char *folder, const char *task, struct err *err)
{
    struct plan_predict made = *p->predict;
    struct task new_task;
    if (shards_make(&made, value_get(p->root, STR("predict")), home, folder,
                    err))
        return -1;
    if (made.shards != p->predict->shards)
        return err_set(err, ERR_BUSY,
                       "the rows changed while they were counted; run it "
                       "again");
    if (b->of_command)
        return file_write(task, STR("{}\n"), true, err);
    const struct value *models =
        bulk_known_take(p->predict, home, folder, b->arena, err);
    if (!models || make_task(p, home, folder, b->arena, &new_task, err) ||
        bulk_known_write(p->predict, home, folder, models, err))
        return -1;
    /* Of a product tables are copied, too. */
    if (made.product_count &&
        !shards_recall(&made, value_get(p->root, STR("predict")), home, folder))
        return err_set(err, ERR_BUSY,
                       "a table changed while it was copied; run it again");
    return task_file_write(&new_task, task, err);
}

struct bulk *bulk_open(const struct plan *p, const char *home,
                       const char *folder, struct err *err)
{
    struct bulk *b = xcalloc(1, sizeof(*b));
    b->arena = arena_new();
    b->of_command = p->predict->of_command;
    const char *task = path_join(b->arena, folder, BULK_TASK);
    int rc = 0;
    if (!file_exists(task))
        rc = make(b, p, home, folder, task, err);
    else if (!b->of_command)
        rc = bulk_known_check(p->predict, home, folder, &b->notice, b->arena,
                              err);
    if (!rc && !b->of_command)
        rc = task_file_read(&b->task, task, b->arena, err);
    b->shards = rc ? NULL : shards_open(folder, err);
    if (b->shards)
        return b;
    bulk_close(b);
    return NULL;
}

const char *bulk_notice(const struct bulk *b)
{
    return b->notice;
}

void bulk_close(struct bulk *b)
{
    if (!b)
        return;
    shards_close(b->shards);
    arena_free(b->arena);
    free(b);
}

struct data_product *bulk_product(const struct bulk *b, struct err *err)
{
    struct arena *a = arena_new();
    struct data_product *p = NULL;
    struct data_view unused;
    struct nn_about about;
    const char *weights = arena_cstr(a, b->task.weights);
    const struct value *model =
        json_parse(a, b->task.model, "model", false, err);
    const struct value *tables =
        value_get(value_get(model, STR("data")), STR("product"));
    size_t count = tables ? tables->count : 0;
    const char **paths = arena_array(a, count + 1, sizeof(*paths));
    for (size_t i = 0; i < count; i++)
        paths[i] = arena_cstr(a, value_text(tables->items[i]));
    if (model && nn_weights_about(weights, a, &about, err) == 0)
        p = data_product_open(paths, count, about.data, weights, 1, &unused,
                              err);
    arena_free(a);
    return p;
}

uint64_t bulk_shard_rows(const struct bulk *b)
{
    uint64_t count = shards_count(b->shards);
    return count ? (shards_rows(b->shards) + count - 1) / count : 0;
}

/* ---- the task of a shard
 * ------------------------------------------------------ */

int bulk_fill(const struct bulk *b, const struct value *point, struct task *t,
              struct err *err)
{
    const struct value *shard = value_get(point, STR("shard"));
    if (!shard || shard->kind != VALUE_INT)
        return err_set(err, ERR_INPUT, "the trial is of no shard");
    if (shards_at(b->shards, shard->i, &t->shard, err))
        return -1;
    if (b->of_command)
        return 0;
    t->model = b->task.model;
    t->options = b->task.options;
    t->weights = b->task.weights;
    t->workdir = b->task.workdir;
    t->predictions = 1;
    t->new_rows = 1;
    return 0;
}
