/* SPDX-License-Identifier: MIT */
/* The exchange section: values at T1, in dependency order. A loop of
 * feed-through cannot be satisfied by one pass; it is cut where an output is
 * read before its inputs are of this instant, and loops.c says where. */
#include "score/schedule.h"
#include "unit/call.h"

static void cut(struct tt_schedule *s)
{
    uint32_t slot = tt_schedule_choose(s);

    TT_ASSERT(slot != TT_NONE); /* an input alone cannot wait in a circle */
    tt_schedule_force(s, slot, TT_OP_CUT | TT_OP_PREDICTED);
}

/* A sub-step's loop is that of the exchange: it is cut there, too. Inputs from
 * outside are where their courses have led. */
void tt_write_exchange_inside(struct tt_writer *w, const uint8_t *done)
{
    struct tt_schedule s;
    enum tt_code rc = tt_schedule_init(&s, w, 0, done, NULL);

    s.reg = TT_S1;
    s.reading = TT_OP_PREDICTED;
    while (rc == TT_OK && s.left && !w->failed) {
        tt_schedule_run(&s);
        if (s.left)
            tt_schedule_force(&s, tt_schedule_choose(&s), TT_OP_CUT);
    }
    tt_schedule_fini(&s);
    if (rc != TT_OK)
        w->failed = 1;
}

static enum tt_code move_all(struct tt_writer *w, const uint8_t *done,
                             tt_err *err)
{
    struct tt_schedule s;
    enum tt_code rc = tt_schedule_init(&s, w, 0, done, err);

    while (rc == TT_OK && s.left && !w->failed) {
        tt_schedule_run(&s);
        if (s.left)
            cut(&s);
    }
    tt_schedule_fini(&s);
    return rc;
}

void tt_write_exchange_of(struct tt_writer *w, const uint8_t *done)
{
    if (move_all(w, done, NULL) != TT_OK)
        w->failed = 1;
}

enum tt_code tt_write_exchange(struct tt_writer *w, const uint8_t *fresh,
                               tt_err *err)
{
    enum tt_code rc;

    tt_write_begin(w, TT_SEC_EXCHANGE);
    rc = move_all(w, fresh, err);
    tt_write_op(w, (struct tt_op){.code = TT_OP_COMMIT,
                                  .unit = TT_NONE,
                                  .at = TT_T1,
                                  .to = TT_T1});
    tt_write_end(w, TT_SEC_EXCHANGE);
    return rc;
}

/* After initialisation mode, where every unit could be read after setting: as
 * the exchange, but of everything. Loops are cut where that cuts them, which
 * has said so. */
enum tt_code tt_write_start(struct tt_writer *w, tt_err *err)
{
    struct tt_schedule s;
    enum tt_code rc = tt_schedule_init(&s, w, 0, NULL, err);

    s.reg = TT_T0;
    tt_write_begin(w, TT_SEC_START);
    while (rc == TT_OK && s.left && !w->failed) {
        tt_schedule_run(&s);
        if (s.left)
            tt_schedule_force(&s, tt_schedule_choose(&s), TT_OP_CUT);
    }
    tt_write_end(w, TT_SEC_START);
    tt_schedule_fini(&s);
    return rc;
}
