/* test_redact.c - texts without the secrets in them */
#include "plan_test.h"

#define STUDY                                                                  \
    "method: grid\ncommand: ['true']\n"                                        \
    "env: {WANDB_API_KEY: abcd1234, MY_TOKEN: '${envvar:T}', X: plain}\n"      \
    "parameters: {max_tokens: {value: 1}, cls_token: {value: k}}\n"

static void becomes(const char *text, const char *expected)
{
    struct reading_test t;
    struct buf b;

    test_read_well(&t, STUDY);
    buf_init(&b);
    plan_redact(&b, t.plan, str_of(text));
    assert_string_equal(b.p, expected);
    buf_done(&b);
    test_done(&t);
}

static void what_follows_a_secret_name_is_replaced(void **state)
{
    (void)state;
    becomes("--api_key=xyz --b=1", "--api_key=*** --b=1");
    becomes("API-TOKEN = xyz\nnext", "API-TOKEN = ***\nnext");
    becomes("PASSWORD: two words\nb: 1", "PASSWORD: ***\nb: 1");
    becomes("{A_SECRET: xyz, b: 1}", "{A_SECRET: ***, b: 1}");
    becomes("self.api_key = 'x\"y'", "self.api_key = '***'");
}

static void quotes_of_json_stay_whole(void **state)
{
    (void)state;
    becomes("{\"api_key\":\"x\\\"y\",\"b\":1}",
            "{\"api_key\":\"***\",\"b\":1}");
    becomes("[\"--api_key=xyz\",\"b\"]", "[\"--api_key=***\",\"b\"]");
    becomes("\"sh -c \\\"a_key=xyz\\\" b\"", "\"sh -c \\\"a_key=***\\\" b\"");
}

static void an_inner_quote_ends_an_inner_secret(void **state)
{
    (void)state;
    becomes("a: \"x_key=\\\"xyz\\\" && run\"\nb: \"1\"",
            "a: \"x_key=\\\"***\\\" && run\"\nb: \"1\"");
}

static void a_name_that_ends_in_its_colon_announces_the_next_item(void **state)
{
    (void)state;
    becomes("[\"run\", \"--token:\", \"xyz\"]",
            "[\"run\", \"--token:\", \"***\"]");
    becomes("['--token:', xyz, b]", "['--token:', ***, b]");
    becomes("\"api_key\": \"\", b", "\"api_key\": \"\", b");
}

static void a_blank_behind_a_backslash_ends_no_secret(void **state)
{
    (void)state;
    becomes("A_KEY=x\\ yz run", "A_KEY=*** run");
}

static void a_message_goes_on_behind_a_secret(void **state)
{
    (void)state;
    becomes("cannot start A_KEY=x:y: No such file",
            "cannot start A_KEY=***: No such file");
}

static void the_word_behind_an_option_is_replaced(void **state)
{
    (void)state;
    becomes("[--password, xyz, b]", "[--password, ***, b]");
    becomes("[\"--password\",\"xyz\",\"b\"]", "[\"--password\",\"***\",\"b\"]");
    becomes("  - --password\n  - xyz\n", "  - --password\n  - ***\n");
    becomes("the password is good", "the password is good");
}

/* -p may be a port, a path, a rate or the name of a model: to hide it would
 * also hide that it has changed. */
static void names_tell_behind_any_program_short_options_do_not(void **state)
{
    (void)state;
    becomes("./train --token xyz --api-key xyz --password=xyz --hf-token xyz",
            "./train --token *** --api-key *** --password=*** --hf-token ***");
    becomes("./train -p 0.5 -p ResNet50V2 -presnet -P 8 --pass 2 --key loss",
            "./train -p 0.5 -p ResNet50V2 -presnet -P 8 --pass 2 --key loss");
}

static void values_of_secret_variables_are_found_anywhere(void **state)
{
    (void)state;
    becomes("curl abcd1234 plain", "curl *** plain");
}

static void more_names_tell_secrets(void **state)
{
    (void)state;
    becomes("GITHUB_PAT=xyz DB_PWD=xyz MY_PASS=xyz x",
            "GITHUB_PAT=*** DB_PWD=*** MY_PASS=*** x");
    becomes("os.environ[\"GITHUB_PAT\"] = \"xyz\"",
            "os.environ[\"GITHUB_PAT\"] = \"***\"");
    becomes("apikey=xyz passwd: xyz\nssh_passphrase=xyz --db-credentials xyz",
            "apikey=*** passwd: ***\nssh_passphrase=*** --db-credentials ***");
    becomes("curl -H \"Authorization: token xyz\" b",
            "curl -H \"Authorization: ***\" b");
    becomes("pat=3 --pat 4 PWD=/home/me OLDPWD=/x path=y patience=2 pass: x",
            "pat=3 --pat 4 PWD=/home/me OLDPWD=/x path=y patience=2 pass: x");
}

