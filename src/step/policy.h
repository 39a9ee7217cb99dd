/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_POLICY_H
#define TT_STEP_POLICY_H

/* Step policies: how long the next macro step is, and whether the last one may
 * stand. History in, decision out: nothing here knows units or scores.
 *
 * A set of policies acts as one. The smallest proposal wins, any member may
 * reject, instants are never overshot, and counters report what limited which
 * step:
 *
 *     tt_policy_start(p, t, v);                 values of the watched ports
 *     while ((s = tt_policy_propose(p, &ask)).h > 0) {
 *         for (;;) {
 *             ... play the step from ask.t to s.t1, fill the evidence ...
 *             r = tt_policy_judge(p, &ev);
 *             if (r.verdict != TT_POLICY_RETRY)
 *                 break;
 *             ... roll units back ...
 *             s = tt_policy_retry(p, &r, &ask);
 *         }
 *         if (r.verdict == TT_POLICY_GIVE_UP)
 *             stop, stating tt_policy_explain();
 *         tt_policy_commit(p, &ev, &r);         only now histories move
 *         ask.t = s.t1;
 *     }
 *
 * All memory is one block given by the caller, without pointers in it: a copy
 * of the block is a copy of the set. Judging changes nothing, and a retry only
 * marks the attempt, so a rejected attempt leaves no trace in the histories
 * whether or not the block is restored before tt_policy_retry(); restoring it
 * only forgets the counts. Nothing is allocated. Deterministic: members are
 * asked in index order. Confined to one thread.
 *
 * Times are seconds. t1 is the instant: computed once, then copied, so
 * that all that is due at it has the same bits;
 * h is the length that was chosen, H itself on a full step of a fixed grid; and
 * t1 - t where an instant came first.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

enum tt_policy_kind {
    TT_POLICY_FIXED,    /* grid start + n*H */
    TT_POLICY_ZERO,     /* Maestro's zerocrossing */
    TT_POLICY_BOUNDED,  /* Maestro's boundeddifference */
    TT_POLICY_SAMPLING, /* Maestro's samplingrate */
    TT_POLICY_UNIT_MAX, /* Maestro's fmumaxstepsize: honours ask.unit_max */
    TT_POLICY_ERROR,    /* error control by a PI controller */
    TT_POLICY_INSTANTS, /* a list of instants known beforehand */
    TT_POLICY_LOCATE,   /* ends steps where a value crosses zero */
};

/* f = value of the first port, less that of the second if there are two. */
struct tt_policy_zero {
    uint32_t order; /* 1, 2; 0 is 2 */
    double abstol;  /* 0 is 1e-3 */
    double safety;  /* added to the extrapolation error */
};

/* One port: against its value one step before; more: the largest less the
 * smallest. */
struct tt_policy_bounded {
    double abstol;     /* 0 is 1e-3 */
    double reltol;     /* 0 is 1e-2 */
    double safety;     /* > -0.4 */
    int keep_discrete; /* the opposite of skipDiscrete, whose default is true */
};

/* Instants (first + k*rate) * 10^base s, k = 0, 1, ... */
struct tt_policy_sampling {
    int base;
    int64_t rate, first; /* in units of 10^base s */
};

/* With q the order of the estimate (err ~ h^q), e its value, h' = h f:
 *
 *   - accepted: f = clip((safety e^(-1/q))^ki (e_prev/e)^(kp/q), shrink, grow)
 *   - rejected: f = clip(safety e^(-1/q), shrink, 0.9)
 *
 * so that e settles at safety^q whatever ki is (with safety outside the power
 * it would settle at safety^(q/ki), shorter steps than asked for).
 *
 * Gustafsson (1991), "Control theoretic techniques for stepsize selection in
 * explicit Runge-Kutta methods": ki = 0.3, kp = 0.4 (the defaults); the same
 * in Hairer and Wanner II, IV.2, (2.43c) as e^-alpha e_prev^beta with alpha =
 * (ki + kp)/q, beta = kp/q, and step size selection in IV.8. The PI controller
 * for implicit methods is Gustafsson, Lundh and Soederlind (1988). ki = 1, kp =
 * 0 is the elementary controller. The step after a rejection does not grow.
 *
 * A step cut short by another member (a sampling instant, for example) means
 * nothing about longer ones: then h' = min(h safety e^(-1/q), own last
 * proposal).
 *
 * Per step, the global error of an order-p coupling is about tol^(p/(p+1)).
 * With unit_time > 0 the error per unit_time is controlled instead: e := e
 * unit_time/h, q := q - 1, and the global error is proportional to tol; the
 * estimate must then have q >= 2. */
