/* columns.h - the columns of a trial, for the files of this folder */
#ifndef THRONG_STORE_COLUMNS_H
#define THRONG_STORE_COLUMNS_H

/* In the order in which statements select them (trial.h). */
enum trial_column {
    TRIAL_ID,
    TRIAL_STATE,
    TRIAL_VALUE,
    TRIAL_ATTEMPTS,
    TRIAL_FAILURES,
    TRIAL_CREATED,
    TRIAL_STARTED,
    TRIAL_ENDED,
    TRIAL_SECONDS,
    TRIAL_PARENT,
    TRIAL_BUDGET,
    TRIAL_GROUP,
    TRIAL_MEMBER,
    TRIAL_RUN_ID,
    TRIAL_POINT,
    TRIAL_REASON, /* from here on: of the table of texts */
    TRIAL_SUMMARY,
    TRIAL_NOTE,
    TRIAL_ABOUT,
    TRIAL_COLUMN_COUNT
};

/* Sets of columns. */
#define COLUMN_BIT(column) (1u << (column))
#define COLUMNS_TEXTS                                                          \
    (COLUMN_BIT(TRIAL_REASON) | COLUMN_BIT(TRIAL_SUMMARY) |                    \
     COLUMN_BIT(TRIAL_NOTE) | COLUMN_BIT(TRIAL_ABOUT))
#define COLUMNS_ALL (COLUMN_BIT(TRIAL_COLUMN_COUNT) - 1)
#define COLUMNS_PLAIN (COLUMNS_ALL & ~COLUMNS_TEXTS)
#define COLUMNS_RESULTS                                                        \
    (COLUMN_BIT(TRIAL_ID) | COLUMN_BIT(TRIAL_STATE) |                          \
     COLUMN_BIT(TRIAL_VALUE) | COLUMN_BIT(TRIAL_POINT))

#endif
