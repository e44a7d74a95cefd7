/* text.c - texts as words
 *
 * A word is a run of letters and digits, with apostrophes inside; everything
 * else separates. Beyond ASCII all is a letter but what is known to be
 * punctuation, a blank or a symbol; so are bytes that are no UTF-8. Case does
 * not count, unless the spec says so. All words of all rows get numbers here,
 * in the order in which they come; which of them a model knows is for the view
 * to say. */
#include "data/set.h"

struct dictionary {
    struct map *numbers; /* word -> number + 1 */
    struct buf letters;
    VEC(uint32_t) ends;
};

/* Code points beyond ASCII that are in no word: from, to. In order. */
static const unsigned separators[][2] = {
    {0x80, 0xA9},      {0xAB, 0xAC},     {0xAE, 0xB1},     {0xB4, 0xB4},
    {0xB6, 0xB8},      {0xBB, 0xBF},     {0xD7, 0xD7},     {0xF7, 0xF7},
    {0x2C2, 0x2C5},    {0x2D2, 0x2DF},   {0x37E, 0x37E},   {0x387, 0x387},
    {0x55A, 0x55F},    {0x589, 0x58A},   {0x5BE, 0x5BE},   {0x5C0, 0x5C0},
    {0x5C3, 0x5C3},    {0x5F3, 0x5F4},   {0x609, 0x60D},   {0x61B, 0x61B},
    {0x61D, 0x61F},    {0x66A, 0x66D},   {0x6D4, 0x6D4},   {0x964, 0x965},
    {0xE3F, 0xE3F},    {0xE4F, 0xE4F},   {0xE5A, 0xE5B},   {0x1680, 0x1680},
    {0x2000, 0x200B},  {0x200E, 0x206F}, {0x20A0, 0x20CF}, {0x2120, 0x2122},
    {0x2190, 0x245F},  {0x2500, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004},
    {0x3008, 0x3020},  {0x3030, 0x3030}, {0x30A0, 0x30A0}, {0x30FB, 0x30FB},
    {0xFE10, 0xFE19},  {0xFE30, 0xFE6F}, {0xFEFF, 0xFEFF}, {0xFF01, 0xFF0F},
    {0xFF1A, 0xFF20},  {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFD},
    {0x1F000, 0x1FAFF}};

#define SOFT_HYPHEN 0xADu
#define APOSTROPHE 0x2019u /* the curly one */

/* The code point at s and its length; a byte that begins none is one of its
 * own, far from all others. */
static size_t code_at(struct str s, unsigned *code)
{
    unsigned char c = (unsigned char)s.p[0];
    size_t len = c < 0x80                ? 1
                 : c >= 0xC2 && c < 0xE0 ? 2
                 : c >= 0xE0 && c < 0xF0 ? 3
                 : c >= 0xF0 && c < 0xF5 ? 4
                                         : 0;
    *code = len == 1 ? c : c & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) {
        if (i >= s.len || (s.p[i] & 0xC0) != 0x80) {
            len = 0;
            break;
        }
        *code = *code << 6 | ((unsigned char)s.p[i] & 63u);
    }
    if (len == 0)
        *code = 0x200000u + c;
    return len ? len : 1;
}

static bool is_letter(unsigned code)
{
    if (code < 0x80)
        return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
               (code >= '0' && code <= '9');
    size_t low = 0, high = sizeof(separators) / sizeof(*separators);
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (code > separators[mid][1])
            low = mid + 1;
        else
            high = mid;
    }
    return low == sizeof(separators) / sizeof(*separators) ||
           code < separators[low][0];
}

static bool is_apostrophe(unsigned code)
{
    return code == '\'' || code == APOSTROPHE;
}

/* True when a letter is at this place. */
static bool letter_at(struct str text, size_t at)
{
    unsigned code;
    if (at >= text.len)
        return false;
    code_at(str_n(text.p + at, text.len - at), &code);
    return is_letter(code);
}

/* The next word from *at on; an apostrophe between letters belongs to it. */
static bool next_word(struct str text, size_t *at, struct str *word)
{
    size_t i = *at, len;
    unsigned code;
    for (; i < text.len && !letter_at(text, i); i += len)
        len = code_at(str_n(text.p + i, text.len - i), &code);
    size_t from = i;
    for (; i < text.len; i += len) {
        len = code_at(str_n(text.p + i, text.len - i), &code);
        bool inside =
            is_apostrophe(code) && i > from && letter_at(text, i + len);
        if (!inside && !is_letter(code))
            break;
    }
    *word = str_n(text.p + from, i - from);
    *at = i;
    return i > from;
}

