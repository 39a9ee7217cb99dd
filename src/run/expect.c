/* SPDX-License-Identifier: MIT */
/* What a scenario expects of a run. It is looked at where a step stands and
 * when an event has changed values, so that attempts which are taken back and
 * turns of an iteration do not count. The first violation is warned of at
 * once, with its instant and values; a run inside a unit may yet be taken back
 * by its host, and warns in the end. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "run/run_impl.h"

/* In the frame. */
struct memory {
    enum tt_run_expects is;
    int counts;    /* what it waits for has been seen ... */
    double since;  /* ... then */
    double t;      /* of the violation, or where it held first */
    double margin; /* by how much it holds at its worst; less than 0: not */
    double inside; /* since when a value that settles is there; NaN: it is not
                    */
    double value;  /* of a number that violates it */
    int ended;     /* ... which shows in the end only */
};

struct tt_expecting {
    const void **at;       /* where the values of programs are: */
    uint32_t *what_at;     /* per expectation, the first of `what` in `at` */
    uint32_t *after_at;    /* ... and of `after` */
    char *reported;        /* per expectation, that survives a restore */
    struct memory *memory; /* in the frame, per expectation */
    double *value; /* in the frame: what variables were when it was violated */
};

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    const tt_plan *p = r->plan;
    struct tt_expecting *x;
    uint32_t n = 0;

    if (!p->n_expect)
        return TT_OK;
    if (r->opts.link)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "'expect' does not go with a run on several ranks");
    for (uint32_t i = 0; i < p->n_expect; i++)
        n += p->expect[i].what.n_ref + p->expect[i].after.n_ref;
    if (!RUN_NEW(r, x, 1) || !RUN_NEW(r, x->at, n) ||
        !RUN_NEW(r, x->what_at, p->n_expect) ||
        !RUN_NEW(r, x->after_at, p->n_expect) ||
        !RUN_NEW(r, x->reported, p->n_expect))
        return run_nomem(err);
    r->expecting = x;
    *wanted = 1;
    run_reserve(r, TT_REGION_RUN, "expect", p->n_expect * sizeof(*x->memory),
                &x->memory);
    run_reserve(r, TT_REGION_RUN, "expect: values", n * sizeof(*x->value),
                &x->value);
    return TT_OK;
}

static enum tt_code start(tt_run *r, tt_err *err)
{
    struct tt_expecting *x = r->expecting;
    uint32_t n = 0;

    (void)err;
    for (uint32_t i = 0; i < r->plan->n_expect; i++) {
        const struct tt_plan_expect *e = &r->plan->expect[i];

        x->what_at[i] = n;
        for (uint32_t k = 0; k < e->what.n_ref; k++)
            x->at[n++] = tt_part_value(r->part, e->what_slot[k]);
        x->after_at[i] = n;
        for (uint32_t k = 0; k < e->after.n_ref; k++)
            x->at[n++] = tt_part_value(r->part, e->after_slot[k]);
        x->memory[i] = (struct memory){
            .t = (double)NAN, .margin = (double)NAN, .inside = (double)NAN};
    }
    return TT_OK;
}

/* --- looking ---------------------------------------------------------------
 */

static void report(tt_run *r, uint32_t i);

static struct tt_expr_at place(const tt_run *r, uint32_t first)
{
    return (struct tt_expr_at){.t = r->agenda->t,
                               .h = r->now->h[TT_T1],
                               .value = r->expecting->at + first};
}

static double value_now(const tt_run *r, uint32_t i)
{
    struct tt_expr_at at = place(r, r->expecting->what_at[i]);

    return tt_expr_value(&r->plan->expect[i].what, &at);
}

static double margin_of_condition(const tt_run *r, uint32_t i)
{
    struct tt_expr_at at = place(r, r->expecting->what_at[i]);
    double by = tt_expr_margin(&r->plan->expect[i].what, &at);

    if (isnan(by))
        by = value_now(r, i) != 0 ? (double)INFINITY : -(double)INFINITY;
    return r->plan->expect[i].given->kind == TT_EXPECT_NEVER ? -by : by;
}

