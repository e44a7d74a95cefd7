/* HTCondor's job event log
 *
 * The texts here are written in the exact form of HTCondor 25.0. Logs of a real
 * pool are read as well, byte for byte, where THRONG_TEST_CONDOR names a folder
 * of them. */
#include "engine/htcondor_log.h"
#include "base/arena.h"
#include "base/buf.h"
#include "sys/sys.h"
#include "../given.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define PROCS_MAX 32

static const char *const words[] = {
    [CONDOR_JOB_UNKNOWN] = "unknown", [CONDOR_JOB_IDLE] = "idle",
    [CONDOR_JOB_RUNS] = "runs",       [CONDOR_JOB_LOST] = "lost",
    [CONDOR_JOB_HOLDS] = "holds",     [CONDOR_JOB_DONE] = "done",
    [CONDOR_JOB_REMOVED] = "removed"};

/* All events of a log, of any cluster where none is said; how many bytes they
 * are. */
static size_t read_cluster(struct str text, uint64_t cluster,
                           struct condor_job *jobs, int *got, struct err *err)
{
    struct condor_event e;
    struct buf form;
    size_t used, at = 0;
    buf_init(&form);
    while ((*got = condor_event_any(str_n(text.p + at, text.len - at), &form,
                                    &e, &used, err)) > 0) {
        at += used;
        if (e.proc >= 0 && e.proc < PROCS_MAX &&
            (!cluster || cluster == e.cluster))
            condor_job_apply(&jobs[e.proc], &e);
    }
    buf_done(&form);
    return at;
}

static size_t read_all(struct str text, struct condor_job *jobs, int *got,
                       struct err *err)
{
    return read_cluster(text, 0, jobs, got, err);
}

static void begin(struct condor_job *jobs)
{
    for (size_t i = 0; i < PROCS_MAX; i++)
        condor_job_init(&jobs[i]);
}

static void print_job(struct buf *b, const struct condor_job *j)
{
    buf_addf(b, "%s x%u", words[j->state], j->starts);
    if (j->exit_signal)
        buf_addf(b, " signal %d", j->exit_signal);
    else if (j->state == CONDOR_JOB_DONE)
        buf_addf(b, " exit %d", j->exit_code);
    if (j->state == CONDOR_JOB_HOLDS)
        buf_addf(b, " %d/%d", j->code, j->subcode);
    if (*j->by)
        buf_addf(b, " by %s", j->by);
}

/* "done x1 exit 0; removed x0 by user": a job after the other. */
static void print_jobs(struct buf *b, const struct condor_job *jobs)
{
    for (size_t i = 0; i < PROCS_MAX; i++)
        if (jobs[i].state != CONDOR_JOB_UNKNOWN) {
            buf_adds(b, b->len ? "; " : "");
            print_job(b, &jobs[i]);
        }
}

