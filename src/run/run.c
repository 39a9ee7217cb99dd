/* SPDX-License-Identifier: MIT */
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/run_impl.h"

/* --- describe, check, plan, write ---------------------------------------- */

static void say_note(const struct tt_log *log, const struct tt_note *n)
{
    if (n->warns)
        tt_log(log, TT_LOG_WARN, "%s", n->text);
    else
        tt_log(log, TT_LOG_NOTE, "%s: %s", n->topic, n->text);
}

static enum tt_code plan_and_write(tt_run *r, const struct tt_log *log,
                                   tt_err *err)
{
    const struct tt_desc **desc = NULL;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(desc, r->scenario->n_fmu))
        return run_nomem(err);
    for (uint32_t i = 0; i < r->scenario->n_fmu; i++)
        desc[i] = r->type[i] ? &r->type[i]->desc : NULL;
    rc = tt_plan_new(&r->plan, r->scenario, desc, log, err);
    tt_free(desc);
    if (rc == TT_OK && r->opts.host)
        rc = run_name_guests(r, err);
    if (rc == TT_OK)
        rc = tt_score_new(&r->score, r->plan, err);
    if (rc == TT_OK)
        rc = run_split(r, err);
    for (uint32_t i = 0; rc == TT_OK && i < r->score->n_note; i++)
        say_note(log, &r->score->note[i]);
    return rc;
}

/* Where steps may be taken back, whether units can is not left to them. What
 * the plan had to tell was told the first time. */
static enum tt_code plan_on_trial(tt_run *r, tt_err *err)
{
    /* the like of a host has told all */
    enum tt_code rc = plan_and_write(r, r->opts.host ? NULL : r->opts.log, err);

    if (rc != TT_OK || !r->opts.trial || r->opts.link || !r->score->n_state)
        return rc;
    if (!TT_NEW_ARRAY(r->tried, r->scenario->n_fmu))
        return run_nomem(err);
    if (!run_doubt(r))
        return TT_OK;
    tt_score_free(r->score);
    tt_plan_free(r->plan);
    r->score = NULL;
    r->plan = NULL;
    return plan_and_write(r, NULL, err);
}

/* Rule for the last step: shortened where H does not divide the span, left
 * out where a unit cannot vary its step. */
static void plan_time(tt_run *r)
{
    const struct tt_experiment *e = &r->plan->experiment;
    char end[TT_NUM_MAX], h[TT_NUM_MAX];

    tt_agenda_init(&r->agenda, e->start, e->end, r->plan->step);
    r->t = e->start;
    if (r->plan->dialect)
        tt_agenda_sum(&r->agenda, r->plan->dialect == TT_SC_MAESTRO1
                                      ? TT_AGENDA_SUM_FIRST
                                      : TT_AGENDA_SUM);
    if (r->plan->rejects || !r->agenda.short_last)
        return;
    tt_num_print_short(h, r->plan->step);
    tt_num_print_short(end, e->end);
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (r->plan->unit[u].desc->caps.variable_step || r->agenda.n_full == 0)
            continue;
        tt_agenda_drop_short(&r->agenda);
        tt_log(r->opts.log, TT_LOG_WARN,
               "the step %s s does not divide the span and unit '%s' cannot "
               "vary its step: the last, shorter step to t=%s is left out",
               h, r->plan->unit[u].name, end);
        return;
    }
    tt_plan_note(r->plan, "step",
                 "%s s does not divide the span: the last step is shortened "
                 "to end at t=%s",
                 h, end);
}

static enum tt_code take_options(tt_run *r, const struct tt_run_opts *o,
                                 tt_err *err)
{
    r->opts = *o;
    r->opts.observer = NULL;
    r->now = o->stage ? &o->stage->now : &r->own_now;
    r->crumb = o->stage ? &o->stage->crumb : &r->own_crumb;
    r->crumb->stage = o->stage;
    if (o->host) {
        enum tt_code rc = run_guest_new(r, o->host, err);

        if (rc != TT_OK)
            return rc;
    }
    if (!TT_NEW_ARRAY(r->observer, o->n_observer))
        return run_nomem(err);
    for (uint32_t i = 0; i < o->n_observer; i++)
        r->observer[i] = o->observer[i];
    r->opts.observer = r->observer;
    return TT_OK;
}

