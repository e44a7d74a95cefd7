/* fuzz_filter.c - any text as a filter, over any text as a trial
 *
 * The input up to its first line feed is the filter, then the point, then
 * the summary. */
#include <stdlib.h>
#include "store/filter.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const int64_t tagged[] = {1, 2, 3};

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct str rest = str_n((const char *)data, size), text;
    struct trial t = {.id = 2, .state = STATE_DONE, .value = 0.5};
    if (!str_split(&rest, '\n', &text))
        return 0;
    char *filter = malloc(text.len + 1);
    if (!filter)
        return 0;
    if (text.len > 0)
        memcpy(filter, text.p, text.len);
    filter[text.len] = 0;
    str_split(&rest, '\n', &t.point);
    str_split(&rest, '\n', &t.summary);
    struct err err = {0};
    struct filter *f = filter_new(filter, &err);
    if (f) {
        for (size_t i = 0; i < filter_tag_count(f); i++)
            filter_tag_trials(f, i, tagged, 3);
        filter_test(f, &t, NULL, NULL);
        filter_names_in(f, t.point);
    }
    filter_free(f);
    f = filter_name_new(filter, NULL);
    if (f)
        filter_lookup(f, &t, NULL, NULL);
    filter_free(f);
    free(filter);
    return 0;
}
