/* client.c - the library for training programs in C */
#include "throng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "api/api.h"
#include "base/arena.h"
#include "base/json.h"
#include "base/num.h"

#define PARAMS_MAX (64u << 20)

struct throng {
    struct arena *arena;
    const struct value *params; /* NULL: none */
    const char *metrics, *stop, *checkpoint, *output;
    const char *study;
    int metrics_fd; /* -1: not open yet */
};

/* ---- opening --------------------------------------------------------- */

static const char *copy_env(struct arena *a, const char *name)
{
    const char *value = getenv(name);
    return value && *value ? arena_cstr(a, str_of(value)) : NULL;
}

static int read_whole(const char *path, struct buf *b, struct err *err)
{
    char chunk[65536];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(err, "open %s", path);
    while ((n = read(fd, chunk, sizeof chunk)) > 0)
        buf_add(b, chunk, (size_t)n);
    int result = 0;
    if (n < 0)
        result = err_errno(err, "read %s", path);
    else if (b->full)
        result = err_set(err, ERR_LIMIT, "%s is larger than 64 MiB", path);
    close(fd);
    return result;
}

static int read_params(struct throng *t, struct err *err)
{
    const char *path = copy_env(t->arena, "THRONG_PARAMS");
    struct buf text;
    int result = 0;
    if (!path)
        return 0;
    buf_init_max(&text, PARAMS_MAX);
    if (read_whole(path, &text, err) != 0 ||
        !(t->params = json_parse(t->arena, buf_str(&text), path, true, err)))
        result = -1;
    buf_done(&text);
    return result;
}

struct throng *throng_open_why(char **why)
{
    struct err err = {0};
    struct throng *t = xcalloc(1, sizeof *t);
    t->arena = arena_new();
    t->metrics_fd = -1;
    t->metrics = copy_env(t->arena, "THRONG_METRICS");
    t->stop = copy_env(t->arena, "THRONG_STOP");
    t->checkpoint = copy_env(t->arena, "THRONG_CHECKPOINT");
    t->output = copy_env(t->arena, "THRONG_OUTPUT");
    t->study = copy_env(t->arena, "THRONG_STUDY");
    if (read_params(t, &err) == 0)
        return t;
    if (why)
        *why = xstrdup(err.text);
    throng_close(t);
    return NULL;
}

struct throng *throng_open(void)
{
    return throng_open_why(NULL);
}

void throng_close(struct throng *t)
{
    if (!t)
        return;
    if (t->metrics_fd >= 0)
        close(t->metrics_fd);
    arena_free(t->arena);
    free(t);
}

/* ---- parameters ------------------------------------------------------ */

/* A name that is there as it stands wins over its reading as a path. */
static const struct value *find(const struct value *v, struct str name)
{
    const struct value *found = value_get(v, name);
    for (size_t i = 0; !found && i < name.len; i++) {
        if (name.p[i] != '.')
            continue;
        const struct value *inner = value_get(v, str_n(name.p, i));
        if (inner)
            found = find(inner, str_n(name.p + i + 1, name.len - i - 1));
    }
    return found;
}

static const struct value *param(const struct throng *t, const char *name)
{
    return find(t->params, str_of(name));
}

int throng_param_has(const struct throng *t, const char *name)
{
    return param(t, name) != NULL;
}

double throng_param_double(const struct throng *t, const char *name,
                           double otherwise)
{
    const struct value *v = param(t, name);
    return v && value_is_number(v) ? value_number(v) : otherwise;
}

long long throng_param_int(const struct throng *t, const char *name,
                           long long otherwise)
{
    const struct value *v = param(t, name);
    if (v && v->kind == VALUE_INT)
        return v->i;
    if (v && v->kind == VALUE_DOUBLE && v->d >= -9e18 && v->d <= 9e18 &&
        (double)(long long)v->d == v->d)
        return (long long)v->d;
    return otherwise;
}

