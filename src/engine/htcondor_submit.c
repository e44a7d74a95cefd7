/* htcondor_submit.c - the submit description of an array of bundles
 *
 * One cluster, one job for each bundle. What comes back is one folder, which is
 * also what a checkpoint saves and what an eviction saves: the three lists must
 * be the same. HTCondor retries nothing by itself: who ran, and what came of
 * it, is decided here. */
#include "engine/htcondor_submit.h"

#include "base/chars.h"
#include "engine/sandbox.h"
#include <math.h>

/* Of a job that does not say what it needs. */
#define MEMORY_BYTES (UINT64_C(1) << 30)
#define DISK_BYTES (UINT64_C(1) << 30)
#define VACATE_SECONDS 60.0
#define LEASE_SECONDS 600.0
#define CHECKPOINT_SECONDS 3600.0
#define MIB 1048576.0

double condor_vacate_s(const struct value *site)
{
    return site_number(site, "vacate", VACATE_SECONDS);
}

/* Names come from what machines say of themselves: nothing but what a host's
 * name may have stands in a description. */
void condor_avoided(const struct job_order *order, struct buf *b)
{
    buf_addc(b, '"');
    for (const char *p = order->exclude; *p; p++)
        if (is_letter(*p) || is_digit(*p) || strchr(".-_,", *p))
            buf_addc(b, *p);
    buf_addc(b, '"');
}

/* Seconds for which one whose machine does not answer is waited for. */
static double lease_s(const struct value *site)
{
    return site_number(site, "lease", LEASE_SECONDS);
}

/* ---- texts that a description takes
 * ------------------------------------------ */

/* Lists are cut at commas, remaps at semicolons and equal signs, and a dollar
 * is a macro's. */
static int check_text(const char *what, const char *text, struct err *err)
{
    size_t bad = strcspn(text, ",;=\"$\n\r");
    if (!text[bad])
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s %s has a '%c' in it, which a submit description of "
                   "HTCondor cannot name: call it something else",
                   what, text, text[bad] == '\n' ? ' ' : text[bad]);
}

static bool is_url(const char *name)
{
    return strstr(name, "://") != NULL;
}

/* HTCondor holds a job that brings a file which would lie above its sandbox. */
int condor_name_check(const char *name, struct err *err)
{
    struct str rest = str_of(name), part;
    while (rest.len && str_split(&rest, '/', &part))
        if (str_is(part, ".."))
            return err_set(err, ERR_INPUT,
                           "the file %s lies outside of the folder that goes "
                           "to the pool: put it below that",
                           name);
    return check_text(*name == '/' ? "the folder" : "the file", name, err);
}

int condor_submit_check(const struct condor_submit *s, struct err *err)
{
    const struct engine_travel *t = s->given->travel;
    if (check_text("the study's folder", s->given->folder, err) ||
        check_text("the worker", s->given->worker, err) ||
        (t && check_text("the folder", t->root, err)))
        return -1;
    for (size_t i = 0; t && i < t->count; i++)
        if (!is_url(t->names[i]) && condor_name_check(t->names[i], err))
            return -1;
    return 0;
}

/* One of the words of `arguments = "…"`. */
static void add_argument(struct buf *b, const char *text)
{
    buf_adds(b, " '");
    for (; *text; text++) {
        if (*text == '\'' || *text == '"')
            buf_addc(b, *text);
        buf_addc(b, *text);
    }
    buf_addc(b, '\'');
}

static void add_option(struct buf *b, const char *name, double value)
{
    buf_addf(b, " --%s %.0f", name, ceil(value));
}

static void add_line(struct buf *b, const char *name, struct str value)
{
    buf_addf(b, "%s = %.*s\n", name, STRF(value));
}

/* ---- the worker
 * ---------------------------------------------------------------- */

