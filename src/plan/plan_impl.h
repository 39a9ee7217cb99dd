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
    MARK_CLOCK = 32, /* the clock of one of these */
    MARK_EVENT = 64, /* an event output of a discrete-event unit */
};

struct build {
    tt_plan *plan;
    const tt_scenario *sc;
    uint8_t **mark;     /* per unit: per port */
    uint32_t **slot_of; /* per unit: per port, TT_NONE without a slot; of an
                           input that several feed the first of as many */
    uint32_t **n_feed;  /* per unit: per port, how many do */
    struct resolved {
        uint32_t from_unit, from_port, to_unit, to_port;
        enum tt_feed_how how;
        double factor, offset;
        const struct tt_sc_transform *map;
        uint32_t given; /* index in the scenario */
        uint32_t nth;   /* of those that feed the same input */
    } * conn; /* per connection, then guesses fed back, then clocks that tick
                 with values */
    uint32_t n_conn;
    const struct tt_log *log;
    int passed; /* problems were reported and passed over */
};

/* A stage of building. */
typedef enum tt_code plan_stage(struct build *b, tt_err *err);

/* terminals.c: first of all; the scenario then has their connections */
TT_NODISCARD plan_stage plan_terminals;
/* bare.c: before parameters are looked at; the scenario then has the instances
 * of those that name none */
TT_NODISCARD plan_stage plan_bare;
/* sizes.c: before names are resolved; and what came of it, when start values
 * are known */
TT_NODISCARD plan_stage plan_sizes;
void plan_note_sizes(struct build *b);
/* elements.c: "an array of 2 x 3" into out, which it returns. */
const char *plan_size_text(const struct tt_port *p, char *out, size_t size);
/* The array that "a[1,2]" is an element of, and which. TT_EINPUT:
 * it has none such; *port TT_NONE: that is no element of an array. */
TT_NODISCARD enum tt_code plan_find_element(const struct build *b,
                                            const struct tt_sc_ref *ref,
                                            struct tt_element *e, tt_err *err);
/* Elements that the scenario names become ports, when sizes are known. */
TT_NODISCARD plan_stage plan_elements;
/* When all is connected: may these elements be? */
TT_NODISCARD enum tt_code plan_check_elements(const struct build *b,
                                              tt_err *err);
/* connect.c */
TT_NODISCARD enum tt_code plan_find_port(const struct build *b,
                                         const struct tt_sc_ref *ref,
                                         uint32_t *port, tt_err *err);
/* The slot of a connected input; else: "so it has no {what}". */
TT_NODISCARD enum tt_code plan_find_input(const struct build *b,
                                          const struct tt_sc_ref *ref,
                                          const char *what, uint32_t *slot,
                                          tt_err *err);
TT_NODISCARD plan_stage plan_connect;
/* discrete.c: clocks that tick along connections of values; when it is known
 * which units have event mode, the order of Select */
TT_NODISCARD plan_stage plan_tie_clocks;
TT_NODISCARD plan_stage plan_discrete;
/* Is it an input of a discrete-event unit, which takes events? */
int plan_takes_events(const struct build *b, uint32_t unit, uint32_t port);
/* ports.c: after connecting; the slots after layout */
TT_NODISCARD plan_stage plan_ports;
void plan_port_slots(struct build *b);
/* record.c */
TT_NODISCARD plan_stage plan_mark_recorded;
TT_NODISCARD plan_stage plan_columns;
/* layout.c */
TT_NODISCARD plan_stage plan_layout;
/* feeds.c */
TT_NODISCARD plan_stage plan_feeds;
TT_NODISCARD plan_stage plan_dependencies;
/* start.c */
TT_NODISCARD plan_stage plan_start_values;
TT_NODISCARD plan_stage plan_adjust;
/* May a value be given for this port before initialisation? Is one given? */
int plan_settable(const struct tt_port *p);
int plan_is_given(const tt_plan *p, uint32_t unit, uint32_t port);
/* One element. Returns 0, or -1 when the type cannot hold the value. */
/* connect.c: to = factor * from + offset, 1 and 0 where a unit's base is not
 * declared. -1: they measure different quantities. */
