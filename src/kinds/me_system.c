/* SPDX-License-Identifier: MIT */
/* Model exchange: integration and events of a system, which is one FMU alone
 * or several that are connected. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "kinds/me_impl.h"

enum {
    EVENT_ROUNDS = 100, /* updates at one instant; more is no event */
    EVENT_CROWD = 100,  /* events while time does not go on */
    FINE = 4,           /* parts of its steps a fine trail has */
};
#define TOLERANCE   1e-6 /* where neither scenario nor FMU has one */
#define FIXED_STEP  1e-3
/* Time went on when it is so much later, relative to itself. */
#define CROWD_WIDTH 1e-13

static const char *time_text(char *out, double t)
{
    tt_num_print_short(out, t);
    return out;
}

/* --- what the integrator asks -------------------------------------------- */

/* All members at (t, x), and what they feed each other. */
static int place(struct tt_kme_system *s, double t, const double *x)
{
    int rc = 0;

    for (uint32_t i = 0; i < s->n && rc == 0; i++)
        rc = tt_kme_place(s->member[i], t, x + s->member[i]->me->first_x);
    return rc == 0 && s->n > 1 ? s->exchange.move_cb(s->exchange.ctx, s->err)
                               : rc;
}

static int rhs(void *ctx, double t, const double *x, double *dx)
{
    struct tt_kme_system *s = ctx;
    int rc = s->n_x ? place(s, t, x) : 0;

    for (uint32_t i = 0; i < s->n && rc == 0; i++)
        rc = tt_kme_derivatives(s->member[i], dx + s->member[i]->me->first_x);
    return rc;
}

/* What the status of a call means to the integrator: 0 is well. */
#define ANSWER(k, call, st)                                                    \
    (TT_LIKELY((st) == TT_FMI_OK)                                              \
         ? 0                                                                   \
         : tt_kme_answer((k), (k)->type->version->me->call, (st)))

/* One alone, whose inputs are held, at (t, x): the calls and nothing else. */
static inline int put_alone(struct tt_kme_system *s, double t, const double *x)
{
    struct tt_kfmi_unit *k = s->first;
    enum tt_fmi_status st = s->fns.set_time(k->comp, t);
    int rc = ANSWER(k, set_time, st);

    if (TT_UNLIKELY(rc))
        return rc;
    st = s->fns.set_states(k->comp, x, s->n_x);
    return ANSWER(k, set_states, st);
}

static int rhs_alone(void *ctx, double t, const double *x, double *dx)
{
    struct tt_kme_system *s = ctx;
    struct tt_kfmi_unit *k = s->first;
    enum tt_fmi_status st;
    int rc;

    if (TT_UNLIKELY(k->me->n_active))
        return rhs(s, t, x, dx);
    rc = put_alone(s, t, x);
    if (TT_UNLIKELY(rc))
        return rc;
    st = s->fns.get_derivatives(k->comp, dx, s->n_x);
    return ANSWER(k, get_derivatives, st);
}

static int roots(void *ctx, double t, const double *x, double *z)
{
    struct tt_kme_system *s = ctx;
    int rc = place(s, t, x);

    for (uint32_t i = 0; i < s->n && rc == 0; i++)
        rc = tt_kme_indicators(s->member[i], z + s->member[i]->me->first_z);
    return rc;
}

static int jvp(void *ctx, const double *seed, double *out)
{
    struct tt_kme_system *s = ctx;

    return s->tangent ? tt_kme_tangent_along(s, seed, out)
                      : tt_kme_along(s->member[0], seed, out);
}

/* --- events -------------------------------------------------------------- */

#define WHOSE 300

/* The first that asks for updates. */
static const struct tt_kfmi_unit *asking(const struct tt_kme_system *s)
{
    uint32_t i = 0;

    while (i + 1 < s->n && !s->member[i]->me->kept.note[TT_KME_ASK])
        i++;
    return s->member[i];
}

