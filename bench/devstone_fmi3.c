/* SPDX-License-Identifier: MIT */
/* DEVStone with atoms in an FMU of the unit kit, by the bare calls of FMI 3:
 * step to the event, enter event mode, let clocks tick, read and set what comes
 * with them, update, leave. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devstone.h"
#include "tutti_kit_fmi3.h"

/* Value references, in the order of the atom's table. */
enum { VR_INTERNAL = 1, VR_DRIVEN = 3, VR_U, VR_U_CLOCK, VR_Y, VR_Y_CLOCK };

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
    fmi3Status (*set_boolean)(fmi3Instance, const fmi3ValueReference *, size_t,
                              const fmi3Boolean *, size_t);
    fmi3Status (*enter_event)(fmi3Instance);
    fmi3Status (*update)(fmi3Instance, fmi3Boolean *, fmi3Boolean *,
                         fmi3Boolean *, fmi3Boolean *, fmi3Boolean *,
                         fmi3Float64 *);
    fmi3Status (*leave_event)(fmi3Instance);
    fmi3Status (*step)(fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean,
                       fmi3Boolean *, fmi3Boolean *, fmi3Boolean *,
                       fmi3Float64 *);
    fmi3Status (*get)(fmi3Instance, const fmi3ValueReference *, size_t,
                      fmi3Float64 *, size_t);
    fmi3Status (*set)(fmi3Instance, const fmi3ValueReference *, size_t,
                      const fmi3Float64 *, size_t);
    fmi3Status (*get_clock)(fmi3Instance, const fmi3ValueReference *, size_t,
                            fmi3Clock *);
    fmi3Status (*set_clock)(fmi3Instance, const fmi3ValueReference *, size_t,
                            const fmi3Clock *);
};

struct atoms {
    struct fns f;
    void *library;
    fmi3Instance *it;
    double *at; /* where each stands */
    uint8_t *inside;
    int bad; /* some call did not succeed */
};

static void logger(fmi3InstanceEnvironment env, fmi3Status status,
                   fmi3String category, fmi3String text)
{
    (void)env;
    (void)status;
    (void)category;
    (void)fprintf(stderr, "devstone: %s\n", text);
}

static int find(struct atoms *a, const char *name, void *fn)
{
    void *symbol = dlsym(a->library, name);

    memcpy(fn, &symbol, sizeof(symbol));
    return symbol ? 0 : -1;
}

static int find_all(struct atoms *a)
{
    struct fns *f = &a->f;

    return find(a, "fmi3InstantiateCoSimulation", &f->instantiate) |
           find(a, "fmi3FreeInstance", &f->free_instance) |
           find(a, "fmi3EnterInitializationMode", &f->enter) |
           find(a, "fmi3ExitInitializationMode", &f->exit) |
           find(a, "fmi3SetBoolean", &f->set_boolean) |
           find(a, "fmi3EnterEventMode", &f->enter_event) |
           find(a, "fmi3UpdateDiscreteStates", &f->update) |
           find(a, "fmi3EnterStepMode", &f->leave_event) |
           find(a, "fmi3DoStep", &f->step) |
           find(a, "fmi3GetFloat64", &f->get) |
           find(a, "fmi3SetFloat64", &f->set) |
           find(a, "fmi3GetClock", &f->get_clock) |
           find(a, "fmi3SetClock", &f->set_clock);
}

static int read_token(const char *folder, char *token, size_t size)
{
    static const char key[] = "instantiationToken=\"";
    char path[4096], text[65536];
    FILE *f;
    size_t n;
    const char *at;

    (void)snprintf(path, sizeof(path), "%s/modelDescription.xml", folder);
    f = fopen(path, "r");
    n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
    text[n] = '\0';
    if (f)
        (void)fclose(f);
    at = strstr(text, key);
    if (!at)
        return -1;
    at += sizeof(key) - 1;
    (void)snprintf(token, size, "%.*s", (int)strcspn(at, "\""), at);
    return 0;
}

/* The update names the next event. */
static void update(struct net *g, struct atoms *a, uint32_t u)
{
    bool again, end, nominals, states, known;
    double next;

    a->bad |= a->f.update(a->it[u], &again, &end, &nominals, &states, &known,
                          &next) != fmi3OK;
    a->bad |= a->f.leave_event(a->it[u]) != fmi3OK;
    a->inside[u] = 0;
    net_set_next(g, u, known ? next : (double)INFINITY);
}

static int make(struct net *g, struct atoms *a, uint32_t u, const char *token)
{
    const fmi3ValueReference driven = VR_DRIVEN;
    const bool yes = true;
    struct fns *f = &a->f;
    char name[32];

    (void)snprintf(name, sizeof(name), "a%u", u);
    a->it[u] = f->instantiate(name, token, NULL, false, false, true, false,
                              NULL, 0, NULL, logger, NULL);
    if (!a->it[u])
        return -1;
    a->bad |= f->set_boolean(a->it[u], &driven, 1, &yes, 1) != fmi3OK;
    a->bad |= f->enter(a->it[u], false, 0, 0, false, 0) != fmi3OK;
    a->bad |= f->exit(a->it[u]) != fmi3OK;
    update(g, a, u);
    return a->bad ? -1 : 0;
}

