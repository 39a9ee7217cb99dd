/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include "base/mem.h"

static uint64_t key_of(unsigned group, uint32_t vr)
{
    return ((uint64_t)group << 32 | vr) + 1;
}

static size_t slot_of(const struct tt_md_vrs *m, uint64_t key)
{
    /* Fibonacci hashing: value references come in runs. */
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    for (i &= m->cap - 1; m->at[i].key && m->at[i].key != key;)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static int grow(struct tt_md_vrs *m)
{
    struct tt_md_vrs big = {.cap = m->cap ? m->cap * 2 : 64};

    if (!TT_NEW_ARRAY(big.at, big.cap))
        return -1;
    for (size_t i = 0; i < m->cap; i++)
        if (m->at[i].key)
            big.at[slot_of(&big, m->at[i].key)] = m->at[i];
    big.n = m->n;
    tt_free(m->at);
    *m = big;
    return 0;
}

int md_vrs_add(struct tt_md_vrs *m, unsigned group, uint32_t vr, uint32_t var)
{
    uint64_t key = key_of(group, vr);
    size_t i;

    if (m->n * 2 >= m->cap && grow(m) != 0)
        return -1;
    i = slot_of(m, key);
    if (m->at[i].key)
        return 1;
    m->at[i] = (struct md_vr){key, var};
    m->n++;
    return 0;
}

uint32_t md_vrs_find(const struct tt_md_vrs *m, unsigned group, uint32_t vr)
{
    size_t i;

    if (!m->cap)
        return TT_NONE;
    i = slot_of(m, key_of(group, vr));
    return m->at[i].key ? m->at[i].var : TT_NONE;
}

/* FMI 1 and 2 have one space of value references per kind of get function; FMI
 * 3 has one for all. */
unsigned md_vr_group(enum tt_md_version version, enum tt_type type)
{
    if (version == TT_FMI_3)
        return 0;
    if (type == TT_F64)
        return 1;
    if (type == TT_I32 || type == TT_ENUM32)
        return 2;
    return tt_type_is_bool(type) ? 3 : 4;
}
