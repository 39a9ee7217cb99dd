/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_FLAT_H
#define TT_FORMATS_FLAT_H

/* A scenario for formats that know FMUs, connections and start values, and
 * little else: what they have in common when they are written. What they
 * cannot express is reported, never left out in silence: fields are, too, of
 * which no writer knows. */

#include "formats/beside.h"
#include "unit/unit.h"

#define TT_FLAT_FIELDS 32 /* fields a format may express */

struct tt_flat {
    const tt_scenario *s;
    struct tt_format_target *t;
    const char *format;      /* "MasterSim", in messages */
    struct tt_beside beside; /* owned */
    const char **source;     /* per FMU: what the text calls it, or NULL */
    const char **name;       /* per unit: its own in the text, or NULL: it is
                              * not in there, which was reported */
    tt_unit_type **type;     /* owned, per FMU: what it declares, or NULL */
    const char *covered[TT_FLAT_FIELDS]; /* fields that the text expresses */
    size_t n_covered;
    tt_err *err;
};

/* Names for all; to be ended after failure, too. */
TT_NODISCARD enum tt_code tt_flat_begin(struct tt_flat *f, const tt_scenario *s,
                                        struct tt_format_target *t,
                                        const char *format, tt_err *err);
/* If all went well (rc), the text is written to where the target states. */
TT_NODISCARD enum tt_code tt_flat_end(struct tt_flat *f, struct tt_buf *text,
                                      enum tt_code rc);

/* The text expresses this field of the scenario. */
void tt_flat_covers(struct tt_flat *f, const char *field);
/* Report fields that are set and were not covered. */
TT_NODISCARD enum tt_code tt_flat_rest(struct tt_flat *f);

/* Can it be written? Else why not was reported. `linear`: so can one with
 * factor and offset. */
int tt_flat_connects(struct tt_flat *f, const struct tt_sc_connection *c);
/* The same of a start value: a number, Boolean or text in the variable's
 * unit. */
int tt_flat_gives(struct tt_flat *f, const struct tt_sc_parameter *p);
/* What the FMU declares of a variable, or NULL. */
const struct tt_port *tt_flat_port(const struct tt_flat *f,
                                   const struct tt_sc_ref *r);
/* A start value, where it names an item of the variable with its number. */
struct tt_sc_value tt_flat_value(const struct tt_flat *f,
                                 const struct tt_sc_parameter *p);
/* A scalar value as text. */
void tt_flat_put_value(struct tt_buf *b, const struct tt_sc_value *v);
/* The step, where it is left open a 500th of the span; reported then. */
double tt_flat_step(struct tt_flat *f);

#endif
