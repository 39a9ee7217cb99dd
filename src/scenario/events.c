/* SPDX-License-Identifier: MIT */
/* "events". */
#include "scenario/build_impl.h"

enum tt_code tt_sc_read_events(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const word[] = {"continue", "stop", "regularise"};
    static const struct tt_sc_choice zeno = {"'zeno'", word, 3};
    uint32_t is = TT_ZENO_CONTINUE;
    enum tt_code rc = tt_sc_check_members(b, v, "events");

    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "zeno", &zeno, &is);
    b->s->zeno = (enum tt_sc_zeno)is;
    return rc == TT_OK ? tt_sc_connect_locators(b, v) : rc;
}
