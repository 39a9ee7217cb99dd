/* SPDX-License-Identifier: MIT */
#ifndef TT_COMPOSE_COMPOSE_IMPL_H
#define TT_COMPOSE_COMPOSE_IMPL_H

/* Composite units: opening and making (type.c), what they say of themselves
 * (describe.c, depend.c), being one (unit.c), courses of inputs (border.c),
 * directional derivatives (tangent.c). */

#include "base/mem.h"
#include "compose/compose.h"
#include "fmi/archive.h"
#include "run/guest.h"

struct composite_type {
    tt_unit_type base;
    tt_archive *archive;       /* owned; NULL: the source is the scenario */
    tt_scenario *scenario;     /* owned */
    tt_run *run;               /* owned: never started; has types and plan */
    tt_arena *arena;           /* owned: what the description points to */
    struct tt_log log;         /* says whose decisions are told */
    const struct tt_log *told; /* borrowed while it is opened */
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

/* tangent.c: can it tell how its outputs follow its inputs? Once ports and the
 * score are there. */
TT_NODISCARD enum tt_code composite_tells(const struct composite_type *c,
                                          int *tells, tt_err *err);
enum tt_code composite_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err);
void tangent_free(struct tangent *t); /* accepts NULL */

TT_NODISCARD enum tt_code composite_nomem(tt_err *err);

#endif
