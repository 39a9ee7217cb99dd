/* SPDX-License-Identifier: MIT */
/* Unit kind fmi2: FMI 2.0 for Co-Simulation. Life, steps and states. */
#include "kinds/fmi2_impl.h"

#include <math.h>
#include <stdlib.h>

#include "fmi/fmu_copy.h"
#include "kinds/kinds.h"

static const struct tt_fmi2_fns *fns(const struct tt_k2_unit *u)
{
    return u->k.fns;
}

enum tt_code tt_k2_check(struct tt_k2_unit *u, const char *call,
                         enum tt_fmi2_status s, tt_err *err)
{
    if (s == TT_FMI2_OK || s == TT_FMI2_WARNING)
        return TT_OK;
    if (s == TT_FMI2_FATAL)
        u->k.fatal = 1;
    return tt_kfmi_failed(&u->k, call, tt_fmi2_status_name(s), err);
}

/* --- what the FMU calls ------------------------------------------------- */

static enum tt_log_level level_of(enum tt_fmi2_status s)
{
    switch (s) {
    case TT_FMI2_OK:
        return TT_LOG_INFO;
    case TT_FMI2_PENDING:
        return TT_LOG_DEBUG;
    case TT_FMI2_WARNING:
    case TT_FMI2_DISCARD:
        return TT_LOG_WARN;
    case TT_FMI2_ERROR:
    case TT_FMI2_FATAL:
        break;
    }
    return TT_LOG_ERROR;
}

TT_PRINTF(5, 6)
static void logger(void *env, const char *instance, enum tt_fmi2_status status,
                   const char *category, const char *message, ...)
{
    struct tt_kfmi_unit *k = tt_kfmi_pin(env);
    va_list ap;

    (void)instance; /* may be anything, and NULL */
    if (k) {
        va_start(ap, message);
        tt_kfmi_vsay(&k->voice, level_of(status), category, message, ap);
        va_end(ap);
    }
    tt_kfmi_unpin(k);
}

/* The FMU's memory is not ours: it neither counts nor fails with ours. */
static void *allocate(size_t n, size_t size)
{
    return calloc(n ? n : 1, size ? size : 1);
}

static void release(void *p)
{
    free(p);
}

/* --- life --------------------------------------------------------------- */

/* Before any value is set: some FMUs forget what they were told before it. */
static enum tt_code set_up(struct tt_k2_unit *u, struct tt_crumb *crumb,
                           const struct tt_experiment *e, tt_err *err)
{
    int has_stop = isfinite(e->end);
    int has_tolerance = e->tolerance > 0;
    enum tt_code rc;

    tt_kfmi_crumb(crumb, "fmi2SetupExperiment");
    rc = tt_k2_check(u, "fmi2SetupExperiment",
                     fns(u)->setup_experiment(u->k.comp, has_tolerance,
                                              has_tolerance ? e->tolerance : 0,
                                              e->start, has_stop,
                                              has_stop ? e->end : 0),
                     err);
    u->set_up = rc == TT_OK;
    u->told = *e;
    u->knows = 1;
    return rc;
}

static int was_told(const struct tt_k2_unit *u, const struct tt_experiment *e)
{
    return u->set_up && u->told.start == e->start && u->told.end == e->end &&
           u->told.tolerance == e->tolerance;
}

static enum tt_code enter_init(tt_unit *base, const struct tt_experiment *e,
                               tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_code rc = was_told(u, e) ? TT_OK : set_up(u, base->crumb, e, err);

    if (rc != TT_OK)
        return rc;
    u->k.stop = e->end;
    tt_kfmi_crumb(base->crumb, "fmi2EnterInitializationMode");
    return tt_k2_check(u, "fmi2EnterInitializationMode",
                       fns(u)->enter_initialization(u->k.comp), err);
}

static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_code rc = tt_k2_check(u, "fmi2ExitInitializationMode",
                                  fns(u)->exit_initialization(u->k.comp), err);

    u->k.running = rc == TT_OK;
    return rc;
}

static enum tt_code prepare(tt_unit *base, uint32_t n_state, tt_err *err)
{
    return tt_kfmi_prepare(&tt_k2_unit(base)->k, n_state, err);
}

