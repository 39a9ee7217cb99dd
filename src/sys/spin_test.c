/* SPDX-License-Identifier: MIT */
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

/* One look, and back: the caller parks. */
static void does_not_spin(struct tt_spin *s)
{
    struct door d = {.opens = 2};

    assert_false(tt_spin_await(s, look, &d));
    assert_int_equal(d.looks, 1);
}

static void on_one_core_no_thread_spins(void **state)
{
    struct tt_spin s = spinner();

    (void)state;
    s.cores = 1;
    does_not_spin(&s);
}

static void who_spins_has_a_core_and_so_have_all_others(void **state)
{
    struct tt_spin s = spinner();

    (void)state;
    tt_spin_join(1); /* one more on two cores */
    assert_true(await(&s, 2));
    tt_spin_join(1);
    does_not_spin(&s);
    tt_spin_leave(1); /* it takes effect at the next wait */
    assert_true(await(&s, 2));
    tt_spin_leave(1);
    assert_int_equal(tt_spin_others(), 0);
}

static void others_can_be_counted_elsewhere(void **state)
{
    struct tt_spin s = spinner();
    _Atomic uint32_t others = 2;

    (void)state;
    s.others = &others;
    does_not_spin(&s);
    atomic_store(&others, 1);
    assert_true(await(&s, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_is_noticed_at_the_look),
        cmocka_unit_test(waits_in_vain_become_short_and_others_long_again),
        cmocka_unit_test(now_and_then_a_long_wait_is_tried),
        cmocka_unit_test(on_one_core_no_thread_spins),
        cmocka_unit_test(who_spins_has_a_core_and_so_have_all_others),
        cmocka_unit_test(others_can_be_counted_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
