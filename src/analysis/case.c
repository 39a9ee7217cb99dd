/* SPDX-License-Identifier: MIT */
#include "analysis/case.h"

#include <string.h>

#include "formats/formats.h"
#include "run/probe.h"

/* The caller owns the scenario, so that it may be changed before it is planned.
 */
static void hold(tt_scenario *s, uint32_t held)
{
    struct tt_sc_connection *c;

    if (held >= s->n_connection)
        return;
    c = tt_arena_dup(s->arena, s->connection, s->n_connection, sizeof(*c));
    if (!c)
        return;
    memmove(c + held, c + held + 1, (s->n_connection - held - 1) * sizeof(*c));
    s->connection = c;
    s->n_connection--;
}

/* One policy all the time; without policies one order of a sequence. */
static void choose(tt_scenario *s, const uint32_t *one)
{
    s->allowed = NULL;
    s->switching = (struct tt_sc_switching){0};
    if (one && s->n_policy) {
        s->switching.pattern = one;
        s->switching.n_pattern = 1;
    } else if (one) {
        s->sequence.adapt = TT_SEQUENCE_OFF;
        s->sequence.pattern = one;
        s->sequence.n_pattern = 1;
    }
}

/* Steps of several policies are products of several matrices, of which that of
 * the scenario alone states nothing. */
static enum tt_code check_switching(const struct tt_case *c,
                                    const tt_scenario *s, tt_err *err)
{
    if (c->policy || c->alone || !tt_sc_switches(&s->switching))
        return TT_OK;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "policies switch, so that macro steps are not all alike: "
                   "'tutti stability --adaptive' finds which words of them are "
                   "stable");
}

static enum tt_code open_until(tt_scenario **out, const struct tt_case *c,
                               double end, tt_err *err)
{
    struct tt_sc_options o = c->o;
    enum tt_code rc;

    o.end = end;
    rc = tt_format_open(out, c->path, c->n_path, c->variant, &o, NULL, err);
    if (rc != TT_OK)
        return rc;
    rc = check_switching(c, *out, err);
    if (rc != TT_OK) {
        tt_scenario_free(*out);
        *out = NULL;
        return rc;
    }
    tt_scenario_at_leisure(*out);
    choose(*out, c->policy);
    hold(*out, c->held);
    return TT_OK;
}

enum tt_code tt_case_run(tt_run **out, const struct tt_case *c,
                         const tt_scenario *s, tt_run *like,
                         const struct tt_run_nudge *nudge, tt_err *err)
{
    const struct tt_run_opts o = {.stage = c->stage,
                                  .kind_cb = c->kind_cb,
                                  .like = like ? like : c->like,
                                  .nudge = nudge,
                                  .tangent = c->tangent != TT_TANGENT_NOT,
                                  .tangent_late =
                                      c->tangent == TT_TANGENT_LATE};

    return tt_run_new(out, s, &o, err);
}

void tt_case_share(struct tt_case *c)
{
    tt_err err;

    if (open_until(&c->scenario, c, c->o.end, &err) != TT_OK ||
        tt_case_run(&c->like, c, c->scenario, NULL, NULL, &err) != TT_OK ||
        tt_run_unpack_units(c->like, &err) != TT_OK)
        tt_case_unshare(c); /* what is wrong is found again, and stated */
}

void tt_case_unshare(struct tt_case *c)
{
    tt_run_free(c->like);
    tt_scenario_free(c->scenario);
    c->like = NULL;
    c->scenario = NULL;
}

/* Macro steps that are alike, and how long one is. */
static enum tt_code look(const tt_run *run, uint32_t steps, double carry,
                         double *step, double *end, tt_err *err)
{
    const tt_plan *p = tt_run_plan(run);
    const char *why = tt_probe_refusal(run);

    if (why)
        return tt_fail(err, TT_EUNSUPPORTED, "%s", why);
    *step = p->step;
    *end = p->experiment.start + carry + (steps + 2) * p->step;
    return TT_OK;
}

enum tt_code tt_case_load(tt_scenario **out, const struct tt_case *c,
                          uint32_t steps, double *step, tt_err *err)
{
    tt_scenario *first = NULL;
    tt_run *run = NULL;
    double end = 0;
    enum tt_code rc = open_until(&first, c, c->o.end, err);

    if (rc == TT_OK)
        rc = tt_case_run(&run, c, first, NULL, NULL, err);
    if (rc == TT_OK)
        rc = look(run, steps, c->carry, step, &end, err);
    tt_run_free(run);
    tt_scenario_free(first);
    return rc == TT_OK ? open_until(out, c, end, err) : rc;
}

enum tt_code tt_case_open(struct tt_case_opened *out, const struct tt_case *c,
                          tt_err *err)
{
    enum tt_code rc;

    *out = (struct tt_case_opened){0};
    rc = tt_format_open(&out->s, c->path, c->n_path, c->variant, &c->o, NULL,
                        err);
    if (rc != TT_OK)
        return rc;
    tt_scenario_at_leisure(out->s);
    return tt_case_run(&out->run, c, out->s, NULL, NULL, err);
}

void tt_case_close(struct tt_case_opened *o)
{
    tt_run_free(o->run);
    tt_scenario_free(o->s);
}

enum tt_code tt_case_advance(tt_run *run, uint32_t n, tt_err *err)
{
    enum tt_code rc = TT_OK;

    while (n-- && rc == TT_OK) {
        rc = tt_run_step(run, err);
        if (rc == TT_OK && tt_run_why(run) != TT_RUN_NOT_ENDED)
            rc = tt_fail(err, TT_EUNSUPPORTED,
                         "an instance ended the simulation");
    }
    return rc;
}
