/* model_command.c - a trial of built-in training as a `throng train` */
#include "view/view.h"

#include "base/json.h"

#define FIXED_WORDS                                                            \
    9 /* throng train FILE --seed N --budget N --device NAME                   \
       */

/* True when `lr=0.1` is read again as the value that it came from. */
static bool reads_back(const char *word, struct str name, const struct value *v,
                       struct arena *a)
{
    const struct value *read = parse_assignments(word, a, NULL);
    const struct value *same = read ? value_get(read, name) : NULL;
    return same && read->count == 1 && value_eq(same, v);
}

/* Texts stand bare where that says the same, so that a person can read it. */
static struct str assignment(struct str name, const struct value *v,
                             struct arena *a)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "%.*s=", STRF(name));
    if (v->kind == VALUE_STRING)
        buf_addstr(&b, v->s);
    if (v->kind != VALUE_STRING || !reads_back(b.p, name, v, a)) {
        buf_reset(&b);
        buf_addf(&b, "%.*s=", STRF(name));
        json_print(&b, v);
    }
    struct str word = arena_str(a, buf_str(&b));
    buf_done(&b);
    return word;
}

void model_command(const struct plan *p, const struct value *point,
                   struct str device, uint64_t seed, int64_t budget,
                   struct arena *a, const struct arg **argv, size_t *argc)
{
    struct arg *w = arena_array(a, point->count + FIXED_WORDS, sizeof(*w));
    size_t n = 0;
    w[n++] = (struct arg){ARG_TEXT, STR("throng")};
    w[n++] = (struct arg){ARG_TEXT, STR("train")};
    w[n++] = (struct arg){ARG_TEXT, p->model};
    for (size_t i = 0; i < point->count; i++)
        w[n++] = (struct arg){ARG_TEXT,
                              assignment(point->keys[i], point->items[i], a)};
    /* A seed in the model file goes before the trial's. */
    if (!plan_model_seeded(p)) {
        w[n++] = (struct arg){ARG_TEXT, STR("--seed")};
        w[n++] = (struct arg){
            ARG_TEXT,
            str_of(arena_printf(a, "%llu", (unsigned long long)seed))};
    }
    if (budget > 0) {
        w[n++] = (struct arg){ARG_TEXT, STR("--budget")};
        w[n++] = (struct arg){
            ARG_TEXT, str_of(arena_printf(a, "%lld", (long long)budget))};
    }
    if (device.len && !str_is(device, "auto")) {
        w[n++] = (struct arg){ARG_TEXT, STR("--device")};
        w[n++] = (struct arg){ARG_TEXT, device};
    }
    *argv = w;
    *argc = n;
}
