/* files.h - small files and specs for tests of data */
#ifndef THRONG_TESTS_DATA_FILES_H
#define THRONG_TESTS_DATA_FILES_H

#include "data/data.h"

/* A folder of its own for one test. */
struct files {
    struct arena *arena;
    char folder[64];
    struct err err;
};
void files_open(struct files *f);
void files_close(struct files *f);
const char *files_path(struct files *f, const char *name);
void files_write(struct files *f, const char *name, struct str bytes);
void files_text(struct files *f, const char *name, const char *text);
/* The same, gzipped. */
void files_gzip(struct files *f, const char *name, struct str bytes);

struct value *files_spec(struct files *f, const char *json);
/* Opens what the spec (JSON) says; fails the test when it cannot. */
struct data_set *files_set(struct files *f, const char *json);
/* Opens what must not open and returns what it says; contains the texts. */
void files_refuses(struct files *f, const char *json, const char *text);
/* A view; fails the test when there is none. */
struct data_view files_view(struct files *f, struct data_set *s,
                            const char *json, uint64_t seed);
/* Share of rows whose nearest mean of training rows is that of their class. */
double nearest_centroid(const struct data_view *v, const struct data_part *p);

#endif
