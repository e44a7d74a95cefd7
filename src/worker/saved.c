/* saved.c - what a member leaves, and what it goes on from
 *
 * A state of training, and weights, are files in the task's folder. Those of a
 * tiny model cost more to make than the epoch that led to them. So where the
 * task asks for it (say_bytes) what a member leaves at the end of its budget is
 * said instead, and the conductor puts it where those of many trials are; the
 * next attempt hears where that is (task.state).
 *
 * What must stay true: a file in the folder is newer than anything that was
 * said of its name. So who has such files, or had to write one, says no more.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "sys/sys.h"
#include "worker/member.h"

static const char *file_in(const struct member *m, const char *name)
{
    return path_join(m->arena, arena_cstr(m->arena, m->task.folder), name);
}

const char *member_file(const struct train *t, const struct member *m,
                        const char *name)
{
    const char *path = file_in(m, name);
    dir_make_below(t->folder, path_folder(m->arena, path), NULL);
    return path;
}

/* A file that the model file names lies beside it. */
static const char *beside_model(const struct member *m, struct str name)
{
    const char *path = arena_cstr(m->arena, name);
    return path[0] == '/'
               ? path
               : path_join(m->arena, arena_cstr(m->arena, m->task.workdir),
                           path);
}

int member_load(struct member *m, const char *path, bool everything,
                struct err *err)
{
    return nn_trainer_load(m->cohort->trainer, m->place, path, everything, err);
}

/* ---- going on ---------------------------------------------------------- */

/* The bytes of a state, in a file of its own or among others. */
struct found {
    const char *path;
    struct str bytes; /* p NULL: there is none */
    bool mapped;
    struct buf read;
};

static void found_done(struct found *s)
{
    if (s->mapped)
        file_unmap(s->bytes);
    buf_done(&s->read);
}

static bool begins_anew(struct train *t, struct member *m, const char *why)
{
    member_say(
        t, m, RECORD_NOTICE,
        str_of(arena_printf(m->arena, "%s; this trial begins anew", why)));
    return true;
}

static int read_part(const char *path, uint64_t at, uint64_t len, struct buf *b)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    buf_reserve(b, (size_t)len);
    ssize_t got = pread(fd, b->p, (size_t)len, (off_t)at);
    close(fd);
    if (got < 0 || (uint64_t)got != len)
        return -1;
    b->len = (size_t)len;
    b->p[b->len] = 0;
    return 0;
}

/* What was said of the state, and how it was to be found, must be what is
 * there: whoever rewrote the file meanwhile may have put another's there. */
static void read_said(struct train *t, struct member *m, struct found *s)
{
    const struct task_state *at = &m->task.state;
    const char *path = arena_cstr(m->arena, at->file);
    if (!at->file.len || at->bytes > at->len || at->len > RECORD_MAX)
        return;
    if (read_part(path, at->at, at->len, &s->read) ||
        hash64(buf_str(&s->read), 0) != at->hash) {
        begins_anew(t, m,
                    arena_printf(m->arena, "its state is not in %s", path));
        return;
    }
    s->path = path;
    s->bytes =
        str_n(s->read.p + (size_t)(at->len - at->bytes), (size_t)at->bytes);
}

static int read_state(struct train *t, struct member *m, struct found *s,
                      struct err *err)
{
    buf_init(&s->read);
    s->path = file_in(m, TASK_STATE);
    m->in_files = file_exists(s->path);
    if (m->in_files) {
        s->mapped = file_map(s->path, &s->bytes, err) == 0;
        return s->mapped ? 0 : -1;
    }
    read_said(t, m, s);
    m->in_files = m->task.say_bytes && file_exists(file_in(m, TASK_WEIGHTS));
    return 0;
}

/* A trial that finds its own checkpoint damaged, or ahead of what it is known
 * to have reported, can begin anew, and comes to the same end; one that goes on
 * from another's cannot. */
static bool is_unfit(struct train *t, struct member *m, const struct found *s)
{
    struct err err = {0};
    int64_t epoch = 0;
    if (m->task.resume_from.len)
        return false;
    int rc = nn_weights_check(s->bytes, s->path, &epoch, &err);
    if (!rc && m->task.unheard && epoch >= m->task.unheard)
        rc = err_set(&err, ERR_INPUT,
                     "reports of epoch %lld were lost before they arrived",
                     (long long)m->task.unheard);
    if (!rc || (err.kind != ERR_CORRUPT && err.kind != ERR_INPUT))
        return false;
    return begins_anew(t, m, err.text);
}

/* Weights of a trial may have been packed since the model file was written:
 * says how to have them as a file again. */
static int say_packed(struct member *m, const char *path, struct err *err)
{
    const char *folder = path_folder(m->arena, path);
    while (strlen(folder) > 1) {
        const char *pack = arena_printf(m->arena, "%s.pack", folder);
        if (file_exists(pack))
            return err_set(err, ERR_MISSING,
                           "initial_weights: %s is packed in %s; `throng "
                           "export STUDY TRIAL --files FOLDER` unpacks it",
                           path, pack);
        folder = path_folder(m->arena, folder);
    }
    return -1;
}

