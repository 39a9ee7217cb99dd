/* SPDX-License-Identifier: MIT */
/* When clocks tick: intervals and shifts, as fractions where a clock has them,
 * else as doubles, which then mean the decimal they are printed as. */
#include "kinds/fmi3_impl.h"

static uint32_t vr_of(const struct tt_k3_unit *u, const struct tt_timing *t)
{
    return u->k.type->vr[t->port];
}

static int by_fraction(const struct tt_k3_unit *u, const struct tt_timing *t)
{
    return u->k.base.desc->port[t->port].ticks->fraction;
}

/* A time as the FMU gives it: as a fraction where it can, else in seconds. */
struct given {
    uint32_t vr;
    int fraction;
    const char *call;
    uint64_t counter, resolution;
    double seconds;
};

static struct given ask(const struct tt_k3_unit *u, const struct tt_timing *t,
                        int has_fraction, const char *const call[2])
{
    int fraction = by_fraction(u, t) && has_fraction;

    return (struct given){
        .vr = vr_of(u, t), .fraction = fraction, .call = call[fraction]};
}

static struct tt_ratio ratio_of(const struct given *g)
{
    return g->fraction
               ? tt_ratio_reduce((struct tt_ratio){g->counter, g->resolution})
               : tt_ratio_of(g->seconds);
}

static enum tt_code get_interval(struct tt_k3_unit *u, struct tt_timing *t,
                                 tt_err *err)
{
    static const char *const call[] = {"fmi3GetIntervalDecimal",
                                       "fmi3GetIntervalFraction"};
    const struct tt_fmi3_fns *f = tt_k3_fns(u);
    enum tt_fmi3_interval is = TT_FMI3_INTERVAL_NOT_YET_KNOWN;
    struct given g = ask(u, t, f->get_interval_fraction != NULL, call);
    enum tt_fmi_status s;

    if (!g.fraction && !f->get_interval_decimal)
        return tt_kfmi_missing(g.call, err);
    s = g.fraction
            ? f->get_interval_fraction(u->k.comp, &g.vr, 1, &g.counter,
                                       &g.resolution, &is)
            : f->get_interval_decimal(u->k.comp, &g.vr, 1, &g.seconds, &is);
    t->interval = ratio_of(&g);
    t->known = is == TT_FMI3_INTERVAL_CHANGED     ? TT_KNOWN_CHANGED
               : is == TT_FMI3_INTERVAL_UNCHANGED ? TT_KNOWN_UNCHANGED
                                                  : TT_KNOWN_NOT_YET;
    return tt_kfmi_check(&u->k, g.call, s, err);
}

static enum tt_code get_shift(struct tt_k3_unit *u, struct tt_timing *t,
                              tt_err *err)
{
    static const char *const call[] = {"fmi3GetShiftDecimal",
                                       "fmi3GetShiftFraction"};
    const struct tt_fmi3_fns *f = tt_k3_fns(u);
    struct given g = ask(u, t, f->get_shift_fraction != NULL, call);
    enum tt_fmi_status s;

    if (!g.fraction && !f->get_shift_decimal)
        return tt_kfmi_missing(g.call, err);
    s = g.fraction ? f->get_shift_fraction(u->k.comp, &g.vr, 1, &g.counter,
                                           &g.resolution)
                   : f->get_shift_decimal(u->k.comp, &g.vr, 1, &g.seconds);
    t->shift = ratio_of(&g);
    return tt_kfmi_check(&u->k, g.call, s, err);
}

/* FMI 3.0.2, 2.2.8.3: aperiodic clocks have no shift. Of an interval that is
 * asked for the first time nothing was known before, whatever is reported. */
enum tt_code tt_k3_intervals(tt_unit *base, struct tt_timing *t, uint32_t n,
                             tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    int first = base->life == TT_LIFE_INIT;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        const struct tt_clock *c = base->desc->port[t[i].port].ticks;

        rc = get_interval(u, &t[i], err);
        if (rc == TT_OK && first && tt_clock_is_periodic(c))
            rc = get_shift(u, &t[i], err);
        if (first && t[i].known == TT_KNOWN_UNCHANGED)
            t[i].known = TT_KNOWN_CHANGED;
    }
    return rc;
}

/* How an interval or a shift is set. */
struct setter {
    const char *call_decimal, *call_fraction;
    enum tt_fmi_status (*decimal)(void *c, const uint32_t *vr, size_t n,
                                  const double *seconds);
    enum tt_fmi_status (*fraction)(void *c, const uint32_t *vr, size_t n,
                                   const uint64_t *counter,
                                   const uint64_t *resolution);
};

static enum tt_code set_time(struct tt_k3_unit *u, const struct tt_timing *t,
                             struct tt_ratio is, const struct setter *by,
                             tt_err *err)
{
    int fraction = by_fraction(u, t) && by->fraction;
    const char *call = fraction ? by->call_fraction : by->call_decimal;
    double seconds = tt_ratio_value(is);
    uint32_t vr = vr_of(u, t);

    if (!fraction && !by->decimal)
        return tt_kfmi_missing(call, err);
    return tt_kfmi_check(&u->k, call,
                         fraction
                             ? by->fraction(u->k.comp, &vr, 1, &is.num, &is.den)
                             : by->decimal(u->k.comp, &vr, 1, &seconds),
                         err);
}

static enum tt_code set_interval(struct tt_k3_unit *u,
                                 const struct tt_timing *t, tt_err *err)
{
    const struct setter by = {"fmi3SetIntervalDecimal",
                              "fmi3SetIntervalFraction",
                              tt_k3_fns(u)->set_interval_decimal,
                              tt_k3_fns(u)->set_interval_fraction};

    return set_time(u, t, t->interval, &by, err);
}

/* Where it is not the declared one. */
static enum tt_code set_shift(struct tt_k3_unit *u, const struct tt_timing *t,
                              tt_err *err)
{
    const struct tt_ratio is = u->k.base.desc->port[t->port].ticks->shift;
    const struct setter by = {"fmi3SetShiftDecimal", "fmi3SetShiftFraction",
                              tt_k3_fns(u)->set_shift_decimal,
                              tt_k3_fns(u)->set_shift_fraction};

    return is.num == t->shift.num && is.den == t->shift.den
               ? TT_OK
               : set_time(u, t, t->shift, &by, err);
}

enum tt_code tt_k3_set_intervals(tt_unit *base, struct tt_timing *t, uint32_t n,
                                 tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        rc = set_interval(u, &t[i], err);
        if (rc == TT_OK && base->life == TT_LIFE_INIT)
            rc = set_shift(u, &t[i], err);
    }
    return rc;
}
