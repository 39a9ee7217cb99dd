/* SPDX-License-Identifier: MIT */
#ifndef TT_COMPOSE_COMPOSE_H
#define TT_COMPOSE_COMPOSE_H

/* Composite units: a scenario used as a unit of another one, with its own
 * master, step, rates, approximation, iteration and error control inside.
 *
 * Its source is a scenario in place, a path to one ("sub/scenario.json"), or
 * what Maestro 1 writes as "coe:path": a scenario, or a folder or archive that
 * has one as resources/config.json. A scenario that contains itself is refused.
 *
 * Ports are those the scenario declares ("ports"), else all unconnected inputs,
 * all outputs and all parameters of its units; everything else inside can be
 * read, to be recorded, by its full name. An output depends on the inputs that
 * feed through to it inside. What it can do is what its units can: it saves its
 * state if all of them do, and so on.
 *
 * Units inside are named "{sub}.s/{tank}.t" in messages. A composite is played
 * by one thread, the one that opened it. It knows neither processes nor files
 * besides its source. */

#include "unit/unit.h"

extern const struct tt_kind_ops tt_kind_composite;

/* All kinds there are: tt_kind_for(), and this one. For tt_run_opts.kind_cb. */
TT_NODISCARD enum tt_code tt_compose_kind_for(const struct tt_kind_ops **kind,
                                              const struct tt_source *s,
                                              tt_err *err);

#endif