static enum tt_code end(tt_unit *base, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);

    u->k.running = 0;
    return tt_k2_check(u, "fmi2Terminate", fns(u)->terminate(u->k.comp), err);
}

static enum tt_code reset(tt_unit *base, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_code rc;

    if (u->k.fatal)
        return tt_kfmi_dead("fmi2Fatal", err);
    if (!fns(u)->reset)
        return tt_kfmi_missing("fmi2Reset", err);
    u->k.running = 0;
    u->k.do_step.v2 = fns(u)->do_step;
    u->set_up = 0;
    rc = tt_k2_check(u, "fmi2Reset", fns(u)->reset(u->k.comp), err);
    if (rc != TT_OK)
        return rc;
    tt_k2_distrust(u);
    return u->knows ? set_up(u, base->crumb, &u->told, err) : TT_OK;
}

static void free_unit(tt_unit *base)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    const struct tt_fmi2_fns *f = fns(u);

    if (u->k.comp && u->k.running && !u->k.fatal &&
        base->life != TT_LIFE_BROKEN)
        if (f->terminate(u->k.comp) == TT_FMI2_FATAL)
            u->k.fatal = 1;
    for (uint32_t i = 0; i < u->k.n_state && !u->k.fatal; i++)
        if (u->k.state[i] && f->free_state)
            (void)f->free_state(u->k.comp, &u->k.state[i]);
    if (u->k.comp && !u->k.fatal)
        f->free_instance(u->k.comp);
    tt_free(u->sent);
    tt_free(u->ever);
    tt_kfmi_unit_fini(&u->k); /* its memory is the type's */
}

/* --- steps -------------------------------------------------------------- */

/* FMI 2.0.5, 4.2.2: without stepFinished the master polls. The step may take
 * anything from microseconds to hours; a millisecond late does no harm. */
static enum tt_fmi2_status wait_pending(struct tt_k2_unit *u)
{
    enum tt_fmi2_status s = TT_FMI2_PENDING, rc = TT_FMI2_OK;
    uint64_t pause_ns = 10000;

    if (!fns(u)->get_status)
        return TT_FMI2_PENDING;
    while (s == TT_FMI2_PENDING && rc <= TT_FMI2_WARNING) {
        tt_sleep_ns(pause_ns);
        if (pause_ns < 1000000)
            pause_ns *= 2;
        rc = fns(u)->get_status(u->k.comp, TT_FMI2_DO_STEP_STATUS, &s);
    }
    return rc <= TT_FMI2_WARNING ? s : rc;
}

static enum tt_fmi2_status refuse_step(void *c, double now, double step,
                                       int no_set_state_prior)
{
    (void)c;
    (void)now;
    (void)step;
    (void)no_set_state_prior;
    return TT_K2_RESTORE_FIRST;
}

/* Discard has two meanings (FMI 2.0.5, 4.2.2): the FMU wants to end the
 * simulation at the last successful time, or it could not make the step. */
enum tt_fmi2_status tt_k2_outcome(struct tt_k2_unit *u, enum tt_fmi2_status s,
                                  double now, double to, struct tt_stepped *r)
{
    const struct tt_fmi2_fns *f = fns(u);
    double last = now;
    int ended = 0;
    enum tt_fmi2_status told = TT_FMI2_OK;

    *r = (struct tt_stepped){.reached = to};
    if (s == TT_FMI2_PENDING)
        s = wait_pending(u);
    if (s != TT_FMI2_DISCARD)
        return s;
    if (f->get_boolean_status)
        told = f->get_boolean_status(u->k.comp, TT_FMI2_TERMINATED, &ended);
    if (told > TT_FMI2_WARNING)
        ended = 0;
    if (told != TT_FMI2_FATAL && f->get_real_status)
        told =
            f->get_real_status(u->k.comp, TT_FMI2_LAST_SUCCESSFUL_TIME, &last);
    if (told == TT_FMI2_FATAL)
        return told;
    r->reached = last > now ? last : now; /* a NaN is now */
    if (r->reached > to)
        r->reached = to;
    if (ended) {
        r->flags = TT_STEP_TERMINATE;
        r->flags |= r->reached < to ? TT_STEP_EARLY : 0u;
        return s;
    }
    r->flags = TT_STEP_REJECT;
    r->after = TT_AFTER_NEEDS_RESTORE;
    u->k.do_step.v2 = refuse_step;
    return s;
}

