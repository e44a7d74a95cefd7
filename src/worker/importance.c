/* importance.c - tasks that say how much a model needs each column
 *
 * A column that is shuffled over the rows still has its values, and no longer
 * goes with its row: how much worse the model is then is what the column was
 * worth to it. Columns of a group are shuffled together, by one order. A turn
 * judges the rows once. The view's table is replaced by one with numbers of our
 * own, of which one group at a time is out of order. */
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
    VEC(struct column) columns;
    double *values; /* by repeat: loss, then metrics */
};

struct importance {
    const struct data_part *part;
    struct data_table table; /* what the view has meanwhile */
    const struct data_table *own;
    float **numbers; /* by input, rows × columns; NULL: tokens */
    int32_t **tokens;
    VEC(struct group) groups;
    double *baseline;
    size_t width; /* values of one judging */
    size_t at;    /* groups × repeats that are done */
    size_t repeats;
    bool begun; /* the baseline is known */
};

/* ---- groups ---------------------------------------------------------------
 */

static struct group *group_named(struct importance *im, struct member *m,
                                 struct str name)
{
    for (size_t i = 0; i < im->groups.len; i++)
        if (str_eq(im->groups.p[i].name, name))
            return &im->groups.p[i];
    struct group g = {.name = arena_str(m->arena, name)};
    vec_push(&im->groups, g);
    return &vec_last(&im->groups);
}

/* The first of the wanted groups that has the column by its name or pattern;
 * NULL: none of them. */
static const struct str *wanted_group(const struct value *wanted,
                                      const char *column)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct value *names = wanted->items[i];
        for (size_t k = 0; names->kind == VALUE_LIST && k < names->count; k++) {
            struct buf pattern;
            buf_init(&pattern);
            buf_addstr(&pattern, value_text(names->items[k]));
            bool is = str_glob(pattern.p, str_of(column));
            buf_done(&pattern);
            if (is)
                return &wanted->keys[i];
        }
    }
    return NULL;
}

static void add_column(struct importance *im, struct member *m,
                       const struct value *wanted, struct column column)
{
    struct buf name;
    buf_init(&name);
    data_column_name(&name, &m->view, column.input, column.number);
    const struct str *group = wanted ? wanted_group(wanted, name.p) : NULL;
    struct str own = buf_str(&name);
    if (!wanted || group) {
        struct group *g = group_named(im, m, group ? *group : own);
        vec_push(&g->columns, column);
    }
    buf_done(&name);
}

static int make_groups(struct importance *im, struct member *m,
                       const struct value *wanted, struct err *err)
{
    const struct data_table *t = im->own;
    for (size_t i = 0; wanted && i < wanted->count; i++)
        group_named(im, m, wanted->keys[i]);
    for (size_t i = 0; i < t->input_count; i++) {
        const struct data_field *f = &t->inputs[i];
        size_t columns = data_has_numbers(f) ? (size_t)f->columns : 1;
        for (size_t k = 0; k < columns; k++)
            add_column(im, m, wanted, (struct column){i, k});
    }
    for (size_t i = 0; i < im->groups.len; i++)
        if (!im->groups.p[i].columns.len)
            return err_set(err, ERR_INPUT,
                           "the group %.*s has no column: the data has none "
                           "that is called so",
                           STRF(im->groups.p[i].name));
    for (size_t i = 0; i < im->groups.len; i++)
        im->groups.p[i].values =
            xcalloc(im->repeats * im->width + 1, sizeof(double));
    return 0;
}

/* ---- numbers of our own ---------------------------------------------------
 */

static int copy_input(struct importance *im, size_t i, struct data_field *f,
                      struct err *err)
{
    size_t rows = im->own->rows, columns = (size_t)f->columns;
    if (!data_has_numbers(f)) {
        im->tokens[i] = malloc(rows * columns * sizeof(int32_t) + 1);
        if (im->tokens[i])
            memcpy(im->tokens[i], f->categories,
                   rows * columns * sizeof(int32_t));
        f->categories = im->tokens[i];
    } else {
        float *to = im->numbers[i] = malloc(rows * columns * sizeof(float) + 1);
        for (size_t r = 0; to && r < rows; r++)
            for (size_t c = 0; c < columns; c++)
                to[r * columns + c] = data_number(&im->own->inputs[i], r, c);
        f->numbers = to;
        f->pieces = NULL;
    }
    return im->tokens[i] || im->numbers[i]
               ? 0
               : err_set(err, ERR_LIMIT, "no memory for a copy of the inputs");
}

