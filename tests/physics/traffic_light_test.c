/* SPDX-License-Identifier: MIT */
/*
 * The traffic light changes at t = 30, 50, 80, 100, ..., wherever the grid is.
 * Cars come by 0.25/s and, while it is green, leave by 0.625/s: 7.5 wait when
 * it turns green, none when it turns red.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define SCENARIO "traffic-light/scenario-road.json"
#define NESTED   "traffic-light/scenario-road-nested.json"

/* Cars at t, within one period of 50 s. */
static double cars(double t)
{
    t = fmod(t, 50);
    return t <= 30 ? 0.25 * t : 7.5 - 0.375 * (t - 30);
}

static void check(const tt_table *t, const char *light)
{
    const double *time = tt_table_time(t), *go = column(t, light);
    const double *n = column(t, "{road}.road.n");
    const double *queue = column(t, "{road}.road.queue");
    int changes = 0;

    for (size_t i = 0; i < tt_table_rows(t); i++) {
        int changed = i > 0 && go[i] != go[i - 1];

        assert_near(n[i], cars(time[i]), 1e-12);
        assert_near(queue[i],
                    time[i] < 30 || (time[i] == 30 && go[i] == 0) ? 0 : 7.5,
                    1e-12);
        if (!changed)
            continue;
        changes++;
        assert_true(time[i] == time[i - 1]); /* both limits */
        assert_true(fmod(time[i], 50) == (go[i] != 0 ? 30 : 0));
    }
    assert_int_equal(changes, 4);
}

static void it_changes_in_time_whatever_the_step(void **state)
{
    static const double step[] = {7, 11, 50, 120};

    (void)state;
    for (size_t i = 0; i < sizeof(step) / sizeof(*step); i++) {
        const struct play flat = {
            .scenario = SCENARIO, .step = step[i], .end = 120};
        const struct play nested = {
            .scenario = NESTED, .step = step[i], .end = 120};
        tt_table *t = play(&flat);

        check(t, "{light}.light.go");
        tt_table_free(t);
        t = play(&nested);
        check(t, "{crossing}.c.go");
        tt_table_free(t);
    }
}

/* Light and road as one system: its events end the step for all. */
static void by_model_exchange_it_changes_in_time_too(void **state)
{
    tt_table *t =
        play(&(struct play){.scenario = SCENARIO,
                            .step = 50,
                            .end = 120,
                            .options = {"--interface", "me", "--rollback"}});

    (void)state;
    check(t, "{light}.light.go");
    tt_table_free(t);
}

/* A unit without states has model exchange if its events are all there is. */
static void the_light_alone_has_all_forms(void **state)
{
    static const char *const name[] = {"light-fmi1", "light", "light-fmi3"};

    (void)state;
    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
        char path[64], go[64];
        tt_table *t;

        (void)snprintf(path, sizeof(path), "traffic-light/%s.fmu", name[i]);
        (void)snprintf(go, sizeof(go), "{%s}.%s.go", name[i], name[i]);
        t = play(&(struct play){.scenario = path,
                                .step = 7,
                                .end = 119,
                                .options = {"--interface", "me"}});
        assert_int_equal(tt_table_rows(t), 18);
        for (size_t r = 0; r < 18; r++)
            assert_true(column(t, go)[r] ==
                        (fmod(tt_table_time(t)[r], 50) >= 30));
        tt_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_changes_in_time_whatever_the_step),
        cmocka_unit_test(by_model_exchange_it_changes_in_time_too),
        cmocka_unit_test(the_light_alone_has_all_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
