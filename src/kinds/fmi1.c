/* SPDX-License-Identifier: MIT */
/* Unit kind fmi1: FMI 1.0 for Co-Simulation, stand-alone (fmi1me.c: Model
 * Exchange). What it has like
 * FMI 2 (values, courses, copies of libraries, outcomes of steps) is in fmi2.c
 * and fmi2_values.c; here is what differs:
 *
 * - There is no initialisation mode. fmiInitializeSlave is due when everything
 *   is set and the first value is read: the first get of initialisation calls
 *   it, or exit_init where nothing is read.
 * - There are no states to save, so that no step can be undone.
 * - Booleans are chars, aliases may be negated. */
#include <limits.h>
#include <math.h>

#include "kinds/fmi1_impl.h"
#include "kinds/kinds.h"

static const struct tt_fmi1_fns *fns(const struct tt_k2_unit *u)
{
    return tt_k1_fns(u);
}

/* --- what the FMU calls ------------------------------------------------- */

/* The instance reports nothing that is not known of the call under way. */
void tt_k1_logger(void *c, const char *instance, enum tt_fmi_status status,
                  const char *category, const char *message, ...)
{
    struct tt_kfmi_unit *k = tt_kfmi_pin(NULL);
    va_list ap;

    (void)c;
    (void)instance;
    if (k) {
        va_start(ap, message);
        tt_kfmi_vlog(&k->logger, tt_kfmi_level(status), category, message, ap);
        va_end(ap);
    }
    tt_kfmi_unpin(k);
}

/* --- initialisation ------------------------------------------------------- */

static enum tt_fmi_status initialise_slave(struct tt_k2_unit *u)
{
    const struct tt_experiment *e = &u->experiment;
    char has_stop = (char)isfinite(e->end);

    return fns(u)->initialize(u->k.comp, e->start, has_stop,
                              has_stop ? e->end : 0);
}

static enum tt_fmi_status initialise(struct tt_k2_unit *u)
{
    enum tt_fmi_status s =
        u->k.me ? tt_k1_initialise_model(u) : initialise_slave(u);

    u->not_initialised = s > TT_FMI_WARNING;
    u->set_up = u->k.running = !u->not_initialised;
    return s;
}

enum tt_code tt_k1_enter_init(tt_unit *base, const struct tt_experiment *e,
                              tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);

    (void)err;
    u->experiment = *e;
    u->k.stop = e->end;
    u->k.tolerance = e->tolerance;
    return TT_OK;
}

enum tt_code tt_k1_need_initialised(struct tt_k2_unit *u, tt_err *err)
{
    const char *call = u->k.type->version->calls.exit_init;

    if (u->set_up)
        return TT_OK;
    tt_kfmi_activity(u->k.base.activity, call);
    return tt_kfmi_check(&u->k, call, initialise(u), err);
}

static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    return tt_k1_need_initialised(tt_k2_unit(base), err);
}

void tt_k1_renew(struct tt_kfmi_unit *k)
{
    k->do_step.v1 = fns(tt_k2_unit(&k->base))->do_step;
    tt_k2_distrust(tt_k2_unit(&k->base));
}

static enum tt_code reset(tt_unit *base, tt_err *err)
{
    enum tt_code rc = tt_kfmi_reset(base, err);

    if (rc == TT_OK)
        tt_k2_unit(base)->set_up = 0;
    return rc;
}

/* --- negated aliases ------------------------------------------------------ */

static int is_negated(const tt_unit *base, uint32_t port)
{
    const struct tt_k2_unit *u = (const void *)base;

    return u->k.type->md->var[port].negated;
}

int tt_k1_any_negated(const tt_unit *base, const struct tt_span *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (is_negated(base, s->port[i]))
            return 1;
    return 0;
}

/* Twice is as before, for any value. */
static void negate(const tt_unit *base, const struct tt_span *s)
{
    for (size_t i = 0; i < s->n; i++) {
        enum tt_type type = base->desc->port[s->port[i]].type;

        if (!is_negated(base, s->port[i]))
            continue;
        if (type == TT_F64)
            ((double *)s->value)[i] = -((double *)s->value)[i];
        else if (type == TT_I32)
            ((unsigned *)s->value)[i] = -((unsigned *)s->value)[i];
        else if (type == TT_BOOL)
            ((char *)s->value)[i] = !((char *)s->value)[i];
    }
}

/* --- values --------------------------------------------------------------- */

