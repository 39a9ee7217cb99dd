/* SPDX-License-Identifier: MIT */
#include "unit/elements.h"

#include <string.h>

#include "base/mem.h"
#include "unit/unit_impl.h"

/* An array of which there are elements. */
struct whole {
    uint32_t port;
    size_t at, size; /* of its values, in `values` */
    uint8_t known;   /* those are what the unit has */
    int wanted;      /* in the call under way */
};

struct elements {
    tt_unit base;
    tt_arena *arena;      /* owned: desc */
    struct tt_element *e; /* owned: of the ports behind n_plain */
    uint32_t n_plain;     /* ports of the unit itself */
    uint32_t *whole_of;   /* owned, per port of its own: index + 1 */
    struct whole *whole;  /* owned */
    uint32_t n_whole;
    /* Since configure, when sizes are final: */
    char *values; /* owned: of all wholes, then whether they are known */
    size_t n_values;
    char *scratch;   /* owned: values of the call under way */
    size_t n_scalar; /* elements of all ports */
    uint32_t *port;  /* owned: its ports, twice as many as there are */
    char *saved;     /* owned: `values` of each register */
};

static struct elements *elements_of(tt_unit *u)
{
    return (struct elements *)(void *)u;
}

/* The array this port is, or is an element of; NULL: neither. */
static struct whole *whole_of(const struct elements *w, uint32_t port)
{
    uint32_t i = port < w->n_plain ? port : w->e[port - w->n_plain].port;

    return w->whole_of[i] ? &w->whole[w->whole_of[i] - 1] : NULL;
}

static int touches(const struct elements *w, const uint32_t *port, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (whole_of(w, port[i]))
            return 1;
    return 0;
}

/* --- sizes -----------------------------------------------------------------
 */

static void forget_sizes(struct elements *w)
{
    TT_FREE_ALL(w->values, w->scratch, w->port, w->saved);
    w->values = w->scratch = w->saved = NULL;
    w->port = NULL;
    w->n_values = 0;
}

/* Values begin as they are declared. */
static void begin_whole(const struct elements *w, struct whole *a)
{
    const struct tt_port *p = &w->base.inner->desc->port[a->port];

    a->known = p->start != NULL;
    if (p->start)
        memcpy(w->values + a->at, p->start, a->size);
}

static enum tt_code make_room(struct elements *w, tt_err *err)
{
    const struct tt_desc *d = w->base.inner->desc;
    size_t all = 0, most = 2 * sizeof(double);

    forget_sizes(w);
    w->n_scalar = 0;
    for (uint32_t i = 0; i < d->n_port; i++) {
        w->n_scalar += d->port[i].n;
        if (tt_type_size(d->port[i].type) > most)
            most = tt_type_size(d->port[i].type);
    }
    for (uint32_t i = 0; i < w->n_whole; i++) {
        w->whole[i].at = all;
        w->whole[i].size = tt_port_size(&d->port[w->whole[i].port]);
        all += (w->whole[i].size + 7) / 8 * 8;
    }
    w->n_values = all + w->n_whole;
    if (!TT_NEW_ARRAY(w->values, w->n_values + 1) ||
        !(w->scratch = tt_zalloc(w->n_scalar + 1, most)) ||
        !TT_NEW_ARRAY(w->port, 2 * (size_t)d->n_port + 2))
        return tt_nomem(err, "single elements of arrays");
    for (uint32_t i = 0; i < w->n_whole; i++)
        begin_whole(w, &w->whole[i]);
    return TT_OK;
}

static enum tt_code describe(struct elements *w, uint32_t n, struct tt_desc **d,
                             tt_err *err)
{
    const struct tt_desc *of = w->base.inner->desc;
    tt_arena *a = tt_arena_new();
    enum tt_code rc = a ? tt_elements_describe(d, a, of, w->e, n, err)
                        : tt_nomem(err, "single elements of arrays");

    if (rc != TT_OK) {
        tt_arena_free(a);
        return rc;
    }
    tt_arena_free(w->arena);
    w->arena = a;
    return make_room(w, err);
}

static enum tt_code describe_again(struct elements *w, tt_err *err)
{
    struct tt_desc *d = NULL;
    enum tt_code rc = describe(w, w->base.desc->n_element, &d, err);

