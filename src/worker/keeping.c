/* keeping.c - predictions for a product of tables, or for a shard of rows, of
 * which rules say what is kept
 *
 * Of a product the task's data names the tables, its options beside those of a
 * committee what is kept, and its shard which rows of the product are asked for
 * (all of them, where it has none):
 *
 *   {"keep": {"top": {"by": "mean", "n": 50000}}}
 *
 * In its folder lie then, in output/kept: a table for each rule, by its name
 * (ensemble.h); listed.csv, where rows are listed; and state, by which the same
 * of other rows is added. Of a shard there are no tables, which come of all of
 * them, but columns: the names that rules go by, as JSON. Memory is that of the
 * rules and of one piece. */
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "ensemble/ensemble.h"
#include "sys/sys.h"
#include "worker/member.h"

#define WRITE_AT_ONCE 65536

struct keeping {
    struct member *member;
    struct committee *committee;
    struct data_product *product; /* of the first seat: names of rows; NULL: a
                                     shard of files, … */
    struct predicted shard;       /* … whose rows are these */
    struct keep_rules *rules;
    struct keep *keep;
    struct file_out *listed; /* NULL: no rows are */
    struct buf lines;        /* of it, not written yet */
    const char **columns;
    size_t wide, more, errors, piece;
    double *outputs, *others, *row; /* of a row: outputs, others, errors */
    int64_t asked_ns;               /* that answers took */
    uint64_t from, to, at; /* a row's number; of a shard `at` is that in its
                              part */
};

/* ---- life -----------------------------------------------------------------
 */

static int check_device(const struct member *m, struct err *err)
{
    if (!m->product || nn_trainer_asks_anew(m->cohort->trainer))
        return 0;
    return err_set(err, ERR_INPUT,
                   "a product of tables is predicted on the cpu, not on %s",
                   m->device->name);
}

static int find_rows(struct keeping *k, struct err *err)
{
    const struct task_shard *shard = &k->member->task.shard;
    k->from = shard->row;
    k->to = shard->row + shard->count;
    if (!k->product)
        return 0;
    uint64_t rows = data_product_rows(k->product);
    if (!shard->count)
        k->to = rows;
    if (k->from > k->to || k->to > rows)
        return err_set(err, ERR_INPUT,
                       "rows %llu to %llu are not in a product of %llu",
                       (unsigned long long)k->from + 1,
                       (unsigned long long)k->to, (unsigned long long)rows);
    k->at = k->from;
    return 0;
}

static size_t row_wide(const struct keeping *k)
{
    return k->wide + k->more + k->errors;
}

static int read_rules(struct keeping *k, const struct value *options,
                      struct err *err)
{
    struct arena *a = k->member->arena;
    const struct value *said = value_get(options, STR("keep"));
    if (!said)
        return err_set(err, ERR_INPUT,
                       "say what is kept of the product's %llu rows",
                       (unsigned long long)data_product_rows(k->product));
    k->rules = keep_rules_read(said, a, err);
    if (!k->rules || keep_rules_bind(k->rules, k->columns, row_wide(k), err))
        return -1;
    k->keep = keep_new(k->rules, err);
    return k->keep ? 0 : -1;
}

static const char *kept_file(struct train *t, const struct keeping *k,
                             const char *name)
{
    const char *path = arena_printf(k->member->arena, "output/kept/%s", name);
    return member_file(t, k->member, path);
}

/* As in the table of predictions. */
static void name_shard_row(struct keeping *k, uint64_t row, bool titles)
{
    const struct task_shard *shard = &k->member->task.shard;
    if (shard->name.len) {
        csv_field(&k->lines, titles ? STR("file") : shard->name, ',');
        buf_addc(&k->lines, ',');
    }
    if (titles)
        buf_adds(&k->lines, "row");
    else
        buf_addf(&k->lines, "%llu",
                 (unsigned long long)(row - shard->row + shard->first + 1));
}

static void add_line(struct keeping *k, uint64_t row, const double *values)
{
    if (k->product)
        data_product_name(k->product, row, !values, &k->lines);
    else
        name_shard_row(k, row, !values);
    for (size_t i = 0; i < row_wide(k); i++) {
        buf_addc(&k->lines, ',');
        if (!values)
            csv_field(&k->lines, str_of(k->columns[i]), ',');
        else if (!isnan(values[i]))
            num_print(&k->lines, values[i]);
    }
    buf_addc(&k->lines, '\n');
}

