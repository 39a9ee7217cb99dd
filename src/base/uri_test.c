/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/uri.h"

static void check_path(const char *uri, const char *expected)
{
    char *path = tt_uri_path(uri);

    assert_string_equal(path, expected);
    tt_free(path);
}

static void every_form_of_a_file_uri_is_a_path(void **state)
{
    (void)state;
    check_path("file:/a/b", "/a/b");
    check_path("file:///a/b", "/a/b");
    check_path("file:////a/b", "/a/b");
    check_path("file://localhost/a/b", "/a/b");
    check_path("file:///a%20b/%C3%A4%2f", "/a b/\xc3\xa4/");
}

static void what_is_no_escape_stays(void **state)
{
    (void)state;
    check_path("file:///a%2/%zz%00%", "/a%2/%zz%00%");
}

static void a_path_is_left_alone(void **state)
{
    (void)state;
    check_path("/a%20b//c", "/a%20b//c");
    check_path("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_file_uri_is_a_path),
        cmocka_unit_test(what_is_no_escape_stays),
        cmocka_unit_test(a_path_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
