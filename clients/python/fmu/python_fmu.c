/* SPDX-License-Identifier: MIT */
/* An FMU whose model is a class of Python: each instance has a process of its
 * own, which this binary starts and asks. Variables are found there, by their
 * value references. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python_link.h"
#include "tutti_kit_fmi2.h"

/* As the other end reads them (fmu_main.py). */
enum op {
    OP_OPEN = 'O',
    OP_SETUP = 'E',
    OP_ENTER = 'i',
    OP_EXIT = 'x',
    OP_SET = 'S',
    OP_GET = 'G',
    OP_STEP = 'D',
    OP_PACK = 'P',
    OP_UNPACK = 'U',
    OP_RESET = 'R',
    OP_END = 'T',
};

struct model {
    struct py_link link;
    fmi2CallbackFunctions host;
    char *name;
    struct py_bytes texts; /* of the last fmi2GetString */
    double reached;
};

struct saved {
    size_t n;
    char data[];
};

static char *copy_of(const char *text)
{
    size_t n = strlen(text ? text : "") + 1;
    char *copy = calloc(1, n);

    if (copy && text)
        memcpy(copy, text, n);
    return copy;
}

static fmi2Status fail(struct model *m, int how)
{
    if (m->host.logger)
        m->host.logger(m->host.environment, m->name,
                       how == 2 ? fmi2Fatal : fmi2Error, "logStatusError", "%s",
                       m->link.why);
    return how == 2 ? fmi2Fatal : fmi2Error;
}

static fmi2Status ask(struct model *m, enum op op, const void *body, size_t n)
{
    size_t began = py_begin(&m->link, (char)op);
    int how;

    py_put(&m->link.out, body, n);
    py_end(&m->link, began);
    how = py_ask(&m->link);
    return how ? fail(m, how) : fmi2OK;
}

/* --- life --------------------------------------------------------------- */

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The path of a file URI; to be freed. */
static char *path_of(const char *uri)
{
    static const char *const heads[] = {"file://localhost", "file://", "file:"};
    char *path, *to;

    for (size_t i = 0; uri && i < 3; i++)
        if (!strncmp(uri, heads[i], strlen(heads[i]))) {
            uri += strlen(heads[i]);
            break;
        }
    path = to = calloc(1, strlen(uri ? uri : "") + 1);
    for (; path && uri && *uri; uri++) {
        int byte = *uri == '%' && hex(uri[1]) >= 0 && hex(uri[2]) >= 0;

        *to++ = byte ? (char)(hex(uri[1]) * 16 + hex(uri[2])) : *uri;
        uri += byte ? 2 : 0;
    }
    return path;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    struct model *m = calloc(1, sizeof(*m));
    char *folder = path_of(resources);
    fmi2Status status = fmi2Error;

    (void)visible;
    (void)logging;
    if (m && folder && type == fmi2CoSimulation) {
        m->host = *functions;
        m->name = copy_of(name);
        if (py_link_open(&m->link, folder) != 0)
            (void)fail(m, 1);
        else
            status = ask(m, OP_OPEN, guid, strlen(guid));
    }
    free(folder);
    if (status == fmi2OK)
        return m;
    fmi2FreeInstance(m);
    return NULL;
}

void fmi2FreeInstance(fmi2Component c)
{
    struct model *m = c;

    if (!m)
        return;
    py_link_close(&m->link);
    free(m->texts.data);
    free(m->name);
    free(m);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                               const fmi2String categories[])
{
    (void)c;
    (void)on;
    (void)n;
    (void)categories;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    const double none = (double)NAN;
    const double body[] = {start, stop_defined ? stop : none,
                           tolerance_defined ? tolerance : none};

    ((struct model *)c)->reached = start;
    return ask(c, OP_SETUP, body, sizeof(body));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    return ask(c, OP_ENTER, NULL, 0);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return ask(c, OP_EXIT, NULL, 0);
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    return ask(c, OP_END, NULL, 0);
}

fmi2Status fmi2Reset(fmi2Component c)
{
    return ask(c, OP_RESET, NULL, 0);
}

/* --- steps -------------------------------------------------------------- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h,
                      fmi2Boolean no_rollback)
{
    struct model *m = c;
    const double body[] = {t, h};
    fmi2Status status = ask(m, OP_STEP, body, sizeof(body));

    (void)no_rollback;
    if (status != fmi2OK || m->link.in.n < sizeof(double))
        return status;
    memcpy(&m->reached, m->link.in.data, sizeof(double));
    return m->reached < t + h ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind,
                             fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime)
        return fmi2Discard;
    *value = ((struct model *)c)->reached;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind,
                                fmi2Boolean *value)
{
    (void)c;
    *value = 0;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

#define NO_STATUS(Name, type)                                                  \
    fmi2Status fmi2Get##Name(fmi2Component c, fmi2StatusKind kind,             \
                             type *value)                                      \
    {                                                                          \
        (void)c;                                                               \
        (void)kind;                                                            \
        (void)value;                                                           \
        return fmi2Discard;                                                    \
    }
NO_STATUS(Status, fmi2Status)
NO_STATUS(IntegerStatus, fmi2Integer)
NO_STATUS(StringStatus, fmi2String)

/* --- values ------------------------------------------------------------- */

