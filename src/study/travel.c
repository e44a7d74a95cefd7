/* travel.c - what of a study goes to machines that see nothing of this one
 *
 * Its program or script, its model file with the data beside it, its `inputs`,
 * and with `code:` all of the frozen code. They keep their places: what is
 * called data/a.csv here is so there. What else a command mentions stays here,
 * and is named before anything runs. */
#include "study/conductor.h"

#include <sys/stat.h>
#include <unistd.h>
#include "base/chars.h"
#include "data/data.h"
#include "study/checks.h"
#include "study/git.h"
#include "study/named_file.h"

#define DEPTH_MAX 100

struct travel {
    const struct plan *plan;
    struct arena *arena;
    const char *home;   /* the study file's folder */
    const char *root;   /* what tasks run from … */
    const char *inside; /* … and where home is in it; "": it is it */
    const char *frozen; /* where the files of frozen code are; NULL: it is not
                           frozen */
    VEC(const char *) names;
};

/* ---- the words of a command
 * -------------------------------------------------- */

typedef void word_fn(void *context, struct str word, bool started);

/* Where the reader of a command is. */
struct reading_words {
    word_fn *fn;
    void *context;
    bool program, script; /* the next word may be one */
};

static bool is_assignment(struct str word)
{
    long at = str_find(word, '=');
    return at > 0 && str_find(str_n(word.p, (size_t)at), '/') < 0;
}

static void take_word(struct reading_words *r, struct str word)
{
    bool option = word.p[0] == '-';
    if (r->program && (is_assignment(word) || str_is(word, "env") ||
                       str_is(word, "/usr/bin/env") || str_is(word, "exec")))
        return;
    if (r->program) {
        r->script = plan_takes_script(word);
        r->program = false;
        r->fn(r->context, word, true);
        return;
    }
    bool starts = r->script && !option;
    if (starts || str_is(word, "-m") || str_is(word, "-c"))
        r->script = false;
    r->fn(r->context, word, starts);
}

/* Words of a line for a shell, as far as they can be told apart. */
static void take_line(struct reading_words *r, struct str line)
{
    size_t at = 0;
    r->program = true;
    while (at < line.len) {
        size_t from = at;
        while (at < line.len && !memchr(" \t\n|;&<>()'\"`", line.p[at], 13))
            at++;
        if (at > from)
            take_word(r, str_n(line.p + from, at - from));
        if (at < line.len && memchr("|;&(`\n", line.p[at], 6))
            r->program = true;
        at++;
    }
}

static void take_part(struct reading_words *r, const struct plan *p,
                      const struct command_part *part)
{
    switch (part->kind) {
    case COMMAND_TEXT:
        if (part->text.len)
            take_word(r, part->text);
        break;
    case COMMAND_SHELL:
    case COMMAND_CODE:
        take_line(r, part->text);
        break;
    case COMMAND_PROGRAM:
        if (p->program.len)
            r->fn(r->context, p->program, true);
        r->program = r->script = false;
        break;
    case COMMAND_INTERPRETER:
        r->program = false;
        r->script = true;
        break;
    default:
        break;
    }
}

static void each_word(const struct plan *p, word_fn *fn, void *context)
{
    struct reading_words r = {fn, context, true, false};
    for (size_t i = 0; i < p->command_count; i++)
        take_part(&r, p, &p->command[i]);
    if (!p->command_count && p->program.len)
        fn(context, p->program, true);
}

/* ---- names
 * ---------------------------------------------------------------------- */

static bool is_url(struct str path)
{
    return memmem(path.p, path.len, "://", 3) != NULL;
}

static bool is_plain(struct str word)
{
    return word.len && str_find(word, '{') < 0 && str_find(word, '$') < 0;
}

static bool is_relative(struct str path)
{
    return path.len && path.p[0] != '/' && path.p[0] != '~';
}

static bool lies_below(const char *name, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(name, folder, len) == 0 &&
           (name[len] == '/' || name[len] == 0);
}

static bool goes(const struct travel *t, const char *name)
{
    for (size_t i = 0; i < t->names.len; i++)
        if (lies_below(name, t->names.p[i]))
            return true;
    return false;
}

/* A name without "." and, where the text can tell, without "..": HTCondor holds
 * a job that brings a name with one. Those it begins with lead out. Folders
 * that travel are no links, so that ".." leads back from them. */
