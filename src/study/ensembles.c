/* ensembles.c - an ensemble that is made of trials of a study */
#include <stdlib.h>

#include "base/hash.h"
#include "ensemble/ensemble.h"
#include "study/study.h"

int ensemble_gather(struct ensemble_making *m, struct store *store,
                    struct arena *a, struct err *err)
{
    struct settings *settings = arena_new_of(a, struct settings);
    if (trial_weights_read(store, m->selector, &m->members, &m->count, a, err))
        return -1;
    if (!m->count)
        return err_set(err, ERR_MISSING, "%s names no trial", m->selector);
    m->settings = settings;
    m->weights = arena_array(a, m->count, sizeof(*m->weights));
    for (size_t i = 0; i < m->count; i++)
        m->weights[i] = 1 / (double)m->count;
    if (settings_find(store, m->members, m->count, settings, a, err) == 0)
        return 0;
    ensemble_making_done(m);
    return -1;
}

void ensemble_making_done(struct ensemble_making *m)
{
    for (size_t i = 0; i < m->count; i++)
        buf_done(&m->members[i].bytes);
}

/* ---- by rows whose truth is known -----------------------------------------
 */

/* Who is chosen from: members, or their settings where each member may speak of
 * other rows. */
struct candidates {
    struct opinions said;
    struct str bytes; /* where they are from */
    double *numbers;  /* of settings; NULL: of members */
    double *weights;
};

static void candidates_close(struct candidates *c)
{
    file_unmap(c->bytes);
    free(c->numbers);
}

static int64_t trial_of(const struct ensemble_making *m, size_t setting)
{
    size_t i = 0;
    while (m->settings->of[i] != setting)
        i++;
    return m->members[i].trial;
}

/* A member that is asked for easier rows is not a better one. */
static int no_common_row(const struct ensemble_making *m,
                         const struct opinions *o, struct err *err)
{
    size_t fewest = 0, least = SIZE_MAX;
    for (size_t i = 0; i < m->settings->count; i++) {
        size_t rows = settings_rows(m->settings, o, i);
        if (rows < least) {
            least = rows;
            fewest = i;
        }
    }
    return err_set(
        err, ERR_INPUT,
        "of %zu rows none was held out by each of the %zu settings (trials "
        "that differ in their fold alone), and losses on other rows do not "
        "compare: that of trial %lld has held out %zu. Name the trials of all "
        "folds, choose by rows of --data FILE, or take all members and judge "
        "them by `throng calibrate --out-of-fold`",
        o->rows, m->settings->count, (long long)trial_of(m, fewest), least);
}

static int take_settings(const struct ensemble_making *m, struct candidates *c,
                         struct ensemble_rows *rows, struct err *err)
{
    struct opinions of_members = c->said;
    if (opinions_shared(&of_members) == of_members.rows)
        return 0;
    if (settings_opinions(m->settings, &of_members, &c->said, &c->numbers, err))
        return -1;
    rows->rows = c->said.rows;
    rows->left_out = of_members.rows - c->said.rows;
    rows->settings = m->settings->count;
    return c->said.rows ? 0 : no_common_row(m, &of_members, err);
}

static int candidates_open(const struct ensemble_making *m, const char *passes,
                           struct candidates *c, struct ensemble_rows *rows,
                           struct arena *a, struct err *err)
{
    *c = (struct candidates){0};
    if (file_map(passes, &c->bytes, err))
        return -1;
    int rc = opinions_parse(&c->said, c->bytes, passes, a, err);
    if (!rc && c->said.members != m->count)
        rc = err_set(err, ERR_CORRUPT, "%s: %zu members spoke, not %zu", passes,
                     c->said.members, m->count);
    *rows = (struct ensemble_rows){.rows = c->said.rows};
    if (!rc)
        rc = take_settings(m, c, rows, err);
    c->weights = arena_array(a, m->count, sizeof(*c->weights));
    if (rc)
        candidates_close(c);
    return rc;
}

/* What was found of them is the members'. */
static void take_weights(struct ensemble_making *m, const struct candidates *c,
                         struct arena *a)
{
    m->of_settings = c->numbers;
    if (!c->numbers)
        memcpy(m->weights, c->weights, m->count * sizeof(*m->weights));
    else
        settings_share(m->settings, m->count, c->weights, m->weights);
    if (c->numbers && m->stack)
        m->stack = settings_share_stack(m->settings, m->count, m->stack, a);
}

