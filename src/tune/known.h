/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_KNOWN_H
#define TT_TUNE_KNOWN_H

/* What hints state of instances, and what these declare of time. It holds for
 * every way: software neither sees the future nor is seen from there, steps
 * divide its period, power bonds are corrected, and no step is longer than what
 * an instance takes to react. */

#include "base/err.h"
#include "base/mem.h"
#include "plan/plan.h"

#define TT_KNOWN_DELAYED 1
#define TT_KNOWN_HELD    2

struct tt_tune_known {
    const char *reactivity; /* a JSON object; NULL: nothing is stated */
    const char
        *approximation; /* members of one, each behind a comma; or NULL */
    const char *bonds;  /* a JSON object; or NULL */
    const char *held;   /* members: what bonds can correct if it is held */
    struct tt_tune_beat {
        uint32_t unit;
        const char *name;
        double period; /* s */
    } * beat;          /* of software, in the arena */
    uint32_t n_beat;
    double slowest;   /* period of these; +inf: there are none */
    double longest;   /* no step is longer, by what is declared; +inf */
    uint8_t *touched; /* units that a hint is about */
    uint8_t *stated;  /* per slot: bits below */
    int any;          /* is there such a hint? */
};

/* A sentence about each, with its source. */
typedef void tt_known_note_fn(void *ctx, const char *words);

/* Into the arena. TT_EINPUT: a hint does not fit the system. */
TT_NODISCARD enum tt_code tt_known_find(struct tt_tune_known *k,
                                        const tt_plan *p, tt_arena *arena,
                                        tt_known_note_fn *note_cb, void *ctx,
                                        tt_err *err);
/* May steps be so long? Every period is a multiple of the step, or the step one
 * of the period, which is then a rate; and none is longer than the slowest. */
int tt_known_fits(const struct tt_tune_known *k, double step);
/* ... of software; 1: as the others. */
uint32_t tt_known_rate(const struct tt_tune_beat *b, double step);
/* The i-th number of steps in so long a time, ascending: of `usual`, those that
 * fit; with software, multiples of its slowest periods instead, if there is a
 * whole number of these. 0: there are no more. */
uint32_t tt_known_steps(const struct tt_tune_known *k, double span,
                        const uint32_t *usual, uint32_t n_usual, uint32_t i);

/* So many steps, or the next larger number that fits; n: none up to 2 n does.
 */
uint32_t tt_known_finer(const struct tt_tune_known *k, double span, uint32_t n);

#endif
