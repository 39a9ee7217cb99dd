/* SPDX-License-Identifier: MIT */
/* Unit kinds fmi3, fmi3me and fmi3se: FMI 3.0 for Co-Simulation, for Model
 * Exchange and for Scheduled Execution. Life, steps, events, states. */
#include "kinds/fmi3_impl.h"
#include "base/hooks.h"
#include "kinds/me_impl.h"
#include "kinds/se_impl.h"

#include <math.h>

#include "kinds/kinds.h"

enum { EVENT_ROUNDS = 100 }; /* before the first step; more is no event */

static void logger(void *env, enum tt_fmi_status status, const char *category,
                   const char *message)
{
    struct tt_kfmi_unit *k = tt_kfmi_pin(env);

    if (k)
        tt_kfmi_log(&k->logger, tt_kfmi_level(status), category, message);
    tt_kfmi_unpin(k);
}

/* --- events ------------------------------------------------------------- */

static enum tt_code event_enter(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (!u->event_mode)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it was instantiated without event mode");
    if (!tt_k3_fns(u)->enter_event_mode)
        return tt_kfmi_missing("fmi3EnterEventMode", err);
    return tt_kfmi_check(&u->k, "fmi3EnterEventMode",
                         tt_k3_fns(u)->enter_event_mode(u->k.comp), err);
}

/* What it does not state is no. */
static inline enum tt_fmi_status
update_discrete_states(struct tt_k3_unit *u, struct tt_event_result *r)
{
    r->next = (double)INFINITY;
    r->again = r->terminate = r->values_changed = r->nominals_changed =
        r->next_defined = false;
    return tt_k3_fns(u)->update_discrete_states(
        u->k.comp, &r->again, &r->terminate, &r->nominals_changed,
        &r->values_changed, &r->next_defined, &r->next);
}

static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (!tt_k3_fns(u)->update_discrete_states)
        return tt_kfmi_missing("fmi3UpdateDiscreteStates", err);
    return tt_kfmi_check(&u->k, "fmi3UpdateDiscreteStates",
                         update_discrete_states(u, r), err);
}

static enum tt_code event_leave(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (!tt_k3_fns(u)->enter_step_mode)
        return tt_kfmi_missing("fmi3EnterStepMode", err);
    return tt_kfmi_check(&u->k, "fmi3EnterStepMode",
                         tt_k3_fns(u)->enter_step_mode(u->k.comp), err);
}

/* The event at the start, for callers that did not play it themselves. */
static enum tt_code settle_start(tt_unit *base, tt_err *err)
{
    struct tt_event_result r = {.again = 1};
    enum tt_code rc = TT_OK;

    for (int i = 0; rc == TT_OK && r.again; i++) {
        if (i == EVENT_ROUNDS)
            return tt_fail(err, TT_EUNIT,
                           "fmi3UpdateDiscreteStates asked for more after %d "
                           "rounds at one instant",
                           EVENT_ROUNDS);
        rc = event_update(base, &r, err);
        if (rc == TT_OK && r.terminate)
            return tt_fail(err, TT_ESTOPPED,
                           "it asks for the simulation to end before its first "
                           "step");
    }
    if (rc == TT_OK)
        rc = event_leave(base, err);
    if (rc == TT_OK)
        base->life = TT_LIFE_READY;
    return rc;
}

/* --- life --------------------------------------------------------------- */

static enum tt_code enter_init(tt_unit *base, const struct tt_experiment *e,
                               tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    bool has_stop = isfinite(e->end);
    bool has_tolerance = e->tolerance > 0;

    u->k.stop = e->end;
    u->k.tolerance = e->tolerance;
    tt_kfmi_activity(base->activity, "fmi3EnterInitializationMode");
    return tt_kfmi_check(&u->k, "fmi3EnterInitializationMode",
                         tt_k3_fns(u)->enter_initialization(
                             u->k.comp, has_tolerance,
                             has_tolerance ? e->tolerance : 0, e->start,
                             has_stop, has_stop ? e->end : 0),
                         err);
}

/* FMI 3.0.2, 2.3.2: with event mode, initialisation ends in it. */
static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    enum tt_code rc = tt_kfmi_exit_init(base, err);

    if (rc == TT_OK && tt_k3_unit(base)->event_mode)
        base->life = TT_LIFE_EVENT;
    return rc;
}

