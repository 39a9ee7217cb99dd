/* SPDX-License-Identifier: MIT */
/* The state of a run inside a unit: the states of its units, and copies of the
 * memory it changes itself. */
#include <string.h>

#include "base/hash.h"
#include "run/run_impl.h"

/* What lies nowhere in one piece. */
struct core {
    double t;
    uint64_t n, grid;
    int on_grid, stale;
    double reg_t[TT_TIME_N], reg_h[TT_TIME_N];
};

static struct core core_of(const tt_run *r)
{
    struct core c = {.t = r->t,
                     .n = r->agenda.n,
                     .grid = r->guest->grid,
                     .on_grid = r->guest->on_grid,
                     .stale = r->guest->stale};

    memcpy(c.reg_t, r->now->t, sizeof(c.reg_t));
    memcpy(c.reg_h, r->now->h, sizeof(c.reg_h));
    return c;
}

static void back_to(tt_run *r, const struct core *c)
{
    r->t = c->t;
    r->agenda.n = c->n;
    r->guest->grid = c->grid;
    r->guest->on_grid = c->on_grid;
    r->guest->stale = c->stale;
    memcpy(r->now->t, c->reg_t, sizeof(c->reg_t));
    memcpy(r->now->h, c->reg_h, sizeof(c->reg_h));
}

/* --- blocks -------------------------------------------------------------- */

#define BLOCKS 6u

static void blocks_of(tt_run *r, struct run_block b[BLOCKS])
{
    b[0].at = tt_part_frame(r->part, &b[0].n);
    b[1] = run_vary_values(r);
    b[2] = run_vary_policy(r);
    run_error_blocks(r, b + 3);
    b[5] = run_bonds_block(r->bonds);
}

static size_t kept_size(tt_run *r)
{
    struct run_block b[BLOCKS];
    size_t n = sizeof(struct core);

    blocks_of(r, b);
    for (uint32_t i = 0; i < BLOCKS; i++)
        n += b[i].n;
    return n;
}

enum tt_code run_guest_registers(tt_run *r, uint32_t n, tt_err *err)
{
    struct tt_guest *g = r->guest;

    g->n_kept = n;
    if (!TT_NEW_ARRAY(g->kept, n))
        return run_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        g->kept[i] = tt_zalloc(1, kept_size(r));
        if (!g->kept[i])
            return run_nomem(err);
    }
    return TT_OK;
}

static void keep(tt_run *r, unsigned char *to)
{
    struct core c = core_of(r);
    struct run_block b[BLOCKS];

    memcpy(to, &c, sizeof(c));
    to += sizeof(c);
    blocks_of(r, b);
    for (uint32_t i = 0; i < BLOCKS; to += b[i++].n)
        if (b[i].n)
            memcpy(to, b[i].at, b[i].n);
}

static void bring_back(tt_run *r, const unsigned char *from)
{
    struct core c;
    struct run_block b[BLOCKS];

    memcpy(&c, from, sizeof(c));
    from += sizeof(c);
    blocks_of(r, b);
    for (uint32_t i = 0; i < BLOCKS; from += b[i++].n)
        if (b[i].n)
            memcpy(b[i].at, from, b[i].n);
    back_to(r, &c);
}

/* --- registers ----------------------------------------------------------- */

/* The first registers are the score's own. */
static uint32_t reg_of(const tt_run *r, uint32_t unit, uint32_t reg)
{
    return (r->plan->unit[unit].desc->caps.save ? r->score->n_state : 0) + reg;
}

enum tt_code tt_guest_save(tt_run *r, uint32_t reg, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_save(r->unit[u], reg_of(r, u, reg), err);
    if (rc == TT_OK)
        keep(r, r->guest->kept[reg]);
    return rc;
}

enum tt_code tt_guest_restore(tt_run *r, uint32_t reg, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_restore(r->unit[u], reg_of(r, u, reg), err);
    if (rc == TT_OK)
        bring_back(r, r->guest->kept[reg]);
    return rc;
}

/* --- bytes --------------------------------------------------------------- */

/* Pieces with their lengths: the states of the units, then ours; a checksum
 * at the end, as bytes may have been in a file. Native byte order, as units'
 * states are. */

static void add_piece(struct tt_buf *b, const void *data, size_t n)
{
    uint64_t size = n;

    tt_buf_add(b, (const char *)&size, sizeof(size));
    if (n)
        tt_buf_add(b, data, n);
}

static enum tt_code pack_all(tt_run *r, uint32_t reg, struct tt_buf *b,
                             tt_err *err)
{
    uint64_t sum;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        struct tt_bytes one = {NULL, 0};

        rc = tt_unit_pack(r->unit[u], reg_of(r, u, reg), &one, err);
        if (rc == TT_OK)
            add_piece(b, one.data, one.n);
        tt_free(one.data);
    }
    if (rc != TT_OK)
        return rc;
    add_piece(b, r->guest->kept[reg], kept_size(r));
    sum = b->failed ? 0 : tt_hash(TT_HASH_START, b->data, b->len);
    tt_buf_add(b, (const char *)&sum, sizeof(sum));
    return b->failed ? run_nomem(err) : TT_OK;
}

#define MOST_PACKED ((size_t)1 << 40)

enum tt_code tt_guest_pack(tt_run *r, uint32_t reg, struct tt_bytes *out,
                           tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, MOST_PACKED);
    rc = pack_all(r, reg, &b, err);
    if (rc == TT_OK) {
        out->data = tt_alloc(b.len);
        out->n = b.len;
        if (out->data)
            memcpy(out->data, b.data, b.len);
        else
            rc = run_nomem(err);
    }
    tt_buf_fini(&b);
    return rc;
}

/* Takes the next piece off the front; 0 when there is none. */
static int take_piece(struct tt_bytes *rest, struct tt_bytes *piece)
{
    uint64_t n;

    if (rest->n < sizeof(n))
        return 0;
    memcpy(&n, rest->data, sizeof(n));
    if (n > rest->n - sizeof(n))
        return 0;
    *piece = (struct tt_bytes){(char *)rest->data + sizeof(n), (size_t)n};
    *rest = (struct tt_bytes){(char *)piece->data + n,
                              rest->n - sizeof(n) - (size_t)n};
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

static enum tt_code damaged(tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "the packed state is damaged, or of another scenario");
}

enum tt_code tt_guest_unpack(tt_run *r, uint32_t reg, const struct tt_bytes *b,
                             tt_err *err)
{
    struct tt_bytes rest = *b, piece;
    enum tt_code rc = TT_OK;

    if (!take_sum(&rest))
        return damaged(err);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = take_piece(&rest, &piece)
                 ? tt_unit_unpack(r->unit[u], reg_of(r, u, reg), &piece, err)
                 : damaged(err);
    if (rc != TT_OK)
        return rc;
    if (!take_piece(&rest, &piece) || rest.n || piece.n != kept_size(r))
        return damaged(err);
    memcpy(r->guest->kept[reg], piece.data, piece.n);
    return TT_OK;
}
