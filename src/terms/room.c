/* room.c - a ledger of what a machine has and what is taken
 *
 * cpus and parts of GPUs are real numbers, so sums and differences carry
 * rounding errors; SLACK swallows them, and what comes back to nearly all of
 * it is set to all of it. What the machine does not say (memory 0, disk 0)
 * is not counted. */
#include "terms/room.h"

#include <math.h>

#include "base/chars.h"
#include "base/num.h"

static const double SLACK = 1e-9;

void room_init(struct room *r, double cpus, uint64_t memory_bytes,
               uint32_t parallel)
{
    memset(r, 0, sizeof(*r));
    r->cpus = r->free_cpus = cpus;
    r->memory_bytes = r->free_memory_bytes = memory_bytes;
    r->parallel = parallel;
}

void room_add_gpu(struct room *r, const struct room_gpu *gpu)
{
    if (r->gpu_count == ROOM_GPUS_MAX)
        return;
    r->gpus[r->gpu_count] = *gpu;
    r->gpus[r->gpu_count++].free = 1;
}

bool room_gpu_named(struct str name, const char *part)
{
    size_t len = strlen(part);
    for (size_t at = 0; at + len <= name.len; at++) {
        size_t i = 0;
        while (i < len && lower(name.p[at + i]) == lower(part[i]))
            i++;
        if (i == len)
            return true;
    }
    return false;
}

bool room_gpu_fits(const struct room_gpu *g, const struct needs *n)
{
    if (n->gpu_minimum_capability > 0 &&
        g->capability < n->gpu_minimum_capability - SLACK)
        return false;
    if (n->gpu_maximum_capability > 0 &&
        g->capability > n->gpu_maximum_capability + SLACK)
        return false;
    return g->memory_bytes >= n->gpu_minimum_memory_bytes &&
           room_gpu_named(g->name, n->gpu_name);
}

static size_t gpus_fitting(const struct room *r, const struct needs *n)
{
    size_t count = 0;
    for (size_t i = 0; i < r->gpu_count; i++)
        count += room_gpu_fits(&r->gpus[i], n);
    return count;
}

/* "2 gpus (a100) of capability 8 or more with 40 GiB" */
static void describe_gpus(struct buf *b, const struct needs *n)
{
    num_print_short(b, n->gpus, 9);
    buf_adds(b, n->gpus == 1 ? " gpu" : " gpus");
    if (n->gpu_name[0])
        buf_addf(b, " (%s)", n->gpu_name);
    if (n->gpu_minimum_capability > 0)
        buf_addf(b, " of capability %g or more", n->gpu_minimum_capability);
    if (n->gpu_maximum_capability > 0)
        buf_addf(b, " of capability %g or less", n->gpu_maximum_capability);
    if (n->gpu_minimum_memory_bytes) {
        buf_adds(b, " with ");
        num_print_bytes(b, n->gpu_minimum_memory_bytes);
    }
}

static int check_gpus(const struct room *r, const struct needs *n,
                      struct err *err)
{
    size_t fitting = gpus_fitting(r, n);
    if (n->gpus <= (double)fitting + SLACK)
        return 0;
    struct buf b;
    buf_init(&b);
    describe_gpus(&b, n);
    if (r->gpu_count == 0)
        err_set(err, ERR_INPUT, "needs %s, this machine has none", b.p);
    else if (fitting == r->gpu_count)
        err_set(err, ERR_INPUT, "needs %s, this machine has %zu", b.p, fitting);
    else
        err_set(err, ERR_INPUT, "needs %s, %zu of this machine's %zu %s %s",
                b.p, fitting, r->gpu_count, r->gpu_count == 1 ? "gpu" : "gpus",
                fitting == 1 ? "fits" : "fit");
    buf_done(&b);
    return -1;
}

static int check_bytes(uint64_t need, uint64_t has, const char *what,
                       struct err *err)
{
    if (!has || need <= has)
        return 0;
    struct buf asked, there;
    buf_init(&asked);
    buf_init(&there);
    num_print_bytes(&asked, need);
    num_print_bytes(&there, has);
    err_set(err, ERR_INPUT, "needs %s of %s, this machine has %s", asked.p,
            what, there.p);
    buf_done(&asked);
    buf_done(&there);
    return -1;
}

