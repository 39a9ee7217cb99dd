/* SPDX-License-Identifier: MIT */
/* Unit kind fmi3: FMI 3.0 for Co-Simulation. Life, steps, events, states. */
#include "kinds/fmi3_impl.h"

#include <math.h>

#include "kinds/kinds.h"

enum { EVENT_ROUNDS = 100 }; /* before the first step; more is no event */

static const struct tt_fmi3_fns *fns(const struct tt_k3_unit *u)
{
    return u->k.fns;
}

enum tt_code tt_k3_check(struct tt_k3_unit *u, const char *call,
                         enum tt_fmi3_status s, tt_err *err)
{
    if (s == TT_FMI3_OK || s == TT_FMI3_WARNING)
        return TT_OK;
    if (s == TT_FMI3_FATAL)
        u->k.fatal = 1;
    return tt_kfmi_failed(&u->k, call, tt_fmi3_status_name(s), err);
}

static enum tt_log_level level_of(enum tt_fmi3_status s)
{
    switch (s) {
    case TT_FMI3_OK:
        return TT_LOG_INFO;
    case TT_FMI3_WARNING:
    case TT_FMI3_DISCARD:
        return TT_LOG_WARN;
    case TT_FMI3_ERROR:
    case TT_FMI3_FATAL:
        break;
    }
    return TT_LOG_ERROR;
}

static void logger(void *env, enum tt_fmi3_status status, const char *category,
                   const char *message)
{
    struct tt_kfmi_unit *k = tt_kfmi_pin(env);

    if (k)
        tt_kfmi_say(&k->voice, level_of(status), category, message);
    tt_kfmi_unpin(k);
}

/* --- events ------------------------------------------------------------- */

static enum tt_code event_enter(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (!u->event_mode)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it was instantiated without event mode");
    if (!fns(u)->enter_event_mode)
        return tt_kfmi_missing("fmi3EnterEventMode", err);
    return tt_k3_check(u, "fmi3EnterEventMode",
                       fns(u)->enter_event_mode(u->k.comp), err);
}

static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    bool again = false, terminate = false, nominals = false, values = false;
    bool defined = false;
    double next = (double)INFINITY;
    enum tt_code rc;

    if (!fns(u)->update_discrete_states)
        return tt_kfmi_missing("fmi3UpdateDiscreteStates", err);
    rc = tt_k3_check(u, "fmi3UpdateDiscreteStates",
                     fns(u)->update_discrete_states(u->k.comp, &again,
                                                    &terminate, &nominals,
                                                    &values, &defined, &next),
                     err);
    if (rc == TT_OK)
        *r = (struct tt_event_result){.again = again,
                                      .terminate = terminate,
                                      .values_changed = values,
                                      .nominals_changed = nominals,
                                      .next_defined = defined,
                                      .next = next};
    return rc;
}

static enum tt_code event_leave(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (!fns(u)->enter_step_mode)
        return tt_kfmi_missing("fmi3EnterStepMode", err);
    return tt_k3_check(u, "fmi3EnterStepMode",
                       fns(u)->enter_step_mode(u->k.comp), err);
}

static const struct tt_event_ops event_ops = {
    .enter = event_enter,
    .update = event_update,
    .leave = event_leave,
};

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
                           "it wants the simulation to end before its first "
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
    tt_kfmi_crumb(base->crumb, "fmi3EnterInitializationMode");
    return tt_k3_check(
        u, "fmi3EnterInitializationMode",
        fns(u)->enter_initialization(u->k.comp, has_tolerance,
                                     has_tolerance ? e->tolerance : 0, e->start,
                                     has_stop, has_stop ? e->end : 0),
        err);
}

/* FMI 3.0.2, 2.3.2: with event mode, initialisation ends in it. */
static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    enum tt_code rc = tt_k3_check(u, "fmi3ExitInitializationMode",
                                  fns(u)->exit_initialization(u->k.comp), err);

    if (rc != TT_OK)
        return rc;
    u->k.running = 1;
    if (u->event_mode)
        base->life = TT_LIFE_EVENT;
    return TT_OK;
}

static enum tt_code prepare(tt_unit *base, uint32_t n_state, tt_err *err)
{
    enum tt_code rc = tt_kfmi_prepare(&tt_k3_unit(base)->k, n_state, err);

