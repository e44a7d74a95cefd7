/* map.h - hash maps from a string or a number to a pointer
 *
 * Open addressing. Keys of a map are copied; values are the caller's. */
#ifndef THRONG_BASE_MAP_H
#define THRONG_BASE_MAP_H

#include <stdint.h>
#include "base/str.h"

struct map; /* string -> void * */
struct map *map_new(void);
void map_free(struct map *m);
size_t map_count(const struct map *m);
void *map_get(const struct map *m, struct str key); /* NULL: absent */
bool map_has(const struct map *m, struct str key);
/* Returns the value that was there before, or NULL. */
void *map_set(struct map *m, struct str key, void *value);
void *map_del(struct map *m, struct str key);
/* Walks in no order: for (size_t at = 0; map_next(m, &at, &key, &value);) */
bool map_next(const struct map *m, size_t *at, struct str *key, void **value);

struct idmap; /* uint64_t -> void * */
struct idmap *idmap_new(void);
void idmap_free(struct idmap *m);
size_t idmap_count(const struct idmap *m);
void *idmap_get(const struct idmap *m, uint64_t key);
void *idmap_set(struct idmap *m, uint64_t key, void *value); /* not NULL */
void *idmap_del(struct idmap *m, uint64_t key);
bool idmap_next(const struct idmap *m, size_t *at, uint64_t *key, void **value);

#endif
