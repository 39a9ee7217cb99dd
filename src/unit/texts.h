/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_TEXTS_H
#define TT_UNIT_TEXTS_H

/* Strings and binaries that are too long for a slot.
 *
 * Of those a slot has length and SHA-256 (base/value.h), and a store has the
 * bytes, once for all slots that name them. So slots stay plain memory: they
 * are copied, compared, rolled back and packed like any value, and a store of
 * another process that is given the bytes knows the same slots.
 *
 * What no slot names any more is dropped by a sweep, at an instant at which
 * all that counts lies in memory that was declared (hold): frames and their
 * copies. Its memory is used again, so that a run whose texts do not grow
 * allocates nothing. A run has one store, shared with runs inside its units.
 * Any thread may call, but a sweep must be alone.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/value.h"

#define TT_TEXT_MOST ((size_t)128 << 20) /* bytes of one value */

typedef struct tt_texts tt_texts;

tt_texts *tt_texts_new(void);    /* NULL: out of memory */
void tt_texts_free(tt_texts *s); /* accepts NULL */

/* n bytes become the value of t, and are kept if t has no room for them. Fails
 * when they are more than TT_TEXT_MOST, or memory is short; t is empty then.
 * Without a store (NULL) t names bytes that none has. */
TT_NODISCARD enum tt_code tt_text_put(tt_texts *s, struct tt_text *t,
                                      const void *data, size_t n, tt_err *err);
/* The bytes of t, with a NUL behind them, until t is written or a sweep; NULL:
 * the store does not have them, and err states it. */
const char *tt_text_data(tt_texts *s, const struct tt_text *t, tt_err *err);

/* As tt_value_parse, of a string or binary of any length. */
TT_NODISCARD enum tt_code tt_text_parse(tt_texts *s, enum tt_type type,
                                        struct tt_text *t, const char *text,
                                        tt_err *err);

/* As tt_value_print, but whole; the caller frees it. NULL: err states why. */
char *tt_text_print(tt_texts *s, enum tt_type type, const struct tt_text *t,
                    tt_err *err);

/* Slots in these n bytes count, until p is released. Aligned as a slot is. No
 * store needs neither. */
TT_NODISCARD enum tt_code tt_texts_hold(tt_texts *s, const void *p, size_t n,
                                        tt_err *err);
void tt_texts_release(tt_texts *s, const void *p);

/* Nothing to do as long as no text was put. Accepts NULL. */
void tt_texts_sweep(tt_texts *s);

/* Adds the bytes of all that slots name in the n bytes from `data` on, at any
 * alignment; takes them back from the front of *rest. Returns 0: these are
 * none, or memory is short. */
void tt_texts_pack(tt_texts *s, const void *data, size_t n, struct tt_buf *b);
int tt_texts_unpack(tt_texts *s, const char **rest, size_t *n_rest);

#endif
