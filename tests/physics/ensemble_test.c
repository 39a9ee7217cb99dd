/* SPDX-License-Identifier: MIT */
/* Several FMUs whose states Tutti integrates as one system: against closed
 * forms, rolled back, resumed, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "numerics.h"
#include "support/run_tutti.h"
#include "sys/file.h"

#define FILE_JSON TT_BUILD_DIR "/ensemble_test.json"
#define UNITS     TT_BUILD_DIR "/tests/units/"

static void write_scenario(const char *text)
{
    assert_int_equal(tt_file_write(FILE_JSON, text, strlen(text), NULL), TT_OK);
}

/* --- two masses ------------------------------------------------------------
 */

static void two_masses_are_the_matrix_exponential(void **state)
{
    static const struct matrix coupled = {
        4, {{0, 1, 0, 0}, {-6, -2, 1, 1}, {0, 0, 0, 1}, {1, 1, -1.1, -1}}};
    static const char *const name[] = {"{msd1}.msd1.x1", "{msd1}.msd1.v1",
                                       "{msd2}.msd2.x2", "{msd2}.msd2.v2"};
    static const char *const scenario[] = {
        "double-mass-spring-damper/scenario.json",
        "double-mass-spring-damper/scenario-fmi3.json"};
    static const char *const method[] = {"explicit", "stiff", "rk4"};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        tt_table *t = play(
            &(struct play){.scenario = scenario[i % 2],
                           .options = {"--interface", "me", "--tolerance",
                                       "1e-9", "--integrator", method[i / 2]}});

        for (size_t r = 0; r < tt_table_rows(t); r++) {
            double x[] = {1, 0, 0, 0};
            struct matrix phi = exponential(&coupled, tt_table_time(t)[r]);

            apply(&phi, x);
            for (size_t k = 0; k < 4; k++)
                assert_near(column(t, name[k])[r], x[k], 1e-8);
        }
        tt_table_free(t);
    }
}

/* --- a ring ----------------------------------------------------------------
 */

/* y[i] = x[i] + b u[i], u[i] = y[i - 1]: three unknowns at every instant. */
#define RING_BODY                                                              \
    "{\"fmus\": {\"{c}\": \"" UNITS "cell%s.fmu\"},\n"                         \
    " \"connections\": {\"{c}.a.y\": [\"{c}.b.u\"], \"{c}.b.y\": "             \
    "[\"{c}.c.u\"], \"{c}.c.y\": [\"{c}.a.u\"]},\n"                            \
    " \"parameters\": {\"{c}.a.x\": 1, \"{c}.a.b\": 0.5, \"{c}.b.b\": 0.5, "   \
    "\"{c}.c.b\": -0.8, \"{c}.b.k\": 3},\n"                                    \
    " \"interface\": \"me\", \"tolerance\": 1e-9, \"endTime\": 2,\n"           \
    " \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}}"

/* u = P y and y = x + B u give u = P (I - B P)^-1 x, by hand: all round the
 * ring the product of the b is -0.2. */
static struct matrix ring(void)
{
    const double b[] = {0.5, 0.5, -0.8}, k[] = {1, 3, 1};
    struct matrix m = {3, {{0}}};

    for (size_t j = 0; j < 3; j++) { /* y follows x[j] */
        double y[3], round = 1 - b[0] * b[1] * b[2];

        y[j] = 1 / round;
        y[(j + 1) % 3] = b[(j + 1) % 3] * y[j];
        y[(j + 2) % 3] = b[(j + 2) % 3] * y[(j + 1) % 3];
        for (size_t i = 0; i < 3; i++)
            m.a[i][j] = k[i] * (y[(i + 2) % 3] - (i == j));
    }
    return m;
}

