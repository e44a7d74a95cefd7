/* template.h - what the files of templates share (inside of study)
 *
 * A template is a file, template_NAME.c, and a row in template.c. */
#ifndef THRONG_STUDY_TEMPLATE_H
#define THRONG_STUDY_TEMPLATE_H

#include "study/study.h"

extern const struct study_template template_search, template_factorial,
    template_campaign, template_ensemble, template_uq, template_inference;

/* Rows to train on, as CSV: gene1 … gene10 and tissue. */
const char *template_rows(struct arena *a);

#endif
