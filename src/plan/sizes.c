/* SPDX-License-Identifier: MIT */
/* Sizes that follow structural parameters: what the scenario gives them decides
 * how an instance is described, before anything else is resolved. */
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "plan/plan_impl.h"

/* Does any size follow this port? */
static int gives_size(const struct tt_desc *d, uint32_t port)
{
    for (uint32_t i = 0; i < d->n_port; i++)
        for (uint32_t k = 0; d->port[i].dim_of && k < d->port[i].n_dim; k++)
            if (d->port[i].dim_of[k] == port + 1)
                return 1;
    return 0;
}

/* Of a size the declared range is a limit, not an advice (FMI 3.0.2, 2.4.7.1).
 */
static enum tt_code check_range(const struct build *b,
                                const struct tt_sc_ref *ref,
                                const struct tt_port *p, uint64_t value,
                                tt_err *err)
{
    char is[TT_NUM_MAX], lo[TT_NUM_MAX], hi[TT_NUM_MAX];

    if ((double)value >= p->min && (double)value <= p->max)
        return TT_OK;
    tt_num_print_u64(is, value);
    tt_num_print_short(lo, p->min);
    tt_num_print_short(hi, p->max);
    return tt_scenario_fail_ref(
        b->sc, ref, err, TT_EINPUT,
        "'%s.%s' gives a size and cannot be %s: its range is %s .. %s",
        b->plan->unit[ref->unit].name, p->name, is, lo, hi);
}

/* One parameter of the scenario; what cannot be converted start.c reports. */
static enum tt_code take(struct build *b, const struct tt_sc_parameter *par,
                         uint64_t **size, tt_err *err)
{
    const struct tt_desc *d = b->plan->unit[par->ref.unit].desc;
    uint32_t port = d ? tt_desc_find(d, par->ref.variable) : TT_NONE;
    uint64_t value;
    enum tt_code rc;

    if (port == TT_NONE || d->port[port].causality != TT_CAUS_STRUCTURAL ||
        d->port[port].type != TT_U64 || d->port[port].n_dim ||
        !gives_size(d, port) ||
        plan_convert(b->plan->texts, TT_U64, &value, &par->value) != 0)
        return TT_OK;
    rc = check_range(b, &par->ref, &d->port[port], value, err);
    if (rc != TT_OK)
        return rc;
    if (!size[par->ref.unit] && !(size[par->ref.unit] = tt_desc_sizes(d)))
        return plan_nomem(err);
    size[par->ref.unit][port] = value;
    return TT_OK;
}

static enum tt_code apply(struct build *b, uint32_t u, const uint64_t *size,
                          tt_err *err)
{
    struct tt_plan_unit *unit = &b->plan->unit[u];
    struct tt_desc *d = NULL;
    enum tt_code rc = tt_desc_resize(&d, b->plan->arena, unit->desc, size, err);

    if (rc != TT_OK)
        return tt_context(err, rc, "instance '%s'", unit->name);
    unit->desc = d;
    unit->resized = 1;
    return TT_OK;
}

enum tt_code plan_sizes(struct build *b, tt_err *err)
{
    uint64_t **size;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(size, b->plan->n_unit))
        return plan_nomem(err);
    for (uint32_t k = 0; k < b->sc->n_parameter && rc == TT_OK; k++) {
        rc = take(b, &b->sc->parameter[k], size, err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        if (size[u] && rc == TT_OK)
            rc = apply(b, u, size[u], err);
        tt_free(size[u]);
    }
    tt_free(size);
    return rc;
}

/* --- what is reported ------------------------------------------------------
 */

#define MOST_NAMED 8u

struct list {
    struct tt_buf text;
    uint32_t n;
};

/* "'a' 2 x 3", or without its size. */
static void add(struct list *l, const struct tt_port *p, int size)
{
    if (l->n++ >= MOST_NAMED)
        return;
    tt_buf_fmt(&l->text, "%s'%s'", l->n > 1 ? ", " : "", p->name);
    for (uint32_t i = 0; i < p->n_dim && size; i++)
        tt_buf_fmt(&l->text, "%s%u", i ? " x " : " ", (unsigned)p->dim[i]);
}

static const char *words(struct list *l)
{
    if (l->n > MOST_NAMED)
        tt_buf_str(&l->text, ", ...");
    return l->text.failed || !l->text.data ? "" : l->text.data;
}

/* Does something feed it, whole or every element? */
static int is_fed(const struct build *b, uint32_t u, uint32_t port)
{
    const struct tt_plan_unit *unit = &b->plan->unit[u];
    uint32_t plain = unit->desc->n_port - unit->n_element, n = 0;

    for (uint32_t i = 0; i < unit->n_element; i++)
        n += unit->element[i].port == port && (b->mark[u][plain + i] & MARK_IN);
    return (b->mark[u][port] & MARK_IN) || n == unit->desc->port[port].n;
}

static void note_unit(struct build *b, uint32_t u, struct list *sized,
                      struct list *without)
{
    const struct tt_plan_unit *unit = &b->plan->unit[u];

    for (uint32_t i = 0; i < unit->desc->n_port; i++) {
        const struct tt_port *p = &unit->desc->port[i];

        if (!p->dim_of)
            continue;
        add(sized, p, 1);
        if (!p->start && p->n && plan_settable(p) && !is_fed(b, u, i) &&
            !plan_is_given(b->plan, u, i))
            add(without, p, 0);
    }
    tt_plan_note(b->plan, "sizes", "%s: %s, by its structural parameters",
                 unit->name, words(sized));
    if (without->n)
        tt_log(b->log, TT_LOG_WARN,
               "instance '%s': the declared start values of %s do not hold, "
               "since sizes changed, and 'parameters' gives none",
               unit->name, words(without));
}

void plan_note_sizes(struct build *b)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        struct list sized = {.n = 0}, without = {.n = 0};

        if (!b->plan->unit[u].resized)
            continue;
        tt_buf_init(&sized.text, TT_ERR_MAX);
        tt_buf_init(&without.text, TT_ERR_MAX);
        note_unit(b, u, &sized, &without);
        tt_buf_fini(&sized.text);
        tt_buf_fini(&without.text);
    }
}
