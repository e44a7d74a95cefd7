/* api.h - what a task says to throng, for the faces
 *
 * The public header of src/api inside throng; include/throng.h is the one
 * for training programs. */
#ifndef THRONG_API_API_H
#define THRONG_API_API_H

#include "base/buf.h"
#include "base/err.h"
#include "terms/metric.h"

/* Exit code of `throng report` when the task should finish. */
#define API_EXIT_STOP 10

/* Appends the line to the file in one write, so that lines of several
 * processes never mix; a line that an earlier write left torn is ended first,
 * where the file can be read. */
int api_append(int fd, const struct metric_line *line, struct err *err);

/* `throng report loss=.12 step=3`: reads the words and appends their line to
 * the file that `metrics` names, or to *out when it is NULL. *stop says
 * whether the file that `stop_file` names (may be NULL) is there. */
struct api_report {
    const char *metrics, *stop_file; /* of the environment */
    const char *const *words;
    size_t count;
};
int api_report(const struct api_report *r, struct buf *out, bool *stop,
               struct err *err);

#endif
