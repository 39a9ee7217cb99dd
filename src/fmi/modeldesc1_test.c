/* SPDX-License-Identifier: MIT */
#include "fmi/modeldesc.h"

#include <stdbool.h>

#include "fmi/md_check.h"
#include "fmi/test_md.h"

/* FMI 1.0. */

#define ROOT                                                                   \
    "<fmiModelDescription fmiVersion=\"1.0\" modelName=\"m\" "                 \
    "modelIdentifier=\"mid\" guid=\"{g}\" numberOfContinuousStates=\"2\" "     \
    "numberOfEventIndicators=\"1\">\n"
#define END "</fmiModelDescription>"

static const char all[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" ROOT "<UnitDefinitions>\n"
    " <BaseUnit unit=\"rad\"><DisplayUnitDefinition displayUnit=\"deg\" "
    "gain=\"57.5\" offset=\"1\"/></BaseUnit>\n"
    "</UnitDefinitions>\n"
    "<TypeDefinitions>\n"
    " <Type name=\"Angle\"><RealType quantity=\"q\" unit=\"rad\" "
    "displayUnit=\"deg\" min=\"-4\" max=\"4\" nominal=\"2\"/></Type>\n"
    " <Type name=\"Gear\"><EnumerationType min=\"1\" max=\"2\"><Item "
    "name=\"low\"/><Item name=\"high\"/></EnumerationType></Type>\n"
    " <Type name=\"Flag\"><BooleanType/></Type>\n"
    "</TypeDefinitions>\n"
    "<DefaultExperiment startTime=\"1\" stopTime=\"2\" "
    "tolerance=\"1e-3\"/>\n"
    "<VendorAnnotations><Tool name=\"x\"><Annotation name=\"a\" "
    "value=\"b\"/></Tool></VendorAnnotations>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name=\"k\" valueReference=\"1\" variability=\"parameter\">"
    "<Real start=\"3\" declaredType=\"Angle\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"kk\" valueReference=\"2\" "
    "variability=\"parameter\"><Real/></ScalarVariable>\n"
    "<ScalarVariable name=\"c\" valueReference=\"3\" variability=\"constant\">"
    "<Integer start=\"7\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"u\" valueReference=\"4\" causality=\"input\"><Real "
    "start=\"0.5\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"on\" valueReference=\"1\" causality=\"input\" "
    "variability=\"discrete\"><Boolean start=\"true\" "
    "declaredType=\"Flag\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"y\" valueReference=\"5\" causality=\"output\">\n"
    " <Real/>\n"
    " <DirectDependency><Name>u</Name><Name>on</Name></DirectDependency>\n"
    "</ScalarVariable>\n"
    "<ScalarVariable name=\"z\" valueReference=\"6\" "
    "causality=\"output\"><Real/><DirectDependency/></ScalarVariable>\n"
    "<ScalarVariable name=\"w\" valueReference=\"7\" "
    "causality=\"output\"><Real/></ScalarVariable>\n"
    "<ScalarVariable name=\"-y\" valueReference=\"5\" "
    "alias=\"negatedAlias\"><Real/></ScalarVariable>\n"
    "<ScalarVariable name=\"x\" valueReference=\"8\"><Real start=\"1\" "
    "fixed=\"true\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"x0\" valueReference=\"9\" "
    "causality=\"internal\"><Real start=\"1\" "
    "fixed=\"false\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"gear\" valueReference=\"10\" "
    "causality=\"none\"><Enumeration start=\"2\" "
    "declaredType=\"Gear\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"s\" valueReference=\"1\"><String "
    "start=\"hi\"/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<Implementation><CoSimulation_StandAlone><Capabilities "
    "canHandleVariableCommunicationStepSize=\"true\" canHandleEvents=\"true\" "
    "canRejectSteps=\"true\" canInterpolateInputs=\"true\" "
    "maxOutputDerivativeOrder=\"2\" canRunAsynchronuously=\"true\" "
    "canSignalEvents=\"true\" canBeInstantiatedOnlyOncePerProcess=\"true\" "
    "canNotUseMemoryManagementFunctions=\"true\"/></CoSimulation_StandAlone>"
    "</Implementation>\n" END;

static void the_interface_is_co_simulation_with_its_capabilities(void **state)
{
    struct tt_md *md = clean_md_of(all);

    (void)state;
    assert_int_equal(md->version, TT_FMI_1);
    assert_string_equal(md->fmi_version, "1.0");
    assert_string_equal(md->token, "{g}");
    assert_int_equal(md->event_indicator_n, 1);
    assert_int_equal(md->state_n, 2);
    assert_true(md->cs.present);
    assert_false(md->me.present);
    assert_string_equal(md->cs.model_identifier, "mid");
    assert_true(md->cs.variable_step);
    assert_true(md->cs.interpolate_inputs);
    assert_true(md->cs.run_async);
    assert_true(md->cs.once_per_process);
    assert_true(md->cs.no_memory_functions);
    assert_int_equal(md->cs.max_output_derivative, 2);
    assert_false(md->cs.needs_execution_tool);
    assert_false(md->cs.get_set_state);
    assert_true(md->experiment.has_stop && md->experiment.stop == 2);
    tt_md_free(md);
}

static void without_implementation_it_is_model_exchange(void **state)
{
    struct tt_md *md = clean_md_of(ROOT "<ModelVariables/>" END);

    (void)state;
    assert_true(md->me.present);
    assert_false(md->cs.present);
    assert_string_equal(md->me.model_identifier, "mid");
    tt_md_free(md);
    md = clean_md_of(ROOT "<ModelVariables/><Implementation>"
                          "<CoSimulation_Tool><Capabilities/><Model "
                          "entryPoint=\"x\"/></CoSimulation_Tool>"
                          "</Implementation>" END);
    assert_true(md->cs.present);
    assert_true(md->cs.needs_execution_tool);
    tt_md_free(md);
}

static void expect_var(const struct tt_md *md, const char *name,
                       enum tt_causality causality,
                       enum tt_variability variability, enum tt_initial initial)
{
    const struct tt_md_var *v = var_of(md, name);

    assert_int_equal(v->causality, causality);
    assert_int_equal(v->variability, variability);
    assert_int_equal(v->initial, initial);
}

static void its_words_become_those_of_fmi_2(void **state)
{
    struct tt_md *md = clean_md_of(all);

    (void)state;
    expect_var(md, "k", TT_CAUS_PARAMETER, TT_VAR_FIXED, TT_INIT_EXACT);
    expect_var(md, "kk", TT_CAUS_CALCULATED, TT_VAR_FIXED, TT_INIT_CALCULATED);
    expect_var(md, "c", TT_CAUS_LOCAL, TT_VAR_CONSTANT, TT_INIT_EXACT);
    expect_var(md, "u", TT_CAUS_INPUT, TT_VAR_CONTINUOUS, TT_INIT_NONE);
    expect_var(md, "on", TT_CAUS_INPUT, TT_VAR_DISCRETE, TT_INIT_NONE);
    expect_var(md, "y", TT_CAUS_OUTPUT, TT_VAR_CONTINUOUS, TT_INIT_CALCULATED);
    expect_var(md, "x", TT_CAUS_LOCAL, TT_VAR_CONTINUOUS, TT_INIT_EXACT);
    expect_var(md, "x0", TT_CAUS_LOCAL, TT_VAR_CONTINUOUS, TT_INIT_APPROX);
    expect_var(md, "gear", TT_CAUS_LOCAL, TT_VAR_DISCRETE, TT_INIT_EXACT);
    assert_true(var_of(md, "-y")->negated);
    assert_false(var_of(md, "y")->negated);
    tt_md_free(md);
}

static void types_units_and_starts_are_read(void **state)
{
    struct tt_md *md = clean_md_of(all);
    const struct tt_md_var *k = var_of(md, "k");

    (void)state;
    assert_true(k->range.max == 4 && k->range.nominal == 2);
    assert_string_equal(k->unit->name, "rad");
    assert_false(k->unit->has_base);
    assert_string_equal(k->display->name, "deg");
    assert_true(k->display->factor == 57.5 && k->display->offset == 1);
    assert_int_equal(var_of(md, "on")->type, TT_BOOL);
    assert_true(*(const bool *)var_of(md, "on")->start);
    assert_int_equal(var_of(md, "gear")->type, TT_ENUM32);
    assert_int_equal(*(const int32_t *)var_of(md, "gear")->start, 2);
    assert_int_equal(var_of(md, "gear")->declared->item[1].value, 2);
    assert_string_equal(var_of(md, "s")->start_bytes->s, "hi");
    tt_md_free(md);
}

static void dependencies_are_named(void **state)
{
    struct tt_md *md = clean_md_of(all);
    const struct tt_md_unknown *y =
        find_unknown(&md->output, tt_md_find(md, "y"));
    const struct tt_md_unknown *z =
        find_unknown(&md->output, tt_md_find(md, "z"));
    const struct tt_md_unknown *w =
        find_unknown(&md->output, tt_md_find(md, "w"));

    (void)state;
    assert_int_equal(md->output.n, 3);
    assert_true(y->known);
    assert_int_equal(y->dep_n, 2);
    assert_int_equal(y->dep[0], tt_md_find(md, "u"));
    assert_int_equal(y->dep[1], tt_md_find(md, "on"));
    assert_true(z->known);
    assert_int_equal(z->dep_n, 0);
    assert_false(w->known);
    tt_md_free(md);
}

static void it_is_sound(void **state)
{
    struct tt_md *md = clean_md_of(all);
    struct tt_findings f;
    tt_err err;

    (void)state;
    tt_findings_init(&f);
    assert_int_equal(tt_md_check(md, NULL, &f, &err), TT_OK);
    for (size_t i = 0; i < f.n; i++)
        fail_msg("%d: %s", f.item[i].line, f.item[i].text);
    tt_findings_fini(&f);
    tt_md_free(md);
}

static void what_is_wrong_is_found(void **state)
{
    struct tt_md *md = md_of(
        "<fmiModelDescription fmiVersion=\"1.0\" modelName=\"m\" "
        "guid=\"g\">\n"
        "<TypeDefinitions><SimpleType name=\"T\"/><Type name=\"U\"/>"
        "</TypeDefinitions>\n"
        "<ModelVariables>\n"
        "<ScalarVariable name=\"y\" valueReference=\"1\" "
        "causality=\"output\"><Real/>\n"
        "<DirectDependency><Name>ghost</Name></DirectDependency>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"v\" valueReference=\"2\" "
        "causality=\"parameter\" initial=\"exact\"><Real/></ScalarVariable>\n"
        "<ScalarVariable name=\"n\" valueReference=\"3\"><Float64/>"
        "</ScalarVariable>\n"
        "</ModelVariables>\n"
        "<ModelStructure/>\n" END);

    (void)state;
    expect_finding(&md->findings, "FMI-XML-REQUIRED", 1,
                   "<fmiModelDescription> lacks the required attribute "
                   "'modelIdentifier'");
    expect_finding(&md->findings, "FMI-XML-ELEMENT", 2,
                   "element <SimpleType> is not known in <TypeDefinitions> and "
                   "is ignored");
    expect_finding(&md->findings, "FMI2-TYPE-ELEMENT", 2,
                   "<Type> has no <RealType>, <IntegerType>, <BooleanType>, "
                   "<StringType> or <EnumerationType> in it and is ignored");
    expect_finding(&md->findings, "FMI-STRUCT-DEPENDENCY", 5,
                   "dependency 'ghost' of 'y' is not a variable; it is taken "
                   "to depend on everything");
    expect_finding(&md->findings, "FMI2-VAR-TYPE", 7,
                   "variable 'n' has no <Real>, <Integer>, <Boolean>, "
                   "<String> or <Enumeration> in it");
    expect_finding(&md->findings, "FMI-XML-ELEMENT", 9,
                   "element <ModelStructure> is not known in "
                   "<fmiModelDescription> and is ignored");
    assert_false(find_unknown(&md->output, 0)->known);
    tt_md_free(md);
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
        rc = tt_md_parse(&md, all, strlen(all), &err);
        tt_mem_fail_after(0);
        if (rc != TT_OK)
            assert_int_equal(rc, TT_ENOMEM);
    }
    tt_md_free(md);
}

