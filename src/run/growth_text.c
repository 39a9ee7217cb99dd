/* SPDX-License-Identifier: MIT */
/* What a run reports of a value that explodes: how, why, and what to try. */
#include <math.h>

#include "base/num.h"
#include "run/run_impl.h"

void run_growth_put_name(const tt_run *r, const struct tt_run_growth *f,
                         struct tt_buf *out)
{
    const struct tt_port *port = tt_plan_port(r->plan, f->slot);

    tt_buf_str(out, port->name);
    if (port->n_dim)
        tt_buf_fmt(out, "[%u]", f->element + 1);
}

static void put_how(const struct tt_run_growth *f, struct tt_buf *out)
{
    char period[TT_NUM_MAX];

    if (f->angle > 3) {
        tt_buf_str(out, ", changing sign from step to step");
    } else if (f->angle > 0) {
        tt_num_print_digits(period, 2 * acos(-1) / f->angle, 2);
        tt_buf_fmt(out, ", swinging with a period of %s steps", period);
    }
}

static int can_repeat(const tt_run *r)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (!r->plan->unit[u].desc->caps.save)
            return 0;
    return 1;
}

/* What may help, of what was not taken already. */
static void put_remedies(const tt_run *r, struct tt_buf *out)
{
    const tt_scenario *s = r->plan->scenario;
    int repeats = s->iteration.turns || s->iteration.converged;

    if (r->opts.host) { /* options of the command line are the host's */
        tt_buf_fmt(out,
                   "; try a smaller step or another master in the "
                   "scenario of '%s'",
                   r->opts.host->name);
        return;
    }
    tt_buf_str(out, "; try a smaller step");
    if (!repeats && s->master == TT_MASTER_JACOBI)
        tt_buf_str(out, ", --master gauss-seidel");
    if (!repeats && r->plan->n_course)
        tt_buf_str(out, ", --approximation hold");
    if (!s->iteration.converged && can_repeat(r))
        tt_buf_str(out, ", --iterate converged --acceleration newton "
                        "--approximation linear");
    else if (repeats && !r->plan->n_course)
        tt_buf_str(out, ", --approximation linear");
}

static void put_why(const tt_run *r, const struct tt_run_growth *f,
                    struct tt_buf *out)
{
    if (f->cause == TT_GROWTH_LOOP) {
        tt_buf_str(out, ": it is on the loop of feed-through that is cut, not "
                        "solved");
        return;
    }
    if (f->cause == TT_GROWTH_COUPLING)
        tt_buf_str(out, ": the coupling is too stiff for this master and step");
    else
        tt_buf_str(out,
                   ": that is the model itself, or the coupling; if it grows "
                   "as fast in time with half the step, it is the model");
    put_remedies(r, out);
}

/* What it declares: "0 to 10", "up to 10", "a nominal value of 1e3". */
static void put_range(const struct tt_port *p, struct tt_buf *out)
{
    char low[TT_NUM_MAX], high[TT_NUM_MAX], nominal[TT_NUM_MAX];

    tt_num_print_short(low, p->min);
    tt_num_print_short(high, p->max);
    tt_num_print_short(nominal, p->nominal);
    if (isfinite(p->min) && isfinite(p->max))
        tt_buf_fmt(out, "%s to %s", low, high);
    else if (isfinite(p->max))
        tt_buf_fmt(out, "at most %s", high);
    else if (isfinite(p->min))
        tt_buf_fmt(out, "at least %s", low);
    else
        tt_buf_fmt(out, "a nominal value of %s", nominal);
}

static void put_beyond(const tt_run *r, const struct tt_run_growth *f,
                       const char *factor, const char *since,
                       struct tt_buf *out)
{
    char value[TT_NUM_MAX];

    tt_num_print_digits(value, f->value, 3);
    tt_buf_fmt(out, " is %s since t=%s, far beyond what it declares, ", value,
               since);
    put_range(tt_plan_port(r->plan, f->slot), out);
    if (f->factor > 1)
        tt_buf_fmt(out, ", growing by a factor of %s per step", factor);
    tt_buf_str(out, ": a parameter may be wrong, or the coupling");
    put_remedies(r, out);
}

void run_growth_put_text(const tt_run *r, const struct tt_run_growth *f,
                         struct tt_buf *out)
{
    char factor[TT_NUM_MAX], since[TT_NUM_MAX];

    tt_num_print_digits(factor, f->factor, 3);
    tt_num_print_digits(since, f->since, 6);
    tt_buf_fmt(out, "%s.", r->plan->unit[r->plan->slot[f->slot].unit].name);
    run_growth_put_name(r, f, out);
    if (f->cause == TT_GROWTH_RANGE) {
        put_beyond(r, f, factor, since, out);
        return;
    }
    tt_buf_fmt(out, " grows by a factor of %s per step since t=%s", factor,
               since);
    put_how(f, out);
    put_why(r, f, out);
}