/* Bound gets are made during initialisation, too. */
#define BOUND_GET(name, value)                                                 \
    TT_KFMI_BOUND(name##_now, value)                                           \
    static enum tt_call_result name(const struct tt_call *c,                   \
                                    struct tt_now *now)                        \
    {                                                                          \
        struct tt_k2_unit *u = c->unit;                                        \
        enum tt_fmi_status s;                                                  \
                                                                               \
        if (TT_LIKELY(u->set_up))                                              \
            return name##_now(c, now);                                         \
        s = initialise(u);                                                     \
        return s <= TT_FMI_WARNING ? name##_now(c, now)                        \
                                   : (enum tt_call_result)s;                   \
    }

BOUND_GET(get_real, double *v)
BOUND_GET(get_int, int *v)
BOUND_GET(get_bool, char *v)
TT_KFMI_BOUND(set_real, const double *v)
TT_KFMI_BOUND(set_int, const int *v)
TT_KFMI_BOUND(set_bool, const char *v)

#define ACCESS(get_fn, set_fn, part, member, words)                            \
    {                                                                          \
        .get = (get_fn), .set = (set_fn), .get_name = "fmiGet" words,          \
        .set_name = "fmiSet" words,                                            \
        .get_at = offsetof(struct tt_fmi1_fns, part get_##member),             \
        .set_at = offsetof(struct tt_fmi1_fns, part set_##member)              \
    }

const struct tt_kfmi_access tt_k1_access[TT_TYPE_N] = {
    [TT_F64] = ACCESS(get_real, set_real, like2., real, "Real"),
    [TT_I32] = ACCESS(get_int, set_int, like2., integer, "Integer"),
    [TT_ENUM32] = ACCESS(get_int, set_int, like2., integer, "Integer"),
    [TT_BOOL] = ACCESS(get_bool, set_bool, , boolean, "Boolean"),
    [TT_TEXT] = ACCESS(NULL, NULL, like2., string, "String"),
};

enum tt_code tt_k1_get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    enum tt_code rc = tt_k1_need_initialised(tt_k2_unit(base), err);

    if (rc == TT_OK)
        rc = tt_kfmi_get(base, s, err);
    if (rc == TT_OK)
        negate(base, s);
    return rc;
}

enum tt_code tt_k1_set_with(enum tt_code (*set)(tt_unit *u,
                                                const struct tt_span *s,
                                                tt_err *err),
                            tt_unit *base, const struct tt_span *s, tt_err *err)
{
    enum tt_code rc;

    negate(base, s);
    rc = set(base, s, err);
    negate(base, s);
    return rc;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    return tt_k1_set_with(tt_k2_set, base, s, err);
}

static enum tt_code rates(tt_unit *base, const struct tt_span *s,
                          uint32_t order, tt_err *err)
{
    enum tt_code rc = tt_kfmi_rates(base, s, order, err);

    if (rc == TT_OK)
        negate(base, s);
    return rc;
}

static enum tt_call_result bound_step(const struct tt_call *c,
                                      struct tt_now *now)
{
    double was, h;
    struct tt_k2_unit *u = tt_k2_bound_step(c, now, &was, &h);

    return u ? (enum tt_call_result)u->k.do_step.v1(u->k.comp, was, h, 1)
             : TT_CALL_OK;
}

static enum tt_code bind(tt_unit *base, enum tt_verb verb,
                         const struct tt_span *s, struct tt_call *c,
                         tt_err *err)
{
    static const struct tt_what step = {.fn = bound_step, .verb = TT_VERB_STEP};

    if (verb != TT_VERB_STEP && tt_k1_any_negated(base, s))
        return TT_EUNSUPPORTED;
    return tt_k2_bind_with(base, verb, s, &step, c, err);
}

enum tt_code tt_k1_explain(tt_unit *base, const struct tt_call *c, int status,
                           tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);

    if (!u->not_initialised)
        return u->k.me ? tt_kfmi_explain(base, c, status, err)
                       : tt_k2_explain(base, c, status, err);
    return tt_kfmi_check(&u->k, u->k.type->version->calls.exit_init,
                         (enum tt_fmi_status)u->k.status, err);
}

/* --- steps ---------------------------------------------------------------- */

static enum tt_code step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_fmi_status status = fns(u)->do_step(
        u->k.comp, base->now, tt_h_within(base->now, s->h, u->k.stop), 1);

    return tt_k2_stepped(u, status, s, r, err);
}

static const struct tt_unit_ops unit_ops = {
    TT_HOOKS(tt_k1_, enter_init, get, explain),
    TT_HOOKS(, exit_init, set, step, bind, rates, reset),
    TT_HOOKS(tt_kfmi_, end, free), TT_HOOKS(tt_k2_, prepare, settle, course)};

/* --- kind ----------------------------------------------------------------- */

static void *instantiate(struct tt_kfmi_unit *k, const struct tt_kfmi_birth *b)
{
    struct tt_k2_unit *u = tt_k2_unit(&k->base);
    const struct tt_fmi1_callbacks callbacks = {.of = {TT_K1_CALLBACKS(u)}};

    return fns(u)->instantiate(b->name, b->token, b->resources,
                               "application/x-fmu-sharedlibrary", 0,
                               b->visible != 0, 0, callbacks, b->logging != 0);
}

enum tt_fmi_status tt_k1_set_logging(struct tt_kfmi_unit *k,
                                     const struct tt_make *m)
{
    const struct tt_fmi1_fns *f = fns(tt_k2_unit(&k->base));

    return f->set_debug_logging ? f->set_debug_logging(k->comp, m->logging != 0)
                                : TT_FMI_OK;
}

const struct tt_kfmi_version tt_kfmi_version_fmi1 = {
    TT_K1_COMMON,
    .face = TT_FMI_CS,
    .kind = &tt_kind_fmi1,
    .instead = &tt_kfmi_version_fmi1me,
    .ops = &unit_ops,
    .calls = {.instantiate = "fmiInstantiateSlave",
              .exit_init = "fmiInitializeSlave",
              .terminate = "fmiTerminateSlave",
              .reset = "fmiResetSlave",
              .do_step = "fmiDoStep",
              .set_rates = "fmiSetRealInputDerivatives",
              .get_rates = "fmiGetRealOutputDerivatives"},
    .instantiate = instantiate,
};
