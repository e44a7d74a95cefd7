/* local.c - place local: this machine, through one throng-worker
 *
 * The worker sits at the other end of a socket pair. It is UP, or ENDING (it
 * died or went mad, and its tasks are being ended), or BROKEN (it will not be
 * started again). Only while it is UP may the engine send.
 *
 * Nothing waits for the worker, except for its first word when the place
 * opens (so that a worker which cannot run is an error there and then) and
 * its last when the place closes. It is asked from time to time whether it is
 * there; one that says nothing for too long is ended as if it had died. The
 * worker has no such limit for us: our death closes its socket, and until
 * then it has work of its own.
 *
 * The order at a death: what is still in the socket is delivered, because it
 * was said; then every process that the worker left is ended; only then are
 * its tasks reported lost, so that the next attempt never meets the last.
 *
 * delivered counts this worker's records that the engine has got, committed
 * those that are known to be safe, acked what the worker was told:
 * acked <= committed <= delivered. The same holds for their bytes. */
#include "engine/here.h"
#include "engine/sweep.h"
#include "engine/wire.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define HELLO_SECONDS 30.0
/* Silence is counted in questions without an answer, so that a conductor which
 * was stopped itself blames nobody. */
#define SILENCE_SECONDS 60.0
#define SILENT_BEATS 6 /* questions in that time */
/* One that is not stopped may be in a long call: to a slow disk, say. */
#define BUSY_BEATS (10 * SILENT_BEATS)
/* The same while somebody waits for the end. */
#define HURRY_SECONDS 1.0 /* between two questions */
#define HURRY_BEATS 10
#define HURRY_SWEEP_SECONDS 10.0
#define HURRY_GRACE_SECONDS 3.0 /* for tasks, however much they may have */
#define LEAVE_SECONDS 5.0
#define SWEEP_SECONDS 60.0
#define SWEEP_STEP_SECONDS 0.005
/* A worker that closed its end has this long to exit by itself. */
#define EXIT_STEPS 40
#define STATUS_UNKNOWN (-1)
#define DEATHS_MAX 10
#define KIN_SECONDS 5.0
#define ACK_SECONDS 1.0
#define ACK_RECORDS 1000
/* The worker reads no more metrics while it must keep too much for us. */
#define ACK_BYTES (4u << 20)
/* Pieces read before other sources of the loop get their turn. */
#define PIECES_MAX 8
#define SOCKET_BYTES (1 << 20)
#define LOOK_SECONDS 1.0 /* between two looks at the GPUs */

enum local_state { UP, ENDING, BROKEN };

struct local {
    struct here here; /* first */
    struct engine *engine;
    const struct engine_setup *given;
    struct arena *arena;
    enum local_state state;
    const char *words_folder;
    char *room_text;
    char *task_mark;
    const char **env;

    unsigned generation; /* workers started until now */
    struct process_id worker;
    bool reaped; /* the worker's exit status is in `status` */
    int status;
    char last_words[4096];
    struct err damage; /* why its records make no sense */
    bool greeted;
    bool heard;       /* something, since it was asked last */
    unsigned unheard; /* questions in a row without an answer */
    bool dismissed;   /* ended for its silence, or because it was in the way */
    bool hurried;     /* somebody waits for the end */
    bool quitting;    /* it was told to end everything and to exit */
    unsigned deaths;  /* in a row, no task having ended between */

    struct wire wire;
    struct loop_source *socket, *child, *after, *ack_timer, *sweep_timer,
        *kin_timer, *beat_timer, *haste_timer, *look_timer;
    bool looks;     /* at the GPUs, since a task that needs one is there */
    bool after_ran; /* this round's flush is over: the next needs a wake-up */
    bool ack_armed;
    uint64_t delivered, committed, acked;
    uint64_t delivered_bytes, committed_bytes, acked_bytes;

    struct sweep sweep;
    unsigned sweep_steps;
    int64_t sweep_end_ns;
};

static void begin_death(struct local *l);

/* ---- writing ---------------------------------------------------------- */

static void wake_for_flush(struct local *l)
{
    if (l->after_ran && l->socket)
        loop_fd_want(l->socket, LOOP_READ | LOOP_WRITE);
}

