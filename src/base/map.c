/* map.c - hash maps from a string or a number to a pointer
 *
 * Linear probing in a power-of-two table that is at most 3/4 full. A removal
 * moves the entries behind it back, so there are no tombstones and a search
 * may stop at the first empty slot. */
#include "base/map.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"

enum { SLOTS_LEAST = 16 };

/* True when the entry whose home is `home` may move from slot `at` back to
 * the empty slot `gap`: its home must not lie cyclically within (gap, at]. */
static bool may_move(size_t gap, size_t at, size_t home, size_t mask)
{
    return ((at - home) & mask) >= ((at - gap) & mask);
}

static bool crowded(size_t count, size_t slots)
{
    return (count + 1) * 4 > slots * 3;
}

struct map_slot {
    uint64_t hash;
    char *key; /* NULL: empty */
    size_t len;
    void *value;
};

struct map {
    struct map_slot *slots;
    size_t mask, count;
};

struct map *map_new(void)
{
    struct map *m = xcalloc(1, sizeof(*m));
    m->slots = xcalloc(SLOTS_LEAST, sizeof(*m->slots));
    m->mask = SLOTS_LEAST - 1;
    return m;
}

void map_free(struct map *m)
{
    if (!m)
        return;
    for (size_t i = 0; i <= m->mask; i++)
        free(m->slots[i].key);
    free(m->slots);
    free(m);
}

size_t map_count(const struct map *m)
{
    return m->count;
}

/* The slot that holds key, or the empty one where it would go. */
static struct map_slot *map_find(const struct map *m, struct str key,
                                 uint64_t hash)
{
    for (size_t i = hash & m->mask;; i = (i + 1) & m->mask) {
        struct map_slot *s = &m->slots[i];
        if (!s->key || (s->hash == hash && str_eq(str_n(s->key, s->len), key)))
            return s;
    }
}

void *map_get(const struct map *m, struct str key)
{
    return map_find(m, key, hash64(key, 0))->value;
}

bool map_has(const struct map *m, struct str key)
{
    return map_find(m, key, hash64(key, 0))->key != NULL;
}

static void map_grow(struct map *m)
{
    struct map_slot *old = m->slots;
    size_t count = m->mask + 1;
    m->slots = xcalloc(count * 2, sizeof(*m->slots));
    m->mask = count * 2 - 1;
    for (size_t i = 0; i < count; i++) {
        if (!old[i].key)
            continue;
        size_t to = old[i].hash & m->mask;
        while (m->slots[to].key)
            to = (to + 1) & m->mask;
        m->slots[to] = old[i];
    }
    free(old);
}

void *map_set(struct map *m, struct str key, void *value)
{
    uint64_t hash = hash64(key, 0);
    struct map_slot *s = map_find(m, key, hash);
    if (s->key) {
        void *before = s->value;
        s->value = value;
        return before;
    }
    if (crowded(m->count, m->mask + 1)) {
        map_grow(m);
        s = map_find(m, key, hash);
    }
    char *copy = xmalloc(key.len + 1);
    if (key.len)
        memcpy(copy, key.p, key.len);
    copy[key.len] = 0;
    *s = (struct map_slot){hash, copy, key.len, value};
    m->count++;
    return NULL;
}

void *map_del(struct map *m, struct str key)
{
    struct map_slot *s = map_find(m, key, hash64(key, 0));
    if (!s->key)
        return NULL;
    void *before = s->value;
    free(s->key);
    size_t gap = (size_t)(s - m->slots);
    for (size_t i = (gap + 1) & m->mask; m->slots[i].key;
         i = (i + 1) & m->mask) {
        if (may_move(gap, i, m->slots[i].hash & m->mask, m->mask)) {
            m->slots[gap] = m->slots[i];
            gap = i;
        }
    }
    m->slots[gap] = (struct map_slot){0};
    m->count--;
    return before;
}

bool map_next(const struct map *m, size_t *at, struct str *key, void **value)
{
    for (; *at <= m->mask; ++*at) {
        const struct map_slot *s = &m->slots[*at];
        if (!s->key)
            continue;
        if (key)
            *key = str_n(s->key, s->len);
        if (value)
            *value = s->value;
        ++*at;
        return true;
    }
    return false;
}

struct idmap_slot {
    uint64_t key;
    void *value; /* NULL: empty */
};

struct idmap {
    struct idmap_slot *slots;
    size_t mask, count;
};

struct idmap *idmap_new(void)
{
    struct idmap *m = xcalloc(1, sizeof(*m));
    m->slots = xcalloc(SLOTS_LEAST, sizeof(*m->slots));
    m->mask = SLOTS_LEAST - 1;
    return m;
}

void idmap_free(struct idmap *m)
{
    if (!m)
        return;
    free(m->slots);
    free(m);
}

size_t idmap_count(const struct idmap *m)
{
    return m->count;
}

/* Keys are mostly consecutive numbers or pointers; the multiplication and
 * the fold spread both over the low bits. */
static size_t id_home(const struct idmap *m, uint64_t key)
{
    uint64_t h = key * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(h ^ h >> 32) & m->mask;
}

static struct idmap_slot *idmap_find(const struct idmap *m, uint64_t key)
{
    size_t i = id_home(m, key);
    while (m->slots[i].value && m->slots[i].key != key)
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

void *idmap_get(const struct idmap *m, uint64_t key)
{
    return idmap_find(m, key)->value;
}

static void idmap_grow(struct idmap *m)
{
    struct idmap_slot *old = m->slots;
    size_t count = m->mask + 1;
    m->slots = xcalloc(count * 2, sizeof(*m->slots));
    m->mask = count * 2 - 1;
    for (size_t i = 0; i < count; i++) {
        if (old[i].value)
            *idmap_find(m, old[i].key) = old[i];
    }
    free(old);
}

void *idmap_set(struct idmap *m, uint64_t key, void *value)
{
    require(value);
    struct idmap_slot *s = idmap_find(m, key);
    void *before = s->value;
    if (!before) {
        if (crowded(m->count, m->mask + 1)) {
            idmap_grow(m);
            s = idmap_find(m, key);
        }
        m->count++;
    }
    *s = (struct idmap_slot){key, value};
    return before;
}

void *idmap_del(struct idmap *m, uint64_t key)
{
    struct idmap_slot *s = idmap_find(m, key);
    void *before = s->value;
    if (!before)
        return NULL;
    size_t gap = (size_t)(s - m->slots);
    for (size_t i = (gap + 1) & m->mask; m->slots[i].value;
         i = (i + 1) & m->mask) {
        if (may_move(gap, i, id_home(m, m->slots[i].key), m->mask)) {
            m->slots[gap] = m->slots[i];
            gap = i;
        }
    }
    m->slots[gap] = (struct idmap_slot){0};
    m->count--;
    return before;
}

bool idmap_next(const struct idmap *m, size_t *at, uint64_t *key, void **value)
{
    for (; *at <= m->mask; ++*at) {
        const struct idmap_slot *s = &m->slots[*at];
        if (!s->value)
            continue;
        if (key)
            *key = s->key;
        if (value)
            *value = s->value;
        ++*at;
        return true;
    }
    return false;
}
