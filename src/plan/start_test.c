/* SPDX-License-Identifier: MIT */
/* Values given before initialisation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/testing.h"

/* A unit with one parameter, and what the scenario gives for it. */
struct given {
    struct tt_fake fake;
    struct tt_stand st;
    struct tt_port *p;
};

static void begin(struct given *g, enum tt_type type)
{
    tt_fake_init(&g->fake);
    tt_stand_init(&g->st);
    g->p = tt_fake_port(&g->fake, "p", TT_CAUS_PARAMETER, type);
    tt_stand_fake(&g->st, "{a}", &g->fake);
}

static void end(struct given *g)
{
    tt_stand_fini(&g->st);
    tt_fake_fini(&g->fake);
}

static enum tt_code plan(struct given *g, const char *value)
{
    char json[4096];

    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{a}\": \"a\"},\n\"parameters\": {\"{a}.a.p\": %s},"
             "\n\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
             "\"endTime\": 2}",
             value);
    return tt_stand_plan(&g->st, json);
}

/* --- every type ---------------------------------------------------------- */

static void taken(enum tt_type type, const char *value, const char *shown)
{
    struct given g;
    char text[TT_TEXT_MAX];

    begin(&g, type);
    if (plan(&g, value) != TT_OK)
        fail_msg("%s for %s: %s", value, tt_type_name(type), g.st.err.msg);
    assert_int_equal(g.st.plan->n_start, 1);
    assert_int_equal(g.st.plan->start[0].given, 1);
    tt_value_print(text, type, g.st.plan->start[0].value);
    assert_string_equal(text, shown);
    end(&g);
}

static void not_taken(enum tt_type type, const char *value, const char *shown)
{
    struct given g;
    char text[TT_ERR_MAX];

    begin(&g, type);
    assert_int_equal(plan(&g, value), TT_EINPUT);
    snprintf(text, sizeof(text),
             "t.json:2:16: '{a}.a.p' is %s and cannot be set to %s",
             tt_type_name(type), shown);
    assert_string_equal(g.st.err.msg, text);
    end(&g);
}

