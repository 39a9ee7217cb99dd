/* SPDX-License-Identifier: MIT */
/* What every call shares (which call is allowed when, whose fault it was), and
 * life. */
#include "unit/unit_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "unit/turn.h"

static const struct {
    const char *name;
    unsigned lives;
} rule[] = {
#define X(op, name, wire, lives, claim, shape) [TT_UC_##name] = {#op, (lives)},
    TT_UC_CALLS(X)
#undef X
};

/* --- errors ------------------------------------------------------------ */

/* A wrapper may be called as the unit it wraps, whose error has this stamp. */
static int has_stamp(const tt_unit *u, const tt_err *err, const char *words)
{
    return u->inner && err && strncmp(err->msg, words, strlen(words)) == 0;
}

static enum tt_code stamp(const tt_unit *u, enum tt_uc c, enum tt_code rc,
                          tt_err *err)
{
    char words[TT_ERR_MAX], t[TT_NUM_MAX];
    int n = snprintf(words, sizeof(words), "instance '%s' (%s): %s", u->name,
                     u->kind, rule[c].name);

    if (u->life >= TT_LIFE_READY && n > 0 && (size_t)n < sizeof(words)) {
        tt_num_print_short(t, u->now); /* before, there is no time */
        (void)snprintf(words + n, sizeof(words) - (size_t)n, " at t=%s", t);
    }
    return has_stamp(u, err, words) ? rc : tt_context(err, rc, "%s", words);
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
    return tt_fail(err, TT_EUNSUPPORTED, "instance '%s' (%s): cannot %s",
                   u->name, u->kind, what);
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

void tt_activity_set(struct tt_activity *c, const char *unit, const char *call)
{
    if (unit)
        put(c->unit, sizeof(c->unit), unit);
    if (call)
        put(c->call, sizeof(c->call), call);
}

#define BIT(c) (UINT64_C(1) << TT_UC_##c)
_Static_assert(TT_UC_BIND < 64, "a bit for each call");

/* Cold calls that a score makes. */
#define SCORED                                                                 \
    (BIT(COURSE) | BIT(SAVE) | BIT(RESTORE) | BIT(TRAIL) | BIT(EVENT_ENTER) |  \
     BIT(EVENT_UPDATE) | BIT(EVENT_LEAVE))
/* ... that need room for states. */
#define PREPARED                                                               \
    (BIT(STEP) | BIT(SAVE) | BIT(RESTORE) | BIT(PACK) | BIT(UNPACK))

static void set_activity(tt_unit *u, const char *call)
{
    tt_turn_note(u);
    if (!u->activity)
        return;
    u->activity->playing = 0;
    tt_activity_set(u->activity, u->name, call);
    u->activity->time = u->now;
}

enum tt_code tt_uc_admit(tt_unit *u, enum tt_uc c, tt_err *err)
{
    TT_ASSERT(u->life != TT_LIFE_NONE);
    if (!(rule[c].lives & (1U << u->life)))
        return tt_uc_refuse(u, c, TT_ESTATE, err, "not allowed %s",
                            life_words(u->life));
    if (((PREPARED >> c) & 1) && !u->prepared)
        return tt_uc_refuse(u, c, TT_ESTATE, err, "not allowed before prepare");
    if (!(((SCORED >> c) & 1) && u->activity && u->activity->playing))
        set_activity(u, rule[c].name);
    return TT_OK;
}

static int is_failure(enum tt_code rc)
{
    return rc == TT_EUNIT || rc == TT_ECRASH || rc == TT_EIO || rc == TT_ENOMEM;
}

enum tt_code tt_uc_failed(tt_unit *u, enum tt_uc c, enum tt_code rc,
                          tt_err *err)
{
    stamp(u, c, rc, err);
    if (is_failure(rc))
        u->life = TT_LIFE_BROKEN;
    return rc;
}

/* --- the base ---------------------------------------------------------- */

static enum tt_code lacks(const struct tt_desc *d, const char *op, int required,
                          tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED, "instance kind '%s' has no %s%s",
                   d->kind, op, required ? "" : ", but claims it");
}

