/* device_silence.c - that a GPU did not say in time how fast it is
 *
 * A driver that hangs costs whoever asks a minute. So it is kept in the
 * person's cache when that was, and of what: of the same workers, machine and
 * GPUs, as the paces are, of the same driver, and since the machine was started
 * last. It counts for a day. */
#include <unistd.h>
#include "base/num.h"
#include "study/devices.h"

#define DAY_S 86400.0
#define NOTE_MAX 8192

/* What a file of the kernel says in its first line, which asks no driver; "-":
 * nothing. */
static void add_line_of(struct buf *b, const char *path)
{
    struct buf text;
    struct str rest, line;
    buf_init(&text);
    file_read(path, NOTE_MAX, &text, NULL);
    rest = buf_str(&text);
    str_split(&rest, '\n', &line);
    buf_addf(b, " %.*s", line.len ? (int)line.len : 1, line.len ? line.p : "-");
    buf_done(&text);
}

static void print_conditions(struct buf *b, struct str stamp)
{
    buf_adds(b, "throng-silence 1");
    add_line_of(b, "/sys/module/nvidia/version");
    add_line_of(b, "/proc/sys/kernel/random/boot_id");
    buf_addc(b, '\n');
    buf_addstr(b, stamp);
}

static const char *kept_at(const char *paces, struct arena *a)
{
    return paces ? arena_printf(a, "%s-silence", paces) : NULL;
}

static bool parse(struct str text, struct str conditions, double *when)
{
    struct str line;
    double now = clock_wall();
    if (!str_starts(text, conditions))
        return false;
    text = str_n(text.p + conditions.len, text.len - conditions.len);
    return str_split(&text, '\n', &line) && num_double(line, when) &&
           *when <= now && now < *when + DAY_S;
}

bool device_silence_known(const char *paces, struct str stamp, double *when)
{
    struct arena *a = arena_new();
    const char *path = kept_at(paces, a);
    struct buf conditions, text;
    buf_init(&conditions);
    buf_init(&text);
    print_conditions(&conditions, stamp);
    bool known = path && file_read(path, NOTE_MAX, &text, NULL) == 0 &&
                 parse(buf_str(&text), buf_str(&conditions), when);
    buf_done(&conditions);
    buf_done(&text);
    arena_free(a);
    return known;
}

void device_silence_note(const char *paces, struct str stamp, double when)
{
    struct arena *a = arena_new();
    const char *path = kept_at(paces, a);
    struct buf b;
    buf_init(&b);
    print_conditions(&b, stamp);
    num_print(&b, when);
    buf_addc(&b, '\n');
    if (path)
        file_write(path, buf_str(&b), false, NULL);
    buf_done(&b);
    arena_free(a);
}

void device_silence_forget(const char *paces)
{
    struct arena *a = arena_new();
    const char *path = kept_at(paces, a);
    if (path)
        unlink(path);
    arena_free(a);
}
