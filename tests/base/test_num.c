/* test_num.c - numbers in text, there and back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/rng.h"

typedef void print_fn(struct buf *b, double v);

static const char *printed(struct buf *b, print_fn *print, double v)
{
    buf_reset(b);
    print(b, v);
    return b->p;
}

static double from_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static void integers_must_fit(void **state)
{
    (void)state;
    int64_t i = 0;
    uint64_t u = 0;
    assert_true(num_int(STR("-9223372036854775808"), &i) && i == INT64_MIN);
    assert_true(num_int(STR("+9223372036854775807"), &i) && i == INT64_MAX);
    assert_false(num_int(STR("9223372036854775808"), &i));
    assert_false(num_int(STR("-9223372036854775809"), &i));
    assert_true(num_uint(STR("18446744073709551615"), &u) && u == UINT64_MAX);
    assert_false(num_uint(STR("18446744073709551616"), &u));
    assert_true(i == INT64_MAX && u == UINT64_MAX);
    static const char *const wrong[] = {"",    "-",   "+",   "1 ", " 1",
                                        "1.0", "0x1", "1e3", "--1"};
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        assert_false(num_int(str_of(wrong[k]), &i));
        assert_false(num_uint(str_of(wrong[k]), &u));
    }
    assert_false(num_uint(STR("-1"), &u));
}

static void integers_are_printed(void **state)
{
    (void)state;
    static const int64_t cases[] = {0,  7,    -7,        10,
                                    99, -100, INT64_MAX, INT64_MIN};
    struct buf b;
    buf_init(&b);
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        char want[32];
        snprintf(want, sizeof(want), "%lld", (long long)cases[k]);
        buf_reset(&b);
        num_print_int(&b, cases[k]);
        assert_string_equal(b.p, want);
    }
    buf_done(&b);
}

struct double_case {
    const char *text;
    double want;
};

static void doubles_are_read(void **state)
{
    (void)state;
    static const struct double_case cases[] = {
        {"0", 0},
        {"-0", -0.0},
        {"-0.0", -0.0},
        {"0.1", 0.1},
        {".5", 0.5},
        {"5.", 5},
        {"+1e3", 1000},
        {"1E-05", 1e-05},
        {"007", 7},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.00000000000000000000001", 9007199254740994.0},
        {"0.21345678901234567", 0.21345678901234567},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"8.5e27", 8.5e27},
        {"1.7976931348623157e308", DBL_MAX},
        {"2.2250738585072014e-308", DBL_MIN},
        {"5e-324", 0x1p-1074},
        {"2e-324", 0},
        {"1e-400", 0},
        {"0e999999999999999999999", 0},
        {"0.000000000000000000000000000000000000000001e42", 1},
        {"inf", INFINITY},
        {"-Infinity", -INFINITY},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double v = 77;
        assert_true(num_double(str_of(cases[i].text), &v));
        if (!same_bits(v, cases[i].want))
            fail_msg("%s gave %a", cases[i].text, v);
    }
    double v = 0;
    assert_true(num_double(STR("NaN"), &v) && isnan(v));
}

static void what_is_no_double_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",     ".",   "-",   "e5",    "1e",    "1e+",   "1.5x",
        "1,5",  " 1",  "1 ",  "0x10",  "1e999", "1_000", "infin",
        "nan1", "--1", "+-1", "1.2.3", "-1e400"};
    double v = 77;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (num_double(str_of(wrong[i]), &v))
            fail_msg("%s was read", wrong[i]);
    }
    assert_true(v == 77);
    assert_false(num_double((struct str){0}, &v));
}

static void scanning_stops_where_the_number_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
        bool is_int;
        int64_t i;
        double v;
    } cases[] = {{"12,3", 2, true, 12, 12},
                 {"-3}", 2, true, -3, -3},
                 {"0.21}", 4, false, 0, 0.21},
                 {"1e5x", 3, false, 0, 1e5},
                 {"1ex", 1, true, 1, 1},
                 {"1e+", 1, true, 1, 1},
                 {"9223372036854775807", 19, true, INT64_MAX, 0x1p63},
                 {"9223372036854775808", 19, false, 0, 0x1p63},
                 {"-9223372036854775808", 20, true, INT64_MIN, -0x1p63},
                 {"18446744073709551616", 20, false, 0, 0x1p64},
                 {"1e999", 5, false, 0, INFINITY},
                 {"abc", 0, false, 0, 0},
                 {"-", 0, false, 0, 0},
                 {"", 0, false, 0, 0}};
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        double v = 0;
        int64_t i = 0;
        bool is_int = false;
        assert_int_equal(num_scan(str_of(cases[k].text), &v, &i, &is_int),
                         cases[k].len);
        assert_int_equal(is_int, cases[k].is_int);
        assert_true(i == cases[k].i);
        assert_true(v == cases[k].v);
    }
}

/* The scanner may not look behind the text it is given. */
static void a_number_at_the_end_of_a_text_is_not_read_on(void **state)
{
    (void)state;
    double v;
    int64_t i;
    bool is_int;
    assert_int_equal(num_scan(str_n("12345", 3), &v, &i, &is_int), 3);
    assert_true(i == 123);
    assert_int_equal(num_scan(str_n("1.5e10", 4), &v, &i, &is_int), 3);
    assert_true(v == 1.5);
}

