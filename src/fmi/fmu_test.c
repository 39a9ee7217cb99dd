/* SPDX-License-Identifier: MIT */
#include "fmi/fmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "fmi/fmi2.h"
#include "sys/file.h"

#define LIBRARY TT_BUILD_DIR "/tests/fmi_testlib_full.so"

static const char fmi2_xml[] =
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\">"
    "<CoSimulation modelIdentifier=\"ident\"/><ModelVariables/>"
    "<ModelStructure/></fmiModelDescription>";
static const char fmi3_xml[] =
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" "
    "instantiationToken=\"g\"><CoSimulation modelIdentifier=\"ident\"/>"
    "<ModelVariables/><ModelStructure/></fmiModelDescription>";

/* A folder "<temp>/my model.v1" that is an FMU. */
struct folder {
    char *temp, *path;
};

static tt_err err;

static void put(const struct folder *f, const char *name, const char *data,
                size_t n)
{
    char *full = tt_path_join(f->path, name);
    char *dir = tt_path_dir(full);

    assert_int_equal(tt_dir_make(dir, &err), TT_OK);
    assert_int_equal(tt_file_write(full, data, n, &err), TT_OK);
    tt_free(dir);
    tt_free(full);
}

static struct folder make(const char *xml)
{
    struct folder f = {NULL, NULL};

    assert_int_equal(tt_dir_temp(&f.temp, &err), TT_OK);
    f.path = tt_path_join(f.temp, "my model.v1");
    put(&f, "modelDescription.xml", xml, strlen(xml));
    return f;
}

static void drop(struct folder *f)
{
    assert_int_equal(tt_dir_remove(f->temp, &err), TT_OK);
    tt_free(f->temp);
    tt_free(f->path);
}

