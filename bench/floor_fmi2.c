/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "floor.h"
#include "tutti_kit_fmi2.h"

struct fns {
    fmi2Component (*instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String,
                                 const fmi2CallbackFunctions *, fmi2Boolean,
                                 fmi2Boolean);
    void (*free_instance)(fmi2Component);
    fmi2Status (*setup)(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real,
                        fmi2Boolean, fmi2Real);
    fmi2Status (*enter)(fmi2Component);
    fmi2Status (*exit)(fmi2Component);
    fmi2Status (*terminate)(fmi2Component);
    fmi2Status (*step)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
    fmi2Status (*get)(fmi2Component, const fmi2ValueReference *, size_t,
                      fmi2Real *);
    fmi2Status (*set)(fmi2Component, const fmi2ValueReference *, size_t,
                      const fmi2Real *);
    fmi2Status (*completed)(fmi2Component, fmi2Boolean, fmi2Boolean *,
                            fmi2Boolean *);
};

static void logger(fmi2ComponentEnvironment env, fmi2String name,
                   fmi2Status status, fmi2String category, fmi2String text, ...)
{
    (void)env;
    (void)name;
    (void)status;
    (void)category;
    (void)text;
}

static const fmi2CallbackFunctions callbacks = {
    .logger = logger, .allocate = calloc, .release = free};

static int find(struct floor *f, struct fns *k)
{
#define FIND(member, name) floor_symbol(f, name, &k->member, sizeof(k->member))
    return FIND(instantiate, "fmi2Instantiate") |
           FIND(free_instance, "fmi2FreeInstance") |
           FIND(setup, "fmi2SetupExperiment") |
           FIND(enter, "fmi2EnterInitializationMode") |
           FIND(exit, "fmi2ExitInitializationMode") |
           FIND(terminate, "fmi2Terminate") | FIND(step, "fmi2DoStep") |
           FIND(get, "fmi2GetReal") | FIND(set, "fmi2SetReal");
#undef FIND
}

static int make(struct floor *f)
{
    struct fns *k = calloc(1, sizeof(*k));

    f->fns = k;
    if (!k || find(f, k))
        return -1;
    for (uint32_t i = 0; i < f->n; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "u%u", (unsigned)i);
        f->c[i] = k->instantiate(name,
                                 f->kind == FLOOR_EXCHANGE ? fmi2ModelExchange
                                                           : fmi2CoSimulation,
                                 f->token, f->resources, &callbacks, 0, 0);
        if (!f->c[i])
            return -1;
    }
    return 0;
}

/* Initialisation mode, with the values of the first instant. */
static int init(struct floor *f)
{
    const struct fns *k = f->fns;
    uint32_t vr_u[64], vr_y[64];
    fmi2Status bad = fmi2OK;

    for (uint32_t i = 0; i < f->n_port; i++) {
        vr_u[i] = f->u + i;
        vr_y[i] = f->y + i;
    }
    for (uint32_t i = 0; i < f->n; i++)
        bad |= k->setup(f->c[i], 0, 0, 0, 1, 1e9) | k->enter(f->c[i]);
    for (uint32_t i = 0; i < f->n; i++) {
        if (i)
            bad |= k->set(f->c[i], vr_u, f->n_port,
                          f->value + (size_t)(i - 1) * f->n_port);
        bad |=
            k->get(f->c[i], vr_y, f->n_port, f->value + (size_t)i * f->n_port);
    }
    for (uint32_t i = 0; i < f->n; i++)
        bad |= k->exit(f->c[i]);
    return bad ? -1 : 0;
}

/* Of model exchange. */
static int leave(struct floor *f)
{
    fmi2Status (*update)(fmi2Component, fmi2EventInfo *) = NULL;
    fmi2Status (*enter)(fmi2Component) = NULL;
    fmi2EventInfo info = {0};

    if (floor_symbol(f, "fmi2CompletedIntegratorStep",
                     &((struct fns *)f->fns)->completed, sizeof(update)) ||
        floor_symbol(f, "fmi2NewDiscreteStates", &update, sizeof(update)) ||
        floor_symbol(f, "fmi2EnterContinuousTimeMode", &enter, sizeof(enter)))
        return -1;
    return update(f->c[0], &info) | enter(f->c[0]) ? -1 : 0;
}

static fmi2Status exchange(const struct floor *f)
{
    const struct fns k = *(const struct fns *)f->fns;
    const uint32_t u = f->u, y = f->y;
    fmi2Status bad = fmi2OK;

    for (uint32_t i = 0; i < f->n_lead; i++)
        bad |= f->lead[i].set ? k.set(f->lead[i].c, &u, 1, f->lead[i].v)
                              : k.get(f->lead[i].c, &y, 1, f->lead[i].v);
    for (uint32_t i = 0; i < f->n_pair; i++) {
        const struct floor_pair *p = &f->pair[i];

        bad |= k.get(p->get.c, &y, 1, p->get.v);
        bad |= k.set(p->set.c, &u, 1, p->set.v);
    }
    for (uint32_t i = 0; i < f->n_tail; i++)
        bad |= f->tail[i].set ? k.set(f->tail[i].c, &u, 1, f->tail[i].v)
                              : k.get(f->tail[i].c, &y, 1, f->tail[i].v);
    return bad;
}

static int play(struct floor *f, uint64_t from, uint64_t n)
{
    fmi2Status (*const step)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean) =
        ((const struct fns *)f->fns)->step;
    const double h = f->h;
    fmi2Status bad = fmi2OK;

    for (uint64_t k = from; k < from + n; k++) {
        double t = (double)k * h;

        for (uint32_t i = 0; i < f->n; i++)
            bad |= step(f->c[i], t, h, 1);
        bad |= exchange(f);
    }
    return bad ? -1 : 0;
}

static int read(const struct floor *f)
{
    return exchange(f) ? -1 : 0;
}

static int completed(const struct floor *f)
{
    const struct fns *k = f->fns;
    fmi2Boolean event = 0, terminate = 0;

    return k->completed(f->c[0], 1, &event, &terminate) || event || terminate;
}

static void free_all(struct floor *f)
{
    const struct fns *k = f->fns;

    for (uint32_t i = 0; k && f->c && i < f->n; i++)
        if (f->c[i]) {
            (void)k->terminate(f->c[i]);
            k->free_instance(f->c[i]);
        }
}

const struct floor_ops floor_fmi2 = {.make = make,
                                     .init = init,
                                     .play = play,
                                     .leave = leave,
                                     .read = read,
                                     .completed = completed,
                                     .free = free_all};
