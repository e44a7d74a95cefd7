/* page.h - the files of the page, as they were built into the program */
#ifndef THRONG_WEB_PAGE_H
#define THRONG_WEB_PAGE_H

#include <stddef.h>

struct page_file {
    const char *path;                 /* "/app.js" */
    const char *type;                 /* as browsers name it */
    const unsigned char *bytes, *end; /* gzipped */
};
extern const struct page_file page_files[];
extern const size_t page_file_count;

#endif
