/* setup.h - the shell lines that come before a command */
#ifndef THRONG_TERMS_SETUP_H
#define THRONG_TERMS_SETUP_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/str.h"

/* Appends the script that runs the lines and then becomes its arguments. A
 * line that fails, or that leaves the shell, ends it: standard error says
 * which, and the exit code is never one that means something else. `$0` is to
 * be "setup", so that the shell's own words begin alike. */
void setup_script(struct buf *b, struct str lines, bool bash);

#endif
