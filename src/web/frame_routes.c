/* frame_routes.c - answers about all trials at once
 *
 * Columns go out as they are in memory: a head of JSON that says what is where,
 * then numbers of the machine's own kind, little-endian, each column at a
 * multiple of eight bytes, so that a browser takes them as they are. Numbers
 * that a smaller kind holds exactly are sent as that. */
#include "base/json.h"
#include "base/strict_json.h"
#include "web/routes.h"

#define ROWS_MAX 1000 /* of a table, in one answer */

static const char *const source_names[] = {
    [FRAME_TRIAL] = "trial",
    [FRAME_PARAMETER] = "parameter",
    [FRAME_METRIC] = "metric",
};

/* ---- columns ----------------------------------------------------------- */

struct columns {
    struct exchange *x;
    const struct frame *frame;
    uint32_t *rows; /* that go out; NULL: all */
    size_t count;
    struct buf head, data;
    bool first;
};

static size_t row_at(const struct columns *k, size_t i)
{
    return k->rows ? k->rows[i] : i;
}

static void align(struct buf *b)
{
    while (b->len % 8)
        buf_addc(b, 0);
}

static void add_head(struct columns *k, const char *name, const char *source,
                     const char *type)
{
    align(&k->data);
    buf_adds(&k->head, k->first ? "" : ",");
    k->first = false;
    buf_adds(&k->head, "{\"name\":");
    json_string(&k->head, str_of(name));
    buf_addf(&k->head, ",\"source\":\"%s\",\"type\":\"%s\",\"offset\":%zu",
             source, type, k->data.len);
}

static void add_u32(struct columns *k, size_t i, uint32_t v)
{
    memcpy(k->data.p + k->data.len + 4 * i, &v, sizeof(v));
}

/* Numbers of a fixed kind, `size` bytes each, are put in place by the caller.
 */
static void room_for(struct columns *k, size_t size)
{
    buf_reserve(&k->data, k->count * size);
}

static void add_ids(struct columns *k)
{
    bool small =
        !k->frame->rows || k->frame->ids[k->frame->rows - 1] <= UINT32_MAX;
    add_head(k, "trial", "trial", small ? "u32" : "f64");
    buf_adds(&k->head, "}");
    room_for(k, 8);
    for (size_t i = 0; i < k->count; i++) {
        int64_t id = k->frame->ids[row_at(k, i)];
        if (small)
            add_u32(k, i, (uint32_t)id);
        else
            memcpy(k->data.p + k->data.len + 8 * i, &(double){(double)id}, 8);
    }
    k->data.len += k->count * (small ? 4 : 8);
}

static void add_states(struct columns *k)
{
    add_head(k, "state", "trial", "text8");
    buf_adds(&k->head, ",\"texts\":[");
    for (int i = 0; i < STATE_COUNT; i++)
        buf_addf(&k->head, "%s\"%s\"", i ? "," : "", state_name((enum state)i));
    buf_adds(&k->head, "]}");
    for (size_t i = 0; i < k->count; i++)
        buf_addc(&k->data, (char)(k->frame->states[row_at(k, i)] + 1));
}

static void add_places(struct columns *k)
{
    add_head(k, "row", "row", "u32");
    buf_adds(&k->head, "}");
    room_for(k, 4);
    for (size_t i = 0; i < k->count; i++)
        add_u32(k, i, (uint32_t)row_at(k, i));
    k->data.len += 4 * k->count;
}

static bool all_fit_float(const struct columns *k, const double *numbers)
{
    for (size_t i = 0; i < k->count; i++) {
        double v = numbers[row_at(k, i)];
        if (v == v && (double)(float)v != v)
            return false;
    }
    return true;
}

static void add_numbers(struct columns *k, const struct frame_column *c)
{
    bool small = all_fit_float(k, c->numbers);
    add_head(k, c->name, source_names[c->source], small ? "f32" : "f64");
    buf_adds(&k->head, "}");
    room_for(k, small ? 4 : 8);
    char *to = k->data.p + k->data.len;
    for (size_t i = 0; i < k->count; i++) {
        double v = c->numbers[row_at(k, i)];
        if (small)
            memcpy(to + 4 * i, &(float){(float)v}, 4);
        else
            memcpy(to + 8 * i, &v, 8);
    }
    k->data.len += k->count * (small ? 4 : 8);
}