static enum tt_code prepare(tt_unit *base, uint32_t n_state, tt_err *err)
{
    enum tt_code rc = tt_kfmi_prepare(&tt_k3_unit(base)->k, n_state, err);

    if (rc != TT_OK || base->life != TT_LIFE_EVENT)
        return rc;
    return settle_start(base, err);
}

static void renew(struct tt_kfmi_unit *k)
{
    tt_k3_used_up(tt_k3_unit(&k->base));
}

static void release(struct tt_kfmi_unit *k)
{
    struct tt_k3_unit *u = tt_k3_unit(&k->base);

    TT_FREE_ALL(u->course, u->poly, u->value, u->vr, u->texts.text,
                u->texts.bytes, u->texts.size);
    tt_k3_free_sizes(u);
}

static enum tt_code reset(tt_unit *base, tt_err *err)
{
    enum tt_code rc = tt_kfmi_reset(base, err);

    return rc == TT_OK ? tt_k3_forget_sizes(tt_k3_unit(base), err) : rc;
}

static void release_se(struct tt_kfmi_unit *k)
{
    tt_kse_release(tt_kse_unit(&k->base));
    release(k);
}

/* --- steps -------------------------------------------------------------- */

struct tt_stepped tt_k3_outcome(const struct tt_k3_unit *u,
                                enum tt_fmi_status s,
                                const struct tt_k3_answer *a,
                                const struct tt_k3_span *t)
{
    const bool *flags = a->flags;
    double now = t->now, to = t->to;
    double own = isfinite(a->own_time) ? a->own_time : to;
    int there = fabs(own - to) <= TT_K3_LAG_TOLERANCE * t->h;
    struct tt_stepped r = {.reached = to};

    if (s == TT_FMI_DISCARD) { /* FMI 3.0.2, 4.2.1.1: as before the call */
        r.reached = now;
        r.flags = TT_STEP_REJECT;
        r.after = TT_AFTER_UNCHANGED;
        return r;
    }
    if (flags[TT_K3_EVENT] && u->event_mode)
        r.flags |= TT_STEP_EVENT;
    if (flags[TT_K3_TERMINATE])
        r.flags |= TT_STEP_TERMINATE;
    if (there) /* some report an early return there, too */
        return r;
    if (flags[TT_K3_EARLY])
        r.flags |= TT_STEP_EARLY;
    if (flags[TT_K3_EARLY] || flags[TT_K3_TERMINATE]) {
        r.reached = own > now ? own : now;
        r.reached = r.reached < to ? r.reached : to;
        r.flags |= r.reached < to ? TT_STEP_EARLY : 0u;
        return r;
    }
    /* The step is done all the same: go on from its end. */
    r.flags |= TT_STEP_LAG;
    r.lag = own - to;
    return r;
}

static enum tt_code step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    struct tt_k3_answer a = {.own_time = s->to};
    bool *flags = a.flags;
    enum tt_fmi_status status = tt_k3_fns(u)->do_step(
        u->k.comp, base->now, tt_h_within(base->now, s->h, u->k.stop),
        !s->may_restore, &flags[TT_K3_EVENT], &flags[TT_K3_TERMINATE],
        &flags[TT_K3_EARLY], &a.own_time);

    if (status > TT_FMI_DISCARD)
        return tt_kfmi_check(&u->k, "fmi3DoStep", status, err);
    *r = tt_k3_outcome(u, status, &a,
                       &(struct tt_k3_span){base->now, s->to, s->h});
    if (!(r->flags & TT_STEP_REJECT))
        tt_k3_used_up(u);
    return TT_OK;
}

static const struct tt_unit_ops unit_ops = {
    TT_KFMI_OPS,
    TT_HOOKS(tt_k3_, configure, set, bind, course, rates, intervals,
             set_intervals),
    TT_HOOKS(, enter_init, exit_init, step, prepare, reset, event_enter,
             event_update, event_leave),
    TT_HOOKS(tt_kfmi_, explain, settle)};

/* --- model exchange ----------------------------------------------------- */

static enum tt_fmi_status completed(struct tt_kfmi_unit *k, int no_prior,
                                    int *enter_event, int *terminate)
{
    const struct tt_fmi3_fns *f = tt_k3_fns(tt_k3_unit(&k->base));
    bool enter = false, end = false;
    enum tt_fmi_status s =
        f->completed_step
            ? f->completed_step(k->comp, no_prior != 0, &enter, &end)
            : TT_FMI_OK;

    *enter_event = enter;
    *terminate = end;
    return s;
}

