/* suggestion.c - names of decisions */
#include "terms/suggestion.h"

const char *decision_name(enum decision d)
{
    static const char *const names[] = {
        [DECISION_CONTINUE] = "continue",
        [DECISION_STOP] = "stop",
        [DECISION_PAUSE] = "pause",
    };
    return (unsigned)d < sizeof(names) / sizeof(*names) ? names[d] : "unknown";
}