static const char *settled(struct arena *a, const char *name)
{
    VEC(struct str) parts = {0};
    struct str rest = str_of(name), part;
    struct buf b;
    while (rest.len && str_split(&rest, '/', &part)) {
        bool up = str_is(part, "..");
        if (up && parts.len && !str_is(parts.p[parts.len - 1], ".."))
            parts.len--;
        else if (part.len && !str_is(part, "."))
            vec_push(&parts, part);
    }
    buf_init(&b);
    for (size_t i = 0; i < parts.len; i++)
        buf_addf(&b, "%s%.*s", i ? "/" : "", STRF(parts.p[i]));
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    vec_done(&parts);
    return text;
}

/* Of a settled name. */
static bool leads_out(const char *name)
{
    return lies_below(name, "..");
}

static void add(struct travel *t, const char *name)
{
    if (*name && !goes(t, name))
        vec_push(&t->names, name);
}

static void add_here(struct travel *t, const char *name);

/* All of the study's folder but what throng and git keep there. */
static void add_home(struct travel *t)
{
    const char **names = dir_list(t->home, t->arena, NULL);
    for (; names && *names; names++)
        if (strcmp(*names, ".throng") != 0 && strcmp(*names, ".git") != 0)
            add_here(t, *names);
}

/* By its name in the study's folder. A folder below another one goes file by
 * file: only so its place is kept. */
static void add_here(struct travel *t, const char *name)
{
    struct arena *a = t->arena;
    name = settled(a, name);
    if (!*name) {
        add_home(t);
        return;
    }
    if (file_is_dir(path_join(a, t->home, name)) && strchr(name, '/')) {
        /* Its name is no pattern, and may be a link. */
        const char **files =
            dir_glob(path_join(a, t->home, name), "**", a, NULL);
        for (; files && *files; files++)
            add_here(t, path_join(a, name, *files));
        return;
    }
    add(t, *t->inside ? settled(a, path_join(a, t->inside, name)) : name);
}

static void add_file(struct travel *t, struct str name)
{
    if (is_plain(name) && is_relative(name) && !plan_makes(t->plan, name) &&
        file_exists(path_join(t->arena, t->home, arena_cstr(t->arena, name))))
        add_here(t, arena_cstr(t->arena, name));
}

static void add_started(void *context, struct str word, bool started)
{
    if (started)
        add_file(context, word);
}

/* ---- the model's data
 * -------------------------------------------------------------- */

typedef void data_fn(void *context, const struct value *v);

static void each_text(const struct value *v, data_fn *fn, void *context)
{
    if (!v)
        return;
    if (v->kind == VALUE_STRING)
        fn(context, v);
    for (size_t i = 0;
         (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT) && i < v->count;
         i++)
        each_text(v->items[i], fn, context);
}

/* Seen from the model file. */
static const char *beside_model(const struct travel *t, struct str name)
{
    struct arena *a = t->arena;
    const char *folder = path_folder(a, arena_cstr(a, t->plan->model));
    return path_join(a, folder, arena_cstr(a, name));
}

/* Of an array in a file the whole file goes. */
static void add_data(void *context, const struct value *v)
{
    struct travel *t = context;
    if (!is_plain(v->s) || !is_relative(v->s))
        return;
    const char *name = settled(t->arena, beside_model(t, v->s));
    struct str file = named_file(t->arena, t->home, name);
    if (file.len)
        add_file(t, file);
}

/* ---- inputs
 * ------------------------------------------------------------------------- */

/* How many files or folders it names. */
static size_t add_input(struct travel *t, struct str path)
{
    struct arena *a = t->arena;
    const char *name = arena_cstr(a, path);
    size_t before = t->names.len;
    if (is_url(path)) {
        vec_push(&t->names, name);
        return 1;
    }
    if (!is_relative(path))
        return 0;
    if (file_exists(path_join(a, t->home, name))) {
        add_here(t, name);
        return 1;
    }
    const char **files = dir_glob(t->home, name, a, NULL);
    size_t found = 0;
    for (; files && *files; files++, found++)
        add_here(t, *files);
    return found ? found : t->names.len - before;
}

/* ---- frozen code
 * --------------------------------------------------------------------- */

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Links lead to what is no code: it goes where `inputs` names it. */
static bool has_links(const char *folder, struct arena *a, unsigned depth)
{
    const char **names = dir_list(folder, a, NULL);
    for (; names && *names; names++) {
        const char *path = path_join(a, folder, *names);
        if (is_link(path) || depth == DEPTH_MAX ||
            (file_is_dir(path) && has_links(path, a, depth + 1)))
            return true;
    }
    return false;
}

