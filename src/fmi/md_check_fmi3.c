/* SPDX-License-Identifier: MIT */
#include "fmi/md_check_impl.h"

#include <string.h>

/* What only FMI 3 has: arrays, structural parameters, clocks. */

static void check_array(struct md_check *c, const struct tt_md_var *v)
{
    if (v->dim_n && v->causality == TT_CAUS_STRUCTURAL)
        MD_ERR(c, v->line, "FMI3-STRUCTURAL-ARRAY",
               "structural parameter '%s' must not be an array", v->name);
    for (uint32_t i = 0; i < v->dim_n; i++) {
        const struct tt_md_dim *d = &v->dim[i];
        const struct tt_md_var *p =
            d->var == TT_NONE ? NULL : &c->md->var[d->var];

        if (d->start == 0)
            MD_ERR(c, v->line, "FMI3-DIM-ZERO",
                   "dimension %u of variable '%s' starts with size 0", i + 1,
                   v->name);
        if (p && p->causality != TT_CAUS_STRUCTURAL &&
            p->variability != TT_VAR_CONSTANT)
            MD_ERR(c, v->line, "FMI3-DIM-PARAMETER",
                   "dimension %u of variable '%s' refers to '%s', which is "
                   "neither a structural parameter nor a constant",
                   i + 1, v->name, p->name);
    }
    if (v->start_n && v->start_n != v->size && v->start_n != 1)
        MD_ERR(c, v->line, "FMI3-VAR-START-COUNT",
               "variable '%s' has %llu start values for %llu elements", v->name,
               (unsigned long long)v->start_n, (unsigned long long)v->size);
    if (v->type == TT_BYTES && v->max_size) {
        for (uint64_t i = 0; i < v->start_n; i++) {
            if (v->start_bytes[i].n > v->max_size)
                MD_ERR(c, v->line, "FMI3-BINARY-SIZE",
                       "a start value of variable '%s' is larger than maxSize",
                       v->name);
        }
    }
}

static int periodic(const struct tt_md_clock *k)
{
    return k->interval == TT_INTERVAL_CONSTANT ||
           k->interval == TT_INTERVAL_FIXED ||
           k->interval == TT_INTERVAL_TUNABLE;
}

static void check_clock_interval(struct md_check *c, const struct tt_md_var *v)
{
    const struct tt_md_clock *k = &v->clk;

    if (k->interval == TT_INTERVAL_CONSTANT && !k->has_interval_decimal)
        MD_ERR(c, v->line, "FMI3-CLOCK-INTERVAL",
               "constant clock '%s' has no intervalDecimal", v->name);
    if ((k->has_interval_decimal || k->has_counter || k->has_resolution) &&
        !periodic(k))
        MD_ERR(c, v->line, "FMI3-CLOCK-INTERVAL",
               "clock '%s' has an interval but is %s", v->name,
               tt_interval_name(k->interval));
    if (k->has_interval_decimal && !(k->interval_decimal > 0))
        MD_ERR(c, v->line, "FMI3-CLOCK-INTERVAL",
               "intervalDecimal of clock '%s' must be positive", v->name);
    if (!(k->shift_decimal >= 0))
        MD_ERR(c, v->line, "FMI3-CLOCK-INTERVAL",
               "shiftDecimal of clock '%s' must not be negative", v->name);
    if (k->has_counter && (!k->supports_fraction || !k->has_resolution))
        MD_ERR(c, v->line, "FMI3-CLOCK-FRACTION",
               "intervalCounter of clock '%s' needs supportsFraction and "
               "resolution",
               v->name);
    if ((k->has_counter && !k->interval_counter) ||
        (k->has_resolution && !k->resolution))
        MD_ERR(c, v->line, "FMI3-CLOCK-FRACTION",
               "intervalCounter and resolution of clock '%s' must be positive",
               v->name);
}

