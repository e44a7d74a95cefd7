/* selector.c - which trials a selector names
 *
 * A selector is pieces joined by commas. Each piece is recognised by a row
 * of the table below, checked, and turned into ranges of trial numbers. */
#include "store/selector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"

enum piece_kind {
    PIECE_RANGE,
    PIECE_ALL,
    PIECE_LAST,
    PIECE_BEST,
    PIECE_WORST,
    PIECE_STATE,
    PIECE_BAD,
    PIECE_FINISHED,
    PIECE_TAG,
    PIECE_RUN_ID,
};

struct piece {
    enum piece_kind kind;
    int64_t first, last; /* RANGE; LAST, BEST, WORST: first is N */
    enum state state;
    struct str text; /* TAG, RUN_ID */
};

static const char allowed[] =
    "a number (7), a range (1-10), a state (failed, done, running, bad, "
    "finished …), best:N, worst:N, last, last:N, tag:NAME, id:RUN_ID or all";

static int bad_piece(struct str piece, const char *why, struct err *err)
{
    return err_set(err, ERR_USAGE, "selector '%.*s': %s; allowed is %s",
                   STRF(piece), why, allowed);
}

static bool after(struct str piece, const char *prefix, struct str *rest)
{
    if (!str_starts(piece, str_of(prefix)))
        return false;
    size_t len = strlen(prefix);
    *rest = str_n(piece.p + len, piece.len - len);
    return true;
}

/* ---- reading a piece -------------------------------------------------- */

static int parse_range(struct str text, struct piece *p, struct err *err)
{
    struct str rest = text, first, last;
    str_split(&rest, '-', &first);
    last = rest.p ? rest : first;
    first = str_trim(first);
    last = str_trim(last);
    p->kind = PIECE_RANGE;
    if (!str_digits(first) || !str_digits(last) || !num_int(first, &p->first) ||
        !num_int(last, &p->last))
        return bad_piece(text, "expected a trial number or a range", err);
    if (p->last < p->first)
        return bad_piece(text, "the range ends before it begins", err);
    return 0;
}

static const struct {
    const char *name;
    enum piece_kind kind;
} counted[] = {
    {"best", PIECE_BEST}, {"worst", PIECE_WORST}, {"last", PIECE_LAST}};

/* best, best:N and so on: 1 when it is one, 0 when not, -1. */
static int parse_counted(struct str text, struct piece *p, struct err *err)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        struct str rest;
        if (!after(text, counted[i].name, &rest))
            continue;
        p->kind = counted[i].kind;
        p->first = 1;
        if (rest.len == 0)
            return 1;
        if (rest.p[0] != ':')
            continue;
        struct str n = str_n(rest.p + 1, rest.len - 1);
        if (!str_digits(n) || !num_int(n, &p->first) || p->first < 1)
            return bad_piece(text, "expected a count of at least 1 behind ':'",
                             err);
        return 1;
    }
    return 0;
}

static int unknown_piece(struct str text, struct err *err)
{
    static const char *const before_colon[] = {"best", "worst", "last",
                                               "tag",  "id",    NULL};
    const char *names[STATE_COUNT + 7] = {"best", "worst", "last",
                                          "all",  "bad",   "finished"};
    for (int i = 0; i < STATE_COUNT; i++)
        names[6 + i] = state_name((enum state)i);
    long colon = str_find(text, ':');
    struct str word = colon < 0 ? text : str_n(text.p, (size_t)colon);
    struct str rest = str_n(text.p + word.len, text.len - word.len);
    const char *near = str_nearest(word, colon < 0 ? names : before_colon);
    char why[128];
    snprintf(why, sizeof why, "names no trials%s%s%.*s%s",
             near ? " (did you mean " : "", near ? near : "",
             near && rest.len < 64 ? (int)rest.len : 0, rest.p,
             near ? "?)" : "");
    return bad_piece(text, why, err);
}

