/* SPDX-License-Identifier: MIT */
/* Values through FMI: references to ports, types of FMI to native ones. */
#include <string.h>

#include "base/mem.h"
#include "export/engine.h"

/* What is no port: the time, and when its own event is due; NULL: neither. */
static const double *own_number(const tt_engine *e,
                                const struct tt_engine_vars *v, uint32_t vr)
{
    const struct tt_desc *d = &e->type->desc;

    if (v->type != TT_F64)
        return NULL;
    if (vr == d->n_port + 1 && tt_export_has_events(d))
        return &e->own->next;
    return e->opts.fmi == 3 && vr == d->n_port ? &e->unit->now : NULL;
}

/* Is it events_driven alone? */
static int is_driven(const tt_engine *e, const struct tt_engine_vars *v)
{
    const struct tt_desc *d = &e->type->desc;

    return tt_export_has_events(d) && tt_type_is_bool(v->type) && v->n == 1 &&
           v->n_value == 1 && v->vr[0] == d->n_port + 2;
}

/* Are they what they are declared to be? *plain: native values are FMI's. */
static enum tt_code check(const tt_engine *e, const struct tt_engine_vars *v,
                          int *plain, tt_err *err)
{
    const struct tt_desc *d = &e->type->desc;
    size_t n_value = 0;

    *plain = 1;
    for (size_t i = 0; i < v->n; i++) {
        const struct tt_port *p;

        if (own_number(e, v, v->vr[i])) {
            *plain = 0;
            n_value++;
            continue;
        }
        if (v->vr[i] >= d->n_port)
            return tt_fail(err, TT_EINPUT,
                           "there is no variable with value reference %u",
                           (unsigned)v->vr[i]);
        p = &d->port[v->vr[i]];
        if (tt_export_type(e->opts.fmi, p) != v->type)
            return tt_fail(err, TT_EINPUT,
                           "'%s' (value reference %u) is %s, not %s", p->name,
                           (unsigned)v->vr[i], tt_type_name(p->type),
                           tt_type_name(v->type));
        *plain &= p->type == v->type && !tt_engine_is_event(e, v->vr[i]);
        n_value += p->n;
    }
    if (n_value != v->n_value)
        return tt_fail(err, TT_EINPUT,
                       "room for %zu values, but these %zu variables have %zu",
                       v->n_value, v->n, n_value);
    return TT_OK;
}

/* --- one variable, converted ---------------------------------------------- */

static enum tt_code convert(const struct tt_port *p, enum tt_type to, void *out,
                            enum tt_type from, const void *in, tt_err *err)
{
    for (uint32_t k = 0; k < p->n; k++) {
        double d =
            tt_value_as_double(from, (const char *)in + k * tt_type_size(from));

        if (tt_value_from_double(to, (char *)out + k * tt_type_size(to), d) !=
            0)
            return tt_fail(err, TT_EINPUT, "'%s': its value is beyond %s",
                           p->name, tt_type_name(to));
    }
    return TT_OK;
}

static enum tt_code get_one(tt_engine *e, const struct tt_engine_vars *v,
                            uint32_t vr, void *value, tt_err *err)
{
    const struct tt_port *p = &e->type->desc.port[vr];
    int event = tt_engine_is_event(e, vr);
    int as_is = p->type == v->type || (event && p->type == TT_CLOCK);
    void *native = as_is ? value : e->scratch;
    enum tt_code rc =
        event ? tt_engine_event_get(e, vr, native, err)
              : tt_unit_get(e->unit, &(struct tt_span){&vr, 1, native}, err);

    if (rc != TT_OK || native == value)
        return rc;
    return convert(p, v->type, value, p->type, native, err);
}

static enum tt_code set_one(tt_engine *e, const struct tt_engine_vars *v,
                            uint32_t vr, const void *value, tt_err *err)
{
    const struct tt_port *p = &e->type->desc.port[vr];
    int event = tt_engine_is_event(e, vr);
    enum tt_code rc = TT_OK;

    if (event && p->type == TT_CLOCK)
        return tt_engine_event_set(e, vr, value, err);
    if (p->type == v->type)
        memcpy(e->scratch, value, tt_port_size(p));
    else
        rc = convert(p, p->type, e->scratch, v->type, value, err);
    if (rc != TT_OK)
        return rc;
    return event ? tt_engine_event_set(e, vr, e->scratch, err)
                 : tt_unit_set(e->unit, &(struct tt_span){&vr, 1, e->scratch},
                               err);
}

