/* SPDX-License-Identifier: MIT */
/* Refuses a table that is not sound, and knows the physical units. */

static unsigned complaints;

static void complain(const char *format, ...) TUTTI_KIT_PRINTF(1, 2);

static void complain(const char *format, ...)
{
    va_list args;

    complaints++;
    (void)fprintf(stderr, "%s: ", tutti_model.name ? tutti_model.name : "?");
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

/* The kit's own units: exponents of kg m s A K mol cd rad, factor, offset. */
static const struct tutti_unit kit_units[] = {
    {.name = "1"},
    {.name = "m", .m = 1},
    {.name = "mm", .m = 1, .factor = 1e-3},
    {.name = "cm", .m = 1, .factor = 1e-2},
    {.name = "km", .m = 1, .factor = 1e3},
    {.name = "m2", .m = 2},
    {.name = "m3", .m = 3},
    {.name = "L", .m = 3, .factor = 1e-3},
    {.name = "s", .s = 1},
    {.name = "ms", .s = 1, .factor = 1e-3},
    {.name = "min", .s = 1, .factor = 60},
    {.name = "h", .s = 1, .factor = 3600},
    {.name = "Hz", .s = -1},
    {.name = "1/s", .s = -1},
    {.name = "m/s", .m = 1, .s = -1},
    {.name = "km/h", .m = 1, .s = -1, .factor = 1 / 3.6},
    {.name = "m/s2", .m = 1, .s = -2},
    {.name = "m3/s", .m = 3, .s = -1},
    {.name = "L/s", .m = 3, .s = -1, .factor = 1e-3},
    {.name = "L/min", .m = 3, .s = -1, .factor = 1e-3 / 60},
    {.name = "kg", .kg = 1},
    {.name = "g", .kg = 1, .factor = 1e-3},
    {.name = "kg/s", .kg = 1, .s = -1},
    {.name = "kg/m3", .kg = 1, .m = -3},
    {.name = "kg.m2", .kg = 1, .m = 2},
    {.name = "N", .kg = 1, .m = 1, .s = -2},
    {.name = "kN", .kg = 1, .m = 1, .s = -2, .factor = 1e3},
    {.name = "N/m", .kg = 1, .s = -2},
    {.name = "N.s/m", .kg = 1, .s = -1},
    {.name = "N.m", .kg = 1, .m = 2, .s = -2},
    {.name = "N.m/rad", .kg = 1, .m = 2, .s = -2, .rad = -1},
    {.name = "N.m.s/rad", .kg = 1, .m = 2, .s = -1, .rad = -1},
    {.name = "rad", .rad = 1},
    {.name = "deg", .rad = 1, .factor = 3.14159265358979323846 / 180},
    {.name = "rad/s", .rad = 1, .s = -1},
    {.name = "rad/s2", .rad = 1, .s = -2},
    {.name = "deg/s",
     .rad = 1,
     .s = -1,
     .factor = 3.14159265358979323846 / 180},
    {.name = "rev/min",
     .rad = 1,
     .s = -1,
     .factor = 3.14159265358979323846 / 30},
    {.name = "K", .K = 1},
    {.name = "degC", .K = 1, .offset = 273.15},
    {.name = "K/s", .K = 1, .s = -1},
    {.name = "W", .kg = 1, .m = 2, .s = -3},
    {.name = "kW", .kg = 1, .m = 2, .s = -3, .factor = 1e3},
    {.name = "W/K", .kg = 1, .m = 2, .s = -3, .K = -1},
    {.name = "J", .kg = 1, .m = 2, .s = -2},
    {.name = "kJ", .kg = 1, .m = 2, .s = -2, .factor = 1e3},
    {.name = "kW.h", .kg = 1, .m = 2, .s = -2, .factor = 3.6e6},
    {.name = "J/K", .kg = 1, .m = 2, .s = -2, .K = -1},
    {.name = "J/(kg.K)", .m = 2, .s = -2, .K = -1},
    {.name = "A", .A = 1},
    {.name = "C", .A = 1, .s = 1},
    {.name = "A.h", .A = 1, .s = 1, .factor = 3600},
    {.name = "V", .kg = 1, .m = 2, .s = -3, .A = -1},
    {.name = "Ohm", .kg = 1, .m = 2, .s = -3, .A = -2},
    {.name = "H", .kg = 1, .m = 2, .s = -2, .A = -2},
    {.name = "F", .kg = -1, .m = -2, .s = 4, .A = 2},
    {.name = "V.s/rad", .kg = 1, .m = 2, .s = -2, .A = -1, .rad = -1},
    {.name = "N.m/A", .kg = 1, .m = 2, .s = -2, .A = -1},
    {.name = "Pa", .kg = 1, .m = -1, .s = -2},
    {.name = "kPa", .kg = 1, .m = -1, .s = -2, .factor = 1e3},
    {.name = "bar", .kg = 1, .m = -1, .s = -2, .factor = 1e5},
    {.name = "mol", .mol = 1},
    {.name = "cd", .cd = 1},
    {.name = "%", .factor = 1e-2},
};

static const struct tutti_unit *find_unit(const char *name)
{
    for (size_t i = 0; i < tutti_model.n_units; i++)
        if (!strcmp(tutti_model.units[i].name, name))
            return &tutti_model.units[i];
    for (size_t i = 0; i < TUTTI_COUNT(kit_units); i++)
        if (!strcmp(kit_units[i].name, name))
            return &kit_units[i];
    return NULL;
}

static bool is_real(const struct tutti_var *v)
{
    return v->type == TUTTI_FLOAT64 || v->type == TUTTI_FLOAT32;
}

static void check_depends(const struct tutti_var *v)
{
    const char *list = v->depends, *name;
    size_t length;

    while (list && (name = next_name(&list, &length)) != NULL) {
        const struct tutti_var *on = find_var(&tutti_model, name, length);
        bool time = length == 4 && !memcmp(name, "time", 4);

        if (!time && !on)
            complain("'%s' depends on '%.*s', which does not exist",
                     var_name(v), (int)length, name);
        else if (on && !var_has_start(on) &&
                 !(on->type == TUTTI_CLOCK && on->causality == TUTTI_INPUT))
            complain("'%s' depends on '%.*s', which is itself calculated",
                     var_name(v), (int)length, name);
    }
}

/* A member of another type than its row gives shows in its size. */
static void check_shape(const struct tutti_var *v)
{
    size_t n = (v->dim[0] ? v->dim[0] : 1) * (v->dim[1] ? v->dim[1] : 1);
    size_t align = v->type == TUTTI_STRING  ? 1
                   : v->type == TUTTI_CLOCK ? sizeof(double)
                                            : type_size(v);

    if (v->offset % align != 0 || v->offset + v->size > tutti_model.size)
        complain("the member of '%s' is not where its row places it",
                 var_name(v));
    if (v->type == TUTTI_STRING ? n != 1 : v->size != n * type_size(v))
        complain("the member of '%s' has another type or size than its row",
                 var_name(v));
    if (n > 1 && v->type >= TUTTI_BOOLEAN)
        complain("'%s' is an array, but not of numbers", var_name(v));
}

/* FMI 3.0.2, 2.2.8 and 5.1.1. */
static void check_clock(const struct tutti_var *v)
{
    if (!tutti_model.partition && !tutti_model.event && !tutti_model.ta)
        complain("the clock '%s' needs an event or a partition hook",
                 var_name(v));
    if (v->causality != TUTTI_INPUT && v->causality != TUTTI_OUTPUT)
        complain("the clock '%s' is no input and no output", var_name(v));
    if (v->causality == TUTTI_OUTPUT && v->ticks != TUTTI_TICKS_TRIGGERED)
        complain("the output clock '%s' ticks in hooks only", var_name(v));
    if (var_is_periodic(v) != (v->interval > 0))
        complain("the clock '%s' is periodic if and only if it has an interval",
                 var_name(v));
    if (v->shift < 0 || (v->shift > 0 && !var_is_periodic(v)))
        complain("the shift of the clock '%s' is negative or without effect",
                 var_name(v));
}

static void check_clocks(const struct tutti_var *v)
{
    const char *list = v->clocks, *name;
    size_t length;

    if (v->type == TUTTI_CLOCK)
        check_clock(v);
    while (list && (name = next_name(&list, &length)) != NULL) {
        const struct tutti_var *on = find_var(&tutti_model, name, length);

        if (!on || on->type != TUTTI_CLOCK)
            complain("'%s' belongs to '%.*s', which is no clock", var_name(v),
                     (int)length, name);
    }
    if (v->clocks && var_variability(v) != TUTTI_DISCRETE &&
        var_variability(v) != TUTTI_TUNABLE)
        complain("'%s' belongs to a clock but is not discrete", var_name(v));
}

/* The combinations FMI allows; FMI 2.0.3, 2.2.7 and FMI 3.0.2, 2.4.7.4. */
static void check_variability(const struct tutti_var *v)
{
    enum tutti_variability is = var_variability(v);
    bool parameter =
        v->causality == TUTTI_PARAMETER || v->causality == TUTTI_STRUCTURAL;
    bool fixed = is == TUTTI_FIXED || is == TUTTI_TUNABLE;

    if (is == TUTTI_CONTINUOUS && !is_real(v))
        complain("'%s' is continuous but no floating-point number",
                 var_name(v));
    if (parameter != fixed)
        complain("only parameters are fixed or tunable, unlike '%s'",
                 var_name(v));
    if (is == TUTTI_CONSTANT && v->causality == TUTTI_INPUT)
        complain("the input '%s' cannot be constant", var_name(v));
    if (v->state && is != TUTTI_CONTINUOUS)
        complain("the state '%s' is not continuous", var_name(v));
}

/* Sizes that are given by structural parameters. */
static void check_sizes(const struct tutti_var *v)
{
    for (int d = 0; d < 2; d++) {
        const struct tutti_var *size = size_var(&tutti_model, v, d);

        if (!v->size_from[d])
            continue;
        if (!size || size->causality != TUTTI_STRUCTURAL)
            complain("a size of '%s' follows '%s', which is no structural "
                     "parameter",
                     var_name(v), v->size_from[d]);
        if (!v->dim[d])
            complain("of a size of '%s' it is not stated how much it may be",
                     var_name(v));
    }
    if (var_is_sized(v) && (v->state || v->derivative_of || v->indicator))
        complain("'%s' belongs to states, whose sizes are fixed", var_name(v));
    if (v->causality != TUTTI_STRUCTURAL)
        return;
    if (v->type != TUTTI_UINT64 || v->size != sizeof(uint64_t))
        complain("the structural parameter '%s' is no uint64_t", var_name(v));
    if (v->start < 1 || v->start > (double)most_of(&tutti_model, v))
        complain("the structural parameter '%s' starts outside its range",
                 var_name(v));
}

static void check_terminal(const struct tutti_terminal *t)
{
    if (!t->name || !*t->name)
        complain("a terminal has no name");
    for (size_t i = 0; i < t->n_members; i++) {
        const struct tutti_member *m = &t->members[i];

        if (!m->variable ||
            !find_var(&tutti_model, m->variable, strlen(m->variable)))
            complain("terminal '%s' names '%s', which does not exist", t->name,
                     m->variable ? m->variable : "");
        if (t->matching != TUTTI_SEQUENCE && (!m->name || !*m->name))
            complain("a member of terminal '%s' has no name", t->name);
    }
}

static void check_var(const struct tutti_var *v)
{
    const struct tutti_var *x;

    check_shape(v);
    check_sizes(v);
    check_depends(v);
    if (find_var(&tutti_model, var_name(v), strlen(var_name(v))) != v ||
        !strcmp(var_name(v), "time"))
        complain("the name '%s' is taken", var_name(v));
    if (v->unit && !find_unit(v->unit))
        complain("'%s' has the unknown unit '%s'", var_name(v), v->unit);
    if (v->unit && !is_real(v))
        complain("'%s' has a unit but is no floating-point number",
                 var_name(v));
    if (v->state &&
        (v->type != TUTTI_FLOAT64 ||
         (v->causality != TUTTI_OUTPUT && v->causality != TUTTI_LOCAL)))
        complain("the state '%s' is not a double output or local", var_name(v));
    if (v->indicator && (v->type != TUTTI_FLOAT64 || var_has_start(v)))
        complain("the indicator '%s' is not a calculated double", var_name(v));
    check_variability(v);
    check_clocks(v);
    if (v->type == TUTTI_ENUM && (!v->items || !v->items[0]))
        complain("the enumeration '%s' has no items", var_name(v));
    if (v->min < v->max && !v->starts && var_has_start(v) &&
        v->type != TUTTI_ENUM && (v->start < v->min || v->start > v->max))
        complain("'%s' starts outside its range", var_name(v));
    if (v->derivative_of) {
        x = find_var(&tutti_model, v->derivative_of, strlen(v->derivative_of));
        if (!x || !x->state || x->size != v->size || v->type != TUTTI_FLOAT64)
            complain("'%s' is the derivative of '%s', which is no such state",
                     var_name(v), v->derivative_of);
    }
}

static void check_choice(const char *name)
{
    const struct tutti_var *v;

    if (!name)
        return;
    v = find_var(&tutti_model, name, strlen(name));
    if (!v || (v->type != TUTTI_INT32 && v->type != TUTTI_ENUM))
        complain("'%s' chooses the solver but is no 32-bit integer", name);
}

/* Discrete events are all there is to a unit that has them. */
static void check_events(const struct tutti_model *m, bool states)
{
    const struct tutti_var *own = find_var(m, INTERNAL, strlen(INTERNAL));
    bool input = false;

    if (!m->ta) {
        if (m->output || m->internal || m->external || m->confluent || own)
            complain("discrete events need the hook ta");
        return;
    }
    for (size_t i = 0; i < m->n_vars; i++) {
        const struct tutti_var *v = &m->vars[i];

        if (v->causality != TUTTI_INPUT || v == own)
            continue;
        input = input || v->type == TUTTI_CLOCK;
        if (v->type != TUTTI_CLOCK && !v->clocks)
            complain("the input '%s' of a unit with discrete events takes none",
                     var_name(v));
    }
    if (!own)
        complain("discrete events need the rows TUTTI_EVENTS");
    if (!m->internal)
        complain("discrete events need the hook internal");
    if (input != (m->external != NULL))
        complain("events come in if and only if there is the hook external");
    if (states || m->event || m->partition || m->step || m->after_step)
        complain("with discrete events there are no states and no hooks event, "
                 "partition, step or after_step");
}

static bool check_model(void)
{
    const struct tutti_model *m = &tutti_model;
    bool states = false;

    if (!m->name || !*m->name || !m->size)
        complain("the model needs a name and a size");
    for (size_t i = 0; i < m->n_vars; i++) {
        check_var(&m->vars[i]);
        states = states || m->vars[i].state;
    }
    for (size_t i = 0; i < m->n_terminals; i++)
        check_terminal(&m->terminals[i]);
    if (states && !m->derivatives && !m->linear && !m->step)
        complain("there are states but nothing that integrates them");
    check_events(m, states);
    check_choice(m->method_from);
    check_choice(m->microsteps_from);
    return complaints == 0;
}