int throng_param_bool(const struct throng *t, const char *name, int otherwise)
{
    const struct value *v = param(t, name);
    return v && v->kind == VALUE_BOOL ? v->boolean : otherwise;
}

const char *throng_param_string(const struct throng *t, const char *name,
                                const char *otherwise)
{
    const struct value *v = param(t, name);
    return v && v->kind == VALUE_STRING ? arena_cstr(t->arena, v->s)
                                        : otherwise;
}

char *throng_param_json(const struct throng *t, const char *name)
{
    const struct value *v = param(t, name);
    struct buf b;
    if (!v)
        return NULL;
    buf_init(&b);
    json_print(&b, v);
    return buf_take(&b);
}

/* ---- reports --------------------------------------------------------- */

static int metrics_file(struct throng *t)
{
    if (!t->metrics)
        return STDOUT_FILENO;
    if (t->metrics_fd < 0)
        t->metrics_fd =
            open(t->metrics, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return t->metrics_fd;
}

int throng_report_many(struct throng *t, long long step,
                       const char *const *names, const double *values,
                       unsigned long count)
{
    struct metric_line line = {.step = step, .count = count};
    int fd = metrics_file(t);
    if (fd < 0)
        return -1;
    line.pairs = xcalloc(count ? count : 1, sizeof *line.pairs);
    for (unsigned long i = 0; i < count; i++)
        line.pairs[i] = (struct metric_pair){str_of(names[i]), values[i]};
    int result = api_append(fd, &line, NULL);
    free(line.pairs);
    return result;
}

int throng_report(struct throng *t, long long step, const char *name,
                  double value)
{
    return throng_report_many(t, step, &name, &value, 1);
}

int throng_should_stop(const struct throng *t)
{
    return t->stop && access(t->stop, F_OK) == 0;
}

/* ---- who and where --------------------------------------------------- */

static double env_number(const char *name, double otherwise)
{
    const char *text = getenv(name);
    double v;
    return text && num_double(str_of(text), &v) ? v : otherwise;
}

static uint64_t env_count(const char *name)
{
    const char *text = getenv(name);
    uint64_t v;
    return text && num_uint(str_of(text), &v) ? v : 0;
}

/* `name` below the current folder, for a program that is run by hand. */
static const char *beside(const struct throng *t, const char *name)
{
    char *here = getcwd(NULL, 0);
    const char *path =
        here ? arena_printf(t->arena, "%s/%s", here, name) : NULL;
    free(here);
    return path;
}

/* The folder, made if it is not there; NULL when it cannot be. */
static const char *made(const char *path)
{
    struct stat st;
    if (!path || (mkdir(path, 0777) != 0 && errno != EEXIST))
        return NULL;
    if (stat(path, &st) != 0)
        return NULL;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    return path;
}

const char *throng_checkpoint_dir(const struct throng *t)
{
    return made(t->checkpoint ? t->checkpoint : beside(t, "checkpoint"));
}

const char *throng_output_dir(const struct throng *t)
{
    return made(t->output ? t->output : beside(t, "output"));
}

const char *throng_study(const struct throng *t)
{
    return t->study ? t->study : "";
}

unsigned long long throng_trial(const struct throng *t)
{
    (void)t;
    return env_count("THRONG_TRIAL");
}

unsigned long throng_attempt(const struct throng *t)
{
    (void)t;
    uint64_t attempt = env_count("THRONG_ATTEMPT");
    return attempt ? attempt : 1;
}

unsigned long long throng_seed(const struct throng *t)
{
    (void)t;
    return env_count("THRONG_SEED");
}

long long throng_budget(const struct throng *t)
{
    (void)t;
    return (long long)env_count("THRONG_BUDGET");
}

double throng_subset(const struct throng *t)
{
    (void)t;
    return env_number("THRONG_SUBSET", 1);
}

double throng_deadline(const struct throng *t)
{
    (void)t;
    return env_number("THRONG_DEADLINE", 0);
}