static void random_decimals_are_rounded_as_strtod_does(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 1, 0, "decimals");
    for (int round = 0; round < 300000; round++) {
        char text[80];
        size_t n = 0, digits = 1 + rng_below(&r, 24);
        size_t point = rng_below(&r, digits + 5);
        for (size_t k = 0; k < digits; k++) {
            if (k == point)
                text[n++] = '.';
            text[n++] = (char)('0' + rng_below(&r, 10));
        }
        int exp =
            (int)rng_below(&r, round % 8 ? 61 : 661) - (round % 8 ? 30 : 340);
        snprintf(text + n, sizeof(text) - n, "e%d", exp);
        double want = strtod(text, NULL), v = 0;
        if (isinf(want))
            assert_false(num_double(str_of(text), &v));
        else if (!num_double(str_of(text), &v) || !same_bits(v, want))
            fail_msg("%s gave %a, not %a", text, v, want);
    }
}

/* Exactly between two doubles, and just beside: the worst for rounding. */
static void half_way_cases_round_to_even(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 2, 0, "halves");
    for (int round = 0; round < 50000; round++) {
        uint64_t m = (rng_u64(&r) >> 11) | UINT64_C(1) << 52;
        int exp = (int)rng_below(&r, 60) - 52;
        double low = ldexp((double)m, exp);
        char text[512];
        /* A half ulp in a long double is exact, and %Lf prints it whole. */
        long double half = (long double)low + ldexpl(1, exp - 1);
        int n = snprintf(text, sizeof(text), "%.60Lf", half);
        double v = 0;
        assert_true(num_double(str_of(text), &v));
        assert_true(same_bits(v, strtod(text, NULL)));
        text[n - 1] = '1';
        assert_true(num_double(str_of(text), &v));
        assert_true(same_bits(v, nextafter(low, INFINITY)));
    }
}

static void printing_is_python_repr(void **state)
{
    (void)state;
    static const struct double_case cases[] = {
        {"0.0", 0},
        {"-0.0", -0.0},
        {"5.0", 5},
        {"-17.0", -17},
        {"0.1", 0.1},
        {"0.30000000000000004", 0.1 + 0.2},
        {"1e-05", 1e-5},
        {"0.0001", 1e-4},
        {"0.00012345", 0.00012345},
        {"1.2345e-05", 0.000012345},
        {"123456.789", 123456.789},
        {"1000000000000000.0", 1e15},
        {"9999999999999998.0", 9999999999999998.0},
        {"1e+16", 1e16},
        {"1.2345678901234568e+16", 12345678901234568.0},
        {"1e+22", 1e22},
        {"1e+23", 1e23},
        {"1e+100", 1e100},
        {"1.7976931348623157e+308", DBL_MAX},
        {"2.2250738585072014e-308", DBL_MIN},
        {"5e-324", 0x1p-1074},
        {"5.684341886080802e-14", 0x1p-44},
        {"9007199254740992.0", 0x1p53},
        {"2251799813685248.5", 2251799813685248.5},
        {"0.3333333333333333", 1.0 / 3},
        {"6.02214076e+23", 6.02214076e23},
        {"nan", NAN},
        {"inf", INFINITY},
        {"-inf", -INFINITY},
    };
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(printed(&b, num_print, cases[i].want),
                            cases[i].text);
    assert_string_equal(printed(&b, num_print_json, NAN), "NaN");
    assert_string_equal(printed(&b, num_print_json, -INFINITY), "-Infinity");
    assert_string_equal(printed(&b, num_print_json, 5), "5.0");
    buf_done(&b);
}

