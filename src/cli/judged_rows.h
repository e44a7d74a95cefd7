/* judged_rows.h - predictions beside truths, for evaluate */
#ifndef THRONG_CLI_JUDGED_ROWS_H
#define THRONG_CLI_JUDGED_ROWS_H

#include "base/value.h"
#include "cli/cli.h"

/* What view's judged_rows gives. */
void judged_rows_print(struct call *c, const struct value *v);

#endif
