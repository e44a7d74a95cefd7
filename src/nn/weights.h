/* weights.h - numbers with names in a file: safetensors
 *
 * Inside nn only. Eight bytes of length, a JSON object that says type, shape
 * and place of each tensor, then the numbers. The note `checksum` is of all of
 * it, the head with zeros in its place; a file without one is taken as it is.
 * Weights of a dense layer are
 * [inputs, outputs], of a convolution [rows, columns, inputs, outputs]. */
#ifndef THRONG_NN_WEIGHTS_H
#define THRONG_NN_WEIGHTS_H

#include "base/buf.h"
#include "base/err.h"
#include "nn/graph.h"

struct weights_writer {
    struct buf head, body;
    size_t real_bytes; /* 4: F32, 8: F64 */
};
void weights_begin(struct weights_writer *w, size_t real_bytes);
void weights_add(struct weights_writer *w, struct str name,
                 const struct nn_shape *shape, const double *numbers);
/* Texts about the whole, for people and for ourselves. */
void weights_note(struct weights_writer *w, struct str key, struct str text);
/* Appends the bytes of the file and frees the writer. */
void weights_end(struct weights_writer *w, struct buf *file);

struct weights_file; /* a file that was read */
/* ERR_CORRUPT: its checksum is another. */
struct weights_file *weights_open(const char *path, struct err *err);
/* The same from bytes that live as long; `path` stands in errors. */
struct weights_file *weights_parse(struct str bytes, const char *path,
                                   struct err *err);
void weights_close(struct weights_file *f);
/* The tensor of that name, which must have this shape. */
int weights_get(const struct weights_file *f, struct str name,
                const struct nn_shape *shape, double *numbers, struct err *err);
/* One tensor's name after another, from *at = 0; false: there are no more. */
bool weights_next(const struct weights_file *f, size_t *at, struct str *name);
bool weights_has(const struct weights_file *f, struct str name);
struct str weights_text(const struct weights_file *f, struct str key);

#endif
