/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "floor.h"
#include "tutti_kit_fmi3.h"

struct fns {
    fmi3Instance (*instantiate)(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                fmi3Boolean, fmi3Boolean, fmi3Boolean,
                                const fmi3ValueReference *, size_t,
                                fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                fmi3IntermediateUpdateCallback);
    void (*free_instance)(fmi3Instance);
    fmi3Status (*enter)(fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64,
                        fmi3Boolean, fmi3Float64);
    fmi3Status (*exit)(fmi3Instance);
    fmi3Status (*terminate)(fmi3Instance);
    fmi3Instance (*instantiate_me)(fmi3String, fmi3String, fmi3String,
                                   fmi3Boolean, fmi3Boolean,
                                   fmi3InstanceEnvironment,
                                   fmi3LogMessageCallback);
    /* of other kinds than plain steps */
    fmi3Status (*enter_event)(fmi3Instance);
    fmi3Status (*update)(fmi3Instance, fmi3Boolean *, fmi3Boolean *,
                         fmi3Boolean *, fmi3Boolean *, fmi3Boolean *,
                         fmi3Float64 *);
    fmi3Status (*leave_event)(fmi3Instance);
    fmi3Status (*completed)(fmi3Instance, fmi3Boolean, fmi3Boolean *,
                            fmi3Boolean *);
    fmi3Status (*step)(fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean,
                       fmi3Boolean *, fmi3Boolean *, fmi3Boolean *,
                       fmi3Float64 *);
    fmi3Status (*get)(fmi3Instance, const fmi3ValueReference *, size_t,
                      fmi3Float64 *, size_t);
    fmi3Status (*set)(fmi3Instance, const fmi3ValueReference *, size_t,
                      const fmi3Float64 *, size_t);
};

static void logger(fmi3InstanceEnvironment env, fmi3Status status,
                   fmi3String category, fmi3String text)
{
    (void)env;
    (void)status;
    (void)category;
    (void)text;
}

/* An FMU may call this in every step, so both players give it one. */
static void update(fmi3InstanceEnvironment env, fmi3Float64 time,
                   fmi3Boolean set, fmi3Boolean get, fmi3Boolean finished,
                   fmi3Boolean can_return, fmi3Boolean *early,
                   fmi3Float64 *early_time)
{
    (void)env;
    (void)set;
    (void)get;
    (void)finished;
    (void)can_return;
    if (early)
        *early = false;
    if (early_time)
        *early_time = time;
}

static int find(struct floor *f, struct fns *k)
{
#define FIND(member, name) floor_symbol(f, name, &k->member, sizeof(k->member))
    return FIND(instantiate, "fmi3InstantiateCoSimulation") |
           FIND(free_instance, "fmi3FreeInstance") |
           FIND(enter, "fmi3EnterInitializationMode") |
           FIND(exit, "fmi3ExitInitializationMode") |
           FIND(terminate, "fmi3Terminate") | FIND(step, "fmi3DoStep") |
           FIND(get, "fmi3GetFloat64") | FIND(set, "fmi3SetFloat64");
#undef FIND
}

static int find_more(struct floor *f, struct fns *k)
{
    int me = f->kind == FLOOR_EXCHANGE;

#define FIND(member, name) floor_symbol(f, name, &k->member, sizeof(k->member))
    return (me && (FIND(instantiate_me, "fmi3InstantiateModelExchange") |
                   FIND(completed, "fmi3CompletedIntegratorStep"))) |
           FIND(enter_event, "fmi3EnterEventMode") |
           FIND(update, "fmi3UpdateDiscreteStates") |
           FIND(leave_event,
                me ? "fmi3EnterContinuousTimeMode" : "fmi3EnterStepMode");
#undef FIND
}

static int make(struct floor *f)
{
    struct fns *k = calloc(1, sizeof(*k));

    f->fns = k;
    if (!k || find(f, k) || (f->kind != FLOOR_STEPS && find_more(f, k)))
        return -1;
    for (uint32_t i = 0; i < f->n; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "u%u", (unsigned)i);
        f->c[i] = f->kind == FLOOR_EXCHANGE
                      ? k->instantiate_me(name, f->token, f->resources, false,
                                          false, NULL, logger)
                      : k->instantiate(name, f->token, f->resources, false,
                                       false, f->kind == FLOOR_EVENTS, false,
                                       NULL, 0, NULL, logger, update);
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
    fmi3Status bad = fmi3OK;

    for (uint32_t i = 0; i < f->n_port; i++) {
        vr_u[i] = f->u + i;
        vr_y[i] = f->y + i;
    }
    for (uint32_t i = 0; i < f->n; i++)
        bad |= k->enter(f->c[i], false, 0, 0, true, 1e9);
    for (uint32_t i = 0; i < f->n; i++) {
        if (i)
            bad |= k->set(f->c[i], vr_u, f->n_port,
                          f->value + (size_t)(i - 1) * f->n_port, f->n_port);
        bad |= k->get(f->c[i], vr_y, f->n_port,
                      f->value + (size_t)i * f->n_port, f->n_port);
    }
    for (uint32_t i = 0; i < f->n; i++)
        bad |= k->exit(f->c[i]);
    return bad ? -1 : 0;
}

