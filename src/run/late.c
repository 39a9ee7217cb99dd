/* SPDX-License-Identifier: MIT */
/* Units elsewhere whose late values are predicted: where that can be, and how
 * well they were. */
#include <math.h>

#include "base/num.h"
#include "run/margin.h"
#include "run/run_impl.h"
#include "sys/sync.h"

struct late_unit {
    const tt_run *run; /* borrowed */
    struct tt_margin margin;
};

struct run_late {
    struct tt_lock lock; /* of `waits`, and margins while units step */
    struct tt_waits waits;
    struct late_unit *unit; /* per unit of the plan */
};

/* Why not, or NULL. */
static const char *why_not(const tt_run *r, const struct tt_sc_late *l)
{
    if (r->opts.host)
        return "this scenario is an instance of another one";
    if (r->opts.link)
        return "several ranks play the scenario";
    if (!r->type[r->scenario->unit[l->unit].fmu])
        return NULL; /* which was reported */
    if (!run_is_elsewhere(r, l->unit))
        return "it lives in the process of the run, which does what it does: "
               "isolate it ('isolate', --isolate), or run it on another host";
    if (isinf(l->after) && !run_is_paced(r))
        return "without 'after' they are late when they are due, which nothing "
               "is in a run without \"realTime\"";
    return NULL;
}

enum tt_code run_check_late(tt_run *r, tt_err *err)
{
    for (uint32_t i = 0; i < r->scenario->n_late; i++) {
        const struct tt_sc_late *l = &r->scenario->late[i];
        const char *why = why_not(r, l);
        enum tt_code rc = TT_OK;

        if (why)
            rc = tt_scenario_fail(
                r->scenario, l->where, err, TT_EINPUT,
                "instance '%s': late values cannot be predicted: %s",
                r->scenario->unit[l->unit].name, why);
        if (rc != TT_OK && !tt_log_problem(r->opts.log, rc, err))
            return rc;
    }
    return TT_OK;
}

static uint64_t left(void *ctx, double t)
{
    const struct late_unit *u = ctx;

    return tt_margin_cut(&u->margin, run_time_left(u->run, t));
}

static void steps(void *ctx, int begins)
{
    struct late_unit *u = ctx;
    struct run_late *l = u->run->late;
    uint64_t now;

    if (!u->run->wait)
        return;
    tt_lock_take(&l->lock);
    now = run_wait_now(u->run);
    if (begins) {
        tt_waits_begin(&l->waits, now);
    } else {
        tt_waits_end(&l->waits, now);
        tt_margin_stepped(&u->margin, &l->waits, now);
    }
    tt_lock_give(&l->lock);
}

void run_late_ready(tt_run *r, uint64_t now)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        tt_margin_ready(&r->late->unit[u].margin, &r->late->waits, now);
}

struct tt_late_how run_late_how(const tt_run *r, uint32_t u)
{
    const struct tt_sc_late *l = r->plan->unit[u].late;

    return (struct tt_late_how){.after = l->after,
                                .most = l->most,
                                .end = r->experiment.end,
                                .consistent = r->plan->unit[u].consistent,
                                .left_cb = left,
                                .steps_cb = steps,
                                .ctx = &r->late->unit[u]};
}

struct tt_run_late tt_run_late(const tt_run *r)
{
    struct tt_run_late all = {.unit = TT_NONE};
    double worst = -1;

    for (uint32_t u = 0; r->unit && u < r->plan->n_unit; u++) {
        const struct tt_late_stats *s =
            r->plan->unit[u].late ? tt_late_stats(r->unit[u]) : NULL;

        if (!s)
            continue;
        all.n++;
        all.steps += s->steps;
        all.predicted += s->predicted;
        all.waits += s->waits;
        if (s->error >= 0 && s->error / s->nominal > worst) {
            worst = s->error / s->nominal;
            all.unit = u;
            all.worst = *s;
        }
    }
    return all;
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    if (!r->scenario->n_late)
        return TT_OK;
    *wanted = 1;
    if (!RUN_NEW(r, r->late, 1))
        return run_nomem(err);
    tt_lock_init(&r->late->lock);
    if (!RUN_NEW(r, r->late->unit, r->plan->n_unit + 1))
        return run_nomem(err);
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        r->late->unit[u].run = r;
    return TT_OK;
}

static void release(tt_run *r)
{
    if (r->late)
        tt_lock_fini(&r->late->lock);
}

/* "y[2]" */
static void put_variable(const tt_unit *u, const struct tt_late_stats *s,
                         struct tt_buf *b)
{
    const struct tt_port *p = &u->desc->port[s->port];

    tt_buf_str(b, p->name);
    if (p->n > 1)
        tt_buf_fmt(b, "[%u]", s->element + 1);
}

static void put_error(const tt_unit *u, const struct tt_late_stats *s,
                      struct tt_buf *b)
{
    char error[TT_NUM_MAX], t[TT_NUM_MAX];

    tt_num_print_digits(error, s->error, 3);
    tt_num_print_digits(t, s->t, 12);
    tt_buf_str(b, "; ");
    put_variable(u, s, b);
    tt_buf_fmt(b, " was off by %s at most, at t=%s", error, t);
}

static void note(tt_run *r, uint32_t u)
{
    const struct tt_late_stats *s = tt_late_stats(r->unit[u]);
    struct tt_buf b;

    tt_buf_init(&b, TT_ERR_MAX);
    tt_buf_fmt(&b, "%s: %llu of %llu steps were predicted",
               r->plan->unit[u].name, (unsigned long long)s->predicted,
               (unsigned long long)s->steps);
    if (s->predicted)
        tt_buf_fmt(&b, ", %u of them at one time", s->most);
    if (s->error >= 0)
        put_error(r->unit[u], s, &b);
    if (s->held)
        tt_buf_fmt(&b, "; in %llu a value that was held was another one",
                   (unsigned long long)s->held);
    if (s->waits)
        tt_buf_fmt(&b, "; %llu were waited for, since too many were owed",
                   (unsigned long long)s->waits);
    if (!b.failed)
        run_note(r, "late", "%s", b.data);
    tt_buf_fini(&b);
}

/* As they end, units make the steps they owe. */
static void ended(tt_run *r)
{
    for (uint32_t u = 0; r->unit && u < r->plan->n_unit; u++)
        if (r->plan->unit[u].late && tt_late_stats(r->unit[u]))
            note(r, u);
}

const struct run_companion run_late_companion = {
    .make = make, .ended = ended, .free = release};
