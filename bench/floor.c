/* SPDX-License-Identifier: MIT */
#include "floor_me.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int floor_symbol(struct floor *f, const char *name, void *fn, size_t size)
{
    void *address = dlsym(f->lib, name);

    memcpy(fn, &address, size);
    if (!address)
        (void)fprintf(stderr, "floor: no %s\n", name);
    return address ? 0 : -1;
}

int floor_open(struct floor *f, const char *library, int fmi, uint32_t n)
{
    f->ops = fmi == 2 ? &floor_fmi2 : &floor_fmi3;
    f->lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!f->lib) {
        (void)fprintf(stderr, "floor: %s\n", dlerror());
        return -1;
    }
    f->n = n;
    f->c = calloc(n, sizeof(*f->c));
    f->value = calloc((size_t)n * f->n_port, sizeof(*f->value));
    if (!f->c || !f->value)
        return -1;
    return f->ops->make(f);
}

/* What comes in pairs of get and set is a loop without a branch. */
int floor_exchange(struct floor *f, const struct floor_value *v, uint32_t n)
{
    uint32_t i = 0;

    f->lead = calloc(n + 1, sizeof(*f->lead));
    f->tail = calloc(n + 1, sizeof(*f->tail));
    f->pair = calloc(n + 1, sizeof(*f->pair));
    if (!f->lead || !f->tail || !f->pair)
        return -1;
    while (i + 1 < n && (v[i].set || !v[i + 1].set))
        f->lead[f->n_lead++] = v[i++];
    for (; i + 1 < n && !v[i].set && v[i + 1].set; i += 2)
        f->pair[f->n_pair++] = (struct floor_pair){v[i], v[i + 1]};
    while (i < n)
        f->tail[f->n_tail++] = v[i++];
    return 0;
}

int floor_start(struct floor *f)
{
    if (f->ops->init(f))
        return -1;
    if (f->kind != FLOOR_STEPS && (!f->ops->leave || f->ops->leave(f)))
        return -1;
    return f->kind == FLOOR_EXCHANGE ? floor_me_start(f) : 0;
}

int floor_play(struct floor *f, uint64_t from, uint64_t n)
{
    if (f->kind == FLOOR_EXCHANGE)
        return floor_me_play(f, from, n);
    return (f->kind == FLOOR_EVENTS ? f->ops->play_events
                                    : f->ops->play)(f, from, n);
}

void floor_close(struct floor *f)
{
    floor_me_free(f->me);
    if (f->ops)
        f->ops->free(f);
    free(f->fns);
    free(f->c);
    free(f->value);
    free(f->lead);
    free(f->tail);
    free(f->pair);
    if (f->lib)
        (void)dlclose(f->lib);
}
