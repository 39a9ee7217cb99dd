/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

/* "terminals": which terminals of instances meet. */

static enum tt_code check_once(struct tt_sc_build *b, struct tt_names *seen,
                               const struct tt_sc_word *word, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int added = tt_names_add(seen, word[i].text, 0);

        if (added < 0)
            return tt_sc_no_memory(b);
        if (added > 0)
            return tt_sc_fail(b, word[i].where, TT_EINPUT,
                              "the terminal '%s' is connected already; all "
                              "that meet at one point are named in one list",
                              word[i].text);
    }
    return TT_OK;
}

/* The key and its list. */
static enum tt_code read_node(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_names *seen, struct tt_sc_node *node)
{
    struct tt_sc_word *to, *all;
    uint32_t n = 0;
    enum tt_code rc = tt_sc_words(b, v, 1, &to, &n);

    if (rc != TT_OK)
        return rc;
    if (n == 0)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "the terminal '%s' is connected to none", v->key);
    if (!TT_NEW_IN(b->nodes, all, (size_t)n + 1))
        return tt_sc_no_memory(b);
    all[0] = tt_sc_key_word(v);
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = to[i];
    *node = (struct tt_sc_node){.n = n + 1};
    rc = check_once(b, seen, all, n + 1);
    return rc == TT_OK ? tt_sc_mention_all(b, all, n + 1, TT_SC_BY_CONNECTION,
                                           &node->ref)
                       : rc;
}

enum tt_code tt_sc_read_terminals(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc;
    struct tt_sc_node *node = tt_sc_members(b, v, sizeof(*node), &rc);
    struct tt_names seen;
    uint32_t n = 0;

    tt_names_init(&seen);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        rc = read_node(b, &v->u.child[i], &seen, &node[n]);
        n += rc == TT_OK;
        if (tt_sc_pass(b, rc, v->u.child[i].key))
            rc = TT_OK;
    }
    tt_names_fini(&seen);
    b->s->node = node;
    b->s->n_node = n;
    return rc;
}
