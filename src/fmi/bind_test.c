/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fmi/fmi1.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

#define LIB(name) TT_BUILD_DIR "/tests/fmi_testlib_" name ".so"

static tt_lib *open_lib(const char *path)
{
    tt_lib *lib = NULL;
    tt_err err;

    if (tt_lib_open(&lib, path, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return lib;
}

static void what_is_there_is_bound_and_the_rest_is_null(void **state)
{
    tt_lib *lib = open_lib(LIB("full"));
    struct tt_fmi2_fns f2;
    struct tt_fmi3_fns f3;
    tt_err err;

    (void)state;
    memset(&f2, 0xff, sizeof(f2));
    memset(&f3, 0xff, sizeof(f3));
    assert_int_equal(tt_fmi2_bind(lib, TT_FMI_CS, &f2, &err), TT_OK);
    assert_non_null(f2.do_step);
    assert_non_null(f2.get_real);
    assert_null(f2.set_real);
    assert_null(f2.all.get_state);
    assert_non_null(f2.get_max_step_size); /* spelt fmiGetMaxStepSize */
    assert_int_equal(tt_fmi3_bind(lib, TT_FMI_CS, &f3, &err), TT_OK);
    assert_non_null(f3.do_step);
    assert_non_null(f3.get_float64);
    assert_null(f3.set_float64);
    assert_null(f3.enter_step_mode);
    tt_lib_close(lib);
}

static void missing_functions_are_named(void **state)
{
    tt_lib *lib = open_lib(LIB("none"));
    struct tt_fmi2_fns f2;
    struct tt_fmi3_fns f3;
    tt_err err;

    (void)state;
    assert_int_equal(tt_fmi2_bind(lib, TT_FMI_CS, &f2, &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "the library does not export what every FMU must: "
                 "fmi2Instantiate, fmi2FreeInstance, fmi2SetupExperiment, "
                 "fmi2EnterInitializationMode, fmi2ExitInitializationMode, "
                 "fmi2Terminate, fmi2DoStep");
    assert_int_equal(tt_fmi3_bind(lib, TT_FMI_CS, &f3, &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "the library does not export what every FMU must: "
                 "fmi3InstantiateCoSimulation, fmi3FreeInstance, "
                 "fmi3EnterInitializationMode, fmi3ExitInitializationMode, "
                 "fmi3Terminate, fmi3DoStep");
    tt_lib_close(lib);
}

static void statuses_have_the_names_of_the_standard(void **state)
{
    (void)state;
    assert_string_equal(tt_fmi_status_name(2, TT_FMI_PENDING), "fmi2Pending");
    assert_string_equal(tt_fmi_status_name(2, TT_FMI_OK), "fmi2OK");
    assert_string_equal(tt_fmi_status_name(2, (enum tt_fmi_status)77),
                        "a status unknown to FMI 2");
    assert_string_equal(tt_fmi_status_name(3, TT_FMI_DISCARD), "fmi3Discard");
    assert_string_equal(tt_fmi_status_name(3, (enum tt_fmi_status)5),
                        "a status unknown to FMI 3");
}

/* FMI 1.0: the model identifier stands before each name. */
static void functions_of_fmi_1_have_a_prefix(void **state)
{
    tt_lib *lib = open_lib(LIB("full"));
    struct tt_fmi1_fns f;
    tt_err err;

    (void)state;
    memset(&f, 0xff, sizeof(f));
    assert_int_equal(tt_fmi1_bind(lib, TT_FMI_CS, "tank", &f, &err), TT_OK);
    assert_non_null(f.do_step);
    assert_non_null(f.like2.all.terminate);
    assert_non_null(f.like2.get_real); /* exported without */
    assert_null(f.like2.set_real);
    assert_null(f.like2.do_step);
    assert_null(f.like2.all.get_state);
    assert_int_equal(tt_fmi1_bind(lib, TT_FMI_CS, "pump", &f, &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        "the library does not export what every FMU must: "
                        "pump_fmiInstantiateSlave, pump_fmiInitializeSlave, "
                        "pump_fmiFreeSlaveInstance, pump_fmiTerminateSlave, "
                        "pump_fmiDoStep");
    assert_int_equal(tt_fmi1_bind(lib, TT_FMI_ME, "tank", &f, &err), TT_EINPUT);
    assert_string_equal(
        err.msg,
        "the library does not export what every FMU must: "
        "tank_fmiInstantiateModel, tank_fmiInitialize, "
        "tank_fmiFreeModelInstance, tank_fmiTerminate, tank_fmiSetTime, "
        "tank_fmiSetContinuousStates, tank_fmiGetContinuousStates, "
        "tank_fmiGetDerivatives, tank_fmiGetEventIndicators, "
        "tank_fmiCompletedIntegratorStep, tank_fmiEventUpdate");
    assert_null(f.do_step);
    tt_lib_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_bound_and_the_rest_is_null),
        cmocka_unit_test(missing_functions_are_named),
        cmocka_unit_test(functions_of_fmi_1_have_a_prefix),
        cmocka_unit_test(statuses_have_the_names_of_the_standard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
