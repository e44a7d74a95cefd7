/* text.c - texts as words
 *
 * A word is a run of letters, digits and bytes beyond ASCII, with apostrophes
 * inside; everything else separates. Case does not count, unless the spec
 * says so. All words of all rows get numbers here, in the order in which they
 * come; which of them a model knows is for the view to say. */
#include "data/set.h"

struct dictionary {
    struct map *numbers; /* word -> number + 1 */
    struct buf letters;
    VEC(uint32_t) ends;
};

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c >= 0x80;
}

/* The next word from *at on; an apostrophe between letters belongs to it. */
static bool next_word(struct str text, size_t *at, struct str *word)
{
    size_t i = *at;
    while (i < text.len && !is_letter((unsigned char)text.p[i]))
        i++;
    size_t from = i;
    for (; i < text.len; i++) {
        bool inside = text.p[i] == '\'' && i > from && i + 1 < text.len &&
                      is_letter((unsigned char)text.p[i + 1]);
        if (!inside && !is_letter((unsigned char)text.p[i]))
            break;
    }
    *word = str_n(text.p + from, i - from);
    *at = i;
    return i > from;
}

/* ASCII, and the letters of Latin-1, Greek and Cyrillic, whose small ones are
 * at a fixed distance; two bytes each in UTF-8. */
static void lower(struct buf *b, struct str word)
{
    buf_reset(b);
    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)word.p[i];
        unsigned next = i + 1 < word.len ? (unsigned char)word.p[i + 1] : 0;
        unsigned code = c >= 0xC3 && c <= 0xD0 && (next & 0xC0) == 0x80
                            ? (c & 31u) << 6 | (next & 63u)
                            : 0;
        unsigned small = code;
        if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) ||
            (code >= 0x391 && code <= 0x3A9) ||
            (code >= 0x410 && code <= 0x42F))
            small = code + 32;
        else if (code >= 0x400 && code <= 0x40F)
            small = code + 80;
        if (code) {
            buf_addc(b, (char)(0xC0 | small >> 6));
            buf_addc(b, (char)(0x80 | (small & 63)));
            i++;
        } else {
            buf_addc(b, (char)(c >= 'A' && c <= 'Z' ? c + 32 : c));
        }
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
    struct buf small;
    buf_init(&small);
    for (size_t i = 0; i < r->rows; i++) {
        struct str text = texts[reading_row(r, i)], word;
        for (size_t at = 0; next_word(text, &at, &word);) {
            if (lower_case) {
                lower(&small, word);
                word = buf_str(&small);
            }
            vec_push(&words, number_of(d, word));
        }
        start[i + 1] = words.len;
    }
    uint32_t *kept = arena_array(r->set->arena, words.len + 1, sizeof(*kept));
    if (words.len)
        memcpy(kept, words.p, words.len * sizeof(*kept));
    t->start = start;
    t->words = kept;
    size_t count = words.len;
    vec_done(&words);
    buf_done(&small);
    if (d->letters.len > UINT32_MAX)
        return err_set(err, ERR_LIMIT, "data.text: more than 4 GiB of words");
    return count || r->fitted
               ? 0
               : err_set(err, ERR_INPUT, "data.text: no row has any words");
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
