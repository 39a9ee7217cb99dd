/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_EVENT_IMPL_H
#define TT_PLAYER_EVENT_IMPL_H

/* How events are played. Private to the player. */

#include <string.h>

#include "player/event.h"
#include "player/part_impl.h"
#include "player/ranks.h"
#include "player/team.h"

/* How it is seen whether an input has another value to take. */
enum tt_event_kind {
    TT_EVENT_ANY,
    TT_EVENT_WORD,  /* by its eight bytes, which are its source's as they are */
    TT_EVENT_CLOCK, /* does its source tick? */
    TT_EVENT_CLOCKED, /* it comes with a clock */
};

/* A value that an operation moves. */
struct tt_event_value {
    uint32_t slot, flag;
    uint8_t leaps;  /* any other value is an event */
    uint8_t kind;   /* enum tt_event_kind */
    uint8_t *ticks; /* of a clock: its value */
    const uint8_t
        *source_ticks;          /* of an input that is one: its source's flag */
    const struct tt_move *move; /* of an input */
    const struct tt_port *port;
};

/* An operation: what is asked of the score and the plan when it is played. */
struct tt_event_op;
typedef enum tt_code (*tt_event_play_cb)(tt_part *p,
                                         const struct tt_event_op *o,
                                         tt_err *err);
struct tt_event_op {
    tt_event_play_cb play;
    const struct tt_op *op;
    const uint8_t *guard; /* the flag that is up; NULL: one of several clocks'
                             is */
    struct tt_event_value *value;
    uint32_t n_value;
    uint32_t pc, end; /* its calls */
    int away;         /* on another rank */
};

/* What the sections of events need besides their calls. Operations are counted
 * from the beginning of their section. */
struct tt_event_play {
    struct tt_event_op *op[2]; /* of the event's and the leaving section */
    char *scratch;             /* room for one input's value */
    uint8_t *wanted;           /* per slot: its value is asked for */
    uint8_t *needed;           /* per operation */
    int wants;                 /* there are such */
    uint32_t *set_of;   /* per input: its SET, if that has no guard and no
                           clock, else TT_NONE */
    uint32_t *leave_of; /* per unit: its LEAVE */
    /* Of the plan's `select`: each unit with its own clock. */
    struct tt_event_selected {
        uint32_t unit, clock;
    } * selected;
    /* Operations to look at when a flag is raised, or behind the flags when a
     * slot is carried: of i from wakes_first[i] to wakes_first[i + 1]. */
    uint32_t *wakes, *wakes_first;
    uint64_t *wakes_word; /* the same as bits, in sections of up to 64; else
                             NULL */
    uint32_t *always, n_always; /* transfers */
    /* Inputs with a SET of their own that an output feeds: of slot i from
     * fed_first[i] to fed_first[i + 1]. */
    struct tt_event_fed {
        uint32_t to, op;
    } * fed;
    uint32_t *fed_first;
    struct tt_bits set[TT_SET_N];
    uint64_t *every;           /* words: all inputs that may have news */
    struct tt_bits ticked;     /* clocks, in this microstep, and room for one
                                  more, which never does */
    struct tt_bits pending[2]; /* operations to look at: those that a flag or a
                                  value concerns, on or not; LEAVEs of units
                                  in event mode */
    struct tt_bits looks;      /* SETs, for news */
    uint32_t from;             /* behind the one that is played; 0: none is */
    uint8_t *flag;             /* of the block */
    int has_clocks;            /* or some inside a unit have ticked */
    struct tt_event_direct *direct; /* in the arena; NULL: not played so */
    int is_direct;                  /* the microstep is: nothing is woken */
    struct tt_event_short *brief;   /* in the arena; NULL: there is more to see
                                       to than event_short.c does */
    int idles;                      /* units are in no step: tt_part_idles() */
    uint64_t looked;
};

/* The unit takes part: a step that has nothing to do was left out, and is
 * booked now. */
static inline void tt_event_arrive(const tt_part *p, tt_unit *u)
{
    if (!p->event->idles)
        return;
    u->now = p->now->t[TT_T1];
    u->n_step = p->now->steps;
}

/* event_wake.c: what a microstep has to look at. */
static inline void tt_event_look(const struct tt_event_play *e, uint32_t op)
{
    if (op >= e->from)
        tt_bits_add(&e->pending[0], op);
}
static inline void tt_event_wake(const struct tt_event_play *e, uint32_t i)
{
    if (e->is_direct)
        return;
    if (e->wakes_word && e->from < 64)
        *e->pending[0].word |= e->wakes_word[i] >> e->from << e->from;
    else
        for (uint32_t k = e->wakes_first[i]; k < e->wakes_first[i + 1]; k++)
            tt_event_look(e, e->wakes[k]);
}
/* A flag, which is up from here on, or is already and was not seen yet. */
static inline void tt_event_raise(const tt_part *p, uint32_t flag)
{
    const struct tt_event_play *e = p->event;

    tt_bits_add(&e->set[TT_SET_RAISED], flag);
    tt_event_wake(e, flag);
    e->flag[flag] = 1;
}
/* An output that was read: what it feeds may have news. */
static inline void tt_event_changed(const struct tt_event_play *e,
                                    uint32_t slot)
{
    for (uint32_t i = e->fed_first[slot]; i < e->fed_first[slot + 1]; i++) {
        tt_bits_add(&e->set[TT_SET_NEWS], e->fed[i].to);
        tt_event_look(e, e->fed[i].op);
    }
}
/* The play of a microstep begins. */
void tt_event_begin(const tt_part *p);
/* The next operation of the event's (0) or the leaving section that may have to
 * be played, TT_NONE: none is left. None before the last one is added
 * meanwhile, so it is the first. */
