/* hooks.h - commands of the person's own, called when something happens
 *
 * on_best: a trial is better than all before, on_finish: the study ended. The
 * event is on the command's standard input as one line of JSON; what it
 * prints goes to hooks.log in the study's folder. The conductor never waits:
 * one call of each runs at a time, and what happens meanwhile is told by the
 * next one, the newest only. */
#ifndef THRONG_STUDY_HOOKS_H
#define THRONG_STUDY_HOOKS_H

#include <sys/types.h>
#include "base/log.h"
#include "base/str.h"
#include "sys/sys.h"

enum hook { HOOK_BEST, HOOK_FINISH, HOOK_COUNT };

struct hooks {
    struct str commands[HOOK_COUNT]; /* empty: none */
    const char *home;                /* where they run */
    const char *log_path;
    const mode_t *mask; /* their umask; NULL: ours */
    const struct log *log;
    pid_t running[HOOK_COUNT]; /* 0: none */
    bool complained[HOOK_COUNT];
};

bool hook_free(const struct hooks *h, enum hook which);
/* Starts the command with the event; only when hook_free. */
void hook_call(struct hooks *h, enum hook which, struct str event);
/* Looks whether calls have ended; failures are said once. */
void hooks_look(struct hooks *h);
/* Waits a little for what still runs; at the very end says that it is left
 * alone. */
void hooks_wait(struct hooks *h, double wait_s);
void hooks_end(struct hooks *h, double wait_s);

#endif
