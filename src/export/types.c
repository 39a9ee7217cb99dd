/* SPDX-License-Identifier: MIT */
#include "export/types.h"

static enum tt_type type2(enum tt_type t)
{
    if (tt_type_is_float(t))
        return TT_F64;
    if (tt_type_is_bool(t))
        return TT_BOOL32;
    if (tt_type_is_number(t) || tt_type_is_enum(t))
        return TT_I32;
    return t == TT_TEXT ? TT_TEXT : TT_TYPE_N;
}

/* Enumerations become integers: what their items are called is not known. */
static enum tt_type type3(enum tt_type t)
{
    if (tt_type_is_bool(t))
        return TT_BOOL;
    if (t == TT_ENUM32)
        return TT_I32;
    if (t == TT_ENUM64)
        return TT_I64;
    return tt_type_is_number(t) || t == TT_TEXT ? t : TT_TYPE_N;
}

int tt_export_has_events(const struct tt_desc *d)
{
    return d->caps.discrete && d->internal;
}

/* Clocks that tick with events, or are their own; FMI 2 has counters. */
enum tt_type tt_export_type(int fmi, const struct tt_port *p)
{
    if (p->type == TT_CLOCK && p->hidden)
        return fmi == 3 ? TT_CLOCK : TT_I32;
    if (fmi == 3)
        return type3(p->type);
    return p->n_dim ? TT_TYPE_N : type2(p->type);
}
