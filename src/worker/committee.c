/* committee.c - several models, of which one answers for all
 *
 * The task's own model is the first seat; its options name the others, as JSON:
 *
 *   {"members": [{"model": …, "weights": "/a/b.safetensors", "workdir": "/a"}],
 *    "weights": [0.5, 0.5], "combine": "mean", "samples": 1, "stack": [],
 *    "calibration": [],
 *    "quantiles": [0.05, 0.5, 0.95], "passes": true, "out_of_fold": true,
 *    "ensemble": "/a/b.ensemble"}
 *
 * With `samples` each is asked so many times, with its dropout; with `passes`
 * what each says is kept (passes.c), of rows that no member was trained on, or
 * `out_of_fold` of rows that some were not, with who they are. Of rows that a
 * person has named those that the file `ensemble` was chosen or weighed by are
 * left out, too; which rows
 * were looked at is written beside the passes.
 *
 * Each seat has rows of its own, made of the same files by what was fitted on
 * its training rows; those of one shape are members of one cohort. All are
 * asked for the same rows, a piece at a time, so that what is kept does not
 * grow with the rows. */
#include <stdlib.h>

#include "base/json.h"
#include "ensemble/ensemble.h"
#include "worker/member.h"

#define PASSES_BYTES (4u << 20) /* of one piece, unless a batch has more */
#define WHOLE_MOST 65536        /* rows of a piece, for the sake of batches */

struct committee {
    struct arena *arena; /* of the member that it is of */
    struct member **seats;
    struct data_part *parts; /* by seat: its numbers of the same rows */
    struct combine_rule rule;
    struct combine_head *heads;
    const struct value *stack;                   /* of stacking; NULL: none */
    const struct value *calibration;             /* the same */
    const struct calibrated_output **calibrated; /* of it, by head */
    size_t head_count, wide;
    struct predicted what;
    struct predicted_more *more; /* of it */
    float *passes;               /* by pass: rows × wide */
    double *row;                 /* the passes of one row, of one head */
    double *scratch;
    size_t rows;              /* of a piece */
    uint64_t first;           /* number of the first row among all */
    bool keeps_passes;        /* to choose by */
    const char *ensemble;     /* of the same: its file; NULL: none */
    bool out_of_fold;         /* of those only who was not trained on the row */
    struct held_out held_out; /* of the same: the rows */
};

static const struct value *options_of(const struct member *m, struct err *err)
{
    return m->task.options.len
               ? json_parse(m->arena, m->task.options, "options", false, err)
               : NULL;
}

static int64_t samples_of(const struct value *options)
{
    const struct value *v = value_get(options, STR("samples"));
    return v && v->kind == VALUE_INT && v->i > 0 ? v->i : 0;
}

/* A cohort reads the model again: what was asked for then holds, too. */
int committee_adapt(struct member *m, struct nn_model *model, struct err *err)
{
    struct err ignored = {0};
    if (samples_of(options_of(m, &ignored)))
        m->draws = true;
    if (!m->draws || nn_model_draw_always(model))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%.*s has no dropout: all samples of it would be the same",
                   STRF(m->task.weights));
}

bool committee_wanted(const struct member *m)
{
    struct err ignored = {0};
    const struct value *v = options_of(m, &ignored);
    bool beside = v && v->count == 1 && value_get(v, STR("novelty"));
    return m->task.options.len > 0 && !beside;
}

/* ---- seats --------------------------------------------------------------- */

struct member *member_open_seat(struct train *t, const struct member *first,
                                const struct value *v, bool draws,
                                struct err *err)
{
    struct task task = first->task;
    struct buf text;
    struct member *m = member_new(&task);
    buf_init(&text);
    json_print(&text, value_get(v, STR("model")));
    m->kind = first->kind;
    m->draws = draws;
    m->seated = true;
    m->task.model = arena_str(m->arena, buf_str(&text));
    m->task.weights =
        arena_str(m->arena, value_text(value_get(v, STR("weights"))));
    m->task.workdir =
        arena_str(m->arena, value_text(value_get(v, STR("workdir"))));
    m->task.options = STR("");
    buf_done(&text);
    const char *weights = arena_cstr(m->arena, m->task.weights);
    if (member_open(t, m, err) == 0 && member_load(m, weights, false, err) == 0)
        return m;
    if (!strstr(err->text, weights))
        err_wrap(err, "%s", weights);
    member_close(t, m);
    return NULL;
}

