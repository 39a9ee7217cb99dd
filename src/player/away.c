/* SPDX-License-Identifier: MIT */
#include "player/away.h"

#include "base/mem.h"

/* In messages it is what it stands for. */
struct away {
    tt_unit base;
    struct tt_unit_ops ops;
};

/* What is asked out of the order of a score, its owner answers (ask.c): here
 * the caller's memory stays as it is. */
static enum tt_code away_values(tt_unit *u, const struct tt_span *s,
                                tt_err *err)
{
    (void)s;
    return tt_unit_idle(u, err);
}

static enum tt_code away_rates(tt_unit *u, const struct tt_span *s,
                               uint32_t order, tt_err *err)
{
    (void)order;
    return away_values(u, s, err);
}

static enum tt_code away_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    (void)j;
    return tt_unit_idle(u, err);
}

static enum tt_code away_max_step(tt_unit *u, double *h, tt_err *err)
{
    (void)h;
    return tt_unit_idle(u, err);
}

static enum tt_code away_course(tt_unit *u, const struct tt_span *s,
                                const struct tt_poly *p, tt_err *err)
{
    (void)s;
    (void)p;
    return tt_unit_idle(u, err);
}

static enum tt_code away_state(tt_unit *u, uint32_t reg, tt_err *err)
{
    (void)reg;
    return tt_unit_idle(u, err);
}

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

/* Claimed, because its owner can; but no play of several ranks asks for it. */
static enum tt_code away_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                              tt_err *err)
{
    (void)u;
    (void)reg;
    (void)b;
    return tt_fail(err, TT_EUNSUPPORTED, "its state is on another rank");
}

static enum tt_code away_unpack(tt_unit *u, uint32_t reg,
                                const struct tt_bytes *b, tt_err *err)
{
    (void)b;
    return away_pack(u, reg, NULL, err);
}

static enum tt_code away_update(tt_unit *u, struct tt_event_result *r,
                                tt_err *err)
{
    (void)r;
    return tt_unit_idle(u, err);
}

static const struct tt_event_ops away_event = {
    .enter = tt_unit_idle,
    .update = away_update,
    .leave = tt_unit_idle,
};

static void away_free(tt_unit *u)
{
    tt_unit_fini(u);
    tt_free(u);
}

static const struct tt_unit_ops away_ops = {
    .kind = "away",
    .enter_init = tt_unit_idle_init,
    .exit_init = tt_unit_idle,
    .end = tt_unit_idle,
    .free = away_free,
    .get = away_values,
    .set = away_values,
    .step = tt_unit_idle_step,
    .bind = away_bind,
    .course = away_course,
    .rates = away_rates,
    .jvp = away_jvp,
    .max_step = away_max_step,
    .save = away_state,
    .restore = away_state,
    .pack = away_pack,
    .unpack = away_unpack,
    .reset = tt_unit_idle,
    .event = &away_event,
};

enum tt_code tt_away_new(tt_unit **out, const struct tt_desc *desc,
                         const struct tt_make *m, tt_err *err)
{
    struct away *a;
    enum tt_code rc;

    if (!TT_NEW(a))
        return tt_fail(err, TT_ENOMEM, "unit '%s': out of memory", m->name);
    a->ops = away_ops;
    a->ops.kind = desc->kind;
    rc = tt_unit_init(&a->base, &a->ops, desc, m, err);
    if (rc == TT_OK)
        *out = &a->base;
    else
        away_free(&a->base);
    return rc;
}
