/* needs.c - what one task asks of a machine
 *
 * One table of members says for each key how its value is read, where it
 * goes and what is too much; reading, text form and comparison walk it. */
#include "terms/needs.h"

#include <math.h>
#include <stddef.h>

#include "base/chars.h"
#include "base/num.h"

enum member_kind {
    MEMBER_NUMBER,  /* double */
    MEMBER_BYTES,   /* uint64_t */
    MEMBER_COUNT,   /* uint32_t */
    MEMBER_SECONDS, /* double */
    MEMBER_GPUS,    /* double, and the name */
};

struct member {
    const char *key;
    enum member_kind kind;
    size_t offset;
    double most;
    const char *expected; /* for error texts */
};

#define BYTES_MOST 0x1p60
static const char number_text[] = "a number";
static const char bytes_text[] = "a size like 4G or 512M";
static const char count_text[] = "a whole number";
static const char seconds_text[] = "a time like 2h 30m, 90s or 1:30:00";
static const char gpus_text[] =
    "a number (a fraction below 1 shares a gpu) or a name and a number "
    "like a100:2";

#define OF(field) offsetof(struct needs, field)
/* key, kind, field, the most it may be, what is expected */
#define MEMBERS(X)                                                             \
    X("cpus", MEMBER_NUMBER, cpus, 1e6, number_text)                           \
    X("memory", MEMBER_BYTES, memory_bytes, BYTES_MOST, bytes_text)            \
    X("disk", MEMBER_BYTES, disk_bytes, BYTES_MOST, bytes_text)                \
    X("gpus", MEMBER_GPUS, gpus, 1e5, gpus_text)                               \
    X("gpus_minimum_capability", MEMBER_NUMBER, gpu_minimum_capability, 1e3,   \
      number_text)                                                             \
    X("gpus_maximum_capability", MEMBER_NUMBER, gpu_maximum_capability, 1e3,   \
      number_text)                                                             \
    X("gpus_minimum_memory", MEMBER_BYTES, gpu_minimum_memory_bytes,           \
      BYTES_MOST, bytes_text)                                                  \
    X("nodes", MEMBER_COUNT, nodes, 1e6, count_text)                           \
    X("ranks", MEMBER_COUNT, ranks, 1e8, count_text)                           \
    X("ranks_per_node", MEMBER_COUNT, ranks_per_node, 1e6, count_text)         \
    X("time", MEMBER_SECONDS, time_s, 3.2e9, seconds_text)

#define MEMBER(key, kind, field, most, expected)                               \
    {key, kind, OF(field), most, expected},
static const struct member members[] = {MEMBERS(MEMBER)};
enum { MEMBER_ROWS = sizeof(members) / sizeof(*members) };
#define KEY(key, kind, field, most, expected) key,
const char *const needs_keys[] = {MEMBERS(KEY) NULL};

void needs_init(struct needs *n)
{
    *n = (struct needs){.cpus = 1};
}

static double member_get(const struct needs *n, const struct member *m)
{
    const char *at = (const char *)n + m->offset;
    if (m->kind == MEMBER_BYTES)
        return (double)*(const uint64_t *)(const void *)at;
    if (m->kind == MEMBER_COUNT)
        return *(const uint32_t *)(const void *)at;
    return *(const double *)(const void *)at;
}

static void member_put(struct needs *n, const struct member *m, double number,
                       uint64_t bytes)
{
    char *at = (char *)n + m->offset;
    if (m->kind == MEMBER_BYTES)
        *(uint64_t *)(void *)at = bytes;
    else if (m->kind == MEMBER_COUNT)
        *(uint32_t *)(void *)at = (uint32_t)number;
    else
        *(double *)(void *)at = number;
}

/* ---- several processes --------------------------------------------------- */

#define SLACK 1e-6

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

bool is_rank_starter(struct str program)
{
    static const char *const names[] = {
        "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun",
        "srun",   "jsrun",   "aprun",         "ibrun",   NULL};
    struct str name = program, piece;
    while (str_split(&program, '/', &piece))
        name = piece;
    return str_among(name, names);
}

bool needs_spread(const struct needs *n, struct spread *s)
{
    if (n->nodes <= 1 && !n->ranks && !n->ranks_per_node)
        return false;
    *s = (struct spread){n->nodes, n->ranks, n->ranks_per_node};
    if (!s->nodes)
        s->nodes = s->ranks && s->ranks_per_node
                       ? divide_up(s->ranks, s->ranks_per_node)
                       : 1;
    if (!s->ranks) {
        uint64_t all =
            (uint64_t)s->nodes * (n->ranks_per_node ? n->ranks_per_node : 1);
        s->ranks = all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
    }
    if (!s->ranks_per_node)
        s->ranks_per_node = divide_up(s->ranks, s->nodes);
    return true;
}