int room_check(const struct room *r, const struct needs *n, struct err *err)
{
    uint32_t nodes = needs_nodes(n);
    if (nodes > 1)
        return err_set(err, ERR_INPUT, "needs %u nodes, this is one machine",
                       nodes);
    if (n->cpus > r->cpus + SLACK)
        return err_set(err, ERR_INPUT,
                       "needs %.9g cpu%s, this machine has %.9g", n->cpus,
                       n->cpus == 1 ? "" : "s", r->cpus);
    if (check_bytes(n->memory_bytes, r->memory_bytes, "memory", err) ||
        check_bytes(n->disk_bytes, r->disk_bytes, "disk", err))
        return -1;
    return check_gpus(r, n, err);
}

static bool is_fraction(const struct needs *n)
{
    return n->gpus > 0 && n->gpus < 1 - SLACK;
}

/* The fullest GPU that can take the fraction, or -1. */
static long pick_shared(const struct room *r, const struct needs *n)
{
    long best = -1;
    for (size_t i = 0; i < r->gpu_count; i++) {
        const struct room_gpu *g = &r->gpus[i];
        if (!g->elsewhere && room_gpu_fits(g, n) &&
            g->free >= n->gpus - SLACK &&
            (best < 0 || g->free < r->gpus[best].free))
            best = (long)i;
    }
    return best;
}

/* Fills the grant's GPUs without taking them; false when they are not free. */
static bool pick_gpus(const struct room *r, const struct needs *n,
                      struct grant *g)
{
    g->gpu_count = 0;
    if (n->gpus <= 0)
        return true;
    if (is_fraction(n)) {
        long one = pick_shared(r, n);
        if (one < 0)
            return false;
        g->gpus[g->gpu_count++] = (uint8_t)one;
        return true;
    }
    size_t want = (size_t)(n->gpus + 0.5);
    for (size_t i = 0; i < r->gpu_count && g->gpu_count < want; i++)
        if (!r->gpus[i].elsewhere && room_gpu_fits(&r->gpus[i], n) &&
            r->gpus[i].free >= 1 - SLACK)
            g->gpus[g->gpu_count++] = (uint8_t)i;
    return g->gpu_count == want;
}

static bool fits_now(const struct room *r, const struct needs *n)
{
    if (r->parallel && r->running >= r->parallel)
        return false;
    double lent = r->running ? r->lent_cpus : 0;
    if (needs_nodes(n) > 1 || n->cpus > r->free_cpus - lent + SLACK)
        return false;
    if (r->memory_bytes && n->memory_bytes > r->free_memory_bytes)
        return false;
    return !r->disk_bytes || n->disk_bytes <= r->free_disk_bytes;
}

bool room_take(struct room *r, const struct needs *n, struct grant *g)
{
    struct grant got = {.needs = *n};
    if (!fits_now(r, n) || !pick_gpus(r, n, &got))
        return false;
    r->running++;
    r->free_cpus = fmax(r->free_cpus - n->cpus, 0);
    if (r->memory_bytes)
        r->free_memory_bytes -= n->memory_bytes;
    if (r->disk_bytes)
        r->free_disk_bytes -= n->disk_bytes;
    for (size_t i = 0; i < got.gpu_count; i++) {
        struct room_gpu *gpu = &r->gpus[got.gpus[i]];
        gpu->free = fmax(gpu->free - fmin(n->gpus, 1), 0);
    }
    *g = got;
    return true;
}

/* What is within SLACK of all, or past it, is all. */
static double give(double free, double back, double all)
{
    free += back;
    return free > all - SLACK ? all : free;
}

void room_give_back(struct room *r, const struct grant *g)
{
    const struct needs *n = &g->needs;
    require(r->running > 0);
    r->running--;
    r->free_cpus = give(r->free_cpus, n->cpus, r->cpus);
    if (r->memory_bytes)
        r->free_memory_bytes += n->memory_bytes;
    if (r->disk_bytes)
        r->free_disk_bytes += n->disk_bytes;
    for (size_t i = 0; i < g->gpu_count; i++) {
        struct room_gpu *gpu = &r->gpus[g->gpus[i]];
        gpu->free = give(gpu->free, fmin(n->gpus, 1), 1);
    }
}

static double slots_of_gpus(const struct room *r, const struct needs *n)
{
    double fitting = (double)gpus_fitting(r, n);
    if (is_fraction(n))
        return fitting * floor((1 + SLACK) / n->gpus);
    return floor((fitting + SLACK) / n->gpus);
}

uint32_t room_slots(const struct room *r, const struct needs *n)
{
    if (room_check(r, n, NULL))
        return 0;
    double slots = UINT32_MAX;
    if (r->parallel)
        slots = r->parallel;
    if (n->cpus > 0)
        slots = fmin(slots, floor((r->cpus + SLACK) / n->cpus));
    if (r->memory_bytes && n->memory_bytes)
        slots = fmin(slots, (double)(r->memory_bytes / n->memory_bytes));
    if (r->disk_bytes && n->disk_bytes)
        slots = fmin(slots, (double)(r->disk_bytes / n->disk_bytes));
    if (n->gpus > 0)
        slots = fmin(slots, slots_of_gpus(r, n));
    return (uint32_t)slots;
}

