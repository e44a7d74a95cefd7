/* calibrate.c - whether models are as sure as they should be */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/strict_json.h"
#include "cli/inference.h"
#include "ensemble/ensemble.h"

struct asking {
    struct call *call;
    struct inference wanted;
    double alpha;
    struct models models;
    struct opinions said;
    double *numbers; /* of it, where they are of settings; else NULL */
    struct combine_rule rule;
    struct value *figures; /* see opinions_calibrate */
};

/* ---- the verb ---------------------------------------------------------------
 */

static void print_json(struct asking *q)
{
    struct arena *a = q->call->arena;
    struct value *to = value_object(a);
    struct buf b;
    value_set(a, to, STR("schema"), value_string(a, STR("throng.calibrate/1")));
    value_set(a, to, STR("rows"), value_int(a, (int64_t)q->said.rows));
    value_set(a, to, STR("alpha"), value_double(a, q->alpha));
    value_set(a, to, STR("outputs"), q->figures);
    buf_init(&b);
    strict_value(&b, to);
    buf_addc(&b, '\n');
    put(buf_str(&b));
    buf_done(&b);
}

static void print_line(struct table *t, struct str name, const struct value *v)
{
    table_cell(t, "%.*s", STRF(name));
    table_number(t, value_number(v), 6);
    table_row(t);
}

static void print_name(struct table *t, const struct value *output)
{
    struct str name = value_text(value_get(output, STR("name")));
    if (!name.len)
        return;
    table_cell(t, "name");
    table_cell(t, "%.*s", STRF(name));
    table_row(t);
}

/* Name, head and output stand before the figures where there are several. */
static void print_text(struct asking *q)
{
    struct table *t = table_new();
    table_column(t, "figure", false);
    table_column(t, "value", true);
    for (size_t i = 0; i < q->figures->count; i++) {
        const struct value *v = q->figures->items[i];
        const struct value *metrics = value_get(v, STR("metrics"));
        if (q->figures->count > 1)
            print_name(t, v);
        for (size_t k = 0; q->figures->count > 1 && k < 2; k++)
            print_line(t, v->keys[k], v->items[k]);
        for (size_t k = 0; k < metrics->count; k++)
            print_line(t, metrics->keys[k], metrics->items[k]);
    }
    table_print(t, q->call);
    table_free(t);
}

/* Who the members of a stack are folds of. */
static struct settings settings_of(const struct asking *q)
{
    struct arena *a = q->call->arena;
    uint64_t *names = arena_array(a, q->models.count, sizeof(*names));
    for (size_t i = 0; i < q->models.count; i++)
        names[i] = q->models.list[i].setting;
    return settings_named(names, q->models.count, a);
}

/* A stack adds up what settings say, and so all of them must: of a row each
 * says what its folds do that have held it out, as when the stack was fitted.
 */
static int take_settings(struct asking *q)
{
    struct call *c = q->call;
    size_t all = q->said.rows, members = q->models.count;
    struct settings s = settings_of(q);
    struct settings passes =
        settings_samples(&s, members, q->rule.samples, c->arena);
    struct value *stack =
        settings_gather_stack(&s, members, q->models.stack, c->arena);
    double *weights = arena_array(c->arena, s.count, sizeof(*weights));
    struct opinions said;
    if (settings_opinions(&passes, &q->said, &said, &q->numbers, &c->err))
        return -1;
    if (!said.rows)
        return err_set(
            &c->err, ERR_INPUT,
            "of %zu rows none was held out by each of the %zu "
            "settings that are stacked: a stack says nothing where "
            "one of them is missing. Calibrate it by --data FILE, on "
            "rows that none was trained on",
            all, s.count);
    if (said.rows < all)
        say("throng calibrate: %zu rows are left out: not every setting of the "
            "stack has held them out\n",
            all - said.rows);
    settings_gather(&s, members, q->rule.weights, weights);
    q->said = said;
    q->rule.members = s.count;
    q->rule.weights = weights;
    return opinions_take_stack(&q->said, stack, s.count, c->arena, &c->err);
}

