/* merge_kept.c - what the shards of an inference have kept by rules, as tables
 *
 * A shard leaves in output/kept the columns of its predictions, a state
 * (ensemble.h), and the rows that are listed. States add up to the same
 * whatever their order, and listed rows stand in the order of shards. */
#include <stdio.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "ensemble/ensemble.h"
#include "study/merge.h"
#include "study/shards.h"
#include "study/table_out.h"

#define KEPT_COLUMNS "output/kept/columns"
#define KEPT_STATE "output/kept/state"
#define KEPT_LISTED "output/kept/listed.csv"

struct merge_kept {
    struct arena *arena;
    struct keep_rules *rules;
    struct keep *keep; /* NULL: no shard has said yet what its columns are */
    struct merge_kept_rows rows;
    const char *folder;
    const char **columns; /* that predictions have */
    size_t column_count;
    struct table_out *listed; /* NULL: no rows are */
};

struct merge_kept *merge_kept_open(const struct value *rules,
                                   const struct merge_kept_rows *rows,
                                   const char *folder, struct err *err)
{
    struct merge_kept *k = xcalloc(1, sizeof(*k));
    k->arena = arena_new();
    k->rows = *rows;
    k->folder = arena_cstr(k->arena, str_of(folder));
    k->rules = keep_rules_read(rules, k->arena, err);
    if (k->rules)
        return k;
    merge_kept_close(k);
    return NULL;
}

void merge_kept_close(struct merge_kept *k)
{
    if (!k)
        return;
    table_drop(k->listed);
    keep_free(k->keep);
    arena_free(k->arena);
    free(k);
}

static const char *ending(const struct merge_kept *k)
{
    return k->rows.npy ? "npy" : "csv";
}

static struct table_out *begin_table(const struct merge_kept *k,
                                     const char *name, struct err *err)
{
    const char *file = arena_printf(k->arena, "%s.%s", name, ending(k));
    return table_begin(path_join(k->arena, k->folder, file), k->rows.npy, err);
}

/* ---- a shard --------------------------------------------------------------
 */

/* 1: it is gone. */
static int read_file(struct merge_kept *k, int64_t trial, const char *name,
                     struct buf *to, struct err *err)
{
    struct err why = {0};
    if (packs_read(k->rows.packs, trial, name, to, &why) == 0)
        return 0;
    return why.kind == ERR_MISSING ? 1 : err_set(err, why.kind, "%s", why.text);
}

static int bind(struct merge_kept *k, struct str text, struct err *err)
{
    const struct value *v =
        json_parse(k->arena, text, KEPT_COLUMNS, false, err);
    if (!v)
        return -1;
    if (v->kind != VALUE_LIST)
        return err_set(err, ERR_CORRUPT, KEPT_COLUMNS " is damaged");
    const char **names = arena_array(k->arena, v->count + 1, sizeof(*names));
    for (size_t i = 0; i < v->count; i++)
        names[i] = arena_cstr(k->arena, value_text(v->items[i]));
    k->columns = names;
    k->column_count = v->count;
    if (keep_rules_bind(k->rules, names, v->count, err))
        return -1;
    k->keep = keep_new(k->rules, err);
    return k->keep ? 0 : -1;
}

/* The columns of the first are those of all: a state knows whose it is. */
static int know_columns(struct merge_kept *k, int64_t trial, struct err *err)
{
    struct buf text;
    if (k->keep)
        return 0;
    buf_init(&text);
    int rc = read_file(k, trial, KEPT_COLUMNS, &text, err);
    if (!rc)
        rc = bind(k, buf_str(&text), err);
    buf_done(&text);
    return rc;
}

/* Of a product tables may have had other names where a shard ran. */
static int begin_listed(struct merge_kept *k, struct str names, struct err *err)
{
    struct buf b;
    if (dir_make(k->folder, err))
        return -1;
    buf_init(&b);
    if (k->rows.product) {
        data_product_name(k->rows.product, 0, true, &b);
        for (size_t i = 0; i < k->column_count; i++) {
            buf_addc(&b, ',');
            csv_field(&b, str_of(k->columns[i]), ',');
        }
        buf_addc(&b, '\n');
    } else {
        buf_addstr(&b, names);
    }
    k->listed = begin_table(k, "listed", err);
    int rc = k->listed ? table_add(k->listed, buf_str(&b), err) : -1;
    buf_done(&b);
    return rc;
}