static int open_listed(struct train *t, struct keeping *k, struct err *err)
{
    if (!keep_rules_list(k->rules))
        return 0;
    k->listed = file_begin(kept_file(t, k, "listed.csv"), err);
    add_line(k, 0, NULL);
    return k->listed ? 0 : -1;
}

static int make_room(struct keeping *k, struct err *err)
{
    k->piece = committee_piece(k->committee);
    if (k->product && k->piece > PRODUCT_WINDOW)
        k->piece = PRODUCT_WINDOW;
    k->outputs = malloc(k->piece * k->wide * sizeof(double) + 1);
    k->others = malloc(k->piece * k->more * sizeof(double) + 1);
    k->row = malloc(row_wide(k) * sizeof(double) + 1);
    if (k->outputs && k->others && k->row)
        return 0;
    return err_set(err, ERR_LIMIT, "no memory for the predictions of %zu rows",
                   k->piece);
}

bool keeping_wanted(const struct member *m)
{
    if (m->product || !m->task.shard.file.len || !m->task.options.len)
        return m->product;
    return value_get(
        json_parse(m->arena, m->task.options, "options", false, NULL),
        STR("keep"));
}

struct keeping *keeping_open(struct train *t, struct member *m, struct err *err)
{
    struct keeping *k = xcalloc(1, sizeof(*k));
    const struct value *options =
        json_parse(m->arena, m->task.options, "options", false, err);
    size_t all;
    k->member = m;
    k->committee = m->committee;
    k->product = m->product;
    k->shard = committee_rows(m->committee);
    buf_init(&k->lines);
    k->columns = committee_columns(m->committee, &all);
    k->wide = (size_t)nn_model_outputs(k->shard.model);
    k->more = predicted_more_count(&k->shard);
    k->errors = all - k->wide - k->more;
    if (options && check_device(m, err) == 0 && find_rows(k, err) == 0 &&
        read_rules(k, options, err) == 0 && open_listed(t, k, err) == 0 &&
        make_room(k, err) == 0)
        return k;
    keeping_close(k);
    return NULL;
}

void keeping_close(struct keeping *k)
{
    if (!k)
        return;
    keep_free(k->keep);
    file_drop(k->listed);
    buf_done(&k->lines);
    free(k->outputs);
    free(k->others);
    free(k->row);
    free(k);
}

/* ---- rows -----------------------------------------------------------------
 */

static int write_lines(struct keeping *k, size_t from, struct err *err)
{
    if (!k->listed || k->lines.len < from)
        return 0;
    int rc = file_add(k->listed, buf_str(&k->lines), err);
    buf_reset(&k->lines);
    return rc;
}

/* The number of a row of the piece. */
static uint64_t number_of(const struct keeping *k, size_t row)
{
    const struct predicted *s = &k->shard;
    return k->product ? k->at + row
                      : k->from + data_row_in_file(s->table,
                                                   s->part->rows[k->at + row]);
}

static int ask(struct keeping *k, size_t count, struct err *err)
{
    size_t from = k->product ? 0 : (size_t)k->at;
    if (k->product)
        committee_move(k->committee, k->at, count);
    return committee_ask(k->committee, from, count, k->outputs, k->others, err);
}

size_t keeping_piece(const struct keeping *k)
{
    return k->piece;
}

/* The last columns of the rows. */
static int look_at_rows(struct keeping *k, size_t count, struct err *err)
{
    return unlike_ask(k->member->unlike, (size_t)k->at, count,
                      k->others + k->more - NOVELTY_SCORES, k->more, err);
}

/* Of a row whose other numbers are there. */
static void look_at_errors(struct keeping *k, uint32_t row)
{
    const struct predicted *s = &k->shard;
    const double *p = k->row;
    double *to = k->row + k->wide + k->more;
    for (size_t i = 0; i < nn_model_head_count(s->model); i++) {
        struct nn_head_facts h = nn_model_head(s->model, i);
        if (nn_head_repeats(&h, s->table))
            *to++ = predicted_error(
                &h, nn_head_label(&h, s->table)->numbers + row * h.width, p);
        p += h.width;
    }
}

