/* SPDX-License-Identifier: MIT */
#include "fmi/bind_impl.h"

#include <string.h>

#include "base/buf.h"
#include "fmi/fmi.h"

#define MISSING_MAX 1000  /* bytes of the list of missing functions */
#define NAME_MAX    65536 /* of a function with its prefix */

typedef void (*any_fn)(void);

/* NULL: the library has no such function. */
static any_fn look_up(tt_lib *lib, const char *prefix, const char *name)
{
    any_fn found = NULL;
    struct tt_buf full;

    tt_buf_init(&full, NAME_MAX);
    tt_buf_fmt(&full, "%s_%s", prefix ? prefix : "", name);
    if (prefix && !full.failed)
        (void)tt_lib_get(lib, full.data, &found, sizeof(found));
    if (!found)
        (void)tt_lib_get(lib, name, &found, sizeof(found));
    tt_buf_fini(&full);
    return found;
}

enum tt_code tt_fmi_bind(tt_lib *lib, const char *prefix, void *table,
                         const struct tt_fmi_fn *fn, size_t n,
                         enum tt_fmi_face face, tt_err *err)
{
    struct tt_buf missing;
    enum tt_code rc = TT_OK;

    tt_buf_init(&missing, MISSING_MAX);
    for (size_t i = 0; i < n; i++) {
        any_fn found = look_up(lib, prefix, fn[i].name);

        memcpy((char *)table + fn[i].offset, &found, sizeof(found));
        if (!found && (fn[i].required & (int)face))
            tt_buf_fmt(&missing, "%s%s%s%s", missing.len ? ", " : "",
                       prefix ? prefix : "", prefix ? "_" : "", fn[i].name);
    }
    if (missing.len)
        rc = tt_fail(err, TT_EINPUT,
                     "the library does not export what every FMU must: %s",
                     missing.data);
    else if (missing.failed)
        rc = tt_fail(err, TT_ENOMEM, "listing missing functions");
    tt_buf_fini(&missing);
    return rc;
}

const char *tt_fmi_status_name(int version, enum tt_fmi_status s)
{
    static const char *const name[][6] = {
        {"fmiOK", "fmiWarning", "fmiDiscard", "fmiError", "fmiFatal",
         "fmiPending"},
        {"fmi2OK", "fmi2Warning", "fmi2Discard", "fmi2Error", "fmi2Fatal",
         "fmi2Pending"},
        {"fmi3OK", "fmi3Warning", "fmi3Discard", "fmi3Error", "fmi3Fatal",
         "a status unknown to FMI 3"},
    };
    static const char *const unknown[] = {"a status unknown to FMI 1",
                                          "a status unknown to FMI 2",
                                          "a status unknown to FMI 3"};

    /* It comes from the FMU: any number is possible. */
    if ((unsigned)s > TT_FMI_PENDING)
        return unknown[version - 1];
    return name[version - 1][s];
}
