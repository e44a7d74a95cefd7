/* hash.c - xxHash, and SHA-256 as FIPS 180-4 has it */
#include "base/hash.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash64(struct str s, uint64_t seed)
{
    return XXH3_64bits_withSeed(s.p ? s.p : "", s.len, seed);
}

uint32_t hash32(struct str s, uint32_t seed)
{
    return XXH32(s.p ? s.p : "", s.len, seed);
}

struct hash_pieces {
    XXH3_state_t *state;
};

struct hash_pieces *hash_pieces_new(void)
{
    struct hash_pieces *h = xcalloc(1, sizeof(*h));
    h->state = XXH3_createState(); /* it is aligned */
    require(h->state);
    XXH3_64bits_reset(h->state);
    return h;
}

void hash_pieces_free(struct hash_pieces *h)
{
    if (!h)
        return;
    XXH3_freeState(h->state);
    free(h);
}

void hash_pieces_add(struct hash_pieces *h, struct str s)
{
    XXH3_64bits_update(h->state, s.p ? s.p : "", s.len);
}

uint64_t hash_pieces_end(struct hash_pieces *h)
{
    uint64_t hash = XXH3_64bits_digest(h->state);
    XXH3_64bits_reset(h->state);
    return hash;
}

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const unsigned char *block)
{
    for (unsigned i = 0; i < 16; i++)
        w[i] = big_u32(block + 4 * i);
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        uint32_t s0 = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
        uint32_t s1 = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    schedule(w, block);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
        uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t out[8] = {a, b, c, d, e, f, g, h};
    for (unsigned i = 0; i < 8; i++)
        state[i] += out[i];
}

void sha256_init(struct sha256 *s)
{
    *s = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *s, const void *p, size_t len)
{
    const unsigned char *from = p;
    s->len += len;
    while (len > 0) {
        if (s->used == 0 && len >= sizeof(s->block)) {
            compress(s->state, from);
            from += sizeof(s->block);
            len -= sizeof(s->block);
            continue;
        }
        size_t n = sizeof(s->block) - s->used;
        n = n < len ? n : len;
        memcpy(s->block + s->used, from, n);
        s->used += (unsigned)n;
        from += n;
        len -= n;
        if (s->used == sizeof(s->block)) {
            compress(s->state, s->block);
            s->used = 0;
        }
    }
}

void sha256_end(struct sha256 *s, unsigned char digest[32])
{
    uint64_t bits = s->len * 8;
    static const unsigned char padding[64] = {0x80};
    unsigned pad = s->used < 56 ? 56 - s->used : 120 - s->used;
    sha256_add(s, padding, pad);
    unsigned char length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(s, length, sizeof(length));
    for (unsigned i = 0; i < 32; i++)
        digest[i] = (unsigned char)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_hex(struct str s, char hex[65])
{
    struct sha256 h;
    unsigned char digest[32];
    sha256_init(&h);
    sha256_add(&h, s.p, s.len);
    sha256_end(&h, digest);
    for (unsigned i = 0; i < 32; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = 0;
}
