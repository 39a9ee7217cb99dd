/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_TEST_HELP_H
#define TT_KINDS_TEST_HELP_H

/* For the tests of kinds/: FMUs of the build, units on the way, and a log that
 * keeps what was logged. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "kinds/kinds.h"
#include "unit/test_ok.h"

#define UNITS TT_BUILD_DIR "/tests/units/"
#define MSD   TT_BUILD_DIR "/examples/double-mass-spring-damper/"

/* Everything logged, as "level unit category: text" lines. */
struct logged {
    struct tt_log log;
    char text[8192];
};

static inline void take_record(void *ctx, const struct tt_log_record *r)
{
    struct logged *h = ctx;
    size_t n = strlen(h->text);

    (void)snprintf(h->text + n, sizeof(h->text) - n, "%s %s %s: %s\n",
                   tt_log_level_name(r->level), r->unit ? r->unit : "-",
                   r->category ? r->category : "-", r->text);
}

static inline void logged_init(struct logged *h)
{
    *h = (struct logged){.log = {.sink_cb = take_record, .ctx = h}};
}

static inline tt_unit_type *open_as(const char *path,
                                    enum tt_interface interface)
{
    const struct tt_source s = {.path = path, .interface = interface};
    const struct tt_kind_ops *kind;
    tt_unit_type *t = NULL;
    tt_err err = {.msg = ""};
    enum tt_code rc = tt_kind_for(&kind, &s, &err);

    if (rc == TT_OK)
        rc = kind->open(&t, &s, &err);
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
    return t;
}

static inline tt_unit_type *open_type(const char *path)
{
    return open_as(path, TT_INTERFACE_ANY);
}

static inline void close_type(tt_unit_type *t)
{
    t->kind->close(t);
}

/* cmocka's own compares floats. */
#define assert_near(a, b, tolerance)                                           \
    do {                                                                       \
        double a_ = (a), b_ = (b);                                             \
        char is_[TT_NUM_MAX], not_[TT_NUM_MAX];                                \
        (void)tt_num_print(is_, a_);                                           \
        (void)tt_num_print(not_, b_);                                          \
        if (!(fabs(a_ - b_) <= (tolerance)))                                   \
            fail_msg("%s is %s, not %s", #a, is_, not_);                       \
    } while (0)

static inline tt_unit *make_with(tt_unit_type *t, const struct tt_make *m)
{
    tt_unit *u = NULL;

    assert_ok(t->kind->make(&u, t, m, err));
    return u;
}

static inline tt_unit *make_unit(tt_unit_type *t, const struct tt_log *log)
{
    const struct tt_make m = {
        .name = "{k}.u", .instance = "u", .log = log, .logging = 1};

    return make_with(t, &m);
}

static inline uint32_t port_of(const tt_unit *u, const char *name)
{
    uint32_t i = tt_desc_find(u->desc, name);

    if (i == TT_NONE)
        fail_msg("no port '%s'", name);
    return i;
}

static inline void set_port(tt_unit *u, const char *name, const void *value)
{
    uint32_t p = port_of(u, name);
    /* A span's value is not const because get writes it. */
    union {
        const void *in;
        void *out;
    } v = {value};
    const struct tt_span s = {&p, 1, v.out};

    assert_ok(tt_unit_set(u, &s, err));
}

static inline void get_port(tt_unit *u, const char *name, void *value)
{
    uint32_t p = port_of(u, name);
    const struct tt_span s = {&p, 1, value};

    assert_ok(tt_unit_get(u, &s, err));
}

static inline void set_f64(tt_unit *u, const char *name, double v)
{
    set_port(u, name, &v);
}

static inline void set_i32(tt_unit *u, const char *name, int32_t v)
{
    set_port(u, name, &v);
}

static inline double get_f64(tt_unit *u, const char *name)
{
    double v = -777;

    get_port(u, name, &v);
    return v;
}

static inline int32_t get_i32(tt_unit *u, const char *name)
{
    int32_t v = -777;

    get_port(u, name, &v);
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

static inline struct tt_stepped step_to(tt_unit *u, double to)
{
    struct tt_stepped r = {.reached = -1};

    assert_ok(tt_unit_step(u, &(struct tt_step){.to = to, .may_restore = 1}, &r,
                           err));
    return r;
}

/* A bound step from where the unit is, as a player makes it. */
static inline enum tt_call_result
bound_step_to(tt_unit *u, double to, struct tt_now *now, struct tt_call *c)
{
    *now = (struct tt_now){.t = {u->now, to}, .h = {0, to - u->now}};
    assert_ok(tt_unit_bind(u, TT_VERB_STEP, NULL, c, err));
    c->from = TT_T0;
    c->to = TT_T1;
    return tt_call_make(c, now);
}

#endif