static void add_code(struct travel *t, const char *below, unsigned depth)
{
    struct arena *a = t->arena;
    const char **names = dir_list(path_join(a, t->frozen, below), a, NULL);
    for (; names && *names && depth < DEPTH_MAX; names++) {
        const char *name = *below ? path_join(a, below, *names) : *names;
        const char *path = path_join(a, t->frozen, name);
        if (is_link(path))
            continue;
        if (file_is_dir(path) && (*below || has_links(path, a, 0)))
            add_code(t, name, depth + 1);
        else
            add(t, name);
    }
}

/* ---- all of it
 * ------------------------------------------------------------------------ */

static void gather(struct travel *t)
{
    const struct plan *p = t->plan;
    if (t->frozen)
        add_code(t, "", 0);
    each_word(p, add_started, t);
    if (p->model.len) {
        add_file(t, p->model);
        each_text(value_get(p->model_root, STR("data")), add_data, t);
    }
    for (size_t i = 0; i < p->input_count; i++)
        add_input(t, p->inputs[i].path);
}

/* Frozen code lies in `code` of the study's folder, and home somewhere in it.
 */
static void find_root(struct travel *t, const struct study *s)
{
    const char *code = path_join(t->arena, s->setup.folder, "code");
    t->root = t->home;
    t->inside = "";
    if (!s->code_home || !lies_below(s->code_home, code))
        return;
    size_t len = strlen(code);
    t->root = t->frozen = code;
    t->inside = s->code_home[len] ? s->code_home + len + 1 : "";
}

/* As the worker does it where it sees the rows (worker/rows.c). */
static int cut_shard(const struct task_shard *s, const char *to,
                     struct err *err)
{
    struct arena *a = arena_new();
    struct data_cut cut = {.form = (enum data_form)s->form,
                           .head = s->head,
                           .from = s->from,
                           .bytes = s->bytes,
                           .first = s->first,
                           .rows = s->count,
                           .header = s->header,
                           .size = s->size,
                           .changed_ns = s->changed_ns,
                           .hash = s->hash};
    int rc = data_cut_write(arena_cstr(a, s->file), &cut, to, err);
    arena_free(a);
    return rc;
}

void study_travel(struct study *s, const char *frozen)
{
    const struct plan *p = s->plan;
    struct travel t = {.plan = p, .arena = s->arena, .home = s->setup.home};
    find_root(&t, s);
    if (frozen)
        t.frozen = frozen;
    gather(&t);
    s->travel = (struct engine_travel){
        .home = t.home,
        .root = t.root,
        .inside = t.inside,
        .count = t.names.len,
        .container =
            p->container.len
                ? arena_cstr(s->arena, plan_container(p, t.home, s->arena))
                : "",
        .cut = cut_shard};
    s->travel.names = vec_to_arena(s->arena, &t.names);
}

/* ---- what is wrong with it
 * -------------------------------------------------------------- */

struct judging {
    struct travel travel;
    struct problems *problems;
};

static void say_at(const struct judging *j, enum problem_level level,
                   const char *key, const char *hint, const char *what)
{
    const struct plan *p = j->travel.plan;
    const struct value *at = value_get(p->root, str_of(key));
    problems_add(j->problems, level, p->file, at ? at->line : 0,
                 at ? at->column : 0, str_of(hint), "%s", what);
}

/* Where a machine has its own programs and devices; of what is temporary, what
 * is there already is this machine's. */
