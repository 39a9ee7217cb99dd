/* SPDX-License-Identifier: MIT */
#include "base/test_locale.h" /* first: it asks for more than POSIX */

#include "fmi/modeldesc.h"

#include <math.h>

#include "base/buf.h"
#include "fmi/test_md.h"

/* FMI 2, and what both versions share. */

static const char fmi2_all[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"A &amp; B\"\n"
    "    guid=\"{1}\" description=\"d\" author=\"a\" version=\"1.2\"\n"
    "    copyright=\"c\" license=\"l\" generationTool=\"t\"\n"
    "    generationDateAndTime=\"2024-01-31T23:59:59Z\"\n"
    "    variableNamingConvention=\"structured\"\n"
    "    numberOfEventIndicators=\"3\">\n" /* line 7 */
    "<ModelExchange modelIdentifier=\"me\" "
    "completedIntegratorStepNotNeeded=\"true\"/>\n"
    "<CoSimulation modelIdentifier=\"cs\" needsExecutionTool=\"true\"\n"
    "    canHandleVariableCommunicationStepSize=\"1\"\n"
    "    canInterpolateInputs=\"true\" maxOutputDerivativeOrder=\"2\"\n"
    "    canRunAsynchronuously=\"true\"\n"
    "    canBeInstantiatedOnlyOncePerProcess=\"true\"\n"
    "    canNotUseMemoryManagementFunctions=\"true\"\n"
    "    canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"\n"
    "    providesDirectionalDerivative=\"true\">\n"
    " <SourceFiles><File name=\"a.c\"/><File name=\"b.c\"/></SourceFiles>\n"
    "</CoSimulation>\n"
    "<UnitDefinitions>\n"
    " <Unit name=\"rad/s\"><BaseUnit s=\"-1\" rad=\"1\"/>\n"
    "  <DisplayUnit name=\"deg/s\" factor=\"57.29577951308232\"/>\n"
    "  <DisplayUnit name=\"rpm\" factor=\"9.5493\" offset=\"1\"/></Unit>\n"
    " <Unit name=\"degC\"><BaseUnit K=\"1\" factor=\"1\" "
    "offset=\"273.15\"/></Unit>\n"
    " <Unit name=\"all\"><BaseUnit kg=\"1\" m=\"2\" s=\"-3\" A=\"4\" K=\"5\" "
    "mol=\"6\" cd=\"7\" rad=\"8\" factor=\"1e3\"/></Unit>\n"
    " <Unit name=\"bare\"/>\n"
    "</UnitDefinitions>\n"
    "<TypeDefinitions>\n"
    " <SimpleType name=\"Speed\" description=\"w\"><Real "
    "quantity=\"AngularVelocity\" unit=\"rad/s\" displayUnit=\"rpm\" "
    "relativeQuantity=\"true\" min=\"-5\" max=\"5\" nominal=\"2\" "
    "unbounded=\"true\"/></SimpleType>\n"
    " <SimpleType name=\"Gear\"><Enumeration quantity=\"g\"><Item "
    "name=\"low\" value=\"1\" description=\"slow\"/><Item name=\"high\" "
    "value=\"2\"/></Enumeration></SimpleType>\n"
    " <SimpleType name=\"Count\"><Integer min=\"0\" max=\"9\"/></SimpleType>\n"
    " <SimpleType name=\"Flag\"><Boolean/></SimpleType>\n"
    " <SimpleType name=\"Text\"><String/></SimpleType>\n"
    "</TypeDefinitions>\n"
    "<LogCategories><Category name=\"all\" description=\"x\"/><Category "
    "name=\"bad\"/></LogCategories>\n"
    "<DefaultExperiment startTime=\"1\" stopTime=\"2.5\" "
    "tolerance=\"1e-4\" stepSize=\"0.01\"/>\n"
    "<VendorAnnotations><Tool name=\"x\"><Any/></Tool><Tool "
    "name=\"org.tutti\"><Unit evaluates=\"always\"><Port name=\"u\" "
    "reactivity=\"reactive\"/><Port name=\"n\" "
    "reactivity=\"delayed\"/></Unit></Tool></VendorAnnotations>\n"
    "<ModelVariables>\n"
    " <ScalarVariable name=\"u\" valueReference=\"7\" causality=\"input\" "
    "description=\"in\" canHandleMultipleSetPerTimeInstant=\"false\"><Real "
    "declaredType=\"Speed\" start=\"0.5\" max=\"4\"/></ScalarVariable>\n"
    " <ScalarVariable name=\"x\" valueReference=\"1\" initial=\"exact\"><Real "
    "start=\"-1.5e-3\" reinit=\"true\" unit=\"degC\" "
    "displayUnit=\"degC\"/><Annotations><Tool name=\"y\"/></Annotations>"
    "</ScalarVariable>\n"
    " <ScalarVariable name=\"der(x)\" valueReference=\"2\" "
    "causality=\"output\"><Real derivative=\"2\"/></ScalarVariable>\n"
    " <ScalarVariable name=\"n\" valueReference=\"7\" causality=\"input\" "
    "variability=\"discrete\"><Integer declaredType=\"Count\" "
    "start=\"3\"/></ScalarVariable>\n"
    " <ScalarVariable name=\"b\" valueReference=\"1\" "
    "causality=\"parameter\" variability=\"tunable\"><Boolean start=\"1\"/>"
    "</ScalarVariable>\n"
    " <ScalarVariable name=\"s\" valueReference=\"1\" "
    "causality=\"parameter\" variability=\"fixed\"><String start=\" a b \"/>"
    "</ScalarVariable>\n"
    " <ScalarVariable name=\"e\" valueReference=\"3\" causality=\"output\" "
    "variability=\"discrete\" initial=\"exact\"><Enumeration "
    "declaredType=\"Gear\" start=\"2\"/></ScalarVariable>\n"
    " <ScalarVariable name=\"p\" valueReference=\"4\" "
    "causality=\"calculatedParameter\" variability=\"fixed\"><Real/>"
    "</ScalarVariable>\n"
    " <ScalarVariable name=\"time\" valueReference=\"5\" "
    "causality=\"independent\"><Real/></ScalarVariable>\n"
    " <ScalarVariable name=\"k\" valueReference=\"6\" "
    "variability=\"constant\"><Real start=\"INF\"/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<ModelStructure>\n"
    " <Outputs><Unknown index=\"3\" dependencies=\"1 2\" "
    "dependenciesKind=\"constant fixed\"/><Unknown index=\"7\"/></Outputs>\n"
    " <Derivatives><Unknown index=\"3\" dependencies=\"\"/></Derivatives>\n"
    " <InitialUnknowns><Unknown index=\"3\"/><Unknown index=\"8\"/>"
    "</InitialUnknowns>\n"
    "</ModelStructure>\n"
    "</fmiModelDescription>\n";

static void the_root_states_what_the_model_is(void **state)
{
    struct tt_md *md = clean_md_of(fmi2_all);

    (void)state;
    assert_int_equal(md->version, TT_FMI_2);
    assert_string_equal(md->fmi_version, "2.0");
    assert_string_equal(md->model_name, "A & B");
    assert_string_equal(md->token, "{1}");
    assert_string_equal(md->description, "d");
    assert_string_equal(md->author, "a");
    assert_string_equal(md->model_version, "1.2");
    assert_string_equal(md->copyright, "c");
    assert_string_equal(md->license, "l");
    assert_string_equal(md->generation_tool, "t");
    assert_string_equal(md->generation_date, "2024-01-31T23:59:59Z");
    assert_int_equal(md->structured_names, 1);
    assert_int_equal(md->event_indicator_n, 3);
    assert_int_equal(md->line, 2);
    assert_int_equal(md->category_n, 2);
    assert_string_equal(md->category[0].description, "x");
    assert_string_equal(md->category[1].name, "bad");
    assert_null(md->category[1].description);
    assert_true(md->experiment.has_start && md->experiment.has_stop &&
                md->experiment.has_tolerance && md->experiment.has_step);
    assert_true(md->experiment.start == 1 && md->experiment.stop == 2.5 &&
                md->experiment.tolerance == 1e-4 &&
                md->experiment.step == 0.01);
    tt_md_free(md);
}

static void capabilities_are_fields(void **state)
{
    struct tt_md *md = clean_md_of(fmi2_all);
    const struct tt_md_interface *cs = &md->cs;

    (void)state;
    assert_true(cs->present && md->me.present && !md->se.present);
    assert_string_equal(tt_md_interfaces(md),
                        "Co-Simulation and Model Exchange");
    assert_string_equal(cs->model_identifier, "cs");
    assert_string_equal(md->me.model_identifier, "me");
    assert_int_equal(cs->line, 9);
    assert_true(cs->needs_execution_tool && cs->variable_step &&
                cs->interpolate_inputs && cs->run_async &&
                cs->once_per_process && cs->no_memory_functions &&
                cs->get_set_state && cs->serialize_state &&
                cs->directional_derivatives);
    assert_int_equal(cs->max_output_derivative, 2);
    assert_int_equal(cs->source_n, 2);
    assert_string_equal(cs->source[1], "b.c");
    assert_int_equal(md->me.needs_completed_step, 0);
    assert_false(md->me.get_set_state);
    tt_md_free(md);
}

static void units_have_exponents_and_display_units(void **state)
{
    struct tt_md *md = clean_md_of(fmi2_all);
    static const int all[] = {1, 2, -3, 4, 5, 6, 7, 8};

    (void)state;
    assert_int_equal(md->unit_n, 4);
    assert_true(md->unit[0].has_base);
    assert_int_equal(md->unit[0].exponent[TT_MD_S], -1);
    assert_int_equal(md->unit[0].exponent[TT_MD_RAD], 1);
    assert_int_equal(md->unit[0].display_n, 2);
    assert_true(md->unit[0].display[1].factor == 9.5493);
    assert_true(md->unit[0].display[1].offset == 1);
    assert_true(md->unit[1].offset == 273.15);
    assert_memory_equal(md->unit[2].exponent, all, sizeof(all));
    assert_true(md->unit[2].factor == 1000);
    assert_false(md->unit[3].has_base);
    tt_md_free(md);
}

static void a_declared_type_is_merged_and_the_variable_wins(void **state)
{
    struct tt_md *md = clean_md_of(fmi2_all);
    const struct tt_md_var *u = var_of(md, "u"), *e = var_of(md, "e");

    (void)state;
    assert_string_equal(u->declared->name, "Speed");
    assert_string_equal(u->declared->description, "w");
    assert_string_equal(u->range.quantity, "AngularVelocity");
    assert_ptr_equal(u->unit, &md->unit[0]);
    assert_ptr_equal(u->display, &md->unit[0].display[1]);
    assert_true(u->range.min == -5 && u->range.max == 4);
    assert_true(u->range.nominal == 2 && u->range.relative &&
                u->range.unbounded);
    assert_int_equal(e->declared->item_n, 2);
    assert_string_equal(e->declared->item[0].name, "low");
    assert_string_equal(e->declared->item[0].description, "slow");
    assert_int_equal(e->declared->item[1].value, 2);
    assert_true(var_of(md, "n")->range.max == 9);
    assert_true(var_of(md, "x")->range.max == HUGE_VAL);
    tt_md_free(md);
}

static void variables_have_native_types_and_starts(void **state)
{
    struct tt_md *md = clean_md_of(fmi2_all);
    const struct tt_md_var *v;

    (void)state;
    assert_int_equal(md->var_n, 10);
    v = var_of(md, "u");
    assert_int_equal(v->vr, 7);
    assert_int_equal(v->type, TT_F64);
    assert_string_equal(v->description, "in");
    assert_int_equal(v->causality, TT_CAUS_INPUT);
    assert_int_equal(v->variability, TT_VAR_CONTINUOUS);
    assert_int_equal(v->initial, TT_INIT_NONE);
    assert_int_equal(v->multiple_set, 0);
    assert_int_equal(v->reactivity, TT_MD_REACTIVE);
    assert_int_equal(v->line, 38);
    assert_true(v->start_n == 1 && *(const double *)v->start == 0.5);
    v = var_of(md, "x");
    assert_true(*(const double *)v->start == -1.5e-3);
    assert_true(v->given & TT_MD_GIVEN_INITIAL && v->reinit);
    assert_int_equal(v->causality, TT_CAUS_LOCAL);
    v = var_of(md, "der(x)");
    assert_int_equal(v->derivative_of, 1);
    assert_int_equal(v->initial, TT_INIT_CALCULATED);
    assert_false(v->given & TT_MD_GIVEN_INITIAL);
    v = var_of(md, "n");
    assert_int_equal(v->type, TT_I32);
    assert_int_equal(*(const int32_t *)v->start, 3);
    assert_int_equal(v->reactivity, TT_MD_DELAYED);
    v = var_of(md, "b");
    assert_int_equal(v->type, TT_BOOL32);
    assert_int_equal(*(const int32_t *)v->start, 1);
    assert_int_equal(v->initial, TT_INIT_EXACT);
    v = var_of(md, "s");
    assert_int_equal(v->type, TT_TEXT);
    assert_string_equal(v->start_bytes->s, " a b ");
    assert_int_equal(v->start_bytes->n, 5);
    v = var_of(md, "e");
    assert_int_equal(v->type, TT_ENUM32);
    assert_int_equal(*(const int32_t *)v->start, 2);
    assert_int_equal(var_of(md, "p")->initial, TT_INIT_CALCULATED);
    assert_int_equal(var_of(md, "time")->causality, TT_CAUS_INDEPENDENT);
    assert_true(isinf(*(const double *)var_of(md, "k")->start));
    assert_int_equal(var_of(md, "k")->initial, TT_INIT_EXACT);
    assert_int_equal(md->evaluates, TT_MD_EVALUATES_ALWAYS);
    tt_md_free(md);
}

static void value_references_are_found_per_base_type(void **state)
{
    struct tt_md *md = clean_md_of(fmi2_all);

    (void)state;
    assert_int_equal(find_vr(md, TT_F64, 7), 0);
    assert_int_equal(find_vr(md, TT_I32, 7), 3);
    assert_int_equal(find_vr(md, TT_ENUM32, 3), 6);
    assert_int_equal(find_vr(md, TT_BOOL32, 1), 4);
    assert_int_equal(find_vr(md, TT_TEXT, 1), 5);
    assert_int_equal(find_vr(md, TT_TEXT, 2), TT_NONE);
    assert_int_equal(tt_md_find(md, "nope"), TT_NONE);
    assert_string_equal(tt_md_type_name(md, TT_F64), "Real");
    assert_string_equal(tt_md_type_name(md, TT_I32), "Integer");
    assert_string_equal(tt_md_type_name(md, TT_ENUM32), "Enumeration");
    tt_md_free(md);
}

static void dependencies_are_unknown_or_a_list(void **state)
{
    struct tt_md *md = clean_md_of(fmi2_all);
    const struct tt_md_unknown *u;

    (void)state;
    assert_true(md->has_structure);
    assert_int_equal(md->output.n, 2);
    u = find_unknown(&md->output, 2);
    assert_true(u->known);
    assert_int_equal(u->dep_n, 2);
    assert_int_equal(u->dep[0], 0);
    assert_int_equal(u->dep[1], 1);
    assert_int_equal(u->kind[0], TT_DEP_CONSTANT);
    assert_int_equal(u->kind[1], TT_DEP_FIXED);
    assert_false(find_unknown(&md->output, 6)->known);
    assert_null(find_unknown(&md->output, 0));
    u = &md->derivative.item[0];
    assert_true(u->known && u->dep_n == 0);
    assert_int_equal(md->initial_unknown.n, 2);
    assert_int_equal(md->initial_unknown.item[1].var, 7);
    tt_md_free(md);
}

/* --- what is not a description ------------------------------------------ */

static void refuse(const char *xml, enum tt_code code, const char *message)
{
    struct tt_md *md = NULL;
    tt_err err;

    assert_int_equal(tt_md_parse(&md, xml, strlen(xml), &err), code);
    assert_string_equal(err.msg, message);
    assert_null(md);
}

static void other_versions_are_named(void **state)
{
    (void)state;
    refuse("<fmiModelDescription fmiVersion=\"10\" modelName=\"m\"/>",
           TT_EUNSUPPORTED,
           "modelDescription.xml:1: FMI version \"10\" is not supported; 1.0, "
           "2.0 and 3.0 are");
    refuse("<?xml version='1.0'?>\n<fmiModelDescription fmiVersion=\"4.2\"/>",
           TT_EUNSUPPORTED,
           "modelDescription.xml:2: FMI version \"4.2\" is not supported; 1.0, "
           "2.0 and 3.0 are");
    refuse("<fmiModelDescription/>", TT_EINPUT,
           "modelDescription.xml:1: <fmiModelDescription> has no fmiVersion");
    refuse("<ssd/>", TT_EINPUT,
           "modelDescription.xml:1: the root element is <ssd>, not "
           "<fmiModelDescription>");
}

static void broken_xml_has_line_and_column(void **state)
{
    (void)state;
    refuse("", TT_EINPUT, "modelDescription.xml is empty");
    refuse("<a>\n <b></a>", TT_EINPUT,
           "modelDescription.xml:2:9: not well-formed XML: Opening and ending "
           "tag mismatch: b line 2 and a");
    refuse("hello", TT_EINPUT,
           "modelDescription.xml:1:1: not well-formed XML: Start tag expected, "
           "'<' not found");
}

static void a_doctype_is_refused(void **state)
{
    (void)state;
    refuse("<?xml version=\"1.0\"?>\n"
           "<!DOCTYPE lolz [\n"
           " <!ENTITY a \"lol\">\n"
           " <!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">\n"
           " <!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">\n"
           "]>\n<fmiModelDescription modelName=\"&c;\"/>",
           TT_EINPUT,
           "modelDescription.xml:2: it has a DOCTYPE, which may define harmful "
           "entities and is refused");
    refuse("<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x/>", TT_EINPUT,
           "modelDescription.xml:1: it has a DOCTYPE, which may define harmful "
           "entities and is refused");
}

/* --- encodings ------------------------------------------------------------ */

#define SMALL(attributes)                                                      \
    "<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" " attributes ">"       \
    "<CoSimulation modelIdentifier=\"m\"/><ModelVariables/><ModelStructure/>"  \
    "</fmiModelDescription>"

static void latin1_becomes_utf8(void **state)
{
    struct tt_md *md =
        clean_md_of("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n" SMALL(
            "modelName=\"K\xfchler\""));

    (void)state;
    assert_string_equal(md->model_name, "K\xc3\xbchler");
    tt_md_free(md);
}

static void a_byte_order_mark_is_fine(void **state)
{
    struct tt_md *md = clean_md_of(
        "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" SMALL(
            "modelName=\"K\xc3\xbchler\""));

    (void)state;
    assert_string_equal(md->model_name, "K\xc3\xbchler");
    tt_md_free(md);
}

static void wrong_utf8_is_read_as_latin1_with_a_warning(void **state)
{
    struct tt_md *md =
        md_of("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" SMALL(
            "modelName=\"K\xfchler\""));

    (void)state;
    assert_string_equal(md->model_name, "K\xc3\xbchler");
    expect_finding(&md->findings, "FMI-XML-ENCODING", 2,
                   "bytes are not in the encoding the file declares; read as "
                   "ISO-8859-1");
    tt_md_free(md);
}

/* --- what is invalid but clear ------------------------------------------ */

static void findings(const char *variables, const char *rule, int line,
                     const char *text, int fatal)
{
    struct tt_buf b;
    struct tt_md *md;
    tt_err err;

    tt_buf_init(&b, 100000);
    tt_buf_fmt(&b,
               "<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" "
               "modelName=\"m\">\n<CoSimulation modelIdentifier=\"m\"/>\n"
               "<ModelVariables>\n%s</ModelVariables><ModelStructure/>"
               "</fmiModelDescription>",
               variables);
    md = md_of(b.data);
    expect_finding(&md->findings, rule, line, text);
    assert_int_equal(md->findings.n, 1);
    assert_int_equal(tt_findings_fail(&md->findings, &err) != TT_OK, fatal);
    tt_md_free(md);
    tt_buf_fini(&b);
}

#define VAR(attributes, inner)                                                 \
    "<ScalarVariable " attributes ">" inner "</ScalarVariable>\n"
#define INPUT "name=\"a\" valueReference=\"1\" causality=\"input\""

static void what_has_no_meaning_is_fatal(void **state)
{
    (void)state;
    findings(VAR("name=\"a\"", "<Real/>"), "FMI-VAR-REFERENCE", 4,
             "variable 'a' has no valueReference", 1);
    findings(VAR("valueReference=\"1\"", "<Real/>"), "FMI-VAR-NAME", 4,
             "variable 1 has no name", 1);
    findings(VAR("name=\"a\" valueReference=\"1\"", ""), "FMI2-VAR-TYPE", 4,
             "variable 'a' has no <Real>, <Integer>, <Boolean>, <String> or "
             "<Enumeration> in it",
             1);
}

static void an_unusable_reference_names_its_value(void **state)
{
    struct tt_md *md =
        md_of("<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" "
              "modelName=\"m\"><ModelVariables>" VAR(
                  "name=\"a\" valueReference=\"-3\"",
                  "<Real/>") "</ModelVariables></fmiModelDescription>");
    tt_err err;

    (void)state;
    assert_int_equal(tt_findings_fail(&md->findings, &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        "line 1: valueReference=\"-3\" of variable 'a' is "
                        "unusable [FMI-VAR-REFERENCE]");
    tt_md_free(md);
}

static void clear_mistakes_are_findings(void **state)
{
    (void)state;
    findings(VAR(INPUT, "<Real start=\"1\" causalty=\"x\"/>"),
             "FMI-XML-ATTRIBUTE", 4,
             "attribute 'causalty' is not known in <Real> and is ignored", 0);
    findings(VAR(INPUT " variabilty=\"x\"", "<Real start=\"1\"/>"),
             "FMI-XML-ATTRIBUTE", 4,
             "attribute 'variabilty' is not known in <ScalarVariable> and is "
             "ignored; did you mean 'variability'?",
             0);
    findings(VAR(INPUT, "<Real start=\"1\"/><Extra/>"), "FMI-XML-ELEMENT", 4,
             "element <Extra> is not known in <ScalarVariable> and is ignored",
             0);
    findings(
        VAR("name=\"a\" valueReference=\"1\" causality=\"inptu\"", "<Real/>"),
        "FMI-XML-VALUE", 4,
        "causality=\"inptu\" of <ScalarVariable> is not one of the values "
        "allowed; did you mean \"input\"?",
        0);
    findings(VAR(INPUT, "<Real start=\"one\"/>"), "FMI-VAR-START", 4,
             "start value 'one' of variable 'a' is not a value of type Real",
             0);
    findings(VAR(INPUT, "<Real start=\"1\" min=\"low\"/>"), "FMI-XML-VALUE", 4,
             "min=\"low\" of <Real> is not a number", 0);
    findings(VAR(INPUT, "<Integer start=\"3.0\"/>"), "FMI-XML-INTEGER", 4,
             "start value of variable 'a' should be written as an integer", 0);
    findings(VAR(INPUT, "<Real start=\"1\" reinit=\"True\"/>"),
             "FMI-XML-BOOLEAN", 4,
             "reinit=\"True\" of <Real> should be written \"true\"", 0);
    findings(VAR(INPUT, "<Real start=\"1\" declaredType=\"T\"/>"),
             "FMI-VAR-DECLARED", 4,
             "declared type 'T' of variable 'a' is not defined", 0);
    findings(VAR(INPUT, "<Enumeration start=\"1\"/>"), "FMI-XML-REQUIRED", 4,
             "<Enumeration> lacks the required attribute 'declaredType'", 0);
    findings(VAR(INPUT, "<Real start=\"1\" derivative=\"9\"/>"),
             "FMI-VAR-DERIVATIVE", 4,
             "derivative=\"9\" of variable 'a' is not the index of a variable "
             "(1 to 1)",
             0);
    findings(VAR(INPUT, "<Real start=\"1\"/>")
                 VAR("name=\"a\" valueReference=\"2\"", "<Real/>"),
             "FMI-VAR-UNIQUE", 5,
             "variable name 'a' is used twice; the first one counts", 0);
}

static void booleans_are_read_in_every_spelling(void **state)
{
    static const struct {
        const char *text;
        int value;
    } cases[] = {{"true", 1}, {"false", 0}, {"1", 1}, {"0", 0}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct tt_buf b;
        struct tt_md *md;

        tt_buf_init(&b, 10000);
        tt_buf_fmt(&b,
                   "<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" "
                   "modelName=\"m\"><CoSimulation modelIdentifier=\"m\" "
                   "canGetAndSetFMUstate=\"%s\"/><ModelVariables>" VAR(
                       INPUT " variability=\"discrete\"",
                       "<Boolean start=\"%s\"/>") "</ModelVariables>"
                                                  "<ModelStructure/>"
                                                  "</fmiModelDescription>",
                   cases[i].text, cases[i].text);
        md = clean_md_of(b.data);
        assert_int_equal(md->cs.get_set_state, cases[i].value);
        assert_int_equal(*(const int32_t *)md->var[0].start, cases[i].value);
        tt_md_free(md);
        tt_buf_fini(&b);
    }
}

static void a_structure_with_wrong_references_is_tolerated(void **state)
{
    struct tt_md *md = md_of(
        "<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" modelName=\"m\">\n"
        "<ModelVariables>" VAR(
            "name=\"y\" valueReference=\"1\" "
            "causality=\"output\"",
            "<Real/>") "</ModelVariables>\n"
                       "<ModelStructure><Outputs>\n"
                       "<Unknown index=\"1\" dependencies=\"1 99\" "
                       "dependenciesKind=\"fixed fixed\"/>\n"
                       "<Unknown index=\"0\"/>\n"
                       "<Unknown index=\"1\" dependencies=\"1\" "
                       "dependenciesKind=\"fixed fixed\"/>\n"
                       "<Unknown index=\"1\" dependencies=\"1\" "
                       "dependenciesKind=\"wild\"/>\n"
                       "<Unknown index=\"1\" dependenciesKind=\"fixed\"/>\n"
                       "</Outputs></ModelStructure></fmiModelDescription>");
    const struct tt_findings *f = &md->findings;

    (void)state;
    expect_finding(f, "FMI-STRUCT-DEPENDENCY", 5,
                   "dependency 99 of 'y' is not the index of a variable; it is "
                   "taken to depend on everything");
    expect_finding(f, "FMI-STRUCT-REFERENCE", 6,
                   "index=\"0\" of <Unknown> is not the index of a variable; "
                   "the element is ignored");
    expect_finding(f, "FMI-STRUCT-KIND", 7,
                   "dependenciesKind of 'y' has 2 entries for 1 dependencies");
    expect_finding(f, "FMI-STRUCT-KIND", 8,
                   "dependenciesKind 'wild' of 'y' is not known; taken as "
                   "'dependent'");
    expect_finding(f, "FMI-STRUCT-KIND", 9,
                   "dependenciesKind of 'y' is given without dependencies");
    assert_int_equal(md->output.n, 4);
    assert_false(md->output.item[0].known);
    assert_true(md->output.item[1].known);
    assert_int_equal(md->output.item[2].kind[0], TT_DEP_DEPENDENT);
    tt_md_free(md);
}

static void an_empty_unit_is_none(void **state)
{
    struct tt_md *md = clean_md_of(
        "<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" modelName=\"m\">"
        "<ModelVariables>" VAR(
            INPUT,
            "<Real start=\"1\" unit=\"\" "
            "displayUnit=\"\"/>") "</ModelVariables>"
                                  "<ModelStructure/></fmiModelDescription>");

    (void)state;
    assert_null(md->var[0].range.unit_name);
    assert_null(md->var[0].range.display_name);
    tt_md_free(md);
}

static void the_order_of_the_parts_does_not_matter(void **state)
{
    struct tt_md *md = clean_md_of(
        "<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" modelName=\"m\">"
        "<ModelStructure><Outputs><Unknown index=\"1\"/></Outputs>"
        "</ModelStructure><ModelVariables>" VAR(
            "name=\"y\" valueReference=\"1\" causality=\"output\"",
            "<Real unit=\"m\"/>") "</ModelVariables><UnitDefinitions>"
                                  "<Unit name=\"m\"/></UnitDefinitions>"
                                  "<CoSimulation modelIdentifier=\"m\"/>"
                                  "</fmiModelDescription>");

    (void)state;
    assert_int_equal(md->output.n, 1);
    assert_string_equal(md->var[0].unit->name, "m");
    tt_md_free(md);
}

static void foreign_namespaces_are_left_out(void **state)
{
    struct tt_md *md = clean_md_of(
        "<fmiModelDescription xmlns:v=\"http://v\" fmiVersion=\"2.0\" "
        "guid=\"g\" modelName=\"m\" v:extra=\"1\"><v:Thing><CoSimulation/>"
        "</v:Thing><ModelVariables/><ModelStructure/>"
        "</fmiModelDescription>");

    (void)state;
    assert_false(md->cs.present);
    tt_md_free(md);
}

static void numbers_do_not_follow_the_locale(void **state)
{
    struct tt_md *md;

    (void)state;
    if (!test_locale_enter())
        fail_msg("there is no comma locale and none could be made");
    md = clean_md_of(fmi2_all);
    assert_true(md->experiment.stop == 2.5);
    tt_md_free(md);
    (void)setlocale(LC_ALL, "C");
}

static void many_variables_are_read(void **state)
{
    const uint32_t n = 50000;
    struct tt_buf b;
    struct tt_md *md;

    (void)state;
    tt_buf_init(&b, (size_t)64 << 20);
    tt_buf_str(&b, "<fmiModelDescription fmiVersion=\"2.0\" guid=\"g\" "
                   "modelName=\"m\">\n<ModelVariables>\n");
    for (uint32_t i = 0; i < n; i++)
        tt_buf_fmt(&b,
                   "<ScalarVariable name=\"v%u\" valueReference=\"%u\"\n "
                   "causality=\"output\"><Real/></ScalarVariable>\n",
                   i, i);
    tt_buf_str(&b, "</ModelVariables><ModelStructure><Outputs>\n");
    for (uint32_t i = 0; i < n; i++)
        tt_buf_fmt(&b, "<Unknown index=\"%u\" dependencies=\"1 %u\"/>\n", i + 1,
                   i + 1);
    tt_buf_str(&b, "</Outputs></ModelStructure></fmiModelDescription>");
    md = clean_md_of(b.data);
    assert_int_equal(md->var_n, n);
    assert_int_equal(tt_md_find(md, "v49999"), 49999);
    assert_int_equal(md->var[49999].line, 3 + 2 * 49999); /* beyond 16 bits */
    assert_int_equal(md->output.item[49999].dep[1], 49999);
    tt_md_free(md);
    tt_buf_fini(&b);
}

/* Nothing is lost when the n-th allocation fails. */
static void running_out_of_memory_is_reported(void **state)
{
    struct tt_md *md = NULL;
    enum tt_code rc = TT_ENOMEM;
    tt_err err;

    (void)state;
    for (uint64_t n = 1; rc != TT_OK; n++) {
        assert_true(n < 5000);
        tt_mem_fail_after(n);
        rc = tt_md_parse(&md, fmi2_all, strlen(fmi2_all), &err);
        tt_mem_fail_after(0);
        if (rc != TT_OK)
            assert_int_equal(rc, TT_ENOMEM);
    }
    tt_md_free(md);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_root_states_what_the_model_is),
        cmocka_unit_test(capabilities_are_fields),
        cmocka_unit_test(units_have_exponents_and_display_units),
        cmocka_unit_test(a_declared_type_is_merged_and_the_variable_wins),
        cmocka_unit_test(variables_have_native_types_and_starts),
        cmocka_unit_test(value_references_are_found_per_base_type),
        cmocka_unit_test(dependencies_are_unknown_or_a_list),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(broken_xml_has_line_and_column),
        cmocka_unit_test(a_doctype_is_refused),
        cmocka_unit_test(latin1_becomes_utf8),
        cmocka_unit_test(a_byte_order_mark_is_fine),
        cmocka_unit_test(wrong_utf8_is_read_as_latin1_with_a_warning),
        cmocka_unit_test(what_has_no_meaning_is_fatal),
        cmocka_unit_test(an_unusable_reference_names_its_value),
        cmocka_unit_test(clear_mistakes_are_findings),
        cmocka_unit_test(booleans_are_read_in_every_spelling),
        cmocka_unit_test(a_structure_with_wrong_references_is_tolerated),
        cmocka_unit_test(an_empty_unit_is_none),
        cmocka_unit_test(the_order_of_the_parts_does_not_matter),
        cmocka_unit_test(foreign_namespaces_are_left_out),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(many_variables_are_read),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
