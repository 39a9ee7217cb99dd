/* SPDX-License-Identifier: MIT */
#ifndef TT_COMPOSE_COMPOSE_IMPL_H
#define TT_COMPOSE_COMPOSE_IMPL_H

/* Composite units: opening and making (type.c), what they declare of themselves
 * (describe.c, depend.c), being one (unit.c), events (event.c), courses of
 * inputs (border.c), directional derivatives (tangent.c). */

#include "base/mem.h"
#include "compose/compose.h"
#include "run/guest.h"
#include "text/archive.h"

struct composite_type {
    tt_unit_type base;
    tt_archive *archive;         /* owned; NULL: the source is the scenario */
    tt_scenario *loaded;         /* owned; NULL: it is written in place */
    const tt_scenario *scenario; /* borrowed: that, or its source's */
    tt_run *run;                 /* owned: never started; has types and plan */
    tt_arena *arena;             /* owned: what the description points to */
    struct tt_log log;           /* names whose decisions are reported */
    const struct tt_log *outer_log; /* borrowed while it is opened */
};

struct border;
struct tangent;
struct composite {
    tt_unit base;
    struct composite_type *type;     /* borrowed */
    struct tt_make make;             /* what a reset needs of it */
    struct tt_experiment experiment; /* ... if it has one */
    tt_run *run;                     /* owned */
    const struct tt_plan_port *port; /* borrowed: the plan's */
    struct border *border;   /* owned: live courses; NULL: none will come */
    struct tangent *tangent; /* owned: NULL until it is asked for */
    void *value;          /* owned: room for one input; NULL: without events */
    uint32_t *trail_slot; /* owned: inside, of the ports of its trail */
};

static inline struct composite *composite_of(tt_unit *u)
{
    return (struct composite *)(void *)u; /* base is the first member */
}

/* describe.c */
TT_NODISCARD enum tt_code composite_describe(struct composite_type *t,
                                             tt_err *err);
/* depend.c: dependencies of the outputs through the graph inside. */
TT_NODISCARD enum tt_code composite_depend(const struct composite_type *t,
                                           struct tt_deps *deps, int init,
                                           tt_err *err);
/* unit.c */
TT_NODISCARD enum tt_code composite_make(tt_unit **out, tt_unit_type *t,
                                         const struct tt_make *m, tt_err *err);

/* event.c: is this a value that a unit inside takes in an event? set: it does,
 * if it is another. show: outputs have their values of this microstep. */
TT_NODISCARD enum tt_code composite_event_room(struct composite *c,
                                               tt_err *err);
int composite_is_event(const struct composite *c, uint32_t port,
                       const struct tt_plan_target *to);
TT_NODISCARD enum tt_code composite_event_set(struct composite *c,
                                              const struct tt_plan_target *to,
                                              void *value, tt_err *err);
TT_NODISCARD enum tt_code composite_show(struct composite *c,
                                         const struct tt_span *s, tt_err *err);
enum tt_code composite_event_enter(tt_unit *u, tt_err *err);
enum tt_code composite_event_update(tt_unit *u, struct tt_event_result *r,
                                    tt_err *err);
enum tt_code composite_event_leave(tt_unit *u, tt_err *err);

/* border.c: courses from outside, until the step they are for is made. */
TT_NODISCARD enum tt_code
border_new(struct border **out, const struct composite_type *t, tt_err *err);
void border_free(struct border *b); /* accepts NULL */
void border_keep(struct border *b, const struct tt_span *s,
                 const struct tt_poly *p);
void border_forget(struct border *b, const struct tt_span *s); /* NULL: all */
/* For tt_run_host: delivers to the units inside. ctx is the border. */
enum tt_code border_wrap(void *ctx, uint32_t unit, tt_unit **u,
                         const struct tt_make *m, tt_err *err);

/* tangent.c: has it derivatives of how its outputs follow its inputs? Once
 * ports and the score are there. */
TT_NODISCARD enum tt_code composite_has_tangent(const struct composite_type *c,
                                                int *has, tt_err *err);
enum tt_code composite_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err);
void tangent_free(struct tangent *t); /* accepts NULL */

TT_NODISCARD enum tt_code composite_nomem(tt_err *err);

#endif