static int load_first(struct member *m, struct str name, struct err *err)
{
    const char *path = beside_model(m, name);
    struct nn_about about = {0};
    if (member_load(m, path, false, err) == 0) {
        nn_weights_about(path, m->arena, &about, NULL);
        m->before = about.rows;
        return 0;
    }
    return file_exists(path) ? -1 : say_packed(m, path, err);
}

static void say_anew(struct train *t, struct member *m)
{
    if (m->task.attempt > 1 || m->task.copy_of.len)
        member_say(t, m, RECORD_ANEW, STR("\0\0\0\0"));
}

/* *anew: from the first epoch on. */
static int begin_from(struct train *t, struct member *m, const struct found *s,
                      bool *anew, struct err *err)
{
    struct str first = nn_model_initial_weights(m->model);
    *anew = !s->bytes.p || is_unfit(t, m, s);
    if (!*anew)
        return nn_trainer_parse(m->cohort->trainer, m->place, s->bytes, s->path,
                                err);
    say_anew(t, m);
    return first.len ? load_first(m, first, err) : 0;
}

int member_restore(struct train *t, struct member *m, struct err *err)
{
    struct found s = {0};
    struct str masks = nn_model_masks(m->model);
    bool anew = false;
    int rc = read_state(t, m, &s, err);
    if (!rc)
        rc = begin_from(t, m, &s, &anew, err);
    found_done(&s);
    if (!rc && masks.len)
        rc = nn_trainer_mask(m->cohort->trainer, m->place,
                             beside_model(m, masks), err);
    if (!rc && anew && nn_model_snapshot(m->model, 0))
        member_keep_weights(t, m, 0);
    return rc;
}

/* ---- leaving ----------------------------------------------------------- */

/* One that a member leaves, by its name in the task's folder. */
struct left {
    const char *name;
    const struct nn_about *about; /* of weights; NULL: a state */
    bool may_say;
};

/* What cannot be kept is told: a state costs at most the time since the last
 * one. */
static void leave(struct train *t, struct member *m, const struct left *left)
{
    struct err err = {0};
    struct buf *b = &t->payload;
    buf_reset(b);
    record_file_print(b, str_of(left->name));
    size_t head = b->len;
    int rc = nn_trainer_print(m->cohort->trainer, m->place, left->about,
                              !left->about, b, &err);
    if (!rc && left->may_say && !m->in_files &&
        b->len - head <= m->task.say_bytes) {
        member_say(t, m, RECORD_FILE, buf_str(b));
        return;
    }
    m->in_files |= left->may_say;
    if (!rc)
        rc = file_write(member_file(t, m, left->name),
                        str_n(b->p + head, b->len - head), false, &err);
    if (rc)
        member_say(t, m, RECORD_NOTICE, str_of(err.text));
}

static void leave_state(struct train *t, struct member *m, bool may_say)
{
    leave(t, m, &(struct left){.name = TASK_STATE, .may_say = may_say});
    m->kept_cpu_s = m->cpu_s;
}

void member_keep(struct train *t, struct member *m)
{
    m->in_files = true;
    leave_state(t, m, false);
}

void member_leave_state(struct train *t, struct member *m)
{
    leave_state(t, m, true);
}

void member_print_fitted(struct buf *b, const struct member *m)
{
    bool *as_class = arena_array(m->arena, m->view.table->label_count + 1,
                                 sizeof(*as_class));
    for (size_t i = 0; i < m->view.table->label_count; i++)
        as_class[i] = nn_model_takes_classes(m->model, i);
    data_fitted_print(b, m->source->set, nn_model_data(m->model), &m->view,
                      as_class);
}

/* Whose training rows were drawn by another seed than its own: they are not
 * known any more. */
static bool goes_on_from_others(const struct member *m)
{
    return m->task.resume_from.len && data_draws(nn_model_data(m->model));
}

static void leave_weights(struct train *t, struct member *m, const char *name,
                          bool may_say)
{
    struct buf fitted, rows;
    buf_init(&fitted);
    buf_init(&rows);
    member_print_fitted(&fitted, m);
    if (!goes_on_from_others(m))
        data_trained_print(&rows, m->source->set, &m->view, m->before);
    struct nn_about about = {str_of(m->about), buf_str(&fitted),
                             buf_str(&rows)};
    leave(t, m,
          &(struct left){.name = name, .about = &about, .may_say = may_say});
    buf_done(&fitted);
    buf_done(&rows);
}

void member_leave_weights(struct train *t, struct member *m)
{
    leave_weights(t, m, TASK_WEIGHTS, true);
}

void member_keep_weights(struct train *t, struct member *m, int64_t epoch)
{
    leave_weights(t, m,
                  arena_printf(m->arena, "output/epoch_%lld.safetensors",
                               (long long)epoch),
                  false);
}
