/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_TEST_OK_H
#define TT_UNIT_TEST_OK_H

/* For tests: calls that take `err`, by that name, and what they must answer.
 * Include cmocka.h before. */

#include "base/err.h"

#define assert_ok(call)                                                        \
    do {                                                                       \
        tt_err err_ = {.msg = ""};                                             \
        tt_err *err = &err_;                                                   \
        if ((call) != TT_OK)                                                   \
            fail_msg("%s: %s", #call, err_.msg);                               \
    } while (0)

/* The call fails with exactly this code and message. */
#define assert_fails(code_, call, message)                                     \
    do {                                                                       \
        tt_err err_ = {.msg = ""};                                             \
        tt_err *err = &err_;                                                   \
        assert_int_equal((call), code_);                                       \
        assert_string_equal(err_.msg, message);                                \
    } while (0)

#endif
