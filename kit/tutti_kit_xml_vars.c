/* SPDX-License-Identifier: MIT */
/* ModelVariables: what the description declares of each row of the table. */

static uint32_t first_vr(const struct tutti_var *v)
{
    uint32_t vr = 1;

    for (const struct tutti_var *p = tutti_model.vars; p < v; p++)
        vr += var_count(p);
    return vr;
}

static const char *type_name(const struct page *page, const struct tutti_var *v)
{
    static const char *const fmi3[] = {
        "Float64", "Float32", "Int8",        "UInt8", "Int16",
        "UInt16",  "Int32",   "UInt32",      "Int64", "UInt64",
        "Boolean", "String",  "Enumeration", "Clock"};

    if (page->version == 3)
        return fmi3[v->type];
    if (is_real(v))
        return "Real";
    if (v->type == TUTTI_BOOLEAN || v->type == TUTTI_STRING ||
        v->type == TUTTI_ENUM)
        return fmi3[v->type];
    return "Integer";
}

static const char *causality_name(const struct tutti_var *v)
{
    static const char *const names[] = {"local", "parameter", "input", "output",
                                        "structuralParameter"};

    return names[v->causality];
}

static const char *variability_name(const struct tutti_var *v)
{
    static const char *const names[] = {NULL,      "constant", "fixed",
                                        "tunable", "discrete", "continuous"};

    return names[var_variability(v)];
}

/* NULL for inputs, which have none. */
static const char *initial_name(const struct tutti_var *v)
{
    if (v->causality == TUTTI_INPUT)
        return NULL;
    return var_has_start(v) || v->type == TUTTI_CLOCK ? "exact" : "calculated";
}

/* Before FMI 3 there are 32-bit integers only; beyond them stands the nearest
 * one. */
static double clamp(const struct page *page, double x)
{
    return page->version < 3 ? fmin(fmax(x, INT32_MIN), INT32_MAX) : x;
}

/* One element's value as XML writes it. */
static void put_value(const struct page *page, const struct tutti_var *v,
                      const void *element)
{
    char text[NUMBER_SIZE];
    int64_t n;

    if (v->type == TUTTI_FLOAT64)
        put(number(text, *(const double *)element));
    else if (v->type == TUTTI_FLOAT32)
        put(number(text, (double)*(const float *)element));
    else if (v->type == TUTTI_BOOLEAN)
        put(*(const bool *)element ? "true" : "false");
    else if (v->type == TUTTI_STRING)
        put_escaped(element);
    else if (v->type == TUTTI_UINT64 && page->version == 3)
        (void)printf("%llu", (unsigned long long)*(const uint64_t *)element);
    else {
        n = read_integer(v, element);
        if (page->version < 3 && (n < INT32_MIN || n > INT32_MAX))
            n = n < 0 ? INT32_MIN : INT32_MAX;
        (void)printf("%lld", (long long)n);
    }
}

/* Start values of elements first to last - 1. */
static void put_starts(const struct page *page, const struct tutti_var *v,
                       uint32_t first, uint32_t last)
{
    char *member = calloc(1, v->size);

    if (!member) {
        complain("out of memory");
        return;
    }
    put_start(v, member);
    put(" start=\"");
    for (uint32_t i = first; i < last; i++) {
        if (i > first)
            put(" ");
        put_value(page, v, member + i * type_size(v));
    }
    put("\"");
    free(member);
}

/* A limit of an integer is printed as one. */
static void put_limit(const struct page *page, const struct tutti_var *v,
                      const char *name, double x)
{
    char text[NUMBER_SIZE];

    if (!isfinite(x))
        return;
    if (is_real(v)) {
        put_number_attribute(name, x);
        return;
    }
    (void)snprintf(text, sizeof(text), "%.0f", clamp(page, x));
    put_attribute(name, text);
}

