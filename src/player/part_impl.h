/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_PART_IMPL_H
#define TT_PLAYER_PART_IMPL_H

#include "player/part.h"
#include "unit/turn.h"

#define TT_CALLS_AHEAD 8 /* so far ahead the player fetches */

/* What loops took, in the frame. */
struct tt_part_counts {
    uint64_t evaluations, unconverged, given, tried;
    double residual;
};

struct tt_part {
    const tt_score *score;         /* borrowed */
    const tt_plan *plan;           /* borrowed */
    tt_unit **unit;                /* owned array of borrowed units */
    struct tt_now *now;            /* borrowed */
    struct tt_values *values;      /* in the frame */
    struct tt_part_counts *counts; /* likewise */
    struct tt_turn turn;           /* of the thread that plays alone or first */
    const int *anew;     /* borrowed: is there no past? NULL: always */
    struct tt_bend bend; /* of courses */
    int special;         /* a team, other ranks, or a profile is wanted */
    int elsewhere;       /* a unit steps while others do */
    int rests;           /* a play of the step ends there */
    uint32_t kept;       /* a unit that is not restored, + 1; 0: none */
    struct {
        uint32_t first, n;
    } section[TT_SEC_N];  /* in `call`, each with a call behind it where the
                             play ends: tt_bind_rest(); the start's may be
                             those of the exchange */
    struct tt_call *call; /* owned, in playing order; TT_CALLS_AHEAD more
                             behind them can be looked at */
    size_t n_call, cap_call;
    uint32_t *op_of; /* owned, per call: its operation in the score, or
                        TT_NONE */
    size_t cap_op_of;
    uint8_t *own_value; /* per slot: an input whose own storage is read */
    void **guess_at;    /* per output: where a loop's guess of it lies */
    uint64_t *spent;    /* ns per unit in timed plays; last: all else. Owned,
                           but of a part beside another one */
    int beside;         /* it is one */
    double *tangent;    /* scratch of tangent.c, NULL: not needed */
    size_t solver_used; /* where the next solver's memory begins */
    const char *doubts; /* why derivatives were given up, NULL: they were not */
    struct tt_nan_watch *watch; /* what is looked over for NaN */
    void *rates;                /* scratch: derivatives as a unit gives them */
    const struct tt_loop *lost; /* the loop that gave up */
    tt_err *cold;    /* words of the last cold call that failed: own_cold, or
                        those of the part beside it */
    tt_err own_cold; /* likewise */
    tt_err refused;  /* ... and of derivatives that were done without
                      */
    tt_arena *arena; /* owned: what calls point to */
    struct tt_events *events; /* in the frame; NULL: no unit has event mode */
    struct tt_event_play *event;              /* in the arena, likewise */
    const struct tt_event_clock *event_clock; /* borrowed, may be NULL */
    /* What special plays need; NULL otherwise. */
    int profile;                 /* every play is timed */
    struct tt_call_cost *cost;   /* owned, per call */
    uint64_t *stepped_by;        /* owned, per unit: bits of threads */
    struct tt_levels *levels;    /* owned */
    struct tt_team *team;        /* owned */
    struct tt_ranks_play *ranks; /* owned */
    struct tt_waves **waves; /* in the arena, per unit; NULL: no course follows
                                what a unit did within the step */
    int trails_taken;        /* the caller takes rows of trails, too */
    char *incoming;          /* owned: long texts of other ranks */
    size_t n_incoming;
};

/* The operation a call of this part comes from. */
static inline const struct tt_op *tt_op_of(const tt_part *p,
                                           const struct tt_call *c)
{
    return &p->score->op[p->op_of[c - p->call]];
}

/* Of timed plays. */
struct tt_call_cost {
    uint64_t n, ns, worst;
    double worst_t; /* register the call started from, when it was worst */
    double recent;  /* ns, as far as it states what comes */
};

/* play.c: the call behind the last one of a section, which answers
 * TT_CALL_REST, so that a play need not look whether a call is the last. Behind
 * the step it does so when p->rests; otherwise the exchange follows. Of no
 * operation. */
void tt_bind_rest(tt_part *p, enum tt_section section, struct tt_call *c);
/* play.c: whose call this is, NULL: no unit's. For tt_turn. */
tt_unit *tt_unit_at(const void *part, uint32_t pc);
/* play.c: room for costs, if there is none. */
TT_NODISCARD enum tt_code tt_part_measure(tt_part *p, tt_err *err);
/* team.c: a play that is not plain. */
enum tt_code tt_team_play(tt_part *p, enum tt_section section, int timed,
                          struct tt_halt *halt, tt_err *err);

/* One value on its way. */
struct tt_move {
    const void *from;
    void *to;
    uint32_t n; /* elements */
    uint8_t how, from_type, to_type;
    union {
        double factor;
        const struct tt_sc_transform *map; /* by a table */
        const struct tt_items *items;      /* an enumeration's */
    };
    double offset;
};

struct tt_moves {
    tt_part *part; /* takes the words of a failure */
    struct tt_move *move;
    uint32_t n;
    uint32_t bytes; /* when they are one block, else 0 */
};

/* moves.c: the call that makes these moves the fastest way there is. */
void tt_bind_moves(struct tt_call *c, struct tt_moves *m);
/* NULL, or the element that does not fit its target's type. */
const void *tt_move_one(const struct tt_move *m);
/* bind.c: n moves to be filled in; NULL: out of memory. */
struct tt_moves *tt_new_moves(tt_part *p, uint32_t n);
/* bind.c: what feeds these inputs, into their slots; NULL: out of memory. */
struct tt_moves *tt_feed_moves(tt_part *p, const uint32_t *slot, uint32_t n);

