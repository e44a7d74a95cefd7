/* trial.c - facts, trials, their notes and tags, artifacts, the diary
 *
 * The counters follow each change of a state here; they are written with the
 * commit (change.c). */
#include "store/trial.h"

#include <math.h>
#include "store/change.h"

/* ---- facts ------------------------------------------------------------ */

struct fact {
    const char *key;
    struct str text; /* p NULL: the fact goes */
};

static int apply_fact(struct store *s, const void *what, struct err *err)
{
    static const char put[] = "INSERT OR REPLACE INTO facts VALUES (?1, ?2)";
    static const char drop[] = "DELETE FROM facts WHERE key = ?1";
    const struct fact *f = what;
    sqlite3_stmt *st = db_stmt(s, f->text.p ? put : drop, err);
    if (!st)
        return -1;
    sqlite3_bind_text(st, 1, f->key, -1, SQLITE_STATIC);
    if (f->text.p)
        sqlite3_bind_blob64(st, 2, f->text.p, f->text.len, SQLITE_STATIC);
    return db_run(s, st, "write a fact into", err);
}

int store_fact_set(struct store *s, const char *key, struct str text,
                   struct err *err)
{
    struct fact *c = change_start(s, &(struct fact){0}, sizeof *c, err);
    if (!c)
        return -1;
    c->key = arena_cstr(s->redo_room, str_of(key));
    if (text.p)
        c->text = arena_str(s->redo_room, text);
    return change_end(s, apply_fact, c, err);
}

int store_fact(struct store *s, const char *key, struct arena *a,
               struct str *text, struct err *err)
{
    static const char sql[] = "SELECT text FROM facts WHERE key = ?";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
    int row = db_row(s, st, "read a fact of", err);
    if (row < 0)
        return -1;
    *text = (struct str){0};
    if (row == 0)
        return 0;
    const void *p = sqlite3_column_blob(st, 0);
    size_t len = (size_t)sqlite3_column_bytes(st, 0);
    *text = arena_str(a, str_n(p ? p : "", len));
    sqlite3_reset(st);
    return 0;
}

int store_facts(struct store *s, const char *prefix, store_fact_fn *fn,
                void *context, struct err *err)
{
    static const char sql[] = "SELECT key, text FROM facts WHERE key >= ?1 AND"
                              " substr(key, 1, length(?1)) = ?1 ORDER BY key";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    int row;
    if (!st)
        return -1;
    sqlite3_bind_text(st, 1, prefix, -1, SQLITE_STATIC);
    while ((row = db_row(s, st, "read the facts of", err)) == 1)
        fn(context, db_column_str(st, 0), db_column_str(st, 1));
    return row;
}

/* ---- what is known of open trials -------------------------------------- */

/* A trial that is not final is changed several times. What its rows hold is
 * remembered, so that a change need not read them first. An entry is a set
 * of these bits, its state above them. */
enum { KNOWN = 1, KNOWN_TEXTS = 2, KNOWN_FRESH = 4, KNOWN_STATE_SHIFT = 3 };

static void remember(struct store *s, int64_t id, unsigned state, unsigned bits)
{
    if (state >= DB_STATE_FINAL)
        idmap_del(s->open_trials, (uint64_t)id);
    else
        idmap_set(
            s->open_trials, (uint64_t)id,
            (void *)(uintptr_t)(state << KNOWN_STATE_SHIFT | bits | KNOWN));
}

static unsigned remembered(const struct store *s, int64_t id)
{
    return (unsigned)(uintptr_t)idmap_get(s->open_trials, (uint64_t)id);
}

void trial_forget(struct store *s)
{
    idmap_free(s->open_trials);
    s->open_trials = idmap_new();
}

bool trial_is_fresh(const struct store *s, int64_t id)
{
    return remembered(s, id) & KNOWN_FRESH;
}

/* ---- trials ----------------------------------------------------------- */

static void bind_optional(sqlite3_stmt *st, int at, int64_t v, int64_t none)
{
    if (v == none)
        sqlite3_bind_null(st, at);
    else
        sqlite3_bind_int64(st, at, v);
}

static void count_state(struct store *s, int64_t state, int by)
{
    if (state < 0 || state >= STATE_COUNT)
        return;
    s->counts.by_state[state] += by;
    s->counts.total += by;
}

