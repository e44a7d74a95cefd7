/* packing_rows.c - models and the rows that they are asked about, on their way
 * to a machine that sees neither
 *
 * Of a file that is cut into shards only the stretch of the task goes, as a
 * file of its own; all other files go whole: weights, those of an ensemble's
 * other members, tables that rows are joined with or that are multiplied.
 * Paths stand in the task, in the data of its model, and the same of each
 * member, and of its layer, in its options. There all of them are seen from the
 * sandbox. */
#include <sys/stat.h>

#include "base/json.h"
#include "engine/packing.h"
#include "sys/sys.h"
#include "terms/kind.h"

/* Under these keys a model's data names files. */
static const char *const of_files[] = {"file",    "inputs", "labels",
                                       "product", "join",   NULL};

/* A file, or an array in one (set.npz:x). What is none is left as it is:
 * whoever reads it says so. */
static int stage_named(struct packing *p, struct value *v, const char *workdir,
                       struct err *err)
{
    const char *path = path_join(p->arena, workdir, arena_cstr(p->arena, v->s));
    const char *colon = strrchr(path, ':');
    struct str file = str_of(path), rest = STR("");
    if (!file_exists(path) && colon) {
        file =
            str_of(arena_cstr(p->arena, str_n(path, (size_t)(colon - path))));
        rest = str_of(colon);
    }
    if (!file_exists(arena_cstr(p->arena, file)) ||
        file_is_dir(arena_cstr(p->arena, file)))
        return 0;
    if (packing_stage(p, &file, true, err))
        return -1;
    v->s = str_of(arena_printf(p->arena, "%.*s%.*s", STRF(file), STRF(rest)));
    return 0;
}

static int stage_files(struct packing *p, struct value *v, const char *workdir,
                       struct err *err)
{
    if (v->kind == VALUE_STRING)
        return stage_named(p, v, workdir, err);
    for (size_t i = 0;
         (v->kind == VALUE_OBJECT || v->kind == VALUE_LIST) && i < v->count;
         i++)
        if (stage_files(p, v->items[i], workdir, err))
            return -1;
    return 0;
}

/* What is read of a table that is joined: of an object its file. */
static int stage_join(struct packing *p, struct value *joins,
                      const char *workdir, struct err *err)
{
    for (size_t i = 0; joins->kind == VALUE_OBJECT && i < joins->count; i++) {
        struct value *one = joins->items[i];
        struct value *file =
            one->kind == VALUE_OBJECT ? value_get(one, STR("file")) : one;
        if (file && stage_files(p, file, workdir, err))
            return -1;
    }
    return 0;
}

/* The rows of a shard take the place of the model's own files. */
static int stage_data(struct packing *p, struct value *model, bool shard,
                      const char *workdir, struct err *err)
{
    struct value *data = value_get(model, STR("data"));
    int rc = 0;
    for (size_t i = 0;
         !rc && data && data->kind == VALUE_OBJECT && i < data->count; i++) {
        bool join = str_is(data->keys[i], "join");
        bool rows =
            str_is(data->keys[i], "file") || str_is(data->keys[i], "inputs");
        if (join)
            rc = stage_join(p, data->items[i], workdir, err);
        else if (str_among(data->keys[i], of_files) && !(shard && rows))
            rc = stage_files(p, data->items[i], workdir, err);
    }
    return rc;
}

static struct str text_of(struct packing *p, const struct value *v)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    struct str text = arena_str(p->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* ---- the others of an ensemble --------------------------------------------
 */

static int stage_member(struct packing *p, struct value *m, bool shard,
                        struct err *err)
{
    struct value *weights = value_get(m, STR("weights"));
    struct value *workdir = value_get(m, STR("workdir"));
    struct value *model = value_get(m, STR("model"));
    if (!weights || weights->kind != VALUE_STRING || !workdir || !model)
        return 0;
    if (packing_stage(p, &weights->s, true, err) ||
        stage_data(p, model, shard, arena_cstr(p->arena, value_text(workdir)),
                   err))
        return -1;
    value_set(p->arena, m, STR("workdir"), value_string(p->arena, STR(".")));
    return 0;
}

static int stage_list(struct packing *p, struct value *members,
                      const struct task *t, struct err *err)
{
    for (size_t i = 0;
         members && members->kind == VALUE_LIST && i < members->count; i++)
        if (stage_member(p, members->items[i], t->shard.file.len > 0, err))
            return -1;
    return 0;
}

/* Where they and their layers are: worker/committee.c and unlike.c. */
static int stage_members(struct packing *p, struct task *t, struct err *err)
{
    struct value *options =
        json_parse(p->arena, t->options, "options", false, err);
    struct value *members = value_get(options, STR("members"));
    if (!options)
        return -1;
    struct value *novelty = value_get(options, STR("novelty"));
    struct value *fitted = value_get(novelty, STR("file"));
    if (stage_list(p, members, t, err) ||
        stage_list(p, value_get(novelty, STR("layers")), t, err) ||
        (fitted && fitted->kind == VALUE_STRING &&
         packing_stage(p, &fitted->s, true, err)))
        return -1;
    t->options = text_of(p, options);
    return 0;
}

/* ---- a shard ---------------------------------------------------------------
 */

/* What cannot be cut is left to the worker, which says so of this task alone.
 * A file that is sent as it is is copied all the same: its owner may edit it.
 */
static int stage_shard(struct packing *p, struct task *t, struct err *err)
{
    struct task_shard *s = &t->shard;
    struct stat st;
    if (!p->travel->cut || !file_exists(arena_cstr(p->arena, s->file)))
        return 0;
    const char *name =
        arena_printf(p->arena, "rows-%llu-%.*s", (unsigned long long)t->id,
                     STRF(path_name(arena_cstr(p->arena, s->file))));
    const char *to =
        path_join(p->arena, path_join(p->arena, p->in, "was"), name);
    struct err why = {0};
    if (dir_make(path_folder(p->arena, to), err))
        return -1;
    if (p->travel->cut(s, to, &why) || stat(to, &st)) {
        if (why.kind == ERR_INPUT)
            s->fault = arena_str(p->arena, str_of(why.text));
        return 0;
    }
    s->file = packing_place(p, name);
    s->size = 0;
    s->changed_ns = 0;
    s->hash = 0; /* of an array the header is another */
    s->head = s->from = (uint64_t)st.st_size - s->bytes;
    return 0;
}

/* ---- all of it -------------------------------------------------------------
 */

static int stage_model(struct packing *p, struct task *t, struct err *err)
{
    struct value *model = json_parse(p->arena, t->model, "model", false, err);
    if (!model || stage_data(p, model, t->shard.file.len > 0,
                             arena_cstr(p->arena, t->workdir), err))
        return -1;
    t->model = text_of(p, model);
    t->workdir = STR(".");
    return packing_stage(p, &t->weights, true, err);
}

int packing_rows(struct packing *p, struct task *t, struct err *err)
{
    const struct task_kind *kind = task_kind_find(t->kind);
    bool models = kind && kind->runs == RUNS_ROWS;
    int rc = models ? stage_model(p, t, err)
                    : packing_stage(p, &t->weights, false, err);
    if (!rc && models && t->options.len)
        rc = stage_members(p, t, err);
    if (rc)
        return -1;
    return t->shard.file.len ? stage_shard(p, t, err) : 0;
}
