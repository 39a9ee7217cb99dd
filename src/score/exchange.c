/* SPDX-License-Identifier: MIT */
/* The exchange section: values at T1, in dependency order. A loop of
 * feed-through cannot be satisfied by one pass: it is solved (instant.c), or
 * cut where an output is read before its inputs are of this instant, and
 * loops.c states where. */
#include "score/schedule.h"
#include "unit/call.h"

/* A sub-step's loop is that of the exchange. Inputs from outside are where
 * their courses have led. */
void tt_write_exchange_inside(struct tt_draft *w, const uint8_t *done)
{
    struct tt_schedule s;

    if (tt_schedule_init(&s, w, TT_SCHEDULE_RUN, done, NULL) == TT_OK) {
        s.reg = TT_S1;
        s.reading = TT_OP_PREDICTED;
        tt_schedule_move(&s, 0, TT_OP_CUT);
    } else {
        w->failed = 1;
    }
    tt_schedule_fini(&s);
}

static enum tt_code move_all(struct tt_draft *w, const uint8_t *done, int noted,
                             tt_err *err)
{
    struct tt_schedule s;
    enum tt_code rc = tt_schedule_init(&s, w, TT_SCHEDULE_RUN, done, err);

    if (rc == TT_OK)
        tt_schedule_move(&s, noted, TT_OP_CUT | TT_OP_PREDICTED);
    tt_schedule_fini(&s);
    return rc;
}

void tt_write_exchange_of(struct tt_draft *w, const uint8_t *done)
{
    if (move_all(w, done, 0, NULL) != TT_OK)
        w->failed = 1;
}

enum tt_code tt_write_exchange(struct tt_draft *w, const uint8_t *fresh,
                               tt_err *err)
{
    enum tt_code rc;

    tt_write_begin(w, TT_SEC_EXCHANGE);
    rc = move_all(w, fresh, 1, err);
    tt_write_op(w, (struct tt_op){.code = TT_OP_COMMIT,
                                  .unit = TT_NONE,
                                  .at = TT_T1,
                                  .to = TT_T1});
    tt_write_end(w, TT_SEC_EXCHANGE);
    return rc;
}

static int any(const uint8_t *mark, size_t n)
{
    while (n && !mark[n - 1])
        n--;
    return n > 0;
}

/* After initialisation mode, where every unit could be read after setting: as
 * the exchange, but of everything. Where the exchange leaves nothing to the
 * steps it is the same operations. */
enum tt_code tt_write_start(struct tt_draft *w, const uint8_t *fresh,
                            tt_err *err)
{
    tt_score *s = w->score;
    enum tt_code rc;

    if (!any(fresh, w->plan->n_slot) && s->section[TT_SEC_EXCHANGE].n) {
        s->section[TT_SEC_START] = s->section[TT_SEC_EXCHANGE];
        s->section[TT_SEC_START].n--; /* its commit */
        return TT_OK;
    }
    tt_write_begin(w, TT_SEC_START);
    rc = move_all(w, NULL, 0, err);
    tt_write_end(w, TT_SEC_START);
    return rc;
}
