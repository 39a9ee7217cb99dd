/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_TESTING_H
#define TT_REMOTE_TESTING_H

/* For the tests of remote/: FMUs of the build, and units on the way. Include
 * cmocka.h before. */

#include "kinds/kinds.h"
#include "unit/test_ok.h"

#define UNITS TT_BUILD_DIR "/tests/units/"
#define MSD   TT_BUILD_DIR "/examples/double-mass-spring-damper/"

static inline tt_unit_type *open_type(const char *path)
{
    const struct tt_source s = {.path = path};
    const struct tt_kind_ops *kind = NULL;
    tt_unit_type *t = NULL;

    assert_ok(tt_kind_for(&kind, &s, err));
    assert_ok(kind->open(&t, &s, err));
    return t;
}

static inline void close_type(tt_unit_type *t)
{
    t->kind->close(t);
}

static inline uint32_t port_of(const tt_unit *u, const char *name)
{
    uint32_t i = tt_desc_find(u->desc, name);

    if (i == TT_NONE)
        fail_msg("no port '%s'", name);
    return i;
}

static inline void set_f64(tt_unit *u, const char *name, double v)
{
    uint32_t p = port_of(u, name);

    assert_ok(tt_unit_set(u, &(struct tt_span){&p, 1, &v}, err));
}

static inline void set_i32(tt_unit *u, const char *name, int32_t v)
{
    uint32_t p = port_of(u, name);

    assert_ok(tt_unit_set(u, &(struct tt_span){&p, 1, &v}, err));
}

static inline double get_f64(tt_unit *u, const char *name)
{
    uint32_t p = port_of(u, name);
    double v = -777;

    assert_ok(tt_unit_get(u, &(struct tt_span){&p, 1, &v}, err));
    return v;
}

/* From made to prepared, from t=0 to 10. */
static inline void get_ready(tt_unit *u, uint32_t n_state)
{
    const struct tt_experiment e = {.start = 0, .end = 10};

    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_ok(tt_unit_prepare(u, n_state, err));
}

#endif
