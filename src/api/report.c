/* report.c - `throng report`: metric values from the command line */
#include "api/api.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* True after a line of which only a part could be written: whatever comes next
 * must not be taken for its rest. Who cannot be read ends as it likes. */
static bool ends_torn(int fd)
{
    struct stat st;
    char last;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
           pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n';
}

int api_append(int fd, const struct metric_line *line, struct err *err)
{
    struct buf text;
    buf_init(&text);
    if (ends_torn(fd))
        buf_addc(&text, '\n');
    metric_line_print(&text, line);
    ssize_t n = write(fd, text.p, text.len);
    bool whole = n == (ssize_t)text.len;
    if (n >= 0 && !whole)
        errno = ENOSPC;
    int result = whole ? 0 : err_errno(err, "write the metrics");
    buf_done(&text);
    return result;
}

/* The shell took the quotes off `"odd name"=1`; a name with blanks gets them
 * back. */
static void add_word(struct buf *b, const char *word)
{
    const char *equals = strrchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : 0;
    bool odd = word[0] != '"' && memchr(word, ' ', len);
    if (b->len > 0)
        buf_addc(b, ' ');
    if (odd)
        buf_addc(b, '"');
    buf_add(b, word, len);
    if (odd)
        buf_addc(b, '"');
    buf_adds(b, word + len);
}

static int append_to(const char *path, const struct metric_line *line,
                     struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_errno(err, "open %s", path);
    int result = api_append(fd, line, err);
    close(fd);
    return result;
}

int api_report(const struct api_report *r, struct buf *out, bool *stop,
               struct err *err)
{
    struct metric_line line;
    struct buf words;
    int result = -1;
    buf_init(&words);
    metric_line_init(&line);
    for (size_t i = 0; i < r->count; i++)
        add_word(&words, r->words[i]);
    if (metric_line_words(&line, buf_str(&words), err) != 0)
        goto out;
    if (line.count == 0) {
        err_set(err, ERR_USAGE, "give at least one value, as in loss=0.12");
        goto out;
    }
    if (!r->metrics)
        metric_line_print(out, &line);
    else if (append_to(r->metrics, &line, err) != 0)
        goto out;
    *stop = r->stop_file && access(r->stop_file, F_OK) == 0;
    result = 0;
out:
    metric_line_done(&line);
    buf_done(&words);
    return result;
}