    if (rc == TT_OK)
        w->base.desc = d;
    return rc;
}

static enum tt_code elements_configure(tt_unit *u, tt_err *err)
{
    struct elements *w = elements_of(u);
    enum tt_code rc = tt_fwd_configure(u, err);

    for (uint32_t i = 0; rc == TT_OK && i < u->desc->n_element; i++)
        if (w->e[i].at >= u->inner->desc->port[w->e[i].port].n)
            rc = tt_fail(err, TT_EUNSUPPORTED,
                         "'%s' has no such element since it was configured",
                         u->desc->port[w->n_plain + i].name);
    return rc == TT_OK ? describe_again(w, err) : rc;
}

/* --- values ----------------------------------------------------------------
 */

static size_t size_of(const struct elements *w, uint32_t port)
{
    return tt_port_size(&w->base.desc->port[port]);
}

/* The ports of the unit itself that these are of, each once. */
static size_t list_wholes(struct elements *w, const uint32_t *port, size_t n,
                          uint32_t *list)
{
    size_t listed = 0;

    for (size_t i = 0; i < n; i++) {
        struct whole *a = whole_of(w, port[i]);

        if (a && a->wanted)
            continue;
        if (a)
            a->wanted = 1;
        list[listed++] = a ? a->port : port[i];
    }
    for (uint32_t i = 0; i < w->n_whole; i++)
        w->whole[i].wanted = 0;
    return listed;
}

/* Which element of all of the listed ports this port begins at. */
static size_t place_in(const struct elements *w, const uint32_t *list,
                       uint32_t port)
{
    const struct whole *a = whole_of(w, port);
    uint32_t plain = a ? a->port : port;
    size_t at = 0;

    for (; *list != plain; list++)
        at += w->base.desc->port[*list].n;
    return port < w->n_plain ? at : at + w->e[port - w->n_plain].at;
}

/* From the values of the listed ports to those of the span. */
static void pick(const struct elements *w, const struct tt_span *s)
{
    char *to = s->value;

    for (size_t i = 0; i < s->n; i++) {
        const struct tt_port *p = &w->base.desc->port[s->port[i]];

        memcpy(to,
               w->scratch +
                   place_in(w, w->port, s->port[i]) * tt_type_size(p->type),
               tt_port_size(p));
        to += tt_port_size(p);
    }
}

/* Of the ports of the unit itself that a span is of; of whole ports alone it
 * is already. */
static struct tt_span wholes_of(struct elements *w, const struct tt_span *s)
{
    return touches(w, s->port, s->n)
               ? (struct tt_span){w->port,
                                  list_wholes(w, s->port, s->n, w->port),
                                  w->scratch}
               : *s;
}

static enum tt_code elements_get(tt_unit *u, const struct tt_span *s,
                                 tt_err *err)
{
    struct elements *w = elements_of(u);
    struct tt_span own = wholes_of(w, s);
    enum tt_code rc = tt_unit_get(u->inner, &own, err);

    if (rc == TT_OK && own.value != s->value)
        pick(w, s);
    return rc;
}

/* What an array is where that is not known: the unit knows. */
static enum tt_code learn(const struct elements *w, struct whole *a,
                          tt_err *err)
{
    struct tt_span s = {&a->port, 1, w->values + a->at};
    enum tt_code rc = TT_OK;

    if (!a->known && w->base.life >= TT_LIFE_INIT)
        rc = tt_unit_get(w->base.inner, &s, err);
    a->known = 1;
    return rc;
}

/* Change what the arrays are by what is set of them. */
static enum tt_code take(const struct elements *w, const struct tt_span *s,
                         tt_err *err)
{
    const char *from = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        size_t size = size_of(w, s->port[i]), at = 0;
        struct whole *a = whole_of(w, s->port[i]);

        if (a && s->port[i] >= w->n_plain) {
            rc = learn(w, a, err);
            at = w->e[s->port[i] - w->n_plain].at * size;
        }
        if (a && rc == TT_OK) {
            memcpy(w->values + a->at + at, from, size);
            a->known = 1;
        }
        from += size;
    }
    return rc;
}

