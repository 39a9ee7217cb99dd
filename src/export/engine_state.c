/* SPDX-License-Identifier: MIT */
/* States of FMI, of which there may be any number, in the registers of a
 * unit, of which there are a few: the first ones lie there and cost what a
 * copy costs, those beyond are kept packed. */
#include <string.h>

#include "base/mem.h"
#include "export/engine.h"

enum {
    REGISTERS = 16, /* besides these: */
    OURS = 2,       /* to pack and unpack, and to undo a step */
};

struct tt_engine_state {
    uint32_t reg;          /* TT_NONE: only in bytes */
    struct tt_bytes bytes; /* owned: head, ours, the unit's; or none */
};

/* Before what the unit packed: so that a fresh instance can go on from it. */
struct head {
    char magic[8];
    struct tt_experiment exp;
};
static const char magic[8] = "tuttiX2";

static uint32_t stage(const tt_engine *e)
{
    return e->n_register;
}

static uint32_t undo(const tt_engine *e)
{
    return e->n_register + 1;
}

/* What we keep beside the unit, in a register. */
static void *kept(const tt_engine *e, uint32_t reg)
{
    return e->kept + reg * e->own_size;
}

static enum tt_code save(tt_engine *e, uint32_t reg, tt_err *err)
{
    memcpy(kept(e, reg), e->own, e->own_size);
    return tt_unit_save(e->unit, reg, err);
}

static enum tt_code restore(tt_engine *e, uint32_t reg, tt_err *err)
{
    memcpy(e->own, kept(e, reg), e->own_size);
    return tt_unit_restore(e->unit, reg, err);
}

enum tt_code tt_engine_prepare(tt_engine *e, tt_err *err)
{
    if (!e->type->desc.caps.save)
        return tt_unit_prepare(e->unit, 0, err);
    if (!e->in_register && !TT_NEW_ARRAY(e->in_register, REGISTERS))
        return tt_nomem(err, NULL);
    if (!e->kept)
        e->kept = tt_zalloc(REGISTERS + OURS, e->own_size);
    if (!e->kept)
        return tt_nomem(err, NULL);
    e->n_register = REGISTERS;
    return tt_unit_prepare(e->unit, REGISTERS + OURS, err);
}

/* --- states --------------------------------------------------------------- */

static enum tt_code new_state(tt_engine *e, struct tt_engine_state **out,
                              tt_err *err)
{
    struct tt_engine_state *s;

    if (!TT_NEW(s))
        return tt_nomem(err, NULL);
    s->reg = TT_NONE;
    for (uint32_t i = 0; e->unit->prepared && i < e->n_register; i++)
        if (!e->in_register[i]) {
            s->reg = i;
            e->in_register[i] = s;
            break;
        }
    if (s->reg == TT_NONE && !e->type->desc.caps.serialise) {
        tt_free(s);
        return tt_fail(
            err, TT_EUNSUPPORTED,
            "%u states are held already, and an instance inside cannot "
            "serialise its own",
            (unsigned)e->n_register);
    }
    *out = s;
    return TT_OK;
}

static void drop_bytes(struct tt_engine_state *s)
{
    tt_free(s->bytes.data);
    s->bytes = (struct tt_bytes){NULL, 0};
}

void tt_engine_drop(tt_engine *e, struct tt_engine_state *s)
{
    if (!s)
        return;
    if (s->reg != TT_NONE)
        e->in_register[s->reg] = NULL;
    drop_bytes(s);
    tt_free(s);
}

static uint32_t register_of(const tt_engine *e, const struct tt_engine_state *s)
{
    return s->reg == TT_NONE ? stage(e) : s->reg;
}

/* --- bytes ---------------------------------------------------------------- */

static enum tt_code check_serialise(const tt_engine *e, tt_err *err)
{
    if (e->type->desc.caps.save && e->type->desc.caps.serialise)
        return TT_OK;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "an instance inside cannot serialise its state");
}

static enum tt_code keep_bytes(struct tt_engine_state *s,
                               const struct head *head,
                               const struct tt_bytes *own,
                               const struct tt_bytes *packed, tt_err *err)
{
    size_t n = sizeof(*head) + own->n;
    char *data = tt_alloc(n + packed->n);

    drop_bytes(s);
    if (!data)
        return tt_nomem(err, NULL);
    memcpy(data, head, sizeof(*head));
    memcpy(data + sizeof(*head), own->data, own->n);
    if (packed->n)
        memcpy(data + n, packed->data, packed->n);
    s->bytes = (struct tt_bytes){data, n + packed->n};
    return TT_OK;
}

static enum tt_code pack(tt_engine *e, struct tt_engine_state *s, tt_err *err)
{
    struct head head = {.exp = e->exp};
    const struct tt_bytes own = {kept(e, register_of(e, s)), e->own_size};
    struct tt_bytes packed = {NULL, 0};
    enum tt_code rc = tt_unit_pack(e->unit, register_of(e, s), &packed, err);

    memcpy(head.magic, magic, sizeof(magic));
    if (rc == TT_OK)
        rc = keep_bytes(s, &head, &own, &packed, err);
    tt_free(packed.data);
    return rc;
}

