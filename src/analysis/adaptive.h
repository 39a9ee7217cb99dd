/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_ADAPTIVE_H
#define TT_ANALYSIS_ADAPTIVE_H

/* Which words of a scenario's policies are stable, however a run switches among
 * them: the matrix of one macro step of each, over the states, an automaton of
 * all words, and what is left of it. */

#include "analysis/admissible.h"
#include "analysis/bounds.h"
#include "analysis/case.h"
#include "base/buf.h"

#define TT_POLICIES_MOST 32u

struct tt_adaptive_policy {
    char name[80];
    double step, rho;
};

struct tt_adaptive {
    char name[200];
    struct tt_adaptive_policy policy[TT_POLICIES_MOST];
    uint32_t n_policy;
    uint64_t plan;  /* a hash of what was analysed */
    uint64_t stamp; /* tt_run_policies_hash of the scenario */
    double *a;      /* owned: the matrices, by columns */
    struct tt_matrices m;
    tt_automaton automaton; /* owned */
    struct tt_admissible is;
    int bounded; /* the joint spectral radius of all policies was asked for */
    struct tt_bounds bounds; /* owned */
    double seconds;          /* that it took */
    char reason[TT_ERR_MAX]; /* why nothing is known; "": it is */
};

TT_NODISCARD enum tt_code tt_adaptive_find(struct tt_adaptive *out,
                                           const struct tt_case *c,
                                           uint32_t lift, int bounded,
                                           tt_err *err);
void tt_adaptive_fini(struct tt_adaptive *a); /* zeroed is fine */

void tt_adaptive_text(struct tt_buf *b, const struct tt_adaptive *a);
void tt_adaptive_json(struct tt_buf *b, const struct tt_adaptive *a);

#endif
