/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_HINT_TEXT_H
#define TT_SCENARIO_HINT_TEXT_H

/* Hints as a text for people, which become those of JSON. */

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Does it begin as one? */
int tt_hint_is_text(const char *text, size_t n);
/* {"hints": [...]}, behind what there is. `name` is that of the file. */
TT_NODISCARD enum tt_code tt_hint_text(struct tt_buf *out, const char *name,
                                       const char *text, size_t n, tt_err *err);

#endif
