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
#include "step/monitor.h"

struct tt_expecting {
    const void **at;                    /* where the values of programs are: */
    uint32_t (*first)[TT_EXPECT_PARTS]; /* per expectation and part */
    struct tt_monitor_spec *spec;       /* per expectation */
    char *reported;             /* per expectation, that survives a restore */
    struct tt_monitor *monitor; /* in the frame, per expectation */
    double *value; /* in the frame: what variables were when it was violated */
};

static int is_given(const struct tt_plan_expect *e, enum tt_sc_expect_part part)
{
    return e->given->part[part].text != NULL;
}

static struct tt_monitor_spec spec_of(const struct tt_plan_expect *e)
{
    static const enum tt_monitor_family family[] = {
        [TT_EXPECT_RANGE] = TT_MONITOR_ALWAYS,
        [TT_EXPECT_ALWAYS] = TT_MONITOR_ALWAYS,
        [TT_EXPECT_NEVER] = TT_MONITOR_ALWAYS,
        [TT_EXPECT_EVENTUALLY] = TT_MONITOR_ONCE,
        [TT_EXPECT_FINAL] = TT_MONITOR_FINAL,
        [TT_EXPECT_SETTLES] = TT_MONITOR_SETTLES,
        [TT_EXPECT_OCCURS] = TT_MONITOR_OCCURS,
        [TT_EXPECT_FOLLOWS] = TT_MONITOR_FOLLOWS,
        [TT_EXPECT_STAYS] = TT_MONITOR_STAYS,
        [TT_EXPECT_LASTS] = TT_MONITOR_LASTS,
        [TT_EXPECT_RECURS] = TT_MONITOR_RECURS,
        [TT_EXPECT_PERIOD] = TT_MONITOR_PERIOD,
        [TT_EXPECT_FALLS] = TT_MONITOR_FALLS,
        [TT_EXPECT_RISES] = TT_MONITOR_FALLS,
        [TT_EXPECT_SMOOTH] = TT_MONITOR_SMOOTH};
    struct tt_monitor_spec s = {.family = family[e->given->kind],
                                .low = e->given->low,
                                .high = e->given->high,
                                .within = e->given->within,
                                .opens = is_given(e, TT_EXPECT_AFTER),
                                .closes = is_given(e, TT_EXPECT_UNTIL),
                                .pending = e->given->pending};

    while (s.n_chain < TT_EXPECT_CHAIN &&
           is_given(e, (enum tt_sc_expect_part)s.n_chain))
        s.n_chain++;
    return s;
}

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
        for (int k = 0; k < TT_EXPECT_PARTS; k++)
            n += p->expect[i].part[k].n_ref;
    if (!RUN_NEW(r, x, 1) || !RUN_NEW(r, x->at, n + 1) ||
        !RUN_NEW(r, x->first, p->n_expect) ||
        !RUN_NEW(r, x->spec, p->n_expect) ||
        !RUN_NEW(r, x->reported, p->n_expect))
        return run_nomem(err);
    r->expecting = x;
    *wanted = 1;
    run_reserve(r, TT_REGION_RUN, "expect", p->n_expect * sizeof(*x->monitor),
                &x->monitor);
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

        for (int part = 0; part < TT_EXPECT_PARTS; part++) {
            x->first[i][part] = n;
            for (uint32_t k = 0; k < e->part[part].n_ref; k++)
                x->at[n++] = tt_part_value(r->part, e->slot[part][k]);
        }
        x->spec[i] = spec_of(e);
        tt_monitor_start(&x->monitor[i]);
    }
    return TT_OK;
}

/* --- looking ---------------------------------------------------------------
 */

static void report(tt_run *r, uint32_t i);

static struct tt_expr_at place(const tt_run *r, uint32_t i,
                               enum tt_sc_expect_part part)
{
    return (struct tt_expr_at){.t = r->agenda->t,
                               .h = r->now->h[TT_T1],
                               .value = r->expecting->at +
                                        r->expecting->first[i][part]};
}

static double value_now(const tt_run *r, uint32_t i)
{
    struct tt_expr_at at = place(r, i, TT_EXPECT_WHAT);

    return tt_expr_value(&r->plan->expect[i].part[TT_EXPECT_WHAT], &at);
}

/* Of a part that is a condition; NaN: it is not given. A Boolean alone has no
 * margin but yes and no. */
static double condition(const tt_run *r, uint32_t i,
                        enum tt_sc_expect_part part)
{
    const struct tt_plan_expect *e = &r->plan->expect[i];
    struct tt_expr_at at = place(r, i, part);
    double by;

