/* test_shell_line.c - values in texts for a shell
 *
 * Every form of command is run by real shells with every hostile value: the
 * program must see exactly that value, and no canary may come to be. */
#include "plan_test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANARY "canary"

static const char *const payloads[] = {
    "plain",
    "0.001",
    "-1e-05",
    "--dash",
    "-n",
    "a b",
    " two  blanks ",
    "$(touch canary)",
    "`touch canary`",
    "a; touch canary",
    "a\ntouch canary\nb",
    "a & touch canary &",
    "a | touch canary",
    "a && touch canary",
    "' ; touch canary ; '",
    "\" ; touch canary ; \"",
    "'\"$(touch canary)\"'",
    "\\'$(touch canary)\\'",
    "\\",
    "\\\\`touch canary`",
    "*",
    "~",
    "${HOME}",
    "$HOME",
    "x) touch canary;; esac; (",
    "EOF\ntouch canary\nEOF",
    "}; touch canary; {",
    "a[$(touch canary)]",
    "PATH=/nowhere",
    "#no comment",
    "{n}",
    "!",
    "a=b",
    "%d%s\\n",
    "\303\251\342\202\254",
    "\033[31m\007",
    "",
    "nan",
};
#define PAYLOADS (sizeof(payloads) / sizeof(payloads[0]))