/* Of several its name, before a message. */
static const char *whose(const struct tt_kme_system *s, char *out)
{
    out[0] = '\0';
    if (s->n > 1)
        (void)snprintf(out, WHOSE, TT_UNIT_STAMP "%s': ", asking(s)->base.name);
    return out;
}

static enum tt_code never_quiet(const struct tt_kme_system *s, tt_err *err)
{
    char at[TT_NUM_MAX], who[WHOSE];

    (void)time_text(at, tt_ode_time(s->ode));
    return tt_fail(err, TT_EUNIT, "%s%s asked for more after %d rounds at t=%s",
                   whose(s, who), asking(s)->type->version->me->update,
                   EVENT_ROUNDS, at);
}

/* The first member's step reports it, but it is this one's wish. */
static void log_end(const struct tt_kfmi_unit *k)
{
    tt_log(k->base.log, TT_LOG_NOTE, "instance '%s' ends the simulation",
           k->base.name);
}

/* Discrete states of those that ask, once. */
static enum tt_code update_once(struct tt_kme_system *s,
                                struct tt_event_result *all, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++) {
        struct tt_event_result r = {.again = 0};

        if (!s->member[i]->me->kept.note[TT_KME_ASK])
            continue;
        rc = tt_kme_update(s->member[i], &r, err);
        if (r.terminate && i)
            log_end(s->member[i]);
        all->terminate |= r.terminate;
        all->values_changed |= r.values_changed;
        all->nominals_changed |= r.nominals_changed;
    }
    return rc;
}

/* What members give now; one that gets another value takes part. */
static enum tt_code pass_on(struct tt_kme_system *s, tt_err *err)
{
    int rc;

    if (s->n == 1)
        return TT_OK;
    s->when = TT_KME_EVENT;
    rc = s->exchange.move_cb(s->exchange.ctx, err);
    s->when = TT_KME_FLOWS;
    if (rc > 0)
        return tt_fail(err, TT_EUNIT,
                       "what the members feed each other has no solution at an "
                       "event");
    return rc ? TT_EUNIT : TT_OK;
}

static int asks(const struct tt_kme_system *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->member[i]->me->kept.note[TT_KME_ASK])
            return 1;
    return 0;
}

/* Discrete states until they stay; *all is the sum of what was reported. */
static enum tt_code update(struct tt_kme_system *s, struct tt_event_result *all,
                           tt_err *err)
{
    enum tt_code rc = TT_OK;

    *all = (struct tt_event_result){.again = 0};
    for (int i = 0; rc == TT_OK && asks(s) && !all->terminate; i++) {
        if (i == EVENT_ROUNDS)
            return never_quiet(s, err);
        rc = update_once(s, all, err);
        if (rc == TT_OK && !all->terminate)
            rc = pass_on(s, err);
    }
    return rc;
}

enum tt_code tt_kme_system_restart(struct tt_kme_system *s, double t,
                                   int nominals, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++) {
        rc = tt_kme_check_count(s->member[i], t, err);
        if (rc == TT_OK && nominals)
            rc = tt_kme_read_nominals(s->member[i], err);
        if (rc == TT_OK)
            rc = tt_kme_read_states(s->member[i], err);
    }
    if (rc == TT_OK)
        tt_ode_reset(s->ode, t, s->x);
    return rc;
}

/* Members are in event mode at t: update them and go back to continuous time.
 * With `leap` only inputs changed, and the integrator goes on where it can. */
static enum tt_code handle(struct tt_kme_system *s, double t, int leap,
                           int *terminate, tt_err *err)
{
    struct tt_event_result r;
    enum tt_code rc = update(s, &r, err);

    *terminate = r.terminate;
    if (rc != TT_OK || r.terminate)
        return rc;
    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++)
        if (s->member[i]->me->kept.event)
            rc = tt_kme_leave_event(s->member[i], err);
    if (rc != TT_OK)
        return rc;
    if (!leap || r.values_changed || r.nominals_changed)
        return tt_kme_system_restart(s, t, r.nominals_changed, err);
    tt_ode_begin(s->ode);
    return TT_OK;
}

