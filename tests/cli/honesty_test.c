/* SPDX-License-Identifier: MIT */
/* What a run says of itself when its numbers are not to be trusted: loops of
 * feed-through that are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "base/mem.h"
#include "desk.h"

#define AFFINE "\"" UNITS "affine.fmu\""

/* ya = 2 yb + s, yb = ya + 0.5, s = 1.84 - t: ya = -(s + 1). */
static const char loop[] =
    "{\"fmus\": {\"{a}\": " AFFINE ", \"{b}\": " AFFINE "}, "
    "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\"], "
    "\"{b}.b.y\": [\"{a}.a.u\"]}, "
    "\"parameters\": {\"{a}.a.g\": 2, \"{a}.a.s\": 1.84, \"{a}.a.r\": -1, "
    "\"{b}.b.g\": 1, \"{b}.b.s\": 0.5}, "
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}, "
    "\"endTime\": 1}";

#define WARNING                                                                \
    "loop of feed-through {a}.a.y -> {b}.b.u -> {b}.b.y -> {a}.a.u -> "        \
    "{a}.a.y is cut, not solved: {a}.a.y is read before its inputs are of "    \
    "the same instant, so what goes round is a step old, and grows if the "    \
    "loop amplifies; to solve it, repeat steps until the instances agree: "    \
    "--iterate converged --acceleration newton"

static double last_of(const char *file)
{
    char *text = read_text(file), *row = strrchr(text, '\n');
    double t = 0, y = 0;

    *row = '\0';
    assert_int_equal(sscanf(strrchr(text, '\n'), "%lf,%lf", &t, &y), 2);
    tt_free(text);
    return y;
}

static void a_loop_that_is_cut_is_said_everywhere(void **state)
{
    struct said s;
    char *page;

    (void)state;
    put_text("loop.json", loop);
    TUTTI(&s, "run", at("loop.json"), "-o", at("cut.csv"), "--report",
          at("cut.html"));
    assert_int_equal(s.code, 0);
    expect_err(&s, "tutti: warning: " WARNING "\n");
    assert_non_null(strstr(s.out.data, "  loop           " WARNING "\n"));
    said_fini(&s);
    page = read_text("cut.html");
    assert_non_null(strstr(page, "loop of feed-through {a}.a.y -&gt; "
                                 "{b}.b.u -&gt; {b}.b.y -&gt; {a}.a.u"));
    tt_free(page);
    TUTTI(&s, "check", at("loop.json"));
    assert_int_equal(s.code, 0);
    expect_err(&s, "tutti: warning: " WARNING "\n");
    said_fini(&s);
    TUTTI(&s, "score", at("loop.json"));
    expect_err(&s, "tutti: warning: " WARNING "\n");
    assert_non_null(strstr(s.out.data, "  loop           " WARNING "\n"));
    said_fini(&s);
    TUTTI(&s, "score", at("loop.json"), "--json");
    assert_non_null(
        strstr(s.out.data, "  \"warnings\": [\n    \"" WARNING "\"\n  ],\n"));
    said_fini(&s);
}

/* The exact answer is ya(1) = -(0.84 + 1); cut it is far off. */
static void iteration_solves_it_and_nothing_is_said(void **state)
{
    struct said s;

    (void)state;
    put_text("loop.json", loop);
    TUTTI(&s, "run", at("loop.json"), "-q", "-o", at("cut.csv"));
    assert_true(fabs(last_of("cut.csv")) > 100);
    said_fini(&s);
    TUTTI(&s, "run", at("loop.json"), "--iterate", "converged",
          "--acceleration", "newton", "-o", at("solved.csv"));
    assert_int_equal(s.code, 0);
    assert_int_equal(s.err.len, 0);
    assert_true(last_of("solved.csv") > -1.84 - 1e-9);
    assert_true(last_of("solved.csv") < -1.84 + 1e-9);
    said_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_is_cut_is_said_everywhere),
        cmocka_unit_test(iteration_solves_it_and_nothing_is_said),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
