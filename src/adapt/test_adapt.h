/* SPDX-License-Identifier: MIT */
#ifndef TT_ADAPT_TEST_ADAPT_H
#define TT_ADAPT_TEST_ADAPT_H

/* For tests of adaptations: programs are written to files; inner units are
 * mocks, by their name, or adaptations. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "adapt/adapt.h"
#include "kinds/kinds.h"
#include "sys/file.h"
#include "unit/mock.h"
#include "unit/test_ok.h"

static char *test_dir;

static inline int test_setup(void **state)
{
    (void)state;
    tt_mock_register("gain", &tt_mock_gain);
    tt_mock_register("integrator", &tt_mock_integrator);
    return tt_dir_temp(&test_dir, NULL) == TT_OK ? 0 : -1;
}

static inline int test_teardown(void **state)
{
    (void)state;
    tt_mock_register(NULL, NULL);
    (void)!tt_dir_remove(test_dir, NULL);
    tt_free(test_dir);
    return 0;
}

static inline enum tt_code kind_for(const struct tt_kind_ops **kind,
                                    const struct tt_source *s, tt_err *err)
{
    if (strncmp(s->path, "tutti:", 6) == 0)
        return tt_kind_for(kind, s, err);
    *kind = tt_kind_adapted.accepts(s) ? &tt_kind_adapted : &tt_mock_kind;
    return TT_OK;
}

/* The path is owned by the caller. */
static inline char *put(const char *name, const char *text)
{
    char *path = tt_path_join(test_dir, name);

    assert_ok(tt_file_write(path, text, strlen(text), err));
    return path;
}

static inline enum tt_code open_program(tt_unit_type **t, const char *text,
                                        tt_err *err)
{
    char *path = put("test.sa", text);
    const struct tt_source s = {.path = path, .kind_cb = kind_for};
    enum tt_code rc = tt_kind_adapted.open(t, &s, err);

    tt_free(path);
    return rc;
}

static inline tt_unit *make_unit(tt_unit_type *t, const char *name)
{
    const struct tt_make m = {.name = name, .instance = name};
    tt_unit *u = NULL;

    assert_ok(t->kind->make(&u, t, &m, err));
    return u;
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

static inline double get_f64(tt_unit *u, const char *name)
{
    uint32_t p = port_of(u, name);
    double v = 0;

    assert_ok(tt_unit_get(u, &(struct tt_span){&p, 1, &v}, err));
    return v;
}

static inline void get_ready(tt_unit *u, uint32_t n_state)
{
    const struct tt_experiment e = {.end = 100};

    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_ok(tt_unit_prepare(u, n_state, err));
}

static inline struct tt_stepped step_to(tt_unit *u, double to)
{
    const struct tt_step s = {.to = to};
    struct tt_stepped r;

    assert_ok(tt_unit_step(u, &s, &r, err));
    return r;
}

#define GAIN       "for inner fmu Gain g at \"gain\" "
#define INTEGRATOR "for inner fmu Integrator i at \"integrator\" "
#define SA         "semantic adaptation "

#endif
