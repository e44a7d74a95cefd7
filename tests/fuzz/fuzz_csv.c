/* fuzz_csv.c - any bytes through the CSV reader: the rows that are read must
 * print, and the print must read back as the same rows */
#include <stddef.h>
#include <stdint.h>

#include "base/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints all rows; a lone empty field is quoted, or its line would be
 * empty and skipped. Returns csv_next's last answer. */
static int reprint(struct buf *b, struct str text, char sep)
{
    struct csv c;
    struct err err = {0};
    int rc;
    uint64_t line = 0;
    csv_init(&c, text, sep);
    while ((rc = csv_next(&c, &err)) == 1) {
        require(c.fields.len > 0);
        require(c.line > line);
        line = c.line;
        for (size_t i = 0; i < c.fields.len; i++) {
            if (i > 0)
                buf_addc(b, sep);
            csv_field(b, c.fields.p[i], sep);
        }
        if (c.fields.len == 1 && c.fields.p[0].len == 0)
            buf_adds(b, "\"\"");
        buf_addc(b, '\n');
    }
    require(rc == 0 || err.text[0]);
    csv_done(&c);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_n((const char *)data, size);
    struct buf once, twice;
    buf_init(&once);
    buf_init(&twice);
    char sep = size && data[0] == ';' ? ';' : ',';
    reprint(&once, text, sep);
    require(reprint(&twice, buf_str(&once), sep) == 0);
    require(str_eq(buf_str(&once), buf_str(&twice)));
    buf_done(&once);
    buf_done(&twice);
    return 0;
}