/* solve.c: loops, counted or until a solver is done. */
struct tt_loop;
size_t tt_solver_bytes(const tt_score *s);
/* *open: the loop around this one on entry, this one after. */
TT_NODISCARD enum tt_code tt_bind_loop(tt_part *p, const struct tt_op *op,
                                       struct tt_call *c, struct tt_loop **open,
                                       tt_err *err);
void tt_bind_time(tt_part *p, const struct tt_op *op, struct tt_call *c,
                  struct tt_loop *l);
void tt_bind_solve(struct tt_call *c, struct tt_loop *l);
void tt_bind_end(struct tt_call *c, struct tt_loop *l);
struct tt_loop *tt_loop_outer(const struct tt_loop *l); /* or NULL */
/* Its first turn begins with this call. */
void tt_loop_first_turn(struct tt_loop *l, uint32_t pc);
int tt_is_loop(const struct tt_call *c);
enum tt_code tt_explain_loop(const tt_part *p, tt_err *err);

/* ask.c: of the unit, whichever rank it is on. */
TT_NODISCARD enum tt_code tt_ask_rates(tt_part *p, uint32_t unit,
                                       const struct tt_span *s, tt_err *err);
TT_NODISCARD enum tt_code tt_ask_jvp(const tt_part *p, uint32_t unit,
                                     const struct tt_jvp *j, tt_err *err);

/* tangent.c: the Jacobian of a loop at one instant, or around the steps of a
 * coupling, from the directional derivatives of its units. */
struct tt_tangent;
/* Do all units of this LOOP offer them, for all values it moves? */
int tt_tangent_offered(const tt_part *p, const struct tt_op *loop);
/* n unknown elements; NULL: out of memory. In the part's arena. */
struct tt_tangent *tt_tangent_new(tt_part *p, const struct tt_op *loop,
                                  uint32_t n);
/* Of the point the units stand at. */
TT_NODISCARD enum tt_code tt_tangent_jacobian(struct tt_tangent *t,
                                              tt_err *err);
const double *tt_tangent_result(const struct tt_tangent *t);

/* course.c */
TT_NODISCARD enum tt_code tt_bind_course(tt_part *p, const struct tt_op *op,
                                         struct tt_call *c, tt_err *err);
/* Where an input's past leads at time t, into value (its elements). */
void tt_course_predict(const tt_part *p, uint32_t slot, double t,
                       double *value);
struct tt_past *tt_past_of(const tt_part *p, const struct tt_course *c);
/* wave.c: what outputs did within a step. */
struct tt_waves;
struct tt_wave_room { /* for the points of a course */
    double *t, *v;
};
/* From t0 to t1; between them a value becomes factor * value + offset. */
struct tt_wave_ends {
    double t0, t1, begin, end, factor, offset;
    uint32_t order;
};
/* 0: out of memory. */
int tt_waves_new(tt_part *p);
int tt_wave_room(tt_part *p, struct tt_wave_room *room);
/* Those of the unit of this output, if a course follows it; else NULL. */
struct tt_waves *tt_waves_of(const tt_part *p, uint32_t slot);
/* The call behind a step of this unit; 0: there is none. */
int tt_bind_note(const tt_part *p, uint32_t unit, struct tt_call *c);
/* A loop begins at this instant. */
void tt_waves_begin(struct tt_waves *w);
/* What was noted in this turn is followed in the next. */
void tt_waves_turn(struct tt_waves *w);
/* Did an element of this output do in this turn what was followed? *off is
 * raised to the most it did not. */
int tt_wave_agrees(const tt_part *p, uint32_t slot, uint32_t element,
                   double atol, double rtol, double *off);
/* The course of an element along what it did in the turn before (`guess`) or in
 * this one, from begin to end; its pieces but the first go to `next`,
 * TT_POLY_PIECES - 1 at most. 0: nothing is known of this step. */
int tt_wave_course(const tt_part *p, uint32_t wave, uint32_t element, int guess,
                   const struct tt_wave_ends *e,
                   const struct tt_wave_room *room, struct tt_poly *course,
                   struct tt_poly *next);
/* past.c */
TT_NODISCARD enum tt_code tt_bind_commit(tt_part *p, struct tt_call *c,
                                         tt_err *err);
/* Has the unit that feeds this course changed a discrete output since the last
 * commit, as far as it was read? Not asked of ports that report their leaps. */
int tt_mode_changed(const tt_part *p, const struct tt_course *c);
/* A cold call in the middle of a play sets its own activity; afterwards the
 * number of the call states again what is being done. */
static inline uint32_t tt_pause_playing(const tt_unit *u)
{
    uint32_t was = u->activity ? u->activity->playing : 0;

    if (was)
        u->activity->playing = TT_PLAYING_NOT;
    return was;
}

static inline void tt_resume_playing(const tt_unit *u, uint32_t was)
{
    if (was)
        u->activity->playing = was;
}

/* nan.c: no NaN passes from unit to unit. */
TT_NODISCARD enum tt_code tt_bind_watch(tt_part *p, struct tt_call *c,
                                        tt_err *err);
enum tt_code tt_explain_watch(const tt_part *p, const struct tt_call *c,
                              tt_err *err);
int tt_is_watch(const struct tt_call *c);

TT_NODISCARD enum tt_code tt_part_nomem(tt_err *err);

#endif
