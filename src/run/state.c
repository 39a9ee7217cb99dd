/* SPDX-License-Identifier: MIT */
/* The state of a run: its frame, and the states of its units. */
#include <string.h>

#include "base/hash.h"
#include "player/event.h"
#include "run/orders.h"

/* --- registers -------------------------------------------------------------
 */

/* The first registers of a unit are the score's own; so it is also where
 * register n of the run is in it. */
uint32_t run_registers(const tt_run *r, uint32_t unit, uint32_t n)
{
    return (r->plan->unit[unit].desc->caps.save ? r->score->n_state : 0) + n;
}

enum tt_code run_make_registers(tt_run *r, uint32_t n, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(r->saved, n))
        return run_nomem(err);
    for (; r->n_saved < n && rc == TT_OK; r->n_saved++)
        rc = run_copy_room(r, &r->saved[r->n_saved], tt_frame_size(r->frame),
                           err);
    return rc;
}

static enum tt_code over_units(tt_run *r, uint32_t reg,
                               enum tt_code (*call)(tt_unit *u, uint32_t state,
                                                    tt_err *err),
                               tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        if (!run_is_away(r, u))
            rc = call(r->unit[u], run_registers(r, u, reg), err);
    return rc;
}

enum tt_code run_save_units(tt_run *r, uint32_t reg, tt_err *err)
{
    return over_units(r, reg, tt_unit_save, err);
}

enum tt_code run_restore_units(tt_run *r, uint32_t reg, tt_err *err)
{
    return over_units(r, reg, tt_unit_restore, err);
}

enum tt_code tt_run_save(tt_run *r, uint32_t reg, tt_err *err)
{
    enum tt_code rc;

    rc = tt_part_catch_up(r->part, err);
    if (rc == TT_OK)
        rc = run_save_units(r, reg, err);
    if (rc != TT_OK)
        return rc;
    memcpy(r->memory->t, r->now->t, sizeof(r->memory->t));
    memcpy(r->memory->h, r->now->h, sizeof(r->memory->h));
    tt_frame_copy(r->frame, r->saved[reg]);
    return TT_OK;
}

enum tt_code tt_run_restore(tt_run *r, uint32_t reg, tt_err *err)
{
    enum tt_code rc = run_restore_units(r, reg, err);

    if (rc != TT_OK)
        return rc;
    tt_frame_bring_back(r->frame, r->saved[reg]);
    memcpy(r->now->t, r->memory->t, sizeof(r->memory->t));
    memcpy(r->now->h, r->memory->h, sizeof(r->memory->h));
    r->now->steps = run_steps(r);
    return TT_OK;
}

/* --- bytes -----------------------------------------------------------------
 */

/* A header, the frame, the states of the units with their lengths and counts,
 * the long texts that these name, and a checksum, as bytes may have been in a
 * file. Native byte order, as units' states are. */
struct header {
    char magic[8];
    uint32_t version, n_unit;
    uint64_t plan, score, layout, frame_size;
};

static const char magic[8] = "tTrun\r\n";
/* Another one also where what kinds and wrappers pack has another form, which
 * the bytes themselves do not show. 4: tables of discrete events, and units in
 * wrappers that only pass on. */
#define VERSION 4u

static struct header header_of(const tt_run *r)
{
    struct header h = {.version = VERSION,
                       .n_unit = r->plan->n_unit,
                       .plan = tt_plan_hash(r->plan),
                       .score = run_orders_hash(r),
                       .layout = tt_frame_layout_hash(&r->layout),
                       .frame_size = tt_frame_size(r->frame)};

    memcpy(h.magic, magic, sizeof(magic));
    return h;
}

struct unit_head {
    uint64_t n; /* bytes of its state, which follow */
    uint64_t steps;
    double max_lag;
};

static void add(struct tt_buf *b, const void *data, size_t n)
{
    if (n)
        tt_buf_add(b, data, n);
}

enum tt_code run_pack_units(tt_run *r, uint32_t reg, struct tt_buf *b,
                            tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        struct tt_bytes one = {NULL, 0};
        struct unit_head h = {.steps = r->unit[u]->n_step,
                              .max_lag = r->unit[u]->max_lag};

        if (run_is_away(r, u)) /* in what its own rank packs */
            continue;
        rc = tt_unit_pack(r->unit[u], run_registers(r, u, reg), &one, err);
        h.n = one.n;
        add(b, &h, sizeof(h));
        add(b, one.data, one.n);
        tt_free(one.data);
    }
    if (rc == TT_OK && !b->failed)
        tt_texts_pack(r->texts, b->data, b->len, b);
    return rc;
}

static enum tt_code pack_all(tt_run *r, uint32_t reg, struct tt_buf *b,
                             tt_err *err)
{
    struct header head = header_of(r);
    uint64_t sum;
    enum tt_code rc;

    add(b, &head, sizeof(head));
    add(b, r->saved[reg], tt_frame_size(r->frame));
    rc = run_pack_units(r, reg, b, err);
    if (rc != TT_OK)
        return rc;
    sum = b->failed ? 0 : tt_hash(TT_HASH_START, b->data, b->len);
    add(b, &sum, sizeof(sum));
    return b->failed ? run_nomem(err) : TT_OK;
}

