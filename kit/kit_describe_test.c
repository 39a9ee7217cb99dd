/* SPDX-License-Identifier: MIT */
/* What model descriptions state. */
#include "kit_test_util.h"

static void has(const char *xml, const char *text)
{
    if (!strstr(xml, text))
        fail_msg("the description does not contain: %s", text);
}

static void the_fmi_2_description_states_what_the_table_states(void **state)
{
    char *xml = test_description("types", 2);

    (void)state;
    has(xml, "<Unit name=\"furlong\"><BaseUnit m=\"1\" factor=\"201.168\"/>");
    has(xml, "<Unit name=\"degC\"><BaseUnit K=\"1\" offset=\"273.15\"/>");
    has(xml, "<Item name=\"idle &amp; &quot;warm&quot;\" value=\"2\"/>");
    has(xml, "<Enumeration declaredType=\"Mode\" start=\"2\"/>");
    has(xml, "<String start=\"a&lt;b &amp; &quot;c&quot;\"/>");
    has(xml, "name=\"vector_in[3]\" valueReference=\"29\" causality=\"input\" "
             "variability=\"continuous\"><Real start=\"1e+22\"/>");
    has(xml, "<Integer start=\"2147483647\"/>"); /* the nearest to 2^64 - 1 */
    has(xml, "name=\"matrix_in[2,1]\" valueReference=\"36\"");
    has(xml, "name=\"offset.bias\" valueReference=\"46\" "
             "causality=\"parameter\" variability=\"fixed\" "
             "initial=\"exact\"><Real nominal=\"1e-07\" "
             "start=\"0.3333333333333333\"/>");
    has(xml, "causality=\"parameter\" variability=\"tunable\" "
             "initial=\"exact\"><Real unit=\"furlong\" min=\"0\" "
             "start=\"1\"/>");
    has(xml, "<Unknown index=\"31\" dependencies=\"28 29 30\"/>");
    has(xml, "<Unknown index=\"31\" dependencies=\"28 29 30 46\"/>");
    has(xml, "<Tool name=\"org.tutti\"><Unit evaluates=\"always\" "
             "propagationDelay=\"0.05\" shortestReaction=\"0.25\" "
             "outputFrequency=\"20\"><Port name=\"vector_in\" "
             "reactivity=\"reactive\"/>"
             "<Port name=\"matrix_in\" reactivity=\"delayed\"/></Unit>");
    free(xml);
}

static void the_fmi_3_description_states_what_the_table_states(void **state)
{
    char *xml = test_description("types", 3);

    (void)state;
    has(xml, "<UInt64 name=\"u64_in\" valueReference=\"19\" "
             "causality=\"input\" variability=\"discrete\" "
             "start=\"18446744073709551615\"/>");
    has(xml, "start=\"0.1 -2.5e-300 1e+22\">\n      <Dimension start=\"3\"/>");
    has(xml, "start=\"1 2 3 4 5 6\">\n      <Dimension start=\"2\"/>\n"
             "      <Dimension start=\"3\"/>");
    has(xml, "<Start value=\"a&lt;b &amp; &quot;c&quot;\"/>");
    has(xml, "<EnumerationType name=\"Mode\">");
    has(xml, "<Output valueReference=\"30\" dependencies=\"27\"/>");
    has(xml, "<InitialUnknown valueReference=\"30\" dependencies=\"27 45\"/>");
    has(xml, "<Annotation type=\"org.tutti\"><Unit evaluates=\"always\" "
             "propagationDelay=\"0.05\" shortestReaction=\"0.25\" "
             "outputFrequency=\"20\"><Port name=\"vector_in\" "
             "reactivity=\"reactive\"/>");
    free(xml);
}

static void
published_states_and_unknown_dependencies_are_described(void **state)
{
    char *two = test_description("oscillator", 2);
    char *three = test_description("oscillator", 3);

    (void)state;
    has(two, "<Real unit=\"m/s2\" derivative=\"4\"/>");
    has(two, "<Derivatives>\n      <Unknown index=\"5\" dependencies=\"4\"/>\n"
             "      <Unknown index=\"6\" dependencies=\"2 3 4\"/>");
    has(two, "<Unknown index=\"8\"/>"); /* power: depends on who knows what */
    has(two, "<InitialUnknowns>\n      <Unknown index=\"5\" "
             "dependencies=\"4\"/>\n      <Unknown index=\"6\" "
             "dependencies=\"2 3 4 9 10 11\"/>");
    has(three, "unit=\"m/s2\" derivative=\"3\"/>");
    has(three,
        "<ContinuousStateDerivative valueReference=\"4\" dependencies=\"3\"/>");
    free(two);
    free(three);
}

static void the_readme_shows_a_unit_that_compiles(void **state)
{
    char *readme = test_read(KIT_SOURCE_DIR "/README.md");
    char *tank = test_read(KIT_SOURCE_DIR "/test_models/tank.c");

    (void)state;
    has(readme, tank);
    free(readme);
    free(tank);
}

static void run_describe(const char *command, char *text, size_t size, int code)
{
    FILE *pipe = popen(command, "r");
    size_t n;

    assert_non_null(pipe);
    n = fread(text, 1, size - 1, pipe);
    text[n] = '\0';
    assert_int_equal(pclose(pipe) != 0, code);
}

