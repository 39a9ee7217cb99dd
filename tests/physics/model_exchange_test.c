/* SPDX-License-Identifier: MIT */
/* FMUs whose states Tutti integrates, against closed forms, against
 * co-simulation, and wherever they live. */
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

#define BALL                                                                   \
    "bouncing-ball/scenario.json", "bouncing-ball/scenario-fmi3.json",         \
        "bouncing-ball/scenario-fmi1.json"
#define LIAR TT_BUILD_DIR "/tests/units/liar"

/* Bounce n of a ball that falls from h0 and keeps 0.7 of its speed. */
static double bounce_from(double h0, double n)
{
    return sqrt(2 * h0 / 9.81) * (1 + 1.4 * (1 - pow(0.7, n - 1)) / 0.3);
}

static double bounce_time(double n)
{
    return bounce_from(1, n);
}

/* The height of that ball after n bounces at most. */
static double height_from(double h0, double t)
{
    double n = 0, fall = sqrt(2 * h0 / 9.81), apex = 0;

    while (bounce_from(h0, n + 1) <= t)
        n++;
    if (n > 0) {
        fall *= pow(0.7, n);
        h0 *= pow(0.49, n);
        apex = bounce_from(h0 / pow(0.49, n), n) + fall;
    }
    return h0 - 9.81 / 2 * (t - apex) * (t - apex);
}

/* With rows closer than flights are long, each bounce is seen by itself. */
static void check_bounces(const tt_table *t)
{
    const double *n = column(t, "{ball}.ball.bounces");
    const double *last = column(t, "{ball}.ball.tBounce");
    int seen = 0;

    for (size_t i = 0; i < tt_table_rows(t) && seen < 20; i++) {
        if ((int)n[i] <= seen)
            continue;
        assert_int_equal((int)n[i], ++seen);
        assert_near(last[i], bounce_time(seen), 1e-9);
    }
    assert_int_equal(seen, 20);
}

static void twenty_bounces_are_located(void **state)
{
    static const char *const scenario[] = {BALL};
    static const char *const method[] = {"auto", "explicit", "stiff", "rk4"};

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        tt_table *t = play(&(struct play){
            .scenario = scenario[i % 3],
            .step = 0.0005,
            .end = 2.558,
            .options = {"--interface", "me", "--integrator", method[i / 3]}});

        check_bounces(t);
        tt_table_free(t);
    }
}

static void both_interfaces_are_the_same_ball(void **state)
{
    static const char *const scenario[] = {BALL};
    static const char *const name[] = {"{ball}.ball.h", "{ball}.ball.v"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        tt_table *cs = play(&(struct play){.scenario = scenario[i]});
        tt_table *me = play(&(struct play){.scenario = scenario[i],
                                           .options = {"--interface", "me"}});

        for (size_t k = 0; k < 2; k++)
            for (size_t r = 0; r < tt_table_rows(cs); r++)
                assert_near(column(me, name[k])[r], column(cs, name[k])[r],
                            1e-11);
        tt_table_free(cs);
        tt_table_free(me);
    }
}

/* --- stiff problems ------------------------------------------------------ */

/* References: Taylor series of order 30 with numbers of 113 bits, computed
 * apart from this code, twice with steps 0.7 of the first, which agrees to 21
 * digits; van der Pol's is in the Test Set for IVP Solvers (Mazzia, Magherini;
 * vdpol.f, in other units of time) to 13. */
static void check_stiff(const char *unit, const char *version,
                        const char *method, const char *const name[],
                        const double *want)
{
    char path[256], port[64];
    tt_table *t;

    (void)snprintf(path, sizeof(path), TT_BUILD_DIR "/tests/units/%s%s.fmu",
                   unit, version);
    t = play(&(struct play){.scenario = path,
                            .options = {"--interface", "me", "--integrator",
                                        method, "--tolerance", "1e-10"}});
    for (size_t i = 0; name[i]; i++) {
        (void)snprintf(port, sizeof(port), "{%s%s}.%s%s.%s", unit, version,
                       unit, version, name[i]);
        assert_near(column(t, port)[tt_table_rows(t) - 1], want[i], 1e-10);
    }
    tt_table_free(t);
}

static void stiff_problems_are_solved_to_1e_10(void **state)
{
    static const char *const version[] = {"", "-fmi3", "-fmi1"};
    static const char *const method[] = {"stiff", "auto"};
    static const char *const pol[] = {"x", "v", NULL};
    static const char *const reaction[] = {"a", "b", "c", NULL};
    static const double pol_at_2000[] = {1.7061677321704650,
                                         -0.89280970102481655e-3};
    static const double reaction_at_40[] = {
        0.71582706871940509, 0.91855347645577639e-5, 0.28416374574583035};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        check_stiff("vanderpol", version[i / 2], method[i % 2], pol,
                    pol_at_2000);
        check_stiff("robertson", version[i / 2], method[i % 2], reaction,
                    reaction_at_40);
    }
}

