/* page.h - a page that needs nothing else, as HTML or as Markdown
 *
 * Each function writes one piece in the form of the page; texts are foreign and
 * made harmless here. */
#ifndef THRONG_FIGURE_PAGE_H
#define THRONG_FIGURE_PAGE_H

#include "figure/figure.h"

void page_heading(struct page *p, int level, const char *text);
void page_text(struct page *p, const char *text);
/* As a program prints or reads it. */
void page_code(struct page *p, const char *text);
void page_table_begin(struct page *p, const char *const *titles, size_t count);
void page_row(struct page *p, const char *const *cells, size_t count);
void page_table_end(struct page *p);
int page_figure(struct page *p, const struct plot *plot, struct err *err);

#endif
