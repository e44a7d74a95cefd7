/* campaign_reads.c - the files that a stage reads and writes
 *
 * A stage reads the files that its study, and the model file of that, name: in
 * the command, among the values of a parameter, as data. A word that names a
 * file that is there is one. So nobody has to list what is plain to see;
 * `inputs:` adds what is not. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "study/campaign.h"
#include "study/shards.h"

struct reading_files {
    const struct campaign *campaign;
    const struct plan_stage *stage;
    const struct value *before; /* the record, or NULL */
    struct value *files;
    struct word_place place;
    struct arena *arena;
};

static bool is_output(const struct plan_stage *s, struct str word)
{
    for (size_t i = 0; i < s->output_count; i++)
        if (str_eq(s->outputs[i], word))
            return true;
    return false;
}

/* Programs of the system are not the study's. */
static bool counts(struct str word, const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return false;
    if (str_starts(word, STR(".throng/")))
        return false;
    return word.p[0] != '/' || !(st->st_mode & 0111);
}

static const char *hash_file(const char *path, struct arena *a)
{
    char hex[65];
    struct str text;
    if (file_map(path, &text, NULL))
        return "unreadable";
    sha256_hex(text, hex);
    file_unmap(text);
    return arena_cstr(a, str_of(hex));
}

static struct value *describe(const char *path, const struct stat *st,
                              const struct value *before, struct arena *a)
{
    double changed =
        (double)st->st_mtim.tv_sec + 1e-9 * (double)st->st_mtim.tv_nsec;
    const struct value *bytes = value_get(before, STR("bytes"));
    const struct value *time = value_get(before, STR("changed"));
    struct value *o = value_object(a);
    bool same = bytes && bytes->kind == VALUE_INT &&
                bytes->i == (int64_t)st->st_size &&
                value_number(time) >= changed && value_number(time) <= changed;
    struct str hash = same ? record_text(before, "hash") : STR("");
    if (!hash.len)
        hash = str_of(hash_file(path, a));
    value_set(a, o, STR("hash"), value_string(a, hash));
    value_set(a, o, STR("bytes"), value_int(a, (int64_t)st->st_size));
    value_set(a, o, STR("changed"), value_double(a, changed));
    return o;
}

static void see_word(void *context, struct str word)
{
    struct reading_files *r = context;
    struct stat st;
    if (!word.len || word.len > 4000 || is_output(r->stage, word) ||
        value_get(r->files, word) ||
        value_get(value_get(r->before, STR("own")), word))
        return;
    const struct value *files = value_get(r->before, STR("files"));
    char *path = path_join(r->arena, r->campaign->setup.home,
                           arena_cstr(r->arena, word));
    if (stat(path, &st) || !counts(word, &st))
        return;
    value_set(r->arena, r->files, word,
              describe(path, &st, value_get(files, word), r->arena));
}

static void see_text(void *context, struct str text)
{
    const struct reading_files *r = context;
    plan_file_words(text, &r->place, see_word, context);
}

static void see_model(struct reading_files *r, const struct value *study)
{
    struct str name = value_text(value_get(study, STR("model"))), text;
    struct problems unheard;
    if (!name.len || !r->campaign->setup.reader->files.read ||
        r->campaign->setup.reader->files.read(
            r->campaign->setup.reader->files.context,
            arena_cstr(r->arena, name), &text, NULL))
        return;
    problems_init(&unheard, r->arena);
    const struct value *model = plan_yaml(text, "model", r->arena, &unheard);
    r->place.beside = name;
    r->place.defaults = value_get(model, STR("defaults"));
    plan_texts(model, see_text, r);
}

static void see_glob(void *context, struct str pattern)
{
    const struct reading_files *r = context;
    const char *glob = arena_cstr(r->arena, pattern);
    if (!strpbrk(glob, "*?["))
        return;
    const char **found = shards_glob(r->campaign->setup.home, glob, r->arena);
    for (size_t i = 0; found && found[i]; i++)
        see_word(context, str_of(found[i]));
}

struct value *stage_files(const struct campaign *c, const struct plan_stage *s,
                          const struct value *study, const struct value *before,
                          struct arena *a)
{
    struct reading_files r = {.campaign = c,
                              .stage = s,
                              .before = before,
                              .files = value_object(a),
                              .place = {.study = study},
                              .arena = a};
    plan_texts(study, see_text, &r);
    see_model(&r, study);
    plan_texts(value_get(value_get(study, STR("predict")), STR("data")),
               see_glob, &r);
    for (size_t i = 0; i < s->input_count; i++)
        see_word(&r, s->inputs[i]);
    return r.files;
}

/* Whether a file that was not there when a stage began is one that it made. Of
 * one whose end was seen those are known; but what another machine writes may
 * be seen later than it was written. It counts when it was put there, not what
 * time it has: a person's may be older. */
static bool is_made(const struct campaign *c, const struct value *record,
                    struct str name, struct arena *a)
{
    char *path = path_join(a, c->setup.home, arena_cstr(a, name));
    struct stat st;
    if (record_ran(record) == STAGE_RUNS)
        return true;
    if (stat(path, &st))
        return false;
    double put = (double)st.st_ctim.tv_sec + 1e-9 * (double)st.st_ctim.tv_nsec;
    return put >= value_number(value_get(record, STR("started"))) &&
           put <= value_number(value_get(record, STR("over")));
}

struct value *stage_own_files(const struct campaign *c,
                              const struct plan_stage *s,
                              const struct value *record, struct arena *a)
{
    const struct value *before = value_get(record, STR("files"));
    const struct value *own = value_get(record, STR("own"));
    const struct value *now =
        stage_files(c, s, value_get(record, STR("study")), record, a);
    struct value *o = own ? value_copy(a, own) : value_object(a);
    for (size_t i = 0; i < now->count; i++)
        if (!value_get(before, now->keys[i]) &&
            is_made(c, record, now->keys[i], a))
            value_set(a, o, now->keys[i], value_bool(a, true));
    return o;
}

struct value *stage_outputs(const struct campaign *c,
                            const struct plan_stage *s,
                            const struct value *before, struct arena *a)
{
    struct value *o = value_object(a);
    for (size_t i = 0; i < s->output_count; i++) {
        char *path = path_join(a, c->setup.home, arena_cstr(a, s->outputs[i]));
        struct stat st;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
            value_set(a, o, s->outputs[i],
                      describe(path, &st, value_get(before, s->outputs[i]), a));
    }
    return o;
}

const char *stage_missing_output(const struct campaign *c,
                                 const struct plan_stage *s, struct arena *a)
{
    for (size_t i = 0; i < s->output_count; i++) {
        char *name = arena_cstr(a, s->outputs[i]);
        if (!file_exists(path_join(a, c->setup.home, name)))
            return name;
    }
    return NULL;
}
