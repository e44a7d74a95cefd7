/* device_choices.c - which devices `auto` has chosen, and what became of them
 */
#include "terms/device_cost.h"
#include "view/view.h"

/* Of several keys the one of the most trials speaks for its device; what is
 * said of all, which comes first, speaks alone. */
struct device_tally {
    size_t keys[DEVICE_COUNT];
    size_t all;
    bool of_all;
    struct device_choice largest;
};

static void add_choice(void *context, struct str key, struct str text)
{
    struct device_tally *t = context;
    struct device_choice c;
    if (!device_choice_parse(text, &c))
        return;
    if (str_is(key, STORE_DEVICE_OF_ALL))
        *t = (struct device_tally){.of_all = true};
    else if (t->of_all)
        return;
    t->keys[c.device - devices]++;
    if (!t->all++ || c.work.trials > t->largest.work.trials)
        t->largest = c;
}

int device_choices_words(struct buf *b, struct store *store, struct err *err)
{
    struct device_tally t = {0};
    if (store_facts(store, STORE_DEVICE_FACT, add_choice, &t, err))
        return -1;
    if (!t.all)
        return 0;
    buf_adds(b, "auto chose ");
    for (size_t i = 0, said = 0; t.all > 1 && i < DEVICE_COUNT; i++)
        if (t.keys[i])
            buf_addf(b, "%s%s for %zu kind%s of models", said++ ? ", " : "",
                     devices[i].name, t.keys[i], t.keys[i] == 1 ? "" : "s");
    if (t.all > 1)
        buf_adds(b, "; of the most frequent ");
    device_choice_words(b, &t.largest);
    return 0;
}

bool device_choice_words_of(struct buf *b, struct store *store, uint64_t key,
                            struct str device)
{
    struct arena *a = arena_new();
    struct device_choice c;
    struct str text = {0};
    const char *name =
        arena_printf(a, STORE_DEVICE_FACT "%016llx", (unsigned long long)key);
    bool known = !store_fact(store, name, a, &text, NULL) && text.p &&
                 device_choice_parse(text, &c) &&
                 (!device.len || str_is(device, c.device->name));
    if (known) {
        buf_adds(b, "auto chose ");
        device_choice_words(b, &c);
    }
    arena_free(a);
    return known;
}
