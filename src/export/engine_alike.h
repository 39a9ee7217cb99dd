/* SPDX-License-Identifier: MIT */
/* The calls that every FMI has, for engine_fmi2.c and engine_fmi3.c: each
 * defines FMI(name), VALUES and `struct instance` with an `engine`, and
 * includes this once. Names that differ in spelling are the newer ones here. */
#include "base/mem.h"
#include "export/engine.h"

/* Where messages go: the environment's logger, if there is one. */
static void pass_on(const struct instance *i, FMI(Status) status,
                    const char *category, const char *text);

static void report(void *ctx, enum tt_engine_level level, const char *text)
{
    static const struct {
        FMI(Status) status;
        const char *category;
    } as[] = {
        [TT_ENGINE_INFO] = {FMI(OK), "logAll"},
        [TT_ENGINE_WARNING] = {FMI(Warning), "logStatusWarning"},
        [TT_ENGINE_ERROR] = {FMI(Error), "logStatusError"},
    };

    pass_on(ctx, as[level].status, as[level].category, text);
}

/* The end of a call: what went wrong is stated. */
static FMI(Status) done(const struct instance *i, const char *call,
                        enum tt_code rc, tt_err *err)
{
    if (rc == TT_OK)
        return FMI(OK);
    (void)tt_context(err, rc, "%s", call);
    report((void *)(uintptr_t)i, TT_ENGINE_ERROR, err->msg);
    return FMI(Error);
}

static FMI(Status) absent(const struct instance *i, const char *call)
{
    tt_err err;

    return i ? done(i, call,
                    tt_fail(&err, TT_EUNSUPPORTED,
                            "an exported scenario does not have it"),
                    &err)
             : FMI(Error);
}

#define TEXT_OF(expanded) #expanded
#define TEXT(name)        TEXT_OF(name)
/* The body of the call `Name` of `instance`: does `what`, with the engine `e`
 * and an error `err` at hand. */
#define CALL(Name, what)                                                       \
    do {                                                                       \
        const struct instance *i = instance;                                   \
        tt_engine *e = i ? i->engine : NULL;                                   \
        tt_err err;                                                            \
                                                                               \
        return e ? done(i, TEXT(FMI(Name)), what, &err) : FMI(Error);          \
    } while (0)
/* The same, where the parameter `state` must be given too. */
#define STATE_CALL(Name, what)                                                 \
    do {                                                                       \
        if (!state)                                                            \
            return FMI(Error);                                                 \
        CALL(Name, what);                                                      \
    } while (0)

/* The calls for values of a type. */
#define ACCESS_BY(Name, type, get, set)                                        \
    FMI(Status)                                                                \
    FMI(Get##Name)                                                             \
    (FMI(Instance) instance, const FMI(ValueReference) vr[], size_t n,         \
     VALUES(FMI(Name)))                                                        \
    {                                                                          \
        const struct tt_engine_vars v = {type, vr, n, N_VALUES};               \
                                                                               \
        CALL(Get##Name, get(e, &v, value, &err));                              \
    }                                                                          \
    FMI(Status)                                                                \
    FMI(Set##Name)                                                             \
    (FMI(Instance) instance, const FMI(ValueReference) vr[], size_t n,         \
     const VALUES(FMI(Name)))                                                  \
    {                                                                          \
        const struct tt_engine_vars v = {type, vr, n, N_VALUES};               \
                                                                               \
        CALL(Set##Name, set(e, &v, value, &err));                              \
    }
#define ACCESS(Name, type) ACCESS_BY(Name, type, tt_engine_get, tt_engine_set)

FMI(Status)
FMI(SetDebugLogging)
(FMI(Instance) instance, FMI(Boolean) on, size_t n,
 const FMI(String) categories[])
{
    struct instance *i = instance;

    (void)n;
    (void)categories;
    if (!i)
        return FMI(Error);
    tt_engine_logging(i->engine, on);
    return FMI(OK);
}

/* --- life ----------------------------------------------------------------- */

static struct tt_experiment experiment(int tolerance_defined, double tolerance,
                                       double start, int stop_defined,
                                       double stop)
{
    return (struct tt_experiment){.start = start,
                                  .end = stop_defined ? stop : (double)INFINITY,
                                  .tolerance =
                                      tolerance_defined ? tolerance : 0};
}

FMI(Status) FMI(ExitInitializationMode)(FMI(Instance) instance)
{
    CALL(ExitInitializationMode, tt_engine_leave(e, &err));
}

FMI(Status) FMI(Terminate)(FMI(Instance) instance)
{
    CALL(Terminate, tt_unit_end(e->unit, &err));
}

FMI(Status) FMI(Reset)(FMI(Instance) instance)
{
    CALL(Reset, tt_engine_reset(e, &err));
}

/* --- states --------------------------------------------------------------- */

static struct tt_engine_state **state_at(FMI(FMUState) * state)
{
    return (struct tt_engine_state **)(void *)state;
}

FMI(Status) FMI(GetFMUState)(FMI(Instance) instance, FMI(FMUState) * state)
{
    CALL(GetFMUState, tt_engine_save(e, state_at(state), &err));
}

FMI(Status) FMI(SetFMUState)(FMI(Instance) instance, FMI(FMUState) state)
{
    STATE_CALL(SetFMUState, tt_engine_restore(e, state, &err));
}

FMI(Status) FMI(FreeFMUState)(FMI(Instance) instance, FMI(FMUState) * state)
{
    struct instance *i = instance;

    if (!i || !state)
        return FMI(Error);
    tt_engine_drop(i->engine, *state);
    *state = NULL;
    return FMI(OK);
}

FMI(Status)
FMI(SerializedFMUStateSize)
(FMI(Instance) instance, FMI(FMUState) state, size_t *size)
{
    STATE_CALL(SerializedFMUStateSize,
               tt_engine_packed_size(e, state, size, &err));
}

FMI(Status)
FMI(SerializeFMUState)
(FMI(Instance) instance, FMI(FMUState) state, FMI(Byte) bytes[], size_t size)
{
    STATE_CALL(SerializeFMUState, tt_engine_pack(e, state, bytes, size, &err));
}

FMI(Status)
FMI(DeserializeFMUState)
(FMI(Instance) instance, const FMI(Byte) bytes[], size_t size,
 FMI(FMUState) * state)
{
    const struct tt_bytes b = {.data = (void *)(uintptr_t)bytes, .n = size};

    STATE_CALL(DeserializeFMUState,
               tt_engine_unpack(e, &b, state_at(state), &err));
}