int ensemble_choose(struct ensemble_making *m, const char *passes, size_t most,
                    double *loss, struct ensemble_rows *rows, struct arena *a,
                    struct err *err)
{
    struct candidates c;
    struct opinions said;
    double *votes = NULL;
    bool voting =
        m->combine && !strcmp(m->combine, combine_names[COMBINE_VOTE]);
    if (candidates_open(m, passes, &c, rows, a, err))
        return -1;
    said = c.said;
    int rc = voting ? opinions_vote(&c.said, &said, &votes, err) : 0;
    if (!rc)
        rc = opinions_choose(&said, most, c.weights, loss, err);
    if (!rc)
        take_weights(m, &c, a);
    free(votes);
    candidates_close(&c);
    return rc;
}

static int check_squares(const struct opinions *o, struct err *err)
{
    const struct combine_loss *l = opinions_unsquared(o);
    return l ? err_set(err, ERR_INPUT,
                       "the loss is %.*s, and weights by least squares make "
                       "another one the least: take --combine mean or median, "
                       "or --greedy, which goes by that loss",
                       STRF(l->name))
             : 0;
}

int ensemble_fit(struct ensemble_making *m, const char *passes, bool stacking,
                 struct ensemble_rows *rows, struct arena *a, struct err *err)
{
    struct candidates c;
    if (candidates_open(m, passes, &c, rows, a, err))
        return -1;
    int rc = check_squares(&c.said, err);
    if (!rc && stacking)
        m->stack = opinions_stack(&c.said, c.weights, a, err);
    if (!rc)
        rc = stacking ? -(m->stack == NULL)
                      : opinions_weigh(&c.said, c.weights, err);
    if (!rc)
        take_weights(m, &c, a);
    candidates_close(&c);
    return rc;
}

/* ---- the file -------------------------------------------------------------
 */

static const char *name_from(const char *folder, const char *path)
{
    size_t len = strlen(folder);
    bool below = strncmp(path, folder, len) == 0 && path[len] == '/';
    return below ? path + len + 1 : path;
}

static int find_combine(const char *name, enum combine *how, struct err *err)
{
    for (size_t i = 0; combine_names[i]; i++)
        if (!name || !strcmp(name, combine_names[i])) {
            *how = (enum combine)i;
            return 0;
        }
    return err_set(err, ERR_USAGE,
                   "an ensemble has no `%s`: mean, weighted, median, vote or "
                   "stacking",
                   name);
}

static struct ensemble_member member_of(const struct ensemble_making *m,
                                        size_t i, const char *folder,
                                        struct arena *a)
{
    const struct trial_weights *w = &m->members[i];
    char *hex = arena_alloc(a, 65);
    sha256_hex(buf_str(&w->bytes), hex);
    struct ensemble_member one = {.sha256 = str_of(hex),
                                  .weight = m->weights[i],
                                  .study = str_of(m->study),
                                  .trial = w->trial};
    if (m->of_settings && m->stack)
        one.setting = m->settings->of[i] + 1;
    if (!m->inside)
        one.weights = str_of(name_from(folder, w->path));
    return one;
}

int ensemble_write(const struct ensemble_making *m, const char *path,
                   struct arena *a, struct err *err)
{
    struct ensemble_member *members =
        arena_array(a, m->count, sizeof(*members));
    struct ensemble e = {
        .members = members, .chosen = str_of(m->chosen), .rows = m->rows};
    struct buf inside, file;
    if (find_combine(m->combine, &e.how, err))
        return -1;
    buf_init(&inside);
    buf_init(&file);
    for (size_t i = 0; i < m->count; i++) {
        if (!(m->weights[i] > 0))
            continue;
        members[e.count] = member_of(m, i, path_folder(a, path), a);
        members[e.count].at = inside.len;
        members[e.count++].bytes = m->members[i].bytes.len;
        if (m->inside)
            buf_addstr(&inside, buf_str(&m->members[i].bytes));
    }
    if (m->stack)
        e.stack = combine_stack_without(m->stack, m->weights, a);
    ensemble_print(&file, &e);
    buf_addstr(&file, buf_str(&inside));
    int rc = file_write(path, buf_str(&file), true, err);
    buf_done(&inside);
    buf_done(&file);
    return rc;
}