static void sizes_and_terminals_are_described(void **state)
{
    char text[8192];

    (void)state;
    run_describe(KIT_TEST_DIR "/kit_describe_sized 3", text, sizeof(text), 0);
    assert_non_null(
        strstr(text, "<UInt64 name=\"rows\" valueReference=\"1\" "
                     "causality=\"structuralParameter\" variability=\"fixed\" "
                     "initial=\"exact\" max=\"4\" start=\"1\"/>"));
    assert_non_null(strstr(text, " min=\"1\" max=\"3\" start=\"2\"/>"));
    assert_non_null(
        strstr(text, "start=\"1 1\">\n      <Dimension valueReference=\"1\"/>"
                     "\n      <Dimension valueReference=\"2\"/>"));
    run_describe(KIT_TEST_DIR "/kit_describe_sized t", text, sizeof(text), 0);
    assert_string_equal(
        text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n"
              "    <Terminal name=\"side\" matchingRule=\"bus\" "
              "terminalKind=\"org.tutti.side\" "
              "description=\"in &amp; out\">\n"
              "      <TerminalMemberVariable variableName=\"u\" "
              "memberName=\"in\" variableKind=\"signal\"/>\n"
              "      <TerminalMemberVariable variableName=\"y\" "
              "memberName=\"out\" variableKind=\"outflow\"/>\n"
              "    </Terminal>\n  </Terminals>\n</fmiTerminalsAndIcons>\n");
    run_describe(KIT_TEST_DIR "/kit_describe_sized 2 2>&1", text, sizeof(text),
                 1);
    assert_string_equal(text, "sized: structural parameters need FMI 3\n");
    run_describe(KIT_TEST_DIR "/kit_describe_tank t", text, sizeof(text), 0);
    assert_string_equal(text, ""); /* it has none */
}

static void an_unsound_table_is_refused_with_every_reason(void **state)
{
    static const char expected[] =
        "unsound: 'a' has the unknown unit 'parsec'\n"
        "unsound: 'b' depends on 'q', which does not exist\n"
        "unsound: 'x' depends on 'b', which is itself calculated\n"
        "unsound: the name 'b' is taken\n"
        "unsound: 'z' is the derivative of 'x', which is no such state\n"
        "unsound: the member of 'y' has another type or size than its row\n"
        "unsound: 'y' has a unit but is no floating-point number\n"
        "unsound: 'n' is continuous but no floating-point number\n"
        "unsound: the enumeration 'mode' has no items\n"
        "unsound: only parameters are fixed or tunable, unlike 'p'\n"
        "unsound: 'p' starts outside its range\n"
        "unsound: the state 's' is not a double output or local\n"
        "unsound: the state 's' is not continuous\n"
        "unsound: the clock 'k' needs an event or a partition hook\n"
        "unsound: the clock 'k' is periodic if and only if it has an "
        "interval\n"
        "unsound: the shift of the clock 'k' is negative or without effect\n"
        "unsound: the clock 'o' needs an event or a partition hook\n"
        "unsound: the output clock 'o' ticks in hooks only\n"
        "unsound: the clock 'l' needs an event or a partition hook\n"
        "unsound: the clock 'l' is no input and no output\n"
        "unsound: 'c' belongs to 'n', which is no clock\n"
        "unsound: 'c' belongs to a clock but is not discrete\n"
        "unsound: a size of 'd' follows 'a', which is no structural "
        "parameter\n"
        "unsound: of a size of 'd' it is not stated how much it may be\n"
        "unsound: the structural parameter 'size' is no uint64_t\n"
        "unsound: the structural parameter 'size' starts outside its range\n"
        "unsound: terminal 't' names 'w', which does not exist\n"
        "unsound: a member of terminal 't' has no name\n"
        "unsound: there are states but nothing that integrates them\n"
        "unsound: 'a' chooses the solver but is no 32-bit integer\n";
    char text[4096];

    (void)state;
    run_describe(KIT_TEST_DIR "/kit_describe_unsound 3 2>&1", text,
                 sizeof(text), 1);
    assert_string_equal(text, expected);
}

static void unsound_events_are_refused(void **state)
{
    char text[4096];

    (void)state;
    run_describe(KIT_TEST_DIR "/kit_describe_unsound_events 3 2>&1", text,
                 sizeof(text), 1);
    assert_string_equal(
        text,
        "unsound: the input 'u' of a unit with discrete events takes none\n"
        "unsound: discrete events need the rows TUTTI_EVENTS\n"
        "unsound: discrete events need the hook internal\n"
        "unsound: events come in if and only if there is the hook external\n"
        "unsound: with discrete events there are no states and no hooks event, "
        "partition, step or after_step\n");
    run_describe(KIT_TEST_DIR "/kit_describe_unsound_hooks 2 2>&1", text,
                 sizeof(text), 1);
    assert_non_null(
        strstr(text, "unsound: discrete events need the hook ta\n"));
    run_describe(KIT_TEST_DIR "/kit_describe_signal 1 2>&1", text, sizeof(text),
                 1);
    assert_non_null(strstr(text, "discrete events need FMI 2 or 3\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fmi_2_description_states_what_the_table_states),
        cmocka_unit_test(the_fmi_3_description_states_what_the_table_states),
        cmocka_unit_test(
            published_states_and_unknown_dependencies_are_described),
        cmocka_unit_test(the_readme_shows_a_unit_that_compiles),
        cmocka_unit_test(sizes_and_terminals_are_described),
        cmocka_unit_test(an_unsound_table_is_refused_with_every_reason),
        cmocka_unit_test(unsound_events_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
