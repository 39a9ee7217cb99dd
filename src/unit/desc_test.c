/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "unit/desc.h"

static const struct tt_port port[] = {
    {.name = "level", .causality = TT_CAUS_OUTPUT, .n = 1},
    {.name = "valve", .causality = TT_CAUS_INPUT, .n = 1},
    {.name = "value", .causality = TT_CAUS_OUTPUT, .type = TT_I32, .n = 6},
    {.name = "label", .type = TT_TEXT, .n = 2},
};

static struct tt_desc tank(void)
{
    struct tt_desc d = {.kind = "test", .model = "tank", .port = port};

    d.n_port = 4;
    tt_names_init(&d.by_name);
    for (uint32_t i = 0; i < d.n_port; i++)
        assert_int_equal(tt_names_add(&d.by_name, port[i].name, i), 0);
    return d;
}

static void a_port_is_found_by_its_exact_name_only(void **state)
{
    struct tt_desc d = tank();

    (void)state;
    assert_int_equal(tt_desc_find(&d, "valve"), 1);
    assert_true(tt_desc_find(&d, "Valve") == TT_NONE);
    assert_true(tt_desc_find(&d, "") == TT_NONE);
    tt_names_fini(&d.by_name);
}

static void the_nearest_name_is_among_ports_of_the_causality_asked(void **state)
{
    struct tt_desc d = tank();

    (void)state;
    assert_string_equal(tt_desc_nearest(&d, "vavle", TT_CAUS_INPUT), "valve");
    assert_string_equal(tt_desc_nearest(&d, "valuee", -1), "value");
    assert_string_equal(tt_desc_nearest(&d, "valeu", TT_CAUS_OUTPUT), "value");
    assert_null(tt_desc_nearest(&d, "temperature", -1));
    assert_null(tt_desc_nearest(&d, "level", TT_CAUS_STRUCTURAL));
    tt_names_fini(&d.by_name);
}

static void no_memory_means_no_suggestion(void **state)
{
    struct tt_desc d = tank();

    (void)state;
    tt_mem_fail_after(1);
    assert_null(tt_desc_nearest(&d, "vavle", TT_CAUS_INPUT));
    tt_mem_fail_after(0);
    tt_names_fini(&d.by_name);
}

static void a_port_is_as_large_as_its_elements(void **state)
{
    (void)state;
    assert_int_equal(tt_port_size(&port[0]), 8);
    assert_int_equal(tt_port_size(&port[2]), 24);
    assert_int_equal(tt_port_size(&port[3]), 2 * sizeof(struct tt_text));
}

static void words_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_string_equal(tt_causality_name(TT_CAUS_CALCULATED),
                        "calculatedParameter");
    assert_string_equal(tt_causality_name(TT_CAUS_STRUCTURAL),
                        "structuralParameter");
    assert_string_equal(tt_causality_name((enum tt_causality)99), "?");
    assert_string_equal(tt_variability_name(TT_VAR_TUNABLE), "tunable");
    assert_string_equal(tt_variability_name(TT_VAR_CONTINUOUS), "continuous");
    assert_string_equal(tt_variability_name((enum tt_variability)99), "?");
    assert_string_equal(tt_initial_name(TT_INIT_APPROX), "approx");
    assert_string_equal(tt_initial_name((enum tt_initial)99), "?");
    assert_string_equal(tt_reactivity_name(TT_REACT_EITHER), "either");
    assert_string_equal(tt_reactivity_name(TT_REACT_DELAYED), "delayed");
    assert_string_equal(tt_reactivity_name((enum tt_reactivity)99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_is_found_by_its_exact_name_only),
        cmocka_unit_test(
            the_nearest_name_is_among_ports_of_the_causality_asked),
        cmocka_unit_test(no_memory_means_no_suggestion),
        cmocka_unit_test(a_port_is_as_large_as_its_elements),
        cmocka_unit_test(words_are_those_of_the_standard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
