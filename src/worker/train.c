/* train.c - a trainer process: built-in training of many tasks
 *
 * Tasks come in over a socket. Models of equal shape form a cohort; each
 * member has one epoch at a time, in turn, so that all of them report while
 * they go and any of them can be stopped. A newcomer begins when its turn
 * comes.
 *
 * Whose report the conductor may answer with a stop (task.awaits) has no turn
 * until the answer has come: what it is to be is what it was there.
 *
 * The socket is also looked at between two batches, and whoever is to be ended
 * then is ended then: the worker kills a trainer that does not answer, and
 * with it those whom nobody wanted to end. Whoever may go on later puts down
 * where it stands, in the middle of an epoch too. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "sys/sys.h"
#include "worker/crew.h"
#include "worker/member.h"

#define LOOK_NS 10000000ll   /* between looks at the socket while training */
#define REPORT_NS 50000000ll /* between reports of one member */
#define CHECKPOINT_S 30.0    /* of training between two checkpoints */
#define TOGETHER_LEAST 64    /* members of a cohort that is trained together */

/* ---- what we say ------------------------------------------------------ */

void member_say(struct train *t, const struct member *m, enum record_type type,
                struct str payload)
{
    struct record r = {.type = type,
                       .task = m->task.id,
                       .attempt = m->task.attempt,
                       .payload = payload};
    record_print(&t->out, &r);
}

void member_say_once(struct train *t, const struct member *m, const char *text)
{
    uint64_t key = hash64(str_of(text), 0);
    for (size_t i = 0; i < t->told.len; i++)
        if (t->told.p[i] == key)
            return;
    vec_push(&t->told, key);
    member_say(t, m, RECORD_NOTICE, str_of(text));
}

static void write_out(struct train *t)
{
    struct err err = {0};
    if (t->out.len && fd_write_all(t->fd, t->out.p, t->out.len, &err) != 0)
        t->closed = true;
    buf_reset(&t->out);
}

void member_say_metrics(struct train *t, struct member *m)
{
    if (!metric_batch_points(m->batch))
        return;
    buf_reset(&t->payload);
    metric_batch_print(m->batch, &t->payload);
    member_say(t, m, RECORD_METRICS, buf_str(&t->payload));
    m->reported_ns = clock_mono_ns();
}

static uint64_t own_rss(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (uint64_t)use.ru_maxrss * 1024;
}

static void say_ended(struct train *t, const struct member *m,
                      enum outcome outcome, struct str reason)
{
    struct record_ended e = {.outcome = outcome,
                             .exit_code = outcome == OUTCOME_DONE ? 0 : -1,
                             .wall = clock_wall(),
                             .seconds =
                                 (double)(clock_mono_ns() - m->begun_ns) * 1e-9,
                             .cpu_seconds = m->cpu_s,
                             .max_rss_bytes = own_rss(),
                             .reason = reason,
                             .tail = STR(""),
                             .faults = buf_str(&m->faults)};
    buf_reset(&t->payload);
    record_ended_print(&t->payload, &e);
    member_say(t, m, RECORD_ENDED, buf_str(&t->payload));
}

/* ---- members ---------------------------------------------------------- */

static bool broken_off(void *context);

static struct nn_model *read_model(const struct value *v, struct member *m,
                                   struct err *err)
{
    struct problems faults = {.arena = m->arena};
    struct nn_data_facts facts = nn_data_facts_of(m->view.table, m->arena);
    facts.no_validation = m->kind->trains && !m->view.validation.count;
    struct nn_model *model = nn_model_read(v, &facts, &faults);
    if (model && (!m->kind->adapt || m->kind->adapt(m, model, err) == 0))
        return model;
    nn_model_free(model);
    if (model)
        return NULL;
    struct buf all, one;
    buf_init(&all);
    buf_init(&one);
    for (size_t i = 0; i < faults.list.len; i++) {
        const struct problem *p = &faults.list.p[i];
        buf_reset(&one);
        problem_print(&one, p);
        buf_addf(&all, "%s%s", i ? "\n" : "", one.p);
        record_fault_print(&m->faults,
                           &(struct record_fault){p->path, buf_str(&one)});
    }
    err_set(err, ERR_INPUT, "%s", all.p);
    buf_done(&one);
    buf_done(&all);
    return NULL;
}

