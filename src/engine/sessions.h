/* sessions.h - are these processes still those that were written down?
 *
 * A task leads a session, and its pid is written down. What it starts stays in
 * that session, whatever environment it is given, also when the leader is
 * gone. A number is not used again as long as a process of the session lives:
 * so one process that is proven to belong to the task proves it of the whole
 * session. Private to this folder. */
#ifndef THRONG_ENGINE_SESSIONS_H
#define THRONG_ENGINE_SESSIONS_H

#include "base/vec.h"
#include "engine/engine.h"

struct session {
    struct process_id leader;
    bool ours; /* proven, and not empty since */
    bool over; /* its number is another's, or nobody's, by now */
};
struct sessions {
    VEC(struct session) list;
    bool numbers_stand;
    uint64_t known_ticks;
};

void sessions_init(struct sessions *s, const struct engine_left *left);
void sessions_add(struct sessions *s, struct process_id leader);
void sessions_done(struct sessions *s);
/* Looks at all processes again. */
void sessions_judge(struct sessions *s, const struct process_table *t);
/* True when the process is in a session that is proven to be a task's. */
bool sessions_has(const struct sessions *s, const struct process_info *row);

#endif