static void send_ack(struct local *l)
{
    struct buf payload;
    buf_init(&payload);
    buf_add_u64(&payload, l->committed);
    struct record r = {.type = RECORD_ACK, .payload = buf_str(&payload)};
    wire_send(&l->wire, &r);
    buf_done(&payload);
    l->acked = l->committed;
    l->acked_bytes = l->committed_bytes;
}

/* A failure to write is not looked at: the end of the stream is seen when
 * reading, after everything that the worker still had to say. */
static void flush(struct local *l)
{
    if (wire_waiting(&l->wire) == 0)
        return;
    if (l->committed > l->acked)
        send_ack(l);
    wire_flush(&l->wire);
    loop_fd_want(l->socket,
                 wire_waiting(&l->wire) ? LOOP_READ | LOOP_WRITE : LOOP_READ);
}

static void on_after(void *context)
{
    struct local *l = context;
    if (l->state == UP)
        flush(l);
    l->after_ran = true;
}

/* The worker cannot ask for it: NVML has to be loaded. */
static void send_readings(struct local *l)
{
    struct buf payload;
    buf_init(&payload);
    if (here_readings(&l->here, &payload)) {
        struct record r = {.type = RECORD_GPUS, .payload = buf_str(&payload)};
        wire_send(&l->wire, &r);
        wake_for_flush(l);
    }
    buf_done(&payload);
    loop_timer_in(l->look_timer, LOOK_SECONDS);
}

static void on_look_timer(void *context)
{
    struct local *l = context;
    l->looks = l->state == UP && engine_place_has_gpu_tasks(l->engine);
    if (l->looks)
        send_readings(l);
}

/* The first look comes before the first task: what is in use then is not its
 * own. */
static void look_first(struct local *l, const struct record *r)
{
    if (r->type != RECORD_TASK || l->looks || !l->here.room.gpu_count ||
        !engine_place_has_gpu_tasks(l->engine))
        return;
    l->looks = true;
    send_readings(l);
}

static void local_send(void *place, const struct record *r)
{
    struct local *l = place;
    require(l->state == UP);
    look_first(l, r);
    wire_send(&l->wire, r);
    wake_for_flush(l);
}

static void print_room(struct local *l)
{
    struct buf room;
    buf_init(&room);
    l->here.room.parallel = l->given->parallel;
    room_print(&room, &l->here.room);
    l->room_text = arena_cstr(l->arena, buf_str(&room));
    buf_done(&room);
}

/* The worker that is there, and one that may follow it. */
static void local_resize(void *place)
{
    struct local *l = place;
    struct buf payload;
    print_room(l);
    if (l->state != UP)
        return;
    buf_init(&payload);
    buf_add_u32(&payload, l->given->parallel);
    struct record r = {.type = RECORD_PARALLEL, .payload = buf_str(&payload)};
    wire_send(&l->wire, &r);
    buf_done(&payload);
    wake_for_flush(l);
}

static void on_ack_timer(void *context)
{
    struct local *l = context;
    l->ack_armed = false;
    if (l->state != UP || l->committed == l->acked)
        return;
    send_ack(l);
    wake_for_flush(l);
}

/* An acknowledgement only lets the worker forget, so it is not worth a write
 * of its own until many have collected or some time has passed. */
static void local_ack(void *place)
{
    struct local *l = place;
    if (l->state != UP)
        return;
    l->committed = l->delivered;
    l->committed_bytes = l->delivered_bytes;
    if (l->committed == l->acked)
        return;
    if (l->committed - l->acked >= ACK_RECORDS ||
        l->committed_bytes - l->acked_bytes >= ACK_BYTES) {
        send_ack(l);
        wake_for_flush(l);
    } else if (!l->ack_armed) {
        l->ack_armed = true;
        loop_timer_in(l->ack_timer, ACK_SECONDS);
    }
}

/* ---- reading ---------------------------------------------------------- */

