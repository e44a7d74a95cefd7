/* predict_study.c - `predict --study`: an inference as a study of shards
 *
 * The words become a study file, which is then run as any other: there is one
 * way to cut rows into shards, and `throng run` goes on with it as well as the
 * same words. What was written here may be replaced as long as no study has
 * been begun with it. */
#include "cli/predict_study.h"

#include <unistd.h>

#include "base/json.h"
#include "base/num.h"
#include "study/study.h"

#define FIRST_LINE "# written by `throng predict --study`\n"
#define FILE_MAX (1u << 20)

struct writing {
    struct call *call;
    struct buf text;
    const char *file, *store; /* of the study */
    bool is_new;              /* the file was not there */
};

/* ---- the file -------------------------------------------------------------
 */

static void add(struct writing *w, const char *key, const struct value *v)
{
    buf_addf(&w->text, "  %s: ", key);
    json_print(&w->text, v);
    buf_addc(&w->text, '\n');
}

/* A number where it is one: rows of a shard, or a time. */
static void add_option(struct writing *w, const char *option, const char *key)
{
    struct arena *a = w->call->arena;
    const char *text = call_option(w->call, option);
    int64_t number;
    if (text)
        add(w, key,
            num_int(str_of(text), &number) ? value_int(a, number)
                                           : value_string(a, str_of(text)));
}

static void add_text(struct writing *w, const char *option)
{
    const char *text = call_option(w->call, option);
    if (text)
        add(w, option, value_string(w->call->arena, str_of(text)));
}

/* A number, where it is one: who reads the file says what it must be. */
static void add_rate(struct writing *w)
{
    struct arena *a = w->call->arena;
    const char *text = call_option(w->call, "permanent-dropout");
    double rate;
    if (text)
        add(w, "permanent_dropout",
            num_double(str_of(text), &rate) ? value_double(a, rate)
                                            : value_string(a, str_of(text)));
}

/* Several --data, and what a shell made of a glob behind one. */
static void add_data(struct writing *w)
{
    struct call *c = w->call;
    struct value *files = value_list(c->arena);
    struct str rest = str_of(call_option(c, "data")), one;
    while (str_split(&rest, '\n', &one))
        value_list_add(c->arena, files, value_string(c->arena, one));
    for (size_t i = 1; i < c->arg_count; i++)
        value_list_add(c->arena, files,
                       value_string(c->arena, str_of(c->args[i])));
    add(w, "data", files);
}

/* As the verb itself takes them: A,B,C. */
static void add_product(struct writing *w)
{
    struct arena *a = w->call->arena;
    struct value *tables = value_list(a);
    struct str rest = str_of(call_option(w->call, "product")), one;
    while (str_split(&rest, ',', &one))
        value_list_add(a, tables, value_string(a, str_trim(one)));
    add(w, "product", tables);
}

static int add_keep(struct writing *w)
{
    struct call *c = w->call;
    const char *said = call_option(c, "keep");
    struct value *v = NULL;
    if (!said)
        return 0;
    v = said[0] == '{'
            ? json_parse(c->arena, str_of(said), "--keep", false, &c->err)
            : value_string(c->arena, str_of(said));
    if (v)
        add(w, "keep", v);
    return v ? 0 : -1;
}

static int make_text(struct writing *w)
{
    struct call *c = w->call;
    const char *device = call_option(c, "device");
    buf_adds(&w->text, FIRST_LINE);
    if (device)
        buf_addf(&w->text, "device: %s\n", device);
    buf_adds(&w->text, "predict:\n");
    add(w, "models", value_string(c->arena, str_of(c->args[0])));
    add_text(w, "weights");
    add_option(w, "label", "label");
    add_text(w, "loss");
    add_rate(w);
    add_option(w, "where", "where");
    add_option(w, "select", "select");
    if (call_option(c, "product"))
        add_product(w);
    else
        add_data(w);
    add_option(w, "samples", "samples");
    add_option(w, "combine", "combine");
    add_text(w, "calibration");
    add_text(w, "novelty");
    add_text(w, "layer");
    add_option(w, "shard", "shard");
    add_option(w, "output", "output");
    add_option(w, "format", "format");
    return add_keep(w);
}

