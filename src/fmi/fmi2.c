/* SPDX-License-Identifier: MIT */
#include "fmi/fmi2.h"

#include "fmi/bind_impl.h"

#define FN(needed, member, text)                                               \
    {                                                                          \
        .name = (text), .offset = offsetof(struct tt_fmi2_fns, member),        \
        .required = (needed)                                                   \
    }

static const struct tt_fmi_fn functions[] = {
    FN(0, get_types_platform, "fmi2GetTypesPlatform"),
    FN(0, get_version, "fmi2GetVersion"),
    FN(0, set_debug_logging, "fmi2SetDebugLogging"),
    FN(1, instantiate, "fmi2Instantiate"),
    FN(1, free_instance, "fmi2FreeInstance"),
    FN(1, setup_experiment, "fmi2SetupExperiment"),
    FN(1, enter_initialization, "fmi2EnterInitializationMode"),
    FN(1, exit_initialization, "fmi2ExitInitializationMode"),
    FN(1, terminate, "fmi2Terminate"),
    FN(0, reset, "fmi2Reset"),
    FN(0, get_real, "fmi2GetReal"),
    FN(0, get_integer, "fmi2GetInteger"),
    FN(0, get_boolean, "fmi2GetBoolean"),
    FN(0, get_string, "fmi2GetString"),
    FN(0, set_real, "fmi2SetReal"),
    FN(0, set_integer, "fmi2SetInteger"),
    FN(0, set_boolean, "fmi2SetBoolean"),
    FN(0, set_string, "fmi2SetString"),
    FN(0, get_state, "fmi2GetFMUstate"),
    FN(0, set_state, "fmi2SetFMUstate"),
    FN(0, free_state, "fmi2FreeFMUstate"),
    FN(0, serialized_state_size, "fmi2SerializedFMUstateSize"),
    FN(0, serialize_state, "fmi2SerializeFMUstate"),
    FN(0, deserialize_state, "fmi2DeSerializeFMUstate"),
    FN(0, get_directional_derivative, "fmi2GetDirectionalDerivative"),
    FN(0, set_real_input_derivatives, "fmi2SetRealInputDerivatives"),
    FN(0, get_real_output_derivatives, "fmi2GetRealOutputDerivatives"),
    FN(1, do_step, "fmi2DoStep"),
    FN(0, cancel_step, "fmi2CancelStep"),
    FN(0, get_status, "fmi2GetStatus"),
    FN(0, get_real_status, "fmi2GetRealStatus"),
    FN(0, get_integer_status, "fmi2GetIntegerStatus"),
    FN(0, get_boolean_status, "fmi2GetBooleanStatus"),
    FN(0, get_string_status, "fmi2GetStringStatus"),
    FN(0, get_max_step_size, "fmi2GetMaxStepsize"),
};

/* Nobody standardised the extension, so its spelling varies. */
static const char *const max_step_names[] = {"fmi2GetMaxStepSize",
                                             "fmiGetMaxStepSize"};

enum tt_code tt_fmi2_bind(tt_lib *lib, struct tt_fmi2_fns *fns, tt_err *err)
{
    enum tt_code rc = tt_fmi_bind(
        lib, fns, functions, sizeof(functions) / sizeof(functions[0]), err);

    for (size_t i = 0; i < 2 && !fns->get_max_step_size; i++)
        (void)tt_lib_get(lib, max_step_names[i], &fns->get_max_step_size,
                         sizeof(fns->get_max_step_size));
    return rc;
}

const char *tt_fmi2_status_name(enum tt_fmi2_status s)
{
    static const char *const name[] = {"fmi2OK",      "fmi2Warning",
                                       "fmi2Discard", "fmi2Error",
                                       "fmi2Fatal",   "fmi2Pending"};

    /* It comes from a stranger: any number is possible. */
    if ((unsigned)s >= sizeof(name) / sizeof(name[0]))
        return "a status unknown to FMI 2";
    return name[s];
}
