/* man.h - manual pages, made from the table of verbs and the topics */
#ifndef THRONG_CLI_MAN_H
#define THRONG_CLI_MAN_H

#include "cli/cli.h"

/* Appends the names of all pages, one a line: throng.1, throng-run.1 … */
void man_list(struct buf *b);
/* Appends a page as roff; false when there is no such page. */
bool man_page(struct buf *b, const char *page);

#endif
