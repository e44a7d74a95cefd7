/* importance.c - tasks that say how much a model needs each column
 *
 * A column that is shuffled over the rows still has its values, and no longer
 * goes with its row: how much worse the model is then is what the column was
 * worth to it. Columns of a group are shuffled together, by one order. A turn
 * judges the rows once. The view's table is replaced by one with numbers of our
 * own, of which one group at a time is out of order.
 *
 * Of several models that answer together (committee.c) all see the same rows in
 * the same order, each in its own table: what was fitted on other training rows
 * may have other columns for the same words. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/rng.h"
#include "sys/sys.h"
#include "worker/crew.h"
#include "worker/member.h"

#define REPEATS_DEFAULT 5
#define REPEATS_MAX 1000

struct column {
    size_t input, number;
};

struct group {
    struct str name;
    double *values; /* by repeat: loss, then metrics */
};

/* The columns of a group, in one table. */
struct place {
    VEC(struct column) columns;
};

/* A table that some models read, and the one that they have meanwhile. */
struct shuffled {
    const struct data_part *part;
    struct data_table table;
    const struct data_table *own;
    float **numbers; /* by input, rows × columns; NULL: tokens */
    int32_t **tokens;
    VEC(struct place) places; /* by group */
};

struct importance {
    struct shuffled *tables;
    size_t table_count;
    VEC(struct group) groups;
    bool **found;           /* by wanted group and name: a column has it */
    double *outputs, *more; /* of one piece, of several models */
    double *baseline;
    size_t width; /* values of one judging */
    size_t at;    /* groups × repeats that are done */
    size_t repeats;
    bool begun; /* the baseline is known */
};

/* ---- groups ---------------------------------------------------------------
 */

static size_t group_named(struct importance *im, struct member *m,
                          struct str name)
{
    size_t at = 0;
    while (at < im->groups.len && !str_eq(im->groups.p[at].name, name))
        at++;
    if (at == im->groups.len) {
        struct group g = {.name = arena_str(m->arena, name)};
        vec_push(&im->groups, g);
    }
    return at;
}

static void put_column(struct shuffled *s, size_t group, struct column column)
{
    struct place none = {0};
    while (s->places.len <= group)
        vec_push(&s->places, none);
    vec_push(&s->places.p[group].columns, column);
}

/* True when a wanted group has the column, by a name or a pattern. */
static bool has_column(const struct value *names, const char *column,
                       bool *found)
{
    bool any = false;
    for (size_t k = 0; k < names->count; k++) {
        struct buf pattern;
        buf_init(&pattern);
        buf_addstr(&pattern, value_text(names->items[k]));
        bool is = str_glob(pattern.p, str_of(column));
        buf_done(&pattern);
        found[k] = found[k] || is;
        any = any || is;
    }
    return any;
}

/* m: who reads the table; the groups are the first one's. A column may stand
 * in several: each group is shuffled by itself. */
static void add_column(struct importance *im, struct shuffled *s,
                       const struct member *m, struct member *first,
                       const struct value *wanted, struct column column)
{
    struct buf name;
    buf_init(&name);
    data_column_name(&name, &m->view, column.input, column.number);
    if (!wanted)
        put_column(s, group_named(im, first, buf_str(&name)), column);
    for (size_t i = 0; wanted && i < wanted->count; i++)
        if (has_column(wanted->items[i], name.p, im->found[i]))
            put_column(s, i, column);
    buf_done(&name);
}

static void find_columns(struct importance *im, struct shuffled *s,
                         const struct member *m, struct member *first,
                         const struct value *wanted)
{
    const struct data_table *t = s->own;
    for (size_t i = 0; i < t->input_count; i++) {
        const struct data_field *f = &t->inputs[i];
        size_t columns = data_has_numbers(f) ? (size_t)f->columns : 1;
        for (size_t k = 0; k < columns; k++)
            add_column(im, s, m, first, wanted, (struct column){i, k});
    }
}

static size_t columns_in(const struct shuffled *s, size_t group)
{
    return group < s->places.len ? s->places.p[group].columns.len : 0;
}

/* The column of the data that a name may have meant, or NULL. */
static const char *near_column(const struct member *m, struct str name)
{
    const struct data_table *t = m->view.table;
    VEC(const char *) names = {0};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < t->input_count; i++) {
        const struct data_field *f = &t->inputs[i];
        size_t columns = data_has_numbers(f) ? (size_t)f->columns : 1;
        for (size_t k = 0; k < columns; k++) {
            buf_reset(&b);
            data_column_name(&b, &m->view, i, k);
            vec_push(&names, arena_cstr(m->arena, buf_str(&b)));
        }
    }
    buf_done(&b);
    vec_push(&names, NULL);
    const char *near = str_nearest(name, names.p);
    vec_done(&names);
    return near;
}

