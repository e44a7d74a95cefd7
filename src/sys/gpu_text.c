/* gpu_text.c - GPUs described in words: name:capability:memory, … of those that
 * a person describes; of those that a program lists a line each, "UUID
 * CAPABILITY BYTES NUMBER NAME" */
#include "sys/gpu.h"

#include <limits.h>
#include <stdio.h>
#include "base/num.h"

static bool parse_capability(struct str text, struct gpu *g)
{
    struct str major;
    uint64_t a, b = 0;
    if (!str_split(&text, '.', &major) || !num_uint(major, &a) || a > 999)
        return false;
    if (text.p && (!num_uint(text, &b) || b > 999))
        return false;
    g->capability_major = (int)a;
    g->capability_minor = (int)b;
    return true;
}

/* What is wrong with one description, or NULL. */
static const char *parse_one(struct str text, struct gpu *g)
{
    struct str name, capability;
    if (!str_split(&text, ':', &name) || !str_split(&text, ':', &capability) ||
        !text.p)
        return "a part is missing";
    name = str_trim(name);
    if (name.len == 0)
        return "the name is empty";
    if (name.len >= sizeof(g->name))
        return "the name is too long";
    if (!parse_capability(str_trim(capability), g))
        return "the capability is not a number such as 8.0";
    if (!num_bytes(str_trim(text), &g->memory_bytes) || !g->memory_bytes)
        return "the memory is not a size such as 40G";
    memcpy(g->name, name.p, name.len);
    return NULL;
}

int gpu_parse(const char *text, struct arena *a, struct gpu_list *list,
              struct err *err)
{
    struct str rest = str_of(text), one;
    size_t count = 0;
    if (str_trim(rest).len == 0) {
        *list = (struct gpu_list){0};
        return 0;
    }
    while (str_split(&rest, ',', &one))
        count++;
    struct gpu *gpus = arena_array(a, count, sizeof(*gpus));
    rest = str_of(text);
    for (size_t i = 0; str_split(&rest, ',', &one); i++) {
        const char *why = parse_one(one, &gpus[i]);
        if (why)
            return err_set(err, ERR_INPUT,
                           "GPU %zu of \"%s\": %s; expected "
                           "name:capability:memory, as in a100:8.0:40G",
                           i + 1, text, why);
        snprintf(gpus[i].uuid, sizeof(gpus[i].uuid), "%zu", i);
        gpus[i].number = (unsigned)i;
    }
    *list = (struct gpu_list){.gpus = gpus, .count = count};
    return 0;
}

void gpus_print(struct buf *b, const struct gpu *gpus, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct gpu *g = &gpus[i];
        buf_addf(b, "%s %d.%d %llu %u %s\n", g->uuid, g->capability_major,
                 g->capability_minor, (unsigned long long)g->memory_bytes,
                 g->number, g->name);
    }
}

static bool read_one(struct str line, struct gpu *g)
{
    struct str uuid, capability, bytes, number;
    uint64_t n;
    if (!str_split(&line, ' ', &uuid) || !str_split(&line, ' ', &capability) ||
        !str_split(&line, ' ', &bytes) || !str_split(&line, ' ', &number) ||
        !line.p || !num_uint(number, &n) || n > UINT_MAX ||
        uuid.len >= sizeof(g->uuid) || line.len >= sizeof(g->name) ||
        !parse_capability(capability, g) || !num_uint(bytes, &g->memory_bytes))
        return false;
    g->number = (unsigned)n;
    memcpy(g->uuid, uuid.p, uuid.len);
    memcpy(g->name, line.p, line.len);
    return true;
}

bool gpus_read(struct str text, struct arena *a, struct gpu_list *list)
{
    struct str rest = text, line;
    size_t lines = 0, used = 0;
    while (str_split(&rest, '\n', &line))
        lines++;
    struct gpu *gpus = arena_array(a, lines + 1, sizeof(*gpus));
    for (; str_split(&text, '\n', &line) && text.p; used++)
        if (!read_one(line, &gpus[used]))
            return false;
    *list = (struct gpu_list){.gpus = gpus, .count = used};
    return true;
}
