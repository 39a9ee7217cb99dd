/* SPDX-License-Identifier: MIT */
/* Single elements of arrays: their names, and how they are described. */
#include <stdio.h>
#include <string.h>

#include "unit/elements.h"

/* --- names ---------------------------------------------------------------- */

const char *tt_element_indices(const char *text)
{
    const char *open = strrchr(text, '[');
    size_t n = strlen(text);

    return open && open > text && text[n - 1] == ']' ? open : NULL;
}

/* One index, up to what ends it; 0 when it is none. An element has one name: no
 * blanks, no leading zeros. */
static uint64_t index_of(const char **text)
{
    const char *s = *text;
    uint64_t v = 0;

    while (*s >= '0' && *s <= '9' && v <= TT_ELEMENTS_MAX)
        v = v * 10 + (uint64_t)(*s++ - '0');
    if (s == *text || **text == '0' || (*s != ',' && *s != ']'))
        return 0;
    *text = s;
    return v;
}

int tt_element_at(const struct tt_port *p, const char *indices, uint32_t *at)
{
    const char *s = indices;
    uint32_t n = 0;

    for (uint32_t d = 0; d < p->n_dim; d++) {
        uint64_t i;

        if (*s != (d ? ',' : '['))
            return -1;
        s++;
        i = index_of(&s);
        if (i < 1 || i > p->dim[d])
            return -1;
        n = n * p->dim[d] + (uint32_t)i - 1;
    }
    if (!p->n_dim || strcmp(s, "]") != 0)
        return -1;
    *at = n;
    return 0;
}

/* "a[1,2]" */
static const char *name_of(tt_arena *a, const struct tt_port *p, uint32_t at)
{
    size_t room = strlen(p->name) + 2 + 12 * (size_t)p->n_dim, n;
    char *name = tt_arena_alloc(a, room, 1);
    uint32_t stride = p->n;

    if (!name || at >= p->n) /* it is not configured yet */
        return name ? p->name : NULL;
    n = (size_t)snprintf(name, room, "%s", p->name);
    for (uint32_t d = 0; d < p->n_dim; d++) {
        stride /= p->dim[d];
        n += (size_t)snprintf(name + n, room - n, "%c%u", d ? ',' : '[',
                              at / stride + 1);
        at %= stride;
    }
    (void)snprintf(name + n, room - n, "]");
    return name;
}

/* --- description ---------------------------------------------------------- */

struct maker {
    tt_arena *a;
    const struct tt_desc *of;
    const struct tt_element *e;
    uint32_t n;
};

static int make_port(const struct maker *m, struct tt_port *to,
                     const struct tt_element *e)
{
    const struct tt_port *p = &m->of->port[e->port];

    *to = *p;
    to->name = name_of(m->a, p, e->at);
    to->n = 1;
    to->n_dim = 0;
    to->dim = to->dim_of = NULL;
    to->derivative_of = TT_NONE;
    to->course_ok = to->trail_ok = 0;
    to->start = NULL;
    if (p->start && e->at < p->n)
        to->start = (const char *)p->start + e->at * tt_type_size(p->type);
    return to->name != NULL;
}

/* Elements of an array that deps name; with a NULL list only counted. */
static uint32_t add_elements(const struct maker *m, const struct tt_deps *d,
                             uint32_t *port, uint8_t *kind)
{
    uint32_t n = d->n;

    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t k = 0; k < m->n; k++) {
            if (m->e[k].port != d->port[i])
                continue;
            if (port) {
                port[n] = m->of->n_port + k;
                kind[n] = d->kind ? d->kind[i] : TT_DEP_DEPENDENT;
            }
            n++;
        }
    return n;
}

/* What depends on an array depends on its elements. */
static int widen(const struct maker *m, struct tt_deps *d)
{
    uint32_t n = d->known ? add_elements(m, d, NULL, NULL) : d->n;
    uint32_t *port;
    uint8_t *kind;

    if (n == d->n)
        return 1;
    if (!TT_NEW_IN(m->a, port, n) || !TT_NEW_IN(m->a, kind, n))
        return 0;
    for (uint32_t i = 0; i < d->n; i++) {
        port[i] = d->port[i];
        kind[i] = d->kind ? d->kind[i] : TT_DEP_DEPENDENT;
    }
    add_elements(m, d, port, kind);
    d->port = port;
    d->kind = kind;
    d->n = n;
    return 1;
}

static const struct tt_deps *make_deps(const struct maker *m,
                                       const struct tt_deps *of)
{
    struct tt_deps *d =
        tt_arena_alloc(m->a, (size_t)m->of->n_port + m->n, sizeof(*d));

    if (!d)
        return NULL;
    for (uint32_t i = 0; i < m->of->n_port; i++) {
        d[i] = of[i];
        if (!widen(m, &d[i]))
            return NULL;
    }
    for (uint32_t k = 0; k < m->n; k++)
        d[m->of->n_port + k] = d[m->e[k].port];
    return d;
}

enum tt_code tt_elements_describe(struct tt_desc **out, tt_arena *a,
                                  const struct tt_desc *of,
                                  const struct tt_element *e, uint32_t n,
                                  tt_err *err)
{
    const struct maker m = {a, of, e, n};
    struct tt_desc *d = tt_arena_dup(a, of, 1, sizeof(*d));
    struct tt_port *port =
        tt_arena_alloc(a, (size_t)of->n_port + n, sizeof(*port));
    int made = d && port;

    if (made) {
        memcpy(port, of->port, of->n_port * sizeof(*port));
        d->port = port;
        d->run = make_deps(&m, of->run);
        d->init = make_deps(&m, of->init);
        made = d->run && d->init;
    }
    for (uint32_t k = 0; k < n && made; k++)
        made = make_port(&m, &port[of->n_port + k], &e[k]);
    if (!made)
        return tt_nomem(err, "single elements of arrays");
    d->n_port = of->n_port + n;
    d->n_element = n;
    d->caps.joins = 0; /* others would set its arrays past the wrapper */
    *out = d;
    return TT_OK;
}