enum tt_code tt_kme_system_count(struct tt_kme_system *s, double t, tt_err *err)
{
    struct tt_kme_system_kept *k = &s->kept;
    char at[TT_NUM_MAX], who[WHOSE];

    k->n_event++;
    k->crowded = t - k->last > CROWD_WIDTH * fabs(t) ? 0 : k->crowded + 1;
    k->last = t;
    if (k->crowded < EVENT_CROWD)
        return TT_OK;
    return tt_fail(err, TT_EUNIT,
                   "%s%d events one after the other at t=%s: its event "
                   "indicators or its next event time do not settle",
                   whose(s, who), EVENT_CROWD, time_text(at, t));
}

/* --- life ---------------------------------------------------------------- */

/* The least that one of them asks for. */
static double tolerance_of(const struct tt_kme_system *s)
{
    double least = (double)INFINITY;

    for (uint32_t i = 0; i < s->n; i++) {
        const struct tt_kfmi_unit *k = s->member[i];
        double declared = k->base.desc->standard.tolerance, t = TOLERANCE;

        if (k->me->how.tolerance > 0)
            t = k->me->how.tolerance;
        else if (k->tolerance > 0)
            t = k->tolerance;
        else if (declared > 0)
            t = declared;
        least = fmin(least, t);
    }
    return least;
}

static enum tt_code make_integrator(struct tt_kme_system *s, tt_err *err)
{
    const struct tt_kme *first = s->member[0]->me;
    int directions = s->n == 1 ? first->n_vr > 0 : s->tangent != NULL;
    const struct tt_ode_problem p = {.ctx = s,
                                     .n = s->n_x,
                                     .n_root = s->n_z,
                                     .rhs =
                                         s->n == 1 && s->n_x ? rhs_alone : rhs,
                                     .roots = roots,
                                     .jvp = directions ? jvp : NULL,
                                     .pattern = s->pattern};
    const struct tt_ode_config c = {
        .method = first->how.method,
        .rtol = s->tolerance,
        .atol = s->atol,
        .step = first->how.step > 0 ? first->how.step : FIXED_STEP};

    if (!tt_ode_method_there(c.method))
        return tt_fail(err, TT_EUNSUPPORTED,
                       "integrator '%s' needs SUNDIALS, and Tutti was built "
                       "without it",
                       tt_ode_method_name(c.method));
    s->ode = tt_ode_new(&p, &c);
    return s->ode
               ? TT_OK
               : tt_fail(err, TT_ENOMEM, "an integrator of %u states", s->n_x);
}

void tt_kme_system_free(struct tt_kme_system *s)
{
    if (!s)
        return;
    tt_ode_free(s->ode);
    tt_kme_tangent_free(s->tangent);
    TT_FREE_ALL(s->member, s->x, s->pattern, s);
}

static enum tt_code lay_out(struct tt_kme_system *s,
                            struct tt_kfmi_unit *const *member, tt_err *err)
{
    if (!TT_NEW_ARRAY(s->member, s->n))
        return tt_fail(err, TT_ENOMEM, "%u members", s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        struct tt_kme *m = member[i]->me;

        s->member[i] = member[i];
        m->first_x = s->n_x;
        m->first_z = s->n_z;
        s->n_x += m->n_x;
        s->n_z += m->n_z;
    }
    if (!TT_NEW_ARRAY(s->x, 2 * (size_t)s->n_x + 1))
        return tt_fail(err, TT_ENOMEM, "%u states", s->n_x);
    s->atol = s->x + s->n_x;
    s->tolerance = tolerance_of(s);
    s->first = member[0];
    s->fns = member[0]->fns->me;
    s->completes = member[0]->type->md->me.needs_completed_step;
    return TT_OK;
}

