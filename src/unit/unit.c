/* SPDX-License-Identifier: MIT */
/* What every call shares (who may call when, whose fault it was), and life. */
#include "unit/unit_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "unit/turn.h"

#define TT_UC_BIT(life) (1U << TT_LIFE_##life)

static const struct {
    const char *name;
    unsigned lives;
} rule[] = {
#define X(name, words, lives) [TT_UC_##name] = {(words), (lives)},
    TT_UC_CALLS(X)
#undef X
};

/* --- errors ------------------------------------------------------------ */

/* A wrapper may be called as the unit it wraps, which has said the same. */
static int has_said(const tt_unit *u, const tt_err *err, const char *words)
{
    return u->inner && err && strncmp(err->msg, words, strlen(words)) == 0;
}

static enum tt_code stamp(const tt_unit *u, enum tt_uc c, enum tt_code rc,
                          tt_err *err)
{
    char words[TT_ERR_MAX], t[TT_NUM_MAX];
    int n = snprintf(words, sizeof(words), "unit '%s' (%s): %s", u->name,
                     u->ops->kind, rule[c].name);

    if (u->life >= TT_LIFE_READY && n > 0 && (size_t)n < sizeof(words)) {
        tt_num_print_short(t, u->now); /* before, there is no time */
        (void)snprintf(words + n, sizeof(words) - (size_t)n, " at t=%s", t);
    }
    return has_said(u, err, words) ? rc : tt_context(err, rc, "%s", words);
}

enum tt_code tt_uc_refuse(const tt_unit *u, enum tt_uc c, enum tt_code code,
                          tt_err *err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tt_vfail(err, code, fmt, ap);
    va_end(ap);
    return stamp(u, c, code, err);
}

enum tt_code tt_uc_cannot(const tt_unit *u, const char *what, tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED, "unit '%s' (%s): cannot %s", u->name,
                   u->ops->kind, what);
}

static const char *life_words(enum tt_life life)
{
    switch (life) {
    case TT_LIFE_MADE:
        return "when just made";
    case TT_LIFE_CONFIGURED:
        return "when only configured";
    case TT_LIFE_INIT:
        return "during initialisation";
    case TT_LIFE_READY:
        return "after initialisation";
    case TT_LIFE_EVENT:
        return "in event mode";
    case TT_LIFE_ENDED:
        return "after its end";
    case TT_LIFE_BROKEN:
        return "because it failed earlier";
    case TT_LIFE_NONE:
        break;
    }
    return "before it is made";
}

static void put(char *out, size_t size, const char *text)
{
    size_t n = strnlen(text, size - 1);

    memcpy(out, text, n);
    out[n] = '\0';
}

void tt_crumb_leave(struct tt_crumb *c, const char *unit, const char *call)
{
    if (unit)
        put(c->unit, sizeof(c->unit), unit);
    if (call)
        put(c->call, sizeof(c->call), call);
}

/* Cold calls that a score makes. */
static int is_scored(enum tt_uc c)
{
    return c == TT_UC_COURSE || c == TT_UC_SAVE || c == TT_UC_RESTORE;
}

static void leave_crumb(tt_unit *u, const char *call)
{
    tt_turn_note(u);
    if (!u->crumb)
        return;
    u->crumb->playing = 0;
    tt_crumb_leave(u->crumb, u->name, call);
    u->crumb->time = u->now;
}

static int wants_prepare(enum tt_uc c)
{
    return c == TT_UC_STEP || c == TT_UC_STEP_BEGIN || c == TT_UC_SAVE ||
           c == TT_UC_RESTORE || c == TT_UC_PACK || c == TT_UC_UNPACK;
}

enum tt_code tt_uc_admit(tt_unit *u, enum tt_uc c, tt_err *err)
{
    TT_ASSERT(u->life != TT_LIFE_NONE);
    if (!(rule[c].lives & (1U << u->life)))
        return tt_uc_refuse(u, c, TT_ESTATE, err, "not allowed %s",
                            life_words(u->life));
    if (u->stepping && c != TT_UC_STEP_FINISH)
        return tt_uc_refuse(u, c, TT_ESTATE, err,
                            "not allowed while a step is under way");
    if (wants_prepare(c) && !u->prepared)
        return tt_uc_refuse(u, c, TT_ESTATE, err, "not allowed before prepare");
    if (!(u->crumb && u->crumb->playing && is_scored(c)))
        leave_crumb(u, rule[c].name);
    return TT_OK;
}

