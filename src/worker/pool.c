/* pool.c - empty trial folders, to be used again */
#include "worker/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "sys/sys.h"
#include "worker/census.h"

#define RESTING_LEAST 64
#define POOL_MOST 200 /* each holds a descriptor */
#define MS 1000000ll

void pool_init(struct pool *p, const char *path)
{
    *p = (struct pool){0};
    if (path && mkdir(path, 0777) == 0)
        p->path = xstrdup(path);
}

void pool_done(struct pool *p)
{
    for (size_t i = 0; i < p->ready.len; i++)
        close(p->ready.p[i].fd);
    for (size_t i = 0; i < p->resting.len; i++)
        close(p->resting.p[i].fd);
    vec_done(&p->ready);
    vec_done(&p->resting);
    if (p->path)
        dir_remove(p->path, NULL);
    free(p->path);
}

static void name_of(const struct pool *p, uint64_t number, char name[4096])
{
    snprintf(name, 4096, "%s/%llu", p->path, (unsigned long long)number);
}

/* The rename itself says whether the place is free: it takes an empty folder
 * away but never one that holds something. */
bool pool_take(struct pool *p, const char *path, struct pooled *one)
{
    char name[4096];
    if (p->ready.len == 0)
        return false;
    struct pooled last = vec_last(&p->ready);
    name_of(p, last.number, name);
    if (rename(name, path) != 0)
        return false;
    p->ready.len--;
    *one = last;
    return true;
}

bool pool_give(struct pool *p, const char *path, struct pooled one)
{
    char name[4096];
    if (!p->path || p->ready.len + p->resting.len >= POOL_MOST)
        return false;
    one.number = p->made;
    name_of(p, one.number, name);
    if (rename(path, name) != 0)
        return false;
    p->made++;
    if (one.visited)
        vec_push(&p->resting, one);
    else
        vec_push(&p->ready, one);
    return true;
}

void pool_settle(struct pool *p, const struct census *c)
{
    size_t kept = 0;
    if (c->unknown > 0)
        return;
    for (size_t i = 0; i < p->resting.len; i++) {
        if (census_may_have(c, p->resting.p[i].serial))
            p->resting.p[kept++] = p->resting.p[i];
        else
            vec_push(&p->ready, p->resting.p[i]);
    }
    p->resting.len = kept;
}

/* Where there are many processes a census costs more, and has to free more
 * folders. */
bool pool_wants_census(const struct pool *p, const struct census *c)
{
    uint64_t enough = RESTING_LEAST * (1 + (uint64_t)(c->cost_ns / MS));
    if (enough > POOL_MOST)
        enough = POOL_MOST;
    return p->ready.len == 0 && p->resting.len >= enough;
}
