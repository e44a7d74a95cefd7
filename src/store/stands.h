/* stands.h - the open file and its path, for the files of this folder */
#ifndef THRONG_STORE_STANDS_H
#define THRONG_STORE_STANDS_H

#include "store/db.h"

void stands_open(struct store *s);
void stands_close(struct store *s);

#endif
