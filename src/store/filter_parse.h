/* filter_parse.h - a filter as a tree, between its parser and its tests */
#ifndef THRONG_STORE_FILTER_PARSE_H
#define THRONG_STORE_FILTER_PARSE_H

#include "store/filter.h"

#define COLUMN_NONE TRIAL_COLUMN_COUNT

enum filter_op {
    OP_AND,
    OP_OR,
    OP_NOT,
    OP_TAG,
    OP_TRUE, /* an operand alone */
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_HAS, /* ~ */
    OP_IN,
};

struct operand {
    bool is_name;
    enum trial_column column; /* or COLUMN_NONE */
    size_t slot;              /* of a parameter or metric */
    struct filter_value literal;
};

struct node {
    enum filter_op op;
    struct node *left, *right; /* AND, OR; NOT has left alone */
    struct operand a, b;
    struct operand *list; /* IN */
    size_t list_count;
    size_t tag;
};

/* A parameter's or metric's name, and its value in the trial at hand. */
struct slot {
    struct str name;
    struct str metric; /* name without its ending */
    struct str ending; /* last, min, max, count, step; or empty */
    struct filter_value value;
    bool by_ending;  /* as loss.min of loss, not as a metric loss.min */
    struct buf text; /* a string that had to be unescaped */
};

struct filter_tag {
    struct str tag;
    const int64_t *ids;
    size_t count;
};

struct filter {
    struct arena *arena;
    struct node *root;
    VEC(struct slot) slots;
    size_t likely; /* the slot that a point is first asked for */
    VEC(struct filter_tag) tags;
    unsigned columns;
};

#endif