static void add_worker(const struct condor_submit *s,
                       const struct job_order *order, struct buf *b)
{
    const struct value *site = s->given->site;
    buf_addf(b, "executable = %s\n", s->given->worker);
    buf_adds(b, "arguments = \"--sandbox " SANDBOX_OUT
                " --bundle $(Process).in/$(Process).tasks"
                " --asked $(Process).asked --granted htcondor");
    if (order->slots)
        add_option(b, "slots", order->slots);
    add_option(b, "kill-wait", condor_vacate_s(site));
    add_option(b, "checkpoint-every",
               site_number(site, "checkpoint_every", CHECKPOINT_SECONDS));
    if (order->time_s > 0) {
        add_option(b, "time", order->time_s);
        add_option(b, "lead", order->lead_s);
    }
    buf_adds(b, " --mark");
    add_argument(b, order->mark);
    if (s->given->mask)
        buf_addf(b, " --umask %o", (unsigned)*s->given->mask);
    buf_adds(b, "\"\n");
}

/* ---- files
 * ----------------------------------------------------------------------- */

static void add_inputs(const struct condor_submit *s,
                       const struct job_order *order, struct buf *b)
{
    const struct engine_travel *t = s->given->travel;
    buf_addf(b,
             "transfer_input_files = %s/$(Process).in, %s/$(Process).asked, "
             "%s/" SANDBOX_OUT,
             order->folder, order->folder, order->folder);
    if (s->given->cuda_worker && order->needs.gpus > 0)
        buf_addf(b, ", %s", s->given->cuda_worker);
    for (size_t i = 0; t && i < t->count; i++)
        buf_addf(b, ", %s", t->names[i]);
    buf_addc(b, '\n');
}

/* The folder of the order, seen from initialdir where it lies there: older
 * versions take no name with a blank for `error`. */
static const char *beside(const struct job_order *order, const char *root)
{
    size_t len = strlen(root);
    bool below = strncmp(order->folder, root, len) == 0 &&
                 order->folder[len] == '/' && order->folder[len + 1];
    return below ? order->folder + len + 1 : order->folder;
}

static void add_files(const struct condor_submit *s,
                      const struct job_order *order, struct buf *b)
{
    const struct engine_travel *t = s->given->travel;
    const char *root = t ? t->root : order->folder;
    buf_addf(b, "initialdir = %s\n", root);
    buf_adds(b, "should_transfer_files = YES\n"
                "when_to_transfer_output = ON_EXIT_OR_EVICT\n"
                "preserve_relative_paths = true\n");
    add_inputs(s, order, b);
    buf_adds(b, "transfer_output_files = " SANDBOX_OUT "\n"
                "checkpoint_exit_code = 85\n"
                "transfer_checkpoint_files = " SANDBOX_OUT "\n");
    buf_addf(
        b, "transfer_output_remaps = \"" SANDBOX_OUT " = %s/$(Process).out\"\n",
        order->folder);
    buf_addf(b, "error = %s/$(Process).log\n", beside(order, root));
    buf_addf(b, "log = %s/" CONDOR_LOG "\n", order->folder);
    buf_addf(b, "batch_name = %s\n+" CONDOR_RUN_ATTRIBUTE " = \"%s\"\n",
             order->name, order->name);
}

/* ---- room
 * ------------------------------------------------------------------------ */

static void add_bytes(struct buf *b, const char *name, double bytes)
{
    buf_addf(b, "%s = %.0fM\n", name, ceil(bytes / MIB));
}

static void add_gpus(const struct needs *n, double count, struct buf *b)
{
    if (count <= 0)
        return;
    buf_addf(b, "request_gpus = %.0f\n", count);
    if (n->gpu_minimum_capability > 0)
        buf_addf(b, "gpus_minimum_capability = %g\n",
                 n->gpu_minimum_capability);
    if (n->gpu_maximum_capability > 0)
        buf_addf(b, "gpus_maximum_capability = %g\n",
                 n->gpu_maximum_capability);
    if (n->gpu_minimum_memory_bytes)
        add_bytes(b, "gpus_minimum_memory",
                  (double)n->gpu_minimum_memory_bytes);
    if (*n->gpu_name)
        buf_addf(b, "require_gpus = regexp(\"%s\", DeviceName, \"i\")\n",
                 n->gpu_name);
}

