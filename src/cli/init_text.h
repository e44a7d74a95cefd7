/* init_text.h - the files that `throng init` writes */
#ifndef THRONG_CLI_INIT_TEXT_H
#define THRONG_CLI_INIT_TEXT_H

struct init_template {
    const char *name;
    const char *summary;
    const char *study;        /* text of the study file */
    const char *program_name; /* written beside it; NULL: none is needed */
    const char *program;
};
extern const struct init_template init_templates[]; /* ended by {0} */

#endif
