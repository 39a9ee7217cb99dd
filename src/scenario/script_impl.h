/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_SCRIPT_IMPL_H
#define TT_SCENARIO_SCRIPT_IMPL_H

/* A script under construction. Lists grow on the heap, and move into the
 * scenario at the end. */

#include "scenario/build_impl.h"

struct script_draft {
    struct tt_sc_build *b;
    struct tt_sc_script s; /* its counts */
    struct tt_sc_cue *cue;
    size_t cap_cue;
    struct tt_sc_action *action;
    size_t cap_action;
    struct tt_sc_fault *fault;
    size_t cap_fault;
    struct tt_sc_gate *gate;
    size_t cap_gate;
    struct tt_sc_sleeper *sleeper;
    size_t cap_sleeper;
};

/* script_gates.c: the instance that decides; behind it all others. */
enum tt_code script_begin(struct script_draft *d, const struct tt_doc *field);
/* A connection more. */
enum tt_code script_connect(struct script_draft *d, struct tt_sc_ref from,
                            struct tt_sc_ref to);
/* The gate of a variable, which comes to be. */
enum tt_code script_gate(struct script_draft *d, struct tt_sc_word ref,
                         uint32_t *gate);
/* Its number among those a gate can follow, from 1 on. */
enum tt_code script_source(struct script_draft *d, uint32_t gate,
                           struct tt_sc_word from, uint32_t *number);
/* Variables of an expression for the one that decides (TT_NONE), or a gate. */
enum tt_code script_variables(struct script_draft *d, uint32_t gate,
                              const struct tt_doc *v, const tt_expr *e);
/* "{gate1}.gate.y" for that one, too. */
enum tt_code script_watch(struct script_draft *d, uint32_t gate,
                          const struct tt_doc *v, const char **name);
/* One more condition is located: where it begins to hold, or also where it
 * ends, its instance lets the one that decides take part. */
enum tt_code script_locate(struct script_draft *d, const struct tt_doc *when,
                           int ends);
/* Into the scenario, if all went well; the draft is gone. */
enum tt_code script_end(struct script_draft *d, enum tt_code rc);

enum tt_code script_add(struct script_draft *d, const struct tt_sc_action *a);
/* script.c: a number, a boolean or an expression, as a text; variables are
 * those of the one that decides (TT_NONE), or of a gate. Four texts as one. */
enum tt_code script_value(struct script_draft *d, const struct tt_doc *v,
                          uint32_t gate, const char **text);
const char *script_label(struct script_draft *d, const char *front,
                         const char *name, const char *between,
                         const char *text);

/* script.c: a condition, which is located; an output, with inputs that follow
 * it; one more cue. */
enum tt_code script_condition(struct script_draft *d, const struct tt_doc *v,
                              int ends, const char **text);
enum tt_code script_do_connect(struct script_draft *d, const struct tt_doc *v);
enum tt_code script_cue(struct script_draft *d, const struct tt_sc_cue *c);
/* An override of a gate, by a text. */
enum tt_code script_fault(struct script_draft *d, uint32_t gate,
                          const struct tt_doc *v);

/* The variable of what feeds an input; of a gate before it the one without
 * faults. */
const char *script_unfaulted(const struct script_draft *d,
                             const struct tt_sc_ref *from);

/* script_switch.c: the number of an instance among those that sleep; an
 * instance in place of another one. */
enum tt_code script_sleeper(struct script_draft *d, uint32_t unit, int awake,
                            uint32_t *out);
enum tt_code script_switch(struct script_draft *d, const struct tt_doc *v,
                           const struct tt_doc *action);

#endif