/* Both were installed together, so their versions are the same. */
static int greet(struct local *l, struct str payload, struct err *err)
{
    struct record_hello h;
    if (record_hello_parse(payload, &h, err))
        return -1;
    if (!str_is(h.version, THRONG_VERSION))
        return err_set(err, ERR_SYSTEM,
                       "it is of version %.*s and throng of " THRONG_VERSION
                       ": install both together",
                       STRF(h.version));
    l->greeted = true;
    return 0;
}

static int deliver(struct local *l, const struct record *r, struct err *err)
{
    l->delivered++;
    l->delivered_bytes += r->payload.len;
    if (!l->greeted && r->type != RECORD_HELLO)
        return err_set(err, ERR_CORRUPT, "its first record is no greeting");
    switch (r->type) {
    case RECORD_HELLO:
        return greet(l, r->payload, err);
    case RECORD_PONG: /* nothing that had to be written down */
        if (l->committed + 1 == l->delivered)
            l->committed = l->delivered;
        return 0;
    case RECORD_ENDED:
        l->deaths = 0;
        break;
    case RECORD_STARTING:
    case RECORD_STARTED:
    case RECORD_METRICS:
    case RECORD_POINTS:
    case RECORD_ABOUT:
    case RECORD_ANEW:
    case RECORD_FILE:
    case RECORD_USE:
    case RECORD_NOTICE:
        break;
    default:
        return err_set(err, ERR_CORRUPT,
                       "it sent a record that only a conductor sends");
    }
    return engine_place_record(l->engine, r, err);
}

static int deliver_all(struct local *l)
{
    struct record r;
    int got;
    while ((got = wire_next(&l->wire, &r, &l->damage)) > 0)
        if (deliver(l, &r, &l->damage))
            return -1;
    return got;
}

/* Reads and delivers one piece from the socket: as wire_read, and -1 too
 * when what came makes no sense. */
static int pump(struct local *l)
{
    int got = wire_read(&l->wire);
    l->heard |= got > 0;
    return got > 0 && deliver_all(l) ? -1 : got;
}

/* A turn's worth of pieces. The loop calls again when more is there, so the
 * end of a short piece need not be felt for. */
static int pump_some(struct local *l)
{
    int got = 1;
    for (int i = 0; i < PIECES_MAX && got > 0; i++) {
        got = pump(l);
        if (!l->wire.more)
            break;
    }
    return got;
}

static void on_socket(void *context, int fd, unsigned what)
{
    struct local *l = context;
    (void)fd;
    l->after_ran = false;
    if ((what & LOOP_READ) && pump_some(l) < 0)
        begin_death(l);
    else if (what & LOOP_WRITE)
        flush(l);
}

/* ---- starting a worker ------------------------------------------------ */

static void name_last_words(struct local *l)
{
    struct process_id self = process_self();
    snprintf(l->last_words, sizeof l->last_words, "%s/%d-%llu-%u.rec",
             l->words_folder, (int)self.pid, (unsigned long long)self.start,
             l->generation);
}

struct leaders_path {
    char text[sizeof((struct local *)0)->last_words + 16];
};

static struct leaders_path leaders_path(const struct local *l)
{
    struct leaders_path path;
    snprintf(path.text, sizeof path.text, "%s.leaders", l->last_words);
    return path;
}

/* Nothing of the sessions that it names is left. */
static void remove_leaders(const struct local *l)
{
    unlink(leaders_path(l).text);
}

/* A worker that is killed before it has opened its file has run nothing, which
 * is known by this empty one. */
static void make_leaders(const struct local *l)
{
    struct leaders file;
    if (leaders_open(&file, leaders_path(l).text, NULL) == 0)
        leaders_close(&file, false);
}

/* Both ends lie above the standard descriptors, even if the caller runs
 * without those. */
static int make_sockets(int pair[2], struct err *err)
{
    int bytes = SOCKET_BYTES;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return err_errno(err, "no socket pair for throng-worker");
    for (int i = 0; i < 2; i++) {
        if (pair[i] <= 2) {
            int up = fcntl(pair[i], F_DUPFD_CLOEXEC, 3);
            close(pair[i]);
            pair[i] = up;
        }
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    }
    if (pair[0] >= 0 && pair[1] >= 0 && fd_nonblocking(pair[0], err) == 0)
        return 0;
    close(pair[0]);
    close(pair[1]);
    return err_wrap(err, "no socket pair for throng-worker");
}

