/* setup.c - the shell lines that come before a command
 *
 * What stands in front of them shares their first line, so that the shell
 * counts as the person does. Only bash can tell a line of ours from one of a
 * file that it sources: activation scripts are full of harmless failures. */
#include "terms/setup.h"

/* 0 would pass for a command that ended well, 78 and 85 for its words. */
#define SETUP_EXIT                                                             \
    "so the command was not started\" >&2; "                                   \
    "case $throng_code in 0|78|85) exit 1;; esac' EXIT; "

static const char in_bash[] =
    "trap 'throng_code=$?; test ${#BASH_SOURCE[@]} -gt 0 || "
    "{ throng_line=\"line $LINENO: \\`$BASH_COMMAND\\`\"; exit $throng_code; "
    "}' "
    "ERR; "
    "trap 'throng_code=$?; echo \"setup: ${throng_line:-line $LINENO} ended "
    "with exit code $throng_code, " SETUP_EXIT;
static const char in_sh[] =
    "trap 'throng_code=$?; echo \"setup: a line ended with exit code "
    "$throng_code, " SETUP_EXIT "set -e; ";

void setup_script(struct buf *b, struct str lines, bool bash)
{
    buf_adds(b, bash ? in_bash : in_sh);
    buf_addstr(b, lines);
    buf_adds(b,
             bash ? "\ntrap - ERR EXIT\nset +e\n" : "\ntrap - EXIT\nset +e\n");
    buf_adds(b, "exec \"$@\"");
}