/* SH stands for the shell; each prints the value in brackets. */
static const char *const forms[] = {
    "\"printf '[%s]' {s} | cat\"",
    "\"printf '[%s]' '{s}' | cat\"",
    "\"printf '[%s]' \\\"{s}\\\" | cat\"",
    "\"SH -c 'printf \\\"[%s]\\\" {s}'\"",
    "\"SH -c \\\"printf '[%s]' '{s}'\\\"\"",
    "[\"SH\", \"-c\", \"printf '[%s]' {s}\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' '{s}'\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"{s}\\\"\"]",
    "[\"SH\", \"-ec\", \"printf '[%s]' {s}\"]",
    "[\"SH\", \"-e\", \"-c\", \"--\", \"printf '[%s]' {s}\"]",
    "[\"env\", \"X=1\", \"SH\", \"-c\", \"printf '[%s]' {s}\"]",
    "[\"nice\", \"-n\", \"1\", \"SH\", \"-c\", \"printf '[%s]' {s}\"]",
    "[\"env\", \"-i\", \"/bin/SH\", \"-c\", \"printf '[%s]' {s}\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"$(printf %s '{s}')\\\"\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"$(printf %s {s})\\\"\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"$(printf %s \\\"{s}\\\")\\\"\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"`printf %s {s}`\\\"\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"`printf %s '{s}'`\\\"\"]",
    "[\"SH\", \"-c\", \"x=`printf %s \\\"{s}\\\"`; printf '[%s]' \\\"$x\\\"\"]",
    "[\"SH\", \"-c\", \"cat <<EOF | tr -d '\\\\r'\\n[{s}]\\nEOF\\n\"]",
    "[\"SH\", \"-c\", \"cat <<-EOF\\n\\t[{s}]\\n\\tEOF\\n:\"]",
    "[\"SH\", \"-c\", \"# don't\\nprintf '[%s]' {s}\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' {s} # it's {s}\\n:\"]",
    "[\"SH\", \"-c\", \"echo a#b' ' >/dev/null; printf '[%s]' {s}\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"${nope:-{s}}\\\"\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' ${nope:-{s}}\"]",
    "[\"SH\", \"-c\", \"case {s} in *) printf '[%s]' {s};; esac\"]",
    "[\"SH\", \"-c\", \"x={s}; printf '[%s]' \\\"$x\\\"\"]",
    "[\"SH\", \"-c\", \"f() { printf '[%s]' \\\"$1\\\"; }; f {s}\"]",
    "[\"SH\", \"-c\", \"printf '[%s]' {s}>/dev/stdout\"]",
    "[\"SH\", \"-c\", \"for i in {s}; do (printf '[%s]' \\\"$i\\\"); done\"]",
    ("[\"SH\", \"-c\", \"printf %s \\\"$(case a in a) printf '[%s]' {s};; "
     "esac)\\\"\"]"),
    "[\"SH\", \"-c\", \"printf '[%s]' \\\"$1\\\"\", \"SH\", \"{s}\"]",
    "[\"printf\", \"[%s]\", \"{s}\"]",
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* Here a value becomes code: only harmless ones are taken. */
static const char *const code[] = {
    "[\"SH\", \"-c\", \"sh -c 'echo {s}'\"]",
    "[\"SH\", \"-c\", \"bash -lc \\\"echo '{s}'\\\"\"]",
    "[\"SH\", \"-c\", \"env A=1 sh -ec 'echo {s}'\"]",
    "[\"SH\", \"-c\", \"eval echo {s}\"]",
    "[\"SH\", \"-c\", \"eval \\\"echo '{s}'\\\"\"]",
    "[\"SH\", \"-c\", \"echo $(( {s} + 1 ))\"]",
    "[\"SH\", \"-c\", \"sh <<EOF\\necho {s}\\nEOF\\n\"]",
    "[\"SH\", \"-c\", \"cat <<EOF | sh\\necho {s}\\nEOF\\n\"]",
    "[\"SH\", \"-c\", \"cat <<'EOF'\\n{s}\\nEOF\\n\"]",
    "[\"SH\", \"-c\", \"echo 'echo {s}' | sh\"]",
    "[\"SH\", \"-c\", \"trap 'echo {s}' EXIT\"]",
    "[\"bash\", \"-c\", \"[[ {s} -eq 1 ]]; (( {s} )); a[{s}]=1\"]",
    ("[\"bash\", \"-c\", \"letters=abc; echo ${letters:{s}} ${letters[{s}]}; "
     "let y={s}\"]"),
    "[\"bash\", \"-c\", \"declare {s}; unset {s}; test -v {s}; local {s}\"]",
    "[\"bash\", \"-c\", \"declare -i q={s}; echo $q\"]",
    "[\"bash\", \"-c\", \"typeset -xi q; (q={s}; echo $q)\"]",
    "[\"bash\", \"-c\", \"for ((i={s}; i < 3; i++)); do :; done\"]",
    "[\"bash\", \"-c\", \"a=([{s}]=1); echo $[ {s} + 1 ]\"]",
    "[\"bash\", \"-c\", \"bash <<< {s}\"]",
    "[\"bash\", \"-c\", \"<<< {s} bash\"]",
    "[\"bash\", \"-c\", \"source /dev/stdin <<< {s}\"]",
    "[\"bash\", \"-c\", \". /dev/stdin <<EOF\\n{s}\\nEOF\\n\"]",
    "[\"bash\", \"-c\", \"source <(echo {s})\"]",
    "[\"bash\", \"-c\", \". <(printf %s '{s}')\"]",
    "[\"bash\", \"-c\", \"bash <(printf %s {s}; echo)\"]",
    "[\"bash\", \"-c\", \"echo {s} > >(sh)\"]",
    "[\"SH\", \"-c\", \"echo {s} | env sh\"]",
    "[\"SH\", \"-c\", \"echo {s} | xargs -I@ sh -c 'echo @'\"]",
    "[\"SH\", \"-c\", \"echo {s} | xargs -d '\\\\n' -I@ sh -c 'echo @'\"]",
    "[\"SH\", \"-c\", \"env -S \\\"sh -c 'echo {s}'\\\"\"]",
    "[\"SH\", \"-c\", \"env -iS\\\"sh -c 'echo {s}'\\\"\"]",
    "[\"SH\", \"-c\", \"env --split-string=\\\"sh -c 'echo {s}'\\\"\"]",
    "[\"SH\", \"-c\", \"$0 -c 'echo {s}'; \\\"$0\\\" -c {s}\"]",
    "[\"env\", \"-S\", \"sh -c 'echo {s}'\"]",
    "[\"env\", \"-Ssh -c 'echo {s}'\"]",
    "[\"env\", \"--split-string=sh -c 'echo {s}'\"]",
    "\"env -S \\\"sh -c 'echo {s}'\\\"\"",
    "[\"true\", \"watch\", \"-n1\", \"echo {s}\"]",
    "[\"make\", \"-f\", \"/dev/null\", \"--eval=all: ; @echo {s}\"]",
    "[\"make\", \"-f\", \"/dev/null\", \"--eval\", \"all: ; @echo {s}\"]",
    ("[\"SH\", \"-c\", \"make -f /dev/null --eval=\\\"all: ; @echo {s}\\\" "
     "2>&1\"]"),
    "[\"script\", \"-q\", \"--command=echo {s}\", \"/dev/null\"]",
};
#define CODES (sizeof(code) / sizeof(code[0]))

static const char *with_shell(struct arena *a, const char *form,
                              const char *shell)
{
    struct buf b;
    const char *at;
    char *text;

    buf_init(&b);
    buf_adds(&b, "method: grid\nparameters: {s: {values: [1]}, "
                 "n: {values: [2]}}\ncommand: ");
    while ((at = strstr(form, "SH"))) {
        buf_add(&b, form, (size_t)(at - form));
        buf_adds(&b, shell);
        form = at + 2;
    }
    buf_adds(&b, form);
    text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Runs the command and gives what it prints. */
static void run(const struct arg *argv, size_t argc, char *seen, size_t size)
{
    char *words[16] = {0};
    int ends[2];
    ssize_t n;
    size_t len = 0;
    pid_t pid;

    assert_true(argc < 16);
    for (size_t i = 0; i < argc; i++)
        words[i] = strndup(argv[i].text.p, argv[i].text.len);
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], words);
        _exit(127);
    }
    close(ends[1]);
    while ((n = read(ends[0], seen + len, size - 1 - len)) > 0)
        len += (size_t)n;
    seen[len] = 0;
    close(ends[0]);
    assert_true(waitpid(pid, NULL, 0) == pid);
    for (size_t i = 0; i < argc; i++)
        free(words[i]);
}

