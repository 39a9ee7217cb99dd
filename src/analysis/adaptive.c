/* SPDX-License-Identifier: MIT */
#include "analysis/adaptive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/algebra.h"
#include "analysis/radius.h"
#include "analysis/response.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/show.h"
#include "formats/formats.h"
#include "sys/clock.h"

#define TIMES      6u
#define PROPORTION 1e-6
#define RESIDUAL   1e-7

/* --- the matrix of a policy ------------------------------------------------
 */

/* States at all instants, and a step later: n by columns. */
struct snapshots {
    uint32_t n, columns;
    double *now, *next;
};

/* What a step leaves for the next one: states, and pasts of inputs. The newest
 * of these are what outputs are now. */
static int is_left(const struct tt_probe_number *x)
{
    return x->of == TT_PROBE_STATE || (x->of == TT_PROBE_PAST && x->age > 0);
}

static uint32_t count_left(const struct tt_response *r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n; i++)
        n += (uint32_t)is_left(&r->number[i]);
    return n;
}

static void add_column(struct snapshots *s, const struct tt_response *r,
                       const double *row)
{
    double *now = s->now + (size_t)s->columns * s->n;
    double *next = s->next + (size_t)s->columns * s->n, size = 0;
    uint32_t k = 0;

    for (uint32_t i = 0; i < r->n; i++)
        size = is_left(&r->number[i]) ? hypot(size, row[i]) : size;
    if (size < 1e-6)
        return;
    for (uint32_t i = 0; i < r->n; i++) {
        if (!is_left(&r->number[i]))
            continue;
        now[k] = row[i] / size;
        next[k++] = row[i + r->n] / size;
    }
    s->columns++;
}

/* a = next v s^-1 u', with next v s^-1 in scratch. */
static void assemble(const struct snapshots *s, const double *u,
                     const double *sv, const double *vt, double *scratch,
                     double *a)
{
    uint32_t n = s->n;

    memset(a, 0, (size_t)n * n * sizeof(*a));
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0;

            for (uint32_t j = 0; j < s->columns; j++)
                sum += s->next[i + (size_t)j * n] * vt[k + (size_t)j * n];
            scratch[i + (size_t)k * n] = sum / sv[k];
        }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < n; i++)
                a[i + (size_t)j * n] +=
                    scratch[i + (size_t)k * n] * u[j + (size_t)k * n];
}

/* next = a now, by singular values; *off: what is left of it. */
static enum tt_code solve(const struct snapshots *s, double *a, double *off,
                          tt_err *err)
{
    uint32_t n = s->n, m = s->columns;
    double *copy = tt_zalloc((size_t)n * m, sizeof(*copy));
    double *w = tt_zalloc((size_t)n * (n + 1) + (size_t)n * m, sizeof(*w));
    double *u = w, *sv = w + (size_t)n * n, *vt = sv + n;
    enum tt_code rc = copy && w ? TT_OK : tt_nomem(err, "the analysis");

    if (rc == TT_OK) {
        memcpy(copy, s->now, (size_t)n * m * sizeof(*copy));
        rc = tt_svd(n, m, copy, sv, u, vt, err);
    }
    if (rc == TT_OK && !(sv[n - 1] > 1e-10 * sv[0]))
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "not all states are moved by what can be moved");
    if (rc == TT_OK) {
        assemble(s, u, sv, vt, copy, a);
        tt_multiply(n, n, m, a, s->now, copy);
        *off = 0;
        for (size_t i = 0; i < (size_t)n * m; i++)
            *off = fmax(*off, fabs(copy[i] - s->next[i]));
    }
    TT_FREE_ALL(copy, w);
    return rc;
}