static enum tt_fmi_status updated(struct tt_kfmi_unit *k,
                                  struct tt_event_result *r)
{
    return update_discrete_states(tt_k3_unit(&k->base), r);
}

/* Structural parameters may have changed what the description states. */
static enum tt_fmi_status count(struct tt_kfmi_unit *k, size_t *n_x,
                                size_t *n_z)
{
    const struct tt_fmi3_fns *f = tt_k3_fns(tt_k3_unit(&k->base));
    enum tt_fmi_status s = TT_FMI_OK;

    if (f->count_states)
        s = f->count_states(k->comp, n_x);
    if (s <= TT_FMI_WARNING && f->count_indicators)
        s = f->count_indicators(k->comp, n_z);
    return s;
}

static const struct tt_kme_version me_calls = {
    TT_KME_CALLS("fmi3"),
    TT_KME_MODES("fmi3"),
    .get_derivatives = "fmi3GetContinuousStateDerivatives",
    .update = "fmi3UpdateDiscreteStates",
    TT_HOOKS(, completed, updated, count),
};

static enum tt_code set_me(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    return tt_k3_is_configured_by(tt_k3_unit(u), s)
               ? tt_k3_set_structural(tt_k3_unit(u), s, err)
               : tt_kme_set(u, s, err);
}

static enum tt_code reset_me(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_kme_reset(u, err);

    return rc == TT_OK ? tt_k3_forget_sizes(tt_k3_unit(u), err) : rc;
}

static const struct tt_unit_ops me_ops = {
    TT_KME_OPS_ALL,           .configure = tt_k3_configure,
    .enter_init = enter_init, .set = set_me,
    .reset = reset_me,        TT_HOOKS(tt_k3_, intervals, set_intervals),
};

/* --- scheduled execution ------------------------------------------------- */

static const struct tt_unit_ops se_ops = {
    .enter_init = enter_init,
    TT_HOOKS(tt_kse_, exit_init, get, set, step, prepare, save, restore, pack,
             unpack, reset, event_enter, event_update, event_leave,
             set_intervals),
    TT_HOOKS(tt_kfmi_, end, free, packable)};

/* --- kind --------------------------------------------------------------- */

static enum tt_code bind_library(struct tt_kfmi_type *k, tt_err *err)
{
    struct tt_fmi3_fns *f = &((struct tt_k3_type *)(void *)k)->f;
    enum tt_code rc = tt_fmi3_bind(k->lib, k->version->face, f, err);

    k->has_rates = f->get_output_derivatives != NULL;
    k->has_along = f->get_directional_derivative != NULL;
    return rc;
}

static enum tt_code choose(struct tt_kfmi_type *k, const struct tt_make *m,
                           const struct tt_fmi_fns **fns, tt_err *err)
{
    (void)m;
    (void)err;
    *fns = &((struct tt_k3_type *)(void *)k)->f.all;
    return TT_OK;
}

static enum tt_code begin(struct tt_kfmi_unit *k, const struct tt_make *m,
                          tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(&k->base);

    k->do_step.v3 = tt_k3_fns(u)->do_step;
    u->event_mode = m->event_mode && k->base.desc->caps.event_mode;
    return k->type->version->face == TT_FMI_CS
               ? tt_k3_plan_update(u, m->want_course, err)
               : TT_OK;
}

static enum tt_code begin_se(struct tt_kfmi_unit *k, const struct tt_make *m,
                             tt_err *err)
{
    enum tt_code rc = begin(k, m, err);

    return rc == TT_OK ? tt_kse_plan(tt_kse_unit(&k->base), err) : rc;
}

static void *instantiate_once(struct tt_k3_unit *u,
                              const struct tt_kfmi_birth *b)
{
    return tt_k3_fns(u)->instantiate_cs(
        b->name, b->token, b->resources, b->visible != 0, b->logging != 0,
        u->event_mode != 0, b->early_return != 0, u->vr, u->n_vr, u->k.env,
        logger, u->n_vr ? tt_k3_intermediate : tt_k3_no_update);
}