static bool is_everywhere(struct str path, struct arena *a)
{
    static const char *const places[] = {"/bin/", "/sbin/", "/usr/", "/lib",
                                         "/dev/", "/proc/", "/sys/", "/opt/",
                                         "/etc/", "/cvmfs/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (str_starts(path, str_of(places[i])))
            return true;
    return str_is(path, "/tmp") || (str_starts(path, STR("/tmp/")) &&
                                    !file_exists(arena_cstr(a, path)));
}

static void refuse_absolute(const struct judging *j, const char *key,
                            struct str path)
{
    say_at(j, PROBLEM_ERROR, key,
           "put it beside the study file and name it by a relative path, or "
           "give a URL (osdf://, https://)",
           arena_printf(j->travel.arena,
                        "%s: %.*s is a path of this machine, and machines of "
                        "the pool do not see it",
                        key, STRF(path)));
}

/* What goes lies in one folder there, and nothing is above that. */
static bool name_outside(const struct judging *j, enum problem_level level,
                         const char *key, const char *name)
{
    const struct travel *t = &j->travel;
    struct arena *a = t->arena;
    bool git = t->plan->code == CODE_GIT;
    if (!leads_out(settled(a, path_join(a, t->inside, name))))
        return false;
    say_at(
        j, level, key,
        git ? "put it below git's folder"
            : "put it below the study file's folder, or the study file above "
              "it",
        arena_printf(a,
                     "%s: %s lies outside of %s, and what goes to the machines "
                     "of the pool keeps its place in it",
                     key, name, git ? "git's folder" : "the study's folder"));
    return true;
}

/* "--data=rows.csv" mentions rows.csv. */
static void judge_word(void *context, struct str word, bool started)
{
    struct judging *j = context;
    struct travel *t = &j->travel;
    long eq = str_find(word, '=');
    if (eq > 0)
        word = str_n(word.p + eq + 1, word.len - (size_t)eq - 1);
    if (!is_plain(word) || is_url(word))
        return;
    const char *name = settled(t->arena, arena_cstr(t->arena, word));
    if (word.p[0] == '/') {
        if (!t->plan->container.len && !is_everywhere(word, t->arena) &&
            word.len > 1)
            refuse_absolute(j, "command", word);
        return;
    }
    if (!*name || plan_makes(t->plan, word) ||
        !file_exists(path_join(t->arena, t->home, name)) ||
        name_outside(j, started ? PROBLEM_ERROR : PROBLEM_WARNING, "command",
                     name) ||
        started || t->plan->code != CODE_LIVE || goes(t, name))
        return;
    say_at(j, PROBLEM_WARNING, "command", "add it to `inputs:`",
           arena_printf(t->arena,
                        "command: %s lies beside the study, and does not go "
                        "to the machines of the pool",
                        name));
}

static void judge_data(void *context, const struct value *v)
{
    const struct judging *j = context;
    if (v->s.len > 1 && v->s.p[0] == '/' &&
        !is_everywhere(v->s, j->travel.arena))
        refuse_absolute(j, "model", v->s);
    else if (is_plain(v->s) && is_relative(v->s)) {
        const char *name = beside_model(&j->travel, v->s);
        if (named_file(j->travel.arena, j->travel.home, name).len)
            name_outside(j, PROBLEM_ERROR, "model", name);
    }
}

static void judge_inputs(struct judging *j)
{
    const struct plan *p = j->travel.plan;
    const struct value *offsite = value_get(p->site.options, STR("offsite"));
    bool away = offsite && offsite->kind == VALUE_BOOL && offsite->boolean;
    for (size_t i = 0; i < p->input_count; i++) {
        struct str path = p->inputs[i].path;
        struct travel none = j->travel;
        none.names.p = NULL;
        none.names.len = none.names.cap = 0;
        if (p->inputs[i].site_bound && away)
            say_at(j, PROBLEM_ERROR, "inputs",
                   "use a profile without `offsite`, or another input",
                   arena_printf(none.arena,
                                "inputs: %.*s is bound to its site "
                                "(site_bound), and this profile's jobs leave "
                                "it (offsite)",
                                STRF(path)));
        if (path.len && path.p[0] == '/' && !is_url(path))
            refuse_absolute(j, "inputs", path);
        else if (!is_url(path) && name_outside(j, PROBLEM_ERROR, "inputs",
                                               arena_cstr(none.arena, path)))
            ;
        else if (path.len && !add_input(&none, path))
            say_at(j, PROBLEM_ERROR, "inputs",
                   "files are seen from the study file's folder",
                   arena_printf(none.arena, "inputs: there is no %.*s",
                                STRF(path)));
        vec_done(&none.names);
    }
}

static bool is_folder_link(const char *path)
{
    return is_link(path) && file_is_dir(path);
}

static const char *link_in(const char *folder, struct arena *a, unsigned depth)
{
    const char **names = dir_list(folder, a, NULL), *found = NULL;
    for (; !found && names && *names && depth < DEPTH_MAX; names++) {
        const char *path = path_join(a, folder, *names);
        if (is_folder_link(path))
            found = path;
        else if (file_is_dir(path))
            found = link_in(path, a, depth + 1);
    }
    return found;
}

/* A link to a folder that is the thing, or above or in it; NULL: none is. */
static const char *folder_link(const struct travel *t, const char *name)
{
    const char *path = t->root;
    struct str rest = str_of(name), part;
    while (rest.p && str_split(&rest, '/', &part)) {
        path = path_join(t->arena, path, arena_cstr(t->arena, part));
        if (is_folder_link(path))
            return path;
    }
    return file_is_dir(path) ? link_in(path, t->arena, 0) : NULL;
}

/* HTCondor puts a job on hold that brings one. */
static void judge_links(const struct judging *j)
{
    const struct travel *t = &j->travel;
    const char *told = "";
    for (size_t i = 0; i < t->names.len; i++) {
        const char *link = is_url(str_of(t->names.p[i]))
                               ? NULL
                               : folder_link(t, t->names.p[i]);
        if (!link || strcmp(link, told) == 0)
            continue;
        told = link;
        say_at(j, PROBLEM_ERROR,
               value_get(t->plan->root, STR("inputs")) ? "inputs" : "command",
               "put the folder itself there, or give a URL (osdf://, https://)",
               arena_printf(t->arena,
                            "%s goes to the machines of the pool, and is a "
                            "link to a folder, which HTCondor does not carry",
                            link));
    }
}

/* Of frozen code only what is named: the rest is known when it is frozen. */
static void judge_names(const struct judging *j)
{
    const struct travel *t = &j->travel;
    const char *place = arena_cstr(t->arena, t->plan->site.engine);
    const char *key =
        value_get(t->plan->root, STR("inputs")) ? "inputs" : "command";
    struct err why = {0};
    if (engine_place_takes(place, t->home, &why))
        say_at(j, PROBLEM_ERROR, "name", "", why.text);
    for (size_t i = 0; i < t->names.len; i++)
        if (!is_url(str_of(t->names.p[i])) && !leads_out(t->names.p[i]) &&
            engine_place_takes(place, t->names.p[i], &why))
            say_at(j, PROBLEM_ERROR, key, "", why.text);
}

/* Where reports come when a job has ended, nobody can decide by them. */
static void judge_early(const struct judging *j)
{
    const struct plan *p = j->travel.plan;
    const struct early *e = &p->early;
    bool waits = e->kind == EARLY_ASHA && e->promote;
    if (e->kind != EARLY_NONE && e->kind != EARLY_RULE && !waits)
        say_at(j, PROBLEM_WARNING, "early_terminate",
               "patience, threshold and time work there; asha with promote "
               "too",
               arena_printf(j->travel.arena,
                            "early_terminate: %s decides while trials run, and "
                            "what they report on this engine comes when their "
                            "job has ended: none will be ended early",
                            early_name(e)));
    if (p->external.reports)
        say_at(j, PROBLEM_WARNING, "external", "",
               "external: what trials report on this engine is heard when "
               "their job has ended");
}

static void judge_image(const struct judging *j)
{
    const struct plan *p = j->travel.plan;
    struct str image = plan_container(p, j->travel.home, j->travel.arena);
    if (image.len && plan_image_is_file(image) && is_plain(image) &&
        !file_exists(arena_cstr(j->travel.arena, image)))
        say_at(j, PROBLEM_ERROR, "container",
               "make it with `apptainer build IMAGE.sif docker://…`, or name "
               "one of a registry",
               arena_printf(j->travel.arena,
                            "container: there is no image %.*s", STRF(image)));
}

/* A study of git's may have what it runs above it, up to git's folder. */
static void place_code(struct travel *t)
{
    const char *top =
        t->plan->code == CODE_GIT ? git_folder(t->arena, t->home) : NULL;
    t->root = top ? top : t->home;
    t->inside = "";
    if (top && strcmp(top, t->home) != 0)
        t->inside = t->home + strlen(top) + 1;
}

void travel_check(const struct plan *p, struct problems *problems)
{
    struct arena *a = problems->arena;
    const char *file = path_absolute(a, arena_cstr(a, p->file));
    struct judging j = {
        .problems = problems,
        .travel = {.plan = p, .arena = a, .home = path_folder(a, file)}};
    if (engine_place_is_live(arena_cstr(a, p->site.engine)))
        return;
    place_code(&j.travel);
    gather(&j.travel);
    each_word(p, judge_word, &j);
    if (p->model.len && is_relative(p->model))
        name_outside(&j, PROBLEM_ERROR, "model", arena_cstr(a, p->model));
    each_text(value_get(p->model_root, STR("data")), judge_data, &j);
    judge_inputs(&j);
    judge_links(&j);
    judge_names(&j);
    judge_early(&j);
    judge_image(&j);
    if (p->kind->runs == RUNS_ROWS && !p->predict &&
        !value_get(p->kind_options, STR("data")))
        say_at(&j, PROBLEM_ERROR, "task", "as in data: rows.csv",
               "task: which rows go to the machines of the pool is said by "
               "data");
    if (p->bind_count)
        say_at(&j, PROBLEM_WARNING, "bind", "name it in `inputs:`",
               "bind: folders of this machine are not on those of the pool, "
               "and HTCondor shows none of them in a container");
    if (p->venv.len)
        say_at(&j, PROBLEM_ERROR, "venv",
               "say `container:`, or make one in `setup:` there",
               "venv: a virtual environment is bound to this machine, and "
               "does not go to the machines of the pool");
    vec_done(&j.travel.names);
}