static void integers_are_taken_up_to_their_limits(void **state)
{
    static const struct {
        enum tt_type type;
        const char *low, *high, *below, *above;
    } of[] = {
        {TT_I8, "-128", "127", "-129", "128"},
        {TT_U8, "0", "255", "-1", "256"},
        {TT_I16, "-32768", "32767", "-32769", "32768"},
        {TT_U16, "0", "65535", "-1", "65536"},
        {TT_I32, "-2147483648", "2147483647", "-2147483649", "2147483648"},
        {TT_U32, "0", "4294967295", "-1", "4294967296"},
        {TT_ENUM32, "-2147483648", "2147483647", "-2147483649", "2147483648"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        taken(of[i].type, of[i].low, of[i].low);
        taken(of[i].type, of[i].high, of[i].high);
        not_taken(of[i].type, of[i].below, of[i].below);
        not_taken(of[i].type, of[i].above, of[i].above);
        not_taken(of[i].type, "1.5", "1.5");
        not_taken(of[i].type, "\"one\"", "\"one\"");
        taken(of[i].type, "3.0", "3");
        taken(of[i].type, "\"17\"", "17");
    }
}

static void wide_integers_are_exact(void **state)
{
    (void)state;
    taken(TT_I64, "9007199254740993", "9007199254740993"); /* 2^53 + 1 */
    taken(TT_I64, "-9223372036854775808", "-9223372036854775808");
    taken(TT_I64, "9223372036854775807", "9223372036854775807");
    taken(TT_ENUM64, "9007199254740993", "9007199254740993");
    taken(TT_U64, "9223372036854775807", "9223372036854775807");
    taken(TT_U64, "\"18446744073709551615\"", "18446744073709551615");
    not_taken(TT_U64, "-1", "-1");
}

static void floats_take_numbers(void **state)
{
    (void)state;
    taken(TT_F64, "0.1", "0.1");
    taken(TT_F64, "-3", "-3.0");
    not_taken(TT_F64, "true", "true");
    not_taken(TT_F32, "false", "false");
    not_taken(TT_I32, "true", "true");
    taken(TT_F64, "\"2.5\"", "2.5");
    taken(TT_F32, "0.5", "0.5");
    not_taken(TT_F64, "\"x\"", "\"x\"");
    not_taken(TT_F32, "1e300", "1e300");
}

static void booleans_take_true_false_one_and_zero(void **state)
{
    static const enum tt_type type[] = {TT_BOOL, TT_BOOL32};

    (void)state;
    for (int i = 0; i < 2; i++) {
        taken(type[i], "true", "true");
        taken(type[i], "false", "false");
        taken(type[i], "1", "true");
        taken(type[i], "0.0", "false");
        taken(type[i], "\"true\"", "true");
        not_taken(type[i], "2", "2");
        not_taken(type[i], "0.5", "0.5");
        not_taken(type[i], "\"yes\"", "\"yes\"");
    }
}

static void odd(enum tt_type type, const char *value, const char *is,
                const char *warning)
{
    struct given g;
    char text[TT_ERR_MAX];

    begin(&g, type);
    assert_int_equal(plan(&g, value), TT_OK);
    snprintf(text, sizeof(text),
             "warning: t.json:2:16: '{a}.a.p' is %s and given as %s, which is "
             "taken as "
             "%s",
             tt_type_name(type), is, warning);
    assert_int_equal(tt_stand_logged(&g.st, text), *warning != '\0');
    end(&g);
}

static void a_value_of_another_kind_is_taken_with_a_warning(void **state)
{
    (void)state;
    odd(TT_BOOL, "1", "1", "true");
    odd(TT_BOOL32, "0.0", "0", "false");
    odd(TT_BOOL, "\"true\"", "\"true\"", "true");
    odd(TT_F64, "\"2.5\"", "\"2.5\"", "2.5");
    odd(TT_I32, "\"17\"", "\"17\"", "17");
    odd(TT_BOOL, "true", "true", "");
    odd(TT_F64, "3", "3", "");
    odd(TT_I32, "3.0", "3", "");
    odd(TT_TEXT, "\"3\"", "\"3\"", "");
}

static void texts_take_texts_only(void **state)
{
    (void)state;
    taken(TT_TEXT, "\"a b\"", "a b");
    taken(TT_TEXT, "\"\"", "");
    not_taken(TT_TEXT, "12", "12");
    not_taken(TT_TEXT, "true", "true");
    taken(TT_BYTES, "\"0aff\"", "0aff");
    not_taken(TT_BYTES, "\"0g\"", "\"0g\"");
    not_taken(TT_CLOCK, "1", "1");
    not_taken(TT_CLOCK, "true", "true");
    not_taken(TT_ENUM32, "true", "true");
}

/* The plan has the bytes. */
static void a_text_too_long_for_a_slot_is_kept(void **state)
{
    struct given g;
    const struct tt_text *text;
    char value[1100];

    (void)state;
    memset(value, 'x', sizeof(value));
    value[0] = value[1030] = '"';
    value[1031] = '\0';
    begin(&g, TT_TEXT);
    assert_int_equal(plan(&g, value), TT_OK);
    text = g.st.plan->start[0].value;
    assert_int_equal(text->n, 1029);
    value[1030] = '\0';
    assert_string_equal(tt_text_data(g.st.plan->texts, text, NULL), value + 1);
    end(&g);
}

/* What is typed for --set keeps its text, because a String may be given 1. */
static void a_string_takes_what_was_typed_on_the_command_line(void **state)
{
    static const char *const typed[] = {"12", "true", "1.50", "free text"};

    (void)state;
    for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++) {
        struct tt_sc_options o = TT_SC_OPTIONS_INIT;
        const char *set[1];
        const char json[] =
            "{\"fmus\": {\"{a}\": \"a\"}, \"instances\": {\"{a}\": [\"a\"]}, "
            "\"connections\": {}, \"endTime\": 2}";
        const struct tt_desc *desc[1];
        const struct tt_text *text;
        struct given g;
        char option[64];

        begin(&g, TT_TEXT);
        snprintf(option, sizeof(option), "{a}.a.p=%s", typed[i]);
        set[0] = option;
        o.set = set;
        o.n_set = 1;
        assert_int_equal(tt_scenario_parse(&g.st.scenario, "t.json", "/", json,
                                           strlen(json), &o, &g.st.log,
                                           &g.st.err),
                         TT_OK);
        desc[0] = &g.fake.desc;
        if (tt_plan_new(&g.st.plan, g.st.scenario, desc, NULL, &g.st.err) !=
            TT_OK)
            fail_msg("%s", g.st.err.msg);
        text = g.st.plan->start[0].value;
        assert_string_equal(text->s, typed[i]);
        end(&g);
    }
}