int keeping_next(struct keeping *k, struct err *err)
{
    uint64_t end = k->product ? k->to : k->shard.part->count;
    size_t count = end - k->at < k->piece ? (size_t)(end - k->at) : k->piece;
    int64_t began_ns = clock_mono_ns();
    int rc = ask(k, count, err);
    k->asked_ns += clock_mono_ns() - began_ns;
    if (!rc && k->member->unlike)
        rc = look_at_rows(k, count, err);
    if (rc > 0)
        return err_set(err, ERR_SYSTEM, "ended while it predicted");
    if (!rc && !k->product)
        bad_look(k->member->bad,
                 &(struct bad_piece){.rows = k->shard.part->rows + k->at,
                                     .count = count,
                                     .wide = k->wide,
                                     .some = k->more,
                                     .outputs = k->outputs,
                                     .more = k->others});
    for (size_t r = 0; !rc && r < count; r++) {
        memcpy(k->row, k->outputs + r * k->wide, k->wide * sizeof(double));
        memcpy(k->row + k->wide, k->others + r * k->more,
               k->more * sizeof(double));
        if (k->errors)
            look_at_errors(k, k->shard.part->rows[k->at + r]);
        if (keep_add(k->keep, number_of(k, r), k->row))
            add_line(k, number_of(k, r), k->row);
    }
    k->at += rc ? 0 : count;
    if (rc || write_lines(k, WRITE_AT_ONCE, err))
        return -1;
    return k->at < end;
}

/* ---- the end --------------------------------------------------------------
 */

static void name_row(void *context, uint64_t row, bool titles, struct buf *b)
{
    data_product_name(context, row, titles, b);
}

static int write_table(struct train *t, struct keeping *k, size_t rule,
                       struct err *err)
{
    const char *name = keep_rule_table(k->rules, rule, k->member->arena);
    size_t at = 0;
    bool more = true;
    int rc = 0;
    if (!name)
        return 0;
    struct buf b;
    struct file_out *f = file_begin(
        kept_file(t, k, arena_printf(k->member->arena, "%s.csv", name)), err);
    buf_init(&b);
    while (f && !rc && more) {
        buf_reset(&b);
        more = keep_table(k->keep, rule, &at, name_row, k->product, &b);
        rc = file_add(f, buf_str(&b), err);
    }
    buf_done(&b);
    if (rc)
        file_drop(f);
    return !f || rc ? -1 : file_end(f, false, err);
}

static void say_not_numbers(struct train *t, struct keeping *k, size_t rule)
{
    uint64_t rows = keep_not_numbers(k->keep, rule);
    const char *name = keep_rule_table(k->rules, rule, k->member->arena);
    if (rows && name)
        member_say(t, k->member, RECORD_NOTICE,
                   str_of(arena_printf(k->member->arena,
                                       "%s: %llu row%s had no number to go by",
                                       name, (unsigned long long)rows,
                                       rows == 1 ? "" : "s")));
}

static int write_state(struct train *t, struct keeping *k, struct err *err)
{
    struct buf state;
    buf_init(&state);
    keep_print(&state, k->keep);
    int rc = file_write(kept_file(t, k, "state"), buf_str(&state), false, err);
    buf_done(&state);
    return rc;
}

static int write_columns(struct train *t, struct keeping *k, struct err *err)
{
    struct arena *a = k->member->arena;
    struct value *names = value_list(a);
    struct buf b;
    for (size_t i = 0; i < row_wide(k); i++)
        value_list_add(a, names, value_string(a, str_of(k->columns[i])));
    buf_init(&b);
    json_print(&b, names);
    int rc = file_write(kept_file(t, k, "columns"), buf_str(&b), false, err);
    buf_done(&b);
    return rc;
}

double keeping_seconds(const struct keeping *k, uint64_t *rows)
{
    *rows = k->product ? k->to - k->from : k->shard.part->count;
    return (double)k->asked_ns * 1e-9;
}

int keeping_end(struct train *t, struct keeping *k, struct err *err)
{
    struct file_out *listed = k->listed;
    if (keep_cover(k->keep, k->from, k->to, err) || write_lines(k, 0, err))
        return -1;
    k->listed = NULL;
    if (listed && file_end(listed, false, err))
        return -1;
    int rc = write_state(t, k, err);
    if (rc || k->member->task.shard.count)
        return rc ? rc : write_columns(t, k, err);
    for (size_t i = 0; !rc && i < keep_rule_count(k->rules); i++) {
        rc = write_table(t, k, i, err);
        say_not_numbers(t, k, i);
    }
    if (!rc)
        member_say(t, k->member, RECORD_NOTICE,
                   str_of(arena_printf(
                       k->member->arena, "%llu rows of a product of %llu%s",
                       (unsigned long long)(k->to - k->from),
                       (unsigned long long)data_product_rows(k->product),
                       asked_words(k->member, k->to - k->from,
                                   (double)k->asked_ns * 1e-9))));
    return rc;
}
