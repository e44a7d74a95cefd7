/* target.h - what metrics of a model on another data set are called by */
#ifndef THRONG_TERMS_TARGET_H
#define THRONG_TERMS_TARGET_H

#include "base/str.h"

/* "b" of "data/b.csv.gz": its loss there is b/loss. Points into the path. */
struct str target_name(struct str path);

#endif
