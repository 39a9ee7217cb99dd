/* SPDX-License-Identifier: MIT */
/*
 * Prints the model description of FMI 1, 2 or 3 from the table of variables.
 * Part of a small program, built with TUTTI_KIT_DESCRIBE, that a build runs
 * once:
 *     describe 1|2|3 [model identifier]
 * It refuses a table that is not sound and states why.
 */

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_check.c"

/* Text. */

/* What is being written. Indices of FMI 2 are value references plus one,
 * because time comes first in the list. */
struct page {
    int version; /* 1, 2 or 3 */
    const char *identifier;
};

static void put(const char *text)
{
    (void)fputs(text, stdout);
}

/* Text inside an attribute. */
static void put_escaped(const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            put("&amp;");
            break;
        case '<':
            put("&lt;");
            break;
        case '>':
            put("&gt;");
            break;
        case '"':
            put("&quot;");
            break;
        case '\n':
            put("&#10;");
            break;
        default:
            (void)putchar(*text);
        }
    }
}

static void put_attribute(const char *name, const char *text)
{
    if (!text)
        return;
    (void)printf(" %s=\"", name);
    put_escaped(text);
    put("\"");
}

static void put_flag(const char *name, bool is)
{
    put_attribute(name, is ? "true" : "false");
}

static void put_number_attribute(const char *name, double x)
{
    char text[NUMBER_SIZE];

    put_attribute(name, number(text, x));
}

static void put_count(const char *name, unsigned long n)
{
    (void)printf(" %s=\"%lu\"", name, n);
}

/* Types, units. */

static void put_exponent(const char *name, int exponent)
{
    if (exponent)
        (void)printf(" %s=\"%d\"", name, exponent);
}

static void put_unit(const struct page *page, const struct tutti_unit *u)
{
    if (page->version == 1) { /* has names only */
        put("    <BaseUnit");
        put_attribute("unit", u->name);
        put("/>\n");
        return;
    }
    put("    <Unit");
    put_attribute("name", u->name);
    put("><BaseUnit");
    put_exponent("kg", u->kg);
    put_exponent("m", u->m);
    put_exponent("s", u->s);
    put_exponent("A", u->A);
    put_exponent("K", u->K);
    put_exponent("mol", u->mol);
    put_exponent("cd", u->cd);
    put_exponent("rad", u->rad);
    if (u->factor != 0 && u->factor != 1)
        put_number_attribute("factor", u->factor);
    if (u->offset != 0)
        put_number_attribute("offset", u->offset);
    put("/></Unit>\n");
}