/* The same words go on with the same study. */
static int put_file(struct writing *w)
{
    struct call *c = w->call;
    struct buf there;
    int rc = 0;
    w->is_new = !file_exists(w->file);
    buf_init(&there);
    if (!w->is_new)
        rc = file_read(w->file, FILE_MAX, &there, &c->err);
    bool same = !w->is_new && str_eq(buf_str(&there), buf_str(&w->text));
    bool ours = str_starts(buf_str(&there), STR(FIRST_LINE));
    buf_done(&there);
    if (rc || same)
        return rc;
    if (!w->is_new && (!ours || file_exists(w->store)))
        return err_set(&c->err, ERR_INPUT,
                       "%s is there and says something else; `throng run %s` "
                       "goes on with that, another --study begins anew",
                       w->file, w->file);
    return file_write(w->file, buf_str(&w->text), false, &c->err);
}

/* ---- running it -----------------------------------------------------------
 */

static void pass_on(struct call *to, const struct call *from, const char *name)
{
    for (size_t i = 0; to->verb->options[i].name; i++)
        if (!strcmp(to->verb->options[i].name, name))
            to->values[i] = call_option(from, name);
}

static int run_file(struct writing *w)
{
    static const char *const passed[] = {"engine", "profile", "quiet"};
    const char *args[] = {w->file, NULL};
    struct call *c = w->call;
    struct call run = {.verb = &verb_run,
                       .arena = c->arena,
                       .args = args,
                       .arg_count = 1,
                       .terminal = c->terminal,
                       .colour = c->colour,
                       .columns = c->columns};
    for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
        pass_on(&run, c, passed[i]);
    bool before = file_exists(w->store);
    int code = verb_run.run(&run);
    bool refused = code != EXIT_OK && code != EXIT_FAILED_TRIALS &&
                   code != EXIT_INTERRUPTED;
    /* Nothing came of it: then nobody needs the file. */
    if (w->is_new && (!file_exists(w->store) || (before && refused)))
        unlink(w->file);
    return code;
}

/* What the study file would be refused for, before it is written. */
static int check_format(struct call *c)
{
    const char *format = call_option(c, "format");
    const char *to = call_option(c, "output");
    bool named = to && str_ends(str_of(to), STR(".npy"));
    if (!format)
        return EXIT_OK;
    if (strcmp(format, "npy") != 0 && strcmp(format, "csv") != 0)
        return call_usage(c, "--format is csv or npy, not %s", format);
    if (!strcmp(format, "csv") && named)
        return call_usage(c, "--format is csv, and %s is called .npy", to);
    if (!strcmp(format, "npy") && to && !named && !call_option(c, "keep"))
        return call_usage(c,
                          "--format is npy, and %s is not called so: -o "
                          "%s.npy",
                          to, to);
    return EXIT_OK;
}

static int check_words(struct call *c)
{
    static const char *const unfit[] = {"labels", "pca", "k-means", "rows",
                                        "csv"};
    const char *fault = plan_name_fault(str_of(call_option(c, "study")));
    for (size_t i = 0; i < sizeof(unfit) / sizeof(*unfit); i++)
        if (call_option(c, unfit[i]))
            return call_usage(c, "--%s does not go with --study", unfit[i]);
    if (fault)
        return call_usage(c, "the name `%s` %s", call_option(c, "study"),
                          fault);
    bool product = call_option(c, "product") != NULL;
    if (product && (call_option(c, "data") || c->arg_count > 1))
        return call_usage(c, "rows are those of --data, or of --product");
    if (c->arg_count < 1 || (!product && !call_option(c, "data")))
        return call_usage(c, "name the models, then the rows: throng predict "
                             "MODELS --data new/*.csv --study NAME");
    return check_format(c);
}

int predict_study(struct call *c)
{
    struct writing w = {.call = c};
    const char *name = call_option(c, "study");
    int code = check_words(c);
    if (code)
        return code;
    w.file = arena_printf(c->arena, "%s.yaml", name);
    w.store = arena_printf(c->arena, ".throng/%s/study.db", name);
    buf_init(&w.text);
    if (make_text(&w) || put_file(&w))
        code = call_fail(c);
    else
        code = run_file(&w);
    buf_done(&w.text);
    return code;
}

int predict_without_study(struct call *c)
{
    static const char *const of_study[] = {
        "shard", "combine", "where", "select", "engine", "profile", "format"};
    for (size_t i = 0; i < sizeof(of_study) / sizeof(*of_study); i++)
        if (call_option(c, of_study[i]))
            return call_usage(c,
                              "--%s goes with --study NAME: then shards of "
                              "the rows are its trials",
                              of_study[i]);
    const char *data = call_option(c, "data");
    if (data && (strchr(data, '\n') || c->arg_count > 1))
        return call_usage(c, "several files of --data go with --study NAME");
    return EXIT_OK;
}
