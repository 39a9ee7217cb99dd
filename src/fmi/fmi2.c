/* SPDX-License-Identifier: MIT */
#include "fmi/fmi2.h"

#include "fmi/bind_impl.h"

enum { BOTH = TT_FMI_CS | TT_FMI_ME };

#define FN(needed, member, text)                                               \
    TT_FMI_FN(struct tt_fmi2_fns, needed, member, text)

static const struct tt_fmi_fn functions[] = {
    FN(0, set_debug_logging, "fmi2SetDebugLogging"),
    FN(BOTH, instantiate, "fmi2Instantiate"),
    FN(BOTH, all.free_instance, "fmi2FreeInstance"),
    FN(BOTH, setup_experiment, "fmi2SetupExperiment"),
    FN(BOTH, enter_initialization, "fmi2EnterInitializationMode"),
    FN(BOTH, all.exit_initialization, "fmi2ExitInitializationMode"),
    FN(BOTH, all.terminate, "fmi2Terminate"),
    TT_FMI_COMMON(FN, "fmi2", "FMUstate", "DeSerialize"),
    FN(0, get_real, "fmi2GetReal"),
    FN(0, get_integer, "fmi2GetInteger"),
    FN(0, get_boolean, "fmi2GetBoolean"),
    FN(0, get_string, "fmi2GetString"),
    FN(0, set_real, "fmi2SetReal"),
    FN(0, set_integer, "fmi2SetInteger"),
    FN(0, set_boolean, "fmi2SetBoolean"),
    FN(0, set_string, "fmi2SetString"),
    FN(0, get_directional_derivative, "fmi2GetDirectionalDerivative"),
    FN(0, set_real_input_derivatives, "fmi2SetRealInputDerivatives"),
    FN(0, get_real_output_derivatives, "fmi2GetRealOutputDerivatives"),
    FN(TT_FMI_CS, do_step, "fmi2DoStep"),
    FN(0, get_status, "fmi2GetStatus"),
    FN(0, get_real_status, "fmi2GetRealStatus"),
    FN(0, get_boolean_status, "fmi2GetBooleanStatus"),
    FN(0, get_max_step_size, "fmi2GetMaxStepsize"),
    FN(TT_FMI_ME, all.me.get_derivatives, "fmi2GetDerivatives"),
    FN(0, completed_step, "fmi2CompletedIntegratorStep"),
    FN(TT_FMI_ME, new_discrete_states, "fmi2NewDiscreteStates"),
};

/* The extension is not standardised, so its spelling varies. */
static const char *const max_step_names[] = {"fmi2GetMaxStepSize",
                                             "fmiGetMaxStepSize"};

enum tt_code tt_fmi2_bind(tt_lib *lib, enum tt_fmi_face face,
                          struct tt_fmi2_fns *fns, tt_err *err)
{
    enum tt_code rc =
        tt_fmi_bind(lib, NULL, fns, functions,
                    sizeof(functions) / sizeof(functions[0]), face, err);

    for (size_t i = 0; i < 2 && !fns->get_max_step_size; i++)
        (void)tt_lib_get(lib, max_step_names[i], &fns->get_max_step_size,
                         sizeof(fns->get_max_step_size));
    return rc;
}
