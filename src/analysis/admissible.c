/* SPDX-License-Identifier: MIT */
#include "analysis/admissible.h"

#include <math.h>
#include <string.h>

#include "analysis/bounds.h"
#include "analysis/hitting.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/names.h"

#define SHORT      3   /* cycles up to this length are all looked at at once */
#define WORDS      4e4 /* ... and longer ones while there are no more words */
#define STABLE     (1 - 1e-9)
#define EASE       0.5 /* cycles that shrink by more are not in the way */
#define WALK       200
#define STARTS     12 /* of walks, in each node */
#define CYCLES_MAX 65536u
#define SMALL      128u /* edges: all ways of removing some are looked at */
#define ROUNDS     200

struct hunt {
    tt_automaton *a;
    const struct tt_matrices *m;
    struct tt_admissible *out;
    struct tt_cycle *bad;         /* owned: unstable ones, ... */
    size_t n_bad, n_all, cap_bad; /* ... first those that still live */
    int full;                     /* no memory for another one */
    double least; /* rate of cycles that are looked for: 1, or a little less */
};

/* --- how a cycle grows -----------------------------------------------------
 */

static double rate_of(const struct hunt *h, const uint32_t *edge, uint32_t n)
{
    uint32_t symbol[TT_CYCLE_MOST];

    for (uint32_t i = 0; i < n; i++)
        symbol[i] = h->a->edge[edge[i]].symbol;
    return tt_word_rate(h->m, symbol, n);
}

static void add_bad(struct hunt *h, const uint32_t *edge, uint32_t n,
                    double rate)
{
    struct tt_admissible *out = h->out;

    if (h->n_all == CYCLES_MAX || TT_GROW(h->bad, h->n_all, h->cap_bad)) {
        h->full = 1;
        return;
    }
    if (h->n_bad < h->n_all)
        h->bad[h->n_all] = h->bad[h->n_bad];
    h->n_all++;
    memcpy(h->bad[h->n_bad].edge, edge, n * sizeof(*edge));
    h->bad[h->n_bad].n = n;
    h->bad[h->n_bad++].rate = rate;
    out->cycles += rate >= STABLE;
    if (rate <= out->worst_rate || rate < STABLE)
        return;
    out->worst_rate = rate;
    out->n_worst = n;
    for (uint32_t i = 0; i < n; i++)
        out->worst[i] = h->a->edge[edge[i]].symbol;
}

/* --- all short ones --------------------------------------------------------
 */

/* Each once: it begins at its least edge. Of longer ones than the short the
 * first is enough. */
static void extend(struct hunt *h, uint32_t *edge, uint32_t n, uint32_t most)
{
    const tt_automaton *a = h->a;
    uint32_t node = a->edge[edge[n - 1]].to;

    if (node == a->edge[edge[0]].from) {
        double rate = rate_of(h, edge, n);

        if (rate >= h->least)
            add_bad(h, edge, n, rate);
    }
    for (uint32_t e = a->first[node]; n < most && e < a->first[node + 1]; e++) {
        if (a->edge[e].removed || e < edge[0] || (most > SHORT && h->n_bad))
            continue;
        edge[n] = e;
        extend(h, edge, n + 1, most);
    }
}

static void find_short(struct hunt *h, uint32_t most)
{
    uint32_t edge[TT_CYCLE_MOST];

    for (uint32_t e = 0; e < h->a->n_edge; e++) {
        if (h->a->edge[e].removed)
            continue;
        edge[0] = e;
        extend(h, edge, 1, most);
    }
}

/* How long cycles may be to look at all of them. */
static uint32_t affordable(const struct hunt *h)
{
    double words = h->a->n_symbol;
    uint32_t n = 1;

    while (words * h->a->n_symbol <= WORDS && n < TT_CYCLE_MOST) {
        words *= h->a->n_symbol;
        n++;
    }
    return n;
}

/* --- removing --------------------------------------------------------------
 */

static uint32_t killed(const struct hunt *h, uint32_t edge)
{
    uint32_t n = 0;

    for (size_t i = 0; i < h->n_bad; i++)
        n += (uint32_t)tt_list_has(h->bad[i].edge, h->bad[i].n, edge);
    return n;
}

/* Cycles that lost an edge live no more. */
static void drop(struct hunt *h)
{
    size_t left = 0;

    for (size_t i = 0; i < h->n_bad; i++) {
        struct tt_cycle c = h->bad[i];
        int lives = 1;

        for (uint32_t k = 0; k < c.n; k++)
            lives &= !h->a->edge[c.edge[k]].removed;
        if (!lives)
            continue;
        h->bad[i] = h->bad[left];
        h->bad[left++] = c;
    }
    h->n_bad = left;
}

/* The edge that ends most unstable cycles; of equals the one without which most
 * words are left. */