static tt_fmu *open_fmu(const struct folder *f)
{
    tt_fmu *fmu = NULL;

    if (tt_fmu_open(&fmu, f->path, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return fmu;
}

/* The message is "<path><rest>". */
static void expect_message(const struct folder *f, const char *rest)
{
    char text[TT_ERR_MAX];

    (void)snprintf(text, sizeof(text), "%s%s", f->path, rest);
    assert_string_equal(err.msg, text);
}

static void put_library(const struct folder *f, const char *name)
{
    struct tt_buf b;

    tt_buf_init(&b, (size_t)64 << 20);
    assert_int_equal(tt_file_read(&b, LIBRARY, &err), TT_OK);
    put(f, name, b.data, b.len);
    tt_buf_fini(&b);
}

static void the_library_is_found_by_its_names(void **state)
{
    struct folder f = make(fmi2_xml);
    const char *name;
    tt_fmu *fmu;

    (void)state;
    put(&f, "binaries/linux64/only.so", "x", 1);
    put(&f, "binaries/linux64/readme.txt", "x", 1);
    put(&f, "binaries/linux64/sub/deeper.so", "x", 1);
    fmu = open_fmu(&f);
    assert_int_equal(tt_fmu_library_name(fmu, &name, &err), TT_OK);
    assert_string_equal(name, "binaries/linux64/only.so");
    tt_fmu_close(fmu);

    put(&f, "binaries/linux64/second.so", "x", 1);
    fmu = open_fmu(&f);
    assert_int_equal(tt_fmu_library_name(fmu, &name, &err), TT_EINPUT);
    expect_message(&f, ": binaries/linux64 holds 2 libraries, none named after "
                       "modelIdentifier or the archive");
    tt_fmu_close(fmu);

    put(&f, "binaries/linux64/my model.so", "x", 1); /* up to the first dot */
    fmu = open_fmu(&f);
    assert_int_equal(tt_fmu_library_name(fmu, &name, &err), TT_OK);
    assert_string_equal(name, "binaries/linux64/my model.so");
    tt_fmu_close(fmu);

    put(&f, "binaries/linux64/ident.so", "x", 1);
    fmu = open_fmu(&f);
    assert_int_equal(tt_fmu_library_name(fmu, &name, &err), TT_OK);
    assert_string_equal(name, "binaries/linux64/ident.so");
    assert_int_equal(tt_fmu_library_name(fmu, &name, &err), TT_OK);
    tt_fmu_close(fmu);
    drop(&f);
}

static void other_platforms_are_listed(void **state)
{
    struct folder f = make(fmi3_xml);
    const char *name;
    tt_fmu *fmu = open_fmu(&f);

    (void)state;
    assert_int_equal(tt_fmu_library_name(fmu, &name, &err), TT_EUNSUPPORTED);
    expect_message(&f, ": it has no library for this platform (x86_64-linux); "
                       "it has: no binaries at all");
    tt_fmu_close(fmu);
    put(&f, "binaries/x86_64-windows/ident.dll", "x", 1);
    put(&f, "binaries/aarch64-darwin/ident.dylib", "x", 1);
    fmu = open_fmu(&f);
    assert_int_equal(tt_fmu_library_name(fmu, &name, &err), TT_EUNSUPPORTED);
    expect_message(&f, ": it has no library for this platform (x86_64-linux); "
                       "it has: aarch64-darwin, x86_64-windows");
    tt_fmu_close(fmu);
    drop(&f);
}

static void the_library_is_loaded_once(void **state)
{
    struct folder f = make(fmi2_xml);
    struct tt_fmi2_fns fns;
    tt_lib *lib = NULL, *again = NULL;
    tt_fmu *fmu;

    (void)state;
    put_library(&f, "binaries/linux64/ident.so");
    fmu = open_fmu(&f);
    if (tt_fmu_library(fmu, &lib, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(tt_fmu_library(fmu, &again, &err), TT_OK);
    assert_ptr_equal(lib, again);
    assert_int_equal(tt_fmi2_bind(lib, TT_FMI_CS, &fns, &err), TT_OK);
    assert_string_equal(tt_fmu_path(fmu), f.path);
    tt_fmu_close(fmu);
    drop(&f);
}

static void resources_are_a_uri_or_a_path(void **state)
{
    struct folder f = make(fmi2_xml);
    const char *where;
    char text[TT_ERR_MAX], *resources;
    tt_fmu *fmu = open_fmu(&f);

    (void)state;
    assert_int_equal(tt_fmu_resources(fmu, &where, &err), TT_OK);
    (void)snprintf(text, sizeof(text), "file://%s/my%%20model.v1/resources",
                   f.temp);
    assert_string_equal(where, text);
    resources = tt_path_join(f.path, "resources");
    assert_true(tt_file_is_dir(resources)); /* created */
    tt_free(resources);
    tt_fmu_close(fmu);

    put(&f, "modelDescription.xml", fmi3_xml, strlen(fmi3_xml));
    fmu = open_fmu(&f);
    assert_int_equal(tt_fmu_resources(fmu, &where, &err), TT_OK);
    (void)snprintf(text, sizeof(text), "%s/my model.v1/resources/", f.temp);
    assert_string_equal(where, text);
    tt_fmu_close(fmu);
    drop(&f);
}

static void without_co_simulation_it_states_what_there_is(void **state)
{
    struct folder f =
        make("<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" "
             "guid=\"g\"><ModelExchange modelIdentifier=\"m\"/>"
             "<ModelVariables/><ModelStructure/></fmiModelDescription>");
    tt_fmu *fmu = open_fmu(&f);
    tt_lib *lib;

    (void)state;
    assert_int_equal(tt_fmu_need(fmu, TT_FMI_CS, &err), TT_EUNSUPPORTED);
    expect_message(&f, ": it has Model Exchange, but Co-Simulation is needed");
    assert_int_equal(tt_fmu_library(fmu, &lib, &err), TT_EUNSUPPORTED);
    tt_fmu_close(fmu);
    drop(&f);
}

static void what_cannot_be_used_is_refused(void **state)
{
    struct folder f =
        make("<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" "
             "guid=\"g\">\n<ModelVariables><ScalarVariable name=\"x\">"
             "<Real/></ScalarVariable></ModelVariables><ModelStructure/>"
             "</fmiModelDescription>");
    tt_fmu *fmu = NULL;
    char *full;

    (void)state;
    assert_int_equal(tt_fmu_open(&fmu, f.path, &err), TT_EINPUT);
    expect_message(&f, ": modelDescription.xml: line 2: variable 'x' has no "
                       "valueReference [FMI-VAR-REFERENCE]");
    assert_int_equal(tt_fmu_open_any(&fmu, f.path, &err), TT_OK);
    assert_int_equal(tt_fmu_md(fmu)->var_n, 1);
    tt_fmu_close(fmu);

    put(&f, "modelDescription.xml", "<fmi", 4);
    assert_int_equal(tt_fmu_open(&fmu, f.path, &err), TT_EINPUT);
    expect_message(&f, ": modelDescription.xml:1:5: not well-formed XML: "
                       "Couldn't find end of Start Tag fmi line 1");
    full = tt_path_join(f.path, "modelDescription.xml");
    assert_int_equal(tt_dir_remove(f.path, &err), TT_OK);
    assert_int_equal(tt_dir_make(f.path, &err), TT_OK);
    assert_int_equal(tt_fmu_open(&fmu, f.path, &err), TT_EINPUT);
    expect_message(&f, ": it has no modelDescription.xml, so it is not an FMU");
    tt_free(full);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_is_found_by_its_names),
        cmocka_unit_test(other_platforms_are_listed),
        cmocka_unit_test(the_library_is_loaded_once),
        cmocka_unit_test(resources_are_a_uri_or_a_path),
        cmocka_unit_test(without_co_simulation_it_states_what_there_is),
        cmocka_unit_test(what_cannot_be_used_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
