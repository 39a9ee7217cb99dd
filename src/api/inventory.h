/* SPDX-License-Identifier: MIT */
#ifndef TT_API_INVENTORY_H
#define TT_API_INVENTORY_H

/* What the FMUs of a scenario are, and further ones: for programs that draw
 * them. Nothing is loaded. One that cannot be read does not hinder the
 * others. */

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

struct tt_inventory_item {
    const char *key;      /* as the scenario has it, or NULL: it does not */
    const char *location; /* as written there, or the file's name */
    const char *path;     /* NULL: see error */
    const char *error;    /* why the location is wrong, or NULL */
    const struct tt_scenario *inner; /* written in place, or NULL */
};

struct tt_inventory {
    tt_arena *arena; /* owned: everything below */
    struct tt_inventory_item *item;
    size_t n;
    struct tt_scenario *scenario; /* owned */
    const char *base; /* where scenarios that are units look; borrowed */
    int only_base;
};

/* From scenario files (laid over each other), and FMUs and tables that are
 * listed after the scenario's unless it has them. Only "fmus" of a scenario
 * counts, so it need not be complete. `base`: the folder that locations, and
 * these FMUs and tables, are relative to; NULL: the scenario's, and the working
 * directory. */
TT_NODISCARD enum tt_code tt_inventory_load(struct tt_inventory *v,
                                            const char *const *file, size_t n,
                                            const char *base, int only_base,
                                            tt_err *err);
void tt_inventory_fini(struct tt_inventory *v); /* zeroed is fine */

/* {"fmus": [{"key": ..., "location": ..., "info": {...}, "error": null}, ...]},
 * where info is that of tt_info_json(), or what there is of it for units that
 * are no FMUs. */
void tt_inventory_json(struct tt_buf *b, const struct tt_inventory *v);

#endif
