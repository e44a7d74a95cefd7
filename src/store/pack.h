/* pack.h - metric points of one chunk as few bytes
 *
 *   u8 form: PACK_ZIPPED, PACK_REGULAR, PACK_TIMED
 *   if zipped: varint length of the rest unzipped, then one zstd frame of:
 *   varint count n, zigzag varint first step, then
 *     regular: zigzag varint step between all points (if n > 1)
 *     else:    n - 1 zigzag varint differences
 *   timed: zigzag varint first time, n - 1 zigzag varint differences (most are
 *   0: points come in batches)
 *   8 planes of n bytes: the first bytes of all values (little-endian), the
 *   second bytes … so that equal exponents lie side by side. */
#ifndef THRONG_STORE_PACK_H
#define THRONG_STORE_PACK_H

#include <stdint.h>
#include "base/buf.h"

#define PACK_POINTS_MAX 4096

struct packer; /* memory kept between calls */
struct packer *packer_new(void);
void packer_free(struct packer *p);
/* The bytes of 1 to PACK_POINTS_MAX points, valid until the next call. Times
 * are unix time in milliseconds; 0: unknown. */
struct str packer_pack(struct packer *p, const int64_t *steps,
                       const int64_t *times, const double *values,
                       size_t count);
/* Fills steps, times and values (room for PACK_POINTS_MAX each) and returns
 * the count, or -1 when the bytes are damaged. */
int packer_unpack(struct packer *p, struct str bytes, int64_t *steps,
                  int64_t *times, double *values);

#endif