struct tt_policy_control {
    uint32_t estimate; /* which of the evidence's estimates */
    double ki, kp;     /* both 0: 0.3 and 0.4 */
    double safety;     /* 0 is 0.9 */
    double shrink;     /* 0 is 0.2 */
    double grow;       /* 0 is 5 */
    double unit_time;  /* s; 0: error per step */
    int grid; /* steps are the first one times powers of 2^(1/4), so that there
                 are few; what cuts them short is counted */
    int next; /* a step above the tolerance stands, and the next one is shorter;
                 it is counted */
};

/* Crossings of zero that count. Where steps can be taken back they are repeated
 * until one ends behind the crossing by no more than the tolerance. */
struct tt_policy_locate {
    int up, down;     /* neither: both */
    double tolerance; /* s; 0 is 1e-9 */
    int predicts;     /* steps are not taken back: propose to end where the
                         crossing is expected */
    double shift;     /* s: the first one of the set is passed by so much before
                         it counts, where steps are taken back; 0: it is not */
};

/* Members of one policy; pointers are read during size and init only. */
struct tt_policy_opts {
    enum tt_policy_kind kind;
    const char *name;      /* for the report; NULL is the kind's */
    const uint32_t *ports; /* ZERO, BOUNDED: indices into watched values */
    uint32_t n_ports;
    const double *instants; /* INSTANTS: in any order */
    uint32_t n_instants;
    double step; /* FIXED: H */
    struct tt_policy_zero zero;
    struct tt_policy_bounded bounded;
    struct tt_policy_sampling sampling;
    struct tt_policy_control control;
    struct tt_policy_locate locate;
};

/* Limits of the whole set. min and max bind ZERO, BOUNDED and ERROR; instants
 * and units may ask for less than min. More than zeno_steps steps of min (or
 * less) that a crossing or a unit caused within zeno_window are chattering. */
struct tt_policy_limits {
    double start;        /* of the run, and of a fixed grid */
    double min, max;     /* swapped if reversed; max 0: none; min 0: 1e-6 init,
                            or of a fixed step if that is less */
    double init;         /* first step, clipped into [min, max]; 0 is max */
    uint32_t n_watched;  /* values in v, v0 and v1 */
    uint32_t zeno_steps; /* 0 is 100 */
    double zeno_window;  /* s; 0 is 10 * zeno_steps * min */
    /* By Maestro's rules where they differ (maestro.c): t + h is added up, no
     * sliver is spared before the end, the last length is the one chosen and
     * not the one made, a rejected step is shortened from that, and
     * extrapolation errors of two ports are subtracted. */
    int maestro;
};

#define TT_POLICY_ZENO_MAX 1000 /* zeno_steps at most */

struct tt_policy; /* a block of tt_policy_size() bytes, aligned for double */

/* States what is wrong with options, before init, which takes them as right. */
TT_NODISCARD
enum tt_code tt_policy_check(const struct tt_policy_limits *lim,
                             const struct tt_policy_opts *o, uint32_t n,
                             tt_err *err);
size_t tt_policy_size(const struct tt_policy_limits *lim,
                      const struct tt_policy_opts *o, uint32_t n);
struct tt_policy *tt_policy_init(void *block,
                                 const struct tt_policy_limits *lim,
                                 const struct tt_policy_opts *o, uint32_t n);

/* Values v (n_watched) at t begin a history: at the start of the run, and after
 * an event at t that changed values by leaps. */
void tt_policy_start(struct tt_policy *p, double t, const double *v);