uint32_t needs_nodes(const struct needs *n)
{
    struct spread s;
    return needs_spread(n, &s) ? s.nodes : 1;
}

int needs_spread_check(const struct needs *n, struct err *err)
{
    struct spread s;
    if (!needs_spread(n, &s))
        return 0;
    if (s.ranks > (uint64_t)s.nodes * s.ranks_per_node)
        return err_set(err, ERR_INPUT,
                       "%u ranks do not fit on %u node%s with %u "
                       "ranks_per_node",
                       s.ranks, s.nodes, s.nodes == 1 ? "" : "s",
                       s.ranks_per_node);
    if (s.ranks < s.nodes)
        return err_set(err, ERR_INPUT,
                       "%u nodes are more than the %u rank%s on them; give "
                       "each node one",
                       s.nodes, s.ranks, s.ranks == 1 ? "" : "s");
    if (s.nodes > 1 && fmod(n->gpus, s.nodes) != 0)
        return err_set(err, ERR_INPUT,
                       "gpus: %g cannot be given to %u nodes evenly; they are "
                       "those of all nodes together",
                       n->gpus, s.nodes);
    return 0;
}

struct needs needs_of_node(const struct needs *n)
{
    struct needs one = *n;
    struct spread s;
    if (!needs_spread(n, &s))
        return one;
    one.cpus = s.ranks_per_node * fmax(1, ceil(n->cpus / s.ranks - SLACK));
    one.memory_bytes = n->memory_bytes / s.nodes;
    one.memory_bytes += n->memory_bytes % s.nodes != 0;
    one.gpus = n->gpus / s.nodes;
    one.nodes = one.ranks = one.ranks_per_node = 0;
    return one;
}

uint32_t needs_per_gpu(const struct needs *n)
{
    return n->gpus > 0 && n->gpus < 1 ? (uint32_t)fmin(1 / n->gpus + SLACK, 1e6)
                                      : 1;
}

struct needs needs_times(const struct needs *n, uint32_t times)
{
    struct needs all = *n;
    all.cpus = n->cpus * times;
    all.memory_bytes = n->memory_bytes * times;
    all.gpus = n->gpus < 1 && n->gpus > 0 ? divide_up(times, needs_per_gpu(n))
                                          : n->gpus * times;
    return all;
}

bool needs_eq(const struct needs *a, const struct needs *b)
{
    for (int i = 0; i < MEMBER_ROWS; i++)
        if (members[i].kind != MEMBER_BYTES &&
            member_get(a, &members[i]) != member_get(b, &members[i]))
            return false;
    return a->memory_bytes == b->memory_bytes &&
           a->disk_bytes == b->disk_bytes &&
           a->gpu_minimum_memory_bytes == b->gpu_minimum_memory_bytes &&
           strcmp(a->gpu_name, b->gpu_name) == 0;
}

static const struct member *member_find(struct str key)
{
    for (int i = 0; i < MEMBER_ROWS; i++)
        if (str_is(key, members[i].key))
            return &members[i];
    return NULL;
}

static int unknown_key(struct str key, struct err *err)
{
    const char *near = str_nearest(key, needs_keys);
    if (near)
        return err_set(err, ERR_INPUT,
                       "no resource is called '%.*s'; did you mean %s?",
                       STRF(key), near);
    return err_set(err, ERR_INPUT, "no resource is called '%.*s'", STRF(key));
}

static int wrong(const struct member *m, const struct value *v, struct err *err)
{
    struct buf text;
    buf_init_max(&text, 200);
    value_python_str(&text, v);
    err_set(err, ERR_INPUT, "%s: '%s' is not %s", m->key,
            text.full ? "…" : text.p, m->expected);
    buf_done(&text);
    return -1;
}

/* Splits "a100:2", "a100" and "2" into a name (maybe empty) and a number. */
static bool split_gpus(struct str text, struct str *name, double *number)
{
    long colon = -1;
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] == ':')
            colon = (long)i;
    *name = str_n(text.p, 0);
    if (colon >= 0) {
        size_t at = (size_t)colon;
        *name = str_trim(str_n(text.p, at));
        struct str rest = str_trim(str_n(text.p + at + 1, text.len - at - 1));
        return name->len > 0 && num_double(rest, number);
    }
    if (num_double(text, number))
        return true;
    *name = text;
    *number = 1;
    return text.len > 0;
}