static void *instantiate_me(struct tt_kfmi_unit *k,
                            const struct tt_kfmi_birth *b)
{
    return tt_k3_fns(tt_k3_unit(&k->base))
        ->instantiate_me(b->name, b->token, b->resources, b->visible != 0,
                         b->logging != 0, k->env, logger);
}

static void *instantiate_se(struct tt_kfmi_unit *k,
                            const struct tt_kfmi_birth *b)
{
    return tt_k3_fns(tt_k3_unit(&k->base))
        ->instantiate_se(b->name, b->token, b->resources, b->visible != 0,
                         b->logging != 0, k->env, logger, tt_kse_clock_update,
                         tt_kse_no_lock, tt_kse_no_lock);
}

/* Some declare event mode and then refuse it. */
static void *instantiate(struct tt_kfmi_unit *k, const struct tt_kfmi_birth *b)
{
    struct tt_k3_unit *u = tt_k3_unit(&k->base);
    void *comp = instantiate_once(u, b);

    if (comp || !u->event_mode)
        return comp;
    u->event_mode = 0;
    comp = instantiate_once(u, b);
    if (comp)
        tt_log(k->base.log, TT_LOG_WARN,
               "instance '%s': declares event mode but cannot be "
               "instantiated with it, so it runs without",
               k->base.name);
    return comp;
}

static enum tt_fmi_status set_logging(struct tt_kfmi_unit *k,
                                      const struct tt_make *m)
{
    const struct tt_fmi3_fns *f = tt_k3_fns(tt_k3_unit(&k->base));

    return f->set_debug_logging
               ? f->set_debug_logging(k->comp, m->logging != 0,
                                      m->n_log_category, m->log_category)
               : TT_FMI_OK;
}

static enum tt_fmi_status rates(struct tt_kfmi_unit *k, const uint32_t *vr,
                                size_t n, const int *order, double *value,
                                size_t n_value)
{
    return tt_k3_fns(tt_k3_unit(&k->base))
        ->get_output_derivatives(k->comp, vr, n, order, value, n_value);
}

static enum tt_fmi_status along(struct tt_kfmi_unit *k,
                                const struct tt_kfmi_along *a)
{
    return tt_k3_fns(tt_k3_unit(&k->base))
        ->get_directional_derivative(k->comp, a->unknown, a->n_unknown,
                                     a->known, a->n_known, a->seed, a->n_seed,
                                     a->out, a->n_out);
}

/* What all interfaces have alike. */
#define COMMON(instantiate_fn, Interface)                                      \
    .number = 3, .type_size = sizeof(struct tt_k3_type),                       \
    .access = tt_k3_access,                                                    \
    .calls = {TT_KFMI_CALLS("fmi3", "FMUState", "Deserialize"),                \
              .instantiate = "fmi3Instantiate" Interface,                      \
              .get_rates = "fmi3GetOutputDerivatives"},                        \
    .rates = rates, .along = along, .bind = bind_library, .choose = choose,    \
    .instantiate = (instantiate_fn), .set_logging = set_logging,               \
    .renew = renew, .get_texts = tt_k3_get_texts,                              \
    .set_texts = tt_k3_set_texts, .text_room = tt_k3_text_room

#define PLAIN                                                                  \
    .unit_size = sizeof(struct tt_k3_unit), .begin = begin, .release = release

const struct tt_kfmi_version tt_kfmi_version_fmi3se = {
    COMMON(instantiate_se, "ScheduledExecution"),
    .unit_size = sizeof(struct tt_kse_unit),
    .ops = &se_ops,
    .face = TT_FMI_SE,
    .kind = &tt_kind_fmi3se,
    .begin = begin_se,
    .release = release_se,
};

const struct tt_kfmi_version tt_kfmi_version_fmi3me = {
    COMMON(instantiate_me, "ModelExchange"),
    PLAIN,
    .ops = &me_ops,
    .face = TT_FMI_ME,
    .kind = &tt_kind_fmi3me,
    .me = &me_calls,
    .instead = &tt_kfmi_version_fmi3se,
};

const struct tt_kfmi_version tt_kfmi_version_fmi3 = {
    COMMON(instantiate, "CoSimulation"),
    PLAIN,
    .ops = &unit_ops,
    .face = TT_FMI_CS,
    .kind = &tt_kind_fmi3,
    .instead = &tt_kfmi_version_fmi3me,
};