/* After all columns are where they belong. */
static int check_groups(const struct importance *im, const struct member *m,
                        const struct value *wanted, struct err *err)
{
    for (size_t i = 0; wanted && i < wanted->count; i++)
        for (size_t k = 0; k < wanted->items[i]->count; k++) {
            struct str name = value_text(wanted->items[i]->items[k]);
            if (im->found[i][k])
                continue;
            const char *near = near_column(m, name);
            return err_set(err, ERR_INPUT,
                           "the group %.*s names the column %.*s: the data "
                           "has none that is called so%s%s%s",
                           STRF(wanted->keys[i]), STRF(name),
                           near ? "; did you mean " : "", near ? near : "",
                           near ? "?" : "");
        }
    return 0;
}

/* ---- numbers of our own ---------------------------------------------------
 */

static int copy_input(struct shuffled *s, size_t i, struct data_field *f,
                      struct err *err)
{
    size_t rows = s->own->rows, columns = (size_t)f->columns;
    if (!data_has_numbers(f)) {
        s->tokens[i] = malloc(rows * columns * sizeof(int32_t) + 1);
        if (s->tokens[i])
            memcpy(s->tokens[i], f->categories,
                   rows * columns * sizeof(int32_t));
        f->categories = s->tokens[i];
    } else {
        float *to = s->numbers[i] = malloc(rows * columns * sizeof(float) + 1);
        for (size_t r = 0; to && r < rows; r++)
            for (size_t c = 0; c < columns; c++)
                to[r * columns + c] = data_number(&s->own->inputs[i], r, c);
        f->numbers = to;
        f->pieces = NULL;
    }
    return s->tokens[i] || s->numbers[i]
               ? 0
               : err_set(err, ERR_LIMIT, "no memory for a copy of the inputs");
}

static int copy_table(struct shuffled *s, struct member *m, struct err *err)
{
    size_t count = s->own->input_count;
    struct data_field *inputs =
        arena_array(m->arena, count + 1, sizeof(*inputs));
    memcpy(inputs, s->own->inputs, count * sizeof(*inputs));
    s->numbers = arena_array(m->arena, count + 1, sizeof(*s->numbers));
    s->tokens = arena_array(m->arena, count + 1, sizeof(*s->tokens));
    s->table = *s->own;
    s->table.inputs = inputs;
    for (size_t i = 0; i < count; i++)
        if (copy_input(s, i, &inputs[i], err))
            return -1;
    return 0;
}

/* Row k of the part gets what another has, by the order of this key; 0: each
 * its own. */
static void lay_out(struct shuffled *s, size_t group, uint64_t key)
{
    const struct data_part *p = s->part;
    for (size_t k = 0; k < p->count; k++) {
        size_t from = key ? (size_t)rng_permute(key, k, p->count) : k;
        for (size_t i = 0; i < columns_in(s, group); i++) {
            struct column c = s->places.p[group].columns.p[i];
            const struct data_field *f = &s->own->inputs[c.input];
            size_t wide = (size_t)f->columns;
            if (s->numbers[c.input])
                s->numbers[c.input][p->rows[k] * wide + c.number] =
                    data_number(f, p->rows[from], c.number);
            else
                memcpy(s->tokens[c.input] + p->rows[k] * wide,
                       f->categories + p->rows[from] * wide,
                       wide * sizeof(int32_t));
        }
    }
}

static void lay_all(struct importance *im, size_t group, uint64_t key)
{
    for (size_t i = 0; i < im->table_count; i++)
        lay_out(&im->tables[i], group, key);
}

/* Of a model that reads a table: another one may do so already. */
static int take_table(struct importance *im, struct member *m,
                      struct member *first, const struct data_part *part,
                      const struct value *wanted, struct err *err)
{
    struct shuffled *s = im->tables;
    while (s < im->tables + im->table_count && s->own != m->view.table)
        s++;
    if (s == im->tables + im->table_count) {
        *s = (struct shuffled){.part = part, .own = m->view.table};
        im->table_count++;
        find_columns(im, s, m, first, wanted);
        if (copy_table(s, first, err))
            return -1;
    }
    m->view.table = &s->table;
    return 0;
}

/* ---- the task -------------------------------------------------------------
 */

static int64_t option_int(const struct value *options, const char *key,
                          int64_t otherwise)
{
    const struct value *v = value_get(options, str_of(key));
    return v && v->kind == VALUE_INT ? v->i : otherwise;
}

static size_t seats_of(const struct member *m)
{
    return m->committee ? committee_seats(m->committee) : 1;
}