    if (rc != TT_OK || base->life != TT_LIFE_EVENT)
        return rc;
    return settle_start(base, err);
}

static enum tt_code end(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    u->k.running = 0;
    return tt_k3_check(u, "fmi3Terminate", fns(u)->terminate(u->k.comp), err);
}

static enum tt_code reset(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (u->k.fatal)
        return tt_kfmi_dead("fmi3Fatal", err);
    if (!fns(u)->reset)
        return tt_kfmi_missing("fmi3Reset", err);
    u->k.running = 0;
    tt_k3_used_up(u);
    return tt_k3_check(u, "fmi3Reset", fns(u)->reset(u->k.comp), err);
}

static void free_unit(tt_unit *base)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    const struct tt_fmi3_fns *f = fns(u);

    if (u->k.comp && u->k.running && !u->k.fatal &&
        base->life != TT_LIFE_BROKEN)
        if (f->terminate(u->k.comp) == TT_FMI3_FATAL)
            u->k.fatal = 1;
    for (uint32_t i = 0; i < u->k.n_state && !u->k.fatal; i++)
        if (u->k.state[i] && f->free_state)
            (void)f->free_state(u->k.comp, &u->k.state[i]);
    if (u->k.comp && !u->k.fatal)
        f->free_instance(u->k.comp);
    tt_free(u->course);
    tt_free(u->poly);
    tt_free(u->value);
    tt_free(u->vr);
    tt_free(u->texts.text);
    tt_free(u->texts.bytes);
    tt_free(u->texts.size);
    tt_kfmi_unit_fini(&u->k); /* its memory is the type's */
}

/* --- steps -------------------------------------------------------------- */

