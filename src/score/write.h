/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_WRITE_H
#define TT_SCORE_WRITE_H

/* What score writers share: a score under construction.
 *
 * Appending cannot fail one by one: the first failure is remembered and
 * reported when the score is finished. */

#include "score/score.h"

struct tt_writer {
    tt_score *score;
    const tt_plan *plan;
    struct tt_op *op;
    size_t n_op, cap_op;
    struct tt_group *group;
    size_t n_group, cap_group;
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
    int goes_back;   /* steps may be rejected, and taken back */
    uint32_t n_last; /* units at the end of the order that cannot go back */
    int failed;      /* out of memory */
};

void tt_write_begin(struct tt_writer *w, enum tt_section s);
void tt_write_end(struct tt_writer *w, enum tt_section s);

void tt_write_op(struct tt_writer *w, struct tt_op op);
/* GET or SET of these slots of one unit: one operation per native type, in
 * slot order. flags, at and to as in the operation. Sorts `slot`. */
void tt_write_move(struct tt_writer *w, struct tt_op like, uint32_t *slot,
                   uint32_t n);
/* Move the operations from `middle` on before those from `first` on. */
void tt_write_rotate(struct tt_writer *w, size_t first, size_t middle);
/* A solver for these output slots; returns its index. */
uint32_t tt_write_solver(struct tt_writer *w, struct tt_solver like,
                         const uint32_t *slot, uint32_t n);
/* A slot into the list of members; returns its place. */
uint32_t tt_write_member(struct tt_writer *w, uint32_t slot);
TT_PRINTF(3, 4)
void tt_write_note(struct tt_writer *w, const char *topic, const char *fmt,
                   ...);

/* The same, worth a warning. */
TT_PRINTF(3, 4)
void tt_write_warning(struct tt_writer *w, const char *topic, const char *fmt,
                      ...);

/* Move what was written into the score's arena, and check it. */
TT_NODISCARD enum tt_code tt_write_finish(struct tt_writer *w, tt_err *err);
/* Give back what the writer, not the score, holds. */
void tt_write_fini(struct tt_writer *w);

/* Initialisation in dependency order; loops are solved. */
TT_NODISCARD enum tt_code tt_write_init(struct tt_writer *w, tt_err *err);

/* One macro step: units in `order`; input slot s is fed the new value of its
 * source before its unit steps when reactive[s]. part[u] numbers the parts
 * that units are repeated in, in the order of stepping; NULL: nothing is
 * repeated. Fills `fresh`: slots that carry their final value of T1 when the
 * sections end. Writes the step section and the one of those that step last.
 */
struct tt_stepping {
    const uint32_t *order;
    const uint8_t *reactive;
    const uint32_t *part;
    uint8_t *fresh;
};
void tt_write_step(struct tt_writer *w, const struct tt_stepping *how);

/* Does the scenario ask for repeated steps? */
int tt_write_iterates(const tt_plan *p);
/* The parts of an iterated step: part[u] for every unit, TT_NONE where nothing
 * is repeated, and the order that keeps parts together. Refuses units that
 * cannot be repeated, by name. */
TT_NODISCARD enum tt_code tt_write_parts(struct tt_writer *w, uint32_t *order,
                                         uint32_t *part, tt_err *err);

/* Exchange at T1 of what is not fresh yet. Cuts loops. */
TT_NODISCARD enum tt_code tt_write_exchange(struct tt_writer *w,
                                            const uint8_t *fresh, tt_err *err);
/* The operations only, of what is not done yet. */
void tt_write_exchange_of(struct tt_writer *w, const uint8_t *done);

/* After the exchange: say which loops of feed-through it cut. part as for
 * tt_write_step. */
TT_NODISCARD enum tt_code tt_write_loops(struct tt_writer *w,
                                         const uint32_t *part, tt_err *err);

/* What follows from inputs from outside at T1, moved again. */
TT_NODISCARD enum tt_code tt_write_again(struct tt_writer *w, tt_err *err);
TT_NODISCARD enum tt_code tt_write_start(struct tt_writer *w, tt_err *err);

/* The same at the end of a sub-step, among units of one group. */
void tt_write_exchange_inside(struct tt_writer *w, const uint8_t *done);

/* The register in which a loop keeps the states its turns begin with: that of
 * T0 will do, unless a step is played in halves and the second begins later. */
uint32_t tt_write_loop_register(const tt_plan *p);
/* When steps may be rejected: put units that cannot go back last, if that
 * breaks no promise, and decide whether steps can be taken back. */
TT_NODISCARD enum tt_code tt_write_arrange(struct tt_writer *w, uint32_t *order,
                                           tt_err *err);
/* Sections to go back by, empty if not. */
void tt_write_keep(struct tt_writer *w);
void tt_write_undo(struct tt_writer *w);

/* "'{a}.a', '{b}.b' and 3 more" */
void tt_write_names(const tt_plan *p, const uint32_t *unit, uint32_t n,
                    struct tt_buf *out);
/* Edges that make the units of each group depend on each other. */
struct tt_graph;
void tt_write_tie_groups(const tt_plan *p, struct tt_graph *g);

/* Must, or may, the source of this feed step before its target? */
int tt_write_source_first(const tt_plan *p, uint32_t feed);
/* Say of loops in which order they are stepped, which others there are, and
 * which one is advised. */
TT_NODISCARD enum tt_code
tt_write_order_notes(struct tt_writer *w, const uint32_t *order, tt_err *err);

/* The order of units: as the scenario gives it, or derived from who feeds
 * whom. Loops are cut in scenario order. Units of a group are neighbours. */
TT_NODISCARD enum tt_code tt_write_order(struct tt_writer *w, uint32_t *order,
                                         tt_err *err);

#endif