static fmi3Status exchange(const struct floor *f)
{
    const struct fns k = *(const struct fns *)f->fns;
    const uint32_t u = f->u, y = f->y;
    fmi3Status bad = fmi3OK;

    for (uint32_t i = 0; i < f->n_lead; i++)
        bad |= f->lead[i].set ? k.set(f->lead[i].c, &u, 1, f->lead[i].v, 1)
                              : k.get(f->lead[i].c, &y, 1, f->lead[i].v, 1);
    for (uint32_t i = 0; i < f->n_pair; i++) {
        const struct floor_pair *p = &f->pair[i];

        bad |= k.get(p->get.c, &y, 1, p->get.v, 1);
        bad |= k.set(p->set.c, &u, 1, p->set.v, 1);
    }
    for (uint32_t i = 0; i < f->n_tail; i++)
        bad |= f->tail[i].set ? k.set(f->tail[i].c, &u, 1, f->tail[i].v, 1)
                              : k.get(f->tail[i].c, &y, 1, f->tail[i].v, 1);
    return bad;
}

static int play(struct floor *f, uint64_t from, uint64_t n)
{
    const struct fns k = *(const struct fns *)f->fns;
    const double h = f->h;
    bool event = false, terminate = false, early = false, any = false;
    double last = 0;
    fmi3Status bad = fmi3OK;

    for (uint64_t s = from; s < from + n; s++) {
        double t = (double)s * h;

        for (uint32_t i = 0; i < f->n; i++) {
            bad |=
                k.step(f->c[i], t, h, true, &event, &terminate, &early, &last);
            any |= event | terminate | early;
        }
        bad |= exchange(f);
    }
    return bad || any ? -1 : 0;
}

/* One round of a unit's discrete states. */
static fmi3Status update_states(const struct fns *k, fmi3Instance c)
{
    bool again = false, terminate = false, nominals = false, values = false,
         defined = false;
    double next = 0;

    return k->update(c, &again, &terminate, &nominals, &values, &defined,
                     &next) |
           (again || terminate ? fmi3Error : fmi3OK);
}

static int leave(struct floor *f)
{
    const struct fns *k = f->fns;
    fmi3Status bad = fmi3OK;

    for (uint32_t i = 0; i < f->n; i++)
        bad |= update_states(k, f->c[i]) | k->leave_event(f->c[i]);
    return bad ? -1 : 0;
}

/* An event of the first two, which both ask for: when the output of one has
 * changed, the other is updated once more. */
static fmi3Status event(const struct floor *f, const struct fns *k)
{
    fmi3Instance a = f->c[0], b = f->c[1];
    double was;
    fmi3Status bad = k->enter_event(a) | k->enter_event(b) |
                     k->get(a, &f->y, 1, f->value, 1);

    was = f->value[0];
    bad |= update_states(k, a) | update_states(k, b) |
           k->get(a, &f->y, 1, f->value, 1);
    if (f->value[0] != was)
        bad |= k->set(b, &f->u, 1, f->value, 1) | update_states(k, b);
    return bad | k->leave_event(a) | k->leave_event(b);
}

static int play_events(struct floor *f, uint64_t from, uint64_t n)
{
    const struct fns *k = f->fns;
    bool asks = false, terminate = false, early = false, any = false,
         bad_any = false;
    double last = 0;
    fmi3Status bad = fmi3OK;

    for (uint64_t s = from; s < from + n; s++, any = false) {
        for (uint32_t i = 0; i < f->n; i++) {
            bad |= k->step(f->c[i], (double)s * f->h, f->h, true, &asks,
                           &terminate, &early, &last);
            any |= asks;
            bad_any |= terminate | early;
        }
        bad |= exchange(f);
        if (any)
            bad |= event(f, k);
    }
    return bad || bad_any ? -1 : 0;
}

static int read(const struct floor *f)
{
    return exchange(f) ? -1 : 0;
}

static int completed(const struct floor *f)
{
    const struct fns *k = f->fns;
    bool event = false, terminate = false;

    return k->completed(f->c[0], true, &event, &terminate) || event ||
           terminate;
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

const struct floor_ops floor_fmi3 = {.make = make,
                                     .init = init,
                                     .play = play,
                                     .leave = leave,
                                     .play_events = play_events,
                                     .read = read,
                                     .completed = completed,
                                     .free = free_all};
