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

static const struct tt_sc_script *script_of(const tt_run *r)
{
    return r->script ? r->scenario->script : NULL;
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    (void)err;
    *wanted = !r->guest && r->scenario->script != NULL;
    if (*wanted)
        run_reserve(r, TT_REGION_STEP, "script",
                    r->scenario->script->n_action * sizeof(*r->script),
                    &r->script);
    return TT_OK;
}

static void report(tt_run *r, const struct tt_sc_cue *c, uint32_t action)
{
    const struct tt_sc_script *s = r->scenario->script;
    struct tt_text text = {0};
    struct tt_run_event e = {.at = {r->agenda->t, run_microstep(r)},
                             .instance = r->plan->unit[s->unit].name,
                             .port = c->name,
                             .type = TT_TEXT,
                             .value = &text};

    r->script[action].last = r->agenda->t;
    if (!r->opts.event_cb || r->replaying || r->order)
        return;
    (void)tt_text_set(&text, s->action[action].label);
    r->opts.event_cb(r->opts.event_ctx, &e);
}

void run_report_script(tt_run *r)
{
    const struct tt_sc_script *s = script_of(r);
    const int32_t *done =
        s ? tt_part_value(r->part, r->plan->script_slot) : NULL;

    for (uint32_t i = 0; s && i < s->n_cue; i++)
        for (uint32_t k = s->cue[i].first; k < s->cue[i].first + s->cue[i].n;
             k++)
            if (done[k] != r->script[k].seen) {
                r->script[k].seen = done[k];
                report(r, &s->cue[i], k);
            }
}

/* --- the end -------------------------------------------------------------- */

/* The action that stopped the run, or TT_NONE. */
static uint32_t stopper(const tt_run *r)
{
    const struct tt_sc_script *s = script_of(r);

    for (uint32_t i = 0; s && i < s->n_action; i++)
        if (s->action[i].act == TT_SC_ACT_STOP && r->script[i].seen)
            return i;
    return TT_NONE;
}

int tt_run_verdict(const tt_run *r, struct tt_run_verdict *v)
{
    static const char *const word[] = {"pass", "fail", "end"};
    uint32_t i = stopper(r);
    const struct tt_sc_script *s = script_of(r);
    uint32_t c = 0;

    if (i == TT_NONE)
        return 0;
    while (i - s->cue[c].first >= s->cue[c].n)
        c++;
    *v = (struct tt_run_verdict){.word = word[s->action[i].which],
                                 .failed = s->action[i].which == TT_SC_FAIL,
                                 .because = s->action[i].value,
                                 .entry = s->cue[c].name,
                                 .t = r->script[i].last};
    return 1;
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
    return script_of(r) ? r->scenario->script->n_cue : 0;
}

struct tt_run_cue tt_run_cue(const tt_run *r, uint32_t i)
{
    const struct tt_sc_cue *c = &r->scenario->script->cue[i];
    struct tt_run_cue out = {.name = c->name, .ends = c->ends};

    for (uint32_t k = c->first; k < c->first + c->n; k++)
        if (r->script[k].seen > 0 && (uint64_t)r->script[k].seen >= out.n) {
            out.n = (uint64_t)r->script[k].seen;
            out.last = r->script[k].last;
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
