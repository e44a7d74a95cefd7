/* stage.h - the kinds of stages of a campaign
 *
 * A stage is told by the key that it has: `study:`, `command:` … plan has what
 * reads each kind, a file each (plan/stage.h). */
#ifndef THRONG_TERMS_STAGE_H
#define THRONG_TERMS_STAGE_H

/* Every kind has a row here: its key, and what it is. */
/* clang-format off */
#define STAGES(row) \
    row(study, "a study, of a file of its own") \
    row(predict, "an inference over many rows, whose shards are trials") \
    row(command, "one command, which is a study of one trial") \
    row(ensemble, "one model of trials of another stage") \
    row(summary, "a summary of other stages")
/* clang-format on */

#define STAGE_ROW(name, ...) STAGE_ROW_##name,
enum { STAGES(STAGE_ROW) STAGE_COUNT };

/* "study, …", as text that other texts may be put beside. */
#define STAGE_COMMA(name, ...) ", " #name
#define STAGE_NAMES (&("" STAGES(STAGE_COMMA))[2])

#endif