enum tt_code tt_run_new(tt_run **out, const tt_scenario *s,
                        const struct tt_run_opts *o, tt_err *err)
{
    tt_run *r;
    enum tt_code rc;

    if (!TT_NEW(r))
        return run_nomem(err);
    r->scenario = s;
    rc = take_options(r, o, err);
    if (rc == TT_OK && !TT_NEW_ARRAY(r->source, s->n_fmu))
        rc = run_nomem(err);
    if (rc == TT_OK)
        rc = run_open_types(r, err);
    tt_crumb_clear(r->crumb);
    if (rc == TT_OK)
        rc = plan_on_trial(r, err);
    if (rc == TT_OK && r->plan->rejects)
        rc = run_vary_new(r, err);
    /* others follow the rank that waits */
    if (rc == TT_OK && s->real_time.factor > 0 && !s->inside &&
        !(o->link && o->link->rank))
        rc = run_wait_new(r, err);
    if (rc == TT_OK)
        rc = run_bonds_new(r, err);
    if (rc == TT_OK)
        rc = run_plan_copies(r, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK) {
        if (!s->inside)
            plan_time(r);
        r->until = r->plan->experiment.end;
        run_note_places(r);
        r->timed_mask = r->wait ? 0 : TT_RUN_TIMED - 1;
        r->plain = !r->bonds && !run_has_last(r);
        *out = r;
        r = NULL;
    }
    tt_run_free(r);
    return rc;
}

void tt_run_free(tt_run *r)
{
    if (!r)
        return;
    (void)run_guest_busy(r, 1);
    if (r->phase == PHASE_STARTED)
        (void)!tt_run_end(r, NULL);
    tt_part_free(r->part);
    run_join_crew(r);
    tt_free(r->own_mate);
    tt_free(r->copy);
    run_close(r);
    tt_crumb_clear(r->crumb);
    run_vary_free(r->vary);
    run_wait_free(r->wait);
    run_error_free(r->error);
    run_bonds_free(r->bonds);
    run_growth_free(r->growing);
    tt_free(r->source);
    (void)run_guest_busy(r, 0);
    run_guest_free(r->guest);
    tt_score_free(r->score);
    tt_plan_free(r->plan);
    tt_free(r->column);
    tt_free(r->look);
    tt_free(r->observer);
    tt_free(r->tried);
    tt_free(r);
}

/* --- play ------------------------------------------------------------------
 */

enum tt_code tt_run_start(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    if (r->phase != PHASE_NEW)
        return tt_fail(err, TT_ESTATE, "the run was started already");
    r->phase = PHASE_STARTED;
    rc = run_agree(r, run_make_units(r, err), err);
    if (rc == TT_OK)
        rc = run_initialise(r, err);
    tt_crumb_clear(r->crumb);
    if (rc == TT_OK)
        rc = run_make_crew(r, err);
    if (rc == TT_OK && r->vary)
        rc = run_vary_start(r, err);
    if (rc == TT_OK)
        rc = run_growth_start(r, err);
    if (rc == TT_OK)
        rc = run_begin_rows(r, err);
    if (rc == TT_OK)
        rc = run_row(r, 0, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK)
        run_accompany_start(r);
    run_between_calls(r);
    return rc == TT_OK ? TT_OK : run_failed(r, rc);
}

int tt_run_done(const tt_run *r)
{
    if (r->why != TT_RUN_NOT_ENDED)
        return 1;
    if (r->vary)
        return run_vary_done(r);
    return tt_agenda_is_empty(&r->agenda);
}

static void say_how_it_ended(tt_run *r)
{
    char t[TT_NUM_MAX];
    const char *how = "completed";

    tt_num_print_digits(t, r->t, 12);
    if (r->why == TT_RUN_TERMINATED) /* the sentence names the unit already */
        return;
    if (r->why == TT_RUN_STOPPED)
        how = "stopped";
    if (r->why == TT_RUN_FAILED)
        how = "failed";
    snprintf(r->sentence, sizeof(r->sentence), "%s: %llu step%s to t=%s s", how,
             (unsigned long long)r->agenda.n, r->agenda.n == 1 ? "" : "s", t);
}

