/* fuzz_metric_line.c - any bytes as a line of metrics, in both forms
 *
 * A line that is taken must come back from its printed form, and fit into a
 * batch that reads back with all of its points. */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "terms/metric.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_batch(const struct metric_line *m)
{
    struct metric_batch *batch = metric_batch_new();
    struct metric_reader reader;
    struct metric_column column;
    struct buf out;
    size_t points = 0;
    int rc;
    size_t dropped = metric_batch_add_line(batch, m, METRIC_FROM_METRICS);
    buf_init(&out);
    metric_batch_print(batch, &out);
    metric_reader_init(&reader, buf_str(&out));
    while ((rc = metric_reader_next(&reader, &column)) == 1)
        points += column.count;
    require(rc == 0 && points + dropped == m->count);
    buf_done(&out);
    metric_batch_free(batch);
}

/* Names with bytes that JSON cannot hold are printed as something else. */
static bool names_are_text(const struct metric_line *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (!str_utf8(m->pairs[i].name))
            return false;
    return true;
}

static void check_line(const struct metric_line *m)
{
    struct metric_line again;
    struct buf text;
    for (size_t i = 0; i < m->count; i++) {
        struct str name = m->pairs[i].name;
        require(name.len > 0 && name.len <= METRIC_NAME_MAX);
    }
    buf_init(&text);
    metric_line_init(&again);
    metric_line_print(&text, m);
    struct str line = str_n(text.p, text.len - 1);
    if (names_are_text(m) && line.len <= METRIC_LINE_MAX) {
        require(metric_line_json(&again, line, NULL) == 0);
        require(again.step == m->step && again.count == m->count);
        for (size_t i = 0; i < m->count; i++)
            require(str_eq(m->pairs[i].name, again.pairs[i].name));
    }
    metric_line_done(&again);
    buf_done(&text);
    check_batch(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct metric_line m;
    struct metric_reader reader;
    struct metric_column column;
    struct str bytes = str_n((const char *)data, size);
    struct err err;
    metric_line_init(&m);
    if (metric_line_json(&m, bytes, &err) == 0)
        check_line(&m);
    if (metric_line_words(&m, bytes, &err) == 0)
        check_line(&m);
    metric_line_done(&m);
    metric_reader_init(&reader, bytes);
    double sum = 0;
    while (metric_reader_next(&reader, &column) == 1)
        for (size_t i = 0; i < column.count; i++)
            sum += metric_value(&column, i) + (double)metric_step(&column, i);
    return sum == 0.25 ? -1 : 0;
}
