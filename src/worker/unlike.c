/* unlike.c - how far predicted rows lie from those of training
 *
 * A task's options say it, as JSON:
 *
 *   {"novelty": {"file": "/a/b.novelty", "layers": [{"model": …, "weights":
 *    "/a/b.safetensors", "workdir": "/a"}]}}
 *
 * The file is one that `novelty` wrote. Each model that is asked has a layer
 * there: the model once more, cut off behind it, with the rows that the model
 * itself has. It is asked for the same piece of rows, without what is drawn,
 * and the row has two columns more (ensemble.h). */
#include <stdlib.h>

#include "base/json.h"
#include "ensemble/ensemble.h"
#include "sys/sys.h"
#include "worker/member.h"

struct looking {
    struct member *seat;
    const struct data_part *part; /* the rows, as its model has them */
    float *numbers;               /* of a piece */
};

struct unlike {
    struct arena *arena;
    struct novelties fitted;
    struct looking *layers;
    size_t open; /* of them */
    size_t piece;
    uint64_t first; /* number of the first row among all */
    double *row, *scratch, *scores;
};

static const struct predicted_more columns = {novelty_names, NOVELTY_SCORES, 1};

struct predicted_more unlike_columns(const struct member *m)
{
    return unlike_wanted(m) ? columns : (struct predicted_more){0};
}

static const struct value *said(const struct member *m, struct arena *a)
{
    return m->task.options.len ? value_get(json_parse(a, m->task.options,
                                                      "options", false, NULL),
                                           STR("novelty"))
                               : NULL;
}

bool unlike_wanted(const struct member *m)
{
    return said(m, m->arena) != NULL;
}

/* ---- opening --------------------------------------------------------------
 */

static int read_fitted(struct unlike *u, const struct value *v, struct err *err)
{
    const char *path =
        arena_cstr(u->arena, value_text(value_get(v, STR("file"))));
    struct str bytes;
    if (file_map(path, &bytes, err))
        return -1;
    struct str text = arena_str(u->arena, bytes);
    file_unmap(bytes);
    return novelties_parse_any(&u->fitted, text, path, u->arena, err);
}

/* Rows are those of the model whose layer it is. */
static const struct data_part *part_of(const struct member *m, size_t i)
{
    const struct data_part *part = judging_rows(m).part;
    if (m->committee)
        committee_seat(m->committee, i, &part);
    return part;
}

static int open_layer(struct train *t, struct unlike *u, struct member *m,
                      const struct value *v, struct err *err)
{
    size_t i = u->open, wide = u->fitted.list[i].columns;
    struct looking *l = &u->layers[i];
    l->seat = member_open_seat(t, m, v, false, err);
    if (!l->seat)
        return -1;
    u->open++;
    l->part = part_of(m, i);
    if ((size_t)nn_model_outputs(l->seat->model) != wide)
        return err_set(err, ERR_INPUT,
                       "the layer %.*s has %zu numbers a row, not %zu",
                       STRF(u->fitted.list[i].layer),
                       (size_t)nn_model_outputs(l->seat->model), wide);
    l->numbers = malloc(u->piece * wide * sizeof(*l->numbers) + 1);
    return l->numbers ? 0
                      : err_set(err, ERR_LIMIT,
                                "no memory for a layer of %zu rows", u->piece);
}

static int open_layers(struct train *t, struct unlike *u, struct member *m,
                       const struct value *layers, struct err *err)
{
    size_t models = m->committee ? committee_seats(m->committee) : 1, most = 0;
    if (!layers || layers->kind != VALUE_LIST ||
        layers->count != u->fitted.count || models != u->fitted.count)
        return err_set(err, ERR_INPUT,
                       "there are not as many layers as models to look at");
    u->layers = arena_array(u->arena, models, sizeof(*u->layers));
    for (size_t i = 0; i < models; i++) {
        size_t wide = u->fitted.list[i].columns;
        most = wide > most ? wide : most;
        if (open_layer(t, u, m, layers->items[i], err))
            return -1;
    }
    u->row = malloc(most * sizeof(*u->row) + 1);
    u->scratch = malloc(most * sizeof(*u->scratch) + 1);
    u->scores = malloc(u->piece * sizeof(*u->scores) + 1);
    return u->row && u->scratch && u->scores
               ? 0
               : err_set(err, ERR_LIMIT, "no memory for %zu rows", u->piece);
}

struct unlike *unlike_open(struct train *t, struct member *m, size_t piece,
                           struct err *err)
{
    struct unlike *u = xcalloc(1, sizeof(*u));
    const struct value *v = said(m, m->arena);
    u->arena = m->arena;
    u->first = m->task.shard.row;
    u->piece = piece;
    if (read_fitted(u, v, err) == 0 &&
        open_layers(t, u, m, value_get(v, STR("layers")), err) == 0)
        return u;
    unlike_close(t, u);
    return NULL;
}

void unlike_close(struct train *t, struct unlike *u)
{
    if (!u)
        return;
    for (size_t i = 0; i < u->open; i++) {
        free(u->layers[i].numbers);
        member_close(t, u->layers[i].seat);
    }
    free(u->row);
    free(u->scratch);
    free(u->scores);
    free(u);
}

/* ---- asking ---------------------------------------------------------------
 */

static int ask_layer(const struct unlike *u, const struct looking *l,
                     size_t from, size_t count, struct err *err)
{
    struct nn_question q = {.members = &l->seat->place,
                            .parts = &l->part,
                            .count = 1,
                            .from = from,
                            .rows = count,
                            .first = u->first,
                            .samples = 1,
                            .outputs = l->numbers,
                            .room = u->piece};
    return nn_trainer_ask(l->seat->cohort->trainer, &q, err);
}

static void add_scores(struct unlike *u, size_t member, size_t count)
{
    const struct novelty *n = &u->fitted.list[member];
    const float *numbers = u->layers[member].numbers;
    for (size_t r = 0; r < count; r++) {
        for (size_t k = 0; k < n->columns; k++)
            u->row[k] = (double)numbers[r * n->columns + k];
        u->scores[r] += novelties_part(&u->fitted, member,
                                       novelty_distance(n, u->row, u->scratch));
    }
}

int unlike_ask(struct unlike *u, size_t from, size_t count, double *to,
               size_t apart, struct err *err)
{
    int rc = 0;
    for (size_t r = 0; r < count; r++)
        u->scores[r] = 0;
    for (size_t i = 0; !rc && i < u->open; i++) {
        rc = ask_layer(u, &u->layers[i], from, count, err);
        if (!rc)
            add_scores(u, i, count);
    }
    for (size_t r = 0; !rc && r < count; r++)
        novelties_judge(&u->fitted, u->scores[r], to + r * apart);
    return rc;
}