/* The members are of this system from now on. */
static void take_members(struct tt_kme_system *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        struct tt_kme *m = s->member[i]->me;

        if (m->leads)
            tt_kme_system_free(m->system);
        m->system = s;
        m->leads = i == 0;
        m->x = s->x + m->first_x;
        m->atol = s->atol + m->first_x;
        tt_kme_plan_image(m);
    }
}

/* What is known of a system once its members are. */
static enum tt_code plan_system(struct tt_kme_system *s, tt_err *err)
{
    enum tt_code rc = tt_kme_plan_pattern(s, err);

    if (rc == TT_OK)
        rc = tt_kme_plan_tangent(s, err);
    return rc == TT_OK ? make_integrator(s, err) : rc;
}

enum tt_code tt_kme_system_new(struct tt_kfmi_unit *const *member, uint32_t n,
                               const struct tt_exchange *x, tt_err *err)
{
    struct tt_kme_system *s;
    enum tt_code rc;

    if (!TT_NEW(s))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    s->n = n;
    if (x)
        s->exchange = *x;
    s->kept.last = -(double)INFINITY;
    rc = lay_out(s, member, err);
    if (rc == TT_OK)
        rc = plan_system(s, err);
    if (rc == TT_OK)
        take_members(s);
    else
        tt_kme_system_free(s);
    return rc;
}

enum tt_code tt_kme_system_begin(struct tt_kme_system *s, double t, tt_err *err)
{
    enum tt_code rc = TT_OK;

    s->kept.last = -(double)INFINITY;
    tt_ode_reset(s->ode, t, s->x);
    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++)
        rc = tt_kme_read_nominals(s->member[i], err);
    return rc;
}

enum tt_code tt_kme_system_settle(struct tt_kme_system *s, double t,
                                  tt_err *err)
{
    int terminate = 0;
    enum tt_code rc = handle(s, t, 0, &terminate, err);

    return rc == TT_OK && terminate
               ? tt_fail(err, TT_ESTOPPED,
                         "it wants the simulation to end before its first step")
               : rc;
}

/* --- steps --------------------------------------------------------------- */

/* Which derivative has no finite value, and how it is named. */
struct bad {
    const char *name, *unit; /* NULL: not known */
    int of;                  /* it is the derivative of `name` */
};

/* Does this one have a derivative in its part of s->x that is not finite? */
static int find_bad(struct tt_kfmi_unit *k, struct bad *bad)
{
    const struct tt_kme *m = k->me;

    for (uint32_t i = 0; i < m->n_x; i++)
        if (!isfinite(m->x[i])) {
            bad->unit = k->base.name;
            bad->name = tt_kme_rate_name(k, i, &bad->of);
            return 1;
        }
    return 0;
}

/* A derivative that is not finite, here or as soon as time goes on. */
static struct bad not_finite(struct tt_kme_system *s)
{
    double t = tt_ode_time(s->ode);
    const double at[] = {t, t + 16 * DBL_EPSILON * fabs(t)};
    struct bad bad = {NULL, NULL, 0};

    for (int j = 0; j < 2; j++) {
        if (rhs(s, at[j], tt_ode_states(s->ode), s->x))
            return bad;
        for (uint32_t i = 0; i < s->n; i++)
            if (find_bad(s->member[i], &bad))
                return bad;
    }
    return bad;
}

static enum tt_code stuck(struct tt_kme_system *s, enum tt_ode_did did,
                          tt_err *err)
{
    char at[TT_NUM_MAX];
    struct bad bad;

    (void)time_text(at, tt_ode_time(s->ode));
    if (did == TT_ODE_TOO_SMALL)
        return tt_fail(err, TT_EUNIT,
                       "integration stops at t=%s: its steps became too small "
                       "for the tolerance",
                       at);
    bad = not_finite(s);
    return tt_fail(err, TT_EUNIT,
                   "integration stops at t=%s: %s%s%s%s%s%s has no finite "
                   "value, or the FMU discards states near it",
                   at, bad.name && bad.of ? "the derivative of " : "",
                   bad.name ? "'" : "", bad.name && s->n > 1 ? bad.unit : "",
                   bad.name && s->n > 1 ? "." : "",
                   bad.name ? bad.name : "a derivative", bad.name ? "'" : "");
}

