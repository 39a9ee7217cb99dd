/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_BIND_IMPL_H
#define TT_FMI_BIND_IMPL_H

/* Filling a table of function pointers from a library. Private to fmi/. */

#include <stddef.h>

#include "base/err.h"
#include "fmi/fmi.h"
#include "sys/lib.h"

struct tt_fmi_fn {
    const char *name; /* as exported */
    size_t offset;    /* of the pointer in the table */
    int required;     /* for which interfaces: bits of enum tt_fmi_face */
};

#define TT_FMI_FN(table, needed, member, text)                                 \
    {                                                                          \
        .name = (text), .offset = offsetof(table, member),                     \
        .required = (needed)                                                   \
    }

/* Functions of versions with states that are called alike, but for a few
 * letters: struct tt_fmi_fns begins their tables as `all`. */
#define TT_FMI_COMMON(FN, fmi, State, De)                                      \
    FN(0, all.reset, fmi "Reset"), FN(0, all.get_state, fmi "Get" State),      \
        FN(0, all.set_state, fmi "Set" State),                                 \
        FN(0, all.free_state, fmi "Free" State),                               \
        FN(0, all.serialized_state_size, fmi "Serialized" State "Size"),       \
        FN(0, all.serialize_state, fmi "Serialize" State),                     \
        FN(0, all.deserialize_state, fmi De State),                            \
        FN(TT_FMI_ME, all.me.enter_event, fmi "EnterEventMode"),               \
        FN(TT_FMI_ME, all.me.enter_continuous, fmi "EnterContinuousTimeMode"), \
        FN(TT_FMI_ME, all.me.set_time, fmi "SetTime"),                         \
        FN(TT_FMI_ME, all.me.set_states, fmi "SetContinuousStates"),           \
        FN(TT_FMI_ME, all.me.get_states, fmi "GetContinuousStates"),           \
        FN(TT_FMI_ME, all.me.get_indicators, fmi "GetEventIndicators"),        \
        FN(0, all.me.get_nominals, fmi "GetNominalsOfContinuousStates")

/* Set every pointer of the table, NULL when the library has no such function.
 * Fails naming all that are missing and required for this interface. With a
 * prefix (NULL: none) names begin with it and '_', or are plain. */
TT_NODISCARD enum tt_code tt_fmi_bind(tt_lib *lib, const char *prefix,
                                      void *table, const struct tt_fmi_fn *fn,
                                      size_t n, enum tt_fmi_face face,
                                      tt_err *err);

#endif
