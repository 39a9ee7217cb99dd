/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_AWAY_H
#define TT_PLAYER_AWAY_H

/* A stand-in for a unit that lives on another rank: it accepts everything
 * and does nothing. Values of the unit come by transfer, answers of it from its
 * owner. */

#include "unit/unit.h"

TT_NODISCARD enum tt_code tt_away_new(tt_unit **out, const struct tt_desc *desc,
                                      const struct tt_make *m, tt_err *err);

#endif