/* Are its events played from outside? */
static int shared(const struct tt_kme_system *s)
{
    return s->member[0]->me->events;
}

/* One stands where the integrator does; does it ask for an event, or the end?
 */
static inline enum tt_code complete_one(const struct tt_kme_system *s,
                                        struct tt_kfmi_unit *k, int *enter,
                                        int *end, tt_err *err)
{
    const struct tt_kme_version *v = k->type->version->me;
    enum tt_fmi_status st = TT_FMI_OK;
    enum tt_code rc;

    if (k->type->md->me.needs_completed_step)
        st = v->completed(k, k->no_prior, enter, end);
    if (TT_LIKELY(st == TT_FMI_OK && !*enter))
        return TT_OK;
    rc = tt_kme_check(k, v->completed_step, st, err);
    return rc == TT_OK && *enter && !*end && !shared(s)
               ? tt_kme_enter_event(k, err)
               : rc;
}

/* All do. */
static enum tt_code complete(struct tt_kme_system *s, int *enter,
                             int *terminate, tt_err *err)
{
    int at = place(s, tt_ode_time(s->ode), tt_ode_states(s->ode));
    enum tt_code rc = TT_OK;

    if (at > 0)
        return stuck(s, TT_ODE_NOT_FINITE, err);
    if (at < 0)
        return TT_EUNIT; /* err has the words */
    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++) {
        int one = 0, end = 0;

        rc = complete_one(s, s->member[i], &one, &end, err);
        if (end && i)
            log_end(s->member[i]);
        *enter |= one;
        *terminate |= end;
    }
    return rc;
}

/* Was stiffness found just now? */
static int became_stiff(const struct tt_kme_system *s)
{
    return !s->logged_stiff && tt_ode_using(s->ode) == TT_ODE_STIFF &&
           s->member[0]->me->how.method == TT_ODE_AUTO;
}

static void log_stiff(struct tt_kme_system *s)
{
    const struct tt_kfmi_unit *k = s->member[0];
    char at[TT_NUM_MAX];

    if (!became_stiff(s))
        return;
    s->logged_stiff = 1;
    tt_log(k->base.log, TT_LOG_INFO,
           "instance '%s'%s: %s stiff, so from t=%s on %s states are "
           "integrated by the implicit method",
           k->base.name, s->n > 1 ? " and those integrated with it" : "",
           s->n > 1 ? "they are" : "it is", time_text(at, tt_ode_time(s->ode)),
           s->n > 1 ? "their" : "its");
}

static int crossed(const struct tt_kme_system *s, const struct tt_kme *m)
{
    for (uint32_t i = 0; i < m->n_z; i++)
        if (tt_ode_crossed(s->ode, m->first_z + i))
            return 1;
    return 0;
}

/* Those that the end of this step is an event for go into event mode, unless
 * it is played from outside. */
static enum tt_code enter_concerned(struct tt_kme_system *s, int root,
                                    int *enter, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++) {
        const struct tt_kme *m = s->member[i]->me;

        if (!(root && crossed(s, m)) && tt_ode_time(s->ode) < m->kept.next)
            continue;
        *enter = 1;
        if (!shared(s))
            rc = tt_kme_enter_event(s->member[i], err);
    }
    return rc;
}

static double next_event(const struct tt_kme_system *s)
{
    double next = (double)INFINITY;

    for (uint32_t i = 0; i < s->n; i++)
        next = fmin(next, s->member[i]->me->kept.next);
    return next;
}

/* Values where the members were put, of those that are asked for some. */
static enum tt_code note(struct tt_kme_system *s, double t, int fine,
                         tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++)
        if (s->member[i]->base.trail &&
            (!fine || s->member[i]->base.trail_fine))
            rc = tt_kfmi_note(s->member[i], t, err);
    return rc;
}

