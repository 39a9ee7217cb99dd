/* SPDX-License-Identifier: MIT */
#include "fmi/fmi3.h"

#include "fmi/bind_impl.h"

enum { ALL = TT_FMI_CS | TT_FMI_ME | TT_FMI_SE };

#define FN(needed, member, text)                                               \
    TT_FMI_FN(struct tt_fmi3_fns, needed, member, text)

static const struct tt_fmi_fn functions[] = {
    FN(0, set_debug_logging, "fmi3SetDebugLogging"),
    FN(TT_FMI_CS, instantiate_cs, "fmi3InstantiateCoSimulation"),
    FN(ALL, all.free_instance, "fmi3FreeInstance"),
    FN(ALL, enter_initialization, "fmi3EnterInitializationMode"),
    FN(ALL, all.exit_initialization, "fmi3ExitInitializationMode"),
    FN(ALL, all.terminate, "fmi3Terminate"),
    TT_FMI_COMMON(FN, "fmi3", "FMUState", "Deserialize"),
    FN(0, enter_event_mode, "fmi3EnterEventMode"),
    FN(0, get_string, "fmi3GetString"),
    FN(0, get_binary, "fmi3GetBinary"),
    FN(0, get_clock, "fmi3GetClock"),
    FN(0, set_string, "fmi3SetString"),
    FN(0, set_binary, "fmi3SetBinary"),
    FN(0, set_clock, "fmi3SetClock"),
    FN(0, get_directional_derivative, "fmi3GetDirectionalDerivative"),
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
    FN(TT_FMI_ME, update_discrete_states, "fmi3UpdateDiscreteStates"),
    FN(0, enter_step_mode, "fmi3EnterStepMode"),
    FN(0, get_output_derivatives, "fmi3GetOutputDerivatives"),
    FN(TT_FMI_CS, do_step, "fmi3DoStep"),
    FN(TT_FMI_ME, all.me.get_derivatives, "fmi3GetContinuousStateDerivatives"),
    FN(0, completed_step, "fmi3CompletedIntegratorStep"),
    FN(0, count_states, "fmi3GetNumberOfContinuousStates"),
    FN(0, count_indicators, "fmi3GetNumberOfEventIndicators"),
    FN(TT_FMI_ME, instantiate_me, "fmi3InstantiateModelExchange"),
    FN(TT_FMI_SE, instantiate_se, "fmi3InstantiateScheduledExecution"),
    FN(TT_FMI_SE, activate_partition, "fmi3ActivateModelPartition"),
#define X(type, name, Name, value_type)                                        \
    FN(0, get_##name, "fmi3Get" #Name), FN(0, set_##name, "fmi3Set" #Name),
    TT_FMI3_TYPES(X)
#undef X
};

enum tt_code tt_fmi3_bind(tt_lib *lib, enum tt_fmi_face face,
                          struct tt_fmi3_fns *fns, tt_err *err)
{
    return tt_fmi_bind(lib, NULL, fns, functions,
                       sizeof(functions) / sizeof(functions[0]), face, err);
}
