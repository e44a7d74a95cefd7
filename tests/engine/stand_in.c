/* stand_in.c - a program that the engine takes for throng-worker
 *
 * The real one is too well-behaved for some tests. $STAND_IN says how this
 * one behaves; it writes the counts of the acknowledgements that it gets to
 * $STAND_IN_FILE, one a line.
 *
 *   (unset)      every task ends well at once
 *   exit         leaves before it says hello
 *   old          is of another version
 *   rude         says something else than hello first
 *   die          leaves with code 7 after the STARTING of a task
 *   garbage      answers a task with nonsense and stays
 *   hold         starts tasks but never ends them, unless told
 *   deaf         as hold, and neither when told
 *   orphan       as hold, and leaves a process behind that has cleared its
 *                environment and has its own session; its pid goes to
 *                $STAND_IN_FILE; dies after the second task
 *   heavy        says 5 MiB of metrics about a task, and again each time
 *                they are acknowledged; ends it after the eighth time
 *   mute         as die, and the next one never says hello
 *   last         as hold; at the end of the stream it writes $STAND_IN_FILE */
#include "terms/record.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct stand_in {
    int fd;
    const char *mode, *file;
    struct buf in;
    unsigned tasks;
    unsigned said;             /* of heavy: how often */
    struct record heavy;       /* about whom */
    unsigned long long wanted; /* the acknowledgement it waits for */
};

static void say(const struct stand_in *s, enum record_type type,
                const struct record *to, struct str payload)
{
    struct buf b;
    struct record r = {.type = type, .payload = payload};
    if (to) {
        r.task = to->task;
        r.attempt = to->attempt;
    }
    buf_init(&b);
    record_print(&b, &r);
    for (size_t at = 0; at < b.len;) {
        ssize_t n = send(s->fd, b.p + at, b.len - at, MSG_NOSIGNAL);
        if (n <= 0)
            _exit(1);
        at += (size_t)n;
    }
    buf_done(&b);
}

static void say_hello(const struct stand_in *s)
{
    struct buf b;
    bool old = strcmp(s->mode, "old") == 0;
    struct record_hello h = {.pid = (uint64_t)getpid(),
                             .host = STR("here"),
                             .version = str_of(old ? "0" : THRONG_VERSION)};
    buf_init(&b);
    record_hello_print(&b, &h);
    say(s, RECORD_HELLO, NULL, buf_str(&b));
    buf_done(&b);
}

static void say_ended(const struct stand_in *s, const struct record *to,
                      enum outcome outcome)
{
    struct buf b;
    struct record_ended e = {.outcome = outcome, .seconds = 0.001};
    buf_init(&b);
    record_ended_print(&b, &e);
    say(s, RECORD_ENDED, to, buf_str(&b));
    buf_done(&b);
}

static void note(const struct stand_in *s, unsigned long long number)
{
    char line[32];
    int len = snprintf(line, sizeof line, "%llu\n", number);
    int fd = open(s->file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, line, (size_t)len) != len)
        _exit(1);
    close(fd);
}

static void leave_orphan(const struct stand_in *s)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t pid = fork();
    if (pid == 0) {
        char *const argv[] = {(char[]){"sleep"}, (char[]){"1000"}, NULL};
        char *const env[] = {NULL};
        setsid();
        execve("/bin/sleep", argv, env);
        _exit(127);
    }
    note(s, (unsigned long long)pid);
}

static void say_heavy(struct stand_in *s)
{
    char *text = calloc(5, 1 << 20);
    say(s, RECORD_METRICS, &s->heavy, str_n(text, 5 << 20));
    free(text);
    s->said++;
    s->wanted++;
}

static void take_ack(struct stand_in *s, unsigned long long count)
{
    if (s->file)
        note(s, count);
    if (s->said == 0 || count < s->wanted)
        return;
    if (s->said < 8)
        say_heavy(s);
    else
        say_ended(s, &s->heavy, OUTCOME_DONE);
}

static void take_task(struct stand_in *s, const struct record *r)
{
    s->tasks++;
    if (strcmp(s->mode, "garbage") == 0) {
        char junk[256];
        memset(junk, 'x', sizeof junk);
        send(s->fd, junk, sizeof junk, MSG_NOSIGNAL);
        return;
    }
    say(s, RECORD_STARTING, r, (struct str){0});
    if (strcmp(s->mode, "mute") == 0)
        note(s, s->tasks);
    if (strcmp(s->mode, "die") == 0 || strcmp(s->mode, "mute") == 0)
        _exit(7);
    if (strcmp(s->mode, "orphan") == 0) {
        leave_orphan(s);
        if (s->tasks == 2)
            _exit(0);
    } else if (strcmp(s->mode, "heavy") == 0) {
        s->heavy = *r;
        s->wanted = 2; /* HELLO and STARTING */
        say_heavy(s);
    } else if (s->mode[0] == 0) {
        say_ended(s, r, OUTCOME_DONE);
    }
}

static void take(struct stand_in *s, const struct record *r)
{
    struct bytes in = bytes_of(r->payload);
    if (r->type == RECORD_TASK)
        take_task(s, r);
    else if (r->type == RECORD_STOP)
        say_ended(s, r, OUTCOME_STOPPED);
    else if (r->type == RECORD_KILL && strcmp(s->mode, "deaf") != 0 &&
             r->payload.p[0] != OUTCOME_UNSTARTED)
        say_ended(s, r, (enum outcome)bytes_u8(&in));
    else if (r->type == RECORD_PING)
        say(s, RECORD_PONG, NULL, (struct str){0});
    else if (r->type == RECORD_ACK)
        take_ack(s, bytes_u64(&in));
}

static void serve(struct stand_in *s)
{
    char piece[65536];
    struct record r;
    size_t used;
    ssize_t n;
    while ((n = recv(s->fd, piece, sizeof piece, 0)) > 0) {
        buf_add(&s->in, piece, (size_t)n);
        while (record_parse(buf_str(&s->in), &r, &used, NULL) > 0) {
            take(s, &r);
            buf_drop(&s->in, used);
        }
    }
    if (strcmp(s->mode, "last") == 0)
        note(s, s->tasks);
}

int main(int argc, char **argv)
{
    struct stand_in s = {.fd = -1, .mode = getenv("STAND_IN")};
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--fd") == 0)
            s.fd = (int)strtol(argv[i + 1], NULL, 10);
    s.file = getenv("STAND_IN_FILE");
    if (!s.mode)
        s.mode = "";
    if (strcmp(s.mode, "exit") == 0)
        return 5;
    if (strcmp(s.mode, "mute") == 0 && access(s.file, F_OK) == 0)
        for (;;)
            pause();
    if (strcmp(s.mode, "rude") == 0)
        say(&s, RECORD_NOTICE, NULL, STR("what?"));
    buf_init(&s.in);
    say_hello(&s);
    serve(&s);
    buf_done(&s.in);
    return 0;
}
