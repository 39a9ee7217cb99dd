/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_TEST_SCENARIO_H
#define TT_SCENARIO_TEST_SCENARIO_H

/* For this folder's tests: parse a text, and collect every warning. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "scenario/scenario.h"

struct logged {
    char text[16384]; /* one line per warning */
    size_t n, lines;
};

static inline void take_record(void *ctx, const struct tt_log_record *r)
{
    struct logged *h = ctx;
    int more = snprintf(h->text + h->n, sizeof(h->text) - h->n, "%s%s",
                        h->n ? "\n" : "", r->text);

    assert_int_equal(r->level, TT_LOG_WARN);
    assert_true(more > 0 && (size_t)more < sizeof(h->text) - h->n);
    h->n += (size_t)more;
    h->lines++;
}

/* Parse "a.json" in folder "/m" with options, which may be NULL. */
static inline enum tt_code try_text(tt_scenario **s, const char *text,
                                    const struct tt_sc_options *o,
                                    struct logged *h, tt_err *err)
{
    struct tt_log log = {.sink_cb = take_record, .ctx = h};

    *s = NULL;
    *h = (struct logged){.n = 0};
    *err = (tt_err){.msg = "untouched"};
    return tt_scenario_parse(s, "a.json", "/m", text, strlen(text), o, &log,
                             err);
}

static inline void fails_with(const char *text, const struct tt_sc_options *o,
                              enum tt_code code, const char *message)
{
    tt_scenario *s;
    struct logged h;
    tt_err err;
    enum tt_code rc = try_text(&s, text, o, &h, &err);

    if (rc == TT_OK || strcmp(err.msg, message) != 0)
        print_error("for %s\n", text);
    assert_string_equal(err.msg, message);
    assert_int_equal(rc, code);
    assert_int_equal(err.code, code);
    assert_null(s);
}

static inline void fails(const char *text, const char *message)
{
    fails_with(text, NULL, TT_EINPUT, message);
}

static inline void refused(const char *text, const char *message)
{
    fails_with(text, NULL, TT_EUNSUPPORTED, message);
}

/* The scenario; the caller frees it. All warnings are `warnings`. */
static inline tt_scenario *gives_with(const char *text,
                                      const struct tt_sc_options *o,
                                      const char *warnings)
{
    tt_scenario *s;
    struct logged h;
    tt_err err;
    enum tt_code rc = try_text(&s, text, o, &h, &err);

    assert_string_equal(err.msg, "untouched");
    assert_int_equal(rc, TT_OK);
    assert_string_equal(h.text, warnings);
    return s;
}

static inline tt_scenario *gives(const char *text)
{
    return gives_with(text, NULL, "");
}

static inline void warns(const char *text, const char *warnings)
{
    tt_scenario_free(gives_with(text, NULL, warnings));
}

/* One FMU, two instances, joined both ways; `MORE` follows. */
#define PAIR                                                                   \
    "{\"fmus\":{\"{p}\":\"p.fmu\",\"{c}\":\"c.fmu\"},\n"                       \
    "\"connections\":{\"{p}.p1.y\":[\"{c}.c1.y\"],"                            \
    "\"{c}.c1.u\":[\"{p}.p1.u\"]},\n"
#define BALL "{\"fmus\":{\"{b}\":\"b.fmu\"},\"instances\":{\"{b}\":[\"x\"]},\n"

#endif
