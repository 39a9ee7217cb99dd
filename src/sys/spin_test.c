/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_setaffinity */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sys/spin.h"

/* Answers yes at the nth look; 0: never. */
struct door {
    uint32_t opens, looks;
};

static int look(void *ctx)
{
    struct door *d = ctx;

    return ++d->looks == d->opens;
}

static int await(struct tt_spin *s, uint32_t opens)
{
    struct door d = {.opens = opens};
    int came = tt_spin_await(s, look, &d);

    assert_true(d.looks > 0 && (!came || d.looks == opens));
    return came;
}

/* As on a machine with several cores, whatever this one has. */
static struct tt_spin spinner(void)
{
    struct tt_spin s;

    tt_spin_init(&s, 4, NULL);
    s.cores = 2;
    s.ns = 1000;
    s.waits = 1; /* the first wait is long in any case */
    return s;
}

static void who_comes_is_noticed_at_the_look(void **state)
{
    struct tt_spin s = spinner();

    (void)state;
    for (uint32_t i = 1; i < 5; i++)
        assert_true(await(&s, i));
}

static void waits_in_vain_become_short_and_others_long_again(void **state)
{
    struct tt_spin s = spinner();
    uint64_t least, most;

    (void)state;
    while (s.waits < 60)
        assert_false(await(&s, 0));
    least = s.ns;
    assert_in_range(least, 1, 999);
    assert_false(await(&s, 0));
    assert_int_equal(s.ns, least); /* but not without end */
    assert_true(await(&s, 1));
    assert_int_equal(s.ns, 2 * least);
    for (int i = 0; i < 20; i++)
        assert_true(await(&s, 1));
    most = s.ns;
    assert_true(most > 1000);
    assert_true(await(&s, 1));
    assert_int_equal(s.ns, most);
}

static void now_and_then_a_long_wait_is_tried(void **state)
{
    struct tt_spin s = spinner();
    uint64_t most = 0;

    (void)state;
    s.ns = 1;
    for (int i = 0; i < 64; i++) {
        assert_false(await(&s, 0));
        most = s.ns > most ? s.ns : most;
    }
    assert_true(most > 1000);
}

/* Another thread on our only core, which answers as soon as it gets it. */
struct desk {
    _Atomic uint32_t asked, answered;
    _Atomic int closed;
};

static void use_one_core(void)
{
    cpu_set_t all, one;
    size_t core = 0;

    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void *clerk_main(void *ctx)
{
    struct desk *d = ctx;

    while (!atomic_load(&d->closed)) {
        atomic_store(&d->answered, atomic_load(&d->asked));
        (void)sched_yield();
    }
    return NULL;
}

static int is_answered(void *ctx)
{
    struct desk *d = ctx;

    return atomic_load(&d->answered) == atomic_load(&d->asked);
}

static uint32_t answers_of(struct tt_spin *s, struct desk *d, uint32_t n)
{
    uint32_t come = 0;

    for (uint32_t i = 0; i < n; i++) {
        atomic_fetch_add(&d->asked, 1);
        come += tt_spin_await(s, is_answered, d) != 0;
    }
    return come;
}

/* Spinning, only a time slice's end within the wait would let it answer. */
static void where_cores_are_few_a_look_gives_ours_away(void **state)
{
    struct tt_spin s = spinner();
    _Atomic uint32_t others = 2;
    struct desk d = {.closed = 0};
    cpu_set_t before;
    pthread_t clerk;

    (void)state;
    s.others = &others;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    use_one_core();
    assert_int_equal(pthread_create(&clerk, NULL, clerk_main, &d), 0);
    assert_in_range(answers_of(&s, &d, 1000), 500, 1000);
    atomic_store(&d.closed, 1);
    assert_int_equal(pthread_join(clerk, NULL), 0);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void those_forked_and_threads_are_counted(void **state)
{
    (void)state;
    tt_spin_join(2);
    assert_int_equal(tt_spin_others(), 2);
    tt_spin_leave(2);
    assert_int_equal(tt_spin_others(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_is_noticed_at_the_look),
        cmocka_unit_test(waits_in_vain_become_short_and_others_long_again),
        cmocka_unit_test(now_and_then_a_long_wait_is_tried),
        cmocka_unit_test(where_cores_are_few_a_look_gives_ours_away),
        cmocka_unit_test(those_forked_and_threads_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
