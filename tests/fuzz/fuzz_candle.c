/* fuzz_candle.c - any bytes as a CANDLE parameter file
 *
 * Three parts, each ended by a byte 0x01: a model file, one file that stands
 * for every other (config_file, definitions), words of a command line, one a
 * line. What is taken must be printed so that it is read again. */
#include "base/json.h"
#include "candle/candle.h"
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MAX 32

struct parts {
    struct str model, other, words;
};

static int read_part(void *context, const char *path, struct str *text,
                     struct err *err)
{
    const struct parts *p = context;

    (void)err;
    *text = strcmp(path, "model.txt") ? p->other : p->model;
    return 0;
}

static size_t split(struct arena *a, struct str text, const char **words)
{
    struct str word;
    size_t n = 0;

    while (n < WORDS_MAX && str_split(&text, '\n', &word))
        words[n++] = arena_cstr(a, word);
    return n;
}

/* A file that was read is printed, and then gives the same again. */
static void check_file(struct arena *a, struct str text)
{
    struct problems problems;
    struct value *v, *again;
    struct buf b;

    problems_init(&problems, a);
    v = candle_file(text, "model.txt", a, &problems);
    require((v == NULL) == (problems.errors > 0));
    buf_init(&b);
    for (size_t i = 0; v && i < v->count; i++) {
        struct value *item = v->items[i];
        buf_reset(&b);
        json_print(&b, item);
        again = json_parse(a, buf_str(&b), "again", true, NULL);
        require(again && value_eq(again, item));
        buf_reset(&b);
        value_python_repr(&b, item);
        again = candle_literal(buf_str(&b), a, NULL);
        require(!again || value_eq(again, item));
    }
    buf_done(&b);
}

static void check_params(struct arena *a, const struct candle_request *q,
                         struct parts *parts)
{
    struct file_reader reader = {parts, read_part};
    struct problems problems;
    struct value *v;
    struct buf b;

    problems_init(&problems, a);
    v = candle_params(q, &reader, a, &problems);
    require((v == NULL) == (problems.errors > 0));
    buf_init(&b);
    if (v) {
        candle_print(&b, v);
        json_print_sorted(&b, v);
    }
    problems_print(&b, &problems);
    buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new();
    struct str rest = str_n((const char *)data, size);
    struct parts parts = {0};
    const char *words[WORDS_MAX];
    struct candle_request q = {.model_file = "model.txt", .words = words};

    str_split(&rest, 1, &parts.model);
    str_split(&rest, 1, &parts.other);
    str_split(&rest, 1, &parts.words);
    check_file(a, parts.model);
    if (parts.other.p) { /* the table of keywords takes its time */
        q.word_count = split(a, parts.words, words);
        q.definitions = size & 1 ? "definitions.yaml" : NULL;
        q.yaml = plan_yaml;
        check_params(a, &q, &parts);
    }
    arena_free(a);
    return 0;
}