/* --- many ----------------------------------------------------------------- */

enum tt_code tt_engine_get(tt_engine *e, const struct tt_engine_vars *v,
                           void *value, tt_err *err)
{
    size_t size = tt_type_size(v->type);
    char *to = value;
    int plain;
    enum tt_code rc;

    if (is_driven(e, v)) {
        return tt_value_from_double(v->type, value, e->driven) == 0 ? TT_OK
                                                                    : TT_EINPUT;
    }
    rc = check(e, v, &plain, err);
    if (rc == TT_OK && plain)
        return tt_unit_get(e->unit, &(struct tt_span){v->vr, v->n, value}, err);
    for (size_t i = 0; i < v->n && rc == TT_OK; i++) {
        const double *own = own_number(e, v, v->vr[i]);

        if (own) {
            memcpy(to, own, size);
            to += size;
            continue;
        }
        rc = get_one(e, v, v->vr[i], to, err);
        to += size * e->type->desc.port[v->vr[i]].n;
    }
    return rc;
}

enum tt_code tt_engine_set(tt_engine *e, const struct tt_engine_vars *v,
                           const void *value, tt_err *err)
{
    size_t size = tt_type_size(v->type);
    const char *from = value;
    int plain;
    enum tt_code rc;

    if (is_driven(e, v)) {
        e->driven = tt_value_as_double(v->type, from) != 0;
        return TT_OK;
    }
    rc = check(e, v, &plain, err);
    for (size_t i = 0; i < v->n && rc == TT_OK; i++) {
        if (own_number(e, v, v->vr[i]))
            return tt_fail(err, TT_EINPUT, "the time cannot be set");
        rc = set_one(e, v, v->vr[i], from, err);
        from += size * e->type->desc.port[v->vr[i]].n;
        if (e->has_course && e->has_course[v->vr[i]]) {
            e->has_course[v->vr[i]] = 0; /* what is set holds */
            e->n_course--;
        }
    }
    return rc;
}

/* What the last call pointed to is valid until this one. */
static enum tt_code text_room(tt_engine *e, size_t n, tt_err *err)
{
    struct tt_text *more;

    tt_texts_sweep(e->texts);
    if (n <= e->text_cap)
        return TT_OK;
    more = tt_resize(e->text, n, sizeof(*more));
    if (!more)
        return tt_nomem(err, NULL);
    e->text = more;
    e->text_cap = n;
    return TT_OK;
}

enum tt_code tt_engine_get_texts(tt_engine *e, const struct tt_engine_vars *v,
                                 const char **value, tt_err *err)
{
    enum tt_code rc = text_room(e, v->n_value, err);

    if (rc == TT_OK)
        rc = tt_engine_get(e, v, e->text, err);
    for (size_t i = 0; i < v->n_value && rc == TT_OK; i++)
        if (!(value[i] = tt_text_data(e->texts, &e->text[i], err)))
            rc = TT_EUNSUPPORTED;
    return rc;
}

enum tt_code tt_engine_set_texts(tt_engine *e, const struct tt_engine_vars *v,
                                 const char *const *value, tt_err *err)
{
    enum tt_code rc = text_room(e, v->n_value, err);

    for (size_t i = 0; i < v->n_value && rc == TT_OK; i++)
        rc = tt_text_put(e->texts, &e->text[i], value[i],
                         value[i] ? strlen(value[i]) : 0, err);
    return rc == TT_OK ? tt_engine_set(e, v, e->text, err) : rc;
}

/* --- derivatives ---------------------------------------------------------- */

static enum tt_code check_order(const struct tt_port *p, int32_t order,
                                uint32_t most, tt_err *err)
{
    if (order >= 1 && (uint32_t)order <= most)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "'%s': a derivative of order %d; it has orders 1 to %u",
                   p->name, (int)order, (unsigned)most);
}

