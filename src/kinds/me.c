/* SPDX-License-Identifier: MIT */
/* Model exchange: life of one FMU, and what is asked of it. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "kinds/me_impl.h"

enum { STATES_MAX = 1 << 24 };

static const struct tt_kme_version *version(const struct tt_kfmi_unit *k)
{
    return k->type->version->me;
}

static const struct tt_fmi_me_fns *fns(const struct tt_kfmi_unit *k)
{
    return &k->fns->me;
}

/* --- what the integrator asks -------------------------------------------- */

/* Of several, whose failure it is. */
static enum tt_code named(const struct tt_kfmi_unit *k, enum tt_code rc,
                          tt_err *err)
{
    return rc == TT_OK || k->me->system->n == 1
               ? rc
               : tt_context(err, rc, TT_UNIT_STAMP "%s'", k->base.name);
}

enum tt_code tt_kme_check(struct tt_kfmi_unit *k, const char *call,
                          enum tt_fmi_status s, tt_err *err)
{
    return named(k, tt_kfmi_check(k, call, s, err), err);
}

int tt_kme_answer(struct tt_kfmi_unit *k, const char *call,
                  enum tt_fmi_status s)
{
    tt_err *err = k->me->system->err;

    if (s <= TT_FMI_WARNING)
        return 0;
    if (s == TT_FMI_DISCARD)
        return 1;
    return tt_kme_check(k, call, s, err) == TT_OK ? 0 : -1;
}

static inline int answer(struct tt_kfmi_unit *k, const char *call,
                         enum tt_fmi_status s)
{
    return TT_LIKELY(s == TT_FMI_OK) ? 0 : tt_kme_answer(k, call, s);
}

int tt_kme_place(struct tt_kfmi_unit *k, double t, const double *x)
{
    int rc = answer(k, version(k)->set_time, fns(k)->set_time(k->comp, t));

    if (rc == 0 && k->me->n_active)
        rc = answer(k, tt_kfmi_call_name(k, TT_F64, 1), tt_kme_inputs_at(k, t));
    if (rc == 0 && k->me->n_x)
        rc = answer(k, version(k)->set_states,
                    fns(k)->set_states(k->comp, x, k->me->n_x));
    return rc;
}

int tt_kme_derivatives(struct tt_kfmi_unit *k, double *dx)
{
    return k->me->n_x ? answer(k, version(k)->get_derivatives,
                               fns(k)->get_derivatives(k->comp, dx, k->me->n_x))
                      : 0;
}

int tt_kme_indicators(struct tt_kfmi_unit *k, double *z)
{
    return k->me->n_z ? answer(k, version(k)->get_indicators,
                               fns(k)->get_indicators(k->comp, z, k->me->n_z))
                      : 0;
}

int tt_kme_along(struct tt_kfmi_unit *k, const double *seed, double *out)
{
    const struct tt_kme *m = k->me;
    const struct tt_kfmi_along a = {m->rate_vr, m->state_vr, m->n_vr, m->n_vr,
                                    seed,       out,         m->n_x,  m->n_x};

    return answer(k, "GetDirectionalDerivative",
                  k->type->version->along(k, &a));
}

/* --- events -------------------------------------------------------------- */

enum tt_code tt_kme_enter_event(struct tt_kfmi_unit *k, tt_err *err)
{
    struct tt_kme_kept *kept = &k->me->kept;
    enum tt_code rc = TT_OK;

    if (!kept->event && version(k)->enter_event)
        rc = tt_kfmi_check(k, version(k)->enter_event,
                           fns(k)->enter_event(k->comp), err);
    if (rc == TT_OK)
        kept->event = kept->note[TT_KME_ASK] = 1;
    return named(k, rc, err);
}

enum tt_code tt_kme_update(struct tt_kfmi_unit *k, struct tt_event_result *r,
                           tt_err *err)
{
    struct tt_kme_kept *kept = &k->me->kept;
    enum tt_code rc =
        tt_kfmi_check(k, version(k)->update, version(k)->updated(k, r), err);

    kept->note[TT_KME_ASK] = r->again && !r->terminate;
    kept->next = r->next_defined ? r->next : (double)INFINITY;
    return named(k, rc, err);
}

