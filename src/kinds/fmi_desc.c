/* SPDX-License-Identifier: MIT */
/* From a model description to what a unit type declares of itself. */
#include "kinds/fmi_common.h"

#include <math.h>
#include <string.h>

/* Strings and units are borrowed from the description, which the FMU keeps;
 * only what has another shape here is built, in the type's arena. */
struct builder {
    struct tt_kfmi_type *t;
    const struct tt_md *md;
    tt_arena *arena;
    const struct tt_log *log;
    struct tt_quantity *quantity;    /* one per unit of the description */
    const struct tt_md_type *listed; /* the last type whose ... */
    const struct tt_items *items;    /* ... items these are */
};

static enum tt_code no_memory(const struct builder *b, tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "describing %u variables", b->md->var_n);
}

/* --- words of the description to ours ----------------------------------- */

static enum tt_reactivity reactivity_of(enum tt_md_reactivity r)
{
    if (r == TT_MD_REACTIVE)
        return TT_REACT_REACTIVE;
    return r == TT_MD_DELAYED ? TT_REACT_DELAYED : TT_REACT_EITHER;
}

/* --- ports -------------------------------------------------------------- */

static enum tt_code build_quantities(struct builder *b, tt_err *err)
{
    if (!TT_NEW_IN(b->arena, b->quantity, b->md->unit_n))
        return no_memory(b, err);
    for (uint32_t i = 0; i < b->md->unit_n; i++) {
        const struct tt_md_unit *u = &b->md->unit[i];
        struct tt_quantity *q = &b->quantity[i];

        TT_TAKE(q, u, name, has_base, factor, offset);
        _Static_assert(TT_MD_BASE_UNIT_N == 8, "as many exponents");
        for (int k = 0; k < 8; k++) {
            if (u->exponent[k] < INT8_MIN || u->exponent[k] > INT8_MAX)
                q->has_base = 0; /* no such unit exists */
            q->exponent[k] = (int8_t)u->exponent[k];
        }
    }
    return TT_OK;
}

static const struct tt_quantity *quantity_of(const struct builder *b,
                                             const struct tt_md_var *v)
{
    return v->unit ? &b->quantity[v->unit - b->md->unit] : NULL;
}

/* A start value of text type. One too long for a slot is left out: the FMU has
 * it anyway, and it cannot be set through a slot. */
static const void *text_start(struct builder *b, const struct tt_md_var *v)
{
    struct tt_text *text = tt_arena_alloc(b->arena, v->size, sizeof(*text));

    for (uint64_t i = 0; text && i < v->size; i++) {
        const struct tt_md_bytes *s = &v->start_bytes[v->start_n == 1 ? 0 : i];

        if (s->n >= TT_TEXT_MAX) {
            tt_log(b->log, TT_LOG_WARN,
                   "start value of '%s' is left to the FMU: it has %zu bytes, "
                   "the limit is %d",
                   v->name, s->n, TT_TEXT_MAX - 1);
            return NULL;
        }
        text[i].n = (uint32_t)s->n;
        memcpy(text[i].s, s->s, s->n);
    }
    return text;
}

/* One value for all elements: some tools write an array's start like that. */
static const void *spread_start(struct builder *b, const struct tt_md_var *v)
{
    size_t size = tt_type_size(v->type);
    char *all = tt_arena_alloc(b->arena, v->size, size);

    for (uint64_t i = 0; all && i < v->size; i++)
        memcpy(all + i * size, v->start, size);
    return all;
}

static enum tt_code build_start(struct builder *b, struct tt_port *p,
                                const struct tt_md_var *v, tt_err *err)
{
    if (!v->start_n || !v->size || (v->start_n != v->size && v->start_n != 1))
        return TT_OK;
    if (tt_type_is_text(v->type)) {
        p->start = text_start(b, v);
        return TT_OK;
    }
    if (v->type == TT_CLOCK)
        return TT_OK;
    p->start = v->start_n == v->size ? v->start : spread_start(b, v);
    return p->start ? TT_OK : no_memory(b, err);
}

/* Is this a structural parameter that can give a size? */
static int sizes(const struct tt_md *md, uint32_t var)
{
    return var != TT_NONE && md->var[var].causality == TT_CAUS_STRUCTURAL &&
           md->var[var].type == TT_U64 && !md->var[var].dim_n;
}