/* --- arrays -------------------------------------------------------------- */

static void arrays_are_given_whole_or_filled_with_a_scalar(void **state)
{
    static const uint32_t dim = 3;
    static const struct {
        const char *given;
        double want[3];
    } of[] = {{"[1, 2, 3]", {1, 2, 3}}, {"7", {7, 7, 7}}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct given g;
        const double *v;

        begin(&g, TT_F64);
        g.p->n = 3;
        g.p->n_dim = 1;
        g.p->dim = &dim;
        assert_int_equal(plan(&g, of[i].given), TT_OK);
        v = g.st.plan->start[0].value;
        assert_memory_equal(v, of[i].want, sizeof(of[i].want));
        end(&g);
    }
}

static void the_wrong_number_of_values_is_refused(void **state)
{
    struct given g;

    (void)state;
    begin(&g, TT_F64);
    assert_int_equal(plan(&g, "[1, 2]"), TT_EINPUT);
    assert_string_equal(g.st.err.msg,
                        "t.json:2:16: '{a}.a.p' has 1 element, 2 values were "
                        "given");
    end(&g);
}

static void items_of_enumerations_are_values(void **state)
{
    static const struct tt_item item[] = {{"low", -3}, {"high", 40}, {"5", 6}};
    static const struct tt_items items = {3, item};
    static const struct {
        enum tt_type type;
        const char *given, *shown;
    } row[] = {{TT_ENUM32, "\"high\"", "40"},
               {TT_ENUM64, "\"low\"", "-3"},
               {TT_ENUM64, "\"5\"", "6"}, /* its name comes first */
               {TT_ENUM64, "5", "5"},
               {TT_I32, "7", "7"}};
    char text[TT_TEXT_MAX];
    struct given g;

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        begin(&g, row[i].type);
        g.p->items = &items;
        if (plan(&g, row[i].given) != TT_OK)
            fail_msg("%s: %s", row[i].given, g.st.err.msg);
        tt_value_print(text, row[i].type, g.st.plan->start[0].value);
        assert_string_equal(text, row[i].shown);
        assert_null(g.st.logged.data ? strstr(g.st.logged.data, "given as")
                                     : NULL);
        end(&g);
    }
    begin(&g, TT_ENUM64);
    g.p->items = &items;
    assert_int_equal(plan(&g, "\"middle\""), TT_EINPUT);
    assert_string_equal(g.st.err.msg,
                        "t.json:2:16: '{a}.a.p' is Enumeration and cannot be "
                        "set to \"middle\"; its items are 'low', 'high', '5'");
    end(&g);
}

static void one_bad_element_spoils_the_array(void **state)
{
    static const uint32_t dim = 2;
    struct given g;

    (void)state;
    begin(&g, TT_I8);
    g.p->n = 2;
    g.p->n_dim = 1;
    g.p->dim = &dim;
    assert_int_equal(plan(&g, "[1, 300]"), TT_EINPUT);
    assert_string_equal(g.st.err.msg,
                        "t.json:2:16: '{a}.a.p' is Int8 and cannot be set to "
                        "an array of 2");
    end(&g);
}