/* ASCII, and the letters of Latin-1, Greek and Cyrillic, whose small ones are
 * at a fixed distance. */
static unsigned small_of(unsigned code)
{
    if ((code >= 'A' && code <= 'Z') ||
        (code >= 0xC0 && code <= 0xDE && code != 0xD7) ||
        (code >= 0x391 && code <= 0x3A9) || (code >= 0x410 && code <= 0x42F))
        return code + 32;
    return code >= 0x400 && code <= 0x40F ? code + 80 : code;
}

/* The word as it counts: curly apostrophes are plain ones, soft hyphens are
 * not there. */
static void write_word(struct buf *b, struct str word, bool lower)
{
    unsigned code;
    size_t len;
    buf_reset(b);
    for (; word.len; word = str_n(word.p + len, word.len - len)) {
        len = code_at(word, &code);
        unsigned small = lower ? small_of(code) : code;
        if (code == APOSTROPHE)
            small = '\'';
        if (code == SOFT_HYPHEN)
            continue;
        if (small == code)
            buf_add(b, word.p, len);
        else if (small < 0x80)
            buf_addc(b, (char)small);
        else
            buf_addf(b, "%c%c", (char)(0xC0 | small >> 6),
                     (char)(0x80 | (small & 63)));
    }
}

static uint32_t number_of(struct dictionary *d, struct str word)
{
    uintptr_t number = (uintptr_t)map_get(d->numbers, word);
    if (!number) {
        buf_addstr(&d->letters, word);
        vec_push(&d->ends, (uint32_t)d->letters.len);
        number = d->ends.len;
        map_set(d->numbers, word, (void *)number);
    }
    return (uint32_t)number - 1;
}

static void keep_words(struct data_set *s, struct dictionary *d, struct text *t)
{
    uint32_t *ends = arena_array(s->arena, d->ends.len + 1, sizeof(*ends));
    if (d->ends.len)
        memcpy(ends, d->ends.p, d->ends.len * sizeof(*ends));
    t->word_count = d->ends.len;
    t->ends = ends;
    t->letters = arena_str(s->arena, buf_str(&d->letters)).p;
}

static int read_texts(struct reading *r, const struct str *texts,
                      bool lower_case, struct dictionary *d, struct text *t,
                      struct err *err)
{
    VEC(uint32_t) words = {0};
    uint64_t *start = arena_array(r->set->arena, r->rows + 1, sizeof(*start));
    struct buf written;
    buf_init(&written);
    for (size_t i = 0; i < r->rows; i++) {
        struct str text = texts[reading_row(r, i)], word;
        for (size_t at = 0; next_word(text, &at, &word);) {
            write_word(&written, word, lower_case);
            if (written.len)
                vec_push(&words, number_of(d, buf_str(&written)));
        }
        start[i + 1] = words.len;
    }
    size_t count = words.len;
    t->start = start;
    t->words = vec_to_arena(r->set->arena, &words);
    buf_done(&written);
    if (d->letters.len > UINT32_MAX)
        return err_set_at(err, "data.text", ": more than 4 GiB of words");
    return count || r->fitted
               ? 0
               : err_set_at(err, "data.text", ": no row has any words");
}

int data_text_field(struct reading *r, const struct str *texts,
                    const struct data_text_style *style, struct text *t,
                    struct data_field *f, struct err *err)
{
    struct dictionary d = {.numbers = map_new()};
    buf_init(&d.letters);
    *t = (struct text){0};
    int rc = read_texts(r, texts, style->lower, &d, t, err);
    if (!rc)
        keep_words(r->set, &d, t);
    if (!rc && style->vectors.len && !r->fitted)
        rc = data_read_vectors(r, style->vectors, t, err);
    vec_done(&d.ends);
    buf_done(&d.letters);
    map_free(d.numbers);
    *f = (struct data_field){.rank = 1};
    return rc;
}

struct str text_word(const struct text *t, size_t word)
{
    size_t from = word ? t->ends[word - 1] : 0;
    return str_n(t->letters + from, t->ends[word] - from);
}