static enum tt_code build_size(struct builder *b, struct tt_port *p,
                               const struct tt_md_var *v, tt_err *err)
{
    uint32_t *dim, *of;

    if (v->size > UINT32_MAX)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "variable '%s' has more elements than %u", v->name,
                       (unsigned)UINT32_MAX);
    p->n = (uint32_t)v->size;
    p->n_dim = v->dim_n;
    if (!v->dim_n)
        return TT_OK;
    if (!TT_NEW_IN(b->arena, dim, v->dim_n) ||
        !TT_NEW_IN(b->arena, of, v->dim_n))
        return no_memory(b, err);
    p->dim = dim;
    for (uint32_t i = 0; i < v->dim_n; i++) {
        dim[i] = (uint32_t)v->dim[i].start; /* divides the size */
        if (!sizes(b->md, v->dim[i].var))
            continue;
        of[i] = v->dim[i].var + 1;
        p->dim_of = of;
    }
    return TT_OK;
}

/* Are values there only when one of its clocks ticks? Partitions that are
 * scheduled keep what they were given, and what they gave. */
static int is_absent(const struct builder *b, const struct tt_md_var *v)
{
    for (uint32_t i = 0; b->t->version->face == TT_FMI_SE && i < v->clock_n;
         i++)
        if (b->md->var[v->clock[i]].causality != TT_CAUS_OUTPUT)
            return 0;
    return v->clock_n > 0;
}

static int takes_course(const struct builder *b, const struct tt_md_var *v)
{
    const struct tt_md *md = b->md;

    if (v->causality != TT_CAUS_INPUT || v->variability != TT_VAR_CONTINUOUS ||
        v->type != TT_F64)
        return 0;
    if (b->t->version->me)
        return !v->negated;
    if (b->t->version->face == TT_FMI_SE)
        return 0;
    if (md->version != TT_FMI_3)
        return md->cs.interpolate_inputs && !v->negated;
    return md->cs.intermediate_update && v->intermediate_update;
}

/* FMI 3.0.2, 2.3.1: outputs that are marked for it; model exchange leaves the
 * steps to us. */
static int leaves_trail(const struct builder *b, const struct tt_md_var *v)
{
    const struct tt_md *md = b->md;

    if (v->variability != TT_VAR_CONTINUOUS || v->type != TT_F64 || v->negated)
        return 0;
    if (b->t->version->me)
        return v->causality == TT_CAUS_OUTPUT || v->causality == TT_CAUS_LOCAL;
    return md->version == TT_FMI_3 && v->causality == TT_CAUS_OUTPUT &&
           md->cs.intermediate_update && v->intermediate_update;
}

/* A counter and its resolution are what is meant by the decimal. */
static struct tt_ratio time_of(const struct tt_md_clock *k, uint64_t counter,
                               double decimal)
{
    return k->has_counter && k->has_resolution
               ? tt_ratio_reduce((struct tt_ratio){counter, k->resolution})
               : tt_ratio_of(decimal);
}

static enum tt_code build_clock(struct builder *b, struct tt_port *p,
                                const struct tt_md_var *v, tt_err *err)
{
    const struct tt_md_clock *k = &v->clk;
    struct tt_clock *c;

    if (v->type != TT_CLOCK || k->interval == TT_INTERVAL_NONE)
        return TT_OK;
    if (!TT_NEW_IN(b->arena, c, 1))
        return no_memory(b, err);
    *c = (struct tt_clock){
        .interval = k->interval,
        .deactivates = k->can_be_deactivated,
        .fraction = k->supports_fraction,
        .priority = k->priority,
        .shift = time_of(k, k->shift_counter, k->shift_decimal),
    };
    if (k->has_interval_decimal || (k->has_counter && k->has_resolution))
        c->period = time_of(k, k->interval_counter, k->interval_decimal);
    if (!c->period.num)
        c->period = (struct tt_ratio){0, 0};
    if (!tt_ratio_is(c->shift))
        c->shift = (struct tt_ratio){0, 1};
    p->ticks = c;
    return TT_OK;
}

/* Those of a type stand once. */
static enum tt_code build_items(struct builder *b, struct tt_port *p,
                                const struct tt_md_type *type, tt_err *err)
{
    struct tt_items *items;
    struct tt_item *item;

    if (!type || !type->item_n || !tt_type_is_enum(p->type))
        return TT_OK;
    if (type == b->listed) {
        p->items = b->items;
        return TT_OK;
    }
    if (!TT_NEW_IN(b->arena, items, 1) ||
        !TT_NEW_IN(b->arena, item, type->item_n))
        return no_memory(b, err);
    for (uint32_t i = 0; i < type->item_n; i++)
        item[i] = (struct tt_item){type->item[i].name, type->item[i].value};
    *items = (struct tt_items){type->item_n, item};
    b->listed = type;
    b->items = p->items = items;
    return TT_OK;
}

