/* SPDX-License-Identifier: MIT */
#include "kinds/kinds.h"

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