static int apply_add(struct store *s, const void *what, struct err *err)
{
    static const char sql[] =
        "INSERT INTO trials (id, state, created, parent, budget, repeat,"
        " member, run_id, point)"
        " VALUES (?1, 0, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    const struct trial *t = what;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, t->id);
    sqlite3_bind_double(st, 2, t->created);
    bind_optional(st, 3, t->parent, -1);
    bind_optional(st, 4, t->budget, 0);
    bind_optional(st, 5, t->group, t->id - 1);
    bind_optional(st, 6, t->member, 0);
    db_bind_str(st, 7, t->run_id);
    sqlite3_bind_text64(st, 8, t->point.p, t->point.len, SQLITE_STATIC,
                        SQLITE_UTF8);
    int rc = sqlite3_step(st);
    if (rc == SQLITE_CONSTRAINT_PRIMARYKEY || rc == SQLITE_CONSTRAINT_ROWID) {
        sqlite3_reset(st);
        return err_set(err, ERR_INPUT, "trial %lld is there already",
                       (long long)t->id);
    }
    if (rc != SQLITE_DONE)
        db_err(s, "add a trial to", err);
    sqlite3_reset(st);
    if (rc != SQLITE_DONE)
        return -1;
    count_state(s, STATE_WAITING, 1);
    remember(s, t->id, STATE_WAITING, KNOWN_FRESH);
    if (t->id > s->last_trial)
        s->last_trial = t->id;
    return 0;
}

int store_trial_add(struct store *s, const struct trial *t, struct err *err)
{
    if (t->id < 1)
        return err_set(err, ERR_INPUT, "trial %lld: numbers begin at 1",
                       (long long)t->id);
    struct trial *c = change_start(s, t, sizeof *t, err);
    if (!c)
        return -1;
    c->run_id = arena_str(s->redo_room, t->run_id);
    c->point = arena_str(s->redo_room, t->point);
    return change_end(s, apply_add, c, err);
}

static int no_such_trial(int64_t id, struct err *err)
{
    return err_set(err, ERR_MISSING, "there is no trial %lld", (long long)id);
}

/* What is known of a trial, read from the file when nothing is. */
static int know(struct store *s, int64_t id, unsigned *known, struct err *err)
{
    static const char sql[] =
        "SELECT state, EXISTS (SELECT 1 FROM texts WHERE texts.id = trials.id)"
        " FROM trials WHERE id = ?";
    *known = remembered(s, id);
    if (*known)
        return 0;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, id);
    int row = db_row(s, st, "read", err);
    if (row < 0)
        return -1;
    if (row == 0)
        return no_such_trial(id, err);
    unsigned state = (unsigned)sqlite3_column_int(st, 0);
    bool texts = sqlite3_column_int(st, 1) != 0;
    *known = state << KNOWN_STATE_SHIFT | (texts ? KNOWN_TEXTS : 0u) | KNOWN;
    sqlite3_reset(st);
    return 0;
}

static int texts_write(struct store *s, const struct trial *t, unsigned *known,
                       struct err *err)
{
    static const char put[] =
        "INSERT INTO texts (id, reason, summary) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (id) DO UPDATE SET reason = ?2, summary = ?3";
    static const char clear[] =
        "UPDATE texts SET reason = NULL, summary = NULL WHERE id = ?1";
    bool none = t->reason.len == 0 && t->summary.len == 0;
    if (none && !(*known & KNOWN_TEXTS))
        return 0;
    *known |= KNOWN_TEXTS;
    sqlite3_stmt *st = db_stmt(s, none ? clear : put, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, t->id);
    if (!none) {
        db_bind_str(st, 2, t->reason);
        db_bind_str(st, 3, t->summary);
    }
    return db_run(s, st, "write the texts of a trial into", err);
}

static int apply_update(struct store *s, const void *what, struct err *err)
{
    static const char sql[] =
        "UPDATE trials SET state = ?2, value = ?3, attempts = ?4,"
        " failures = ?5, started = ?6, ended = ?7, seconds = ?8, budget = ?9"
        " WHERE id = ?1";
    const struct trial *t = what;
    unsigned known = 0;
    if (know(s, t->id, &known, err))
        return -1;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, t->id);
    sqlite3_bind_int(st, 2, (int)t->state);
    db_bind_value(st, 3, t->value);
    sqlite3_bind_int64(st, 4, t->attempts);
    sqlite3_bind_int64(st, 5, t->failures);
    sqlite3_bind_double(st, 6, t->started);
    sqlite3_bind_double(st, 7, t->ended);
    sqlite3_bind_double(st, 8, t->seconds);
    bind_optional(st, 9, t->budget, 0);
    if (db_run(s, st, "write a trial into", err) ||
        texts_write(s, t, &known, err))
        return -1;
    count_state(s, known >> KNOWN_STATE_SHIFT, -1);
    count_state(s, t->state, 1);
    remember(s, t->id, t->state, known & (KNOWN_TEXTS | KNOWN_FRESH));
    return t->state >= DB_STATE_FINAL ? metrics_end(s, t->id, err) : 0;
}