static enum tt_code build_port(struct builder *b, struct tt_port *p,
                               const struct tt_md_var *v, tt_err *err)
{
    enum tt_code rc;

    p->name = v->name;
    p->text = v->description;
    TT_TAKE(p, v, type, causality, variability, initial);
    p->reactivity = reactivity_of(v->reactivity);
    p->quantity = quantity_of(b, v);
    p->display_unit = v->range.display_name;
    TT_TAKE(p, &v->range, min, max, nominal, relative);
    p->derivative_of = v->derivative_of;
    if (v->type != TT_CLOCK && is_absent(b, v)) {
        p->clock = v->clock[0] + 1;
        p->also = v->clock + 1;
        p->n_also = v->clock_n - 1;
    }
    p->course_ok = takes_course(b, v);
    p->trail_ok = leaves_trail(b, v);
    p->line = v->line > 0 ? (uint32_t)v->line : 0;
    rc = build_size(b, p, v, err);
    if (rc == TT_OK)
        rc = build_items(b, p, v->declared, err);
    if (rc == TT_OK)
        rc = build_clock(b, p, v, err);
    return rc == TT_OK ? build_start(b, p, v, err) : rc;
}

/* The description's own map will do where no name is there twice: else a
 * variable's own name wins over aliases. */
static enum tt_code build_names(struct builder *b, tt_err *err)
{
    struct tt_names *to = &b->t->base.desc.by_name;
    const struct tt_md_var *v = b->md->var;
    size_t n = b->md->var_n;
    int failed = 0;

    for (uint32_t i = 0; i < b->md->var_n; i++)
        n += v[i].alias_n;
    if (b->md->names.n == n) {
        *to = b->md->names;
        return TT_OK;
    }
    for (uint32_t i = 0; i < b->md->var_n; i++)
        failed |= tt_names_add(to, v[i].name, i) < 0;
    for (uint32_t i = 0; i < b->md->var_n; i++)
        for (uint32_t k = 0; k < v[i].alias_n; k++)
            failed |= tt_names_add(to, v[i].alias[k].name, i) < 0;
    return failed ? no_memory(b, err) : TT_OK;
}

static enum tt_code build_ports(struct builder *b, tt_err *err)
{
    struct tt_desc *d = &b->t->base.desc;
    uint32_t n = b->md->var_n;
    struct tt_port *port = tt_arena_alloc(b->arena, n, sizeof(*port));
    uint32_t *vr = tt_arena_alloc(b->arena, n, sizeof(*vr));
    enum tt_code rc = TT_OK;

    if (!port || !vr)
        return no_memory(b, err);
    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        const struct tt_md_var *v = &b->md->var[i];

        rc = build_port(b, &port[i], v, err);
        vr[i] = v->vr;
    }
    d->port = port;
    d->n_port = n;
    b->t->vr = vr;
    return rc == TT_OK ? build_names(b, err) : rc;
}

/* --- dependencies ------------------------------------------------------- */

static enum tt_code build_dep(struct builder *b, struct tt_deps *d,
                              const struct tt_md_unknown *u, tt_err *err)
{
    uint32_t *port = tt_arena_alloc(b->arena, u->dep_n, sizeof(*port));
    uint8_t *kind = tt_arena_alloc(b->arena, u->dep_n, sizeof(*kind));

    if (!port || !kind)
        return no_memory(b, err);
    *d = (struct tt_deps){.known = u->known, .port = port, .kind = kind};
    for (uint32_t i = 0; u->known && i < u->dep_n; i++) {
        if (u->dep[i] == TT_NONE)
            continue; /* refers to nothing; reading it gave a finding */
        port[d->n] = u->dep[i];
        kind[d->n++] = (uint8_t)u->kind[i];
    }
    return TT_OK;
}