static void a_ring_of_feed_through_is_solved_at_every_instant(void **state)
{
    static const char *const version[] = {"", "-fmi3"};
    static const char *const method[] = {"explicit", "stiff"};
    static const double b[] = {0.5, 0.5, -0.8};
    const struct matrix a = ring();
    char text[1024];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const double *x[3], *y[3];
        tt_table *t;

        (void)snprintf(text, sizeof(text), RING_BODY, version[i % 2]);
        write_scenario(text);
        t = play(&(struct play){
            .scenario = FILE_JSON,
            .options = {"--record", "all", "--integrator", method[i / 2]}});
        for (size_t k = 0; k < 3; k++) {
            char name[16];

            (void)snprintf(name, sizeof(name), "{c}.%c.x", (char)('a' + k));
            x[k] = column(t, name);
            (void)snprintf(name, sizeof(name), "{c}.%c.y", (char)('a' + k));
            y[k] = column(t, name);
        }
        for (size_t r = 0; r < tt_table_rows(t); r++) {
            double want[] = {1, 0, 0};
            struct matrix phi = exponential(&a, tt_table_time(t)[r]);

            apply(&phi, want);
            for (size_t k = 0; k < 3; k++) {
                assert_near(x[k][r], want[k], 1e-8);
                assert_near(y[k][r], x[k][r] + b[k] * y[(k + 2) % 3][r], 1e-9);
            }
        }
        tt_table_free(t);
    }
    (void)remove(FILE_JSON);
}

/* --- events ----------------------------------------------------------------
 */

/* a reaches its level at ln 2 and switches b on, whose relay switches c on. */
#define CHAIN                                                                  \
    "{\"fmus\": {\"{c}\": \"" UNITS "cell%s.fmu\"},\n"                         \
    " \"connections\": {\"{c}.a.high\": [\"{c}.b.on\"], \"{c}.b.relay\": "     \
    "[\"{c}.c.on\"]},\n"                                                       \
    " \"parameters\": {\"{c}.a.u\": 1, \"{c}.a.level\": 0.5, \"{c}.b.k\": 0, " \
    "\"{c}.c.k\": 0, \"{c}.c.push\": -2},\n"                                   \
    " \"interface\": \"me\", \"tolerance\": 1e-10, \"endTime\": 1,\n"          \
    " \"algorithm\": {\"type\": \"fixed-step\", \"size\": %s}}"

static void an_event_switches_others_at_the_same_instant(void **state)
{
    static const char *const version[] = {"", "-fmi3"};
    static const char *const step[] = {"0.1", "1"};
    char text[1024];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        double high, last;
        size_t end;
        tt_table *t;

        (void)snprintf(text, sizeof(text), CHAIN, version[i % 2], step[i / 2]);
        write_scenario(text);
        t = play(&(struct play){.scenario = FILE_JSON,
                                .options = {"--record", "all"}});
        end = tt_table_rows(t) - 1;
        last = tt_table_time(t)[end];
        high = column(t, "{c}.a.tHigh")[end];
        assert_near(high, log(2), 1e-9);
        assert_true(column(t, "{c}.b.tOn")[end] == high);
        assert_true(column(t, "{c}.c.tOn")[end] == high);
        assert_near(column(t, "{c}.b.x")[end], last - high, 1e-12);
        assert_near(column(t, "{c}.c.x")[end], -2 * (last - high), 1e-12);
        tt_table_free(t);
    }
    (void)remove(FILE_JSON);
}

/* x' = u - x from 0, where u is -1 and, from `when` on, ln 2. */
static double follower(double t, double when)
{
    double before = fmin(t, when), after = t - before;
    double x = expm1(-before);

    return x * exp(-after) - log(2) * expm1(-after);
}

/* With a way back the event ends the step for all: what stands beside the
 * ensemble, by co-simulation, is switched at that instant, too, between two
 * rows. Where none of them can go back, it is at the next communication point.
 */
