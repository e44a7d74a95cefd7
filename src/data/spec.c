/* spec.c - the keys of a model file's `data:` */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "data/set.h"
#include "terms/target.h"
#include "terms/wanted.h"

static const char *const keys[] = {
    "file",       "inputs",     "labels",  "label",    "header",   "separator",
    "skip",       "ignore",     "one_hot", "missing",  "text",     "train",
    "classes",    "validation", "test",    "fold",     "stratify", "group",
    "weight",     "bootstrap",  "rows",    "columns",  "shuffle",  "scale",
    "split_seed", "draw_seed",  "join",    "outliers", "targets",  "parts",
    NULL};

/* Those that change what is read from files. */
static const char *const reading_keys[] = {
    "file",      "inputs", "labels", "label",   "header",
    "separator", "skip",   "ignore", "one_hot", "missing",
    "classes",   "group",  "weight", "join",    NULL};

static const char *const part_keys[] = {"file", "inputs", "labels", "group",
                                        NULL};
static const char *const text_keys[] = {"column",    "lower",  "vocabulary",
                                        "min_count", "length", "bucket",
                                        "vectors",   "cut",    NULL};

int data_unknown_key(const char *where, struct str key,
                     const char *const *known, struct err *err)
{
    if (str_among(key, known))
        return 0;
    const char *near = str_nearest(key, known);
    return err_set_at(err, where, ": there is no key %.*s%s%s%s", STRF(key),
                      near ? "; did you mean " : "", near ? near : "",
                      near ? "?" : "");
}

const struct value *data_said(const struct value *o, const char *at)
{
    const char *dot = strrchr(at, '.');
    return value_get(o, str_of(dot ? dot + 1 : at));
}

int data_read_int(const struct value *o, const char *at, int64_t min,
                  int64_t max, int64_t *out, struct err *err)
{
    const struct value *v = data_said(o, at);
    struct err why;
    return !v || want_int(v, min, max, out, &why)
               ? 0
               : err_set_at(err, at, " %s", why.text);
}

int data_read_bool(const struct value *o, const char *at, bool *out,
                   struct err *err)
{
    const struct value *v = data_said(o, at);
    struct err why;
    return !v || want_bool(v, out, &why) ? 0
                                         : err_set_at(err, at, " %s", why.text);
}

static int check_keys(const char *where, const struct value *v,
                      const char *const *known, struct err *err)
{
    for (size_t i = 0; v && v->kind == VALUE_OBJECT && i < v->count; i++)
        if (data_unknown_key(where, v->keys[i], known, err))
            return -1;
    return 0;
}

static const char *const parts[] = {"data.train", "data.validation",
                                    "data.test"};

static bool is_files(const struct value *v)
{
    return v && (v->kind == VALUE_STRING || v->kind == VALUE_OBJECT);
}

/* `label: inputs` and `labels: inputs` are the input itself. */
bool data_spec_labels_are_inputs(const struct value *spec)
{
    const struct value *train = value_get(spec, STR("train"));
    return str_is(value_text(value_get(spec, STR("label"))), "inputs") ||
           str_is(value_text(value_get(spec, STR("labels"))), "inputs") ||
           str_is(value_text(value_get(train, STR("labels"))), "inputs");
}

bool data_spec_is_pair(const struct value *spec)
{
    return value_get(spec, STR("inputs")) ||
           value_get(value_get(spec, STR("train")), STR("inputs"));
}

/* Keys of files of their own that stand with a table. */
static int check_table(const struct value *spec, struct err *err)
{
    bool labels = value_get(spec, STR("labels"));
    for (size_t i = 0; i < PARTS; i++) {
        const struct value *part = data_said(spec, parts[i]);
        char at[32];
        snprintf(at, sizeof at, "%s.group", parts[i]);
        labels |= value_get(part, STR("labels")) != NULL;
        if (value_get(part, STR("group")))
            return err_set_at(err, at,
                              ": the group of a table is a column of "
                              "all parts: say data.group");
    }
    if (labels)
        return err_set_at(err, "data.labels",
                          " goes with inputs: the label of a table is "
                          "one of its columns; say label");
    return 0;
}