static void cohort_free(struct cohort *c)
{
    nn_trainer_free(c->trainer);
    nn_model_free(c->like);
    arena_free(c->arena);
    free(c);
}

/* Cohorts without members hold memory that the next one may need. */
static void drop_empty(struct train *t)
{
    for (size_t i = t->cohorts.len; i-- > 0;)
        if (!t->cohorts.p[i]->members) {
            cohort_free(t->cohorts.p[i]);
            t->cohorts.p[i] = vec_last(&t->cohorts);
            t->cohorts.len--;
        }
}

/* Who has too little memory hears it before the first step. */
static int fail_memory(uint64_t needed, const char *who, uint64_t has,
                       struct err *err)
{
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "training this model needs ");
    num_print_bytes(&b, needed);
    buf_addf(&b, " of memory beside its data; %s ", who);
    num_print_bytes(&b, has);
    err_set(err, ERR_LIMIT, "%s", b.p);
    buf_done(&b);
    return -1;
}

/* What a trial may use, where somebody said that. */
static int check_granted(const struct member *m, struct err *err)
{
    uint64_t granted = m->task.needs.memory_bytes;
    uint64_t needed =
        granted ? nn_trainer_bytes(m->device->name, m->model, 1) : 0;
    return needed <= granted
               ? 0
               : fail_memory(needed, "`resources` grants", granted, err);
}

/* What the device can give: the system itself would first give more than it
 * has, and then end whom it likes. */
static int check_free(const struct cohort *c, struct err *err)
{
    uint64_t has = nn_trainer_room(c->device->name);
    uint64_t needed = nn_trainer_bytes(c->device->name, c->like, c->capacity);
    return !has || needed <= has
               ? 0
               : fail_memory(needed, "this machine has left", has, err);
}

/* Where members are trained together their room is taken at once, so that it is
 * no more than those who are here, and as many again, could use; and half of it
 * as often as the device has not so much. */
static size_t capacity_of(const struct train *t, const struct member *m)
{
    size_t most = device_capacity(m->device, nn_model_member_numbers(m->model));
    size_t wanted = 2 * t->members.len < TOGETHER_LEAST ? TOGETHER_LEAST
                                                        : 2 * t->members.len;
    if (!nn_device_together(m->device->name))
        return most;
    uint64_t has = nn_trainer_room(m->device->name);
    most = most < wanted ? most : wanted;
    while (most > 1 &&
           nn_trainer_bytes(m->device->name, m->model, most) > has / 2)
        most /= 2;
    return most;
}

/* The text is parsed again: the cohort may outlive its first member. */
static struct cohort *cohort_new(struct train *t, struct member *m,
                                 uint64_t key, struct err *err)
{
    drop_empty(t);
    struct cohort *c = xcalloc(1, sizeof *c);
    c->arena = arena_new();
    c->key = key;
    c->device = m->device;
    c->capacity = capacity_of(t, m);
    struct value *v = json_parse(c->arena, m->task.model, "model", true, err);
    c->like = v ? read_model(v, m, err) : NULL;
    if (c->like && check_free(c, err) == 0)
        c->trainer =
            nn_trainer_open(c->device->name, c->like, c->capacity, err);
    if (!c->trainer) {
        cohort_free(c);
        return NULL;
    }
    vec_push(&t->cohorts, c);
    return c;
}

static struct cohort *cohort_of(struct train *t, struct member *m,
                                struct err *err)
{
    uint64_t key = nn_model_key(m->model);
    for (size_t i = 0; i < t->cohorts.len; i++) {
        struct cohort *c = t->cohorts.p[i];
        if (c->key == key && c->members < c->capacity && c->device == m->device)
            return c;
    }
    return cohort_new(t, m, key, err);
}

static void leave_cohort(struct member *m)
{
    if (!m->cohort || m->place < 0)
        return;
    nn_trainer_leave(m->cohort->trainer, m->place);
    m->cohort->members--;
}

static void member_free(struct train *t, struct member *m)
{
    if (m->kind->end)
        m->kind->end(t, m);
    sources_leave(&t->sources, m->source);
    nn_model_free(m->model);
    metric_batch_free(m->batch);
    buf_done(&m->faults);
    arena_free(m->arena);
    free(m);
}

