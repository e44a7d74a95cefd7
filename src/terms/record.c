/* record.c - what a worker says back, and what it is told */
#include "terms/record.h"

#include "base/hash.h"

enum {
    FRAME = 8,     /* length and checksum */
    HEADER_1 = 16, /* version, type, zero, attempt, task */
    HEADER = 20    /* … and sequence */
};

#define SECONDS_MAX 1e12

_Static_assert(FRAME + HEADER == RECORD_MAX - RECORD_PAYLOAD_MAX,
               "a record of the largest payload is a record of RECORD_MAX");

static bool type_known(unsigned type)
{
    return (type >= RECORD_HELLO && type <= RECORD_USE) ||
           (type >= RECORD_TASK && type <= RECORD_GPUS);
}

static uint8_t version_of(enum record_type type)
{
    return type == RECORD_USE        ? 6
           : type == RECORD_GPUS     ? 5
           : type == RECORD_PARALLEL ? 4
           : type == RECORD_FILE     ? 3
                                     : 2;
}

void record_print(struct buf *b, const struct record *r)
{
    require(r->payload.len <= RECORD_PAYLOAD_MAX);
    size_t start = b->len;
    buf_reserve(b, FRAME + HEADER + r->payload.len);
    buf_add_u32(b, (uint32_t)(4 + HEADER + r->payload.len));
    buf_add_u32(b, 0);
    buf_add_u8(b, version_of(r->type));
    buf_add_u8(b, (uint8_t)r->type);
    buf_add_u8(b, 0);
    buf_add_u8(b, 0);
    buf_add_u32(b, r->attempt);
    buf_add_u64(b, r->task);
    buf_add_u32(b, r->sequence);
    buf_addstr(b, r->payload);
    /* A buf with a maximum may have refused some of it. */
    if (b->full)
        return;
    struct str body = str_n(b->p + start + FRAME, b->len - start - FRAME);
    uint32_t sum = hash32(body, 0);
    for (int i = 0; i < 4; i++)
        b->p[start + 4 + (size_t)i] = (char)(sum >> (8 * i) & 0xff);
}

static int damaged(struct err *err, const char *how)
{
    return err_set(err, ERR_CORRUPT, "a record is damaged: %s", how);
}

static int parse_header(struct str body, struct record *r, struct err *err)
{
    struct bytes in = bytes_of(body);
    unsigned version = bytes_u8(&in), type = bytes_u8(&in);
    unsigned zero = bytes_u8(&in);
    zero |= bytes_u8(&in);
    if (version > RECORD_VERSION)
        return err_set(err, ERR_CORRUPT,
                       "a record has version %u, this program knows versions "
                       "up to %d: one of throng and throng-worker is newer "
                       "than the other",
                       version, RECORD_VERSION);
    size_t header = version == 1 ? HEADER_1 : HEADER;
    if (version == 0 || zero || body.len < header)
        return damaged(err, "its header makes no sense");
    if (!type_known(type))
        return err_set(err, ERR_CORRUPT,
                       "a record is damaged: no record has type %u", type);
    r->type = (enum record_type)type;
    r->attempt = bytes_u32(&in);
    r->task = bytes_u64(&in);
    r->sequence = version == 1 ? 0 : bytes_u32(&in);
    r->payload = str_n(body.p + header, body.len - header);
    return 0;
}

int record_parse(struct str bytes, struct record *r, size_t *used,
                 struct err *err)
{
    if (bytes.len < 4)
        return 0;
    struct bytes in = bytes_of(bytes);
    uint32_t len = bytes_u32(&in);
    if (len < 4 + HEADER_1 || len > RECORD_MAX - 4)
        return damaged(err, "its length makes no sense");
    if (bytes.len - 4 < len)
        return 0;
    uint32_t sum = bytes_u32(&in);
    struct str body = str_n(bytes.p + FRAME, len - 4);
    if (hash32(body, 0) != sum)
        return damaged(err, "its checksum is wrong");
    struct record read;
    if (parse_header(body, &read, err))
        return -1;
    *r = read;
    *used = 4 + (size_t)len;
    return 1;
}

/* The payload must have been read whole, neither more nor less. */
static int payload_end(const struct bytes *in, const char *what,
                       struct err *err)
{
    if (!in->bad && in->p == in->end)
        return 0;
    return err_set(err, ERR_CORRUPT, "the payload of a %s record is %s", what,
                   in->bad ? "too short" : "too long");
}

void record_hello_print(struct buf *b, const struct record_hello *h)
{
    buf_add_u64(b, h->pid);
    buf_add_bytes(b, h->host);
    buf_add_bytes(b, h->version);
}

int record_hello_parse(struct str payload, struct record_hello *h,
                       struct err *err)
{
    struct bytes in = bytes_of(payload);
    struct record_hello read = {.pid = bytes_u64(&in)};
    read.host = bytes_str(&in);
    read.version = bytes_str(&in);
    if (payload_end(&in, "hello", err))
        return -1;
    *h = read;
    return 0;
}

void record_started_print(struct buf *b, const struct record_started *s)
{
    buf_add_u64(b, s->pid);
    buf_add_u64(b, s->pid_start);
    buf_add_f64(b, s->wall);
    buf_add_bytes(b, s->boot_id);
    buf_add_bytes(b, s->host);
}

