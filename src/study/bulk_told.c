/* bulk_told.c - what an inference asks for, by what lies in its folder */
#include <math.h>

#include "base/json.h"
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