static void note_rate(tt_engine *e, uint32_t vr, uint32_t order, double value)
{
    struct tt_poly *p = &e->course[vr];

    if (!e->has_course[vr]) {
        *p = (struct tt_poly){.t0 = e->unit->now};
        e->has_course[vr] = 1;
        e->n_course++;
    }
    for (uint32_t k = 2; k <= order; k++) /* Taylor's coefficient */
        value /= k;
    p->c[order] = value;
    p->order = order > p->order ? order : p->order;
}

enum tt_code tt_engine_set_rates(tt_engine *e, const struct tt_engine_vars *v,
                                 const int32_t *order, const double *value,
                                 tt_err *err)
{
    const struct tt_desc *d = &e->type->desc;
    int plain;
    enum tt_code rc = check(e, v, &plain, err);

    for (size_t i = 0; i < v->n && rc == TT_OK; i++) {
        const struct tt_port *p =
            own_number(e, v, v->vr[i]) ? NULL : &d->port[v->vr[i]];

        if (!p || !e->course || !p->course_ok || p->n != 1)
            return tt_fail(err, TT_EUNSUPPORTED, "'%s' takes no derivatives",
                           p ? p->name : "time");
        rc = check_order(p, order[i], d->caps.course_order, err);
        if (rc == TT_OK)
            note_rate(e, v->vr[i], (uint32_t)order[i], value[i]);
    }
    return rc;
}

enum tt_code tt_engine_send_courses(tt_engine *e, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < e->type->desc.n_port && rc == TT_OK; i++) {
        double now;

        if (!e->has_course[i])
            continue;
        rc = tt_unit_get(e->unit, &(struct tt_span){&i, 1, &now}, err);
        e->course[i].c[0] = now;
        e->course[i].t0 = e->unit->now;
        if (rc == TT_OK)
            rc = tt_unit_course(e->unit, &(struct tt_span){&i, 1, NULL},
                                &e->course[i], err);
    }
    tt_engine_forget_courses(e);
    return rc;
}

void tt_engine_forget_courses(tt_engine *e)
{
    if (e->n_course)
        memset(e->has_course, 0, e->type->desc.n_port);
    e->n_course = 0;
}

enum tt_code tt_engine_get_rates(tt_engine *e, const struct tt_engine_vars *v,
                                 const int32_t *order, double *value,
                                 tt_err *err)
{
    const struct tt_desc *d = &e->type->desc;
    int plain;
    enum tt_code rc = check(e, v, &plain, err);

    for (size_t i = 0; i < v->n && rc == TT_OK; i++) {
        uint32_t vr = v->vr[i];

        if (vr >= d->n_port || d->port[vr].causality != TT_CAUS_OUTPUT)
            return tt_fail(err, TT_EUNSUPPORTED,
                           "value reference %u is no output", (unsigned)vr);
        rc = check_order(&d->port[vr], order[i], d->caps.rate_order, err);
        if (rc == TT_OK)
            rc = tt_unit_rates(e->unit, &(struct tt_span){&vr, 1, value},
                               (uint32_t)order[i], err);
        value += d->port[vr].n;
    }
    return rc;
}

/* --- directional derivatives ---------------------------------------------- */

static enum tt_code check_floats(const tt_engine *e, const uint32_t *vr,
                                 size_t n, size_t n_value, tt_err *err)
{
    const struct tt_desc *d = &e->type->desc;
    size_t has = 0;

    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= d->n_port)
            return tt_fail(err, TT_EINPUT,
                           "there is no variable with value reference %u "
                           "that could be differentiated",
                           (unsigned)vr[i]);
        has += d->port[vr[i]].n;
    }
    return has == n_value
               ? TT_OK
               : tt_fail(err, TT_EINPUT,
                         "room for %zu values, but these %zu variables have "
                         "%zu",
                         n_value, n, has);
}

enum tt_code tt_engine_jvp(tt_engine *e, const struct tt_engine_jvp *j,
                           tt_err *err)
{
    enum tt_code rc =
        check_floats(e, j->of.unknown, j->of.n_unknown, j->n_out, err);

    if (rc == TT_OK)
        rc = check_floats(e, j->of.known, j->of.n_known, j->n_seed, err);
    return rc == TT_OK ? tt_unit_jvp(e->unit, &j->of, err) : rc;
}
