/* SPDX-License-Identifier: MIT */
/* Bound calls: checks made once, the default that wraps get, set and step, and
 * the words after a failure. */
#include "unit/unit_impl.h"

#include "base/mem.h"

/* The call itself holds everything the default needs: the references are the
 * ports. Only the words of a failure have no room in it, so the unit keeps
 * them. */

static enum tt_call_result failed(struct tt_now *now, enum tt_code rc)
{
    now->status = (int)rc;
    return TT_CALL_FAILED;
}

static inline enum tt_call_result
move(enum tt_code (*op)(tt_unit *, const struct tt_span *, tt_err *),
     const struct tt_call *c, struct tt_now *now)
{
    tt_unit *u = c->unit;
    struct tt_span s = {c->what->vr, c->what->n, c->val};
    enum tt_code rc = op(u, &s, u->words);

    return TT_LIKELY(rc == TT_OK) ? TT_CALL_OK : failed(now, rc);
}

static enum tt_call_result bound_get(const struct tt_call *c,
                                     struct tt_now *now)
{
    return move(((tt_unit *)c->unit)->ops->get, c, now);
}

static enum tt_call_result bound_set(const struct tt_call *c,
                                     struct tt_now *now)
{
    return move(((tt_unit *)c->unit)->ops->set, c, now);
}

static enum tt_call_result bound_nothing(const struct tt_call *c,
                                         struct tt_now *now)
{
    (void)c;
    (void)now;
    return TT_CALL_OK;
}

static enum tt_call_result bound_step(const struct tt_call *c,
                                      struct tt_now *now)
{
    tt_unit *u = c->unit;
    struct tt_step s = {.to = now->t[c->to],
                        .h = tt_call_h(c, u, now),
                        .may_restore = tt_unit_may_restore(u)};
    struct tt_stepped r;
    enum tt_code rc;

    if (s.h == 0)
        return TT_CALL_OK;
    if (TT_UNLIKELY(tt_unit_last(u).after == TT_AFTER_NEEDS_RESTORE))
        return failed(now, tt_fail(u->words, TT_ESTATE,
                                   "it rejected its last step and needs a "
                                   "restore first"));
    rc = tt_uc_advance(u, &s, &r, u->words);
    if (TT_UNLIKELY(rc != TT_OK))
        return failed(now, rc);
    return TT_LIKELY(tt_stepped_whole(&r)) ? TT_CALL_OK : TT_CALL_OUTCOME;
}

static const struct tt_what default_step = {.fn = bound_step,
                                            .verb = TT_VERB_STEP};

int tt_unit_goes_ahead(const tt_unit *u)
{
    return u && u->ops->ahead != NULL;
}

void tt_unit_ahead(tt_unit *u, const struct tt_call *c,
                   const struct tt_now *now)
{
    struct tt_step s = {.to = now->t[c->to],
                        .h = tt_call_h(c, u, now),
                        .may_restore = tt_unit_may_restore(u)};

    if (s.h != 0 && tt_unit_last(u).after != TT_AFTER_NEEDS_RESTORE)
        u->ops->ahead(u, &s);
}

static int is_default(const struct tt_call *c)
{
    return c->what->fn == bound_get || c->what->fn == bound_set ||
           c->what->fn == bound_step;
}

static enum tt_code bind_default(tt_unit *u, struct tt_call *c, tt_err *err)
{
    if (!u->words && !TT_NEW(u->words))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    c->unit = u;
    return TT_OK;
}

/* What any kind would fill in, as far as the span states it. */
static struct tt_what describe(const tt_unit *u, enum tt_verb verb,
                               const struct tt_span *s)
{
    struct tt_what w = {.fn = bound_nothing, .verb = (uint8_t)verb};

    if (verb == TT_VERB_STEP || s->n == 0)
        return w;
    w.fn = verb == TT_VERB_GET ? bound_get : bound_set;
    w.vr = s->port;
    w.n = s->n;
    w.type = (uint8_t)u->desc->port[s->port[0]].type;
    for (size_t i = 0; i < s->n; i++)
        w.n_val += u->desc->port[s->port[i]].n;
    return w;
}

