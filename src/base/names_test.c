/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/names.h"

static void names_are_found_by_their_text(void **state)
{
    static char key[5000][16];
    struct tt_names m;

    (void)state;
    tt_names_init(&m);
    assert_true(tt_names_find(&m, "anything") == TT_NONE);
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(key[i], sizeof(key[i]), "x[%u]", i);
        assert_int_equal(tt_names_add(&m, key[i], i), 0);
    }
    assert_int_equal(m.n, 5000);
    for (uint32_t i = 0; i < 5000; i++) {
        char text[16];

        snprintf(text, sizeof(text), "x[%u]", i);
        assert_true(tt_names_find(&m, text) == i);
    }
    assert_true(tt_names_find(&m, "x[5000]") == TT_NONE);
    assert_true(tt_names_find(&m, "") == TT_NONE);
    tt_names_fini(&m);
    assert_true(tt_names_find(&m, "x[1]") == TT_NONE);
}

static void a_name_added_twice_keeps_its_first_value(void **state)
{
    struct tt_names m;

    (void)state;
    tt_names_init(&m);
    assert_int_equal(tt_names_add(&m, "a", 1), 0);
    assert_int_equal(tt_names_add(&m, "a", 2), 1);
    assert_int_equal(m.n, 1);
    assert_true(tt_names_find(&m, "a") == 1);
    tt_names_fini(&m);
}

static void a_map_out_of_memory_stays_whole(void **state)
{
    static char key[100][16];
    struct tt_names m;
    uint32_t added = 0;

    (void)state;
    tt_names_init(&m);
    for (uint32_t i = 0; i < 100; i++) {
        snprintf(key[i], sizeof(key[i]), "%u", i);
        if (i == 5 || i == 40)
            tt_mem_fail_after(1 + i % 2);
        if (tt_names_add(&m, key[i], i) != 0)
            break;
        added++;
    }
    tt_mem_fail_after(0);
    assert_true(added > 5 && added < 100);
    for (uint32_t i = 0; i < added; i++)
        assert_true(tt_names_find(&m, key[i]) == i);
    tt_names_fini(&m);
}

/* --- nearest ----------------------------------------------------------- */

struct list {
    const char *const *name;
    size_t n;
};

static const char *name_of(const void *ctx, size_t i)
{
    const struct list *l = ctx;

    return l->name[i];
}

static const char *nearest(const char *wrong)
{
    static const char *const name[] = {
        "level",        "valve", "volume",      "temperature",  NULL,
        "temperature2", "h",     "levelSensor", "outflow.rate", "valves",
    };
    struct list l = {name, sizeof(name) / sizeof(name[0])};

    return tt_names_nearest(wrong, l.n, name_of, &l);
}

static void slips_of_the_pen_find_their_name(void **state)
{
    (void)state;
    assert_string_equal(nearest("leve"), "level");   /* left out */
    assert_string_equal(nearest("leevel"), "level"); /* put in */
    assert_string_equal(nearest("levek"), "level");  /* changed */
    assert_string_equal(nearest("lveel"), "level");  /* swapped */
    assert_string_equal(nearest("Level"), "level");  /* case */
    assert_string_equal(nearest("temprature"), "temperature");
    assert_string_equal(nearest("outFlow_rate"), "outflow.rate");
    assert_string_equal(nearest("level"), "level");
}

static void names_that_differ_only_in_case_are_always_near(void **state)
{
    (void)state;
    assert_string_equal(nearest("TEMPERATURE2"), "temperature2");
    assert_string_equal(nearest("LEVELSENSOR"), "levelSensor");
    assert_string_equal(nearest("H"), "h");
}

static void unknown_names_have_no_nearest_name(void **state)
{
    (void)state;
    assert_null(nearest("pressure"));
    assert_null(nearest("xyz"));
    assert_null(nearest(""));
    assert_null(nearest("k"));
    assert_null(nearest("levxyz"));
    assert_null(tt_names_nearest("level", 0, name_of, NULL));
}

static void of_equally_near_names_the_first_is_taken(void **state)
{
    static const char *const name[] = {"x1", "x2", "x3"};
    struct list l = {name, 3};

    (void)state;
    assert_string_equal(tt_names_nearest("x4", 3, name_of, &l), "x1");
}

static void very_long_names_do_no_harm(void **state)
{
    static char a[2000], b[2000];
    const char *const name[] = {a};
    struct list l = {name, 1};

    (void)state;
    memset(a, 'a', sizeof(a) - 1);
    memset(b, 'a', sizeof(b) - 1);
    b[7] = 'b';
    assert_null(tt_names_nearest(b, 1, name_of, &l));
    b[7] = 'A';
    assert_string_equal(tt_names_nearest(b, 1, name_of, &l), a);
    a[511] = b[511] = '\0';
    b[7] = 'b';
    assert_string_equal(tt_names_nearest(b, 1, name_of, &l), a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_by_their_text),
        cmocka_unit_test(a_name_added_twice_keeps_its_first_value),
        cmocka_unit_test(a_map_out_of_memory_stays_whole),
        cmocka_unit_test(slips_of_the_pen_find_their_name),
        cmocka_unit_test(names_that_differ_only_in_case_are_always_near),
        cmocka_unit_test(unknown_names_have_no_nearest_name),
        cmocka_unit_test(of_equally_near_names_the_first_is_taken),
        cmocka_unit_test(very_long_names_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