/* Names of columns stand before the first rows. */
static int add_listed(struct merge_kept *k, struct str text, struct err *err)
{
    const char *end = text.len ? memchr(text.p, '\n', text.len) : NULL;
    size_t names = end ? (size_t)(end + 1 - text.p) : text.len;
    if (!k->listed && begin_listed(k, str_n(text.p, names), err))
        return -1;
    return table_add(k->listed, str_n(text.p + names, text.len - names), err);
}

int merge_kept_add(struct merge_kept *k, int64_t trial, struct err *err)
{
    bool lists = keep_rules_list(k->rules);
    struct buf state, listed;
    char who[64];
    buf_init(&state);
    buf_init(&listed);
    snprintf(who, sizeof(who), "trial %lld", (long long)trial);
    int rc = know_columns(k, trial, err);
    if (!rc)
        rc = read_file(k, trial, KEPT_STATE, &state, err);
    if (!rc && lists)
        rc = read_file(k, trial, KEPT_LISTED, &listed, err);
    if (!rc)
        rc = keep_merge(k->keep, buf_str(&state), who, err);
    if (!rc && lists)
        rc = add_listed(k, buf_str(&listed), err);
    buf_done(&state);
    buf_done(&listed);
    return rc;
}

/* ---- tables ---------------------------------------------------------------
 */

static void name_row(void *context, uint64_t row, bool titles, struct buf *b)
{
    const struct merge_kept *k = context;
    struct str file;
    if (k->rows.product) {
        data_product_name(k->rows.product, row, titles, b);
        return;
    }
    uint64_t number = shards_row(k->rows.shards, row, &file);
    if (file.len) {
        csv_field(b, titles ? STR("file") : file, ',');
        buf_addc(b, ',');
    }
    if (titles)
        buf_adds(b, "row");
    else
        buf_addf(b, "%llu", (unsigned long long)number + 1);
}

static int write_table(struct merge_kept *k, size_t rule, const char *name,
                       struct err *err)
{
    struct table_out *f = begin_table(k, name, err);
    struct buf b;
    size_t at = 0;
    bool more = true;
    int rc = f ? 0 : -1;
    buf_init(&b);
    while (!rc && more) {
        buf_reset(&b);
        more = keep_table(k->keep, rule, &at, name_row, k, &b);
        rc = table_add(f, buf_str(&b), err);
    }
    buf_done(&b);
    if (!rc)
        return table_end(f, err);
    table_drop(f);
    return -1;
}

static int end_listed(struct merge_kept *k, struct buf *said, struct err *err)
{
    struct table_out *listed = k->listed;
    k->listed = NULL;
    if (!listed)
        return 0;
    buf_addf(said, "%slisted.%s", said->len ? ", " : "", ending(k));
    return table_end(listed, err);
}

static void say_not_numbers(const struct merge_kept *k, struct buf *said)
{
    for (size_t i = 0; i < keep_rule_count(k->rules); i++) {
        const char *name = keep_rule_table(k->rules, i, k->arena);
        uint64_t rows = keep_not_numbers(k->keep, i);
        if (name && rows)
            buf_addf(said, "; %s: %llu row%s had no number to go by", name,
                     (unsigned long long)rows, rows == 1 ? "" : "s");
    }
}

int merge_kept_end(struct merge_kept *k, struct buf *said, struct err *err)
{
    if (!k->keep) { /* no shard ended well */
        buf_adds(said, "no table");
        return 0;
    }
    if (dir_make(k->folder, err))
        return -1;
    for (size_t i = 0; i < keep_rule_count(k->rules); i++) {
        const char *name = keep_rule_table(k->rules, i, k->arena);
        if (name && write_table(k, i, name, err))
            return -1;
        if (name)
            buf_addf(said, "%s%s.%s", said->len ? ", " : "", name, ending(k));
    }
    if (end_listed(k, said, err))
        return -1;
    buf_addf(said, " in %s", k->folder);
    say_not_numbers(k, said);
    return 0;
}
