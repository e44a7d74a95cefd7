/* keras_archive.h - a model that Keras 3 has saved as one file (.keras) */
#ifndef THRONG_STUDY_KERAS_ARCHIVE_H
#define THRONG_STUDY_KERAS_ARCHIVE_H

#include "study/study.h"

bool keras_archive_is(const char *path);
/* What is in it, unpacked into a folder; the paths live in the arena. */
int keras_archive_take(const char *path, const char *folder, const char **model,
                       const char **weights, struct arena *a, struct err *err);

#endif
