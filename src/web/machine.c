/* machine.c - this machine: what it has, and how much of it was used lately
 *
 * A server looks at its machine every few seconds as long as it lives, and
 * remembers the last hour, so that a page that opens shows how it went. What
 * tasks used on other machines is known by their attempts: view/load.c. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "web/routes.h"

#define EVERY_S 5
#define KEPT 720 /* looks: an hour */

struct sample {
    double time;  /* unix time; 0: none */
    double cpus;  /* that were busy since the look before; NAN: not known */
    double bytes; /* of memory that are used */
    double *gpus; /* bytes used of each; NAN: not known */
    double *busy; /* part of the time that each was; NAN: not known */
};

struct machine_log {
    struct arena *arena;
    struct machine machine;
    struct gpu_scout *scout;
    struct loop_source *timer;
    struct sample samples[KEPT];
    size_t next;
    double busy_s; /* cpu seconds at the look before */
    int64_t looked_ns;
};

static double busy_since(struct machine_log *m)
{
    double busy = machine_busy_seconds();
    int64_t now = clock_mono_ns();
    double passed = (double)(now - m->looked_ns) / 1e9;
    double cpus = m->looked_ns && busy >= 0 && passed > 0
                      ? (busy - m->busy_s) / passed
                      : NAN;
    m->busy_s = busy;
    m->looked_ns = now;
    return cpus;
}

static double used_bytes(const struct machine *m)
{
    double bytes = (double)m->memory_bytes - (double)machine_memory_free();
    return bytes > 0 ? bytes : 0;
}

static void look(void *context)
{
    struct machine_log *m = context;
    struct sample *s = &m->samples[m->next++ % KEPT];
    s->time = clock_wall();
    s->cpus = busy_since(m);
    s->bytes = used_bytes(&m->machine);
    for (size_t i = 0; i < m->machine.gpu_count; i++) {
        struct gpu_use use = {0};
        gpu_scout_look(m->scout, i, &use);
        s->gpus[i] = use.known ? (double)use.used_bytes : NAN;
        s->busy[i] = use.busy;
    }
    loop_timer_in(m->timer, EVERY_S);
}

struct machine_log *machine_log_open(struct loop *loop, struct err *err)
{
    struct machine_log *m = xcalloc(1, sizeof(*m));
    m->arena = arena_new();
    if (machine_read(&m->machine, getenv("THRONG_GPUS"), m->arena, err)) {
        machine_log_close(m);
        return NULL;
    }
    m->scout = gpu_scout_open(&m->machine, getenv("THRONG_GPUS_USE"));
    size_t gpus = m->machine.gpu_count;
    double *room = arena_array(m->arena, KEPT * 2 * gpus + 1, sizeof(*room));
    for (size_t i = 0; i < KEPT; i++) {
        m->samples[i].gpus = room + i * 2 * gpus;
        m->samples[i].busy = room + (i * 2 + 1) * gpus;
    }
    m->timer = loop_timer(loop, look, m);
    loop_timer_in(m->timer, 0);
    return m;
}

void machine_log_close(struct machine_log *m)
{
    if (!m)
        return;
    gpu_scout_close(m->scout);
    arena_free(m->arena);
    free(m);
}

/* ---- JSON -------------------------------------------------------------- */

static void add_gpu(struct buf *b, const struct gpu *g, const struct gpu_use *u)
{
    buf_adds(b, "{\"name\":");
    json_string(b, str_of(g->name));
    buf_addf(b, ",\"memory_bytes\":%llu,\"used_bytes\":",
             (unsigned long long)g->memory_bytes);
    if (u->known)
        buf_addf(b, "%llu,\"processes\":%zu", (unsigned long long)u->used_bytes,
                 u->pid_count);
    else
        buf_adds(b, "null,\"processes\":null");
    buf_adds(b, ",\"busy\":");
    strict_number_or_null(b, u->busy);
    buf_addc(b, '}');
}

static double when_of(const struct sample *s, size_t i)
{
    (void)i;
    return s->time;
}

static double cpus_of(const struct sample *s, size_t i)
{
    (void)i;
    return s->cpus;
}

static double memory_of(const struct sample *s, size_t i)
{
    (void)i;
    return s->bytes;
}

static double gpu_of(const struct sample *s, size_t i)
{
    return s->gpus[i];
}

static double busy_of(const struct sample *s, size_t i)
{
    return s->busy[i];
}

/* One number of every look, the oldest first. */
static void add_list(struct buf *b, const struct machine_log *m,
                     double of(const struct sample *, size_t), size_t i)
{
    size_t count = m->next < KEPT ? m->next : KEPT;
    buf_addc(b, '[');
    for (size_t k = 0; k < count; k++) {
        const struct sample *s = &m->samples[(m->next - count + k) % KEPT];
        buf_adds(b, k ? "," : "");
        strict_number_or_null(b, round(of(s, i) * 1e3) / 1e3);
    }
    buf_addc(b, ']');
}

static void add_gpus(struct buf *b, const struct machine_log *m,
                     const char *name, double of(const struct sample *, size_t))
{
    buf_addf(b, ",\"%s\":[", name);
    for (size_t i = 0; i < m->machine.gpu_count; i++) {
        buf_adds(b, i ? "," : "");
        add_list(b, m, of, i);
    }
    buf_addc(b, ']');
}

static void add_lately(struct buf *b, const struct machine_log *m)
{
    buf_addf(b, ",\"lately\":{\"every\":%d,\"times\":", EVERY_S);
    add_list(b, m, when_of, 0);
    buf_adds(b, ",\"cpus\":");
    add_list(b, m, cpus_of, 0);
    buf_adds(b, ",\"used_bytes\":");
    add_list(b, m, memory_of, 0);
    add_gpus(b, m, "gpus", gpu_of);
    add_gpus(b, m, "gpus_busy", busy_of);
    buf_addc(b, '}');
}

int route_machine(struct exchange *x)
{
    const struct machine_log *log = x->web->machine;
    struct buf *b = &x->answer.body;
    double load[3];
    if (!log)
        return err_set(&x->err, ERR_MISSING, "only a server knows its machine");
    const struct machine *m = &log->machine;
    buf_adds(b, "{\"schema\":\"throng.machine/1\",\"host\":");
    json_string(b, str_of(m->host));
    buf_addf(b, ",\"cpus\":%u,\"load\":", m->cpus);
    strict_number_or_null(b, getloadavg(load, 1) == 1 ? load[0] : NAN);
    buf_addf(b, ",\"memory_bytes\":%llu,\"free_bytes\":%llu,\"gpus\":[",
             (unsigned long long)m->memory_bytes,
             (unsigned long long)machine_memory_free());
    for (size_t i = 0; i < m->gpu_count; i++) {
        struct gpu_use use = {0};
        gpu_scout_look(log->scout, i, &use);
        buf_adds(b, i ? "," : "");
        add_gpu(b, &m->gpus[i], &use);
    }
    buf_addc(b, ']');
    add_lately(b, log);
    buf_adds(b, "}\n");
    return 0;
}