static uint32_t choose(const struct hunt *h)
{
    uint32_t best = TT_NONE, most = 0;
    double words = -1;

    for (uint32_t e = 0; e < h->a->n_edge; e++) {
        uint32_t n = h->a->edge[e].removed ? 0 : killed(h, e);
        double left;

        if (n == 0 || n < most)
            continue;
        left = tt_automaton_growth(h->a, e);
        if (n > most || left > words * (1 + 1e-12)) {
            best = e;
            most = n;
            words = left;
        }
    }
    return best;
}

static void remove_all(struct hunt *h)
{
    while (h->n_bad) {
        uint32_t e = choose(h);

        if (e == TT_NONE)
            break;
        h->a->edge[e].removed = 1;
        (void)tt_automaton_trim(h->a);
        drop(h);
    }
}

/* --- long ones -------------------------------------------------------------
 */

/* x' P x */
static double measure(const struct hunt *h, uint32_t node, const double *x)
{
    uint32_t n = h->m->n;
    const double *p = h->out->certificate.p + (size_t)node * n * n;
    double sum = 0;

    for (uint32_t i = 0; !h->out->certificate.p && i < n; i++)
        sum += x[i] * x[i];
    for (uint32_t j = 0; h->out->certificate.p && j < n; j++)
        for (uint32_t i = 0; i < n; i++)
            sum += x[i] * p[i + j * n] * x[j];
    return sum;
}

/* The edge along which x grows most, as what came nearest to a certificate
 * measures it. */
static uint32_t follow(const struct hunt *h, uint32_t node, double *x)
{
    const tt_automaton *a = h->a;
    uint32_t n = h->m->n, best = TT_NONE;
    double most = -1, to[16], kept[16] = {0};

    for (uint32_t e = a->first[node]; e < a->first[node + 1]; e++) {
        const double *m = h->m->a + (size_t)a->edge[e].symbol * n * n;
        double size;

        if (a->edge[e].removed)
            continue;
        for (uint32_t i = 0; i < n; i++) {
            to[i] = 0;
            for (uint32_t k = 0; k < n; k++)
                to[i] += m[i + k * n] * x[k];
        }
        size = measure(h, a->edge[e].to, to);
        if (size > most) {
            most = size;
            best = e;
            memcpy(kept, to, sizeof(kept));
        }
    }
    for (uint32_t i = 0; i < n && most > 0; i++)
        x[i] = kept[i] / sqrt(most);
    return best;
}

/* Closed pieces at the end of a walk, which has settled by then. */
static void look_along(struct hunt *h, const uint32_t *walk, uint32_t n)
{
    uint32_t node = n ? h->a->edge[walk[n - 1]].to : 0;

    for (uint32_t len = 1; len <= n && len <= TT_CYCLE_MOST; len++) {
        double rate;

        if (h->a->edge[walk[n - len]].from != node)
            continue;
        rate = rate_of(h, walk + n - len, len);
        if (rate >= h->least) {
            add_bad(h, walk + n - len, len, rate);
            return;
        }
    }
}

/* Walks that always take what grows most find long cycles. */
static void find_long(struct hunt *h)
{
    uint32_t walk[WALK];

    for (uint32_t v = 0; v < h->a->n_node && !h->n_bad; v++)
        for (uint32_t begin = 0; begin < STARTS && !h->n_bad; begin++) {
            double x[16] = {0};
            uint32_t node = v, n = 0;

            for (uint32_t i = 0; i < h->m->n; i++)
                x[i] = sin(1 + 3.7 * begin + 1.9 * i * (begin + 1));
            while (n < WALK) {
                uint32_t e = follow(h, node, x);

                if (e == TT_NONE)
                    break;
                walk[n++] = e;
                node = h->a->edge[e].to;
            }
            look_along(h, walk, n);
        }
}

/* What takes little: cycles that are not too long, and plain walks. */
static void find_cheap(struct hunt *h)
{
    uint32_t most = affordable(h);

    for (uint32_t n = SHORT + 1; n <= most && !h->n_bad; n++)
        find_short(h, n);
    if (!h->n_bad)
        find_long(h);
}

/* --- until it holds --------------------------------------------------------
 */

/* No cycle that was met is unstable, and still nothing is proved: the one that
 * comes nearest goes as well, so that what is left can be. */
static void ease(struct hunt *h)
{
    size_t worst = 0;

    h->least = EASE;
    find_short(h, SHORT);
    find_long(h);
    h->least = STABLE;
    if (!h->n_bad)
        return;
    for (size_t i = 1; i < h->n_bad; i++)
        if (h->bad[i].rate > h->bad[worst].rate)
            worst = i;
    h->bad[0] = h->bad[worst];
    h->n_bad = h->n_all = 1;
    h->out->eased = 1;
}