static void add_room(const struct condor_submit *s,
                     const struct job_order *order, struct buf *b)
{
    const struct needs *n = &order->needs;
    const struct value *site = s->given->site;
    uint32_t slots = order->slots ? order->slots : nodes_most(s->nodes, n);
    struct needs all = needs_times(n, slots ? slots : 1);
    buf_addf(b, "request_cpus = %.0f\n", fmax(1, ceil(all.cpus - 1e-6)));
    if (!value_get(site, STR("request_memory")))
        add_bytes(b, "request_memory",
                  all.memory_bytes ? (double)all.memory_bytes
                                   : (double)MEMORY_BYTES);
    if (!value_get(site, STR("request_disk")))
        add_bytes(b, "request_disk",
                  all.disk_bytes ? (double)all.disk_bytes : (double)DISK_BYTES);
    add_gpus(n, all.gpus, b);
    if (s->given->travel && *s->given->travel->container)
        buf_addf(b, "container_image = %s\n", s->given->travel->container);
}

/* ---- the site
 * -------------------------------------------------------------------- */

/* Keys of ours; what is none of them is a command of the description. */
static bool is_own(struct str key)
{
    static const char *const own[] = {"attributes",
                                      "bundle_time",
                                      "checkpoint_every",
                                      "classes",
                                      "conductor",
                                      "job_slots",
                                      "lead",
                                      "lease",
                                      "look",
                                      "mail",
                                      "max_jobs",
                                      "offsite",
                                      "requirements",
                                      "time",
                                      "vacate",
                                      NULL};
    return str_among(key, own);
}

static void add_value(struct buf *b, struct str name, const struct value *v)
{
    bool attribute = name.len && name.p[0] == '+';
    buf_addf(b, "%.*s = ", STRF(name));
    if (v->kind == VALUE_STRING && attribute)
        buf_addf(b, "\"%.*s\"", STRF(v->s));
    else if (v->kind == VALUE_STRING)
        buf_addstr(b, v->s);
    else if (v->kind == VALUE_BOOL)
        buf_adds(b, v->boolean ? "true" : "false");
    else
        buf_addf(b, "%.17g", value_number(v));
    buf_addc(b, '\n');
}

/* "WantGPULab = true", with or without its plus. */
static void add_attributes(const struct value *from, struct buf *b)
{
    const struct value *list = value_get(from, STR("attributes"));
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->count;
         i++) {
        struct str text = str_trim(value_text(list->items[i]));
        bool plain = !str_starts(text, STR("+")) &&
                     !str_starts(text, STR("MY.")) &&
                     !str_starts(text, STR("My."));
        buf_addf(b, "%s%.*s\n", plain ? "+" : "", STRF(text));
    }
}

/* Machines that are left out are, whatever the site asks for. They stand in an
 * attribute of their own: that of a job that waits is changed, and its
 * requirements, to which HTCondor has added its own, are not. */
static void add_requirements(const struct value *site,
                             const struct job_order *order, struct buf *b)
{
    struct str own = value_text(value_get(site, STR("requirements")));
    buf_adds(b, "requirements = ");
    if (own.len)
        buf_addf(b, "(%.*s) && ", STRF(own));
    buf_adds(b, "!stringListIMember(TARGET.Machine, MY." CONDOR_AVOID_ATTRIBUTE
                ")\n+" CONDOR_AVOID_ATTRIBUTE " = ");
    condor_avoided(order, b);
    buf_addc(b, '\n');
}

static void add_site(const struct value *site, const struct job_order *order,
                     struct buf *b)
{
    struct str mail = value_text(value_get(site, STR("mail")));
    for (size_t i = 0; site && i < site->count; i++)
        if (!is_own(site->keys[i]))
            add_value(b, site->keys[i], site->items[i]);
    add_requirements(site, order, b);
    add_attributes(site, b);
    add_attributes(order->class, b);
    if (mail.len) {
        add_line(b, "notify_user", mail);
        add_line(b, "notification", STR("Error"));
    }
}

void condor_submit_print(const struct condor_submit *s,
                         const struct job_order *order, struct buf *b)
{
    const struct value *site = s->given->site;
    add_worker(s, order, b);
    add_files(s, order, b);
    add_room(s, order, b);
    buf_addf(b, "job_max_vacate_time = %.0f\njob_lease_duration = %.0f\n",
             ceil(condor_vacate_s(site)), ceil(lease_s(site)));
    buf_adds(b, "max_retries = 0\n");
    add_site(site, order, b);
    buf_addf(b, "queue %u\n", order->count);
}