static void our_annotation_states_both_interfaces(void **state)
{
    static const char text[] = ROOT
        "<VendorAnnotations><Tool name=\"org.tutti\"><Annotation "
        "name=\"modelExchange\" value=\"true\"/></Tool></VendorAnnotations>\n"
        "<ModelVariables/>\n"
        "<Implementation><CoSimulation_StandAlone><Capabilities/>"
        "</CoSimulation_StandAlone></Implementation>\n" END;
    struct tt_md *md = NULL;
    tt_err err;

    (void)state;
    assert_int_equal(tt_md_parse(&md, text, strlen(text), &err), TT_OK);
    assert_true(md->cs.present);
    assert_true(md->me.present);
    assert_string_equal(md->me.model_identifier, "mid");
    assert_true(md->me.needs_completed_step);
    assert_int_equal(md->state_n, 2);
    tt_md_free(md);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interface_is_co_simulation_with_its_capabilities),
        cmocka_unit_test(without_implementation_it_is_model_exchange),
        cmocka_unit_test(our_annotation_states_both_interfaces),
        cmocka_unit_test(its_words_become_those_of_fmi_2),
        cmocka_unit_test(types_units_and_starts_are_read),
        cmocka_unit_test(dependencies_are_named),
        cmocka_unit_test(it_is_sound),
        cmocka_unit_test(what_is_wrong_is_found),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