static enum tt_code step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_fmi2_status status = fns(u)->do_step(
        u->k.comp, base->now, tt_h_within(base->now, s->h, u->k.stop),
        !s->may_restore);

    if (status <= TT_FMI2_WARNING)
        return TT_OK;
    status = tt_k2_outcome(u, status, base->now, s->to, r);
    if (status == TT_FMI2_DISCARD)
        return TT_OK;
    return tt_k2_check(u, "fmi2DoStep", status, err);
}

static enum tt_code max_step(tt_unit *base, double *h, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    double most = (double)INFINITY;
    enum tt_fmi2_status s = fns(u)->get_max_step_size(u->k.comp, &most);

    if (s != TT_FMI2_DISCARD) /* discard: it has no opinion now */
        *h = most;
    else
        s = TT_FMI2_OK;
    return tt_k2_check(u, "fmi2GetMaxStepsize", s, err);
}

/* --- states ------------------------------------------------------------- */

static enum tt_code save(tt_unit *base, uint32_t reg, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);

    if (!fns(u)->get_state)
        return tt_kfmi_missing("fmi2GetFMUstate", err);
    return tt_k2_check(u, "fmi2GetFMUstate",
                       fns(u)->get_state(u->k.comp, &u->k.state[reg]), err);
}

static enum tt_code restore(tt_unit *base, uint32_t reg, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);

    if (u->k.fatal)
        return tt_kfmi_dead("fmi2Fatal", err);
    if (!fns(u)->set_state)
        return tt_kfmi_missing("fmi2SetFMUstate", err);
    tt_k2_distrust(u);
    u->k.do_step.v2 = fns(u)->do_step;
    return tt_k2_check(u, "fmi2SetFMUstate",
                       fns(u)->set_state(u->k.comp, u->k.state[reg]), err);
}