static int open_seats(struct train *t, struct committee *c, struct member *m,
                      const struct value *options, struct err *err)
{
    const struct value *others = value_get(options, STR("members"));
    size_t count = others && others->kind == VALUE_LIST ? others->count : 0;
    c->seats = arena_array(c->arena, count + 1, sizeof(struct member *));
    c->parts = arena_array(c->arena, count + 1, sizeof(*c->parts));
    c->seats[0] = m;
    c->rule.members = 1;
    for (size_t i = 0; i < count; i++) {
        struct member *seat =
            member_open_seat(t, m, others->items[i], m->draws, err);
        if (!seat)
            return -1;
        c->seats[c->rule.members++] = seat;
    }
    return 0;
}

/* ---- do they speak of the same? ------------------------------------------ */

static int check_seats(const struct committee *c, struct err *err)
{
    for (size_t i = 1; i < c->rule.members; i++) {
        const char *why =
            nn_models_differ(c->seats[0]->model, c->seats[0]->view.table,
                             c->seats[i]->model, c->seats[i]->view.table);
        if (why)
            return err_set(err, ERR_INPUT, "%.*s does not go with %.*s: %s",
                           STRF(c->seats[i]->task.weights),
                           STRF(c->seats[0]->task.weights), why);
    }
    return 0;
}

/* ---- rows ---------------------------------------------------------------- */

static bool same_rows(const struct data_part *a, const struct data_part *b)
{
    return a->count == b->count &&
           memcmp(a->rows, b->rows, a->count * sizeof(*a->rows)) == 0;
}

/* Seats that read one set and split it in several ways: the rows that all of
 * them have held out. */
static int share_rows(struct committee *c, struct err *err)
{
    size_t all = c->seats[0]->view.table->rows, count = 0;
    uint32_t *seen = arena_array(c->arena, all + 1, sizeof(*seen));
    uint32_t *rows = arena_array(c->arena, all + 1, sizeof(*rows));
    for (size_t i = 0; i < c->rule.members; i++)
        for (size_t k = 0; k < c->parts[i].count; k++)
            seen[c->parts[i].rows[k]] += 1;
    for (size_t k = 0; k < all; k++)
        if (seen[k] == c->rule.members)
            rows[count++] = (uint32_t)k;
    if (!count)
        return err_set(err, ERR_INPUT,
                       "no row was held out by all members; name rows by "
                       "--data");
    for (size_t i = 0; i < c->rule.members; i++)
        c->parts[i] = (struct data_part){rows, count};
    return 0;
}

/* What is chosen by rows leaves the test rows to whoever judges the choice,
 * and never looks at rows that a member was trained on. */
static int rows_of(const struct committee *c, const struct member *m,
                   struct predicted *what, struct err *err)
{
    const struct data_part *validation = &m->view.validation;
    *what = judging_rows(m);
    if (!c->keeps_passes)
        return 0;
    if (validation->count && !m->task.new_rows && !m->task.rows.len) {
        what->part = validation;
        what->rows = "validation";
    }
    if (what->part != &m->view.train)
        return 0;
    return err_set(
        err, ERR_INPUT,
        "%.*s has held out no rows: those that it was trained on say "
        "nothing of how good it is",
        STRF(m->task.weights));
}

/* A person has said which rows to look at. */
static bool names_rows(const struct member *m)
{
    return m->task.new_rows || m->task.rows.len;
}

static int hold_out(struct committee *c, struct err *err)
{
    struct held_out *h = &c->held_out;
    if (held_out_find(c->seats, c->parts, c->rule.members, c->out_of_fold, h,
                      c->arena, err) ||
        (c->ensemble && names_rows(c->seats[0]) &&
         held_out_unchosen(c->seats[0], c->ensemble, h, c->arena, err)))
        return -1;
    for (size_t i = 0; i < c->rule.members; i++)
        c->parts[i] = h->part;
    return 0;
}

static int find_rows(struct committee *c, struct err *err)
{
    const struct member *first = c->seats[0];
    bool same = true;
    if (rows_of(c, first, &c->what, err))
        return -1;
    for (size_t i = 0; i < c->rule.members; i++) {
        const struct member *m = c->seats[i];
        struct predicted own;
        if (rows_of(c, m, &own, err))
            return -1;
        c->parts[i] = *own.part;
        same &= same_rows(&c->parts[i], &c->parts[0]);
        if (m->task.new_rows ? own.part->count != c->what.part->count
                             : m->source != first->source)
            return err_set(err, ERR_INPUT,
                           "%.*s was trained on other data than %.*s; name "
                           "rows by --data",
                           STRF(m->task.weights), STRF(first->task.weights));
    }
    if (c->keeps_passes ? hold_out(c, err) : !same && share_rows(c, err))
        return -1;
    c->what.part = &c->parts[0];
    return 0;
}