static void put_refs(struct py_link *l, char type, const fmi2ValueReference *vr,
                     size_t n)
{
    uint32_t count = (uint32_t)n;

    py_put(&l->out, &type, 1);
    py_put(&l->out, &count, sizeof(count));
    py_put(&l->out, vr, n * sizeof(*vr));
}

static fmi2Status get(struct model *m, char type, const fmi2ValueReference *vr,
                      size_t n)
{
    size_t began = py_begin(&m->link, OP_GET);
    int how;

    put_refs(&m->link, type, vr, n);
    py_end(&m->link, began);
    how = py_ask(&m->link);
    return how ? fail(m, how) : fmi2OK;
}

/* Setting needs no answer: what is wrong with it fails the next request. */
#define ACCESS(Name, Type, letter)                                             \
    fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference vr[],   \
                             size_t n, Type value[])                           \
    {                                                                          \
        struct model *m = c;                                                   \
        fmi2Status status = get(m, letter, vr, n);                             \
                                                                               \
        if (status == fmi2OK && m->link.in.n == n * sizeof(Type))              \
            memcpy(value, m->link.in.data, n * sizeof(Type));                  \
        return status;                                                         \
    }                                                                          \
    fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference vr[],   \
                             size_t n, const Type value[])                     \
    {                                                                          \
        struct model *m = c;                                                   \
        size_t began = py_begin(&m->link, OP_SET);                             \
                                                                               \
        put_refs(&m->link, letter, vr, n);                                     \
        py_put(&m->link.out, value, n * sizeof(Type));                         \
        py_end(&m->link, began);                                               \
        return m->link.fd < 0 ? fmi2Fatal : fmi2OK;                            \
    }
ACCESS(Real, fmi2Real, 'd')
ACCESS(Integer, fmi2Integer, 'i')
ACCESS(Boolean, fmi2Boolean, 'b')

/* Texts stay until the next call, as the standard has it. */
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[],
                         size_t n, fmi2String value[])
{
    struct model *m = c;
    fmi2Status status = get(m, 's', vr, n);
    size_t at = 0;

    if (status != fmi2OK)
        return status;
    m->texts.n = 0;
    py_put(&m->texts, m->link.in.data, m->link.in.n);
    for (size_t i = 0; i < n && !m->texts.failed; i++) {
        const char *end =
            at < m->texts.n ? memchr(m->texts.data + at, '\0', m->texts.n - at)
                            : NULL;

        if (!end)
            return fmi2Error;
        value[i] = m->texts.data + at;
        at = (size_t)(end - m->texts.data) + 1;
    }
    return m->texts.failed ? fmi2Error : fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[],
                         size_t n, const fmi2String value[])
{
    struct model *m = c;
    size_t began = py_begin(&m->link, OP_SET);

    put_refs(&m->link, 's', vr, n);
    for (size_t i = 0; i < n; i++)
        py_put_text(&m->link.out, value[i]);
    py_end(&m->link, began);
    return m->link.fd < 0 ? fmi2Fatal : fmi2OK;
}

/* --- states ------------------------------------------------------------- */

static struct saved *keep(const char *data, size_t n)
{
    struct saved *s = malloc(sizeof(*s) + n);

    if (!s)
        return NULL;
    s->n = n;
    memcpy(s->data, data, n);
    return s;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    struct model *m = c;
    fmi2Status status = ask(m, OP_PACK, NULL, 0);

    if (status != fmi2OK)
        return status;
    free(*state);
    *state = keep(m->link.in.data, m->link.in.n);
    return *state ? fmi2OK : fmi2Error;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    const struct saved *s = state;

    return ask(c, OP_UNPACK, s->data, s->n);
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
    *size = ((const struct saved *)state)->n;
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state,
                                 fmi2Byte bytes[], size_t size)
{
    const struct saved *s = state;

    (void)c;
    if (size < s->n)
        return fmi2Error;
    memcpy(bytes, s->data, s->n);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[],
                                   size_t size, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = keep(bytes, size);
    return *state ? fmi2OK : fmi2Error;
}

/* --- what it has not ---------------------------------------------------- */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                        const fmi2ValueReference unknown[],
                                        size_t n_unknown,
                                        const fmi2ValueReference known[],
                                        size_t n_known, const fmi2Real seed[],
                                        fmi2Real out[])
{
    (void)c;
    (void)unknown;
    (void)n_unknown;
    (void)known;
    (void)n_known;
    (void)seed;
    (void)out;
    return fmi2Error;
}

#define NO_DERIVATIVES(Name, qualified)                                        \
    fmi2Status fmi2##Name(fmi2Component c, const fmi2ValueReference vr[],      \
                          size_t n, const fmi2Integer order[],                 \
                          qualified value[])                                   \
    {                                                                          \
        (void)c;                                                               \
        (void)vr;                                                              \
        (void)n;                                                               \
        (void)order;                                                           \
        (void)value;                                                           \
        return fmi2Error;                                                      \
    }
NO_DERIVATIVES(SetRealInputDerivatives, const fmi2Real)
NO_DERIVATIVES(GetRealOutputDerivatives, fmi2Real)
