/* SPDX-License-Identifier: MIT */
/* Unit kind fmi1me: FMI 1.0 for Model Exchange. There are neither modes nor
 * functions to save a state: an event is one call of fmiEventUpdate, and what
 * fmiInitialize reports counts as the first. */
#include "kinds/fmi1_impl.h"
#include "base/hooks.h"
#include "kinds/kinds.h"
#include "kinds/me_impl.h"

static const struct tt_fmi1_fns *fns(const struct tt_kfmi_unit *k)
{
    return (const void *)k->fns;
}

/* --- life ----------------------------------------------------------------- */

static enum tt_code enter_init(tt_unit *base, const struct tt_experiment *e,
                               tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(base);
    enum tt_code rc = tt_k1_enter_init(base, e, err);

    return rc == TT_OK
               ? tt_kfmi_check(k, "fmiSetTime",
                               k->fns->me.set_time(k->comp, e->start), err)
               : rc;
}

enum tt_fmi_status tt_k1_initialise_model(struct tt_k2_unit *u)
{
    double tolerance = u->experiment.tolerance;
    int given = tolerance > 0;

    u->begun = (struct tt_fmi1_event_info){.converged = 1};
    u->begun_known = 1;
    return tt_k1_fns(u)->initialize_model(u->k.comp, (char)given,
                                          given ? tolerance : 0, &u->begun);
}

static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    enum tt_code rc = tt_k1_need_initialised(tt_k2_unit(base), err);

    return rc == TT_OK ? tt_kme_begin(base, err) : rc;
}

/* --- values --------------------------------------------------------------- */

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    return tt_k1_set_with(tt_kme_set, base, s, err);
}

static enum tt_code bind(tt_unit *base, enum tt_verb verb,
                         const struct tt_span *s, struct tt_call *c,
                         tt_err *err)
{
    if (verb != TT_VERB_STEP && tt_k1_any_negated(base, s))
        return TT_EUNSUPPORTED;
    return tt_kme_bind(base, verb, s, c, err);
}

/* --- model exchange ------------------------------------------------------- */

static enum tt_fmi_status completed(struct tt_kfmi_unit *k, int no_prior,
                                    int *enter_event, int *terminate)
{
    char event = 0;
    enum tt_fmi_status s = fns(k)->completed_step(k->comp, &event);

    (void)no_prior;
    *enter_event = event != 0;
    *terminate = 0;
    return s;
}

static enum tt_fmi_status updated(struct tt_kfmi_unit *k,
                                  struct tt_event_result *r)
{
    struct tt_k2_unit *u = tt_k2_unit(&k->base);
    struct tt_fmi1_event_info i = u->begun;
    enum tt_fmi_status s = TT_FMI_OK;

    if (!u->begun_known) {
        i = (struct tt_fmi1_event_info){.converged = 1};
        s = fns(k)->event_update(k->comp, k->base.life == TT_LIFE_EVENT, &i);
    }
    u->begun_known = 0;
    *r = (struct tt_event_result){.again = !i.converged,
                                  .terminate = i.terminate != 0,
                                  .values_changed = i.values_changed != 0,
                                  .nominals_changed = i.references_changed != 0,
                                  .next_defined = i.upcoming != 0,
                                  .next = i.next};
    return s;
}

static enum tt_fmi_status state_references(struct tt_kfmi_unit *k, uint32_t *vr)
{
    return fns(k)->get_state_references
               ? fns(k)->get_state_references(k->comp, vr, k->me->n_x)
               : TT_FMI_DISCARD;
}

static const struct tt_kme_version me_calls = {
    TT_KME_CALLS("fmi"),
    .get_derivatives = "fmiGetDerivatives",
    .get_nominals = "fmiGetNominalContinuousStates",
    .update = "fmiEventUpdate",
    TT_HOOKS(, completed, updated, state_references),
};

static const struct tt_unit_ops unit_ops = {
    TT_KME_OPS, TT_HOOKS(, enter_init, exit_init, set, bind),
    TT_HOOKS(tt_k1_, get, explain)};

/* --- kind ----------------------------------------------------------------- */

static void *instantiate(struct tt_kfmi_unit *k, const struct tt_kfmi_birth *b)
{
    const struct tt_k2_unit *u = tt_k2_unit(&k->base);
    const struct tt_fmi_callbacks callbacks = {TT_K1_CALLBACKS(u)};

    /* FMI 1 has no place for resources here */
    return fns(k)->instantiate_model(b->name, b->token, callbacks,
                                     b->logging != 0);
}

const struct tt_kfmi_version tt_kfmi_version_fmi1me = {
    TT_K1_COMMON,
    .face = TT_FMI_ME,
    .kind = &tt_kind_fmi1me,
    .me = &me_calls,
    .ops = &unit_ops,
    .calls = {.instantiate = "fmiInstantiateModel",
              .exit_init = "fmiInitialize",
              .terminate = "fmiTerminate"},
    .instantiate = instantiate,
};
