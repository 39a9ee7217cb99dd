/* SPDX-License-Identifier: MIT */
#include "fmi/fmi1.h"

#include "fmi/bind_impl.h"

#define FN(needed, member, text)                                               \
    TT_FMI_FN(struct tt_fmi1_fns, needed, member, text)

/* What both interfaces have. */
#define VALUES                                                                 \
    FN(0, set_debug_logging, "fmiSetDebugLogging"),                            \
        FN(0, like2.get_real, "fmiGetReal"),                                   \
        FN(0, like2.get_integer, "fmiGetInteger"),                             \
        FN(0, get_boolean, "fmiGetBoolean"),                                   \
        FN(0, like2.get_string, "fmiGetString"),                               \
        FN(0, like2.set_real, "fmiSetReal"),                                   \
        FN(0, like2.set_integer, "fmiSetInteger"),                             \
        FN(0, set_boolean, "fmiSetBoolean"),                                   \
        FN(0, like2.set_string, "fmiSetString")

static const struct tt_fmi_fn co_simulation[] = {
    FN(TT_FMI_CS, instantiate, "fmiInstantiateSlave"),
    FN(TT_FMI_CS, initialize, "fmiInitializeSlave"),
    FN(TT_FMI_CS, like2.all.free_instance, "fmiFreeSlaveInstance"),
    FN(TT_FMI_CS, like2.all.terminate, "fmiTerminateSlave"),
    FN(0, like2.all.reset, "fmiResetSlave"),
    VALUES,
    FN(0, like2.set_real_input_derivatives, "fmiSetRealInputDerivatives"),
    FN(0, like2.get_real_output_derivatives, "fmiGetRealOutputDerivatives"),
    FN(TT_FMI_CS, do_step, "fmiDoStep"),
    FN(0, like2.get_status, "fmiGetStatus"),
    FN(0, like2.get_real_status, "fmiGetRealStatus"),
};

#define ME(member) like2.all.me.member

static const struct tt_fmi_fn model_exchange[] = {
    FN(TT_FMI_ME, instantiate_model, "fmiInstantiateModel"),
    FN(TT_FMI_ME, initialize_model, "fmiInitialize"),
    FN(TT_FMI_ME, like2.all.free_instance, "fmiFreeModelInstance"),
    FN(TT_FMI_ME, like2.all.terminate, "fmiTerminate"),
    VALUES,
    FN(TT_FMI_ME, ME(set_time), "fmiSetTime"),
    FN(TT_FMI_ME, ME(set_states), "fmiSetContinuousStates"),
    FN(TT_FMI_ME, ME(get_states), "fmiGetContinuousStates"),
    FN(TT_FMI_ME, ME(get_derivatives), "fmiGetDerivatives"),
    FN(TT_FMI_ME, ME(get_indicators), "fmiGetEventIndicators"),
    FN(0, ME(get_nominals), "fmiGetNominalContinuousStates"),
    FN(TT_FMI_ME, completed_step, "fmiCompletedIntegratorStep"),
    FN(TT_FMI_ME, event_update, "fmiEventUpdate"),
    FN(0, get_state_references, "fmiGetStateValueReferences"),
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum tt_code tt_fmi1_bind(tt_lib *lib, enum tt_fmi_face face,
                          const char *identifier, struct tt_fmi1_fns *fns,
                          tt_err *err)
{
    int me = face == TT_FMI_ME;

    *fns = (struct tt_fmi1_fns){.instantiate = NULL};
    return tt_fmi_bind(
        lib, identifier, fns, me ? model_exchange : co_simulation,
        me ? COUNT(model_exchange) : COUNT(co_simulation), face, err);
}
