/* SPDX-License-Identifier: MIT */
#include "run/logbook.h"

#include "run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static void units_are_kept_and_of_ours_the_warnings(void **state)
{
    struct tt_logbook s;

    (void)state;
    assert_int_equal(tt_logbook_init(&s, NULL), TT_OK);
    tt_logbook_add(
        &s, &(struct tt_log_record){TT_LOG_NOTE, NULL, NULL, "n", NULL}, 0);
    tt_logbook_add(
        &s, &(struct tt_log_record){TT_LOG_WARN, NULL, NULL, "w", NULL}, 1);
    tt_logbook_add(
        &s, &(struct tt_log_record){TT_LOG_INFO, "u", "c", "i", NULL}, 2);
    tt_logbook_add(
        &s, &(struct tt_log_record){TT_LOG_ERROR, "u", NULL, NULL, NULL}, 3);
    assert_int_equal(s.n_warning, 1);
    assert_string_equal(s.warning[0], "w");
    assert_int_equal(s.n, 2);
    assert_string_equal(s.record[0].unit, "u");
    assert_string_equal(s.record[0].text, "i");
    assert_true(s.record[0].t == 2);
    assert_string_equal(s.record[1].text, "");
    tt_logbook_fini(&s);
}

static void only_so_much_is_kept(void **state)
{
    struct tt_log_record unit = {TT_LOG_INFO, "u", NULL, "x", NULL};
    struct tt_log_record ours = {TT_LOG_WARN, NULL, NULL, "y", NULL};
    struct tt_logbook s;

    (void)state;
    assert_int_equal(tt_logbook_init(&s, NULL), TT_OK);
    for (uint32_t i = 0; i < TT_REPORT_MAX_LOG + 10; i++) {
        tt_logbook_add(&s, &unit, 0);
        tt_logbook_add(&s, &ours, 0);
    }
    assert_int_equal(s.n, TT_REPORT_MAX_LOG);
    assert_int_equal(s.n_warning, TT_REPORT_MAX_LOG);
    tt_logbook_fini(&s);
}

static void the_first_events_are_kept(void **state)
{
    double v = 2;
    struct tt_run_event e = {.at = {0.5, 3},
                             .instance = "{a}.a",
                             .port = "y",
                             .type = TT_F64,
                             .value = &v};
    struct tt_logbook s;

    (void)state;
    assert_int_equal(tt_logbook_init(&s, NULL), TT_OK);
    for (uint32_t i = 0; i < TT_REPORT_MAX_EVENTS; i++)
        assert_true(tt_logbook_event(&s, &e));
    assert_false(s.more_events);
    assert_false(tt_logbook_event(&s, &e));
    assert_true(s.more_events);
    assert_int_equal(s.n_event, TT_REPORT_MAX_EVENTS);
    assert_true(s.event[0].t == 0.5);
    assert_int_equal(s.event[0].microstep, 3);
    assert_string_equal(s.event[0].instance, "{a}.a");
    assert_string_equal(s.event[0].port, "y");
    assert_string_equal(s.event[0].value, "2.0");
    tt_logbook_fini(&s);
}

static void no_memory_does_no_harm(void **state)
{
    struct tt_log_record unit = {TT_LOG_INFO, "u", NULL, "x", NULL};
    struct tt_logbook s;

    (void)state;
    for (uint64_t n = 1; n < 8; n++) {
        enum tt_code rc;

        tt_mem_fail_after(n);
        rc = tt_logbook_init(&s, NULL);
        if (rc == TT_OK)
            tt_logbook_add(&s, &unit, 0);
        tt_mem_fail_after(0);
        assert_true(s.n <= 1);
        tt_logbook_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_kept_and_of_ours_the_warnings),
        cmocka_unit_test(only_so_much_is_kept),
        cmocka_unit_test(the_first_events_are_kept),
        cmocka_unit_test(no_memory_does_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
