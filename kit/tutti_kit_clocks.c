/* SPDX-License-Identifier: MIT */
/*
 * Clocks as FMI 3.0 has them: activation, intervals, shifts. In co-simulation
 * the importer activates and asks in event mode, and a tick lasts until the
 * update; in scheduled execution it activates partitions, asks in the callback
 * that a hook causes, and the first look at a tick ends it.
 */

/* Clocks of a call: the functions that take them are alike but for what they
 * do with each. */
struct clocks {
    const char *function;
    const fmi3ValueReference *vr;
    size_t n;
    bool arguments; /* the other arrays are there */
};

static const struct tutti_var *clock_at(struct instance *k,
                                        const struct clocks *c, size_t i)
{
    const struct fmi3_access a = {c->function, TUTTI_CLOCK, 0};
    struct place at;

    return fmi3_find(k, &a, c->vr[i], &at);
}

static enum status clocks_check(struct instance *k, const struct clocks *c,
                                unsigned phases)
{
    enum status status = allowed(k, c->function, phases);

    if (status == ST_OK && c->n && (!c->vr || !c->arguments))
        status = report(k, ST_ERROR, "%s: missing arguments", c->function);
    return status;
}

/* What a hook that ran has left; in the callback the partition still runs. */
static fmi3Status clocks_end(struct instance *k, enum status status)
{
    return (fmi3Status)(k->phase == PH_CLOCKS ? status : finish(k, status));
}

/* Scheduled execution: the importer looks at clocks now. */
static void announce_clocks(struct instance *k)
{
    enum phase phase = k->phase;

    if (!k->scheduled || phase != PH_STEP || !k->fmi3.clock_update)
        return;
    k->phase = PH_CLOCKS;
    k->fmi3.clock_update(k->fmi3.environment);
    k->phase = phase;
}

void tutti_tick(void *model, struct tutti_clock *clock)
{
    struct instance *k = instance_of(model);

    clock->active = k->scheduled || k->phase == PH_EVENT;
    announce_clocks(k);
}

void tutti_countdown(void *model, struct tutti_clock *clock, double interval)
{
    clock->interval = interval;
    clock->qualifier = fmi3IntervalChanged;
    announce_clocks(instance_of(model));
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference vr[],
                        size_t n, fmi3Clock values[])
{
    const struct clocks c = {"fmi3GetClock", vr, n, values != NULL};
    struct instance *k = instance;
    enum status status;

    if (!k)
        return fmi3Error;
    status = clocks_check(k, &c, k->scheduled ? PH_CLOCKS : PH_EVENT);
    if (status == ST_OK)
        evaluate(k);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        const struct tutti_var *v = clock_at(k, &c, i);

        if (!v) {
            status = ST_ERROR;
            break;
        }
        values[i] = clock_of(k, v)->active;
        if (k->scheduled)
            clock_of(k, v)->active = false;
    }
    return clocks_end(k, status);
}

/* FMI 3.0.2, 2.3.5: the importer activates inputs; a countdown that ticks is
 * over. */
static enum status activate_clock(struct instance *k, const struct clocks *c,
                                  size_t i, bool active)
{
    const struct tutti_var *v = clock_at(k, c, i);

    if (!v)
        return ST_ERROR;
    if (v->causality != TUTTI_INPUT)
        return report(k, ST_ERROR, "%s: '%s' is no input clock", c->function,
                      var_name(v));
    if (!active)
        return report(k, ST_ERROR, "%s: '%s' cannot be deactivated",
                      c->function, var_name(v));
    clock_of(k, v)->active = true;
    if (v->ticks == TUTTI_TICKS_COUNTDOWN)
        clock_of(k, v)->qualifier = fmi3IntervalNotYetKnown;
    return ST_OK;
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference vr[],
                        size_t n, const fmi3Clock values[])
{
    const struct clocks c = {"fmi3SetClock", vr, n, values != NULL};
    struct instance *k = instance;
    enum status status;

    if (!k)
        return fmi3Error;
    status = clocks_check(k, &c, PH_EVENT);
    for (size_t i = 0; i < n && status == ST_OK; i++)
        status = activate_clock(k, &c, i, values[i]);
    k->dirty = true;
    return (fmi3Status)status;
}