/* ---- how they are made one ----------------------------------------------- */

static int read_rule(struct committee *c, const struct value *options,
                     struct err *err)
{
    const struct value *weights = value_get(options, STR("weights"));
    const struct value *quantiles = value_get(options, STR("quantiles"));
    struct str how = value_text(value_get(options, STR("combine")));
    struct combine_rule *r = &c->rule;
    double *numbers = arena_array(c->arena, r->members, sizeof(*numbers));
    size_t count = quantiles ? quantiles->count : 0;
    double *points = arena_array(c->arena, count + 1, sizeof(*points));
    r->samples = samples_of(options) ? (size_t)samples_of(options) : 1;
    for (size_t i = 0; combine_names[i]; i++)
        if (str_is(how, combine_names[i]))
            r->how = (enum combine)i;
    for (size_t i = 0; i < r->members; i++) {
        const struct value *one = value_at(weights, i);
        numbers[i] = one ? value_number(one) : 1 / (double)r->members;
        if (!(numbers[i] >= 0))
            return err_set(err, ERR_INPUT, "weights must be numbers from 0");
    }
    for (size_t i = 0; i < count; i++)
        points[i] = value_number(quantiles->items[i]);
    r->weights = numbers;
    r->quantiles = points;
    r->quantile_count = count;
    return 0;
}

static void name_columns(struct committee *c, size_t head)
{
    size_t count;
    const char **names = combine_names_of(&c->rule, &c->heads[head],
                                          c->calibration, &count, c->arena);
    c->more[head] = (struct predicted_more){.names = names, .count = count};
}

/* Stacking is of the outputs that it was fitted on. */
static int take_stack(struct committee *c, struct err *err)
{
    for (size_t i = 0; c->stack && i < c->head_count; i++) {
        struct combine_head *h = &c->heads[i];
        h->stack = combine_stack_read(c->stack, i, combine_told(h),
                                      c->rule.members, c->arena);
        if (!h->stack)
            return err_set(err, ERR_INPUT,
                           "its stack is not of as many outputs and members as "
                           "there are");
    }
    return 0;
}

static int take_calibration(struct committee *c, struct err *err)
{
    c->calibrated =
        arena_array(c->arena, c->head_count + 1, sizeof(*c->calibrated));
    for (size_t i = 0; c->calibration && i < c->head_count; i++) {
        c->calibrated[i] =
            calibrated_read(c->calibration, i, &c->heads[i], c->arena);
        if (!c->calibrated[i])
            return err_set(err, ERR_INPUT,
                           "its calibration is not of the outputs that it has");
    }
    return 0;
}

static int make_heads(struct committee *c, struct err *err)
{
    const struct nn_model *m = c->what.model;
    bool classes = false;
    c->head_count = nn_model_head_count(m);
    c->wide = (size_t)nn_model_outputs(m);
    c->heads = arena_array(c->arena, c->head_count + 1, sizeof(*c->heads));
    c->more = arena_array(c->arena, c->head_count + 1, sizeof(*c->more));
    c->what.more = c->more;
    c->what.exact = true;
    for (size_t i = 0; i < c->head_count; i++) {
        struct nn_head_facts h = nn_model_head(m, i);
        c->heads[i] =
            (struct combine_head){.width = h.width,
                                  .classes = h.classes,
                                  .each = h.each,
                                  .spreads = h.spreads,
                                  .repeats = nn_head_repeats(&h, c->what.table),
                                  .bound = nn_head_bound(m, i)};
        classes = classes || h.classes;
        c->heads[i].names = (struct combine_head_names){
            .prefix = nn_head_prefix(m, i, c->arena),
            .outputs = nn_output_names(m, i, c->what.table, c->arena),
            .columns = nn_column_names(m, i, c->what.table, c->arena)};
        if (!c->keeps_passes)
            name_columns(c, i);
    }
    if (!c->keeps_passes)
        c->more[c->head_count] = unlike_columns(c->seats[0]);
    else
        c->more[c->head_count].count =
            combine_passes(&c->rule) * (c->wide + c->out_of_fold);
    return combine_check(c->rule.how, classes, err);
}

/* Rows that are whole batches of all seats, where that is not too many. */
static size_t whole_batches(const struct committee *c, size_t rows)
{
    size_t all = 1;
    for (size_t i = 0; i < c->rule.members; i++) {
        size_t batch = nn_trainer_ask_rows(c->seats[i]->cohort->trainer);
        if (all % batch)
            all = batch % all ? all * batch : batch;
        if (all > WHOLE_MOST)
            all = batch;
    }
    return rows < all ? all : rows / all * all;
}