/* From answers to changes, in nominals of the states. */
static enum tt_code find_matrix(const struct tt_response *r, uint32_t n,
                                double *a, tt_err *err)
{
    size_t room = (size_t)n * r->n_cause * r->n_time;
    struct snapshots s = {.n = n,
                          .now = tt_zalloc(room, sizeof(*s.now)),
                          .next = tt_zalloc(room, sizeof(*s.next))};
    double off = 0;
    enum tt_code rc = s.now && s.next ? TT_OK : tt_nomem(err, "the analysis");

    for (uint32_t c = 0; rc == TT_OK && c < r->n_cause; c++)
        for (uint32_t k = 0; k + 1 < r->n_time; k++)
            add_column(&s, r, tt_response_at(r, c, k));
    if (rc == TT_OK && s.columns < n)
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "not all states are moved by what can be moved");
    if (rc == TT_OK)
        rc = solve(&s, a, &off, err);
    if (rc == TT_OK && off > RESIDUAL)
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "states and pasts of inputs do not determine the next "
                     "step: hidden states do as well");
    TT_FREE_ALL(s.now, s.next);
    return rc;
}

/* The scenario under a policy; its settings come last, and win. */
static struct tt_case case_of(const struct tt_case *c,
                              const struct tt_sc_policy *p, const char **set,
                              const char *rates)
{
    struct tt_case one = *c;

    one.alone = 1;
    one.o.set = set;
    one.o.n_set = c->o.n_set + p->n_set;
    for (uint32_t i = 0; i < one.o.n_set; i++)
        set[i] = i < c->o.n_set ? c->o.set[i] : p->set[i - c->o.n_set];
    if (isfinite(p->step))
        one.o.step = p->step;
    if (p->master)
        one.o.master = p->master;
    if (p->order_text)
        one.o.order = p->order_text;
    if (p->approximation)
        one.o.approximation = p->approximation;
    if (rates)
        one.o.rates = rates;
    return one;
}

/* Those of the policy come last, and win. NULL: it gives none. */
static enum tt_code join_rates(const struct tt_case *c,
                               const struct tt_sc_policy *p, char **out,
                               tt_err *err)
{
    struct tt_buf b;

    *out = NULL;
    if (!p->rates)
        return TT_OK;
    tt_buf_init(&b, TT_SHOW_MAX);
    tt_buf_fmt(&b, "%s%s%s", c->o.rates ? c->o.rates : "",
               c->o.rates ? "," : "", p->rates);
    *out = tt_buf_take(&b);
    tt_buf_fini(&b);
    return *out ? TT_OK : tt_nomem(err, "the analysis");
}

/* All policies have the same states. */
static enum tt_code check_response(struct tt_adaptive *out,
                                   const struct tt_response *r, tt_err *err)
{
    uint32_t n = count_left(r);

    if (r->error > PROPORTION)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "instances do not answer in proportion to changes");
    if (n == 0)
        return tt_fail(err, TT_EUNSUPPORTED, "no states are declared");
    if (out->m.n && out->m.n != n)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it leaves other states and pasts than the first one");
    if (out->n_policy && r->number[r->n - 1].of == TT_PROBE_PAST &&
        fabs(r->step - out->policy[0].step) > 1e-9 * r->step)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "courses of inputs go through instants of the steps "
                       "before, and so what a step does depends on how long "
                       "those were: such policies must have one step");
    out->m.n = n;
    if (!out->a)
        out->a = tt_zalloc((size_t)n * n * TT_POLICIES_MOST, sizeof(*out->a));
    return out->a ? TT_OK : tt_nomem(err, "the analysis");
}

static enum tt_code add_policy(struct tt_adaptive *out,
                               const struct tt_response *r, const char *name,
                               tt_err *err)
{
    struct tt_adaptive_policy *to = &out->policy[out->n_policy];
    uint32_t n = out->m.n;
    double *a = out->a + (size_t)out->n_policy * n * n;
    enum tt_code rc = find_matrix(r, n, a, err);

    if (rc != TT_OK)
        return rc;
    (void)snprintf(to->name, sizeof(to->name), "%s", name);
    to->step = r->step;
    to->rho = tt_spectral_radius(n, a);
    out->plan = tt_hash(out->plan, &r->plan, sizeof(r->plan));
    out->plan = tt_hash(out->plan, &r->score, sizeof(r->score));
    out->n_policy++;
    return TT_OK;
}

