/* called.c - files of ours under the names that a person knows
 *
 * What is unpacked, or made of files of another program, lies in a folder that
 * nobody has ever seen: an error about it names the file that it came from. */
#include "study/called.h"

#include <stdio.h>

void err_call(struct err *err, const char *file, const char *name)
{
    char text[sizeof(err->text)];
    size_t len = strlen(file);
    char *at = err ? strstr(err->text, file) : NULL;
    while (at) {
        size_t before = (size_t)(at - err->text);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)before, err->text, name,
                 at + len);
        memcpy(err->text, text, sizeof(text));
        before += strlen(name);
        at = before < strlen(text) ? strstr(err->text + before, file) : NULL;
    }
}

void models_call(const struct models *m, struct err *err)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->list[i].file, m->list[i].name) != 0)
            err_call(err, m->list[i].file, m->list[i].name);
}
