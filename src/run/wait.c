/* SPDX-License-Identifier: MIT */
/* A paced run: after each step it waits until the instant reached is due. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/run_impl.h"
#include "sys/clock.h"
#include "sys/sched.h"

/* The longest we sleep without looking whether a stop is wanted. */
#define SLICE_NS UINT64_C(50000000)

struct tt_wait {
    struct tt_pace pace;
    struct tt_run_clock clock;
    uint64_t *spent; /* time in each unit, and our own, one step ago */
    uint64_t paused; /* ns: since then */
    struct tt_sched was;
    int fifo; /* `was` is to be brought back */
};

/* --- the system's clock ----------------------------------------------------
 */

static uint64_t system_now(void *ctx)
{
    (void)ctx;
    return tt_clock_ns();
}

static void system_sleep(void *ctx, uint64_t until)
{
    (void)ctx;
    tt_clock_sleep_until(until);
}

static const struct tt_run_clock system_clock = {.now_cb = system_now,
                                                 .sleep_cb = system_sleep};

/* --- begin and end ---------------------------------------------------------
 */

/* With other ranks those follow the one that waits. */
int run_is_paced(const tt_run *r)
{
    return r->scenario->real_time.factor > 0 && !r->scenario->inside &&
           !(r->opts.link && r->opts.link->rank);
}

struct tt_run_clock run_clock(const tt_run *r)
{
    return r->opts.clock ? *r->opts.clock : system_clock;
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    if (!run_is_paced(r))
        return TT_OK;
    *wanted = 1;
    if (!RUN_NEW(r, r->wait, 1) ||
        !RUN_NEW(r, r->wait->spent, r->plan->n_unit + 1))
        return run_nomem(err);
    r->wait->clock = run_clock(r);
    r->wait->pace.stats.factor = r->scenario->real_time.factor;
    return TT_OK;
}

/* Other programs should not make us late. Most users may not ask for that,
 * and most runs do not need it: a note is enough. */
static void go_first(tt_run *r)
{
    struct tt_wait *w = r->wait;
    tt_err err;

    if (r->opts.clock)
        return; /* not our time */
    w->fifo = tt_sched_fifo(&w->was, &err) == TT_OK;
    if (w->fifo)
        run_note(r, "scheduling", "before other programs (SCHED_FIFO)");
    else
        run_note(r, "scheduling",
                 "like any program: the system refused SCHED_FIFO (%s)",
                 err.msg);
}

static void begun(tt_run *r)
{
    const struct tt_sc_real_time *o = &r->scenario->real_time;
    struct tt_wait *w = r->wait;

    go_first(r);
    tt_pace_start(&w->pace, o->factor, o->tolerance, r->agenda->t,
                  w->clock.now_cb(w->clock.ctx));
}

/* "3 of 50 steps late, by 0.02 s on average and 0.1 s at worst, at t=1.2" */
static void put_lateness(const struct tt_pace_stats *s, struct tt_buf *out)
{
    char mean[TT_NUM_MAX], worst[TT_NUM_MAX], t[TT_NUM_MAX];

    if (!s->overruns) {
        tt_buf_str(out, "no step was late");
        return;
    }
    tt_num_print_digits(mean, tt_pace_mean(s), 3);
    tt_num_print_digits(worst, s->worst, 3);
    tt_num_print_digits(t, s->worst_t, 12);
    tt_buf_fmt(out,
               "%llu of %llu step%s late, by %s s on average and %s s at "
               "worst, at t=%s",
               (unsigned long long)s->overruns, (unsigned long long)s->steps,
               s->steps == 1 ? "" : "s", mean, worst, t);
}

int tt_run_pace_text(const tt_run *r, struct tt_buf *out)
{
    char factor[TT_NUM_MAX];

    if (!r->wait)
        return 0;
    tt_num_print_short(factor, r->wait->pace.stats.factor);
    tt_buf_fmt(out, "factor %s", factor);
    if (r->wait->pace.stats.steps) {
        tt_buf_str(out, ": ");
        put_lateness(&r->wait->pace.stats, out);
    }
    if (run_over_budget(r))
        tt_buf_fmt(out, "; %llu runs of partitions over their budgets",
                   (unsigned long long)run_over_budget(r));
    return 1;
}

