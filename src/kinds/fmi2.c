/* SPDX-License-Identifier: MIT */
/* Unit kinds fmi2 and fmi2me: FMI 2.0 for Co-Simulation and for Model Exchange.
 * Life, steps and states. */
#include "kinds/fmi2_impl.h"
#include "base/hooks.h"
#include "kinds/me_impl.h"

#include <math.h>
#include <stdlib.h>

#include "fmi/fmu_copy.h"
#include "kinds/kinds.h"

/* --- what the FMU calls ------------------------------------------------- */

TT_PRINTF(5, 6)
static void logger(void *env, const char *instance, enum tt_fmi_status status,
                   const char *category, const char *message, ...)
{
    struct tt_kfmi_unit *k = tt_kfmi_pin(env);
    va_list ap;

    (void)instance; /* may be anything, and NULL */
    if (k) {
        va_start(ap, message);
        tt_kfmi_vlog(&k->logger, tt_kfmi_level(status), category, message, ap);
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

/* Before any value is set: some FMUs forget what they were given before it. */
static enum tt_code set_up(struct tt_k2_unit *u, struct tt_activity *activity,
                           const struct tt_experiment *e, tt_err *err)
{
    int has_stop = isfinite(e->end);
    int has_tolerance = e->tolerance > 0;
    enum tt_code rc;

    tt_kfmi_activity(activity, "fmi2SetupExperiment");
    rc = tt_kfmi_check(&u->k, "fmi2SetupExperiment",
                       tt_k2_fns(u)->setup_experiment(
                           u->k.comp, has_tolerance,
                           has_tolerance ? e->tolerance : 0, e->start, has_stop,
                           has_stop ? e->end : 0),
                       err);
    u->set_up = rc == TT_OK;
    u->experiment = *e;
    u->knows = 1;
    return rc;
}

static int is_set_up(const struct tt_k2_unit *u, const struct tt_experiment *e)
{
    return u->set_up && u->experiment.start == e->start &&
           u->experiment.end == e->end &&
           u->experiment.tolerance == e->tolerance;
}

static enum tt_code enter_init(tt_unit *base, const struct tt_experiment *e,
                               tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_code rc =
        is_set_up(u, e) ? TT_OK : set_up(u, base->activity, e, err);

    if (rc != TT_OK)
        return rc;
    u->k.stop = e->end;
    u->k.tolerance = e->tolerance;
    tt_kfmi_activity(base->activity, "fmi2EnterInitializationMode");
    return tt_kfmi_check(&u->k, "fmi2EnterInitializationMode",
                         tt_k2_fns(u)->enter_initialization(u->k.comp), err);
}

enum tt_code tt_k2_prepare(tt_unit *base, uint32_t n_state, tt_err *err)
{
    return tt_kfmi_prepare(&tt_k2_unit(base)->k, n_state, err);
}

/* The FMU forgets what it was given, and holds what it ever was sent. */
static void renew(struct tt_kfmi_unit *k)
{
    k->do_step.v2 = tt_k2_fns(tt_k2_unit(&k->base))->do_step;
    tt_k2_distrust(tt_k2_unit(&k->base));
}

static enum tt_code set_up_again(struct tt_k2_unit *u, tt_err *err)
{
    u->set_up = 0;
    return u->knows ? set_up(u, u->k.base.activity, &u->experiment, err)
                    : TT_OK;
}

static enum tt_code reset(tt_unit *base, tt_err *err)
{
    enum tt_code rc = tt_kfmi_reset(base, err);

    return rc == TT_OK ? set_up_again(tt_k2_unit(base), err) : rc;
}

static enum tt_code me_reset(tt_unit *base, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_code rc = tt_kme_reset(base, err);

    return rc == TT_OK ? set_up_again(u, err) : rc;
}

void tt_k2_release(struct tt_kfmi_unit *k)
{
    TT_FREE_ALL(tt_k2_unit(&k->base)->sent, tt_k2_unit(&k->base)->ever);
}

/* --- steps -------------------------------------------------------------- */

/* FMI 2.0.5, 4.2.2: without stepFinished the master polls. The step may take
 * anything from microseconds to hours; a millisecond late does no harm. */
static enum tt_fmi_status wait_pending(struct tt_k2_unit *u)
{
    enum tt_fmi_status s = TT_FMI_PENDING, rc = TT_FMI_OK;
    uint64_t pause_ns = 10000;

    if (!tt_k2_fns(u)->get_status)
        return TT_FMI_PENDING;
    while (s == TT_FMI_PENDING && rc <= TT_FMI_WARNING) {
        tt_sleep_ns(pause_ns);
        if (pause_ns < 1000000)
            pause_ns *= 2;
        rc = tt_k2_fns(u)->get_status(u->k.comp, TT_FMI2_DO_STEP_STATUS, &s);
    }
    return rc <= TT_FMI_WARNING ? s : rc;
}

static enum tt_fmi_status refuse_step(void *c, double now, double step,
                                      int no_set_state_prior)
{
    (void)c;
    (void)now;
    (void)step;
    (void)no_set_state_prior;
    return TT_K2_RESTORE_FIRST;
}

static enum tt_fmi_status refuse_step1(void *c, double now, double step,
                                       char new_step)
{
    return refuse_step(c, now, step, new_step);
}

/* Discard has two meanings (FMI 2.0.5, 4.2.2): the FMU wants to end the
 * simulation at the last successful time, or it could not make the step. */
enum tt_fmi_status tt_k2_outcome(struct tt_k2_unit *u, enum tt_fmi_status s,
                                 double now, double to, struct tt_stepped *r)
{
    const struct tt_fmi2_fns *f = tt_k2_fns(u);
    double last = now;
    int ended = 0;
    enum tt_fmi_status answer = TT_FMI_OK;

    *r = (struct tt_stepped){.reached = to};
    if (s == TT_FMI_PENDING)
        s = wait_pending(u);
    if (s != TT_FMI_DISCARD)
        return s;
    if (f->get_boolean_status)
        answer = f->get_boolean_status(u->k.comp, TT_FMI2_TERMINATED, &ended);
    if (answer > TT_FMI_WARNING)
        ended = 0;
    if (answer != TT_FMI_FATAL && f->get_real_status)
        answer =
            f->get_real_status(u->k.comp, TT_FMI2_LAST_SUCCESSFUL_TIME, &last);
    if (answer == TT_FMI_FATAL)
        return answer;
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
    if (u->k.type->version->number == TT_FMI_1)
        u->k.do_step.v1 = refuse_step1;
    else
        u->k.do_step.v2 = refuse_step;
    return s;
}

enum tt_code tt_k2_stepped(struct tt_k2_unit *u, enum tt_fmi_status status,
                           const struct tt_step *s, struct tt_stepped *r,
                           tt_err *err)
{
    if (status <= TT_FMI_WARNING)
        return TT_OK;
    status = tt_k2_outcome(u, status, u->k.base.now, s->to, r);
    if (status == TT_FMI_DISCARD)
        return TT_OK;
    return tt_kfmi_check(&u->k, u->k.type->version->calls.do_step, status, err);
}

static enum tt_code step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_fmi_status status = tt_k2_fns(u)->do_step(
        u->k.comp, base->now, tt_h_within(base->now, s->h, u->k.stop),
        !s->may_restore);

    return tt_k2_stepped(u, status, s, r, err);
}

static enum tt_code max_step(tt_unit *base, double *h, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    double most = (double)INFINITY;
    enum tt_fmi_status s = tt_k2_fns(u)->get_max_step_size(u->k.comp, &most);

    if (s == TT_FMI_DISCARD) /* it does not report */
        return TT_OK;
    if (s <= TT_FMI_WARNING && isnan(most))
        return tt_fail(err, TT_EUNIT, "its largest step is nan");
    *h = most;
    return tt_kfmi_check(&u->k, "fmi2GetMaxStepsize", s, err);
}

static const struct tt_unit_ops unit_ops = {
    TT_KFMI_OPS, TT_HOOKS(, enter_init, step, max_step, reset),
    TT_HOOKS(tt_kfmi_, exit_init, rates),
    TT_HOOKS(tt_k2_, set, prepare, bind, settle, explain, course)};

/* --- model exchange ----------------------------------------------------- */

static enum tt_fmi_status completed(struct tt_kfmi_unit *k, int no_prior,
                                    int *enter_event, int *terminate)
{
    const struct tt_fmi2_fns *f = tt_k2_fns(tt_k2_unit(&k->base));

    return f->completed_step
               ? f->completed_step(k->comp, no_prior, enter_event, terminate)
               : TT_FMI_OK;
}

static enum tt_fmi_status updated(struct tt_kfmi_unit *k,
                                  struct tt_event_result *r)
{
    struct tt_fmi2_event_info i = {.again = 0};
    enum tt_fmi_status s =
        tt_k2_fns(tt_k2_unit(&k->base))->new_discrete_states(k->comp, &i);

    *r = (struct tt_event_result){
        .again = i.again,
        TT_SAME(&i, terminate, values_changed, nominals_changed, next_defined),
        .next = i.next};
    return s;
}

static const struct tt_kme_version me_calls = {
    TT_KME_CALLS("fmi2"),
    TT_KME_MODES("fmi2"),
    .get_derivatives = "fmi2GetDerivatives",
    .update = "fmi2NewDiscreteStates",
    .completed = completed,
    .updated = updated,
};

static const struct tt_unit_ops me_ops = {
    TT_KME_OPS_ALL,
    .enter_init = enter_init,
    .set = tt_kme_set,
    .reset = me_reset,
};

/* --- kind --------------------------------------------------------------- */

void tt_k2_forget(struct tt_kfmi_type *k)
{
    struct tt_k2_type *t = (struct tt_k2_type *)(void *)k;

    for (uint32_t i = 0; i < t->n_copy; i++) {
        tt_lib_close(t->copy[i]->lib);
        tt_free(t->copy[i]);
    }
    tt_free(t->copy);
}

static enum tt_code look_up(const struct tt_kfmi_type *k, tt_lib *lib,
                            struct tt_fmi1_fns *f, tt_err *err)
{
    enum tt_fmi_face face = k->version->face;
    const struct tt_md_interface *i =
        face == TT_FMI_ME ? &k->md->me : &k->md->cs;

    return k->version->number == TT_FMI_1
               ? tt_fmi1_bind(lib, face, i->model_identifier, f, err)
               : tt_fmi2_bind(lib, face, &f->like2, err);
}

enum tt_code tt_k2_bind_library(struct tt_kfmi_type *k, tt_err *err)
{
    struct tt_k2_type *t = (struct tt_k2_type *)(void *)k;
    enum tt_code rc = look_up(k, k->lib, &t->f, err);

    /* Nothing in the description reports it, only the library. */
    k->base.desc.caps.max_step =
        t->f.like2.get_max_step_size && k->version->face == TT_FMI_CS;
    k->has_rates = t->f.like2.get_real_output_derivatives != NULL;
    k->has_along = t->f.like2.get_directional_derivative != NULL;
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

/* The library itself is loaded too, for what its functions state of the
 * type. */
enum tt_code tt_k2_choose(struct tt_kfmi_type *k, const struct tt_make *m,
                          const struct tt_fmi_fns **fns, tt_err *err)
{
    struct tt_k2_type *t = (struct tt_k2_type *)(void *)k;
    struct tt_k2_copy *c;
    enum tt_code rc;

    *fns = &t->f.like2.all;
    if (!m->copy)
        return TT_OK;
    rc = grow_copies(t, m->copy, err);
    if (rc != TT_OK)
        return rc;
    c = t->copy[m->copy - 1];
    *fns = &c->f.like2.all;
    if (c->lib)
        return TT_OK;
    tt_kfmi_activity(m->activity, "loading its library");
    rc = tt_fmu_copy_library(k->fmu, m->copy, &c->lib, err);
    return rc == TT_OK ? look_up(k, c->lib, &c->f, err) : rc;
}

static enum tt_code plan_courses(struct tt_k2_unit *u, const struct tt_make *m,
                                 tt_err *err)
{
    const struct tt_desc *d = u->k.base.desc;

    if (!m->want_course || !d->caps.course_order || u->k.type->version->me)
        return TT_OK;
    if (!tt_k2_fns(u)->set_real_input_derivatives)
        return tt_kfmi_missing(u->k.type->version->calls.set_rates, err);
    if (!TT_NEW_ARRAY(u->sent, d->n_port) || !TT_NEW_ARRAY(u->ever, d->n_port))
        return tt_fail(err, TT_ENOMEM, "courses of %u ports", d->n_port);
    return TT_OK;
}

enum tt_code tt_k2_begin(struct tt_kfmi_unit *k, const struct tt_make *m,
                         tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(&k->base);

    k->type->version->renew(k);
    u->callbacks = (struct tt_fmi2_callbacks){.of = {logger, allocate, release},
                                              .env = k->env};
    return plan_courses(u, m, err);
}

static void *instantiate(struct tt_kfmi_unit *k, const struct tt_kfmi_birth *b)
{
    struct tt_k2_unit *u = tt_k2_unit(&k->base);

    return tt_k2_fns(u)->instantiate(
        b->name, k->me ? TT_FMI2_MODEL_EXCHANGE : TT_FMI2_CO_SIMULATION,
        b->token, b->resources, &u->callbacks, b->visible, b->logging);
}

static enum tt_fmi_status along(struct tt_kfmi_unit *k,
                                const struct tt_kfmi_along *a)
{
    return tt_k2_fns(tt_k2_unit(&k->base))
        ->get_directional_derivative(k->comp, a->unknown, a->n_unknown,
                                     a->known, a->n_known, a->seed, a->out);
}

static enum tt_fmi_status set_logging(struct tt_kfmi_unit *k,
                                      const struct tt_make *m)
{
    const struct tt_fmi2_fns *f = tt_k2_fns(tt_k2_unit(&k->base));

    return f->set_debug_logging
               ? f->set_debug_logging(k->comp, m->logging, m->n_log_category,
                                      m->log_category)
               : TT_FMI_OK;
}

static enum tt_code made(struct tt_kfmi_unit *k, const struct tt_make *m,
                         tt_err *err)
{
    return m->experiment
               ? set_up(tt_k2_unit(&k->base), m->activity, m->experiment, err)
               : TT_OK;
}

/* What both interfaces have alike. */
#define COMMON                                                                 \
    .number = 2, .type_size = sizeof(struct tt_k2_type),                       \
    .unit_size = sizeof(struct tt_k2_unit), .access = tt_k2_access,            \
    .calls = {TT_KFMI_CALLS("fmi2", "FMUstate", "DeSerialize"),                \
              .instantiate = "fmi2Instantiate",                                \
              .set_rates = "fmi2SetRealInputDerivatives",                      \
              .get_rates = "fmi2GetRealOutputDerivatives"},                    \
    .instantiate = instantiate, .set_logging = set_logging, .made = made,      \
    .along = along, .renew = renew, TT_K2_COMMON

const struct tt_kfmi_version tt_kfmi_version_fmi2me = {
    COMMON,          .ops = &me_ops, .face = TT_FMI_ME, .kind = &tt_kind_fmi2me,
    .me = &me_calls,
};

const struct tt_kfmi_version tt_kfmi_version_fmi2 = {
    COMMON,
    .ops = &unit_ops,
    .face = TT_FMI_CS,
    .kind = &tt_kind_fmi2,
    .instead = &tt_kfmi_version_fmi2me,
};