/* Keys of a table that stand with files of their own. */
static int check_pair(const struct value *spec, bool in_parts, struct err *err)
{
    static const char *const of_tables[] = {"data.ignore", "data.one_hot",
                                            "data.weight", "data.join"};
    const struct value *label = value_get(spec, STR("label"));
    const struct value *labels = value_get(spec, STR("labels"));
    bool word = str_is(value_text(label), "inputs") ||
                str_is(value_text(label), "none");
    for (size_t i = 0; i < sizeof(of_tables) / sizeof(*of_tables); i++)
        if (data_said(spec, of_tables[i]))
            return err_set_at(err, of_tables[i],
                              " names columns of a table, which `inputs` are "
                              "not; say a file instead");
    if (label && (!word || labels))
        return err_set_at(err, "data.label",
                          " is a column of a table; with inputs say "
                          "labels: FILE, or labels: inputs for what is to be "
                          "learnt from itself");
    if (in_parts && labels && !str_is(value_text(labels), "inputs"))
        return err_set_at(err, "data.labels",
                          " beside train: each part has its own; say "
                          "train: {inputs: …, labels: …}");
    if (in_parts && value_get(spec, STR("group")))
        return err_set_at(err, "data.group",
                          " beside train: each part has its own; say "
                          "train: {inputs: …, group: …}");
    return 0;
}

/* What would be passed over in silence, because another key says it. */
static int check_together(const struct value *spec, struct err *err)
{
    const struct value *train = value_get(spec, STR("train"));
    const struct value *file = value_get(spec, STR("file"));
    const struct value *inputs = value_get(spec, STR("inputs"));
    if (train && !is_files(train))
        return err_set_at(err, "data.train",
                          " must be a file, or {inputs: …, labels: …}; "
                          "fractions of the rows are said for validation and "
                          "test");
    if (train && (file || inputs))
        return err_set_at(err, "data",
                          ": `%s` and `train` both say what to train on; "
                          "leave one out",
                          file ? "file" : "inputs");
    if (file && inputs)
        return err_set_at(err, "data",
                          ": say a `file`, or `inputs` and `labels`, not "
                          "both");
    if (data_spec_is_pair(spec))
        return check_pair(spec, train, err);
    return file || train ? check_table(spec, err) : 0;
}

/* Is named as the data of training is. */
static bool is_like_training(const struct value *spec,
                             const struct value *files)
{
    bool own = data_spec_labels_are_inputs(spec);
    if (!data_spec_is_pair(spec))
        return value_text(files).len || value_get(files, STR("file"));
    return value_get(files, STR("inputs"))
               ? own || value_get(files, STR("labels"))
               : own && value_text(files).len;
}

static int check_target(const struct value *spec, const struct target *t,
                        struct err *err)
{
    static const char *const of_target[] = {"file", "inputs", "labels", NULL};
    if (!t->name.len || str_find(t->name, '/') >= 0)
        return err_set_at(err, "data.targets",
                          ": metrics cannot be called by \"%.*s\"; a name has "
                          "no slash",
                          STRF(t->name));
    if (check_keys("data.targets", t->files, of_target, err))
        return -1;
    if (is_like_training(spec, t->files))
        return 0;
    return data_spec_is_pair(spec)
               ? err_set_at(err, "data.targets",
                            ": the data is of inputs and labels, and so must "
                            "%.*s be: {NAME: {inputs: FILE, labels: FILE}}",
                            STRF(t->name))
               : err_set_at(err, "data.targets",
                            ": the data is a table, and so must %.*s be: "
                            "a list of files, such as [b.csv, c.csv]",
                            STRF(t->name));
}

/* Other data on which a model is judged. */
static int check_targets(const struct value *spec, struct err *err)
{
    const struct value *targets = value_get(spec, STR("targets"));
    struct target t, other;
    if (!targets)
        return 0;
    if (!target_at(targets, 0, &t))
        return err_set_at(err, "data.targets",
                          " must be a list of files, such as [b.csv, c.csv], "
                          "or names with files, such as {b: b.csv}");
    for (size_t i = 0; target_at(targets, i, &t); i++) {
        if (check_target(spec, &t, err))
            return -1;
        for (size_t k = 0; k < i && target_at(targets, k, &other); k++)
            if (str_eq(t.name, other.name))
                return err_set_at(err, "data.targets",
                                  ": two of them would have metrics called "
                                  "%.*s/…; give them names: {NAME: FILE}",
                                  STRF(t.name));
    }
    return 0;
}

int data_spec_check(const struct value *spec, struct err *err)
{
    if (!spec || spec->kind != VALUE_OBJECT)
        return err_set_at(err, "data",
                          " must have keys such as file and label");
    if (check_keys("data", spec, keys, err))
        return -1;
    for (size_t i = 0; i < PARTS; i++)
        if (check_keys(parts[i], data_said(spec, parts[i]), part_keys, err))
            return -1;
    return check_keys("data.text", value_get(spec, STR("text")), text_keys,
                      err) ||
                   check_together(spec, err) || check_targets(spec, err)
               ? -1
               : 0;
}

static void copy_keys(struct arena *a, struct value *to,
                      const struct value *from, const char *const *wanted)
{
    for (size_t i = 0; wanted[i]; i++) {
        const struct value *v = value_get(from, str_of(wanted[i]));
        if (v)
            value_set(a, to, str_of(wanted[i]), value_copy(a, v));
    }
}

