/* making.h - a model that is being made from parameters (inside of candle
 * only): model.c and layers.c */
#ifndef THRONG_CANDLE_MAKING_H
#define THRONG_CANDLE_MAKING_H

#include "candle/keyword.h"

struct making {
    struct arena *arena;
    const struct value *params;
    struct str file; /* that marks are of */
    struct problems *problems;
    struct value *model, *layers; /* what is made */
};
/* A parameter's value; NULL when it is not there, None or an empty text. */
const struct value *making_get(const struct making *m, const char *name);
bool making_true(const struct making *m, const char *name);
/* A mistake at a value's place (NULL: of the file). The hint may be NULL. */
void making_fault(struct making *m, const struct value *at, const char *hint,
                  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A copy that stands at the place of another value. */
struct value *making_at(const struct making *m, const struct value *v,
                        const struct value *at);
struct value *making_word(const struct making *m, const char *word,
                          const struct value *at);
/* The text of a value in lower case, by a table of other names (pairs, NULL
 * at the end; or NULL). */
struct value *making_name(const struct making *m, const struct value *v,
                          const char *const *others);
/* Layers, inputs, heads and loss. */
void making_network(struct making *m);
/* Tasks of a multi-task network; 0: it is none. */
size_t making_tasks(const struct making *m);
bool making_autoencoder(const struct making *m);
/* Data's `parts` by uq_train_fr and the like; NULL: nothing says it. */
struct value *making_parts(struct making *m);

bool candle_is_model(struct str text, const char *file);
struct foreign_model *candle_model_open(const char *file,
                                        const struct file_reader *files,
                                        struct arena *a,
                                        struct problems *problems);

#endif
