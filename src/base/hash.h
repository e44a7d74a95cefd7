/* hash.h - xxHash for keys and checksums, SHA-256 where provenance counts */
#ifndef THRONG_BASE_HASH_H
#define THRONG_BASE_HASH_H

#include <stdint.h>
#include "base/str.h"

uint64_t hash64(struct str s, uint64_t seed);
uint32_t hash32(struct str s, uint32_t seed);

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
