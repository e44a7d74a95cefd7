/* merge_made.c - what a merge has written, so that the next run knows it again
 *
 * A file in the study's folder: of what the tables were made, how many lines a
 * program wrote for how many rows, and for each table
 *
 *   table BYTES CHANGED_NS HASH PATH
 *
 * A table whose bytes are others, since something else was written there, is
 * made again; one that was only touched, or copied back, is not. An older
 * version has written the first line alone: then any table is taken for it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/num.h"
#include "study/merge.h"

#define MADE_FILE "merged"
#define PIECE_BYTES ((size_t)1 << 20)

static const char **tables_of(const struct merge_made *m, struct arena *a)
{
    if (m->folder)
        return dir_glob(m->path, m->npy ? "*.npy" : "*.csv", a, NULL);
    const char **one = arena_array(a, 2, sizeof(*one));
    one[0] = file_exists(m->path) ? m->path : NULL;
    return one;
}

/* Piece by piece: a table may be larger than memory. */
static int hash_file(const char *path, uint64_t *hash, struct err *err)
{
    FILE *f = fopen(path, "rbe");
    if (!f)
        return err_errno(err, "read %s", path);
    char *piece = xmalloc(PIECE_BYTES);
    uint64_t sum = 0;
    for (size_t n; (n = fread(piece, 1, PIECE_BYTES, f)) > 0;)
        sum = hash64(str_n(piece, n), sum);
    int rc = ferror(f) ? err_errno(err, "read %s", path) : 0;
    fclose(f);
    free(piece);
    if (!rc)
        *hash = sum;
    return rc;
}

static int64_t changed_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int add_table(struct buf *b, const char *path, struct err *err)
{
    struct stat st;
    uint64_t hash;
    if (stat(path, &st))
        return err_errno(err, "read %s", path);
    if (hash_file(path, &hash, err))
        return -1;
    buf_addf(b, "table %lld %lld %016" PRIx64 " %s\n", (long long)st.st_size,
             (long long)changed_ns(&st), hash, path);
    return 0;
}

int merge_made_write(const struct merge_made *m, const char *study,
                     const struct merged *of, struct err *err)
{
    struct arena *a = arena_new();
    const char **tables = tables_of(m, a);
    struct buf b;
    int rc = 0;
    buf_init(&b);
    buf_addf(&b, "%s\nlines %llu %llu\n", m->what,
             (unsigned long long)of->lines, (unsigned long long)of->rows);
    for (; !rc && tables && *tables; tables++)
        rc = add_table(&b, m->folder ? path_join(a, m->path, *tables) : *tables,
                       err);
    if (!rc)
        rc = file_write(path_join(a, study, MADE_FILE), buf_str(&b), true, err);
    buf_done(&b);
    arena_free(a);
    return rc;
}

static bool is_that(struct str line, struct arena *a)
{
    struct str size, time, hex;
    int64_t bytes, changed;
    uint64_t hash = 0;
    char now[17];
    struct stat st;
    if (!str_split(&line, ' ', &size) || !str_split(&line, ' ', &time) ||
        !str_split(&line, ' ', &hex) || !num_int(size, &bytes) ||
        !num_int(time, &changed))
        return false;
    const char *path = arena_cstr(a, line);
    if (stat(path, &st) || st.st_size != bytes)
        return false;
    if (changed_ns(&st) == changed)
        return true;
    if (hash_file(path, &hash, NULL))
        return false;
    snprintf(now, sizeof(now), "%016" PRIx64, hash);
    return str_is(hex, now);
}

static void take_lines(struct str line, struct merged *to)
{
    struct str count;
    int64_t lines, rows;
    if (str_split(&line, ' ', &count) && num_int(count, &lines) &&
        num_int(line, &rows) && lines >= 0 && rows >= 0) {
        to->lines = (uint64_t)lines;
        to->rows = (uint64_t)rows;
    }
}

bool merge_made_is(const struct merge_made *m, const char *study,
                   struct merged *to)
{
    struct arena *a = arena_new();
    const char *path = path_join(a, study, MADE_FILE);
    const char **there = tables_of(m, a);
    struct merged counted = *to;
    struct str rest, line, word;
    struct buf b;
    buf_init(&b);
    bool made = there && *there && file_exists(path) &&
                file_read(path, 0, &b, NULL) == 0;
    rest = buf_str(&b);
    made = made && str_split(&rest, '\n', &line) && str_is(line, m->what);
    while (made && rest.len && str_split(&rest, '\n', &line)) {
        str_split(&line, ' ', &word);
        if (str_is(word, "table"))
            made = is_that(line, a);
        else if (str_is(word, "lines"))
            take_lines(line, &counted);
    }
    if (made)
        *to = counted;
    buf_done(&b);
    arena_free(a);
    return made;
}