static int copy_table(struct importance *im, struct member *m, struct err *err)
{
    size_t count = im->own->input_count;
    struct data_field *inputs =
        arena_array(m->arena, count + 1, sizeof(*inputs));
    memcpy(inputs, im->own->inputs, count * sizeof(*inputs));
    im->numbers = arena_array(m->arena, count + 1, sizeof(*im->numbers));
    im->tokens = arena_array(m->arena, count + 1, sizeof(*im->tokens));
    im->table = *im->own;
    im->table.inputs = inputs;
    for (size_t i = 0; i < count; i++)
        if (copy_input(im, i, &inputs[i], err))
            return -1;
    return 0;
}

/* Row k of the part gets what another has, by the order of this key; 0: each
 * its own. */
static void lay_out(struct importance *im, const struct group *g, uint64_t key)
{
    const struct data_part *p = im->part;
    for (size_t k = 0; k < p->count; k++) {
        size_t from = key ? (size_t)rng_permute(key, k, p->count) : k;
        for (size_t i = 0; i < g->columns.len; i++) {
            struct column c = g->columns.p[i];
            const struct data_field *f = &im->own->inputs[c.input];
            size_t wide = (size_t)f->columns;
            if (im->numbers[c.input])
                im->numbers[c.input][p->rows[k] * wide + c.number] =
                    data_number(f, p->rows[from], c.number);
            else
                memcpy(im->tokens[c.input] + p->rows[k] * wide,
                       f->categories + p->rows[from] * wide,
                       wide * sizeof(int32_t));
        }
    }
}

/* ---- the task -------------------------------------------------------------
 */

static int64_t option_int(const struct value *options, const char *key,
                          int64_t otherwise)
{
    const struct value *v = value_get(options, str_of(key));
    return v && v->kind == VALUE_INT ? v->i : otherwise;
}

static int begin(struct train *t, struct member *m, struct err *err)
{
    struct importance *im = m->importance = xcalloc(1, sizeof(*im));
    struct value *options =
        json_parse(m->arena, m->task.options, "options", false, err);
    (void)t;
    if (!options ||
        member_load(m, arena_cstr(m->arena, m->task.weights), false, err))
        return -1;
    int64_t repeats = option_int(options, "repeats", REPEATS_DEFAULT);
    im->repeats = repeats < 1             ? 1
                  : repeats > REPEATS_MAX ? REPEATS_MAX
                                          : (size_t)repeats;
    im->part = judging_rows(m).part;
    im->own = m->view.table;
    im->width = 1 + nn_model_metric_count(m->model);
    im->baseline = xcalloc(im->width, sizeof(*im->baseline));
    if (make_groups(im, m, value_get(options, STR("groups")), err) ||
        copy_table(im, m, err))
        return -1;
    m->view.table = &im->table;
    return 0;
}

static void end(struct train *t, struct member *m)
{
    struct importance *im = m->importance;
    (void)t;
    if (!im)
        return;
    if (im->own)
        m->view.table = im->own;
    for (size_t i = 0; im->numbers && i < im->own->input_count; i++) {
        free(im->numbers[i]);
        free(im->tokens[i]);
    }
    for (size_t i = 0; i < im->groups.len; i++) {
        vec_done(&im->groups.p[i].columns);
        free(im->groups.p[i].values);
    }
    vec_done(&im->groups);
    free(im->baseline);
    free(im);
    m->importance = NULL;
}

static int judge(struct member *m, double *to, struct err *err)
{
    struct importance *im = m->importance;
    struct nn_report r = {0};
    int rc = nn_trainer_judge(m->cohort->trainer, m->place, im->part, &r, err);
    if (rc > 0)
        return err_set(err, ERR_SYSTEM, "ended while it judged");
    if (rc)
        return -1;
    if (isnan(r.validation_loss))
        return err_set(err, ERR_INPUT,
                       "the rows have no labels to be judged by");
    to[0] = r.validation_loss;
    memcpy(to + 1, r.metrics, (im->width - 1) * sizeof(*to));
    return 0;
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
    struct group *g = &im->groups.p[im->at / im->repeats];
    size_t repeat = im->at % im->repeats;
    /* The same orders for every group: they differ by their columns alone. */
    lay_out(im, g, repeat + 1);
    int rc = judge(m, g->values + repeat * im->width, err);
    lay_out(im, g, 0);
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
                  value_int(a, (int64_t)g->columns.len));
        struct value *by = value_object(a);
        for (size_t i = 0; i < im->width; i++)
            value_set(a, by, value_name(m, i), changes(m, g, i));
        value_set(a, one, STR("changes"), by);
        value_list_add(a, list, one);
    }
    value_set(a, all, STR("rows"), value_int(a, (int64_t)im->part->count));
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
                    .turn = turn,
                    .end = end};