static void check_cluster(const char *log, uint64_t cluster,
                          const char *expected)
{
    struct condor_job jobs[PROCS_MAX];
    struct buf b;
    int got;
    begin(jobs);
    buf_init(&b);
    assert_int_equal(read_cluster(str_of(log), cluster, jobs, &got, NULL),
                     strlen(log));
    assert_int_equal(got, 0);
    print_jobs(&b, jobs);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void check(const char *log, const char *expected)
{
    check_cluster(log, 0, expected);
}

/* ---- texts of our own ------------------------------------------------------
 */

#define SUBMITTED(id)                                                          \
    "000 (" id ") 2026-11-15 09:26:05 Job submitted from host: "               \
    "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=ap.example.net&noUDP>\n...\n"
#define EXECUTING(id)                                                          \
    "040 (" id ") 2026-11-15 09:26:14 Started transferring input files\n"      \
    "\tTransferring to host: <127.0.0.1:9618?sock=slot1_1>\n...\n"             \
    "001 (" id ") 2026-11-15 09:26:15 Job executing on host: "                 \
    "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=e7.example.net&noUDP>\n"       \
    "\tSlotName: slot1_5@e7.example.net\n\tAvailableGPUs = {  }\n"             \
    "\tCondorScratchDir = \"/var/lib/condor/execute/dir_24240\"\n"             \
    "\tCpus = 1\n\tMemory = 128\n...\n"
#define EVICTED(id, code)                                                      \
    "004 (" id ") 2026-11-15 09:26:21 Job was evicted. Code " code             \
    " Subcode 0\n\t(0) CPU times\n"                                            \
    "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage\n"                \
    "\tReason: Claim deactivated\n...\n"
#define TERMINATED(id, how)                                                    \
    "005 (" id ") 2026-11-15 09:28:14 Job terminated.\n\t" how "\n"            \
    "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage\n"                \
    "\t8  -  Run Bytes Sent By Job\n"                                          \
    "\tPartitionable Resources :    Usage  Request Allocated \n"               \
    "\t   Cpus                 :        0        1         1 \n...\n"

static const char plain[] = SUBMITTED("012.001.000") SUBMITTED("012.000.000")
    EXECUTING("012.000.000") EXECUTING("012.001.000")
        TERMINATED("012.000.000", "(1) Normal termination (return value 3)")
            TERMINATED("012.001.000", "(0) Abnormal termination (signal 9)");

static void events_of_several_jobs_are_told_apart(void **state)
{
    (void)state;
    check(plain, "done x1 exit 3; done x1 signal 9");
}

static void an_eviction_is_no_end(void **state)
{
    (void)state;
    check(SUBMITTED("1234.000.000") EXECUTING("1234.000.000")
              EVICTED("1234.000.000", "1009"),
          "idle x1");
    /* A killed shadow leaves no event of its own: it is begun again. */
    check(SUBMITTED("012.000.000") EXECUTING("012.000.000")
              EXECUTING("012.000.000"),
          "runs x2");
    /* One that gives up by itself does. */
    check(SUBMITTED("012.000.000") EXECUTING(
              "012.000.000") "007 (012.000.000) 2026-11-15 09:26:30 Shadow "
                             "exception!\n"
                             "\tError from slot1_1@e7.example.net: Failed to "
                             "open a file\n"
                             "\t0  -  Run Bytes Sent By Job\n"
                             "\t0  -  Run Bytes Received By Job\n...\n",
          "idle x1");
}

static void a_machine_that_a_pool_borrows_is_named(void **state)
{
    (void)state;
    struct condor_job jobs[PROCS_MAX];
    int got;
    begin(jobs);
    read_all(STR("001 (012.000.000) 2026-11-15 09:26:15 Job executing on host: "
                 "<h>\n\tSlotName: slot1_5@glidein_7_81@e7.example.net\n...\n"),
             jobs, &got, NULL);
    assert_string_equal(jobs[0].node, "e7.example.net");
}

static void a_hold_has_its_reason_and_code(void **state)
{
    (void)state;
    static const char log[] = SUBMITTED("038.000.000") EXECUTING("038.000.000")
        EVICTED("038.000.000",
                "12") "012 (038.000.000) 2026-11-15 09:26:21 Job was held.\n"
                      "\tTransfer output files failure at execution point: no "
                      "such file\n"
                      "\tCode 12 Subcode 2\n...\n";
    struct condor_job jobs[PROCS_MAX];
    int got;
    begin(jobs);
    read_all(str_of(log), jobs, &got, NULL);
    assert_string_equal(
        jobs[0].reason,
        "Transfer output files failure at execution point: no such file");
    assert_string_equal(jobs[0].node, "e7.example.net");
    check(log, "holds x1 12/2");
}

static void who_holds_and_removes_is_known(void **state)
{
    (void)state;
    check(SUBMITTED("038.000.000") "012 (038.000.000) 2026-11-15 09:26:21 Job "
                                   "was held.\n"
                                   "\tvia condor_hold (by user ada)\n\tCode 1 "
                                   "Subcode 0\n...\n",
          "holds x0 1/0 by ada");
    check(SUBMITTED("038.000.000") "013 (038.000.000) 2026-11-15 09:26:23 Job "
                                   "was released.\n"
                                   "\tvia condor_release (by user ada)\n...\n",
          "idle x0");
    check(SUBMITTED(
              "038.000.000") "009 (038.000.000) 2026-11-15 09:26:27 Job was "
                             "aborted.\n"
                             "\tvia condor_rm (by user ada)\n...\n" TERMINATED(
                                 "038.000.000",
                                 "(1) Normal termination (return value 0)"),
          "removed x0 by ada");
}

static void a_reason_with_codes_in_it_is_not_taken_for_them(void **state)
{
    (void)state;
    check(SUBMITTED("038.000.000") "012 (038.000.000) 2026-11-15 09:26:21 Job "
                                   "was held.\n"
                                   "\tThe job attribute OnExitHold expression "
                                   "'ExitCode =!= 0' "
                                   "evaluated to TRUE, Code none\n\tCode 3 "
                                   "Subcode 0\n...\n",
          "holds x0 3/0");
}

static void a_machine_that_does_not_answer_may_still_run_it(void **state)
{
    (void)state;
#define DISCONNECTED                                                           \
    "022 (007.000.000) 2026-11-15 09:44:20 Job disconnected, attempting to "   \
    "reconnect\n    Socket between submit and execute hosts closed "           \
    "unexpectedly\n    Trying to reconnect to slot1_1@e7.example.net\n...\n"
    check(SUBMITTED("007.000.000") EXECUTING("007.000.000") DISCONNECTED,
          "lost x1");
    check(SUBMITTED("007.000.000") EXECUTING("007.000.000") DISCONNECTED
          "023 (007.000.000) 2026-11-15 09:44:20 Job reconnected to "
          "slot1_1@e7.example.net\n    startd address: <127.0.0.1:9618>\n...\n",
          "runs x1");
    check(SUBMITTED("007.000.000") EXECUTING("007.000.000") DISCONNECTED
          "024 (007.000.000) 2026-11-15 09:44:20 Job reconnection failed\n"
          "    Job not found at execution machine\n...\n",
          "idle x1");
}

/* ---- torn, other forms, no log ----------------------------------------------
 */

static void what_is_cut_off_anywhere_waits_for_its_rest(void **state)
{
    (void)state;
    struct condor_job jobs[PROCS_MAX];
    int got;
    for (size_t len = 0; len < sizeof plain - 1; len++) {
        begin(jobs);
        size_t at = read_all(str_n(plain, len), jobs, &got, NULL);
        assert_int_equal(got, 0);
        assert_true(at <= len);
        size_t rest = read_all(str_of(plain + at), jobs, &got, NULL);
        assert_int_equal(at + rest, sizeof plain - 1);
        assert_int_equal(jobs[0].exit_code, 3);
        assert_int_equal(jobs[1].exit_signal, 9);
    }
}

static void zeros_at_the_end_are_not_there_yet(void **state)
{
    (void)state;
    static const char log[] = SUBMITTED("012.000.000") "\0\0\0\0";
    struct condor_job jobs[PROCS_MAX];
    int got;
    begin(jobs);
    assert_int_equal(read_all(str_n(log, sizeof log - 1), jobs, &got, NULL),
                     sizeof log - 5);
    assert_int_equal(got, 0);
}

static void times_of_all_forms_are_read(void **state)
{
    (void)state;
    check("000 (140.000.000) 11/15 10:09:51 Job submitted from host: <h>\n"
          "...\n",
          "idle x0");
    check("000 (140.000.000) 2026-11-15 10:09:37.633Z Job submitted from "
          "host: <h>\n...\n",
          "idle x0");
    check("000 (140.000.000) 2026-11-15T10:09:37Z Job submitted from host: "
          "<h>\n...\n",
          "idle x0");
}

static void refused(const char *text, const char *why)
{
    struct condor_event e;
    struct err err = {0};
    struct buf form;
    size_t used;
    buf_init(&form);
    assert_int_equal(condor_event_any(str_of(text), &form, &e, &used, &err),
                     -1);
    assert_non_null(strstr(err.text, why));
    buf_done(&form);
}

static const char json_held[] =
    "{\n  \"Proc\": 3,\n  \"MyType\": \"JobHeldEvent\",\n"
    "  \"Cluster\": 12,\n  \"Props\": {\n    \"Cluster\": 99\n  },\n"
    "  \"HoldReason\": \"no \\\"x\\\" in \\/a, (by user ada)\",\n"
    "  \"HoldReasonCode\": 13,\n  \"EventTypeNumber\": 12,\n"
    "  \"HoldReasonSubCode\": 2\n}\n";
static const char xml_held[] =
    "<c>\n    <a n=\"Proc\"><i>3</i></a>\n"
    "    <a n=\"Cluster\"><i>12</i></a>\n"
    "    <a n=\"Props\"><c>\n        <a n=\"Cluster\"><i>99</i></a>\n"
    "    </c></a>\n"
    "    <a n=\"HoldReason\"><s>no &quot;x&quot; in /a, (by user "
    "ada)</s></a>\n"
    "    <a n=\"HoldReasonCode\"><i>13</i></a>\n"
    "    <a n=\"EventTypeNumber\"><i>12</i></a>\n"
    "    <a n=\"HoldReasonSubCode\"><i>2</i></a>\n</c>\n";

static void json_and_xml_are_read_as_text_is(void **state)
{
    (void)state;
    static const char *const logs[] = {json_held, xml_held};
    for (size_t i = 0; i < 2; i++) {
        struct condor_job jobs[PROCS_MAX];
        size_t len = strlen(logs[i]);
        int got;
        begin(jobs);
        for (size_t cut = 0; cut < len; cut++) {
            assert_int_equal(read_all(str_n(logs[i], cut), jobs, &got, NULL),
                             0);
            assert_int_equal(got, 0);
        }
        assert_int_equal(read_all(str_of(logs[i]), jobs, &got, NULL), len);
        assert_string_equal(jobs[3].reason, "no \"x\" in /a, (by user ada)");
        check_cluster(logs[i], 12, "holds x0 13/2 by ada");
    }
}

static void what_is_no_log_is_refused_in_words(void **state)
{
    (void)state;
    refused("{\n  \"Proc\": 0,\n}\n", "no event");
    refused("<c>\n    <a n=\"Proc\"><i>0</i></a>\n</c>\n", "no event");
    refused("hello\n", "'hello'");
    refused("0000 (1.0.0) x y\n...\n", "not the beginning");
    refused("000 [1.0.0] 11/15 10:00:00 x\n...\n", "not the beginning");
    refused("000 (1.0.0) Job submitted\n...\n", "not the beginning");
    refused("000 (1.99999999999.0) 11/15 10:00:00 x\n...\n",
            "not the beginning");
}

/* ---- logs of a real pool ----------------------------------------------------
 */

/* How the jobs of each ended, as its README tells. */
static const struct {
    const char *name, *jobs;
} real[] = {
#include "condor_samples.inc"
};

static const char *read_sample(const char *folder, const char *name,
                               struct arena *a)
{
    const char *path = path_join(a, folder, name);
    struct buf text;
    if (!file_exists(path))
        return NULL;
    buf_init(&text);
    assert_int_equal(file_read(path, 0, &text, NULL), 0);
    const char *s = arena_cstr(a, buf_str(&text));
    buf_done(&text);
    return s;
}

/* How many of them there are. */
static size_t check_samples(const char *folder, struct arena *a)
{
    size_t checked = 0;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        const char *log = read_sample(folder, real[i].name, a);
        if (!log)
            continue;
        print_message("%s\n", real[i].name);
        check(log, real[i].jobs);
        checked++;
    }
    return checked;
}