static bool same_text(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* Every unit some variable uses, once; time is in seconds. */
static void put_units(const struct page *page)
{
    const struct tutti_model *m = &tutti_model;

    put("  <UnitDefinitions>\n");
    put_unit(page, find_unit("s"));
    for (size_t i = 0; i < m->n_vars; i++) {
        const char *unit = m->vars[i].unit;
        bool seen = !unit || !strcmp(unit, "s");

        for (size_t j = 0; j < i && !seen; j++)
            seen = same_text(m->vars[j].unit, unit);
        if (!seen)
            put_unit(page, find_unit(unit));
    }
    put("  </UnitDefinitions>\n");
}

static const char *enum_type(const struct tutti_var *v)
{
    return v->type_name ? v->type_name : var_name(v);
}

static void put_enum_type(const struct page *page, const struct tutti_var *v)
{
    static const char *const open[] = {"    <Type", "    <SimpleType",
                                       "    <EnumerationType"};
    static const char *const inside[] = {"><EnumerationType>\n",
                                         "><Enumeration>\n", ">\n"};
    static const char *const close[] = {"    </EnumerationType></Type>\n",
                                        "    </Enumeration></SimpleType>\n",
                                        "    </EnumerationType>\n"};

    put(open[page->version - 1]);
    put_attribute("name", enum_type(v));
    put(inside[page->version - 1]);
    for (unsigned long i = 0; v->items[i]; i++) {
        put("      <Item");
        put_attribute("name", v->items[i]);
        if (page->version > 1)
            put_count("value", i + 1);
        put("/>\n");
    }
    put(close[page->version - 1]);
}

static void put_types(const struct page *page)
{
    const struct tutti_model *m = &tutti_model;
    bool open = false;

    for (size_t i = 0; i < m->n_vars; i++) {
        const struct tutti_var *v = &m->vars[i];
        bool seen = v->type != TUTTI_ENUM;

        for (size_t j = 0; j < i && !seen; j++)
            seen = m->vars[j].type == TUTTI_ENUM &&
                   same_text(enum_type(&m->vars[j]), enum_type(v));
        if (seen)
            continue;
        if (!open)
            put("  <TypeDefinitions>\n");
        open = true;
        put_enum_type(page, v);
    }
    if (open)
        put("  </TypeDefinitions>\n");
}

static void put_log_categories(void)
{
    put("  <LogCategories>\n");
    for (int i = 0; i < CAT_COUNT; i++) {
        put("    <Category");
        put_attribute("name", category_names[i]);
        put("/>\n");
    }
    put("    <Category name=\"logAll\"/>\n  </LogCategories>\n");
}

static bool names_contain(const char *list, const char *wanted)
{
    const char *name;
    size_t length;

    while ((name = next_name(&list, &length)) != NULL)
        if (strlen(wanted) == length && !memcmp(name, wanted, length))
            return true;
    return false;
}

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_xml_vars.c"

/* Structure. */

enum section { SEC_OUTPUTS, SEC_DERIVATIVES, SEC_INITIAL, SEC_INDICATORS };

/* Known at run time: inputs, published states. At initialisation: whatever has
 * a start value. FMI 2.0.3, 2.2.8 and FMI 3.0.2, 2.4.9. */
static bool is_known(const struct tutti_var *v, enum section section)
{
    if (v->causality == TUTTI_INPUT)
        return true;
    if (section == SEC_INITIAL)
        return var_has_start(v);
    return v->state && state_is_published(&tutti_model, v);
}

/* The dependencies of one unknown, in ascending order; unknown ones are left
 * out altogether. A state follows from no known value but itself. */
static void put_dependencies(const struct page *page, const struct tutti_var *v,
                             enum section section)
{
    const struct tutti_model *m = &tutti_model;
    const char *depends = v->state ? var_name(v) : v->depends;
    const char *blank = "";
    uint32_t shift = page->version == 2 ? 1 : 0;

    if (!depends)
        return;
    put(" dependencies=\"");
    if (names_contain(depends, "time")) {
        (void)printf("%u", (unsigned)shift);
        blank = " ";
    }
    for (size_t i = 0; i < m->n_vars; i++) {
        const struct tutti_var *on = &m->vars[i];
        uint32_t n = page->version == 2 ? var_count(on) : 1;

        if (!is_known(on, section) || !names_contain(depends, var_name(on)))
            continue;
        for (uint32_t j = 0; j < n; j++, blank = " ")
            (void)printf("%s%u", blank, (unsigned)(first_vr(on) + j + shift));
    }
    put("\"");
}

static bool in_section(const struct tutti_var *v, enum section section,
                       int version)
{
    switch (section) {
    case SEC_OUTPUTS:
        return v->causality == TUTTI_OUTPUT;
    case SEC_DERIVATIVES:
        return v->derivative_of != NULL;
    case SEC_INDICATORS:
        return v->indicator;
    case SEC_INITIAL:
        break;
    }
    return !var_has_start(v) && v->type != TUTTI_CLOCK &&
           (!v->clocks || version == 2) &&
           (v->causality == TUTTI_OUTPUT || v->derivative_of);
}

static void put_unknowns(const struct page *page, enum section section)
{
    static const char *const list_2[] = {"Outputs", "Derivatives",
                                         "InitialUnknowns"};
    static const char *const item_3[] = {"Output", "ContinuousStateDerivative",
                                         "InitialUnknown", "EventIndicator"};
    bool open = false;

    for (size_t i = 0; i < tutti_model.n_vars; i++) {
        const struct tutti_var *v = &tutti_model.vars[i];
        uint32_t n = page->version == 2 ? var_count(v) : 1;

        if (!in_section(v, section, page->version))
            continue;
        if (!open && page->version == 2)
            (void)printf("    <%s>\n", list_2[section]);
        open = true;
        for (uint32_t j = 0; j < n; j++) {
            if (page->version == 2)
                (void)printf("      <Unknown index=\"%u\"",
                             (unsigned)(first_vr(v) + j + 1));
            else
                (void)printf("    <%s valueReference=\"%u\"", item_3[section],
                             (unsigned)first_vr(v));
            put_dependencies(page, v, section);
            put("/>\n");
        }
    }
    if (open && page->version == 2)
        (void)printf("    </%s>\n", list_2[section]);
}

static void put_structure(const struct page *page)
{
    put("  <ModelStructure>\n");
    put_unknowns(page, SEC_OUTPUTS);
    put_unknowns(page, SEC_DERIVATIVES);
    put_unknowns(page, SEC_INITIAL);
    if (page->version == 3)
        put_unknowns(page, SEC_INDICATORS);
    put("  </ModelStructure>\n");
}

/* The page. */

static const char *const evaluates[] = {"always", "event", "never"};
static const char *const reactivity[] = {"either", "reactive", "delayed"};

/* FMI 1 has pairs of names and values there, and nothing else. Nor has it words
 * for an FMU with both interfaces, which this one is all the same. */
static void put_annotation_1(void)
{
    put("<Annotation name=\"evaluates\"");
    put_attribute("value", evaluates[tutti_model.evaluates]);
    put("/>");
    if (model_exchanges(&tutti_model))
        put("<Annotation name=\"modelExchange\" value=\"true\"/>");
    for (size_t i = 0; i < tutti_model.n_vars; i++) {
        const struct tutti_var *v = &tutti_model.vars[i];

        if (v->reactivity == TUTTI_EITHER)
            continue;
        put("<Annotation name=\"reactivity ");
        put_escaped(var_name(v));
        put("\"");
        put_attribute("value", reactivity[v->reactivity]);
        put("/>");
    }
}

static void put_timing(const char *name, double x)
{
    if (x > 0)
        put_number_attribute(name, x);
}

/* What Tutti wants to know and FMI has no words for. */
static void put_annotation(void)
{
    (void)printf("<Unit evaluates=\"%s\"%s", evaluates[tutti_model.evaluates],
                 tutti_model.ta ? " discrete=\"true\"" : "");
    put_timing("propagationDelay", tutti_model.propagation_delay);
    put_timing("shortestReaction", tutti_model.shortest_reaction);
    put_timing("outputFrequency", tutti_model.output_frequency);
    put(">");
    for (size_t i = 0; i < tutti_model.n_vars; i++) {
        const struct tutti_var *v = &tutti_model.vars[i];

        if (v->reactivity == TUTTI_EITHER)
            continue;
        put("<Port");
        put_attribute("name", var_name(v));
        put_attribute("reactivity", reactivity[v->reactivity]);
        put("/>");
    }
    put("</Unit>");
}

static void put_experiment(const struct page *page)
{
    const struct tutti_model *m = &tutti_model;

    if (m->stop_time <= m->start_time)
        return;
    put("  <DefaultExperiment");
    put_number_attribute("startTime", m->start_time);
    put_number_attribute("stopTime", m->stop_time);
    if (m->step_size > 0 && page->version > 1)
        put_number_attribute("stepSize", m->step_size);
    put("/>\n");
}

static void put_exchange(const struct page *page)
{
    put("  <ModelExchange");
    put_attribute("modelIdentifier", page->identifier);
    if (page->version == 2) {
        put_attribute("completedIntegratorStepNotNeeded", "true");
        put_attribute("canNotUseMemoryManagementFunctions", "true");
        put_attribute("canGetAndSetFMUstate", "true");
        put_attribute("canSerializeFMUstate", "true");
        put_attribute("providesDirectionalDerivative", "true");
    } else {
        put_attribute("canGetAndSetFMUState", "true");
        put_attribute("canSerializeFMUState", "true");
        put_attribute("providesDirectionalDerivatives", "true");
        put_attribute("providesAdjointDerivatives", "true");
    }
    put("/>\n");
}

static void put_scheduled(const struct page *page)
{
    put("  <ScheduledExecution");
    put_attribute("modelIdentifier", page->identifier);
    put_attribute("canGetAndSetFMUState", "true");
    put_attribute("canSerializeFMUState", "true");
    put("/>\n");
}

static void put_capabilities(const struct page *page)
{
    if (tutti_model.partition) {
        put_scheduled(page);
        return;
    }
    if (model_exchanges(&tutti_model))
        put_exchange(page);
    put("  <CoSimulation");
    put_attribute("modelIdentifier", page->identifier);
    put_attribute("canHandleVariableCommunicationStepSize", "true");
    put_count("maxOutputDerivativeOrder", 1);
    if (page->version == 2) {
        put_attribute("canInterpolateInputs", "true");
        put_attribute("canNotUseMemoryManagementFunctions", "true");
        put_attribute("canGetAndSetFMUstate", "true");
        put_attribute("canSerializeFMUstate", "true");
        put_attribute("providesDirectionalDerivative", "true");
    } else {
        put_attribute("canGetAndSetFMUState", "true");
        put_attribute("canSerializeFMUState", "true");
        put_attribute("providesDirectionalDerivatives", "true");
        put_attribute("providesAdjointDerivatives", "true");
        put_attribute("providesIntermediateUpdate", "true");
        put_flag("mightReturnEarlyFromDoStep",
                 tutti_model.after_step || tutti_model.step ||
                     tutti_model.event || tutti_model.ta);
        put_flag("hasEventMode", tutti_model.event || tutti_model.ta);
    }
    put("/>\n");
}

static void put_implementation(void)
{
    put("  <Implementation><CoSimulation_StandAlone><Capabilities");
    put_attribute("canHandleVariableCommunicationStepSize", "true");
    put_attribute("canInterpolateInputs", "true");
    put_count("maxOutputDerivativeOrder", 1);
    put_attribute("canNotUseMemoryManagementFunctions", "true");
    put("/></CoSimulation_StandAlone></Implementation>\n");
}

/* Names with other characters than these are flat, without structure. */
static bool names_are_structured(void)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

    for (size_t i = 0; i < tutti_model.n_vars; i++) {
        const char *name = var_name(&tutti_model.vars[i]);

        if (name[strspn(name, plain)])
            return false;
    }
    return true;
}

