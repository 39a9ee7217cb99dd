/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_BUILTIN_H
#define TT_KINDS_BUILTIN_H

/* The kinds that are built in: all but FMUs. Each states in a table what is its
 * own; opening a type, closing it and making units of it is the same for all.
 */

#include <math.h>

#include "base/mem.h"
#include "unit/unit.h"

struct tt_builtin_type { /* first member of every such type */
    tt_unit_type base;
    const struct tt_builtin *is;
    tt_arena *arena; /* owned: what base.desc refers to, and what is added */
};

struct tt_builtin {
    size_t type_size, unit_size;
    struct tt_caps caps; /* beside what all have: any thread, states, steps */
    /* "tutti:clock": of sources that are this, alone or with text behind a
     * ':'. Or else: does it take this one? */
    const char *source;
    int (*accepts)(const struct tt_source *s);
    /* The rest of a type of zeros, with kind, capabilities and arena. */
    enum tt_code (*read)(struct tt_builtin_type *t, const struct tt_source *s,
                         tt_err *err);
    /* What read took beside the arena, also half of it. OPTIONAL */
    void (*forget)(struct tt_builtin_type *t);
    const struct tt_unit_ops *ops;
    /* The rest of a unit of zeros, with its base. Answers 0: out of memory. */
    int (*begin)(tt_unit *u, const struct tt_builtin_type *t,
                 const struct tt_make *m);
    /* ... and what can be refused for other reasons. OPTIONAL */
    enum tt_code (*check)(tt_unit *u, const struct tt_make *m, tt_err *err);
};

extern const struct tt_builtin tt_builtin_signal, tt_builtin_coupling,
    tt_builtin_clock, tt_builtin_formula, tt_builtin_locate, tt_builtin_block,
    tt_builtin_devs, tt_builtin_library, tt_builtin_map, tt_builtin_script,
    tt_builtin_gate;

/* For a kind that is opened otherwise: a type as `read` gets it, which close
 * takes back (NULL: out of memory), and its operations. */
struct tt_builtin_type *tt_builtin_new(const struct tt_kind_ops *kind,
                                       const struct tt_builtin *is);
void tt_builtin_close(tt_unit_type *t); /* accepts NULL */
TT_NODISCARD enum tt_code tt_builtin_make(tt_unit **out, tt_unit_type *t,
                                          const struct tt_make *m, tt_err *err);

/* Of its table, with the op table `unit_ops`. */
#define TT_BUILTIN_OF(type, unit)                                              \
    .type_size = sizeof(type), .unit_size = sizeof(unit), .ops = &unit_ops

/* The op `free` of units that own nothing but their base. */
void tt_builtin_free(tt_unit *u);

/* For tables: a unit that takes a step as it comes, and has nothing to do
 * around an event; and one whose state is its time. */
#define TT_BUILTIN_IDLE .end = tt_unit_idle, .step = tt_unit_idle_step
#define TT_BUILTIN_EVENTS                                                      \
    .event_enter = tt_unit_idle, .event_leave = tt_unit_idle
/* ... and what a unit does itself, under these names. */
#define TT_BUILTIN_OWN                                                         \
    .exit_init = exit_init, .free = free_unit, .get = get, .set = set
#define TT_BUILTIN_VALUES                                                      \
    TT_BUILTIN_IDLE,                                                           \
        .enter_init = tt_unit_idle_init, .save = tt_unit_idle_register,        \
        .restore = tt_unit_idle_register, .pack = tt_unit_idle_pack,           \
        .unpack = tt_unit_idle_unpack, .reset = tt_unit_idle,                  \
        .free = tt_builtin_free
/* ... and one that has only inputs and what follows from them. */
#define TT_BUILTIN_PLAIN                                                       \
    TT_BUILTIN_IDLE, TT_KEPT_STATE,                                            \
        .enter_init = tt_unit_idle_init, .exit_init = tt_unit_idle,            \
        .get = get, .set = set, .free = tt_kept_free, .reset = tt_kept_reset

/* Of a port: one number without limits. */
#define TT_PORT_SCALAR                                                         \
    .n = 1, .min = -(double)INFINITY, .max = (double)INFINITY, .nominal = 1,   \
    .derivative_of = TT_NONE

#endif