/* Names that would not survive a text form or a scheduler's command line are
 * refused. */
static int gpu_name_check(struct str name, const struct needs *n,
                          struct err *err)
{
    if (name.len >= sizeof(n->gpu_name))
        return err_set(err, ERR_INPUT,
                       "gpus: the name '%.*s' is longer than %zu characters",
                       name.len < 100 ? (int)name.len : 100, name.p,
                       sizeof(n->gpu_name) - 1);
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.p[i];
        bool letter = is_letter(c);
        bool digit = is_digit(c);
        if (!letter && !digit && !(i > 0 && strchr(" _.-", c) && c))
            return err_set(err, ERR_INPUT, "gpus: '%.*s' is not %s", STRF(name),
                           gpus_text);
    }
    return 0;
}

/* The number in v, or false when it holds none. Sizes also fill *bytes. */
static bool read_number(const struct member *m, const struct value *v,
                        double *number, uint64_t *bytes, struct str *name)
{
    *name = str_n("", 0);
    if (value_is_number(v)) {
        *number = value_number(v);
        bool fits = *number >= 0 && *number < 0x1p63;
        *bytes = v->kind == VALUE_INT ? (uint64_t)v->i
                 : fits               ? (uint64_t)*number
                                      : 0;
        return true;
    }
    struct str text = str_trim(value_text(v));
    if (v->kind != VALUE_STRING || text.len == 0)
        return false;
    /* A sign is a number that is wrong, not a text that is no number. */
    if (text.p[0] == '-' && num_double(text, number))
        return true;
    switch (m->kind) {
    case MEMBER_BYTES:
        if (!num_bytes(text, bytes))
            return false;
        *number = (double)*bytes;
        return true;
    case MEMBER_SECONDS:
        return num_seconds(text, number);
    case MEMBER_GPUS:
        return split_gpus(text, name, number);
    default:
        return num_double(text, number);
    }
}

static int check_number(const struct member *m, double number, struct err *err)
{
    bool whole = number == floor(number);
    if (isnan(number))
        return err_set(err, ERR_INPUT, "%s must be %s, not NaN", m->key,
                       m->expected);
    if (number < 0)
        return err_set(err, ERR_INPUT, "%s must not be negative", m->key);
    if (number > m->most)
        return err_set(err, ERR_INPUT, "%s: %g is more than any machine has",
                       m->key, number);
    if (m->offset == OF(cpus) && number == 0)
        return err_set(err, ERR_INPUT, "cpus must be above 0");
    if (m->kind == MEMBER_COUNT && !whole)
        return err_set(err, ERR_INPUT, "%s: %g is not a whole number", m->key,
                       number);
    if (m->kind == MEMBER_GPUS && number > 1 && !whole)
        return err_set(err, ERR_INPUT,
                       "gpus: %g is neither a whole number nor a fraction "
                       "below 1",
                       number);
    return 0;
}

bool needs_in_megabytes(struct str key, const struct value *v)
{
    const struct member *m = member_find(key);
    double number = 0;
    if (!m || m->offset != OF(gpu_minimum_memory_bytes))
        return false;
    if (value_is_number(v))
        number = value_number(v);
    else if (v->kind != VALUE_STRING || !num_double(str_trim(v->s), &number))
        return false;
    return number > 0 && number < 1 << 20;
}

static int member_set(struct needs *n, const struct member *m,
                      const struct value *v, struct err *err)
{
    double number = NAN;
    uint64_t bytes = 0;
    struct str name;
    if (!read_number(m, v, &number, &bytes, &name))
        return wrong(m, v, err);
    if (check_number(m, number, err))
        return -1;
    if (needs_in_megabytes(str_of(m->key), v))
        bytes = (uint64_t)(number * (1 << 20));
    if (m->kind == MEMBER_GPUS) {
        if (gpu_name_check(name, n, err))
            return -1;
        memset(n->gpu_name, 0, sizeof(n->gpu_name));
        memcpy(n->gpu_name, name.p, name.len);
    }
    member_put(n, m, number, bytes);
    return 0;
}

