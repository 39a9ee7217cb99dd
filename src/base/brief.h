/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_BRIEF_H
#define TT_BASE_BRIEF_H

/* Names as people read them. "{x2}.tank.level" is "tank.level" where no other
 * key has a 'tank', and stays what it is where one has. What is left can be
 * given to every option that takes a name. For what is printed or drawn only:
 * files and JSON have names whole. */

#include <stddef.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/names.h"

struct tt_brief {
    struct tt_names first;      /* of an instance, to its index below */
    struct tt_brief_word *word; /* owned */
    uint32_t n;
    size_t cap;
    tt_arena *arena; /* owned */
    int failed;      /* out of memory: all names stay whole */
};

void tt_brief_init(struct tt_brief *b);
void tt_brief_fini(struct tt_brief *b); /* zeroed is fine: names stay whole */
/* Of an instance, "{x2}.tank", or of a variable of one. */
void tt_brief_add(struct tt_brief *b, const char *name);
/* Of the name of an instance or a variable, what is left of it. */
const char *tt_brief_name(const struct tt_brief *b, const char *name);
/* The names in a text, from this byte on. What stays: those behind a dot or a
 * stroke, of instances inside of another one, and those behind a double quote,
 * of pieces of JSON. */
void tt_brief_text(const struct tt_brief *b, struct tt_buf *text, size_t from);

#endif
