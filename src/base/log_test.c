/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/log.h"

struct logged {
    int n;
    enum tt_log_level level;
    char unit[32], category[32], text[TT_ERR_MAX];
};

static void copy(char *to, size_t size, const char *from)
{
    size_t n = from ? strlen(from) : 0;

    assert_true(n < size);
    if (n)
        memcpy(to, from, n);
    to[n] = '\0';
}

static void take_record(void *ctx, const struct tt_log_record *r)
{
    struct logged *h = ctx;

    h->n++;
    h->level = r->level;
    copy(h->unit, sizeof(h->unit), r->unit);
    copy(h->category, sizeof(h->category), r->category);
    copy(h->text, sizeof(h->text), r->text);
}

static void records_reach_the_sink_formatted(void **state)
{
    struct logged h = {0};
    struct tt_log log = {
        .sink_cb = take_record, .ctx = &h, .least = TT_LOG_INFO};

    (void)state;
    tt_log(&log, TT_LOG_WARN, "%s is %d", "x", 3);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.level, TT_LOG_WARN);
    assert_string_equal(h.text, "x is 3");
    assert_string_equal(h.unit, "");
}

static void records_below_the_least_level_are_not_made(void **state)
{
    struct logged h = {0};
    struct tt_log log = {
        .sink_cb = take_record, .ctx = &h, .least = TT_LOG_WARN};

    (void)state;
    tt_log(&log, TT_LOG_NOTE, "hidden");
    tt_log_unit(&log, TT_LOG_DEBUG, "u", "c", "hidden");
    assert_int_equal(h.n, 0);
}

static void what_a_unit_logs_is_never_a_format(void **state)
{
    struct logged h = {0};
    struct tt_log log = {
        .sink_cb = take_record, .ctx = &h, .least = TT_LOG_DEBUG};

    (void)state;
    tt_log_unit(&log, TT_LOG_ERROR, "tank", "logStatus", "100 %s %n");
    assert_string_equal(h.text, "100 %s %n");
    assert_string_equal(h.unit, "tank");
    assert_string_equal(h.category, "logStatus");
    tt_log_unit(&log, TT_LOG_ERROR, "tank", NULL, NULL);
    assert_string_equal(h.text, "");
}

static void no_log_and_no_sink_swallow_everything(void **state)
{
    struct tt_log no_sink = {0};

    (void)state;
    tt_log(NULL, TT_LOG_ERROR, "no sink");
    tt_log(&no_sink, TT_LOG_ERROR, "no sink");
    tt_log_unit(NULL, TT_LOG_ERROR, "u", "c", "no sink");
}

static void every_level_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(tt_log_level_name(TT_LOG_DEBUG), "debug");
    assert_string_equal(tt_log_level_name(TT_LOG_INFO), "info");
    assert_string_equal(tt_log_level_name(TT_LOG_NOTE), "note");
    assert_string_equal(tt_log_level_name(TT_LOG_WARN), "warning");
    assert_string_equal(tt_log_level_name(TT_LOG_ERROR), "error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_reach_the_sink_formatted),
        cmocka_unit_test(records_below_the_least_level_are_not_made),
        cmocka_unit_test(what_a_unit_logs_is_never_a_format),
        cmocka_unit_test(no_log_and_no_sink_swallow_everything),
        cmocka_unit_test(every_level_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
