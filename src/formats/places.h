/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_PLACES_H
#define TT_FORMATS_PLACES_H

/* Names, in an archive to be written, of files that are elsewhere now. */

#include "base/err.h"
#include "base/mem.h"
#include "base/names.h"

struct tt_place {
    const char *path; /* where it was */
    const char *name; /* where it is going to be */
};

struct tt_places {
    tt_arena *arena;        /* owned */
    struct tt_place *place; /* owned array */
    size_t n, cap;
    struct tt_names taken; /* owned: names */
};

TT_NODISCARD enum tt_code tt_places_init(struct tt_places *p, tt_err *err);
void tt_places_fini(struct tt_places *p);
/* The name of a file that has one, or NULL. */
const char *tt_places_find(const struct tt_places *p, const char *path);
/* A file keeps the name it has. */
TT_NODISCARD enum tt_code tt_places_keep(struct tt_places *p, const char *path,
                                         const char *name, tt_err *err);
/* A name of its own: folder, the stem of what it was called, ending. */
TT_NODISCARD enum tt_code tt_places_take(struct tt_places *p, const char *path,
                                         const char *called, const char *folder,
                                         const char *ending, const char **name,
                                         tt_err *err);

#endif
