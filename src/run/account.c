/* SPDX-License-Identifier: MIT */
/* What became of the steps: their lengths, how many were rolled back, and what
 * limited them when. */
#include <stdio.h>

#include "base/num.h"
#include "run/vary_impl.h"

struct tt_run_steps tt_run_step_account(const tt_run *r)
{
    const struct tt_vary *v = r->vary;
    struct tt_run_steps a = {.least = r->plan->step, .most = r->plan->step};

    if (!v)
        return a;
    a.variable = r->plan->variable;
    a.rejected = v->count->rejected;
    a.doubled = v->count->doubled;
    if (!a.variable)
        return a;
    a.least = run_steps(r) ? v->count->least : 0;
    a.most = v->count->most;
    return a;
}

struct tt_run_error tt_run_error(const tt_run *r)
{
    const struct tt_vary *v = r->vary;
    struct tt_run_error e = {.estimated = r->error && v && run_steps(r)};

    if (!e.estimated)
        return e;
    e.largest = v->count->worst;
    e.mean = v->count->sum / (double)run_steps(r);
    return e;
}

void tt_run_step_text(const tt_run *r, struct tt_buf *out)
{
    struct tt_run_steps a = tt_run_step_account(r);
    char least[TT_NUM_MAX], most[TT_NUM_MAX];

    tt_num_print_digits(least, a.least, 6);
    tt_num_print_digits(most, a.most, 6);
    if (a.variable)
        tt_buf_fmt(out, "variable step %s to %s s", least, most);
    else if (r->plan->by_events)
        tt_buf_str(out, "steps from event to event");
    else
        tt_buf_fmt(out, "fixed step %s s", least);
    if (a.variable || a.rejected)
        tt_buf_fmt(out, ", %llu rejected", (unsigned long long)a.rejected);
    if (a.doubled)
        tt_buf_fmt(out, ", %llu doubled", (unsigned long long)a.doubled);
}

/* " (t=0.1 to 5)": when it limited steps. */
static void when_text(const struct when *w, uint64_t limited, char *out,
                      size_t size)
{
    char first[TT_NUM_MAX], last[TT_NUM_MAX];

    *out = '\0';
    tt_num_print_digits(first, w->first, 6);
    tt_num_print_digits(last, w->last, 6);
    if (limited == 1)
        snprintf(out, size, " (t=%s)", first);
    else if (limited)
        snprintf(out, size, " (t=%s to %s)", first, last);
}

/* A proof about steps of the grid does not cover the others. */
static void put_off_grid(tt_run *r, uint32_t i, const struct tt_policy_count *c)
{
    if (i < r->plan->n_constraint && r->scenario->constraint[i].grid)
        run_note(r, "steps", "%s: %llu of %llu are not of the grid of lengths",
                 tt_policy_name(r->vary->policy, i),
                 (unsigned long long)c->off_grid,
                 (unsigned long long)run_steps(r));
}

/* What limited how many steps and when, as notes for the report. */
void run_vary_report(tt_run *r)
{
    const struct tt_policy *p = r->vary->policy;
    uint32_t n = tt_policy_members(p) + TT_POLICY_OWN_COUNT;

    for (uint32_t i = 0; i < n; i++) {
        struct tt_policy_count c = tt_policy_counts(p, i);
        char more[128] = "", above[80] = "", when[128];

        if (!c.limited && !c.rejected && !c.warned)
            continue;
        when_text(&r->vary->count->when[i], c.limited, when, sizeof(when));
        if (c.rejected || c.warned)
            snprintf(more, sizeof(more),
                     ", rejected %llu, let %llu pass because it had to",
                     (unsigned long long)c.rejected,
                     (unsigned long long)c.warned);
        if (c.above)
            snprintf(above, sizeof(above),
                     ", let %llu above the tolerance stand",
                     (unsigned long long)c.above);
        put_off_grid(r, i, &c);
        run_note(r, "steps", "%s: limited %llu%s%s%s", tt_policy_name(p, i),
                 (unsigned long long)c.limited, when, more, above);
    }
    run_locate_report(r);
}