static int read_rule(struct asking *q)
{
    struct call *c = q->call;
    double *weights = arena_array(c->arena, q->models.count, sizeof(double));
    size_t samples = q->wanted.samples ? (size_t)q->wanted.samples : 1;
    for (size_t i = 0; i < q->models.count; i++)
        weights[i] = q->models.list[i].weight;
    q->rule = (struct combine_rule){
        .members = q->models.count, .samples = samples, .weights = weights};
    for (size_t i = 0; combine_names[i]; i++)
        if (!strcmp(q->models.combine, combine_names[i]))
            q->rule.how = (enum combine)i;
    if (q->said.members != combine_passes(&q->rule))
        return err_set(&c->err, ERR_CORRUPT, "%zu passes came, not %zu",
                       q->said.members, combine_passes(&q->rule));
    if (q->models.stack && q->said.out_of_fold)
        return take_settings(q);
    return opinions_take_stack(&q->said, q->models.stack, q->models.count,
                               c->arena, &c->err);
}

static void print_reliability(struct asking *q)
{
    static const char *const names[] = {"output", "sure", "right", "rows"};
    struct table *t = table_new();
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        table_column(t, names[i], true);
    for (size_t i = 0; i < q->figures->count; i++) {
        const struct value *list =
            value_get(q->figures->items[i], STR("reliability"));
        struct str name =
            value_text(value_get(q->figures->items[i], STR("name")));
        for (size_t k = 0; list && k < list->count; k++) {
            if (name.len)
                table_cell(t, "%.*s", STRF(name));
            else
                table_cell(t, "%zu", i);
            for (size_t n = 0; n < list->items[k]->count; n++)
                table_number(t, value_number(list->items[k]->items[n]), 4);
            table_row(t);
        }
    }
    table_print(t, q->call);
    table_free(t);
}

static int write_file(struct asking *q)
{
    struct call *c = q->call;
    const char *path = call_option(c, "output");
    struct calibration found = {q->figures, q->alpha, q->said.rows,
                                q->wanted.samples};
    return path ? calibration_write(&found, &q->models, path, c->arena, &c->err)
                : 0;
}

/* Members or weights that were found by the rows which they have held out. */
static bool is_chosen_by_held_out(const struct ensemble *e, struct arena *a)
{
    const char *chosen = arena_cstr(a, e->chosen);
    bool weighed = e->stack != NULL;
    for (size_t i = 1; i < e->count; i++)
        if (e->members[i].weight != e->members[0].weight)
            weighed = true;
    return e->chosen.len && (weighed || strstr(chosen, CHOSEN_GREEDY)) &&
           !strstr(chosen, CHOSEN_BY_DATA);
}

/* Who was chosen by rows looks better on them than it is. */
static void say_same_rows(const struct asking *q)
{
    struct arena *a = q->call->arena;
    struct ensemble e;
    struct str bytes;
    if (!q->models.is_ensemble || q->wanted.data || q->wanted.rows ||
        file_map(q->models.path, &bytes, NULL))
        return;
    if (ensemble_parse(&e, bytes, q->models.path, a, NULL) == 0 &&
        is_chosen_by_held_out(&e, a))
        say("throng calibrate: by such rows %s was chosen or weighed, so that "
            "it looks better on them than it is; --rows test or --data FILE "
            "names "
            "others\n",
            q->call->args[0]);
    file_unmap(bytes);
}

/* What is best lies beyond what is looked for. */
static void say_temperature(const struct asking *q)
{
    for (size_t i = 0; i < q->figures->count; i++) {
        const struct value *metrics =
            value_get(q->figures->items[i], STR("metrics"));
        const struct value *v = value_get(metrics, STR("temperature"));
        double t = v ? value_number(v) : NAN;
        double right =
            v ? value_number(value_get(metrics, STR("accuracy"))) : 0;
        if (t > CALIBRATED_HOTTEST * 0.999)
            say("throng calibrate: the temperature is the highest that is "
                "looked for: the probabilities say nothing of these rows\n");
        if (t < 1 && right >= 1)
            say("throng calibrate: all rows are right, so that the lower the "
                "temperature the better: it is the end of what is looked "
                "for\n");
    }
}

static int calibrate(struct asking *q)
{
    struct call *c = q->call;
    const char *scratch = q->wanted.scratch;
    const char *passes =
        path_join(c->arena, path_join(c->arena, scratch, "1"), "output/passes");
    struct str bytes;
    int code = inference_ask(c, &q->wanted);
    if (code != EXIT_OK)
        return code;
    if (models_open(&q->models, q->wanted.models, scratch, c->arena, &c->err) ||
        file_map(passes, &bytes, &c->err))
        return call_fail(c);
    int rc = opinions_parse(&q->said, bytes, passes, c->arena, &c->err);
    if (!rc)
        rc = read_rule(q);
    if (!rc)
        q->figures = opinions_calibrate(&q->said, &q->rule, q->alpha, c->arena);
    free(q->numbers);
    file_unmap(bytes);
    if (!rc)
        rc = output_spares_models(call_option(c, "output"), &q->models,
                                  c->arena, &c->err);
    if (rc || write_file(q))
        return call_fail(c);
    say_same_rows(q);
    say_temperature(q);
    if (call_flag(c, "json"))
        print_json(q);
    else
        print_text(q);
    if (call_flag(c, "reliability") && !call_flag(c, "json"))
        print_reliability(q);
    return EXIT_OK;
}

