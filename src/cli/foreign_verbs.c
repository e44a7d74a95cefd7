/* foreign_verbs.c - verbs as people of other tools call them
 *
 * A misspelt verb is found by its letters; one that is right elsewhere has
 * other letters altogether. */
#include "cli/foreign_verbs.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *verb;
    const char *words; /* each between blanks */
} other_words[] = {
    {"rank", " best results leaderboard trials sort ranking "},
    {"run", " resume continue start launch submit sweep agent optimize go "},
    {"rm", " delete remove del purge clean drop "},
    {"ls", " list studies dir experiments "},
    {"logs", " log output tail cat "},
    {"stop", " cancel pause drain halt "},
    {"kill", " abort terminate "},
    {"watch", " top monitor follow attach "},
    {"web", " dashboard ui browser page serve "},
    {"plot", " curves figure chart draw graph "},
    {"init", " new create template generate "},
    {"show", " info describe view get inspect trial "},
    {"status", " state ps progress "},
    {"check", " validate lint verify test plan "},
    {"diff", " cmp "},
    {"errors", " failures failed problems "},
    {"explain", " why reason "},
    {"export", " csv dump save table json "},
    {"add", " enqueue append insert "},
    {"retry", " restart again requeue "},
    {"rerun", " redo repeat replicate "},
    {"tag", " label mark "},
    {"note", " comment annotate "},
    {"trust", " allow safe permit "},
    {"doctor", " env diagnose machine "},
    {"suggest", " ask tell propose "},
    {"help", " man usage docs "},
};

const char *verb_of_other_word(const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < sizeof(other_words) / sizeof(other_words[0]); i++)
        for (const char *p = other_words[i].words; *p; p += strcspn(p, " ")) {
            p += strspn(p, " ");
            if (n && strcspn(p, " ") == n && !strncasecmp(p, word, n))
                return other_words[i].verb;
        }
    return NULL;
}
