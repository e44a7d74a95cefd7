/* point_space.h - the space that a list of points covers */
#ifndef THRONG_STUDY_POINT_SPACE_H
#define THRONG_STUDY_POINT_SPACE_H

#include "terms/space.h"

struct point_space;
struct point_space *point_space_new(struct arena *a);
void point_space_free(struct point_space *p);
/* Looks at one point; nothing of it is kept. */
void point_space_add(struct point_space *p, const struct value *point);
/* The space of all of them, in the arena. How many columns are left out comes
 * back: those of very many different words, which say nothing in a table of
 * choices. */
size_t point_space_make(struct point_space *p, struct space *space);

#endif
