/* SPDX-License-Identifier: MIT */
/* Exported FMUs keep the unit contract, played as the FMUs they are. */
#include "compose/test_contract.h"
#include "export/export.h"
#include "kinds/kinds.h"

static enum tt_code export_to(const char *scenario, const char *fmu, int fmi,
                              tt_err *err)
{
    const struct tt_export x = {
        .scenario = scenario,
        .output = fmu,
        .engine = fmi == 3 ? TT_BUILD_DIR "/tutti-engine-fmi3.so"
                           : TT_BUILD_DIR "/tutti-engine-fmi2.so",
        .fmi = fmi};
    struct tt_exported made;

    return tt_export_write(&x, &made, err);
}

static tt_unit_type *export_text(const char *text, int fmi)
{
    char *scenario = put("it.json", text);
    char *fmu = tt_path_join(test_dir, "it.fmu");
    const struct tt_source s = {.path = fmu};
    const struct tt_kind_ops *kind = NULL;
    tt_unit_type *t = NULL;

    assert_ok(export_to(scenario, fmu, fmi, err));
    assert_ok(tt_kind_for(&kind, &s, err));
    assert_ok(kind->open(&t, &s, err));
    tt_free(scenario);
    tt_free(fmu);
    return t;
}

/* --- the contract --------------------------------------------------------- */

static void check(const char *text, const char *failing)
{
    for (int fmi = 2; fmi <= 3; fmi++)
        keeps_contract((struct subject){.type = export_text(text, fmi),
                                        .failing = failing});
}

static void a_closed_loop(void **state)
{
    (void)state;
    check("{" MSD ", " LOOP ", " STEP("0.1") "}", NULL);
}

static void repeated_and_rolled_back_inside(void **state)
{
    (void)state;
    check(REPEATED, NULL);
}

static void open_ends_and_ports_of_its_own(void **state)
{
    (void)state;
    check(OPEN_ENDS, NULL);
}

static void all_types(void **state)
{
    (void)state;
    check(ALL_TYPES, NULL);
}

static void a_unit_that_fails(void **state)
{
    (void)state;
    check(FAILING, "{m}.b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_loop),
        cmocka_unit_test(repeated_and_rolled_back_inside),
        cmocka_unit_test(open_ends_and_ports_of_its_own),
        cmocka_unit_test(all_types),
        cmocka_unit_test(a_unit_that_fails),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