/* --- inputs --------------------------------------------------------------- */

/* The bias leaps at 1 s; at other points it is handed over unchanged beside u,
 * and the unit refuses it outside event mode. */
static void discrete_inputs_are_set_in_event_mode(void **state)
{
    static const char *const version[] = {"", "-fmi3", "-fmi1"};
    static const char table[] = "time,u,bias\n0,1,0\n1,1,2\n2,1,2\n";
    char csv[] = TT_BUILD_DIR "/tests/steered.csv", path[256], port[64];
    tt_err err;

    (void)state;
    assert_int_equal(tt_file_write(csv, table, sizeof(table) - 1, &err), TT_OK);
    for (size_t i = 0; i < 3; i++) {
        tt_table *t;
        const double *x;

        (void)snprintf(path, sizeof(path),
                       TT_BUILD_DIR "/tests/units/steered%s.fmu", version[i]);
        (void)snprintf(port, sizeof(port), "{steered%s}.steered%s.x",
                       version[i], version[i]);
        t = play(
            &(struct play){.scenario = path,
                           .options = {"--interface", "me", "--input", csv}});
        x = column(t, port);
        for (size_t k = 0; k < tt_table_rows(t); k++) {
            double at = tt_table_time(t)[k];

            assert_near(x[k], at + 2 * fmax(0, at - 1), 1e-9);
        }
        tt_table_free(t);
    }
    assert_int_equal(remove(csv), 0);
}

/* Inputs leap at 0.5 s (bias, a row) and 1.3 s (u, two rows of a time), which
 * are no multiples of the step: steps end there, too. */
static void steps_end_where_inputs_leap(void **state)
{
    static const char *const version[] = {"", "-fmi3", "-fmi1"};
    static const char table[] =
        "time,u,bias\n0,1,0\n0.5,1,2\n1.3,1,2\n1.3,4,2\n2,4,2\n";
    char csv[] = TT_BUILD_DIR "/tests/leaping.csv", path[256], port[64];
    tt_err err;

    (void)state;
    assert_int_equal(tt_file_write(csv, table, sizeof(table) - 1, &err), TT_OK);
    for (size_t i = 0; i < 3; i++) {
        tt_table *t;
        const double *x;
        int met = 0;

        (void)snprintf(path, sizeof(path),
                       TT_BUILD_DIR "/tests/units/steered%s.fmu", version[i]);
        (void)snprintf(port, sizeof(port), "{steered%s}.steered%s.x",
                       version[i], version[i]);
        t = play(
            &(struct play){.scenario = path,
                           .step = 0.4,
                           .options = {"--interface", "me", "--input", csv}});
        x = column(t, port);
        assert_int_equal(tt_table_rows(t), 8); /* 0, 0.4, ..., 2, and two */
        for (size_t k = 0; k < tt_table_rows(t); k++) {
            double at = tt_table_time(t)[k];

            met += at == 0.5 || at == 1.3;
            assert_near(
                x[k], at + 2 * fmax(0, at - 0.5) + 3 * fmax(0, at - 1.3), 1e-9);
        }
        assert_int_equal(met, 2);
        tt_table_free(t);
    }
    assert_int_equal(remove(csv), 0);
}

/* --- events that end the step for all ----------------------------------- */

static const char two_balls[] =
    "{\"fmus\": {\"{a}\": \"examples/bouncing-ball/bouncing_ball.fmu\",\n"
    "  \"{b}\": \"examples/bouncing-ball/bouncing_ball-fmi3.fmu\"},\n"
    " \"instances\": {\"{a}\": [\"x\"], \"{b}\": [\"y\"]},\n"
    " \"connections\": {}, \"interface\": \"me\", \"rollback\": true,\n"
    " \"parameters\": {\"{b}.y.h0\": 0.6},\n"
    " \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1},\n"
    " \"endTime\": 1.9}";

/* Where one bounces there are two rows, before and after, and the other ball is
 * there, too. */
