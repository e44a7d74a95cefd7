/* cut.c - the rows of a file, cut into stretches
 *
 * A stretch is bytes of the file behind its header, so that whoever reads one
 * reads no other. Where rows of text end is found in one pass through a small
 * buffer: a break inside quotes ends none. What is packed (gzip, zip) or has
 * another order than row by row is one stretch, all of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chars.h"
#include "base/hash.h"
#include "data/set.h"
#include "sys/sys.h"

#define LOOK_BYTES (1u << 18) /* of a file's beginning: its header is in it */
#define SCAN_BYTES (1u << 18)
#define COPY_BYTES (1u << 20)

struct data_cutter {
    char *path;
    int fd;
    enum data_form form;
    bool lines; /* each line is a row, whatever is in it */
    char separator;
    uint64_t size, head; /* bytes of the file, and before its first row */
    uint64_t at;         /* where the next stretch begins */
    uint64_t row, rows;  /* its number; of all but text, how many there are */
    uint64_t row_bytes;  /* of npy */
    uint64_t stands;     /* how far text has been looked at … */
    size_t have, used;   /* … and what of the buffer has been */
    bool quoted, begins; /* inside of quotes; a field begins here */
    bool filled;         /* something stands in this line */
    bool closed;         /* the byte before closed quotes */
    bool header;
    uint64_t breaks; /* of lines, between the head and where it stands */
    struct hash_pieces *hash; /* of the stretch; NULL: nobody asked */
    char *head_bytes;         /* that each begins with */
    char *misfit;             /* why its columns are not the model's */
    size_t hashed;            /* how far the buffer is in it */
    char buffer[SCAN_BYTES];
};

/* ---- looking at a file's beginning --------------------------------------- */