/* By how much it holds now; a number that has no value does not. */
static double margin(const tt_run *r, uint32_t i)
{
    const struct tt_sc_expect *e = r->plan->expect[i].given;
    double v;

    if (!tt_sc_expect_is_number(e->kind))
        return margin_of_condition(r, i);
    v = value_now(r, i);
    return isnan(v) ? -(double)INFINITY : fmin(v - e->low, e->high - v);
}

/* Has it begun to count? */
static int counts(const tt_run *r, uint32_t i, struct memory *m)
{
    const struct tt_plan_expect *e = &r->plan->expect[i];
    struct tt_expr_at at = place(r, r->expecting->after_at[i]);

    if (m->counts)
        return 1;
    if (e->given->after.text && tt_expr_value(&e->after, &at) == 0)
        return 0;
    m->counts = 1;
    m->since = r->agenda->t;
    return 1;
}

static void keep_values(tt_run *r, uint32_t i)
{
    const struct tt_plan_expect *e = &r->plan->expect[i];
    struct tt_expecting *x = r->expecting;

    for (uint32_t k = 0; k < e->what.n_ref; k++) {
        enum tt_type type = e->what.ref[k].type;
        uint32_t at = x->what_at[i] + k;

        x->value[at] = tt_type_is_number(type) || type == TT_BOOL
                           ? tt_value_as_double(type, x->at[at])
                           : (double)NAN;
    }
}

static void violate(tt_run *r, uint32_t i, struct memory *m)
{
    m->is = TT_EXPECTS_VIOLATED;
    m->t = r->agenda->t;
    m->value = tt_sc_expect_is_number(r->plan->expect[i].given->kind)
                   ? value_now(r, i)
                   : (double)NAN;
    keep_values(r, i);
    if (!r->guest)
        report(r, i);
}

/* Within which time? A rounding of it is not a violation. */
static int is_late(const tt_run *r, uint32_t i, const struct memory *m)
{
    double within = r->plan->expect[i].given->within;

    return r->agenda->t - m->since > within * (1 + 1e-9);
}

static void look_once(tt_run *r, uint32_t i, struct memory *m, double by)
{
    m->margin = isnan(m->margin) ? by : fmax(by, m->margin);
    if (by >= 0 && !is_late(r, i, m)) {
        m->is = TT_EXPECTS_HELD;
        m->t = r->agenda->t;
    } else if (is_late(r, i, m)) {
        violate(r, i, m);
    }
}

static void look_settled(tt_run *r, uint32_t i, struct memory *m, double by)
{
    m->margin = by;
    if (by >= 0) {
        m->inside = isnan(m->inside) ? r->agenda->t : m->inside;
        return;
    }
    m->inside = (double)NAN;
    if (is_late(r, i, m))
        violate(r, i, m);
}

static void look_at(tt_run *r, uint32_t i, struct memory *m)
{
    double by;

    if (m->is != TT_EXPECTS_OPEN || !counts(r, i, m))
        return;
    by = margin(r, i);
    switch (r->plan->expect[i].given->kind) {
    case TT_EXPECT_EVENTUALLY:
        look_once(r, i, m, by);
        break;
    case TT_EXPECT_SETTLES:
        look_settled(r, i, m, by);
        break;
    case TT_EXPECT_FINAL:
        m->margin = by;
        break;
    case TT_EXPECT_RANGE:
    case TT_EXPECT_ALWAYS:
    case TT_EXPECT_NEVER:
        m->margin = isnan(m->margin) ? by : fmin(by, m->margin);
        if (by < 0)
            violate(r, i, m);
    }
}

static void look(tt_run *r)
{
    for (uint32_t i = 0; i < r->plan->n_expect; i++)
        look_at(r, i, &r->expecting->memory[i]);
}

/* --- reporting -------------------------------------------------------------
 */

static void put_num(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX];

    tt_num_print_digits(text, v, 12);
    tt_buf_str(b, text);
}