static void add_texts(struct columns *k, const struct frame_column *c)
{
    bool small = c->texts.len < 256;
    add_head(k, c->name, source_names[c->source], small ? "text8" : "text32");
    buf_adds(&k->head, ",\"texts\":[");
    for (size_t i = 0; i < c->texts.len; i++) {
        buf_adds(&k->head, i ? "," : "");
        json_string(&k->head, str_of(c->texts.p[i]));
    }
    buf_adds(&k->head, "]}");
    room_for(k, 4);
    for (size_t i = 0; i < k->count; i++) {
        uint32_t code = c->codes[row_at(k, i)];
        if (small)
            k->data.p[k->data.len + i] = (char)code;
        else
            add_u32(k, i, code);
    }
    k->data.len += k->count * (small ? 1 : 4);
}

static bool is_wanted(const char **names, const char *name)
{
    return !*names || str_among(str_of(name), names);
}

static void add_columns(struct columns *k, const char **names)
{
    k->first = true;
    add_ids(k);
    add_states(k);
    if (k->rows)
        add_places(k);
    for (size_t i = 0; i < k->frame->columns.len; i++) {
        const struct frame_column *c = k->frame->columns.p[i];
        if (is_wanted(names, c->name))
            (c->numbers ? add_numbers : add_texts)(k, c);
    }
}

/* Those that changed behind a revision. */
static void pick_changed(struct columns *k, uint32_t since)
{
    const struct frame *f = k->frame;
    k->rows = arena_array(k->x->arena, f->rows + 1, sizeof(*k->rows));
    k->count = 0;
    for (size_t i = 0; i < f->rows; i++)
        if (f->changed[i] > since)
            k->rows[k->count++] = (uint32_t)i;
}

static void print_columns(struct columns *k)
{
    const struct frame *f = k->frame;
    struct buf *b = &k->x->answer.body;
    struct buf front;
    buf_init(&front);
    buf_addf(&front,
             "{\"schema\":\"throng.columns/1\",\"made\":%u,\"revision\":%u,"
             "\"rows\":%zu,\"count\":%zu,\"columns\":[",
             f->made, f->revision, f->rows, k->count);
    buf_addstr(&front, buf_str(&k->head));
    buf_adds(&front, "]}");
    while ((front.len + 4) % 8)
        buf_addc(&front, ' ');
    buf_add_u32(b, (uint32_t)front.len);
    buf_addstr(b, buf_str(&front));
    buf_addstr(b, buf_str(&k->data));
    buf_done(&front);
    k->x->answer.type = "application/octet-stream";
}

int route_columns(struct exchange *x)
{
    struct served *s = x->study;
    struct columns k = {.x = x};
    const char **names;
    int64_t since, made;
    if (ask_texts(x, "name", &names) ||
        ask_number(x, "since", 0, UINT32_MAX, 0, &since) ||
        ask_number(x, "made", 0, UINT32_MAX, 0, &made) ||
        served_look(s, true, &x->err))
        return -1;
    k.frame = s->frame;
    k.count = s->frame->rows;
    if (since && made == s->frame->made)
        pick_changed(&k, (uint32_t)since);
    buf_init(&k.head);
    buf_init(&k.data);
    add_columns(&k, names);
    print_columns(&k);
    buf_done(&k.head);
    buf_done(&k.data);
    return 0;
}

/* ---- which trials a filter has ----------------------------------------- */

static void add_revision(struct exchange *x, size_t count)
{
    const struct frame *f = x->study->frame;
    struct buf *b = &x->answer.body;
    buf_add_u32(b, f->made);
    buf_add_u32(b, f->revision);
    buf_add_u32(b, (uint32_t)f->rows);
    buf_add_u32(b, (uint32_t)count);
    x->answer.type = "application/octet-stream";
}

int route_match(struct exchange *x)
{
    struct served *s = x->study;
    const char *where;
    const uint32_t *rows;
    size_t count;
    if (ask_text(x, "where", &where) || served_look(s, true, &x->err) ||
        served_match(s, where, &rows, &count, &x->err))
        return -1;
    struct buf *b = &x->answer.body;
    size_t bytes = (s->frame->rows + 7) / 8;
    add_revision(x, count);
    buf_reserve(b, bytes);
    memset(b->p + b->len, 0, bytes + 1);
    for (size_t i = 0; i < count; i++)
        b->p[b->len + rows[i] / 8] |= (char)(1 << rows[i] % 8);
    b->len += bytes;
    return 0;
}

