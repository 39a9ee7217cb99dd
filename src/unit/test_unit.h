/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_TEST_UNIT_H
#define TT_UNIT_TEST_UNIT_H

/* What the tests of units share: mocks made, brought to life and stepped,
 * failures recognised by their words. Include after cmocka.h. */

#include "base/mem.h"
#include "unit/mock.h"

static tt_err err;

static inline void ok(enum tt_code rc)
{
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
}

/* The whole message, and the code in err agrees. */
static inline void refused(enum tt_code rc, enum tt_code code, const char *msg)
{
    assert_string_equal(err.msg, msg);
    assert_int_equal(rc, code);
    assert_int_equal(err.code, code);
}

static inline tt_unit *make(const struct tt_mock_spec *spec, const char *name)
{
    tt_unit *u = NULL;

    ok(tt_mock_make(&u, spec, name, &err));
    return u;
}

static inline void enter_init(tt_unit *u)
{
    ok(tt_unit_configure(u, &err));
    ok(tt_unit_enter_init(u, &(struct tt_experiment){.start = 1, .end = 9},
                          &err));
}

static inline tt_unit *ready(const struct tt_mock_spec *spec, const char *name)
{
    tt_unit *u = make(spec, name);

    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, spec->caps.save ? 2 : 0, &err));
    return u;
}

static inline enum tt_code step(tt_unit *u, double to)
{
    struct tt_stepped r;

    return tt_unit_step(u, &(struct tt_step){.to = to}, &r, &err);
}

static inline struct tt_mock_spec cued(const struct tt_mock_spec *of,
                                       const struct tt_mock_cue *cue)
{
    struct tt_mock_spec spec = *of;

    spec.cue = cue;
    spec.n_cue = 1;
    return spec;
}

#endif