static void an_event_ends_the_step_for_those_around(void **state)
{
    static const char around[] =
        "{\"fmus\": {\"{c}\": \"" UNITS "cell%s.fmu\"},\n"
        " \"connections\": {\"{c}.a.high\": [\"{c}.b.on\"], "
        "\"{c}.b.tOn\": [\"{c}.d.u\"]},\n"
        " \"parameters\": {\"{c}.a.u\": 1, \"{c}.a.level\": 0.5, "
        "\"{c}.b.k\": 0},\n"
        " \"together\": [\"{c}.a\", \"{c}.b\"], \"tolerance\": 1e-10,\n"
        " \"rollback\": %s, \"endTime\": 1.2,\n"
        " \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.4}}";
    static const char *const version[] = {"", "-fmi3"};
    char text[1024];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        double high, when = i < 2 ? log(2) : 0.8; /* d knows of it */
        const double *t, *b, *d;
        size_t end, twice = 0;
        tt_table *r;

        (void)snprintf(text, sizeof(text), around, version[i % 2],
                       i < 2 ? "true" : "false");
        write_scenario(text);
        r = play(&(struct play){.scenario = FILE_JSON,
                                .options = {"--record", "all"}});
        end = tt_table_rows(r) - 1;
        t = tt_table_time(r);
        b = column(r, "{c}.b.x");
        d = column(r, "{c}.d.x");
        high = column(r, "{c}.a.tHigh")[end];
        assert_near(high, log(2), 1e-9);
        assert_true(column(r, "{c}.b.tOn")[end] == high);
        for (size_t k = 0; k <= end; k++) {
            assert_near(b[k], fmax(0, t[k] - high), 1e-9);
            /* RK4's own error in steps of 0.4 is 0.4^5/120 each */
            assert_near(d[k], follower(t[k], when), 3e-4);
            twice += k && t[k] == t[k - 1];
            if (k && t[k] == t[k - 1])
                assert_true(t[k] == high);
        }
        assert_int_equal(twice, i < 2);
        tt_table_free(r);
    }
    (void)remove(FILE_JSON);
}

/* --- rolled back, resumed, elsewhere ----------------------------------------
 */

/* A ring with events, and one that follows it by co-simulation: with --iterate
 * every step is taken back and made again, and gives the same. */
#define FOLLOWED                                                               \
    "{\"fmus\": {\"{c}\": \"" UNITS "cell.fmu\"},\n"                           \
    " \"connections\": {\"{c}.a.y\": [\"{c}.b.u\", \"{c}.d.u\"], "             \
    "\"{c}.b.y\": [\"{c}.a.u\"], \"{c}.a.high\": [\"{c}.b.on\"], "             \
    "\"{c}.d.x\": [\"{c}.e.u\"]},\n"                                           \
    " \"parameters\": {\"{c}.a.x\": 1, \"{c}.a.b\": 0.5, "                     \
    "\"{c}.b.k\": 3, \"{c}.a.level\": 1.2, \"{c}.b.x\": 2},\n"                 \
    " \"together\": [\"{c}.a\", \"{c}.b\"], \"tolerance\": 1e-7,\n"            \
    " \"endTime\": 2,\n"                                                       \
    " \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}}"

/* Columns of the two that are integrated together, to the bit. */
static void assert_same(const tt_table *a, const tt_table *b)
{
    static const char *const name[] = {"x",   "y", "high", "tHigh", "relay",
                                       "tOn", "u", "dx",   "gap"};
    char path[32];

    assert_int_equal(tt_table_rows(a), tt_table_rows(b));
    for (size_t i = 0; i < 18; i++) {
        (void)snprintf(path, sizeof(path), "{c}.%c.%s", i % 2 ? 'b' : 'a',
                       name[i / 2]);
        assert_memory_equal(column(a, path), column(b, path),
                            tt_table_rows(a) * sizeof(double));
    }
}

static const char *const methods[] = {"explicit", "stiff", "auto"};

static void a_step_taken_back_at_every_point_is_the_same(void **state)
{
    (void)state;
    write_scenario(FOLLOWED);
    for (size_t i = 0; i < 3; i++) {
        tt_table *once = play(&(struct play){
            .scenario = FILE_JSON,
            .options = {"--record", "all", "--integrator", methods[i]}});
        tt_table *again =
            play(&(struct play){.scenario = FILE_JSON,
                                .options = {"--record", "all", "--integrator",
                                            methods[i], "--iterate", "3"}});

        assert_true(column(once, "{c}.b.tOn")[20] > 0);
        assert_same(once, again);
        tt_table_free(once);
        tt_table_free(again);
    }
    (void)remove(FILE_JSON);
}

