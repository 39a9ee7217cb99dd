/* SPDX-License-Identifier: MIT */
/* What is known of the system, held against variants. */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/ratio.h"
#include "tune/tune_impl.h"

#define LISTED 8u /* declared ranges, one by one */

static const char *num(char out[TT_NUM_MAX], double v)
{
    tt_num_print_digits(out, v, 6);
    return out;
}

/* --- listing ---------------------------------------------------------------
 */

static const struct tt_plan_column *column_of(const struct search *s,
                                              const struct tt_tune_fact *f)
{
    return &tt_run_plan(s->like)->column[s->column[f->column]];
}

static int is_declared(const struct search *s, uint32_t column,
                       struct tt_tune_fact *to)
{
    const tt_plan *p = tt_run_plan(s->like);
    const struct tt_port *port =
        tt_plan_port(p, p->column[s->column[column]].slot);

    *to = (struct tt_tune_fact){
        .column = column, .low = port->min, .high = port->max};
    return tt_type_is_float(port->type) &&
           (isfinite(port->min) || isfinite(port->max));
}

static void note_hint(struct search *s, const struct tt_sc_expect *e)
{
    char at[512];

    search_note(s, "%s '%s' (%s): %s '%s'.", e->hint ? "Hint" : "Expectation",
                e->name, tt_scenario_at(s->scenario, e->where, at, sizeof(at)),
                tt_sc_expect_word(e->kind), e->part[0].text);
}

static void note_declared(struct search *s, const struct tt_tune_fact *f)
{
    char low[TT_NUM_MAX], high[TT_NUM_MAX];
    const tt_plan *p = tt_run_plan(s->like);
    const struct tt_plan_column *c = column_of(s, f);
    int below = isfinite(f->low), above = isfinite(f->high);

    search_note(s, "%s is %s%s%s%s, as its FMU declares ('%s').", c->name,
                below && above ? "from "
                : below        ? "at least "
                               : "at most ",
                below ? num(low, f->low) : "", below && above ? " to " : "",
                above ? num(high, f->high) : "",
                s->scenario->fmu[p->unit[p->slot[c->slot].unit].fmu].uri);
}

/* The first output of a unit that changes by leaps; NULL: none does. */
static const char *leaping(const struct tt_desc *d)
{
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_OUTPUT &&
            d->port[i].type == TT_F64 &&
            d->port[i].variability == TT_VAR_DISCRETE)
            return d->port[i].name;
    return NULL;
}

/* Clocks that tick by time meet their instants whatever the step is. */
static void note_clocks(struct search *s, const struct tt_plan_unit *u)
{
    const char *fmu = s->scenario->fmu[u->fmu].uri;
    char h[TT_NUM_MAX];

    for (uint32_t i = 0; u->events && i < u->desc->n_port; i++) {
        const struct tt_port *p = &u->desc->port[i];

        if (tt_clock_is_periodic(p->ticks) && tt_ratio_is(p->ticks->period))
            search_note(s,
                        "%s has values every %s s, by its clock '%s', as its "
                        "FMU declares ('%s'): steps end there besides.",
                        u->name, num(h, tt_ratio_value(p->ticks->period)),
                        p->name, fmu);
    }
}

/* What an instance declares, as far as it bears on the choice. */
static void note_unit(struct search *s, const struct tt_plan_unit *u)
{
    const char *fmu = s->scenario->fmu[u->fmu].uri;
    const char *leaps = leaping(u->desc);
    char h[TT_NUM_MAX];

    if (u->desc->inner_step > 0)
        search_note(s,
                    "%s steps by %s s inside, as its FMU declares ('%s'): "
                    "steps are multiples of that.",
                    u->name, num(h, u->desc->inner_step), fmu);
    if (!u->desc->caps.save)
        search_note(s,
                    "%s cannot be rolled back, by what its FMU declares "
                    "('%s'): it makes no step twice.",
                    u->name, fmu);
    if (leaps)
        search_note(s,
                    "%s puts out '%s' in leaps, as its FMU declares ('%s'): "
                    "no course goes over a leap.",
                    u->name, leaps, fmu);
    note_clocks(s, u);
}

static enum tt_code check_hints(const struct search *s, tt_err *err)
{
    uint32_t n = s->scenario->n_known;

    for (uint32_t i = 0; i < s->scenario->n_expect; i++)
        n += s->scenario->expect[i].hint != 0;
    if (n || !s->o->hints)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "%s has no hints: write {\"hints\": [{\"always\": "
                   "\"{key}.instance.variable > 0\"}]}",
                   s->o->hints);
}

enum tt_code search_find_facts(struct search *s, tt_err *err)
{
    const tt_scenario *sc = s->scenario;
    uint32_t more;

    if (!TT_NEW_IN(s->t->arena, s->fact, (size_t)sc->n_expect + s->n_column))
        return search_no_memory(err);
    for (uint32_t u = 0; u < tt_run_plan(s->like)->n_unit && u < LISTED; u++)
        note_unit(s, &tt_run_plan(s->like)->unit[u]);
    for (uint32_t i = 0; i < sc->n_expect; i++) {
        s->fact[s->n_fact++].given = &sc->expect[i];
        note_hint(s, &sc->expect[i]);
    }
    s->n_expect = s->n_fact;
    for (uint32_t i = 0; i < s->n_column; i++)
        if (is_declared(s, i, &s->fact[s->n_fact]) &&
            s->n_fact++ - s->n_expect < LISTED)
            note_declared(s, &s->fact[s->n_fact - 1]);
    more = s->n_fact - s->n_expect;
    if (more > LISTED)
        search_note(s, "%u more ranges are declared.", more - LISTED);
    return check_hints(s, err);
}

