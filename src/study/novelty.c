/* novelty.c - how far predicted rows lie from those of training
 *
 * The rows are asked for twice: for what is predicted of them, and for the
 * numbers of the layer that a file of `novelty` speaks of. Both tables have the
 * same rows in the same order; the first gets two columns more. */
#include <math.h>

#include "base/hash.h"
#include "base/num.h"
#include "ensemble/ensemble.h"
#include "study/study.h"

int novelty_read(struct novelty *n, const char *path, struct arena *a,
                 struct err *err)
{
    struct str bytes;
    if (file_map(path, &bytes, err))
        return -1;
    struct str text = arena_str(a, bytes);
    file_unmap(bytes);
    return novelty_parse(n, text, path, a, err);
}

int novelty_weights(const struct inference *wanted, char hex[65],
                    struct arena *a, struct err *err)
{
    struct models m;
    struct str bytes;
    if (models_open(&m, wanted->models, wanted->scratch, a, err))
        return -1;
    if (m.is_ensemble)
        return err_set(err, ERR_INPUT,
                       "%s is an ensemble: novelty is of the layer of one "
                       "model",
                       wanted->models);
    if (file_map(m.list[0].file, &bytes, err))
        return -1;
    sha256_hex(bytes, hex);
    file_unmap(bytes);
    return 0;
}

int novelty_is_of(const struct novelty *n, const struct inference *wanted,
                  const char *path, struct arena *a, struct err *err)
{
    char hex[65];
    if (novelty_weights(wanted, hex, a, err))
        return -1;
    if (str_is(n->sha256, hex))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s was fitted for other weights: fit it again by `throng "
                   "novelty`",
                   path);
}

struct scoring {
    const struct novelty *novelty;
    struct layer_rows layer;
    struct csv csv; /* the predictions */
    struct file_out *out;
    struct buf line;
    double *scratch;
    struct err *err;
};

static void add_fields(struct scoring *s)
{
    buf_reset(&s->line);
    for (size_t i = 0; i < s->csv.fields.len; i++) {
        if (i)
            buf_addc(&s->line, ',');
        csv_field(&s->line, s->csv.fields.p[i], ',');
    }
}

/* What cannot be measured is like nothing. */
static void add_score(struct scoring *s)
{
    double d = novelty_distance(s->novelty, s->layer.numbers, s->scratch);
    buf_addc(&s->line, ',');
    if (isfinite(d))
        num_print(&s->line, d);
    buf_adds(&s->line, d <= s->novelty->threshold ? ",0\n" : ",1\n");
}

static int score_rows(struct scoring *s)
{
    int got = csv_next(&s->csv, s->err);
    if (got > 0) {
        add_fields(s);
        buf_adds(&s->line, ",distance,unlike\n");
        got = file_add(s->out, buf_str(&s->line), s->err) ? -1 : 1;
    }
    while (got > 0 && (got = csv_next(&s->csv, s->err)) > 0) {
        if ((got = layer_rows_next(&s->layer, s->err)) < 0)
            break;
        if (!got)
            return err_set(s->err, ERR_CORRUPT, "%s has too few rows",
                           s->layer.path);
        add_fields(s);
        add_score(s);
        got = file_add(s->out, buf_str(&s->line), s->err) ? -1 : 1;
    }
    return got;
}

int novelty_score(const struct novelty *n, const char *folder,
                  const char *predictions, struct arena *a, struct err *err)
{
    struct scoring s = {.novelty = n, .err = err};
    struct str text;
    if (layer_rows_open(&s.layer, folder, a, err))
        return -1;
    if (s.layer.columns != n->columns || file_map(predictions, &text, err)) {
        layer_rows_close(&s.layer);
        return s.layer.columns == n->columns
                   ? -1
                   : err_set(err, ERR_INPUT,
                             "the layer has %zu numbers a row, not %zu",
                             s.layer.columns, n->columns);
    }
    csv_init(&s.csv, text, ',');
    buf_init(&s.line);
    s.scratch = arena_array(a, n->columns, sizeof(*s.scratch));
    s.out = file_begin(predictions, err);
    int rc = s.out ? score_rows(&s) : -1;
    if (s.out && rc)
        file_drop(s.out);
    else if (s.out)
        rc = file_end(s.out, false, err);
    buf_done(&s.line);
    csv_done(&s.csv);
    file_unmap(text);
    layer_rows_close(&s.layer);
    return rc;
}