static inline uint32_t tt_event_next(struct tt_event_play *e, int leaves)
{
    uint32_t at = tt_bits_take(&e->pending[leaves]);

    e->from = at + 1; /* 0 behind the last */
    return at;
}
TT_NODISCARD enum tt_code tt_bind_event_wakes(tt_part *p, tt_err *err);

const struct tt_op *tt_event_ops(const tt_part *p, uint32_t *n);
/* Of the k-th value an operation moves: its slot; and an input's source. */
uint32_t tt_event_slot(const tt_part *p, const struct tt_op *op, uint32_t k);
uint32_t tt_event_source(const tt_part *p, uint32_t slot);
/* How it is played: of one whose values are bound. */
tt_event_play_cb tt_event_way(const struct tt_event_op *o);
/* A rank that has failed makes no more calls of units. */
TT_NODISCARD static inline enum tt_code
tt_event_play_op(tt_part *p, const struct tt_event_op *o, tt_err *err)
{
    return p->ranks && p->ranks->muted && o->op->unit != TT_NONE
               ? TT_OK
               : o->play(p, o, err);
}
/* The calls of an operation, from pc to end - 1. */
TT_NODISCARD static inline enum tt_code
tt_event_make_span(tt_part *p, uint32_t pc, uint32_t end, tt_err *err)
{
    for (; pc < end; pc++) {
        p->now->pc = pc;
        if (TT_UNLIKELY(tt_call_make(&p->call[pc], p->now) == TT_CALL_FAILED))
            return tt_explain(p, &p->call[pc], err);
    }
    return TT_OK;
}
TT_NODISCARD static inline enum tt_code
tt_event_make_calls(tt_part *p, const struct tt_event_op *o, tt_err *err)
{
    return tt_event_make_span(p, o->pc, o->end, err);
}
/* One made of units enters each microstep. */
static inline int tt_event_is_to_enter(const tt_unit *u)
{
    return u->life == TT_LIFE_READY || u->desc->inside;
}
/* event.c: the unit takes part from here on. In no call of the play's: what is
 * done is stated by itself. */
TT_NODISCARD enum tt_code tt_event_enter_now(tt_part *p, uint32_t unit,
                                             tt_err *err);
/* event_news.c: may this port change by so little that it is no event? */
int tt_event_is_smooth(const struct tt_port *port);
/* Has this input another value to take? */
enum tt_news tt_event_news_far(const tt_part *p,
                               const struct tt_event_value *v);
static inline enum tt_news tt_event_news_for(const tt_part *p,
                                             const struct tt_event_value *v)
{
    uint64_t now, was;

    if (TT_UNLIKELY(v->kind != TT_EVENT_WORD))
        return tt_event_news_far(p, v);
    memcpy(&now, v->move->from, sizeof(now));
    memcpy(&was, v->move->to, sizeof(was));
    if (now == was)
        return TT_NEWS_NONE;
    return v->leaps ? TT_NEWS_LEAP : tt_event_news_far(p, v);
}
/* The inputs of this SET have the values there are. */
static inline void tt_event_forget_news(const tt_part *p,
                                        const struct tt_event_op *o)
{
    for (uint32_t k = 0; k < o->n_value; k++)
        tt_bits_drop(&p->event->set[TT_SET_NEWS], o->value[k].slot);
}
/* Any input may have news, if values were moved otherwise. */
void tt_event_suspect_all(const tt_part *p);
static inline void tt_event_suspect(const tt_part *p)
{
    if (!p->events->known)
        tt_event_suspect_all(p);
}
/* An input of this rank's units that another value is due for, TT_NONE: none;
 * and behind which operation of the section. */
uint32_t tt_event_due(tt_part *p, uint32_t *slot);
/* A clock's time was changed. */
void tt_event_note_clock(const tt_part *p, uint32_t clock);

/* clocks.c: of the unit's clocks. */
TT_NODISCARD enum tt_code tt_event_ask_intervals(tt_part *p, uint32_t unit,
                                                 double t, tt_err *err);

/* The call that stands for an operation which is played without one; and, when
 * there are all calls, the rest. */
void tt_bind_event(struct tt_call *c);
TT_NODISCARD enum tt_code tt_bind_events(tt_part *p, tt_err *err);

#endif
