/* SPDX-License-Identifier: MIT */
/* Two runs in two threads at once give what each gives alone.
 *
 * With -fsanitize=thread this is clean but for one report in glibc's
 * tzset_internal, which libzip's mktime calls under a lock of glibc's that the
 * sanitizer does not see: TSAN_OPTIONS=suppressions=FILE with the line
 * "race:tzset_internal". */
#include "rig.h"

#include <pthread.h>

#define ROUNDS 5

struct job {
    const char *path;               /* a scenario of its own, or ... */
    const tutti_scenario *scenario; /* ... one that is shared */
    struct rig_rows rows;
    tutti_error error;
    enum tutti_code rc;
};

/* No assertions here: cmocka's are for the main thread. */
static void *play(void *ctx)
{
    struct job *j = ctx;
    struct tutti_run_options o = {.row_cb = rig_row, .row_ctx = &j->rows};
    tutti_scenario *own = NULL;
    tutti_run *r = NULL;

    j->rc = j->scenario ? TUTTI_OK
                        : tutti_scenario_load(&own, j->path, NULL, &j->error);
    if (j->rc == TUTTI_OK)
        j->rc =
            tutti_run_new(&r, j->scenario ? j->scenario : own, &o, &j->error);
    if (j->rc == TUTTI_OK)
        j->rc = tutti_run_perform(r, &j->error);
    tutti_run_free(r);
    tutti_scenario_free(own);
    return NULL;
}

static void check(const struct job *j)
{
    if (j->rc != TUTTI_OK)
        fail_msg("%s", j->error.message);
}

/* Each alone, then both at once. */
static void both_give_the_same(const struct job *a, const struct job *b)
{
    struct job alone[2] = {*a, *b};

    for (int i = 0; i < 2; i++) {
        play(&alone[i]);
        check(&alone[i]);
        assert_true(alone[i].rows.rows > 10);
    }
    for (int round = 0; round < ROUNDS; round++) {
        struct job job[2] = {*a, *b};
        pthread_t thread[2];

        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, play, &job[i]),
                             0);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_join(thread[i], NULL), 0);
        for (int i = 0; i < 2; i++) {
            check(&job[i]);
            rig_same_rows(&job[i].rows, &alone[i].rows);
            rig_rows_free(&job[i].rows);
        }
    }
    for (int i = 0; i < 2; i++)
        rig_rows_free(&alone[i].rows);
}

static void two_scenarios_play_at_once(void **state)
{
    struct job a = {.path = MASSES};
    struct job b = {.path = EXAMPLES "water-tank/scenario-fmi3.json"};

    (void)state;
    both_give_the_same(&a, &b);
}

static void one_scenario_plays_twice_at_once(void **state)
{
    tutti_scenario *s = rig_load(MASSES, NULL);
    struct job a = {.scenario = s};

    (void)state;
    both_give_the_same(&a, &a);
    tutti_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_scenarios_play_at_once),
        cmocka_unit_test(one_scenario_plays_twice_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
