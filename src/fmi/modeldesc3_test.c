/* SPDX-License-Identifier: MIT */
#include "fmi/modeldesc.h"

#include <math.h>

#include "base/buf.h"
#include "fmi/test_md.h"

/* In two halves: ISO C promises 4095 characters in a string. */
static char fmi3_all[8192];
static const char first_half[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"3.0.1\" modelName=\"m\" "
    "instantiationToken=\"{t}\" description=\"d\" author=\"a\" version=\"1\" "
    "copyright=\"c\" license=\"l\" generationTool=\"g\" "
    "generationDateAndTime=\"2024-01-31T23:59:59Z\" "
    "variableNamingConvention=\"flat\">\n"
    "<ModelExchange modelIdentifier=\"me\" "
    "needsCompletedIntegratorStep=\"true\" "
    "providesEvaluateDiscreteStates=\"true\"/>\n"
    "<CoSimulation modelIdentifier=\"cs\" needsExecutionTool=\"true\" "
    "canBeInstantiatedOnlyOncePerProcess=\"true\" "
    "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
    "providesDirectionalDerivatives=\"true\" "
    "providesAdjointDerivatives=\"true\" "
    "providesPerElementDependencies=\"true\" "
    "canHandleVariableCommunicationStepSize=\"true\" "
    "fixedInternalStepSize=\"0.125\" maxOutputDerivativeOrder=\"1\" "
    "recommendedIntermediateInputSmoothness=\"-1\" "
    "providesIntermediateUpdate=\"true\" mightReturnEarlyFromDoStep=\"true\" "
    "canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\" "
    "providesEvaluateDiscreteStates=\"true\"/>\n"
    "<ScheduledExecution modelIdentifier=\"se\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"><BaseUnit m=\"1\"/>"
    "<DisplayUnit name=\"1/m\" inverse=\"true\"/></Unit></UnitDefinitions>\n"
    "<TypeDefinitions>\n"
    "<Float64Type name=\"F\" unit=\"m\" min=\"-1\"/>\n"
    "<EnumerationType name=\"E\"><Item name=\"a\" value=\"-4\"/><Item "
    "name=\"b\" value=\"9223372036854775807\"/></EnumerationType>\n"
    "<BinaryType name=\"B\" mimeType=\"x/y\" maxSize=\"64\"/>\n"
    "<ClockType name=\"C\" intervalVariability=\"constant\" "
    "intervalDecimal=\"0.5\" priority=\"2\"/>\n"
    "<StringType name=\"S\"/><BooleanType name=\"L\"/><Int8Type name=\"I\" "
    "max=\"3\"/>\n"
    "</TypeDefinitions>\n"
    "<LogCategories><Category name=\"c\"/></LogCategories>\n"
    "<DefaultExperiment stopTime=\"3\"/>\n"
    "<ModelVariables>\n"; /* line 16 */
static const char second_half[] =
    "<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>\n"
    "<Float64 name=\"x\" valueReference=\"1\" causality=\"output\" "
    "initial=\"exact\" start=\"1 2 3 4 5 6\" declaredType=\"F\" "
    "displayUnit=\"1/m\" intermediateUpdate=\"true\" reinit=\"true\">"
    "<Dimension start=\"2\"/><Dimension valueReference=\"2\"/>"
    "<Alias name=\"ax\" description=\"other\" displayUnit=\"1/m\"/>"
    "</Float64>\n"
    "<UInt64 name=\"n\" valueReference=\"2\" "
    "causality=\"structuralParameter\" start=\"3\"/>\n"
    "<Float64 name=\"dx\" valueReference=\"3\" derivative=\"1\"><Dimension "
    "start=\"2\"/><Dimension valueReference=\"2\"/></Float64>\n"
    "<Float32 name=\"f\" valueReference=\"4\" causality=\"input\" "
    "start=\"0.5\" canHandleMultipleSetPerTimeInstant=\"false\"/>\n"
    "<Int8 name=\"i8\" valueReference=\"5\" causality=\"parameter\" "
    "start=\"-128\"/>\n"
    "<UInt8 name=\"u8\" valueReference=\"6\" causality=\"parameter\" "
    "start=\"255\"/>\n"
    "<Int16 name=\"i16\" valueReference=\"7\" causality=\"parameter\" "
    "start=\"-32768\"/>\n"
    "<UInt16 name=\"u16\" valueReference=\"8\" causality=\"parameter\" "
    "start=\"65535\"/>\n"
    "<Int32 name=\"i32\" valueReference=\"9\" causality=\"parameter\" "
    "start=\"-2147483648\"/>\n"
    "<UInt32 name=\"u32\" valueReference=\"10\" causality=\"parameter\" "
    "start=\"4294967295\"/>\n"
    "<Int64 name=\"i64\" valueReference=\"11\" causality=\"parameter\" "
    "start=\"-9223372036854775808\"/>\n"
    "<UInt64 name=\"u64\" valueReference=\"12\" causality=\"parameter\" "
    "start=\"18446744073709551615\" variability=\"tunable\"/>\n"
    "<Boolean name=\"b\" valueReference=\"13\" causality=\"input\" "
    "start=\"true 0 1\"><Dimension start=\"3\"/></Boolean>\n"
    "<String name=\"s\" valueReference=\"14\" causality=\"parameter\">"
    "<Dimension start=\"2\"/><Start value=\"one \"/><Start value=\"\"/>"
    "</String>\n"
    "<Binary name=\"y\" valueReference=\"15\" causality=\"input\" "
    "declaredType=\"B\"><Start value=\"00ff7F\"/></Binary>\n"
    "<Binary name=\"z\" valueReference=\"16\" mimeType=\"q/r\" "
    "maxSize=\"9\"/>\n"
    "<Enumeration name=\"e\" valueReference=\"17\" causality=\"input\" "
    "declaredType=\"E\" start=\"-4\"/>\n"
    "<Clock name=\"k\" valueReference=\"18\" causality=\"input\" "
    "declaredType=\"C\" shiftDecimal=\"0.25\" canBeDeactivated=\"true\" "
    "supportsFraction=\"true\" resolution=\"1000\" intervalCounter=\"500\" "
    "shiftCounter=\"250\"/>\n"
    "<Clock name=\"k2\" valueReference=\"19\" causality=\"output\" "
    "intervalVariability=\"triggered\"/>\n"
    "<Int32 name=\"q\" valueReference=\"20\" clocks=\"18 19\" "
    "previous=\"21\"/>\n"
    "<Int32 name=\"pq\" valueReference=\"21\" initial=\"exact\" "
    "start=\"1\"/>\n"
    "</ModelVariables>\n"
    "<ModelStructure>\n"
    "<Output valueReference=\"1\" dependencies=\"4 13\" "
    "dependenciesKind=\"dependent constant\"/>\n"
    "<Output valueReference=\"19\"/>\n"
    "<ContinuousStateDerivative valueReference=\"3\" dependencies=\"\"/>\n"
    "<ClockedState valueReference=\"20\"/>\n"
    "<InitialUnknown valueReference=\"3\"/>\n"
    "<EventIndicator valueReference=\"1\"/>\n"
    "</ModelStructure>\n"
    "<Annotations><Annotation type=\"other\"><Q/></Annotation><Annotation "
    "type=\"org.tutti\"><Unit evaluates=\"event\" propagationDelay=\"0.05\" "
    "shortestReaction=\"0.25\" outputFrequency=\"20\"><Port name=\"ax\" "
    "reactivity=\"either\"/></Unit></Annotation></Annotations>\n"
    "</fmiModelDescription>\n";

static void the_head_of_fmi3(void **state)
{
    struct tt_md *md = clean_md_of(fmi3_all);
    const struct tt_md_interface *cs = &md->cs;

    (void)state;
    assert_int_equal(md->version, TT_FMI_3);
    assert_string_equal(md->fmi_version, "3.0.1");
    assert_string_equal(md->token, "{t}");
    assert_false(md->structured_names);
    assert_string_equal(
        tt_md_interfaces(md),
        "Co-Simulation, Model Exchange and Scheduled Execution");
    assert_string_equal(md->se.model_identifier, "se");
    assert_true(md->me.needs_completed_step && md->me.evaluate_discrete_states);
    assert_true(cs->needs_execution_tool && cs->once_per_process &&
                cs->get_set_state && cs->serialize_state &&
                cs->directional_derivatives && cs->adjoint_derivatives &&
                cs->per_element_dependencies && cs->variable_step &&
                cs->has_fixed_internal_step && cs->intermediate_update &&
                cs->might_return_early && cs->can_return_early &&
                cs->event_mode && cs->evaluate_discrete_states);
    assert_true(cs->fixed_internal_step == 0.125);
    assert_int_equal(cs->max_output_derivative, 1);
    assert_int_equal(cs->input_smoothness, -1);
    assert_true(md->unit[0].display[0].inverse);
    assert_true(md->experiment.has_stop && !md->experiment.has_start);
    assert_int_equal(md->evaluates, TT_MD_EVALUATES_EVENT);
    assert_true(md->propagation_delay == 0.05 &&
                md->shortest_reaction == 0.25 && md->output_frequency == 20);
    tt_md_free(md);
}

static void arrays_have_dimensions_and_sizes(void **state)
{
    struct tt_md *md = clean_md_of(fmi3_all);
    const struct tt_md_var *x = var_of(md, "x");

    (void)state;
    assert_int_equal(x->dim_n, 2);
    assert_int_equal(x->dim[0].var, TT_NONE);
    assert_int_equal(x->dim[0].start, 2);
    assert_int_equal(x->dim[1].var, tt_md_find(md, "n"));
    assert_int_equal(x->dim[1].start, 3);
    assert_int_equal(x->size, 6);
    assert_int_equal(x->start_n, 6);
    assert_true(((const double *)x->start)[5] == 6);
    assert_int_equal(x->line, 18);
    assert_int_equal(var_of(md, "f")->size, 1);
    assert_int_equal(var_of(md, "f")->dim_n, 0);
    tt_md_free(md);
}

static void every_type_has_its_native_start(void **state)
{
    struct tt_md *md = clean_md_of(fmi3_all);
    const unsigned char *b;
    const struct tt_md_var *v;

    (void)state;
    assert_true(*(const float *)var_of(md, "f")->start == 0.5f);
    assert_int_equal(*(const int8_t *)var_of(md, "i8")->start, -128);
    assert_int_equal(*(const uint8_t *)var_of(md, "u8")->start, 255);
    assert_int_equal(*(const int16_t *)var_of(md, "i16")->start, -32768);
    assert_int_equal(*(const uint16_t *)var_of(md, "u16")->start, 65535);
    assert_true(*(const int32_t *)var_of(md, "i32")->start == INT32_MIN);
    assert_true(*(const uint32_t *)var_of(md, "u32")->start == UINT32_MAX);
    assert_true(*(const int64_t *)var_of(md, "i64")->start == INT64_MIN);
    assert_true(*(const uint64_t *)var_of(md, "u64")->start == UINT64_MAX);
    b = var_of(md, "b")->start;
    assert_int_equal(var_of(md, "b")->type, TT_BOOL);
    assert_true(b[0] == 1 && b[1] == 0 && b[2] == 1);
    v = var_of(md, "s");
    assert_int_equal(v->start_n, 2);
    assert_string_equal(v->start_bytes[0].s, "one ");
    assert_string_equal(v->start_bytes[1].s, "");
    v = var_of(md, "y");
    assert_int_equal(v->start_bytes->n, 3);
    assert_memory_equal(v->start_bytes->s, "\x00\xff\x7f", 3);
    assert_string_equal(v->mime, "x/y");
    assert_int_equal(v->max_size, 64);
    v = var_of(md, "z");
    assert_string_equal(v->mime, "q/r");
    assert_int_equal(v->max_size, 9);
    v = var_of(md, "e");
    assert_int_equal(v->type, TT_ENUM64);
    assert_int_equal(*(const int64_t *)v->start, -4);
    assert_true(v->declared->item[1].value == INT64_MAX);
    tt_md_free(md);
}

static void defaults_follow_causality_and_type(void **state)
{
    struct tt_md *md = clean_md_of(fmi3_all);

    (void)state;
    assert_int_equal(var_of(md, "f")->variability, TT_VAR_CONTINUOUS);
    assert_int_equal(var_of(md, "f")->initial, TT_INIT_EXACT);
    assert_int_equal(var_of(md, "f")->multiple_set, 0);
    assert_int_equal(var_of(md, "i8")->variability, TT_VAR_FIXED);
    assert_int_equal(var_of(md, "u64")->variability, TT_VAR_TUNABLE);
    assert_int_equal(var_of(md, "n")->variability, TT_VAR_FIXED);
    assert_int_equal(var_of(md, "n")->causality, TT_CAUS_STRUCTURAL);
    assert_int_equal(var_of(md, "b")->variability, TT_VAR_DISCRETE);
    assert_int_equal(var_of(md, "dx")->initial, TT_INIT_CALCULATED);
    assert_int_equal(var_of(md, "time")->initial, TT_INIT_NONE);
    assert_int_equal(var_of(md, "k")->variability, TT_VAR_DISCRETE);
    assert_int_equal(var_of(md, "k")->initial, TT_INIT_NONE);
    assert_string_equal(var_of(md, "y")->mime, "x/y");
    tt_md_free(md);
}

static void references_are_resolved_also_forward(void **state)
{
    struct tt_md *md = clean_md_of(fmi3_all);
    const struct tt_md_var *x = var_of(md, "x"), *q = var_of(md, "q");

    (void)state;
    assert_int_equal(var_of(md, "dx")->derivative_of, 1);
    assert_int_equal(q->previous, tt_md_find(md, "pq"));
    assert_int_equal(q->clock_n, 2);
    assert_int_equal(q->clock[1], tt_md_find(md, "k2"));
    assert_true(x->intermediate_update && x->reinit);
    assert_int_equal(x->alias_n, 1);
    assert_string_equal(x->alias[0].name, "ax");
    assert_string_equal(x->alias[0].description, "other");
    assert_string_equal(x->alias[0].display_name, "1/m");
    assert_int_equal(tt_md_find(md, "ax"), 1);
    assert_int_equal(x->reactivity, TT_MD_EITHER);
    assert_ptr_equal(x->display, &md->unit[0].display[0]);
    assert_int_equal(find_vr(md, TT_F64, 21), tt_md_find(md, "pq"));
    assert_int_equal(find_vr(md, TT_F64, 99), TT_NONE);
    tt_md_free(md);
}

static void clocks_merge_their_type(void **state)
{
    struct tt_md *md = clean_md_of(fmi3_all);
    const struct tt_md_clock *k = &var_of(md, "k")->clk;

    (void)state;
    assert_int_equal(k->interval, TT_INTERVAL_CONSTANT);
    assert_true(k->has_interval_decimal && k->interval_decimal == 0.5);
    assert_true(k->has_priority && k->priority == 2);
    assert_true(k->shift_decimal == 0.25 && k->can_be_deactivated &&
                k->supports_fraction);
    assert_true(k->has_resolution && k->resolution == 1000 && k->has_counter &&
                k->interval_counter == 500 && k->shift_counter == 250);
    assert_int_equal(var_of(md, "k2")->clk.interval, TT_INTERVAL_TRIGGERED);
    assert_string_equal(tt_interval_name(k->interval), "constant");
    tt_md_free(md);
}

static void the_structure_of_fmi3(void **state)
{
    struct tt_md *md = clean_md_of(fmi3_all);

    (void)state;
    assert_int_equal(md->output.n, 2);
    assert_int_equal(md->output.item[0].dep_n, 2);
    assert_int_equal(md->output.item[0].dep[1], tt_md_find(md, "b"));
    assert_int_equal(md->output.item[0].kind[1], TT_DEP_CONSTANT);
    assert_false(md->output.item[1].known);
    assert_int_equal(md->derivative.n, 1);
    assert_true(md->derivative.item[0].known);
    assert_int_equal(md->clocked_state.item[0].var, tt_md_find(md, "q"));
    assert_int_equal(md->initial_unknown.n, 1);
    assert_int_equal(md->event_indicator.n, 1);
    tt_md_free(md);
}

static void findings(const char *variables, const char *rule, int line,
                     const char *text, int fatal)
{
    struct tt_buf b;
    struct tt_md *md;
    tt_err err;

    tt_buf_init(&b, 100000);
    tt_buf_fmt(&b,
               "<fmiModelDescription fmiVersion=\"3.0\" "
               "instantiationToken=\"g\" modelName=\"m\">\n<ModelVariables>\n"
               "%s</ModelVariables><ModelStructure/></fmiModelDescription>",
               variables);
    md = md_of(b.data);
    expect_finding(&md->findings, rule, line, text);
    assert_int_equal(md->findings.n, 1);
    assert_int_equal(tt_findings_fail(&md->findings, &err) != TT_OK, fatal);
    tt_md_free(md);
    tt_buf_fini(&b);
}

static void times_that_bound_steps_are_positive(void **state)
{
    static const char *const value[] = {"0", "-1", "INF"};

    (void)state;
    for (size_t i = 0; i < sizeof(value) / sizeof(*value); i++) {
        struct tt_buf b, text;
        struct tt_md *md;

        tt_buf_init(&b, 100000);
        tt_buf_init(&text, 1000);
        tt_buf_fmt(&b,
                   "<fmiModelDescription fmiVersion=\"3.0\" "
                   "instantiationToken=\"g\" modelName=\"m\">\n"
                   "<ModelVariables><Float64 name=\"a\" "
                   "valueReference=\"1\"/></ModelVariables><ModelStructure/>\n"
                   "<Annotations><Annotation type=\"org.tutti\"><Unit "
                   "propagationDelay=\"%s\"/></Annotation></Annotations>"
                   "</fmiModelDescription>",
                   value[i]);
        tt_buf_fmt(&text,
                   "an annotated time or frequency is %s, not a finite "
                   "number greater than 0",
                   value[i]);
        md = md_of(b.data);
        expect_finding(&md->findings, "TUTTI-TIMING", 3, text.data);
        assert_true(md->propagation_delay == 0);
        tt_md_free(md);
        tt_buf_fini(&b);
        tt_buf_fini(&text);
    }
}

static void mistakes_of_fmi3_are_findings(void **state)
{
    (void)state;
    findings("<Float64 name=\"a\" valueReference=\"1\"/>\n"
             "<Int8 name=\"b\" valueReference=\"1\"/>\n",
             "FMI3-VAR-REFERENCE", 4,
             "variable 'b' has the value reference 1 of variable 'a'", 0);
    findings("<Float64 name=\"a\" valueReference=\"1\"><Alias name=\"a\"/>"
             "</Float64>",
             "FMI-VAR-UNIQUE", 3,
             "variable name 'a' is used twice; the first one counts", 0);
    findings("<Float64 name=\"a\" valueReference=\"1\" derivative=\"7\"/>",
             "FMI-VAR-DERIVATIVE", 3,
             "derivative=\"7\" of variable 'a' is not the value reference of a "
             "variable",
             0);
    findings("<Int8 name=\"a\" valueReference=\"1\" previous=\"7\"/>",
             "FMI3-VAR-PREVIOUS", 3,
             "previous=\"7\" of variable 'a' is not the value reference of a "
             "variable",
             0);
    findings("<Int8 name=\"a\" valueReference=\"1\" clocks=\"x\"/>",
             "FMI3-VAR-CLOCKS", 3,
             "clocks of variable 'a': x is not the value reference of a "
             "variable",
             0);
    findings("<Int8 name=\"a\" valueReference=\"1\" causality=\"parameter\" "
             "start=\"128\"/>",
             "FMI-VAR-START", 3,
             "start value '128' of variable 'a' is not a value of type Int8",
             0);
    findings("<Float64 name=\"a\" valueReference=\"1\"><Dimension/></Float64>",
             "FMI3-DIM-SIZE", 3,
             "dimension of variable 'a' has no usable size: neither start nor "
             "the valueReference of a variable",
             1);
    findings("<Float64 name=\"a\" valueReference=\"1\"><Dimension "
             "valueReference=\"1\"/></Float64>",
             "FMI3-DIM-SIZE", 3,
             "variable 'a' takes its size from 'a', which is not a UInt64 with "
             "a start value",
             1);
    findings("<Float64 name=\"a\" valueReference=\"1\"><Dimension "
             "start=\"3\" valueReference=\"1\"/></Float64>",
             "FMI3-DIM-EXCLUSIVE", 3,
             "dimension of variable 'a' has both start and valueReference; "
             "start counts",
             0);
    findings("<Float64 name=\"a\" valueReference=\"1\"><Dimension "
             "start=\"4294967296\"/><Dimension start=\"2\"/></Float64>",
             "FMI3-DIM-SIZE", 3,
             "variable 'a' has more than 4294967296 elements", 1);
    findings("<Binary name=\"a\" valueReference=\"1\"><Start value=\"0g\"/>"
             "</Binary>",
             "FMI-XML-VALUE", 3, "value=\"0g\" of <Start> is not hexadecimal",
             0);
    findings("<Binary name=\"a\" valueReference=\"1\"><Start value=\"012\"/>"
             "</Binary>",
             "FMI-XML-VALUE", 3,
             "value=\"012\" of <Start> is not hexadecimal of even length", 0);
    findings("<Clock name=\"a\" valueReference=\"1\"/>", "FMI-XML-REQUIRED", 3,
             "<Clock> lacks the required attribute 'intervalVariability'", 0);
    findings("<Real name=\"a\"/>", "FMI-XML-ELEMENT", 3,
             "element <Real> is not known in <ModelVariables> and is ignored",
             0);
}

static void one_start_value_stands_for_all_elements(void **state)
{
    struct tt_md *md = clean_md_of(
        "<fmiModelDescription fmiVersion=\"3.0\" instantiationToken=\"g\" "
        "modelName=\"m\"><ModelVariables><Float64 name=\"a\" "
        "valueReference=\"1\" causality=\"input\" start=\"7\"><Dimension "
        "start=\"1000000\"/></Float64></ModelVariables><ModelStructure/>"
        "</fmiModelDescription>");

    (void)state;
    assert_int_equal(md->var[0].size, 1000000);
    assert_int_equal(md->var[0].start_n, 1);
    tt_md_free(md);
}

static void running_out_of_memory_is_reported(void **state)
{
    struct tt_md *md = NULL;
    enum tt_code rc = TT_ENOMEM;
    tt_err err;

    (void)state;
    for (uint64_t n = 1; rc != TT_OK; n++) {
        assert_true(n < 5000);
        tt_mem_fail_after(n);
        rc = tt_md_parse(&md, fmi3_all, strlen(fmi3_all), &err);
        tt_mem_fail_after(0);
        if (rc != TT_OK)
            assert_int_equal(rc, TT_ENOMEM);
    }
    tt_md_free(md);
}

static void an_undeclared_prefix_is_refused(void **state)
{
    static const char xml[] =
        "<fmiModelDescription fmiVersion=\"3.0\" no:where=\"1\"/>";
    struct tt_md *md = NULL;
    tt_err err = {.code = TT_OK};

    (void)state;
    assert_int_equal(tt_md_parse(&md, xml, sizeof(xml) - 1, &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "modelDescription.xml:1:51: not well-formed XML: Namespace "
                 "prefix no for where on fmiModelDescription is not defined");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_of_fmi3),
        cmocka_unit_test(an_undeclared_prefix_is_refused),
        cmocka_unit_test(arrays_have_dimensions_and_sizes),
        cmocka_unit_test(every_type_has_its_native_start),
        cmocka_unit_test(defaults_follow_causality_and_type),
        cmocka_unit_test(references_are_resolved_also_forward),
        cmocka_unit_test(clocks_merge_their_type),
        cmocka_unit_test(the_structure_of_fmi3),
        cmocka_unit_test(mistakes_of_fmi3_are_findings),
        cmocka_unit_test(one_start_value_stands_for_all_elements),
        cmocka_unit_test(times_that_bound_steps_are_positive),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    (void)snprintf(fmi3_all, sizeof(fmi3_all), "%s%s", first_half, second_half);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