/* Results of a run of FILE_JSON, as they are in the file, perhaps when it was
 * resumed at 1.3 s. */
static char *bytes_of(const char *const extra[], int resumes)
{
    const char *file = TT_BUILD_DIR "/ensemble_test.csv";
    const char *check = TT_BUILD_DIR "/ensemble_test.check";
    const char *argv[24] = {"run", FILE_JSON,      "-o",  file,      "--record",
                            "all", "--checkpoint", check, "--every", "sim:1.3"};
    const char *const resume[] = {"run", "--resume", check, NULL};
    size_t n = 10;
    struct tt_buf b;

    while (*extra)
        argv[n++] = *extra++;
    assert_int_equal(run_tutti(argv, NULL, NULL), 0);
    if (resumes)
        assert_int_equal(run_tutti(resume, NULL, NULL), 0);
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_read(&b, file, NULL), TT_OK);
    (void)remove(file);
    (void)remove(check);
    return tt_buf_take(&b);
}

static void
threads_masters_and_resuming_leave_the_bits_as_they_are(void **state)
{
    static const char *const way[][4] = {
        {"--threads", "1"}, {"--threads", "2"}, {"--master", "gauss-seidel"}};
    char text[1024];
    char *want, *is;

    (void)state;
    (void)snprintf(text, sizeof(text), RING_BODY, "");
    write_scenario(text);
    want = bytes_of(way[0], 0);
    for (size_t i = 1; i < 3; i++) {
        is = bytes_of(way[i], 0);
        assert_string_equal(is, want);
        tt_free(is);
    }
    is = bytes_of(way[0], 1); /* from the last checkpoint on */
    assert_string_equal(is, want);
    tt_free(is);
    tt_free(want);
    (void)remove(FILE_JSON);
}

static void a_printed_score_is_the_same(void **state)
{
    const char *score = TT_BUILD_DIR "/ensemble_test.score.json";
    const char *const print[] = {"score", FILE_JSON, "--record",
                                 "all",   "--json",  NULL};
    const char *const with[] = {"--score", score, NULL};
    static const char *const without[] = {NULL};
    struct tt_buf out;
    char text[1024];
    char *is, *want;

    (void)state;
    (void)snprintf(text, sizeof(text), RING_BODY, "");
    write_scenario(text);
    tt_buf_init(&out, 1 << 16);
    assert_int_equal(run_tutti(print, &out, NULL), 0);
    assert_non_null(strstr(out.data, "\"rhs\""));
    assert_int_equal(tt_file_write(score, out.data, out.len, NULL), TT_OK);
    want = bytes_of(without, 0);
    is = bytes_of(with, 0);
    assert_string_equal(is, want);
    tt_free(is);
    tt_free(want);
    tt_buf_fini(&out);
    (void)remove(score);
    (void)remove(FILE_JSON);
}

static void a_score_that_steps_them_out_of_turn_is_refused(void **state)
{
    static const char steps[] =
        "{\"version\": 1, \"master\": \"m\", \"step\": [{\"op\": \"step\", "
        "\"instance\": "
        "\"{c}.a\"},\n{\"op\": \"step\", \"instance\": \"{c}.b\"},\n"
        "{\"op\": \"step\", \"instance\": \"{c}.c\"}]}";
    const char *score = TT_BUILD_DIR "/ensemble_test.score.json";
    const char *const argv[] = {"check", FILE_JSON, "--score", score, NULL};
    struct tt_buf err;
    char text[1024];

    (void)state;
    (void)snprintf(text, sizeof(text), RING_BODY, "");
    write_scenario(text);
    assert_int_equal(tt_file_write(score, steps, sizeof(steps) - 1, NULL),
                     TT_OK);
    tt_buf_init(&err, 1 << 16);
    assert_int_equal(run_tutti(argv, NULL, &err), 2);
    if (!strstr(err.data, "the others it is integrated together with step "
                          "before it"))
        fail_msg("%s", err.data);
    tt_buf_fini(&err);
    (void)remove(score);
    (void)remove(FILE_JSON);
}

