/* SPDX-License-Identifier: MIT */
/* `tutti info --json` of scenarios and several FMUs. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "desk.h"

#define TANK    EXAMPLES "water-tank/watertank.fmu"
#define CONTROL EXAMPLES "water-tank/watertankcontroller.fmu"

/* The list it prints; owned by the caller. */
static json_t *list(struct output *s)
{
    json_t *all, *fmus;

    expect_err(s, "%s", "");
    assert_int_equal(s->code, 0);
    all = json_loadb(s->out.data, s->out.len, 0, NULL);
    assert_non_null(all);
    fmus = json_incref(json_object_get(all, "fmus"));
    assert_non_null(fmus);
    json_decref(all);
    output_fini(s);
    return fmus;
}

/* NULL stands for null; `model` NULL for no info. */
static void expect(const json_t *fmus, size_t i, const char *key,
                   const char *location, const char *model, const char *error)
{
    const json_t *f = json_array_get(fmus, i);
    const json_t *info = json_object_get(f, "info");
    const char *text = json_string_value(json_object_get(f, "key"));

    assert_int_equal(json_object_size(f), 4);
    assert_true(key ? text && !strcmp(text, key) : !text);
    assert_string_equal(json_string_value(json_object_get(f, "location")),
                        location);
    if (model) {
        assert_string_equal(
            json_string_value(json_object_get(info, "modelName")), model);
        assert_true(json_array_size(json_object_get(info, "variables")) > 0);
        assert_true(json_is_null(json_object_get(f, "error")));
    } else {
        assert_true(json_is_null(info));
        assert_string_equal(json_string_value(json_object_get(f, "error")),
                            error);
    }
}

static void a_scenario_need_not_be_complete(void **state)
{
    char error[1024];
    struct output s;
    json_t *fmus;

    (void)state;
    put_text("empty.fmu", "");
    put_text("input.csv", "time,u\n0,1\n");
    put_text("some.json", "{\"fmus\": {\"{a}\": \"nowhere.fmu\",\n"
                          "\"{b}\": \"" TANK "\",\n"
                          "\"{c}\": \"ftp://c\",\n\"{d}\": \"empty.fmu\",\n"
                          "\"{e}\": \"input.csv\",\n\"{f}\": 7,\n"
                          "\"{g}\": \"tutti:coupling\"},\n"
                          "\"connections\": 3, \"endTime\": \"never\"}");
    TUTTI(&s, "info", "--json", at("some.json"), CONTROL, TANK);
    fmus = list(&s);
    assert_int_equal(json_array_size(fmus), 8);
    snprintf(error, sizeof(error), "%s: no such file or folder",
             at("nowhere.fmu"));
    expect(fmus, 0, "{a}", "nowhere.fmu", NULL, error);
    expect(fmus, 1, "{b}", TANK, "watertank", NULL);
    snprintf(error, sizeof(error),
             "%s:3:8: FMU '{c}': 'ftp:' locations are not supported here: give "
             "a path or a file: URI",
             at("some.json"));
    expect(fmus, 2, "{c}", "ftp://c", NULL, error);
    snprintf(error, sizeof(error), "%s: the file is empty", at("empty.fmu"));
    expect(fmus, 3, "{d}", "empty.fmu", NULL, error);
    expect(fmus, 4, "{e}", "input.csv", "input.csv", NULL);
    snprintf(error, sizeof(error),
             "%s:6:8: '{f}' must be a string or an object, not an integer",
             at("some.json"));
    expect(fmus, 5, "{f}", "", NULL, error);
    expect(fmus, 6, "{g}", "tutti:coupling", "coupling", NULL);
    expect(fmus, 7, NULL, CONTROL, "watertankcontroller", NULL);
    json_decref(fmus);
}

static void several_fmus_are_listed_as_given(void **state)
{
    struct output s;
    json_t *fmus;

    (void)state;
    TUTTI(&s, "info", "--json", TANK, CONTROL);
    fmus = list(&s);
    assert_int_equal(json_array_size(fmus), 2);
    expect(fmus, 0, NULL, TANK, "watertank", NULL);
    expect(fmus, 1, NULL, CONTROL, "watertankcontroller", NULL);
    json_decref(fmus);
    put_text("none.json", "{}");
    TUTTI(&s, "info", "--json", at("none.json"));
    fmus = list(&s);
    assert_int_equal(json_array_size(fmus), 0);
    json_decref(fmus);
}

static void the_list_has_what_one_fmu_alone_gives(void **state)
{
    struct output s;
    json_t *alone, *fmus;

    (void)state;
    TUTTI(&s, "info", "--json", TANK);
    alone = json_loadb(s.out.data, s.out.len, 0, NULL);
    output_fini(&s);
    TUTTI(&s, "info", "--json", TANK, CONTROL);
    fmus = list(&s);
    assert_true(
        json_equal(alone, json_object_get(json_array_get(fmus, 0), "info")));
    json_decref(alone);
    json_decref(fmus);
}

static void wrong_words_are_answered(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "info", TANK, CONTROL);
    assert_int_equal(s.code, 2);
    expect_err(&s, "tutti: 'tutti info' needs one FMU: tutti info MODEL.fmu; "
                   "with --json also a scenario or several FMUs\n");
    output_fini(&s);
    TUTTI(&s, "info", "plant.json");
    assert_int_equal(s.code, 2);
    expect_err(&s,
               "tutti: plant.json: a scenario, not an FMU: 'tutti check' shows "
               "what is in it, 'tutti info --json' lists its instances\n");
    output_fini(&s);
    put_text("bad.json", "{\"fmus\": {");
    TUTTI(&s, "info", "--json", at("bad.json"));
    assert_int_equal(s.code, 2);
    assert_int_equal(s.out.len, 0);
    output_fini(&s);
    put_text("bad.json", "{\"fmus\": []}");
    TUTTI(&s, "info", "--json", at("bad.json"));
    assert_int_equal(s.code, 2);
    expect_err(&s, "tutti: %s:1:10: 'fmus' must be an object, not an array\n",
               at("bad.json"));
    output_fini(&s);
}

/* A licence of 200 kB before the root element. */
static int preface(char *name, struct tt_buf *data)
{
    struct tt_buf long_one;

    if (strcmp(name, "modelDescription.xml") != 0)
        return 1;
    tt_buf_init(&long_one, (size_t)1 << 20);
    tt_buf_str(&long_one, "<?xml version=\"1.0\"?>\n<!--");
    for (int i = 0; i < 20000; i++)
        tt_buf_str(&long_one, "as it is. ");
    tt_buf_str(&long_one, "-->\n");
    tt_buf_str(&long_one, strstr(data->data, "<fmiModelDescription"));
    tt_buf_clear(data);
    tt_buf_add(data, long_one.data, long_one.len);
    tt_buf_fini(&long_one);
    return 1;
}

static void a_version_far_into_the_description_is_found(void **state)
{
    struct output s;

    (void)state;
    put_fmu("preface.fmu", TANK, preface);
    TUTTI(&s, "run", at("preface.fmu"), "--step", "0.1", "--until", "1", "-o",
          at("preface.csv"));
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scenario_need_not_be_complete),
        cmocka_unit_test(several_fmus_are_listed_as_given),
        cmocka_unit_test(the_list_has_what_one_fmu_alone_gives),
        cmocka_unit_test(wrong_words_are_answered),
        cmocka_unit_test(a_version_far_into_the_description_is_found),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