/* --- what limits ------------------------------------------------------- */

/* Members are 0 .. n-1; the set's own reasons to end a step follow from n on.
 */
enum tt_policy_own {
    TT_POLICY_OWN_INIT,  /* the first step */
    TT_POLICY_OWN_MAX,   /* the largest step */
    TT_POLICY_OWN_EVENT, /* a unit's next event */
    TT_POLICY_OWN_END,   /* the end of the run */
    TT_POLICY_OWN_UNIT,  /* a unit rejected the step or returned early */
    TT_POLICY_OWN_COUNT,
};

struct tt_policy_count {
    uint64_t limited;  /* accepted steps it limited */
    uint64_t rejected; /* attempts it rejected */
    uint64_t warned;   /* steps it accepted only because it had to */
    uint64_t off_grid; /* ERROR on a grid: accepted steps that are not of it */
    uint64_t above;    /* ERROR that corrects the next: accepted steps above the
                          tolerance */
};

uint32_t tt_policy_members(const struct tt_policy *p); /* n */
/* i: a member, or n + one of tt_policy_own. The name lives in the block. */
const char *tt_policy_name(const struct tt_policy *p, uint32_t i);
struct tt_policy_count tt_policy_counts(const struct tt_policy *p, uint32_t i);
const char *tt_policy_kind_name(enum tt_policy_kind k);

/* --- the cycle --------------------------------------------------------- */

struct tt_policy_ask {
    double t, end;     /* end may be infinite */
    double unit_max;   /* least of the units' maximum steps; 0: none given */
    double next_event; /* a unit's next event; not after t: none */
};

struct tt_policy_step {
    double t1, h; /* h = 0: t is the end */
    uint32_t by;  /* what limited it */
};

/* The end is reached exactly and without a sliver: when less than min would be
 * left before the end, an event or a listed instant, the step is stretched to
 * it if that takes at most a tenth more than proposed, else the rest is halved;
 * it is stretched in any case when the halves would be below min. max and
 * unit_max are not exceeded. */
struct tt_policy_step tt_policy_propose(struct tt_policy *p,
                                        const struct tt_policy_ask *ask);

struct tt_policy_estimate {
    double err;   /* normalised: 1 is what is tolerated */
    double order; /* q: err ~ h^q */
};

enum tt_policy_outcome {
    TT_POLICY_REACHED, /* all units are at t1 */
    TT_POLICY_REFUSED, /* one rejected the step; it could reach `reached` */
    TT_POLICY_EARLY,   /* one returned early, at `reached` */
    TT_POLICY_LOST,    /* units that are to agree do not */
};

/* What units noted of watched ports within the step: rows in the order of time,
 * after t0 and before t1. */
struct tt_policy_inside {
    uint32_t n;
    const double *t; /* n */
    const double *v; /* n times n_watched; NaN: not known at this time */
};

/* What attempts at one step have found of a crossing. */
struct tt_policy_hunt {
    double a, b, fa, fb; /* before it, and behind it */
    double span;         /* of the first two */
    uint32_t trials;     /* attempts so far ... */
    uint32_t enclosed;   /* ... when b came to be known; 0: it is not */
    int shifted;         /* it is located, and is to be passed */
};

struct tt_policy_evidence {
    double t0, t1;
    const double *v0, *v1; /* watched ports, right at t0 and left at t1 */
    const struct tt_policy_inside *inside; /* NULL: nothing is known */
    const double *d1, *dd1; /* their derivatives at t1 where units gave them,
                               NaN elsewhere; NULL: none */
    const struct tt_policy_estimate *estimates;
    uint32_t n_estimates;
    enum tt_policy_outcome outcome;
    double reached; /* the least over units; t0 or before: unknown */
    int can_roll_back;
    int scout; /* only what crossings depend on made this attempt: it never
                  stands */
    struct tt_policy_hunt *hunt; /* one per member, zeroed before the first
                                    attempt at a step; NULL: crossings are not
                                    located. Judging fills it in */
};

