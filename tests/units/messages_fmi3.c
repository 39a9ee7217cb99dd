/* SPDX-License-Identifier: MIT */
/* FMI 3.0 of messages.h. */
#include "messages.h"
#include "tutti_kit_fmi3.h"

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
    fmi3Boolean early, const fmi3ValueReference required[], size_t n_required,
    fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update)
{
    struct messages *m = calloc(1, sizeof(*m));

    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)event_mode;
    (void)early;
    (void)required;
    (void)n_required;
    (void)env;
    (void)log;
    (void)update;
    if (m)
        messages_clear(m);
    return m;
}

void fmi3FreeInstance(fmi3Instance c)
{
    messages_clear(c);
    free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c,
                                       fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop)
{
    (void)has_tolerance;
    (void)tolerance;
    (void)has_stop;
    (void)stop;
    ((struct messages *)c)->at.time = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c)
{
    messages_clear(c);
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h,
                      fmi3Boolean no_rollback, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *reached)
{
    (void)no_rollback;
    *event = *terminate = *early = false;
    *reached = t;
    if (!messages_step(c, t, h))
        return fmi3Discard;
    *reached = t + h;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, fmi3Float64 value[], size_t n_value)
{
    const struct messages *m = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == VR_X ? m->at.x : m->at.z;
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, const fmi3Float64 value[], size_t n_value)
{
    struct messages *m = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        if (vr[i] == VR_X)
            m->at.x = value[i];
    return fmi3OK;
}

fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        fmi3Int32 value[], size_t n_value)
{
    const struct messages *m = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == VR_SIZE    ? m->at.size
                   : vr[i] == VR_PICKY ? m->at.picky
                   : vr[i] == VR_CLAIM ? m->at.claim
                   : vr[i] == VR_SUM   ? (fmi3Int32)(m->at.sum & INT32_MAX)
                                       : m->at.got;
    return fmi3OK;
}

fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        const fmi3Int32 value[], size_t n_value)
{
    struct messages *m = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        *(vr[i] == VR_SIZE    ? &m->at.size
          : vr[i] == VR_CLAIM ? &m->at.claim
                              : &m->at.picky) = value[i];
    return fmi3OK;
}

fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, fmi3String value[], size_t n_value)
{
    struct messages *m = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] == VR_S && !write_message(m, &m->s, 1))
            return fmi3Error;
        value[i] = (const char *)(vr[i] == VR_S ? m->s.s : m->v.s);
    }
    return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, const fmi3String value[], size_t n_value)
{
    struct messages *m = c;

    (void)vr;
    (void)n_value;
    for (size_t i = 0; i < n; i++)
        if (!text_set(&m->v, value[i], strlen(value[i])))
            return fmi3Error;
    return fmi3OK;
}

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, size_t size[], fmi3Binary value[],
                         size_t n_value)
{
    struct messages *m = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++) {
        const struct text *t = vr[i] == VR_Y ? &m->y : &m->u;

        if (vr[i] == VR_Y && !write_message(m, &m->y, 0))
            return fmi3Error;
        value[i] = t->s;
        size[i] = m->at.claim ? (size_t)m->at.claim * 1000 : t->n;
    }
    return fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, const size_t size[],
                         const fmi3Binary value[], size_t n_value)
{
    struct messages *m = c;

    (void)vr;
    (void)n_value;
    for (size_t i = 0; i < n; i++)
        if (!text_set(&m->u, value[i], size[i]))
            return fmi3Error;
    return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    free(*state);
    *state = messages_pack(c);
    return *state ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    return messages_unpack(c, state) ? fmi3OK : fmi3Error;
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state,
                                      size_t *size)
{
    (void)c;
    *size = ((const struct packed *)state)->n;
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state,
                                 fmi3Byte bytes[], size_t size)
{
    (void)c;
    memcpy(bytes, ((const struct packed *)state)->s, size);
    return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[],
                                   size_t size, fmi3FMUState *state)
{
    struct packed *p = malloc(sizeof(*p) + size);

    (void)c;
    if (!p)
        return fmi3Error;
    p->n = size;
    memcpy(p->s, bytes, size);
    free(*state);
    *state = p;
    return fmi3OK;
}
