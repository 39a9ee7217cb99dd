/* SPDX-License-Identifier: MIT */
#include "fmi/fmi3.h"

#include "fmi/bind_impl.h"

#define FN(needed, member, text)                                               \
    {                                                                          \
        .name = (text), .offset = offsetof(struct tt_fmi3_fns, member),        \
        .required = (needed)                                                   \
    }

static const struct tt_fmi_fn functions[] = {
    FN(0, get_version, "fmi3GetVersion"),
    FN(0, set_debug_logging, "fmi3SetDebugLogging"),
    FN(1, instantiate_cs, "fmi3InstantiateCoSimulation"),
    FN(1, free_instance, "fmi3FreeInstance"),
    FN(1, enter_initialization, "fmi3EnterInitializationMode"),
    FN(1, exit_initialization, "fmi3ExitInitializationMode"),
    FN(0, enter_event_mode, "fmi3EnterEventMode"),
    FN(1, terminate, "fmi3Terminate"),
    FN(0, reset, "fmi3Reset"),
    FN(0, get_float32, "fmi3GetFloat32"),
    FN(0, get_float64, "fmi3GetFloat64"),
    FN(0, get_int8, "fmi3GetInt8"),
    FN(0, get_uint8, "fmi3GetUInt8"),
    FN(0, get_int16, "fmi3GetInt16"),
    FN(0, get_uint16, "fmi3GetUInt16"),
    FN(0, get_int32, "fmi3GetInt32"),
    FN(0, get_uint32, "fmi3GetUInt32"),
    FN(0, get_int64, "fmi3GetInt64"),
    FN(0, get_uint64, "fmi3GetUInt64"),
    FN(0, get_boolean, "fmi3GetBoolean"),
    FN(0, get_string, "fmi3GetString"),
    FN(0, get_binary, "fmi3GetBinary"),
    FN(0, get_clock, "fmi3GetClock"),
    FN(0, set_float32, "fmi3SetFloat32"),
    FN(0, set_float64, "fmi3SetFloat64"),
    FN(0, set_int8, "fmi3SetInt8"),
    FN(0, set_uint8, "fmi3SetUInt8"),
    FN(0, set_int16, "fmi3SetInt16"),
    FN(0, set_uint16, "fmi3SetUInt16"),
    FN(0, set_int32, "fmi3SetInt32"),
    FN(0, set_uint32, "fmi3SetUInt32"),
    FN(0, set_int64, "fmi3SetInt64"),
    FN(0, set_uint64, "fmi3SetUInt64"),
    FN(0, set_boolean, "fmi3SetBoolean"),
    FN(0, set_string, "fmi3SetString"),
    FN(0, set_binary, "fmi3SetBinary"),
    FN(0, set_clock, "fmi3SetClock"),
    FN(0, get_dependency_count, "fmi3GetNumberOfVariableDependencies"),
    FN(0, get_dependencies, "fmi3GetVariableDependencies"),
    FN(0, get_state, "fmi3GetFMUState"),
    FN(0, set_state, "fmi3SetFMUState"),
    FN(0, free_state, "fmi3FreeFMUState"),
    FN(0, serialized_state_size, "fmi3SerializedFMUStateSize"),
    FN(0, serialize_state, "fmi3SerializeFMUState"),
    FN(0, deserialize_state, "fmi3DeserializeFMUState"),
    FN(0, get_directional_derivative, "fmi3GetDirectionalDerivative"),
    FN(0, get_adjoint_derivative, "fmi3GetAdjointDerivative"),
    FN(0, enter_configuration, "fmi3EnterConfigurationMode"),
    FN(0, exit_configuration, "fmi3ExitConfigurationMode"),
    FN(0, get_interval_decimal, "fmi3GetIntervalDecimal"),
    FN(0, get_interval_fraction, "fmi3GetIntervalFraction"),
    FN(0, get_shift_decimal, "fmi3GetShiftDecimal"),
    FN(0, get_shift_fraction, "fmi3GetShiftFraction"),
    FN(0, set_interval_decimal, "fmi3SetIntervalDecimal"),
    FN(0, set_interval_fraction, "fmi3SetIntervalFraction"),
    FN(0, set_shift_decimal, "fmi3SetShiftDecimal"),
    FN(0, set_shift_fraction, "fmi3SetShiftFraction"),
    FN(0, evaluate_discrete_states, "fmi3EvaluateDiscreteStates"),
    FN(0, update_discrete_states, "fmi3UpdateDiscreteStates"),
    FN(0, enter_step_mode, "fmi3EnterStepMode"),
    FN(0, get_output_derivatives, "fmi3GetOutputDerivatives"),
    FN(1, do_step, "fmi3DoStep"),
};

enum tt_code tt_fmi3_bind(tt_lib *lib, struct tt_fmi3_fns *fns, tt_err *err)
{
    enum tt_code rc = tt_fmi_bind(
        lib, fns, functions, sizeof(functions) / sizeof(functions[0]), err);
    return rc;
}

const char *tt_fmi3_status_name(enum tt_fmi3_status s)
{
    static const char *const name[] = {"fmi3OK", "fmi3Warning", "fmi3Discard",
                                       "fmi3Error", "fmi3Fatal"};

    /* It comes from a stranger: any number is possible. */
    if ((unsigned)s >= sizeof(name) / sizeof(name[0]))
        return "a status unknown to FMI 3";
    return name[s];
}
