/* SPDX-License-Identifier: MIT */
#include "unit/desc.h"

#include <math.h>
#include <string.h>

#include "unit/measure.h"

size_t tt_desc_elements(const struct tt_desc *d, const uint32_t *port, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += d->port[port[i]].n;
    return sum;
}

uint32_t tt_desc_find(const struct tt_desc *d, const char *name)
{
    uint32_t i = tt_names_find(&d->by_name, name);

    for (uint32_t k = d->n_port - d->n_element; i == TT_NONE && k < d->n_port;
         k++)
        if (strcmp(d->port[k].name, name) == 0)
            i = k;
    return i;
}

uint32_t tt_desc_terminal(const struct tt_desc *d, const char *name)
{
    for (uint32_t i = 0; i < d->n_terminal; i++)
        if (strcmp(d->terminal[i].name, name) == 0)
            return i;
    return TT_NONE;
}

struct choice {
    const struct tt_desc *desc;
    const uint32_t *port;
};

static const char *choice_name(const void *ctx, size_t i)
{
    const struct choice *c = ctx;

    return c->desc->port[c->port[i]].name;
}

const char *tt_desc_nearest(const struct tt_desc *d, const char *wrong,
                            int causality)
{
    uint32_t *port, n = 0;
    const char *name;

    if (!TT_NEW_ARRAY(port, d->n_port))
        return NULL; /* a suggestion is a courtesy */
    for (uint32_t i = 0; i < d->n_port; i++)
        if (causality < 0 || (int)d->port[i].causality == causality)
            port[n++] = i;
    name = tt_names_nearest(wrong, n, choice_name, &(struct choice){d, port});
    tt_free(port);
    return name;
}

uint64_t *tt_desc_sizes(const struct tt_desc *d)
{
    uint64_t *size;

    if (!TT_NEW_ARRAY(size, d->n_port))
        return NULL;
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_STRUCTURAL &&
            d->port[i].type == TT_U64 && d->port[i].start)
            memcpy(&size[i], d->port[i].start, sizeof(size[i]));
    return size;
}

static enum tt_code too_large(const struct tt_port *p, tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED,
                   "'%s' would have more than %u elements", p->name,
                   (unsigned)TT_ELEMENTS_MAX);
}

static enum tt_code resize(struct tt_port *p, tt_arena *a, const uint64_t *size,
                           tt_err *err)
{
    uint32_t *dim = tt_arena_dup(a, p->dim, p->n_dim, sizeof(*dim));
    uint64_t n = 1;
    int changed = 0;

    if (!dim)
        return tt_nomem(err, "sizes");
    for (uint32_t i = 0; i < p->n_dim; i++) {
        uint64_t to = p->dim_of[i] ? size[p->dim_of[i] - 1] : dim[i];

        if (to > TT_ELEMENTS_MAX)
            return too_large(p, err);
        n *= to;
        if (n > TT_ELEMENTS_MAX)
            return too_large(p, err);
        changed |= to != dim[i];
        dim[i] = (uint32_t)to;
    }
    p->dim = dim;
    p->n = (uint32_t)n;
    if (changed)
        p->start = NULL;
    return TT_OK;
}

enum tt_code tt_desc_resize(struct tt_desc **out, tt_arena *a,
                            const struct tt_desc *d, const uint64_t *size,
                            tt_err *err)
{
    struct tt_desc *other = tt_arena_dup(a, d, 1, sizeof(*other));
    struct tt_port *port = tt_arena_dup(a, d->port, d->n_port, sizeof(*port));
    enum tt_code rc = TT_OK;

    if (!other || !port)
        return tt_nomem(err, "sizes");
    for (uint32_t i = 0; i < d->n_port && rc == TT_OK; i++)
        if (port[i].dim_of)
            rc = resize(&port[i], a, size, err);
    other->port = port;
    *out = other;
    return rc;
}

double tt_port_scale(const struct tt_port *p)
{
    double size = fabs(p->nominal);

    return size > 0 && isfinite(size) ? size : 1;
}

size_t tt_port_size(const struct tt_port *p)
{
    return p->n * tt_type_size(p->type);
}

const char *tt_reactivity_name(enum tt_reactivity r)
{
    static const char *const name[] = {
        [TT_REACT_EITHER] = "either",
        [TT_REACT_REACTIVE] = "reactive",
        [TT_REACT_DELAYED] = "delayed",
    };

    return (size_t)r < sizeof(name) / sizeof(name[0]) ? name[r] : "?";
}

struct tt_expr_unit tt_quantity_measure(const struct tt_quantity *q)
{
    struct tt_expr_unit u = {0};

    if (!q || !q->has_base || q->factor == 0)
        return u;
    u.known = 1;
    u.factor = q->factor;
    u.offset = q->offset;
    u.name = q->name;
    memcpy(u.exponent, q->exponent, sizeof(u.exponent));
    return u;
}
