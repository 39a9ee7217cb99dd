/* SPDX-License-Identifier: MIT */
/* Rows to a callback keep to the contract of observers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include "api/api_impl.h"
#include "results/contract_observer.h"

static struct tt_seen seen;

static int take(void *ctx, double t, const double *v, size_t n)
{
    (void)ctx;
    assert_int_equal(n, TT_SEEN_COLUMNS + 1);
    assert_true(isnan(v[TT_SEEN_COLUMNS])); /* a text */
    seen.t[seen.n] = t;
    for (uint32_t i = 0; i < TT_SEEN_COLUMNS; i++)
        seen.v[seen.n][i] = v[i];
    seen.n++;
    return 0;
}

static int refuse(void *ctx, double t, const double *v, size_t n)
{
    (void)ctx;
    (void)v;
    (void)n;
    return t > 0.5;
}

/* What it has seen is the caller's memory: it continues as it was marked. */
static enum tt_code make(const struct tt_observer_sample *s,
                         const struct tt_buf *from, tt_observer **out,
                         tt_err *err)
{
    (void)s;
    seen.n = 0;
    if (from)
        memcpy(&seen.n, from->data, sizeof(seen.n));
    return api_rows_new(out, take, NULL, err);
}

static enum tt_code make_broken(const struct tt_observer_sample *s,
                                tt_observer **out, tt_err *err)
{
    (void)s;
    return api_rows_new(out, refuse, NULL, err);
}

static void mark(const struct tt_observer_sample *s, tt_observer *o,
                 struct tt_buf *to)
{
    (void)s;
    (void)o;
    tt_buf_add(to, &seen.n, sizeof(seen.n));
}

static void read_seen(const struct tt_observer_sample *s, tt_observer *o,
                      struct tt_seen *out)
{
    (void)s;
    (void)o;
    *out = seen;
}

static void rows_keep_to_the_contract(void **state)
{
    const struct tt_observer_sample sample = {.name = "caller",
                                              .make = make,
                                              .make_broken = make_broken,
                                              .mark = mark,
                                              .read = read_seen};

    (void)state;
    tt_observer_contract(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_to_the_contract),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