static int make_room(struct committee *c, struct err *err)
{
    size_t passes = combine_passes(&c->rule), line = passes * c->wide;
    c->rows = whole_batches(c, PASSES_BYTES / sizeof(float) / (line + 1));
    c->passes = calloc(c->rows * line + 1, sizeof(*c->passes));
    c->row = calloc(line + 1, sizeof(*c->row));
    c->scratch = calloc(passes + 1, sizeof(*c->scratch));
    if (c->passes && c->row && c->scratch)
        return 0;
    return err_set(err, ERR_LIMIT, "no memory for %zu predictions of %zu rows",
                   passes, c->rows);
}

static bool is_asked(const struct value *options, const char *key)
{
    const struct value *v = value_get(options, str_of(key));
    return v && v->kind == VALUE_BOOL && v->boolean;
}

static const char *path_of(const struct committee *c,
                           const struct value *options)
{
    struct str path = value_text(value_get(options, STR("ensemble")));
    return path.len ? arena_cstr(c->arena, path) : NULL;
}

/* Such as "a member was trained", "on". */
static void say_left_out(struct train *t, struct committee *c, struct member *m,
                         size_t left, const char *what, const char *by)
{
    const char *them = left == 1 ? "it" : "them";
    if (left)
        member_say(t, m, RECORD_NOTICE,
                   str_of(arena_printf(c->arena,
                                       "%zu row%s left out: %s %s %s, or %s "
                                       "rows that equal %s",
                                       left, left == 1 ? " is" : "s are", what,
                                       by, them, by, them)));
}

/* Which rows are looked at, for whoever chooses by them. */
static int write_rows(struct train *t, const struct committee *c,
                      struct member *m, struct err *err)
{
    struct data_view looked = {.train = c->held_out.part};
    struct buf b;
    buf_init(&b);
    data_trained_print(&b, m->source->set, &looked, STR(""));
    int rc =
        file_write(member_file(t, m, "output/rows"), buf_str(&b), false, err);
    buf_done(&b);
    return rc;
}

static int make(struct train *t, struct committee *c, struct member *m,
                struct err *err)
{
    const struct value *options = options_of(m, err);
    c->keeps_passes = is_asked(options, "passes");
    c->out_of_fold = is_asked(options, "out_of_fold");
    c->ensemble = path_of(c, options);
    c->stack = value_get(options, STR("stack"));
    c->calibration = value_get(options, STR("calibration"));
    if (!options || open_seats(t, c, m, options, err) || check_seats(c, err) ||
        (!c->keeps_passes &&
         held_out_judge(t, c->seats, c->rule.members, err)) ||
        find_rows(c, err) || read_rule(c, options, err))
        return -1;
    say_left_out(t, c, m, c->held_out.left_out, "a member was trained", "on");
    say_left_out(t, c, m, c->held_out.chosen_by,
                 "the ensemble was chosen or weighed", "by");
    return (c->keeps_passes && write_rows(t, c, m, err)) ||
                   make_heads(c, err) || take_stack(c, err) ||
                   take_calibration(c, err)
               ? -1
               : make_room(c, err);
}

struct committee *committee_open(struct train *t, struct member *m,
                                 struct err *err)
{
    struct committee *c = xcalloc(1, sizeof(*c));
    c->arena = m->arena;
    c->first = m->task.shard.row;
    if (make(t, c, m, err) == 0)
        return c;
    committee_close(t, c);
    return NULL;
}

void committee_close(struct train *t, struct committee *c)
{
    if (!c)
        return;
    for (size_t i = 1; i < c->rule.members; i++)
        member_close(t, c->seats[i]);
    free(c->passes);
    free(c->row);
    free(c->scratch);
    free(c);
}

struct predicted committee_rows(const struct committee *c)
{
    return c->what;
}

const char **committee_columns(const struct committee *c, size_t *count)
{
    struct keep_more more = {.calibrated = c->calibration,
                             .scored = c->more[c->head_count].count,
                             .product = c->seats[0]->product};
    return keep_columns(&c->rule, c->heads, c->head_count, more, count,
                        c->arena);
}

size_t committee_seats(const struct committee *c)
{
    return c->rule.members;
}

struct member *committee_seat(const struct committee *c, size_t i,
                              const struct data_part **part)
{
    *part = &c->parts[i];
    return c->seats[i];
}

