/* campaign_record.c - what a campaign remembers of a stage
 *
 * A record is an object: state, why, started, ended; `study`, what was run;
 * `files`, `values` and `rows`, what it read; `inputs`, what its file named to
 * be read; `outputs`, what it wrote; `left`, trials that had not ended when it
 * had; `over`, when its process ended; and `key`, a hash of all that decides
 * its results. One that was blocked or skipped since it has run keeps all this,
 * and `ran`, the state before. */
#include <stdio.h>
#include "base/hash.h"
#include "base/json.h"
#include "study/campaign.h"

static const char *const names[STAGE_STATES] = {
    [STAGE_WAITS] = "waiting",     [STAGE_RUNS] = "running",
    [STAGE_DONE] = "done",         [STAGE_FAILED] = "failed",
    [STAGE_SKIPPED] = "skipped",   [STAGE_BLOCKED] = "blocked",
    [STAGE_ENDED] = "interrupted",
};

const char *stage_state_name(enum stage_state state)
{
    return names[state];
}

struct str record_text(const struct value *record, const char *key)
{
    return value_text(value_get(record, str_of(key)));
}

static enum stage_state state_of(struct str name)
{
    for (int i = 0; i < STAGE_STATES; i++)
        if (str_is(name, names[i]))
            return (enum stage_state)i;
    return STAGE_WAITS;
}

enum stage_state record_state(const struct value *record)
{
    return state_of(record_text(record, "state"));
}

enum stage_state record_ran(const struct value *record)
{
    enum stage_state state = record_state(record);
    bool hindered = state == STAGE_BLOCKED || state == STAGE_SKIPPED;
    return hindered ? state_of(record_text(record, "ran")) : state;
}

static char *fact_of(struct str stage, struct arena *a)
{
    return arena_printf(a, "stage:%.*s", STRF(stage));
}

int record_read(struct store *store, struct str stage, struct arena *a,
                struct value **record, struct err *err)
{
    struct str text;
    if (store_fact(store, fact_of(stage, a), a, &text, err))
        return -1;
    *record = text.len ? json_parse(a, text, "stage", true, NULL) : NULL;
    return 0;
}

bool campaign_cut_off(const char *folder, struct str stage)
{
    struct store *store = store_open(folder, false, NULL);
    struct arena *a = arena_new();
    struct value *record = NULL;
    bool cut = false;
    if (store && record_read(store, stage, a, &record, NULL) == 0 && record) {
        enum stage_state state = record_state(record);
        cut = state != STAGE_DONE && state != STAGE_SKIPPED;
    }
    store_close(store);
    arena_free(a);
    return cut;
}

int record_write(struct campaign *c, struct stage *s, struct err *err)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, s->record);
    int rc = store_begin(c->store, err);
    if (!rc)
        rc = store_fact_set(c->store, fact_of(s->plan->name, c->arena),
                            buf_str(&b), err);
    if (!rc)
        rc = store_commit(c->store, err);
    if (rc)
        store_rollback(c->store);
    buf_done(&b);
    return rc;
}

int record_end(struct campaign *c, struct stage *s, enum stage_state state,
               const char *why, struct err *err)
{
    struct arena *a = c->arena;
    if (!s->record)
        s->record = value_object(a);
    if (state == STAGE_BLOCKED || state == STAGE_SKIPPED)
        value_set(a, s->record, STR("ran"),
                  value_string(a, str_of(names[record_ran(s->record)])));
    s->state = state;
    s->why = why;
    value_set(a, s->record, STR("state"),
              value_string(a, str_of(names[state])));
    value_set(a, s->record, STR("why"), value_string(a, str_of(why)));
    value_set(a, s->record, STR("ended"), value_double(a, clock_wall()));
    return record_write(c, s, err);
}

/* ---- what decides its results ----------------------------------------- */

/* How a study is run says nothing of what it finds; nor does where: devices
 * agree, but for rounding. */
static bool is_how(struct str key)
{
    static const char *const how[] = {
        "parallel",  "engine",       "profile",    "slurm",   "htcondor",
        "retries",   "retry_delay",  "time_limit", "grace",   "description",
        "resources", "max_failures", "on_finish",  "on_best", "output_max",
        "share",     "keep",         "conductor",  "device",  "kernels",
        NULL};
    return str_among(key, how) || str_starts(key, STR("x-"));
}

static struct value *what_of(const struct value *study, struct arena *a)
{
    struct value *o = value_object(a);
    for (size_t i = 0; study && i < study->count; i++)
        if (!is_how(study->keys[i]))
            value_set(a, o, study->keys[i], study->items[i]);
    return o;
}

/* Names with the hashes alone: when a file was touched does not count. */
static struct value *hashes_of(const struct value *files, struct arena *a)
{
    struct value *o = value_object(a);
    for (size_t i = 0; files && i < files->count; i++)
        value_set(a, o, files->keys[i],
                  value_get(files->items[i], STR("hash")));
    return o;
}

static bool is_retired(const struct value *record, size_t row)
{
    const struct value *list = value_get(record, STR("retired"));
    for (size_t i = 0; list && i < list->count; i++)
        if (list->items[i]->kind == VALUE_INT &&
            list->items[i]->i == (int64_t)row)
            return true;
    return false;
}