/* What is to be known of the data is told once. */
static void say_notices(struct train *t, struct member *m)
{
    const char *text;
    for (size_t i = 0; !m->source->told &&
                       (text = data_set_notice(m->source->set, i)) != NULL;
         i++)
        member_say(t, m, RECORD_NOTICE, str_of(text));
    m->source->told = true;
}

/* What the training rows are like is said of the first view of a set: all rows
 * are looked at for it, and other views of it differ little. */
static void say_unscaled(struct train *t, struct member *m)
{
    if (!m->kind->trains || m->source->sized)
        return;
    m->source->sized = true;
    const char *text = nn_unscaled(m->model, &m->view, m->arena);
    if (text)
        member_say_once(t, m, text);
    if (m->view.notice)
        member_say_once(t, m, m->view.notice);
}

/* The model as it stands in its weights file: with the seed that it got, so
 * that it can be trained again. */
static const char *model_with_seed(struct member *m, struct value *v)
{
    struct buf b;
    value_set(m->arena, v, STR("seed"),
              value_int(m->arena, (int64_t)m->task.seed));
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(m->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int open_rows(struct train *t, struct member *m,
                     const struct value *spec, const char *folder,
                     struct err *err)
{
    struct data_choice choice = {m->task.seed, m->task.subset};
    m->source = sources_take(&t->sources, spec, folder, err);
    if (!m->source)
        return -1;
    say_notices(t, m);
    return data_view_make(&m->view, m->source->set, spec, &choice, m->arena,
                          err);
}

/* A fault begins with its place in the model file. */
static int read_rows(struct train *t, struct member *m,
                     const struct value *spec, const char *folder,
                     struct err *err)
{
    int rc = open_rows(t, m, spec, folder, err);
    if (rc && err->kind == ERR_INPUT && !err->at[0] &&
        !str_starts(str_of(err->text), STR("data"))) {
        struct err of_rows = *err;
        err_set_at(err, "data", ": %s", of_rows.text);
    }
    return rc;
}

/* Rows of another day, by what the weights say of those of training. */
static int read_new_rows(struct train *t, struct member *m,
                         const struct value *spec, const char *folder,
                         struct err *err)
{
    const char *path = arena_cstr(m->arena, m->task.weights);
    struct nn_about about;
    if (nn_weights_about(path, m->arena, &about, err))
        return -1;
    if (!about.data.len)
        return err_set(err, ERR_INPUT,
                       "%s does not say what was fitted on its training rows; "
                       "train it again",
                       path);
    struct data_set *set =
        data_open_fitted(spec, folder, about.data, path, &m->view, err);
    if (!set)
        return -1;
    m->source = sources_add(&t->sources, set);
    say_notices(t, m);
    return 0;
}

/* The one that is asked for, unless it refuses the model, which is said. */
static int choose_device(struct train *t, struct member *m, struct err *err)
{
    const struct device *asked = device_find(m->task.device, err);
    struct buf why;
    if (!asked)
        return -1;
    buf_init(&why);
    const char *name = nn_device_for(asked->name, m->model, &why);
    if (why.len)
        member_say_once(t, m, why.p);
    buf_done(&why);
    const char *why_not = nn_device_absent(asked->name);
    if (!name)
        return err_set(err, ERR_MISSING, "this machine has no device %s%s%s",
                       asked->name, why_not ? ": " : "",
                       why_not ? why_not : "");
    m->device = device_find(str_of(name), err);
    return m->device ? 0 : -1;
}

int member_open(struct train *t, struct member *m, struct err *err)
{
    struct value *v = json_parse(m->arena, m->task.model, "model", false, err);
    if (!v)
        return -1;
    int64_t seed = (int64_t)m->task.seed;
    if (nn_seed_of(v, &seed, err) < 0)
        return -1;
    m->task.seed = (uint64_t)seed; /* the model's goes before the task's */
    m->about = model_with_seed(m, v);
    const struct value *spec = value_get(v, STR("data"));
    if (!spec)
        return err_set_at(err, "data", " is missing: what to train on");
    const char *folder = arena_cstr(m->arena, m->task.workdir);
    if (m->task.new_rows ? read_new_rows(t, m, spec, folder, err)
                         : read_rows(t, m, spec, folder, err))
        return -1;
    m->model = read_model(v, m, err);
    if (!m->model || choose_device(t, m, err) || check_granted(m, err))
        return -1;
    say_unscaled(t, m);
    m->cohort = cohort_of(t, m, err);
    if (!m->cohort)
        return -1;
    struct nn_member one = {m->model, &m->view, m->task.seed};
    m->place = nn_trainer_join(m->cohort->trainer, &one, err);
    if (m->place < 0)
        return -1;
    m->cohort->members++;
    nn_trainer_watch(m->cohort->trainer, broken_off, t);
    return 0;
}

void member_close(struct train *t, struct member *m)
{
    leave_cohort(m);
    member_free(t, m);
}

struct member *member_new(const struct task *task)
{
    struct member *m = xcalloc(1, sizeof *m);
    m->arena = arena_new();
    m->batch = metric_batch_new();
    buf_init(&m->faults);
    m->begun_ns = m->reported_ns = clock_mono_ns();
    m->last = m->best = NAN;
    if (task)
        m->task = *task;
    return m;
}

void member_leave(struct train *t, size_t at, enum outcome outcome,
                  struct str reason)
{
    struct member *m = t->members.p[at];
    member_say_metrics(t, m);
    say_ended(t, m, outcome, reason);
    member_close(t, m);
    t->members.p[at] = NULL;
}

void member_fail(struct train *t, size_t at, const struct err *err)
{
    struct member *m = t->members.p[at];
    struct record_fault fault = {str_of(err->at), str_of(err->text)};
    if (err->kind == ERR_INPUT && !m->faults.len)
        record_fault_print(&m->faults, &fault);
    member_leave(t, at,
                 err->kind == ERR_INPUT   ? OUTCOME_INVALID
                 : err->kind == ERR_LIMIT ? OUTCOME_MEMORY
                                          : OUTCOME_FAILED,
                 str_of(err->text));
}

void member_turn(struct train *t, size_t at,
                 int (*next)(struct member *m, struct err *err),
                 int (*finish)(struct train *t, struct member *m,
                               struct err *err))
{
    struct member *m = t->members.p[at];
    struct err err = {0};
    int rc = m->asked ? 0 : next(m, &err);
    if (m->killed || m->asked) {
        member_leave(t, at, m->killed ? OUTCOME_KILLED : OUTCOME_STOPPED,
                     STR(""));
        return;
    }
    if (rc == 0)
        rc = finish(t, m, &err);
    if (rc == 0)
        member_leave(t, at, OUTCOME_DONE, STR(""));
    else if (rc < 0)
        member_fail(t, at, &err);
}

/* ---- the socket ------------------------------------------------------- */

static void take_task(struct train *t, const struct record *r)
{
    struct err err = {0};
    struct member *m = member_new(NULL);
    /* The record's bytes are gone after this call. */
    struct str text = arena_str(m->arena, r->payload);
    int rc = task_parse(&m->task, text, m->arena, &err);
    m->kind = kind_find(m->task.kind);
    m->task.id = r->task;
    m->task.attempt = r->attempt;
    vec_push(&t->members, m);
    if (rc != 0)
        member_fail(t, t->members.len - 1, &err);
}

/* Ended from outside. What nobody has ended for good goes on from here. */
static void leave_killed(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    if (m->goes_on && m->kind->trains && m->cohort)
        member_keep(t, m);
    member_leave(t, at, OUTCOME_KILLED, STR(""));
}

/* It has its turn now, alone or with others. */
static bool is_training(const struct train *t, const struct member *m)
{
    return m == t->now || m->training;
}

/* Who has its turn leaves by itself. The payload is what the end counts as. */
static void end_member(struct train *t, size_t at, struct str payload)
{
    struct member *m = t->members.p[at];
    struct bytes bytes = bytes_of(payload);
    uint8_t outcome = bytes_u8(&bytes);
    m->killed = true;
    m->goes_on = !bytes.bad && outcome != OUTCOME_KILLED;
    if (!is_training(t, m))
        leave_killed(t, at);
}

/* An answer may come twice. */
static void go_on(struct member *m, struct str payload)
{
    struct bytes bytes = bytes_of(payload);
    int64_t awaits = (int64_t)bytes_u64(&bytes);
    if (bytes.bad || (awaits && awaits <= m->epoch))
        return;
    m->task.awaits = awaits;
    m->waits = false;
}

static void on_record(struct train *t, const struct record *r)
{
    if (r->type == RECORD_TASK) {
        take_task(t, r);
        return;
    }
    for (size_t i = 0; i < t->members.len; i++) {
        struct member *m = t->members.p[i];
        if (!m || m->task.id != r->task || m->task.attempt != r->attempt)
            continue;
        if (r->type == RECORD_STOP)
            m->asked = true;
        if (r->type == RECORD_KILL)
            end_member(t, i, r->payload);
        if (r->type == RECORD_GO)
            go_on(m, r->payload);
        return;
    }
}

/* False: nothing was there. */
static bool receive(struct train *t)
{
    char part[65536];
    ssize_t got = recv(t->fd, part, sizeof part, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        t->closed = true;
        return false;
    }
    buf_add(&t->in, part, (size_t)got);
    return true;
}

static void read_records(struct train *t)
{
    size_t at = 0, used = 0;
    struct record r;
    struct err err = {0};
    int got;
    while (receive(t))
        ;
    while ((got = record_parse(str_n(t->in.p + at, t->in.len - at), &r, &used,
                               &err)) > 0) {
        at += used;
        on_record(t, &r);
    }
    if (got < 0)
        t->closed = true;
    buf_drop(&t->in, at);
    t->looked_ns = clock_mono_ns();
}

/* Between two batches: is the one whose turn it is still wanted? */
static bool broken_off(void *context)
{
    struct train *t = context;
    if (clock_mono_ns() - t->looked_ns < LOOK_NS)
        return false;
    read_records(t);
    write_out(t);
    return t->closed || (!t->together && t->now->killed);
}

static bool has_turn(const struct member *m)
{
    return m && (!m->waits || m->asked);
}

/* While there is nobody to train, until something comes or is to be closed. */
static void wait_idle(struct train *t)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    int wait_ms = sources_tidy(&t->sources);
    for (size_t i = 0; i < t->members.len; i++)
        if (has_turn(t->members.p[i]))
            return;
    poll(&p, 1, wait_ms);
}

/* ---- training --------------------------------------------------------- */

static double thread_cpu_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void add_point(struct member *m, const struct nn_report *r,
                      struct str name, double value)
{
    metric_batch_add(m->batch, name, METRIC_FROM_METRICS, r->epoch, value);
    if (!str_eq(name, m->task.metric_name))
        return;
    m->last = value;
    m->rated = r->epoch;
    if (isnan(m->best) ||
        (m->task.maximize ? value > m->best : value < m->best))
        m->best = value;
}

/* Metrics are of validation rows, as Keras names them: val_accuracy. */
static void add_points(struct member *m, const struct nn_report *r)
{
    if (r->diverged || !isnan(r->loss)) /* untrained there is none */
        add_point(m, r, STR("loss"), r->loss);
    if (!m->view.validation.count)
        return;
    add_point(m, r, STR("val_loss"), r->validation_loss);
    for (size_t i = 0; i < nn_model_metric_count(m->model); i++) {
        struct buf name;
        if (isnan(r->metrics[i]))
            continue;
        buf_init(&name);
        buf_addf(&name, "val_%.*s", STRF(nn_model_metric_name(m->model, i)));
        add_point(m, r, buf_str(&name), r->metrics[i]);
        buf_done(&name);
    }
}

/* A study keeps the weights of its best N trials. One that is not among the
 * best N that this trainer has seen can never be one of them, whatever is
 * still to come: writing its file would be for nothing. Trials that were
 * stopped are counted apart, so that they push out none that was not. What
 * has no value cannot be ranked, and stays. */
static bool is_kept(struct train *t, const struct member *m,
                    enum outcome outcome)
{
    int64_t most = m->task.keep_best;
    struct best *b = outcome == OUTCOME_DONE ? &t->done : &t->stopped;
    double value = m->task.pick_best ? m->best : m->last;
    size_t at = b->values.len;
    if (most <= 0)
        return most == 0;
    if (isnan(value))
        return true;
    if (m->task.maximize)
        value = -value;
    vec_push(&b->values, value);
    for (; at > 0 && value < b->values.p[at - 1]; at--)
        b->values.p[at] = b->values.p[at - 1];
    b->values.p[at] = value;
    if (b->values.len > (size_t)most)
        b->values.len--;
    return at < (size_t)most;
}

/* What is kept of one that was trained to its end, or asked to stop. */
static void keep_result(struct train *t, struct member *m, enum outcome outcome)
{
    if (m->task.budget > 0 && outcome == OUTCOME_DONE)
        member_leave_state(t, m); /* it may be given more */
    nn_trainer_take_best(m->cohort->trainer, m->place);
    judging_test(t, m);
    judging_targets(t, m);
    judging_confusion(t, m);
    if (is_kept(t, m, outcome))
        member_leave_weights(t, m);
}

static void finish(struct train *t, size_t at, enum outcome outcome)
{
    member_say_metrics(t, t->members.p[at]);
    keep_result(t, t->members.p[at], outcome);
    member_leave(t, at, outcome, STR(""));
}

/* What the model leaves out of what its file asks for. */
static void say_model(struct train *t, struct member *m)
{
    const char *text;
    for (size_t i = 0; (text = nn_model_notice(m->model, i)) != NULL; i++)
        member_say_once(t, m, text);
    judging_say_unjudged(t, m, &m->view.validation, "validation");
}

static int begin_training(struct train *t, struct member *m, struct err *err)
{
    if (m->task.budget > 0)
        nn_trainer_epochs(m->cohort->trainer, m->place, m->task.budget);
    if (member_restore(t, m, err))
        return -1;
    say_model(t, m);
    return 0;
}

/* Reads its data and takes its place. INVALID for what the parameters or the
 * model file say; FAILED for what is not there. */
static void start(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    struct err err = {0};
    m->begun = true;
    if (member_open(t, m, &err) || m->kind->begin(t, m, &err))
        member_fail(t, at, &err);
}

static void leave_diverged(struct train *t, size_t at,
                           const struct nn_report *r)
{
    struct buf why;
    buf_init(&why);
    buf_addf(&why, "epoch %lld: ", (long long)r->epoch);
    if (r->not_finite.len)
        buf_addf(&why, "%.*s has weights that are not finite numbers",
                 STRF(r->not_finite));
    else
        buf_addf(&why, "the %sloss is not a finite number",
                 isfinite(r->loss) ? "validation " : "");
    member_leave(t, at, OUTCOME_DIVERGED, buf_str(&why));
    buf_done(&why);
}

/* After an epoch, or when it hears whether to go on. */
static void end_turn(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    if (m->killed)
        leave_killed(t, at);
    else if (m->waits && !m->asked)
        member_say_metrics(t, m);
    else if (m->trained && !m->waits)
        finish(t, at, OUTCOME_DONE);
    else if (m->asked)
        finish(t, at, OUTCOME_STOPPED);
    else if (clock_mono_ns() - m->reported_ns > REPORT_NS)
        member_say_metrics(t, m);
    if (t->members.p[at] && m->cpu_s - m->kept_cpu_s > CHECKPOINT_S)
        member_keep(t, m);
}

/* What comes of an epoch of one member. One that was broken off because of
 * another goes on in its next turn. */
static void end_epoch(struct train *t, size_t at, const struct nn_turn *turn)
{
    struct member *m = t->members.p[at];
    const struct nn_report *r = &turn->report;
    if (turn->rc < 0)
        member_leave(t, at, OUTCOME_FAILED, str_of(turn->err.text));
    else if (turn->rc > 0 && (m->killed || t->closed))
        leave_killed(t, at);
    if (turn->rc)
        return;
    add_points(m, r);
    if (nn_model_snapshot(m->model, r->epoch) && !r->diverged)
        member_keep_weights(t, m, r->epoch);
    if (r->diverged) {
        leave_diverged(t, at, r);
        return;
    }
    m->epoch = r->epoch;
    m->trained = r->finished;
    m->waits = m->task.awaits > 0 && m->rated == r->epoch &&
               r->epoch >= m->task.awaits;
    end_turn(t, at);
}

/* One epoch of one member. */
static void train_one(struct train *t, size_t at)
{
    struct member *m = t->members.p[at];
    struct nn_turn turn = {.member = m->place};
    double before = thread_cpu_s();
    nn_trainer_turns(m->cohort->trainer, &turn, 1);
    m->cpu_s += thread_cpu_s() - before;
    end_epoch(t, at, &turn);
}

/* Whether it is to be trained in this round, in its cohort. */
static bool goes_along(const struct train *t, const struct member *m,
                       const struct cohort *c)
{
    return m && m->cohort == c && m->begun && m->kind->trains && has_turn(m) &&
           m->round != t->round && !m->waits && !m->trained && !m->killed;
}

/* One epoch of it and of all others of its cohort that have not had theirs. */
static void train_together(struct train *t, size_t at)
{
    struct cohort *c = t->members.p[at]->cohort;
    struct nn_turn *turns = xcalloc(c->members + 1, sizeof(*turns));
    size_t *who = xcalloc(c->members + 1, sizeof(*who)), count = 0;
    for (size_t i = at; i < t->members.len; i++)
        if (goes_along(t, t->members.p[i], c)) {
            t->members.p[i]->round = t->round;
            t->members.p[i]->training = true;
            turns[count].member = t->members.p[i]->place;
            who[count++] = i;
        }
    double before = thread_cpu_s();
    t->together = true;
    nn_trainer_turns(c->trainer, turns, count);
    t->together = false;
    double each = (thread_cpu_s() - before) / (double)count;
    for (size_t i = 0; i < count; i++)
        t->members.p[who[i]]->training = false;
    for (size_t i = 0; i < count; i++) {
        t->members.p[who[i]]->cpu_s += each;
        end_epoch(t, who[i], &turns[i]);
    }
    free(turns);
    free(who);
}

static void turn(struct train *t, size_t at)
{
    const struct member *m = t->members.p[at];
    if (m->waits || m->trained)
        end_turn(t, at);
    else if (!nn_trainer_together(m->cohort->trainer))
        train_one(t, at);
    else if (m->round != t->round)
        train_together(t, at);
}

KIND(train) = {.name = "train",
               .start = crew_start,
               .push = crew_push,
               .answer_ns = CREW_ANSWER_NS,
               .has_ended = crew_has_ended,
               .look = crew_look,
               .go = crew_go,
               .forget = crew_forget,
               .begin = begin_training,
               .turn = turn,
               .trains = true};

/* Members may come and go while another has its turn. */
static void take_turns(struct train *t)
{
    t->round++;
    for (size_t i = 0; i < t->members.len && !t->closed; i++) {
        t->now = t->members.p[i];
        if (!has_turn(t->now))
            ;
        else if (!t->now->begun)
            start(t, i);
        else
            t->now->kind->turn(t, i);
        t->now = NULL;
    }
}

static void close_ranks(struct train *t)
{
    size_t to = 0;
    for (size_t i = 0; i < t->members.len; i++)
        if (t->members.p[i])
            t->members.p[to++] = t->members.p[i];
    t->members.len = to;
}

static void done(struct train *t)
{
    for (size_t i = 0; i < t->members.len; i++)
        member_free(t, t->members.p[i]);
    for (size_t i = 0; i < t->cohorts.len; i++)
        cohort_free(t->cohorts.p[i]);
    sources_done(&t->sources);
    vec_done(&t->done.values);
    vec_done(&t->stopped.values);
    vec_done(&t->told);
    vec_done(&t->members);
    vec_done(&t->cohorts);
    buf_done(&t->in);
    buf_done(&t->out);
    buf_done(&t->payload);
}

int train_main(int fd, const char *folder)
{
    struct train t = {.fd = fd, .folder = folder};
    buf_init(&t.in);
    buf_init(&t.out);
    buf_init(&t.payload);
    signal(SIGPIPE, SIG_IGN);
    while (!t.closed) {
        wait_idle(&t);
        read_records(&t);
        take_turns(&t);
        close_ranks(&t);
        write_out(&t);
    }
    done(&t);
    return 0;
}
