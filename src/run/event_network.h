/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_EVENT_NETWORK_H
#define TT_RUN_EVENT_NETWORK_H

/* For tests of events: random networks of mocks, as scenarios, and a reference
 * that knows nothing of scores, schedules and guards: at each microstep values
 * and ticks go round until none changes, everything that got another value,
 * ticks or asked is updated, and so on; when nothing is left, clocks that are
 * due tick. In tutti_testing only. */

#include "base/buf.h"
#include "results/observer.h"
#include "unit/mock.h"

#define EN_UNITS  7
#define EN_INPUTS 3
#define EN_PORTS  18
#define EN_DEEP   3

/* Units of a type: outputs m (of the state), y (of the state and the first
 * input) and z (of all, which it does not state). And clocks: c ticks by time,
 * ti is triggered, co may tick with one of them; cu comes with ti, cy with co;
 * du with c or ti, dy with co or ti. */
struct en_type {
    int32_t a[EN_INPUTS], b, c, most, again;
    double first, period;
    enum tt_interval kind;    /* of c: constant, countdown, or triggered */
    uint32_t interval, shift; /* of c, in quarters */
    struct tt_mock_port port[EN_PORTS];
};

struct en_network {
    struct en_type type[EN_UNITS];
    struct tt_mock_spec spec[EN_UNITS];
    uint32_t n;
    struct {
        int is;
        uint32_t unit, out;
    } from[EN_UNITS][EN_INPUTS];
    struct {
        enum { EN_NOTHING, EN_BY_CO, EN_BY_C } is;
        uint32_t unit;
    } clock[EN_UNITS];     /* what ticks ti */
    uint32_t cy[EN_UNITS]; /* which unit's cy is cu; TT_NONE: none */
    uint32_t dy[EN_UNITS]; /* ... dy is du */
    /* Units lo[k] to hi[k] - 1 are in scenario k; scenario 0 is the outermost
     * and has all, each other is in the one before. */
    uint32_t lo[EN_DEEP], hi[EN_DEEP], deep;
    int plain; /* without clocks */
};

/* Flat. */
void en_make(struct en_network *w, uint64_t seed);
/* The same units without clocks: what was one is a variable, and what came with
 * one, too. */
void en_leave_clocks_out(struct en_network *w);
/* Some of its units in a scenario inside, and perhaps some of those in another
 * one inside that. */
void en_nest(struct en_network *w, uint64_t seed);
/* Forgets no mock. */
void en_register(const struct en_network *w);
/* more: further fields, each with a comma before it. */
void en_write(const struct en_network *w, const char *more, struct tt_buf *b);

/* Plays it and compares each row with the reference. */
struct en_how {
    const char *more; /* as of en_write() */
    uint32_t ranks;   /* 0: alone */
    /* As of struct tt_run_opts. */
    enum tt_code (*kind_cb)(const struct tt_kind_ops **kind,
                            const struct tt_source *s, tt_err *err);
};
struct en_result {
    uint64_t compared; /* values */
    uint32_t rows;
    int is_short; /* microsteps were played by words */
    char wrong[TT_ERR_MAX +
               32]; /* the first difference, or why it failed; "": none */
};
void en_play(const struct en_network *w, const struct en_how *how,
             struct en_result *out);

/* An observer that compares each row with the reference. */
struct en_seen {
    tt_observer base;
    const struct tt_rows *rows;
    struct en_ref {
        const struct en_network *w;
        int32_t value[EN_UNITS][EN_PORTS];
        uint8_t clock[EN_UNITS][3]; /* c, ti, co */
        int32_t held[EN_UNITS];     /* cy when co ticked last */
        int32_t held_d[EN_UNITS];   /* dy when co or ti did */
        int part[EN_UNITS], again[EN_UNITS], done[EN_UNITS];
        uint32_t beats[EN_UNITS];   /* ticks of a periodic c so far */
        double countdown[EN_UNITS]; /* when c ticks otherwise */
        double t;
        uint32_t n;
    } ref;
    uint32_t n_row;
    uint64_t compared;
    char wrong[256]; /* the first difference; "": none */
};
void en_see(struct en_seen *s, const struct en_network *w);

#endif