enum tt_policy_verdict {
    TT_POLICY_ACCEPT,
    TT_POLICY_ACCEPT_WARN, /* should be shorter, but cannot: see reason */
    TT_POLICY_RETRY,       /* roll back and try h */
    TT_POLICY_GIVE_UP,     /* no length will do */
};

/* What is wrong with the step. */
enum tt_policy_reason {
    TT_POLICY_FINE,
    TT_POLICY_NAN,         /* a watched value is not finite, an error is NaN */
    TT_POLICY_ZERO_LENGTH, /* t1 is not after t0 */
    TT_POLICY_UNIT,        /* a unit refused or returned early, or units do
                              not agree */
    TT_POLICY_CROSSED,     /* a crossing farther than abstol from both ends */
    TT_POLICY_DIFFERENCE,  /* a difference above tolerance */
    TT_POLICY_ERR,         /* an error estimate above 1 */
    TT_POLICY_ZENO,        /* smallest steps without end */
    TT_POLICY_LOCATING,    /* a crossing between `value` and `limit`; this retry
                              may be the longer one */
};

struct tt_policy_ruling {
    enum tt_policy_verdict verdict;
    enum tt_policy_reason reason;
    uint32_t by;         /* what objects most; a member or an own reason */
    int at_min;          /* WARN, GIVE_UP: cannot be reduced further (else:
                            cannot roll back) */
    double h, t1;        /* RETRY: the next length, and where it ends */
    int exact;           /* a unit named that end */
    int scout;           /* LOCATING: what is looked for is not found yet, and
                            crossings are all that the attempt is for */
    double value, limit; /* what was measured against what, for words */
};

/* Pure, but for the hunt. Of several objections the one with the shortest retry
 * is reported; units' outcomes come first, then values that are no numbers,
 * then policies. A step that cannot be rolled back or shortened is accepted
 * with a warning, but never with values that are no numbers. */
struct tt_policy_ruling tt_policy_judge(const struct tt_policy *p,
                                        const struct tt_policy_evidence *ev);
struct tt_policy_step tt_policy_retry(struct tt_policy *p,
                                      const struct tt_policy_ruling *r,
                                      const struct tt_policy_ask *ask);
/* The step of the evidence stands: after ACCEPT or ACCEPT_WARN. t1 is where the
 * run continues, also when a unit without rollback stopped earlier. */
void tt_policy_commit(struct tt_policy *p, const struct tt_policy_evidence *ev,
                      const struct tt_policy_ruling *r);

/* Of a member that locates: what was found so far, and in the step committed
 * last. A crossing that was not located is late: by how much follows from the
 * line between the ends of its step. */
struct tt_policy_crossings {
    int silent; /* they count no more */
    int fired;  /* in the last step: 1 upwards, -1 downwards, 0 not */
    uint64_t n, n_late;
    uint64_t trials;    /* attempts that were taken back */
    double at;          /* the last one, ... */
    double interval;    /* ... s: since the one before, or the start */
    double error, late; /* ... s: how well it is known, and its delay */
    double error_most, late_most, late_sum;
};
struct tt_policy_crossings tt_policy_crossed(const struct tt_policy *p,
                                             uint32_t i);
/* Its crossings count no more. */
void tt_policy_silence(struct tt_policy *p, uint32_t i);

/* One sentence on a ruling other than plain acceptance. Returns the length, as
 * snprintf does. */
size_t tt_policy_explain(const struct tt_policy *p,
                         const struct tt_policy_ruling *r,
                         const struct tt_policy_evidence *ev, char *out,
                         size_t size);

/* --- instants ---------------------------------------------------------- */

/* Instants closer than this are one: max(4 ulp(t), 1e-9 min). */
static inline double tt_policy_instant_tol(double t, double min)
{
    double size = fabs(t), next, rounding, least = 1e-9 * min;
    uint64_t bits;

    memcpy(&bits, &size, sizeof(bits));
    bits++; /* the double behind, as nextafter() has it, without a call */
    memcpy(&next, &bits, sizeof(next));
    rounding = 4 * (next - size);
    return rounding > least ? rounding : least;
}

#endif
