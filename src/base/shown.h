/* shown.h - text that is not ours, as a person may see it
 *
 * What a program printed, a name, a note or a value may hold characters that
 * a terminal obeys: they move the cursor, set its title, answer for the
 * person. Shown, they are letters: ^[ for an escape, \u009b for a control
 * character of eight bits (as JSON writes it too), \xff for a byte that is no
 * UTF-8. Line feeds and tabs stay. */
#ifndef THRONG_BASE_SHOWN_H
#define THRONG_BASE_SHOWN_H

#include "base/buf.h"

void shown_add(struct buf *b, struct str text);
/* The same for the output of programs: colours stay colours, and of a line
 * that a progress bar writes over itself the last state is left. What came
 * before this text is on the screen already: then a new line begins. */
void shown_add_output(struct buf *b, struct str text);

/* What is left in the end of a line that wrote over itself, as progress bars
 * do: what stands behind its last carriage return. */
struct str shown_last(struct str line);

/* Characters on the screen, close enough: bytes that begin one. */
bool shown_begins(char c);
size_t shown_width(struct str s);

/* How many bytes at the front are shown as they are. */
size_t shown_plain(struct str s);

#endif
