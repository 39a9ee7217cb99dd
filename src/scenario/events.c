/* SPDX-License-Identifier: MIT */
/* "events". */
#include "scenario/build_impl.h"

enum tt_code tt_sc_read_events(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_check_members(b, v, "events");

    return rc == TT_OK ? tt_sc_connect_locators(b, v) : rc;
}