static enum tt_code read_head(const tt_engine *e, const struct tt_bytes *b,
                              struct head *head, tt_err *err)
{
    if (b->n < sizeof(*head) + e->own_size ||
        memcmp(b->data, magic, sizeof(magic)) != 0)
        return tt_fail(err, TT_EINPUT, "these bytes are not its state");
    memcpy(head, b->data, sizeof(*head));
    /* the grid of steps inside begins at the start */
    if (e->unit->prepared && head->exp.start != e->exp.start)
        return tt_fail(err, TT_EINPUT,
                       "the state is of an experiment with another start "
                       "time");
    return TT_OK;
}

static enum tt_code unpack(tt_engine *e, const struct tt_bytes *b, uint32_t reg,
                           tt_err *err)
{
    size_t before = sizeof(struct head) + e->own_size;
    const struct tt_bytes packed = {(char *)b->data + before, b->n - before};

    memcpy(kept(e, reg), (char *)b->data + sizeof(struct head), e->own_size);
    return tt_unit_unpack(e->unit, reg, &packed, err);
}

/* --- calls ---------------------------------------------------------------- */

static enum tt_code fill(tt_engine *e, struct tt_engine_state *s, tt_err *err)
{
    enum tt_code rc = save(e, register_of(e, s), err);

    drop_bytes(s);
    return rc == TT_OK && s->reg == TT_NONE ? pack(e, s, err) : rc;
}

enum tt_code tt_engine_save(tt_engine *e, struct tt_engine_state **s,
                            tt_err *err)
{
    struct tt_engine_state *fresh = NULL;
    enum tt_code rc;

    if (!e->type->desc.caps.save)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "an instance inside cannot save its state");
    if (!e->unit->prepared)
        return tt_fail(err, TT_ESTATE,
                       "its state can be saved when it is initialised, not "
                       "before");
    if (*s)
        return fill(e, *s, err);
    rc = new_state(e, &fresh, err);
    if (rc == TT_OK)
        rc = fill(e, fresh, err);
    if (rc == TT_OK)
        *s = fresh;
    else
        tt_engine_drop(e, fresh);
    return rc;
}

/* A fresh instance that is given a state was never initialised. */
static enum tt_code initialise(tt_engine *e, const struct head *head,
                               tt_err *err)
{
    enum tt_code rc;

    e->exp = head->exp;
    rc = tt_engine_enter(e, err);
    return rc == TT_OK ? tt_engine_leave(e, err) : rc;
}

enum tt_code tt_engine_restore(tt_engine *e, struct tt_engine_state *s,
                               tt_err *err)
{
    enum tt_code rc = TT_OK;
    struct head head;

    tt_engine_forget_courses(e);
    if (s->reg == TT_NONE) {
        rc = read_head(e, &s->bytes, &head, err);
        if (rc == TT_OK && !e->unit->prepared)
            rc = initialise(e, &head, err);
        if (rc == TT_OK)
            rc = unpack(e, &s->bytes, stage(e), err);
    }
    return rc == TT_OK ? restore(e, register_of(e, s), err) : rc;
}

enum tt_code tt_engine_packed_size(tt_engine *e, struct tt_engine_state *s,
                                   size_t *size, tt_err *err)
{
    enum tt_code rc = check_serialise(e, err);

    if (rc == TT_OK && !s->bytes.data)
        rc = pack(e, s, err);
    if (rc == TT_OK)
        *size = s->bytes.n;
    return rc;
}

enum tt_code tt_engine_pack(tt_engine *e, struct tt_engine_state *s,
                            void *bytes, size_t room, tt_err *err)
{
    size_t size = 0;
    enum tt_code rc = tt_engine_packed_size(e, s, &size, err);

    if (rc == TT_OK && room < size)
        rc = tt_fail(err, TT_EINPUT, "room for %zu bytes, it has %zu", room,
                     size);
    if (rc == TT_OK)
        memcpy(bytes, s->bytes.data, size);
    return rc;
}

/* Kept as bytes, so that it does not matter whether the instance is
 * initialised; if it is, they are looked at now. */
enum tt_code tt_engine_unpack(tt_engine *e, const struct tt_bytes *b,
                              struct tt_engine_state **s, tt_err *err)
{
    struct tt_bytes own, packed;
    struct head head;
    enum tt_code rc = check_serialise(e, err);

    if (rc == TT_OK)
        rc = read_head(e, b, &head, err);
    if (rc == TT_OK && e->unit->prepared)
        rc = unpack(e, b, stage(e), err);
    if (rc != TT_OK)
        return rc;
    if (!*s && !TT_NEW(*s))
        return tt_nomem(err, NULL);
    if (*s && (*s)->reg != TT_NONE && e->in_register)
        e->in_register[(*s)->reg] = NULL;
    (*s)->reg = TT_NONE;
    own = (struct tt_bytes){(char *)b->data + sizeof(head), e->own_size};
    packed = (struct tt_bytes){(char *)own.data + own.n,
                               b->n - sizeof(head) - own.n};
    return keep_bytes(*s, &head, &own, &packed, err);
}

enum tt_code tt_engine_keep(tt_engine *e, tt_err *err)
{
    return save(e, undo(e), err);
}

enum tt_code tt_engine_undo(tt_engine *e, tt_err *err)
{
    tt_engine_forget_courses(e);
    return restore(e, undo(e), err);
}