static int parse_piece(struct str text, struct piece *p, struct err *err)
{
    *p = (struct piece){0};
    if (text.len == 0)
        return bad_piece(text, "a piece is empty", err);
    if (text.p[0] >= '0' && text.p[0] <= '9')
        return parse_range(text, p, err);
    if (after(text, "tag:", &p->text) || after(text, "id:", &p->text)) {
        p->kind = text.p[0] == 't' ? PIECE_TAG : PIECE_RUN_ID;
        return p->text.len ? 0
                           : bad_piece(text, "expected a name behind ':'", err);
    }
    int rc = parse_counted(text, p, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (str_is(text, "all"))
        p->kind = PIECE_ALL;
    else if (str_is(text, "bad"))
        p->kind = PIECE_BAD;
    else if (str_is(text, "finished"))
        p->kind = PIECE_FINISHED;
    else if (state_parse(text, &p->state))
        p->kind = PIECE_STATE;
    else
        return unknown_piece(text, err);
    return 0;
}

/* ---- ranges ----------------------------------------------------------- */

static void add_range(struct selection *sel, int64_t first, int64_t last)
{
    if (sel->ranges.len > 0 && vec_last(&sel->ranges).last == first - 1) {
        vec_last(&sel->ranges).last = last;
        return;
    }
    struct id_range r = {first, last};
    vec_push(&sel->ranges, r);
}

static int by_first(const void *a, const void *b)
{
    const struct id_range *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void join_ranges(struct selection *sel)
{
    size_t out = 0;
    struct id_range *r = sel->ranges.p;
    if (sel->ranges.len == 0)
        return;
    qsort(r, sel->ranges.len, sizeof *r, by_first);
    for (size_t i = 1; i < sel->ranges.len; i++) {
        if (r[i].first > r[out].last && r[i].first - 1 > r[out].last)
            r[++out] = r[i];
        else if (r[i].last > r[out].last)
            r[out].last = r[i].last;
    }
    sel->ranges.len = out + 1;
}

static void add_id(struct selection *sel, int64_t id)
{
    add_range(sel, id, id);
    if (sel->is_ranked)
        vec_push(&sel->ranked, id);
}

static int add_rows(struct selection *sel, struct store *s, sqlite3_stmt *st,
                    struct err *err)
{
    int row;
    while ((row = db_row(s, st, "read", err)) == 1)
        add_id(sel, sqlite3_column_int64(st, 0));
    return row;
}

/* ---- what a piece names ----------------------------------------------- */

/* True when a smaller objective is better (the fact "goal"). */
static bool minimizes(struct store *s)
{
    struct arena *a = arena_new();
    struct str goal = {0};
    store_fact(s, "goal", a, &goal, NULL);
    bool maximize = goal.len >= 3 && strncasecmp(goal.p, "max", 3) == 0;
    arena_free(a);
    return !maximize;
}

/* Final trials by value, `limit` of them. */
static sqlite3_stmt *by_value(struct store *s, bool ascending, int64_t limit,
                              struct err *err)
{
    static const char up[] =
        "SELECT id, value FROM trials WHERE value IS NOT NULL AND state >= 3"
        " ORDER BY value, id LIMIT ?";
    static const char down[] =
        "SELECT id, value FROM trials WHERE value IS NOT NULL AND state >= 3"
        " ORDER BY value DESC, id LIMIT ?";
    sqlite3_stmt *st = db_stmt(s, ascending ? up : down, err);
    if (st)
        sqlite3_bind_int64(st, 1, limit);
    return st;
}

static int add_by_value(struct selection *sel, struct store *s,
                        const struct piece *p, struct err *err)
{
    bool ascending = minimizes(s) == (p->kind == PIECE_BEST);
    sqlite3_stmt *st = by_value(s, ascending, p->first, err);
    return st ? add_rows(sel, s, st, err) : -1;
}

static int add_by_fronts(struct selection *sel, struct store *s,
                         const struct piece *p, const struct goal *g,
                         struct err *err)
{
    struct store_fronts f;
    int rc = store_fronts_read(&f, s, g, NULL, err);
    size_t *order = rc ? NULL : store_fronts_order(&f, g);
    size_t count = f.list.len;
    for (size_t i = 0; order && i < count && (int64_t)i < p->first; i++) {
        size_t at = order[p->kind == PIECE_BEST ? i : count - 1 - i];
        add_id(sel, f.list.p[at].id);
    }
    free(order);
    store_fronts_done(&f);
    return rc;
}

/* The order of `throng rank`, for everybody who asks for the best. */
static int add_ranked(struct selection *sel, struct store *s,
                      const struct piece *p, struct err *err)
{
    struct arena *a = arena_new();
    struct goal g;
    int rc = store_goal(s, a, &g, err);
    if (!rc)
        rc = goal_has_fronts(&g) ? add_by_fronts(sel, s, p, &g, err)
                                 : add_by_value(sel, s, p, err);
    arena_free(a);
    return rc;
}

static int add_state(struct selection *sel, struct store *s, enum state state,
                     struct err *err)
{
    /* The second condition lets SQLite use the index of open trials. */
    static const char open[] = "SELECT id FROM trials WHERE state = ?"
                               " AND state < 3 ORDER BY id";
    static const char final[] =
        "SELECT id FROM trials NOT INDEXED WHERE state = ? ORDER BY id";
    sqlite3_stmt *st =
        db_stmt(s, (int)state < DB_STATE_FINAL ? open : final, err);
    if (!st)
        return -1;
    sqlite3_bind_int(st, 1, (int)state);
    return add_rows(sel, s, st, err);
}

static int add_states(struct selection *sel, struct store *s,
                      const struct piece *p, struct err *err)
{
    for (int i = 0; i < STATE_COUNT; i++) {
        enum state state = (enum state)i;
        bool meant = p->kind == PIECE_BAD        ? state_bad(state)
                     : p->kind == PIECE_FINISHED ? state_final(state)
                                                 : state == p->state;
        if (meant && add_state(sel, s, state, err))
            return -1;
    }
    return 0;
}

static int add_text(struct selection *sel, struct store *s,
                    const struct piece *p, struct err *err)
{
    static const char tag[] =
        "SELECT trial FROM tags WHERE tag = ? ORDER BY trial";
    static const char run_id[] =
        "SELECT id FROM trials WHERE run_id = ? ORDER BY id";
    sqlite3_stmt *st = db_stmt(s, p->kind == PIECE_TAG ? tag : run_id, err);
    if (!st)
        return -1;
    db_bind_str(st, 1, p->text);
    return add_rows(sel, s, st, err);
}

static int add_piece(struct selection *sel, struct store *s,
                     const struct piece *p, struct err *err)
{
    int64_t last = store_last_trial(s);
    switch (p->kind) {
    case PIECE_RANGE:
        add_range(sel, p->first, p->last);
        return 0;
    case PIECE_ALL:
        add_range(sel, 0, INT64_MAX);
        return 0;
    case PIECE_LAST:
        if (last > 0)
            add_range(sel, last > p->first ? last - p->first + 1 : 1, last);
        return 0;
    case PIECE_BEST:
    case PIECE_WORST:
        return add_ranked(sel, s, p, err);
    case PIECE_STATE:
    case PIECE_BAD:
    case PIECE_FINISHED:
        return add_states(sel, s, p, err);
    case PIECE_TAG:
    case PIECE_RUN_ID:
        return add_text(sel, s, p, err);
    }
    return 0;
}

int selection_init(struct selection *sel, struct store *s, const char *selector,
                   struct err *err)
{
    *sel = (struct selection){0};
    struct str rest = str_of(selector), text;
    bool alone = !strchr(selector, ',');
    while (str_split(&rest, ',', &text)) {
        struct piece p;
        if (parse_piece(str_trim(text), &p, err))
            goto fail;
        sel->is_ranked =
            alone && (p.kind == PIECE_BEST || p.kind == PIECE_WORST);
        if (add_piece(sel, s, &p, err))
            goto fail;
    }
    join_ranges(sel);
    return 0;
fail:
    selection_done(sel);
    return -1;
}

void selection_done(struct selection *sel)
{
    vec_done(&sel->ranges);
    vec_done(&sel->ranked);
}

int selection_tagged(struct store *s, struct str tag, int64_t **ids,
                     size_t *count, struct err *err)
{
    static const char sql[] =
        "SELECT trial FROM tags WHERE tag = ? ORDER BY trial";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    db_bind_str(st, 1, tag);
    VEC(int64_t) found = {0};
    int row;
    while ((row = db_row(s, st, "read the tags of", err)) == 1) {
        int64_t id = sqlite3_column_int64(st, 0);
        vec_push(&found, id);
    }
    if (row < 0) {
        vec_done(&found);
        return -1;
    }
    *ids = found.p;
    *count = found.len;
    return 0;
}

int store_selector_check(const char *selector, struct err *err)
{
    struct str rest = str_of(selector), text;
    struct piece p;
    while (str_split(&rest, ',', &text))
        if (parse_piece(str_trim(text), &p, err))
            return -1;
    return 0;
}

int64_t store_best(struct store *s, bool minimize)
{
    sqlite3_stmt *st = by_value(s, minimize, 2, NULL);
    int64_t ids[2] = {0};
    double values[2] = {NAN, NAN};
    for (int i = 0; st && db_row(s, st, "read", NULL) == 1; i++) {
        ids[i] = sqlite3_column_int64(st, 0);
        values[i] = sqlite3_column_double(st, 1);
    }
    if (values[0] != values[1])
        return ids[0];
    struct arena *a = arena_new();
    struct goal g;
    int64_t first = !store_goal(s, a, &g, NULL) && g.objective_count > 1
                        ? store_fronts_first(s, &g, values[0])
                        : 0;
    arena_free(a);
    return first ? first : ids[0];
}
