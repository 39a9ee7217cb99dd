/* SPDX-License-Identifier: MIT */
/* Which instance logs. FMUs call back with an environment of which nothing is
 * known: the one they were given, a small number, NULL, that of an instance
 * that is gone; from our thread or one of theirs. So it is never an address
 * here, but a number in a table of the instances that live. */

#include "kinds/fmi_common.h"
#include "unit/turn.h"

/* An environment: the mark, the how-manieth instance ever, the place. */
#define MARK       ((uintptr_t)0x54 << 40)
#define PLACE_BITS 24
#define TURN_MASK  0xFFFFu

struct place {
    struct tt_kfmi_unit *unit; /* NULL: free */
    uint32_t turn;             /* the how-manieth instance took it */
    uint32_t pins;             /* callbacks that are using the unit */
    uint32_t next_free;        /* one more than its index; 0: none */
};

static struct {
    struct tt_lock lock;
    struct place *place; /* owned; given back with the last instance: we may be
                            part of a library that is unloaded */
    size_t n, cap;
    size_t n_live;
    uint32_t turn;       /* instances so far */
    uint32_t first_free; /* one more than its index; 0: none */
    int guarded;
} all = {.lock = TT_LOCK_STATIC};

/* A copy of this process has none of the threads that hold something. */
static void before_fork(void)
{
    tt_lock_take(&all.lock);
}

static void after_fork(void)
{
    tt_lock_give(&all.lock);
}

static void in_the_copy(void)
{
    for (size_t i = 0; i < all.n; i++)
        all.place[i].pins = 0;
    tt_lock_give(&all.lock);
}

static uintptr_t number_of(size_t i)
{
    return MARK | (uintptr_t)(all.place[i].turn & TURN_MASK) << PLACE_BITS | i;
}

/* The place of an environment, NULL: it has none. */
static struct place *find(const void *env)
{
    uintptr_t number = (uintptr_t)env;
    size_t i = number & (((uintptr_t)1 << PLACE_BITS) - 1);

    if (i >= all.n || number != number_of(i) || !all.place[i].unit)
        return NULL;
    return &all.place[i];
}

static struct place *take_place(void)
{
    struct place *p;

    if (all.first_free) {
        p = &all.place[all.first_free - 1];
        all.first_free = p->next_free;
        return p;
    }
    if (all.n >> PLACE_BITS || TT_GROW(all.place, all.n, all.cap))
        return NULL;
    p = &all.place[all.n++];
    *p = (struct place){0};
    return p;
}

enum tt_code tt_kfmi_live_add(struct tt_kfmi_unit *k, tt_err *err)
{
    struct place *p;

    tt_lock_take(&all.lock);
    if (!all.guarded)
        tt_lock_over_fork(before_fork, after_fork, in_the_copy);
    all.guarded = 1;
    p = take_place();
    if (p) {
        p->unit = k;
        p->turn = ++all.turn;
        all.n_live++;
        k->env = (void *)number_of((size_t)(p - all.place));
    }
    tt_lock_give(&all.lock);
    return p ? TT_OK : tt_fail(err, TT_ENOMEM, "out of memory");
}

static void give_back(struct place *p)
{
    p->unit = NULL;
    p->next_free = all.first_free;
    all.first_free = (uint32_t)(p - all.place) + 1;
    if (--all.n_live)
        return;
    tt_free(all.place);
    all.place = NULL;
    all.n = all.cap = 0;
    all.first_free = 0;
}

void tt_kfmi_live_remove(const struct tt_kfmi_unit *k)
{
    struct place *p;

    tt_lock_take(&all.lock);
    p = find(k->env);
    while (p && p->pins) { /* a thread of the FMU still logs */
        tt_lock_give(&all.lock);
        tt_sleep_ns(10000);
        tt_lock_take(&all.lock);
        p = find(k->env);
    }
    if (p)
        give_back(p);
    tt_lock_give(&all.lock);
}

/* Is this one of ours? Wrappers have it inside. */
static struct tt_kfmi_unit *as_fmi(tt_unit *u)
{
    while (u && u->inner)
        u = u->inner;
    return u && u->ops->free == tt_kfmi_free ? tt_kfmi_unit(u) : NULL;
}

struct tt_kfmi_unit *tt_kfmi_played(void)
{
    return as_fmi(tt_turn_played());
}

/* Of a thread that is in no call of ours, with an environment of none: the one
 * that lives, if there is but one. */
static struct place *only_one(void)
{
    for (size_t i = 0; all.n_live == 1 && i < all.n; i++)
        if (all.place[i].unit)
            return &all.place[i];
    return NULL;
}

struct tt_kfmi_unit *tt_kfmi_pin(const void *env)
{
    struct tt_kfmi_unit *k = tt_kfmi_played();
    struct place *p;

    tt_lock_take(&all.lock);
    p = find(k ? k->env : env);
    if (!p && tt_turn_noted()) {
        k = as_fmi(tt_turn_noted());
        p = k ? find(k->env) : NULL;
    }
    if (!p)
        p = only_one();
    if (p)
        p->pins++;
    k = p ? p->unit : NULL;
    tt_lock_give(&all.lock);
    return k;
}

void tt_kfmi_unpin(const struct tt_kfmi_unit *k)
{
    struct place *p;

    if (!k)
        return;
    tt_lock_take(&all.lock);
    p = find(k->env);
    if (p && p->pins)
        p->pins--;
    tt_lock_give(&all.lock);
}
