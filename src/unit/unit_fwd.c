/* SPDX-License-Identifier: MIT */
/* Forwarders: what a wrapper does where it makes no difference. They go
 * through tt_unit_*(), so the inner unit's own life is checked and its name is
 * in every message. */
#include "base/mem.h"
#include "unit/unit.h"

#define X(op, name, wire, lives, claim, shape)                                 \
    enum tt_code tt_fwd_##op(TT_PAR_##shape)                                   \
    {                                                                          \
        u = u->inner;                                                          \
        return tt_unit_##op(TT_ARG_##shape);                                   \
    }
TT_UNIT_OPS(X)
#undef X

void tt_fwd_free(tt_unit *u)
{
    tt_unit_free(u->inner);
    tt_unit_fini(u);
    tt_free(u);
}

/* A wrapper with its own get, set or step must not be bypassed. A step is never
 * bound past the wrapper: its own time follows. */
enum tt_code tt_fwd_bind(tt_unit *u, enum tt_verb verb, const struct tt_span *s,
                         struct tt_call *c, tt_err *err)
{
    if ((verb == TT_VERB_GET && u->ops->get == tt_fwd_get) ||
        (verb == TT_VERB_SET && u->ops->set == tt_fwd_set))
        return tt_unit_bind(u->inner, verb, s, c, err);
    return TT_EUNSUPPORTED;
}

enum tt_code tt_fwd_explain(tt_unit *u, const struct tt_call *c, int status,
                            tt_err *err)
{
    return tt_unit_explain(u->inner, c, &(struct tt_now){.status = status},
                           err);
}