/* The rows of its templates that count. */
static struct value *live_rows(const struct value *record, struct arena *a)
{
    const struct value *rows = value_get(record, STR("rows"));
    struct value *list = value_list(a);
    for (size_t i = 0; rows && i < rows->count; i++)
        if (!is_retired(record, i))
            value_list_add(a, list, rows->items[i]);
    return list;
}

/* All that it is asked, but what stands in its files. */
static struct value *question_of(const struct value *record, struct arena *a)
{
    struct value *o = value_object(a);
    const struct value *values = value_get(record, STR("values"));
    struct value *study = what_of(value_get(record, STR("study")), a);
    if (value_get(record, STR("rows")))
        value_set(a, study, STR("points"), live_rows(record, a));
    value_set(a, o, STR("study"), study);
    if (values)
        value_set(a, o, STR("values"), value_copy(a, values));
    return o;
}

void record_key(struct value *record, struct arena *a)
{
    struct value *o = question_of(record, a);
    char hex[65];
    struct buf b;
    value_set(a, o, STR("files"),
              hashes_of(value_get(record, STR("files")), a));
    buf_init(&b);
    json_print_sorted(&b, o);
    sha256_hex(buf_str(&b), hex);
    buf_done(&b);
    value_set(a, record, STR("key"), value_string(a, str_of(hex)));
}

bool record_asks_same(const struct value *was, const struct value *now)
{
    struct arena *a = arena_new();
    bool same = value_eq(question_of(was, a), question_of(now, a));
    arena_free(a);
    return same;
}

/* ---- differences ------------------------------------------------------ */

static void diff_files(struct buf *b, const struct value *was,
                       const struct value *now)
{
    for (size_t i = 0; was && i < was->count; i++) {
        const struct value *other = value_get(now, was->keys[i]);
        if (!other)
            buf_addf(b, "%.*s is not read any more\n", STRF(was->keys[i]));
        else if (!str_eq(record_text(was->items[i], "hash"),
                         record_text(other, "hash")))
            buf_addf(b, "%.*s has changed\n", STRF(was->keys[i]));
    }
    for (size_t i = 0; now && i < now->count; i++)
        if (!value_get(was, now->keys[i]))
            buf_addf(b, "%.*s is read now\n", STRF(now->keys[i]));
}

static void diff_values(struct buf *b, const struct value *was,
                        const struct value *now)
{
    for (size_t i = 0; now && i < now->count; i++) {
        const struct value *before = value_get(was, now->keys[i]);
        if (before && value_eq(before, now->items[i]))
            continue;
        buf_addf(b, "%.*s was ", STRF(now->keys[i]));
        if (before)
            json_print(b, before);
        else
            buf_adds(b, "not read");
        buf_adds(b, ", is ");
        json_print(b, now->items[i]);
        buf_addc(b, '\n');
    }
}

/* Without the points, which are said as rows. */
static void diff_study(struct buf *b, const struct value *was,
                       const struct value *now)
{
    struct arena *a = arena_new();
    struct buf x, y;
    struct value *old = what_of(was, a), *new = what_of(now, a);
    buf_init(&x);
    buf_init(&y);
    value_set(a, old, STR("points"), value_null(a));
    value_set(a, new, STR("points"), value_null(a));
    json_print_sorted(&x, old);
    json_print_sorted(&y, new);
    plan_identity_diff(b, NULL, buf_str(&x), buf_str(&y));
    buf_done(&x);
    buf_done(&y);
    arena_free(a);
}

/* ---- rows of templates ------------------------------------------------- */

static bool has_row(const struct value *record, const struct value *row)
{
    const struct value *rows = value_get(record, STR("rows"));
    for (size_t i = 0; rows && i < rows->count; i++)
        if (!is_retired(record, i) && value_eq(rows->items[i], row))
            return true;
    return false;
}

/* "template 7": the numbers that its templates have in a row. */
static void print_row(struct buf *b, const struct value *record,
                      const struct value *row)
{
    const struct value *names_of = value_get(record, STR("templates"));
    for (size_t i = 0; names_of && i < names_of->count; i++) {
        buf_addf(b, "%s%.*s ", i ? " and " : "", STRF(names_of->items[i]->s));
        const struct value *v = value_get(row, names_of->items[i]->s);
        if (v)
            json_print(b, v);
    }
}

static size_t diff_rows(struct buf *b, const struct value *from,
                        const struct value *to, const char *word)
{
    const struct value *rows = value_get(from, STR("rows"));
    size_t count = 0;
    for (size_t i = 0; rows && i < rows->count; i++) {
        if (is_retired(from, i) || has_row(to, rows->items[i]))
            continue;
        if (count++ < 8) {
            print_row(b, from, rows->items[i]);
            buf_addf(b, " %s\n", word);
        }
    }
    if (count > 8)
        buf_addf(b, "%zu more %s\n", count - 8, word);
    return count;
}