static struct member *seat_of(struct member *m, size_t i,
                              const struct data_part **part)
{
    if (m->committee)
        return committee_seat(m->committee, i, part);
    *part = judging_rows(m).part;
    return m;
}

static int take_tables(struct importance *im, struct member *m,
                       const struct value *wanted, struct err *err)
{
    im->tables = arena_array(m->arena, seats_of(m), sizeof(*im->tables));
    size_t count = wanted ? wanted->count : 0;
    im->found = arena_array(m->arena, count + 1, sizeof(*im->found));
    for (size_t i = 0; i < count; i++) {
        group_named(im, m, wanted->keys[i]);
        im->found[i] =
            arena_array(m->arena, wanted->items[i]->count + 1, sizeof(bool));
    }
    for (size_t i = 0; i < seats_of(m); i++) {
        const struct data_part *part;
        struct member *seat = seat_of(m, i, &part);
        if (take_table(im, seat, m, part, wanted, err))
            return -1;
    }
    for (size_t i = 0; i < im->groups.len; i++)
        im->groups.p[i].values =
            xcalloc(im->repeats * im->width + 1, sizeof(double));
    return check_groups(im, m, wanted, err);
}

static int make_room(struct importance *im, const struct member *m,
                     struct err *err)
{
    if (!m->committee)
        return 0;
    struct predicted what = committee_rows(m->committee);
    size_t rows = committee_piece(m->committee);
    size_t wide = (size_t)nn_model_outputs(m->model);
    im->outputs = malloc(rows * wide * sizeof(double) + 1);
    im->more = malloc(rows * predicted_more_count(&what) * sizeof(double) + 1);
    return im->outputs && im->more
               ? 0
               : err_set(err, ERR_LIMIT,
                         "no memory for the predictions of %zu rows", rows);
}

static int begin(struct train *t, struct member *m, struct err *err)
{
    struct importance *im = m->importance = xcalloc(1, sizeof(*im));
    struct value *options =
        json_parse(m->arena, m->task.options, "options", false, err);
    if (!options ||
        member_load(m, arena_cstr(m->arena, m->task.weights), false, err))
        return -1;
    if (value_get(options, STR("members"))
            ? !(m->committee = committee_open(t, m, err))
            : held_out_judge(t, &m, 1, err))
        return -1;
    int64_t repeats = option_int(options, "repeats", REPEATS_DEFAULT);
    im->repeats = repeats < 1             ? 1
                  : repeats > REPEATS_MAX ? REPEATS_MAX
                                          : (size_t)repeats;
    im->width = 1 + nn_model_metric_count(m->model);
    im->baseline = xcalloc(im->width, sizeof(*im->baseline));
    return take_tables(im, m, value_get(options, STR("groups")), err)
               ? -1
               : make_room(im, m, err);
}

static void free_table(struct shuffled *s)
{
    for (size_t i = 0; s->numbers && i < s->own->input_count; i++) {
        free(s->numbers[i]);
        free(s->tokens[i]);
    }
    for (size_t i = 0; i < s->places.len; i++)
        vec_done(&s->places.p[i].columns);
    vec_done(&s->places);
}

static void give_back_tables(struct importance *im, struct member *m)
{
    for (size_t i = 0; im->tables && i < seats_of(m); i++) {
        const struct data_part *part;
        struct member *seat = seat_of(m, i, &part);
        for (size_t k = 0; k < im->table_count; k++)
            if (seat->view.table == &im->tables[k].table)
                seat->view.table = im->tables[k].own;
    }
}

static void end(struct train *t, struct member *m)
{
    struct importance *im = m->importance;
    if (!im)
        return;
    give_back_tables(im, m);
    committee_close(t, m->committee);
    m->committee = NULL;
    for (size_t i = 0; i < im->table_count; i++)
        free_table(&im->tables[i]);
    for (size_t i = 0; i < im->groups.len; i++)
        free(im->groups.p[i].values);
    vec_done(&im->groups);
    free(im->outputs);
    free(im->more);
    free(im->baseline);
    free(im);
    m->importance = NULL;
}

static int take_report(const struct importance *im, const struct nn_report *r,
                       double *to, struct err *err)
{
    if (isnan(r->validation_loss))
        return err_set(err, ERR_INPUT,
                       "the rows have no labels to be judged by");
    to[0] = r->validation_loss;
    memcpy(to + 1, r->metrics, (im->width - 1) * sizeof(*to));
    return 0;
}

