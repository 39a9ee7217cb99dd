/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_KINDS_H
#define TT_KINDS_KINDS_H

/* The unit kinds there are.
 *
 *     fmi1, fmi2, fmi3
 *                  co-simulation FMUs (.fmu, or the unpacked folder)
 *     fmi1me, fmi2me, fmi3me
 *                  model-exchange FMUs, integrated by us
 *     fmi3se       FMUs for scheduled execution, whose partitions we activate
 *     coupling     "tutti:coupling": finds what makes a constraint hold
 *     clock        "tutti:clock: 1/3": ticks other clocks
 *     locate       "tutti:locate: expression": an event where it crosses zero
 *     block        "tutti:quantize", "tutti:sample", "tutti:dead-time": what is
 *                  put on a connection
 *     formula      "tutti:formula: a + b": an expression over its inputs
 *     devs         a discrete-event unit in a file (.devs.json)
 *     library      "tutti:queue" and others: discrete-event units built in
 *     map          "tutti:map": makes events of other events
 *     script, gate what a scenario's script does, and where
 *     signal       a table of a CSV file, played: outputs named by its columns
 *
 * To open a unit's type: tt_kind_for(), then kind->open(); to end it:
 * type->kind->close(), after its last instance was freed. A type, its make and
 * the bind of its instances belong to one thread at a time; what bind gave may
 * then be played by any thread the capabilities allow.
 */

#include "base/err.h"
#include "unit/unit.h"

extern const struct tt_kind_ops tt_kind_fmi1;
extern const struct tt_kind_ops tt_kind_fmi2;
extern const struct tt_kind_ops tt_kind_fmi3;
extern const struct tt_kind_ops tt_kind_fmi1me;
extern const struct tt_kind_ops tt_kind_fmi2me;
extern const struct tt_kind_ops tt_kind_fmi3me;
extern const struct tt_kind_ops tt_kind_fmi3se;
extern const struct tt_kind_ops tt_kind_coupling;
extern const struct tt_kind_ops tt_kind_clock;
extern const struct tt_kind_ops tt_kind_locate;
extern const struct tt_kind_ops tt_kind_block;
extern const struct tt_kind_ops tt_kind_formula;
extern const struct tt_kind_ops tt_kind_script;
extern const struct tt_kind_ops tt_kind_gate;
extern const struct tt_kind_ops tt_kind_devs;
extern const struct tt_kind_ops tt_kind_library;
extern const struct tt_kind_ops tt_kind_map;
extern const struct tt_kind_ops tt_kind_signal;

/* Is it this built-in source, "tutti:clock", alone or with text behind a ':'?
 */
int tt_kind_is_builtin(const struct tt_source *s, const char *name);

/* Of a description: no experiment of its own. */
#define TT_KIND_NO_STANDARD                                                    \
    .standard = {.start = (double)NAN,                                         \
                 .end = (double)NAN,                                           \
                 .tolerance = (double)NAN},                                    \
    .standard_step = (double)NAN

/* Is it a discrete-event unit in a file, by its name? */
int tt_devs_is(const char *path);

/* The kind that takes this source, recognised by its content: the FMI version
 * its model description names, the ending .csv, or what is built in ("tutti:").
 * Messages name the path. */
TT_NODISCARD enum tt_code tt_kind_for(const struct tt_kind_ops **kind,
                                      const struct tt_source *s, tt_err *err);

#endif
