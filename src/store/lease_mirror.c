/* lease_mirror.c - lease.json, which says what the row of the lease says
 *
 * It serves readers that cannot open the store (a holder on a network file
 * system keeps it locked). It is a mirror: only the row decides. */
#include "store/lease.h"

#include <stdio.h>
#include "base/json.h"

static uint64_t number_of(const struct value *v, struct str name)
{
    const struct value *one = value_get(v, name);
    return one && one->kind == VALUE_INT ? (uint64_t)one->i : 0;
}

static void lease_of(const struct value *v, struct lease *l)
{
    struct str host = value_text(value_get(v, STR("host")));
    struct str boot = value_text(value_get(v, STR("boot_id")));
    const struct value *touched = value_get(v, STR("touched"));
    *l = (struct lease){
        .epoch = number_of(v, STR("epoch")),
        .process = {.pid = (pid_t)number_of(v, STR("pid")),
                    .start = number_of(v, STR("pid_start"))},
        .pid_space = number_of(v, STR("pid_space")),
        .lock = number_of(v, STR("lock")),
        .touches = number_of(v, STR("touches")),
        .touched = value_is_number(touched) ? value_number(touched) : 0,
    };
    snprintf(l->host, sizeof l->host, "%.*s", STRF(host));
    snprintf(l->boot_id, sizeof l->boot_id, "%.*s", STRF(boot));
}

int lease_mirror_read(const char *folder, struct lease *lease, struct err *err)
{
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    char *path = path_join(a, folder, "lease.json");
    struct value *v = NULL;
    if (file_read(path, 65536, &b, err) == 0)
        v = json_parse(a, buf_str(&b), path, false, err);
    if (v)
        lease_of(v, lease);
    buf_done(&b);
    arena_free(a);
    return v ? 0 : -1;
}

static void add_number(struct buf *b, const char *name, uint64_t n)
{
    buf_addf(b, ",\"%s\":%llu", name, (unsigned long long)n);
}

/* A mirror that cannot be written is no reason to stop. */
void lease_mirror_write(const struct store *s, const struct lease *l)
{
    struct arena *a = arena_new();
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "{\"epoch\":%llu,\"host\":", (unsigned long long)l->epoch);
    json_string(&b, str_of(l->host));
    buf_addf(&b, ",\"pid\":%lld", (long long)l->process.pid);
    add_number(&b, "pid_start", l->process.start);
    add_number(&b, "pid_space", l->pid_space);
    buf_adds(&b, ",\"boot_id\":");
    json_string(&b, str_of(l->boot_id));
    add_number(&b, "lock", l->lock);
    add_number(&b, "touches", l->touches);
    buf_adds(&b, ",\"touched\":");
    json_number(&b, l->touched);
    buf_adds(&b, "}\n");
    file_write(path_join(a, s->folder, "lease.json"), buf_str(&b), false, NULL);
    buf_done(&b);
    arena_free(a);
}
