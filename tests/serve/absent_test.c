/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/serve.h"

static void it_states_how_to_get_it(void **state)
{
    const struct tt_serve_opts o = {0};
    tt_err err;

    (void)state;
    assert_int_equal(tt_serve(&o, &err), TT_EUNSUPPORTED);
    assert_string_equal(
        err.msg, "this tutti was built without the service: 'make build' "
                 "installs what it needs (libwebsockets, OpenSSL, Jansson) "
                 "and builds it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_states_how_to_get_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
