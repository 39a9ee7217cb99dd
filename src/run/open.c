/* SPDX-License-Identifier: MIT */
/* Types are opened once per FMU, instances made once per unit. */

#include <math.h>
#include <string.h>

#include "kinds/kinds.h"
#include "remote/isolate.h"
#include "remote/remote.h"
#include "run/run_impl.h"
#include "unit/sleeper.h"
#include "unit/substep.h"
#include "unit/linear.h"

enum tt_code run_nomem(tt_err *err)
{
    return tt_nomem(err, "preparing the run");
}

static void set_activity(tt_run *r, const char *name, const char *call)
{
    r->activity->playing = 0;
    tt_activity_set(r->activity, name, call);
}

static double deadline(const tt_run *r)
{
    return isnan(r->scenario->deadline) ? 0 : r->scenario->deadline;
}

static enum tt_code open_here(tt_run *r, uint32_t i, const struct tt_source *s,
                              tt_err *err)
{
    const struct tt_kind_ops *kind;
    enum tt_code rc = r->opts.kind_cb ? r->opts.kind_cb(&kind, s, err)
                                      : tt_kind_for(&kind, s, err);

    return rc == TT_OK ? kind->open(&r->type[i], s, err) : rc;
}

#define KEYS_COMPARED 256u

/* Is it one that was opened under another key, as far as that is looked for? */
static int was_opened(const tt_run *r, uint32_t fmu)
{
    const struct tt_sc_fmu *f = r->scenario->fmu;

    for (uint32_t i = 0; i < r->scenario->n_fmu && i < KEYS_COMPARED; i++)
        if (r->type[i] && f[i].path && strcmp(f[i].path, f[fmu].path) == 0)
            return 1;
    return 0;
}

/* Was it a clause, whose place is named already? */
static int is_of_clause(const struct tt_sc_fmu *f, const tt_err *err)
{
    return f->n_clause && err && err->place.line &&
           strcmp(err->place.file, f->clause->file) == 0;
}

/* The FMU of a unit, which is the first to need it. */
static enum tt_code open_type(tt_run *r, uint32_t unit, uint32_t *opened,
                              tt_err *err)
{
    uint32_t i = r->scenario->unit[unit].fmu;
    const struct tt_sc_fmu *f = &r->scenario->fmu[i];
    struct tt_source s = {TT_SAME(f, path, inner, clause, n_clause),
                          .script = r->scenario->script,
                          .interface = (enum tt_interface)f->interface,
                          .log = r->opts.log,
                          .within = r->opts.within,
                          .opened = opened,
                          .kind_cb = r->opts.kind_cb,
                          .base = r->scenario->base,
                          .only_base = r->scenario->only_base,
                          .known = was_opened(r, i),
                          .no_event_mode = r->opts.no_event_mode};
    const struct tt_remote far = tt_remote_of(r->scenario, i);
    char at[512];
    enum tt_code rc;

    s.far = &far;
    set_activity(r, f->key, "load");
    rc = tt_remote_is(&s) ? tt_kind_remote.open(&r->type[i], &s, err)
                          : open_here(r, i, &s, err);
    if (rc == TT_OK)
        return TT_OK;
    if (err && is_of_clause(f, err))
        tt_spot_of(&err->place, r->scenario->unit[unit].name, NULL);
    if (f->where.file == TT_NONE || is_of_clause(f, err))
        return rc;
    if (err) {
        tt_scenario_place(r->scenario, f->where, &err->place);
        tt_spot_of(&err->place, r->scenario->unit[unit].name, NULL);
    }
    return tt_context(err, rc, "%s: FMU '%s'",
                      tt_scenario_at(r->scenario, f->where, at, sizeof(at)),
                      f->key);
}

#define MOST_INSIDE 100000u

static uint64_t count_of(const tt_unit_type *t)
{
    return t && t->desc.inside ? t->desc.inside : 1;
}

/* Ten scenarios of ten scenarios each, and so on, are soon more than any
 * machine holds, written in a few lines. */
static enum tt_code check_inside(const tt_run *r, tt_err *err)
{
    const tt_scenario *s = r->scenario;
    uint64_t n = 0;

    for (uint32_t u = 0; u < s->n_unit; u++)
        n += count_of(r->type[s->unit[u].fmu]);
    if (n == s->n_unit || n <= MOST_INSIDE)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "scenario '%s': with those in it these are %llu instances; "
                   "at most %u",
                   s->name, (unsigned long long)n, MOST_INSIDE);
}

