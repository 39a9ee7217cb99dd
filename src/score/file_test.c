/* SPDX-License-Identifier: MIT */
/* The published schema of score files and their reader know the same fields.
 * What a reader makes of whole files is in run/score_file_test.c and
 * tests/cli/score_file_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "plan/crowd.h"
#include "score/score.h"

static struct tt_crowd crowd;
static tt_plan *plan;
static json_t *schema;

static int setup(void **state)
{
    const struct tt_crowd_opts o = {.seed = 5,
                                    .n_type = 1,
                                    .n_unit = 2,
                                    .n_in = 1,
                                    .n_out = 1,
                                    .full = 1,
                                    .acyclic = 1};
    tt_err err;

    (void)state;
    tt_crowd_init(&crowd, &o);
    schema = json_load_file(TT_SOURCE_DIR "/docs/reference/score.schema.json",
                            JSON_REJECT_DUPLICATES, NULL);
    return schema && tt_plan_new(&plan, &crowd.scenario, crowd.desc, NULL,
                                 &err) == TT_OK
               ? 0
               : -1;
}

static int teardown(void **state)
{
    (void)state;
    json_decref(schema);
    tt_plan_free(plan);
    tt_crowd_fini(&crowd);
    return 0;
}

/* Does the reader take a file of this text to have an unknown field? */
static int is_unknown(const char *text, const char *field)
{
    const struct tt_text_file file = {"a.json", text, strlen(text)};
    tt_score *score = NULL;
    char words[128];
    tt_err err = {0};

    crowd.scenario.file = crowd.scenario.score = &file;
    crowd.scenario.n_file = 1;
    if (tt_score_new(&score, plan, &err) == TT_OK)
        tt_score_free(score);
    crowd.scenario.file = crowd.scenario.score = NULL;
    snprintf(words, sizeof(words), "there is no field '%s' here", field);
    return strstr(err.msg, words) != NULL;
}

/* In a text of `before`, the field, `after`. */
static void check_fields(const char *before, const char *after, json_t *of)
{
    const char *field;
    char text[512];
    json_t *value;

    assert_non_null(of);
    json_object_foreach(json_object_get(of, "properties"), field, value)
    {
        snprintf(text, sizeof(text), "%s\"%s\": null%s", before, field, after);
        if (is_unknown(text, field))
            fail_msg("the reader does not know %s", text);
    }
    snprintf(text, sizeof(text), "%s\"nonsense\": null%s", before, after);
    assert_true(is_unknown(text, "nonsense"));
}

static void every_field_of_the_schema_is_read(void **state)
{
    static const char *const verb[][2] = {
        {"get", "get"},   {"set", "set"},         {"step", "step"},
        {"save", "save"}, {"restore", "restore"}, {"loop", "loop"},
        {"half", "time"}, {"commit", "commit"}};
    json_t *defs = json_object_get(schema, "$defs");
    char form[256];

    (void)state;
    check_fields("{", "}", schema);
    for (size_t i = 0; i < sizeof(verb) / sizeof(*verb); i++) {
        snprintf(form, sizeof(form),
                 "{\"version\": 1, \"master\": \"m\", \"step\": "
                 "[{\"op\": \"%s\", ",
                 verb[i][1]);
        check_fields(form, "}]}", json_object_get(defs, verb[i][0]));
    }
    check_fields("{\"version\": 1, \"master\": \"m\", \"step\": [{\"op\": "
                 "\"loop\", \"most\": 2, \"do\": [], \"solve\": {",
                 "}}]}", json_object_get(defs, "solve"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_the_schema_is_read),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
