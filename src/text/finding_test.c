/* SPDX-License-Identifier: MIT */
#include "text/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void findings_are_sorted_by_line(void **state)
{
    struct tt_findings f;
    tt_err err;

    (void)state;
    tt_findings_init(&f);
    tt_findings_add(&f, TT_SEV_WARNING, 9, "B", "nine %d", 9);
    tt_findings_add(&f, TT_SEV_ERROR, 3, "A", "three");
    tt_findings_add(&f, TT_SEV_NOTE, 0, "C", "nowhere");
    assert_int_equal(tt_findings_finish(&f, &err), TT_OK);
    assert_int_equal(f.n, 3);
    assert_string_equal(f.item[0].text, "nowhere");
    assert_string_equal(f.item[1].text, "three");
    assert_string_equal(f.item[2].text, "nine 9");
    assert_int_equal(f.error_n, 1);
    assert_int_equal(f.warning_n, 1);
    assert_int_equal(f.fatal_n, 0);
    assert_int_equal(tt_findings_fail(&f, &err), TT_OK);
    assert_string_equal(tt_severity_name(f.item[1].severity), "error");
    tt_findings_fini(&f);
}

static void the_first_fatal_finding_is_the_error(void **state)
{
    struct tt_findings f;
    tt_err err;

    (void)state;
    tt_findings_init(&f);
    tt_findings_fatal(&f, 8, "R", "second");
    tt_findings_fatal(&f, 5, "R", "first");
    assert_int_equal(tt_findings_finish(&f, &err), TT_OK);
    assert_int_equal(tt_findings_fail(&f, &err), TT_EINPUT);
    assert_string_equal(err.msg, "line 5: first [R] (and 1 more)");
    tt_findings_fini(&f);
}

static void many_of_one_rule_are_counted_not_kept(void **state)
{
    struct tt_findings f, copy;
    tt_err err;

    (void)state;
    tt_findings_init(&f);
    for (int i = 1; i <= 250; i++)
        tt_findings_add(&f, TT_SEV_ERROR, i, "SAME", "again");
    tt_findings_fatal(&f, 251, "SAME", "fatal ones are kept");
    assert_int_equal(tt_findings_finish(&f, &err), TT_OK);
    assert_int_equal(f.n, TT_FINDING_SAME + 2);
    assert_int_equal(f.error_n, 251);
    assert_string_equal(f.item[f.n - 1].text,
                        "151 more of this kind are not shown");
    assert_int_equal(tt_findings_fail(&f, &err), TT_EINPUT);
    tt_findings_init(&copy);
    tt_findings_copy(&copy, &f);
    tt_findings_fini(&f);
    assert_int_equal(tt_findings_finish(&copy, &err), TT_OK);
    assert_int_equal(copy.n, TT_FINDING_SAME + 2);
    assert_int_equal(copy.error_n, 251);
    assert_string_equal(copy.item[0].text,
                        "151 more of this kind are not shown");
    assert_string_equal(copy.item[1].text, "again");
    assert_int_equal(copy.item[1].line, 1);
    tt_findings_fini(&copy);
}

static void running_out_of_memory_is_remembered(void **state)
{
    struct tt_findings f;
    tt_err err;

    (void)state;
    tt_findings_init(&f);
    tt_mem_fail_after(1);
    tt_findings_add(&f, TT_SEV_ERROR, 1, "R", "lost");
    tt_mem_fail_after(0);
    assert_int_equal(tt_findings_finish(&f, &err), TT_ENOMEM);
    tt_findings_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_sorted_by_line),
        cmocka_unit_test(the_first_fatal_finding_is_the_error),
        cmocka_unit_test(many_of_one_rule_are_counted_not_kept),
        cmocka_unit_test(running_out_of_memory_is_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
