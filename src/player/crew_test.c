/* SPDX-License-Identifier: MIT */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "player/crew.h"
#include "sys/crash.h"

struct count {
    uint32_t turns[TT_CREW_MAX];
    int32_t id[TT_CREW_MAX];
    int rounding[TT_CREW_MAX];
};

static void count(void *ctx, uint32_t thread)
{
    struct count *c = ctx;

    c->turns[thread]++;
    c->id[thread] = tt_thread_id();
}

static void everyone_does_every_job_once(void **state)
{
    static struct count c;
    volatile int32_t id[4] = {0};
    tt_crew *crew = NULL;
    uint32_t expected[4] = {0};

    (void)state;
    assert_int_equal(tt_crew_new(&crew, 4, id, NULL), TT_OK);
    assert_int_equal(tt_crew_size(crew), 4);
    assert_int_equal(tt_crew_start(crew), 4);
    assert_int_equal(tt_crew_start(crew), 4); /* they are there */
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t n = 1 + i % 4;

        tt_crew_run(crew, n, count, &c);
        for (uint32_t thread = 0; thread < 4; thread++) {
            expected[thread] += thread < n;
            assert_int_equal(c.turns[thread], expected[thread]);
        }
    }
    assert_int_equal(c.id[0], tt_thread_id());
    for (uint32_t a = 0; a < 4; a++) {
        assert_int_equal(c.id[a], id[a]);
        for (uint32_t b = 0; b < a; b++)
            assert_int_not_equal(c.id[a], c.id[b]);
    }
    tt_crew_free(crew);
}

static void spoil(void *ctx, uint32_t thread)
{
    struct count *c = ctx;

    c->rounding[thread] = fegetround();
    (void)fesetround(FE_TOWARDZERO);
}

/* A unit that changes the mode does so for its own job only. */
static void every_job_finds_the_maker_s_floating_point_mode(void **state)
{
    static struct count c;
    tt_crew *crew = NULL;

    (void)state;
    assert_int_equal(fesetround(FE_UPWARD), 0);
    assert_int_equal(tt_crew_new(&crew, 3, NULL, NULL), TT_OK);
    assert_int_equal(tt_crew_start(crew), 3);
    for (int i = 0; i < 3; i++) {
        tt_crew_run(crew, 3, spoil, &c);
        for (uint32_t thread = 0; thread < 3; thread++)
            assert_int_equal(c.rounding[thread], FE_UPWARD);
    }
    tt_crew_free(crew);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
}

static void a_crew_without_work_goes_home(void **state)
{
    tt_crew *crew = NULL;

    (void)state;
    assert_int_equal(tt_crew_new(&crew, TT_CREW_MAX, NULL, NULL), TT_OK);
    assert_int_equal(tt_crew_start(crew), TT_CREW_MAX);
    tt_crew_free(crew);
    assert_int_equal(tt_crew_new(&crew, 2, NULL, NULL), TT_OK);
    tt_crew_free(crew); /* never started */
    assert_int_equal(tt_crew_new(&crew, 1, NULL, NULL), TT_OK);
    tt_crew_free(crew);
    tt_crew_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyone_does_every_job_once),
        cmocka_unit_test(every_job_finds_the_maker_s_floating_point_mode),
        cmocka_unit_test(a_crew_without_work_goes_home),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