/* --- which may be set ---------------------------------------------------- */

static void what_cannot_be_set_is_refused_with_the_reason(void **state)
{
    static const struct {
        enum tt_causality causality;
        enum tt_variability variability;
        enum tt_initial initial;
        const char *words; /* NULL: may be set */
    } of[] = {
        {TT_CAUS_PARAMETER, TT_VAR_FIXED, TT_INIT_EXACT, NULL},
        {TT_CAUS_PARAMETER, TT_VAR_TUNABLE, TT_INIT_EXACT, NULL},
        {TT_CAUS_STRUCTURAL, TT_VAR_FIXED, TT_INIT_EXACT, NULL},
        {TT_CAUS_INPUT, TT_VAR_CONTINUOUS, TT_INIT_EXACT, NULL},
        {TT_CAUS_OUTPUT, TT_VAR_CONTINUOUS, TT_INIT_EXACT, NULL},
        {TT_CAUS_LOCAL, TT_VAR_CONTINUOUS, TT_INIT_APPROX, NULL},
        {TT_CAUS_OUTPUT, TT_VAR_CONTINUOUS, TT_INIT_CALCULATED,
         "output, continuous, calculated"},
        {TT_CAUS_LOCAL, TT_VAR_DISCRETE, TT_INIT_CALCULATED,
         "local, discrete, calculated"},
        {TT_CAUS_LOCAL, TT_VAR_CONSTANT, TT_INIT_EXACT, "local, constant"},
        {TT_CAUS_PARAMETER, TT_VAR_CONSTANT, TT_INIT_EXACT,
         "parameter, constant"},
        {TT_CAUS_CALCULATED, TT_VAR_FIXED, TT_INIT_APPROX,
         "calculatedParameter, fixed"},
        {TT_CAUS_INDEPENDENT, TT_VAR_CONTINUOUS, TT_INIT_NONE,
         "independent, continuous"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        struct given g;
        char words[200];
        enum tt_code rc;

        begin(&g, TT_F64);
        g.p->causality = of[i].causality;
        g.p->variability = of[i].variability;
        g.p->initial = of[i].initial;
        rc = plan(&g, "1");
        snprintf(words, sizeof(words),
                 "t.json:2:16: '{a}.a.p' cannot be set: it is %s",
                 of[i].words ? of[i].words : "");
        assert_int_equal(rc, of[i].words ? TT_EINPUT : TT_OK);
        if (rc != TT_OK)
            assert_string_equal(g.st.err.msg, words);
        end(&g);
    }
}

static void an_unknown_parameter_is_refused_with_the_nearest_one(void **state)
{
    struct given g;

    (void)state;
    begin(&g, TT_F64);
    tt_fake_port(&g.fake, "volume", TT_CAUS_PARAMETER, TT_F64);
    assert_int_equal(
        tt_stand_plan(&g.st, "{\"fmus\": {\"{a}\": \"a\"},\n\"parameters\": "
                             "{\"{a}.a.volumen\": 1}, \"endTime\": 2}"),
        TT_EINPUT);
    assert_string_equal(
        g.st.err.msg,
        "t.json:2:16: instance '{a}.a' has no variable 'volumen', "
        "did you mean 'volume'?");
    end(&g);
}

/* An array of three, with what it declares and what the scenario gives. */
static const char *three(const double *start, const char *given,
                         const char *logged)
{
    static const uint32_t dim[] = {3};
    static char text[TT_ERR_MAX];
    struct tt_port *port;
    struct given g;
    char json[512];

    begin(&g, TT_F64);
    port = tt_fake_port(&g.fake, "u", TT_CAUS_PARAMETER, TT_F64);
    port->n = 3;
    port->n_dim = 1;
    port->dim = dim;
    port->start = start;
    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{a}\": \"a\"},\n\"parameters\": {%s}, "
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
             "\"endTime\": 2}",
             given);
    text[0] = '\0';
    if (tt_stand_plan(&g.st, json) != TT_OK) {
        snprintf(text, sizeof(text), "%s", g.st.err.msg);
    } else {
        assert_int_equal(g.st.plan->n_start, 1);
        for (int i = 0; i < 3; i++)
            snprintf(text + strlen(text), 32, "%g ",
                     ((const double *)g.st.plan->start[0].value)[i]);
    }
    if (logged)
        assert_true(tt_stand_logged(&g.st, logged));
    end(&g);
    return text;
}

