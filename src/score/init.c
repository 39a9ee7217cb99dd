/* SPDX-License-Identifier: MIT */
/* The init section: consistent first values, in initialisation mode, where
 * every unit may be read after setting. Loops are solved, assumed ones too
 * (instant.c). */
#include "score/schedule.h"
#include "unit/call.h"

enum tt_code tt_write_init(struct tt_draft *w, tt_err *err)
{
    struct tt_schedule s;
    enum tt_code rc = tt_schedule_init(&s, w, TT_SCHEDULE_INIT, NULL, err);

    tt_write_begin(w, TT_SEC_INIT);
    while (rc == TT_OK && s.left && !w->failed) {
        tt_schedule_run(&s);
        if (s.left)
            tt_schedule_solve(&s, 1);
    }
    tt_write_op(w, (struct tt_op){.code = TT_OP_COMMIT, .unit = TT_NONE});
    tt_write_end(w, TT_SEC_INIT);
    tt_schedule_fini(&s);
    return rc;
}
