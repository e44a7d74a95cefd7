/* hash.h - xxHash for keys and checksums, SHA-256 where provenance counts */
#ifndef THRONG_BASE_HASH_H
#define THRONG_BASE_HASH_H

#include <stdint.h>
#include "base/str.h"

uint64_t hash64(struct str s, uint64_t seed);
uint32_t hash32(struct str s, uint32_t seed);

/* The same of bytes that come in pieces, with the seed 0. */
struct hash_pieces;
struct hash_pieces *hash_pieces_new(void);
void hash_pieces_free(struct hash_pieces *h); /* NULL is accepted */
void hash_pieces_add(struct hash_pieces *h, struct str s);
/* Of all since it was new or last asked; begins anew. */
uint64_t hash_pieces_end(struct hash_pieces *h);

struct sha256 {
    uint32_t state[8];
    uint64_t len;
    unsigned char block[64];
    unsigned used;
};
void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t len);
void sha256_end(struct sha256 *s, unsigned char digest[32]);
void sha256_hex(struct str s, char hex[65]);

#endif