/* A worker must not hold what this process was started with open after it has
 * gone to the background. -1: nowhere. */
static int open_words(const struct local *l)
{
    if (l->given->words)
        return open(l->given->words, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                    0666);
    return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

static int spawn_worker(struct local *l, int fd, struct err *err)
{
    char fd_text[16], mask_text[16] = "";
    snprintf(fd_text, sizeof fd_text, "%d", fd);
    const char *argv[] = {
        l->given->worker, "--fd",     fd_text,          "--room",
        l->room_text,     "--mark",   l->task_mark,     "--last-words",
        l->last_words,    "--folder", l->given->folder, NULL,
        mask_text,        NULL};
    if (l->given->mask) {
        argv[11] = "--umask";
        snprintf(mask_text, sizeof mask_text, "%o", (unsigned)*l->given->mask);
    }
    struct spawn s = {.argv = argv,
                      .env = l->env,
                      .in = -1,
                      .out = -1,
                      .err = open_words(l),
                      .keep_fd = fd,
                      .session = true};
    int rc = process_spawn(&s, &l->worker, err);
    if (s.err >= 0)
        close(s.err);
    return rc;
}

static void on_kin_timer(void *context)
{
    struct local *l = context;
    if (l->state != UP)
        return;
    sweep_note_kin(&l->sweep);
    loop_timer_in(l->kin_timer, KIN_SECONDS);
}

static double beat_seconds(const struct local *l)
{
    double silence =
        l->given->silence_s > 0 ? l->given->silence_s : SILENCE_SECONDS;
    double beat = silence / SILENT_BEATS;
    return l->hurried && beat > HURRY_SECONDS ? HURRY_SECONDS : beat;
}

static void reset_worker(struct local *l)
{
    l->generation++;
    l->reaped = l->greeted = l->ack_armed = false;
    l->heard = l->dismissed = l->looks = false;
    l->unheard = 0;
    l->damage = (struct err){0};
    l->delivered = l->committed = l->acked = 0;
    l->delivered_bytes = l->committed_bytes = l->acked_bytes = 0;
    l->after_ran = true;
    name_last_words(l);
}

static int start_worker(struct local *l, struct err *err)
{
    int pair[2];
    reset_worker(l);
    if (make_sockets(pair, err))
        return -1;
    l->sweep.worker = (struct process_id){0};
    sweep_note_kin(&l->sweep);
    make_leaders(l);
    if (spawn_worker(l, pair[1], err)) {
        remove_leaders(l);
        close(pair[0]);
        close(pair[1]);
        return err_wrap(err, "the worker %s", l->given->worker);
    }
    close(pair[1]);
    wire_open(&l->wire, pair[0]);
    l->sweep.worker = l->worker;
    l->state = UP;
    l->socket = loop_fd(l->given->loop, pair[0], LOOP_READ, on_socket, l);
    require(l->socket);
    loop_timer_in(l->kin_timer, KIN_SECONDS);
    loop_timer_in(l->beat_timer, beat_seconds(l));
    return 0;
}

/* ---- the death of a worker -------------------------------------------- */

static bool reap(struct local *l)
{
    if (l->reaped)
        return true;
    pid_t got = waitpid(l->worker.pid, &l->status, WNOHANG);
    if (got < 0)
        l->status = STATUS_UNKNOWN; /* somebody else has reaped it */
    l->reaped = got != 0;
    return l->reaped;
}

static void on_child(void *context, int signum)
{
    struct local *l = context;
    (void)signum;
    if (l->state != UP || !reap(l))
        return;
    /* What the hooks submit now shall wait for the next worker. */
    engine_place_down(l->engine);
    while (pump(l) > 0)
        ;
    begin_death(l);
}

static void begin_death(struct local *l)
{
    engine_place_down(l->engine);
    l->state = ENDING;
    loop_remove(l->socket);
    l->socket = NULL;
    loop_timer_off(l->ack_timer);
    loop_timer_off(l->kin_timer);
    loop_timer_off(l->beat_timer);
    if ((l->damage.kind || l->dismissed) && !l->reaped)
        kill(l->worker.pid, SIGKILL);
    l->sweep_steps = 0;
    l->sweep.quiet = 0;
    l->sweep_end_ns = clock_mono_ns() + (int64_t)(SWEEP_SECONDS * 1e9);
    loop_timer_in(l->sweep_timer, 0);
}

static void print_death(const struct local *l, char *text, size_t size)
{
    if (l->dismissed && l->unheard)
        snprintf(text, size, "throng-worker %s for %.3g s, so it was ended",
                 l->greeted ? "did not answer" : "did not say hello",
                 l->unheard * beat_seconds(l));
    else if (l->dismissed)
        snprintf(text, size, "throng-worker was ended at once");
    else if (l->damage.kind)
        snprintf(text, size, "throng-worker sent damaged records (%.400s)",
                 l->damage.text);
    else if (l->status == STATUS_UNKNOWN)
        snprintf(text, size, "throng-worker ended");
    else if (WIFSIGNALED(l->status))
        snprintf(text, size, "throng-worker was ended by signal %d (%s)",
                 WTERMSIG(l->status), strsignal(WTERMSIG(l->status)));
    else
        snprintf(text, size, "throng-worker ended with exit code %d",
                 WEXITSTATUS(l->status));
}

/* Its tasks count as lost, whatever the file says: were it read later, its
 * records would be taken for those of a newer attempt. */
static void remove_remains(struct local *l)
{
    char tools[4096];
    unlink(l->last_words);
    remove_leaders(l);
    snprintf(tools, sizeof tools, "%s/" TOOLS_PREFIX "%d", l->words_folder,
             (int)l->worker.pid);
    dir_remove(tools, NULL);
}

static void give_up(struct local *l, struct err *err)
{
    l->state = BROKEN;
    engine_place_fault(l->engine, err);
}

static void finish_death(struct local *l)
{
    char reason[512];
    struct err err = {0};
    print_death(l, reason, sizeof reason);
    log_to(l->given->log, LOG_WARN, "%s", reason);
    wire_close(&l->wire);
    remove_remains(l);
    l->deaths++;
    engine_place_lost(l->engine, reason);
    if (l->deaths >= DEATHS_MAX) {
        err_set(&err, ERR_SYSTEM,
                "%s: no task has ended in the last %d lives of it (%s)", reason,
                DEATHS_MAX, l->given->worker);
        give_up(l, &err);
    } else if (l->hurried) {
        l->state = BROKEN; /* nobody needs another one */
    } else if (start_worker(l, &err)) {
        give_up(l, &err);
    } else {
        engine_place_up(l->engine);
    }
}

static void on_sweep_timer(void *context)
{
    struct local *l = context;
    struct err err = {0};
    if (!reap(l) && ++l->sweep_steps >= EXIT_STEPS)
        kill(l->worker.pid, SIGKILL);
    if (l->reaped && sweep_round(&l->sweep)) {
        finish_death(l);
    } else if (clock_mono_ns() < l->sweep_end_ns) {
        loop_timer_in(l->sweep_timer, SWEEP_STEP_SECONDS);
    } else {
        err_set(&err, ERR_SYSTEM,
                "throng-worker died and process %d, which it left, does not "
                "end",
                (int)(l->reaped ? l->sweep.seen : l->worker.pid));
        give_up(l, &err);
    }
}

/* ---- a worker that says nothing --------------------------------------- */

/* What it said before is delivered, because it was said. */
static void dismiss(struct local *l)
{
    l->dismissed = true;
    engine_place_down(l->engine);
    while (pump(l) > 0)
        ;
    begin_death(l);
}

static void ask(struct local *l)
{
    struct record r = {.type = RECORD_PING};
    wire_send(&l->wire, &r);
    wake_for_flush(l);
    loop_timer_in(l->beat_timer, beat_seconds(l));
}

/* How many questions may stay without an answer. */
static unsigned patience(const struct local *l)
{
    bool stopped = process_state(l->worker) == 'T';
    if (l->hurried)
        return stopped ? 1 : HURRY_BEATS;
    return stopped || !l->greeted ? SILENT_BEATS : BUSY_BEATS;
}

static void on_beat_timer(void *context)
{
    struct local *l = context;
    if (l->state != UP)
        return;
    l->unheard = l->heard ? 0 : l->unheard + 1;
    l->heard = false;
    if (l->unheard >= patience(l)) {
        dismiss(l);
        return;
    }
    if (l->unheard == SILENT_BEATS && !l->hurried)
        log_to(l->given->log, LOG_WARN,
               "throng-worker (process %d) has not answered for %.3g s; it is "
               "ended if it does not within %.3g s",
               (int)l->worker.pid, l->unheard * beat_seconds(l),
               (BUSY_BEATS - l->unheard) * beat_seconds(l));
    ask(l);
}

/* The worker ends what is left of its tasks, and has little time for it. */
static void on_haste_timer(void *context)
{
    struct local *l = context;
    struct record r = {.type = RECORD_QUIT};
    if (l->state != UP)
        return;
    if (l->quitting) {
        dismiss(l);
        return;
    }
    l->quitting = true;
    wire_send(&l->wire, &r);
    wake_for_flush(l);
    loop_timer_in(l->haste_timer, LEAVE_SECONDS);
}

static void local_hurry(void *place, enum haste haste)
{
    struct local *l = place;
    int64_t end = clock_mono_ns() + (int64_t)(HURRY_SWEEP_SECONDS * 1e9);
    l->hurried = true;
    if (l->sweep_end_ns > end)
        l->sweep_end_ns = end;
    if (l->state != UP)
        return;
    l->unheard = 0;
    l->heard = false;
    if (haste == HASTE_NOW)
        dismiss(l);
    else
        ask(l);
    if (haste == HASTE_SOON)
        loop_timer_in(l->haste_timer, HURRY_GRACE_SECONDS);
}

/* ---- opening and closing ---------------------------------------------- */

/* True when it is reaped in this time. */
static bool reap_within(struct local *l, double seconds)
{
    int64_t end = clock_mono_ns() + (int64_t)(seconds * 1e9);
    while (!reap(l) && clock_mono_ns() < end)
        clock_pause_ms(1);
    return l->reaped;
}

/* This process's environment with the worker's mark in it. */
static const char **make_env(struct arena *a, const char *mark)
{
    size_t count = 0, n = 0, name = strcspn(mark, "=") + 1;
    while (environ[count])
        count++;
    const char **env = arena_array(a, count + 2, sizeof *env);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], mark, name) != 0)
            env[n++] = arena_cstr(a, str_of(environ[i]));
    env[n++] = mark;
    env[n] = NULL;
    return env;
}