/* Which of the model's own. */
static int read_rows(struct asking *q)
{
    static const char *const parts[] = {"validation", "test", NULL};
    struct call *c = q->call;
    q->wanted.rows = call_option(c, "rows");
    if (q->wanted.rows && !str_among(str_of(q->wanted.rows), parts))
        return call_usage(c, "--rows takes validation or test");
    if (q->wanted.rows && q->wanted.data)
        return call_usage(c, "--rows is of the model's own rows, and --data "
                             "names others: take one of them");
    return EXIT_OK;
}

static int run(struct call *c)
{
    struct asking q = {.call = c, .alpha = 0.1};
    const char *alpha = call_option(c, "alpha");
    if (call_int(c, "samples", 0, &q.wanted.samples))
        return call_fail(c);
    if (call_option(c, "samples") && q.wanted.samples < 1)
        return call_usage(c, "--samples takes a number from 1");
    if (alpha &&
        (!num_double(str_of(alpha), &q.alpha) || !(q.alpha > 0 && q.alpha < 1)))
        return call_usage(c, "--alpha takes a number between 0 and 1");
    if (c->arg_count != 1)
        return call_usage(c, "name one file of weights, or one ensemble");
    inference_held_out(c, &q.wanted);
    q.wanted.models = path_absolute(c->arena, c->args[0]);
    int code = read_rows(&q);
    if (code == EXIT_OK)
        code = inference_check_kind(c, c->args[0], "\"throng.calibration/",
                                    "calibration");
    if (code)
        return code;
    q.wanted.scratch = scratch_make("infer", &c->err);
    if (!q.wanted.scratch)
        return call_fail(c);
    code = calibrate(&q);
    scratch_remove(q.wanted.scratch);
    return code;
}

VERB(calibrate) = {
    .name = "calibrate",
    .args = "WEIGHTS|ENSEMBLE",
    .summary = "Say whether models are as sure as they should be",
    .text =
        "Looks at validation rows (test rows where there are none) or at rows\n"
        "of --data that no member was trained on, which weights know by\n"
        "hashes: others are left out. --out-of-fold asks for each row the\n"
        "members that were not trained on it. An ensemble that was chosen or\n"
        "weighed by such rows (--greedy, weighted, stacking) looks better on\n"
        "them than it is: calibrate it on others, by --rows test or by --data; "
        "its own\n"
        "are known there by hashes, too, and left out.\n"
        "\n"
        "Of numbers: interval is the half width of a split-conformal "
        "interval:\n"
        "of new rows that are drawn like these, 1 - alpha at least lie within\n"
        "it. interval_sd is the same as a multiple of the row's own sd.\n"
        "Of several quantiles of one label: between is how many truths lie\n"
        "between the lowest and the highest; widening is by how much both are\n"
        "moved outwards so that 1 - alpha do.\n"
        "coverage is how many truths lie where a normal distribution of that "
        "sd\n"
        "has 1 - alpha; sharpness is the mean sd; nll and crps judge that\n"
        "distribution; rank_correlation is of sd and the size of errors.\n"
        "\n"
        "Of classes: ece is the expected calibration error (15 bins);\n"
        "temperature is what logits are best divided by, and nll_scaled and\n"
        "ece_scaled what comes of it. Classes of a probability of at least\n"
        "threshold make a conformal set, which has the true one with 1 - "
        "alpha\n"
        "at least, and set_size classes in the mean.\n",
    .options =
        (const struct option_spec[]){
            {"alpha", 0, "A", "share of truths that may lie outside: 0.1"},
            {"samples", 0, "N", "ask each model N times, with its dropout"},
            {"output", 'o', "FILE", "also a file, for predict --calibration"},
            {"reliability", 0, NULL,
             "also how often what is said so sure is "
             "right"},
            {"rows", 0, "PART", "of the model's own: validation or test"},
            HELD_OUT_OPTIONS,
            {"json", 0, NULL, "for programs: schema throng.calibrate/1"},
            {0}},
    .run = run,
};
