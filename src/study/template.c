/* template.c - studies to begin with
 *
 * The oldest are here; each other one is a file of its own and a row.
 *
 * Each runs as it is, in seconds, and says in its comments what may be
 * changed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "study/template.h"

static const char sweep_study[] =
    "# A search: which learning rate and batch size give the lowest loss?\n"
    "#\n"
    "#   throng check study.yaml    what would run, without running it\n"
    "#   throng run study.yaml      run it; run it again to go on after a "
    "stop\n"
    "#   throng rank                the best trials\n"
    "#\n"
    "# `throng help study` lists every key.\n"
    "\n"
    "program: train.py        # gets --batch_size=32 --epochs=5 --lr=0.01\n"
    "method: random           # or tpe, gp …: they learn (throng help "
    "methods);\n"
    "                         # or grid; then each parameter needs `values`\n"
    "run_cap: 20              # trials in all; a larger number goes on later\n"
    "\n"
    "metric:\n"
    "  name: loss             # what train.py reports\n"
    "  goal: minimize\n"
    "\n"
    "parameters:\n"
    "  lr:\n"
    "    distribution: log_uniform_values\n"
    "    min: 0.0001\n"
    "    max: 0.1\n"
    "  batch_size:\n"
    "    values: [16, 32, 64]\n"
    "  epochs:\n"
    "    value: 5             # the same for every trial\n"
    "\n"
    "# What one trial needs, and how long it may take. As many run at once as\n"
    "# this machine has room for.\n"
    "resources:\n"
    "  cpus: 1\n"
    "  # memory: 2G\n"
    "  # gpus: 1\n"
    "  # time: 10h            # longer ones are ended\n"
    "\n"
    "# retries: 1             # try a failed trial once more\n"
    "# keep: best:10          # whose outputs stay at the end; unsaid: all\n";

static const char sweep_program[] =
    "\"\"\"A training program that only pretends. Replace it by yours.\n"
    "\n"
    "Parameters come as arguments. Metrics go out as lines that begin with\n"
    "`::throng`; no library is needed, and it runs by hand as well:\n"
    "\n"
    "    python3 train.py --lr=0.01\n"
    "\"\"\"\n"
    "import argparse\n"
    "import math\n"
    "import os\n"
    "import random\n"
    "\n"
    "parser = argparse.ArgumentParser()\n"
    "parser.add_argument(\"--lr\", type=float, default=0.01)\n"
    "parser.add_argument(\"--batch_size\", type=int, default=32)\n"
    "parser.add_argument(\"--epochs\", type=int, default=5)\n"
    "args = parser.parse_args()\n"
    "\n"
    "# Each trial has a seed of its own: the study can be repeated exactly.\n"
    "random.seed(int(os.environ.get(\"THRONG_SEED\", \"0\")))\n"
    "\n"
    "distance = abs(math.log10(args.lr) + 2.5) + abs(args.batch_size - 32) / "
    "64\n"
    "for epoch in range(1, args.epochs + 1):\n"
    "    loss = distance + 1 / epoch + random.uniform(0, 0.05)\n"
    "    print(f\"::throng step={epoch} loss={loss:.6f}\", flush=True)\n";

static const char points_study[] =
    "# A list of points: every line of points.csv is one trial.\n"
    "#\n"
    "#   throng check study.yaml    what would run, without running it\n"
    "#   throng run study.yaml      run it; run it again to go on after a "
    "stop\n"
    "#   throng export --csv        parameters and results as a table\n"
    "#\n"
    "# The list may grow at its end later; throng runs what is new. JSON "
    "lines\n"
    "# (points.jsonl) work as well. `throng help study` lists every key.\n"
    "\n"
    "command: [sh, work.sh, \"{x}\", \"{y}\"]\n"
    "parameters_file: points.csv\n"
    "\n"
    "metric:\n"
    "  name: result\n"
    "  goal: maximize\n"
    "\n"
    "resources:\n"
    "  cpus: 1\n"
    "  # time: 10h            # longer ones are ended\n";

static const char points_list[] = "x,y\n1,10\n2,10\n3,10\n1,20\n2,20\n3,20\n";

static const char work_script[] =
    "# Does the work of one trial. Replace it by yours.\n"
    "x=$1\n"
    "y=$2\n"
    "throng report result=$((x * y))\n";

static const char shell_study[] =
    "# A study of shell commands: any program in any language.\n"
    "#\n"
    "#   throng check study.yaml    what would run, without running it\n"
    "#   throng run study.yaml      run it; run it again to go on after a "
    "stop\n"
    "#   throng rank                the best trials\n"
    "#\n"
    "# {x} stands for a parameter. `throng report` hands in results; it is\n"
    "# there wherever a task runs. `throng help study` lists every key.\n"
    "\n"
    "command: |\n"
    "  result=$(awk 'BEGIN { print ({x} - 3) ^ 2 + {y} }')\n"
    "  throng report loss=$result\n"
    "\n"
    "method: grid             # every combination\n"
    "metric:\n"
    "  name: loss\n"
    "  goal: minimize\n"
    "\n"
    "parameters:\n"
    "  x:\n"
    "    values: [1, 2, 3, 4, 5]\n"
    "  y:\n"
    "    values: [0.5, 1.5]\n"
    "\n"
    "# setup: module load gcc   # shell lines before each task\n"
    "resources:\n"
    "  cpus: 1\n"
    "  # time: 10h            # longer ones are ended\n";

static const char wandb_study[] =
    "# A W&B sweep file, as it is: throng runs it on this machine, offline,\n"
    "# without an account.\n"
    "#\n"
    "#   throng check study.yaml    what would run, without running it\n"
    "#   throng run study.yaml      run it; run it again to go on after a "
    "stop\n"
    "#   throng rank                the best trials\n"
    "\n"
    "program: train.py\n"
    "method: random\n"
    "run_cap: 12\n"
    "metric:\n"
    "  name: val_loss\n"
    "  goal: minimize\n"
    "parameters:\n"
    "  learning_rate:\n"
    "    distribution: log_uniform_values\n"
    "    min: 0.0001\n"
    "    max: 0.1\n"
    "  optimizer:\n"
    "    values: [sgd, adam]\n"
    "  epochs:\n"
    "    value: 5\n"
    "\n"
    "# wandb: stand-in          # always throng's own; `real`: never\n";

static const char wandb_program[] =
    "\"\"\"A script that says `import wandb`, unchanged. Replace it by yours.\n"
    "\n"
    "Under throng a stand-in for wandb is there: config comes from the study,\n"
    "what is logged goes to throng's store, nothing leaves this machine.\n"
    "\"\"\"\n"
    "import math\n"
    "\n"
    "import wandb\n"
    "\n"
    "run = wandb.init(config={\"learning_rate\": 0.01, \"optimizer\": "
    "\"adam\",\n"
    "                         \"epochs\": 5})\n"
    "config = wandb.config\n"
    "\n"
    "bad = abs(math.log10(config.learning_rate) + 2.5)\n"
    "bad += 0.3 if config.optimizer == \"sgd\" else 0.0\n"
    "for epoch in range(1, config.epochs + 1):\n"
    "    wandb.log({\"epoch\": epoch, \"val_loss\": bad + 1 / epoch})\n"
    "wandb.finish()\n";

static const struct study_template sweep = {
    "sweep",
    "a search, with a Python program",
    sweep_study,
    {{.name = "train.py", .text = sweep_program}}};
static const struct study_template points = {
    "points",
    "a list of points in a CSV file",
    points_study,
    {{.name = "points.csv", .text = points_list},
     {.name = "work.sh", .text = work_script}}};
static const struct study_template shell = {
    "shell", "any command, every combination", shell_study, {{0}}};
static const struct study_template wandb = {
    "wandb",
    "a W&B sweep file and script",
    wandb_study,
    {{.name = "train.py", .text = wandb_program}}};

const struct study_template *const study_templates[] = {
    &sweep,
    &points,
    &shell,
    &wandb,
    &template_search,
    &template_ensemble,
    &template_uq,
    &template_inference,
    &template_factorial,
    &template_campaign,
    NULL,
};

static void add_names(struct buf *b)
{
    for (size_t i = 0; study_templates[i]; i++)
        buf_addf(b, "%s%s",
                 !i                       ? ""
                 : study_templates[i + 1] ? ", "
                                          : " and ",
                 study_templates[i]->name);
}

const struct study_template *study_template_find(const char *name,
                                                 struct err *err)
{
    const char *names[sizeof(study_templates) / sizeof(*study_templates)];
    size_t n = 0;
    for (; study_templates[n]; n++) {
        if (!strcmp(study_templates[n]->name, name))
            return study_templates[n];
        names[n] = study_templates[n]->name;
    }
    names[n] = NULL;
    const char *near = str_nearest(str_of(name), names);
    struct buf all;
    buf_init(&all);
    add_names(&all);
    if (near)
        err_set(err, ERR_USAGE, "there is no template `%s`; did you mean `%s`?",
                name, near);
    else
        err_set(err, ERR_USAGE, "there is no template `%s`; there are %s", name,
                all.p);
    buf_done(&all);
    return NULL;
}

/* The comments speak of study.yaml: they shall name the real file. */
static char *with_name(struct arena *a, const char *text, const char *name)
{
    static const char said[] = "study.yaml";
    struct buf b;
    buf_init(&b);
    for (const char *at; (at = strstr(text, said)); text = at + strlen(said)) {
        buf_add(&b, text, (size_t)(at - text));
        buf_adds(&b, name);
    }
    buf_adds(&b, text);
    char *result = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return result;
}

