/* foreign_verbs.h - verbs as people of other tools call them */
#ifndef THRONG_CLI_FOREIGN_VERBS_H
#define THRONG_CLI_FOREIGN_VERBS_H

/* The verb of ours that a word stands for elsewhere, or NULL. */
const char *verb_of_other_word(const char *word);

#endif
