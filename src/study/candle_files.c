/* candle_files.c - where the files of a CANDLE model are looked for, and what
 * a study of its programs finds here */
#include <stdlib.h>
#include "candle/candle.h"
#include "study/study.h"

#define PARAMETER_FILE_MAX (16u << 20)

struct finder {
    struct arena *arena;
    const char *model_file;
};

/* A relative path is looked for here, beside the model file and in CANDLE's
 * data folder: the last two are where CANDLE itself looks. */
static const char *find(const struct finder *f, const char *path)
{
    const char *data = getenv("CANDLE_DATA_DIR");
    const char *folders[] = {path_folder(f->arena, f->model_file), data};

    for (size_t i = 0; i < 2 && !file_exists(path) && *path != '/'; i++) {
        if (!folders[i] || !*folders[i])
            continue;
        const char *other = path_join(f->arena, folders[i], path);
        if (file_exists(other))
            return other;
    }
    return path;
}

static int read_found(void *context, const char *path, struct str *text,
                      struct err *err)
{
    const struct finder *f = context;
    struct buf b;
    buf_init(&b);
    int got = file_read(find(f, path), PARAMETER_FILE_MAX, &b, err);
    if (!got)
        *text = arena_str(f->arena, buf_str(&b));
    buf_done(&b);
    return got;
}

struct file_reader candle_files(struct arena *a, const char *model_file)
{
    struct finder *f = arena_new_of(a, struct finder);
    *f = (struct finder){a, model_file};
    return (struct file_reader){.context = f, .read = read_found};
}

/* ---- data ---------------------------------------------------------------- */

/* Where CANDLE itself would have put a file of data; NULL: not there. */
static const char *fetched(struct arena *a, const struct value *params,
                           const char *file)
{
    const char *root = getenv("CANDLE_DATA_DIR");
    struct str model = value_text(value_get(params, STR("model_name")));
    if (!root || !*root || !model.len)
        return NULL;
    const char *path =
        arena_printf(a, "%s/%.*s/Data/%s", root, STRF(model), file);
    return file_exists(path) ? path : NULL;
}

/* What must be done with a file of this ending before it is a table; NULL:
 * nothing. */
static const char *made_a_table(struct str file)
{
    static const char *const ways[][2] = {
        {".tar.gz", "unpack that archive"},
        {".tgz", "unpack that archive"},
        {".tar", "unpack that archive"},
        {".h5", "write that HDF5 file as CSV (pandas.read_hdf, to_csv)"},
        {".hdf5", "write that HDF5 file as CSV (pandas.read_hdf, to_csv)"},
        {".parquet",
         "write that parquet file as CSV (pandas.read_parquet, to_csv)"}};
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        if (str_ends(file, str_of(ways[i][0])))
            return ways[i][1];
    return NULL;
}

static const char *what_to_do(struct arena *a, const struct value *params,
                              const char *keyword, const char *file)
{
    const char *there = fetched(a, params, file);
    const char *way = made_a_table(str_of(file));
    struct str url = value_text(value_get(params, STR("data_url")));
    if (way)
        return arena_printf(a, "%s%.*s%s, and set %s to the table",
                            url.len ? "fetch it from " : "", STRF(url),
                            arena_printf(a, url.len ? ", %s" : "%s", way),
                            keyword);
    if (there)
        return arena_printf(a, "set %s to %s", keyword, there);
    if (url.len)
        return arena_printf(a,
                            "fetch it from %.*s and put it beside the "
                            "parameter file, or set %s",
                            STRF(url), keyword);
    return arena_printf(a, "set %s to a file that is there", keyword);
}

void candle_files_missing(const struct value *model, const struct value *params,
                          const struct str file, const char *folder,
                          struct problems *problems)
{
    static const char *const parts[] = {"file", "validation", "test"};
    static const char *const keywords[] = {"train_data", "val_data",
                                           "test_data"};
    struct arena *a = problems->arena;
    const struct value *data = value_get(model, STR("data"));
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        const struct value *v = value_get(data, str_of(parts[i]));
        const char *keyword = keywords[i];
        if (!v || v->kind != VALUE_STRING)
            continue;
        char *path = arena_cstr(a, v->s);
        if (file_exists(path_join(a, folder, path)))
            continue;
        if (i == 1 && !value_get(params, STR("val_data")))
            keyword = "test_data";
        problems_add(problems, PROBLEM_ERROR, file, v->line, v->column,
                     str_of(what_to_do(a, params, keyword, path)),
                     "%s: there is no file %s", keyword, path);
    }
}

/* ---- its programs ---------------------------------------------------------
 */

/* Every action script is handed this folder, and CANDLE's own library wants
 * it: without it no script on that would start. */
static bool lacks_data_dir(const struct plan *p)
{
    const char *set = getenv("CANDLE_DATA_DIR");
    for (size_t i = 0; i < p->env_count; i++)
        if (str_is(p->env[i].name, "CANDLE_DATA_DIR"))
            return p->env[i].value.len == 0;
    return !set || !*set;
}

void study_protocol_print(struct buf *b, const struct plan *p)
{
    static const char *const styles[] = {
        [STYLE_UNSAID] = "as the command says",
        [STYLE_SCRIPT] = "a script with --key value",
        [STYLE_CONFIG_FILE] = "a script with --config_file",
        [STYLE_ACTION] = "an action script",
        [STYLE_RUNNER] = "a runner",
        [STYLE_IMPORT] = "a benchmark whose run() is called"};
    if (!str_is(p->protocol, "candle"))
        return;
    buf_addf(b, "protocol candle: %s\n", styles[candle_style(p->start)]);
    if (lacks_data_dir(p))
        buf_addf(b,
                 "  - CANDLE_DATA_DIR is not set here, and %s: export it, or "
                 "say\n    env: {CANDLE_DATA_DIR: /folder}\n",
                 candle_style(p->start) == STYLE_ACTION
                     ? "the script is handed it"
                     : "CANDLE's own library wants it (throng's candle takes "
                       "./Data)");
}