static enum tt_code build_deps(struct builder *b, const struct tt_deps **out,
                               const struct tt_md_unknowns *unknowns,
                               tt_err *err)
{
    struct tt_deps *deps =
        tt_arena_alloc(b->arena, b->md->var_n, sizeof(*deps));
    enum tt_code rc = TT_OK;

    if (!deps)
        return no_memory(b, err);
    for (uint32_t i = 0; rc == TT_OK && i < unknowns->n; i++)
        if (unknowns->item[i].var != TT_NONE)
            rc = build_dep(b, &deps[unknowns->item[i].var], &unknowns->item[i],
                           err);
    *out = deps;
    /* Without initialisation mode the first get initialises: all inputs are
     * set before. */
    if (unknowns == &b->md->initial_unknown && b->md->version == TT_FMI_1)
        return rc;
    /* What initialisation does not calculate depends on nothing in it. */
    for (uint32_t i = 0; i < b->md->var_n; i++) {
        const struct tt_md_var *v = &b->md->var[i];

        if (v->variability == TT_VAR_CONSTANT ||
            (unknowns == &b->md->initial_unknown &&
             v->initial == TT_INIT_EXACT && !deps[i].n))
            deps[i].known = 1;
    }
    return rc;
}

/* --- capabilities ------------------------------------------------------- */

static enum tt_evaluates evaluates_of(const struct tt_md *md)
{
    switch (md->evaluates) {
    case TT_MD_EVALUATES_ALWAYS:
        return TT_EVAL_ALWAYS;
    case TT_MD_EVALUATES_EVENT:
        return TT_EVAL_EVENT;
    case TT_MD_EVALUATES_NEVER:
        return TT_EVAL_NEVER;
    case TT_MD_EVALUATES_UNDECLARED:
    case TT_MD_EVALUATES_N:
        break;
    }
    return md->version == TT_FMI_3 && md->cs.event_mode ? TT_EVAL_EVENT
                                                        : TT_EVAL_NEVER;
}

/* Before FMI 3 it is not given which derivatives of inputs an FMU takes. The
 * first is what there usually is; the kit, known by its annotation, takes all.
 */
static uint32_t course_order(const struct tt_md *md, const struct tt_desc *d)
{
    int any = 0;

    for (uint32_t i = 0; i < d->n_port; i++)
        any |= d->port[i].course_ok;
    if (!any)
        return 0;
    if (md->version != TT_FMI_3 && md->evaluates == TT_MD_EVALUATES_UNDECLARED)
        return 1;
    return TT_POLY_MAX;
}

static int has_timed_clocks(const struct tt_desc *d)
{
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_INPUT &&
            tt_clock_is_timed(d->port[i].ticks))
            return 1;
    return 0;
}

static void build_caps(const struct tt_md *md, struct tt_desc *d)
{
    const struct tt_md_interface *cs = &md->cs;
    int v3 = md->version == TT_FMI_3;

    /* FMI 3 promises that instances may run at the same time; before it did
     * not, and hidden globals are common. The kit has none. */
    int concurrent = v3 || md->evaluates != TT_MD_EVALUATES_UNDECLARED;

    d->caps = (struct tt_caps){
        .evaluates = evaluates_of(md),
        .threads = concurrent ? TT_THREADS_ANY : TT_THREADS_ONE,
        .save = cs->get_set_state,
        .serialise = cs->get_set_state && cs->serialize_state,
        .variable_step = cs->variable_step,
        .course_order = course_order(md, d),
        .course_exact = !v3,
        .course_pieces = v3,
        .rate_order = cs->max_output_derivative,
        .directional = cs->directional_derivatives,
        .event_mode = v3 && cs->event_mode,
        .early_return = v3 && (cs->might_return_early || cs->can_return_early),
        .clocks = v3 && cs->event_mode && has_timed_clocks(d),
        .once_per_process = cs->once_per_process,
        .no_init_mode = md->version == TT_FMI_1,
    };
}

/* Can an FMU that cannot save its state, or not pack it, be taken back all the
 * same, by setting time, states and inputs? If nothing it declares changes at
 * events only. Units of which that is not true are found out when they are
 * tried (run/doubt.c). */
int tt_kfmi_states_suffice(const struct tt_md *md)
{
    if (md->event_indicator_n || md->event_indicator.n)
        return 0;
    for (uint32_t i = 0; i < md->var_n; i++) {
        const struct tt_md_var *v = &md->var[i];

        if (v->variability == TT_VAR_DISCRETE ||
            (v->causality == TT_CAUS_INPUT && v->type != TT_F64))
            return 0;
    }
    return 1;
}

/* With model exchange it is our integrator that steps: to any time, along any
 * course. Values can be read whenever the FMU has a mode. */
