/* SPDX-License-Identifier: MIT */
/* What "multiply rate 10" and "interpolate u" are, by hand: a unit around an
 * FMU of FMI 2, BENCH_INNER, by its functions. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tutti_kit.h"
#include "tutti_kit_fmi2.h"

enum { RATE = 10 };

struct byhand {
    double u, y, before;
    void *inner;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct byhand, u, .start = 0),
    TUTTI_REAL_OUTPUT(struct byhand, y, .depends = ""),
};

static struct {
    void *library;
    fmi2Status (*set)(fmi2Component, const fmi2ValueReference *, size_t,
                      const fmi2Real *);
    fmi2Status (*get)(fmi2Component, const fmi2ValueReference *, size_t,
                      fmi2Real *);
    fmi2Status (*step)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
    fmi2ValueReference u, y;
} fmi;

static void logger(fmi2ComponentEnvironment env, fmi2String name,
                   fmi2Status status, fmi2String category, fmi2String text, ...)
{
    (void)env;
    (void)name;
    (void)status;
    (void)category;
    (void)text;
}

static void find(const char *name, void *to)
{
    void *symbol = dlsym(fmi.library, name);

    memcpy(to, &symbol, sizeof(symbol));
}

/* What stands behind `begin` in the description. */
static void read_text(char *out, size_t size, const char *variable,
                      const char *begin)
{
    char all[65536] = "", *at;
    FILE *f = fopen(BENCH_INNER "/modelDescription.xml", "r");

    if (f && fread(all, 1, sizeof(all) - 1, f) > 0 &&
        (at = strstr(all, variable)) && (at = strstr(at, begin)))
        (void)snprintf(out, size, "%.*s",
                       (int)strcspn(at + strlen(begin), "\""),
                       at + strlen(begin));
    if (f)
        (void)fclose(f);
}

static fmi2ValueReference reference(const char *variable)
{
    char text[32] = "";

    read_text(text, sizeof(text), variable, "valueReference=\"");
    return (fmi2ValueReference)strtoul(text, NULL, 10);
}

static void open_inner(void)
{
    fmi.library = dlopen(BENCH_INNER "/binaries/linux64/" BENCH_ID ".so",
                         RTLD_NOW | RTLD_LOCAL);
    find("fmi2SetReal", &fmi.set);
    find("fmi2GetReal", &fmi.get);
    find("fmi2DoStep", &fmi.step);
    fmi.u = reference("name=\"u\"");
    fmi.y = reference("name=\"y\"");
}

static void *make_inner(void)
{
    static const fmi2CallbackFunctions callbacks = {
        .logger = logger, .allocate = calloc, .release = free};
    fmi2Component (*make)(fmi2String, fmi2Type, fmi2String, fmi2String,
                          const fmi2CallbackFunctions *, fmi2Boolean,
                          fmi2Boolean);
    fmi2Status (*setup)(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real,
                        fmi2Boolean, fmi2Real);
    fmi2Status (*enter)(fmi2Component), (*leave)(fmi2Component);
    char guid[128] = "";
    void *c;

    if (!fmi.library)
        open_inner();
    find("fmi2Instantiate", &make);
    find("fmi2SetupExperiment", &setup);
    find("fmi2EnterInitializationMode", &enter);
    find("fmi2ExitInitializationMode", &leave);
    read_text(guid, sizeof(guid), "guid", "guid=\"");
    c = make("inner", fmi2CoSimulation, guid,
             "file://" BENCH_INNER "/resources", &callbacks, 0, 0);
    (void)setup(c, 0, 0, 0, 0, 0);
    (void)enter(c);
    (void)leave(c);
    return c;
}

static void step(void *model, struct tutti_step *s)
{
    struct byhand *m = model;
    double part = (s->to - s->from) / RATE, rise = (m->u - m->before) / RATE,
           line = m->before;

    if (!m->inner)
        m->inner = make_inner();
    for (int k = 0; k < RATE; k++) {
        line += rise;
        if (fmi.set(m->inner, &fmi.u, 1, &line) != fmi2OK ||
            fmi.step(m->inner, s->from + k * part, part, 1) != fmi2OK ||
            fmi.get(m->inner, &fmi.y, 1, &m->y) != fmi2OK) {
            tutti_fail(m, "the inner unit failed");
            return;
        }
    }
    m->before = m->u;
}

const struct tutti_model tutti_model = {
    .name = "byhand",
    .size = sizeof(struct byhand),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .step = step,
    .stop_time = 1,
    .step_size = 0.01,
};
