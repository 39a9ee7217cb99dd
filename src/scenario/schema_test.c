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
        const char *name = tt_sc_fields[i].name;
        json_t *p = json_object_get(properties(""), name);

        if (!p)
            fail_msg("the schema lacks '%s'", name);
        if (!json_object_get(p, "description"))
            fail_msg("the schema does not describe '%s'", name);
    }
    for (size_t i = 0; i < tt_sc_n_objects; i++) {
        const struct tt_sc_members *o = &tt_sc_objects[i];

        for (size_t k = 0; o->name[k]; k++)
            if (!json_object_get(properties(o->object), o->name[k]))
                fail_msg("the schema lacks '%s' in '%s'", o->name[k],
                         o->object);
    }
}

static void every_property_is_a_field(void **state)
{
    const char *key;
    json_t *value;

    (void)state;
    json_object_foreach(properties(""), key, value)
    {
        size_t i = 0;

        while (i < tt_sc_n_fields && strcmp(tt_sc_fields[i].name, key) != 0)
            i++;
        if (i == tt_sc_n_fields)
            fail_msg("no field '%s'", key);
    }
    for (size_t i = 0; i < tt_sc_n_objects; i++) {
        const struct tt_sc_members *o = &tt_sc_objects[i];

        assert_non_null(properties(o->object));
        json_object_foreach(properties(o->object), key, value)
        {
            size_t k = 0;

            while (o->name[k] && strcmp(o->name[k], key) != 0)
                k++;
            if (!o->name[k])
                fail_msg("no field '%s' in '%s'", key, o->object);
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
