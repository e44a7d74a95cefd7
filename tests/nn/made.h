/* made.h - a model and made-up data for it, for tests of nn */
#ifndef THRONG_TESTS_NN_MADE_H
#define THRONG_TESTS_NN_MADE_H

#include "data/data.h"
#include "nn/model.h"

struct made {
    struct arena *arena;
    struct nn_model *model;
    struct data_table table;
    struct data_view view;
};

/* Reads the model (JSON) and makes `rows` rows of random numbers for its
 * inputs and labels; 3 of 4 are for training, the rest for validation. Fails
 * the test, saying the faults, when the model has any. */
void made_open(struct made *m, const char *json, size_t rows);
/* The same for a model of models.json; `name` is its name there. */
void made_named(struct made *m, const char *name, size_t rows);
/* The same of a text whose quotes are simple ones. */
void made_text(struct made *m, const char *text, size_t rows);
/* Names of all models of models.json, NULL-terminated; live in the arena. */
const char **made_names(struct arena *a);
void made_close(struct made *m);
/* Large enough for kernels of a GPU that the small ones never come to: products
 * of recurrent layers in fours, more gates than threads, more recurrent weights
 * than fast memory holds; dense layers and convolutions in tiles that are not
 * full; inputs that do not come in fours, and a batch of which fast memory has
 * no room for all gradients; who takes an output undoes its activation. */
extern const char *const made_large[]; /* as made_text has them; then NULL */

#endif
