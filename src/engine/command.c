/* command.c - programs of a scheduler, run as child processes from the loop
 *
 * A command has ended when it is reaped; then what is in its pipes is read,
 * without waiting for others that may hold them open. Its process is looked
 * at when both pipes are closed, and now and then by a timer, which also ends
 * what takes too long. The first of `queue` is the one that runs. It dies with
 * us: who comes after us asks the scheduler what it has, and nothing may reach
 * it behind that answer. */
#include "engine/command.h"

#include "base/vec.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_SECONDS 0.05
#define PRINTED_MAX (64u << 20)
#define SAID_MAX (64u << 10)
/* Of what it said, as people are told it. */
#define TOLD_MAX 600

struct command {
    struct arena *arena;
    const char **argv;
    command_fn *fn;
    void *context;
};

/* One of the two pipes of the command that runs. */
struct outlet {
    int fd; /* -1: closed */
    struct loop_source *source;
    struct buf text;
};

struct commands {
    struct commands_setup setup;
    VEC(struct command) queue;
    bool running;
    struct process_id process;
    int64_t end_ns;
    bool late; /* it was ended for taking too long */
    struct outlet out, err;
    struct loop_source *look;
};

static void start_next(struct commands *c);

/* ---- the end of a command ---------------------------------------------- */

/* Reads what is there. False: it is closed. */
static bool drain(struct outlet *o)
{
    while (o->fd >= 0) {
        char piece[16 << 10];
        ssize_t n = read(o->fd, piece, sizeof piece);
        if (n > 0)
            buf_add(&o->text, piece, (size_t)n);
        else if (n < 0 && errno == EINTR)
            continue;
        else if (n < 0 && errno == EAGAIN)
            return true;
        else
            break;
    }
    return false;
}

static void outlet_close(struct outlet *o)
{
    loop_remove(o->source);
    o->source = NULL;
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
}

/* On one line: people see it behind a colon. */
static void tell(struct err *why, const char *program, struct str said)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < said.len && b.len < TOLD_MAX; i++)
        buf_addc(&b, said.p[i] == '\n' ? ' ' : said.p[i]);
    struct err how = *why;
    if (b.len)
        err_set(why, how.kind, "%.100s %.300s: %s", program, how.text, b.p);
    else
        err_set(why, how.kind, "%.100s %.300s", program, how.text);
    buf_done(&b);
}

static void describe(const struct commands *c, const struct command *command,
                     int status, struct command_end *end)
{
    end->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (c->late)
        err_set(&end->why, ERR_SYSTEM, "did not end within %g s",
                c->setup.limit_s);
    else if (WIFSIGNALED(status))
        err_set(&end->why, ERR_SYSTEM, "was ended by signal %d",
                WTERMSIG(status));
    else if (end->code)
        err_set(&end->why, ERR_SYSTEM, "failed (exit code %d)", end->code);
    if (c->late)
        end->code = -1;
    if (end->code)
        tell(&end->why, command->argv[0], end->said);
}

static struct command take_first(struct commands *c)
{
    struct command first = c->queue.p[0];
    c->queue.len--;
    memmove(c->queue.p, c->queue.p + 1, c->queue.len * sizeof(*c->queue.p));
    return first;
}

/* The function may ask for more, which begins behind those that wait. */
static void finish(struct commands *c, struct command_end *end, int status)
{
    struct command done = take_first(c);
    struct buf out = c->out.text, err = c->err.text;
    end->printed = buf_str(&out);
    end->said = str_trim(buf_str(&err));
    if (!end->why.kind)
        describe(c, &done, status, end);
    c->running = false;
    buf_init_max(&c->out.text, PRINTED_MAX);
    buf_init_max(&c->err.text, SAID_MAX);
    done.fn(done.context, end);
    buf_done(&out);
    buf_done(&err);
    arena_free(done.arena);
}

/* True when the command has ended and its function was called. */
static bool ended(struct commands *c)
{
    int status = 0;
    pid_t got = waitpid(c->process.pid, &status, WNOHANG);
    if (got == 0)
        return false;
    drain(&c->out);
    drain(&c->err);
    outlet_close(&c->out);
    outlet_close(&c->err);
    loop_timer_off(c->look);
    struct command_end end = {0};
    finish(c, &end, got < 0 ? 0 : status);
    return true;
}

static void end_if_late(struct commands *c)
{
    if (c->late || clock_mono_ns() < c->end_ns)
        return;
    c->late = true;
    kill(-c->process.pid, SIGKILL);
    kill(c->process.pid, SIGKILL);
}

static void on_look(void *context)
{
    struct commands *c = context;
    if (!c->running) {
        start_next(c);
        return;
    }
    end_if_late(c);
    if (ended(c))
        start_next(c);
    else
        loop_timer_in(c->look, LOOK_SECONDS);
}