    if (!is_given(e, part))
        return (double)NAN;
    by = tt_expr_margin(&e->part[part], &at);
    if (isnan(by))
        by = tt_expr_value(&e->part[part], &at) != 0 ? (double)INFINITY
                                                     : -(double)INFINITY;
    return by;
}

/* What is held against the family; a number that has no value does not hold. */
static double sight(const tt_run *r, uint32_t i, enum tt_sc_expect_part part)
{
    const struct tt_sc_expect *e = r->plan->expect[i].given;
    double v;

    if (e->kind == TT_EXPECT_NEVER)
        return -condition(r, i, part);
    if (!tt_sc_expect_is_number(e->kind))
        return condition(r, i, part);
    v = value_now(r, i);
    if (e->kind == TT_EXPECT_RISES)
        return -v;
    if (e->kind == TT_EXPECT_FALLS || e->kind == TT_EXPECT_SMOOTH)
        return v;
    return isnan(v) ? -(double)INFINITY : fmin(v - e->low, e->high - v);
}

static void keep_values(tt_run *r, uint32_t i)
{
    const tt_expr *e = &r->plan->expect[i].part[TT_EXPECT_WHAT];
    struct tt_expecting *x = r->expecting;

    for (uint32_t k = 0; k < e->n_ref; k++) {
        enum tt_type type = e->ref[k].type;
        uint32_t at = x->first[i][TT_EXPECT_WHAT] + k;

        x->value[at] = tt_type_is_number(type) || type == TT_BOOL
                           ? tt_value_as_double(type, x->at[at])
                           : (double)NAN;
    }
}

/* A violation began, or one that was pending stands. */
static void follow_up(tt_run *r, uint32_t i, int begins)
{
    struct tt_monitor *m = &r->expecting->monitor[i];

    if (begins) {
        keep_values(r, i);
        if (isnan(m->measured) &&
            tt_sc_expect_is_number(r->plan->expect[i].given->kind))
            m->measured = value_now(r, i);
    }
    if (m->is == TT_MONITOR_VIOLATED && !r->guest)
        report(r, i);
}

static void look(tt_run *r)
{
    struct tt_expecting *x = r->expecting;

    for (uint32_t i = 0; i < r->plan->n_expect; i++) {
        struct tt_monitor_sight at = {.t = r->agenda->t};

        if (x->monitor[i].is != TT_MONITOR_OPEN)
            continue;
        for (uint32_t k = 0; k < x->spec[i].n_chain; k++)
            at.p[k] = sight(r, i, (enum tt_sc_expect_part)k);
        at.q = condition(r, i, TT_EXPECT_WHEN);
        at.opens = condition(r, i, TT_EXPECT_AFTER);
        at.closes = condition(r, i, TT_EXPECT_UNTIL);
        follow_up(r, i, tt_monitor_look(&x->monitor[i], &x->spec[i], &at));
    }
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
    const struct tt_sc_expect *given = r->plan->expect[i].given;
    const tt_expr *e = &r->plan->expect[i].part[TT_EXPECT_WHAT];
    const double *value =
        r->expecting->value + r->expecting->first[i][TT_EXPECT_WHAT];

    if (e->n_ref == 1 && tt_sc_expect_is_number(given->kind) &&
        strcmp(e->ref[0].name, given->part[TT_EXPECT_WHAT].text) == 0)
        return;
    for (uint32_t k = 0; k < e->n_ref; k++) {
        tt_buf_fmt(b, "%s%s = ", k ? ", " : ", with ", e->ref[k].name);
        if (tt_type_is_number(e->ref[k].type) || e->ref[k].type == TT_BOOL)
            put_num(b, value[k]);
        else
            tt_buf_str(b, "a text");
    }
}

static void put_within(struct tt_buf *b, const struct tt_sc_expect *e,
                       const struct tt_monitor *m, const char *word)
{
    if (!isfinite(e->within))
        return;
    tt_buf_str(b, word);
    put_num(b, e->within);
    tt_buf_str(b, e->kind == TT_EXPECT_SETTLES ? " s after t=" : " s of t=");
    put_num(b, m->since);
}

static void put_number(struct tt_buf *b, const struct tt_sc_expect *e,
                       const struct tt_monitor *m)
{
    tt_buf_str(b, m->late ? "ends at " : "is ");
    put_num(b, m->measured);
    tt_buf_str(b, ", not ");
    put_bounds(b, e);
    put_within(b, e, m, ", more than ");
}