static enum tt_code note_here(struct tt_kme_system *s, tt_err *err)
{
    return note(s, tt_ode_time(s->ode), 0, err);
}

/* Lines through where the integrator stands are of a lower order than it is:
 * a cubic through quarters of its steps is off by less than its dense output.
 * A point that is not to be had is left out. */
static enum tt_code note_within(struct tt_kme_system *s, double from,
                                tt_err *err)
{
    double to = tt_ode_time(s->ode);
    enum tt_code rc = TT_OK;

    for (int k = 1; k < FINE && rc == TT_OK; k++) {
        double t = from + (to - from) * k / FINE;
        int at = t > from && t < to ? tt_ode_dense(s->ode, t, s->x) : 1;

        at = at ? at : place(s, t, s->x);
        if (at < 0)
            return TT_EUNIT; /* err has the words */
        if (at == 0)
            rc = note(s, t, 1, err);
    }
    return rc;
}

static int is_fine(const struct tt_kme_system *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->member[i]->base.trail && s->member[i]->base.trail_fine)
            return 1;
    return 0;
}

/* What one step of the integrator came to, and how far that was taken care of
 * already. */
struct made {
    enum tt_ode_did did;
    double from;
    int completed, enter, terminate;
};

/* What follows from it: the event it led to, or *event: that is left to be
 * played. */
static enum tt_code conclude(struct tt_kme_system *s, struct made made,
                             int *event, int *terminate, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (made.did == TT_ODE_FAILED)
        return TT_EUNIT; /* the callback left the words */
    if (made.did > TT_ODE_FAILED)
        return stuck(s, made.did, err);
    log_stiff(s);
    if (is_fine(s))
        rc = note_within(s, made.from, err);
    if (rc == TT_OK && !made.completed)
        rc = complete(s, &made.enter, &made.terminate, err);
    *terminate = made.terminate;
    if (rc == TT_OK)
        rc = note_here(s, err);
    if (rc == TT_OK && !*terminate)
        rc = enter_concerned(s, made.did == TT_ODE_ROOT, &made.enter, err);
    *event = made.enter && shared(s);
    if (rc != TT_OK || *terminate || !made.enter || *event)
        return rc;
    rc = tt_kme_system_count(s, tt_ode_time(s->ode), err);
    if (rc == TT_OK)
        rc = handle(s, tt_ode_time(s->ode), 0, terminate, err);
    return rc == TT_OK && !*terminate ? note_here(s, err) : rc;
}

static struct made advance(struct tt_kme_system *s, double to)
{
    struct made made = {.from = tt_ode_time(s->ode)};

    made.did = tt_ode_advance(s->ode, fmin(to, next_event(s)));
    return made;
}

int tt_kme_take_note(struct tt_kme_system *s, enum tt_kme_note what)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        any |= s->member[i]->me->kept.note[what];
        s->member[i]->me->kept.note[what] = 0;
    }
    return any != 0;
}

/* The flags of the outcome go to *flags. The first step is made already, if
 * `made` states what it came to. */
static enum tt_code integrate(struct tt_kme_system *s, const struct made *made,
                              double from, double to, unsigned *flags,
                              tt_err *err)
{
    enum tt_code rc = TT_OK;
    int terminate = 0, event = 0;
    int changed = tt_kme_take_note(s, TT_KME_CHANGED);

    s->err = err;
    s->when = TT_KME_FLOWS;
    if (asks(s))
        rc = handle(s, from, 1, &terminate, err);
    else if (changed)
        tt_ode_begin(s->ode);
    if (made)
        rc = conclude(s, *made, &event, &terminate, err);
    while (rc == TT_OK && !terminate && !event && tt_ode_time(s->ode) < to)
        rc = conclude(s, advance(s, to), &event, &terminate, err);
    s->err = NULL;
    s->when = TT_KME_BETWEEN;
    (void)tt_kme_take_note(
        s, TT_KME_CHANGED); /* what the integrator itself has set */
    *flags |= terminate ? TT_STEP_TERMINATE : 0u;
    *flags |= event ? TT_STEP_EVENT : 0u;
    return rc;
}