static void build_me_caps(const struct tt_md *md, struct tt_desc *d)
{
    const struct tt_md_interface *me = &md->me;
    int suffice = tt_kfmi_states_suffice(md);

    d->caps.evaluates = TT_EVAL_ALWAYS;
    d->caps.save = me->get_set_state || suffice;
    d->caps.serialise = (me->get_set_state && me->serialize_state) || suffice;
    d->caps.variable_step = 1;
    d->caps.course_order = TT_POLY_MAX;
    d->caps.course_exact = d->caps.course_pieces = 1;
    d->caps.rate_order = 0;
    d->caps.directional = me->directional_derivatives;
    d->caps.joins = 1;
    d->caps.clocks = md->version == TT_FMI_3 && has_timed_clocks(d);
    d->caps.event_mode = d->caps.events_inside = 1;
    d->caps.early_return = md->event_indicator_n || md->event_indicator.n ||
                           me->needs_completed_step;
    d->caps.once_per_process = me->once_per_process;
}

/* With scheduled execution we make partitions run, at any time; between their
 * ticks nothing changes. */
static void build_se_caps(const struct tt_md *md, struct tt_desc *d)
{
    const struct tt_md_interface *se = &md->se;

    d->caps = (struct tt_caps){
        .evaluates = TT_EVAL_NEVER,
        .threads = TT_THREADS_ANY,
        .save = se->get_set_state,
        .serialise = se->get_set_state && se->serialize_state,
        .variable_step = 1,
        .event_mode = 1,
        .samples = 1,
        .once_per_process = se->once_per_process,
    };
    for (uint32_t i = 0; i < md->var_n && !md->experiment.has_step; i++) {
        const struct tt_md_clock *c = &md->var[i].clk;

        if (c->has_interval_decimal && c->interval_decimal > 0)
            d->standard_step = fmin(d->standard_step, c->interval_decimal);
    }
}

/* An FMU that steps inside at a fixed rate works best in steps of that, where
 * it is its own solver that steps. */
static double step_of(const struct tt_kfmi_type *t)
{
    const struct tt_md *md = t->md;

    if (md->experiment.has_step)
        return md->experiment.step;
    return !t->version->me && md->cs.has_fixed_internal_step &&
                   md->cs.fixed_internal_step > 0
               ? md->cs.fixed_internal_step
               : (double)NAN;
}

static enum tt_code build_rest(struct builder *b, tt_err *err)
{
    const struct tt_md_experiment *e = &b->md->experiment;
    struct tt_desc *d = &b->t->base.desc;
    const char **category =
        tt_arena_alloc(b->arena, b->md->category_n, sizeof(*category));

    if (!category)
        return no_memory(b, err);
    for (uint32_t i = 0; i < b->md->category_n; i++)
        category[i] = b->md->category[i].name;
    d->log_category = category;
    d->n_log_category = b->md->category_n;
    d->model = b->md->model_name;
    d->version = b->md->model_version;
    d->tool = b->md->generation_tool;
    d->token = b->md->token;
    d->terminal = tt_fmu_terminals(b->t->fmu)->terminal;
    d->n_terminal = tt_fmu_terminals(b->t->fmu)->n;
    d->standard.start = e->has_start ? e->start : (double)NAN;
    d->standard.end = e->has_stop ? e->stop : (double)NAN;
    d->standard.tolerance = e->has_tolerance ? e->tolerance : (double)NAN;
    d->standard_step = step_of(b->t);
    d->delay = b->md->propagation_delay;
    d->reaction = b->md->shortest_reaction;
    d->every = b->md->output_frequency > 0 ? 1 / b->md->output_frequency : 0;
    build_caps(b->md, d);
    if (b->t->version->me)
        build_me_caps(b->md, d);
    else if (b->t->version->face == TT_FMI_SE)
        build_se_caps(b->md, d);
    else if (b->md->cs.has_fixed_internal_step)
        d->inner_step = b->md->cs.fixed_internal_step;
    return TT_OK;
}

enum tt_code tt_kfmi_describe(struct tt_kfmi_type *t, const char *kind,
                              const struct tt_log *log, tt_err *err)
{
    struct builder b = {.t = t, .md = t->md, .log = log};
    struct tt_desc *d = &t->base.desc;
    enum tt_code rc;

    t->arena = b.arena = tt_arena_new();
    if (!b.arena)
        return no_memory(&b, err);
    d->kind = kind;
    rc = build_quantities(&b, err);
    if (rc == TT_OK)
        rc = build_ports(&b, err);
    if (rc == TT_OK)
        rc = build_deps(&b, &d->run, &t->md->output, err);
    if (rc == TT_OK)
        rc = build_deps(&b, &d->init, &t->md->initial_unknown, err);
    return rc == TT_OK ? build_rest(&b, err) : rc;
}
