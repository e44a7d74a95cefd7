/* opening.c - what a task of a trainer begins with
 *
 * Its rows, its model as those rows make it, the device that trains it, and its
 * place in a cohort. */
#include "base/hash.h"
#include "base/json.h"
#include "worker/member.h"
#include "worker/rows.h"

struct nn_model *member_read_model(const struct value *v, struct member *m,
                                   struct err *err)
{
    struct problems faults = {.arena = m->arena};
    struct nn_data_facts facts = nn_data_facts_of(m->view.table, m->arena);
    facts.no_validation = m->kind->trains && !m->view.validation.count;
    struct nn_model *model = nn_model_read(v, &facts, &faults);
    if (model && (!m->kind->adapt || m->kind->adapt(m, model, err) == 0))
        return model;
    nn_model_free(model);
    if (model)
        return NULL;
    struct buf all, one;
    buf_init(&all);
    buf_init(&one);
    for (size_t i = 0; i < faults.list.len; i++) {
        const struct problem *p = &faults.list.p[i];
        buf_reset(&one);
        problem_print(&one, p);
        buf_addf(&all, "%s%s", i ? "\n" : "", one.p);
        record_fault_print(&m->faults,
                           &(struct record_fault){p->path, buf_str(&one)});
    }
    err_set(err, ERR_INPUT, "%s", all.p);
    buf_done(&one);
    buf_done(&all);
    return NULL;
}

/* What is to be known of the data is told once. */
static void say_notices(struct train *t, struct member *m)
{
    const char *text;
    for (size_t i = 0; !m->source->told &&
                       (text = data_set_notice(m->source->set, i)) != NULL;
         i++)
        member_say_once_of_task(t, m, text);
    m->source->told = true;
}

/* What the training rows are like is said of the first view of a set: all rows
 * are looked at for it, and other views of it differ little. */
static void say_unscaled(struct train *t, struct member *m)
{
    if (!m->kind->trains || m->source->sized)
        return;
    m->source->sized = true;
    const char *text = nn_unscaled(m->model, &m->view, m->arena);
    if (text)
        member_say_once(t, m, text);
    if (m->view.notice)
        member_say_once(t, m, m->view.notice);
}

/* The model as it stands in its weights file: with the seed that it got, so
 * that it can be trained again. */