/* What stands in the element of the type, in either version. */
static void put_type_attributes(const struct page *page,
                                const struct tutti_var *v)
{
    bool limits =
        v->type != TUTTI_BOOLEAN && v->type != TUTTI_STRING && v->min < v->max;

    if (v->type == TUTTI_ENUM)
        put_attribute("declaredType", enum_type(v));
    put_attribute("unit", v->unit);
    if (limits)
        put_limit(page, v, "min", v->min);
    if (v->causality == TUTTI_STRUCTURAL)
        put_count("max", (uint32_t)most_of(&tutti_model, v));
    else if (limits)
        put_limit(page, v, "max", v->max);
    if (is_real(v) && v->nominal != 0)
        put_number_attribute("nominal", v->nominal);
}

static void put_derivative(const struct page *page, const struct tutti_var *v,
                           uint32_t element)
{
    const struct tutti_var *x;

    if (!v->derivative_of)
        return;
    x = find_var(&tutti_model, v->derivative_of, strlen(v->derivative_of));
    put_count("derivative",
              first_vr(x) + element + (page->version == 2 ? 1 : 0));
}

/* "name[2]" or "name[2,3]" of an element of an array. */
static void put_element_name(const struct tutti_var *v, uint32_t element)
{
    put_escaped(var_name(v));
    if (v->dim[1])
        (void)printf("[%zu,%zu]", element / v->dim[1] + 1,
                     element % v->dim[1] + 1);
    else if (var_count(v) > 1)
        (void)printf("[%u]", (unsigned)element + 1);
}

static void put_scalar(const struct tutti_var *v, uint32_t element)
{
    put("    <ScalarVariable name=\"");
    put_element_name(v, element);
    put("\"");
    put_count("valueReference", first_vr(v) + element);
    put_attribute("description", v->description);
}

/* The inputs an output depends on, where that is known. */
static void put_direct(const struct tutti_var *v)
{
    const char *depends = v->state ? "" : v->depends;

    if (v->causality != TUTTI_OUTPUT || !depends)
        return;
    put("<DirectDependency>");
    for (size_t i = 0; i < tutti_model.n_vars; i++) {
        const struct tutti_var *on = &tutti_model.vars[i];

        if (on->causality != TUTTI_INPUT ||
            !names_contain(depends, var_name(on)))
            continue;
        for (uint32_t j = 0; j < var_count(on); j++) {
            put("<Name>");
            put_element_name(on, j);
            put("</Name>");
        }
    }
    put("</DirectDependency>");
}

static void put_variable_1(const struct page *page, const struct tutti_var *v,
                           uint32_t element)
{
    static const char *const causality[] = {"internal", "internal", "input",
                                            "output"};
    static const char *const variability[] = {
        NULL, "constant", "parameter", "parameter", "discrete", "continuous"};

    put_scalar(v, element);
    put_attribute("causality", causality[v->causality]);
    put_attribute("variability", variability[var_variability(v)]);
    (void)printf("><%s", type_name(page, v));
    put_type_attributes(page, v);
    if (var_has_start(v))
        put_starts(page, v, element, element + 1);
    put("/>");
    put_direct(v);
    put("</ScalarVariable>\n");
}

static void put_variable_2(const struct page *page, const struct tutti_var *v,
                           uint32_t element)
{
    put_scalar(v, element);
    put_attribute("causality", causality_name(v));
    put_attribute("variability", variability_name(v));
    put_attribute("initial", initial_name(v));
    (void)printf("><%s", type_name(page, v));
    put_type_attributes(page, v);
    if (v->type == TUTTI_CLOCK)
        put_count("start", 0);
    else if (var_has_start(v))
        put_starts(page, v, element, element + 1);
    put_derivative(page, v, element);
    put("/></ScalarVariable>\n");
}

static void put_dimensions(const struct tutti_var *v)
{
    put(">\n");
    for (int i = 0; i < (v->dim[1] ? 2 : 1); i++) {
        const struct tutti_var *size = size_var(&tutti_model, v, i);

        put("      <Dimension");
        if (size)
            put_count("valueReference", first_vr(size));
        else
            put_count("start", v->dim[i] ? v->dim[i] : var_count(v));
        put("/>\n");
    }
}

