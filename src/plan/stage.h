/* stage.h - what the readers of a campaign file share (inside of plan only)
 *
 * A stage's kind is a const struct, a file each, that ends with STAGE(name) =
 * {…}; its row in terms/stage.h lists it. */
#ifndef THRONG_PLAN_STAGE_H
#define THRONG_PLAN_STAGE_H

#include "plan/plan.h"
#include "terms/reading.h"

struct campaign_file {
    struct reading in;
    struct plan_campaign *campaign;
    const struct plan_reader *reader;
    struct value *root;
    VEC(struct plan_stage) stages;
    VEC(const char *) names; /* of the stages, ended by NULL */
};

struct stage_kind {
    /* Its keys beside those of every stage, ended by NULL. */
    const char *const *keys;
    /* Other keys are those of its study. */
    bool is_study;
    const char *later; /* why it cannot be run yet; NULL: it can */
    /* Checks what the stage says and fills in what runs it. */
    void (*make)(struct campaign_file *r, struct plan_stage *s);
};

/* Does not compile without a row in terms/stage.h. */
#define STAGE(name)                                                            \
    static const int stage_row_##name __attribute__((unused)) =                \
        STAGE_ROW_##name;                                                      \
    const struct stage_kind stage_kind_##name
#define STAGE_DECLARE(name, ...)                                               \
    extern const struct stage_kind stage_kind_##name;
STAGES(STAGE_DECLARE)

/* Keys of every stage: they are the campaign's, no study's. */
extern const char *const stage_keys[];
/* The stage of that name, or of those that `each` made of it; -1 and, with
 * `at`, a problem. */
long stage_find(struct campaign_file *r, struct str name,
                const struct value *at);
/* The stage says these keys of its study itself: adds them to `study`, over
 * what is there. Parameters are added one by one. */
void stage_add_keys(struct campaign_file *r, struct plan_stage *s,
                    struct value *study);

/* ---- stage_links.c ----------------------------------------------------- */

/* Reads templates out of the stage's parameters, what `when` says and what is
 * named between ${ and }, and which outputs of others it reads: its needs. */
void stage_links(struct campaign_file *r, size_t i);
/* Which trials of another stage, as verbs select them; a problem where that is
 * no selector. */
void stage_select(struct campaign_file *r, const struct value *v,
                  struct str *select);
/* Appends a stage to a list of them, once. */
struct stage_list {
    VEC(size_t) list;
};
void stage_list_add(struct stage_list *l, size_t stage);

/* ---- stage_refs.c ------------------------------------------------------ */

/* The next ${…} from *at on: its text, and where it stands. */
bool ref_next(struct str s, size_t *at, size_t *from, struct str *inside);
/* "search.best.lr" in its parts; false: it is of another form. */
bool ref_split(struct str inside, struct str *stage, struct str *name);
/* A copy in which every ${…} of which `get` knows a value is replaced: alone
 * by the value, in a text by its text. get: 1 and *out, 0: not ours, -1: err.
 */
typedef int ref_get_fn(void *context, struct str inside, struct value **out,
                       struct err *err);
struct value *refs_replace(const struct value *v, ref_get_fn *get,
                           void *context, struct arena *a, struct err *err);

/* ---- stage_order.c ----------------------------------------------------- */

/* Puts every stage behind what it needs; false and a problem that names a
 * cycle. */
bool stages_sort(struct campaign_file *r);

/* ---- stage_stand_in.c --------------------------------------------------- */

/* Reads the study of each stage with values in place of those that earlier
 * stages will give, so that mistakes are found before anything runs. */
void stages_check(struct campaign_file *r);

#endif