int store_trial_update(struct store *s, const struct trial *t, struct err *err)
{
    require((unsigned)t->state < STATE_COUNT);
    struct trial *c = change_start(s, t, sizeof *t, err);
    if (!c)
        return -1;
    c->reason = arena_str(s->redo_room, t->reason);
    c->summary = arena_str(s->redo_room, t->summary);
    return change_end(s, apply_update, c, err);
}

static int apply_remove(struct store *s, const void *what, struct err *err)
{
    static const char *const texts[] = {
        "DELETE FROM attempts WHERE trial = ?",
        "DELETE FROM metrics WHERE trial = ?",
        "DELETE FROM artifacts WHERE trial = ?",
        "DELETE FROM tags WHERE trial = ?",
        "DELETE FROM wishes WHERE trial = ?",
        "DELETE FROM texts WHERE id = ?",
        "DELETE FROM trials WHERE id = ?",
    };
    int64_t id = *(const int64_t *)what;
    unsigned known = 0;
    if (know(s, id, &known, err) || metrics_end(s, id, err))
        return -1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sqlite3_stmt *st = db_stmt(s, texts[i], err);
        if (!st)
            return -1;
        sqlite3_bind_int64(st, 1, id);
        if (db_run(s, st, "remove a trial from", err))
            return -1;
    }
    count_state(s, known >> KNOWN_STATE_SHIFT, -1);
    idmap_del(s->open_trials, (uint64_t)id);
    return 0;
}

int store_trial_remove(struct store *s, int64_t id, struct err *err)
{
    int64_t *c = change_start(s, &id, sizeof id, err);
    return c ? change_end(s, apply_remove, c, err) : -1;
}

/* ---- notes and tags --------------------------------------------------- */

/* A text of a trial, and the statement that writes it. */
struct said {
    int64_t id;
    const char *sql;
    struct str text;
};

static int set_text(struct store *s, const struct said *said, change_fn *apply,
                    struct err *err)
{
    struct said *c = change_start(s, said, sizeof *said, err);
    if (!c)
        return -1;
    c->text = arena_str(s->redo_room, said->text);
    return change_end(s, apply, c, err);
}

static int apply_said(struct store *s, const struct said *c, struct err *err)
{
    sqlite3_stmt *st = db_stmt(s, c->sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, c->id);
    db_bind_str(st, 2, c->text);
    return db_run(s, st, "write a text of a trial into", err);
}

static int apply_text(struct store *s, const void *what, struct err *err)
{
    const struct said *c = what;
    unsigned known = 0;
    if (know(s, c->id, &known, err))
        return -1;
    remember(s, c->id, known >> KNOWN_STATE_SHIFT,
             (known & KNOWN_FRESH) | KNOWN_TEXTS);
    return apply_said(s, c, err);
}

int store_trial_note(struct store *s, int64_t id, struct str note,
                     struct err *err)
{
    static const char sql[] = "INSERT INTO texts (id, note) VALUES (?1, ?2)"
                              " ON CONFLICT (id) DO UPDATE SET note = ?2";
    return set_text(s, &(struct said){id, sql, note}, apply_text, err);
}

int store_trial_about(struct store *s, int64_t id, struct str about,
                      struct err *err)
{
    static const char sql[] = "INSERT INTO texts (id, about) VALUES (?1, ?2)"
                              " ON CONFLICT (id) DO UPDATE SET about = ?2";
    return set_text(s, &(struct said){id, sql, about}, apply_text, err);
}

static int apply_tag(struct store *s, const void *what, struct err *err)
{
    const struct said *c = what;
    unsigned known = 0;
    return know(s, c->id, &known, err) ? -1 : apply_said(s, c, err);
}

int store_trial_tag(struct store *s, int64_t id, struct str tag, bool on,
                    struct err *err)
{
    static const char put[] = "INSERT OR IGNORE INTO tags VALUES (?, ?)";
    static const char drop[] = "DELETE FROM tags WHERE trial = ? AND tag = ?";
    if (tag.len == 0)
        return err_set(err, ERR_INPUT, "a tag cannot be empty");
    return set_text(s, &(struct said){id, on ? put : drop, tag}, apply_tag,
                    err);
}