void room_print_gpus(struct buf *b, const struct room *r, const struct grant *g)
{
    for (size_t i = 0; i < g->gpu_count; i++) {
        if (i)
            buf_addc(b, ',');
        buf_addstr(b, r->gpus[g->gpus[i]].id);
    }
}

/* Text inside the text form: what separates there goes as %XX. */
static void print_escaped(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 32 || strchr("%;/", c))
            buf_addf(b, "%%%02X", c);
        else
            buf_addc(b, (char)c);
    }
}

void room_print(struct buf *b, const struct room *r)
{
    buf_adds(b, "cpus=");
    num_print(b, r->cpus);
    buf_addf(b, ";memory=%llu", (unsigned long long)r->memory_bytes);
    if (r->disk_bytes)
        buf_addf(b, ";disk=%llu", (unsigned long long)r->disk_bytes);
    buf_addf(b, ";parallel=%u", r->parallel);
    for (size_t i = 0; i < r->gpu_count; i++) {
        const struct room_gpu *g = &r->gpus[i];
        buf_adds(b, ";gpu=");
        print_escaped(b, g->id);
        buf_addc(b, '/');
        print_escaped(b, g->name);
        buf_addc(b, '/');
        num_print(b, g->capability);
        buf_addf(b, "/%llu/%u", (unsigned long long)g->memory_bytes, g->number);
    }
}

static bool unescape(struct str s, struct arena *a, struct str *out)
{
    char *p = arena_alloc(a, s.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] != '%') {
            p[len++] = s.p[i];
            continue;
        }
        int high = i + 2 < s.len ? hex_digit(s.p[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(s.p[i + 2]) : -1;
        if (low < 0)
            return false;
        p[len++] = (char)(high * 16 + low);
        i += 2;
    }
    *out = str_n(p, len);
    return true;
}

static bool parse_gpu(struct room *r, struct str text, struct arena *a)
{
    struct room_gpu g = {.free = 1};
    struct str id, name, capability, bytes, number;
    uint64_t n;
    if (r->gpu_count == ROOM_GPUS_MAX)
        return false;
    if (!str_split(&text, '/', &id) || !str_split(&text, '/', &name) ||
        !str_split(&text, '/', &capability) || !str_split(&text, '/', &bytes) ||
        !str_split(&text, '/', &number) || text.p)
        return false;
    if (!unescape(id, a, &g.id) || !unescape(name, a, &g.name) ||
        !num_double(capability, &g.capability) || !isfinite(g.capability) ||
        !num_uint(bytes, &g.memory_bytes) || !num_uint(number, &n) ||
        n > UINT32_MAX)
        return false;
    g.number = (unsigned)n;
    room_add_gpu(r, &g);
    return true;
}

static bool parse_member(struct room *r, struct str key, struct str text,
                         struct arena *a)
{
    uint64_t number;
    if (str_is(key, "cpus"))
        return num_double(text, &r->cpus) && r->cpus >= 0 && isfinite(r->cpus);
    if (str_is(key, "memory"))
        return num_uint(text, &r->memory_bytes);
    if (str_is(key, "disk"))
        return num_uint(text, &r->disk_bytes);
    if (str_is(key, "gpu"))
        return parse_gpu(r, text, a);
    if (!str_is(key, "parallel") || !num_uint(text, &number) ||
        number > UINT32_MAX)
        return false;
    r->parallel = (uint32_t)number;
    return true;
}

int room_parse(struct room *r, struct str text, struct arena *a,
               struct err *err)
{
    struct room read;
    room_init(&read, 0, 0, 0);
    struct str part;
    while (str_split(&text, ';', &part)) {
        long equals = str_find(part, '=');
        size_t at = equals < 0 ? part.len : (size_t)equals;
        struct str key = str_n(part.p, at);
        struct str value =
            equals < 0 ? STR("") : str_n(part.p + at + 1, part.len - at - 1);
        if (equals < 0 || !parse_member(&read, key, value, a))
            return err_set(err, ERR_INPUT,
                           "'%.*s' is no part of a machine's description",
                           part.len < 200 ? (int)part.len : 200, part.p);
    }
    read.free_cpus = read.cpus;
    read.free_memory_bytes = read.memory_bytes;
    read.free_disk_bytes = read.disk_bytes;
    *r = read;
    return 0;
}
