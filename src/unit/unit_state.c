/* SPDX-License-Identifier: MIT */
/* State registers: save, restore, and to bytes and back. */
#include "unit/unit_impl.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* The unit's bytes state nothing of its time, and may come from a file: a
 * trailer brings both what restoring needs and what distinguishes foreign
 * states. It is in native byte order, as the states of most units are. */
struct trailer {
    uint64_t magic;
    uint64_t model; /* hash of kind, model name and number of ports */
    double at;
    uint64_t life;
};

#define STATES       64                           /* bits of tt_unit.saved */
#define MAGIC        UINT64_C(0x3153746174735474) /* "tTstatS1" */
/* ... of a wrapper, behind the one of the unit inside: "tTstatW1" */
#define MAGIC_AROUND UINT64_C(0x3157746174735474)

static enum tt_code check_register(const tt_unit *u, enum tt_uc c, uint32_t reg,
                                   int filled, tt_err *err)
{
    if (reg >= u->n_state)
        return tt_uc_refuse(u, c, TT_EINPUT, err,
                            "there is no state register %u, %u were prepared",
                            (unsigned)reg, (unsigned)u->n_state);
    if (filled && !(u->saved >> reg & 1))
        return tt_uc_refuse(u, c, TT_ESTATE, err, "state register %u is empty",
                            (unsigned)reg);
    return TT_OK;
}

/* can: the capability; `does` states it: "save its state". filled: the register
 * must be. */
static enum tt_code admit(tt_unit *u, enum tt_uc c, int can, const char *does,
                          uint32_t reg, int filled, tt_err *err)
{
    enum tt_code rc = can ? tt_uc_admit(u, c, err) : tt_uc_cannot(u, does, err);

    return rc == TT_OK ? check_register(u, c, reg, filled, err) : rc;
}

/* Nearly every save and restore is one of a score, many times a step: of a unit
 * that could do it before, where the activity needs no words. A register that
 * was filled once exists. */
static inline int at_ease(const tt_unit *u, uint32_t reg)
{
    return u->life == TT_LIFE_READY && u->activity && u->activity->playing &&
           reg < STATES && (u->saved >> reg & 1);
}

enum tt_code tt_unit_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = at_ease(u, reg) ? TT_OK
                                      : admit(u, TT_UC_SAVE, u->desc->caps.save,
                                              "save its state", reg, 0, err);

    if (rc != TT_OK)
        return rc;
    if (tt_unit_last(u).after == TT_AFTER_NEEDS_RESTORE)
        return tt_uc_refuse(u, TT_UC_SAVE, TT_ESTATE, err,
                            "it rejected its last step and needs a restore "
                            "first");
    rc = u->ops->save(u, reg, err);
    if (rc != TT_OK) {
        u->saved &= ~(UINT64_C(1) << reg); /* may be half overwritten */
        return tt_uc_settle(u, TT_UC_SAVE, rc, err);
    }
    u->saved |= UINT64_C(1) << reg;
    u->held[reg] = (struct tt_saved){u->now, u->life};
    return TT_OK;
}

enum tt_code tt_unit_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = at_ease(u, reg)
                          ? TT_OK
                          : admit(u, TT_UC_RESTORE, u->desc->caps.save,
                                  "restore a state", reg, 1, err);

    if (rc != TT_OK)
        return rc;
    rc = u->ops->restore(u, reg, err);
    if (TT_UNLIKELY(rc != TT_OK))
        return tt_uc_settle(u, TT_UC_RESTORE, rc, err);
    u->now = u->held[reg].at;
    u->life = u->held[reg].life;
    tt_unit_report(u, (struct tt_stepped){.reached = u->now});
    tt_trail_cut(u->trail, u->now);
    return TT_OK;
}

static uint64_t model_hash(const struct tt_desc *d)
{
    uint64_t h = TT_HASH_START;

    h = tt_hash(h, d->kind, strlen(d->kind) + 1);
    if (d->model)
        h = tt_hash(h, d->model, strlen(d->model) + 1);
    return tt_hash(h, &d->n_port, sizeof(d->n_port));
}

enum tt_code tt_unit_packable(tt_unit *u, tt_err *err)
{
    int claims = u->desc->caps.serialise;
    enum tt_code rc = tt_uc_admit(u, TT_UC_PACKABLE, err);

    /* What a wrapper cannot, the unit inside cannot: stated once. */
    if (rc == TT_OK && u->ops->packable && (claims || !u->inner))
        rc = tt_uc_settle(u, TT_UC_PACKABLE, u->ops->packable(u, err), err);
    return rc == TT_OK && !claims
               ? tt_uc_cannot(u, "turn a state into bytes", err)
               : rc;
}