int plan_map_units(const struct tt_quantity *from, const struct tt_quantity *to,
                   double *factor, double *offset);
int plan_convert(tt_texts *texts, enum tt_type t, void *to,
                 const struct tt_sc_value *v);
/* time.c */
TT_NODISCARD plan_stage plan_experiment;
/* constraints.c */
TT_NODISCARD plan_stage plan_mark_watched;
/* script.c: may a script set this? A port of a gate has the unit of what it
 * stands for: that, or the port itself. What the run looks at, and start values
 * that gates hold. */
TT_NODISCARD enum tt_code plan_script_target(const struct build *b,
                                             const struct tt_sc_ref *ref,
                                             const struct tt_port *p,
                                             tt_err *err);
const struct tt_port *plan_script_port(const struct build *b, uint32_t unit,
                                       const struct tt_port *p,
                                       struct tt_port *stand_in);
/* sleepers, when sizes are known; the port by which one is woken, if ref means
 * that, else TT_NONE */
TT_NODISCARD plan_stage plan_sleepers, plan_mark_script, plan_script;
/* Does the port count what a script has done? */
int plan_is_diary(const struct tt_plan_unit *u, uint32_t port);
uint32_t plan_awake_port(const struct build *b, const struct tt_sc_ref *ref);
/* Parameters of a unit that it sets, on which all outputs depend, undeclared:
 * so many slots, appended to `in`, unless that is NULL. */
uint32_t plan_script_inputs(const struct build *b, uint32_t unit, uint32_t *in);
/* locate.c */
void plan_mark_located(struct build *b);
/* measure.c: what feeds each port of a unit is in; and of units that are an
 * expression over their inputs, whether that fits. */
TT_NODISCARD enum tt_code plan_find_fed(struct build *b, uint32_t unit,
                                        tt_err *err);
TT_NODISCARD enum tt_code plan_measure(struct build *b, tt_err *err);
/* Types and units of expressions, before anything is connected to them. */
TT_NODISCARD plan_stage plan_check_located;
TT_NODISCARD plan_stage plan_locate;
TT_NODISCARD plan_stage plan_watch;
/* rate.c */
TT_NODISCARD plan_stage plan_rates;
/* ... and for groups that grow: the first unit of the one that u is in; two of
 * them become one. */
uint32_t plan_root(tt_plan *p, uint32_t u);
void plan_join(tt_plan *p, uint32_t a, uint32_t b);
/* late.c: units whose late values are predicted state less; may they be? */
TT_NODISCARD plan_stage plan_late, plan_check_late;
/* quanta.c: who may sleep, when it is known which units have events */
TT_NODISCARD enum tt_code plan_quanta(struct build *b, tt_err *err);
/* together.c: ensembles, when rates are known */
TT_NODISCARD plan_stage plan_together;
/* events.c: clocks of what is moved, before the layout; which units have event
 * mode and which slots are moved at events only, when rates are known */
void plan_mark_clocks(struct build *b);
/* Can every unit be taken back, and made to step to any time? */
int plan_all_go_back(const tt_plan *p);
/* Can all step to any time? */
int plan_all_vary(const tt_plan *p);
TT_NODISCARD plan_stage plan_events;
/* clocks.c: when clocks tick, which were listed before */
TT_NODISCARD plan_stage plan_clocks;
/* expect.c: variables of expectations, before the layout; their programs */
TT_NODISCARD plan_stage plan_mark_expected, plan_expect;
/* budgets.c */
TT_NODISCARD plan_stage plan_budgets;
/* bonds.c: is the product of these a power? */
int plan_is_power(const struct tt_quantity *u, const struct tt_quantity *y);
TT_NODISCARD plan_stage plan_bonds;
/* react.c */
TT_NODISCARD plan_stage plan_reactivity;
/* course.c */
TT_NODISCARD plan_stage plan_courses;

TT_NODISCARD enum tt_code plan_nomem(tt_err *err);
/* May planning go on after this rc, of something that stands for itself? */
int plan_pass(struct build *b, enum tt_code rc, const tt_err *err);

#endif
