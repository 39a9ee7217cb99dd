/* SPDX-License-Identifier: MIT */
/*
 * Two masses on a rigid link (Gomes 2019, example 12): a force is found that
 * makes their positions equal at the end of every step. Reference values were
 * computed independently with exact units.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

static const char *const scenario[] = {"rigid-link/scenario.json",
                                       "rigid-link/scenario-fmi3.json"};

static void the_first_step_is_the_published_one(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tt_table *t = play(&(struct play){.scenario = scenario[i]});

        assert_near(column(t, "{mass}.one.x1")[1], 1.062459536618, 1e-9);
        assert_near(column(t, "{mass}.three.x1")[1], 1.062459536618, 1e-9);
        assert_near(column(t, "{mass}.one.v1")[1], 1.227684914653, 1e-9);
        assert_near(column(t, "{mass}.three.v1")[1], -0.750496404342, 1e-9);
        assert_near(column(t, "{link}.link.action")[1], 13.9224436606, 1e-9);
        tt_table_free(t);
    }
}

static void the_masses_stay_together(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tt_table *t = play(&(struct play){.scenario = scenario[i]});
        const double *one = column(t, "{mass}.one.x1");
        const double *three = column(t, "{mass}.three.x1");

        assert_int_equal(tt_table_rows(t), 101);
        for (size_t k = 1; k < tt_table_rows(t); k++)
            assert_near(one[k], three[k], 1e-9);
        tt_table_free(t);
    }
}

/* From a start that satisfies the equation they move as one mass. */
static void from_a_good_start_they_are_one_mass(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = scenario[0], .options = {"--set", "{mass}.three.x1=1"}});
    const double *one = column(t, "{mass}.one.x1");

    (void)state;
    assert_near(one[10], 0.716701722, 1e-8);
    assert_near(one[50], -0.353588419, 1e-7);
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_is_the_published_one),
        cmocka_unit_test(the_masses_stay_together),
        cmocka_unit_test(from_a_good_start_they_are_one_mass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
