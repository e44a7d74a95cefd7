/* report.h - `throng` inside a task */
#ifndef THRONG_WORKER_REPORT_H
#define THRONG_WORKER_REPORT_H

/* `throng report …` appends to the task's metrics; every other verb goes to
 * the next `throng` on PATH. Returns the exit code. */
int report_main(int argc, char **argv);

#endif