int record_started_parse(struct str payload, struct record_started *s,
                         struct err *err)
{
    struct bytes in = bytes_of(payload);
    struct record_started read = {.pid = bytes_u64(&in)};
    read.pid_start = bytes_u64(&in);
    read.wall = bytes_f64(&in);
    read.boot_id = bytes_str(&in);
    if (in.p < in.end)
        read.host = bytes_str(&in);
    if (payload_end(&in, "started", err))
        return -1;
    *s = read;
    return 0;
}

void record_points_print(struct buf *b, const struct record_points *p)
{
    buf_add_u64(b, p->metrics_at);
    buf_add_u64(b, p->log_at);
    buf_add_u8(b, p->earlier);
    buf_addstr(b, p->batch);
}

int record_points_parse(struct str payload, struct record_points *p,
                        struct err *err)
{
    struct bytes in = bytes_of(payload);
    struct record_points read = {.metrics_at = bytes_u64(&in)};
    read.log_at = bytes_u64(&in);
    unsigned earlier = bytes_u8(&in);
    if (in.bad || earlier > 1)
        return err_set(err, ERR_CORRUPT,
                       "the payload of a points record makes no sense");
    read.earlier = earlier == 1;
    read.batch = bytes_take(&in, (size_t)(in.end - in.p));
    *p = read;
    return 0;
}

void record_file_print(struct buf *b, struct str name)
{
    buf_add_bytes(b, name);
}

int record_file_parse(struct str payload, struct record_file *f,
                      struct err *err)
{
    struct bytes in = bytes_of(payload);
    struct record_file read = {.name = bytes_str(&in)};
    if (in.bad)
        return payload_end(&in, "file", err);
    read.text = str_n((const char *)in.p, (size_t)(in.end - in.p));
    *f = read;
    return 0;
}

void record_use_print(struct buf *b, const struct record_use *u)
{
    buf_add_f64(b, u->seconds);
    buf_add_f64(b, u->cpu_seconds);
    use_print(b, &u->use);
}

int record_use_parse(struct str payload, struct record_use *u, struct err *err)
{
    struct bytes in = bytes_of(payload);
    struct record_use read = {.seconds = bytes_f64(&in)};
    read.cpu_seconds = bytes_f64(&in);
    if (!use_parse(&in, &read.use))
        in.bad = true;
    if (payload_end(&in, "use", err))
        return -1;
    if (!(read.seconds >= 0 && read.seconds < SECONDS_MAX) ||
        !(read.cpu_seconds >= 0 && read.cpu_seconds < SECONDS_MAX))
        return err_set(err, ERR_CORRUPT,
                       "a record of what an attempt uses has a time that is "
                       "none");
    *u = read;
    return 0;
}

void record_ended_print(struct buf *b, const struct record_ended *e)
{
    buf_add_u8(b, (uint8_t)e->outcome);
    buf_add_u32(b, (uint32_t)e->exit_code);
    buf_add_u32(b, (uint32_t)e->signum);
    buf_add_f64(b, e->wall);
    buf_add_f64(b, e->seconds);
    buf_add_f64(b, e->cpu_seconds);
    buf_add_u64(b, e->max_rss_bytes);
    buf_add_u64(b, e->output_bytes);
    buf_add_u64(b, e->checkpoint_digest);
    buf_add_u64(b, e->metric_points);
    buf_add_bytes(b, e->reason);
    buf_add_bytes(b, e->tail);
    bool used = use_is_known(&e->use);
    if (e->company || e->faults.len || used)
        buf_add_u32(b, e->company);
    if (e->faults.len || used)
        buf_add_bytes(b, e->faults);
    if (used)
        use_print(b, &e->use);
}

void record_fault_print(struct buf *faults, const struct record_fault *f)
{
    buf_add_bytes(faults, f->at);
    buf_add_bytes(faults, f->text);
}

bool record_fault_next(struct str *faults, struct record_fault *f)
{
    struct bytes in = bytes_of(*faults);
    struct record_fault read = {.at = bytes_str(&in)};
    read.text = bytes_str(&in);
    if (in.bad)
        return false;
    *faults = bytes_take(&in, (size_t)(in.end - in.p));
    *f = read;
    return true;
}

int record_ended_parse(struct str payload, struct record_ended *e,
                       struct err *err)
{
    struct bytes in = bytes_of(payload);
    unsigned outcome = bytes_u8(&in);
    struct record_ended read = {0};
    read.exit_code = (int32_t)bytes_u32(&in);
    read.signum = (int32_t)bytes_u32(&in);
    read.wall = bytes_f64(&in);
    read.seconds = bytes_f64(&in);
    read.cpu_seconds = bytes_f64(&in);
    read.max_rss_bytes = bytes_u64(&in);
    read.output_bytes = bytes_u64(&in);
    read.checkpoint_digest = bytes_u64(&in);
    read.metric_points = bytes_u64(&in);
    read.reason = bytes_str(&in);
    read.tail = bytes_str(&in);
    if (!in.bad && in.p != in.end)
        read.company = bytes_u32(&in);
    if (!in.bad && in.p != in.end)
        read.faults = bytes_str(&in);
    if (!in.bad && in.p != in.end && !use_parse(&in, &read.use))
        in.bad = true;
    if (payload_end(&in, "ended", err))
        return -1;
    if (outcome == OUTCOME_NONE || outcome >= OUTCOME_COUNT)
        return err_set(err, ERR_CORRUPT,
                       "an ended record has the unknown outcome %u", outcome);
    read.outcome = (enum outcome)outcome;
    *e = read;
    return 0;
}
