/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAN_PLAN_IMPL_H
#define TT_PLAN_PLAN_IMPL_H

/* The rooms of plan building. */

#include "plan/plan.h"

/* Ports marked while names are resolved, one byte per port of each unit. */
enum {
    MARK_OUT = 1,    /* source of a connection */
    MARK_IN = 2,     /* target of a connection */
    MARK_RECORD = 4, /* a column */
    MARK_WATCH = 8,  /* a step policy looks at it */
    MARK_PORT = 16,  /* an output seen from outside */
};

struct build {
    tt_plan *plan;
    const tt_scenario *sc;
    uint8_t **mark;     /* per unit: per port */
    uint32_t **slot_of; /* per unit: per port, TT_NONE without a slot */
    struct resolved {
        uint32_t from_unit, from_port, to_unit, to_port;
        enum tt_feed_how how;
        double factor, offset;
    } * conn; /* per connection, then guesses fed back */
    uint32_t n_conn;
    const struct tt_log *log;
    int passed; /* problems were told and passed over */
};

/* connect.c */
TT_NODISCARD enum tt_code plan_find_port(const struct build *b,
                                         const struct tt_sc_ref *ref,
                                         uint32_t *port, tt_err *err);
TT_NODISCARD enum tt_code plan_connect(struct build *b, tt_err *err);
/* ports.c: after connecting; the slots after layout */
TT_NODISCARD enum tt_code plan_ports(struct build *b, tt_err *err);
void plan_port_slots(struct build *b);
/* record.c */
TT_NODISCARD enum tt_code plan_mark_recorded(struct build *b, tt_err *err);
TT_NODISCARD enum tt_code plan_columns(struct build *b, tt_err *err);
/* layout.c */
TT_NODISCARD enum tt_code plan_layout(struct build *b, tt_err *err);
/* feeds.c */
TT_NODISCARD enum tt_code plan_feeds(struct build *b, tt_err *err);
TT_NODISCARD enum tt_code plan_dependencies(struct build *b, tt_err *err);
/* start.c */
TT_NODISCARD enum tt_code plan_start_values(struct build *b, tt_err *err);
TT_NODISCARD enum tt_code plan_adjust(struct build *b, tt_err *err);
/* time.c */
TT_NODISCARD enum tt_code plan_experiment(struct build *b, tt_err *err);
/* watch.c */
TT_NODISCARD enum tt_code plan_mark_watched(struct build *b, tt_err *err);
TT_NODISCARD enum tt_code plan_watch(struct build *b, tt_err *err);
/* rate.c */
TT_NODISCARD enum tt_code plan_rates(struct build *b, tt_err *err);
/* bonds.c */
TT_NODISCARD enum tt_code plan_bonds(struct build *b, tt_err *err);
/* react.c */
TT_NODISCARD enum tt_code plan_reactivity(struct build *b, tt_err *err);
/* course.c */
TT_NODISCARD enum tt_code plan_courses(struct build *b, tt_err *err);

TT_NODISCARD enum tt_code plan_nomem(tt_err *err);
/* May planning go on after this rc, of something that stands for itself? */
int plan_pass(struct build *b, enum tt_code rc, const tt_err *err);

#endif