/* A wrapper that only passes states on leaves no trace in the bytes, so that
 * they serve a unit that goes without it, or with another one. But it may stand
 * where the unit inside does not yet: then it has a trailer of its own, which
 * such a unit takes for its. */
static int passes_on(const tt_unit *u)
{
    return u->ops->pack == tt_fwd_pack && u->ops->unpack == tt_fwd_unpack;
}

/* Is what it would note noted inside? */
static int stands_as_inside(const tt_unit *u, uint32_t reg)
{
    const struct tt_saved *own = &u->held[reg];
    const struct tt_saved *inner = &u->inner->held[reg];

    return own->at == inner->at && own->life == inner->life;
}

static enum tt_code add_trailer(const tt_unit *u, uint32_t reg,
                                struct tt_bytes *own, tt_err *err)
{
    const struct trailer t = {.magic = passes_on(u) ? MAGIC_AROUND : MAGIC,
                              .model = model_hash(u->desc),
                              .at = u->held[reg].at,
                              .life = u->held[reg].life};
    char *all = tt_resize(own->data, own->n + sizeof(t), 1);

    if (!all) {
        tt_free(own->data);
        return tt_uc_refuse(u, TT_UC_PACK, TT_ENOMEM, err, "%zu bytes of state",
                            own->n);
    }
    memcpy(all + own->n, &t, sizeof(t));
    *own = (struct tt_bytes){all, own->n + sizeof(t)};
    return TT_OK;
}

enum tt_code tt_unit_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                          tt_err *err)
{
    struct tt_bytes own = {NULL, 0};
    enum tt_code rc;

    rc = admit(u, TT_UC_PACK, u->desc->caps.serialise,
               "turn a state into bytes", reg, 1, err);
    if (rc != TT_OK)
        return rc;
    rc = tt_uc_settle(u, TT_UC_PACK, u->ops->pack(u, reg, &own, err), err);
    if (rc == TT_OK && !(passes_on(u) && stands_as_inside(u, reg)))
        rc = add_trailer(u, reg, &own, err);
    if (rc == TT_OK)
        *b = own;
    return rc;
}

/* The last one; is it of this kind? */
static int last_trailer(const struct tt_bytes *b, uint64_t magic,
                        struct trailer *t)
{
    if (b->n < sizeof(*t))
        return 0;
    memcpy(t, (const char *)b->data + b->n - sizeof(*t), sizeof(*t));
    return t->magic == magic && isfinite(t->at) &&
           (t->life == TT_LIFE_READY || t->life == TT_LIFE_EVENT);
}

/* Where the unit stands, and what there is for its table: of one that passes
 * states on all from the trailer of the unit inside, which stays. */
static enum tt_code read_trailers(const tt_unit *u, struct tt_bytes *own,
                                  struct trailer *t, tt_err *err)
{
    struct trailer around, inside;
    int any = last_trailer(own, MAGIC_AROUND, &around);
    size_t n = own->n;

    while (last_trailer(own, MAGIC_AROUND, &inside))
        own->n -= sizeof(inside);
    if (!last_trailer(own, MAGIC, &inside))
        return tt_uc_refuse(u, TT_UC_UNPACK, TT_EINPUT, err,
                            "%zu bytes are no packed state", n);
    *t = any ? around : inside;
    if (!passes_on(u))
        own->n -= sizeof(inside);
    while (passes_on(u))
        u = u->inner;
    if (inside.model != model_hash(u->desc))
        return tt_uc_refuse(u, TT_UC_UNPACK, TT_EINPUT, err,
                            "the state is of another model");
    return TT_OK;
}

enum tt_code tt_unit_unpack(tt_unit *u, uint32_t reg, const struct tt_bytes *b,
                            tt_err *err)
{
    struct tt_bytes own = *b;
    struct trailer t = {.magic = 0};
    enum tt_code rc;

    rc = admit(u, TT_UC_UNPACK, u->desc->caps.serialise,
               "take a state from bytes", reg, 0, err);
    if (rc == TT_OK)
        rc = read_trailers(u, &own, &t, err);
    if (rc != TT_OK)
        return rc;
    u->saved &= ~(UINT64_C(1) << reg);
    rc = tt_uc_settle(u, TT_UC_UNPACK, u->ops->unpack(u, reg, &own, err), err);
    if (rc != TT_OK)
        return rc;
    u->saved |= UINT64_C(1) << reg;
    u->held[reg] = (struct tt_saved){t.at, (enum tt_life)t.life};
    return TT_OK;
}
