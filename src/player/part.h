/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_PART_H
#define TT_PLAYER_PART_H

/* A part: a score bound to live units, ready to be played.
 *
 * Binding checks everything once and turns operations into calls (pointers);
 * playing is a straight run down an array. All that playing changes besides the
 * units lies in blocks of a frame. Playing allocates nothing.
 *
 * Confined to one thread, which may share a play with the threads of a crew.
 * Borrows the score and the units.
 */

#include <stdint.h>

#include "base/err.h"
#include "player/crew.h"
#include "player/frame.h"
#include "player/link.h"
#include "score/score.h"
#include "unit/unit.h"

/* A part's block of a frame; values and histories follow at the plan's offsets,
 * then the memory of solvers. */
struct tt_values {
    double t[TT_POLY_MAX + 1]; /* instants of the last commits, newest first */
    unsigned char value[];     /* plan->frame_size bytes */
};

/* Why a section ended before its last operation. */
struct tt_halt {
    tt_unit *unit;  /* the unit with the outcome, NULL when none */
    unsigned flags; /* of its step */
    int lost;       /* a loop did not converge, and a shorter step may help */
};

/* What loops took, since the first play. */
struct tt_part_stats {
    uint64_t evaluations; /* turns that ended in a solver */
    uint64_t unconverged; /* loops that were left without an answer */
    double residual;      /* largest |G(z) - z| a step's loop was left with */
    /* Jacobians around couplings: from directional derivatives, by trial steps;
     * and why the former were given up, NULL: they were not */
    uint64_t given, tried;
    const char *refused;
};

typedef struct tt_part tt_part;

/* Blocks of a frame for a part of this score, or for a part of each of several
 * scores of one plan, which play in turn: they share all values, pasts and
 * events, and each has memory of its own for its solvers. */
struct tt_part_blocks {
    uint32_t values, counts;
    uint32_t events; /* TT_NONE: no unit has event mode */
};
struct tt_part_blocks tt_part_reserve(struct tt_frame_layout *l,
                                      const tt_score *const *s, uint32_t n);

/* Where a part plays, all borrowed and outliving it. `now`: its registers
 * (shared memory, when the run is watched). link: for a score that several
 * ranks play; units of others are stand-ins (player/away.h), all ranks play the
 * same sections and are given the same; NULL: there are none. */
struct tt_part_place {
    tt_frame *frame;
    struct tt_part_blocks block;
    struct tt_now *now;
    tt_link *link;
    const tt_part *beside; /* the part made before this one, of another score of
                              the same plan on the same frame, outliving it;
                              words and measures are its. NULL: none */
    int trails_taken;      /* the caller takes what units note within steps
                              (tt_unit_trail) after each of them */
};

/* units[i] is plan unit i, initialising or initialised. */
TT_NODISCARD enum tt_code tt_part_new(tt_part **out, const tt_score *s,
                                      tt_unit *const *units,
                                      const struct tt_part_place *at,
                                      tt_err *err);
void tt_part_free(tt_part *p); /* accepts NULL */

/* Steps in which units noted more than courses can follow, and of which the
 * rest was left out; *unit and *t: of one of them, if there are some. */
uint64_t tt_part_thinned(const tt_part *p, uint32_t *unit, double *t);

/* Could courses follow this unit, had it noted anything within its steps? */
int tt_part_unfollowed(const tt_part *p, uint32_t unit);

/* Play one section at the registers of `now`. TT_OK also when a unit's
 * outcome halted it: look at *halt. A step that is complete but asks to
 * terminate does not halt; its flags are gathered in halt all the same. */
TT_NODISCARD enum tt_code tt_part_play(tt_part *p, enum tt_section section,
                                       struct tt_halt *halt, tt_err *err);

/* The same by this thread alone, also where there is a crew; not with other
 * ranks.
 */
TT_NODISCARD enum tt_code tt_part_play_alone(tt_part *p,
                                             enum tt_section section,
                                             struct tt_halt *halt, tt_err *err);

/* Go on where a unit's outcome halted the play, with the step of that unit: to
 * the instant it was to reach. */
TT_NODISCARD enum tt_code tt_part_play_on(tt_part *p, enum tt_section section,
                                          struct tt_halt *halt, tt_err *err);

/* Play the marked operations of a section, in this thread: a mark per operation
 * of the score (score/concern.h). Not with other ranks. */
TT_NODISCARD enum tt_code tt_part_play_only(tt_part *p, enum tt_section section,
                                            const uint8_t *only,
                                            struct tt_halt *halt, tt_err *err);

/* Play the start section, alone: its calls may be the exchange's. */
TT_NODISCARD enum tt_code tt_part_play_start(tt_part *p, tt_err *err);

/* The calls of the rhs section that are of this ensemble. */
struct tt_rhs {
    uint32_t first, end;
};
struct tt_rhs tt_part_rhs(const tt_part *p, uint32_t group);
/* Play them, within a step of the ensemble's first member. Answers 0, or > 0: a
 * loop among them has no solution, or < 0: err has the words. */
int tt_part_play_rhs(tt_part *p, const struct tt_rhs *of, tt_err *err);

