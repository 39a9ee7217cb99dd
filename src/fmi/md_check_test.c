/* SPDX-License-Identifier: MIT */
#include "fmi/md_check.h"

#include "base/buf.h"
#include "fmi/md_check_impl.h"
#include "fmi/test_md.h"
#include "text/test_zip.h"

/* A correct description, and for each rule one change that breaks it. */

static const char fmi2_good[] =
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\" "
    "variableNamingConvention=\"structured\">\n"
    "<CoSimulation modelIdentifier=\"m\" canGetAndSetFMUstate=\"true\" "
    "canSerializeFMUstate=\"true\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"><BaseUnit m=\"1\" factor=\"1\"/>"
    "<DisplayUnit name=\"mm\" factor=\"1000\"/></Unit></UnitDefinitions>\n"
    "<TypeDefinitions><SimpleType name=\"E\"><Enumeration><Item name=\"a\" "
    "value=\"1\"/><Item name=\"b\" value=\"2\"/></Enumeration></SimpleType>"
    "<SimpleType name=\"R\"><Real unit=\"m\" min=\"0\" max=\"9\"/>"
    "</SimpleType></TypeDefinitions>\n"
    "<LogCategories><Category name=\"one\"/><Category name=\"two\"/>"
    "</LogCategories>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"1\" tolerance=\"1e-3\" "
    "stepSize=\"0.1\"/>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name=\"u\" valueReference=\"1\" causality=\"input\"><Real "
    "start=\"1\" unit=\"m\" displayUnit=\"mm\" min=\"0\" max=\"9\" "
    "nominal=\"2\"/></ScalarVariable>\n" /* 8 */
    "<ScalarVariable name=\"y\" valueReference=\"2\" causality=\"output\">"
    "<Real/></ScalarVariable>\n" /* 9 */
    "<ScalarVariable name=\"x\" valueReference=\"3\" initial=\"exact\"><Real "
    "start=\"1\"/></ScalarVariable>\n" /* 10 */
    "<ScalarVariable name=\"der(x)\" valueReference=\"4\"><Real "
    "derivative=\"3\"/></ScalarVariable>\n" /* 11 */
    "<ScalarVariable name=\"p\" valueReference=\"5\" "
    "causality=\"parameter\" variability=\"fixed\"><Real start=\"2\"/>"
    "</ScalarVariable>\n" /* 12 */
    "<ScalarVariable name=\"c\" valueReference=\"6\" "
    "causality=\"calculatedParameter\" variability=\"fixed\"><Real/>"
    "</ScalarVariable>\n" /* 13 */
    "<ScalarVariable name=\"e\" valueReference=\"7\" causality=\"input\" "
    "variability=\"discrete\"><Enumeration declaredType=\"E\" start=\"2\"/>"
    "</ScalarVariable>\n" /* 14 */
    "<ScalarVariable name=\"i\" valueReference=\"1\" causality=\"output\" "
    "variability=\"discrete\"><Integer/></ScalarVariable>\n" /* 15 */
    "<ScalarVariable name=\"time\" valueReference=\"9\" "
    "causality=\"independent\"><Real/></ScalarVariable>\n" /* 16 */
    "<ScalarVariable name=\"k\" valueReference=\"10\" "
    "variability=\"constant\"><Real start=\"4\"/></ScalarVariable>\n" /* 17 */
    "</ModelVariables>\n"
    "<ModelStructure>\n"
    "<Outputs><Unknown index=\"2\" dependencies=\"1 3\" "
    "dependenciesKind=\"fixed dependent\"/>\n"            /* 20 */
    "<Unknown index=\"8\"/></Outputs>\n"                  /* 21 */
    "<Derivatives><Unknown index=\"4\"/></Derivatives>\n" /* 22 */
    "<InitialUnknowns><Unknown index=\"2\" dependencies=\"1 5\" "
    "dependenciesKind=\"constant dependent\"/>\n"      /* 23 */
    "<Unknown index=\"4\"/>\n<Unknown index=\"6\"/>\n" /* 24, 25 */
    "<Unknown index=\"8\"/></InitialUnknowns>\n"       /* 26 */
    "</ModelStructure>\n"
    "</fmiModelDescription>\n";