static uint32_t count_states(const struct tutti_model *m)
{
    uint32_t n = 0;

    for (size_t i = 0; i < m->n_vars; i++)
        n += m->vars[i].state ? var_count(&m->vars[i]) : 0;
    return n;
}

static void put_head(const struct page *page)
{
    const struct tutti_model *m = &tutti_model;
    uint64_t bits[2];
    char token[NUMBER_SIZE];

    make_token(m, bits, token);
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    (void)printf(" fmiVersion=\"%d.0\"", page->version);
    put_attribute("modelName", m->name);
    if (page->version == 1)
        put_attribute("modelIdentifier", page->identifier);
    put_attribute(page->version == 3 ? "instantiationToken" : "guid", token);
    put_attribute("description", m->description);
    put_attribute("author", m->author);
    put_attribute("version", m->version);
    if (page->version > 1)
        put_attribute("license", m->license);
    put_attribute("generationTool", "Tutti unit kit");
    put_attribute("variableNamingConvention",
                  names_are_structured() ? "structured" : "flat");
    if (page->version == 1) {
        bool me = model_exchanges(m);

        put_count("numberOfContinuousStates", me ? count_states(m) : 0);
        put_count("numberOfEventIndicators", me ? count_indicators(m) : 0);
    }
    if (page->version == 2 && model_exchanges(m))
        put_count("numberOfEventIndicators", count_indicators(m));
    put(">\n");
}

