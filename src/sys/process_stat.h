/* process_stat.h - one line of /proc/<pid>/stat; internal to src/sys */
#ifndef THRONG_SYS_PROCESS_STAT_H
#define THRONG_SYS_PROCESS_STAT_H

#include "sys/sys.h"

/* Reads the text of a stat file. The name in it may hold blanks and
 * parentheses. False when the text is no such line; *info is then
 * untouched. */
bool stat_parse(struct str text, struct process_info *info);
/* Opens "<pid>/stat" below the descriptor of /proc (or, with AT_FDCWD, the
 * path itself) and reads it; false when the process is gone. */
bool stat_read(int folder, const char *path, struct process_info *info);
/* Of one process, without a descriptor of /proc. */
bool stat_of(pid_t pid, struct process_info *info);

#endif
