/* SPDX-License-Identifier: MIT */
/* The kinds of FMUs: one for each version and interface. */
#include "fmi/fmu_copy.h"
#include "kinds/fmi_common.h"
#include "kinds/kinds.h"

#define KIND(id, number, face, copies)                                         \
    static enum tt_code open_##id(tt_unit_type **out,                          \
                                  const struct tt_source *s, tt_err *err)      \
    {                                                                          \
        return tt_kfmi_open(out, &tt_kfmi_version_##id, s, err);               \
    }                                                                          \
                                                                               \
    const struct tt_kind_ops tt_kind_##id = {                                  \
        .name = #id,                                                           \
        .traits = TT_KIND_FOREIGN,                                             \
        .fmi = (number),                                                       \
        .interface = TT_INTERFACE_##face,                                      \
        .open = open_##id,                                                     \
        .close = tt_kfmi_close,                                                \
        .make = tt_kfmi_make,                                                  \
        .unpack = tt_kfmi_unpack,                                              \
        .copy_refused = (copies),                                              \
    };

static const char *copy_refused(tt_unit_type *t)
{
    return tt_fmu_copy_refused(((struct tt_kfmi_type *)(void *)t)->fmu);
}

KIND(fmi1, TT_FMI_1, CO_SIMULATION, copy_refused)
KIND(fmi2, TT_FMI_2, CO_SIMULATION, copy_refused)
KIND(fmi3, TT_FMI_3, CO_SIMULATION, NULL)
KIND(fmi1me, TT_FMI_1, MODEL_EXCHANGE, copy_refused)
KIND(fmi2me, TT_FMI_2, MODEL_EXCHANGE, copy_refused)
KIND(fmi3me, TT_FMI_3, MODEL_EXCHANGE, NULL)
KIND(fmi3se, TT_FMI_3, SCHEDULED_EXECUTION, NULL)
