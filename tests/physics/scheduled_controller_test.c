/* SPDX-License-Identifier: MIT */
/* examples/scheduled-controller against its README: the motor by its closed
 * form, the tasks in the order that their priorities give. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define SCENARIO "scheduled-controller/scenario.json"

struct loop {
    double w, phi, u, demand, target; /* of motor, controller, sequencer */
    int waiting, reached;
    long settled; /* in ms; -1: no countdown */
};

static void turn(struct loop *s, double h)
{
    double e = exp(-h / 0.1), K = 2;

    s->phi += 0.1 * (1 - e) * s->w + K * s->u * (h - 0.1 * (1 - e));
    s->w = e * s->w + K * s->u * (1 - e);
}

/* What ticks at this millisecond, by priority. */
static void run_tasks(struct loop *s, long ms)
{
    double rest = s->target - s->phi;

    if (ms % 10 == 0)
        s->u = 2 * (s->demand - s->w);
    if (ms % 50 == 0) {
        s->demand = 4 * rest;
        if (fabs(rest) < 0.02 && !s->waiting)
            s->settled = ms + 120;
        s->waiting = fabs(rest) < 0.02;
    }
    if (s->settled == ms && s->waiting) {
        s->settled = -1;
        s->target = ++s->reached % 2 ? 0.25 : 1;
    }
}

/* The last row of a time has the limit from the right. */
static void check_rows(const tt_table *t)
{
    const double *time = tt_table_time(t);
    const double *w = column(t, "{motor}.motor.w");
    const double *phi = column(t, "{motor}.motor.phi");
    const double *u = column(t, "{controller}.c.u");
    const double *target = column(t, "{sequencer}.s.target");
    struct loop s = {.target = 1, .settled = -1};
    size_t row = 0;

    for (long ms = 0; ms <= 4000; ms += 10) {
        if (ms)
            turn(&s, 0.01);
        run_tasks(&s, ms);
        while (row + 1 < tt_table_rows(t) &&
               time[row + 1] < (double)ms / 1000 + 0.004)
            row++;
        assert_near(time[row], (double)ms / 1000, 1e-12);
        assert_near(w[row], s.w, 1e-10);
        assert_near(phi[row], s.phi, 1e-10);
        assert_near(u[row], s.u, 1e-10);
        assert_near(target[row], s.target, 0);
    }
    assert_int_equal(s.reached, 3);
}

static void tasks_run_by_their_priorities(void **state)
{
    static const char *const way[][3] = {
        {NULL}, {"--rollback"}, {"--isolate"}, {"--threads", "2"}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        tt_table *t = play(&(struct play){.scenario = SCENARIO,
                                          .options = {way[i][0], way[i][1]}});

        check_rows(t);
        tt_table_free(t);
    }
}

/* Without event mode all ticks of a step are made inside it, with the inputs
 * that it began with, and `arrived` has no effect. */
static void without_event_mode_ticks_are_inside_steps(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = SCENARIO, .end = 1, .options = {"--no-event-mode"}});
    const double *w = column(t, "{motor}.motor.w");
    const double *phi = column(t, "{motor}.motor.phi");
    const double *u = column(t, "{controller}.c.u");
    struct loop s = {.target = 1, .settled = -1};

    (void)state;
    assert_int_equal(tt_table_rows(t), 21);
    run_tasks(&s, 0);
    for (long row = 1; row <= 20; row++) {
        struct loop before = s;

        turn(&s, 0.05);
        for (long ms = 50 * row - 40; ms <= 50 * row; ms += 10) {
            struct loop tasks = before;

            tasks.demand = s.demand;
            run_tasks(&tasks, ms);
            s.u = tasks.u;
            s.demand = tasks.demand;
        }
        assert_near(w[row], s.w, 1e-9);
        assert_near(phi[row], s.phi, 1e-9);
        assert_near(u[row], s.u, 1e-9);
    }
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_by_their_priorities),
        cmocka_unit_test(without_event_mode_ticks_are_inside_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