static void end(tt_run *r)
{
    const struct tt_pace_stats *s = &r->wait->pace.stats;
    struct tt_buf words;

    if (r->wait->fifo)
        tt_sched_restore(&r->wait->was);
    r->wait->fifo = 0;
    if (!s->overruns || r->why == TT_RUN_FAILED)
        return;
    tt_buf_init(&words, 4096);
    put_lateness(s, &words);
    if (!words.failed)
        tt_log(r->opts.log, TT_LOG_WARN, "not in real time: %s", words.data);
    tt_buf_fini(&words);
}

struct tt_pace_stats tt_run_pace(const tt_run *r)
{
    return r->wait ? r->wait->pace.stats : (struct tt_pace_stats){0};
}

void tt_run_pause(tt_run *r)
{
    if (r->wait)
        r->wait->paused = r->wait->clock.now_cb(r->wait->clock.ctx);
}

void tt_run_resume(tt_run *r)
{
    struct tt_wait *w = r->wait;

    if (w)
        w->pace.wall_start += w->clock.now_cb(w->clock.ctx) - w->paused;
}

enum tt_code tt_run_set_pace(tt_run *r, double factor, tt_err *err)
{
    if (!r->wait)
        return tt_fail(err, TT_ESTATE,
                       "the run is not paced: it begins with --real-time");
    tt_pace_change(&r->wait->pace, factor, r->agenda->t);
    return TT_OK;
}

/* --- after a step -----------------------------------------------------------
 */

static int wants_stop(const tt_run *r)
{
    return r->why != TT_RUN_NOT_ENDED || (r->opts.stop && *r->opts.stop);
}

uint64_t run_wait_now(const tt_run *r)
{
    return r->wait->clock.now_cb(r->wait->clock.ctx);
}

uint64_t run_time_left(const tt_run *r, double t)
{
    uint64_t due, now;

    if (!r->wait || r->wait->pace.ns_per_s == 0.0) /* or not begun */
        return UINT64_MAX;
    due = tt_pace_deadline(&r->wait->pace, t);
    now = run_wait_now(r);
    return due > now ? due - now : 0;
}

static void sleep_until(tt_run *r, uint64_t due)
{
    const struct tt_run_clock *c = &r->wait->clock;
    uint64_t now;

    tt_activity_clear(r->activity);
    while (!wants_stop(r) && (now = c->now_cb(c->ctx)) < due)
        c->sleep_cb(c->ctx, due - now > SLICE_NS ? now + SLICE_NS : due);
}

/* Where most of the last step's time went: a unit, or n_unit for ourselves.
 * A paced run is timed in every step. */
static uint32_t find_dearest(const tt_run *r)
{
    uint64_t total, most = 0;
    const uint64_t *spent = tt_part_time(r->part, &total);
    uint32_t who = r->plan->n_unit;

    for (uint32_t u = 0; u <= r->plan->n_unit; u++)
        if (spent[u] - r->wait->spent[u] > most) {
            most = spent[u] - r->wait->spent[u];
            who = u;
        }
    return who;
}

static enum tt_code stop_late(const tt_run *r, tt_err *err)
{
    char t[TT_NUM_MAX], late[TT_NUM_MAX], factor[TT_NUM_MAX], who[128];
    uint32_t u = find_dearest(r);

    tt_num_print_digits(t, r->agenda->t, 12);
    tt_num_print_digits(late, r->wait->pace.stats.late, 3);
    tt_num_print_short(factor, r->wait->pace.stats.factor);
    if (u < r->plan->n_unit)
        snprintf(who, sizeof(who), "instance '%s'", r->plan->unit[u].name);
    else
        snprintf(who, sizeof(who), "Tutti itself");
    return tt_fail(err, TT_EUNIT,
                   "overrun: step %llu, to t=%s, was ready %s s after it was "
                   "due (real time, factor %s); most of its time was spent in "
                   "%s",
                   (unsigned long long)run_steps(r), t, late, factor, who);
}

static enum tt_code shown(tt_run *r, tt_err *err)
{
    struct tt_wait *w = r->wait;
    uint64_t now = run_wait_now(r), total;
    int late = tt_pace_arrive(&w->pace, r->agenda->t, now);

    if (r->late)
        run_late_ready(r, now);
    if (r->live)
        r->live->late = w->pace.stats.late;
    if (late && r->scenario->real_time.overrun == TT_OVERRUN_STOP)
        return stop_late(r, err);
    memcpy(w->spent, tt_part_time(r->part, &total),
           (r->plan->n_unit + 1) * sizeof(*w->spent));
    sleep_until(r, tt_pace_deadline(&w->pace, r->agenda->t));
    return TT_OK;
}

const struct run_companion run_wait_companion = {
    TT_HOOKS(, make, begun, shown, end)};