static void put_page(const struct page *page)
{
    put_head(page);
    if (page->version > 1)
        put_capabilities(page);
    put_units(page);
    put_types(page);
    if (page->version > 1)
        put_log_categories();
    put_experiment(page);
    if (page->version < 3) {
        put("  <VendorAnnotations><Tool name=\"org.tutti\">");
        if (page->version == 1)
            put_annotation_1();
        else
            put_annotation();
        put("</Tool></VendorAnnotations>\n");
    }
    put_variables(page);
    if (page->version == 1)
        put_implementation();
    else
        put_structure(page);
    if (page->version == 3) {
        put("  <Annotations><Annotation type=\"org.tutti\">");
        put_annotation();
        put("</Annotation></Annotations>\n");
    }
    put("</fmiModelDescription>\n");
}

/* terminalsAndIcons.xml; FMI 3.0.2, 2.4.9. */

static void put_terminal(const struct tutti_terminal *t)
{
    static const char *const rule[] = {"plug", "bus", "sequence"};
    static const char *const kind[] = {"signal", "inflow", "outflow"};

    put("    <Terminal");
    put_attribute("name", t->name);
    put_attribute("matchingRule", rule[t->matching]);
    put_attribute("terminalKind", t->kind);
    put_attribute("description", t->description);
    put(">\n");
    for (size_t i = 0; i < t->n_members; i++) {
        put("      <TerminalMemberVariable");
        put_attribute("variableName", t->members[i].variable);
        put_attribute("memberName", t->members[i].name);
        put_attribute("variableKind", kind[t->members[i].kind]);
        put("/>\n");
    }
    put("    </Terminal>\n");
}

