/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_TUNE_IMPL_H
#define TT_TUNE_TUNE_IMPL_H

#include "tune/tune.h"
#include "tune/way.h"

/* hints.c: what is known of the system, from three sources: hints and
 * expectations of the scenario, and ranges that instances declare. */
struct tt_tune_fact {
    const struct tt_sc_expect *given; /* NULL: a declared range ... */
    uint32_t column;                  /* ... of this one of the search */
    double low, high;
    int aside; /* the reference violates it */
};

/* What a run showed of an expectation. */
struct tt_tune_shown {
    uint32_t violated;
    double t, margin;
    char why[256];
};

#define INSTANTS   51u /* where results are compared: every step divides them */
#define STEPS_MOST 10u /* numbers of steps that are tried */

struct search {
    const struct tt_tune_opts *o;
    struct tt_tune *t;
    struct tt_tune_way way[TT_WAYS_MOST];
    int out[TT_WAYS_MOST];         /* a way that is not run any more */
    uint64_t score[TT_WAYS_MOST];  /* what it plays, at one step */
    double per_step[TT_WAYS_MOST]; /* cost; NaN: not known */
    tt_scenario *scenario;         /* of `like` */
    tt_run *like;                  /* not started: has the types */
    double start, end;             /* s: of all runs that are compared */
    struct tt_run_begin begin; /* state owned: what these begin with; no data:
                                  they are whole */
    uint32_t *column;          /* owned: those compared */
    uint8_t *discrete;         /* owned: of these */
    uint32_t n_column;
    uint32_t reference[2]; /* of tried; TT_NONE: none */
    uint32_t pair[2];      /* ways of the next references; TT_NONE: any */
    uint32_t level;        /* of steps: the next finer ones of the reference */
    uint32_t round;        /* the next one */
    uint32_t steps[STEPS_MOST], n_steps; /* those tried, ascending */
    int whole; /* only what also divides the time before `start` is tried */
    struct tt_tune_known known;
    double *low, *range;       /* owned: of the reference */
    struct tt_tune_fact *fact; /* in the arena: first those of expectations */
    uint32_t n_fact, n_expect;
    int trusts_radius; /* the model itself does not grow */
    uint64_t begun;    /* ns */
    int starved;       /* no runs or time are left */
    int closed;        /* no runs but those for the confirmation */
};

enum tt_code search_no_memory(tt_err *err);
/* begin.c: with o->warm, what all runs begin with. */
TT_NODISCARD enum tt_code search_begin(struct search *s, tt_err *err);
/* A way at (end - start) / n. */
TT_NODISCARD enum tt_code search_open(struct search *s, uint32_t way, double h,
                                      const struct tt_run_opts *o,
                                      tt_scenario **sc, tt_run **run,
                                      tt_err *err);
/* Adds a variant to be tried; its number, or TT_NONE: out of memory. */
uint32_t search_add(struct search *s, uint32_t way, uint32_t n,
                    enum tt_tune_role role);
/* Runs variants from `first` on, as far as the budget goes; those it does not
 * cover are removed. TT_ESTOPPED: asked to. */
TT_NODISCARD enum tt_code search_run(struct search *s, uint32_t first,
                                     tt_err *err);
/* Why the process of a run ended. */
void search_put_death(const struct search *s, struct tt_stage *stage,
                      const struct tt_proc_result *how,
                      char why[TT_TUNE_WORDS]);
/* hints.c: list facts, when columns are known. */
TT_NODISCARD enum tt_code search_find_facts(struct search *s, tt_err *err);
/* In a worker, behind the run: what it showed, per fact. tally: TT_TALLY_N per
 * column. */
void search_look(const struct search *s, const tt_run *run, const double *tally,
                 struct tt_tune_shown *to);
/* A variant that violates a fact is out, and states why. */
void search_hold_against(const struct search *s,
                         const struct tt_tune_shown *shown,
                         struct tt_tune_try *t);
/* The references violate a fact: it is set aside, and named. */
void search_weigh_facts(struct search *s);
/* A way that cannot be planned, or plays the same as one before it, or as
 * `like`, is cut; like == way: none is asked. */
TT_NODISCARD enum tt_code search_cut_way(struct search *s, uint32_t way,
                                         uint32_t like, tt_err *err);
/* Judges variants from `first` on, and finds the best of all. */
void search_judge(struct search *s, uint32_t first);
/* Is there a run left beside so many, and those for the confirmation? */
int search_has_room(const struct search *s, uint32_t beside);
/* grid.c: lists numbers of steps, when it is known where all begin. */
TT_NODISCARD enum tt_code search_list_steps(struct search *s, tt_err *err);
/* That of a round; 0: there are no more. */
uint32_t search_steps(const struct search *s, uint32_t round);
/* May there be so many? */
int search_fits(const struct search *s, uint32_t n);
/* variants.c: what hints lead to, into t->variant. */
TT_NODISCARD enum tt_code search_list_variants(struct search *s, tt_err *err);
/* improve.c: what differs from the best in one thing, and may cost less. */
TT_NODISCARD enum tt_code search_improve(struct search *s, tt_err *err);
/* How far two results are from each other, in ranges of the reference; NaN:
 * one has none. */
double search_distance(const struct search *s, const struct tt_tune_try *a,
                       const struct tt_tune_try *b);
/* The column by which a variant with results is farthest from the reference. */
uint32_t search_farthest(const struct search *s, const struct tt_tune_try *t);
/* How far it is after so many runs, for the user. */
void search_report(const struct search *s, uint32_t runs);
/* A sentence, for the user. */
TT_PRINTF(2, 3) void search_note(struct search *s, const char *fmt, ...);

#endif