static void single_elements_change_what_is_declared(void **state)
{
    static const double declared[] = {1, 2, 3};

    (void)state;
    assert_string_equal(three(declared, "\"{a}.a.u[2]\": 7", NULL), "1 7 3 ");
    assert_string_equal(
        three(declared, "\"{a}.a.u[3]\": 9, \"{a}.a.u[1]\": \"8\"",
              "warning: t.json:2:33: '{a}.a.u[1]' is Float64 and given as "
              "\"8\", which is taken as 8.0"),
        "8 2 9 ");
    assert_string_equal(
        three(NULL, "\"{a}.a.u\": [4, 5, 6], \"{a}.a.u[2]\": 0", NULL),
        "4 0 6 ");
    assert_string_equal(
        three(declared, "\"{a}.a.u[2]\": 0, \"{a}.a.u\": 5", NULL), "5 5 5 ");
}

static void elements_that_cannot_be_given_are_named(void **state)
{
    static const double declared[] = {1, 2, 3};

    (void)state;
    assert_string_equal(three(declared, "\"{a}.a.u[4]\": 7", NULL),
                        "t.json:2:16: instance '{a}.a' has no element 'u[4]': "
                        "'u' is an array of 3, counted from 1");
    assert_string_equal(three(declared, "\"{a}.a.u[0]\": 7", NULL),
                        "t.json:2:16: instance '{a}.a' has no element 'u[0]': "
                        "'u' is an array of 3, counted from 1");
    assert_string_equal(three(declared, "\"{a}.a.u[1]\": [7, 8]", NULL),
                        "t.json:2:16: '{a}.a.u[1]' has 1 element, 2 values "
                        "were given");
    assert_string_equal(
        three(NULL, "\"{a}.a.u[2]\": 7, \"{a}.a.u[3]\": 7", NULL),
        "t.json:2:33: of '{a}.a.u' 2 of 3 elements are given, and it declares "
        "no values for the others");
}

/* Two files or --set may name one parameter twice; JSON alone cannot. */
static void later_values_win(void **state)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    const char *const set[] = {"{a}.a.p=2", "{a}.a.q=5", "{a}.a.p=3"};
    const char json[] = "{\"fmus\": {\"{a}\": \"a\"}, \"parameters\": "
                        "{\"{a}.a.p\": 1}, \"endTime\": 2}";
    const struct tt_desc *desc[1];
    struct given g;

    (void)state;
    begin(&g, TT_F64);
    tt_fake_port(&g.fake, "q", TT_CAUS_PARAMETER, TT_F64);
    o.set = set;
    o.n_set = 3;
    assert_int_equal(tt_scenario_parse(&g.st.scenario, "t.json", "/", json,
                                       strlen(json), &o, NULL, &g.st.err),
                     TT_OK);
    desc[0] = &g.fake.desc;
    assert_int_equal(
        tt_plan_new(&g.st.plan, g.st.scenario, desc, NULL, &g.st.err), TT_OK);
    assert_int_equal(g.st.plan->n_start, 2);
    assert_true(*(const double *)g.st.plan->start[0].value == 3);
    assert_true(*(const double *)g.st.plan->start[1].value == 5);
    end(&g);
}

/* --- ranges -------------------------------------------------------------- */

