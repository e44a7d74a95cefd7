/* hooks.c - commands of the person's own, called when something happens */
#include "study/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 20

static const char *const names[HOOK_COUNT] = {
    [HOOK_BEST] = "on_best", [HOOK_FINISH] = "on_finish"};

bool hook_free(const struct hooks *h, enum hook which)
{
    return h->commands[which].len && !h->running[which];
}

static void complain(struct hooks *h, enum hook which, const char *what)
{
    if (h->complained[which])
        return;
    h->complained[which] = true;
    log_to(h->log, LOG_WARN, "%s: %s (this is said once; see %s)", names[which],
           what, h->log_path);
}

/* A file in memory: of any size, and nobody ever waits for its reader. */
static int event_file(struct str event, struct err *err)
{
    int fd = memfd_create("throng-event", MFD_CLOEXEC);
    if (fd < 0)
        return err_errno(err, "make a file in memory");
    if (fd_write_all(fd, event.p, event.len, err) || lseek(fd, 0, SEEK_SET)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* In our own session: the engine ends what its workers left behind, and
 * knows it by a session of its own. */
static int start(struct hooks *h, enum hook which, struct str event,
                 struct err *err)
{
    struct arena *a = arena_new();
    const char *const argv[] = {"/bin/sh", "-c",
                                arena_cstr(a, h->commands[which]), NULL};
    int in = event_file(event, err);
    int out =
        open(h->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct spawn spawn = {.argv = argv,
                          .cwd = h->home,
                          .in = in,
                          .out = out,
                          .err = out,
                          .mask = h->mask,
                          .keep_fd = -1};
    struct process_id id;
    int rc = in < 0 ? -1 : 0;
    if (!rc && out < 0)
        rc = err_errno(err, "write %s", h->log_path);
    if (!rc)
        rc = process_spawn(&spawn, &id, err);
    if (!rc)
        h->running[which] = id.pid;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    arena_free(a);
    return rc;
}

void hook_call(struct hooks *h, enum hook which, struct str event)
{
    struct err err = {0};
    if (start(h, which, event, &err))
        complain(h, which, err.text);
}

void hooks_look(struct hooks *h)
{
    for (int i = 0; i < HOOK_COUNT; i++) {
        int status;
        char text[64];
        if (!h->running[i])
            continue;
        pid_t got = waitpid(h->running[i], &status, WNOHANG);
        if (got == 0 || (got < 0 && errno == EINTR))
            continue;
        h->running[i] = 0;
        if (got < 0 || status == 0)
            continue;
        if (WIFEXITED(status))
            snprintf(text, sizeof(text), "it ended with exit code %d",
                     WEXITSTATUS(status));
        else
            snprintf(text, sizeof(text), "it was ended by signal %d",
                     WTERMSIG(status));
        complain(h, (enum hook)i, text);
    }
}

void hooks_wait(struct hooks *h, double wait_s)
{
    int64_t until = clock_mono_ns() + (int64_t)(wait_s * 1e9);
    for (;;) {
        bool any = false;
        hooks_look(h);
        for (int i = 0; i < HOOK_COUNT; i++)
            any |= h->running[i] != 0;
        if (!any || clock_mono_ns() > until)
            break;
        clock_pause_ms(LOOK_MS);
    }
}

void hooks_end(struct hooks *h, double wait_s)
{
    hooks_wait(h, wait_s);
    for (int i = 0; i < HOOK_COUNT; i++)
        if (h->running[i])
            log_to(h->log, LOG_NOTICE,
                   "%s still runs, as process %ld; it is left alone", names[i],
                   (long)h->running[i]);
}