/* Is there what every unit needs, and what this one claims? */
static enum tt_code check_table(const struct tt_unit_ops *ops,
                                const struct tt_desc *d, tt_err *err)
{
    const struct tt_caps *c = &d->caps;
    const struct {
        const char *op;
        int wanted, there, required;
    } entry[] = {
#define X(op, name, wire, lives, claim, shape)                                 \
    {#op, (claim) != 0, ops->op != NULL, #claim[0] == '1'},
        TT_UNIT_OPS(X)
#undef X
            {"free", 1, ops->free != NULL, 1},
    };

    for (size_t i = 0; i < sizeof(entry) / sizeof(entry[0]); i++)
        if (entry[i].wanted && !entry[i].there)
            return lacks(d, entry[i].op, entry[i].required, err);
    return TT_OK;
}

enum tt_code tt_unit_init(tt_unit *u, const struct tt_unit_ops *ops,
                          const struct tt_desc *desc, const struct tt_make *m,
                          tt_err *err)
{
    enum tt_code rc;

    *u = (tt_unit){.ops = ops,
                   .desc = desc,
                   .kind = desc->kind,
                   TT_SAME(m, log, activity, texts, copy)};
    rc = check_table(ops, desc, err);
    if (rc != TT_OK)
        return rc;
    u->name = tt_strdup(m->name ? m->name : "?");
    if (!u->name)
        return tt_fail(err, TT_ENOMEM, "instance '%s' (%s): out of memory",
                       m->name, u->kind);
    u->life = TT_LIFE_MADE;
    return TT_OK;
}

void tt_unit_fini(tt_unit *u)
{
    tt_free(u->words);
    tt_uc_drop_kept(u);
    TT_FREE_ALL(u->name, u->held);
    tt_trail_free(u->trail);
    u->trail = NULL;
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
        set_activity(u, "free");
    u->ops->free(u);
    tt_turn_note(NULL);
}

/* --- life -------------------------------------------------------------- */

enum tt_code tt_unit_configure(tt_unit *u, tt_err *err)
{
    int shared = u->inner && u->desc == u->inner->desc;
    enum tt_code rc = tt_uc_admit(u, TT_UC_CONFIGURE, err);

    if (rc != TT_OK)
        return rc;
    if (u->ops->configure)
        rc = tt_uc_settle(u, TT_UC_CONFIGURE, u->ops->configure(u, err), err);
    if (shared)
        u->desc = u->inner->desc; /* sizes may be new */
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
    tt_unit_report(u, (struct tt_stepped){.reached = e->start});
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
    if (rc == TT_OK && u->inner && u->inner->life == TT_LIFE_EVENT)
        u->life = TT_LIFE_EVENT;
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
        return tt_uc_refuse(
            u, TT_UC_PREPARE, TT_EINPUT, err,
            "%u state registers asked for, at most %d are there",
            (unsigned)n_state, TT_UNIT_STATES);
    if (n_state > 0 && !u->desc->caps.save)
        return tt_uc_cannot(u, "save its state", err);
    tt_free(u->held); /* of a life before a reset */
    u->held = NULL;
    if (n_state && !TT_NEW_ARRAY(u->held, n_state))
        rc = tt_uc_refuse(u, TT_UC_PREPARE, TT_ENOMEM, err, "out of memory");
    if (rc == TT_OK && u->trail)
        rc = tt_uc_settle(
            u, TT_UC_PREPARE,
            tt_trail_prepare(u->trail, u->desc, u->trail_fine, err), err);
    if (rc == TT_OK && u->ops->prepare)
        rc = tt_uc_settle(u, TT_UC_PREPARE, u->ops->prepare(u, n_state, err),
                          err);
    if (rc != TT_OK)
        return rc;
    u->n_state = n_state;
    u->prepared = 1;
    /* some leave event mode now; one that sleeps is still being initialised */
    if (u->inner && u->inner->life != TT_LIFE_INIT)
        u->life = u->inner->life;
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

/* Registers and steps as freshly made. */
static void forget(tt_unit *u)
{
    u->now = 0;
    u->n_step = 0;
    tt_unit_report(u, (struct tt_stepped){0});
    u->max_lag = 0;
    u->saved = 0;
    u->n_state = 0;
    u->n_spare = 0;
    u->prepared = 0;
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
    forget(u);
    u->life = TT_LIFE_MADE;
    return TT_OK;
}