static void an_event_ends_the_step_for_all(void **state)
{
    const char *file = TT_BUILD_DIR "/model_exchange_events.json";
    const double *t, *a, *b, *na, *nb;
    int at_a = 0, at_b = 0;
    tt_table *r;

    (void)state;
    assert_int_equal(
        tt_file_write(file, two_balls, sizeof(two_balls) - 1, NULL), TT_OK);
    r = play(&(struct play){.scenario = file});
    t = tt_table_time(r);
    a = column(r, "{a}.x.h");
    b = column(r, "{b}.y.h");
    na = column(r, "{a}.x.bounces");
    nb = column(r, "{b}.y.bounces");
    for (size_t i = 0; i < tt_table_rows(r); i++) {
        assert_near(a[i], height_from(1, t[i]), 1e-9);
        assert_near(b[i], height_from(0.6, t[i]), 1e-9);
        if (!i || t[i] > t[i - 1])
            continue;
        at_a += (int)(na[i] - na[i - 1]);
        at_b += (int)(nb[i] - nb[i - 1]);
        assert_near(t[i],
                    na[i] > na[i - 1] ? bounce_time(na[i])
                                      : bounce_from(0.6, nb[i]),
                    1e-9);
    }
    assert_int_equal(at_a, na[tt_table_rows(r) - 1]);
    assert_int_equal(at_b, nb[tt_table_rows(r) - 1]);
    assert_true(at_a >= 4 && at_b >= 8);
    tt_table_free(r);
    (void)remove(file);
}

/* Flights shorter than the clock can tell come to an end, too. */
static void a_variable_step_ends_at_each_bounce(void **state)
{
    tt_table *t =
        play(&(struct play){.scenario = "bouncing-ball/scenario-variable.json",
                            .options = {"--interface", "me"}});

    (void)state;
    check_bounces(t);
    assert_true(column(t, "{ball}.ball.resting")[tt_table_rows(t) - 1] == 1);
    tt_table_free(t);
}

/* The masses of the pendulum are stepped again and again, until the rod fits:
 * each turn takes the integrators back. */
static void a_step_may_be_repeated(void **state)
{
    tt_table *cs =
        play(&(struct play){.scenario = "pendulum/scenario.json", .end = 2});
    tt_table *me = play(&(struct play){
        .scenario = "pendulum/scenario.json",
        .end = 2,
        .options = {"--interface", "me", "--tolerance", "1e-10"}});

    (void)state;
    for (size_t r = 0; r < tt_table_rows(cs); r++)
        assert_near(column(me, "{mass}.x.x")[r], column(cs, "{mass}.x.x")[r],
                    1e-8);
    tt_table_free(cs);
    tt_table_free(me);
}

/* FMUs of FMI 1 cannot save their state: time, states and inputs are set
 * instead, and each turn ends where it ends with saved ones (the coupling is
 * solved without their derivatives, so that rounding differs). */
static void states_that_can_be_set_serve_for_rollback(void **state)
{
    static const char fmu[] = "mass.fmu";
    const char *file = TT_BUILD_DIR "/examples/pendulum/model_exchange.json";
    struct tt_buf b, fmi1;
    tt_table *want, *is;
    char *at;

    (void)state;
    tt_buf_init(&b, 1 << 16);
    tt_buf_init(&fmi1, 1 << 16);
    assert_int_equal(
        tt_file_read(&b, TT_BUILD_DIR "/examples/pendulum/scenario.json", NULL),
        TT_OK);
    at = strstr(b.data, fmu);
    assert_non_null(at);
    tt_buf_add(&fmi1, b.data, (size_t)(at - b.data));
    tt_buf_str(&fmi1, "mass-fmi1.fmu");
    tt_buf_str(&fmi1, at + sizeof(fmu) - 1);
    assert_int_equal(tt_file_write(file, fmi1.data, fmi1.len, NULL), TT_OK);
    want = play(&(struct play){.scenario = "pendulum/scenario.json",
                               .end = 1,
                               .options = {"--interface", "me"}});
    is = play(&(struct play){
        .scenario = file, .end = 1, .options = {"--interface", "me"}});
    for (size_t r = 0; r < tt_table_rows(want); r++)
        assert_near(column(is, "{mass}.x.x")[r], column(want, "{mass}.x.x")[r],
                    1e-12);
    tt_table_free(want);
    tt_table_free(is);
    tt_buf_fini(&b);
    tt_buf_fini(&fmi1);
    (void)remove(file);
}

/* Results of a run as they are in the file. */
static char *bytes_of(const char *const extra[], const char *file)
{
    const char *scenario = TT_BUILD_DIR "/examples/pendulum/scenario-fmi3.json";
    const char *argv[16] = {"run",     scenario, "--interface", "me",
                            "--until", "1",      "-o",          file};
    size_t n = 8;
    struct tt_buf b;

    while (*extra)
        argv[n++] = *extra++;
    assert_int_equal(run_tutti(argv, NULL, NULL), 0);
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_read(&b, file, NULL), TT_OK);
    (void)remove(file);
    return tt_buf_take(&b);
}