/* Some are kept with the tests. */
static void logs_of_a_real_pool_are_read_to_the_last_byte(void **state)
{
    struct arena *a = arena_new();
    const char *kept = given("CONDOR_SAMPLES");
    (void)state;
    assert_true(check_samples(kept, a) >= 10);
    arena_free(a);
}

static void all_logs_of_a_real_pool_are(void **state)
{
    const char *folder = getenv("THRONG_TEST_CONDOR");
    (void)state;
    if (!folder)
        skip(); /* THRONG_TEST_CONDOR names no folder of real logs */
    struct arena *a = arena_new();
    assert_int_equal(check_samples(folder, a), sizeof real / sizeof *real);
    static const char *const json[] = {
        "done x1 exit 0; done x1 exit 0", "done x2 exit 7", "done x1 signal 11",
        "removed x1 by user", "removed x1 by user"};
    for (unsigned i = 0; i < 5; i++)
        check_cluster(read_sample(folder, "03e-json-all.log", a), 143 + i,
                      json[i]);
    check(read_sample(folder, "03-xml.log", a), "done x1 exit 0");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_several_jobs_are_told_apart),
        cmocka_unit_test(an_eviction_is_no_end),
        cmocka_unit_test(a_machine_that_a_pool_borrows_is_named),
        cmocka_unit_test(a_hold_has_its_reason_and_code),
        cmocka_unit_test(who_holds_and_removes_is_known),
        cmocka_unit_test(a_reason_with_codes_in_it_is_not_taken_for_them),
        cmocka_unit_test(a_machine_that_does_not_answer_may_still_run_it),
        cmocka_unit_test(what_is_cut_off_anywhere_waits_for_its_rest),
        cmocka_unit_test(zeros_at_the_end_are_not_there_yet),
        cmocka_unit_test(times_of_all_forms_are_read),
        cmocka_unit_test(json_and_xml_are_read_as_text_is),
        cmocka_unit_test(what_is_no_log_is_refused_in_words),
        cmocka_unit_test(logs_of_a_real_pool_are_read_to_the_last_byte),
        cmocka_unit_test(all_logs_of_a_real_pool_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