static int wait_hello(struct local *l, struct err *err)
{
    int64_t end = clock_mono_ns() + (int64_t)(HELLO_SECONDS * 1e9);
    struct pollfd p = {.fd = l->wire.fd, .events = POLLIN};
    char reason[512];
    while (!l->greeted) {
        int64_t left_ms = (end - clock_mono_ns()) / 1000000;
        if (left_ms <= 0)
            return err_set(err, ERR_SYSTEM, "the worker %s does not answer",
                           l->given->worker);
        if (poll(&p, 1, (int)left_ms) < 0 || pump(l) >= 0)
            continue;
        if (l->damage.kind)
            return err_set(err, ERR_SYSTEM,
                           "%s does not behave as a worker: %s",
                           l->given->worker, l->damage.text);
        if (!reap_within(l, LEAVE_SECONDS))
            return err_set(err, ERR_SYSTEM,
                           "the worker %s closed its socket and lives on",
                           l->given->worker);
        print_death(l, reason, sizeof reason);
        return err_set(err, ERR_SYSTEM, "the worker %s did not come up: %s",
                       l->given->worker, reason);
    }
    return 0;
}

static void prepare(struct local *l)
{
    struct loop *loop = l->given->loop;
    l->words_folder = path_join(l->arena, l->given->folder, LAST_WORDS);
    print_room(l);
    wire_init(&l->wire);
    l->child = loop_signal(loop, SIGCHLD, on_child, l);
    l->after = loop_after(loop, on_after, l);
    l->ack_timer = loop_timer(loop, on_ack_timer, l);
    l->sweep_timer = loop_timer(loop, on_sweep_timer, l);
    l->kin_timer = loop_timer(loop, on_kin_timer, l);
    l->beat_timer = loop_timer(loop, on_beat_timer, l);
    l->haste_timer = loop_timer(loop, on_haste_timer, l);
    l->look_timer = loop_timer(loop, on_look_timer, l);
}

