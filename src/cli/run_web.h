/* run_web.h - the page beside a run */
#ifndef THRONG_CLI_RUN_WEB_H
#define THRONG_CLI_RUN_WEB_H

#include "cli/cli.h"
#include "sys/sys.h"

/* Starts `throng web STUDY` as a process of its own, which says where the page
 * is; pid 0: it could not be started, which is said and stops nothing. */
struct process_id run_web_begin(const char *study_folder);
/* Ends it with the run. */
void run_web_end(struct process_id web);

#endif