static enum tt_code pack(tt_unit *base, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    const struct tt_fmi2_fns *f = fns(u);
    void *state = u->k.state[reg];
    size_t n = 0;
    char *data;
    enum tt_code rc;

    if (!f->serialized_state_size)
        return tt_kfmi_missing("fmi2SerializedFMUstateSize", err);
    if (!f->serialize_state)
        return tt_kfmi_missing("fmi2SerializeFMUstate", err);
    rc = tt_k2_check(u, "fmi2SerializedFMUstateSize",
                     f->serialized_state_size(u->k.comp, state, &n), err);
    if (rc != TT_OK)
        return rc;
    data = tt_alloc(n);
    if (!data)
        return tt_fail(err, TT_ENOMEM, "%zu bytes of state", n);
    rc = tt_k2_check(u, "fmi2SerializeFMUstate",
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
    struct tt_k2_unit *u = tt_k2_unit(base);
    const struct tt_fmi2_fns *f = fns(u);

    if (!f->deserialize_state)
        return tt_kfmi_missing("fmi2DeSerializeFMUstate", err);
    /* It makes a new state; one already there would be lost. */
    if (u->k.state[reg] && f->free_state)
        (void)f->free_state(u->k.comp, &u->k.state[reg]);
    u->k.state[reg] = NULL;
    return tt_k2_check(
        u, "fmi2DeSerializeFMUstate",
        f->deserialize_state(u->k.comp, b->data, b->n, &u->k.state[reg]), err);
}

static const struct tt_unit_ops unit_ops = {
    .kind = "fmi2",
    .enter_init = enter_init,
    .exit_init = exit_init,
    .end = end,
    .free = free_unit,
    .get = tt_k2_get,
    .set = tt_k2_set,
    .step = step,
    .prepare = prepare,
    .bind = tt_k2_bind,
    .settle = tt_k2_settle,
    .explain = tt_k2_explain,
    .course = tt_k2_course,
    .rates = tt_k2_rates,
    .jvp = tt_k2_jvp,
    .max_step = max_step,
    .save = save,
    .restore = restore,
    .pack = pack,
    .unpack = unpack,
    .reset = reset,
};

/* --- kind --------------------------------------------------------------- */

static int accepts(const struct tt_source *s)
{
    int version;

    return tt_kfmi_version(s->path, &version, NULL) == TT_OK &&
           version == TT_FMI_2;
}

static void close_type(tt_unit_type *base)
{
    struct tt_k2_type *t = (struct tt_k2_type *)(void *)base;

    if (!t)
        return;
    for (uint32_t i = 0; i < t->n_copy; i++) {
        tt_lib_close(t->copy[i]->lib);
        tt_free(t->copy[i]);
    }
    tt_free(t->copy);
    tt_kfmi_type_fini(&t->k);
    tt_free(t);
}

static enum tt_code open_type(tt_unit_type **out, const struct tt_source *s,
                              tt_err *err)
{
    struct tt_k2_type *t;
    enum tt_code rc;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    rc = tt_kfmi_type_init(&t->k, &tt_kind_fmi2, s, TT_FMI_2, err);
    if (rc == TT_OK) {
        *out = &t->k.base;
        return TT_OK;
    }
    close_type(&t->k.base);
    return rc;
}

static enum tt_code load(struct tt_k2_type *t, const struct tt_make *m,
                         tt_err *err)
{
    int loaded;
    enum tt_code rc = tt_kfmi_load(&t->k, m, &loaded, err);

    if (rc != TT_OK || !loaded)
        return rc;
    rc = tt_kfmi_tell_draft(&t->k, tt_fmi2_bind(t->k.lib, &t->f, err), err);
    if (rc != TT_OK)
        t->k.lib = NULL; /* so that the next instance fails alike */
    /* Nothing in the description tells it, only the library. */
    t->k.base.desc.caps.max_step = t->f.get_max_step_size != NULL;
    return rc;
}

/* Room for this many copies. Those there stay where they are: instances point
 * to them. */
static enum tt_code grow_copies(struct tt_k2_type *t, uint32_t n, tt_err *err)
{
    struct tt_k2_copy **more;

    if (n <= t->n_copy)
        return TT_OK;
    more = tt_resize(t->copy, n, sizeof(struct tt_k2_copy *));
    if (!more)
        return tt_fail(err, TT_ENOMEM, "%u copies of a library", (unsigned)n);
    for (t->copy = more; t->n_copy < n; t->n_copy++)
        if (!TT_NEW(t->copy[t->n_copy]))
            return tt_fail(err, TT_ENOMEM, "%u copies of a library",
                           (unsigned)n);
    return TT_OK;
}

/* The functions an instance is to call. The library itself is loaded too, for
 * what its functions say of the type. */
static enum tt_code load_copy(struct tt_k2_type *t, const struct tt_make *m,
                              const struct tt_fmi2_fns **f, tt_err *err)
{
    enum tt_code rc = load(t, m, err);
    struct tt_k2_copy *c;

    *f = &t->f;
    if (rc != TT_OK || !m->copy)
        return rc;
    rc = grow_copies(t, m->copy, err);
    if (rc != TT_OK)
        return rc;
    c = t->copy[m->copy - 1];
    *f = &c->f;
    if (c->lib)
        return TT_OK;
    tt_kfmi_crumb(m->crumb, "loading its library");
    rc = tt_fmu_copy_library(t->k.fmu, m->copy, &c->lib, err);
    return rc == TT_OK ? tt_fmi2_bind(c->lib, &c->f, err) : rc;
}

static const char *copy_refused(tt_unit_type *base)
{
    return tt_fmu_copy_refused(((struct tt_k2_type *)(void *)base)->k.fmu);
}

static void choose_categories(struct tt_k2_unit *u, const struct tt_make *m)
{
    enum tt_fmi2_status s;

    if (!m->n_log_category || !fns(u)->set_debug_logging)
        return;
    s = fns(u)->set_debug_logging(u->k.comp, m->logging, m->n_log_category,
                                  m->log_category);
    if (s == TT_FMI2_FATAL)
        u->k.fatal = 1;
    if (s > TT_FMI2_WARNING) /* no reason not to simulate */
        tt_log(m->log, TT_LOG_WARN,
               "unit '%s': fmi2SetDebugLogging returned %s; its log "
               "categories may be others than asked for",
               u->k.base.name, tt_fmi2_status_name(s));
}

static void call_instantiate(struct tt_k2_unit *u, const struct tt_make *m,
                             const char *resources, int logging)
{
    const struct tt_md *md = u->k.type->md;
    struct tt_fpmode mode;

    tt_fpmode_save(&mode);
    u->k.comp =
        fns(u)->instantiate(m->instance ? m->instance : m->name,
                            TT_FMI2_CO_SIMULATION, md->token ? md->token : "",
                            resources, &u->callbacks, m->visible, logging);
    tt_fpmode_restore(&mode);
}

/* Without logging many say nothing of a licence or a file they miss. */
static enum tt_code ask_why(struct tt_k2_unit *u, const struct tt_make *m,
                            const char *resources, tt_err *err)
{
    struct tt_buf all;
    enum tt_code rc = TT_OK;

    tt_buf_init(&all, TT_ERR_MAX / 2);
    tt_kfmi_listen(&u->k, &all);
    call_instantiate(u, m, resources, 1);
    tt_kfmi_listen(&u->k, NULL);
    if (!u->k.comp)
        rc = tt_kfmi_not_made(&u->k, "fmi2Instantiate", &all, err);
    tt_buf_fini(&all);
    return rc;
}

static enum tt_code instantiate(struct tt_k2_unit *u, const struct tt_make *m,
                                tt_err *err)
{
    const char *resources;
    enum tt_code rc = tt_fmu_resources(u->k.type->fmu, &resources, err);

    if (rc != TT_OK)
        return rc;
    u->callbacks = (struct tt_fmi2_callbacks){.logger = logger,
                                              .allocate_memory = allocate,
                                              .free_memory = release,
                                              .env = u->k.env};
    tt_kfmi_crumb(m->crumb, "fmi2Instantiate");
    call_instantiate(u, m, resources, m->logging);
    if (!u->k.comp)
        rc = ask_why(u, m, resources, err);
    if (rc != TT_OK)
        return rc;
    choose_categories(u, m);
    if (u->k.fatal)
        return tt_kfmi_dead("fmi2Fatal", err);
    return m->experiment ? set_up(u, m->crumb, m->experiment, err) : TT_OK;
}

static enum tt_code plan_courses(struct tt_k2_unit *u, const struct tt_make *m,
                                 tt_err *err)
{
    const struct tt_desc *d = u->k.base.desc;

    if (!m->want_course || !d->caps.course_order)
        return TT_OK;
    if (!fns(u)->set_real_input_derivatives)
        return tt_kfmi_missing("fmi2SetRealInputDerivatives", err);
    if (!TT_NEW_ARRAY(u->sent, d->n_port) || !TT_NEW_ARRAY(u->ever, d->n_port))
        return tt_fail(err, TT_ENOMEM, "courses of %u ports", d->n_port);
    return TT_OK;
}

static enum tt_code make(tt_unit **out, tt_unit_type *base,
                         const struct tt_make *m, tt_err *err)
{
    struct tt_k2_type *t = (struct tt_k2_type *)(void *)base;
    const struct tt_fmi2_fns *f;
    struct tt_k2_unit *u;
    enum tt_code rc = load_copy(t, m, &f, err);

    u = rc == TT_OK ? tt_kfmi_unit_alloc(&t->k, sizeof(*u)) : NULL;
    if (rc == TT_OK && !u)
        rc = tt_fail(err, TT_ENOMEM, "out of memory");
    if (rc != TT_OK)
        return tt_context(err, rc, "unit '%s' (fmi2)", m->name);
    u->k.fns = f;
    u->k.do_step.v2 = f->do_step;
    rc = tt_kfmi_unit_init(&u->k, &t->k, &unit_ops, m, err);
    if (rc == TT_OK)
        rc = plan_courses(u, m, err);
    if (rc == TT_OK)
        rc = instantiate(u, m, err);
    if (rc == TT_OK) {
        *out = &u->k.base;
        return TT_OK;
    }
    free_unit(&u->k.base);
    return tt_context(err, rc, "unit '%s' (fmi2)", m->name);
}

const struct tt_kind_ops tt_kind_fmi2 = {
    .name = "fmi2",
    .accepts = accepts,
    .open = open_type,
    .close = close_type,
    .make = make,
    .unpack = tt_kfmi_unpack,
    .copy_refused = copy_refused,
};
