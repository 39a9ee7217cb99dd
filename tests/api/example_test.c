/* SPDX-License-Identifier: MIT */
/* examples/c-api prints what the equations say: the two units solved exactly
 * with their inputs held over a step, and a push of 10 N at t = 4 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "physics/numerics.h"

#define H 0.2 /* s */

/* States x, v and the held inputs as constants. m1 = d1 = 1, c1 = 5: */
static const struct matrix left = {3, {{0, 1, 0}, {-5, -1, 1}, {0, 0, 0}}};
/* m2 = cc = dc = 1, c2 = 0.1; inputs x1 and v1: */
static const struct matrix right = {
    4, {{0, 1, 0, 0}, {-1.1, -1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}}};

/* x1, v1, then x2, v2 after a step with this force. */
static void step(double *x, double force)
{
    struct matrix a = exponential(&left, H), b = exponential(&right, H);
    double one[] = {x[0], x[1], force};
    double two[] = {x[2], x[3], x[0], x[1]};

    apply(&a, one);
    apply(&b, two);
    x[0] = one[0];
    x[1] = one[1];
    x[2] = two[0];
    x[3] = two[1];
}

static void the_table_is_what_the_equations_give(void **state)
{
    FILE *f = popen(TT_BUILD_DIR "/examples/c-api/c-api " TT_BUILD_DIR
                                 "/examples/double-mass-spring-damper/"
                                 "scenario.json 2>&1",
                    "r");
    double x[4] = {1, 0, 0, 0}, t, x1, force;
    char line[256];

    (void)state;
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));
    assert_string_equal(line, " t/s       x1/m        F/N\n");
    for (int n = 0; n <= 50; n++) {
        double wanted = (x[2] - x[0]) + (x[3] - x[1]) + (n == 20 ? 10 : 0);

        assert_non_null(fgets(line, sizeof(line), f));
        assert_int_equal(sscanf(line, "%lf %lf %lf", &t, &x1, &force), 3);
        assert_near(t, H * n, 1e-9);
        assert_near(x1, x[0], 0.6e-6);
        assert_near(force, wanted, 0.6e-6);
        step(x, wanted);
    }
    assert_non_null(fgets(line, sizeof(line), f));
    assert_string_equal(line, "completed: 50 steps to t=10 s\n");
    assert_null(fgets(line, sizeof(line), f));
    assert_int_equal(pclose(f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_what_the_equations_give),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
