/* SPDX-License-Identifier: MIT */
/* The page of reference has the grammar that the parser has. */
#include "adapt/test_adapt.h"

static void the_page_has_the_grammar(void **state)
{
    struct tt_buf page, grammar;

    (void)state;
    tt_buf_init(&page, 1 << 20);
    tt_buf_init(&grammar, 1 << 20);
    assert_ok(tt_file_read(&page, TT_SOURCE_DIR "/docs/reference/adaptation.md",
                           err));
    tt_adapt_grammar(&grammar);
    assert_non_null(strstr(page.data, grammar.data));
    tt_buf_fini(&page);
    tt_buf_fini(&grammar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_grammar),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