static int read_at(int fd, char *to, size_t most, uint64_t at, size_t *got)
{
    *got = 0;
    while (*got < most) {
        ssize_t n = pread(fd, to + *got, most - *got, (off_t)(at + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return 0;
}

/* How its rows are read; names are those that a header must have. */
static int style_of(const struct data_cutter *c,
                    const struct data_reading_as *as, struct arena *a,
                    struct table_style *style, struct err *err)
{
    const struct value *known =
        as->fitted.len ? data_fitted_parse(a, as->fitted, c->path, err) : NULL;
    const struct value *names = value_get(known, STR("names"));
    if ((as->fitted.len && !known) || data_spec_style(as->spec, style, err))
        return -1;
    style->lines = c->lines;
    if (known)
        style->names = names ? names : value_list(a);
    if (c->lines && style->header < 0)
        style->header = 0;
    return 0;
}

/* Of rows that are joined with other tables columns are there, too. */
static void look_at_columns(struct data_cutter *c,
                            const struct data_reading_as *as,
                            const struct matrix *m, struct arena *a)
{
    if (!as->fitted.len || value_get(as->spec, STR("join")))
        return;
    const char *why =
        data_misfit(data_fitted_parse(a, as->fitted, c->path, NULL), m, a);
    c->misfit = why ? xstrdup(why) : NULL;
}

static int look_at_text(struct data_cutter *c, struct str text,
                        const struct data_reading_as *as, struct err *err)
{
    struct arena *a = arena_new();
    struct table_style style;
    struct matrix m = {0};
    int rc = style_of(c, as, a, &style, err);
    if (!rc)
        rc = data_look_csv(text, c->path, &style, a, &m, err);
    if (rc && m.empty && as->may_be_empty && text.len == c->size) {
        c->form = DATA_TEXT;
        c->head = c->size;
        rc = 0;
    } else if (!rc) {
        c->head = m.body;
        c->separator = m.separator;
        c->form = m.notes & NOTE_CR ? DATA_WHOLE : DATA_TEXT;
        c->header = m.names != NULL;
        if (c->form == DATA_TEXT)
            look_at_columns(c, as, &m, a);
    }
    arena_free(a);
    return rc;
}

/* What is no text is read once, for the number of its rows. */
static int count_whole(struct data_cutter *c, const struct data_reading_as *as,
                       struct err *err)
{
    struct arena *a = arena_new();
    struct table_style style;
    struct file_bytes f;
    struct matrix m = {0};
    int rc = style_of(c, as, a, &style, err);
    style.readable = true; /* what is wrong with rows is said of each */
    if (!rc)
        rc = file_bytes_open(&f, c->path, err);
    if (!rc) {
        rc = data_matrix(&f, c->path, STR(""), &style, a, &m, err);
        file_bytes_close(&f);
    }
    bool empty = rc && m.empty && as->may_be_empty;
    if (!rc || empty) {
        c->form = DATA_WHOLE;
        c->rows = empty ? 0 : m.rows;
        c->header = m.names != NULL;
    }
    if (!rc)
        look_at_columns(c, as, &m, a);
    arena_free(a);
    return empty ? 0 : rc;
}

static int look(struct data_cutter *c, const struct data_reading_as *as,
                struct err *err)
{
    struct str text;
    struct data_npy npy;
    size_t got;
    char *bytes = malloc(LOOK_BYTES);
    if (!bytes)
        return err_set(err, ERR_LIMIT, "no memory to look at %s", c->path);
    int rc = read_at(c->fd, bytes, LOOK_BYTES, 0, &got);
    text = str_n(bytes, got);
    if (rc)
        err_errno(err, "read %s", c->path);
    else if (!c->lines && data_is_npy(text)) {
        rc = data_npy_look(text, c->path, &npy, err);
        c->form = npy.row_by_row ? DATA_NPY : DATA_WHOLE;
        c->head = npy.from;
        c->rows = npy.rows;
        c->row_bytes = npy.row_bytes;
    } else if (data_is_zip(text) || (!c->lines && data_is_idx(text)) ||
               data_is_packed(text))
        rc = count_whole(c, as, err);
    else if (!(rc = look_at_text(c, text, as, err)) && c->form == DATA_WHOLE)
        rc = count_whole(c, as, err);
    if (c->form == DATA_WHOLE)
        c->head = 0;
    if (rc || !c->hash)
        free(bytes);
    else
        c->head_bytes = bytes;
    return rc;
}

struct data_cutter *data_cut_open(const char *path,
                                  const struct data_reading_as *as,
                                  struct err *err)
{
    struct data_cutter *c = xcalloc(1, sizeof(*c));
    c->path = xstrdup(path);
    c->lines = as->lines;
    c->hash = as->hashed ? hash_pieces_new() : NULL;
    c->fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = c->fd < 0 ? -1 : lseek(c->fd, 0, SEEK_END);
    if (size < 0)
        err_errno(err, "read %s", path);
    c->size = size < 0 ? 0 : (uint64_t)size;
    if (size >= 0 && look(c, as, err) == 0) {
        c->at = c->stands = c->form == DATA_WHOLE ? 0 : c->head;
        c->begins = true;
        return c;
    }
    data_cut_close(c);
    return NULL;
}

const char *data_cut_misfit(const struct data_cutter *c)
{
    return c->misfit;
}

void data_cut_close(struct data_cutter *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    hash_pieces_free(c->hash);
    free(c->head_bytes);
    free(c->misfit);
    free(c->path);
    free(c);
}

/* ---- what a stretch is known by ------------------------------------------ */

/* What of the buffer has been looked at since. */
static void hash_buffer(struct data_cutter *c)
{
    if (c->hash)
        hash_pieces_add(c->hash,
                        str_n(c->buffer + c->hashed, c->used - c->hashed));
    c->hashed = c->used;
}

/* Bytes that nobody has read yet; -1 with errno. */
static int hash_bytes(struct hash_pieces *hash, int fd, uint64_t from,
                      uint64_t bytes)
{
    char buffer[65536];
    while (bytes) {
        size_t some = bytes < sizeof(buffer) ? (size_t)bytes : sizeof(buffer);
        size_t got;
        if (read_at(fd, buffer, some, from, &got))
            return -1;
        if (!got)
            break;
        hash_pieces_add(hash, str_n(buffer, got));
        from += got;
        bytes -= got;
    }
    return 0;
}

/* 0 means that it is not known. */
static uint64_t end_hash(struct hash_pieces *hash)
{
    uint64_t all = hash_pieces_end(hash);
    return all ? all : 1;
}

/* ---- where rows of text end ---------------------------------------------- */

/* More of the file; 0: that was all, -1 with errno. */
static int fill(struct data_cutter *c)
{
    size_t got;
    if (c->used < c->have)
        return 1;
    hash_buffer(c);
    if (read_at(c->fd, c->buffer, SCAN_BYTES, c->stands, &got))
        return -1;
    c->have = got;
    c->used = c->hashed = 0;
    return got > 0;
}

/* One byte outside of what can be skipped; true when a row ends behind it. */
static bool step(struct data_cutter *c, char byte)
{
    bool opens = c->begins || c->closed; /* a doubled quote opens again */
    c->breaks += byte == '\n';
    c->begins = false;
    c->closed = c->quoted && byte == '"';
    if (c->quoted) {
        c->quoted = !c->closed;
        return false;
    }
    if (byte == '\n') {
        bool row = c->filled || c->lines;
        c->begins = true;
        c->filled = false;
        return row;
    }
    if (byte == '\r')
        return false;
    c->filled |= !(byte == ' ' && c->separator == ' ');
    c->begins = byte == c->separator;
    c->quoted = byte == '"' && opens && !c->lines && c->separator != '\t';
    return false;
}

/* Bytes that change nothing but that the line has some. */
static size_t plain_bytes(const struct data_cutter *c)
{
    const char *from = c->buffer + c->used;
    size_t left = c->have - c->used;
    const char *end;
    if (c->quoted) {
        end = memchr(from, '"', left);
        return end ? (size_t)(end - from) : left;
    }
    end = memchr(from, '\n', left);
    size_t line = end ? (size_t)(end - from) : left;
    if (c->lines || c->separator == '\t')
        return line;
    const char *quote = memchr(from, '"', line);
    return quote ? (size_t)(quote - from) : line;
}

static void skip(struct data_cutter *c, size_t count)
{
    const char *from = c->buffer + c->used;
    if (!count)
        return;
    if (!c->quoted) {
        for (size_t i = 0; i < count && !c->filled; i++)
            c->filled =
                from[i] != '\r' && !(from[i] == ' ' && c->separator == ' ');
        c->begins = from[count - 1] == c->separator;
        c->closed = false;
    }
    for (const char *at = from; c->quoted; at++, c->breaks++) {
        at = memchr(at, '\n', (size_t)(from + count - at));
        if (!at)
            break;
    }
    c->used += count;
    c->stands += count;
}

/* Behind the next row; 0: there is none, -1 with errno. */
static int next_row(struct data_cutter *c)
{
    int got;
    while ((got = fill(c)) > 0) {
        skip(c, plain_bytes(c));
        if (c->used == c->have)
            continue;
        char byte = c->buffer[c->used++];
        c->stands++;
        if (step(c, byte))
            return 1;
    }
    if (got < 0 || !c->filled)
        return got;
    c->filled = false;
    return 1;
}

static int cut_text(struct data_cutter *c, uint64_t most, struct data_cut *to,
                    struct err *err)
{
    int got = 1;
    while (to->rows < most && (got = next_row(c)) > 0)
        to->rows++;
    if (got < 0)
        return err_errno(err, "read %s", c->path);
    /* What is left behind the last row are empty lines. */
    to->bytes = c->stands - c->at;
    hash_buffer(c);
    return to->rows > 0;
}

/* ---- stretches ----------------------------------------------------------- */

int data_cut_next(struct data_cutter *c, uint64_t most, struct data_cut *to,
                  struct err *err)
{
    *to = (struct data_cut){.form = c->form,
                            .head = c->head,
                            .from = c->at,
                            .first = c->row,
                            .header = c->header,
                            .lines = c->breaks};
    int got;
    if (c->hash)
        hash_pieces_add(c->hash, str_n(c->head_bytes, (size_t)c->head));
    if (c->form == DATA_TEXT) {
        got = cut_text(c, most, to, err);
    } else {
        uint64_t left = c->rows - c->row;
        to->rows = c->form == DATA_WHOLE || left < most ? left : most;
        to->bytes = c->form == DATA_WHOLE ? c->size : to->rows * c->row_bytes;
        got = to->rows > 0;
        if (c->hash && hash_bytes(c->hash, c->fd, to->from, to->bytes))
            got = err_errno(err, "read %s", c->path);
    }
    if (got <= 0)
        return got;
    if (c->hash)
        to->hash = end_hash(c->hash);
    c->at += to->bytes;
    c->row += to->rows;
    return 1;
}

/* ---- a stretch as a file of its own ---------------------------------------
 */

static int copy(int fd, struct file_out *out, uint64_t from, uint64_t bytes,
                struct hash_pieces *hash, const char *path, struct err *err)
{
    char *buffer = malloc(COPY_BYTES);
    int rc = buffer ? 0 : err_set(err, ERR_LIMIT, "no memory to read %s", path);
    while (!rc && bytes) {
        size_t some = bytes < COPY_BYTES ? (size_t)bytes : COPY_BYTES, got;
        if (read_at(fd, buffer, some, from, &got))
            rc = err_errno(err, "read %s", path);
        else if (got < some)
            rc =
                err_set(err, ERR_MISSING,
                        "%s is shorter than when it was cut into shards", path);
        else
            rc = file_add(out, str_n(buffer, some), err);
        if (!rc)
            hash_pieces_add(hash, str_n(buffer, some));
        from += some;
        bytes -= some;
    }
    free(buffer);
    return rc;
}

/* The header of an npy file with another number of rows. */
static int npy_head(int fd, const struct data_cut *cut,
                    struct hash_pieces *hash, const char *path, struct buf *b,
                    struct err *err)
{
    size_t got;
    char *head = calloc(1, cut->head + 1);
    int rc = head ? 0 : err_set(err, ERR_LIMIT, "no memory to read %s", path);
    if (!rc && (read_at(fd, head, cut->head, 0, &got) || got < cut->head))
        rc = err_errno(err, "read %s", path);
    if (!rc)
        rc = data_npy_head(b, str_n(head, cut->head), cut->rows, path, err);
    if (!rc)
        hash_pieces_add(hash, str_n(head, cut->head));
    free(head);
    return rc;
}

static int say_changed(const char *path, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "%s has changed since its rows were cut into shards: put "
                   "it back as it was, with its time, or ask for its rows "
                   "anew, in a study of another name (--new NAME)",
                   path);
}

/* Stretches are bytes: in a file that was edited they are others' rows. */
static int check(const struct stat *st, const struct data_cut *cut,
                 const char *path, struct err *err)
{
    int64_t changed_ns =
        (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
    if (!cut->changed_ns ||
        ((uint64_t)st->st_size == cut->size && changed_ns == cut->changed_ns))
        return 0;
    return say_changed(path, err);
}

static int check_open(int fd, const struct data_cut *cut, const char *path,
                      struct err *err)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_errno(err, "read %s", path);
    return check(&st, cut, path, err);
}

/* Another file may have the size, and a time that somebody gave it. */
static int check_hash(struct hash_pieces *hash, const struct data_cut *cut,
                      const char *path, struct err *err)
{
    uint64_t now = end_hash(hash);
    return cut->hash && now != cut->hash ? say_changed(path, err) : 0;
}

static int check_bytes(int fd, const struct data_cut *cut, const char *path,
                       struct err *err)
{
    if (!cut->hash)
        return 0;
    struct hash_pieces *hash = hash_pieces_new();
    int rc = hash_bytes(hash, fd, 0, cut->head) ||
                     hash_bytes(hash, fd, cut->from, cut->bytes)
                 ? err_errno(err, "read %s", path)
                 : check_hash(hash, cut, path, err);
    hash_pieces_free(hash);
    return rc;
}

int data_cut_check(const char *path, const struct data_cut *cut,
                   struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(err, "read %s", path);
    int rc = check_open(fd, cut, path, err);
    if (!rc)
        rc = check_bytes(fd, cut, path, err);
    close(fd);
    return rc;
}

/* What is copied is what was hashed: nobody can change it in between. */
static int copy_cut(int fd, const struct data_cut *cut, struct file_out *out,
                    const char *path, struct err *err)
{
    struct hash_pieces *hash = hash_pieces_new();
    struct buf head;
    int rc = 0;
    buf_init(&head);
    if (cut->form == DATA_NPY)
        rc = npy_head(fd, cut, hash, path, &head, err);
    if (!rc && cut->form == DATA_NPY)
        rc = file_add(out, buf_str(&head), err);
    if (!rc && cut->form == DATA_TEXT)
        rc = copy(fd, out, 0, cut->head, hash, path, err);
    if (!rc)
        rc = copy(fd, out, cut->from, cut->bytes, hash, path, err);
    if (!rc)
        rc = check_hash(hash, cut, path, err);
    buf_done(&head);
    hash_pieces_free(hash);
    return rc;
}

int data_cut_write(const char *path, const struct data_cut *cut, const char *to,
                   struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(err, "read %s", path);
    int rc = check_open(fd, cut, path, err);
    struct file_out *out = rc ? NULL : file_begin(to, err);
    rc = out ? copy_cut(fd, cut, out, path, err) : -1;
    if (!rc)
        rc = check_open(fd, cut, path, err);
    if (rc)
        file_drop(out);
    else
        rc = file_end(out, false, err);
    close(fd);
    return rc;
}
