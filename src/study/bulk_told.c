/* bulk_told.c - what an inference asks for, by what lies in its folder
 *
 * Shards have one task. Trials that name their models have one for each
 * different thing that was asked, made when it first was: rates are those of
 * all of them, and how often a trial asks its point says. */
#include <math.h>

#include "base/json.h"
#include "base/num.h"
#include "nn/nn.h"
#include "study/bulk.h"
#include "study/shards.h"
#include "study/task_file.h"

/* Dropout that stays when models predict: all of it with samples, else what is
 * permanent. */
static void add_rates(struct bulk_told *to, struct str text, struct arena *a)
{
    const struct value *model =
        text.len ? json_parse(a, text, "model", false, NULL) : NULL;
    nn_dropout_rates(model, to->samples > 0, &to->dropout_least,
                     &to->dropout_most);
}

static void add_members(struct bulk_told *to, const struct value *options)
{
    const struct value *members = value_get(options, STR("members"));
    size_t count = members && members->kind == VALUE_LIST ? members->count : 0;
    for (size_t i = 0; i < count; i++)
        nn_dropout_rates(value_get(members->items[i], STR("model")),
                         to->samples > 0, &to->dropout_least,
                         &to->dropout_most);
}

static int read_task(struct bulk_told *to, const char *path, struct arena *a,
                     struct err *err)
{
    struct task task = {0};
    if (to->of_command) /* then it is empty */
        return 0;
    if (task_file_read(&task, path, a, err))
        return -1;
    const struct value *options =
        task.options.len ? json_parse(a, task.options, path, false, err) : NULL;
    const struct value *samples = value_get(options, STR("samples"));
    to->samples = samples && samples->kind == VALUE_INT ? samples->i : 0;
    add_rates(to, task.model, a);
    add_members(to, options);
    return 0;
}

int bulk_told(const char *folder, struct bulk_told *to, struct arena *a,
              struct err *err)
{
    const char *task = path_join(a, folder, BULK_TASK);
    *to = (struct bulk_told){.dropout_least = NAN, .dropout_most = NAN};
    if (!file_exists(path_join(a, folder, SHARDS_FILE)) || !file_exists(task))
        return 1;
    struct shards *s = shards_open(folder, err);
    if (!s)
        return -1;
    to->shards = shards_count(s);
    to->rows = shards_rows(s);
    to->models = shards_models(s);
    to->of_command = to->models == 0;
    shards_close(s);
    return read_task(to, task, a, err);
}

/* ---- trials that name their models ----------------------------------------
 */

/* Whatever else a study runs is part of what makes it the same study. */
static bool runs_nothing_else(const struct value *identity)
{
    static const char *const others[] = {"program", "model", "predict"};
    const struct value *command = value_get(identity, STR("command"));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (value_get(identity, str_of(others[i])))
            return false;
    return command && command->count == 0;
}

/* A task that is being made, or is damaged, tells nothing. */
static void add_asked(struct bulk_told *to, const char *folder, struct arena *a)
{
    struct err ignored = {0};
    const char *models = path_join(a, folder, BULK_MODELS);
    const char **names =
        file_exists(models) ? dir_list(models, a, &ignored) : NULL;
    for (; names && *names; names++)
        read_task(to, path_join(a, path_join(a, models, *names), BULK_TASK), a,
                  &ignored);
}

int infer_told(struct store *store, const char *folder, struct bulk_told *to,
               struct arena *a, struct err *err)
{
    struct str text;
    *to = (struct bulk_told){
        .models = 1, .dropout_least = NAN, .dropout_most = NAN};
    if (store_fact(store, "identity", a, &text, err))
        return -1;
    const struct value *identity =
        text.len ? json_parse(a, text, "identity", false, NULL) : NULL;
    if (!runs_nothing_else(identity))
        return 1;
    to->options = value_get(identity, STR("kind_options"));
    add_asked(to, folder, a);
    to->samples = 0; /* each says its own */
    return 0;
}

int64_t infer_samples(const struct value *options, const struct value *point,
                      struct arena *a)
{
    struct plan p = {.kind_options = options};
    const struct value *said = plan_infer(&p, point, a, NULL);
    const struct value *v = value_get(said, STR("samples"));
    int64_t samples = 0;
    if (v && v->kind == VALUE_STRING && !num_int(v->s, &samples))
        return 0;
    return v && v->kind == VALUE_INT ? v->i : samples;
}
