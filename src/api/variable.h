/* SPDX-License-Identifier: MIT */
#ifndef TT_API_VARIABLE_H
#define TT_API_VARIABLE_H

/* Variables of a playing run, by name: "{key}.instance.variable", elements of
 * arrays as "x[2,1]". */

#include "run/run.h"

struct tt_variable {
    const char *name; /* as the caller wrote it */
    uint32_t unit, port, element;
    const struct tt_port *desc;
};

/* Messages offer the nearest name. */
TT_NODISCARD enum tt_code tt_variable_find(const tt_plan *p, const char *name,
                                           struct tt_variable *v, tt_err *err);
/* All elements of its port; the caller frees *value, also after a failure. */
TT_NODISCARD enum tt_code tt_variable_read(tt_run *r,
                                           const struct tt_variable *v,
                                           void **value, tt_err *err);
/* The one it names among them. */
void *tt_variable_element(const struct tt_variable *v, void *value);
/* That element as text, whole however long; the caller frees it. NULL: err
 * states why. And from text. */
char *tt_variable_print(tt_run *r, const struct tt_variable *v, void *value,
                        tt_err *err);
TT_NODISCARD enum tt_code tt_variable_parse(tt_run *r,
                                            const struct tt_variable *v,
                                            void *value, const char *text,
                                            tt_err *err);
/* FMI lets inputs and tunable parameters be set between steps, nothing else
 * (2.0.5, 4.2.4; 3.0.2, 4.2.1). Asked here, since a unit that is asked fails
 * for good. */
TT_NODISCARD enum tt_code
tt_variable_check_settable(const struct tt_variable *v, tt_err *err);
/* "'x' (Int32) cannot hold 1.5" */
enum tt_code tt_variable_cannot_hold(const struct tt_variable *v,
                                     const char *value, tt_err *err);

#endif
