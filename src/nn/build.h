/* build.h - reading a model file into a graph
 *
 * Inside nn only. Readers never stop at the first fault: each notes it, gives
 * a value that makes sense, and reading goes on. */
#ifndef THRONG_NN_BUILD_H
#define THRONG_NN_BUILD_H

#include "nn/model.h"

struct nn_build {
    struct nn_model *model;
    struct nn_graph *graph;
    struct problems *faults;
    const struct nn_data_facts *data; /* or NULL */
    const struct value *root;         /* the whole file */
    struct str at;                    /* "layers[3]": where we are */
    int layer;                        /* that is being built */
    int entry;                        /* of the list that it comes from */
};

/* Notes a fault at `at`.`key` (key NULL: at `at` itself). */
void nn_fault(struct nn_build *b, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with what to write instead. */
void nn_fault_hint(struct nn_build *b, const char *key, const char *hint,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Members of an object. Each gives `otherwise` when the member is absent, and
 * also, with a fault, when it is no such thing. */
int64_t nn_read_int(struct nn_build *b, const struct value *o, const char *key,
                    int64_t low, int64_t high, int64_t otherwise);
double nn_read_real(struct nn_build *b, const struct value *o, const char *key,
                    double low, double high, double otherwise);
bool nn_read_bool(struct nn_build *b, const struct value *o, const char *key,
                  bool otherwise);
struct str nn_read_text(struct nn_build *b, const struct value *o,
                        const char *key, struct str otherwise);
/* An index into `names` (NULL-terminated). */
int nn_read_choice(struct nn_build *b, const struct value *o, const char *key,
                   const char *const *names, int otherwise);
/* One or two whole numbers: 3 or [3, 5]; `out` holds the defaults before. */
void nn_read_pair(struct nn_build *b, const struct value *o, const char *key,
                  int64_t low, int64_t high, int64_t out[2]);
/* A number that may differ between members. A NaN default: then an absent
 * one is no soft number at all (index -1). */
struct nn_soft nn_read_soft(struct nn_build *b, const struct value *o,
                            const char *key, double low, double high,
                            double otherwise);
/* The one of names (`more` may be NULL) that somebody meant who wrote `got`, as
 * others call it or much like it; NULL: it is like none. */
const char *nn_meant(struct str got, const char *const *names,
                     const char *const *more);
/* Notes that `got` is none of names, with the one that is meant, or all. */
void nn_fault_choice(struct nn_build *b, const char *key, struct str got,
                     const char *const *names);
/* Faults every member whose key is not in `keys` or `more` (NULL-terminated;
 * more may be NULL). */
void nn_known_keys(struct nn_build *b, const struct value *o,
                   const char *const *keys, const char *const *more);

/* How many numbers the label of the head on the layer that is being built
 * wants; 0 and a fault when that is not known. */
int64_t nn_outputs_wanted(struct nn_build *b);

/* The graph. */
int nn_add_tensor(struct nn_build *b, const struct nn_shape *shape);
/* A parameter of the layer that is being built; suffix: "weight". */
int nn_add_param(struct nn_build *b, const char *suffix,
                 const struct nn_shape *shape, struct nn_init init);
struct nn_param *nn_param_at(struct nn_build *b, int param);
/* An operation with its output tensor; op's out, layer and draw are set
 * here. Returns the output. */
int nn_add_op(struct nn_build *b, struct nn_op op,
              const struct nn_shape *shape);
const struct nn_shape *nn_shape_of(const struct nn_build *b, int tensor);
/* An operation of no inputs and no parameters. */
struct nn_op nn_op_of(enum nn_op_kind kind);
struct nn_shape nn_shape1(int64_t a);
struct nn_shape nn_shape2(int64_t a, int64_t b);

/* A kind of layer. */
struct nn_layer_kind {
    const char *name;
    const char *main;        /* what `name: value` alone means; NULL: nothing */
    const char *const *keys; /* of its own, NULL-terminated */
    int least, most;         /* inputs */
    /* Adds its operations; returns the output tensor, -1 after a fault that
     * leaves no shape to go on with. */
    int (*build)(struct nn_build *b, const struct value *o, const int *in,
                 int in_count);
    const char *about; /* for people, one line */
};
/* Tables of kinds, one per file, each ending with a NULL name. */
extern const struct nn_layer_kind nn_layers_plain[];  /* dense, dropout, … */
extern const struct nn_layer_kind nn_layers_window[]; /* conv, pool, … */
extern const struct nn_layer_kind nn_layers_norm[];   /* batch, layer */
extern const struct nn_layer_kind nn_layers_sequence[]; /* embedding, lstm, … */
extern const struct nn_layer_kind nn_layers_merge[];    /* add, concat, … */

/* Read from a layer's object: activation and its number, initializer,
 * regularizers. */
enum nn_activation nn_read_activation(struct nn_build *b, const struct value *o,
                                      const char *key, double *a);
struct nn_init nn_read_init(struct nn_build *b, const struct value *o,
                            const char *key, enum nn_init_kind otherwise);
void nn_read_regularizers(struct nn_build *b, const struct value *o, int param);
extern const char *const nn_activation_names[];
extern const char *const nn_loss_names[];
extern const char *const nn_metric_names[];
/* `tensor` after the activation: an operation of its own, or the tensor. */
int nn_add_activation(struct nn_build *b, int tensor,
                      enum nn_activation activation, double a);

/* Parts of a model file. */
void nn_read_layers(struct nn_build *b, const struct value *v);
void nn_read_heads(struct nn_build *b, const struct value *root);
/* `quantile: [0.05, 0.5, 0.95]` of the one head: the list, or NULL. The last
 * layer then is a layer of one output, and a head on it, for each, named as
 * the head is (quantiles.c). */
const struct value *nn_quantiles(const struct value *root);
struct str nn_quantile_name(const struct nn_build *b, const struct value *q);
/* False after a fault: of the list, or of what the last layer says, whose width
 * has the key `main`. */
bool nn_check_quantiles(struct nn_build *b, const struct value *o,
                        const char *main);
/* The keys of layer number i of these. */
struct value *nn_quantile_layer(struct nn_build *b, const struct value *o,
                                const char *main, size_t i);
/* What head number i is. */
struct value *nn_quantile_head(struct nn_build *b, const struct value *root,
                               size_t i);
void nn_read_optimizer(struct nn_build *b, const struct value *v);
void nn_read_schedule(struct nn_build *b, const struct value *v);
void nn_read_training(struct nn_build *b, const struct value *root);
/* What early stopping watches must be reported; after the heads. */
void nn_check_stopping(struct nn_build *b);
/* The layer of that name, or the input as -1-i; INT_MIN: none. */
int nn_find(const struct nn_build *b, struct str name);
/* Its output tensor. */
int nn_tensor_of(const struct nn_build *b, int found);

#endif