static void put_terminals(void)
{
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n");
    for (size_t i = 0; i < tutti_model.n_terminals; i++)
        put_terminal(&tutti_model.terminals[i]);
    put("  </Terminals>\n</fmiTerminalsAndIcons>\n");
}

static bool needs_fmi3(void)
{
    for (size_t i = 0; i < tutti_model.n_vars; i++)
        if (tutti_model.vars[i].causality == TUTTI_STRUCTURAL)
            return true;
    return false;
}

static bool has_clocks(const struct tutti_model *m)
{
    for (size_t i = 0; i < m->n_vars; i++)
        if (m->vars[i].type == TUTTI_CLOCK)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct page page = {.identifier = argc > 2 ? argv[2] : tutti_model.name};

    if (argc < 2 || argc > 3 || !*argv[1] || argv[1][1] ||
        !strchr("123t", *argv[1])) {
        (void)fprintf(stderr, "usage: describe 1|2|3 [model identifier]\n"
                              "       describe t\n");
        return 2;
    }
    page.version = argv[1][0] - '0';
    if (has_clocks(&tutti_model) && page.version < (tutti_model.ta ? 2 : 3))
        complain(tutti_model.ta ? "discrete events need FMI 2 or 3"
                                : "clocks need FMI 3");
    if (page.version < 3 && needs_fmi3())
        complain("structural parameters need FMI 3");
    if (!check_model())
        return 1;
    if (*argv[1] == 't' && tutti_model.n_terminals)
        put_terminals();
    else if (*argv[1] != 't')
        put_page(&page);
    return fflush(stdout) || complaints ? 1 : 0;
}