/* How many digits a printed number has, less zeros at either end. */
static int significant(const char *text)
{
    char digits[64];
    int n = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0'))
            digits[n++] = *text;
    while (n > 0 && digits[n - 1] == '0')
        n--;
    return n;
}

/* The nearest decimal of one digit less, which printf makes, is another
 * double. */
static void assert_shortest(double v, const char *text)
{
    int n = significant(text);
    if (n <= 1)
        return;
    char shorter[64];
    snprintf(shorter, sizeof(shorter), "%.*e", n - 2, v);
    if (strtod(shorter, NULL) == v)
        fail_msg("%s is longer than %s", text, shorter);
}

static void check_round_trip(struct buf *b, double v)
{
    const char *text = printed(b, num_print, v);
    double back = 0;
    if (!num_double(buf_str(b), &back) || !same_bits(back, v))
        fail_msg("%s for %a reads as %a", text, v, back);
    assert_shortest(v, text);
}

static void random_doubles_read_back_and_are_short(void **state)
{
    (void)state;
    struct buf b;
    struct rng r;
    buf_init(&b);
    rng_init(&r, 3, 0, "round trip");
    for (int i = 0; i < 100000; i++) {
        double v = from_bits(rng_u64(&r));
        if (isfinite(v))
            check_round_trip(&b, v);
        /* The range that metrics live in, and short decimals. */
        check_round_trip(
            &b, ldexp(rng_uniform(&r) - 0.5, (int)rng_below(&r, 100) - 45));
        check_round_trip(&b, (double)rng_below(&r, 1000000) / 1000);
        check_round_trip(&b, from_bits(rng_u64(&r) >> 12)); /* subnormal */
    }
    for (int exp = -1074; exp < 1024; exp++) {
        check_round_trip(&b, ldexp(1, exp));
        check_round_trip(&b, nextafter(ldexp(1, exp), 0));
        check_round_trip(&b, nextafter(ldexp(1, exp), INFINITY));
    }
    buf_done(&b);
}

static void short_printing_is_for_tables(void **state)
{
    (void)state;
    static const struct {
        double v;
        int digits;
        const char *want;
    } cases[] = {{0.123456, 3, "0.123"},    {1234567, 3, "1.23e+06"},
                 {1234, 4, "1234"},         {0, 4, "0"},
                 {-0.00012, 4, "-0.00012"}, {0.00001, 4, "1e-05"},
                 {99.99, 3, "100"},         {5, 4, "5"},
                 {100, 3, "100"},           {NAN, 3, "nan"},
                 {-INFINITY, 3, "-inf"},    {-0.0, 3, "0"}};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        buf_reset(&b);
        num_print_short(&b, cases[i].v, cases[i].digits);
        assert_string_equal(b.p, cases[i].want);
    }
    struct rng r;
    rng_init(&r, 4, 0, "short");
    for (int i = 0; i < 20000; i++) {
        char want[64];
        double v = ldexp(rng_uniform(&r) - 0.5, (int)rng_below(&r, 60) - 30);
        int digits = 1 + (int)rng_below(&r, 10);
        snprintf(want, sizeof(want), "%.*g", digits, v);
        buf_reset(&b);
        num_print_short(&b, v, digits);
        assert_string_equal(b.p, want);
    }
    buf_done(&b);
}

static void the_locale_has_no_say(void **state)
{
    (void)state;
    const char *comma = setlocale(LC_NUMERIC, "de_DE.UTF-8");
    if (!comma)
        comma = setlocale(LC_NUMERIC, "fr_FR.UTF-8");
    if (!comma) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    struct buf b;
    buf_init(&b);
    double v;
    assert_true(num_double(STR("1.2345678901234567891234e-40"), &v));
    assert_string_equal(printed(&b, num_print, v), "1.2345678901234568e-40");
    num_print_short(&b, 1.5, 3);
    assert_non_null(strstr(b.p, "1.5"));
    buf_done(&b);
    setlocale(LC_NUMERIC, "C");
}

