/* SPDX-License-Identifier: MIT */
#include "base/terminal.h"

const char *tt_match_name(enum tt_match m)
{
    static const char *const name[] = {
        [TT_MATCH_PLUG] = "plug",
        [TT_MATCH_BUS] = "bus",
        [TT_MATCH_SEQUENCE] = "sequence",
        [TT_MATCH_NONE] = "none",
    };

    return name[m];
}

const char *tt_member_kind_name(enum tt_member_kind k)
{
    static const char *const name[] = {
        [TT_MEMBER_SIGNAL] = "signal",   [TT_MEMBER_INFLOW] = "inflow",
        [TT_MEMBER_OUTFLOW] = "outflow", [TT_MEMBER_STREAM] = "stream",
        [TT_MEMBER_OTHER] = "other",
    };

    return name[k];
}
