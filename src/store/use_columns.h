/* use_columns.h - what an attempt had of devices, as columns of attempts */
#ifndef THRONG_STORE_USE_COLUMNS_H
#define THRONG_STORE_USE_COLUMNS_H

#include <sqlite3.h>
#include "terms/use.h"

/* Those of struct use, in its order. */
#define USE_COLUMNS                                                            \
    "device, input_seconds, computing_seconds, synchronising_seconds,"         \
    " idle_seconds, gpu_bytes, joules, gpu_busy_seconds, gpu_seen_seconds,"    \
    " blocked_seconds"

/* From column `at` of a row on. */
void use_columns_read(sqlite3_stmt *st, int at, struct use *u);

#endif