int trial_tags(struct store *s, int64_t id, struct arena *a, struct trial *t,
               struct err *err)
{
    static const char sql[] =
        "SELECT tag FROM tags WHERE trial = ? ORDER BY tag";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, id);
    struct str *tags = NULL;
    size_t count = 0, cap = 0;
    int row;
    while ((row = db_row(s, st, "read the tags of", err)) == 1) {
        if (count == cap) {
            cap = cap ? 2 * cap : 4;
            struct str *more = arena_array(a, cap, sizeof *more);
            if (count)
                memcpy(more, tags, count * sizeof *more);
            tags = more;
        }
        tags[count++] = arena_str(a, db_column_str(st, 0));
    }
    if (row < 0)
        return -1;
    t->tags = tags;
    t->tag_count = count;
    return 0;
}

const char **store_tags(struct store *s, struct arena *a, struct err *err)
{
    static const char sql[] = "SELECT DISTINCT tag FROM tags ORDER BY tag";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    VEC(const char *) tags = {0};
    int row = st ? 1 : -1;
    while (row == 1 && (row = db_row(s, st, "read the tags of", err)) == 1)
        vec_push(&tags, arena_cstr(a, db_column_str(st, 0)));
    const char **list = row == 0 ? vec_to_arena(a, &tags) : NULL;
    vec_done(&tags);
    return list;
}

/* ---- one trial -------------------------------------------------------- */

static const char *const column_sql[TRIAL_COLUMN_COUNT] = {
    [TRIAL_ID] = "t.id",
    [TRIAL_STATE] = "t.state",
    [TRIAL_VALUE] = "t.value",
    [TRIAL_ATTEMPTS] = "t.attempts",
    [TRIAL_FAILURES] = "t.failures",
    [TRIAL_CREATED] = "t.created",
    [TRIAL_STARTED] = "t.started",
    [TRIAL_ENDED] = "t.ended",
    [TRIAL_SECONDS] = "t.seconds",
    [TRIAL_PARENT] = "t.parent",
    [TRIAL_BUDGET] = "t.budget",
    [TRIAL_GROUP] = "t.repeat",
    [TRIAL_MEMBER] = "t.member",
    [TRIAL_RUN_ID] = "t.run_id",
    [TRIAL_POINT] = "t.point",
    [TRIAL_REASON] = "x.reason",
    [TRIAL_SUMMARY] = "x.summary",
    [TRIAL_NOTE] = "x.note",
    [TRIAL_ABOUT] = "x.about",
};

void trial_select(struct buf *sql, unsigned columns)
{
    for (unsigned i = 0; i < TRIAL_COLUMN_COUNT; i++) {
        buf_adds(sql, i ? ", " : "SELECT ");
        buf_adds(sql, columns & COLUMN_BIT(i) ? column_sql[i] : "NULL");
    }
    buf_adds(sql, " FROM trials AS t");
    if (columns & COLUMNS_TEXTS)
        buf_adds(sql, " LEFT JOIN texts AS x ON x.id = t.id");
}

static int64_t column_or(sqlite3_stmt *st, int at, int64_t otherwise)
{
    return sqlite3_column_type(st, at) == SQLITE_NULL
               ? otherwise
               : sqlite3_column_int64(st, at);
}

/* Where a trial comes from. */
static void read_origin(sqlite3_stmt *st, enum trial_column column,
                        struct trial *t)
{
    int at = (int)column;
    switch (column) {
    case TRIAL_PARENT:
        t->parent = column_or(st, at, -1);
        break;
    case TRIAL_BUDGET:
        t->budget = sqlite3_column_int64(st, at);
        break;
    case TRIAL_GROUP:
        t->group = column_or(st, at, t->id - 1);
        break;
    case TRIAL_MEMBER:
        t->member = (uint32_t)sqlite3_column_int64(st, at);
        break;
    default:
        break;
    }
}