int needs_set(struct needs *n, struct str key, const struct value *v,
              struct err *err)
{
    const struct member *m = member_find(key);
    if (!m)
        return unknown_key(key, err);
    struct needs copy = *n;
    if (member_set(&copy, m, v, err))
        return -1;
    uint64_t bytes = copy.memory_bytes;
    if (m->offset == OF(memory_bytes) && bytes && bytes < 1 << 20)
        return err_set(err, ERR_INPUT,
                       "memory: %llu bytes are too few to run anything; "
                       "write a unit, like 4G",
                       (unsigned long long)bytes);
    *n = copy;
    return 0;
}

static void add_part(struct buf *b, size_t start)
{
    if (b->len > start)
        buf_adds(b, ", ");
}

static void add_number(struct buf *b, size_t start, double number,
                       const char *one, const char *many)
{
    if (number == 0)
        return;
    add_part(b, start);
    bool is_long = number * 1000 != round(number * 1000);
    if ((number <= 0.125 || is_long) && 1 / number == round(1 / number)) {
        buf_addf(b, "1/%.0f of a %s", 1 / number, one);
        return;
    }
    num_print_short(b, number, 9);
    buf_addf(b, " %s", number == 1 ? one : many);
}

static void add_bytes(struct buf *b, size_t start, uint64_t bytes,
                      const char *what)
{
    if (!bytes)
        return;
    add_part(b, start);
    num_print_bytes(b, bytes);
    buf_adds(b, what);
}

static void add_capability(struct buf *b, size_t start, double capability,
                           const char *what)
{
    if (capability == 0)
        return;
    add_part(b, start);
    buf_addf(b, "gpu capability %s ", what);
    num_print(b, capability);
}

void needs_print(struct buf *b, const struct needs *n)
{
    size_t start = b->len;
    add_number(b, start, n->cpus, "cpu", "cpus");
    add_bytes(b, start, n->memory_bytes, "");
    add_bytes(b, start, n->disk_bytes, " disk");
    add_number(b, start, n->gpus, "gpu", "gpus");
    if (n->gpus > 0 && n->gpu_name[0])
        buf_addf(b, " (%s)", n->gpu_name);
    add_capability(b, start, n->gpu_minimum_capability, "at least");
    add_capability(b, start, n->gpu_maximum_capability, "at most");
    add_bytes(b, start, n->gpu_minimum_memory_bytes, " gpu memory");
    add_number(b, start, n->nodes, "node", "nodes");
    add_number(b, start, n->ranks, "rank", "ranks");
    add_number(b, start, n->ranks_per_node, "rank per node", "ranks per node");
    if (n->time_s > 0) {
        add_part(b, start);
        num_print_seconds(b, n->time_s);
    }
}

static struct value *gpus_to_value(struct arena *a, const struct needs *n)
{
    if (!n->gpu_name[0])
        return value_double(a, n->gpus);
    struct buf text;
    buf_init(&text);
    buf_addf(&text, "%s:", n->gpu_name);
    num_print(&text, n->gpus);
    struct value *v = value_string(a, buf_str(&text));
    buf_done(&text);
    return v;
}

static struct value *member_to_value(struct arena *a, const struct needs *n,
                                     const struct member *m)
{
    const char *at = (const char *)n + m->offset;
    switch (m->kind) {
    case MEMBER_BYTES:
        return value_int(a, (int64_t) * (const uint64_t *)(const void *)at);
    case MEMBER_COUNT:
        return value_int(a, *(const uint32_t *)(const void *)at);
    case MEMBER_GPUS:
        return gpus_to_value(a, n);
    default:
        return value_double(a, member_get(n, m));
    }
}

struct value *needs_to_value(struct arena *a, const struct needs *n)
{
    struct value *object = value_object(a);
    for (int i = 0; i < MEMBER_ROWS; i++) {
        const struct member *m = &members[i];
        bool named = m->kind == MEMBER_GPUS && n->gpu_name[0];
        if (member_get(n, m) != 0 || named)
            value_set(a, object, str_of(m->key), member_to_value(a, n, m));
    }
    return object;
}

int needs_from_value(struct needs *n, const struct value *v, struct err *err)
{
    if (!v || v->kind != VALUE_OBJECT)
        return err_set(err, ERR_INPUT, "resources must be an object");
    struct needs read;
    needs_init(&read);
    for (size_t i = 0; i < v->count; i++) {
        const struct member *m = member_find(v->keys[i]);
        if (!m)
            return unknown_key(v->keys[i], err);
        if (member_set(&read, m, v->items[i], err))
            return -1;
    }
    *n = read;
    return 0;
}