/* "from 0 to 2", "at least 0" */
static void put_bounds(struct tt_buf *b, const struct tt_sc_expect *e)
{
    int low = isfinite(e->low), high = isfinite(e->high);

    tt_buf_str(b, low && high ? "from " : low ? "at least " : "at most ");
    if (low)
        put_num(b, e->low);
    if (low && high)
        tt_buf_str(b, " to ");
    if (high)
        put_num(b, e->high);
}

/* Of what is one variable alone nothing is left to add. */
static void put_values(const tt_run *r, uint32_t i, struct tt_buf *b)
{
    const struct tt_plan_expect *e = &r->plan->expect[i];
    const double *value = r->expecting->value + r->expecting->what_at[i];

    if (e->what.n_ref == 1 &&
        strcmp(e->what.ref[0].name, e->given->what.text) == 0 &&
        tt_sc_expect_is_number(e->given->kind))
        return;
    for (uint32_t k = 0; k < e->what.n_ref; k++) {
        tt_buf_fmt(b, "%s%s = ", k ? ", " : ", with ", e->what.ref[k].name);
        if (tt_type_is_number(e->what.ref[k].type) ||
            e->what.ref[k].type == TT_BOOL)
            put_num(b, value[k]);
        else
            tt_buf_str(b, "a text");
    }
}

static void put_within(struct tt_buf *b, const struct tt_sc_expect *e,
                       const struct memory *m, const char *word)
{
    if (!isfinite(e->within))
        return;
    tt_buf_str(b, word);
    put_num(b, e->within);
    tt_buf_str(b, e->kind == TT_EXPECT_SETTLES ? " s after t=" : " s of t=");
    put_num(b, m->since);
}

static void put_number(struct tt_buf *b, const struct tt_sc_expect *e,
                       const struct memory *m)
{
    tt_buf_str(b, m->ended ? "ends at " : "is ");
    put_num(b, m->value);
    tt_buf_str(b, ", not ");
    put_bounds(b, e);
    put_within(b, e, m, ", more than ");
}

/* Behind its subject. */
static void put_why(const tt_run *r, uint32_t i, struct tt_buf *b)
{
    const struct tt_sc_expect *e = r->plan->expect[i].given;
    const struct memory *m = &r->expecting->memory[i];

    if (tt_sc_expect_is_number(e->kind))
        put_number(b, e, m);
    else if (e->kind == TT_EXPECT_EVENTUALLY)
        tt_buf_str(b, isfinite(e->within) ? "did not hold" : "never held");
    else
        tt_buf_str(b, e->kind == TT_EXPECT_NEVER ? "holds" : "does not hold");
    if (e->kind == TT_EXPECT_EVENTUALLY)
        put_within(b, e, m, " within ");
    put_values(r, i, b);
}

static void put_violation(const tt_run *r, uint32_t i, struct tt_buf *b)
{
    const struct tt_sc_expect *e = r->plan->expect[i].given;

    tt_buf_fmt(b, "'%s' is violated at t=", e->name);
    put_num(b, r->expecting->memory[i].t);
    if (strcmp(e->name, e->what.text) == 0)
        tt_buf_str(b, ": it ");
    else
        tt_buf_fmt(b, ": '%s' ", e->what.text);
    put_why(r, i, b);
}

/* Of a run inside a unit: "inside '{stage}.upper', ". */
static void put_whose(const tt_run *r, uint32_t i, struct tt_buf *b)
{
    uint32_t slot = r->plan->expect[i].what_slot[0];
    const char *unit = r->plan->unit[r->plan->slot[slot].unit].name;
    const char *end = strrchr(unit, '/');

    if (end)
        tt_buf_fmt(b, "inside '%.*s', ", (int)(end - unit), unit);
}

static void report(tt_run *r, uint32_t i)
{
    struct tt_buf text;

    if (r->expecting->reported[i])
        return;
    r->expecting->reported[i] = 1;
    tt_buf_init(&text, TT_ERR_MAX);
    put_whose(r, i, &text);
    tt_buf_str(&text,
               r->plan->expect[i].given->hint ? "hint " : "expectation ");
    put_violation(r, i, &text);
    if (!text.failed)
        tt_log(r->opts.log, TT_LOG_WARN, "%s", text.data);
    tt_buf_fini(&text);
}