/* --- what is refused --------------------------------------------------------
 */

#define HEAD                                                                   \
    "{\"fmus\": {\"{c}\": \"tests/units/cell.fmu\", \"{m}\": "                 \
    "\"tests/units/affine.fmu\"},\n"                                           \
    " \"connections\": {\"{c}.a.y\": [\"{c}.b.u\"]},\n"                        \
    " \"instances\": {\"{m}\": [\"m\"]},\n"                                    \
    " \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}, "              \
    "\"endTime\": 1,\n"

static void refused(const char *rest, const char *words)
{
    const char *const argv[] = {"check", FILE_JSON, NULL};
    struct tt_buf out, err;
    char text[2048], want[1024];

    (void)snprintf(text, sizeof(text), "%s%s}\n", HEAD, rest);
    (void)snprintf(want, sizeof(want), "tutti: %s%s\n", FILE_JSON, words);
    write_scenario(text);
    tt_buf_init(&out, 1 << 16);
    tt_buf_init(&err, 1 << 16);
    assert_int_equal(run_tutti(argv, &out, &err), 2);
    assert_string_equal(err.data, want);
    tt_buf_fini(&out);
    tt_buf_fini(&err);
    (void)remove(FILE_JSON);
}

static void what_cannot_be_together_is_named(void **state)
{
    (void)state;
    refused("\"together\": [\"{c}.a\", \"{c}.bb\"]",
            ":5:23: there is no instance '{c}.bb'; did you mean '{c}.b'?");
    refused("\"together\": [\"{c}.a\", \"{c}.b\", \"{c}.a\"]",
            ":5:32: '{c}.a' is named twice in 'together'");
    refused("\"together\": [[\"{c}.a\", \"{c}.b\"], [\"{c}.b\", \"{m}.m\"]]",
            ":5:35: '{c}.b' is named twice in 'together'");
    refused("\"together\": [\"{c}.a\"]",
            ":5:13: 'together' names at least two instances");
    refused("\"together\": \"{c}.a\"",
            ":5:13: 'together' must be true, false, an array of instances or "
            "several of these, not a string");
    refused("\"together\": [\"{c}.a\", 7]",
            ":5:23: each element of 'together' must be a string, not an "
            "integer");
    refused("\"together\": [[\"{c}.a\", \"{c}.b\"], \"{m}.m\"]",
            ":5:34: each element of 'together' must be an array of instances, "
            "not a string");
    refused("\"interface\": {\"{c}.a\": \"cs\"}, \"together\": [\"{c}.a\", "
            "\"{c}.b\"]",
            ":5:44: '{c}.a' cannot be integrated together with others: "
            "'interface' states another one than 'me' for it");
    refused("\"integrator\": {\"{c}.a\": \"stiff\"}, \"interface\": "
            "{\"{c}.a\": \"me\", \"{c}.b\": \"me\"}",
            ":2:30: '{c}.a' and '{c}.b' are integrated together, but "
            "'integrator' gives them two methods or steps");
    refused("\"isolate\": [\"{c}.b\"], \"together\": [\"{c}.a\", \"{c}.b\"]",
            ":5:45: '{c}.b' cannot be integrated together with others: it "
            "lives in a process of its own");
    refused("\"rates\": {\"{c}.b\": 2}, \"together\": [\"{c}.a\", \"{c}.b\"]",
            ":5:46: '{c}.b' cannot be integrated together with others: it "
            "makes several steps in one macro step");
    refused("\"together\": [\"{c}.a\", \"{m}.m\"]",
            ":1:49: FMU '{m}': " UNITS "affine.fmu: it has Co-Simulation, but "
            "Model Exchange is needed");
}

