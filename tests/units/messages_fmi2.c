/* SPDX-License-Identifier: MIT */
/* FMI 2.0 of messages.h. */
#include "messages.h"
#include "tutti_kit_fmi2.h"

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *call,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    struct messages *m = calloc(1, sizeof(*m));

    (void)name;
    (void)type;
    (void)guid;
    (void)resources;
    (void)call;
    (void)visible;
    (void)logging;
    if (m)
        messages_clear(m);
    return m;
}

void fmi2FreeInstance(fmi2Component c)
{
    messages_clear(c);
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_tolerance;
    (void)tolerance;
    (void)has_stop;
    (void)stop;
    ((struct messages *)c)->at.time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    messages_clear(c);
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h,
                      fmi2Boolean no_prior)
{
    (void)no_prior;
    return messages_step(c, t, h) ? fmi2OK : fmi2Discard;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind,
                             fmi2Real *value)
{
    (void)kind;
    *value = ((const struct messages *)c)->at.time;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind,
                                fmi2Boolean *value)
{
    (void)c;
    (void)kind;
    *value = 0;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       fmi2Real value[])
{
    const struct messages *m = c;

    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == VR_X ? m->at.x : m->at.z;
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    struct messages *m = c;

    for (size_t i = 0; i < n; i++)
        if (vr[i] == VR_X)
            m->at.x = value[i];
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[],
                          size_t n, fmi2Integer value[])
{
    const struct messages *m = c;

    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == VR_SIZE    ? m->at.size
                   : vr[i] == VR_PICKY ? m->at.picky
                   : vr[i] == VR_SUM   ? (fmi2Integer)(m->at.sum & INT32_MAX)
                                       : m->at.got;
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[],
                          size_t n, const fmi2Integer value[])
{
    struct messages *m = c;

    for (size_t i = 0; i < n; i++)
        *(vr[i] == VR_SIZE ? &m->at.size : &m->at.picky) = value[i];
    return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[],
                         size_t n, fmi2String value[])
{
    struct messages *m = c;

    for (size_t i = 0; i < n; i++) {
        if (vr[i] == VR_S && !write_message(m, &m->s, 1))
            return fmi2Error;
        value[i] = (const char *)(vr[i] == VR_S ? m->s.s : m->v.s);
    }
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[],
                         size_t n, const fmi2String value[])
{
    struct messages *m = c;

    (void)vr;
    for (size_t i = 0; i < n; i++)
        if (!text_set(&m->v, value[i], strlen(value[i])))
            return fmi2Error;
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    free(*state);
    *state = messages_pack(c);
    return *state ? fmi2OK : fmi2Error;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    return messages_unpack(c, state) ? fmi2OK : fmi2Error;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state,
                                      size_t *size)
{
    (void)c;
    *size = ((const struct packed *)state)->n;
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state,
                                 fmi2Byte bytes[], size_t size)
{
    (void)c;
    memcpy(bytes, ((const struct packed *)state)->s, size);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[],
                                   size_t size, fmi2FMUstate *state)
{
    struct packed *p = malloc(sizeof(*p) + size);

    (void)c;
    if (!p)
        return fmi2Error;
    p->n = size;
    memcpy(p->s, bytes, size);
    free(*state);
    *state = p;
    return fmi2OK;
}