static void put_clocks(const char *list)
{
    const char *name, *blank = "";
    size_t length;

    if (!list)
        return;
    put(" clocks=\"");
    for (; (name = next_name(&list, &length)) != NULL; blank = " ")
        (void)printf("%s%u", blank,
                     (unsigned)first_vr(find_var(&tutti_model, name, length)));
    put("\"");
}

static void put_ticks(const struct tutti_var *v)
{
    static const char *const names[] = {"triggered", "constant", "fixed",
                                        "tunable", "countdown"};

    put_attribute("intervalVariability", names[v->ticks]);
    if (v->causality == TUTTI_INPUT && tutti_model.partition)
        put_count("priority", v->priority);
    if (!var_is_periodic(v))
        return;
    put_number_attribute("intervalDecimal", clock_seconds(v, v->interval));
    put_number_attribute("shiftDecimal", clock_seconds(v, v->shift));
    if (!v->resolution)
        return;
    put_attribute("supportsFraction", "true");
    put_count("resolution", (unsigned long)v->resolution);
    put_count("intervalCounter", (unsigned long)v->interval);
    put_count("shiftCounter", (unsigned long)v->shift);
}

static void put_clock(const struct page *page, const struct tutti_var *v)
{
    (void)printf("    <%s", type_name(page, v));
    put_attribute("name", var_name(v));
    put_count("valueReference", first_vr(v));
    put_attribute("description", v->description);
    put_attribute("causality", causality_name(v));
    put_attribute("variability", variability_name(v));
    put_clocks(v->clocks);
    put_ticks(v);
    put("/>\n");
}

static void put_variable_3(const struct page *page, const struct tutti_var *v)
{
    bool array = var_count(v) > 1 || v->dim[0];
    bool text = v->type == TUTTI_STRING;

    if (v->type == TUTTI_CLOCK) {
        put_clock(page, v);
        return;
    }
    (void)printf("    <%s", type_name(page, v));
    put_attribute("name", var_name(v));
    put_count("valueReference", first_vr(v));
    put_attribute("description", v->description);
    put_attribute("causality", causality_name(v));
    put_attribute("variability", variability_name(v));
    put_attribute("initial", initial_name(v));
    put_clocks(v->clocks);
    if (var_has_course(v) || var_has_trail(v))
        put_attribute("intermediateUpdate", "true");
    put_type_attributes(page, v);
    if (var_has_start(v) && !text)
        put_starts(page, v, 0, count_in_use(&tutti_model, v, NULL));
    put_derivative(page, v, 0);
    if (array) {
        put_dimensions(v);
        (void)printf("    </%s>\n", type_name(page, v));
    } else if (text && var_has_start(v)) {
        put(">\n      <Start");
        put_attribute("value", v->text ? v->text : "");
        put("/>\n    </String>\n");
    } else {
        put("/>\n");
    }
}

static void put_variables(const struct page *page)
{
    const struct tutti_model *m = &tutti_model;

    put("  <ModelVariables>\n");
    if (page->version == 2)
        put("    <ScalarVariable name=\"time\" valueReference=\"0\" "
            "description=\"simulation time\" causality=\"independent\" "
            "variability=\"continuous\"><Real unit=\"s\"/>"
            "</ScalarVariable>\n");
    else if (page->version == 3)
        put("    <Float64 name=\"time\" valueReference=\"0\" "
            "description=\"simulation time\" causality=\"independent\" "
            "variability=\"continuous\" unit=\"s\"/>\n");
    for (size_t i = 0; i < m->n_vars; i++) {
        if (page->version == 3)
            put_variable_3(page, &m->vars[i]);
        for (uint32_t j = 0; page->version < 3 && j < var_count(&m->vars[i]);
             j++)
            (page->version == 1 ? put_variable_1
                                : put_variable_2)(page, &m->vars[i], j);
    }
    put("  </ModelVariables>\n");
}
