/* SPDX-License-Identifier: MIT */
#include "player/away.h"

#include "base/mem.h"

/* What is asked out of the order of a score, its owner answers (ask.c): here
 * the caller's memory stays as it is. */
static enum tt_code stay(const tt_unit *u, ...)
{
    (void)u;
    return TT_OK;
}

#define X(op, name, wire, lives, claim, shape)                                 \
    static enum tt_code away_##op(TT_PAR_##shape)                              \
    {                                                                          \
        return stay(TT_ARG_##shape);                                           \
    }
TT_UNIT_OPS(X)
#undef X

static enum tt_call_result nothing(const struct tt_call *c, struct tt_now *now)
{
    (void)c;
    (void)now;
    return TT_CALL_OK;
}

/* In a play values come by transfer. */
static enum tt_code away_bind(tt_unit *u, enum tt_verb verb,
                              const struct tt_span *s, struct tt_call *c,
                              tt_err *err)
{
    static const struct tt_what get = {.fn = nothing, .verb = TT_VERB_GET},
                                set = {.fn = nothing, .verb = TT_VERB_SET};

    (void)s;
    (void)err;
    if (verb == TT_VERB_STEP)
        return TT_EUNSUPPORTED; /* the default keeps its time */
    c->what = verb == TT_VERB_GET ? &get : &set;
    c->unit = u;
    return TT_OK;
}

static void away_free(tt_unit *u)
{
    tt_unit_fini(u);
    tt_free(u);
}

static const struct tt_unit_ops away_ops = {
#define X(op, name, wire, lives, claim, shape) .op = away_##op,
    TT_UNIT_OPS(X)
#undef X
        .free = away_free,
    .bind = away_bind,
};

enum tt_code tt_away_new(tt_unit **out, const struct tt_desc *desc,
                         const struct tt_make *m, tt_err *err)
{
    tt_unit *u;
    enum tt_code rc;

    if (!TT_NEW(u))
        return tt_fail(err, TT_ENOMEM, "instance '%s': out of memory", m->name);
    rc = tt_unit_init(u, &away_ops, desc, m, err);
    return TT_HAND_OVER(rc, out, u, away_free);
}