static const char *model_with_seed(struct member *m, struct value *v)
{
    struct buf b;
    value_set(m->arena, v, STR("seed"),
              value_int(m->arena, (int64_t)m->task.seed));
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(m->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int open_rows(struct train *t, struct member *m,
                     const struct value *spec, const char *folder,
                     struct err *err)
{
    struct data_choice choice = {m->task.seed, m->task.subset};
    m->source = sources_take(&t->sources, spec, folder, err);
    if (!m->source)
        return -1;
    say_notices(t, m);
    return data_view_make(&m->view, m->source->set, spec, &choice, m->arena,
                          err);
}

/* A fault begins with its place in the model file. */
static int read_rows(struct train *t, struct member *m,
                     const struct value *spec, const char *folder,
                     struct err *err)
{
    int rc = open_rows(t, m, spec, folder, err);
    if (rc && err->kind == ERR_INPUT && !err->at[0] &&
        !str_starts(str_of(err->text), STR("data"))) {
        struct err of_rows = *err;
        err_set_at(err, "data", ": %s", of_rows.text);
    }
    return rc;
}

/* All combinations of the rows of tables, whose paths are seen from the folder.
 */
static int read_product(struct member *m, const struct value *tables,
                        const char *folder, const struct nn_about *about,
                        struct err *err)
{
    size_t count = tables->kind == VALUE_LIST ? tables->count : 0;
    const char **paths = arena_array(m->arena, count + 1, sizeof(*paths));
    for (size_t i = 0; i < count; i++)
        paths[i] =
            path_join(m->arena, folder,
                      arena_cstr(m->arena, value_text(tables->items[i])));
    if (!count)
        return err_set_at(err, "data.product", " must be a list of tables");
    m->product = data_product_open(paths, count, about->data,
                                   arena_cstr(m->arena, m->task.weights),
                                   PRODUCT_WINDOW, &m->view, err);
    return m->product ? 0 : -1;
}

/* Rows of another day, by what the weights say of those of training. */
static int read_new_rows(struct train *t, struct member *m,
                         const struct value *spec, const char *folder,
                         struct err *err)
{
    const char *path = arena_cstr(m->arena, m->task.weights);
    struct nn_about about;
    if (nn_weights_about(path, m->arena, &about, err))
        return -1;
    if (!about.data.len)
        return err_set(err, ERR_INPUT,
                       "%s does not say what was fitted on its training rows; "
                       "train it again",
                       path);
    const struct value *product = value_get(spec, STR("product"));
    if (product)
        return read_product(m, product, folder, &about, err);
    m->source = sources_take_fitted(&t->sources, spec, folder, about.data, path,
                                    bad_wanted(m), err);
    if (!m->source)
        return -1;
    m->view = m->source->view;
    say_notices(t, m);
    return 0;
}

/* The one that is asked for, unless it refuses the model, which is said. */
static int choose_device(struct train *t, struct member *m, struct err *err)
{
    const struct device *asked = device_find(m->task.device, err);
    struct buf why;
    if (!asked)
        return -1;
    buf_init(&why);
    const char *name = nn_device_for(asked->name, m->model, &why);
    if (why.len)
        member_say_once(t, m, why.p);
    buf_done(&why);
    const char *why_not = nn_device_absent(asked->name);
    if (!name)
        return err_set(err, ERR_MISSING, "this machine has no device %s%s%s%s",
                       asked->name, why_not ? ": " : "", why_not ? why_not : "",
                       !asked->gpu       ? ""
                       : m->kind->trains ? "; `device: cpu` trains without"
                                         : "; the device cpu does without");
    m->device = device_find(str_of(name), err);
    member_say_moved(t, m);
    return m->device ? 0 : -1;
}

/* The first cohort takes memory already. */
static void open_meter(struct train *t, const struct member *m)
{
    if (m->device->gpu && !t->metered)
        t->meter = meter_open();
    t->metered |= m->device->gpu;
}

/* What a model reads of the shard that its task is about. All seats of a
 * committee read the file that the first has made. */
static const char *shard_file(const struct train *t, const struct member *m,
                              const char *name)
{
    return name ? member_file(t, m, name)
                : arena_cstr(m->arena, m->task.shard.file);
}

static const struct value *shard_spec(const struct train *t,
                                      const struct member *m,
                                      const struct value *spec, struct err *err)
{
    const char *name = rows_name(&m->task, m->arena);
    const char *file = shard_file(t, m, name);
    if (!m->seated && (name ? rows_write(&m->task, file, m->arena, err)
                            : rows_check(&m->task, m->arena, err)))
        return NULL;
    return rows_spec(&m->task, spec, file, m->arena, err);
}

/* Rows are named as the person has them, in place of the file of the shard,
 * which will be gone. */
static int say_shard(const struct train *t, const struct member *m,
                     struct err *err)
{
    const struct task_shard *r = &m->task.shard;
    const char *file = arena_printf(
        m->arena, "%s: ", shard_file(t, m, rows_name(&m->task, m->arena)));
    size_t len = strlen(file);
    if (!strncmp(err->text, file, len))
        memmove(err->text, err->text + len, strlen(err->text + len) + 1);
    return err_wrap(err, "rows %llu to %llu of %.*s",
                    (unsigned long long)r->first + 1,
                    (unsigned long long)(r->first + r->count), STRF(r->file));
}

/* Dropout draws by the number of a row among all (committee.c), or by batches:
 * then every shard but the first has draws of its own. */
static void draw_by_shard(struct member *m)
{
    uint64_t row = m->task.shard.row;
    bool by_row = (m->seated || committee_wanted(m)) &&
                  nn_trainer_asks_anew(m->cohort->trainer);
    m->draws_by = m->task.seed;
    if (row && !by_row)
        m->draws_by =
            hash64(str_n((const char *)&row, sizeof(row)), m->draws_by) >> 1;
}

int member_open(struct train *t, struct member *m, struct err *err)
{
    struct value *v = json_parse(m->arena, m->task.model, "model", false, err);
    if (!v)
        return -1;
    int64_t seed = (int64_t)m->task.seed;
    if (nn_seed_of(v, &seed, err) < 0)
        return -1;
    m->task.seed = (uint64_t)seed; /* the model's goes before the task's */
    m->about = model_with_seed(m, v);
    const struct value *spec = value_get(v, STR("data"));
    if (!spec)
        return err_set_at(err, "data", " is missing: what to train on");
    if (m->task.shard.file.len && !(spec = shard_spec(t, m, spec, err)))
        return -1;
    const char *folder = arena_cstr(m->arena, m->task.workdir);
    if (m->task.new_rows ? read_new_rows(t, m, spec, folder, err)
                         : read_rows(t, m, spec, folder, err))
        return m->task.shard.file.len ? say_shard(t, m, err) : -1;
    if (m->task.shard.file.len && rows_check(&m->task, m->arena, err))
        return -1;
    m->model = member_read_model(v, m, err);
    if (!m->model || choose_device(t, m, err) || member_check_granted(m, err))
        return -1;
    open_meter(t, m);
    say_unscaled(t, m);
    m->cohort = cohort_of(t, m, err);
    if (!m->cohort)
        return -1;
    draw_by_shard(m);
    struct nn_member one = {m->model, &m->view, m->draws_by};
    m->place = nn_trainer_join(m->cohort->trainer, &one, err);
    if (m->place < 0) {
        cohort_give_up(t, m);
        return -1;
    }
    m->cohort->members++;
    nn_trainer_watch(m->cohort->trainer, train_broken_off, t);
    return 0;
}
