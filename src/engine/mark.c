/* mark.c - by what the processes of a study are known */
#include "engine/mark.h"

#include "base/num.h"

#define MARK_NAME "THRONG_STORE"

static const char *const roles[] = {
    [MARK_TASK] = "task", [MARK_WORKER] = "worker", [MARK_JOB] = "job"};

char *mark_text(struct arena *a, const struct mark *m, enum mark_role role)
{
    return arena_printf(a, MARK_NAME "=%llu.%s:%s",
                        (unsigned long long)m->epoch, roles[role], m->folder);
}

static enum mark_role role_of(struct str name)
{
    for (enum mark_role r = MARK_TASK; r <= MARK_WORKER; r++)
        if (str_is(name, roles[r]))
            return r;
    return MARK_NONE;
}

static enum mark_role read_mark(struct str text, const struct mark *m)
{
    struct str epoch, role;
    uint64_t number;
    if (str_starts(text, STR("/")))
        return str_is(text, m->folder) ? MARK_TASK : MARK_NONE;
    if (!str_split(&text, '.', &epoch) || !num_uint(epoch, &number) ||
        number > m->epoch || !str_split(&text, ':', &role) ||
        !str_is(text, m->folder))
        return MARK_NONE;
    return role_of(role);
}

enum mark_role mark_role_of(pid_t pid, const struct mark *m)
{
    struct buf value;
    buf_init(&value);
    enum mark_role role = process_env(pid, MARK_NAME, &value)
                              ? read_mark(buf_str(&value), m)
                              : MARK_NONE;
    buf_done(&value);
    return role;
}
