/* failure_text.c - failures in words */
#include "view/view.h"

#include <strings.h>
#include "base/chars.h"
#include "base/json.h"

/* It says itself what is missing, and how to train without. */
#define NO_DEVICE "this machine has no device"

#define VALUE_LEAST 3 /* letters of a value that is known in a message */

/* ---- which line ------------------------------------------------------- */

static bool holds(struct str text, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.len; i++)
        if (!strncasecmp(text.p + i, part, n))
            return true;
    return false;
}

static bool sounds_bad(struct str line)
{
    static const char *const words[] = {
        "error",  "exception", "fatal",   "out of memory",
        "killed", "not found", "no such", "denied",
        "assert", "panic",     "fault",   "abort",
        "cannot", NULL};
    for (size_t i = 0; words[i]; i++)
        if (holds(line, words[i]))
            return true;
    return false;
}

/* The last line that sounds like an error, else the last one at all. */
static struct str telling_line(struct str tail)
{
    struct str rest = tail, line, last = {0}, bad = {0};
    while (rest.len && str_split(&rest, '\n', &line)) {
        line = str_trim(line);
        if (!line.len)
            continue;
        last = line;
        if (sounds_bad(line))
            bad = line;
    }
    return bad.len ? bad : last;
}

struct str failure_line(const struct trial_failure *f)
{
    struct str line = {0};
    if (f->outcome == OUTCOME_FAILED || f->outcome == OUTCOME_INVALID)
        line = telling_line(f->tail);
    if (!line.len)
        line = str_trim(f->reason);
    if (!line.len)
        line = str_of(state_name(f->state));
    return line;
}

/* ---- what is the same ------------------------------------------------- */

static size_t hex_len(struct str s)
{
    size_t n = 2;
    if (s.len < 3 || s.p[0] != '0' || (s.p[1] != 'x' && s.p[1] != 'X'))
        return 0;
    while (n < s.len && hex_digit(s.p[n]) >= 0)
        n++;
    return n > 2 ? n : 0;
}

/* Digits with a fraction and an exponent; 0 for none. */
static size_t number_len(struct str s)
{
    size_t n = 0;
    while (n < s.len && is_digit(s.p[n]))
        n++;
    if (!n)
        return 0;
    if (n + 1 < s.len && s.p[n] == '.' && is_digit(s.p[n + 1]))
        for (n++; n < s.len && is_digit(s.p[n]);)
            n++;
    size_t e = n;
    if (e < s.len && (s.p[e] == 'e' || s.p[e] == 'E')) {
        e++;
        if (e < s.len && (s.p[e] == '+' || s.p[e] == '-'))
            e++;
        if (e < s.len && is_digit(s.p[e]))
            for (n = e; n < s.len && is_digit(s.p[n]);)
                n++;
    }
    return n;
}

/* A path with at least two slashes: how much of it are folders. */
static size_t folders_len(struct str s)
{
    size_t slash = 0, slashes = 0, i = 0;
    if (s.len < 2 || s.p[0] != '/')
        return 0;
    for (; i < s.len && !strchr(" \t'\"`:,;()<>", s.p[i]); i++) {
        if (s.p[i] != '/')
            continue;
        slash = i + 1;
        slashes++;
    }
    return slashes >= 2 && slash < i ? slash : 0;
}

/* The length of the parameter's value that the text begins with, as a whole
 * word; 0 for none. Short words also mean other things. */
static size_t value_len(struct str text, struct str point, struct str *name)
{
    struct json_scan scan;
    struct str raw;
    json_scan_init(&scan, point);
    if (!point.len || json_scan_next(&scan) != JSON_OBJECT_OPEN)
        return 0;
    while (json_scan_next(&scan) == JSON_KEY) {
        struct str key = scan.text;
        if (json_scan_pass(&scan, &raw))
            return 0;
        if (raw.p[0] != '"' || raw.len < VALUE_LEAST + 2)
            continue;
        struct str value = str_n(raw.p + 1, raw.len - 2);
        bool whole = text.len == value.len ||
                     (text.len > value.len && !is_word(text.p[value.len]));
        if (whole && str_starts(text, value)) {
            *name = key;
            return value.len;
        }
    }
    return 0;
}

void failure_normal(struct buf *b, struct str line, struct str point)
{
    struct str name;
    for (size_t i = 0; i < line.len;) {
        struct str rest = str_n(line.p + i, line.len - i);
        bool inside = i > 0 && is_word(line.p[i - 1]);
        size_t n = inside ? 0 : hex_len(rest);
        if (n) {
            buf_adds(b, "0xN");
        } else if (!inside && is_word(line.p[i]) &&
                   (n = value_len(rest, point, &name))) {
            buf_addf(b, "<%.*s>", STRF(name));
        } else if (!inside && (n = number_len(rest))) {
            buf_addc(b, 'N');
        } else if (!inside && (n = folders_len(rest))) {
            buf_adds(b, "…/");
        } else {
            n = 1;
            buf_addc(b, line.p[i]);
        }
        i += n;
    }
}

