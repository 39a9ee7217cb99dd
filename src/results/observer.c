/* SPDX-License-Identifier: MIT */
#include "results/observer.h"

#include <math.h>

double tt_column_number(const struct tt_column *c)
{
    if (tt_type_is_text(c->type) || tt_column_is_absent(c))
        return (double)NAN;
    return tt_value_as_double(c->type, c->value);
}

enum tt_code tt_observer_begin(tt_observer *o, const struct tt_rows *rows,
                               tt_err *err)
{
    return o->ops->begin(o, rows, err);
}

enum tt_code tt_observer_row(tt_observer *o, struct tt_instant at, double h,
                             tt_err *err)
{
    return o->ops->row(o, at, h, err);
}

enum tt_code tt_observer_end(tt_observer *o, tt_err *err)
{
    return o->ops->end ? o->ops->end(o, err) : TT_OK;
}

void tt_observer_save(const tt_observer *o, struct tt_buf *to)
{
    if (o->ops->save)
        o->ops->save(o, to);
}

enum tt_code tt_observer_restore(tt_observer *o, const void *data, size_t n,
                                 tt_err *err)
{
    if (o->ops->restore)
        return o->ops->restore(o, data, n, err);
    return TT_OK;
}

void tt_observer_free(tt_observer *o)
{
    if (o)
        o->ops->free(o);
}
