/* SPDX-License-Identifier: MIT */
/* What the kit's tests share: a loaded test unit, its log, its description. */
#ifndef KIT_TEST_UTIL_H
#define KIT_TEST_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The log of every unit under test: the last message and how many came. */
struct test_log {
    char message[1024], category[64];
    int status, count;
};

static struct test_log logged;

static inline void test_take_log(int status, const char *category,
                                 const char *message)
{
    logged.status = status;
    logged.count++;
    (void)snprintf(logged.category, sizeof(logged.category), "%s", category);
    (void)snprintf(logged.message, sizeof(logged.message), "%s", message);
}

/* A whole file, or the test fails. The caller frees it. */
static inline char *test_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    assert_int_equal(fclose(f), 0);
    return text;
}

static inline char *test_description(const char *model, int version)
{
    char path[512];

    (void)snprintf(path, sizeof(path), KIT_TEST_DIR "/%s.%d.xml", model,
                   version);
    return test_read(path);
}

/* The token in a description, "{...}". */
static inline void test_token(const char *model, char token[64])
{
    char *xml = test_description(model, 3);
    const char *at = strchr(xml, '{');

    assert_non_null(at);
    (void)snprintf(token, 64, "%.*s", 38, at);
    free(xml);
}

static inline void *test_library(const char *model)
{
    char path[512];
    void *library;

    (void)snprintf(path, sizeof(path), KIT_TEST_DIR "/%s.so", model);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

/* dlsym() for functions: ISO C converts no object pointer to one. */
static inline void test_bind(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    if (!symbol)
        fail_msg("%s is not exported", name);
    memcpy(function, &symbol, sizeof(symbol));
}

/* |a - b| within tolerance, relative to b or 1. */
static inline void test_close(double a, double b, double tolerance)
{
    double scale = fabs(b) > 1 ? fabs(b) : 1;

    if (!(fabs(a - b) <= tolerance * scale))
        fail_msg("%.17g is not %.17g within %g (off by %g)", a, b, tolerance,
                 fabs(a - b) / scale);
}

/* x(t) of x'' + w^2 x = p(t), p = p0 + p1 t + p2 t^2/2 + p3 t^3/6: the
 * particular solution p/w^2 - p''/w^4 plus free oscillation. */
static inline double test_oscillation(double w, const double p[4], double x0,
                                      double v0, double t)
{
    double w2 = w * w, w4 = w2 * w2;
    double at_t = p[0] + t * (p[1] + t / 2 * (p[2] + t / 3 * p[3]));
    double curve_t = p[2] + t * p[3];
    double xp = at_t / w2 - curve_t / w4;
    double a = x0 - (p[0] / w2 - p[2] / w4);
    double b = (v0 - (p[1] / w2 - p[3] / w4)) / w;

    return xp + a * cos(w * t) + b * sin(w * t);
}

/* Value references of test_models/oscillator.c. */
enum {
    OSC_U = 1,
    OSC_X,
    OSC_V,
    OSC_DX,
    OSC_DV,
    OSC_Y,
    OSC_POWER,
    OSC_C,
    OSC_D,
    OSC_G,
    OSC_METHOD,
    OSC_MICROSTEPS,
};

/* And of test_models/hooks.c, with its commands. */
enum {
    HOOK_COMMAND = 1,
    HOOK_WHEN,
    HOOK_X,
    HOOK_Y,
    HOOK_LIMIT,
    HOOK_PERIOD,
    HOOK_EVENTS,
};

enum {
    NOTHING,
    REJECT,
    STOP_EARLY,
    TERMINATE,
    FAIL,
    FAIL_FATALLY,
    LOG,
    EVENT,
    FAIL_IN_OUTPUTS,
};

#endif