static void passwords_of_urls_are_replaced(void **state)
{
    (void)state;
    becomes("git clone https://me:xyz@host/a.git",
            "git clone https://me:***@host/a.git");
    becomes("url = \"postgres://me:x@z@db:5432/a\"",
            "url = \"postgres://me:***@db:5432/a\"");
    becomes("https://0123456789abcdef0123@host/a https://abcdefgh12345678:x@b",
            "https://***@host/a https://***:***@b");
    becomes("https://${TOKEN_OF_MINE_1}@host ssh://first.last-of-all@host",
            "https://${TOKEN_OF_MINE_1}@host ssh://first.last-of-all@host");
    becomes("http://host:8080/a@b https://me@host/ https://me:$PW@host",
            "http://host:8080/a@b https://me@host/ https://me:$PW@host");
}

static void options_of_known_programs_hold_secrets(void **state)
{
    (void)state;
    becomes("sshpass -p xyz ssh host", "sshpass -p *** ssh host");
    becomes("/usr/bin/sshpass -pxyz ssh", "/usr/bin/sshpass -p*** ssh");
    becomes("[\"sshpass\", \"-p\", \"xyz\", \"b\"]",
            "[\"sshpass\", \"-p\", \"***\", \"b\"]");
    becomes("+  - sshpass\n+  - -p\n+  - xyz\n",
            "+  - sshpass\n+  - -p\n+  - ***\n");
    becomes("mysql -u me -pxyz db", "mysql -u me -p*** db");
    becomes("mysql -p db", "mysql -p db");
    becomes("docker login -u me -p xyz", "docker login -u me -p ***");
    becomes("curl -u me:xyz http://a", "curl -u me:*** http://a");
    becomes("curl --user \"me:xyz\" a", "curl --user \"me:***\" a");
    becomes("wandb login 0123456789abcdef0123456789abcdef01234567",
            "wandb login ***");
    becomes("docker run -p 8080:80 x; ./train -p 0.5 -u 3",
            "docker run -p 8080:80 x; ./train -p 0.5 -u 3");
    becomes("wandb login first\nmkdir -p a; sshpass; mkdir -p b",
            "wandb login first\nmkdir -p a; sshpass; mkdir -p b");
}

static void the_key_of_a_login_is_replaced(void **state)
{
    (void)state;
    becomes("wandb.login(key=\"xyz\")", "wandb.login(key=\"***\")");
    becomes("+wandb.login(\n+    relogin=True, key='xyz')",
            "+wandb.login(\n+    relogin=True, key='***')");
    becomes("+wandb.login(\"xyz\")", "+wandb.login(\"***\")");
    becomes("login('me', \"x y\", host='a')",
            "login('***', \"***\", host='a')");
    becomes("x = f'{login( \"xyz\" )}'; print(\"login\", 'b')",
            "x = f'{login( \"***\" )}'; print(\"login\", 'b')");
    becomes("+login(\n+    'xyz')", "+login(\n+    '***')");
    becomes("login(host=\"a\", os.environ[\"B\"])",
            "login(host=\"a\", os.environ[\"B\"])");
    becomes("best(key=\"loss\"); sorted(a, key=f); login(); x(key='a')",
            "best(key=\"loss\"); sorted(a, key=f); login(); x(key='a')");
}

static void tokens_are_known_by_their_looks(void **state)
{
    (void)state;
    becomes("a ghp_0123456789abcdefghijABCDEFGHIJ012345 b", "a *** b");
    becomes("x = \"hf_abcdefghijABCDEFGHIJ0123456789abcd\"", "x = \"***\"");
    becomes("sk-proj-0123456789abcdefghij-ABC", "***");
    becomes("id AKIAIOSFODNN7EXAMPLE.", "id ***.");
    becomes("https://ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com",
            "https://***@github.com");
    becomes("-H 'x: Bearer abcdefghij.0123456789'", "-H 'x: Bearer ***'");
    becomes(
        "hf_hub_download_of_a_model_with_name(sk-learn-contrib-is-a-thing)",
        "hf_hub_download_of_a_model_with_name(sk-learn-contrib-is-a-thing)");
    becomes("the Bearer of news, 0123456789abcdef0123456789abcdef01234567",
            "the Bearer of news, 0123456789abcdef0123456789abcdef01234567");
}

