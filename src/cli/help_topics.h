/* help_topics.h - help that is not about one verb */
#ifndef THRONG_CLI_HELP_TOPICS_H
#define THRONG_CLI_HELP_TOPICS_H

#include "base/buf.h"

struct help_topic {
    const char *name;
    const char *summary; /* for lists and man pages */
    void (*print)(struct buf *b);
};
extern const struct help_topic help_topics[]; /* ended by {0} */
/* The topic of a name (also of study-file, for study), or NULL. */
const struct help_topic *help_topic(const char *name);
/* Of a method, of a key of a study file and what stands inside of it, or of
 * keys that end so or are for such a rule; false when the word is none. */
bool help_word(struct buf *b, const char *word);

#endif