static int is_failure(enum tt_code rc)
{
    return rc == TT_EUNIT || rc == TT_ECRASH || rc == TT_EIO || rc == TT_ENOMEM;
}

enum tt_code tt_uc_settle(tt_unit *u, enum tt_uc c, enum tt_code rc,
                          tt_err *err)
{
    if (rc == TT_OK)
        return TT_OK;
    stamp(u, c, rc, err);
    if (is_failure(rc)) {
        u->life = TT_LIFE_BROKEN;
        u->stepping = 0;
    }
    return rc;
}

/* --- the base ---------------------------------------------------------- */

static enum tt_code lacks(const struct tt_unit_ops *ops, const char *what,
                          tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED, "unit kind '%s' has no %s",
                   ops->kind ? ops->kind : "?", what);
}

static enum tt_code check_required(const struct tt_unit_ops *ops, tt_err *err)
{
    if (!ops->kind)
        return lacks(ops, "name", err);
    if (!ops->enter_init)
        return lacks(ops, "enter_init", err);
    if (!ops->exit_init)
        return lacks(ops, "exit_init", err);
    if (!ops->end)
        return lacks(ops, "end", err);
    if (!ops->free)
        return lacks(ops, "free", err);
    if (!ops->get)
        return lacks(ops, "get", err);
    if (!ops->set)
        return lacks(ops, "set", err);
    if (!ops->step)
        return lacks(ops, "step", err);
    if (!ops->step_begin != !ops->step_finish)
        return lacks(ops, "complete pair of step_begin and step_finish", err);
    return TT_OK;
}

/* A capability that is claimed must have its op. */
static enum tt_code check_claims(const struct tt_unit_ops *ops,
                                 const struct tt_caps *caps, tt_err *err)
{
    if (caps->save && (!ops->save || !ops->restore))
        return lacks(ops, "save and restore, but claims them", err);
    if (caps->serialise && (!ops->pack || !ops->unpack))
        return lacks(ops, "pack and unpack, but claims them", err);
    if (caps->course_order > 0 && !ops->course)
        return lacks(ops, "course, but claims it", err);
    if (caps->rate_order > 0 && !ops->rates)
        return lacks(ops, "rates, but claims them", err);
    if (caps->directional && !ops->jvp)
        return lacks(ops, "jvp, but claims it", err);
    if (caps->max_step && !ops->max_step)
        return lacks(ops, "max_step, but claims it", err);
    if (caps->event_mode && (!ops->event || !ops->event->enter ||
                             !ops->event->update || !ops->event->leave))
        return lacks(ops, "complete event table, but claims event mode", err);
    return TT_OK;
}

enum tt_code tt_unit_init(tt_unit *u, const struct tt_unit_ops *ops,
                          const struct tt_desc *desc, const struct tt_make *m,
                          tt_err *err)
{
    enum tt_code rc;

    *u = (tt_unit){.ops = ops,
                   .desc = desc,
                   .log = m->log,
                   .crumb = m->crumb,
                   .copy = m->copy};
    rc = check_required(ops, err);
    if (rc == TT_OK)
        rc = check_claims(ops, &desc->caps, err);
    if (rc != TT_OK)
        return rc;
    u->name = tt_strdup(m->name ? m->name : "?");
    if (!u->name)
        return tt_fail(err, TT_ENOMEM, "unit '%s' (%s): out of memory", m->name,
                       ops->kind);
    u->life = TT_LIFE_MADE;
    return TT_OK;
}

void tt_unit_fini(tt_unit *u)
{
    tt_free(u->words);
    tt_uc_drop_kept(u);
    tt_free(u->name);
    tt_free(u->held);
    u->words = NULL;
    u->held = NULL;
    u->name = NULL;
    u->life = TT_LIFE_NONE;
}

