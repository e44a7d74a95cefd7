/* program.h - finding the file of a program; internal to src/sys */
#ifndef THRONG_SYS_PROGRAM_H
#define THRONG_SYS_PROGRAM_H

#include <limits.h>

/* Finds name as execvp does after a chdir to cwd (NULL: none): as it is when
 * it holds a '/', else through path_env ("" and NULL: the system's default).
 * Returns 0 and the path to execute, as seen from cwd; or the errno: ENOENT
 * when there is none, EACCES when what was found (then in program) may not be
 * executed, ENAMETOOLONG. */
int program_find(const char *name, const char *path_env, const char *cwd,
                 char program[PATH_MAX]);
/* The path by which this process reaches `program` as seen from cwd. */
int program_from_here(const char *program, const char *cwd,
                      char path[PATH_MAX]);

#endif
