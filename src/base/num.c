/* num.c - numbers in text, the same in every locale
 *
 * Reading: up to 19 digits and a power of ten up to 27 are done here in
 * integers, exactly rounded; the rest goes to strtod as digits and exponent,
 * without a decimal point, so that the locale has no say.
 *
 * Printing: the shortest digits that read back are found here in 128-bit
 * integers for 1e-10 <= v < 1e15, by trying printf's precisions otherwise.
 *
 * Why not the C library alone: it follows the locale, and points of metrics are
 * read and printed by the million. build/bench/num_bench, one core: reading 17
 * digits 36 ns, strtod 82; printing 78 ns, printf's shortest that reads back
 * 590. */
#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/chars.h"
#include "base/err.h"

__extension__ typedef unsigned __int128 wide;

enum {
    FIVES = 28,         /* 5^27 < 2^63 */
    DIGITS_FAST = 19,   /* any 19 digits fit 64 bits */
    DIGITS_MOST = 800,  /* more than 768 never change a double, if it is known
                           whether something follows */
    DECIMALS_MOST = 22, /* 10^22 is a double */
};

static const uint64_t power_of_five[FIVES] = {1u,
                                              5u,
                                              25u,
                                              125u,
                                              625u,
                                              3125u,
                                              15625u,
                                              78125u,
                                              390625u,
                                              1953125u,
                                              9765625u,
                                              48828125u,
                                              244140625u,
                                              1220703125u,
                                              6103515625u,
                                              30517578125u,
                                              152587890625u,
                                              762939453125u,
                                              3814697265625u,
                                              19073486328125u,
                                              95367431640625u,
                                              476837158203125u,
                                              2384185791015625u,
                                              11920928955078125u,
                                              59604644775390625u,
                                              298023223876953125u,
                                              1490116119384765625u,
                                              7450580596923828125u};

static const double power_of_ten[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Reads digits with overflow check. */
static bool read_digits(struct str s, uint64_t *v)
{
    uint64_t sum = 0;
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_digit(s.p[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(s.p[i] - '0'), &sum))
            return false;
    }
    *v = sum;
    return true;
}

bool num_uint(struct str s, uint64_t *v)
{
    return read_digits(s, v);
}