static enum tt_code take(struct tt_adaptive *out, const struct tt_case *one,
                         const char *name, tt_err *err)
{
    struct tt_response r = {0};
    enum tt_code rc = tt_response_take(&r, one, TIMES, 1, 1, err);

    if (rc == TT_OK)
        rc = check_response(out, &r, err);
    if (rc == TT_OK)
        rc = add_policy(out, &r, name, err);
    tt_response_fini(&r);
    return rc == TT_OK ? TT_OK : tt_context(err, rc, "policy '%s'", name);
}

static enum tt_code take_policy(struct tt_adaptive *out,
                                const struct tt_case *c, const tt_scenario *s,
                                uint32_t i, tt_err *err)
{
    const struct tt_sc_policy *p = &s->policy[i];
    struct tt_case one;
    const char **set;
    char *rates = NULL;
    enum tt_code rc = join_rates(c, p, &rates, err);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_ARRAY(set, c->o.n_set + p->n_set)) {
        tt_free(rates);
        return tt_nomem(err, "the analysis");
    }
    one = case_of(c, p, set, rates);
    if (tt_sc_bends(s)) {
        one.policy = &i;
        one.o.approximation = c->o.approximation;
    }
    rc = take(out, &one, p->name, err);
    TT_FREE_ALL(set, rates);
    return rc;
}

/* Each order of a sequence is a policy. */
static enum tt_code take_orders(struct tt_adaptive *out,
                                const struct tt_case *c, const tt_scenario *s,
                                tt_err *err)
{
    struct tt_case one = *c;
    tt_run *run = NULL;
    enum tt_code rc = tt_case_run(&run, c, s, NULL, NULL, err);

    if (rc == TT_OK && tt_run_orders(run) < 2)
        rc = tt_fail(err, TT_EINPUT,
                     "the sequence has one order: no values go round");
    for (uint32_t i = 0; rc == TT_OK && i < tt_run_orders(run); i++) {
        struct tt_buf name;

        tt_buf_init(&name, 4096);
        tt_run_sequence_order(run, i, &name);
        one.policy = &i;
        rc = name.failed ? tt_nomem(err, "the analysis")
                         : take(out, &one, name.data, err);
        tt_buf_fini(&name);
    }
    tt_run_free(run);
    return rc;
}

static enum tt_code take_stamp(struct tt_adaptive *out, const struct tt_case *c,
                               const tt_scenario *s, tt_err *err)
{
    tt_run *run = NULL;
    enum tt_code rc = tt_case_run(&run, c, s, NULL, NULL, err);

    if (rc == TT_OK)
        out->stamp = tt_run_policies_hash(run);
    tt_run_free(run);
    return rc;
}

static enum tt_code take_policies(struct tt_adaptive *out,
                                  const struct tt_case *c, tt_err *err)
{
    const uint32_t first = 0;
    tt_scenario *s = NULL;
    enum tt_code rc =
        tt_format_open(&s, c->path, c->n_path, c->variant, &c->o, NULL, err);

    int orders = rc == TT_OK && !s->n_policy && tt_sc_sequences(&s->sequence);

    if (rc == TT_OK && !orders &&
        (s->n_policy == 0 || s->n_policy > TT_POLICIES_MOST))
        rc = tt_fail(err, TT_EINPUT,
                     "--adaptive needs 1 to %u \"policies\" in the scenario, "
                     "which has %u, or a \"sequence\"",
                     TT_POLICIES_MOST, s->n_policy);
    if (rc == TT_OK) {
        s->allowed = NULL;
        tt_scenario_at_leisure(s);
    }
    if (rc == TT_OK)
        (void)snprintf(out->name, sizeof(out->name), "%s", s->name);
    out->plan = TT_HASH_START;
    if (orders && rc == TT_OK)
        rc = take_orders(out, c, s, err);
    for (uint32_t i = 0; rc == TT_OK && i < s->n_policy; i++)
        rc = take_policy(out, c, s, i, err);
    if (rc == TT_OK) {
        s->switching = (struct tt_sc_switching){
            .pattern = &first, .n_pattern = tt_sc_bends(s) ? 1 : 0};
        rc = take_stamp(out, c, s, err);
    }
    out->m = (struct tt_matrices){out->m.n, out->n_policy, out->a};
    tt_scenario_free(s);
    return rc;
}

