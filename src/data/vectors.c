/* vectors.c - word vectors: a word and its numbers on each line, blanks
 * between
 *
 * A first line of two whole numbers (how many, how long) is passed over. Only
 * words that the data has are kept, so that a file of a million costs no
 * more memory than it needs. */
#include <math.h>

#include "base/num.h"
#include "data/set.h"
#include "sys/sys.h"

struct lines {
    struct str rest;
    size_t number; /* of the line last taken */
    const char *path;
};

static bool next_line(struct lines *l, struct str *line)
{
    if (!l->rest.p || !str_split(&l->rest, '\n', line))
        return false;
    l->number++;
    *line = str_trim(*line);
    return true;
}

/* The last `count` pieces are numbers; what is before them is the word, which
 * may have blanks inside. */
static bool split_line(struct str line, size_t count, struct str *word,
                       struct str *numbers)
{
    size_t i = line.len;
    for (size_t k = 0; k < count; k++) {
        while (i && line.p[i - 1] != ' ' && line.p[i - 1] != '\t')
            i--;
        if (!i)
            return false;
        *numbers = str_n(line.p + i, line.len - i);
        while (i && (line.p[i - 1] == ' ' || line.p[i - 1] == '\t'))
            i--;
    }
    *word = str_n(line.p, i);
    return i > 0;
}

static size_t pieces_of(struct str line)
{
    size_t count = 0;
    for (size_t i = 0; i < line.len; i++) {
        bool blank = line.p[i] == ' ' || line.p[i] == '\t';
        bool before = i && (line.p[i - 1] == ' ' || line.p[i - 1] == '\t');
        count += !blank && (i == 0 || before);
    }
    return count;
}

static bool parse_numbers(struct str s, size_t count, float *to)
{
    double d;
    for (size_t k = 0; k < count; k++) {
        size_t i = 0;
        s = str_trim(s);
        while (i < s.len && s.p[i] != ' ' && s.p[i] != '\t')
            i++;
        if (!num_double(str_n(s.p, i), &d) || !isfinite((float)d))
            return false;
        to[k] = (float)d;
        s = str_n(s.p + i, s.len - i);
    }
    return true;
}

static struct map *numbers_of_words(const struct text *t)
{
    struct map *m = map_new();
    for (size_t i = 0; i < t->word_count; i++)
        map_set(m, text_word(t, i), (void *)(uintptr_t)(i + 1));
    return m;
}

static int first_line(struct lines *l, size_t *columns, struct err *err)
{
    struct lines at = *l;
    struct str line;
    if (!next_line(&at, &line) || pieces_of(line) < 2)
        return err_set(err, ERR_INPUT,
                       "%s:1: word vectors have a word and numbers on each "
                       "line",
                       l->path);
    if (pieces_of(line) == 2) {
        *l = at;
        if (!next_line(&at, &line) || pieces_of(line) < 2)
            return err_set(err, ERR_INPUT, "%s:2: has no word vector", l->path);
    }
    *columns = pieces_of(line) - 1;
    return 0;
}

static int read_lines(struct lines *l, const struct map *words, size_t columns,
                      float *to, size_t *found, struct err *err)
{
    struct str line, word, numbers = STR("");
    while (next_line(l, &line)) {
        if (!line.len)
            continue;
        bool good = split_line(line, columns, &word, &numbers);
        uintptr_t at = good ? (uintptr_t)map_get(words, word) : 0;
        if (at)
            good = parse_numbers(numbers, columns, to + (at - 1) * columns);
        if (!good)
            return err_set(err, ERR_INPUT,
                           "%s:%zu: expected a word and %zu finite numbers",
                           l->path, l->number, columns);
        *found += at != 0;
    }
    return 0;
}

int data_read_vectors(struct reading *r, struct str path, struct text *t,
                      struct err *err)
{
    struct file_bytes f;
    struct lines l = {.path = arena_cstr(r->scratch, path)};
    size_t columns = 0, found = 0;
    if (l.path[0] != '/')
        l.path = path_join(r->scratch, r->folder, l.path);
    if (file_bytes_open(&f, l.path, err))
        return -1;
    vec_push(&r->files, f);
    l.rest = f.text;
    if (f.cut)
        return err_set(err, ERR_INPUT, "%s: the gzip file is cut off", l.path);
    if (first_line(&l, &columns, err))
        return -1;
    float *to =
        arena_array(r->set->arena, t->word_count * columns + 1, sizeof(*to));
    for (size_t i = 0; i < t->word_count * columns; i++)
        to[i] = NAN;
    struct map *words = numbers_of_words(t);
    int rc = read_lines(&l, words, columns, to, &found, err);
    map_free(words);
    t->vectors = to;
    t->vector_columns = (int64_t)columns;
    if (!rc)
        data_notice(r->set, "data: %zu of %zu words have vectors", found,
                    t->word_count);
    return rc;
}