/* What repeating the steps took, for the report. */
static void tell_iteration(tt_run *r)
{
    struct tt_part_stats s = tt_run_stats(r);
    char mean[TT_NUM_MAX];

    if (!s.evaluations || !r->agenda.n)
        return;
    tt_num_print_digits(mean, (double)s.evaluations / (double)r->agenda.n, 3);
    tt_plan_note(r->plan, "iteration", "%s evaluations per step on average",
                 mean);
}

/* How Newton came to know how couplings follow their actions. */
static void tell_jacobians(tt_run *r)
{
    struct tt_part_stats s = tt_run_stats(r);

    if (!s.given && !s.tried)
        return;
    tt_plan_note(r->plan, "coupling",
                 "Newton's Jacobian: %llu from directional derivatives, %llu "
                 "by trial steps%s%s",
                 (unsigned long long)s.given, (unsigned long long)s.tried,
                 s.refused ? "; derivatives were given up: " : "",
                 s.refused ? s.refused : "");
}

static void warn_unconverged(const tt_run *r)
{
    struct tt_part_stats s = tt_run_stats(r);

    if (s.unconverged && r->why != TT_RUN_FAILED)
        tt_log(r->opts.log, TT_LOG_WARN,
               "%llu of %llu steps were accepted although the units did not "
               "agree within the tolerance",
               (unsigned long long)s.unconverged,
               (unsigned long long)r->agenda.n);
}

static void warn_lags(const tt_run *r)
{
    char lag[TT_NUM_MAX];

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (!r->unit || !r->unit[u] || !(r->unit[u]->max_lag > 0))
            continue;
        tt_num_print_short(lag, r->unit[u]->max_lag);
        tt_log(r->opts.log, TT_LOG_WARN,
               "unit '%s': its own time differed from the communication point "
               "by up to %s of a step",
               r->unit[u]->name, lag);
    }
}

/* Results first: a unit may crash while it ends. */
enum tt_code tt_run_end(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    if (r->phase != PHASE_STARTED)
        return tt_fail(err, TT_ESTATE, "the run is not playing");
    r->phase = PHASE_ENDED;
    run_join_crew(r);
    rc = run_end_rows(r, err);
    if (rc != TT_OK)
        run_failed(r, rc);
    if (r->why == TT_RUN_NOT_ENDED)
        r->why = tt_run_done(r) ? TT_RUN_COMPLETE : TT_RUN_STOPPED;
    say_how_it_ended(r);
    if (r->vary)
        run_vary_tell(r);
    run_bonds_tell(r);
    tell_iteration(r);
    if (r->wait)
        run_wait_end(r);
    if (r->opts.link && r->part && !r->alone)
        (void)!run_share_stats(r, NULL); /* less is known of units, no more */
    run_growth_end(r);
    warn_lags(r);
    warn_unconverged(r);
    tell_jacobians(r);
    run_tell_couplings(r);
    for (uint32_t u = 0; r->unit && u < r->plan->n_unit; u++) {
        tt_unit *unit = r->unit[u];
        tt_err words;

        if (!unit ||
            (unit->life != TT_LIFE_READY && unit->life != TT_LIFE_EVENT))
            continue;
        if (tt_unit_end(unit, &words) != TT_OK)
            tt_log(r->opts.log, TT_LOG_WARN, "%s", words.msg);
    }
    tt_crumb_clear(r->crumb);
    return rc;
}

enum tt_code tt_run_perform(tt_run *r, tt_err *err)
{
    enum tt_code rc = tt_run_start(r, err);

    while (rc == TT_OK && !tt_run_done(r))
        rc = tt_run_step(r, err);
    if (rc != TT_OK)
        (void)!tt_run_end(r, NULL);
    else
        rc = tt_run_end(r, err);
    return rc;
}