bool num_int(struct str s, int64_t *v)
{
    bool negative = s.len && s.p[0] == '-';
    if (s.len && (negative || s.p[0] == '+'))
        s = str_n(s.p + 1, s.len - 1);
    uint64_t sum;
    if (!read_digits(s, &sum) || sum > (uint64_t)INT64_MAX + negative)
        return false;
    *v = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

/* A decimal number taken apart. */
struct decimal {
    const char *start, *stop; /* its digits, with at most one '.' among them */
    uint64_t mantissa;        /* of the first 19 significant digits */
    unsigned digits;          /* significant ones seen, at most one above 19 */
    int64_t exp10;            /* of mantissa; with more digits: unknown */
    bool negative, is_int;
};

/* Adds digits to d and returns what follows them. */
static const char *scan_digits(struct decimal *d, const char *p,
                               const char *end)
{
    uint64_t mantissa = d->mantissa;
    unsigned digits = d->digits;
    for (; p < end && is_digit(*p) && digits < DIGITS_FAST; p++) {
        mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        digits += mantissa != 0;
    }
    for (; p < end && is_digit(*p); p++)
        digits = DIGITS_FAST + 1;
    d->mantissa = mantissa;
    d->digits = digits;
    return p;
}

/* Reads an exponent, if there is a whole one. Larger ones than any double
 * has are cut, far from where it could matter. */
static const char *scan_exponent(const char *p, const char *end, int64_t *exp)
{
    *exp = 0;
    if (p == end || (*p | 0x20) != 'e')
        return p;
    const char *q = p + 1;
    bool negative = q < end && *q == '-';
    if (q < end && (negative || *q == '+'))
        q++;
    if (q == end || !is_digit(*q))
        return p;
    int64_t e = 0;
    for (; q < end && is_digit(*q); q++)
        if (e < INT32_MAX)
            e = e * 10 + (*q - '0');
    *exp = negative ? -e : e;
    return q;
}

/* Takes the number at p apart; returns its end, or NULL for none. */
static const char *scan_decimal(struct decimal *d, const char *p,
                                const char *end)
{
    *d = (struct decimal){.negative = p < end && *p == '-', .is_int = true};
    if (p < end && (d->negative || *p == '+'))
        p++;
    d->start = p;
    const char *q = scan_digits(d, p, end);
    size_t digits = (size_t)(q - p), places = 0;
    if (q < end && *q == '.') {
        const char *fraction = q + 1;
        const char *behind = scan_digits(d, fraction, end);
        places = (size_t)(behind - fraction);
        if (digits + places > 0) {
            q = behind;
            d->is_int = false;
        }
    }
    if (digits + places == 0)
        return NULL;
    d->stop = q;
    const char *after = scan_exponent(q, end, &d->exp10);
    d->is_int &= after == q;
    d->exp10 -= (int64_t)places;
    return after;
}

/* significand * 2^exp rounded to nearest, ties to even. The significand has
 * its top bit set; sticky says that the true value is a little larger. The
 * result must be in the range of normal doubles. */
static double round_to_double(uint64_t significand, bool sticky, int exp)
{
    uint64_t m = significand >> 11;
    uint64_t tail = significand & 0x7FF;
    if (tail > 0x400 || (tail == 0x400 && (sticky || (m & 1))))
        m++;
    /* A carry out of the 53 bits runs into the exponent, as it should. */
    uint64_t bits =
        m - (UINT64_C(1) << 52) + ((uint64_t)(exp + 63 + 1023) << 52);
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* m / 10^k for m > 0: both are shifted to have their top bit set, so that
 * their quotient has 63 or 64 bits. */
static double divide_by_ten(uint64_t m, unsigned k)
{
    int m_shift = __builtin_clzll(m);
    int d_shift = __builtin_clzll(power_of_five[k]);
    uint64_t d = power_of_five[k] << d_shift;
    wide n = (wide)(m << m_shift) << 63;
    uint64_t q = (uint64_t)(n / d);
    bool sticky = n % d != 0;
    int exp = d_shift - m_shift - (int)k - 63;
    if (!(q >> 63)) {
        q <<= 1;
        exp--;
    }
    return round_to_double(q, sticky, exp);
}

static double multiply_by_ten(uint64_t m, unsigned k)
{
    wide n = (wide)m * power_of_five[k];
    uint64_t high = (uint64_t)(n >> 64), low = (uint64_t)n;
    int exp = (int)k;
    if (high == 0) {
        int shift = __builtin_clzll(low);
        return round_to_double(low << shift, false, exp - shift);
    }
    int shift = __builtin_clzll(high);
    n <<= shift;
    return round_to_double((uint64_t)(n >> 64), (uint64_t)n != 0,
                           exp + 64 - shift);
}

/* Copies the digits without their point and lets strtod round them. */
static double slow_double(const struct decimal *d)
{
    char text[DIGITS_MOST + 32];
    size_t len = 0;
    int64_t exp = d->exp10;
    bool more = false;
    for (const char *p = d->start; p < d->stop; p++) {
        if (*p == '.' || (len == 0 && *p == '0'))
            continue;
        if (len < DIGITS_MOST) {
            text[len++] = *p;
        } else {
            more |= *p != '0';
            exp++;
        }
    }
    if (len == 0)
        return 0;
    if (more) {
        text[len++] = '1';
        exp--;
    }
    snprintf(text + len, sizeof(text) - len, "e%lld", (long long)exp);
    return strtod(text, NULL);
}

static double to_double(const struct decimal *d)
{
    if (d->digits > DIGITS_FAST)
        return slow_double(d);
    if (d->mantissa == 0)
        return 0;
    int64_t e = d->exp10;
    if (d->mantissa <= UINT64_C(1) << 53 && e >= -22 && e <= 22)
        return e < 0 ? (double)d->mantissa / power_of_ten[-e]
                     : (double)d->mantissa * power_of_ten[e];
    if (e <= -FIVES || e >= FIVES)
        return slow_double(d);
    return e < 0 ? divide_by_ten(d->mantissa, (unsigned)-e)
                 : multiply_by_ten(d->mantissa, (unsigned)e);
}

size_t num_scan(struct str s, double *v, int64_t *i, bool *is_int)
{
    struct decimal d;
    const char *end = scan_decimal(&d, s.p, s.p + s.len);
    if (!end)
        return 0;
    /* 19 digits fit 64 bits; -2^63 has 19. */
    *is_int = d.is_int && d.digits <= DIGITS_FAST &&
              d.mantissa <= (uint64_t)INT64_MAX + d.negative;
    *i = !*is_int     ? 0
         : d.negative ? (int64_t)(0 - d.mantissa)
                      : (int64_t)d.mantissa;
    double size = to_double(&d);
    *v = d.negative ? -size : size;
    return (size_t)(end - s.p);
}

static bool same_word(struct str s, const char *lower)
{
    size_t n = strlen(lower);
    if (s.len != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((s.p[i] | 0x20) != lower[i])
            return false;
    return true;
}

static bool special_double(struct str s, double *v)
{
    bool negative = s.len && s.p[0] == '-';
    if (s.len && (negative || s.p[0] == '+'))
        s = str_n(s.p + 1, s.len - 1);
    double size;
    if (same_word(s, "nan"))
        size = NAN;
    else if (same_word(s, "inf") || same_word(s, "infinity"))
        size = INFINITY;
    else
        return false;
    *v = negative ? -size : size;
    return true;
}

bool num_double(struct str s, double *v)
{
    double d;
    int64_t i;
    bool is_int;
    if (s.len == 0)
        return false;
    size_t n = num_scan(s, &d, &i, &is_int);
    if (n == 0)
        return special_double(s, v);
    if (n != s.len || isinf(d))
        return false;
    *v = d;
    return true;
}

/* Digits with the power of ten of the first: 123 and 4 are 1.23e4. */
struct digits {
    char text[24];
    int count;
    int exp10;
};

static void strip_zeros(struct digits *d)
{
    while (d->count > 1 && d->text[d->count - 1] == '0')
        d->count--;
}

static void set_digits(struct digits *d, uint64_t n, int exp10_of_last)
{
    char text[24];
    int at = sizeof(text);
    for (; n; n /= 10)
        text[--at] = (char)('0' + n % 10);
    d->count = (int)sizeof(text) - at;
    memcpy(d->text, text + at, (size_t)d->count);
    d->exp10 = exp10_of_last + d->count - 1;
    strip_zeros(d);
}

/* v in digits of the given precision, rounded by printf. The point, whatever
 * the locale has for it, is skipped. */
static void rounded_digits(struct digits *d, double v, int precision)
{
    char text[64];
    snprintf(text, sizeof(text), "%.*e", precision - 1, v);
    const char *e = strchr(text, 'e');
    d->count = 0;
    for (const char *p = text; p < e; p++)
        if (is_digit(*p) && d->count < (int)sizeof(d->text))
            d->text[d->count++] = *p;
    d->exp10 = (int)strtol(e + 1, NULL, 10);
    strip_zeros(d);
}

static double digits_value(const struct digits *d)
{
    char text[64];
    int last = d->exp10 - (d->count - 1);
    snprintf(text, sizeof(text), "%.*se%d", d->count, d->text, last);
    return strtod(text, NULL);
}

/* The next larger number of as many digits. */
static void next_digits(struct digits *d, int precision)
{
    while (d->count < precision)
        d->text[d->count++] = '0';
    int i = d->count - 1;
    while (i >= 0 && d->text[i] == '9')
        d->text[i--] = '0';
    if (i >= 0) {
        d->text[i]++;
    } else {
        d->text[0] = '1';
        d->exp10++;
    }
    strip_zeros(d);
}

/* For very large and very small v. At a power of two the doubles below lie
 * nearer than those above, so that the nearest decimal may miss the double
 * while the next one above still hits it. */
static void shortest_by_trying(struct digits *d, double v)
{
    int exp;
    bool lopsided = frexp(v, &exp) == 0.5;
    int precision = v < 0x1p-1022 ? 1 : 15;
    for (; precision < 17; precision++) {
        rounded_digits(d, v, precision);
        if (digits_value(d) == v)
            return;
        if (lopsided) {
            next_digits(d, precision);
            if (digits_value(d) == v)
                return;
        }
    }
    rounded_digits(d, v, 17);
}

/* v * 10^k and the ends of the interval that reads back as v, all times
 * 2^shift. */
struct scaled {
    wide low, mid, high;
    unsigned shift;
    bool inclusive; /* the ends read back as v too */
};

static struct scaled scale(double v, int k)
{
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(v, &e), 53);
    e -= 53;
    uint64_t five = power_of_five[k];
    bool lopsided = m == UINT64_C(1) << 52;
    return (struct scaled){.low = (wide)(4 * m - (lopsided ? 1 : 2)) * five,
                           .mid = (wide)(4 * m) * five,
                           .high = (wide)(4 * m + 2) * five,
                           .shift = (unsigned)(2 - e - k),
                           .inclusive = m % 2 == 0};
}

/* The multiple of unit nearest to mid, ties to even, that lies in [low, high]
 * (of which there is one). */
static uint64_t nearest_multiple(const struct scaled *s, uint64_t unit,
                                 uint64_t low, uint64_t high)
{
    uint64_t down = (uint64_t)(s->mid >> s->shift) / unit;
    wide over = s->mid - ((wide)(down * unit) << s->shift);
    wide size = (wide)unit << s->shift;
    bool up = over * 2 > size || (over * 2 == size && down % 2 == 1);
    uint64_t n = (down + up) * unit;
    if (n < low)
        return n + unit;
    return n > high ? n - unit : n;
}

/* For 1e-10 <= v < 1e15: v is scaled to 17 or 18 digits before the point,
 * exactly; then the largest power of ten is sought of which a multiple still
 * reads back as v. */
static void shortest_by_scaling(struct digits *d, double v)
{
    int exp2;
    frexp(v, &exp2);
    /* log10(2) a little small: 10^(16 - k) is at most v. */
    int k = 16 - (int)floor((exp2 - 1) * 0.30102);
    struct scaled s = scale(v, k);
    wide one = (wide)1 << s.shift;
    uint64_t low = (uint64_t)((s.low + one - 1) >> s.shift);
    uint64_t high = (uint64_t)(s.high >> s.shift);
    if (!s.inclusive) {
        low += (wide)low << s.shift == s.low;
        high -= (wide)high << s.shift == s.high;
    }
    uint64_t unit = 1;
    uint64_t below = (low - 1) / 10, top = high / 10;
    for (; top > below; top /= 10, below /= 10)
        unit *= 10;
    set_digits(d, nearest_multiple(&s, unit, low, high), -k);
}

static void write_exponential(struct buf *b, const struct digits *d)
{
    char text[48];
    size_t n = 0;
    text[n++] = d->text[0];
    if (d->count > 1)
        text[n++] = '.';
    memcpy(text + n, d->text + 1, (size_t)d->count - 1);
    n += (size_t)d->count - 1;
    buf_add(b, text, n);
    buf_addf(b, "e%c%02d", d->exp10 < 0 ? '-' : '+', abs(d->exp10));
}

/* Without exponent. The digit numbered exp10 is that of the units; those in
 * front of the first and behind the last are zeros. */
static void write_plain(struct buf *b, const struct digits *d)
{
    char text[64];
    size_t n = 0;
    int first = d->exp10 < 0 ? d->exp10 : 0;
    int last = d->count - 1 > d->exp10 ? d->count - 1 : d->exp10;
    for (int i = first; i <= last; i++) {
        text[n++] = i >= 0 && i < d->count ? d->text[i] : '0';
        if (i == d->exp10 && i < last)
            text[n++] = '.';
    }
    buf_add(b, text, n);
}

void num_print_int(struct buf *b, int64_t v)
{
    char text[24];
    size_t at = sizeof(text);
    uint64_t n = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do
        text[--at] = (char)('0' + n % 10);
    while (n /= 10);
    if (v < 0)
        text[--at] = '-';
    buf_add(b, text + at, sizeof(text) - at);
}

/* A whole number below 1e16, with ".0". */
static void write_whole(struct buf *b, uint64_t n)
{
    num_print_int(b, (int64_t)n);
    buf_add(b, ".0", 2);
}

static void print_finite(struct buf *b, double v)
{
    if (signbit(v))
        buf_addc(b, '-');
    v = fabs(v);
    struct digits d;
    if (v < 1e16 && v == (double)(uint64_t)v) {
        write_whole(b, (uint64_t)v);
        return;
    }
    if (v >= 1e-10 && v < 1e15)
        shortest_by_scaling(&d, v);
    else
        shortest_by_trying(&d, v);
    if (d.exp10 < -4 || d.exp10 >= 16)
        write_exponential(b, &d);
    else
        write_plain(b, &d);
}

void num_print(struct buf *b, double v)
{
    if (isnan(v))
        buf_adds(b, "nan");
    else if (isinf(v))
        buf_adds(b, v < 0 ? "-inf" : "inf");
    else
        print_finite(b, v);
}

void num_print_json(struct buf *b, double v)
{
    if (isnan(v))
        buf_adds(b, "NaN");
    else if (isinf(v))
        buf_adds(b, v < 0 ? "-Infinity" : "Infinity");
    else
        print_finite(b, v);
}

/* As %.<digits>g: no zeros at the end, an exponent when the point would be
 * far from the digits. */
void num_print_short(struct buf *b, double v, int digits)
{
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    if (!isfinite(v)) {
        num_print(b, v);
        return;
    }
    if (signbit(v) && v != 0)
        buf_addc(b, '-');
    struct digits d;
    rounded_digits(&d, fabs(v), digits);
    if (d.exp10 < -4 || d.exp10 >= digits)
        write_exponential(b, &d);
    else
        write_plain(b, &d);
}

/* Both factors are exact, so that the quotient is the nearest double. */
double num_round(double v, int decimals)
{
    if (decimals < 0 || decimals > DECIMALS_MOST)
        return v;
    double whole = rint(v * power_of_ten[decimals]);
    return fabs(whole) <= 0x1p53 ? whole / power_of_ten[decimals] : v;
}

int num_decimals(double v)
{
    for (int n = 0; n <= DECIMALS_MOST; n++)
        if (num_round(v, n) == v)
            return fabs(v * power_of_ten[n]) <= 0x1p53 ? n : -1;
    return -1;
}

struct unit {
    const char *name;
    double size;
};

/* Takes a word of letters off *rest and finds it among the units, in any
 * case. NULL when there is none such. */
static const struct unit *take_unit(struct str *rest, const struct unit *units)
{
    size_t n = 0;
    while (n < rest->len && (unsigned char)((rest->p[n] | 0x20) - 'a') < 26)
        n++;
    struct str word = str_n(rest->p, n);
    for (; units->name; units++) {
        if (!same_word(word, units->name))
            continue;
        *rest = str_trim(str_n(rest->p + n, rest->len - n));
        return units;
    }
    return NULL;
}

/* Takes a number that is not negative, and blanks, off *rest. */
static bool take_number(struct str *rest, double *v)
{
    int64_t i;
    bool is_int;
    if (rest->len == 0 || (!is_digit(rest->p[0]) && rest->p[0] != '.'))
        return false;
    size_t n = num_scan(*rest, v, &i, &is_int);
    *rest = str_trim(str_n(rest->p + n, rest->len - n));
    return n > 0 && isfinite(*v);
}

bool num_bytes(struct str s, uint64_t *bytes)
{
    static const struct unit units[] = {
        {"", 1},         {"b", 1},        {"k", 0x1p10},   {"kb", 0x1p10},
        {"kib", 0x1p10}, {"m", 0x1p20},   {"mb", 0x1p20},  {"mib", 0x1p20},
        {"g", 0x1p30},   {"gb", 0x1p30},  {"gib", 0x1p30}, {"t", 0x1p40},
        {"tb", 0x1p40},  {"tib", 0x1p40}, {"p", 0x1p50},   {"pb", 0x1p50},
        {"pib", 0x1p50}, {NULL, 0}};
    struct str rest = str_trim(s);
    uint64_t exact;
    if (num_uint(rest, &exact)) {
        *bytes = exact;
        return true;
    }
    double v;
    if (!take_number(&rest, &v))
        return false;
    const struct unit *unit = take_unit(&rest, units);
    if (!unit || rest.len || v * unit->size >= 0x1p64)
        return false;
    *bytes = (uint64_t)(v * unit->size);
    return true;
}

void num_print_bytes(struct buf *b, uint64_t bytes)
{
    static const char *const names[] = {"KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        buf_addf(b, "%u B", (unsigned)bytes);
        return;
    }
    unsigned power = 0;
    double v = (double)bytes / 1024;
    /* What would round to 1024 belongs to the next unit. */
    for (; v >= 1023.5; v /= 1024)
        power++;
    num_print_short(b, v, v >= 1000 ? 4 : 3);
    buf_addf(b, " %s", names[power]);
}

/* "1:30:00" and "5:30", hours first and minutes first. */
static bool clock_seconds(struct str s, double *seconds)
{
    double sum = 0;
    unsigned parts = 0;
    struct str part;
    while (str_split(&s, ':', &part)) {
        double v;
        bool last = s.p == NULL;
        if (parts == 3 || !take_number(&part, &v) || part.len ||
            (parts > 0 && v >= 60) || (!last && v != floor(v)))
            return false;
        sum = sum * 60 + v;
        parts++;
    }
    *seconds = sum;
    return true;
}

bool num_seconds(struct str s, double *seconds)
{
    static const struct unit units[] = {
        {"", 1},         {"ms", 1e-3},     {"s", 1},          {"sec", 1},
        {"second", 1},   {"seconds", 1},   {"m", 60},         {"min", 60},
        {"minute", 60},  {"minutes", 60},  {"h", 3600},       {"hour", 3600},
        {"hours", 3600}, {"d", 86400},     {"day", 86400},    {"days", 86400},
        {"w", 604800},   {"week", 604800}, {"weeks", 604800}, {NULL, 0}};
    struct str rest = str_trim(s);
    if (str_find(rest, ':') >= 0)
        return clock_seconds(rest, seconds);
    double sum = 0, before = INFINITY;
    do {
        double v;
        if (!take_number(&rest, &v))
            return false;
        const struct unit *unit = take_unit(&rest, units);
        /* Units go from large to small, so "30 2h" and "1h 1h" are slips. */
        if (!unit || unit->size >= before)
            return false;
        before = unit->name[0] ? unit->size : 0;
        sum += v * unit->size;
    } while (rest.len);
    if (!isfinite(sum))
        return false;
    *seconds = sum;
    return true;
}

/* The two largest units, as "2h 30m"; a smaller one that is 0 is left out. */
static void print_two_units(struct buf *b, uint64_t seconds)
{
    static const struct {
        uint64_t size, part;
        char name[2], part_name[2];
    } forms[] = {
        {86400, 3600, "d", "h"}, {3600, 60, "h", "m"}, {60, 1, "m", "s"}};
    unsigned f = seconds >= 86400 ? 0 : seconds >= 3600 ? 1 : 2;
    uint64_t large = seconds / forms[f].size;
    uint64_t small = seconds % forms[f].size / forms[f].part;
    buf_addf(b, "%llu%s", (unsigned long long)large, forms[f].name);
    if (small)
        buf_addf(b, " %llu%s", (unsigned long long)small, forms[f].part_name);
}

void num_print_seconds(struct buf *b, double seconds)
{
    if (!isfinite(seconds) || fabs(seconds) >= 1e18) {
        num_print_short(b, seconds, 3);
        buf_addc(b, 's');
        return;
    }
    if (seconds < 0) {
        buf_addc(b, '-');
        seconds = -seconds;
    }
    if (seconds > 0 && seconds < 0.0995) {
        num_print_short(b, seconds * 1000, 2);
        buf_adds(b, "ms");
    } else if (seconds < 59.5) {
        num_print_short(b, seconds, 2);
        buf_addc(b, 's');
    } else {
        print_two_units(b, (uint64_t)(seconds + 0.5));
    }
}
