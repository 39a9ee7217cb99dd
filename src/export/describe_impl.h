/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPORT_DESCRIBE_IMPL_H
#define TT_EXPORT_DESCRIBE_IMPL_H

/* Between describe.c, which writes the description, and describe_vars.c, which
 * writes what it declares of variables. */

#include "export/export_impl.h"

struct describing {
    struct tt_buf *b;
    const struct tt_describe *x;
    const struct tt_desc *d;
    uint32_t *index; /* owned, per port: its place, from 1; 0: left out */
    const struct tt_quantity **unit; /* owned: those defined */
    uint32_t n_unit;
    uint32_t n; /* variables */
};

/* Attributes: name="value", with a space before. NULL: none. */
void describe_text(struct tt_buf *b, const char *name, const char *value);
void describe_number(struct tt_buf *b, const char *name, double v);
/* As XML Schema spells it. */
void describe_number_text(struct tt_buf *b, double v);

/* UnitDefinitions of the variables that are described; `unit` is filled. */
void describe_units(struct describing *w);
/* ModelVariables; after the units, which they refer to. */
void describe_variables(const struct describing *w);
/* Is it a discrete-event unit, and this one of its clocks? */
int describe_has_events(const struct describing *w);
int describe_is_clock(const struct describing *w, uint32_t port);
/* Is its first value calculated, so that it is an initial unknown? */
int describe_is_unknown(const struct describing *w, uint32_t port);

#endif