static struct tt_call call_of(const struct tt_what *w, const struct tt_span *s)
{
    struct tt_call c = {.what = w};

    if (w->verb == TT_VERB_STEP)
        c.what = &default_step;
    else
        c.val = s->value;
    return c;
}

struct tt_kept {
    struct tt_what what;
    struct tt_kept *next;
};

static enum tt_code keep(tt_unit *u, struct tt_call *c, tt_err *err)
{
    struct tt_kept *k;

    if (!TT_NEW(k))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    k->what = *c->what;
    k->next = u->kept;
    u->kept = k;
    c->what = &k->what;
    return TT_OK;
}

void tt_uc_drop_kept(tt_unit *u)
{
    while (u->kept) {
        struct tt_kept *k = u->kept;

        u->kept = k->next;
        tt_free(k);
    }
}

enum tt_call_result tt_call_settle(const struct tt_call *c, struct tt_now *now,
                                   enum tt_call_result answer)
{
    tt_unit *u = c->unit;

    if (c->what->verb == TT_VERB_OTHER || answer >= TT_CALL_OUTCOME)
        return answer;
    TT_ASSERT(u->ops->settle); /* a kind without has no statuses to give */
    return u->ops->settle(u, c, now, (int)answer);
}

enum tt_code tt_unit_bind(tt_unit *u, enum tt_verb verb,
                          const struct tt_span *s, struct tt_call *c,
                          tt_err *err)
{
    struct tt_what w;
    enum tt_code rc = tt_uc_admit(u, TT_UC_BIND, err);

    if (rc == TT_OK && verb == TT_VERB_OTHER)
        rc = tt_uc_refuse(u, TT_UC_BIND, TT_EINPUT, err,
                          "only get, set and step can be bound");
    if (rc == TT_OK && verb != TT_VERB_STEP)
        rc = tt_uc_check_span(u, TT_UC_BIND, s, err);
    if (rc != TT_OK)
        return rc;
    w = describe(u, verb, s);
    *c = call_of(&w, s);
    if (verb == TT_VERB_STEP || s->n) {
        rc = u->ops->bind ? u->ops->bind(u, verb, s, c, err) : TT_EUNSUPPORTED;
        if (rc == TT_EUNSUPPORTED) {
            *c = call_of(&w, s);
            rc = bind_default(u, c, err);
        }
    }
    if (rc == TT_OK && c->what == &w)
        rc = keep(u, c, err);
    return tt_uc_settle(u, TT_UC_BIND, rc, err);
}

static enum tt_code explain_default(tt_unit *u, const struct tt_call *c,
                                    int status, tt_err *err)
{
    struct tt_span s = {c->what->vr, c->what->n, c->val};
    enum tt_code rc = (enum tt_code)status;

    if (!is_default(c) || c->unit != u)
        return tt_fail(err, TT_EUNIT, "it answered with status %d", status);
    tt_fail(err, rc, "%s", u->words->msg);
    return c->what->verb == TT_VERB_STEP ? rc
                                         : tt_unit_name_ports(u, &s, rc, err);
}

enum tt_code tt_unit_explain(tt_unit *u, const struct tt_call *c,
                             const struct tt_now *now, tt_err *err)
{
    static const enum tt_uc call[] = {[TT_VERB_GET] = TT_UC_GET,
                                      [TT_VERB_SET] = TT_UC_SET,
                                      [TT_VERB_STEP] = TT_UC_STEP,
                                      [TT_VERB_OTHER] = TT_UC_BIND};
    enum tt_code rc;

    if (u->ops->explain && !(is_default(c) && c->unit == u))
        rc = u->ops->explain(u, c, now->status, err);
    else
        rc = explain_default(u, c, now->status, err);
    if (rc == TT_OK) /* it failed, whatever the kind has to report */
        rc = tt_fail(err, TT_EUNIT, "it answered with status %d", now->status);
    tt_uc_settle(u, call[c->what->verb], rc, err);
    u->life = TT_LIFE_BROKEN;
    return rc;
}
