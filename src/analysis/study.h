/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_STUDY_H
#define TT_ANALYSIS_STUDY_H

/* What a user wants to know of a scenario's stability: the verdict, what
 * carries the dominant mode, which steps are stable, whether it is the model,
 * and what other masters would do at what cost. */

#include "analysis/gain.h"
#include "analysis/radius.h"
#include "analysis/rest.h"
#include "analysis/trend.h"
#include "base/buf.h"

#define TT_STUDY_NAME 200

/* rho over the step. */
struct tt_scan {
    double *step, *rho; /* owned; in ascending order, those that are known */
    uint32_t n;
    double largest;  /* all scanned steps up to it are stable; NaN: none */
    int beyond;      /* ... and it is the longest that was tried */
    double abscissa; /* of the model: what ever smaller steps lead to, 1/s;
                        NaN: not known */
    double abscissa_error;
};
void tt_scan_make(struct tt_scan *out, const struct tt_case *c, double step);
void tt_scan_fini(struct tt_scan *s); /* zeroed is fine */

struct tt_study_part { /* of an instance, or a connection */
    char name[2 * TT_STUDY_NAME];
    double part;            /* in the dominant mode, 0 to 1 */
    enum tt_stability held; /* of a connection: the verdict while it is held */
    double held_rho;
};

struct tt_study_state { /* of an instance, in its own unit */
    char name[2 * TT_STUDY_NAME];
    double constant; /* what each step adds */
    double rest;     /* where it comes to rest, or would if it were stable; NaN:
                        nowhere */
};

struct tt_study_row {
    struct tt_sc_options o; /* its texts are the study's and the case's */
    char options[2 * TT_STUDY_NAME]; /* for the command line */
    enum tt_stability verdict;
    double rho, step, cost;
    double largest; /* stable step; NaN: not looked for, or none */
    uint64_t plan, score;
    char reason[TT_ERR_MAX];
};

struct tt_study {
    char name[TT_STUDY_NAME];   /* of the scenario */
    char master[TT_STUDY_NAME]; /* what is played, in words */
    int placed;                 /* not at the start: at now.response.time */
    struct tt_radius now;
    struct tt_study_state *state; /* owned: the affine part of a step */
    uint32_t n_state;             /* 0: it is not known */
    double affine_residual;
    struct tt_trend trend; /* of what is not known otherwise */
    struct tt_scan scan;
    struct tt_study_part *instance, *connection; /* owned */
    uint32_t n_instance, n_connection;
    char *order;                  /* owned: instances, the last first */
    char (*rates)[TT_STUDY_NAME]; /* owned: of rows */
    int repeats;                  /* steps are iterated */
    struct tt_study_row *row;     /* owned: stable ones first, then by cost */
    uint32_t n_row;
    int gained;          /* gains were asked for */
    struct tt_gain gain; /* owned */
};

enum tt_study_wants {
    TT_STUDY_STEPS = 1 << 0,
    TT_STUDY_CONNECTIONS = 1 << 1,
    TT_STUDY_ALTERNATIVES = 1 << 2,
    TT_STUDY_ALL = 7,
    TT_STUDY_GAIN = 1 << 3, /* on demand */
    TT_STUDY_TREND = 1 << 4 /* if there is no verdict: an estimate from a run */
};

/* Fails only when there is nothing to study: the scenario is wrong. What cannot
 * be found out is a verdict with a reason. */
TT_NODISCARD enum tt_code tt_study_make(struct tt_study *out,
                                        const struct tt_case *c, unsigned wants,
                                        tt_err *err);
/* Nothing is known, and why; nothing to free. */
void tt_study_unknown(struct tt_study *out, const char *reason);
void tt_study_fini(struct tt_study *s); /* zeroed is fine */

/* s, how long the dominant mode takes to shrink (or grow) e-fold; +inf: for
 * ever. Its period in s; 0: it does not swing. */
double tt_study_time(const struct tt_radius *r);
double tt_study_period(const struct tt_radius *r);

void tt_study_text(struct tt_buf *b, const struct tt_study *s);
void tt_study_json(struct tt_buf *b, const struct tt_study *s);
/* Verdict, radius and why, as one sentence. */
void tt_study_sentence(struct tt_buf *b, const struct tt_radius *r);
/* Eigenvalues in the unit disc, and rho over the step. */
void tt_study_svg(struct tt_buf *b, const struct tt_study *s);

#endif