size_t committee_passes(const struct committee *c)
{
    return combine_passes(&c->rule);
}

size_t committee_piece(const struct committee *c)
{
    return c->rows;
}

void committee_move(struct committee *c, uint64_t first, size_t count)
{
    c->first = first;
    for (size_t i = 0; i < c->rule.members; i++)
        data_product_move(c->seats[i]->product, first, count);
}

/* ---- asking -------------------------------------------------------------- */

/* Seats from `at` on that are of one cohort are asked together; returns how
 * many they are. */
static size_t seats_together(const struct committee *c, size_t at)
{
    size_t end = at;
    while (end < c->rule.members &&
           c->seats[end]->cohort == c->seats[at]->cohort)
        end++;
    return end - at;
}

static int ask_seats(struct committee *c, size_t at, size_t seats, size_t from,
                     size_t count, struct err *err)
{
    int *places = xcalloc(seats, sizeof(*places));
    const struct data_part **parts = xcalloc(seats, sizeof(*parts));
    for (size_t i = 0; i < seats; i++) {
        places[i] = c->seats[at + i]->place;
        parts[i] = &c->parts[at + i];
    }
    struct nn_question q = {.members = places,
                            .parts = parts,
                            .count = seats,
                            .from = from,
                            .rows = count,
                            .first = c->first,
                            .samples = c->rule.samples,
                            .outputs = c->passes +
                                       at * c->rule.samples * c->rows * c->wide,
                            .room = c->rows};
    int rc = nn_trainer_ask(c->seats[at]->cohort->trainer, &q, err);
    free(places);
    free(parts);
    return rc;
}

/* What is said of one row by a head, with what a calibration has found. */
static void calibrate_row(struct committee *c, size_t head, double *outputs,
                          double *more)
{
    const struct combine_head *h = &c->heads[head];
    const struct calibrated_output *found = c->calibrated[head];
    size_t columns = combine_columns(&c->rule, h);
    calibrated_apply(h, found, more, columns / combine_told(h), outputs,
                     more + columns);
    calibrated_sureness(&c->rule, h, found, outputs, c->row, c->scratch, more);
}

/* The passes of one row become what is said of it. */
static void combine_row(struct committee *c, size_t row, double *outputs,
                        double *more)
{
    size_t passes = combine_passes(&c->rule), at = 0;
    for (size_t i = 0; i < c->head_count; i++) {
        const struct combine_head *h = &c->heads[i];
        for (size_t p = 0; p < passes; p++)
            for (size_t k = 0; k < h->width; k++)
                c->row[p * h->width + k] =
                    (double)c->passes[(p * c->rows + row) * c->wide + at + k];
        combine_outputs(&c->rule, h, c->row, c->scratch, outputs + at);
        at += h->width;
        if (c->keeps_passes || !c->more[i].count)
            continue;
        combine_sureness(&c->rule, h, c->row, c->scratch, more);
        if (c->calibration)
            calibrate_row(c, i, outputs + at - h->width, more);
        more += c->more[i].count;
    }
}

/* Of each pass 1 where its member may speak of the row, else 0. */
static double *keep_who(const struct committee *c, uint32_t row, double *to)
{
    const struct held_out *h = &c->held_out;
    for (size_t p = 0; h->may && p < combine_passes(&c->rule); p++)
        *to++ = h->may[p / c->rule.samples * h->rows + row];
    return to;
}

static void keep_passes(const struct committee *c, size_t row, double *to)
{
    for (size_t p = 0; p < combine_passes(&c->rule); p++)
        for (size_t k = 0; k < c->wide; k++)
            *to++ = (double)c->passes[(p * c->rows + row) * c->wide + k];
}

bool committee_keeps_passes(const struct committee *c, bool *out_of_fold)
{
    *out_of_fold = c->out_of_fold;
    return c->keeps_passes;
}

int committee_ask(struct committee *c, size_t from, size_t count,
                  double *outputs, double *more, struct err *err)
{
    size_t some = predicted_more_count(&c->what);
    int rc = 0;
    for (size_t i = 0, seats; !rc && i < c->rule.members; i += seats) {
        seats = seats_together(c, i);
        rc = ask_seats(c, i, seats, from, count, err);
    }
    for (size_t r = 0; !rc && r < count; r++) {
        combine_row(c, r, outputs + r * c->wide, more + r * some);
        if (c->keeps_passes)
            keep_passes(
                c, r,
                keep_who(c, c->what.part->rows[from + r], more + r * some));
    }
    return rc;
}
