/* judged_rows.h - predictions beside truths, for evaluate */
#ifndef THRONG_CLI_JUDGED_ROWS_H
#define THRONG_CLI_JUDGED_ROWS_H

#include "base/value.h"
#include "cli/cli.h"
#include "terms/task.h"

/* What --k-rank and --by ask of the predictions in a task's folder: {"k_rank":
 * [{"k": 10, "share": 0.7}], "by": COLUMN, "groups": [{"name": …, "rows": …,
 * and what is judged}]}; what nobody asks is not there. Lives as long as the
 * call; NULL and the call's err. */
struct value *judged_rows(struct call *c, const struct task *task,
                          const char *folder);
void judged_rows_print(struct call *c, const struct value *v);

#endif
