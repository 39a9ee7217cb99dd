/* SPDX-License-Identifier: MIT */
#include "scenario/test_scenario.h"

#include <unistd.h>

#include "sys/clock.h"
#include "sys/file.h"

/* Files, locations, size, and memory. */

static char *dir; /* a fresh folder, with a '/' nowhere at its end */

static int setup(void **state)
{
    tt_err err;

    (void)state;
    return tt_dir_temp(&dir, &err) == TT_OK ? 0 : -1;
}

static int teardown(void **state)
{
    tt_err err;
    enum tt_code rc = tt_dir_remove(dir, &err);

    (void)state;
    tt_free(dir);
    return rc == TT_OK ? 0 : -1;
}

static const char *in_dir(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s/%s", dir, name);
    return out;
}

static const char *put(char *out, size_t size, const char *name,
                       const char *text)
{
    tt_err err;

    in_dir(out, size, name);
    assert_int_equal(tt_file_write(out, text, strlen(text), &err), TT_OK);
    return out;
}

static void load_fails(const char *path, const char *message)
{
    tt_scenario *s = NULL;
    tt_err err;

    assert_int_equal(tt_scenario_load(&s, &path, 1, NULL, NULL, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, message);
    assert_null(s);
}

static void unreadable_files_are_named(void **state)
{
    char path[256], message[512];
    tt_scenario *s = NULL;
    tt_err err;

    (void)state;
    load_fails("/nowhere/x.json",
               "cannot read /nowhere/x.json: No such file or directory");
    snprintf(message, sizeof(message), "cannot read %s: Is a directory", dir);
    load_fails(dir, message);
    put(path, sizeof(path), "e.json", "");
    snprintf(message, sizeof(message), "%s:1:1: the text is empty", path);
    load_fails(path, message);
    assert_int_equal(tt_scenario_load(&s, NULL, 0, NULL, NULL, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, "no scenario file is given");
}

static void a_byte_order_mark_is_skipped(void **state)
{
    char path[256], message[512];

    (void)state;
    put(path, sizeof(path), "bom.json", "\xEF\xBB\xBF{\"fmus\":1}");
    snprintf(message, sizeof(message),
             "%s:1:9: 'fmus' must be an object, not an integer", path);
    load_fails(path, message);
}

static void files_are_laid_over_each_other(void **state)
{
    char mm[256], coe[256], at[512], expected[512];
    const char *const path[] = {mm, coe};
    tt_scenario *s = NULL;
    tt_err err = {.code = TT_OK};

    (void)state;
    put(mm, sizeof(mm), "x.mm.json",
        PAIR "\"parameters\":{\"{p}.p1.a\":1,\"{p}.p1.b\":2}}");
    put(coe, sizeof(coe), "x.coe.json",
        "{\"parameters\":{\"{p}.p1.b\":3,\"{p}.p1.c\":4},\n"
        "\"endTime\":5,\"algorithm\":{\"type\":\"fixed-step\",\"size\":1}}");
    assert_int_equal(tt_scenario_load(&s, path, 2, NULL, NULL, &err), TT_OK);
    assert_string_equal(s->name, "x.mm");
    assert_int_equal(s->n_file, 2);
    assert_int_equal(s->n_connection, 2);
    assert_int_equal(s->n_parameter, 3);
    assert_int_equal(s->parameter[1].value.integer, 3);
    assert_true(s->end == 5);
    snprintf(expected, sizeof(expected), "%s:2:11", coe);
    assert_string_equal(tt_scenario_at(s, s->end_where, at, sizeof(at)),
                        expected);
    tt_scenario_free(s);
}

static void a_file_called_scenario_has_its_folders_name(void **state)
{
    static const char text[] = PAIR "\"endTime\":1}";
    static const char *const file[] = {"water.tank/scenario.json",
                                       "water.tank/./scenario.json",
                                       "water.tank/scenario-2.json"};
    static const char *const name[] = {"water.tank", "water.tank",
                                       "scenario-2"};
    char path[256];
    tt_err err;

    (void)state;
    in_dir(path, sizeof(path), "water.tank");
    assert_int_equal(tt_dir_make(path, &err), TT_OK);
    for (size_t i = 0; i < 3; i++) {
        const char *one = put(path, sizeof(path), file[i], text);
        tt_scenario *s = NULL;

        assert_int_equal(tt_scenario_load(&s, &one, 1, NULL, NULL, &err),
                         TT_OK);
        assert_string_equal(s->name, name[i]);
        tt_scenario_free(s);
    }
}

static void a_path_is_a_scenario_or_an_fmu(void **state)
{
    const char *const path[] = {"a.json", "b.fmu"};
    tt_scenario *s = NULL;
    tt_err err;

    (void)state;
    assert_false(tt_scenario_is_fmu("a.json"));
    assert_true(tt_scenario_is_fmu("/x/b.fmu"));
    assert_true(tt_scenario_is_fmu("b.FMU"));
    assert_true(tt_scenario_is_fmu(dir)); /* unpacked */
    assert_int_equal(tt_scenario_open(&s, path + 1, 1, NULL, NULL, &err),
                     TT_OK);
    assert_string_equal(s->unit[0].name, "{b}.b");
    tt_scenario_free(s);
    assert_int_equal(tt_scenario_open(&s, path, 2, NULL, NULL, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg,
                        "'b.fmu' is an FMU and can only run alone; couple "
                        "several in a scenario (tutti new writes one)");
    assert_int_equal(tt_scenario_open(&s, path, 0, NULL, NULL, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, "no scenario file is given");
}

/* Events may come from several: the plan knows whether these are, and where
 * both are stated. */
static void a_double_connection_is_left_to_the_plan(void **state)
{
    char a[256], b[256], at[300], place[512];
    const char *const path[] = {a, b};
    tt_scenario *s = NULL;
    tt_err err;

    (void)state;
    put(a, sizeof(a), "a.json", PAIR "\"endTime\":1}");
    put(b, sizeof(b), "b.json",
        "{\"connections\":{\"{p}.p1.z\":[\"{c}.c1.y\"]}}");
    assert_int_equal(tt_scenario_load(&s, path, 2, NULL, NULL, &err), TT_OK);
    assert_int_equal(s->n_connection, 3);
    snprintf(at, sizeof(at), "%s:1:29", b);
    assert_string_equal(
        tt_scenario_at(s, s->connection[2].to.where, place, sizeof(place)), at);
    tt_scenario_free(s);
}

/* Where the FMU of this location is, with the scenario in `dir`. */
static void location(const char *uri, const char *expected)
{
    char text[1024], path[512];
    tt_scenario *s = NULL;
    tt_err err = {.code = TT_OK};
    enum tt_code rc;

    snprintf(text, sizeof(text),
             "{\"fmus\":{\"{b}\":\"%s\"},\"instances\":{\"{b}\":[\"x\"]}}",
             uri);
    rc = tt_scenario_parse(&s, "a.json", dir, text, strlen(text), NULL, NULL,
                           &err);
    assert_string_equal(err.msg, "");
    assert_int_equal(rc, TT_OK);
    if (expected[0] != '/')
        expected = in_dir(path, sizeof(path), expected);
    assert_string_equal(s->fmu[0].path, expected);
    tt_scenario_free(s);
}

static void locations_are_resolved(void **state)
{
    char path[256], uri[512], cwd[256], here[512];

    (void)state;
    put(path, sizeof(path), "a b.fmu", "");
    put(path, sizeof(path), "c%20d.fmu", "");
    location("x.fmu", "x.fmu");
    location("a b.fmu", "a b.fmu");
    location("a%20b.fmu", "a b.fmu");
    location("c%20d.fmu", "c%20d.fmu");
    location("file:a%20b.fmu", "a b.fmu");
    location("file:c%20d.fmu", "c%20d.fmu");
    location("file:///q/a%20b.fmu", "/q/a b.fmu");
    location("file:////q/a.fmu", "/q/a.fmu");
    location("FILE:/q/a.fmu", "/q/a.fmu");
    location("file://localhost/q/a.fmu", "/q/a.fmu");
    location("/q/100%.fmu", "/q/100%.fmu");
    location("c:/q.fmu", "c:/q.fmu"); /* one letter is no scheme */
    assert_int_equal(tt_dir_make(in_dir(path, sizeof(path), "sub"), NULL),
                     TT_OK);
    put(path, sizeof(path), "sub/e.fmu", "");
    put(path, sizeof(path), "sub\\f.fmu", "");
    location("sub\\\\e.fmu", "sub/e.fmu"); /* as other systems write it */
    location("file:sub\\\\e.fmu", "sub/e.fmu");
    location("sub\\\\f.fmu", "sub\\f.fmu"); /* unless it is called so */
    snprintf(uri, sizeof(uri), "file://%s/a%%20b.fmu", dir);
    location(uri, "a b.fmu");

    /* Not in the folder, but in the working directory. */
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    assert_int_equal(chdir(dir), 0);
    put(path, sizeof(path), "here.fmu", "");
    snprintf(here, sizeof(here), "%s/here.fmu", dir);
    {
        const char *text = "{\"fmus\":{\"{b}\":\"here.fmu\"},"
                           "\"instances\":{\"{b}\":[\"x\"]}}";
        tt_scenario *s = NULL;
        tt_err err;

        assert_int_equal(tt_scenario_parse(&s, "a.json", "/nowhere", text,
                                           strlen(text), NULL, NULL, &err),
                         TT_OK);
        assert_string_equal(s->fmu[0].path, here);
        tt_scenario_free(s);
    }
    assert_int_equal(chdir(cwd), 0);
}

/* With a folder for all locations, the scenario's own and the working directory
 * count no more. */
static void locations_in_a_given_folder(void **state)
{
    static const struct {
        const char *uri, *path, *message;
    } cases[] = {
        {"here.fmu", "given/here.fmu", NULL},
        {"session:here.fmu", "given/here.fmu", NULL},
        {"SESSION:a%20b.fmu", "given/a b.fmu", NULL},
        {"session:a..b/c.fmu", "given/a..b/c.fmu", NULL},
        {"/q/x.fmu", "/q/x.fmu", NULL},
        {"session:", NULL, "a.json:1:16: the location of FMU '{b}' is empty"},
        {"session:a\\\\..\\\\..\\\\x.fmu", NULL,
         "a.json:1:16: FMU '{b}': 'session:a\\..\\..\\x.fmu' leaves the "
         "session: name one of its files"},
        {"session:/q/x.fmu", NULL,
         "a.json:1:16: FMU '{b}': 'session:/q/x.fmu' leaves the session: name "
         "one of its files"},
        {"session:a/..", NULL,
         "a.json:1:16: FMU '{b}': 'session:a/..' leaves the session: name one "
         "of its files"},
        {"session:%2e%2e/x.fmu", NULL,
         "a.json:1:16: FMU '{b}': 'session:%2e%2e/x.fmu' leaves the session: "
         "name one of its files"},
    };
    char given[512], text[512], path[600];
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;

    (void)state;
    put(path, sizeof(path), "here.fmu", "");
    o.base = in_dir(given, sizeof(given), "given");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        tt_scenario *s = NULL;
        tt_err err = {.code = TT_OK};

        snprintf(text, sizeof(text),
                 "{\"fmus\":{\"{b}\":\"%s\"},\"instances\":{\"{b}\":[\"x\"]}}",
                 cases[i].uri);
        (void)!tt_scenario_parse(&s, "a.json", dir, text, strlen(text), &o,
                                 NULL, &err);
        assert_string_equal(err.msg, cases[i].message ? cases[i].message : "");
        if (cases[i].message)
            continue;
        if (cases[i].path[0] == '/')
            snprintf(path, sizeof(path), "%s", cases[i].path);
        else
            in_dir(path, sizeof(path), cases[i].path);
        assert_string_equal(s->fmu[0].path, path);
        tt_scenario_free(s);
    }
}

static void other_schemes_are_refused(void **state)
{
#define AT(uri) "{\"fmus\":{\"{b}\":\"" uri "\"}}"
    (void)state;
    refused(AT("http://h/x.fmu"),
            "a.json:1:16: FMU '{b}': 'http:' locations are not supported "
            "here: download the file and give its path");
    refused(AT("https://h/x.fmu"),
            "a.json:1:16: FMU '{b}': 'https:' locations are not supported "
            "here: download the file and give its path");
    refused(AT("session:x.fmu"),
            "a.json:1:16: FMU '{b}': 'session:' locations are not supported "
            "here: it names a file uploaded to a server's session; --base "
            "states the folder of these");
    refused(AT("external://external"),
            "a.json:1:16: FMU '{b}': 'external:' locations are not supported "
            "here: it stands for what a scenario gets from outside; run the "
            "one it is a part of");
    refused(AT("rmi://h/FMU#file:///x.fmu"),
            "a.json:1:16: FMU '{b}': 'rmi:' locations are not supported "
            "here: run 'tutti worker' on that host and give the location as "
            "tutti://HOST:PORT/x.fmu");
    refused(AT("environment://~env~"),
            "a.json:1:16: FMU '{b}': 'environment:' locations are not "
            "supported here: it stands for signals from outside");
    refused(AT("ftp://h/x.fmu"),
            "a.json:1:16: FMU '{b}': 'ftp:' locations are not supported "
            "here: give a path or a file: URI");
    fails(AT(""), "a.json:1:16: the location of FMU '{b}' is empty");
    fails(AT("file:"), "a.json:1:16: the location of FMU '{b}' is empty");
}

static void add_large(struct tt_buf *b, int n_unit, int per_unit)
{
    tt_buf_str(b, "{\"fmus\":{\"{f}\":\"f.fmu\"},\n\"connections\":{");
    for (int i = 0; i < n_unit; i++)
        for (int j = 0; j < per_unit; j++)
            tt_buf_fmt(b, "%s\n\"{f}.u%d.y[%d]\":[\"{f}.u%d.u[%d]\"]",
                       i + j ? "," : "", i, j, (i + 1) % n_unit, j);
    tt_buf_str(b, "},\n\"parameters\":{");
    for (int i = 0; i < n_unit; i++)
        tt_buf_fmt(b, "%s\n\"{f}.u%d.k\":%d", i ? "," : "", i, i);
    tt_buf_str(b, "}}");
}

/* The time is printed, not judged: machines differ. It should grow as the
 * size does. */
static void large_scenarios_load_in_linear_time(void **state)
{
    static const int units[] = {2500, 5000, 10000};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct tt_buf b;
        tt_scenario *s = NULL;
        tt_err err = {.code = TT_OK};
        uint64_t t0;
        enum tt_code rc;

        tt_buf_init(&b, (size_t)64 << 20);
        add_large(&b, units[i], 10);
        assert_false(b.failed);
        t0 = tt_clock_ns();
        rc = tt_scenario_parse(&s, "large.json", "/m", b.data, b.len, NULL,
                               NULL, &err);
        print_message("%d instances, %d connections, %zu bytes: %u ms\n",
                      units[i], units[i] * 10, b.len,
                      (unsigned)((tt_clock_ns() - t0) / 1000000));
        assert_string_equal(err.msg, "");
        assert_int_equal(rc, TT_OK);
        assert_int_equal(s->n_unit, units[i]);
        assert_int_equal(s->n_connection, units[i] * 10);
        assert_int_equal(s->n_parameter, units[i]);
        tt_scenario_free(s);
        tt_buf_fini(&b);
    }
}

/* With each allocation failing in turn, the answer is "out of memory" and
 * nothing is lost (the sanitizer looks). */
static void running_out_of_memory_is_an_error(void **state)
{
    static const char text[] =
        PAIR "\"parameters\":{\"{c}.c1.kp\":[1,2],\"{x}.c1.kp\":1},"
             "\"environmentParameters\":[\"{c}.c1.kp\"],"
             "\"logVariables\":{\"{p}.p1\":[\"T\"]},\"order\":[\"p1\",\"c1\"],"
             "\"approximation\":{\"{p}.p1.u\":\"linear\"},"
             "\"reactivity\":{\"{p}.p1.u\":\"reactive\"},"
             "\"instances\":{\"{p}\":[]},\"record\":[\"*\"]}";
    static const char *const set[] = {"c1.kp=[1,2]"};
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    enum tt_code rc = TT_ENOMEM;
    uint64_t n;

    (void)state;
    o.set = set;
    o.n_set = 1;
    for (n = 1; rc != TT_OK; n++) {
        tt_scenario *s = NULL;
        tt_err err = {.code = TT_OK};

        tt_mem_fail_after(n);
        rc = tt_scenario_parse(&s, "a.json", "/m", text, strlen(text), &o, NULL,
                               &err);
        tt_mem_fail_after(0);
        if (rc != TT_OK)
            assert_int_equal(rc, TT_ENOMEM);
        else
            tt_scenario_free(s);
        assert_true(n < 10000);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unreadable_files_are_named),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(files_are_laid_over_each_other),
        cmocka_unit_test(a_file_called_scenario_has_its_folders_name),
        cmocka_unit_test(a_path_is_a_scenario_or_an_fmu),
        cmocka_unit_test(a_double_connection_is_left_to_the_plan),
        cmocka_unit_test(locations_are_resolved),
        cmocka_unit_test(locations_in_a_given_folder),
        cmocka_unit_test(other_schemes_are_refused),
        cmocka_unit_test(large_scenarios_load_in_linear_time),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
