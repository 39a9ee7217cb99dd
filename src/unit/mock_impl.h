/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_MOCK_IMPL_H
#define TT_UNIT_MOCK_IMPL_H

/* The parts of the mock: its type (mock.c), values and states
 * (mock_unit.c), steps (mock_step.c), cues and tape (mock_cue.c). */

#include "base/mem.h"
#include "unit/mock.h"

struct mock_type {
    tt_unit_type base;
    const struct tt_mock_spec *spec; /* borrowed */
    tt_arena *arena;                 /* owned: what desc points to */
};

struct mock {
    tt_unit base;
    const struct tt_mock_spec *spec; /* borrowed */
    tt_unit_type *own_type;          /* owned when tt_mock_make made us */
    char *label;                     /* owned: its name on the tape */
    int event_mode;
    /* All that a restore brings back, in one block: x, courses, values. */
    unsigned char *state; /* owned */
    size_t size;
    double *x;                          /* in state */
    struct tt_poly **course;            /* owned array; per port, in state */
    const struct tt_poly **course_view; /* owned array, the same */
    uint8_t *live; /* in state: per port, a course for the next step is set */
    void **value;  /* owned array; per port, in state */
    double *work;  /* owned: 5 * n_x for the integrator */
    unsigned char *reg[TT_UNIT_STATES]; /* owned copies of state */
    /* Not part of the state. */
    uint64_t calls[TT_MOCK_VERB_N];
    uint64_t fired;                 /* cues that fired */
    uint64_t due;                   /* cues of the call being made */
    const struct tt_mock_cue *sick; /* fails until restore or reset */
};

static inline struct mock *mock_of(tt_unit *u)
{
    return (struct mock *)u; /* base is the first member */
}

struct tt_mock_view mock_view(const struct mock *m, double t);

/* Begin a call: count it, find the cues that are due, do what any verb may be
 * reported. `time` is what cues by time compare with. */
enum tt_code mock_call(struct mock *m, enum tt_mock_verb verb, double time,
                       tt_err *err);
/* The cue of this act that is due in the present call, or NULL. */
const struct tt_mock_cue *mock_due(const struct mock *m, enum tt_mock_act act);
/* Poison what a due TT_MOCK_NAN states; called where outputs were computed. */
void mock_poison(struct mock *m);

/* Tape: "label.verb", then what the call reports. mock_tape gives NULL
 * when this verb is not recorded. */
struct tt_buf *mock_tape(const struct mock *m, enum tt_mock_verb verb);
void mock_tape_span(const struct mock *m, enum tt_mock_verb verb,
                    const struct tt_span *s);
void mock_tape_num(const struct mock *m, enum tt_mock_verb verb, double v);
void mock_tape_plain(const struct mock *m, enum tt_mock_verb verb);

/* Compute outputs, if the unit is one that evaluates now. */
void mock_refresh(struct mock *m);
void mock_start_values(struct mock *m);

enum tt_code mock_make(tt_unit **out, tt_unit_type *t, const struct tt_make *mk,
                       tt_err *err);

enum tt_code mock_step(tt_unit *u, const struct tt_step *s,
                       struct tt_stepped *r, tt_err *err);
enum tt_code mock_course(tt_unit *u, const struct tt_span *s,
                         const struct tt_poly *p, tt_err *err);
enum tt_code mock_rates(tt_unit *u, const struct tt_span *s, uint32_t order,
                        tt_err *err);
enum tt_code mock_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err);
enum tt_code mock_max_step(tt_unit *u, double *h, tt_err *err);
enum tt_code mock_event_enter(tt_unit *u, tt_err *err);
enum tt_code mock_event_update(tt_unit *u, struct tt_event_result *r,
                               tt_err *err);
enum tt_code mock_event_leave(tt_unit *u, tt_err *err);
enum tt_code mock_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                            tt_err *err);
enum tt_code mock_set_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                tt_err *err);

#endif
