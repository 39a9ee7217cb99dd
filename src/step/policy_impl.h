/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_POLICY_IMPL_H
#define TT_STEP_POLICY_IMPL_H

/* The block: struct tt_policy, then members, tracks, the Zeno ring, listed
 * instants, port indices, names; found by byte offsets, so that it can be
 * copied, moved and written to a file. */

#include "base/hooks.h"
#include "step/policy.h"

/* Maestro's constants: factors of the next step. */
#define RELAX_STRONGLY   3.0
#define RELAX            1.2
#define TIGHTEN          0.5
#define TIGHTEN_STRONGLY 0.01
#define INVALID_STEP     0.25

#define SLACK (1 + 1e-9) /* rounding in accumulated times */

/* A watched port: the newest value, those one and two steps before, and its
 * derivatives and filtered extrapolation errors (of order 1 and 2) now. */
struct track {
    double x, xp, xpp;
    double d, dd;
    double eps[2];
};

enum zero_state {
    ZERO_UNKNOWN,
    ZERO_CROSSED,
    ZERO_APPROACHING,
    ZERO_DISTANCING,
};

struct member {
    enum tt_policy_kind kind;
    uint32_t n_ports, n_instants;
    size_t ports_at, instants_at, name_at;
    double step;
    struct tt_policy_zero zero;
    struct tt_policy_bounded bounded;
    struct tt_policy_sampling sampling;
    struct tt_policy_control control;
    struct tt_policy_locate locate;
    struct tt_policy_count count;

    enum zero_state state; /* ZERO */
    int inside;            /* ZERO: values within steps are known */
    double factor;         /* BOUNDED: last decision; 0: none yet */
    double own;            /* ERROR: last proposal; 0: none yet */
    double err_prev;       /* ERROR: of the last step; 0: none to compare */
    int side;              /* LOCATE: of zero, -1 or 1; 0: not known */
    double band;           /* LOCATE: from zero, to be left before it counts */
    struct tt_policy_crossings crossings; /* LOCATE */
};

struct tt_policy {
    struct tt_policy_limits lim; /* min <= init <= max, defaults filled in */
    uint32_t n;
    size_t tracks_at, ring_at;
    struct tt_policy_count own[TT_POLICY_OWN_COUNT];

    uint64_t steps;   /* committed */
    uint32_t points;  /* of the history, at most 3 */
    double h1, h2;    /* between them, newest first */
    double last_cont; /* last step not limited by discrete members only */
    int discrete;     /* was the last step? */
    double size;      /* Maestro's: the length last chosen */

    uint32_t by;          /* of the attempt */
    int attempt_discrete; /* limited by discrete members only */
    int rejected;         /* an attempt at this step was */

    uint32_t zeno_n, zeno_at; /* ring of instants: used, next */
    struct member members[];
};

/* An objection of a member, or none if reason is TT_POLICY_FINE. */
struct objection {
    enum tt_policy_reason reason;
    double h; /* what it would try */
    double value, limit;
};

const struct track *tt_policy_ctracks(const struct tt_policy *p);
const uint32_t *tt_policy_ports(const struct tt_policy *p,
                                const struct member *m);
const double *tt_policy_cring(const struct tt_policy *p);

/* Clip into [min, max]. */
double tt_policy_saturate(const struct tt_policy *p, double h);
/* The smallest step at t: min, or what time can resolve. */
double tt_policy_least(const struct tt_policy *p, double t);

void tt_track_start(struct track *k, double x);
/* The next value x, h1 after the last, h2 between the two before it. points:
 * those known before. d, dd: derivatives given with x, or NaN. */
struct track_in {
    double x, d, dd;
    double h1, h2;
    uint32_t points;
    int boundless; /* extrapolation errors have no bound */
};
void tt_track_feed(struct track *k, const struct track_in *in);

/* f = p0 [- p1] of a crossing, now and before, with derivatives. */
struct course {
    double f, fp, fpp;
    double d, dd;
    double eps;
};

/* What a kind of member does; all but the name may be NULL. */
struct policy_ops {
    /* Are the options right? */
    enum tt_code (*check)(const struct tt_policy_limits *lim,
                          const struct tt_policy_opts *o, tt_err *err);
    /* A length, once per step; may keep its decision. */
    double (*propose)(const struct tt_policy *p, struct member *m);
    /* The first instant after ask->t that must not be overshot. */
    double (*next)(const struct tt_policy *p, const struct member *m,
                   const struct tt_policy_ask *ask, double tol);
    int soft; /* a sliver before that instant is to be avoided */
    struct objection (*judge)(const struct tt_policy *p, const struct member *m,
                              const struct tt_policy_evidence *ev);
    void (*commit)(const struct tt_policy *p, struct member *m,
                   const struct tt_policy_evidence *ev);
    /* Is the step short because of something that happened in it? */
    int (*crossed)(const struct tt_policy *p, const struct member *m,
                   const struct tt_policy_evidence *ev);
};
extern const struct policy_ops tt_policy_fixed_ops, tt_policy_zero_ops,
    tt_policy_bounded_ops, tt_policy_sampling_ops, tt_policy_error_ops,
    tt_policy_instants_ops, tt_policy_locate_ops;
const struct policy_ops *tt_policy_ops_of(enum tt_policy_kind k);

/* What a member wishes before instants are looked at; infinite: nothing. */
double tt_policy_wish(const struct tt_policy *p, struct member *m);

/* The smallest positive root of f + d s + dd s^2/2; infinite if there is none.
 */
double tt_policy_root(const struct course *c);

/* locate.c: a step that may stand otherwise; values begin anew at f. */
struct tt_policy_ruling
tt_policy_rule_crossings(const struct tt_policy *p,
                         const struct tt_policy_evidence *ev,
                         const struct tt_policy_ruling *r);
/* ... of an attempt that cannot stand, and has nothing more to find out. */
struct tt_policy_ruling
tt_policy_rule_scout(const struct tt_policy *p,
                     const struct tt_policy_evidence *ev);
void tt_policy_begin_crossing(struct member *m, double f);

/* Maestro's rules (maestro.c). */
struct tt_policy_step tt_maestro_propose(struct tt_policy *p,
                                         const struct tt_policy_ask *ask);
struct tt_policy_step tt_maestro_retry(struct tt_policy *p,
                                       const struct tt_policy_ruling *r,
                                       const struct tt_policy_ask *ask);
/* From f and the f before it, with its derivatives, counted in steps of H. */
double tt_maestro_steps_to_zero(const struct tt_policy *p, uint32_t order,
                                const struct course *c);

/* Is the step as short as can be, because of a crossing or a unit? */
int tt_policy_counts_for_zeno(const struct tt_policy *p,
                              const struct tt_policy_evidence *ev);

/* The first instant after ask->t that must not be overshot. */
struct target {
    double t;
    uint32_t by;
    int soft; /* a sliver before it is to be avoided */
};
struct target tt_policy_target(const struct tt_policy *p,
                               const struct tt_policy_ask *ask);
/* Half up to 14 decimals, as Maestro rounds sampling times. */
double tt_policy_round14(double x);

#endif