struct tt_stepped tt_k3_outcome(const struct tt_k3_unit *u,
                                enum tt_fmi3_status s,
                                const struct tt_k3_answer *a,
                                const struct tt_k3_span *t)
{
    const bool *said = a->said;
    double now = t->now, to = t->to;
    double own = isfinite(a->own_time) ? a->own_time : to;
    int there = fabs(own - to) <= TT_K3_LAG_TOLERANCE * t->h;
    struct tt_stepped r = {.reached = to};

    if (s == TT_FMI3_DISCARD) { /* FMI 3.0.2, 4.2.1.1: as before the call */
        r.reached = now;
        r.flags = TT_STEP_REJECT;
        r.after = TT_AFTER_UNCHANGED;
        return r;
    }
    if (said[TT_K3_EVENT] && u->event_mode)
        r.flags |= TT_STEP_EVENT;
    if (said[TT_K3_TERMINATE])
        r.flags |= TT_STEP_TERMINATE;
    if (said[TT_K3_EARLY])
        r.flags |= TT_STEP_EARLY;
    if (there)
        return r;
    if (said[TT_K3_EARLY] || said[TT_K3_TERMINATE]) {
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
    bool *said = a.said;
    enum tt_fmi3_status status = fns(u)->do_step(
        u->k.comp, base->now, tt_h_within(base->now, s->h, u->k.stop),
        !s->may_restore, &said[TT_K3_EVENT], &said[TT_K3_TERMINATE],
        &said[TT_K3_EARLY], &a.own_time);

    if (status > TT_FMI3_DISCARD)
        return tt_k3_check(u, "fmi3DoStep", status, err);
    *r = tt_k3_outcome(u, status, &a,
                       &(struct tt_k3_span){base->now, s->to, s->h});
    if (!(r->flags & TT_STEP_REJECT))
        tt_k3_used_up(u);
    return TT_OK;
}

/* --- states ------------------------------------------------------------- */

static enum tt_code save(tt_unit *base, uint32_t reg, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (!fns(u)->get_state)
        return tt_kfmi_missing("fmi3GetFMUState", err);
    return tt_k3_check(u, "fmi3GetFMUState",
                       fns(u)->get_state(u->k.comp, &u->k.state[reg]), err);
}

static enum tt_code restore(tt_unit *base, uint32_t reg, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (u->k.fatal)
        return tt_kfmi_dead("fmi3Fatal", err);
    if (!fns(u)->set_state)
        return tt_kfmi_missing("fmi3SetFMUState", err);
    tt_k3_used_up(u);
    return tt_k3_check(u, "fmi3SetFMUState",
                       fns(u)->set_state(u->k.comp, u->k.state[reg]), err);
}

static enum tt_code pack(tt_unit *base, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    const struct tt_fmi3_fns *f = fns(u);
    void *state = u->k.state[reg];
    size_t n = 0;
    uint8_t *data;
    enum tt_code rc;

    if (!f->serialized_state_size)
        return tt_kfmi_missing("fmi3SerializedFMUStateSize", err);
    if (!f->serialize_state)
        return tt_kfmi_missing("fmi3SerializeFMUState", err);
    rc = tt_k3_check(u, "fmi3SerializedFMUStateSize",
                     f->serialized_state_size(u->k.comp, state, &n), err);
    if (rc != TT_OK)
        return rc;
    data = tt_alloc(n);
    if (!data)
        return tt_fail(err, TT_ENOMEM, "%zu bytes of state", n);
    rc = tt_k3_check(u, "fmi3SerializeFMUState",
                     f->serialize_state(u->k.comp, state, data, n), err);
    if (rc == TT_OK)
        *b = (struct tt_bytes){data, n};
    else
        tt_free(data);
    return rc;
}

static enum tt_code unpack(tt_unit *base, uint32_t reg,
                           const struct tt_bytes *b, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    const struct tt_fmi3_fns *f = fns(u);

    if (!f->deserialize_state)
        return tt_kfmi_missing("fmi3DeserializeFMUState", err);
    /* It may make a new state; one already there would be lost. */
    if (u->k.state[reg] && f->free_state)
        (void)f->free_state(u->k.comp, &u->k.state[reg]);
    u->k.state[reg] = NULL;
    return tt_k3_check(
        u, "fmi3DeserializeFMUState",
        f->deserialize_state(u->k.comp, b->data, b->n, &u->k.state[reg]), err);
}

static const struct tt_unit_ops unit_ops = {
    .kind = "fmi3",
    .enter_init = enter_init,
    .exit_init = exit_init,
    .end = end,
    .free = free_unit,
    .get = tt_k3_get,
    .set = tt_k3_set,
    .step = step,
    .prepare = prepare,
    .bind = tt_k3_bind,
    .settle = tt_k3_settle,
    .explain = tt_k3_explain,
    .course = tt_k3_course,
    .rates = tt_k3_rates,
    .jvp = tt_k3_jvp,
    .save = save,
    .restore = restore,
    .pack = pack,
    .unpack = unpack,
    .reset = reset,
    .event = &event_ops,
};

/* --- kind --------------------------------------------------------------- */

static int accepts(const struct tt_source *s)
{
    int version;

    return tt_kfmi_version(s->path, &version, NULL) == TT_OK &&
           version == TT_FMI_3;
}

static void close_type(tt_unit_type *base)
{
    struct tt_k3_type *t = (struct tt_k3_type *)(void *)base;

    if (!t)
        return;
    tt_kfmi_type_fini(&t->k);
    tt_free(t);
}

static enum tt_code open_type(tt_unit_type **out, const struct tt_source *s,
                              tt_err *err)
{
    struct tt_k3_type *t;
    enum tt_code rc;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    rc = tt_kfmi_type_init(&t->k, &tt_kind_fmi3, s, TT_FMI_3, err);
    if (rc == TT_OK) {
        *out = &t->k.base;
        return TT_OK;
    }
    close_type(&t->k.base);
    return rc;
}

static enum tt_code load(struct tt_k3_type *t, const struct tt_make *m,
                         tt_err *err)
{
    int loaded;
    enum tt_code rc = tt_kfmi_load(&t->k, m, &loaded, err);

    if (rc != TT_OK || !loaded)
        return rc;
    rc = tt_kfmi_tell_draft(&t->k, tt_fmi3_bind(t->k.lib, &t->f, err), err);
    if (rc != TT_OK)
        t->k.lib = NULL; /* so that the next instance fails alike */
    return rc;
}

static void choose_categories(struct tt_k3_unit *u, const struct tt_make *m)
{
    enum tt_fmi3_status s;

    if (!m->n_log_category || !fns(u)->set_debug_logging)
        return;
    s = fns(u)->set_debug_logging(u->k.comp, m->logging != 0, m->n_log_category,
                                  m->log_category);
    if (s == TT_FMI3_FATAL)
        u->k.fatal = 1;
    if (s > TT_FMI3_WARNING) /* no reason not to simulate */
        tt_log(m->log, TT_LOG_WARN,
               "unit '%s': fmi3SetDebugLogging returned %s; its log "
               "categories may be others than asked for",
               u->k.base.name, tt_fmi3_status_name(s));
}

static void *call_instantiate(struct tt_k3_unit *u, const struct tt_make *m,
                              const char *resources, int logging)
{
    const char *token = u->k.type->md->token;
    struct tt_fpmode mode;
    void *comp;

    tt_fpmode_save(&mode);
    comp = fns(u)->instantiate_cs(
        m->instance ? m->instance : m->name, token ? token : "", resources,
        m->visible != 0, logging != 0, u->event_mode != 0, m->early_return != 0,
        u->vr, u->n_course, u->k.env, logger,
        u->n_course ? tt_k3_intermediate : tt_k3_no_update);
    tt_fpmode_restore(&mode);
    return comp;
}

/* Without logging many say nothing of a licence or a file they miss. */
static enum tt_code ask_why(struct tt_k3_unit *u, const struct tt_make *m,
                            const char *resources, tt_err *err)
{
    struct tt_buf all;
    enum tt_code rc = TT_OK;

    tt_buf_init(&all, TT_ERR_MAX / 2);
    tt_kfmi_listen(&u->k, &all);
    u->k.comp = call_instantiate(u, m, resources, 1);
    tt_kfmi_listen(&u->k, NULL);
    if (!u->k.comp)
        rc = tt_kfmi_not_made(&u->k, "fmi3InstantiateCoSimulation", &all, err);
    tt_buf_fini(&all);
    return rc;
}

static enum tt_code instantiate(struct tt_k3_unit *u, const struct tt_make *m,
                                tt_err *err)
{
    const char *resources;
    enum tt_code rc = tt_fmu_resources(u->k.type->fmu, &resources, err);

    if (rc != TT_OK)
        return rc;
    tt_kfmi_crumb(m->crumb, "fmi3InstantiateCoSimulation");
    u->event_mode = m->event_mode && u->k.base.desc->caps.event_mode;
    u->k.comp = call_instantiate(u, m, resources, m->logging);
    if (!u->k.comp && u->event_mode) {
        /* Some declare event mode and then refuse it. */
        u->event_mode = 0;
        u->k.comp = call_instantiate(u, m, resources, m->logging);
        if (u->k.comp)
            tt_log(m->log, TT_LOG_WARN,
                   "unit '%s': declares event mode but cannot be "
                   "instantiated with it, so it runs without",
                   u->k.base.name);
    }
    if (!u->k.comp)
        rc = ask_why(u, m, resources, err);
    if (rc != TT_OK)
        return rc;
    choose_categories(u, m);
    return u->k.fatal ? tt_kfmi_dead("fmi3Fatal", err) : TT_OK;
}

static enum tt_code make(tt_unit **out, tt_unit_type *base,
                         const struct tt_make *m, tt_err *err)
{
    struct tt_k3_type *t = (struct tt_k3_type *)(void *)base;
    struct tt_k3_unit *u;
    enum tt_code rc = load(t, m, err);

    u = rc == TT_OK ? tt_kfmi_unit_alloc(&t->k, sizeof(*u)) : NULL;
    if (rc == TT_OK && !u)
        rc = tt_fail(err, TT_ENOMEM, "out of memory");
    if (rc != TT_OK)
        return tt_context(err, rc, "unit '%s' (fmi3)", m->name);
    u->k.fns = &t->f;
    u->k.do_step.v3 = t->f.do_step;
    rc = tt_kfmi_unit_init(&u->k, &t->k, &unit_ops, m, err);
    if (rc == TT_OK && m->want_course)
        rc = tt_k3_plan_courses(u, err);
    if (rc == TT_OK)
        rc = instantiate(u, m, err);
    if (rc == TT_OK) {
        *out = &u->k.base;
        return TT_OK;
    }
    free_unit(&u->k.base);
    return tt_context(err, rc, "unit '%s' (fmi3)", m->name);
}

const struct tt_kind_ops tt_kind_fmi3 = {
    .name = "fmi3",
    .accepts = accepts,
    .open = open_type,
    .close = close_type,
    .make = make,
    .unpack = tt_kfmi_unpack,
};
