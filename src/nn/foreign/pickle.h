/* pickle.h - what Python's pickle wrote of plain data and of torch's tensors
 *
 * Inside nn only. A pickle is a program; this is no interpreter of it. It
 * knows the operations that lists, dicts, texts and numbers are made with, and
 * of what they call only the names that build a tensor, which it does itself.
 * Anything else is named and refused; nothing is ever run. */
#ifndef THRONG_NN_FOREIGN_PICKLE_H
#define THRONG_NN_FOREIGN_PICKLE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum pickle_kind {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INT,
    PICKLE_REAL,
    PICKLE_TEXT,
    PICKLE_LIST,   /* and tuple */
    PICKLE_DICT,   /* items: key, value, key, value, … */
    PICKLE_NAME,   /* module and name of something in Python: s */
    PICKLE_STORED, /* what lies outside; items as it says itself */
    PICKLE_TENSOR, /* items: stored, offset, sizes, strides, … */
    PICKLE_MARK,
};

struct pickle {
    enum pickle_kind kind;
    int64_t i;
    double d;
    struct str s; /* points into the bytes */
    struct pickle **items;
    size_t count, cap;
};

/* The whole of it, in the arena; `path` stands in errors. NULL and err. */
const struct pickle *pickle_read(struct str bytes, const char *path,
                                 struct arena *a, struct err *err);

#endif