/* Intervals. */

static enum status no_fraction(struct instance *k, const struct clocks *c,
                               const struct tutti_var *v)
{
    return report(k, ST_ERROR, "%s: '%s' has no fraction", c->function,
                  var_name(v));
}

/* A clock that ticks by time, with a fraction if that is wanted; NULL after a
 * complaint. */
static const struct tutti_var *
timed_at(struct instance *k, const struct clocks *c, size_t i, bool fraction)
{
    const struct tutti_var *v = clock_at(k, c, i);

    if (v && v->ticks == TUTTI_TICKS_TRIGGERED) {
        (void)report(k, ST_ERROR, "%s: '%s' is triggered", c->function,
                     var_name(v));
        return NULL;
    }
    if (v && fraction && !(var_is_periodic(v) && v->resolution)) {
        (void)no_fraction(k, c, v);
        return NULL;
    }
    return v;
}

struct timing {
    bool shift; /* or the interval */
    double *seconds;
    uint64_t *counter, *resolution; /* or these */
    fmi3IntervalQualifier *qualifier;
};

/* Seconds as a counter of the clock's resolution, if that is exact. */
static enum status put_fraction(struct instance *k, const struct clocks *c,
                                const struct tutti_var *v, double seconds,
                                const struct timing *out, size_t i)
{
    const double limit = 9007199254740992; /* where doubles skip integers */
    double counts = seconds * (double)v->resolution;
    uint64_t counter = counts < limit ? (uint64_t)(counts + 0.5) : 0;

    if (clock_seconds(v, (double)counter) != seconds)
        return no_fraction(k, c, v);
    out->counter[i] = counter;
    out->resolution[i] = v->resolution;
    return ST_OK;
}

static enum status get_one_timing(struct instance *k, const struct clocks *c,
                                  const struct timing *out, size_t i)
{
    const struct tutti_var *v = timed_at(k, c, i, !out->seconds);
    struct tutti_clock *is;
    double seconds;

    if (!v)
        return ST_ERROR;
    is = clock_of(k, v);
    seconds = out->shift ? is->shift : is->interval;
    if (!out->seconds) {
        enum status status = put_fraction(k, c, v, seconds, out, i);

        if (status != ST_OK)
            return status;
    } else {
        out->seconds[i] = seconds;
    }
    if (!out->qualifier)
        return ST_OK;
    out->qualifier[i] = var_is_periodic(v)
                            ? fmi3IntervalChanged
                            : (fmi3IntervalQualifier)is->qualifier;
    if (is->qualifier == fmi3IntervalChanged)
        is->qualifier = fmi3IntervalUnchanged;
    return ST_OK;
}

static fmi3Status get_timing(fmi3Instance instance, const struct clocks *c,
                             const struct timing *out)
{
    struct instance *k = instance;
    unsigned phases = PH_INIT;
    enum status status;

    if (!k)
        return fmi3Error;
    if (!out->shift)
        phases |= k->scheduled ? PH_STEP | PH_CLOCKS : PH_EVENT;
    status = clocks_check(k, c, phases);
    if (status == ST_OK)
        evaluate(k); /* `init` may begin a countdown */
    for (size_t i = 0; i < c->n && status == ST_OK; i++)
        status = get_one_timing(k, c, out, i);
    return clocks_end(k, status);
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance,
                                  const fmi3ValueReference vr[], size_t n,
                                  fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[])
{
    const struct clocks c = {"fmi3GetIntervalDecimal", vr, n,
                             intervals && qualifiers};

    return get_timing(
        instance, &c,
        &(struct timing){.seconds = intervals, .qualifier = qualifiers});
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance instance,
                                   const fmi3ValueReference vr[], size_t n,
                                   fmi3UInt64 counters[],
                                   fmi3UInt64 resolutions[],
                                   fmi3IntervalQualifier qualifiers[])
{
    const struct clocks c = {"fmi3GetIntervalFraction", vr, n,
                             counters && resolutions && qualifiers};

    return get_timing(instance, &c,
                      &(struct timing){.counter = counters,
                                       .resolution = resolutions,
                                       .qualifier = qualifiers});
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance instance,
                               const fmi3ValueReference vr[], size_t n,
                               fmi3Float64 shifts[])
{
    const struct clocks c = {"fmi3GetShiftDecimal", vr, n, shifts != NULL};

    return get_timing(instance, &c,
                      &(struct timing){.shift = true, .seconds = shifts});
}