/* -1 when the value is refused. */
static int try_one(const char *form, const char *shell, const char *payload,
                   char *seen, size_t size)
{
    struct reading_test t;
    struct arena *a = arena_new();
    const struct arg *argv = NULL;
    size_t argc = 0;
    struct value *point = value_object(a);
    int rc;

    test_read(&t, with_shell(a, form, shell));
    if (!t.plan)
        fail_msg("%s", t.said.p);
    value_set(a, point, STR("s"), value_string(a, str_of(payload)));
    value_set(a, point, STR("n"), value_int(a, 2));
    rc = plan_command(t.plan, point, t.arena, &argv, &argc, NULL);
    if (rc == 0)
        run(argv, argc, seen, size);
    if (access(CANARY, F_OK) == 0) {
        unlink(CANARY);
        fail_msg("%s: the value %s was run in %s\n%s", shell, payload, form,
                 rc == 0 ? argv[argc - 1].text.p : "");
    }
    test_done(&t);
    arena_free(a);
    return rc;
}

static const char *const shells[] = {"sh", "bash"};

static void every_form_of_command_sees_the_exact_value(void **state)
{
    char seen[4096], expected[512];

    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t i = 0; i < PAYLOADS; i++)
            for (size_t k = 0; k < 2; k++) {
                snprintf(expected, sizeof(expected), "[%s]", payloads[i]);
                if (try_one(forms[f], shells[k], payloads[i], seen,
                            sizeof(seen)))
                    fail_msg("refused: %s in %s", payloads[i], forms[f]);
                if (strstr(forms[f], "<<") && seen[0])
                    seen[strlen(seen) - 1] = 0; /* its line feed */
                if (strcmp(seen, expected) != 0)
                    fail_msg("%s: %s\nexpected %s\nsaw %s", shells[k], forms[f],
                             expected, seen);
            }
}

static void what_would_be_code_is_refused(void **state)
{
    char seen[4096];

    (void)state;
    for (size_t f = 0; f < CODES; f++)
        for (size_t i = 0; i < PAYLOADS; i++)
            for (size_t k = 0; k < 2; k++)
                try_one(code[f], shells[k], payloads[i], seen, sizeof(seen));
    for (size_t f = 0; f < CODES; f++) {
        assert_int_equal(try_one(code[f], "sh", "7", seen, sizeof(seen)), 0);
        if (try_one(code[f], "sh", "$(touch canary)", seen, sizeof(seen)) == 0)
            fail_msg("not refused: %s", code[f]);
    }
}

static void words_of_arguments_are_seen_whole(void **state)
{
    char seen[4096];

    (void)state;
    try_one("[SH, -c, \"printf '[%s]' ${args}\"]", "sh", "a'b $(touch canary)",
            seen, sizeof(seen));
    assert_string_equal(seen, "[--n=2][--s=a'b $(touch canary)]");
    try_one("[SH, -c, \"printf '[%s]' ${args_json}\"]", "sh", "it's; \"x\"",
            seen, sizeof(seen));
    assert_string_equal(seen, "[{\"n\":2,\"s\":\"it's; \\\"x\\\"\"}]");
    try_one("[SH, -c, \"printf '[%s]' '${args}'\"]", "bash", "a b", seen,
            sizeof(seen));
    assert_string_equal(seen, "[--n=2 --s=a b]");
}

