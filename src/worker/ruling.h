/* ruling.h - the rule that stops a trial by its own reports, where the
 * conductor hears of them too late
 *
 * The conductor comes to the same decision when the reports arrive, and leaves
 * out what came behind it. So the rule here saves the time, and no more. */
#ifndef THRONG_WORKER_RULING_H
#define THRONG_WORKER_RULING_H

#include <stdbool.h>
#include <stdint.h>
#include "terms/record.h"
#include "terms/stoprule.h"

struct attempt;

struct ruling {
    struct stoprule_state state;
    int64_t step;   /* the last that it knows of */
    int64_t due_ns; /* when its time is over; 0: it has no limit */
    bool begun;
    bool stops; /* it has decided */
};

bool ruling_is_on(const struct attempt *a);
/* The attempt runs: recalls what earlier starts reported. */
void ruling_begin(struct attempt *a);
/* A record about the attempt is said. */
void ruling_hear(struct attempt *a, enum record_type type, struct str payload);
/* Stops it when its time is over. */
void ruling_look(struct attempt *a, int64_t now_ns);

#endif