void tt_unit_free(tt_unit *u)
{
    if (!u)
        return;
    if (u->name)
        leave_crumb(u, "free");
    u->ops->free(u);
    tt_turn_note(NULL);
}

/* --- life -------------------------------------------------------------- */

enum tt_code tt_unit_configure(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, TT_UC_CONFIGURE, err);

    if (rc != TT_OK)
        return rc;
    if (u->ops->configure)
        rc = tt_uc_settle(u, TT_UC_CONFIGURE, u->ops->configure(u, err), err);
    if (rc == TT_OK)
        u->life = TT_LIFE_CONFIGURED;
    return rc;
}

enum tt_code tt_unit_enter_init(tt_unit *u, const struct tt_experiment *e,
                                tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, TT_UC_ENTER_INIT, err);

    if (rc != TT_OK)
        return rc;
    u->now = e->start;
    tt_unit_tell(u, (struct tt_stepped){.reached = e->start});
    rc = tt_uc_settle(u, TT_UC_ENTER_INIT, u->ops->enter_init(u, e, err), err);
    if (rc == TT_OK)
        u->life = TT_LIFE_INIT;
    return rc;
}

enum tt_code tt_unit_exit_init(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, TT_UC_EXIT_INIT, err);

    if (rc != TT_OK)
        return rc;
    rc = tt_uc_settle(u, TT_UC_EXIT_INIT, u->ops->exit_init(u, err), err);
    if (rc == TT_OK && u->life != TT_LIFE_EVENT)
        u->life = TT_LIFE_READY;
    return rc;
}

enum tt_code tt_unit_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, TT_UC_PREPARE, err);

    if (rc != TT_OK)
        return rc;
    if (u->prepared)
        return tt_uc_refuse(u, TT_UC_PREPARE, TT_ESTATE, err,
                            "not allowed twice");
    if (n_state > TT_UNIT_STATES)
        return tt_uc_refuse(u, TT_UC_PREPARE, TT_EINPUT, err,
                            "%u state registers wanted, at most %d are there",
                            (unsigned)n_state, TT_UNIT_STATES);
    if (n_state > 0 && !u->desc->caps.save)
        return tt_uc_cannot(u, "save its state", err);
    tt_free(u->held); /* of a life before a reset */
    u->held = NULL;
    if (n_state && !TT_NEW_ARRAY(u->held, n_state))
        rc = tt_uc_refuse(u, TT_UC_PREPARE, TT_ENOMEM, err, "out of memory");
    if (rc == TT_OK && u->ops->prepare)
        rc = tt_uc_settle(u, TT_UC_PREPARE, u->ops->prepare(u, n_state, err),
                          err);
    if (rc != TT_OK)
        return rc;
    u->n_state = n_state;
    u->prepared = 1;
    return TT_OK;
}

enum tt_code tt_unit_end(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, TT_UC_END, err);

    if (rc != TT_OK || u->life == TT_LIFE_ENDED)
        return rc;
    rc = tt_uc_settle(u, TT_UC_END, u->ops->end(u, err), err);
    if (rc == TT_OK)
        u->life = TT_LIFE_ENDED;
    return rc;
}

void tt_uc_forget(tt_unit *u)
{
    u->now = 0;
    u->n_step = 0;
    tt_unit_tell(u, (struct tt_stepped){0});
    u->max_lag = 0;
    u->saved = 0;
    u->n_state = 0;
    u->n_spare = 0;
    u->prepared = 0;
    u->stepping = 0;
}

enum tt_code tt_unit_reset(tt_unit *u, tt_err *err)
{
    enum tt_code rc;

    if (!u->ops->reset)
        return tt_uc_cannot(u, "be reset", err);
    rc = tt_uc_admit(u, TT_UC_RESET, err);
    if (rc != TT_OK)
        return rc;
    rc = tt_uc_settle(u, TT_UC_RESET, u->ops->reset(u, err), err);
    if (rc != TT_OK)
        return rc;
    tt_uc_forget(u);
    u->life = TT_LIFE_MADE;
    return TT_OK;
}
