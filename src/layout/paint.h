/* paint.h - colours of words */
#ifndef THRONG_LAYOUT_PAINT_H
#define THRONG_LAYOUT_PAINT_H

#include "base/str.h"

#define PAINT_BOLD "\033[1m"
#define PAINT_END "\033[0m"

/* The colour of a word that names a state of trials, or NULL. */
const char *paint_of_state(struct str word);

#endif