/* Never onto a file that is there. */
static int write_new(const struct template_file *f, struct err *err)
{
    int fd = open(f->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return err_set(err, ERR_INPUT,
                       "%s is there already, and nothing was overwritten; "
                       "name another file",
                       f->name);
    if (fd < 0)
        return err_errno(err, "write %s", f->name);
    int rc = fd_write_all(fd, f->text, strlen(f->text), err);
    close(fd);
    return rc ? err_wrap(err, "%s", f->name) : 0;
}

static int write_all(const struct template_file *files, size_t count,
                     struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (file_exists(files[i].name))
            return err_set(err, ERR_INPUT,
                           "%s is there already, and nothing was written; "
                           "name another file or use another folder",
                           files[i].name);
    for (size_t i = 0; i < count; i++)
        if (write_new(&files[i], err))
            return -1;
    return 0;
}

int study_template_write(const struct study_template *t, const char *path,
                         struct arena *a, struct template_file *files,
                         size_t *count, struct err *err)
{
    if (file_is_dir(path))
        return err_set(err, ERR_INPUT,
                       "%s is a folder; name a file in it: `throng init %s`",
                       path, path_join(a, path, "study.yaml"));
    char *folder = path_folder(a, path);
    if (!file_is_dir(folder))
        return err_set(err, ERR_MISSING, "there is no folder %s", folder);
    bool here = !strchr(path, '/');
    size_t n = 0;
    files[n++] = (struct template_file){
        .name = path,
        .text = with_name(a, t->study, arena_cstr(a, path_name(path)))};
    for (size_t i = 0; i < TEMPLATE_BESIDE && t->beside[i].name; i++) {
        const struct template_file *f = &t->beside[i];
        files[n++] = (struct template_file){
            .name = here ? f->name : path_join(a, folder, f->name),
            .text = f->text ? f->text : f->make(a)};
    }
    *count = n;
    return write_all(files, n, err);
}