/* "held for 2 s, not at least 3 s" */
static void put_measured(struct tt_buf *b, const struct tt_sc_expect *e,
                         const struct tt_monitor *m, const char *word,
                         const char *unit)
{
    tt_buf_str(b, word);
    put_num(b, m->measured);
    tt_buf_fmt(b, "%s, not ", unit);
    put_bounds(b, e);
    tt_buf_str(b, unit);
}

static void put_since(struct tt_buf *b, const char *words,
                      const struct tt_monitor *m)
{
    if (isnan(m->cause))
        return;
    tt_buf_str(b, words);
    put_num(b, m->cause);
}

static void put_follows(struct tt_buf *b, const struct tt_sc_expect *e,
                        const struct tt_monitor *m)
{
    tt_buf_str(b, e->kind == TT_EXPECT_STAYS ? "does not hold for "
                                             : "did not follow");
    if (e->kind == TT_EXPECT_FOLLOWS && isfinite(e->within))
        tt_buf_str(b, " within ");
    if (isfinite(e->within)) {
        put_num(b, e->within);
        tt_buf_str(b, " s");
    }
    tt_buf_fmt(b, " after '%s'", e->part[TT_EXPECT_WHEN].text);
    put_since(b, ", which began to hold at t=", m);
}

static void put_recurs(struct tt_buf *b, const struct tt_sc_expect *e,
                       const struct tt_monitor *m)
{
    tt_buf_str(b, "did not hold for ");
    put_num(b, m->measured);
    tt_buf_str(b, " s, more than ");
    put_num(b, e->within);
    tt_buf_str(b, " s");
}

static void put_rise(struct tt_buf *b, const struct tt_sc_expect *e,
                     const struct tt_monitor *m)
{
    tt_buf_str(b, e->kind == TT_EXPECT_FALLS ? "rose by " : "fell by ");
    put_num(b, m->measured);
    if (e->high > 0) {
        tt_buf_str(b, ", more than ");
        put_num(b, e->high);
    }
}

static const char *const measured[][2] = {
    [TT_EXPECT_OCCURS] = {"began to hold ", " times"},
    [TT_EXPECT_LASTS] = {"held for ", " s"},
    [TT_EXPECT_PERIOD] = {"began to hold after ", " s"},
    [TT_EXPECT_SMOOTH] = {"has a roughness of ", ""}};

/* Behind its subject. */
static void put_why(const tt_run *r, uint32_t i, struct tt_buf *b)
{
    const struct tt_sc_expect *e = r->plan->expect[i].given;
    const struct tt_monitor *m = &r->expecting->monitor[i];

    switch (e->kind) {
    case TT_EXPECT_RANGE:
    case TT_EXPECT_FINAL:
    case TT_EXPECT_SETTLES:
        put_number(b, e, m);
        break;
    case TT_EXPECT_ALWAYS:
        tt_buf_str(b, "does not hold");
        break;
    case TT_EXPECT_NEVER:
        tt_buf_str(b, "holds");
        break;
    case TT_EXPECT_EVENTUALLY:
        tt_buf_str(b, isfinite(e->within) ? "did not hold" : "never held");
        put_within(b, e, m, " within ");
        break;
    case TT_EXPECT_FOLLOWS:
    case TT_EXPECT_STAYS:
        put_follows(b, e, m);
        break;
    case TT_EXPECT_RECURS:
        put_recurs(b, e, m);
        break;
    case TT_EXPECT_FALLS:
    case TT_EXPECT_RISES:
        put_rise(b, e, m);
        break;
    case TT_EXPECT_OCCURS:
    case TT_EXPECT_LASTS:
    case TT_EXPECT_PERIOD:
    case TT_EXPECT_SMOOTH:
        put_measured(b, e, m, measured[e->kind][0], measured[e->kind][1]);
    }
    put_values(r, i, b);
}

static void put_violation(const tt_run *r, uint32_t i, struct tt_buf *b)
{
    const struct tt_sc_expect *e = r->plan->expect[i].given;

    tt_buf_fmt(b, "'%s' is violated at t=", e->name);
    put_num(b, r->expecting->monitor[i].t);
    if (strcmp(e->name, e->part[TT_EXPECT_WHAT].text) == 0)
        tt_buf_str(b, ": it ");
    else
        tt_buf_fmt(b, ": '%s' ", e->part[TT_EXPECT_WHAT].text);
    put_why(r, i, b);
}