/* The rows of a filter in the order of a column. */
struct order {
    const char *where, *by;
    bool reverse;
};

static int ask_order(struct exchange *x, struct order *o)
{
    o->reverse = ask_flag(x, "reverse");
    return ask_text(x, "where", &o->where) || ask_text(x, "by", &o->by) ? -1
                                                                        : 0;
}

static int check_by(struct exchange *x, const char *by)
{
    if (!by || frame_column(x->study->frame, str_of(by)) ||
        !strcmp(by, "trial") || !strcmp(by, "state"))
        return 0;
    return name_check(x->store, by, x->arena, &x->err);
}

static int read_order(struct exchange *x, const struct order *o,
                      const uint32_t **rows, size_t *count)
{
    struct served *s = x->study;
    return served_look(s, true, &x->err) || check_by(x, o->by) ||
                   served_order(s, o->where, o->by, o->reverse, rows, count,
                                &x->err)
               ? -1
               : 0;
}

int route_order(struct exchange *x)
{
    struct order o;
    const uint32_t *rows;
    size_t count;
    if (ask_order(x, &o) || read_order(x, &o, &rows, &count))
        return -1;
    add_revision(x, count);
    for (size_t i = 0; i < count; i++)
        buf_add_u32(&x->answer.body, rows[i]);
    return 0;
}

/* ---- a piece of the table ---------------------------------------------- */

/* A trial that was removed since is left out. */
static int add_trial(struct exchange *x, const struct study_goal *goal,
                     int64_t id, bool *first)
{
    struct trial t;
    struct err err = {0};
    if (store_trial(x->store, id, x->arena, &t, &err))
        return err.kind == ERR_MISSING
                   ? 0
                   : err_set(&x->err, err.kind, "%s", err.text);
    buf_adds(&x->answer.body, *first ? "" : ",");
    *first = false;
    trial_json(&x->answer.body, &t, &goal->all, (struct str){0}, x->arena);
    return 0;
}

static int print_table(struct exchange *x, int64_t from, int64_t rows,
                       const uint32_t *order, size_t count)
{
    const struct frame *f = x->study->frame;
    struct study_goal goal;
    bool first = true;
    if (study_goal_read(x->store, x->arena, &goal, &x->err))
        return -1;
    buf_addf(&x->answer.body,
             "{\"schema\":\"throng.table/1\",\"made\":%u,\"revision\":%u,"
             "\"total\":%zu,\"matched\":%zu,\"from\":%lld,\"trials\":[",
             f->made, f->revision, f->rows, count, (long long)from);
    for (int64_t i = from; i < (int64_t)count && i - from < rows; i++)
        if (add_trial(x, &goal, f->ids[order[i]], &first))
            return -1;
    buf_adds(&x->answer.body, "]}\n");
    return 0;
}

int route_table(struct exchange *x)
{
    struct order o;
    int64_t from, most;
    const uint32_t *rows;
    size_t count;
    if (ask_order(x, &o) || ask_number(x, "from", 0, INT64_MAX, 0, &from) ||
        ask_number(x, "rows", 1, ROWS_MAX, 100, &most) ||
        read_order(x, &o, &rows, &count))
        return -1;
    return print_table(x, from, most, rows, count);
}

/* ---- curves ------------------------------------------------------------ */

int route_curves(struct exchange *x)
{
    const char *trials, *metric;
    int64_t points;
    if (ask_needed(x, "trials", &trials) || ask_needed(x, "metric", &metric) ||
        ask_number(x, "points", 2, PICTURE_POINTS_MAX, 400, &points))
        return -1;
    return curves_json(&x->answer.body, x->store, trials, metric,
                       (size_t)points, x->arena, &x->err);
}

int route_bands(struct exchange *x)
{
    const char *where, *metric, *by;
    int64_t points;
    if (ask_text(x, "where", &where) || ask_needed(x, "metric", &metric) ||
        ask_text(x, "by", &by) ||
        ask_number(x, "points", 2, PICTURE_POINTS_MAX, 100, &points))
        return -1;
    return bands_json(&x->answer.body, x->store, where && *where ? where : NULL,
                      metric, by && *by ? by : NULL, (size_t)points, x->arena,
                      &x->err);
}