/* The step and then, unless a unit has an outcome, the exchange at once. */
TT_NODISCARD enum tt_code tt_part_play_step(tt_part *p, struct tt_halt *halt,
                                            tt_err *err);

/* As tt_part_play, with a clock read around every call, for the profile. */
TT_NODISCARD enum tt_code tt_part_play_timed(tt_part *p,
                                             enum tt_section section,
                                             struct tt_halt *halt, tt_err *err);

/* When all units are initialised: take the derivatives of outputs that courses
 * want, which could not be read before. */
TT_NODISCARD enum tt_code tt_part_rates(tt_part *p, tt_err *err);

/* Values of the instant committed last have changed since: these count. */
TT_NODISCARD enum tt_code tt_part_recommit(tt_part *p, tt_err *err);

/* The next plays restore no state of this unit and those that are integrated
 * with it (TT_NONE: of all again). */
void tt_part_keep_unit(tt_part *p, uint32_t unit);

/* This unit's outputs leapt at the instant committed last (NULL: all did):
 * courses go through nothing older. */
void tt_part_forget(tt_part *p, const tt_unit *u);
/* Orders of courses through past values, from now on: above what is planned,
 * where their pasts reach, and at most. Inputs of which the scenario states an
 * approximation by name have no most. */
struct tt_bend {
    uint32_t more;
    uint32_t most;
};
#define TT_BEND_NONE ((struct tt_bend){0, UINT32_MAX})
void tt_part_bend(tt_part *p, struct tt_bend b);
/* Loops that are repeated only where a past begins look here whether it does.
 * Borrowed. */
void tt_part_looks_at(tt_part *p, const int *anew);

/* After halt->lost: which loop, how far off, in how many evaluations. */
enum tt_code tt_part_explain_lost(const tt_part *p, tt_err *err);

struct tt_part_stats tt_part_stats(const tt_part *p);

/* A slot's value in the frame. */
const void *tt_part_value(const tt_part *p, uint32_t slot);
void *tt_part_place(const tt_part *p, uint32_t slot); /* to be written */

/* Where the course of an input of Float64 leads at time t, one number per
 * element; a held one stays where it is. */
void tt_part_predict(const tt_part *p, uint32_t slot, double t, double *value);

/* Sampled time in ns spent in each unit in timed plays; after the last unit,
 * what is our own work. *total is the sum. */
const uint64_t *tt_part_time(const tt_part *p, uint64_t *total);
/* What another rank has measured of its unit. */
void tt_part_set_time(tt_part *p, uint32_t unit, uint64_t ns);

/* Of a play of several ranks: a number for the others at the end of the next
 * section, and whether any rank had one at the end of the last. */
void tt_part_wish(tt_part *p, uint32_t wish);
uint32_t tt_part_wishes(const tt_part *p);
void tt_part_unwish(tt_part *p, uint32_t wish); /* it was fulfilled */

/* Asked between plays; with several ranks all ask, and all get the answer. */
TT_NODISCARD enum tt_code tt_part_get(tt_part *p, uint32_t unit,
                                      const struct tt_span *s, tt_err *err);
TT_NODISCARD enum tt_code tt_part_max_step(tt_part *p, uint32_t unit, double *h,
                                           tt_err *err);

/* --- several threads ------------------------------------------------------ */

/* How many threads could have work at once in a step: 1 where everything
 * waits for everything. */
TT_NODISCARD enum tt_code tt_part_width(tt_part *p, uint32_t *width,
                                        tt_err *err);
/* From now on play with this crew (borrowed), once. Results are the same to
 * the bit, and so is what is reported of failures and outcomes. Where it does
 * not pay the caller plays alone, unless `force`. mates: registers for all
 * threads but the caller, each pc beyond all calls while it is in none; they
 * outlive the part. */
TT_NODISCARD enum tt_code tt_part_share(tt_part *p, tt_crew *crew,
                                        struct tt_now *mates, int force,
                                        tt_err *err);

struct tt_part_team {
    uint32_t threads; /* there are */
    uint32_t used;    /* at once, at most */
    double speed_up;  /* estimated: work done by time taken */
    uint64_t ahead;   /* events that were played before their time */
};
struct tt_part_team tt_part_team(const tt_part *p);

/* --- the profile ---------------------------------------------------------- */

/* From now on read the clock around every call. */
TT_NODISCARD enum tt_code tt_part_profile(tt_part *p, tt_err *err);

struct tt_op_cost {
    uint64_t calls, ns;
    uint64_t worst;  /* ns */
    double worst_at; /* when the worst one began, simulated time */
};
/* Of every operation of the score; zeros without a profile. */
void tt_part_costs(const tt_part *p, struct tt_op_cost *of);
/* Which threads stepped a unit, a bit each; the caller's is the lowest. */
uint64_t tt_part_stepped_by(const tt_part *p, uint32_t unit);

/* What call `pc` is, for the words after a crash: unit name (or "") and the
 * operation ("step"). Returns 0 past the last call. */
int tt_part_describe(const tt_part *p, uint32_t pc, const char **unit,
                     const char **call);

#endif