enum tt_code tt_run_pack(tt_run *r, uint32_t reg, struct tt_bytes *out,
                         tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, RUN_MOST_PACKED);
    rc = pack_all(r, reg, &b, err);
    if (rc == TT_OK) {
        out->n = b.len;
        out->data = tt_buf_take(&b);
        rc = out->data ? TT_OK : run_nomem(err);
    }
    tt_buf_fini(&b);
    return rc;
}

int run_take_bytes(struct tt_bytes *rest, struct tt_bytes *piece, uint64_t n)
{
    if (n > rest->n)
        return 0;
    *piece = (struct tt_bytes){rest->data, (size_t)n};
    *rest = (struct tt_bytes){(char *)rest->data + n, rest->n - (size_t)n};
    return 1;
}

/* Without the checksum, if it is right. */
static int take_sum(struct tt_bytes *all)
{
    uint64_t sum;

    if (all->n < sizeof(sum))
        return 0;
    all->n -= sizeof(sum);
    memcpy(&sum, (char *)all->data + all->n, sizeof(sum));
    return sum == tt_hash(TT_HASH_START, all->data, all->n);
}

enum tt_code run_refuse_state(tt_err *err, const char *why)
{
    return tt_fail(err, TT_EINPUT, "the saved state %s", why);
}

static enum tt_code take_header(const tt_run *r, struct tt_bytes *rest,
                                tt_err *err)
{
    struct header h, own = header_of(r);
    struct tt_bytes piece;

    if (!run_take_bytes(rest, &piece, sizeof(h)))
        return run_refuse_state(err, "is damaged: it is too short");
    memcpy(&h, piece.data, sizeof(h));
    if (memcmp(h.magic, magic, sizeof(magic)) != 0)
        return run_refuse_state(err, "is none of a run");
    if (h.version != VERSION)
        return tt_fail(err, TT_EINPUT,
                       "the saved state is of format %u, and this is for "
                       "format %u",
                       h.version, VERSION);
    if (h.plan != own.plan || h.n_unit != own.n_unit)
        return run_refuse_state(err, "is of another scenario");
    if (h.score != own.score)
        return run_refuse_state(err, "is of another master or step control");
    if (h.layout != own.layout || h.frame_size != own.frame_size)
        return run_refuse_state(err,
                                "is of another version, or of other options");
    return TT_OK;
}

static enum tt_code unpack_unit(tt_run *r, uint32_t u, uint32_t reg,
                                struct tt_bytes *rest, tt_err *err)
{
    struct tt_bytes piece;
    struct unit_head h;

    if (!run_take_bytes(rest, &piece, sizeof(h)))
        return run_refuse_state(err, "is damaged: it is too short");
    memcpy(&h, piece.data, sizeof(h));
    if (!run_take_bytes(rest, &piece, h.n))
        return run_refuse_state(err, "is damaged: it is too short");
    if (r->opts.resume) { /* a unit that goes on elsewhere has its own counts */
        r->unit[u]->n_step = h.steps;
        r->unit[u]->max_lag = h.max_lag;
    }
    return tt_unit_unpack(r->unit[u], reg, &piece, err);
}

static int take_texts(tt_run *r, struct tt_bytes *rest)
{
    const char *at = rest->data;
    size_t n = rest->n;
    int taken = tt_texts_unpack(r->texts, &at, &n);

    *rest = (struct tt_bytes){(char *)rest->data + (rest->n - n), n};
    return taken;
}

enum tt_code run_unpack_units(tt_run *r, uint32_t reg, struct tt_bytes *rest,
                              tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        if (!run_is_away(r, u))
            rc = unpack_unit(r, u, run_registers(r, u, reg), rest, err);
    if (rc != TT_OK)
        return rc;
    if (!take_texts(r, rest))
        return run_refuse_state(err, "is damaged: it is too short");
    return rest->n ? run_refuse_state(err, "is damaged: it is too long")
                   : TT_OK;
}

enum tt_code tt_run_unpack(tt_run *r, uint32_t reg, const struct tt_bytes *b,
                           tt_err *err)
{
    struct tt_bytes rest = *b, frame = {NULL, 0};
    enum tt_code rc;

    if (!take_sum(&rest))
        return run_refuse_state(err, "is damaged");
    rc = take_header(r, &rest, err);
    if (rc == TT_OK && !run_take_bytes(&rest, &frame, tt_frame_size(r->frame)))
        rc = run_refuse_state(err, "is damaged: it is too short");
    if (rc == TT_OK)
        rc = run_unpack_units(r, reg, &rest, err);
    if (rc == TT_OK)
        memcpy(r->saved[reg], frame.data, frame.n);
    return rc;
}