static void private_keys_are_replaced(void **state)
{
    (void)state;
    becomes("+-----BEGIN RSA PRIVATE KEY-----\n+MIIxyz\n+abc=\n"
            "+-----END RSA PRIVATE KEY-----\n b",
            "+-----BEGIN RSA PRIVATE KEY-----***"
            "-----END RSA PRIVATE KEY-----\n b");
    becomes("------BEGIN PRIVATE KEY-----\n-MIIxyz", "------BEGIN PRIVATE "
                                                     "KEY-----***");
    becomes("-----BEGIN CERTIFICATE-----\nMIIxyz\n",
            "-----BEGIN CERTIFICATE-----\nMIIxyz\n");
}

static void what_is_no_secret_stays(void **state)
{
    (void)state;
    becomes("--max_tokens=5 cls_token: k key=1 tokens: 3 keyboard=x",
            "--max_tokens=5 cls_token: k key=1 tokens: 3 keyboard=x");
    becomes("A_KEY: ${envvar:A}", "A_KEY: ${envvar:A}");
    becomes("--a_key=", "--a_key=");
    becomes("--a_key", "--a_key");
    becomes("", "");
}

/* ---- the study file --------------------------------------------------- */

/* What is stored of a study file can be read, and reads as this. */
static void study_becomes(const char *text, const char *expected)
{
    struct reading_test t, again;
    struct buf b;

    test_read_well(&t, text);
    buf_init(&b);
    plan_redact_study(&b, t.plan);
    assert_string_equal(b.p, expected);
    test_read_well(&again, b.p);
    test_done(&again);
    buf_done(&b);
    test_done(&t);
}

static void a_study_file_keeps_its_looks(void **state)
{
    (void)state;
    study_becomes("# mine\nprogram: a.py # A_KEY=xyz\nmethod: grid\n"
                  "env: {A_KEY: xyz, B_KEY: 12, C_KEY: \"q\"}\n"
                  "parameters: {a: {value: 1}}\n",
                  "# mine\nprogram: a.py # A_KEY=***\nmethod: grid\n"
                  "env: {A_KEY: '***', B_KEY: '***', C_KEY: \"***\"}\n"
                  "parameters: {a: {value: 1}}\n");
    study_becomes("command:\n  - run\n  - --password\n  - xyz\n"
                  "method: grid\nparameters: {a: {value: 1}}\n",
                  "command:\n  - run\n  - --password\n  - '***'\n"
                  "method: grid\nparameters: {a: {value: 1}}\n");
    study_becomes("command: A_KEY=xyz run --password xyz | tee a\n"
                  "method: grid\nparameters: {a: {value: 1}}\n",
                  "command: A_KEY=*** run --password *** | tee a\n"
                  "method: grid\nparameters: {a: {value: 1}}\n");
}

static void
a_study_file_whose_text_cannot_be_redacted_is_kept_as_json(void **state)
{
    (void)state;
    study_becomes("command: [run, --token,\n  # later\n  xyz]\nmethod: grid\n"
                  "parameters: {o: {parameters: {a_key: {value: k}}}}\n",
                  "{\"command\":[\"run\",\"--token\",\"***\"],"
                  "\"method\":\"grid\",\"parameters\":{\"o\":{\"parameters\":"
                  "{\"a_key\":{\"value\":\"k\"}}}}}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_a_secret_name_is_replaced),
        cmocka_unit_test(quotes_of_json_stay_whole),
        cmocka_unit_test(an_inner_quote_ends_an_inner_secret),
        cmocka_unit_test(a_name_that_ends_in_its_colon_announces_the_next_item),
        cmocka_unit_test(a_blank_behind_a_backslash_ends_no_secret),
        cmocka_unit_test(a_message_goes_on_behind_a_secret),
        cmocka_unit_test(the_word_behind_an_option_is_replaced),
        cmocka_unit_test(names_tell_behind_any_program_short_options_do_not),
        cmocka_unit_test(values_of_secret_variables_are_found_anywhere),
        cmocka_unit_test(more_names_tell_secrets),
        cmocka_unit_test(passwords_of_urls_are_replaced),
        cmocka_unit_test(options_of_known_programs_hold_secrets),
        cmocka_unit_test(the_key_of_a_login_is_replaced),
        cmocka_unit_test(tokens_are_known_by_their_looks),
        cmocka_unit_test(private_keys_are_replaced),
        cmocka_unit_test(what_is_no_secret_stays),
        cmocka_unit_test(a_study_file_keeps_its_looks),
        cmocka_unit_test(
            a_study_file_whose_text_cannot_be_redacted_is_kept_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