/* --- the end ---------------------------------------------------------------
 */

/* What can be judged in the end alone. */
static void judge(tt_run *r, uint32_t i, struct memory *m)
{
    int holds = m->margin >= 0;

    if (m->is != TT_EXPECTS_OPEN || !m->counts)
        return;
    if (r->plan->expect[i].given->kind == TT_EXPECT_EVENTUALLY)
        holds = 0;
    m->ended = !holds;
    if (holds)
        m->is = TT_EXPECTS_HELD;
    else
        violate(r, i, m);
}

static void note(tt_run *r, uint32_t i, struct tt_buf *b)
{
    const struct memory *m = &r->expecting->memory[i];
    const struct tt_sc_expect *e = r->plan->expect[i].given;

    if (m->is == TT_EXPECTS_VIOLATED) {
        put_violation(r, i, b);
        return;
    }
    tt_buf_fmt(b, "'%s' ", e->name);
    if (m->is == TT_EXPECTS_HELD && e->kind == TT_EXPECT_EVENTUALLY) {
        tt_buf_str(b, "held first at t=");
        put_num(b, m->t);
    } else if (m->is == TT_EXPECTS_HELD && e->kind == TT_EXPECT_SETTLES) {
        tt_buf_str(b, "settled at t=");
        put_num(b, m->inside);
    } else if (m->is == TT_EXPECTS_HELD) {
        tt_buf_str(b, "held");
    } else {
        tt_buf_str(b, m->counts ? "is open: the run did not reach its end"
                                : "never began to count");
    }
}

/* Violations first: of many notes some are not shown. */
static void note_all(tt_run *r, int violated)
{
    for (uint32_t i = 0; i < r->plan->n_expect; i++) {
        struct tt_buf b;

        if ((r->expecting->memory[i].is == TT_EXPECTS_VIOLATED) != violated)
            continue;
        tt_buf_init(&b, TT_ERR_MAX);
        note(r, i, &b);
        if (!b.failed)
            run_note(r, "expect", "%s", b.data);
        tt_buf_fini(&b);
    }
}

static void end(tt_run *r)
{
    struct tt_expecting *x = r->expecting;
    int over = r->why == TT_RUN_COMPLETE || r->why == TT_RUN_TERMINATED ||
               (r->guest && r->why != TT_RUN_FAILED);

    if (!r->frame)
        return;
    for (uint32_t i = 0; i < r->plan->n_expect; i++) {
        if (over)
            judge(r, i, &x->memory[i]);
        if (r->guest && x->memory[i].is == TT_EXPECTS_VIOLATED)
            report(r, i);
    }
    note_all(r, 1);
    note_all(r, 0);
}

uint32_t tt_run_expectations(const tt_run *r)
{
    return r->expecting && r->frame ? r->plan->n_expect : 0;
}

struct tt_run_expectation tt_run_expectation(const tt_run *r, uint32_t i)
{
    const struct memory *m = &r->expecting->memory[i];
    const struct tt_sc_expect *e = r->plan->expect[i].given;
    int violated = m->is == TT_EXPECTS_VIOLATED;

    return (struct tt_run_expectation){
        .name = e->name,
        .is = m->is,
        .fails = e->fail && violated,
        .t = e->kind == TT_EXPECT_SETTLES && !violated ? m->inside : m->t,
        .margin = m->margin,
        .value = violated ? m->value : (double)NAN};
}

void tt_run_expectation_why(const tt_run *r, uint32_t i, struct tt_buf *out)
{
    if (r->expecting->memory[i].is != TT_EXPECTS_VIOLATED)
        return;
    tt_buf_fmt(out, "'%s' ", r->plan->expect[i].given->what.text);
    put_why(r, i, out);
}

int tt_run_expectations_fail(const tt_run *r)
{
    for (uint32_t i = 0; i < tt_run_expectations(r); i++)
        if (tt_run_expectation(r, i).fails)
            return 1;
    return 0;
}

const struct run_companion run_expect_companion = {
    .make = make,
    .start = start,
    .begun = look,
    .stands = look,
    .leapt = look,
    .end = end,
};