static uint32_t instances(const tt_run *r, uint32_t fmu)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < r->scenario->n_unit; u++)
        n += r->scenario->unit[u].fmu == fmu;
    return n;
}

/* Units of one FMU that allows one instance per process. */
static int must_part(const tt_run *r, uint32_t fmu)
{
    return r->type[fmu]->desc.caps.once_per_process && instances(r, fmu) > 1 &&
           !tt_type_has(r->type[fmu], TT_KIND_FAR);
}

/* Without event mode units handle their events themselves; those inside units
 * that have nothing else have them there. */
static void leave_events_inside(tt_run *r)
{
    int n = 0;

    if (!r->opts.no_event_mode)
        return;
    for (uint32_t i = 0; r->type && i < r->scenario->n_fmu; i++)
        if (r->type[i] && r->type[i]->desc.caps.event_mode &&
            !(r->opts.within && r->type[i]->desc.caps.discrete)) {
            r->type[i]->desc.caps.event_mode = 0;
            n++;
        }
    if (n)
        run_note(r, "events",
                 "inside the instances, since event mode is not to be used");
}

/* FMUs whose instances are not all in this process are integrated alone. */
static void leave_apart(tt_run *r)
{
    for (uint32_t i = 0; r->type && i < r->scenario->n_fmu; i++) {
        if (!r->type[i] || !r->type[i]->desc.caps.joins)
            continue;
        if (r->opts.link)
            r->type[i]->desc.apart = "several ranks play the scenario";
        else if (r->opts.sandbox || must_part(r, i))
            r->type[i]->desc.apart = "it lives in a process of its own";
    }
}

/* A run whose types this one borrows, or NULL. */
static const tt_run *lender(const tt_run *r)
{
    return r->opts.host ? r->opts.host->like : r->opts.like;
}

/* FMUs that no unit uses are not opened. Those that cannot be are passed over
 * when the caller wants all problems; the plan does without them. */
enum tt_code run_open_types(tt_run *r, tt_err *err)
{
    const tt_scenario *s = r->scenario;
    uint32_t first = 0;
    uint32_t *opened = r->opts.within ? r->opts.within->opened : &first;
    enum tt_code rc = TT_OK;
    char *seen = tt_zalloc(s->n_fmu, 1);

    if (lender(r)) {
        tt_free(seen);
        r->type = lender(r)->type; /* borrowed */
        return TT_OK;
    }
    if (!TT_NEW_ARRAY(r->type, s->n_fmu) || !seen)
        rc = run_nomem(err);
    for (uint32_t u = 0; u < s->n_unit && rc == TT_OK; u++) {
        uint32_t i = s->unit[u].fmu;

        if (seen[i] || !s->fmu[i].path)
            continue;
        seen[i] = 1;
        rc = open_type(r, u, opened, err);
        if (rc != TT_OK && tt_log_problem(r->opts.log, rc, err))
            rc = TT_OK;
    }
    tt_free(seen);
    leave_events_inside(r);
    leave_apart(r);
    return rc == TT_OK ? check_inside(r, err) : rc;
}

/* Flows of more than two terminals that meet are summed up by units that the
 * scenario does not name. */
enum tt_code run_sum_flows(tt_run *r, tt_err *err)
{
    const tt_scenario *was = r->scenario;
    const struct tt_desc **desc = run_descs(r);
    uint32_t first = 0;
    uint32_t *opened = r->opts.within ? r->opts.within->opened : &first;
    tt_unit_type **type;
    enum tt_code rc = desc
                          ? tt_plan_sum_flows(&r->scenario, desc, r->arena, err)
                          : run_nomem(err);

    tt_free(desc);
    if (rc != TT_OK || r->scenario == was || lender(r))
        return rc;
    if (!TT_NEW_ARRAY(type, r->scenario->n_fmu)) {
        r->scenario = was; /* what is open is closed by it */
        return run_nomem(err);
    }
    memcpy(type, r->type, was->n_fmu * sizeof(tt_unit_type *));
    tt_free(r->type);
    r->type = type;
    for (uint32_t u = was->n_unit; u < r->scenario->n_unit && rc == TT_OK; u++)
        rc = open_type(r, u, opened, err);
    return rc;
}

enum tt_code tt_run_unpack_units(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->scenario->n_fmu && rc == TT_OK; i++)
        if (r->type[i] && r->type[i]->kind->unpack)
            rc = r->type[i]->kind->unpack(r->type[i], err);
    return rc;
}

/* --- where units live ---------------------------------------------------- */