fmi3Status fmi3GetShiftFraction(fmi3Instance instance,
                                const fmi3ValueReference vr[], size_t n,
                                fmi3UInt64 counters[], fmi3UInt64 resolutions[])
{
    const struct clocks c = {"fmi3GetShiftFraction", vr, n,
                             counters && resolutions};

    return get_timing(instance, &c,
                      &(struct timing){.shift = true,
                                       .counter = counters,
                                       .resolution = resolutions});
}

/* What the importer sets: intervals or shifts, as seconds or fractions. */
struct given {
    bool shift;
    const double *seconds;
    const uint64_t *counter, *resolution;
};

static double seconds_of(const struct given *g, size_t i)
{
    if (g->seconds)
        return g->seconds[i];
    return g->resolution[i] ? (double)g->counter[i] / (double)g->resolution[i]
                            : -1;
}

/* Of fixed clocks before the first step, of tunable ones at any event, but
 * their shift. */
static enum status set_one_timing(struct instance *k, const struct clocks *c,
                                  const struct given *g, size_t i)
{
    const struct tutti_var *v = timed_at(k, c, i, !g->seconds);
    const char *what = g->shift ? "shift" : "interval";
    double seconds = seconds_of(g, i);

    if (!v)
        return ST_ERROR;
    if (v->ticks != TUTTI_TICKS_TUNABLE &&
        !(v->ticks == TUTTI_TICKS_FIXED && k->phase == PH_INIT))
        return report(k, ST_ERROR, "%s: the %s of '%s' cannot be set %s",
                      c->function, what, var_name(v), phase_name(k->phase));
    if (!(seconds > 0 || (g->shift && seconds == 0)))
        return report(k, ST_ERROR, "%s: the %s of '%s' must %s", c->function,
                      what, var_name(v),
                      g->shift ? "not be negative" : "be positive");
    if (g->shift)
        clock_of(k, v)->shift = seconds;
    else
        clock_of(k, v)->interval = seconds;
    k->dirty = true;
    return ST_OK;
}

static fmi3Status set_timing(fmi3Instance instance, const struct clocks *c,
                             const struct given *g)
{
    struct instance *k = instance;
    enum status status;

    if (!k)
        return fmi3Error;
    status = clocks_check(k, c, g->shift ? PH_INIT : PH_INIT | PH_EVENT);
    for (size_t i = 0; i < c->n && status == ST_OK; i++)
        status = set_one_timing(k, c, g, i);
    return (fmi3Status)status;
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance,
                                  const fmi3ValueReference vr[], size_t n,
                                  const fmi3Float64 intervals[])
{
    const struct clocks c = {"fmi3SetIntervalDecimal", vr, n,
                             intervals != NULL};

    return set_timing(instance, &c, &(struct given){.seconds = intervals});
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance instance,
                                   const fmi3ValueReference vr[], size_t n,
                                   const fmi3UInt64 counters[],
                                   const fmi3UInt64 resolutions[])
{
    const struct clocks c = {"fmi3SetIntervalFraction", vr, n,
                             counters && resolutions};

    return set_timing(
        instance, &c,
        &(struct given){.counter = counters, .resolution = resolutions});
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance instance,
                               const fmi3ValueReference vr[], size_t n,
                               const fmi3Float64 shifts[])
{
    const struct clocks c = {"fmi3SetShiftDecimal", vr, n, shifts != NULL};

    return set_timing(instance, &c,
                      &(struct given){.shift = true, .seconds = shifts});
}

fmi3Status fmi3SetShiftFraction(fmi3Instance instance,
                                const fmi3ValueReference vr[], size_t n,
                                const fmi3UInt64 counters[],
                                const fmi3UInt64 resolutions[])
{
    const struct clocks c = {"fmi3SetShiftFraction", vr, n,
                             counters && resolutions};

    return set_timing(instance, &c,
                      &(struct given){.shift = true,
                                      .counter = counters,
                                      .resolution = resolutions});
}
