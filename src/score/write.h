/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_WRITE_H
#define TT_SCORE_WRITE_H

/* What score writers share: a draft, the score under construction, and the
 * library that fills it section by section.
 *
 * Appending cannot fail one by one: the first failure is remembered and
 * reported when the score is finished. */

#include "score/score.h"

struct tt_draft {
    tt_score *score;
    const tt_plan *plan;
    struct tt_op *op;
    size_t n_op, cap_op;
    struct tt_batch *batch;
    size_t n_batch, cap_batch;
    uint32_t *member;
    size_t n_member, cap_member;
    struct tt_solver *solver;
    size_t n_solver, cap_solver;
    struct tt_message *message;
    size_t n_message, cap_message;
    struct tt_xfer *xfer;
    size_t n_xfer, cap_xfer;
    struct tt_note *note;
    size_t n_note, cap_note;
    const uint32_t *given; /* borrowed: the order of units; NULL: derived */
    int sequential; /* units see the new values of those stepped before */
    int goes_back;  /* steps may be rejected, and taken back */
    const uint32_t *component; /* as for tt_write_step, once it is known */
    uint8_t *instant_loops;    /* owned: tt_write_instant_loops() */
    uint32_t n_last; /* units at the end of the order that cannot go back */
    int failed;      /* out of memory */
};

/* A draft of a score in which nothing is written yet. tt_write_done() follows,
 * also when this fails. */
TT_NODISCARD enum tt_code tt_write_new(struct tt_draft *w, const tt_plan *plan,
                                       const char *writer, tt_err *err);
/* All is written, or writing failed with rc: check the score and hand it over,
 * or give it up; and give back what the draft holds. Returns rc, or what the
 * checker states. */
TT_NODISCARD enum tt_code tt_write_done(struct tt_draft *w, enum tt_code rc,
                                        tt_score **out, tt_err *err);

void tt_write_begin(struct tt_draft *w, enum tt_section s);
void tt_write_end(struct tt_draft *w, enum tt_section s);

void tt_write_op(struct tt_draft *w, struct tt_op op);
/* GET or SET of these slots of one unit: one operation per native type, in
 * slot order. flags, at and to as in the operation. Sorts `slot`. */
void tt_write_move(struct tt_draft *w, struct tt_op like, uint32_t *slot,
                   uint32_t n);
/* Move the operations from `middle` on before those from `first` on. */
void tt_write_rotate(struct tt_draft *w, size_t first, size_t middle);
/* A solver for these output slots; returns its index. */
uint32_t tt_write_solver(struct tt_draft *w, struct tt_solver like,
                         const uint32_t *slot, uint32_t n);
/* A slot into the list of members; returns its place. */
uint32_t tt_write_member(struct tt_draft *w, uint32_t slot);
TT_PRINTF(3, 4)
void tt_write_note(struct tt_draft *w, const char *topic, const char *fmt, ...);

/* The same, worth a warning. */
TT_PRINTF(3, 4)
void tt_write_warning(struct tt_draft *w, const char *topic, const char *fmt,
                      ...);

/* A score writer: it fills every section of a draft. Which one is asked decides
 * the scenario, by name. */
struct tt_score_writer {
    const char *name;
    enum tt_code (*write)(struct tt_draft *w, tt_err *err);
};
/* All of them; the last has no name. */
extern const struct tt_score_writer tt_score_writers[];

/* Every section of a master whose units step one after the other, each once:
 * on the values of T0, or (`sequential`) on those that units before it reached.
 * Fills score->order. */
TT_NODISCARD enum tt_code tt_write_one_by_one(struct tt_draft *w,
                                              int sequential, tt_err *err);

/* Initialisation in dependency order; loops are solved. */
TT_NODISCARD enum tt_code tt_write_init(struct tt_draft *w, tt_err *err);

/* One macro step: units in `order`; input slot s is fed the new value of its
 * source before its unit steps when reactive[s]. component[u] numbers the
 * components that units are repeated in, in the order of stepping; NULL:
 * nothing is repeated. Fills `fresh`: slots that carry their final value of T1
 * when the sections end. Writes the step section and the one of those that step
 * last.
 */
