/* SPDX-License-Identifier: MIT */
#include "kinds/kinds.h"

#include <string.h>

#include "kinds/fmi_common.h"

enum tt_code tt_kind_for(const struct tt_kind_ops **kind,
                         const struct tt_source *s, tt_err *err)
{
    int version;
    enum tt_code rc;

    if (tt_kind_signal.accepts(s)) {
        *kind = &tt_kind_signal;
        return TT_OK;
    }
    if (tt_kind_coupling.accepts(s)) {
        *kind = &tt_kind_coupling;
        return TT_OK;
    }
    if (strncmp(s->path, "tutti:", 6) == 0)
        return tt_fail(err, TT_EINPUT,
                       "%s: there is no such unit built in, only "
                       "'tutti:coupling'",
                       s->path);
    rc = tt_kfmi_version(s->path, &version, err);
    if (rc != TT_OK)
        return rc;
    if (version == TT_FMI_2)
        *kind = &tt_kind_fmi2;
    else if (version == TT_FMI_3)
        *kind = &tt_kind_fmi3;
    else
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s: FMI %d is not supported, only 2 and 3", s->path,
                       version);
    return TT_OK;
}
