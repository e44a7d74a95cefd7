/* report.c - a task's way to report metrics from a shell */
#include <stdio.h>
#include <stdlib.h>
#include "api/api.h"
#include "cli/cli.h"

static int run(struct call *c)
{
    if (c->arg_count == 0)
        return call_usage(c, "name at least one metric, as in loss=0.12");
    struct api_report r = {
        .metrics = getenv("THRONG_METRICS"),
        .stop_file = getenv("THRONG_STOP"),
        .words = (const char *const *)c->args,
        .count = c->arg_count,
    };
    struct buf out;
    bool stop = false;
    buf_init(&out);
    int rc = api_report(&r, &out, &stop, &c->err);
    if (!rc)
        put(buf_str(&out));
    buf_done(&out);
    if (rc && c->err.kind == ERR_INPUT)
        c->err.kind = ERR_USAGE; /* it stands on the command line */
    if (rc)
        return call_fail(c);
    return stop ? EXIT_STOP : EXIT_OK;
}

VERB(report) = {
    .name = "report",
    .args = "NAME=VALUE… [step=N]",
    .summary = "Report metrics from inside a task",
    .text = "Exit code 0: go on; 10: finish now. Outside of a task the line "
            "is printed.\n",
    .options = (const struct option_spec[]){{0}},
    .run = run,
};