/* One alone is put where the integrator stands, its step completed. */
static int complete_alone(struct tt_kme_system *s, struct made *made,
                          enum tt_code *rc, tt_err *err)
{
    if (put_alone(s, tt_ode_time(s->ode), tt_ode_states(s->ode)))
        return 0;
    made->completed = 1;
    if (!s->completes)
        return 1;
    *rc = complete_one(s, s->first, &made->enter, &made->terminate, err);
    return *rc == TT_OK && !made->enter && !made->terminate;
}

/* Of one alone, if there is nothing but its steps to be made: the usual step.
 * Returns whether it is at `to`; if not, *made is what the last step of the
 * integrator came to, or *rc how it failed. */
static int step_alone(struct tt_kme_system *s, double to, struct made *made,
                      enum tt_code *rc, tt_err *err)
{
    struct tt_kme *m = s->first->me;
    int fine = 1;

    if (m->kept.note[TT_KME_CHANGED])
        tt_ode_begin(s->ode);
    m->kept.note[TT_KME_CHANGED] = 0;
    s->err = err;
    do {
        made->did = tt_ode_advance(s->ode, to);
        made->completed = 0;
        if (made->did == TT_ODE_REACHED ||
            (made->did == TT_ODE_STEPPED && s->completes))
            fine = complete_alone(s, made, rc, err);
    } while (made->did == TT_ODE_STEPPED && fine && !became_stiff(s));
    s->err = NULL;
    return made->did == TT_ODE_REACHED && fine;
}

static int is_usual(const struct tt_kme_system *s, double to)
{
    const struct tt_kme *m = s->first->me;

    return s->n == 1 && s->n_x && !s->first->base.trail && !m->n_active &&
           !m->kept.note[TT_KME_ASK] && to < m->kept.next;
}

/* The first member steps all, when the others were asked to. They stand where
 * it stands. */
enum tt_code tt_kme_step(tt_unit *u, const struct tt_step *step,
                         struct tt_stepped *r, tt_err *err)
{
    struct tt_kme *m = tt_kfmi_unit(u)->me;
    struct tt_kme_system *s = m->system;
    struct made made = {.completed = 0};
    int usual = m->leads && is_usual(s, step->to);
    enum tt_code rc = TT_OK;

    if (!m->leads || (usual && step_alone(s, step->to, &made, &rc, err)))
        return TT_OK;
    if (rc == TT_OK)
        rc = integrate(s, usual ? &made : NULL, u->now, step->to, &r->flags,
                       err);
    for (uint32_t i = 0; i < s->n; i++)
        tt_kme_end_courses(s->member[i]);
    if (rc != TT_OK)
        return rc;
    r->reached = tt_ode_time(s->ode);
    for (uint32_t i = 1; i < s->n; i++)
        s->member[i]->base.now = r->reached;
    return TT_OK;
}

/* --- several ---------------------------------------------------------------
 */

enum tt_code tt_kme_join(tt_unit *const *member, uint32_t n,
                         const struct tt_exchange *x, tt_err *err)
{
    struct tt_kfmi_unit **k;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(k, n))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < n; i++)
        k[i] = tt_kfmi_unit(member[i]);
    for (uint32_t i = 0; i < x->n_feed; i++)
        tt_kme_input_inner(k[x->feed[i].to]->me, x->feed[i].in);
    rc = tt_kme_system_new(k, n, x, err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = tt_kme_read_nominals(k[i], err);
    if (rc == TT_OK)
        rc = tt_kme_system_restart(k[0]->me->system, member[0]->now, 0, err);
    tt_free(k);
    return rc;
}
