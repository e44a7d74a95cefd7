/* ensembles.c - an ensemble that is made of trials of a study */
#include "base/hash.h"
#include "ensemble/ensemble.h"
#include "study/study.h"

int ensemble_gather(struct ensemble_making *m, struct store *store,
                    struct arena *a, struct err *err)
{
    if (trial_weights_read(store, m->selector, &m->members, &m->count, a, err))
        return -1;
    if (!m->count)
        return err_set(err, ERR_MISSING, "%s names no trial", m->selector);
    m->weights = arena_array(a, m->count, sizeof(*m->weights));
    for (size_t i = 0; i < m->count; i++)
        m->weights[i] = 1 / (double)m->count;
    return 0;
}

void ensemble_making_done(struct ensemble_making *m)
{
    for (size_t i = 0; i < m->count; i++)
        buf_done(&m->members[i].bytes);
}

static int read_opinions(const struct ensemble_making *m, const char *passes,
                         struct opinions *o, struct str *bytes, struct arena *a,
                         struct err *err)
{
    if (file_map(passes, bytes, err))
        return -1;
    int rc = opinions_parse(o, *bytes, passes, a, err);
    if (!rc && o->members != m->count)
        rc = err_set(err, ERR_CORRUPT, "%s: %zu members spoke, not %zu", passes,
                     o->members, m->count);
    if (rc)
        file_unmap(*bytes);
    return rc;
}

/* A member that is asked for easier rows is not a better one. */
static int check_shared(const struct opinions *o, struct err *err)
{
    size_t shared = opinions_shared(o);
    if (shared == o->rows)
        return 0;
    return err_set(
        err, ERR_INPUT,
        "of %zu rows all members have held out %zu, and losses on other rows "
        "do not compare: choose by %sthose of --data FILE, or take all "
        "members and judge them by `throng calibrate --out-of-fold`",
        o->rows, shared, shared ? "these, without --out-of-fold, or by " : "");
}

int ensemble_choose(struct ensemble_making *m, const char *passes, size_t most,
                    double *loss, size_t *rows, struct arena *a,
                    struct err *err)
{
    struct opinions o;
    struct str bytes;
    if (read_opinions(m, passes, &o, &bytes, a, err))
        return -1;
    int rc = check_shared(&o, err);
    if (!rc)
        *loss = opinions_choose(&o, most, m->weights);
    *rows = o.rows;
    file_unmap(bytes);
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
                 size_t *rows, struct arena *a, struct err *err)
{
    struct opinions o;
    struct str bytes;
    if (read_opinions(m, passes, &o, &bytes, a, err))
        return -1;
    *rows = o.rows;
    int rc = check_squares(&o, err);
    if (!rc && stacking)
        m->stack = opinions_stack(&o, m->weights, a, err);
    if (!rc)
        rc = stacking ? -(m->stack == NULL)
                      : opinions_weigh(&o, m->weights, err);
    file_unmap(bytes);
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
    if (!m->inside)
        one.weights = str_of(name_from(folder, w->path));
    return one;
}

int ensemble_write(const struct ensemble_making *m, const char *path,
                   struct arena *a, struct err *err)
{
    struct ensemble_member *members =
        arena_array(a, m->count, sizeof(*members));
    struct ensemble e = {.members = members, .chosen = str_of(m->chosen)};
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