/* How it went, or else where it comes from. */
static void read_number(sqlite3_stmt *st, enum trial_column column,
                        struct trial *t)
{
    int at = (int)column;
    switch (column) {
    case TRIAL_ID:
        t->id = sqlite3_column_int64(st, at);
        break;
    case TRIAL_STATE:
        t->state = (enum state)sqlite3_column_int(st, at);
        break;
    case TRIAL_VALUE:
        if (sqlite3_column_type(st, at) != SQLITE_NULL)
            t->value = sqlite3_column_double(st, at);
        break;
    case TRIAL_ATTEMPTS:
        t->attempts = (uint32_t)sqlite3_column_int64(st, at);
        break;
    case TRIAL_FAILURES:
        t->failures = (uint32_t)sqlite3_column_int64(st, at);
        break;
    case TRIAL_CREATED:
        t->created = sqlite3_column_double(st, at);
        break;
    case TRIAL_STARTED:
        t->started = sqlite3_column_double(st, at);
        break;
    case TRIAL_ENDED:
        t->ended = sqlite3_column_double(st, at);
        break;
    case TRIAL_SECONDS:
        t->seconds = sqlite3_column_double(st, at);
        break;
    default:
        read_origin(st, column, t);
        break;
    }
}

void trial_read(sqlite3_stmt *st, unsigned columns, struct trial *t)
{
    *t = (struct trial){.value = NAN, .parent = -1};
    for (unsigned i = 0; i < TRIAL_RUN_ID; i++)
        if (columns & COLUMN_BIT(i))
            read_number(st, (enum trial_column)i, t);
    if (columns & COLUMN_BIT(TRIAL_RUN_ID))
        t->run_id = db_column_str(st, TRIAL_RUN_ID);
    if (columns & COLUMN_BIT(TRIAL_POINT))
        t->point = db_column_raw(st, TRIAL_POINT);
    if (columns & COLUMN_BIT(TRIAL_REASON))
        t->reason = db_column_str(st, TRIAL_REASON);
    if (columns & COLUMN_BIT(TRIAL_SUMMARY))
        t->summary = db_column_raw(st, TRIAL_SUMMARY);
    if (columns & COLUMN_BIT(TRIAL_NOTE))
        t->note = db_column_str(st, TRIAL_NOTE);
    if (columns & COLUMN_BIT(TRIAL_ABOUT))
        t->about = db_column_str(st, TRIAL_ABOUT);
}

/* Reads the row that the statement is at, its texts into the arena. */
static void trial_keep(sqlite3_stmt *st, struct arena *a, struct trial *t)
{
    trial_read(st, COLUMNS_ALL, t);
    t->point = arena_str(a, t->point);
    t->run_id = arena_str(a, t->run_id);
    t->reason = arena_str(a, t->reason);
    t->summary = arena_str(a, t->summary);
    t->note = arena_str(a, t->note);
    t->about = arena_str(a, t->about);
}

int store_trial(struct store *s, int64_t id, struct arena *a, struct trial *t,
                struct err *err)
{
    struct trial found;
    if (!s->trial_st) {
        struct buf sql;
        buf_init(&sql);
        trial_select(&sql, COLUMNS_ALL);
        buf_adds(&sql, " WHERE t.id = ?");
        int rc = sqlite3_prepare_v2(s->db, sql.p, -1, &s->trial_st, NULL);
        buf_done(&sql);
        if (rc != SQLITE_OK)
            return db_err(s, "read a trial of", err);
    }
    sqlite3_bind_int64(s->trial_st, 1, id);
    int row = db_row(s, s->trial_st, "read a trial of", err);
    if (row < 0)
        return -1;
    if (row == 0)
        return no_such_trial(id, err);
    trial_keep(s->trial_st, a, &found);
    sqlite3_reset(s->trial_st);
    if (trial_tags(s, id, a, &found, err))
        return -1;
    *t = found;
    return 0;
}

int store_counts(struct store *s, struct counts *c, struct err *err)
{
    if (!s->write && change_counts_load(s, err))
        return -1;
    *c = s->counts;
    return 0;
}

/* Only those that ended well have one, and those are in an index. */
int store_valueless(struct store *s, int64_t *count, struct err *err)
{
    static const char sql[] =
        "SELECT count(*) FROM trials WHERE value IS NOT NULL";
    struct counts c;
    int64_t ranked;
    if (store_counts(s, &c, err) || db_number(s, sql, 0, &ranked, err))
        return -1;
    int64_t good = c.by_state[STATE_DONE] + c.by_state[STATE_STOPPED];
    *count = good > ranked ? good - ranked : 0;
    return 0;
}

int64_t store_last_trial(struct store *s)
{
    static const char sql[] = "SELECT max(id) FROM trials";
    if (s->write)
        return s->last_trial;
    int64_t last;
    return db_number(s, sql, 0, &last, NULL) ? 0 : last;
}
