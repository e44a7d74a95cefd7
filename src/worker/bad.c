/* bad.c - rows of which nothing is predicted
 *
 * A row that cannot be read, or of which a model says what is no finite number,
 * costs the others nothing: it is counted, and the first of them are told. Rows
 * that cannot be read are asked for all the same, with any numbers, so that
 * what is drawn for a row does not hang on those before it; what is said of
 * them is made nothing here. */
#include <math.h>

#include "base/csv.h"
#include "worker/member.h"
#include "worker/rows.h"

#define SAID 5 /* of those that are told, to people */

struct bad {
    struct member *member;
    const char *file; /* that the rows are of */
    size_t rows;      /* of all */
    bool *is;         /* by row: it cannot be read; NULL: all can */
    size_t unread, count;
    struct data_bad_row told[DATA_BAD_TOLD]; /* in the order of rows */
    size_t told_count;
};

/* ---- which they are -------------------------------------------------------
 */

/* The first fault of a row is told, and the first rows. */
static void tell(struct bad *b, const struct data_bad_row *one)
{
    size_t at = b->told_count, last;
    while (at > 0 && b->told[at - 1].row > one->row)
        at--;
    if (at == DATA_BAD_TOLD || (at > 0 && b->told[at - 1].row == one->row))
        return;
    last = at < b->told_count && b->told_count == DATA_BAD_TOLD
               ? DATA_BAD_TOLD - 1
               : b->told_count;
    memmove(b->told + at + 1, b->told + at, (last - at) * sizeof(*b->told));
    b->told[at] = *one;
    b->told_count = last + 1;
}

/* A row that one model cannot read is one that nobody answers for. */
static void take_seat(struct bad *b, const struct member *m)
{
    const struct data_bad_rows *own = data_bad_rows(m->source->set);
    b->file = own->file;
    if (!own->count)
        return;
    if (!b->is)
        b->is = arena_array(b->member->arena, b->rows + 1, sizeof(*b->is));
    for (size_t i = 0; i < b->rows; i++) {
        b->unread += own->is[i] && !b->is[i];
        b->is[i] |= own->is[i];
    }
    for (size_t i = 0; i < own->told_count; i++)
        tell(b, &own->told[i]);
}

bool bad_wanted(const struct member *m)
{
    return m->task.predictions && !m->product;
}

static const char *place_of(const struct bad *b, const struct data_bad_row *r);

struct bad *bad_open(struct member *m, struct err *err)
{
    struct bad *b = arena_new_of(m->arena, struct bad);
    const struct data_part *part;
    size_t seats = m->committee ? committee_seats(m->committee) : 0;
    b->member = m;
    b->rows = m->view.table->rows;
    if (!seats)
        take_seat(b, m);
    for (size_t i = 0; i < seats; i++)
        take_seat(b, committee_seat(m->committee, i, &part));
    b->count = b->unread;
    if (m->task.shard.file.len || !b->rows || b->unread < b->rows)
        return b;
    err_set(err, ERR_INPUT, "no row can be read; the first: %s: %s",
            place_of(b, &b->told[0]), b->told[0].what);
    return NULL;
}

const bool *bad_unread(const struct bad *b)
{
    return b ? b->is : NULL;
}

size_t bad_count(const struct bad *b)
{
    return b ? b->count : 0;
}

/* ---- what is said of them -------------------------------------------------
 */

static bool is_number(const double *outputs, size_t wide)
{
    for (size_t k = 0; k < wide; k++)
        if (!isfinite(outputs[k]))
            return false;
    return true;
}

void bad_look(struct bad *b, const struct bad_piece *p)
{
    for (size_t r = 0; b && r < p->count; r++) {
        double *outputs = p->outputs + r * p->wide;
        double *more = p->more + r * p->some;
        uint32_t row = p->rows[r];
        bool unread = b->is && b->is[row];
        if (!unread && is_number(outputs, p->wide))
            continue;
        for (size_t k = 0; k < p->wide; k++)
            outputs[k] = NAN;
        for (size_t k = 0; k < p->some; k++)
            more[k] = NAN;
        if (unread)
            continue;
        b->count++;
        tell(b, &(struct data_bad_row){
                    .row = row,
                    .column = "",
                    .what = "what is predicted is no finite number"});
    }
}

/* ---- telling --------------------------------------------------------------
 */

static uint64_t row_of(const struct bad *b, const struct data_bad_row *r)
{
    return b->member->task.shard.first +
           data_row_in_file(b->member->view.table, r->row) + 1;
}

/* In the file that the shard was cut from; 0: nobody knows. */
static uint64_t line_of(const struct bad *b, const struct data_bad_row *r)
{
    uint64_t before = b->member->task.shard.lines;
    return r->line && before < UINT64_MAX ? before + r->line : 0;
}

static const char *file_of(const struct bad *b)
{
    const struct task_shard *s = &b->member->task.shard;
    struct arena *a = b->member->arena;
    return s->name.len   ? arena_cstr(a, s->name)
           : s->file.len ? arena_cstr(a, path_name(arena_cstr(a, s->file)))
           : b->file     ? b->file
                         : "the rows";
}

/* "new.csv:7: column a" */
static const char *place_of(const struct bad *b, const struct data_bad_row *r)
{
    struct arena *a = b->member->arena;
    uint64_t line = line_of(b, r);
    const char *at =
        line ? arena_printf(a, "%s:%llu", file_of(b), (unsigned long long)line)
             : arena_printf(a, "%s: row %llu", file_of(b),
                            (unsigned long long)row_of(b, r));
    return r->column[0] ? arena_printf(a, "%s: column %s", at, r->column) : at;
}

static int write_list(struct train *t, const struct bad *b, struct err *err)
{
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < b->told_count; i++) {
        const struct data_bad_row *r = &b->told[i];
        uint64_t line = line_of(b, r);
        buf_addf(&text, "%llu,", (unsigned long long)row_of(b, r));
        if (line)
            buf_addf(&text, "%llu", (unsigned long long)line);
        buf_addc(&text, ',');
        csv_field(&text, str_of(r->column), ',');
        buf_addc(&text, ',');
        csv_field(&text, str_of(r->what), ',');
        buf_addc(&text, '\n');
    }
    int rc = file_write(member_file(t, b->member, ROWS_BAD), buf_str(&text),
                        false, err);
    buf_done(&text);
    return rc;
}

static void say(struct train *t, const struct bad *b)
{
    struct member *m = b->member;
    bool shard = m->task.shard.file.len > 0;
    size_t most = shard ? 1 : SAID;
    for (size_t i = 0; i < b->told_count && i < most; i++)
        member_say(t, m, RECORD_NOTICE,
                   str_of(arena_printf(
                       m->arena, "%s: %s%s", place_of(b, &b->told[i]),
                       b->told[i].what, shard ? ": no prediction" : "")));
    metric_batch_add(m->batch, STR("bad_rows"), METRIC_FROM_METRICS, 0,
                     (double)b->count);
    member_say_metrics(t, m);
}

int bad_end(struct train *t, struct bad *b, struct err *err)
{
    if (!b || !b->count)
        return 0;
    if (b->member->task.shard.file.len && write_list(t, b, err))
        return -1;
    say(t, b);
    return 0;
}