static const char fmi3_good[] =
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" "
    "instantiationToken=\"g\">\n"
    "<CoSimulation modelIdentifier=\"m\" hasEventMode=\"true\" "
    "providesIntermediateUpdate=\"true\" "
    "canReturnEarlyAfterIntermediateUpdate=\"true\" "
    "fixedInternalStepSize=\"0.1\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"><DisplayUnit name=\"mm\" "
    "factor=\"1000\"/></Unit></UnitDefinitions>\n"
    "<ModelVariables>\n"
    "<Float64 name=\"time\" valueReference=\"0\" "
    "causality=\"independent\"/>\n" /* 5 */
    "<Float64 name=\"u\" valueReference=\"1\" causality=\"input\" start=\"1\" "
    "unit=\"m\" nominal=\"-1\"><Dimension valueReference=\"2\"/><Alias "
    "name=\"au\" displayUnit=\"mm\"/></Float64>\n" /* 6 */
    "<UInt64 name=\"n\" valueReference=\"2\" "
    "causality=\"structuralParameter\" start=\"3\"/>\n" /* 7 */
    "<Float64 name=\"y\" valueReference=\"3\" causality=\"output\" "
    "intermediateUpdate=\"true\"/>\n" /* 8 */
    "<Clock name=\"k\" valueReference=\"4\" causality=\"input\" "
    "intervalVariability=\"constant\" intervalDecimal=\"0.5\" "
    "supportsFraction=\"true\" resolution=\"10\" intervalCounter=\"5\"/>\n"
    /* 9 */
    "<Clock name=\"o\" valueReference=\"5\" causality=\"output\" "
    "intervalVariability=\"triggered\"/>\n" /* 10 */
    "<Int32 name=\"q\" valueReference=\"6\" clocks=\"4\" "
    "previous=\"7\"/>\n" /* 11 */
    "<Int32 name=\"pq\" valueReference=\"7\" clocks=\"4\" "
    "initial=\"exact\" start=\"1\"/>\n" /* 12 */
    "<Binary name=\"z\" valueReference=\"8\" causality=\"input\" "
    "maxSize=\"2\"><Start value=\"00ff\"/></Binary>\n" /* 13 */
    "</ModelVariables>\n"
    "<ModelStructure>\n"
    "<Output valueReference=\"3\" dependencies=\"1\"/>\n" /* 16 */
    "<Output valueReference=\"5\"/>\n"
    "<ClockedState valueReference=\"6\"/>\n" /* 18 */
    "<InitialUnknown valueReference=\"3\"/>\n"
    "<EventIndicator valueReference=\"3\"/>\n" /* 20 */
    "</ModelStructure>\n"
    "</fmiModelDescription>\n";

/* The description with `from` (there once) replaced by `to`. */
static void change(struct tt_buf *b, const char *good, const char *from,
                   const char *to)
{
    const char *at = strstr(good, from);

    if (!at || strstr(at + 1, from))
        fail_msg("'%s' is not there exactly once", from);
    tt_buf_clear(b);
    tt_buf_add(b, good, (size_t)(at - good));
    tt_buf_str(b, to);
    tt_buf_str(b, at + strlen(from));
}

struct rule_case {
    const char *from, *to;
    const char *rule;
    int line;
    const char *text;
};

static void check_cases(const char *good, const struct rule_case *c, size_t n)
{
    struct tt_buf b;

    tt_buf_init(&b, 100000);
    for (size_t i = 0; i < n; i++) {
        struct tt_findings f;
        struct tt_md *md;
        tt_err err;

        change(&b, good, c[i].from, c[i].to);
        md = md_of(b.data);
        tt_findings_init(&f);
        assert_int_equal(tt_md_check(md, NULL, &f, &err), TT_OK);
        expect_finding(&f, c[i].rule, c[i].line, c[i].text);
        tt_findings_fini(&f);
        tt_md_free(md);
    }
    tt_buf_fini(&b);
}

static void good_descriptions_have_no_findings(void **state)
{
    static const char *const good[] = {fmi2_good, fmi3_good};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tt_md *md = md_of(good[i]);
        struct tt_findings f;
        tt_err err;

        tt_findings_init(&f);
        assert_int_equal(tt_md_check(md, NULL, &f, &err), TT_OK);
        if (f.n)
            fail_msg("line %d: %s", f.item[0].line, f.item[0].text);
        tt_findings_fini(&f);
        tt_md_free(md);
    }
}

