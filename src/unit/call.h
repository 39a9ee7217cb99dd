/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_CALL_H
#define TT_UNIT_CALL_H

/* Bound calls: the hot path.
 *
 * tt_unit_bind() checks an operation once and turns it into a tt_call: a
 * function and everything it needs. The player then does nothing but
 * `tt_call_make(c, now)` down an array. Nothing here allocates, locks or looks
 * up.
 */

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"

struct tt_call;

/* A call on a unit may also answer with the kind's own status, a small number
 * that is not one of these: so a bound call can end in a jump to the unit's own
 * function. tt_call_make() puts it right; nothing else calls fn. */
enum tt_call_result {
    TT_CALL_OK = 0,
    TT_CALL_OUTCOME = 0x10000, /* an outcome worth a look: tt_unit_last() */
    TT_CALL_JUMP,              /* control flow: now->pc states where to go on */
    TT_CALL_REST,              /* the section ends here */
    TT_CALL_FAILED, /* ask tt_unit_explain(); status in now->status */
};

/* Registers of the play: times are never literals in a score. */
enum {
    TT_T0, /* the macro step begins */
    TT_T1, /* ... and ends */
    TT_S0, /* the same of a sub-step within it */
    TT_S1,
    TT_TIME_N = 8
};

struct tt_now {
    double t[TT_TIME_N]; /* instants */
    double h[TT_TIME_N]; /* length of the step that ends at t[i]: H itself on
                            a full grid step, so that units see exact H */
    uint32_t pc;         /* call being made; readable after a crash */
    int status;          /* what the failing call returned */
    uint64_t steps;      /* macro steps made */
    uint64_t turns;      /* of loops: the parent sees that it goes on */
    tt_err *words;       /* where a call without a unit of its own, or a cold
                            one, leaves them when it fails */
};

enum tt_verb { TT_VERB_GET, TT_VERB_SET, TT_VERB_STEP, TT_VERB_OTHER };

/* What a call does, shared by calls alike: of many units of a type it stays in
 * the core's nearest cache, whatever else does not. */
struct tt_what {
    enum tt_call_result (*fn)(const struct tt_call *c, struct tt_now *now);
    void (*target)(void); /* what fn calls in the end, if the kind states it */
    const uint32_t *vr;   /* the kind's own references */
    size_t n;             /* references */
    size_t n_val;         /* elements (arrays count all theirs) */
    uint8_t type;         /* enum tt_type */
    uint8_t verb;         /* enum tt_verb */
};

/* Half a cache line: a play reads every call in every step, so that with
 * thousands of units their size decides how much stays in a core's cache. */
struct tt_call {
    const struct tt_what *what;
    void *unit;   /* the live unit, or what a control call needs */
    void *handle; /* the kind's own: a get or set that needs nothing else of the
                     unit does not have to look at it. Fetched ahead, so that a
                     step's is what it changes of the unit */
    union {
        void *val; /* of get and set: in the frame */
        struct {
            uint8_t from, to; /* of all others: time registers */
        };
    };
};

_Static_assert(sizeof(struct tt_call) <= 32, "half a cache line");

#endif
