/* members.c - do models go together in one ensemble?
 *
 * What they predict is said by their weights; rows are not looked at. */
#include <stdlib.h>

#include "data/data.h"
#include "ensemble/ensemble.h"
#include "nn/nn.h"
#include "study/output.h"
#include "study/study.h"

struct said {
    struct nn_model *model;
    struct data_view view;
};

static int read_said(struct said *to, const char *file, struct arena *a,
                     struct err *err)
{
    to->model = weights_model(file, &to->view, NULL, a, err);
    return to->model ? 0 : -1;
}

/* Some head predicts what can be voted for. */
static int check_vote(const struct models *m, const struct said *first,
                      struct err *err)
{
    bool classes = false;
    for (size_t i = 0; i < nn_model_head_count(first->model); i++)
        classes = classes || nn_model_head(first->model, i).classes;
    return combine_check(COMBINE_VOTE, classes, err)
               ? err_wrap(err, "%s", m->list[0].name)
               : 0;
}

static int compare(const struct said *first, const struct said *other,
                   const char *first_name, const char *name, struct err *err)
{
    const char *why = nn_models_differ(first->model, first->view.table,
                                       other->model, other->view.table);
    return why ? err_set(err, ERR_INPUT, "%s does not go with %s: %s", name,
                         first_name, why)
               : 0;
}

int models_agree(const struct models *m, struct arena *a, struct err *err)
{
    struct said first = {0};
    bool vote = m->combine && !strcmp(m->combine, combine_names[COMBINE_VOTE]);
    int rc =
        m->count > 1 || vote ? read_said(&first, m->list[0].file, a, err) : 0;
    if (!rc && vote)
        rc = check_vote(m, &first, err);
    for (size_t i = 1; !rc && i < m->count; i++) {
        struct said other = {0};
        rc = read_said(&other, m->list[i].file, a, err);
        if (!rc)
            rc = compare(&first, &other, m->list[0].name, m->list[i].name, err);
        nn_model_free(other.model);
    }
    nn_model_free(first.model);
    return rc;
}

/* Weights that lie in a pack are written into scratch, since files are read. */
static int file_of(const struct trial_weights *w, size_t i, const char *scratch,
                   const char **file, struct arena *a, struct err *err)
{
    *file = w->path;
    if (file_exists(w->path))
        return 0;
    *file = arena_printf(a, "%s/%zu.safetensors", scratch, i);
    return file_write(*file, buf_str(&w->bytes), false, err);
}

static int agree(const struct ensemble_making *m, const char *scratch,
                 struct arena *a, struct err *err)
{
    struct models all = {.count = m->count,
                         .combine = m->combine,
                         .list = arena_array(a, m->count, sizeof(*all.list))};
    for (size_t i = 0; i < m->count; i++) {
        struct nn_about about;
        struct model_file *one = &all.list[i];
        if (file_of(&m->members[i], i, scratch, &one->file, a, err) ||
            nn_weights_about(one->file, a, &about, err))
            return -1;
        one->name =
            arena_printf(a, "trial %lld", (long long)m->members[i].trial);
        const char *path = m->members[i].path, *at = strstr(path, "/.throng/");
        const char *home =
            at ? arena_cstr(a, str_n(path, (size_t)(at - path))) : NULL;
        if (output_spares(m->output, path, one->name, err) ||
            output_spares_data(m->output, one->file, one->name, home, a, err))
            return -1;
    }
    return models_agree(&all, a, err);
}

int ensemble_agree(const struct ensemble_making *m, struct arena *a,
                   struct err *err)
{
    const char *scratch = scratch_make("models", err);
    if (!scratch)
        return -1;
    int rc = agree(m, scratch, a, err);
    scratch_remove(scratch);
    return rc;
}