static void on_output(void *context, int fd, unsigned what)
{
    struct commands *c = context;
    struct outlet *o = fd == c->out.fd ? &c->out : &c->err;
    (void)what;
    if (drain(o))
        return;
    outlet_close(o);
    if (c->out.fd < 0 && c->err.fd < 0)
        loop_timer_in(c->look, 0.001);
}

/* ---- its beginning ----------------------------------------------------- */

static int open_pipe(struct outlet *o, int *far, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_errno(err, "no pipe for a command");
    o->fd = ends[0];
    *far = ends[1];
    return fd_nonblocking(o->fd, err);
}

static int spawn(struct commands *c, const struct command *command,
                 struct err *err)
{
    int out = -1, said = -1;
    struct spawn s = {.argv = command->argv,
                      .env = c->setup.env,
                      .in = -1,
                      .keep_fd = -1,
                      .session = true,
                      .die_with_parent = true};
    int rc = open_pipe(&c->out, &out, err) || open_pipe(&c->err, &said, err);
    s.out = out;
    s.err = said;
    if (!rc)
        rc = process_spawn(&s, &c->process, err);
    if (out >= 0)
        close(out);
    if (said >= 0)
        close(said);
    if (!rc)
        return 0;
    outlet_close(&c->out);
    outlet_close(&c->err);
    return -1;
}

/* False: nothing waits, or what waited could not be started. */
static bool start_first(struct commands *c)
{
    struct command_end end = {.code = -1};
    if (c->queue.len == 0)
        return false;
    c->running = true;
    c->late = false;
    c->end_ns = clock_mono_ns() + (int64_t)(c->setup.limit_s * 1e9);
    if (spawn(c, &c->queue.p[0], &end.why) == 0)
        return true;
    finish(c, &end, 0);
    return false;
}

static void start_next(struct commands *c)
{
    while (!c->running && c->queue.len)
        if (start_first(c)) {
            c->out.source =
                loop_fd(c->setup.loop, c->out.fd, LOOP_READ, on_output, c);
            c->err.source =
                loop_fd(c->setup.loop, c->err.fd, LOOP_READ, on_output, c);
            loop_timer_in(c->look, LOOK_SECONDS);
        }
}

static struct command copy_command(const char *const *argv, command_fn *fn,
                                   void *context)
{
    struct command made = {.arena = arena_new(), .fn = fn, .context = context};
    size_t count = 0;
    while (argv[count])
        count++;
    made.argv = arena_array(made.arena, count + 1, sizeof(*made.argv));
    for (size_t i = 0; i < count; i++)
        made.argv[i] = arena_cstr(made.arena, str_of(argv[i]));
    return made;
}

void commands_add(struct commands *c, const char *const *argv, command_fn *fn,
                  void *context)
{
    vec_push(&c->queue, copy_command(argv, fn, context));
    if (!c->running)
        loop_timer_in(c->look, 0);
}

static void wait_for_some(struct commands *c)
{
    struct pollfd fds[] = {{.fd = c->out.fd, .events = POLLIN},
                           {.fd = c->err.fd, .events = POLLIN}};
    poll(fds, 2, (int)(LOOK_SECONDS * 1000));
    if (!drain(&c->out))
        outlet_close(&c->out);
    if (!drain(&c->err))
        outlet_close(&c->err);
    if (c->out.fd < 0 && c->err.fd < 0)
        poll(NULL, 0, 1);
    end_if_late(c);
}

void commands_drain(struct commands *c)
{
    while (c->running && !ended(c))
        wait_for_some(c);
}

/* What waits lets it go before. */
void commands_wait(struct commands *c, const char *const *argv, command_fn *fn,
                   void *context)
{
    commands_drain(c);
    vec_push(&c->queue, copy_command(argv, fn, context));
    struct command last = vec_last(&c->queue);
    memmove(c->queue.p + 1, c->queue.p,
            (c->queue.len - 1) * sizeof(*c->queue.p));
    c->queue.p[0] = last;
    if (start_first(c))
        commands_drain(c);
    if (!c->running && c->queue.len)
        loop_timer_in(c->look, 0);
}

/* ---- opening and closing ----------------------------------------------- */

struct commands *commands_new(const struct commands_setup *setup)
{
    struct commands *c = xcalloc(1, sizeof(*c));
    c->setup = *setup;
    c->out.fd = c->err.fd = -1;
    buf_init_max(&c->out.text, PRINTED_MAX);
    buf_init_max(&c->err.text, SAID_MAX);
    c->look = loop_timer(setup->loop, on_look, c);
    return c;
}

void commands_free(struct commands *c)
{
    if (!c)
        return;
    if (c->running) {
        kill(-c->process.pid, SIGKILL);
        while (waitpid(c->process.pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    for (size_t i = 0; i < c->queue.len; i++)
        arena_free(c->queue.p[i].arena);
    vec_done(&c->queue);
    outlet_close(&c->out);
    outlet_close(&c->err);
    buf_done(&c->out.text);
    buf_done(&c->err.text);
    loop_remove(c->look);
    free(c);
}
