/* SPDX-License-Identifier: MIT */
/* Rows of results, as doubles, to the caller. */
#include <math.h>

#include "api/api_impl.h"
#include "base/hooks.h"
#include "base/mem.h"
#include "results/observer.h"

struct rows {
    tt_observer base;
    tutti_row_fn row_cb;
    void *ctx;
    const struct tt_rows *of;
    double *value; /* owned */
};

static enum tt_code rows_begin(tt_observer *o, const struct tt_rows *of,
                               tt_err *err)
{
    struct rows *r = (struct rows *)(void *)o;

    r->of = of;
    if (!TT_NEW_ARRAY(r->value, of->n))
        return tt_nomem(err, "rows");
    return TT_OK;
}

static enum tt_code rows_row(tt_observer *o, struct tt_instant at, double h,
                             tt_err *err)
{
    struct rows *r = (struct rows *)(void *)o;

    (void)h;
    for (uint32_t i = 0; i < r->of->n; i++)
        r->value[i] = tt_column_number(&r->of->column[i]);
    if (r->row_cb(r->ctx, at.t, r->value, r->of->n) == 0)
        return TT_OK;
    return tt_fail(err, TT_ESTOPPED, "stopped by the caller");
}

static void rows_free(tt_observer *o)
{
    struct rows *r = (struct rows *)(void *)o;

    TT_FREE_ALL(r->value, r);
}

static const struct tt_observer_ops rows_ops = {
    TT_HOOKS(rows_, begin, row, free),
};

enum tt_code api_rows_new(tt_observer **out, tutti_row_fn row_cb, void *ctx,
                          tt_err *err)
{
    struct rows *r;

    if (!TT_NEW(r))
        return tt_nomem(err, "preparing the run");
    *r = (struct rows){.base.ops = &rows_ops, .row_cb = row_cb, .ctx = ctx};
    *out = &r->base;
    return TT_OK;
}
