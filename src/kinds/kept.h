/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_KEPT_H
#define TT_KINDS_KEPT_H

/* Units whose state is one block of memory without pointers: its copies are
 * what they save, restore and pack. */

#include "unit/unit.h"

struct tt_kept_unit { /* first member of every such unit */
    tt_unit base;
    void *is; /* owned */
    size_t size;
    unsigned char *kept; /* owned: a copy per register */
    const void **where;  /* owned: what expressions refer to, in `is`. OPTIONAL
                          */
    /* May this, from outside and of the right size, be a state? OPTIONAL */
    int (*may_be)(const struct tt_kept_unit *u, const void *state);
};

/* size bytes of zeros; NULL: out of memory. */
void *tt_kept_new(struct tt_kept_unit *u, size_t size);
void tt_kept_fini(struct tt_kept_unit *u); /* also half-made ones */

/* For a unit's table. Reset: zeros; free: where nothing else is owned. */
enum tt_code tt_kept_reset(tt_unit *u, tt_err *err);
void tt_kept_free(tt_unit *u);
enum tt_code tt_kept_prepare(TT_PAR_REGISTER);
enum tt_code tt_kept_save(TT_PAR_REGISTER);
enum tt_code tt_kept_restore(TT_PAR_REGISTER);
enum tt_code tt_kept_pack(TT_PAR_PACK);
enum tt_code tt_kept_unpack(TT_PAR_UNPACK);
#define TT_KEPT_MOST                                                           \
    .prepare = tt_kept_prepare, .save = tt_kept_save, .pack = tt_kept_pack,    \
    .unpack = tt_kept_unpack
#define TT_KEPT_STATE TT_KEPT_MOST, .restore = tt_kept_restore

#endif