enum tt_code tt_kme_leave_event(struct tt_kfmi_unit *k, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (version(k)->enter_continuous)
        rc = tt_kfmi_check(k, version(k)->enter_continuous,
                           fns(k)->enter_continuous(k->comp), err);
    if (rc == TT_OK)
        k->me->kept.event = 0;
    return named(k, rc, err);
}

/* How many there are: as described, or as the FMU reports. */
static enum tt_code count_now(struct tt_kfmi_unit *k, size_t *n_x, size_t *n_z,
                              tt_err *err)
{
    return version(k)->count
               ? tt_kfmi_check(k, "fmi3GetNumberOfContinuousStates",
                               version(k)->count(k, n_x, n_z), err)
               : TT_OK;
}

enum tt_code tt_kme_check_count(struct tt_kfmi_unit *k, double t, tt_err *err)
{
    const struct tt_kme *m = k->me;
    size_t n_x = m->n_x, n_z = m->n_z;
    enum tt_code rc = count_now(k, &n_x, &n_z, err);
    char at[TT_NUM_MAX];

    if (rc != TT_OK || (n_x == m->n_x && n_z == m->n_z))
        return named(k, rc, err);
    tt_num_print_short(at, t);
    rc = tt_fail(err, TT_EUNIT,
                 "since the event at t=%s it has %zu states and %zu event "
                 "indicators, not %u and %u",
                 at, n_x, n_z, m->n_x, m->n_z);
    return named(k, rc, err);
}

enum tt_code tt_kme_read_nominals(struct tt_kfmi_unit *k, tt_err *err)
{
    struct tt_kme *m = k->me;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < m->n_x; i++)
        m->atol[i] = 1;
    if (m->n_x && fns(k)->get_nominals)
        rc = tt_kfmi_check(k, version(k)->get_nominals,
                           fns(k)->get_nominals(k->comp, m->atol, m->n_x), err);
    /* FMI 2.0.5, 3.2.2: "for example, absolute tolerance = 0.01 * tolerance *
     * nominal" */
    for (uint32_t i = 0; i < m->n_x; i++) {
        double size = fabs(m->atol[i]);

        m->atol[i] = 0.01 * m->system->tolerance *
                     (size > 0 && isfinite(size) ? size : 1);
    }
    return named(k, rc, err);
}

enum tt_code tt_kme_read_states(struct tt_kfmi_unit *k, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (k->me->n_x)
        rc = tt_kfmi_check(k, version(k)->get_states,
                           fns(k)->get_states(k->comp, k->me->x, k->me->n_x),
                           err);
    return named(k, rc, err);
}

const char *tt_kme_rate_name(struct tt_kfmi_unit *k, uint32_t i, int *of)
{
    const struct tt_md *md = k->type->md;
    const struct tt_kme *m = k->me;

    *of = 0;
    if (m->n_x == md->derivative.n)
        return md->var[md->derivative.item[i].var].name;
    if (!version(k)->state_references ||
        version(k)->state_references(k, m->state_vr) > TT_FMI_WARNING)
        return NULL;
    *of = 1;
    for (uint32_t v = 0; v < md->var_n; v++)
        if (md->var[v].type == TT_F64 && md->var[v].vr == m->state_vr[i])
            return md->var[v].name;
    return NULL;
}

/* --- life ---------------------------------------------------------------- */

enum tt_code tt_kme_new(struct tt_kfmi_unit *k, const struct tt_make *make,
                        tt_err *err)
{
    struct tt_kme *m;

    if (!TT_NEW(m))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    k->me = m;
    if (make->integrator)
        m->how = *make->integrator;
    m->saves = k->type->md->me.get_set_state;
    m->by_states = !(m->saves && k->type->md->me.serialize_state) &&
                   tt_kfmi_states_suffice(k->type->md);
    m->events = make->event_mode && k->base.desc->caps.event_mode;
    m->kept.next = (double)INFINITY;
    return tt_kme_plan_inputs(k, err);
}

void tt_kme_free(struct tt_kme *m)
{
    if (!m)
        return;
    if (m->leads)
        tt_kme_system_free(m->system);
    TT_FREE_ALL(m->state_vr, m->input, m->input_of, m->poly, m->value,
                m->value_vr, m->held, m->saved, m);
}

