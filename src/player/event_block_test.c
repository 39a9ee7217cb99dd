/* SPDX-License-Identifier: MIT */
#include "player/event.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"

static uint32_t seed;
static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* Against a list that is walked. */
static void check(uint32_t n_unit, uint32_t n_clock)
{
    const tt_plan plan = {
        .n_unit = n_unit, .n_clock = n_clock, .n_slot = 3 * n_unit};
    struct tt_events *e = tt_zalloc(1, tt_events_size(&plan));
    double *next = tt_zalloc(n_unit + n_clock, sizeof(*next));
    uint32_t n = n_unit + n_clock;

    assert_true(e && next);
    tt_events_init(e, &plan);
    for (uint32_t i = 0; i < n; i++)
        next[i] = (double)INFINITY;
    for (int turn = 0; turn < 300; turn++) {
        uint32_t i = draw(n), due = draw(n);
        double t = draw(100), first = (double)INFINITY;
        uint32_t found = tt_events_due(e, due, t);

        while (due < n && !(next[due] <= t))
            due++;
        assert_int_equal(found, due < n ? due : TT_NONE);
        next[i] = draw(4) ? draw(100) : (double)INFINITY;
        tt_events_set_next(e, i, next[i]);
        assert_true(tt_events_next(e, i) == next[i]);
        for (uint32_t k = 0; k < n; k++)
            first = fmin(first, next[k]);
        assert_true(tt_events_first(e) == first);
        first = (double)INFINITY;
        for (uint32_t k = i; k < n; k++)
            first = fmin(first, next[k]);
        assert_true(tt_events_first_of(e, i, n) == first);
    }
    assert_int_equal(tt_events_due(e, n, (double)INFINITY) < n, 0);
    tt_free(e);
    tt_free(next);
}

static void the_tree_of_next_events_is_the_list(void **state)
{
    (void)state;
    check(1, 0);
    check(1, 1);
    check(2, 3);
    check(64, 0);
    check(100, 57);
}

/* Many that were set at one time, and mended behind that. */
static void mended_it_is_the_same_tree(void **state)
{
    const tt_plan plan = {.n_unit = 70, .n_clock = 57};
    struct tt_events *one = tt_zalloc(1, tt_events_size(&plan));
    struct tt_events *all = tt_zalloc(1, tt_events_size(&plan));

    (void)state;
    assert_true(one && all);
    tt_events_init(one, &plan);
    tt_events_init(all, &plan);
    for (int turn = 0; turn < 300; turn++) {
        uint32_t first = draw(70), last = first + draw(70 - first);

        for (uint32_t i = first; i <= last; i++) {
            double t = draw(4) ? draw(100) : (double)INFINITY;

            tt_events_set_next(one, i, t);
            all->next[tt_events_place(all, i)] = t;
        }
        tt_events_mend(all, tt_events_place(all, first),
                       tt_events_place(all, last));
        for (size_t i = 1; i < 2 * (size_t)one->n_leaf; i++)
            assert_true(all->next[i] == one->next[i]);
    }
    tt_free(one);
    tt_free(all);
}

/* Units that Select chooses from are found in its order, and behind all else.
 */
static void ranked_units_are_found_in_their_order(void **state)
{
    uint32_t select[] = {4, 1, 3};
    const tt_plan plan = {
        .n_unit = 5, .n_clock = 2, .select = select, .n_select = 3};
    struct tt_events *e = tt_zalloc(1, tt_events_size(&plan));
    uint32_t ranked, due;

    (void)state;
    assert_non_null(e);
    tt_events_init(e, &plan);
    ranked = tt_events_ranked(e);
    for (uint32_t u = 0; u < 5; u++)
        tt_events_set_next(e, u, 10 - u);
    assert_int_equal(tt_events_due(e, 0, 10), 0);
    assert_int_equal(tt_events_due(e, 1, 10), 2); /* 1 is one of them */
    assert_int_equal(tt_events_due(e, 3, 10), ranked);
    due = tt_events_due(e, ranked, 7); /* 3 at 7, 4 at 6 */
    assert_int_equal(select[due - ranked], 4);
    due = tt_events_due(e, due + 1, 7);
    assert_int_equal(select[due - ranked], 3);
    assert_true(tt_events_first_of(e, ranked, e->n_leaf) == 6);
    assert_true(tt_events_next(e, 1) == 9);
    tt_free(e);
}

/* Sets and flags lie one behind the other, and begin empty. */
static void parts_of_the_block_do_not_overlap(void **state)
{
    const tt_plan plan = {.n_unit = 70, .n_clock = 5, .n_slot = 300};
    size_t size = tt_events_size(&plan);
    struct tt_events *e = tt_zalloc(1, size);
    char *end = (char *)e + size;

    (void)state;
    assert_non_null(e);
    tt_events_init(e, &plan);
    for (int i = 0; i < TT_SET_N; i++) {
        struct tt_bits b = tt_events_set(e, (enum tt_event_set)i);
        uint64_t *after =
            i + 1 < TT_SET_N ? tt_events_set(e, (enum tt_event_set)(i + 1)).word
                             : (uint64_t *)(void *)tt_events_leaf(e);

        assert_int_equal(tt_bits_next(&b, 0), TT_BITS_END);
        assert_ptr_equal(b.word + tt_bits_words(b.n), after);
    }
    assert_ptr_equal(tt_events_flag(e) + 370, end);
    tt_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_of_next_events_is_the_list),
        cmocka_unit_test(mended_it_is_the_same_tree),
        cmocka_unit_test(ranked_units_are_found_in_their_order),
        cmocka_unit_test(parts_of_the_block_do_not_overlap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