static int open_atoms(struct net *g, struct atoms *a, const char *folder)
{
    char path[4096], token[256];
    int rc = read_token(folder, token, sizeof(token));

    (void)snprintf(path, sizeof(path), "%s/binaries/x86_64-linux/atom.so",
                   folder);
    a->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    a->it = calloc(g->n, sizeof(*a->it));
    a->at = calloc(g->n, sizeof(*a->at));
    a->inside = calloc(g->n, 1);
    if (rc != 0 || !a->library || !a->it || !a->at || !a->inside)
        return -1;
    rc = find_all(a);
    for (uint32_t u = 1; u < g->n - g->n_outside && rc == 0; u++)
        rc = make(g, a, u, token);
    return rc;
}

static void close_atoms(const struct net *g, struct atoms *a)
{
    for (uint32_t u = 1; a->it && u < g->n; u++)
        if (a->it[u])
            a->f.free_instance(a->it[u]);
    free(a->it);
    free(a->at);
    free(a->inside);
}

static void arrive(struct atoms *a, uint32_t u, double t)
{
    bool event, end, early;
    double reached;

    if (a->inside[u])
        return;
    if (a->at[u] < t)
        a->bad |= a->f.step(a->it[u], a->at[u], t - a->at[u], false, &event,
                            &end, &early, &reached) != fmi3OK;
    a->at[u] = t;
    a->bad |= a->f.enter_event(a->it[u]) != fmi3OK;
    a->inside[u] = 1;
}

/* Its own event: 1 if it puts one out, which is *y. */
static int output_of(struct atoms *a, uint32_t u, double t, double *y)
{
    const fmi3ValueReference own = VR_INTERNAL, clock = VR_Y_CLOCK, vr = VR_Y;
    const fmi3Clock yes = true;
    fmi3Clock ticks = false;

    *y = 1;
    if (u == 0)
        return 1;
    arrive(a, u, t);
    a->bad |= a->f.set_clock(a->it[u], &own, 1, &yes) != fmi3OK;
    a->bad |= a->f.get_clock(a->it[u], &clock, 1, &ticks) != fmi3OK;
    if (ticks)
        a->bad |= a->f.get(a->it[u], &vr, 1, y, 1) != fmi3OK;
    return ticks;
}

/* Outside an event is counted, and that is all. A second one of the same
 * microstep comes behind the first. */
static void give(struct net *g, struct atoms *a, uint32_t u, double t, double y)
{
    const fmi3ValueReference clock = VR_U_CLOCK, vr = VR_U;
    const fmi3Clock yes = true;

    if (u >= g->n - g->n_outside) {
        g->external++;
        return;
    }
    if (g->is_hit[u])
        update(g, a, u);
    net_hit(g, u);
    arrive(a, u, t);
    a->bad |= a->f.set_clock(a->it[u], &clock, 1, &yes) != fmi3OK;
    a->bad |= a->f.set(a->it[u], &vr, 1, &y, 1) != fmi3OK;
}

static void microstep(struct net *g, struct atoms *a, double t, double *y,
                      uint8_t *has)
{
    g->n_hit = 0;
    g->internal += g->n_due;
    for (uint32_t i = 0; i < g->n_due; i++)
        has[i] = (uint8_t)output_of(a, g->due[i], t, &y[i]);
    for (uint32_t i = 0; i < g->n_due; i++) {
        uint32_t u = g->due[i];

        for (uint32_t k = g->first[u]; has[i] && k < g->first[u + 1]; k++)
            give(g, a, g->to[k], t, y[i]);
    }
    for (uint32_t i = 0; i < g->n_due; i++)
        if (g->due[i] && !g->is_hit[g->due[i]])
            update(g, a, g->due[i]);
    for (uint32_t i = 0; i < g->n_hit; i++) {
        g->is_hit[g->hit[i]] = 0;
        update(g, a, g->hit[i]);
    }
}

int net_play_fmi3(struct net *g, const char *folder, double end)
{
    struct atoms a = {0};
    double *y = calloc(g->n, sizeof(*y)), t;
    uint8_t *has = calloc(g->n, 1);
    int rc = y && has ? open_atoms(g, &a, folder) : -1;

    for (t = net_take_due(g); rc == 0 && !a.bad && t <= end;
         t = net_take_due(g)) {
        if (g->due[0] == 0)
            net_set_next(g, 0, t + 1);
        microstep(g, &a, t, y, has);
    }
    close_atoms(g, &a);
    free(y);
    free(has);
    return a.bad ? -1 : rc;
}