enum tt_code tt_kme_resize(struct tt_kfmi_unit *k, tt_err *err)
{
    struct tt_kme *was = k->me;
    struct tt_make like = {.integrator = &was->how};
    enum tt_code rc = tt_kme_new(k, &like, err);

    if (k->me != was)
        tt_kme_free(was);
    return rc;
}

static uint32_t count(const struct tt_desc *d, const struct tt_md_unknowns *u)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < u->n; i++)
        n += d->port[u->item[i].var].n;
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* References of states, where they will be asked for, and of derivatives, where
 * derivatives by direction will be. Both lists are in the order of the
 * derivatives. */
static enum tt_code plan_jvp(struct tt_kfmi_unit *k, tt_err *err)
{
    const struct tt_md *md = k->type->md;
    const struct tt_md_unknowns *d = &md->derivative;
    struct tt_kme *m = k->me;

    if (version(k)->state_references && !TT_NEW_ARRAY(m->state_vr, m->n_x + 1))
        return tt_fail(err, TT_ENOMEM, "references of %u states", m->n_x);
    if (!md->me.directional_derivatives || !d->n)
        return TT_OK;
    if (!TT_NEW_ARRAY(m->state_vr, 2 * (size_t)d->n))
        return tt_fail(err, TT_ENOMEM, "references of %u states", d->n);
    m->rate_vr = m->state_vr + d->n;
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t rate = d->item[i].var, of = md->var[rate].derivative_of;

        if (of == TT_NONE)
            return TT_OK; /* it does not state of which */
        m->rate_vr[i] = md->var[rate].vr;
        m->state_vr[i] = md->var[of].vr;
    }
    m->n_vr = d->n;
    return TT_OK;
}

static enum tt_code plan(struct tt_kfmi_unit *k, tt_err *err)
{
    const struct tt_md *md = k->type->md;
    const struct tt_desc *d = k->base.desc;
    struct tt_kme *m = k->me;
    size_t n_x =
        md->version == TT_FMI_1 ? md->state_n : count(d, &md->derivative);
    size_t n_z = md->version == TT_FMI_3 ? count(d, &md->event_indicator)
                                         : md->event_indicator_n;
    enum tt_code rc = count_now(k, &n_x, &n_z, err);

    if (rc != TT_OK)
        return rc;
    if (n_x > STATES_MAX || n_z > STATES_MAX)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it has %zu states and %zu event indicators, the limit "
                       "is %d",
                       n_x, n_z, STATES_MAX);
    m->n_x = (uint32_t)n_x;
    m->n_z = (uint32_t)n_z;
    rc = plan_jvp(k, err);
    return rc == TT_OK ? tt_kme_system_new(&k, 1, NULL, err) : rc;
}

enum tt_code tt_kme_exit_init(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_kfmi_exit_init(u, err);

    return rc == TT_OK ? tt_kme_begin(u, err) : rc;
}

/* FMI 2.0.5, 3.2.1, FMI 3.0.2, 3.2.1: initialisation ends in event mode. */
enum tt_code tt_kme_begin(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    struct tt_kme *m = k->me;
    enum tt_code rc = TT_OK;

    if (!m->system)
        rc = plan(k, err);
    if (rc != TT_OK)
        return rc;
    m->kept.event = m->kept.note[TT_KME_ASK] = 1;
    rc = tt_kme_system_begin(m->system, u->now, err);
    if (rc == TT_OK && m->events)
        u->life = TT_LIFE_EVENT;
    return rc != TT_OK || m->events
               ? rc
               : tt_kme_system_settle(m->system, u->now, err);
}

enum tt_code tt_kme_reset(tt_unit *u, tt_err *err)
{
    struct tt_kme *m = tt_kfmi_unit(u)->me;

    if (m->system && m->system->n > 1)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it is integrated together with others");
    m->kept = (struct tt_kme_kept){.next = (double)INFINITY};
    tt_kme_end_courses(tt_kfmi_unit(u));
    memset(m->held, 0, m->n_held);
    return tt_kfmi_reset(u, err);
}