/* Values of the listed ports, one after the other. */
static void gather(const struct elements *w, const struct tt_span *s)
{
    const char *from = s->value;

    for (size_t i = 0; i < s->n; i++) {
        const struct tt_port *p = &w->base.desc->port[s->port[i]];
        const struct whole *a = whole_of(w, s->port[i]);
        size_t at = place_in(w, w->port, a ? a->port : s->port[i]);

        memcpy(w->scratch + at * tt_type_size(p->type),
               a ? w->values + a->at : from, a ? a->size : tt_port_size(p));
        from += tt_port_size(p);
    }
}

static enum tt_code elements_set(tt_unit *u, const struct tt_span *s,
                                 tt_err *err)
{
    struct elements *w = elements_of(u);
    struct tt_span own = wholes_of(w, s);
    enum tt_code rc = take(w, s, err);

    if (rc == TT_OK && own.value != s->value)
        gather(w, s);
    return rc == TT_OK ? tt_unit_set(u->inner, &own, err) : rc;
}

static enum tt_code elements_rates(tt_unit *u, const struct tt_span *s,
                                   uint32_t order, tt_err *err)
{
    struct elements *w = elements_of(u);
    struct tt_span own = wholes_of(w, s);
    enum tt_code rc = tt_unit_rates(u->inner, &own, order, err);

    if (rc == TT_OK && own.value != s->value)
        pick(w, s);
    return rc;
}

/* Along an element is along its array, where the others stay. */
static enum tt_code elements_jvp(tt_unit *u, const struct tt_jvp *j,
                                 tt_err *err)
{
    struct elements *w = elements_of(u);
    const struct tt_port *port = u->desc->port;
    uint32_t *known = w->port + w->n_plain;
    struct tt_jvp own = {.unknown = w->port, .known = known};
    double *seed = (double *)(void *)w->scratch, *out = seed + w->n_scalar;
    const double *dv = j->dv_known;
    double *to = j->dv_unknown;
    enum tt_code rc;

    own.n_known = list_wholes(w, j->known, j->n_known, known);
    own.n_unknown = list_wholes(w, j->unknown, j->n_unknown, w->port);
    memset(seed, 0, w->n_scalar * sizeof(*seed));
    for (size_t i = 0; i < j->n_known; i++) {
        uint32_t n = port[j->known[i]].n;

        memcpy(seed + place_in(w, known, j->known[i]), dv, n * sizeof(*dv));
        dv += n;
    }
    own.dv_known = seed;
    own.dv_unknown = out;
    rc = tt_unit_jvp(u->inner, &own, err);
    for (size_t i = 0; rc == TT_OK && i < j->n_unknown; i++) {
        uint32_t n = port[j->unknown[i]].n;

        memcpy(to, out + place_in(w, w->port, j->unknown[i]), n * sizeof(*to));
        to += n;
    }
    return rc;
}

/* Elements are picked by the default, from wholes. Of a unit that lives
 * elsewhere those are bound all the same, so that they come with its steps. */
static enum tt_code bind_wholes(struct elements *w, const struct tt_span *s,
                                tt_err *err)
{
    struct tt_span own = wholes_of(w, s);
    struct tt_call unused;

    return tt_unit_bind(w->base.inner, TT_VERB_GET, &own, &unused, err);
}

static enum tt_code elements_bind(tt_unit *u, enum tt_verb verb,
                                  const struct tt_span *s, struct tt_call *c,
                                  tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (verb == TT_VERB_STEP)
        return TT_EUNSUPPORTED;
    if (!touches(elements_of(u), s->port, s->n))
        return tt_unit_bind(u->inner, verb, s, c, err);
    if (verb == TT_VERB_GET && tt_unit_goes_ahead(u->inner))
        rc = bind_wholes(elements_of(u), s, err);
    return rc == TT_OK ? TT_EUNSUPPORTED : rc;
}

/* --- states ----------------------------------------------------------------
 */

static void note_known(struct elements *w)
{
    for (uint32_t i = 0; i < w->n_whole; i++)
        w->values[w->n_values - w->n_whole + i] = (char)w->whole[i].known;
}

static void bring_back(struct elements *w, const char *from)
{
    memcpy(w->values, from, w->n_values);
    for (uint32_t i = 0; i < w->n_whole; i++)
        w->whole[i].known = (uint8_t)w->values[w->n_values - w->n_whole + i];
}

