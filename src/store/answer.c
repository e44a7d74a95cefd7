/* answer.c - how a request went, for the one who waits
 *
 * An answer is a file in <folder>/requests/answers that has the name of its
 * request, put there before the request goes: a request that is gone has been
 * answered. Who asked takes the answer away; what nobody came for is swept
 * after an hour. */
#include <sys/stat.h>
#include <unistd.h>
#include "base/json.h"
#include "store/db.h"

#define ANSWER_BYTES_MAX (1u << 16)
#define UNCLAIMED_SECONDS 3600

static char *answer_path(struct arena *a, const char *folder, const char *file)
{
    return path_join(a, path_join(a, folder, "requests/answers"), file);
}

void store_answer_print(struct buf *b, const struct request_answer *answer)
{
    if (answer->fault.kind == ERR_NONE) {
        buf_addf(b,
                 "{\"changed\":%lld,\"wished\":%lld,\"first\":%lld,"
                 "\"running\":%s}",
                 (long long)answer->changed, (long long)answer->wished,
                 (long long)answer->first, answer->running ? "true" : "false");
        return;
    }
    buf_addf(b, "{\"refused\":%d,\"why\":", (int)answer->fault.kind);
    json_string(b, str_of(answer->fault.text));
    buf_addc(b, '}');
}

static int64_t whole(const struct value *v, struct str key)
{
    const struct value *number = value_get(v, key);
    return number && number->kind == VALUE_INT ? number->i : 0;
}

static int parse(struct str text, const char *path, struct arena *a,
                 struct request_answer *answer, struct err *err)
{
    const struct value *v = json_parse(a, text, path, true, err);
    if (!v)
        return -1;
    const struct value *running = value_get(v, STR("running"));
    *answer = (struct request_answer){
        .changed = whole(v, STR("changed")),
        .wished = whole(v, STR("wished")),
        .first = whole(v, STR("first")),
        .running = running && running->kind == VALUE_BOOL && running->boolean,
    };
    int64_t kind = whole(v, STR("refused"));
    if (kind <= ERR_NONE)
        return 0;
    if (kind > ERR_LIMIT)
        kind = ERR_SYSTEM;
    struct str why = value_text(value_get(v, STR("why")));
    err_set(&answer->fault, (enum err_kind)kind, "%.*s", STRF(why));
    return 0;
}

int store_answer_put(const struct store *s, const char *file, struct str text,
                     struct err *err)
{
    struct arena *a = arena_new();
    char *answers = path_join(a, s->folder, "requests/answers");
    int rc = dir_make_below(s->folder, answers, err);
    if (!rc)
        rc = file_write(answer_path(a, s->folder, file), text, false, err);
    arena_free(a);
    return rc;
}

int store_answer_take(const char *folder, const char *file,
                      struct request_answer *answer, struct err *err)
{
    struct arena *a = arena_new();
    char *path = answer_path(a, folder, file);
    struct err why = {0};
    struct buf b;
    int got = 1;
    buf_init(&b);
    if (file_read(path, ANSWER_BYTES_MAX, &b, &why))
        got = why.kind == ERR_MISSING ? 0
                                      : err_set(err, why.kind, "%s", why.text);
    else if (parse(buf_str(&b), path, a, answer, err))
        got = -1;
    else
        unlink(path);
    buf_done(&b);
    arena_free(a);
    return got;
}

/* ---- what nobody came for --------------------------------------------- */

static bool is_unclaimed(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           clock_wall() - (double)st.st_mtime > UNCLAIMED_SECONDS;
}

void store_answers_sweep(const struct store *s)
{
    struct arena *a = arena_new();
    char *folder = path_join(a, s->folder, "requests/answers");
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names; names++) {
        char *path = path_join(a, folder, *names);
        if (is_unclaimed(path))
            unlink(path);
    }
    arena_free(a);
}
