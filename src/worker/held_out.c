/* held_out.c - rows that members may be chosen, calibrated and judged by
 *
 * Only rows that no member was trained on say how good it is. Weights carry
 * hashes of the rows that trained them (data/trained.c). A split that is made
 * again and trains on just these rows is what it was: then a row that was held
 * out counts, even if another one says the same. Else (rows of another day, or
 * a data file that has changed since) a row that equals one of those is left
 * out. */
#include "ensemble/ensemble.h"
#include "worker/member.h"

struct looking {
    struct arena *arena;
    struct held_out *to;
    size_t rows; /* of the tables, which are of the same rows */
    bool *taken; /* by row: somebody's hash has left it out */
};

/* *to is NULL where its weights do not say it. */
static int find_trained(const struct member *m, const struct data_trained **to,
                        struct err *err)
{
    const char *path = arena_cstr(m->arena, m->task.weights);
    struct nn_about about;
    *to = NULL;
    if (nn_weights_about(path, m->arena, &about, err))
        return -1;
    if (about.rows.len)
        *to = data_trained_parse(about.rows, path, m->arena, err);
    return about.rows.len && !*to ? -1 : 0;
}

static const struct data_trained *trained_of(const struct member *m,
                                             struct err *err)
{
    const char *path = arena_cstr(m->arena, m->task.weights);
    const struct data_trained *t;
    if (find_trained(m, &t, err))
        return NULL;
    if (t)
        return t;
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

int held_out_unchosen(struct member *m, const char *path, struct held_out *h,
                      struct arena *a, struct err *err)
{
    const uint64_t *hashes = data_row_hashes(m->source->set);
    struct ensemble e;
    struct str bytes;
    size_t kept = 0;
    if (file_map(path, &bytes, err))
        return -1;
    int rc = ensemble_parse(&e, bytes, path, a, err);
    file_unmap(bytes);
    if (rc || !e.rows.len || !hashes)
        return rc;
    const struct data_trained *by = data_trained_parse(e.rows, path, a, err);
    uint32_t *rows = arena_array(a, h->part.count + 1, sizeof(*rows));
    for (size_t i = 0; by && i < h->part.count; i++)
        if (!data_trained_has(by, hashes[h->part.rows[i]]))
            rows[kept++] = h->part.rows[i];
    if (!by)
        return -1;
    if (!kept)
        return err_set(err, ERR_INPUT,
                       "%s was chosen or weighed by each of the %zu rows, or "
                       "by one that equals it: name others by --data",
                       path, h->part.count);
    h->chosen_by = h->part.count - kept;
    h->part = (struct data_part){rows, kept};
    return 0;
}

/* ---- rows that are judged -------------------------------------------------
 */

/* Which rows a seat was trained on, and their hashes; both NULL: nobody says.
 */
static int find_hashes(const struct member *m, const struct data_trained **t,
                       const uint64_t **hashes, struct err *err)
{
    *hashes = NULL;
    if (find_trained(m, t, err))
        return -1;
    *hashes = *t ? data_row_hashes(m->source->set) : NULL;
    return *t && !*hashes
               ? err_set(err, ERR_LIMIT, "no memory for the hashes of %zu rows",
                         m->view.table->rows)
               : 0;
}

/* The seat's own rows that it is judged on; NULL: it is on training rows. */
static struct data_part *own_part(struct member *m)
{
    const struct data_part *part = judging_rows(m).part;
    return part == &m->view.test         ? &m->view.test
           : part == &m->view.validation ? &m->view.validation
                                         : NULL;
}

static int leave_out(struct member *m, bool *taken, struct err *err)
{
    struct data_part *part = own_part(m);
    const struct data_trained *t;
    const uint64_t *hashes;
    size_t kept = 0;
    if (!part || !part->count)
        return 0;
    if (find_hashes(m, &t, &hashes, err))
        return -1;
    if (!t || data_trained_matches(t, m->source->set, &m->view))
        return 0;
    uint32_t *rows = arena_array(m->arena, part->count + 1, sizeof(*rows));
    for (size_t k = 0; k < part->count; k++) {
        uint32_t row = part->rows[k];
        if (data_trained_has(t, hashes[row]))
            taken[row] = true;
        else
            rows[kept++] = row;
    }
    if (!kept)
        return err_set(
            err, ERR_INPUT,
            "%.*s: it, or weights that it began from, was trained on "
            "each of the %zu %s rows, or on one that equals it; "
            "where its data has changed since, name rows by --data",
            STRF(m->task.weights), part->count, judging_rows(m).rows);
    *part = (struct data_part){rows, kept};
    return 0;
}

static int mark(struct member *m, bool *taken, struct err *err)
{
    const struct data_trained *t;
    const uint64_t *hashes;
    if (find_hashes(m, &t, &hashes, err))
        return -1;
    for (size_t r = 0; t && r < m->view.table->rows; r++)
        taken[r] |= data_trained_has(t, hashes[r]);
    return 0;
}

static void say_taken(struct train *t, struct member *m, size_t taken,
                      const char *who)
{
    bool one = taken == 1;
    const char *text =
        m->task.new_rows
            ? arena_printf(m->arena,
                           "%zu of the %zu rows %s trained on, or equal%s rows "
                           "that were: it is better on them than on new ones",
                           taken, m->view.table->rows, one ? "was" : "were",
                           one ? "s" : "")
            : arena_printf(m->arena,
                           "%zu row%s left out: %s was trained on %s, or on "
                           "rows that equal %s",
                           taken, one ? " is" : "s are", who,
                           one ? "it" : "them", one ? "it" : "them");
    if (taken)
        member_say(t, m, RECORD_NOTICE, str_of(text));
}

int held_out_judge(struct train *t, struct member *const *seats, size_t count,
                   struct err *err)
{
    struct member *first = seats[0];
    size_t rows = first->view.table->rows, all = 0;
    bool *taken = arena_array(first->arena, rows + 1, sizeof(*taken));
    if (first->task.new_rows && (first->task.predictions || first->product))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (first->task.new_rows ? mark(seats[i], taken, err)
                                 : leave_out(seats[i], taken, err))
            return -1;
    for (size_t r = 0; r < rows; r++)
        all += taken[r];
    say_taken(t, first, all, count > 1 ? "a member" : "the model");
    return 0;
}