/* --- looking ---------------------------------------------------------------
 */

static void look_expected(const tt_run *run, uint32_t i,
                          struct tt_tune_shown *to)
{
    struct tt_run_expectation e = tt_run_expectation(run, i);
    struct tt_buf why;

    to->violated = e.is == TT_EXPECTS_VIOLATED;
    to->t = e.t;
    to->margin = e.margin;
    if (!to->violated)
        return;
    tt_buf_init(&why, TT_ERR_MAX);
    tt_run_expectation_why(run, i, &why);
    (void)snprintf(to->why, sizeof(to->why), "%s",
                   why.failed || !why.len ? "it does not hold" : why.data);
    tt_buf_fini(&why);
}

/* A rounding of a bound is not beyond it. */
static void look_declared(const struct tt_tune_fact *f, const double *tally,
                          struct tt_tune_shown *to)
{
    double least = tally[TT_TALLY_MIN], most = tally[TT_TALLY_MAX];
    double slack = 1e-9 * fmax(fabs(least), fabs(most));
    char is[TT_NUM_MAX], bound[TT_NUM_MAX];

    to->t = (double)NAN;
    to->margin = fmin(least - f->low, f->high - most);
    to->violated = !(to->margin >= -slack);
    if (!to->violated)
        return;
    if (most - f->high > slack)
        (void)snprintf(to->why, sizeof(to->why),
                       "it is up to %s, more than the declared max %s",
                       num(is, most), num(bound, f->high));
    else
        (void)snprintf(to->why, sizeof(to->why),
                       "it is down to %s, less than the declared min %s",
                       num(is, least), num(bound, f->low));
}

void search_look(const struct search *s, const tt_run *run, const double *tally,
                 struct tt_tune_shown *to)
{
    for (uint32_t i = 0; i < s->n_expect && i < tt_run_expectations(run); i++)
        look_expected(run, i, &to[i]);
    for (uint32_t i = s->n_expect; i < s->n_fact; i++)
        look_declared(&s->fact[i],
                      tally + (size_t)s->fact[i].column * TT_TALLY_N, &to[i]);
}

/* --- judging ---------------------------------------------------------------
 */

static const char *kind_of(const struct tt_tune_fact *f)
{
    return !f->given ? "range" : f->given->hint ? "hint" : "expectation";
}

static const char *name_of(const struct search *s, const struct tt_tune_fact *f)
{
    return f->given ? f->given->name : column_of(s, f)->name;
}

static void put_when(char *out, size_t size, double t)
{
    char text[TT_NUM_MAX];

    out[0] = '\0';
    if (!isnan(t))
        (void)snprintf(out, size, " at t=%s", num(text, t));
}

void search_hold_against(const struct search *s,
                         const struct tt_tune_shown *shown,
                         struct tt_tune_try *t)
{
    for (uint32_t i = 0; i < s->n_fact && !t->why[0]; i++) {
        char when[TT_NUM_MAX + 8];

        if (!shown[i].violated || s->fact[i].aside)
            continue;
        put_when(when, sizeof(when), shown[i].t);
        (void)snprintf(t->why, sizeof(t->why), "violates %s '%.100s'%s: %s",
                       kind_of(&s->fact[i]), name_of(s, &s->fact[i]), when,
                       shown[i].why);
    }
}

/* Of the references that ran, all violate it. */
static const struct tt_tune_try *contradicts(const struct search *s, uint32_t i)
{
    const struct tt_tune_try *by = NULL;

    for (int k = 0; k < 2; k++) {
        const struct tt_tune_try *t =
            s->reference[k] == TT_NONE ? NULL : &s->t->tried[s->reference[k]];

        if (t && !t->shown[i].violated)
            return NULL;
        by = by ? by : t;
    }
    return by;
}

static void set_aside(struct search *s, struct tt_tune_fact *f,
                      const struct tt_tune_try *by,
                      const struct tt_tune_shown *shown)
{
    char when[TT_NUM_MAX + 8], h[TT_NUM_MAX];

    f->aside = 1;
    put_when(when, sizeof(when), shown->t);
    if (f->given)
        s->t->n_contradicted++;
    search_note(s,
                "The %s '%s' contradicts the model: %s at %s s violates it%s: "
                "%s. It is set aside; look at it, or at the model%s.",
                f->given ? kind_of(f) : "declared range of", name_of(s, f),
                s->way[by->way].name, num(h, by->step), when, shown->why,
                s->t->begin_by ? ", or at the settings of the run that led to "
                                 "where all begin"
                               : "");
}

void search_weigh_facts(struct search *s)
{
    for (uint32_t i = 0; i < s->n_fact; i++) {
        const struct tt_tune_try *by = contradicts(s, i);

        if (by)
            set_aside(s, &s->fact[i], by, &by->shown[i]);
    }
}
