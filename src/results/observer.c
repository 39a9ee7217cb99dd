/* SPDX-License-Identifier: MIT */
#include "results/observer.h"

enum tt_code tt_observer_begin(tt_observer *o, const struct tt_rows *rows,
                               tt_err *err)
{
    return o->ops->begin(o, rows, err);
}

enum tt_code tt_observer_row(tt_observer *o, double t, double h, tt_err *err)
{
    return o->ops->row(o, t, h, err);
}

enum tt_code tt_observer_end(tt_observer *o, tt_err *err)
{
    return o->ops->end(o, err);
}

void tt_observer_free(tt_observer *o)
{
    if (o)
        o->ops->free(o);
}