struct tt_stepping {
    const uint32_t *order;
    const uint8_t *reactive;
    const uint32_t *component;
    uint8_t *fresh;
};
void tt_write_step(struct tt_draft *w, const struct tt_stepping *how);

/* Does the scenario ask for repeated steps? */
int tt_write_iterates(const tt_plan *p);
/* The components of an iterated step: component[u] for every unit, TT_NONE
 * where nothing is repeated, and the order that keeps components together.
 * Refuses units that cannot be repeated, by name. */
TT_NODISCARD enum tt_code tt_write_repeated(struct tt_draft *w, uint32_t *order,
                                            uint32_t *component, tt_err *err);

/* Exchange at T1 of what is not fresh yet. Solves loops, or cuts them. */
TT_NODISCARD enum tt_code tt_write_exchange(struct tt_draft *w,
                                            const uint8_t *fresh, tt_err *err);
/* The operations only, of what is not done yet. */
void tt_write_exchange_of(struct tt_draft *w, const uint8_t *done);

/* Per slot: is it on a loop of declared feed-through that is solved at every
 * instant? One that repeated steps solve is not, nor any with Maestro. NULL
 * when out of memory, which is remembered. */
const uint8_t *tt_write_instant_loops(struct tt_draft *w);
/* After step and exchange: note which loops of feed-through were cut. */
TT_NODISCARD enum tt_code tt_write_loops(struct tt_draft *w, tt_err *err);

/* What follows from inputs from outside at T1, moved again. */
void tt_write_again(struct tt_draft *w);
/* All values at the start; fresh as for the exchange, which is written. */
TT_NODISCARD enum tt_code tt_write_start(struct tt_draft *w,
                                         const uint8_t *fresh, tt_err *err);

/* The guard of an operation of an event that moves this slot: what belongs to a
 * clock is moved when that ticks, as is a clock of the run; else a unit is read
 * when it takes part, and set by what is new. */
uint32_t tt_write_guard(const tt_plan *p, uint32_t slot);
/* One microstep of an event, and the end of it: empty where no unit has event
 * mode. */
TT_NODISCARD enum tt_code tt_write_event(struct tt_draft *w, tt_err *err);
void tt_write_leave(struct tt_draft *w);
/* What members of ensembles feed each other. */
TT_NODISCARD enum tt_code tt_write_rhs(struct tt_draft *w, tt_err *err);

/* The same at the end of a sub-step, among units of one group. */
void tt_write_exchange_inside(struct tt_draft *w, const uint8_t *done);

/* The register in which a loop keeps the states its turns begin with: that of
 * T0 will do, unless a step is played in halves and the second begins later. */
uint32_t tt_write_loop_register(const tt_plan *p);
/* When steps may be rejected: put units that cannot go back last, if that
 * breaks no promise, and decide whether steps can be taken back. */
TT_NODISCARD enum tt_code tt_write_arrange(struct tt_draft *w, uint32_t *order,
                                           tt_err *err);
/* Sections to go back by, empty if not. */
void tt_write_keep(struct tt_draft *w);
void tt_write_undo(struct tt_draft *w);

/* "'{a}.a', '{b}.b' and 3 more" */
void tt_write_names(const tt_plan *p, const uint32_t *unit, uint32_t n,
                    struct tt_buf *out);

/* Components of the units by the feeds whose source should step before its
 * target: all of these, only those that must, or every one that may; units of
 * a group depend on each other, or not. */
enum tt_write_components_flags {
    TT_COMPONENTS_MUST = 1 << 0,
    TT_COMPONENTS_TIED = 1 << 1,
    TT_COMPONENTS_MAY = 1 << 2,
};
TT_NODISCARD enum tt_code tt_write_components(const struct tt_draft *w,
                                              unsigned flags,
                                              uint32_t *component, tt_err *err);
/* Note of loops in which order they are stepped, which others there are, and
 * which one is advised. */
TT_NODISCARD enum tt_code
tt_write_order_notes(struct tt_draft *w, const uint32_t *order, tt_err *err);

/* The order of units: as the scenario gives it, or derived from what feeds
 * whom. Loops are cut in scenario order. Units of a group are neighbours. */
TT_NODISCARD enum tt_code tt_write_order(struct tt_draft *w, uint32_t *order,
                                         tt_err *err);

#endif