static void a_value_outside_its_range_is_taken_with_a_warning(void **state)
{
    static const uint32_t dim = 2;
    struct given g;

    (void)state;
    begin(&g, TT_F64);
    g.p->min = 0;
    g.p->max = 10;
    assert_int_equal(plan(&g, "10.5"), TT_OK);
    assert_true(tt_stand_logged(
        &g.st, "warning: t.json:2:16: '{a}.a.p' is set to 10.5, "
               "outside its declared range 0 .. 10"));
    end(&g);
    begin(&g, TT_I32); /* the second element is the bad one */
    g.p->min = -2;
    g.p->n = 2;
    g.p->n_dim = 1;
    g.p->dim = &dim;
    assert_int_equal(plan(&g, "[0, -3]"), TT_OK);
    assert_true(tt_stand_logged(&g.st,
                                "warning: t.json:2:16: '{a}.a.p' is set to -3, "
                                "outside its declared range -2 .. inf"));
    end(&g);
    begin(&g, TT_F64);
    g.p->min = 0;
    g.p->max = 10;
    g.p->n = 2;
    g.p->n_dim = 1;
    g.p->dim = &dim;
    assert_int_equal(plan(&g, "[0, 10]"), TT_OK); /* limits are within */
    assert_null(strstr(g.st.logged.data, "warning"));
    end(&g);
}

/* By Maestro's rules what is declared is set; what is given wins. */
static void declared_values_are_set_in_the_dialect(void **state)
{
    static const char json[] =
        "{\"fmus\": {\"{a}\": \"a\"},\n\"parameters\": {\"{a}.a.q\": 7},%s"
        "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
        "\"endTime\": 2}";
    static const char *const dialect[] = {"", "\"dialect\": \"maestro1\",",
                                          "\"dialect\": \"maestro2\","};
    static const double declared = 5;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct given g;
        struct tt_port *q, *u;
        char text[512];

        begin(&g, TT_F64);
        q = tt_fake_port(&g.fake, "q", TT_CAUS_PARAMETER, TT_F64);
        u = tt_fake_port(&g.fake, "u", TT_CAUS_INPUT, TT_F64);
        q->start = u->start = g.p->start = &declared;
        snprintf(text, sizeof(text), json, dialect[i]);
        assert_int_equal(tt_stand_plan(&g.st, text), TT_OK);
        assert_int_equal(g.st.plan->n_start, i ? 2 : 1);
        assert_true(*(const double *)g.st.plan->start[0].value == 7);
        if (i) {
            assert_int_equal(g.st.plan->start[1].port, 0);
            assert_false(g.st.plan->start[1].given);
            assert_true(*(const double *)g.st.plan->start[1].value == 5);
        }
        end(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_taken_up_to_their_limits),
        cmocka_unit_test(declared_values_are_set_in_the_dialect),
        cmocka_unit_test(wide_integers_are_exact),
        cmocka_unit_test(floats_take_numbers),
        cmocka_unit_test(booleans_take_true_false_one_and_zero),
        cmocka_unit_test(a_value_of_another_kind_is_taken_with_a_warning),
        cmocka_unit_test(texts_take_texts_only),
        cmocka_unit_test(a_text_too_long_for_a_slot_is_kept),
        cmocka_unit_test(a_string_takes_what_was_typed_on_the_command_line),
        cmocka_unit_test(arrays_are_given_whole_or_filled_with_a_scalar),
        cmocka_unit_test(the_wrong_number_of_values_is_refused),
        cmocka_unit_test(one_bad_element_spoils_the_array),
        cmocka_unit_test(items_of_enumerations_are_values),
        cmocka_unit_test(what_cannot_be_set_is_refused_with_the_reason),
        cmocka_unit_test(an_unknown_parameter_is_refused_with_the_nearest_one),
        cmocka_unit_test(single_elements_change_what_is_declared),
        cmocka_unit_test(elements_that_cannot_be_given_are_named),
        cmocka_unit_test(later_values_win),
        cmocka_unit_test(a_value_outside_its_range_is_taken_with_a_warning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