/* Of all policies, whichever comes next. */
static enum tt_code find_bounds(struct tt_adaptive *a, tt_err *err)
{
    tt_automaton all = {0};
    enum tt_code rc = tt_automaton_free_lift(&all, a->n_policy, 0, err);

    if (rc == TT_OK)
        rc = tt_bounds_find(&a->bounds, &all, &a->m, err);
    tt_automaton_fini(&all);
    return rc;
}

/* What hinders is a reason: nothing is allowed, for nothing is proved. */
static void know_nothing(struct tt_adaptive *a, const char *reason)
{
    tt_certificate_fini(&a->is.certificate);
    a->is = (struct tt_admissible){0};
    for (uint32_t e = 0; e < a->automaton.n_edge; e++)
        a->automaton.edge[e].removed = 1;
    (void)snprintf(a->reason, sizeof(a->reason), "%s", reason);
}

static enum tt_stability verdict_of(const struct tt_adaptive *a)
{
    return a->reason[0]                   ? TT_STABILITY_UNKNOWN
           : a->is.certificate.p          ? TT_STABILITY_STABLE
           : a->is.worst_rate <= 1 + 1e-9 ? TT_STABILITY_MARGINAL
                                          : TT_STABILITY_UNSTABLE;
}

enum tt_code tt_adaptive_find(struct tt_adaptive *out, const struct tt_case *c,
                              uint32_t lift, int bounded, tt_err *err)
{
    struct tt_adaptive a = {.bounded = bounded};
    uint64_t since = tt_clock_ns();
    enum tt_code rc = take_policies(&a, c, err);

    if (rc == TT_OK)
        rc = tt_automaton_free_lift(&a.automaton, a.n_policy, lift, err);
    if (rc == TT_OK)
        rc = tt_admissible_find(&a.is, &a.automaton, &a.m, err);
    if (rc == TT_OK && bounded)
        rc = find_bounds(&a, err);
    a.seconds = (double)(tt_clock_ns() - since) * 1e-9;
    if ((rc == TT_EUNSUPPORTED || rc == TT_EUNIT) && err) {
        know_nothing(&a, err->msg);
        rc = TT_OK;
    }
    return TT_HAND_OVER_VALUE(rc, out, a, tt_adaptive_fini);
}

void tt_adaptive_fini(struct tt_adaptive *a)
{
    tt_certificate_fini(&a->is.certificate);
    tt_bounds_fini(&a->bounds);
    tt_automaton_fini(&a->automaton);
    tt_free(a->a);
    *a = (struct tt_adaptive){0};
}

/* --- showing it ------------------------------------------------------------
 */

static void put_word(struct tt_buf *b, const uint32_t *word, uint32_t n,
                     const char *between)
{
    for (uint32_t i = 0; i < n; i++)
        tt_buf_fmt(b, "%s%u", i ? between : "", word[i] + 1);
}

static enum tt_stability judge(const struct tt_bounds *b)
{
    if (b->lower > 1 + 1e-9)
        return TT_STABILITY_UNSTABLE;
    if (b->upper < 1)
        return TT_STABILITY_STABLE;
    return b->upper < 1 + 1e-6 ? TT_STABILITY_MARGINAL : TT_STABILITY_UNKNOWN;
}

