/* SPDX-License-Identifier: MIT */
/* When clocks tick: intervals and shifts, as fractions where a clock has them,
 * else as doubles, which then mean the decimal they are printed as. */
#include "kinds/fmi3_impl.h"

static const struct tt_fmi3_fns *fns(const struct tt_k3_unit *u)
{
    return (const void *)u->k.fns;
}

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

static enum tt_code ask(const struct tt_k3_unit *u, const struct tt_timing *t,
                        int has_fraction, int has_decimal,
                        const char *const call[2], struct given *g, tt_err *err)
{
    int fraction = by_fraction(u, t) && has_fraction;

    *g = (struct given){
        .vr = vr_of(u, t), .fraction = fraction, .call = call[fraction]};
    return fraction || has_decimal ? TT_OK : tt_kfmi_missing(g->call, err);
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
    const struct tt_fmi3_fns *f = fns(u);
    enum tt_fmi3_interval is = TT_FMI3_INTERVAL_NOT_YET_KNOWN;
    struct given g;
    enum tt_fmi_status s;
    enum tt_code rc = ask(u, t, f->get_interval_fraction != NULL,
                          f->get_interval_decimal != NULL, call, &g, err);

    if (rc != TT_OK)
        return rc;
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
    const struct tt_fmi3_fns *f = fns(u);
    struct given g;
    enum tt_fmi_status s;
    enum tt_code rc = ask(u, t, f->get_shift_fraction != NULL,
                          f->get_shift_decimal != NULL, call, &g, err);

    if (rc != TT_OK)
        return rc;
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

static enum tt_code set_interval(struct tt_k3_unit *u,
                                 const struct tt_timing *t, tt_err *err)
{
    const struct tt_fmi3_fns *f = fns(u);
    int fraction = by_fraction(u, t) && f->set_interval_fraction;
    const char *call =
        fraction ? "fmi3SetIntervalFraction" : "fmi3SetIntervalDecimal";
    double seconds = tt_ratio_value(t->interval);
    uint32_t vr = vr_of(u, t);
    enum tt_fmi_status s;

    if (!fraction && !f->set_interval_decimal)
        return tt_kfmi_missing(call, err);
    s = fraction ? f->set_interval_fraction(u->k.comp, &vr, 1, &t->interval.num,
                                            &t->interval.den)
                 : f->set_interval_decimal(u->k.comp, &vr, 1, &seconds);
    return tt_kfmi_check(&u->k, call, s, err);
}

/* Where it is not the declared one. */
static enum tt_code set_shift(struct tt_k3_unit *u, const struct tt_timing *t,
                              tt_err *err)
{
    const struct tt_fmi3_fns *f = fns(u);
    const struct tt_ratio is = u->k.base.desc->port[t->port].ticks->shift;
    int fraction = by_fraction(u, t) && f->set_shift_fraction;
    const char *call =
        fraction ? "fmi3SetShiftFraction" : "fmi3SetShiftDecimal";
    double seconds = tt_ratio_value(t->shift);
    uint32_t vr = vr_of(u, t);
    enum tt_fmi_status s;

    if (is.num == t->shift.num && is.den == t->shift.den)
        return TT_OK;
    if (!fraction && !f->set_shift_decimal)
        return tt_kfmi_missing(call, err);
    s = fraction ? f->set_shift_fraction(u->k.comp, &vr, 1, &t->shift.num,
                                         &t->shift.den)
                 : f->set_shift_decimal(u->k.comp, &vr, 1, &seconds);
    return tt_kfmi_check(&u->k, call, s, err);
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
