/* SPDX-License-Identifier: MIT */
/*
 * The double mass-spring-damper, played step by step from C: read two
 * variables at every communication point, and at t = 4 s push the left mass
 * with 10 N more for one step.
 */
#include <math.h>
#include <stdio.h>
#include <tutti/tutti.h>

#define PUSH_AT 4.0  /* s */
#define PUSH    10.0 /* N */

static const char position[] = "{msd1}.msd1.x1", force[] = "{msd1}.msd1.F";

static enum tutti_code play(tutti_run *r, tutti_error *e)
{
    enum tutti_code rc = tutti_run_start(r, e);
    double x = 0, f = 0;

    printf("%4s %10s %10s\n", "t/s", "x1/m", "F/N");
    while (rc == TUTTI_OK) {
        rc = tutti_run_get(r, position, &x, e);
        if (rc == TUTTI_OK)
            rc = tutti_run_get(r, force, &f, e);
        /* a connected input keeps what we set until the next exchange */
        if (rc == TUTTI_OK && fabs(tutti_run_time(r) - PUSH_AT) < 1e-6)
            rc = tutti_run_set(r, force, f += PUSH, e);
        if (rc != TUTTI_OK)
            break;
        printf("%4.1f %10.6f %10.6f\n", tutti_run_time(r), x, f);
        if (tutti_run_done(r))
            return tutti_run_end(r, e);
        rc = tutti_run_step(r, e);
    }
    return rc;
}

int main(int argc, char **argv)
{
    tutti_scenario *s = NULL;
    tutti_run *r = NULL;
    tutti_error e;
    enum tutti_code rc;

    if (argc != 2) {
        fprintf(stderr, "usage: %s scenario.json\n", argv[0]);
        return 2;
    }
    rc = tutti_scenario_load(&s, argv[1], NULL, &e);
    if (rc == TUTTI_OK)
        rc = tutti_run_new(&r, s, NULL, &e);
    if (rc == TUTTI_OK)
        rc = play(r, &e);
    if (rc == TUTTI_OK)
        puts(tutti_run_sentence(r));
    else
        fprintf(stderr, "%s\n", e.message);
    tutti_run_free(r);
    tutti_scenario_free(s);
    return rc == TUTTI_OK ? 0 : 1;
}