static void the_model_as_a_whole(void **state)
{
    static const struct rule_case cases[] = {
        {"modelName=\"m\"", "modelName=\"\"", "FMI-MODEL-NAME", 1,
         "modelName is empty"},
        {"guid=\"g\"", "guid=\"\"", "FMI-TOKEN", 1, "guid is empty"},
        {"guid=\"g\"", "guid=\"g\" generationDateAndTime=\"today\"", "FMI-DATE",
         1,
         "generationDateAndTime=\"today\" is not a date and time like "
         "2024-01-31T23:59:59Z"},
        {"<CoSimulation modelIdentifier=\"m\" canGetAndSetFMUstate=\"true\" "
         "canSerializeFMUstate=\"true\"/>",
         "", "FMI-INTERFACE", 1,
         "none of <CoSimulation>, <ModelExchange> is there"},
        {"modelIdentifier=\"m\"", "modelIdentifier=\"9 m\"", "FMI-IDENTIFIER",
         2, "modelIdentifier \"9 m\" is not a C identifier"},
        {"modelIdentifier=\"m\"", "", "FMI-XML-REQUIRED", 2,
         "<CoSimulation> lacks the required attribute 'modelIdentifier'"},
        {"canGetAndSetFMUstate=\"true\"", "", "FMI-STATE-SERIALIZE", 2,
         "<CoSimulation> can serialise its state but cannot get and set it"},
        {"stopTime=\"1\"", "stopTime=\"0\"", "FMI-EXPERIMENT", 6,
         "stopTime is not after startTime"},
        {"startTime=\"0\"", "startTime=\"NaN\"", "FMI-EXPERIMENT", 6,
         "a time is not a finite number"},
        {"tolerance=\"1e-3\"", "tolerance=\"0\"", "FMI-EXPERIMENT", 6,
         "tolerance must be positive"},
        {"stepSize=\"0.1\"", "stepSize=\"-1\"", "FMI-EXPERIMENT", 6,
         "stepSize must be positive"},
        {"name=\"two\"", "name=\"one\"", "FMI-LOG-UNIQUE", 5,
         "log category 'one' is there twice"},
        {"fmiVersion=\"2.0\"", "fmiVersion=\"2.0.4\"", "FMI2-VERSION", 1,
         "fmiVersion is \"2.0.4\"; every 2.0.x writes \"2.0\""},
    };

    (void)state;
    check_cases(fmi2_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void units_and_types(void **state)
{
    static const struct rule_case cases[] = {
        {"factor=\"1\"", "factor=\"0\"", "FMI-UNIT-FACTOR", 3,
         "factor of unit 'm' is 0"},
        {"factor=\"1000\"", "factor=\"0\"", "FMI-UNIT-FACTOR", 3,
         "factor of display unit 'mm' is 0"},
        {"</UnitDefinitions>", "<Unit name=\"m\"/></UnitDefinitions>",
         "FMI-UNIT-UNIQUE", 3, "unit 'm' is defined twice"},
        {"<DisplayUnit name=\"mm\" factor=\"1000\"/>",
         "<DisplayUnit name=\"mm\" factor=\"1000\"/><DisplayUnit "
         "name=\"mm\"/>",
         "FMI-UNIT-UNIQUE", 3,
         "display unit 'mm' of unit 'm' is defined twice"},
        {"<Item name=\"a\" value=\"1\"/><Item name=\"b\" value=\"2\"/>", "",
         "FMI-ENUM-ITEMS", 4, "enumeration 'E' has no items"},
        {"<Item name=\"a\" value=\"1\"/>", "<Item name=\"b\" value=\"1\"/>",
         "FMI-ENUM-ITEMS", 4, "item 'b' of enumeration 'E' is there twice"},
        {"<Item name=\"a\" value=\"1\"/>", "<Item name=\"a\" value=\"2\"/>",
         "FMI-ENUM-ITEMS", 4, "enumeration 'E' has two items of value 2"},
        {"<SimpleType name=\"R\"><Real unit=\"m\"",
         "<SimpleType name=\"R\"><Real unit=\"q\"", "FMI-TYPE-UNIT", 4,
         "unit 'q' of type 'R' is not defined"},
        {"<SimpleType name=\"R\"><Real unit=\"m\"",
         "<SimpleType name=\"R\"><Real displayUnit=\"m\"", "FMI-TYPE-UNIT", 4,
         "type 'R' has a display unit but no unit"},
        {"<SimpleType name=\"R\"><Real unit=\"m\" min=\"0\"",
         "<SimpleType name=\"R\"><Real unit=\"m\" min=\"10\"", "FMI-TYPE-RANGE",
         4, "min is larger than max in type 'R'"},
        {"<SimpleType name=\"R\">", "<SimpleType name=\"u\">", "FMI-TYPE-NAME",
         4, "type 'u' has the name of a variable"},
        {"<SimpleType name=\"R\">", "<SimpleType name=\"E\">",
         "FMI-TYPE-UNIQUE", 4, "type 'E' is defined twice"},
        {"<SimpleType name=\"R\"><Real unit=\"m\" min=\"0\" max=\"9\"/>",
         "<SimpleType name=\"R\">", "FMI2-TYPE-ELEMENT", 4,
         "<SimpleType> has no <Real>, <Integer>, <Boolean>, <String> or "
         "<Enumeration> in it and is ignored"},
        {"declaredType=\"E\"", "declaredType=\"R\"", "FMI-VAR-DECLARED", 14,
         "variable 'e' is of type Enumeration, but its declared type 'R' is of "
         "type Real"},
    };

    (void)state;
    check_cases(fmi2_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void causality_variability_and_initial(void **state)
{
    static const struct rule_case cases[] = {
        {"name=\"p\" valueReference=\"5\" causality=\"parameter\" "
         "variability=\"fixed\"",
         "name=\"p\" valueReference=\"5\" causality=\"parameter\" "
         "variability=\"discrete\"",
         "FMI-VAR-COMBINATION", 12,
         "variable 'p' is parameter and discrete, which do not go together"},
        {"name=\"y\" valueReference=\"2\" causality=\"output\"",
         "name=\"y\" valueReference=\"2\" causality=\"output\" "
         "variability=\"fixed\"",
         "FMI-VAR-COMBINATION", 9,
         "variable 'y' is output and fixed, which do not go together"},
        {"causality=\"input\"><Real",
         "causality=\"input\" initial=\"exact\">"
         "<Real",
         "FMI-VAR-INITIAL", 8,
         "initial=\"exact\" is not allowed for variable 'u', which is input "
         "and "
         "continuous"},
        {"causality=\"calculatedParameter\"",
         "causality=\"calculatedParameter\" initial=\"exact\"",
         "FMI-VAR-INITIAL", 13,
         "initial=\"exact\" is not allowed for variable 'c', which is "
         "calculatedParameter and fixed"},
        {"causality=\"output\" variability=\"discrete\"",
         "causality=\"output\" variability=\"continuous\"",
         "FMI-VAR-CONTINUOUS", 15,
         "variable 'i' of type Integer cannot be continuous"},
        {"causality=\"output\" variability=\"discrete\"",
         "causality=\"output\"", "FMI2-VAR-VARIABILITY", 15,
         "variable 'i' declares no variability, and the default "
         "\"continuous\" is not allowed for it; taken as \"discrete\""},
        {"<Real start=\"2\"/>", "<Real/>", "FMI-VAR-START-MISSING", 12,
         "variable 'p' needs a start value (parameter, initial=\"exact\")"},
        {"start=\"1\" unit=\"m\"", "unit=\"m\"", "FMI-VAR-START-MISSING", 8,
         "variable 'u' needs a start value (input, initial=\"-\")"},
        {"causality=\"output\"><Real/>",
         "causality=\"output\"><Real "
         "start=\"1\"/>",
         "FMI-VAR-START-FORBIDDEN", 9,
         "variable 'y' is calculated and must not have a start value"},
        {"causality=\"independent\"><Real/>",
         "causality=\"independent\"><Real start=\"1\"/>",
         "FMI-VAR-START-FORBIDDEN", 16,
         "the independent variable 'time' must not have a start value"},
        {"causality=\"independent\"><Real/>",
         "causality=\"independent\"><String/>", "FMI-VAR-INDEPENDENT", 16,
         "the independent variable 'time' must be a Real"},
        {"<ScalarVariable name=\"k\" valueReference=\"10\" "
         "variability=\"constant\"><Real start=\"4\"/>",
         "<ScalarVariable name=\"k\" valueReference=\"10\" "
         "causality=\"independent\"><Real/>",
         "FMI-VAR-INDEPENDENT", 17,
         "variable 'k' is independent, and so is 'time'"},
        {"name=\"p\"", "name=\"p\" canHandleMultipleSetPerTimeInstant=\"true\"",
         "FMI-VAR-MULTISET", 12,
         "canHandleMultipleSetPerTimeInstant of variable 'p' is only for "
         "inputs"},
    };

    (void)state;
    check_cases(fmi2_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void values_units_and_names(void **state)
{
    static const struct rule_case cases[] = {
        {"displayUnit=\"mm\" min=\"0\" max=\"9\"",
         "displayUnit=\"mm\" min=\"10\" max=\"9\"", "FMI-VAR-RANGE", 8,
         "min is larger than max in variable 'u'"},
        {"displayUnit=\"mm\" min=\"0\"", "displayUnit=\"mm\" min=\"2\"",
         "FMI-VAR-START-RANGE", 8,
         "start value of variable 'u' is outside min and max"},
        {"nominal=\"2\"", "nominal=\"0\"", "FMI-VAR-NOMINAL", 8,
         "nominal of variable 'u' is zero or not finite"},
        {"nominal=\"2\"", "nominal=\"-1\"", "FMI-VAR-NOMINAL", 8,
         "nominal of variable 'u' is not positive"},
        {"start=\"1\" unit=\"m\"", "start=\"1\" unit=\"q\"", "FMI-VAR-UNIT", 8,
         "unit 'q' of variable 'u' is not defined"},
        {"unit=\"m\" displayUnit=\"mm\"", "displayUnit=\"mm\"",
         "FMI-VAR-DISPLAY-UNIT", 8,
         "variable 'u' has a display unit but no unit"},
        {"displayUnit=\"mm\"", "displayUnit=\"cm\"", "FMI-VAR-DISPLAY-UNIT", 8,
         "display unit 'cm' of variable 'u' is not defined for unit 'm'"},
        {"declaredType=\"E\" start=\"2\"", "declaredType=\"E\" start=\"3\"",
         "FMI-VAR-ENUM", 14,
         "start value 3 of variable 'e' is not an item of 'E'"},
        {"name=\"y\"", "name=\"1y\"", "FMI-NAME-STRUCTURED", 9,
         "variable name '1y' does not follow the structured naming "
         "convention"},
        {"name=\"y\"", "name=\"\"", "FMI-NAME-FORM", 9,
         "variable name '' is empty or has a tab or line end in it"},
        {"derivative=\"3\"", "derivative=\"4\"", "FMI-VAR-DERIVATIVE", 11,
         "variable 'der(x)' is declared to be its own derivative"},
        {"derivative=\"3\"", "derivative=\"5\"", "FMI-VAR-DERIVATIVE", 11,
         "variable 'der(x)' is the derivative of 'p', which is not a "
         "continuous Real"},
        {"name=\"der(x)\" valueReference=\"4\"",
         "name=\"der(x)\" valueReference=\"4\" variability=\"discrete\"",
         "FMI-VAR-DERIVATIVE", 11,
         "variable 'der(x)' is a derivative but not continuous"},
        {"<Real start=\"2\"/>", "<Real start=\"2\" reinit=\"true\"/>",
         "FMI-VAR-REINIT", 12,
         "reinit of variable 'p' is only for continuous states"},
    };

    (void)state;
    check_cases(fmi2_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void aliases_of_fmi2(void **state)
{
    static const struct rule_case cases[] = {
        {"name=\"p\" valueReference=\"5\"", "name=\"p\" valueReference=\"1\"",
         "FMI2-ALIAS-SET", 12,
         "variables 'u' and 'p' can both be set and have the same value "
         "reference 1"},
        {"name=\"time\" valueReference=\"9\"",
         "name=\"time\" valueReference=\"1\"", "FMI2-ALIAS-SET", 16,
         "variable 'time' has the value reference 1 of 'u'; one can be set and "
         "the other is independent"},
        {"name=\"x\" valueReference=\"3\"", "name=\"x\" valueReference=\"1\"",
         "FMI2-ALIAS-START", 10,
         "variables 'u' and 'x' have the same value reference 1 and both a "
         "start value"},
        {"name=\"k\" valueReference=\"10\"", "name=\"k\" valueReference=\"2\"",
         "FMI2-ALIAS-CONSTANT", 17,
         "variables 'y' and 'k' have the same value reference 2, but are not "
         "constants of one value"},
        {"name=\"y\" valueReference=\"2\"", "name=\"y\" valueReference=\"1\"",
         "FMI2-ALIAS-UNIT", 9,
         "variables 'u' and 'y' have the same value reference 1 but not the "
         "same unit"},
    };

    (void)state;
    check_cases(fmi2_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void the_structure(void **state)
{
    static const struct rule_case cases[] = {
        {"<Unknown index=\"8\"/></Outputs>", "</Outputs>", "FMI-STRUCT-OUTPUT",
         15, "output 'i' is not listed in <ModelStructure>"},
        {"<Unknown index=\"8\"/></Outputs>",
         "<Unknown index=\"8\"/><Unknown index=\"5\"/></Outputs>",
         "FMI-STRUCT-OUTPUT", 21,
         "variable 'p' is listed as an output but is parameter"},
        {"<Unknown index=\"8\"/></Outputs>",
         "<Unknown index=\"8\"/><Unknown index=\"8\"/></Outputs>",
         "FMI-STRUCT-DUPLICATE", 21,
         "variable 'i' is listed twice in <Outputs>"},
        {"<Derivatives><Unknown index=\"4\"/>",
         "<Derivatives><Unknown index=\"2\"/>", "FMI-STRUCT-DERIVATIVE", 22,
         "variable 'y' is listed as a state derivative but has no attribute "
         "'derivative'"},
        {"<Unknown index=\"6\"/>\n", "", "FMI-STRUCT-INITIAL", 13,
         "variable 'c' is missing among the initial unknowns"},
        {"<Unknown index=\"6\"/>\n",
         "<Unknown index=\"5\"/>\n<Unknown index=\"6\"/>\n",
         "FMI-STRUCT-INITIAL", 25,
         "variable 'p' must not be among the initial unknowns"},
        {"<Unknown index=\"4\"/>\n<Unknown index=\"6\"/>",
         "<Unknown index=\"6\"/>\n<Unknown index=\"4\"/>", "FMI2-STRUCT-ORDER",
         25,
         "initial unknowns must be ordered by index: 'der(x)' comes too late"},
        {"dependencies=\"1 3\"", "dependencies=\"3 1\"", "FMI2-STRUCT-ORDER",
         20, "dependencies of 'y' must be ordered by index, each once"},
        {"dependencies=\"1 3\"", "dependencies=\"1 5\"", "FMI-STRUCT-KNOWN", 20,
         "'y' is declared to depend on 'p', which is not a known at run time"},
        {"dependencies=\"1 5\"", "dependencies=\"1 6\"", "FMI-STRUCT-KNOWN", 23,
         "'y' is declared to depend on 'c', which is not a known of "
         "initialisation"},
        {"<Unknown index=\"8\"/></Outputs>",
         "<Unknown index=\"8\" dependencies=\"1\" "
         "dependenciesKind=\"fixed\"/></Outputs>",
         "FMI-STRUCT-KIND", 21,
         "dependenciesKind \"fixed\" of 'i' is only for Real unknowns"},
        {"\"constant dependent\"", "\"fixed dependent\"", "FMI-STRUCT-KIND", 23,
         "dependenciesKind \"fixed\" of 'y' is not allowed for initial "
         "unknowns"},
        {"name=\"x\" valueReference=\"3\" initial=\"exact\"",
         "name=\"x\" valueReference=\"3\" causality=\"input\"",
         "FMI-STRUCT-STATE", 10,
         "continuous state 'x' must be local or output, not input"},
        {"</ModelStructure>", "</ModelStructure><ModelStructure/>",
         "FMI-XML-TWICE", 27,
         "element <ModelStructure> is there twice; the first one counts"},
    };

    (void)state;
    check_cases(fmi2_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void capabilities_and_arrays_of_fmi3(void **state)
{
    static const struct rule_case cases[] = {
        {"providesIntermediateUpdate=\"true\"", "", "FMI3-EARLY-RETURN", 2,
         "canReturnEarlyAfterIntermediateUpdate needs "
         "providesIntermediateUpdate"},
        {"hasEventMode=\"true\"", "", "FMI3-EVENT-MODE", 2,
         "the FMU has clocks, so hasEventMode must be true"},
        {"fixedInternalStepSize=\"0.1\"", "fixedInternalStepSize=\"0\"",
         "FMI3-FIXED-STEP", 2, "fixedInternalStepSize must be positive"},
        {"factor=\"1000\"", "factor=\"2\" offset=\"1\" inverse=\"true\"",
         "FMI3-UNIT-INVERSE", 3,
         "display unit 'mm' is inverse and has an offset"},
        {"fmiVersion=\"3.0\"", "fmiVersion=\"3.1\"", "FMI3-VERSION", 1,
         "fmiVersion is \"3.1\"; it is read as 3.0"},
        {"causality=\"independent\"", "", "FMI-VAR-INDEPENDENT", 1,
         "there is no independent variable (usually 'time')"},
        {"causality=\"input\" start=\"1\"", "causality=\"input\" start=\"1 2\"",
         "FMI3-VAR-START-COUNT", 6,
         "variable 'u' has 2 start values for 3 elements"},
        {"causality=\"structuralParameter\" start=\"3\"",
         "causality=\"structuralParameter\" start=\"0\"", "FMI3-DIM-ZERO", 6,
         "dimension 1 of variable 'u' starts with size 0"},
        {"causality=\"structuralParameter\"", "causality=\"parameter\"",
         "FMI3-DIM-PARAMETER", 6,
         "dimension 1 of variable 'u' refers to 'n', which is neither a "
         "structural parameter nor a constant"},
        {"causality=\"structuralParameter\" start=\"3\"/>",
         "causality=\"structuralParameter\" start=\"3\"><Dimension "
         "start=\"1\"/></UInt64>",
         "FMI3-STRUCTURAL-ARRAY", 7,
         "structural parameter 'n' must not be an array"},
        {"maxSize=\"2\"", "maxSize=\"1\"", "FMI3-BINARY-SIZE", 13,
         "a start value of variable 'z' is larger than maxSize"},
        {"displayUnit=\"mm\"", "displayUnit=\"km\"", "FMI3-ALIAS-DISPLAY-UNIT",
         6,
         "display unit 'km' of alias 'au' is not defined for the unit of 'u'"},
        {"intermediateUpdate=\"true\"",
         "intermediateUpdate=\"true\" variability=\"discrete\"",
         "FMI3-VAR-INTERMEDIATE", 8,
         "intermediateUpdate of variable 'y' is only for continuous "
         "variables"},
        {"<EventIndicator valueReference=\"3\"/>",
         "<EventIndicator valueReference=\"7\"/>", "FMI3-STRUCT-EVENT", 20,
         "event indicator 'pq' must be a continuous float"},
        {"<ClockedState valueReference=\"6\"/>",
         "<ClockedState valueReference=\"7\"/>", "FMI3-STRUCT-CLOCKED", 18,
         "clocked state 'pq' needs the attributes 'previous' and 'clocks'"},
        {"<ClockedState valueReference=\"6\"/>", "", "FMI3-STRUCT-CLOCKED", 11,
         "clocked state 'q' is not listed in <ModelStructure>"},
    };

    (void)state;
    check_cases(fmi3_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void clocks_of_fmi3(void **state)
{
    static const struct rule_case cases[] = {
        {"name=\"k\" valueReference=\"4\" causality=\"input\"",
         "name=\"k\" valueReference=\"4\" causality=\"parameter\"",
         "FMI3-CLOCK-CAUSALITY", 9,
         "clock 'k' must be input, output or local, not parameter"},
        {"name=\"k\" valueReference=\"4\"",
         "name=\"k\" valueReference=\"4\" variability=\"tunable\"",
         "FMI3-CLOCK-VARIABILITY", 9, "clock 'k' must be discrete"},
        {"name=\"k\" valueReference=\"4\" causality=\"input\"",
         "name=\"k\" valueReference=\"4\" causality=\"output\"",
         "FMI3-CLOCK-OUTPUT", 9, "output clock 'k' must be triggered"},
        {"intervalVariability=\"triggered\"",
         "intervalVariability=\"triggered\" priority=\"1\"",
         "FMI3-CLOCK-PRIORITY", 10,
         "output clock 'o' must not have a priority"},
        {"<UnitDefinitions>",
         "<ScheduledExecution modelIdentifier=\"m\"/><UnitDefinitions>",
         "FMI3-CLOCK-PRIORITY", 9,
         "input clock 'k' needs a priority for Scheduled Execution"},
        {"intervalDecimal=\"0.5\"", "", "FMI3-CLOCK-INTERVAL", 9,
         "constant clock 'k' has no intervalDecimal"},
        {"intervalDecimal=\"0.5\"", "intervalDecimal=\"0\"",
         "FMI3-CLOCK-INTERVAL", 9,
         "intervalDecimal of clock 'k' must be positive"},
        {"intervalDecimal=\"0.5\"", "intervalDecimal=\"1\" shiftDecimal=\"-1\"",
         "FMI3-CLOCK-INTERVAL", 9,
         "shiftDecimal of clock 'k' must not be negative"},
        {"intervalVariability=\"constant\"",
         "intervalVariability=\"countdown\"", "FMI3-CLOCK-INTERVAL", 9,
         "clock 'k' has an interval but is countdown"},
        {"supportsFraction=\"true\"", "", "FMI3-CLOCK-FRACTION", 9,
         "intervalCounter of clock 'k' needs supportsFraction and resolution"},
        {"resolution=\"10\"", "resolution=\"0\"", "FMI3-CLOCK-FRACTION", 9,
         "intervalCounter and resolution of clock 'k' must be positive"},
        {"clocks=\"4\" previous=\"7\"", "clocks=\"1\" previous=\"7\"",
         "FMI3-VAR-CLOCKS", 11,
         "clocks of variable 'q' names 'u', which is not a Clock"},
        {"clocks=\"4\" previous=\"7\"", "clocks=\"\" previous=\"7\"",
         "FMI3-VAR-CLOCKS", 11, "clocks of variable 'q' names no clock"},
        {"name=\"q\" valueReference=\"6\"",
         "name=\"q\" valueReference=\"6\" variability=\"fixed\"",
         "FMI3-VAR-CLOCKS", 11,
         "clocked variable 'q' must be discrete or tunable"},
        {"clocks=\"4\" previous=\"7\"", "previous=\"7\"", "FMI3-VAR-PREVIOUS",
         11,
         "variable 'q' has a previous value but is not clocked and discrete"},
        {"previous=\"7\"", "previous=\"6\"", "FMI3-VAR-PREVIOUS", 11,
         "variable 'q' refers to itself as its previous value"},
        {"previous=\"7\"", "previous=\"2\"", "FMI3-VAR-PREVIOUS", 11,
         "the previous value 'n' of variable 'q' must be discrete, of the same "
         "type and not an input"},
        {"initial=\"exact\" start=\"1\"", "previous=\"7\"", "FMI3-VAR-PREVIOUS",
         12, "'pq' is already the previous value of another variable"},
    };

    (void)state;
    check_cases(fmi3_good, cases, sizeof(cases) / sizeof(cases[0]));
}

static void structured_names_follow_the_grammar(void **state)
{
    static const char *const good[] = {"x",
                                       "_a1",
                                       "vehicle.engine.speed",
                                       "v[3]",
                                       "der(pipe[3,4].T[14],2)",
                                       "der(x)",
                                       "robot.axis.'motor #234'",
                                       "'a\\'b'",
                                       "a[1].b[2,3]"};
    static const char *const bad[] = {
        "",        "1x",      "a.",  ".a",   "a..b",    "a[",      "a[]",
        "a[1",     "a[1,]",   "a b", "''",   "'a",      "der(x",   "der()",
        "der(x,)", "der(x,1", "a-b", "a[x]", "der(x)y", "\xc3\xa4"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (!md_name_is_structured(good[i]))
            fail_msg("'%s' is well-formed", good[i]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (md_name_is_structured(bad[i]))
            fail_msg("'%s' is not well-formed", bad[i]);
    }
}

/* --- files -------------------------------------------------------------- */

static void check_files(const char *xml, const char *const *names,
                        const char *rule, int line, const char *text)
{
    struct tt_md *md = md_of(xml);
    struct tt_findings f;
    struct raw_zip z;
    tt_archive *a = NULL;
    tt_err err;

    raw_begin(&z);
    raw_add(&z, (struct raw_entry){.name = "modelDescription.xml"});
    for (; *names; names++)
        raw_add(&z, (struct raw_entry){.name = *names, .data = "x"});
    raw_end(&z);
    assert_int_equal(
        tt_archive_open_memory(&a, "m.fmu", z.out.data, z.out.len, &err),
        TT_OK);
    tt_findings_init(&f);
    assert_int_equal(tt_md_check(md, a, &f, &err), TT_OK);
    expect_finding(&f, rule, line, text);
    tt_findings_fini(&f);
    tt_archive_close(a);
    raw_drop(&z);
    tt_md_free(md);
}

static void files_that_belong_to_an_fmu(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const other[] = {"binaries/linux64/other.so",
                                        "binaries/win64/m.dll", NULL};
    static const char *const win[] = {"binaries/win64/m.dll", NULL};
    static const char *const tuple[] = {"binaries/x86_64-linux/m.so", NULL};
    static const char *const old[] = {"binaries/linux64/m.so", NULL};
    static const char *const sources[] = {"sources/a.c", NULL};
    static const char *const twice[] = {"a", "a", NULL};
    struct tt_buf b;

    (void)state;
    check_files(fmi2_good, none, "FMI-FILE-IMPLEMENTATION", 0,
                "it has neither binaries nor sources");
    check_files(fmi2_good, other, "FMI-FILE-PLATFORMS", 0,
                "it has binaries for: linux64, win64");
    check_files(
        fmi2_good, other, "FMI-FILE-LIBRARY", 2,
        "the library 'binaries/linux64/m.so' named by modelIdentifier is "
        "missing");
    check_files(fmi2_good, win, "FMI-FILE-LIBRARY", 0,
                "it has no library for this platform (linux64)");
    check_files(
        fmi2_good, tuple, "FMI-FILE-PLATFORM", 0,
        "folder binaries/x86_64-linux is not named as FMI 2 names platforms");
    check_files(
        fmi3_good, old, "FMI-FILE-PLATFORM", 0,
        "folder binaries/linux64 is not named as FMI 3 names platforms");
    check_files(fmi3_good, sources, "FMI3-FILE-BUILD", 0,
                "it has sources but no sources/buildDescription.xml");
    check_files(fmi2_good, twice, "ZIP-DUPLICATE", 0,
                "entry 'a' is there twice; the first one counts");
    tt_buf_init(&b, 100000);
    change(&b, fmi2_good, "canSerializeFMUstate=\"true\"/>",
           "canSerializeFMUstate=\"true\"><SourceFiles><File name=\"b.c\"/>"
           "</SourceFiles></CoSimulation>");
    check_files(b.data, sources, "FMI2-FILE-SOURCE", 2,
                "the source file 'sources/b.c' is missing");
    tt_buf_fini(&b);
}

static void running_out_of_memory_is_reported(void **state)
{
    struct tt_md *md = md_of(fmi2_good);
    enum tt_code rc = TT_ENOMEM;
    tt_err err;

    (void)state;
    for (uint64_t n = 1; rc != TT_OK; n++) {
        struct tt_findings f;

        assert_true(n < 1000);
        tt_findings_init(&f);
        tt_mem_fail_after(n);
        rc = tt_md_check(md, NULL, &f, &err);
        tt_mem_fail_after(0);
        tt_findings_fini(&f);
        if (rc != TT_OK)
            assert_int_equal(rc, TT_ENOMEM);
    }
    tt_md_free(md);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_descriptions_have_no_findings),
        cmocka_unit_test(the_model_as_a_whole),
        cmocka_unit_test(units_and_types),
        cmocka_unit_test(causality_variability_and_initial),
        cmocka_unit_test(values_units_and_names),
        cmocka_unit_test(aliases_of_fmi2),
        cmocka_unit_test(the_structure),
        cmocka_unit_test(capabilities_and_arrays_of_fmi3),
        cmocka_unit_test(clocks_of_fmi3),
        cmocka_unit_test(structured_names_follow_the_grammar),
        cmocka_unit_test(files_that_belong_to_an_fmu),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