int run_is_isolated(const tt_run *r, uint32_t u)
{
    const struct tt_sc_unit *s = &r->scenario->unit[u];
    const tt_unit_type *t = r->type[s->fmu];

    if (!t || tt_type_has(t, TT_KIND_FAR))
        return 0;
    return s->isolate ||
           (r->scenario->isolate && tt_type_has(t, TT_KIND_FOREIGN)) ||
           (r->opts.sandbox &&
            tt_type_has(t, TT_KIND_FOREIGN | TT_KIND_MADE_OF)) ||
           must_part(r, s->fmu);
}

int run_is_elsewhere(const tt_run *r, uint32_t u)
{
    const tt_unit_type *t = r->type[r->scenario->unit[u].fmu];

    return run_is_isolated(r, u) || (t && tt_type_has(t, TT_KIND_FAR));
}

static enum tt_ode_method method_of(const tt_run *r, uint32_t u)
{
    const struct tt_sc_unit *s = &r->scenario->unit[u];

    return s->has_integrator ? s->integrator.method
                             : r->scenario->integrator.method;
}

static int is_integrated(const tt_run *r, uint32_t u)
{
    const tt_unit_type *t = r->type[r->scenario->unit[u].fmu];

    return t && t->kind->interface == TT_INTERFACE_MODEL_EXCHANGE;
}

int run_restarts(const tt_run *r, uint32_t u)
{
    return is_integrated(r, u) && method_of(r, u) == TT_ODE_CVODE;
}

/* Not in the decisions only: results depend on it. */
void run_warn_of_restarts(tt_run *r, uint32_t extra)
{
    const char *when = r->opts.resume      ? "resumed from the checkpoint"
                       : r->score->n_state ? "where a step is taken back"
                                           : "resumed from a checkpoint";

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const struct tt_plan_unit *p = &r->plan->unit[u];

        if (!run_restarts(r, u) || !run_registers(r, u, extra) ||
            (p->together && p->group != u))
            continue;
        tt_log(r->opts.log, TT_LOG_WARN,
               "instance '%s'%s: the history of CVODE cannot be saved; %s it "
               "starts anew, so results are not the same to the bit",
               p->name, p->together ? " and those integrated with it" : "",
               when);
    }
}

static void note_exchange(tt_run *r, uint32_t u)
{
    const struct tt_sc_unit *s = &r->scenario->unit[u];
    enum tt_ode_method method = method_of(r, u);
    const tt_unit_type *t = r->type[s->fmu];

    if (is_integrated(r, u))
        run_note(r, "interface",
                 "%s: model exchange%s; states integrated by method '%s'%s",
                 s->name,
                 r->scenario->fmu[s->fmu].interface ? ""
                                                    : ", for its FMU has no "
                                                      "co-simulation",
                 tt_ode_method_name(method),
                 method == TT_ODE_CVODE
                     ? ", which starts anew where a state is restored: not the "
                       "same to the bit"
                     : "");
    if (t && t->kind->interface == TT_INTERFACE_SCHEDULED_EXECUTION)
        run_note(r, "interface",
                 "%s: scheduled execution%s; its partitions run when their "
                 "clocks tick, by priority, without preemption",
                 s->name,
                 r->scenario->fmu[s->fmu].interface ? ""
                                                    : ", for its FMU has "
                                                      "nothing else");
}

void run_note_places(tt_run *r)
{
    const tt_scenario *s = r->scenario;
    uint32_t n = 0, far = 0;

    for (uint32_t u = 0; u < s->n_unit; u++)
        note_exchange(r, u);

    for (uint32_t i = 0; i < s->n_fmu; i++)
        if (r->type[i] && must_part(r, i))
            run_note(r, "isolation",
                     "the %u instances of '%s' live in processes of their own, "
                     "because it allows one instance per process",
                     (unsigned)instances(r, i), s->fmu[i].key);
    for (uint32_t u = 0; u < s->n_unit; u++) {
        n += run_is_isolated(r, u) != 0;
        far += run_is_elsewhere(r, u) != 0;
    }
    if (n)
        run_note(r, "isolation",
                 "%u of %u instance%s in processes of their own", (unsigned)n,
                 (unsigned)s->n_unit, s->n_unit == 1 ? "" : "s");
    if (far > n)
        run_note(r, "isolation", "%u of %u instance%s on other hosts",
                 (unsigned)(far - n), (unsigned)s->n_unit,
                 s->n_unit == 1 ? "" : "s");
    if (!far && !r->opts.held && deadline(r) > 0)
        tt_log(
            r->opts.log, TT_LOG_WARN,
            "a deadline was given, but no instance lives in a process of its "
            "own (--isolate): none can be held to it");
}

