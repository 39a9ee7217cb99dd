/* SPDX-License-Identifier: MIT */
#ifndef TT_COMPOSE_TEST_COMPOSE_H
#define TT_COMPOSE_TEST_COMPOSE_H

/* For tests of composites: scenarios are written to files, with @ for the
 * folder of examples and # for that of test units. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "compose/compose.h"
#include "sys/file.h"
#include "unit/test_ok.h"

static char *test_dir; /* of the files, made by the test's setup */

static inline int test_setup(void **state)
{
    (void)state;
    return tt_dir_temp(&test_dir, NULL) == TT_OK ? 0 : -1;
}

static inline int test_teardown(void **state)
{
    (void)state;
    (void)!tt_dir_remove(test_dir, NULL);
    tt_free(test_dir);
    return 0;
}

/* The path is owned by the caller. */
static inline char *put(const char *name, const char *text)
{
    char *path = tt_path_join(test_dir, name), *dir = tt_path_dir(path);
    struct tt_buf b;

    tt_buf_init(&b, 1 << 20);
    for (; *text; text++) {
        if (*text == '@')
            tt_buf_str(&b, TT_BUILD_DIR "/examples/");
        else if (*text == '#')
            tt_buf_str(&b, TT_BUILD_DIR "/tests/units/");
        else
            tt_buf_char(&b, *text);
    }
    assert_ok(tt_dir_make(dir, err));
    assert_ok(tt_file_write(path, b.data, b.len, err));
    tt_buf_fini(&b);
    tt_free(dir);
    return path;
}

static inline enum tt_code open_at(const char *path, tt_unit_type **t,
                                   tt_err *err)
{
    const struct tt_source s = {.path = path};
    const struct tt_kind_ops *kind;
    enum tt_code rc = tt_compose_kind_for(&kind, &s, err);

    return rc == TT_OK ? kind->open(t, &s, err) : rc;
}

static inline tt_unit_type *open_text(const char *name, const char *text)
{
    char *path = put(name, text);
    tt_unit_type *t = NULL;

    assert_ok(open_at(path, &t, err));
    tt_free(path);
    return t;
}

static inline tt_unit *make_unit(tt_unit_type *t, const char *name)
{
    const struct tt_make m = {
        .name = name, .instance = name, .want_course = 1, .early_return = 1};
    tt_unit *u = NULL;

    assert_ok(t->kind->make(&u, t, &m, err));
    return u;
}

static inline uint32_t port_of(const tt_unit_type *t, const char *name)
{
    uint32_t i = tt_desc_find(&t->desc, name);

    if (i == TT_NONE)
        fail_msg("no port '%s'", name);
    return i;
}

#endif
