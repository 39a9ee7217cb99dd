/* SPDX-License-Identifier: MIT */
/* The published schema and the parser know the same fields. */
#include "scenario/test_scenario.h"

#include <jansson.h>
#include <stdlib.h>

#include "scenario/build_impl.h"

static json_t *schema;

static int setup(void **state)
{
    json_error_t e;

    (void)state;
    schema =
        json_load_file(TT_SOURCE_DIR "/docs/reference/scenario.schema.json",
                       JSON_REJECT_DUPLICATES, &e);
    if (!schema)
        print_error("line %d: %s\n", e.line, e.text);
    return schema ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    json_decref(schema);
    return 0;
}

static json_t *properties(const char *object)
{
    json_t *of = schema;

    if (*object)
        of = json_object_get(json_object_get(schema, "$defs"), object);
    return json_object_get(of, "properties");
}

static void every_field_is_in_the_schema(void **state)
{
    (void)state;
    for (size_t i = 0; i < tt_sc_n_fields; i++) {
        const struct tt_sc_field *f = &tt_sc_fields[i];
        json_t *p = json_object_get(properties(f->object), f->name);

        if (!p)
            fail_msg("the schema lacks '%s' in '%s'", f->name, f->object);
        if (!*f->object && !json_object_get(p, "description"))
            fail_msg("the schema does not describe '%s'", f->name);
    }
}

static void every_property_is_a_field(void **state)
{
    static const char *const object[] = {
        "",          "algorithm",      "constraint",
        "expect",    "powerBond",      "powerBondSide",
        "csv",       "realTime",       "sigver",
        "ports",     "integrator",     "clock",
        "events",    "locate",         "hold",
        "quantize",  "sample",         "delay",
        "dead-time", "script",         "do",
        "modelSwap", "transformation", "parameter",
        "quantity",  "switching",      "sequence",
        "software",  "powerBondHint"};

    (void)state;
    for (size_t g = 0; g < sizeof(object) / sizeof(*object); g++) {
        const char *key;
        json_t *value;

        assert_non_null(properties(object[g]));
        json_object_foreach(properties(object[g]), key, value)
        {
            size_t i = 0;

            while (i < tt_sc_n_fields &&
                   (strcmp(tt_sc_fields[i].object, object[g]) != 0 ||
                    strcmp(tt_sc_fields[i].name, key) != 0))
                i++;
            if (i == tt_sc_n_fields)
                fail_msg("no field '%s' in '%s'", key, object[g]);
        }
    }
}

/* "examples" of the schema, each as the only field beside the FMUs and a unit
 * of each, are understood without a warning. */
static void the_examples_of_the_schema_are_understood(void **state)
{
    const char *key;
    json_t *value;

    (void)state;
    json_object_foreach(properties(""), key, value)
    {
        json_t *list = json_object_get(value, "examples"), *example;
        size_t i;

        if (strcmp(key, "fmus") == 0 || strcmp(key, "instances") == 0)
            continue;
        json_array_foreach(list, i, example)
        {
            json_t *s = json_pack("{s:{s:s,s:s},s:{s:[s],s:[s]}}", "fmus",
                                  "{tank}", "t.fmu", "{ctl}", "c.fmu",
                                  "instances", "{tank}", "t", "{ctl}", "c");
            char *text;

            json_object_set(s, key, example);
            text = json_dumps(s, 0);
            warns(text, "");
            free(text);
            json_decref(s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_in_the_schema),
        cmocka_unit_test(every_property_is_a_field),
        cmocka_unit_test(the_examples_of_the_schema_are_understood),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