static enum tt_code elements_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    struct elements *w = elements_of(u);

    tt_free(w->saved);
    if (!TT_NEW_ARRAY(w->saved, n_state * w->n_values + 1))
        return tt_nomem(err, "states of arrays");
    return tt_fwd_prepare(u, n_state, err);
}

static enum tt_code elements_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct elements *w = elements_of(u);

    note_known(w);
    memcpy(w->saved + reg * w->n_values, w->values, w->n_values);
    return tt_fwd_save(u, reg, err);
}

static enum tt_code elements_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct elements *w = elements_of(u);

    bring_back(w, w->saved + reg * w->n_values);
    return tt_fwd_restore(u, reg, err);
}

static enum tt_code elements_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                                  tt_err *err)
{
    struct elements *w = elements_of(u);
    enum tt_code rc = tt_fwd_pack(u, reg, b, err);
    char *all;

    if (rc != TT_OK)
        return rc;
    all = tt_resize(b->data, b->n + w->n_values, 1);
    if (!all) {
        tt_free(b->data);
        return tt_nomem(err, "a packed state");
    }
    memcpy(all + b->n, w->saved + reg * w->n_values, w->n_values);
    *b = (struct tt_bytes){all, b->n + w->n_values};
    return TT_OK;
}

static enum tt_code elements_unpack(tt_unit *u, uint32_t reg,
                                    const struct tt_bytes *b, tt_err *err)
{
    struct elements *w = elements_of(u);
    struct tt_bytes own = {b->data, b->n - w->n_values};

    if (b->n < w->n_values)
        return tt_fail(err, TT_EINPUT, "%zu bytes are no packed state", b->n);
    memcpy(w->saved + reg * w->n_values, (const char *)b->data + own.n,
           w->n_values);
    return tt_fwd_unpack(u, reg, &own, err);
}

static enum tt_code elements_reset(tt_unit *u, tt_err *err)
{
    struct elements *w = elements_of(u);
    enum tt_code rc = tt_fwd_reset(u, err);

    return rc == TT_OK ? describe_again(w, err) : rc;
}

/* --- making ----------------------------------------------------------------
 */

static void elements_free(tt_unit *u)
{
    struct elements *w = elements_of(u);

    forget_sizes(w);
    TT_FREE_ALL(w->e, w->whole_of, w->whole);
    tt_arena_free(w->arena);
    tt_fwd_free(u);
}

static const struct tt_unit_ops elements_ops = {
    TT_FWD_REST,
    TT_HOOKS(elements_, configure, prepare, reset, get, set, rates, jvp, save,
             restore, pack, unpack, free, bind),
    TT_HOOKS(tt_fwd_, course, step)};

/* Which arrays there are elements of. */
static enum tt_code find_wholes(struct elements *w, uint32_t n, tt_err *err)
{
    if (!TT_NEW_ARRAY(w->whole_of, (size_t)w->n_plain + 1) ||
        !TT_NEW_ARRAY(w->whole, (size_t)n + 1))
        return tt_nomem(err, "single elements of arrays");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t port = w->e[i].port;

        if (w->whole_of[port])
            continue;
        w->whole[w->n_whole++].port = port;
        w->whole_of[port] = w->n_whole;
    }
    return TT_OK;
}

enum tt_code tt_elements_new(tt_unit **out, tt_unit *inner,
                             const struct tt_element *e, uint32_t n,
                             const struct tt_make *m, tt_err *err)
{
    struct elements *w;
    struct tt_desc *d = NULL;
    enum tt_code rc = TT_OK;

    if (!TT_NEW(w)) {
        tt_unit_free(inner);
        return tt_fail(err, TT_ENOMEM, "instance '%s': out of memory", m->name);
    }
    tt_unit_wrap(&w->base, inner, "elements");
    w->n_plain = inner->desc->n_port;
    if (TT_NEW_ARRAY(w->e, (size_t)n + 1))
        memcpy(w->e, e, n * sizeof(*e));
    else
        rc = tt_nomem(err, "single elements of arrays");
    if (rc == TT_OK)
        rc = find_wholes(w, n, err);
    if (rc == TT_OK)
        rc = describe(w, n, &d, err);
    if (rc == TT_OK)
        rc = tt_unit_init(&w->base, &elements_ops, d, m, err);
    tt_unit_wrap(&w->base, inner, "elements");
    return TT_HAND_OVER(rc, out, &w->base, elements_free);
}
