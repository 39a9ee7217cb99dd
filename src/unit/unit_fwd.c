/* SPDX-License-Identifier: MIT */
/* Forwarders: what a wrapper does where it makes no difference. They go
 * through tt_unit_*(), so the inner unit's own life is checked and its name is
 * in every message. */
#include "unit/unit_impl.h"

#include "base/mem.h"

static enum tt_code fwd_configure(tt_unit *u, tt_err *err)
{
    int shared = u->desc == u->inner->desc;
    enum tt_code rc = tt_unit_configure(u->inner, err);

    if (shared)
        u->desc = u->inner->desc; /* sizes may be new */
    return rc;
}

static enum tt_code fwd_enter_init(tt_unit *u, const struct tt_experiment *e,
                                   tt_err *err)
{
    return tt_unit_enter_init(u->inner, e, err);
}

static enum tt_code fwd_exit_init(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_unit_exit_init(u->inner, err);

    if (rc == TT_OK)
        u->life = u->inner->life;
    return rc;
}

static enum tt_code fwd_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    tt_unit_spare(u->inner, u->n_spare);
    return tt_unit_prepare(u->inner, n_state, err);
}

static enum tt_code fwd_end(tt_unit *u, tt_err *err)
{
    return tt_unit_end(u->inner, err);
}

static enum tt_code fwd_reset(tt_unit *u, tt_err *err)
{
    return tt_unit_reset(u->inner, err);
}

static void fwd_free(tt_unit *u)
{
    tt_unit_free(u->inner);
    tt_unit_fini(u);
    tt_free(u);
}

static enum tt_code fwd_get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    return tt_unit_get(u->inner, s, err);
}

static enum tt_code fwd_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    return tt_unit_set(u->inner, s, err);
}

static enum tt_code fwd_step(tt_unit *u, const struct tt_step *s,
                             struct tt_stepped *r, tt_err *err)
{
    return tt_unit_step(u->inner, s, r, err);
}

static enum tt_code fwd_step_begin(tt_unit *u, const struct tt_step *s,
                                   tt_err *err)
{
    return tt_unit_step_begin(u->inner, s, err);
}

static enum tt_code fwd_step_finish(tt_unit *u, struct tt_stepped *r,
                                    tt_err *err)
{
    return tt_unit_step_finish(u->inner, r, err);
}

/* A wrapper that overrides get, set or step and copies bind must not be
 * bypassed. A step is never bound past the wrapper: its own time follows. */
static enum tt_code fwd_bind(tt_unit *u, enum tt_verb verb,
                             const struct tt_span *s, struct tt_call *c,
                             tt_err *err)
{
    if ((verb == TT_VERB_GET && u->ops->get == fwd_get) ||
        (verb == TT_VERB_SET && u->ops->set == fwd_set))
        return tt_unit_bind(u->inner, verb, s, c, err);
    return TT_EUNSUPPORTED;
}

static enum tt_code fwd_explain(tt_unit *u, const struct tt_call *c, int status,
                                tt_err *err)
{
    return tt_unit_explain(u->inner, c, &(struct tt_now){.status = status},
                           err);
}

static enum tt_code fwd_course(tt_unit *u, const struct tt_span *s,
                               const struct tt_poly *p, tt_err *err)
{
    return tt_unit_course(u->inner, s, p, err);
}

static enum tt_code fwd_rates(tt_unit *u, const struct tt_span *s,
                              uint32_t order, tt_err *err)
{
    return tt_unit_rates(u->inner, s, order, err);
}

static enum tt_code fwd_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    return tt_unit_jvp(u->inner, j, err);
}

static enum tt_code fwd_max_step(tt_unit *u, double *h, tt_err *err)
{
    return tt_unit_max_step(u->inner, h, err);
}

static enum tt_code fwd_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    return tt_unit_save(u->inner, reg, err);
}

static enum tt_code fwd_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    return tt_unit_restore(u->inner, reg, err);
}

static enum tt_code fwd_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                             tt_err *err)
{
    return tt_unit_pack(u->inner, reg, b, err);
}

static enum tt_code fwd_unpack(tt_unit *u, uint32_t reg,
                               const struct tt_bytes *b, tt_err *err)
{
    return tt_unit_unpack(u->inner, reg, b, err);
}

static enum tt_code fwd_event_enter(tt_unit *u, tt_err *err)
{
    return tt_unit_event_enter(u->inner, err);
}

static enum tt_code fwd_event_update(tt_unit *u, struct tt_event_result *r,
                                     tt_err *err)
{
    return tt_unit_event_update(u->inner, r, err);
}

static enum tt_code fwd_event_leave(tt_unit *u, tt_err *err)
{
    return tt_unit_event_leave(u->inner, err);
}

static const struct tt_event_ops fwd_event = {
    .enter = fwd_event_enter,
    .update = fwd_event_update,
    .leave = fwd_event_leave,
};

const struct tt_unit_ops tt_unit_fwd_ops = {
    .kind = "forward",
    .enter_init = fwd_enter_init,
    .exit_init = fwd_exit_init,
    .end = fwd_end,
    .free = fwd_free,
    .get = fwd_get,
    .set = fwd_set,
    .step = fwd_step,
    .configure = fwd_configure,
    .prepare = fwd_prepare,
    .bind = fwd_bind,
    .explain = fwd_explain,
    .step_begin = fwd_step_begin,
    .step_finish = fwd_step_finish,
    .course = fwd_course,
    .rates = fwd_rates,
    .jvp = fwd_jvp,
    .max_step = fwd_max_step,
    .save = fwd_save,
    .restore = fwd_restore,
    .pack = fwd_pack,
    .unpack = fwd_unpack,
    .reset = fwd_reset,
    .event = &fwd_event,
};