static int wants_course(const tt_plan *p, uint32_t unit)
{
    const struct tt_plan_unit *u = &p->unit[unit];
    uint32_t first = u->slot + u->n_read;

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (p->slot[s].course != TT_NONE)
            return 1;
    return 0;
}

/* --- filters: where a unit is made, and what is put around it ------------- */

struct place {
    int (*wanted)(const tt_run *r, uint32_t u); /* NULL: always */
    enum tt_code (*make)(tt_run *r, uint32_t u, const struct tt_make *m,
                         tt_err *err);
};
struct wrapper {
    int (*wanted)(const tt_run *r, uint32_t u);
    /* Takes inner, also when it fails. */
    enum tt_code (*wrap)(tt_run *r, uint32_t u, tt_unit *inner,
                         const struct tt_make *m, tt_err *err);
};

/* The kind stamps its messages with the unit's name. */
static enum tt_code make_isolated(tt_run *r, uint32_t u,
                                  const struct tt_make *m, tt_err *err)
{
    const struct tt_isolate how = {.deadline = deadline(r),
                                   .sandbox = r->opts.sandbox};

    return tt_isolate_make(&r->unit[u], r->type[r->plan->unit[u].fmu], m, &how,
                           err);
}

static enum tt_code make_here(tt_run *r, uint32_t u, const struct tt_make *m,
                              tt_err *err)
{
    tt_unit_type *t = r->type[r->plan->unit[u].fmu];

    return t->kind->make(&r->unit[u], t, m, err);
}

static int may_be_late(const tt_run *r, uint32_t u)
{
    return r->plan->unit[u].late != NULL;
}

static enum tt_code wrap_late(tt_run *r, uint32_t u, tt_unit *inner,
                              const struct tt_make *m, tt_err *err)
{
    const struct tt_late_how how = run_late_how(r, u);

    return tt_late_new(&r->unit[u], inner, &how, m, err);
}

static int is_tangent(const tt_run *r, uint32_t u)
{
    return r->opts.tangent && !r->plan->unit[u].events &&
           tt_linear_can(r->unit[u]->desc);
}

static enum tt_code wrap_tangent(tt_run *r, uint32_t u, tt_unit *inner,
                                 const struct tt_make *m, tt_err *err)
{
    return tt_linear_new(&r->unit[u], inner, r->opts.tangent_late, m, err);
}

static int has_substeps(const tt_run *r, uint32_t u)
{
    return r->plan->unit[u].substeps.n != 0;
}

static enum tt_code wrap_substeps(tt_run *r, uint32_t u, tt_unit *inner,
                                  const struct tt_make *m, tt_err *err)
{
    return tt_substep_new(&r->unit[u], inner, r->plan->unit[u].substeps, m,
                          err);
}

static int has_sleeper(const tt_run *r, uint32_t u)
{
    return r->plan->unit[u].sleeper != TT_SLEEPER_NONE;
}

static enum tt_code wrap_sleeper(tt_run *r, uint32_t u, tt_unit *inner,
                                 const struct tt_make *m, tt_err *err)
{
    return tt_sleeper_new(&r->unit[u], inner,
                          r->plan->unit[u].sleeper == TT_SLEEPER_AWAKE,
                          &r->plan->unit[u].start, m, err);
}

static int sleeps(const tt_run *r, uint32_t u)
{
    return r->plan->unit[u].quantum.most != 0;
}

static enum tt_code wrap_quantum(tt_run *r, uint32_t u, tt_unit *inner,
                                 const struct tt_make *m, tt_err *err)
{
    return tt_quantum_new(&r->unit[u], inner, r->plan->unit[u].quantum, m, err);
}

static int has_elements(const tt_run *r, uint32_t u)
{
    return r->plan->unit[u].n_element != 0;
}

static enum tt_code wrap_elements(tt_run *r, uint32_t u, tt_unit *inner,
                                  const struct tt_make *m, tt_err *err)
{
    const struct tt_plan_unit *pu = &r->plan->unit[u];
    return tt_elements_new(&r->unit[u], inner, pu->element, pu->n_element, m,
                           err);
}

static int has_border(const tt_run *r, uint32_t u)
{
    (void)u;
    return r->opts.host && r->opts.host->wrap_cb;
}

static enum tt_code wrap_border(tt_run *r, uint32_t u, tt_unit *inner,
                                const struct tt_make *m, tt_err *err)
{
    const struct tt_run_host *host = r->opts.host;

    r->unit[u] = inner;
    return host->wrap_cb(host->wrap_ctx, u, &r->unit[u], m, err);
}