static enum tt_code undecided(tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED,
                   "neither a certificate nor an unstable cycle was found; "
                   "another lift may decide it");
}

static enum tt_code certify(struct hunt *h, int *found, tt_err *err)
{
    *found = 0;
    while (tt_automaton_trim(h->a) && !h->full) {
        enum tt_code rc;

        find_cheap(h);
        if (h->n_bad) {
            remove_all(h);
            continue;
        }
        rc = tt_certificate_find(&h->out->certificate, found, h->a, h->m, err);
        if (rc != TT_OK || *found)
            return rc;
        find_long(h);
        if (!h->n_bad)
            ease(h);
        tt_certificate_fini(&h->out->certificate);
        if (!h->n_bad)
            return undecided(err);
        remove_all(h);
    }
    return h->full || h->out->eased ? undecided(err) : TT_OK;
}

/* --- is there a better choice? ---------------------------------------------
 */

static void copy_removed(uint8_t *to, const tt_automaton *a)
{
    for (uint32_t e = 0; e < a->n_edge; e++)
        to[e] = a->edge[e].removed != 0;
}

static void remove_these(tt_automaton *a, const uint8_t *these)
{
    for (uint32_t e = 0; e < a->n_edge; e++)
        a->edge[e].removed = these[e];
}

/* A choice of edges that ends all known cycles: it is certified, or there is
 * another unstable cycle, or (TT_EUNSUPPORTED) neither is found. */
static enum tt_code examine(struct hunt *h, int *found, tt_err *err)
{
    enum tt_code rc = TT_OK;

    *found = 0;
    (void)tt_automaton_trim(h->a);
    find_cheap(h);
    if (!h->n_bad) {
        rc = tt_certificate_find(&h->out->certificate, found, h->a, h->m, err);
        if (rc == TT_OK && !*found)
            find_long(h);
        if (rc != TT_OK || !*found)
            tt_certificate_fini(&h->out->certificate);
    }
    if (rc == TT_OK && !*found && !h->n_bad)
        return TT_EUNSUPPORTED;
    h->n_bad = 0; /* the next choice ends them */
    return rc;
}

/* As long as some choice of edges leaves more words and ends all unstable
 * cycles that are known, it is examined: in the end the best is known. Section
 * 5.9. `given`: removed from the start; `best`: in the best choice. */
static enum tt_code improve(struct hunt *h, const uint8_t *given, uint8_t *best,
                            tt_err *err)
{
    struct tt_admissible *out = h->out;
    enum tt_code rc = TT_OK;

    copy_removed(best, h->a);
    for (int i = 0; i < ROUNDS && rc == TT_OK && !h->full; i++) {
        struct tt_certificate kept = out->certificate;
        enum tt_hitting how;
        int found = 0;

        remove_these(h->a, given);
        how = tt_hitting_find(h->a, h->bad, h->n_all, out->growth);
        if (how != TT_HITTING_FOUND) {
            out->optimal = how == TT_HITTING_NONE;
            break;
        }
        out->certificate = (struct tt_certificate){0};
        rc = examine(h, &found, err);
        if (!found) {
            out->certificate = kept;
            continue;
        }
        tt_certificate_fini(&kept);
        copy_removed(best, h->a);
        out->growth = tt_automaton_growth(h->a, TT_NONE);
    }
    remove_these(h->a, best);
    return rc == TT_EUNSUPPORTED ? TT_OK : rc;
}

static enum tt_code decide(struct hunt *h, tt_err *err)
{
    uint8_t *given = tt_zalloc(2 * (size_t)h->a->n_edge, sizeof(*given));
    int found;
    enum tt_code rc;

    if (!given)
        return tt_nomem(err, "the analysis");
    copy_removed(given, h->a);
    find_short(h, SHORT);
    if (!h->full)
        remove_all(h);
    rc = h->full ? tt_fail(err, TT_EUNSUPPORTED,
                           "there are more than %u unstable cycles", CYCLES_MAX)
                 : certify(h, &found, err);
    if (rc == TT_OK)
        h->out->growth = tt_automaton_growth(h->a, TT_NONE);
    if (rc == TT_OK && h->a->n_edge <= SMALL && !h->out->eased)
        rc = improve(h, given, given + h->a->n_edge, err);
    tt_free(given);
    return rc;
}

enum tt_code tt_admissible_find(struct tt_admissible *out, tt_automaton *a,
                                const struct tt_matrices *m, tt_err *err)
{
    struct hunt h = {.a = a, .m = m, .out = out, .least = STABLE};
    enum tt_code rc;

    *out = (struct tt_admissible){0};
    if (m->n > 16)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "matrices of order %u are more than the 16 that are "
                       "certified",
                       m->n);
    rc = decide(&h, err);
    tt_free(h.bad);
    return rc;
}