static void wherever_they_live_the_bits_are_the_same(void **state)
{
    static const char *const way[][3] = {
        {"--isolate"}, {"--threads", "2"}, {"--isolate", "--sandbox"}};
    const char *file = TT_BUILD_DIR "/model_exchange_test.csv";
    static const char *const plain[] = {NULL};
    char *is, *want = bytes_of(plain, file);

    (void)state;
    for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
        is = bytes_of(way[i], file);
        assert_string_equal(is, want);
        tt_free(is);
    }
    tt_free(want);
}

/* One FMU, two instances, one of each interface. */
static void instances_of_one_fmu_may_differ(void **state)
{
    static const char text[] =
        "{\"fmus\": {\"{b}\": \"examples/bouncing-ball/bouncing_ball.fmu\"},\n"
        " \"instances\": {\"{b}\": [\"cs\", \"me\"]}, \"connections\": {},\n"
        " \"interface\": {\"{b}.me\": \"me\"},\n"
        " \"integrator\": {\"{b}.me\": {\"method\": \"rk4\", \"step\": "
        "0.002}},\n"
        " \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.01}}";
    const char *file = TT_BUILD_DIR "/model_exchange_test.json";
    tt_table *t;

    (void)state;
    assert_int_equal(tt_file_write(file, text, sizeof(text) - 1, NULL), TT_OK);
    t = play(&(struct play){.scenario = file, .end = 2});
    for (size_t r = 0; r < tt_table_rows(t); r++)
        assert_near(column(t, "{b}.me.h")[r], column(t, "{b}.cs.h")[r], 1e-11);
    assert_true(column(t, "{b}.me.bounces")[200] > 3);
    tt_table_free(t);
    (void)remove(file);
}

/* --- what goes wrong ----------------------------------------------------- */

static void run_liar(const char *version, const char *what, int code,
                     const char *words)
{
    char path[256], set[32];
    const char *file = TT_BUILD_DIR "/model_exchange_liar.csv";
    const char *const argv[] = {"run",   path, "--interface", "me",  "-o", file,
                                "--set", set,  "--step",      "0.1", NULL};
    struct tt_buf out, err;

    (void)snprintf(path, sizeof(path), LIAR "%s.fmu", version);
    (void)snprintf(set, sizeof(set), "what=%s", what);
    tt_buf_init(&out, 1 << 16);
    tt_buf_init(&err, 1 << 16);
    assert_int_equal(run_tutti(argv, &out, &err), code);
    if (!strstr(code ? err.data : out.data, words))
        fail_msg("'%s' lacks '%s'", code ? err.data : out.data, words);
    tt_buf_fini(&out);
    tt_buf_fini(&err);
    (void)remove(file);
}

static void lies_are_named(void **state)
{
    static const char *const version[] = {"", "-fmi3", "-fmi1"};
    static const char *const update[] = {
        "fmi2NewDiscreteStates", "fmi3UpdateDiscreteStates", "fmiEventUpdate"};
    char words[256];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        run_liar(version[i], "0", 0, "10 steps to t=1 s");
        run_liar(version[i], "1", 1,
                 i == 2 ? "integration stops at t=0.5: the derivative of 'x' "
                          "has no finite value, or the FMU discards states "
                          "near it"
                        : "integration stops at t=0.5: 'dx' has no finite "
                          "value, or the FMU discards states near it");
        (void)snprintf(words, sizeof(words),
                       "%s asked for more after 100 rounds at t=0.25",
                       update[i]);
        run_liar(version[i], "2", 1, words);
        run_liar(version[i], "3", 1,
                 ": its event indicators or its next event time do not settle");
        run_liar(version[i], "4", 1,
                 "100 events one after the other at t=0.25: its event "
                 "indicators or its next event time do not settle");
        run_liar(version[i], "5", 0, "t=0.25");
    }
    run_liar(
        "-fmi3", "6", 1,
        "since the event at t=0.25 it has 2 states and 1 event indicators, "
        "not 1 and 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_bounces_are_located),
        cmocka_unit_test(both_interfaces_are_the_same_ball),
        cmocka_unit_test(stiff_problems_are_solved_to_1e_10),
        cmocka_unit_test(discrete_inputs_are_set_in_event_mode),
        cmocka_unit_test(steps_end_where_inputs_leap),
        cmocka_unit_test(an_event_ends_the_step_for_all),
        cmocka_unit_test(a_variable_step_ends_at_each_bounce),
        cmocka_unit_test(a_step_may_be_repeated),
        cmocka_unit_test(states_that_can_be_set_serve_for_rollback),
        cmocka_unit_test(wherever_they_live_the_bits_are_the_same),
        cmocka_unit_test(instances_of_one_fmu_may_differ),
        cmocka_unit_test(lies_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
