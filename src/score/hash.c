/* SPDX-License-Identifier: MIT */
/* What a score's hash covers: everything that changes what is played, by what
 * it is and not by where the score keeps it. */
#include <string.h>

#include "base/hash.h"
#include "score/score.h"

static uint64_t number(uint64_t h, uint64_t value)
{
    return tt_hash(h, &value, sizeof(value));
}

static uint64_t slots(uint64_t h, const tt_score *s, uint32_t first, uint32_t n)
{
    return tt_hash(number(h, n), s->member + first, n * sizeof(*s->member));
}

static uint64_t solver(uint64_t h, const tt_score *s, const struct tt_solver *v)
{
    const struct tt_solve_opts *o = &v->opts;
    const double real[] = {o->atol, o->rtol, o->relax};
    const uint32_t whole[] = {(uint32_t)o->method,     (uint32_t)o->jacobian,
                              (uint32_t)o->doubt,      o->least,
                              (uint32_t)v->accept,     (uint32_t)v->reduce,
                              (uint32_t)v->substitute, (uint32_t)v->init,
                              (uint32_t)v->at_start};

    h = tt_hash(h, real, sizeof(real));
    h = tt_hash(h, whole, sizeof(whole));
    return slots(h, s, v->first, v->n);
}

static uint64_t messages(uint64_t h, const tt_score *s, const struct tt_xfer *x)
{
    for (uint32_t i = x->first; i < x->first + x->n; i++) {
        const struct tt_message *m = &s->message[i];

        h = number(number(h, m->from), m->to);
        h = slots(h, s, m->first, m->n);
    }
    return number(h, x->n);
}

static uint64_t operation(uint64_t h, const tt_score *s, const struct tt_op *op)
{
    int state = op->code == TT_OP_SAVE || op->code == TT_OP_RESTORE;
    const uint32_t head[] = {op->code, op->flags, state ? 0u : op->at,
                             state ? 0u : op->to, op->unit};

    h = tt_hash(h, head, sizeof(head));
    if (op->guard)
        h = number(h, op->guard);
    switch ((enum tt_op_code)op->code) {
    case TT_OP_GET:
    case TT_OP_SET:
    case TT_OP_TICK:
        return slots(h, s, s->batch[op->arg].first, s->batch[op->arg].n);
    case TT_OP_ENTER:
    case TT_OP_UPDATE:
    case TT_OP_INTERVAL:
    case TT_OP_LEAVE:
        return h;
    case TT_OP_XFER:
        return messages(h, s, &s->xfer[op->arg]);
    case TT_OP_SOLVE: /* that of its loop */
        return h;
    case TT_OP_LOOP:
        if (op->until)
            h = solver(h, s, &s->solver[op->until - 1]);
        break;
    case TT_OP_STEP:
    case TT_OP_SAVE:
    case TT_OP_RESTORE:
    case TT_OP_TIME:
    case TT_OP_END:
    case TT_OP_COMMIT:
        break;
    }
    return number(h, op->arg);
}

uint64_t tt_score_hash(const tt_score *s)
{
    const char *protocol = s->protocol->name;
    uint64_t h = tt_hash(TT_HASH_START, protocol, strlen(protocol) + 1);

    for (int i = 0; i < TT_SEC_N; i++) {
        h = number(h, s->section[i].n);
        for (uint32_t k = 0; k < s->section[i].n; k++)
            h = operation(h, s, &s->op[s->section[i].first + k]);
    }
    h = number(h, s->n_rank);
    return s->n_rank ? tt_hash(h, s->owner, s->plan->n_unit * sizeof(*s->owner))
                     : h;
}