static void diff_selection(struct buf *b, const struct value *was,
                           const struct value *now)
{
    const struct value *rows = value_get(was, STR("rows"));
    size_t live = 0, stay = 0;
    size_t changed = diff_rows(b, was, now, "is selected no more") +
                     diff_rows(b, now, was, "is selected now");
    for (size_t i = 0; rows && i < rows->count; i++)
        if (!is_retired(was, i)) {
            live++;
            stay += has_row(now, rows->items[i]);
        }
    if (changed && live)
        buf_addf(b, "%zu of %zu selected before stay\n", stay, live);
}

void record_diff(struct buf *b, const struct value *was,
                 const struct value *now)
{
    diff_files(b, value_get(was, STR("files")), value_get(now, STR("files")));
    diff_values(b, value_get(was, STR("values")),
                value_get(now, STR("values")));
    diff_study(b, value_get(was, STR("study")), value_get(now, STR("study")));
    diff_selection(b, was, now);
}

/* ---- for others -------------------------------------------------------- */

bool store_is_campaign(struct store *store)
{
    struct arena *a = arena_new();
    struct str text;
    bool is = !store_fact(store, "stages", a, &text, NULL) && text.p;
    arena_free(a);
    return is;
}

static void tell(struct store *store, const struct value *v, struct arena *a,
                 struct stage_told *t)
{
    const struct value *needs = value_get(v, STR("needs"));
    struct value *record = NULL;
    *t = (struct stage_told){.name = record_text(v, "name"),
                             .kind = record_text(v, "kind")};
    size_t count = needs && needs->kind == VALUE_LIST ? needs->count : 0;
    t->needs = arena_array(a, count + 1, sizeof(*t->needs));
    for (size_t i = 0; i < count; i++)
        t->needs[t->need_count++] = value_text(needs->items[i]);
    if (record_read(store, t->name, a, &record, NULL) || !record)
        return;
    double started = value_number(value_get(record, STR("started")));
    double ended = value_number(value_get(record, STR("ended")));
    t->state = record_state(record);
    t->why = record_text(record, "why");
    t->started = started > 0 ? started : 0;
    t->ended = ended > 0 ? ended : 0;
}

static const struct stage_told *told_named(const struct stage_told *list,
                                           size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i].name, name))
            return &list[i];
    return NULL;
}

/* What stopped it was in the way of another run, and is not any more. */
static bool is_open_again(const struct stage_told *list, size_t count,
                          const struct stage_told *t)
{
    bool blocked = t->state == STAGE_BLOCKED, open = blocked;
    if (!blocked && t->state != STAGE_SKIPPED)
        return false;
    for (size_t i = 0; i < t->need_count; i++) {
        const struct stage_told *need = told_named(list, count, t->needs[i]);
        enum stage_state state = need ? need->state : STAGE_DONE;
        if (state == STAGE_FAILED || state == STAGE_BLOCKED ||
            (state == STAGE_SKIPPED && !blocked))
            return false;
        open = open || state != STAGE_DONE;
    }
    return open;
}

/* A stage has no record of its own of what happens to those that it needs. */
static void open_again(struct stage_told *list, size_t count)
{
    bool some = true;
    while (some) {
        some = false;
        for (size_t i = 0; i < count; i++) {
            if (!is_open_again(list, count, &list[i]))
                continue;
            list[i].state = STAGE_WAITS;
            list[i].why = STR("");
            some = true;
        }
    }
}

int campaign_told(struct store *store, struct arena *a,
                  struct stage_told **list, size_t *count, struct err *err)
{
    struct str text;
    if (store_fact(store, "stages", a, &text, err))
        return -1;
    struct value *all =
        text.len ? json_parse(a, text, "stages", true, err) : NULL;
    if (!all || all->kind != VALUE_LIST)
        return text.len ? -1 : err_set(err, ERR_MISSING, "this is no campaign");
    *list = arena_array(a, all->count + 1, sizeof(**list));
    for (size_t i = 0; i < all->count; i++)
        tell(store, all->items[i], a, &(*list)[i]);
    open_again(*list, all->count);
    *count = all->count;
    return 0;
}

static uint32_t number_of(const struct value *record, const char *key)
{
    const struct value *v = value_get(record, str_of(key));
    return v && v->kind == VALUE_INT ? (uint32_t)v->i : 0;
}

int campaign_stage_study(struct store *store, const char *stage,
                         struct arena *a, struct str *text,
                         struct stage_room *room, struct err *err)
{
    struct value *record;
    if (record_read(store, str_of(stage), a, &record, err))
        return -1;
    const struct value *study = value_get(record, STR("study"));
    if (!study)
        return err_set(err, ERR_MISSING,
                       "the campaign has no study for a stage %s", stage);
    room->parallel = number_of(record, "parallel");
    room->share = number_of(record, "share");
    struct buf b;
    buf_init(&b);
    json_print(&b, study);
    *text = arena_str(a, buf_str(&b));
    buf_done(&b);
    return 0;
}

bool is_stage_folder(struct arena *a, const char *folder)
{
    char *around = path_folder(a, path_absolute(a, folder));
    return file_exists(path_join(a, around, "study.db")) &&
           !str_is(path_name(around), ".throng");
}
