/* SPDX-License-Identifier: MIT */
/* Budgets of partitions: how long each may run, on the clock of a paced run. */
#include "base/hooks.h"
#include "base/mem.h"
#include "base/num.h"
#include "player/event.h"
#include "run/run_impl.h"

/* What a partition took, one per budget of the plan. */
struct used {
    uint64_t runs, over;
    double worst, worst_t; /* s: the longest that was over, and when */
};

struct tt_budgets {
    struct tt_event_clock clock;
    struct tt_run_clock time;
    struct used *used;
};

static uint64_t now(void *ctx)
{
    const tt_run *r = ctx;

    return r->budgets->time.now_cb(r->budgets->time.ctx);
}

static const struct tt_port *port_of(const tt_run *r,
                                     const struct tt_plan_budget *b)
{
    return &r->plan->unit[b->unit].desc->port[b->port];
}

static enum tt_code stop(const tt_run *r, const struct tt_plan_budget *b,
                         double took, tt_err *err)
{
    char s[TT_NUM_MAX], most[TT_NUM_MAX], t[TT_NUM_MAX];

    tt_num_print_digits(s, took, 3);
    tt_num_print_short(most, b->seconds);
    tt_num_print_digits(t, r->agenda->t, 12);
    return tt_fail(err, TT_EUNIT,
                   "overrun: the partition of clock '%s' of instance '%s' ran "
                   "for %s s at t=%s, its budget is %s s",
                   port_of(r, b)->name, r->plan->unit[b->unit].name, s, t,
                   most);
}

static enum tt_code ran(void *ctx, uint32_t unit, uint32_t port, uint64_t ns,
                        tt_err *err)
{
    tt_run *r = ctx;
    double took = (double)ns * 1e-9;

    for (uint32_t i = 0; i < r->plan->n_budget; i++) {
        const struct tt_plan_budget *b = &r->plan->budget[i];
        struct used *u = &r->budgets->used[i];

        if (b->unit != unit || b->port != port)
            continue;
        u->runs++;
        if (took <= b->seconds)
            continue;
        u->over++;
        if (took > u->worst) {
            u->worst = took;
            u->worst_t = r->agenda->t;
        }
        if (r->scenario->real_time.overrun == TT_OVERRUN_STOP)
            return stop(r, b, took, err);
    }
    return TT_OK;
}

/* Of units of other ranks the time is theirs. */
static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    if (!r->plan->n_budget || !run_is_paced(r) || r->opts.link)
        return TT_OK;
    *wanted = 1;
    if (!RUN_NEW(r, r->budgets, 1) ||
        !RUN_NEW(r, r->budgets->used, r->plan->n_budget))
        return run_nomem(err);
    r->budgets->time = run_clock(r);
    r->budgets->clock =
        (struct tt_event_clock){.ctx = r, .now_cb = now, .ran_cb = ran};
    return TT_OK;
}

static void begun(tt_run *r)
{
    tt_part_event_clock(r->part, &r->budgets->clock);
}

uint64_t run_over_budget(const tt_run *r)
{
    uint64_t over = 0;

    for (uint32_t i = 0; r->budgets && i < r->plan->n_budget; i++)
        over += r->budgets->used[i].over;
    return over;
}

static void report(const tt_run *r, uint32_t i)
{
    const struct tt_plan_budget *b = &r->plan->budget[i];
    const struct used *u = &r->budgets->used[i];
    char most[TT_NUM_MAX], worst[TT_NUM_MAX], t[TT_NUM_MAX];

    tt_num_print_short(most, b->seconds);
    tt_num_print_digits(worst, u->worst, 3);
    tt_num_print_digits(t, u->worst_t, 12);
    tt_log(r->opts.log, TT_LOG_WARN,
           "the partition of clock '%s' of instance '%s' was over its budget "
           "of %s s in %llu of %llu runs, with %s s at worst, at t=%s",
           port_of(r, b)->name, r->plan->unit[b->unit].name, most,
           (unsigned long long)u->over, (unsigned long long)u->runs, worst, t);
}

static void end(tt_run *r)
{
    for (uint32_t i = 0; i < r->plan->n_budget; i++)
        if (r->budgets->used[i].over && r->why != TT_RUN_FAILED)
            report(r, i);
}

const struct run_companion run_budget_companion = {
    TT_HOOKS(, make, begun, end),
};