/* The first that is wanted makes the unit. */
static const struct place places[] = {
    {run_is_isolated, make_isolated},
    {NULL, make_here},
};
/* Each that is wanted is put around it. */
static const struct wrapper wrappers[] = {
    {may_be_late, wrap_late},      {is_tangent, wrap_tangent},
    {has_sleeper, wrap_sleeper},   {has_elements, wrap_elements},
    {has_substeps, wrap_substeps}, {sleeps, wrap_quantum},
    {has_border, wrap_border},
};

static enum tt_code apply_filters(tt_run *r, uint32_t u,
                                  const struct tt_make *m, tt_err *err)
{
    const struct place *p = places;
    enum tt_code rc;

    while (p->wanted && !p->wanted(r, u))
        p++;
    rc = p->make(r, u, m, err);
    for (size_t i = 0;
         i < sizeof(wrappers) / sizeof(wrappers[0]) && rc == TT_OK; i++) {
        tt_unit *inner = r->unit[u];

        if (!wrappers[i].wanted(r, u))
            continue;
        r->unit[u] = NULL;
        rc = wrappers[i].wrap(r, u, inner, m, err);
    }
    return rc;
}

static int is_made_here(const tt_run *r, uint32_t u)
{
    return !run_is_away(r, u) && !run_is_isolated(r, u);
}

static enum tt_code make_unit(tt_run *r, uint32_t u, uint32_t n_like,
                              tt_err *err)
{
    const tt_scenario *s = r->scenario;
    const struct tt_plan_unit *pu = &r->plan->unit[u];
    const struct tt_run_host *host = r->opts.host;
    const struct tt_experiment e = run_experiment(r, u);
    const char *category[32];
    struct tt_make m = {
        .name = pu->name,
        .instance = pu->instance,
        .log = r->opts.log,
        .activity = r->activity,
        .texts = r->texts,
        .grown = r->grown,
        .visible = s->visible || (host && host->visible),
        .logging = s->logging_on || (host && host->logging),
        .event_mode = pu->events,
        .fed = pu->fed,
        .early_return = (r->plan->rejects || (host && host->early_return)) &&
                        pu->desc->caps.early_return,
        .takes_back =
            r->plan->rejects || run_recovers(r) || (host && host->ends_early),
        .want_course = !pu->substeps.n && !pu->quantum.most &&
                       (wants_course(r->plan, u) || (host && host->wrap_cb)),
        .experiment = host && !host->experiment ? NULL : &e,
        .log_category = category,
        .copy = r->copy ? r->copy[u] : 0,
        .n_like = n_like,
        .integrator =
            s->unit[u].has_integrator ? &s->unit[u].integrator : &s->integrator,
    };

    for (uint32_t i = 0; i < s->n_log_level && m.n_log_category < 32; i++)
        if (s->log_level[i].unit == u)
            category[m.n_log_category++] = s->log_level[i].variable;
    m.logging |= m.n_log_category > 0;
    m.trail = run_trail_ports(r, u, &m.n_trail);
    m.trail_fine = run_trail_is_fine(r, u);
    if (run_is_away(r, u))
        return run_make_away(r, u, &m, err);
    set_activity(r, pu->name, "instantiate");
    return apply_filters(r, u, &m, err);
}

enum tt_code run_make_units(tt_run *r, tt_err *err)
{
    const tt_scenario *s = r->scenario;
    uint32_t *left = NULL; /* per FMU: to be made here */
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(r->unit, r->plan->n_unit) ||
        !TT_NEW_ARRAY(left, s->n_fmu))
        return run_nomem(err);
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        left[s->unit[u].fmu] += (uint32_t)is_made_here(r, u);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        int here = is_made_here(r, u);

        rc = make_unit(r, u, here ? left[s->unit[u].fmu]-- : 0, err);
    }
    tt_free(left);
    return rc;
}

/* Units before their types: an instance may not outlive its library. */
void run_close(tt_run *r)
{
    if (r->unit)
        for (uint32_t u = 0; u < r->plan->n_unit; u++) {
            if (r->unit[u])
                set_activity(r, r->plan->unit[u].name, "free");
            tt_unit_free(r->unit[u]);
        }
    tt_free(r->unit);
    r->unit = NULL;
    if (r->type && !lender(r))
        for (uint32_t i = 0; i < r->scenario->n_fmu; i++)
            if (r->type[i]) {
                set_activity(r, r->scenario->fmu[i].key, "unload");
                r->type[i]->kind->close(r->type[i]);
            }
    if (!lender(r))
        tt_free(r->type);
    r->type = NULL;
}