static void make_marks(struct local *l, uint64_t epoch)
{
    struct mark mark = {l->given->folder, epoch};
    l->task_mark = mark_text(l->arena, &mark, MARK_TASK);
    l->env = make_env(l->arena, mark_text(l->arena, &mark, MARK_WORKER));
    sweep_init(&l->sweep, &mark);
}

static void *local_open(const struct place_setup *setup, struct err *err)
{
    struct local *l = xcalloc(1, sizeof *l);
    (void)err;
    l->engine = setup->engine;
    l->given = setup->given;
    l->arena = arena_new();
    l->state = BROKEN;
    here_open(&l->here, setup->given);
    prepare(l);
    return l;
}

static int local_start(void *place, uint64_t epoch, struct err *err)
{
    struct local *l = place;
    make_marks(l, epoch);
    if (process_subreaper(err) == 0 &&
        dir_make_below(l->given->folder, l->words_folder, err) == 0 &&
        start_worker(l, err) == 0 && wait_hello(l, err) == 0)
        return 0;
    l->state = BROKEN;
    return -1;
}

/* The end of the stream tells the worker to end its tasks, to write down
 * what is not acknowledged, and to leave. What it says meanwhile is read but
 * not delivered: it is in its last words. */
static void say_goodbye(struct local *l)
{
    int64_t end = clock_mono_ns() + (int64_t)(LEAVE_SECONDS * 1e9);
    struct pollfd p = {.fd = l->wire.fd, .events = POLLIN};
    if (l->committed > l->acked)
        send_ack(l);
    while (wire_waiting(&l->wire) && !wire_flush(&l->wire) &&
           wire_waiting(&l->wire) && clock_mono_ns() < end)
        clock_pause_ms(1);
    shutdown(l->wire.fd, SHUT_WR);
    while (!reap(l) && clock_mono_ns() < end) {
        if (p.fd < 0)
            clock_pause_ms(1);
        else if (poll(&p, 1, 10) > 0 && wire_read(&l->wire) < 0)
            p.fd = -1;
        l->wire.in_at = l->wire.in.len;
    }
}