/* Of several models, a piece at a time, as judging.c does it. */
static int judge_together(struct member *m, double *to, struct err *err)
{
    struct importance *im = m->importance;
    const struct data_part *part = committee_rows(m->committee).part;
    struct nn_verdict *v = nn_verdict_new(m->model, &m->view, part, err);
    size_t piece = committee_piece(m->committee);
    struct nn_report r = {0};
    int rc = v ? 0 : -1;
    for (size_t from = 0; !rc && from < part->count; from += piece) {
        size_t left = part->count - from, count = left < piece ? left : piece;
        rc = committee_ask(m->committee, from, count, im->outputs, im->more,
                           err);
        if (!rc)
            nn_verdict_add(v, im->outputs, count);
    }
    if (!rc) {
        nn_verdict_end(v, &r);
        rc = take_report(im, &r, to, err);
    }
    nn_verdict_free(v);
    return rc;
}

static int judge(struct member *m, double *to, struct err *err)
{
    struct importance *im = m->importance;
    struct nn_report r = {0};
    int rc = m->committee ? judge_together(m, to, err)
                          : nn_trainer_judge(m->cohort->trainer, m->place,
                                             judging_rows(m).part, &r, err);
    if (rc > 0)
        return err_set(err, ERR_SYSTEM, "ended while it judged");
    return rc || m->committee ? rc : take_report(im, &r, to, err);
}

/* One order of one group; 1: there are more. */
static int judge_next(struct member *m, struct err *err)
{
    struct importance *im = m->importance;
    if (!im->begun) {
        im->begun = true;
        return judge(m, im->baseline, err) ? -1 : 1;
    }
    size_t all = im->groups.len * im->repeats;
    if (im->at == all)
        return 0;
    size_t group = im->at / im->repeats, repeat = im->at % im->repeats;
    /* The same orders for every group: they differ by their columns alone. */
    lay_all(im, group, repeat + 1);
    int rc = judge(m, im->groups.p[group].values + repeat * im->width, err);
    lay_all(im, group, 0);
    im->at++;
    return rc ? -1 : im->at < all;
}

/* ---- what it comes to -----------------------------------------------------
 */

static struct str value_name(const struct member *m, size_t i)
{
    return i ? nn_model_metric_name(m->model, i - 1) : STR("loss");
}

/* By how much the value changed: mean over the orders, and their spread. */
static struct value *changes(const struct member *m, const struct group *g,
                             size_t i)
{
    const struct importance *im = m->importance;
    struct value *v = value_object(m->arena);
    double sum = 0, squares = 0, n = (double)im->repeats;
    for (size_t k = 0; k < im->repeats; k++)
        sum += g->values[k * im->width + i] - im->baseline[i];
    for (size_t k = 0; k < im->repeats; k++) {
        double off = g->values[k * im->width + i] - im->baseline[i] - sum / n;
        squares += off * off;
    }
    value_set(m->arena, v, STR("mean"), value_double(m->arena, sum / n));
    value_set(m->arena, v, STR("sd"),
              value_double(m->arena, n > 1 ? sqrt(squares / (n - 1)) : NAN));
    return v;
}

static int write_file(struct train *t, struct member *m, struct err *err)
{
    const struct importance *im = m->importance;
    struct arena *a = m->arena;
    struct value *all = value_object(a), *list = value_list(a);
    struct value *baseline = value_object(a);
    struct buf b;
    for (size_t i = 0; i < im->width; i++)
        value_set(a, baseline, value_name(m, i),
                  value_double(a, im->baseline[i]));
    for (size_t k = 0; k < im->groups.len; k++) {
        const struct group *g = &im->groups.p[k];
        struct value *one = value_object(a);
        value_set(a, one, STR("name"), value_string(a, g->name));
        value_set(a, one, STR("columns"),
                  value_int(a, (int64_t)columns_in(&im->tables[0], k)));
        struct value *by = value_object(a);
        for (size_t i = 0; i < im->width; i++)
            value_set(a, by, value_name(m, i), changes(m, g, i));
        value_set(a, one, STR("changes"), by);
        value_list_add(a, list, one);
    }
    value_set(a, all, STR("rows"),
              value_int(a, (int64_t)im->tables[0].part->count));
    value_set(a, all, STR("repeats"), value_int(a, (int64_t)im->repeats));
    value_set(a, all, STR("baseline"), baseline);
    value_set(a, all, STR("columns"), list);
    buf_init(&b);
    json_print(&b, all);
    int rc = file_write(member_file(t, m, "output/importance.json"),
                        buf_str(&b), false, err);
    buf_done(&b);
    return rc;
}

static void turn(struct train *t, size_t at)
{
    member_turn(t, at, judge_next, write_file);
}

KIND(importance) = {.name = "importance",
                    .start = crew_start,
                    .push = crew_push,
                    .answer_ns = CREW_ANSWER_NS,
                    .has_ended = crew_has_ended,
                    .look = crew_look,
                    .forget = crew_forget,
                    .begin = begin,
                    .adapt = committee_adapt,
                    .turn = turn,
                    .end = end};
