/* held_out.c - rows that members may be chosen and calibrated by
 *
 * Only rows that no member was trained on say how good it is. Weights carry
 * hashes of the rows that trained them (data/trained.c). A split that is made
 * again and trains on just these rows is what it was: then a row that was held
 * out counts, even if another one says the same. Else (rows of another day, or
 * a data file that has changed since) a row that equals one of those is left
 * out. */
#include "worker/member.h"

struct looking {
    struct arena *arena;
    struct held_out *to;
    size_t rows; /* of the tables, which are of the same rows */
    bool *taken; /* by row: somebody's hash has left it out */
};

static const struct data_trained *trained_of(const struct member *m,
                                             struct err *err)
{
    const char *path = arena_cstr(m->arena, m->task.weights);
    struct nn_about about;
    if (nn_weights_about(path, m->arena, &about, err))
        return NULL;
    if (about.rows.len)
        return data_trained_parse(about.rows, path, m->arena, err);
    err_set(err, ERR_INPUT,
            "%s does not say which rows it was trained on: it comes from an "
            "older throng, or from elsewhere; train it again",
            path);
    return NULL;
}

/* Which rows of its part one seat was not trained on. */
static int look_at_seat(struct looking *l, struct member *m,
                        const struct data_part *part, bool *may,
                        struct err *err)
{
    const struct data_trained *t = trained_of(m, err);
    if (!t)
        return -1;
    const uint64_t *hashes = data_row_hashes(m->source->set);
    if (!hashes)
        return err_set(err, ERR_LIMIT, "no memory for the hashes of %zu rows",
                       l->rows);
    bool sure =
        !m->task.new_rows && data_trained_matches(t, m->source->set, &m->view);
    for (size_t k = 0; k < part->count; k++) {
        uint32_t row = part->rows[k];
        may[row] = sure || !data_trained_has(t, hashes[row]);
        l->taken[row] |= !may[row];
    }
    return 0;
}

/* Rows that all of them may be asked for; out of fold: that one may. */
static void gather(struct looking *l, size_t seats, const bool *may,
                   bool out_of_fold)
{
    uint32_t *rows = arena_array(l->arena, l->rows + 1, sizeof(*rows));
    struct held_out *to = l->to;
    for (size_t r = 0; r < l->rows; r++) {
        size_t count = 0;
        for (size_t i = 0; i < seats; i++)
            count += may[i * l->rows + r];
        if (out_of_fold ? count > 0 : count == seats)
            rows[to->part.count++] = (uint32_t)r;
        else
            to->left_out += l->taken[r];
    }
    to->part.rows = rows;
}

static int say_none(const struct held_out *h, bool new_rows, bool out_of_fold,
                    struct err *err)
{
    if (h->left_out)
        return err_set(err, ERR_INPUT,
                       "a member was trained on each of the %zu rows, or on "
                       "one that equals it: name rows by --data that none has "
                       "seen",
                       h->left_out);
    return err_set(err, ERR_INPUT,
                   new_rows || out_of_fold
                       ? "there are no rows to look at"
                       : "no row was held out by all members; name rows by "
                         "--data, or take --out-of-fold, which asks each for "
                         "the rows that it has held out itself");
}

int held_out_find(struct member *const *seats, const struct data_part *parts,
                  size_t count, bool out_of_fold, struct held_out *to,
                  struct arena *a, struct err *err)
{
    struct looking l = {a, to, seats[0]->view.table->rows, NULL};
    *to = (struct held_out){.rows = l.rows};
    bool *may = arena_array(a, count * l.rows + 1, sizeof(*may));
    l.taken = arena_array(a, l.rows + 1, sizeof(*l.taken));
    for (size_t i = 0; i < count; i++)
        if (look_at_seat(&l, seats[i], &parts[i], may + i * l.rows, err))
            return -1;
    gather(&l, count, may, out_of_fold);
    to->may = out_of_fold ? may : NULL;
    return to->part.count
               ? 0
               : say_none(to, seats[0]->task.new_rows, out_of_fold, err);
}
