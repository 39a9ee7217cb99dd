/* SPDX-License-Identifier: MIT */
#include "fmi/bind_impl.h"

#include <string.h>

#include "base/buf.h"

#define MISSING_MAX 1000 /* bytes of the list of missing functions */

typedef void (*any_fn)(void);

enum tt_code tt_fmi_bind(tt_lib *lib, void *table, const struct tt_fmi_fn *fn,
                         size_t n, tt_err *err)
{
    struct tt_buf missing;
    enum tt_code rc = TT_OK;

    tt_buf_init(&missing, MISSING_MAX);
    for (size_t i = 0; i < n; i++) {
        any_fn found = NULL;

        (void)tt_lib_get(lib, fn[i].name, &found, sizeof(found));
        memcpy((char *)table + fn[i].offset, &found, sizeof(found));
        if (!found && fn[i].required)
            tt_buf_fmt(&missing, "%s%s", missing.len ? ", " : "", fn[i].name);
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