static void check_clock(struct md_check *c, const struct tt_md_var *v)
{
    if (v->causality != TT_CAUS_INPUT && v->causality != TT_CAUS_OUTPUT &&
        v->causality != TT_CAUS_LOCAL)
        MD_ERR(c, v->line, "FMI3-CLOCK-CAUSALITY",
               "clock '%s' must be input, output or local, not %s", v->name,
               tt_causality_name(v->causality));
    if (v->variability != TT_VAR_DISCRETE)
        MD_ERR(c, v->line, "FMI3-CLOCK-VARIABILITY",
               "clock '%s' must be discrete", v->name);
    if (v->causality == TT_CAUS_OUTPUT &&
        v->clk.interval != TT_INTERVAL_TRIGGERED &&
        v->clk.interval != TT_INTERVAL_NONE)
        MD_ERR(c, v->line, "FMI3-CLOCK-OUTPUT",
               "output clock '%s' must be triggered", v->name);
    if (v->causality == TT_CAUS_OUTPUT && v->clk.has_priority)
        MD_ERR(c, v->line, "FMI3-CLOCK-PRIORITY",
               "output clock '%s' must not have a priority", v->name);
    if (c->md->se.present && v->causality == TT_CAUS_INPUT &&
        !v->clk.has_priority)
        MD_ERR(c, v->line, "FMI3-CLOCK-PRIORITY",
               "input clock '%s' needs a priority for Scheduled Execution",
               v->name);
    check_clock_interval(c, v);
}

static void check_clocked(struct md_check *c, const struct tt_md_var *v)
{
    if (!(v->given & TT_MD_GIVEN_CLOCKS))
        return;
    if (v->variability != TT_VAR_DISCRETE && v->variability != TT_VAR_TUNABLE)
        MD_ERR(c, v->line, "FMI3-VAR-CLOCKS",
               "clocked variable '%s' must be discrete or tunable", v->name);
    if (v->clock_n == 0)
        MD_ERR(c, v->line, "FMI3-VAR-CLOCKS",
               "clocks of variable '%s' names no clock", v->name);
    for (uint32_t i = 0; i < v->clock_n; i++) {
        const struct tt_md_var *k = &c->md->var[v->clock[i]];

        if (k->type != TT_CLOCK)
            MD_ERR(c, v->line, "FMI3-VAR-CLOCKS",
                   "clocks of variable '%s' names '%s', which is not a Clock",
                   v->name, k->name);
    }
}

static void check_previous(struct md_check *c, const struct tt_md_var *v)
{
    const struct tt_md_var *p;

    if (v->previous == TT_NONE)
        return;
    p = &c->md->var[v->previous];
    if (p == v)
        MD_ERR(c, v->line, "FMI3-VAR-PREVIOUS",
               "variable '%s' refers to itself as its previous value", v->name);
    if (!(v->given & TT_MD_GIVEN_CLOCKS) || v->variability != TT_VAR_DISCRETE)
        MD_ERR(c, v->line, "FMI3-VAR-PREVIOUS",
               "variable '%s' has a previous value but is not clocked and "
               "discrete",
               v->name);
    if (p->type != v->type || p->variability != TT_VAR_DISCRETE ||
        p->causality == TT_CAUS_INPUT)
        MD_ERR(c, v->line, "FMI3-VAR-PREVIOUS",
               "the previous value '%s' of variable '%s' must be discrete, of "
               "the same type and not an input",
               p->name, v->name);
    if (c->role[v->previous] & MD_ROLE_PREVIOUS)
        MD_ERR(c, v->line, "FMI3-VAR-PREVIOUS",
               "'%s' is already the previous value of another variable",
               p->name);
    c->role[v->previous] |= MD_ROLE_PREVIOUS;
}

static void check_alias_units(struct md_check *c, const struct tt_md_var *v)
{
    for (uint32_t i = 0; i < v->alias_n; i++) {
        const char *name = v->alias[i].display_name;
        int found = !name || (v->unit && strcmp(name, v->unit->name) == 0);

        for (uint32_t k = 0; !found && v->unit && k < v->unit->display_n; k++)
            found = strcmp(v->unit->display[k].name, name) == 0;
        if (!found)
            MD_ERR(c, v->alias[i].line, "FMI3-ALIAS-DISPLAY-UNIT",
                   "display unit '%s' of alias '%s' is not defined for the "
                   "unit of '%s'",
                   name, v->alias[i].name, v->name);
    }
}

void md_check_var_fmi3(struct md_check *c, const struct tt_md_var *v)
{
    check_array(c, v);
    if (v->type == TT_CLOCK)
        check_clock(c, v);
    check_clocked(c, v);
    check_previous(c, v);
    check_alias_units(c, v);
    if (v->intermediate_update && v->variability != TT_VAR_CONTINUOUS)
        MD_ERR(c, v->line, "FMI3-VAR-INTERMEDIATE",
               "intermediateUpdate of variable '%s' is only for continuous "
               "variables",
               v->name);
}