static void put_bounds(struct tt_buf *b, const struct tt_bounds *x)
{
    tt_show_digits(b, "any word:  grows by ", x->lower, 10);
    if (isfinite(x->upper)) {
        tt_show_digits(b, " to ", x->upper, 10);
    } else {
        tt_buf_str(b, " or more");
    }
    tt_buf_str(b, " per step at most; the least by ");
    put_word(b, x->word, x->n_word, " ");
    tt_buf_str(b, " again and again, the most by ");
    if (isfinite(x->upper))
        tt_buf_fmt(b, "a form of degree %u", x->degree);
    else
        tt_buf_str(b, "no form that was found");
    if (x->words)
        tt_buf_fmt(b, " and %llu words", (unsigned long long)x->words);
    tt_buf_fmt(b, ": %s\n", tt_stability_name(judge(x)));
}

void tt_adaptive_text(struct tt_buf *b, const struct tt_adaptive *a)
{
    tt_show_clean(b, a->name);
    tt_buf_fmt(b, ": %u policies, lift %u\n", a->n_policy, a->automaton.lift);
    for (uint32_t i = 0; i < a->n_policy; i++) {
        tt_buf_fmt(b, "  %2u  rho ", i + 1);
        tt_show_digits(b, "", a->policy[i].rho, 8);
        tt_show_digits(b, "  step ", a->policy[i].step, 4);
        tt_buf_str(b, " s  ");
        tt_show_clean(b, a->policy[i].name);
        tt_buf_char(b, '\n');
    }
    if (a->is.n_worst) {
        tt_buf_str(b, "unstable:  ");
        put_word(b, a->is.worst, a->is.n_worst, " ");
        tt_show_digits(b, " again and again, by ", a->is.worst_rate, 6);
        tt_buf_str(b, " per step\n");
    }
    if (a->reason[0]) {
        tt_buf_str(b, "verdict:   unknown: ");
        tt_show_clean(b, a->reason);
        tt_buf_char(b, '\n');
        return;
    }
    if (a->bounded)
        put_bounds(b, &a->bounds);
    tt_buf_fmt(b, "allowed:   %u of %u edges, entropy ",
               tt_automaton_left(&a->automaton), a->automaton.n_edge);
    tt_show_digits(b, "", a->is.growth > 0 ? log2(a->is.growth) : 0, 8);
    tt_show_digits(b, " (log2 ", a->is.growth, 8);
    tt_buf_str(b, a->is.optimal ? "), the most that edges can leave\n"
                  : a->is.eased ? "); with nearly unstable cycles nothing was "
                                  "proved\n"
                                : ")\n");
    tt_show_digits(b, "took:      ", a->seconds, 2);
    tt_buf_str(b, " s\n");
    if (!a->is.certificate.p) {
        tt_buf_str(b, "verdict:   nothing is left that is stable\n");
        return;
    }
    tt_buf_fmt(b,
               "verdict:   stable under every word that is allowed: %u "
               "quadratic functions, verified, shrink by ",
               a->is.certificate.n_node);
    tt_show_digits(b, "", a->is.certificate.rate, 6);
    tt_buf_str(b, " per step or more\n");
}

static void put_numbers(struct tt_buf *b, const double *v, size_t n)
{
    tt_buf_char(b, '[');
    for (size_t i = 0; i < n; i++) {
        tt_buf_str(b, i ? ", " : "");
        tt_show_json_num(b, v[i]);
    }
    tt_buf_char(b, ']');
}

static void put_policies(struct tt_buf *b, const struct tt_adaptive *a)
{
    size_t n2 = (size_t)a->m.n * a->m.n;

    tt_buf_str(b, ",\n  \"policies\": [");
    for (uint32_t i = 0; i < a->n_policy; i++) {
        tt_buf_fmt(b, "%s\n    {\"name\": ", i ? "," : "");
        tt_buf_json(b, a->policy[i].name);
        tt_json_num(b, ", \"step\": ", a->policy[i].step);
        tt_json_num(b, ", \"rho\": ", a->policy[i].rho);
        tt_buf_str(b, ", \"matrix\": ");
        put_numbers(b, a->a + i * n2, n2);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "\n  ]");
}

