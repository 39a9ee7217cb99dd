/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_FIELDS_H
#define TT_FORMATS_FIELDS_H

/* What another format means in fields of ours: written as JSON, read as if it
 * stood where the other format has it. */

#include "base/buf.h"
#include "scenario/build.h"

/* The fields of an object, `json`. With `of`, element i of the array that is
 * the only field stands at of[i], all else at `w`. An empty text is none. */
TT_NODISCARD enum tt_code
tt_fields_read(tt_sc_build *b, const struct tt_buf *json, struct tt_where w,
               const struct tt_where *of, tt_arena *arena, tt_err *err);

/* ', "name": ' or, of the first member, without the comma. */
void tt_fields_key(struct tt_buf *b, const char *name);
void tt_fields_num(struct tt_buf *b, const char *name, double v);

#endif