/* Of a run inside a unit: "inside '{stage}.upper', ". */
static void put_whose(const tt_run *r, uint32_t i, struct tt_buf *b)
{
    uint32_t slot = r->plan->expect[i].slot[TT_EXPECT_WHAT][0];
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

static void note(tt_run *r, uint32_t i, struct tt_buf *b)
{
    const struct tt_monitor *m = &r->expecting->monitor[i];
    const struct tt_sc_expect *e = r->plan->expect[i].given;
    int held = m->is == TT_MONITOR_HELD;

    if (m->is == TT_MONITOR_VIOLATED) {
        put_violation(r, i, b);
        return;
    }
    tt_buf_fmt(b, "'%s' ", e->name);
    if (held &&
        (e->kind == TT_EXPECT_EVENTUALLY || e->kind == TT_EXPECT_SETTLES)) {
        tt_buf_str(b, e->kind == TT_EXPECT_EVENTUALLY ? "held first at t="
                                                      : "settled at t=");
        put_num(b, m->t);
    } else if (held) {
        tt_buf_str(b, "held");
    } else {
        tt_buf_str(b, !m->counted  ? "never began to count"
                      : e->pending ? "is open: what it waits for did not come"
                                   : "is open: the run did not reach its end");
    }
}

/* Violations first: of many notes some are not shown. */
static void note_all(tt_run *r, int violated)
{
    for (uint32_t i = 0; i < r->plan->n_expect; i++) {
        struct tt_buf b;

        if ((r->expecting->monitor[i].is == TT_MONITOR_VIOLATED) != violated)
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
            follow_up(
                r, i,
                tt_monitor_end(&x->monitor[i], &x->spec[i], r->agenda->t));
        if (r->guest && x->monitor[i].is == TT_MONITOR_VIOLATED)
            report(r, i);
    }
    note_all(r, 1);
    note_all(r, 0);
}

uint32_t tt_run_expectations(const tt_run *r)
{
    return r->expecting && r->frame ? r->plan->n_expect : 0;
}

/* What a margin of 1 is worth. */
static double scale_of(const tt_run *r, uint32_t i)
{
    const struct tt_plan_expect *e = &r->plan->expect[i];
    const struct tt_sc_expect *given = e->given;
    enum tt_sc_expect_kind kind = given->kind;

    if (kind == TT_EXPECT_FOLLOWS || kind == TT_EXPECT_RECURS)
        return given->within;
    if (kind == TT_EXPECT_LASTS || kind == TT_EXPECT_PERIOD)
        return isfinite(given->high) ? given->high : given->low;
    if (kind == TT_EXPECT_OCCURS)
        return 1;
    if (kind == TT_EXPECT_SMOOTH)
        return given->high;
    return tt_port_scale(tt_plan_port(r->plan, e->slot[TT_EXPECT_WHAT][0]));
}

static double degree(const tt_run *r, uint32_t i, double margin)
{
    double scale = scale_of(r, i);

    if (isnan(margin) || !(scale > 0))
        return (double)NAN;
    if (isinf(scale))
        return margin < 0 ? -1 : 1;
    return fmax(-1, fmin(1, margin / scale));
}

struct tt_run_expectation tt_run_expectation(const tt_run *r, uint32_t i)
{
    static const enum tt_run_expects is[] = {
        [TT_MONITOR_OPEN] = TT_EXPECTS_OPEN,
        [TT_MONITOR_HELD] = TT_EXPECTS_HELD,
        [TT_MONITOR_VIOLATED] = TT_EXPECTS_VIOLATED};
    const struct tt_monitor *m = &r->expecting->monitor[i];
    const struct tt_sc_expect *e = r->plan->expect[i].given;
    int violated = m->is == TT_MONITOR_VIOLATED;

    return (struct tt_run_expectation){
        .name = e->name,
        .is = is[m->is],
        .fails = e->fail && violated,
        .t = m->t,
        .margin = isnan(m->margin) ? m->worst : m->margin,
        .degree = degree(r, i, isnan(m->margin) ? m->worst : m->margin),
        .value = violated ? m->measured : (double)NAN};
}

void tt_run_expectation_why(const tt_run *r, uint32_t i, struct tt_buf *out)
{
    if (r->expecting->monitor[i].is != TT_MONITOR_VIOLATED)
        return;
    tt_buf_fmt(out, "'%s' ",
               r->plan->expect[i].given->part[TT_EXPECT_WHAT].text);
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
    .begun = look, .stands = look, .leapt = look, TT_HOOKS(, make, start, end)};
