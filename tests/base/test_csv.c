/* test_csv.c - comma separated values */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/csv.h"
#include "base/rng.h"

/* Reads all of a text into one line: fields in <>, rows ended by ';'. */
static int flatten(struct buf *b, struct str text, char sep, struct err *err)
{
    struct csv c;
    csv_init(&c, text, sep);
    int rc;
    while ((rc = csv_next(&c, err)) == 1) {
        for (size_t i = 0; i < c.fields.len; i++)
            buf_addf(b, "<%.*s>", STRF(c.fields.p[i]));
        buf_addc(b, ';');
    }
    csv_done(&c);
    return rc;
}

struct csv_case {
    const char *text, *want;
};

static void rows_and_fields_are_told_apart(void **state)
{
    (void)state;
    static const struct csv_case cases[] = {
        {"", ""},
        {"a", "<a>;"},
        {"a,b\nc,d\n", "<a><b>;<c><d>;"},
        {"a,b\r\nc,d\r\n", "<a><b>;<c><d>;"},
        {"a,,b\n,\n", "<a><><b>;<><>;"},
        {"\n\r\n a ,b\n\n\nc\n\n", "< a ><b>;<c>;"},
        {"\"a,b\",\"c\"\n", "<a,b><c>;"},
        {"\"a\"\"b\",\"\"\"\",x\n", "<a\"b><\"><x>;"},
        {"\"\"\n", "<>;"},
        {"\"line\nbreak\",2\n3,4", "<line\nbreak><2>;<3><4>;"},
        {"a\"b,c\n", "<a\"b><c>;"},
        {"a\rb,c\r", "<a\rb><c>;"},
        {"\xEF\xBB\xBFlr,x\n1,2", "<lr><x>;<1><2>;"},
        {"a,", "<a><>;"},
        {"a,\"\"", "<a><>;"},
    };
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err = {0};
        buf_reset(&b);
        assert_int_equal(flatten(&b, str_of(cases[i].text), ',', &err), 0);
        assert_string_equal(b.p, cases[i].want);
    }
    buf_reset(&b);
    assert_int_equal(flatten(&b, STR("a;b,c\n"), ';', NULL), 0);
    assert_string_equal(b.p, "<a><b,c>;");
    buf_reset(&b);
    assert_int_equal(flatten(&b, (struct str){0}, ',', NULL), 0);
    buf_done(&b);
}

static void mistakes_name_their_line(void **state)
{
    (void)state;
    struct buf b;
    struct err err = {0};
    buf_init(&b);
    assert_int_equal(flatten(&b, STR("a\nb,\"c\n\n"), ',', &err), -1);
    assert_string_equal(err.text,
                        "line 2: the quote opened here is never closed");
    assert_int_equal(flatten(&b, STR("\"a\nb\"c"), ',', &err), -1);
    assert_string_equal(err.text, "line 2: expected ',' or the end of the line "
                                  "behind the closing quote");
    buf_done(&b);
}

static void rows_know_their_line(void **state)
{
    (void)state;
    struct csv c;
    csv_init(&c, STR("a\n\n\"b\nb\"\nc\n"), ',');
    static const uint64_t lines[] = {1, 3, 5};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(csv_next(&c, NULL), 1);
        assert_true(c.line == lines[i]);
    }
    assert_int_equal(csv_next(&c, NULL), 0);
    assert_int_equal(csv_next(&c, NULL), 0);
    csv_done(&c);
}

static void plain_fields_are_not_copied(void **state)
{
    (void)state;
    struct str text = STR("ab,\"cd\",\"e\"\"f\"\n");
    struct csv c;
    csv_init(&c, text, ',');
    assert_int_equal(csv_next(&c, NULL), 1);
    assert_ptr_equal(c.fields.p[0].p, text.p);
    assert_ptr_equal(c.fields.p[1].p, text.p + 4);
    assert_ptr_equal(c.fields.p[2].p, c.scratch.p);
    csv_done(&c);
}

static void fields_are_quoted_only_when_they_must_be(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    csv_field(&b, STR("plain text"), ',');
    buf_addc(&b, '|');
    csv_field(&b, STR("a,b"), ',');
    buf_addc(&b, '|');
    csv_field(&b, STR("a,b"), ';');
    buf_addc(&b, '|');
    csv_field(&b, STR("say \"x\"\n"), ',');
    assert_string_equal(b.p, "plain text|\"a,b\"|a,b|\"say \"\"x\"\"\n\"");
    buf_done(&b);
}

enum { COLUMNS = 5, ROWS = 3000 };

/* Random texts of the characters that matter, long enough to make the
 * scratch move while a row is read. */
static struct str random_field(struct rng *r, char text[300])
{
    static const char alphabet[] = "ab,\"\n\r \xC3";
    size_t n = rng_below(r, rng_below(r, 10) ? 6 : 300);
    for (size_t i = 0; i < n; i++)
        text[i] = alphabet[rng_below(r, sizeof(alphabet) - 1)];
    return str_n(text, n);
}

static void random_fields_read_back(void **state)
{
    (void)state;
    struct rng r, again;
    rng_init(&r, 1, 0, "csv");
    again = r;
    struct buf b;
    char text[300];
    buf_init(&b);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        csv_field(&b, random_field(&r, text), ',');
        buf_addc(&b, i % COLUMNS == COLUMNS - 1 ? '\n' : ',');
    }
    struct csv c;
    csv_init(&c, buf_str(&b), ',');
    for (int row = 0; row < ROWS; row++) {
        assert_int_equal(csv_next(&c, NULL), 1);
        assert_int_equal(c.fields.len, COLUMNS);
        for (int i = 0; i < COLUMNS; i++)
            assert_true(str_eq(c.fields.p[i], random_field(&again, text)));
    }
    assert_int_equal(csv_next(&c, NULL), 0);
    csv_done(&c);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_fields_are_told_apart),
        cmocka_unit_test(mistakes_name_their_line),
        cmocka_unit_test(rows_know_their_line),
        cmocka_unit_test(plain_fields_are_not_copied),
        cmocka_unit_test(fields_are_quoted_only_when_they_must_be),
        cmocka_unit_test(random_fields_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
