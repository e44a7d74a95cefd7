/* infer_trial.c - the task of a trial that asks the model it names
 *
 * The first time that a trial is about to run, its model and weights, of
 * whatever program, become a weights file of ours in a folder of the study,
 * together with the task that asks it. The folder's name is a hash of what was
 * asked and of which files: a trial that waits, or comes again, finds it. */
#include "study/infer_trial.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "study/bulk.h"
#include "study/keras_archive.h"
#include "study/task_file.h"
#include "terms/dropout.h"

struct asking {
    const char *home;
    struct value *said; /* with files that begin with a slash */
    struct arena *arena;
    struct err *err;
    struct buf files; /* which they are: sizes and times */
    const char *notice;
    double rate; /* of a permanent dropout */
};

/* ---- what is asked --------------------------------------------------------
 */

/* NULL: it is not said. */
static const char *text_of(const struct asking *q, const char *key)
{
    const struct value *v = value_get(q->said, str_of(key));
    struct buf b;
    if (!v || v->kind == VALUE_NULL)
        return NULL;
    if (v->kind == VALUE_STRING)
        return arena_cstr(q->arena, v->s);
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(q->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *in_home(const struct asking *q, struct str name)
{
    return path_absolute(
        q->arena, path_join(q->arena, q->home, arena_cstr(q->arena, name)));
}

/* FILE, or NAME=FILE,NAME=FILE: as `--data` takes them. */
static void place_rows(const struct asking *q, const char *key)
{
    const char *text = text_of(q, key);
    struct str rest = str_of(text ? text : ""), one, name;
    struct buf b;
    if (!text)
        return;
    buf_init(&b);
    if (!strchr(text, '='))
        buf_adds(&b, in_home(q, rest));
    while (strchr(text, '=') && str_split(&rest, ',', &one)) {
        str_split(&one, '=', &name);
        buf_addf(&b, "%s%.*s=%s", b.len ? "," : "", STRF(name),
                 in_home(q, one));
    }
    value_set(q->arena, q->said, str_of(key),
              value_string(q->arena, arena_str(q->arena, buf_str(&b))));
    buf_done(&b);
}

/* A model or its weights, which must be there. */
static int place_file(struct asking *q, const char *key)
{
    const char *name = text_of(q, key);
    struct stat st;
    if (!name)
        return 0;
    const char *path = in_home(q, str_of(name));
    if (stat(path, &st))
        return err_set(q->err, ERR_MISSING, "cannot read %s %s: %s", key, name,
                       strerror(errno));
    buf_addf(&q->files, "%lld %lld.%09ld\n", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    value_set(q->arena, q->said, str_of(key),
              value_string(q->arena, str_of(path)));
    return 0;
}

static int place_files(struct asking *q)
{
    if (!text_of(q, "weights"))
        return err_set(q->err, ERR_INPUT, "the trial names no weights");
    if (place_file(q, "model") || place_file(q, "weights"))
        return -1;
    place_rows(q, "data");
    place_rows(q, "labels");
    return 0;
}

/* A parameter's value may be of any kind. */
static int read_numbers(struct asking *q, struct inference *to)
{
    const char *samples = text_of(q, "samples");
    const char *rate = text_of(q, "permanent_dropout");
    if (samples && (!num_int(str_of(samples), &to->samples) || to->samples < 1))
        return err_set(q->err, ERR_INPUT,
                       "samples must be a whole number from 1, not %s",
                       samples);
    if (!rate)
        return 0;
    if (!num_double(str_of(rate), &q->rate) || !(q->rate >= 0) ||
        q->rate > DROPOUT_MOST)
        return err_set(q->err, ERR_INPUT,
                       "permanent_dropout must be a rate from 0 to %g, not %s",
                       DROPOUT_MOST, rate);
    to->permanent_dropout = &q->rate;
    return 0;
}

/* ---- the task -------------------------------------------------------------
 */

/* Weights of ours as they are, those of others made so. */
static int find_models(struct asking *q, struct inference *to)
{
    const char *weights = text_of(q, "weights");
    struct foreign_weights from = {.model = text_of(q, "model"),
                                   .weights = weights,
                                   .data = to->data,
                                   .labels = to->labels,
                                   .label = text_of(q, "label"),
                                   .loss = text_of(q, "loss"),
                                   .draws =
                                       to->samples || to->permanent_dropout};
    to->models = weights;
    if (!from.model && keras_archive_is(weights)) {
        from.model = weights;
        from.weights = NULL;
    }
    if (!from.model && (from.label || from.loss))
        return err_set(q->err, ERR_INPUT,
                       "label and loss go with a model of another program: "
                       "weights of throng know theirs");
    if (!from.model)
        return 0;
    to->models = path_join(q->arena, to->scratch, "weights.safetensors");
    return foreign_weights_take(&from, to->models, &q->notice, q->arena,
                                q->err);
}

static int make(struct asking *q, const char *folder, const char *path)
{
    struct task task;
    struct inference wanted = {.predict = true,
                               .data = text_of(q, "data"),
                               .labels = text_of(q, "labels"),
                               .rows = text_of(q, "rows"),
                               .scratch = folder};
    if (read_numbers(q, &wanted) || dir_make(folder, q->err) ||
        find_models(q, &wanted) ||
        inference_task(&wanted, q->arena, &task, q->err))
        return -1;
    return task_file_write(&task, path, q->err);
}

/* Named by what was asked. */
static const char *folder_of(struct asking *q, const char *study)
{
    struct buf b;
    char hex[65];
    buf_init(&b);
    json_print_sorted(&b, q->said);
    buf_addf(&b, "\n%s", q->files.p);
    sha256_hex(buf_str(&b), hex);
    buf_done(&b);
    return path_join(q->arena, path_join(q->arena, study, BULK_MODELS), hex);
}

static int fill(struct asking *q, const char *study, struct task *t)
{
    struct task made = {0};
    if (place_files(q))
        return -1;
    const char *folder = folder_of(q, study);
    const char *path = path_join(q->arena, folder, BULK_TASK);
    if (!file_exists(path) && make(q, folder, path))
        return -1;
    if (task_file_read(&made, path, q->arena, q->err))
        return -1;
    t->model = made.model;
    t->options = made.options;
    t->weights = made.weights;
    t->workdir = made.workdir;
    t->rows = made.rows;
    t->predictions = 1;
    t->new_rows = made.new_rows;
    return 0;
}

int infer_trial(const struct plan *p, const char *home, const char *study,
                const struct value *point, struct task *t, const char **notice,
                struct arena *a, struct err *err)
{
    struct asking q = {.home = home, .arena = a, .err = err};
    *notice = NULL;
    q.said = plan_infer(p, point, a, err);
    if (!q.said)
        return -1;
    buf_init(&q.files);
    int rc = fill(&q, study, t);
    *notice = q.notice;
    buf_done(&q.files);
    return rc;
}