/* ---- what helps ------------------------------------------------------- */

static const struct {
    const char *part; /* of the output or the reason, in any case */
    const char *hint;
} by_text[] = {
    {"CUDA out of memory",
     "the GPU's memory was too small: a smaller batch, one task per GPU "
     "(resources: gpus: 1), or gpus_minimum_memory to choose a larger GPU"},
    {"CUDA error: out of memory",
     "the GPU's memory was too small, or another task was on the same GPU: "
     "resources: gpus: 1 gives each trial its own"},
    {"ModuleNotFoundError",
     "Python lacks a module where the task runs: name its environment with "
     "`venv:` or `conda:`, load it in `setup:`, or name that python in "
     "`command:`"},
    {"ImportError",
     "a Python module could not be loaded where the task runs: see `venv:`, "
     "`conda:` and `setup:` for its environment"},
    {"No space left on device",
     "the disk is full: see `keep:`, and `outputs:` for what is kept"},
    {"Disk quota exceeded",
     "your quota is used up: see `keep:`, and `outputs:` for what is kept"},
    {"Permission denied",
     "the program may not be run or a file may not be read: look at its "
     "permissions (chmod +x makes a script runnable)"},
    {"No such file or directory",
     "a file is missing: tasks run in the study file's folder (workdir: "
     "trial gives each its own), so relative paths start there"},
    {"unrecognized arguments",
     "the program does not know one of its arguments: `throng show N "
     "--command` prints the line that was run"},
    {"Address already in use",
     "two tasks want the same network port: derive it from THRONG_TRIAL"},
    {NO_CHECKPOINT,
     "this method goes on from earlier trials: the program must write "
     "checkpoints into the folder that THRONG_CHECKPOINT names (see `throng "
     "help protocol`), or choose another method"},
    {"Too many open files", "raise the limit with `setup: ulimit -n 65536`"},
    {"NCCL", "a communication between GPUs failed: look at the first error "
             "of all ranks in the log"},
};

static const char *hint_by_exit(const struct trial_failure *f)
{
    if (f->exit_code == 127)
        return "exit code 127: the shell did not find the command; is it "
               "installed where the task runs, and on PATH (see `setup:`)?";
    if (f->exit_code == 126)
        return "exit code 126: the command was found but may not be run "
               "(chmod +x)";
    if (f->exit_code == 137 || f->signum == 9)
        return "killed by SIGKILL: most often the machine ran out of memory "
               "(look at `dmesg`); resources: memory makes throng run fewer "
               "at once";
    if (f->exit_code == 139 || f->signum == 11)
        return "a crash (SIGSEGV) inside the program or one of its libraries";
    if (f->signum == 6 || f->exit_code == 134)
        return "the program called abort(): an assertion or a C++ exception";
    return NULL;
}

static const char *hint_by_outcome(const struct trial_failure *f)
{
    switch (f->outcome) {
    case OUTCOME_MEMORY:
        return "it used more memory than resources: memory grants; ask for "
               "more, or make the task smaller";
    case OUTCOME_TIMED_OUT:
        return "it reached resources: time; ask for more; a program of your "
               "own may also save checkpoints and exit with 85 to go on in "
               "another attempt";
    case OUTCOME_SPAWN:
        if (holds(f->reason, NO_CHECKPOINT) || holds(f->reason, NO_DEVICE))
            return NULL;
        return "the program could not be started: is its name right and the "
               "file executable?";
    case OUTCOME_LOST:
        return "its machine or worker went away, several times";
    case OUTCOME_INVALID:
        return f->exit_code == EXIT_CODE_INVALID
                   ? "exit code 78 says that these parameters are invalid; "
                     "they are not tried again by themselves"
                   : "what is invalid is not tried again by itself: mend it, "
                     "then `throng retry`";
    default:
        return NULL;
    }
}

const char *failure_hint(const struct trial_failure *f)
{
    const char *hint = hint_by_outcome(f);
    for (size_t i = 0; !hint && i < sizeof(by_text) / sizeof(by_text[0]); i++)
        if (holds(f->tail, by_text[i].part) ||
            holds(f->reason, by_text[i].part))
            hint = by_text[i].hint;
    return hint ? hint : hint_by_exit(f);
}
