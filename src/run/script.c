/* SPDX-License-Identifier: MIT */
/* What a script has done: reported as events, counted, and the verdict by which
 * it ended the run. All is read from how often each action was done, which is a
 * value like others; what was reported is in the frame. */
#include <stdio.h>

#include "base/num.h"
#include "run/run_impl.h"

/* Of an action, in the frame. */
struct tt_script_log {
    int32_t seen;
    double last; /* when it was done last */
};

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    (void)err;
    *wanted = !r->guest && r->plan->n_deed > 0;
    if (*wanted)
        run_reserve(r, TT_REGION_STEP, "script",
                    r->plan->n_deed * sizeof(*r->script), &r->script);
    return TT_OK;
}

static uint32_t n_deed(const tt_run *r)
{
    return r->script ? r->plan->n_deed : 0;
}

static void report(tt_run *r, uint32_t action)
{
    const struct tt_plan_deed *a = &r->plan->deed[action];
    struct tt_text text = {0};
    struct tt_run_event e = {.at = {r->agenda->t, run_microstep(r)},
                             .instance = a->instance,
                             .port = a->is.entry,
                             .type = TT_TEXT,
                             .value = &text};

    r->script[action].last = r->agenda->t;
    if (!r->opts.event_cb || r->replaying || r->order)
        return;
    (void)tt_text_set(&text, a->is.label);
    r->opts.event_cb(r->opts.event_ctx, &e);
}

void run_report_script(tt_run *r)
{
    for (uint32_t i = 0; i < n_deed(r); i++) {
        const struct tt_plan_deed *a = &r->plan->deed[i];
        const int32_t *done = tt_part_value(r->part, a->slot);

        if (done[a->element] == r->script[i].seen)
            continue;
        r->script[i].seen = done[a->element];
        report(r, i);
    }
}

/* --- the end -------------------------------------------------------------- */

int tt_run_verdict(const tt_run *r, struct tt_run_verdict *v)
{
    for (uint32_t i = 0; i < n_deed(r); i++) {
        const struct tt_plan_deed *a = &r->plan->deed[i];
        struct tt_deed_stop stop;

        if (!r->script[i].seen || !tt_deed_stops(a->is.label, &stop))
            continue;
        *v = (struct tt_run_verdict){.word = stop.word,
                                     .failed = stop.failed,
                                     .because = stop.because,
                                     .entry = a->is.entry,
                                     .t = r->script[i].last};
        return 1;
    }
    return 0;
}

int run_script_end(tt_run *r)
{
    struct tt_run_verdict v;
    char t[TT_NUM_MAX];

    run_report_script(r);
    if (!tt_run_verdict(r, &v))
        return 0;
    tt_num_print_short(t, v.t);
    r->why = TT_RUN_TERMINATED;
    (void)snprintf(r->sentence, sizeof(r->sentence),
                   "stopped by the script ('%s') at t=%s s: %s%s%s", v.entry, t,
                   v.word, v.because ? ", " : "", v.because ? v.because : "");
    return 1;
}

uint32_t tt_run_cues(const tt_run *r)
{
    return n_deed(r) ? r->plan->deed[r->plan->n_deed - 1].is.cue + 1 : 0;
}

struct tt_run_cue tt_run_cue(const tt_run *r, uint32_t i)
{
    struct tt_run_cue out = {0};

    for (uint32_t k = 0; k < n_deed(r); k++) {
        const struct tt_deed *a = &r->plan->deed[k].is;

        if (a->cue != i)
            continue;
        out.name = a->entry;
        out.ends = a->ends;
        if (r->script[k].seen > 0 && (uint64_t)r->script[k].seen >= out.n) {
            out.n = (uint64_t)r->script[k].seen;
            out.last = r->script[k].last;
        }
    }
    return out;
}

static void end(tt_run *r)
{
    for (uint32_t i = 0; i < tt_run_cues(r); i++) {
        struct tt_run_cue c = tt_run_cue(r, i);
        char t[TT_NUM_MAX];

        tt_num_print_short(t, c.last);
        if (c.n)
            run_note(r, "script", "'%s'%s: %llu time%s, last at t=%s", c.name,
                     c.ends ? " ends" : "", (unsigned long long)c.n,
                     c.n == 1 ? "" : "s", t);
        else
            run_note(r, "script", "'%s'%s: never", c.name,
                     c.ends ? " ends" : "");
    }
}

const struct run_companion run_script_companion = {
    .make = make, .stands = run_report_script, .end = end};
