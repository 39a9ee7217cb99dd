/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void allocations_are_counted(void **state)
{
    uint64_t before = tt_mem_count();
    void *a = tt_alloc(10), *b = tt_zalloc(2, 4);

    (void)state;
    a = tt_resize(a, 3, 10);
    assert_true(tt_mem_count() - before == 3);
    tt_free(a);
    tt_free(b);
    tt_free(NULL);
}

static void exactly_the_asked_for_allocation_fails(void **state)
{
    void *p;

    (void)state;
    tt_mem_fail_after(2);
    p = tt_alloc(1);
    assert_non_null(p);
    tt_free(p);
    assert_null(tt_zalloc(1, 1));
    p = tt_alloc(1);
    assert_non_null(p);
    tt_free(p);
}

/* Read at run time, so that no compiler complains about the size. */
static volatile size_t huge = SIZE_MAX / 2;

static void products_that_overflow_are_refused(void **state)
{
    char *p = tt_strdup("kept");
    tt_arena *a = tt_arena_new();

    (void)state;
    assert_null(tt_zalloc(huge, 8));
    assert_null(tt_resize(p, huge, 8));
    assert_string_equal(p, "kept");
    assert_null(tt_arena_alloc(a, huge, 8));
    tt_arena_free(a);
    tt_free(p);
}

static void nothing_is_still_an_allocation(void **state)
{
    void *p = tt_alloc(0), *q = tt_zalloc(0, 8), *r = tt_resize(NULL, 0, 8);

    (void)state;
    assert_non_null(p);
    assert_non_null(q);
    assert_non_null(r);
    tt_free(p);
    tt_free(q);
    tt_free(r);
    assert_null(tt_strdup(NULL));
}

static void arrays_grow_and_survive_a_failure(void **state)
{
    size_t n = 0, cap = 0;
    int *array = NULL;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(TT_GROW(array, n, cap), 0);
        array[n++] = i;
    }
    while (n < cap)
        array[n++] = -1;
    tt_mem_fail_after(1);
    assert_int_equal(TT_GROW(array, n, cap), -1);
    tt_mem_fail_after(0);
    assert_int_equal(array[999], 999);
    tt_free(array);
}

static void arenas_give_zeroed_aligned_memory(void **state)
{
    tt_arena *a = tt_arena_new();
    size_t align = _Alignof(max_align_t);

    (void)state;
    for (size_t size = 0; size < 40000; size = size * 2 + 1) {
        char *p = tt_arena_alloc(a, 1, size);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % align, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        if (size)
            memset(p, 0xff, size);
    }
    tt_arena_free(a);
    tt_arena_free(NULL);
}

static void arenas_copy_texts_and_arrays(void **state)
{
    static const int numbers[] = {1, 2, 3};
    tt_arena *a = tt_arena_new();

    (void)state;
    assert_string_equal(tt_arena_strdup(a, "level"), "level");
    assert_string_equal(tt_arena_strndup(a, "level", 3), "lev");
    assert_null(tt_arena_strdup(a, NULL));
    assert_memory_equal(tt_arena_dup(a, numbers, 3, sizeof(int)), numbers,
                        sizeof(numbers));
    assert_non_null(tt_arena_dup(a, NULL, 0, sizeof(int)));
    tt_arena_free(a);
}

static void an_arena_out_of_memory_reports_it(void **state)
{
    tt_arena *a;

    (void)state;
    tt_mem_fail_after(1);
    assert_null(tt_arena_new());
    a = tt_arena_new();
    tt_mem_fail_after(1);
    assert_null(tt_arena_strdup(a, "x"));
    tt_mem_fail_after(0);
    assert_string_equal(tt_arena_strdup(a, "x"), "x");
    tt_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_counted),
        cmocka_unit_test(exactly_the_asked_for_allocation_fails),
        cmocka_unit_test(products_that_overflow_are_refused),
        cmocka_unit_test(nothing_is_still_an_allocation),
        cmocka_unit_test(arrays_grow_and_survive_a_failure),
        cmocka_unit_test(arenas_give_zeroed_aligned_memory),
        cmocka_unit_test(arenas_copy_texts_and_arrays),
        cmocka_unit_test(an_arena_out_of_memory_reports_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
