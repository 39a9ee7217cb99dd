/* SPDX-License-Identifier: MIT */
/*
 * Scheduled execution (FMI 3.0.2, 5): the importer activates partitions by
 * their input clocks. Clock activation mode is the phase that is step mode in
 * co-simulation; what FMI calls clock update mode is the importer's callback,
 * inside a partition.
 */

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock)
{
    struct instance importer = {.log_message = fmi3_log_message,
                                .scheduled = true,
                                .fmi3 = {environment, log, NULL, clock_update}};
    struct instance *k;

    (void)visible;
    (void)lock; /* nothing that partitions share is inconsistent on the way */
    (void)unlock;
    log_all(&importer, logging);
    if (!identity_ok(&importer, name, token))
        return NULL;
    if (!tutti_model.partition) {
        (void)report(&importer, ST_ERROR,
                     "the model has no scheduled execution");
        return NULL;
    }
    k = instance_new(&importer, name, resources);
    if (!k)
        (void)report(&importer, ST_ERROR, "out of memory");
    return k;
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance,
                                      fmi3ValueReference clock,
                                      fmi3Float64 time)
{
    static const char name[] = "fmi3ActivateModelPartition";
    const struct clocks c = {name, &clock, 1, true};
    struct instance *k = instance;
    const struct tutti_var *v;
    enum status status;

    if (!k)
        return fmi3Error;
    status = allowed(k, name, PH_STEP);
    if (status == ST_OK && !k->scheduled)
        status = report(k, ST_ERROR,
                        "%s: the model was not instantiated for scheduled "
                        "execution",
                        name);
    if (status != ST_OK)
        return (fmi3Status)status;
    v = clock_at(k, &c, 0);
    if (!v || v->causality != TUTTI_INPUT)
        return (fmi3Status)report(k, ST_ERROR,
                                  "%s: value reference %u is no input clock",
                                  name, (unsigned)clock);
    k->time = time;
    if (v->ticks == TUTTI_TICKS_COUNTDOWN)
        clock_of(k, v)->qualifier = fmi3IntervalNotYetKnown;
    k->model->partition(model_of(k), clock_of(k, v), time);
    return (fmi3Status)finish(k, ST_OK);
}