void data_spec_print_reading(struct buf *b, const struct value *spec)
{
    static const char *const text[] = {"column", "lower", "vectors", NULL};
    struct arena *a = arena_new();
    struct value *to = value_object(a);
    const struct value *v = value_get(spec, STR("text"));
    copy_keys(a, to, spec, reading_keys);
    for (size_t i = 0; i < PARTS; i++) {
        const struct value *part = data_said(spec, parts[i]);
        if (part && !value_is_number(part))
            value_set(a, to, str_of(parts[i] + 5), value_copy(a, part));
    }
    if (v && v->kind == VALUE_OBJECT) {
        struct value *some = value_object(a);
        copy_keys(a, some, v, text);
        value_set(a, to, STR("text"), some);
    } else if (v) {
        value_set(a, to, STR("text"), value_copy(a, v));
    }
    json_print_sorted(b, to);
    arena_free(a);
}

uint64_t data_reading_key(const struct value *spec)
{
    struct buf b;
    buf_init(&b);
    data_spec_print_reading(&b, spec);
    uint64_t key = hash64(buf_str(&b), 0);
    buf_done(&b);
    return key;
}

static bool has_word(const struct value *v, struct str word)
{
    if (!v || v->kind == VALUE_STRING)
        return v && str_eq(v->s, word);
    for (size_t i = 0;
         (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT) && i < v->count;
         i++)
        if (has_word(v->items[i], word))
            return true;
    return false;
}

bool data_spec_names(const struct value *spec, struct str word)
{
    static const char *const places[] = {"label", "ignore", "one_hot", "weight",
                                         "group"};
    const struct value *text = value_get(spec, STR("text"));
    if (value_get(value_get(spec, STR("join")), word))
        return true;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        if (has_word(value_get(spec, str_of(places[i])), word))
            return true;
    return has_word(text && text->kind == VALUE_OBJECT
                        ? value_get(text, STR("column"))
                        : text,
                    word);
}

int data_spec_style(const struct value *spec, struct table_style *style,
                    struct err *err)
{
    bool header = false;
    int64_t skip = 0;
    const struct value *separator = value_get(spec, STR("separator"));
    struct str mark = value_text(separator);
    *style = (struct table_style){.header = -1, .spec = spec};
    if (data_read_bool(spec, "data.header", &header, err) ||
        data_read_int(spec, "data.skip", 0, INT64_MAX, &skip, err))
        return -1;
    if (value_get(spec, STR("header")))
        style->header = header;
    style->skip = (size_t)skip;
    if (str_is(mark, "tab"))
        mark = STR("\t");
    if (separator && (mark.len != 1 || mark.p[0] == '"' || mark.p[0] == '\n'))
        return err_set_at(err, "data.separator",
                          " must be one character, or tab");
    if (separator)
        style->separator = mark.p[0];
    return 0;
}

int data_spec_missing(const struct value *spec, enum missing *how,
                      struct err *err)
{
    const struct value *v = value_get(spec, STR("missing"));
    struct str text = value_text(v);
    *how = MISSING_ERROR;
    if (!v || str_is(text, "error"))
        return 0;
    if (str_is(text, "mean"))
        *how = MISSING_MEAN;
    else if (str_is(text, "drop"))
        *how = MISSING_DROP;
    else if (value_is_number(v) && value_number(v) == 0)
        *how = MISSING_ZERO;
    else
        return err_set_at(err, "data.missing",
                          " must be error, mean, drop or 0");
    return 0;
}

int data_spec_text(const struct value *spec, struct data_text_style *t,
                   struct err *err)
{
    const struct value *v = value_get(spec, STR("text"));
    struct str cut = value_text(value_get(v, STR("cut")));
    *t = (struct data_text_style){.lower = true, .min_count = 1};
    if (!v)
        return 0;
    t->column = v->kind == VALUE_OBJECT ? value_get(v, STR("column")) : v;
    if (v->kind == VALUE_BOOL)
        t->column = NULL;
    if (cut.len && !str_is(cut, "start") && !str_is(cut, "end"))
        return err_set_at(err, "data.text.cut",
                          " must be start or end: what a text that "
                          "is too long loses");
    t->keep_end = str_is(cut, "start");
    t->vectors = value_text(value_get(v, STR("vectors")));
    const struct {
        const char *at;
        int64_t least, *to;
    } counts[] = {{"data.text.vocabulary", 3, &t->vocabulary},
                  {"data.text.min_count", 1, &t->min_count},
                  {"data.text.length", 1, &t->length},
                  {"data.text.bucket", 1, &t->bucket}};
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
        if (data_read_int(v, counts[i].at, counts[i].least, INT64_MAX,
                          counts[i].to, err))
            return -1;
    return data_read_bool(v, "data.text.lower", &t->lower, err) ? -1 : 1;
}
