/* rows.c - the rows of a shard, as a file of its own */
#include "worker/rows.h"

#include "data/data.h"
#include "sys/sys.h"

const char *rows_name(const struct task *t, struct arena *a)
{
    if (t->shard.form == DATA_WHOLE)
        return NULL;
    struct str name = path_name(arena_cstr(a, t->shard.file));
    const char *dot = memrchr(name.p, '.', name.len);
    return arena_printf(a, "rows%s", dot ? dot : "");
}

static struct data_cut cut_of(const struct task_shard *r)
{
    return (struct data_cut){.form = (enum data_form)r->form,
                             .head = r->head,
                             .from = r->from,
                             .bytes = r->bytes,
                             .first = r->first,
                             .rows = r->count,
                             .header = r->header,
                             .size = r->size,
                             .changed_ns = r->changed_ns,
                             .hash = r->hash};
}

int rows_check(const struct task *t, struct arena *a, struct err *err)
{
    struct data_cut cut = cut_of(&t->shard);
    if (t->shard.fault.len)
        return err_set(err, ERR_INPUT, "%.*s", STRF(t->shard.fault));
    if (t->shard.form != DATA_WHOLE)
        return 0;
    return data_cut_check(arena_cstr(a, t->shard.file), &cut, err);
}

int rows_write(const struct task *t, const char *to, struct arena *a,
               struct err *err)
{
    struct data_cut cut = cut_of(&t->shard);
    if (rows_check(t, a, err))
        return -1;
    return data_cut_write(arena_cstr(a, t->shard.file), &cut, to, err);
}

/* Whether the first line has names was seen of the whole file: rows of a shard
 * may look otherwise. */
const struct value *rows_spec(const struct task *t, const struct value *spec,
                              const char *file, struct arena *a,
                              struct err *err)
{
    struct value *own = value_copy(a, spec);
    struct str key = data_spec_is_pair(spec) ? STR("inputs") : STR("file");
    const struct value *old = value_get(spec, key);
    if (old && old->kind == VALUE_OBJECT) {
        err_set(err, ERR_INPUT,
                "the model's inputs are several files, and shards are of one");
        return NULL;
    }
    value_set(a, own, key, value_string(a, str_of(file)));
    if (t->shard.form == DATA_TEXT)
        value_set(a, own, STR("header"), value_bool(a, t->shard.header));
    return own;
}