/* Without being asked for, those that can are put together, and what is not is
 * stated. */
static void what_is_apart_is_among_the_decisions(void **state)
{
    static const char *const words[] = {
        "a, b: one system, since they are connected, integrated by "
        "method 'auto'",
        "a: integrated alone, since it lives in a process of its own"};
    const char *file = TT_BUILD_DIR "/ensemble_test.csv";
    const char *const argv[][6] = {
        {"run", FILE_JSON, "-o", file},
        {"run", FILE_JSON, "-o", file, "--isolate"},
        {"run", FILE_JSON, "-o", file, "--no-together"}};
    struct tt_buf out;

    (void)state;
    write_scenario(HEAD "\"interface\": {\"{c}.a\": \"me\", \"{c}.b\": "
                        "\"me\"}}\n");
    for (size_t i = 0; i < 3; i++) {
        tt_buf_init(&out, 1 << 16);
        assert_int_equal(run_tutti(argv[i], &out, NULL), 0);
        if (i < 2)
            assert_non_null(strstr(out.data, words[i]));
        else
            assert_null(strstr(out.data, "together"));
        tt_buf_fini(&out);
    }
    (void)remove(file);
    (void)remove(FILE_JSON);
}

/* One that lies is named, although another one's step integrates it. */
static void the_member_that_lies_is_named(void **state)
{
    static const struct {
        int what;
        const char *words;
    } of[] = {
        {1, "step at t=0.5: integration stops at t=0.5: '{l}.l.dx' has no "
            "finite value, or the FMU discards states near it"},
        {2, "step at t=0.2: instance '{l}.l': fmi2NewDiscreteStates asked for "
            "more after 100 rounds at t=0.25"},
        {4, "step at t=0.2: instance '{l}.l': 100 events one after the other "
            "at t=0.25: its event indicators or its next event time do not "
            "settle"}};
    const char *file = TT_BUILD_DIR "/ensemble_test.csv";
    const char *const argv[] = {"run", FILE_JSON, "-o", file, NULL};
    struct tt_buf err;
    char text[1024], want[512];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(text, sizeof(text),
                       "{\"fmus\": {\"{c}\": \"" UNITS
                       "cell.fmu\", \"{l}\": \"" UNITS "liar.fmu\"},\n"
                       " \"connections\": {\"{c}.a.y\": [\"{c}.b.u\"], "
                       "\"{l}.l.x\": [\"{c}.a.u\"]},\n"
                       " \"parameters\": {\"{l}.l.what\": %d},\n"
                       " \"interface\": \"me\", \"endTime\": 1,\n"
                       " \"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                       "0.1}}",
                       of[i].what);
        write_scenario(text);
        tt_buf_init(&err, 1 << 16);
        assert_int_equal(run_tutti(argv, NULL, &err), 1);
        (void)snprintf(want, sizeof(want),
                       "tutti: instance '{c}.a' (fmi2me): %s; results so far",
                       of[i].words);
        assert_memory_equal(err.data, want, strlen(want));
        tt_buf_fini(&err);
    }
    (void)remove(file);
    (void)remove(FILE_JSON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_masses_are_the_matrix_exponential),
        cmocka_unit_test(a_ring_of_feed_through_is_solved_at_every_instant),
        cmocka_unit_test(an_event_switches_others_at_the_same_instant),
        cmocka_unit_test(an_event_ends_the_step_for_those_around),
        cmocka_unit_test(a_step_taken_back_at_every_point_is_the_same),
        cmocka_unit_test(
            threads_masters_and_resuming_leave_the_bits_as_they_are),
        cmocka_unit_test(a_printed_score_is_the_same),
        cmocka_unit_test(a_score_that_steps_them_out_of_turn_is_refused),
        cmocka_unit_test(what_cannot_be_together_is_named),
        cmocka_unit_test(what_is_apart_is_among_the_decisions),
        cmocka_unit_test(the_member_that_lies_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