static void sizes_are_read_and_printed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"0", 0},
                 {"512M", 512u << 20},
                 {"1.5G", UINT64_C(3) << 29},
                 {"100 MiB", 100u << 20},
                 {"2e9", 2000000000},
                 {"1kb", 1024},
                 {" 7 B ", 7},
                 {"2T", UINT64_C(2) << 40},
                 {"18446744073709551615", UINT64_MAX}};
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(num_bytes(str_of(cases[i].text), &bytes));
        assert_true(bytes == cases[i].bytes);
    }
    static const char *const wrong[] = {
        "", "G", "-1G", "1X", "1G1", "1 G B", "nan", "inf", "1e30", "99999P"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(num_bytes(str_of(wrong[i]), &bytes));
    static const struct {
        uint64_t bytes;
        const char *text;
    } prints[] = {{0, "0 B"},
                  {1023, "1023 B"},
                  {1024, "1 KiB"},
                  {UINT64_C(3) << 29, "1.5 GiB"},
                  {(1u << 20) - 1, "1 MiB"},
                  {1000u << 10, "1000 KiB"},
                  {UINT64_MAX, "16 EiB"}};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
        buf_reset(&b);
        num_print_bytes(&b, prints[i].bytes);
        assert_string_equal(b.p, prints[i].text);
    }
    buf_done(&b);
}

static void durations_are_read(void **state)
{
    (void)state;
    static const struct double_case cases[] = {{"90", 90},
                                               {"90s", 90},
                                               {"5m", 300},
                                               {"2h 30m", 9000},
                                               {"2h30m", 9000},
                                               {"1d", 86400},
                                               {"1:30:00", 5400},
                                               {"5:30", 330},
                                               {"500ms", 0.5},
                                               {"1.5 hours", 5400},
                                               {"1 min 30", 90},
                                               {"0", 0},
                                               {"1d 1h 1m 1s 1ms", 90061.001},
                                               {"0:00:01.5", 1.5}};
    double v = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!num_seconds(str_of(cases[i].text), &v) ||
            fabs(v - cases[i].want) > 1e-9)
            fail_msg("%s gave %g", cases[i].text, v);
    }
    static const char *const wrong[] = {
        "",        "h",    "-5s",    "5x",  "30 2h", "1h 1h", "1:60",
        "1:2:3:4", "1::2", "1.5:00", ":30", "nan",   "5 s s", "1e400"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (num_seconds(str_of(wrong[i]), &v))
            fail_msg("%s was read", wrong[i]);
}

static void durations_are_printed(void **state)
{
    (void)state;
    static const struct double_case cases[] = {
        {"0s", 0},    {"5ms", 0.005},  {"1.2s", 1.23},   {"45s", 45.2},
        {"1m", 59.9}, {"5m 10s", 310}, {"2h 30m", 9000}, {"3d 4h", 273600},
        {"-5s", -5},  {"nans", NAN},   {"1h", 3600},     {"0.5s", 0.5}};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(printed(&b, num_print_seconds, cases[i].want),
                            cases[i].text);
    buf_done(&b);
}

static void decimals_are_counted_and_rounded_as_people_write_them(void **state)
{
    (void)state;
    assert_int_equal(num_decimals(0.25), 2);
    assert_int_equal(num_decimals(-5), 0);
    assert_int_equal(num_decimals(1e-5), 5);
    assert_int_equal(num_decimals(1e300), -1);
    assert_int_equal(num_decimals(1e-300), -1);
    assert_int_equal(num_decimals(NAN), -1);
    assert_true(num_round(0.1 * 3, 1) == 0.3);
    assert_true(num_round(0.020547641000000002, 4) == 0.0205);
    assert_true(num_round(1e300, 3) == 1e300);
    assert_true(num_round(0.1234, -1) == 0.1234);
    assert_true(isnan(num_round(NAN, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_must_fit),
        cmocka_unit_test(integers_are_printed),
        cmocka_unit_test(doubles_are_read),
        cmocka_unit_test(what_is_no_double_is_refused),
        cmocka_unit_test(scanning_stops_where_the_number_ends),
        cmocka_unit_test(a_number_at_the_end_of_a_text_is_not_read_on),
        cmocka_unit_test(random_decimals_are_rounded_as_strtod_does),
        cmocka_unit_test(half_way_cases_round_to_even),
        cmocka_unit_test(printing_is_python_repr),
        cmocka_unit_test(random_doubles_read_back_and_are_short),
        cmocka_unit_test(short_printing_is_for_tables),
        cmocka_unit_test(the_locale_has_no_say),
        cmocka_unit_test(sizes_are_read_and_printed),
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(durations_are_printed),
        cmocka_unit_test(decimals_are_counted_and_rounded_as_people_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