/* The last element of the command. */
static void becomes(const char *form, const char *payload, const char *expected)
{
    struct reading_test t;
    struct arena *a = arena_new();
    const struct arg *argv = NULL;
    size_t argc = 0;
    struct value *point;

    test_read(&t, with_shell(a, form, "sh"));
    point = value_object(t.arena);
    value_set(t.arena, point, STR("s"), value_string(t.arena, str_of(payload)));
    assert_int_equal(plan_command(t.plan, point, t.arena, &argv, &argc, NULL),
                     0);
    assert_string_equal(argv[argc - 1].text.p, expected);
    test_done(&t);
    arena_free(a);
}

static void harmless_values_stand_as_they_are(void **state)
{
    (void)state;
    becomes("[sh, -c, \"train --lr {s} '{s}' \\\"{s}\\\" $(({s}))\"]", "1e-05",
            "train --lr 1e-05 '1e-05' \"1e-05\" $((1e-05))");
    becomes("[sh, -c, \"awk '{print $1}' {s} ${s2} \\\\{s}\"]", "data/a-1.csv",
            "awk '{print $1}' data/a-1.csv ${s2} \\{s}");
    becomes("[sh, -c, \"train {s}\"]", "a b",
            "throng1='a b'; train \"${throng1}\"");
}

/* What `check` says. */
static void says(const char *values, const char *command, const char *part)
{
    struct reading_test t;
    char text[512];

    snprintf(text, sizeof(text),
             "method: grid\nparameters: {s: {values: %s}}\ncommand: %s\n",
             values, command);
    test_read(&t, text);
    if (part ? !strstr(t.said.p, part) : t.said.len > 0)
        fail_msg("%s\n%s", text, t.said.p);
    test_done(&t);
}

static void check_says_where_a_value_would_be_code(void **state)
{
    (void)state;
    says("['a b']", "[sh, -c, \"sh -c 'x {s}'\"]", "for another shell");
    says("['a b']", "[sh, -c, \"eval {s}\"]", "THRONG_P_s");
    says("['a b']", "[ssh, host, \"x {s}\"]", "for another shell");
    says("['a b']", "ssh host 'x {s}'", "for another shell");
    says("['a b']", "[sbatch, \"--wrap=x {s}\"]", "for another shell");
    says("['a b']", "[fish, -c, \"x {s}\"]", "for another shell");
    says("['a b']", "[sh, -c, \"echo $(( {s} ))\"]", "in arithmetic");
    says("['a b']", "[python3, -c, \"print('{s}')\"]", "a program's code");
    says("['a b']", "python3 -c 'print({s})' | cat", "a program's code");
    says("['a b']", "awk '{print {s}}' x | cat", "a program's code");
    says("['a b']", "[sh, -c, \"x {s} '{s}'\"]", NULL);
    says("['a b']", "[bash, -lc, \"x {s}\"]", NULL);
    says("[1, 0.5, ab]", "[sh, -c, \"sh -c 'x {s}'; eval {s}\"]", NULL);
    says("['a b']", "./x\ntemplates: {path: x, text: \"#!/bin/sh\\ny {s}\"}",
         "templates: the value of {s}");
    says("[1, a]",
         "./x\ntemplates: {path: x.sh, text: \"y {s}\"}\n"
         "workdir: trial",
         NULL);
    says("[1]", "[python3, -c, \"print({s})\"]", NULL);
    says("['a b']", "\"env -S 'sh -c {s}'\"", "for another shell");
    says("['a b']", "watch 'x {s}'", "for another shell");
    says("['a b']", "echo {s} | xargs -I@ sh -c '@'", "for another shell");
    says("['a b']", "declare -i q={s}; ./x", "in arithmetic");
    says("['a b']", "[make, 'LR={s}']", "a program's code");
    says("['a b']", "make LR={s} >/dev/null", "a program's code");
    says("['a b']", "python3 -c {s} | cat", "a program's code");
    says("['a b']", "\"python3 - <<EOF\\nprint('{s}')\\nEOF\\n\"",
         "a program's code");
    says("['a b']", "bash x.sh {s} | cat", NULL);
    says("['a b']", "ls | xargs rm; ./x {s}", NULL);
    says("['a b']", "env A={s} ./x", NULL);
    says("['a b']", "make -C {s}", NULL);
}

static int enter(void **state)
{
    static char folder[] = "/tmp/throng-shell-XXXXXX";

    *state = folder;
    return !mkdtemp(folder) || chdir(folder);
}

static int leave(void **state)
{
    return chdir("/") || rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_command_sees_the_exact_value),
        cmocka_unit_test(words_of_arguments_are_seen_whole),
        cmocka_unit_test(harmless_values_stand_as_they_are),
        cmocka_unit_test(check_says_where_a_value_would_be_code),
        cmocka_unit_test(what_would_be_code_is_refused),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