static void put_bounds_json(struct tt_buf *b, const struct tt_bounds *x)
{
    tt_json_num(b, ",\n  \"bounds\": {\"lower\": ", x->lower);
    tt_buf_str(b, ", \"word\": [");
    put_word(b, x->word, x->n_word, ", ");
    tt_json_num(b, "], \"upper\": ", x->upper);
    tt_buf_fmt(b,
               ", \"degree\": %u, \"words\": %llu, \"verdict\": \"%s\", "
               "\"p\": ",
               x->degree, (unsigned long long)x->words,
               tt_stability_name(judge(x)));
    if (x->certificate.p)
        put_numbers(b, x->certificate.p,
                    (size_t)x->certificate.n * x->certificate.n);
    else
        tt_buf_str(b, "null");
    tt_buf_char(b, '}');
}

static void put_edges(struct tt_buf *b, const tt_automaton *a)
{
    int first = 1;

    tt_buf_str(b, ",\n  \"allowed\": [");
    for (uint32_t e = 0; e < a->n_edge; e++) {
        if (a->edge[e].removed)
            continue;
        tt_buf_fmt(b, "%s[%u, %u, %u]", first ? "" : ", ", a->edge[e].from,
                   a->edge[e].symbol + 1, a->edge[e].to);
        first = 0;
    }
    tt_buf_char(b, ']');
}

void tt_adaptive_json(struct tt_buf *b, const struct tt_adaptive *a)
{
    const struct tt_certificate *c = &a->is.certificate;

    tt_json_text(b, "{\n  \"scenario\": ", a->name);
    tt_buf_fmt(b, ",\n  \"verdict\": \"%s\",\n  \"reason\": ",
               tt_stability_name(verdict_of(a)));
    tt_buf_json(b, a->reason[0] ? a->reason : NULL);
    tt_buf_fmt(b,
               ",\n  \"hash\": \"%016llx\",\n  \"stamp\": \"%016llx\",\n  "
               "\"order\": %u,\n  \"lift\": %u",
               (unsigned long long)a->plan, (unsigned long long)a->stamp,
               a->m.n, a->automaton.lift);
    put_policies(b, a);
    tt_buf_fmt(b, ",\n  \"nodes\": %u,\n  \"edges\": %u,\n  \"growth\": ",
               a->automaton.n_node, a->automaton.n_edge);
    tt_show_json_num(b, a->is.growth);
    tt_json_num(b, ",\n  \"entropy\": ",
                a->is.growth > 0 ? log2(a->is.growth) : (double)NAN);
    tt_buf_fmt(b, ",\n  \"optimal\": %s,\n  \"eased\": %s",
               a->is.optimal ? "true" : "null", a->is.eased ? "true" : "false");
    tt_buf_str(b, ",\n  \"worst\": {\"word\": [");
    put_word(b, a->is.worst, a->is.n_worst, ", ");
    tt_json_num(
        b, "], \"rate\": ", a->is.n_worst ? a->is.worst_rate : (double)NAN);
    tt_buf_char(b, '}');
    if (a->bounded && !a->reason[0])
        put_bounds_json(b, &a->bounds);
    put_edges(b, &a->automaton);
    tt_buf_str(b, ",\n  \"certificate\": ");
    if (c->p) {
        tt_json_num(b, "{\"rate\": ", c->rate);
        tt_buf_str(b, ", \"p\": ");
        put_numbers(b, c->p, (size_t)c->n_node * c->n * c->n);
        tt_buf_char(b, '}');
    } else {
        tt_buf_str(b, "null");
    }
    tt_buf_str(b, "\n}\n");
}
