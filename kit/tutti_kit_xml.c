/* SPDX-License-Identifier: MIT */
/*
 * Prints the model description of FMI 2 or 3 from the table of variables. Part
 * of a small program, built with TUTTI_KIT_DESCRIBE, that a build runs once:
 *     describe 2|3 [model identifier]
 * It refuses a table that is not sound and says why.
 */

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_check.c"

/* Text. */

/* What is being written. Indices of FMI 2 are value references plus one,
 * because time comes first in the list. */
struct page {
    int version; /* 2 or 3 */
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

static void put_unit(const struct tutti_unit *u)
{
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
static void put_units(void)
{
    const struct tutti_model *m = &tutti_model;

    put("  <UnitDefinitions>\n");
    put_unit(find_unit("s"));
    for (size_t i = 0; i < m->n_vars; i++) {
        const char *unit = m->vars[i].unit;
        bool seen = !unit || !strcmp(unit, "s");

        for (size_t j = 0; j < i && !seen; j++)
            seen = same_text(m->vars[j].unit, unit);
        if (!seen)
            put_unit(find_unit(unit));
    }
    put("  </UnitDefinitions>\n");
}

static const char *enum_type(const struct tutti_var *v)
{
    return v->type_name ? v->type_name : var_name(v);
}

static void put_enum_type(const struct page *page, const struct tutti_var *v)
{
    put(page->version == 2 ? "    <SimpleType" : "    <EnumerationType");
    put_attribute("name", enum_type(v));
    put(page->version == 2 ? "><Enumeration>\n" : ">\n");
    for (unsigned long i = 0; v->items[i]; i++) {
        put("      <Item");
        put_attribute("name", v->items[i]);
        put_count("value", i + 1);
        put("/>\n");
    }
    put(page->version == 2 ? "    </Enumeration></SimpleType>\n"
                           : "    </EnumerationType>\n");
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

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_xml_vars.c"

/* Structure. */

enum section { SEC_OUTPUTS, SEC_DERIVATIVES, SEC_INITIAL };

/* Does some variable publish the derivative of this state? */
static bool state_is_published(const struct tutti_var *x)
{
    for (size_t i = 0; i < tutti_model.n_vars; i++)
        if (same_text(tutti_model.vars[i].derivative_of, var_name(x)))
            return true;
    return false;
}

/* Known at run time: inputs, published states. At initialisation: whatever has
 * a start value. FMI 2.0.3, 2.2.8 and FMI 3.0.2, 2.4.9. */
static bool is_known(const struct tutti_var *v, enum section section)
{
    if (v->causality == TUTTI_INPUT)
        return true;
    if (section == SEC_INITIAL)
        return var_has_start(v);
    return v->state && state_is_published(v);
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

static bool in_section(const struct tutti_var *v, enum section section)
{
    switch (section) {
    case SEC_OUTPUTS:
        return v->causality == TUTTI_OUTPUT;
    case SEC_DERIVATIVES:
        return v->derivative_of != NULL;
    case SEC_INITIAL:
        break;
    }
    return !var_has_start(v) &&
           (v->causality == TUTTI_OUTPUT || v->derivative_of);
}

static void put_unknowns(const struct page *page, enum section section)
{
    static const char *const list_2[] = {"Outputs", "Derivatives",
                                         "InitialUnknowns"};
    static const char *const item_3[] = {"Output", "ContinuousStateDerivative",
                                         "InitialUnknown"};
    bool open = false;

    for (size_t i = 0; i < tutti_model.n_vars; i++) {
        const struct tutti_var *v = &tutti_model.vars[i];
        uint32_t n = page->version == 2 ? var_count(v) : 1;

        if (!in_section(v, section))
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
    put("  </ModelStructure>\n");
}

/* The page. */

/* What Tutti wants to know and FMI has no words for. */
static void put_annotation(void)
{
    static const char *const evaluates[] = {"always", "event", "never"};
    static const char *const reactivity[] = {"either", "reactive", "delayed"};

    (void)printf("<Unit evaluates=\"%s\">", evaluates[tutti_model.evaluates]);
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

static void put_experiment(void)
{
    const struct tutti_model *m = &tutti_model;

    if (m->stop_time <= m->start_time)
        return;
    put("  <DefaultExperiment");
    put_number_attribute("startTime", m->start_time);
    put_number_attribute("stopTime", m->stop_time);
    if (m->step_size > 0)
        put_number_attribute("stepSize", m->step_size);
    put("/>\n");
}

static void put_capabilities(const struct page *page)
{
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
        put_attribute("mightReturnEarlyFromDoStep", tutti_model.after_step ||
                                                            tutti_model.step ||
                                                            tutti_model.event
                                                        ? "true"
                                                        : "false");
        put_attribute("hasEventMode", tutti_model.event ? "true" : "false");
    }
    put("/>\n");
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

static void put_head(const struct page *page)
{
    const struct tutti_model *m = &tutti_model;
    uint64_t bits[2];
    char token[NUMBER_SIZE];

    make_token(m, bits, token);
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    put_attribute("fmiVersion", page->version == 2 ? "2.0" : "3.0");
    put_attribute("modelName", m->name);
    put_attribute(page->version == 2 ? "guid" : "instantiationToken", token);
    put_attribute("description", m->description);
    put_attribute("author", m->author);
    put_attribute("version", m->version);
    put_attribute("license", m->license);
    put_attribute("generationTool", "Tutti unit kit");
    put_attribute("variableNamingConvention",
                  names_are_structured() ? "structured" : "flat");
    put(">\n");
}

static void put_page(const struct page *page)
{
    put_head(page);
    put_capabilities(page);
    put_units();
    put_types(page);
    put_log_categories();
    put_experiment();
    if (page->version == 2) {
        put("  <VendorAnnotations><Tool name=\"org.tutti\">");
        put_annotation();
        put("</Tool></VendorAnnotations>\n");
    }
    put_variables(page);
    put_structure(page);
    if (page->version == 3) {
        put("  <Annotations><Annotation type=\"org.tutti\">");
        put_annotation();
        put("</Annotation></Annotations>\n");
    }
    put("</fmiModelDescription>\n");
}

int main(int argc, char **argv)
{
    struct page page = {.identifier = argc > 2 ? argv[2] : tutti_model.name};

    if (argc < 2 || argc > 3 ||
        (strcmp(argv[1], "2") != 0 && strcmp(argv[1], "3") != 0)) {
        (void)fprintf(stderr, "usage: describe 2|3 [model identifier]\n");
        return 2;
    }
    page.version = argv[1][0] - '0';
    if (!check_model())
        return 1;
    put_page(&page);
    return fflush(stdout) || complaints ? 1 : 0;
}