static void end_worker(struct local *l)
{
    struct err err = {0};
    if (l->worker.pid == 0)
        return;
    if (l->state == UP)
        say_goodbye(l);
    if (!l->reaped)
        kill(l->worker.pid, SIGKILL);
    if (!reap_within(l, LEAVE_SECONDS))
        log_to(l->given->log, LOG_ERROR,
               "throng-worker (process %d) does not end, though it was killed: "
               "it may wait for a disk that does not answer",
               (int)l->worker.pid);
    l->sweep.quiet = 0;
    if (sweep_all(&l->sweep, LEAVE_SECONDS, &err))
        log_to(l->given->log, LOG_ERROR, "%s", err.text);
    else
        remove_leaders(l);
}

static void local_close(void *place, bool leave)
{
    struct local *l = place;
    (void)leave;
    loop_remove(l->socket);
    loop_remove(l->child);
    loop_remove(l->after);
    loop_remove(l->ack_timer);
    loop_remove(l->sweep_timer);
    loop_remove(l->kin_timer);
    loop_remove(l->beat_timer);
    loop_remove(l->haste_timer);
    loop_remove(l->look_timer);
    end_worker(l);
    rmdir(l->words_folder); /* only if nothing was left in it */
    sweep_done(&l->sweep);
    wire_done(&l->wire);
    here_close(&l->here);
    arena_free(l->arena);
    free(l);
}

PLACE(local) = {
    .name = "local",
    .open = local_open,
    .start = local_start,
    .close = local_close,
    .check = here_check,
    .slots = here_slots,
    .want = here_want,
    .gpus = here_gpus,
    .look = here_look,
    .send = local_send,
    .ack = local_ack,
    .resize = local_resize,
    .hurry = local_hurry,
};
