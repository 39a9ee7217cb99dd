/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "table/table.h"
#include "unit/desc.h"

/* How units are coupled and what is recorded: master, order, approximation,
 * substeps, quanta, reactivity, evaluates, record, consistentStart. */

static const char *const master_word[] = {
    [TT_MASTER_JACOBI] = "jacobi",
    [TT_MASTER_GAUSS_SEIDEL] = "gauss-seidel",
};
const struct tt_sc_choice tt_sc_masters = {"'master'", master_word, 2};

static const char *const approx_word[] = {
    [TT_APPROX_HOLD] = "hold",
    [TT_APPROX_LINEAR] = "linear",
    [TT_APPROX_QUADRATIC] = "quadratic",
    [TT_APPROX_CUBIC] = "cubic",
    [TT_APPROX_HERMITE] = "hermite",
    [TT_APPROX_CONTINUOUS] = "extrapolated-interpolation",
    [TT_APPROX_CONTINUOUS_LINEAR] = "linear-extrapolated-interpolation",
    [TT_APPROX_WAVEFORM] = "waveform",
    [TT_APPROX_MODEL] = "model",
};
const struct tt_sc_choice tt_sc_approximations = {"an approximation",
                                                  approx_word, TT_APPROX_N};

const char *tt_sc_approx_name(enum tt_sc_approx a)
{
    return approx_word[a];
}

int tt_sc_bends(const tt_scenario *s)
{
    for (uint32_t i = 0; i < s->n_policy; i++)
        if (s->policy[i].approximation)
            return 1;
    return 0;
}

enum tt_code tt_sc_read_master(struct tt_sc_build *b, const struct tt_doc *v)
{
    uint32_t i = 0;
    enum tt_code rc = tt_sc_choose_doc(b, v, &tt_sc_masters, &i);

    b->s->master = (enum tt_sc_master)i;
    return rc;
}

/* Order: every unit once; tables may be left out. */

static enum tt_code order_one(struct tt_sc_build *b, const char *name,
                              struct tt_where w, uint32_t *order, char *seen)
{
    uint32_t unit = 0;
    enum tt_code rc = tt_sc_get_unit(b, name, w, &unit);

    if (rc != TT_OK)
        return rc;
    if (seen[unit])
        return tt_sc_fail(b, w, TT_EINPUT, "the order names '%s' twice",
                          b->unit[unit].unit.name);
    seen[unit] = 1;
    order[b->s->n_order++] = unit;
    return TT_OK;
}

/* The gate of a script that it is, or NULL. */
static const struct tt_sc_gate *gate_of(const struct tt_sc_build *b,
                                        uint32_t unit)
{
    const struct tt_sc_script *s = b->s->script;

    for (uint32_t i = 0; s && i < s->n_gate; i++)
        if (s->gate[i].unit == unit)
            return &s->gate[i];
    return NULL;
}

static int is_of_script(const struct tt_sc_build *b, uint32_t unit)
{
    int is = b->s->script && b->s->script->unit == unit;

    for (uint32_t i = 0; i < b->s->n_locate; i++)
        is |= b->s->locate[i].unit == unit && b->s->locate[i].of_script;
    return is || gate_of(b, unit);
}

/* Tables follow time alone, and users do not name what a script makes. */
static int may_miss(const struct tt_sc_build *b, uint32_t unit)
{
    const char *path = b->s->fmu[b->unit[unit].unit.fmu].path;

    return (path && tt_table_is_signal(path)) || is_of_script(b, unit);
}

static void order_gates(struct tt_sc_build *b, uint32_t *order, uint32_t unit,
                        int at_output)
{
    const struct tt_sc_script *s = b->s->script;

    for (uint32_t i = 0; s && i < s->n_gate; i++)
        if (s->gate[i].ref.unit == unit && !s->gate[i].at_output == !at_output)
            order[b->s->n_order++] = s->gate[i].unit;
}

/* Those that the order leaves out come first, so that all others find their
 * values; gates where what they stand before or behind is. */
static enum tt_code order_rest(struct tt_sc_build *b, uint32_t *order,
                               const char *seen)
{
    uint32_t n = b->s->n_order;
    uint32_t *given = tt_arena_dup(b->nodes, order, n, sizeof(*given));

    if (!given)
        return tt_sc_no_memory(b);
    b->s->n_order = 0;
    for (uint32_t i = 0; i < b->n_unit; i++)
        if (!seen[i] && !gate_of(b, i))
            order[b->s->n_order++] = i;
    for (uint32_t i = 0; i < n; i++) {
        order_gates(b, order, given[i], 0);
        order[b->s->n_order++] = given[i];
        order_gates(b, order, given[i], 1);
    }
    return TT_OK;
}

static enum tt_code order_all(struct tt_sc_build *b, struct tt_where w,
                              const struct tt_sc_order_names *names, char *seen)
{
    uint32_t *order =
        tt_arena_alloc(b->s->arena, b->n_unit + 1, sizeof(*order));
    enum tt_code rc = TT_OK;

    if (!order)
        return tt_sc_no_memory(b);
    b->s->order = order;
    b->s->n_order = 0;
    b->s->order_where = w;
    for (uint32_t i = 0; rc == TT_OK && i < names->n; i++)
        rc = order_one(b, names->name[i], names->where ? names->where[i] : w,
                       order, seen);
    for (size_t i = 0; rc == TT_OK && i < b->n_unit; i++)
        if (!seen[i] && !may_miss(b, (uint32_t)i))
            rc = tt_sc_fail(b, w, TT_EINPUT,
                            "the order does not name '%s'; it must name "
                            "every instance once",
                            b->unit[i].unit.name);
    return rc == TT_OK ? order_rest(b, order, seen) : rc;
}

enum tt_code tt_sc_set_order(struct tt_sc_build *b, struct tt_where w,
                             const struct tt_sc_order_names *names)
{
    char *seen = tt_zalloc(b->n_unit + 1, 1);
    enum tt_code rc = seen ? order_all(b, w, names, seen) : tt_sc_no_memory(b);

    tt_free(seen);
    return rc;
}

enum tt_code tt_sc_read_order(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_texts(b, v);
    const char **name;
    struct tt_where *where;

    if (rc != TT_OK || v->n == 0)
        return rc;
    if (!TT_NEW_IN(b->nodes, name, v->n) || !TT_NEW_IN(b->nodes, where, v->n))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < v->n; i++) {
        name[i] = v->u.child[i].u.text;
        where[i] = v->u.child[i].where;
    }
    return tt_sc_set_order(b, v->where,
                           &(struct tt_sc_order_names){name, where, v->n});
}

/* Approximation: one word for all, or an object of words by input. */

static enum tt_code approx_one(struct tt_sc_build *b, const struct tt_doc *v,
                               struct tt_sc_input_approx *list)
{
    uint32_t i = 0;
    enum tt_code rc = tt_sc_choose_doc(b, v, &tt_sc_approximations, &i);

    if (rc != TT_OK)
        return rc;
    if (strcmp(v->key, "default") == 0) {
        b->s->approx = (enum tt_sc_approx)i;
        return TT_OK;
    }
    list += b->s->n_input_approx;
    list->approx = (enum tt_sc_approx)i;
    rc = tt_sc_get_ref(b, v->key, v->key_where, &list->ref);
    b->s->n_input_approx += rc == TT_OK;
    return rc;
}

enum tt_code tt_sc_read_approx(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_input_approx *list;
    enum tt_code rc = TT_OK;
    uint32_t i = 0;

    if (v->kind == TT_DOC_TEXT) {
        rc = tt_sc_choose_doc(b, v, &tt_sc_approximations, &i);
        b->s->approx = (enum tt_sc_approx)i;
        return rc;
    }
    if (v->kind != TT_DOC_OBJECT)
        return tt_sc_wrong(b, v, NULL, "a string or an object");
    if (!TT_NEW_IN(b->s->arena, list, v->n))
        return tt_sc_no_memory(b);
    b->s->input_approx = list;
    for (; rc == TT_OK && i < v->n; i++)
        rc = approx_one(b, &v->u.child[i], list);
    return rc;
}

/* Sub-steps: one number for all, or an object of numbers by instance. */

enum tt_code tt_sc_set_substeps(struct tt_sc_build *b, struct tt_where w,
                                const char *what, double n, uint32_t *out)
{
    char text[TT_NUM_MAX];

    if (n >= 0 && n <= TT_SC_SUBSTEPS_MAX && n == floor(n)) {
        *out = (uint32_t)n;
        return TT_OK;
    }
    tt_num_print_short(text, n);
    return tt_sc_fail(b, w, TT_EINPUT,
                      "%s must be a whole number from 0 to %d, not %s", what,
                      TT_SC_SUBSTEPS_MAX, text);
}

static enum tt_code substeps_of(struct tt_sc_build *b, const struct tt_doc *v,
                                const char *what, uint32_t *out)
{
    double n = 0;
    enum tt_code rc = tt_sc_number(b, v, NULL, &n);

    return rc == TT_OK ? tt_sc_set_substeps(b, v->where, what, n, out) : rc;
}

static enum tt_code substeps_one(struct tt_sc_build *b, const struct tt_doc *v)
{
    uint32_t unit = 0, n = 0;
    enum tt_code rc;

    if (strcmp(v->key, "default") == 0)
        return substeps_of(b, v, "'substeps'", &b->s->substeps);
    rc = tt_sc_get_unit(b, v->key, v->key_where, &unit);
    if (rc == TT_OK)
        rc = substeps_of(b, v, "'substeps' of an instance", &n);
    if (rc == TT_OK)
        b->unit[unit].unit.substeps = (int)n;
    return rc;
}

enum tt_code tt_sc_read_substeps(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_OBJECT)
        return substeps_of(b, v, "'substeps'", &b->s->substeps);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = substeps_one(b, &v->u.child[i]);
    return rc;
}

enum tt_code tt_sc_read_record(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = TT_OK;
    const char **pattern;
    uint32_t n = v->kind == TT_DOC_TEXT ? 1 : v->n;

    if (v->kind != TT_DOC_TEXT)
        rc = tt_sc_texts(b, v);
    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, pattern, n))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_doc *d = v->kind == TT_DOC_TEXT ? v : &v->u.child[i];

        if (!*d->u.text)
            return tt_sc_fail(b, d->where, TT_EINPUT,
                              "a pattern in 'record' is empty");
        pattern[i] = d->u.text;
    }
    b->s->record = pattern;
    b->s->n_record = n;
    return TT_OK;
}

/* Start values that may be changed so that couplings hold at the start. */
enum tt_code tt_sc_read_consistent(struct tt_sc_build *b,
                                   const struct tt_doc *v)
{
    struct tt_sc_ref *list = NULL;
    enum tt_code rc = tt_sc_get_refs(b, v, &list);

    b->s->consistent = list;
    b->s->n_consistent = list ? v->n : 0;
    return rc;
}

enum tt_code tt_sc_read_evaluates(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const word[] = {
        [TT_EVAL_NEVER] = "never",
        [TT_EVAL_EVENT] = "event",
        [TT_EVAL_ALWAYS] = "always",
    };
    static const struct tt_sc_choice when = {"'evaluates' of an instance", word,
                                             3};
    enum tt_code rc = tt_sc_object(b, v);

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *d = &v->u.child[i];
        uint32_t unit = 0, kind = 0;

        rc = tt_sc_get_unit(b, d->key, d->key_where, &unit);
        if (rc == TT_OK)
            rc = tt_sc_choose_doc(b, d, &when, &kind);
        if (rc == TT_OK)
            b->unit[unit].unit.evaluates = (int16_t)kind;
    }
    return rc;
}

#define MOST_RATE 1000000

static enum tt_code check_rate(struct tt_sc_build *b, struct tt_where w,
                               int64_t rate)
{
    if (rate >= 1 && rate <= MOST_RATE)
        return TT_OK;
    return tt_sc_fail(b, w, TT_EINPUT,
                      "a rate must be a number of steps from 1 to %d, "
                      "not %lld",
                      MOST_RATE, (long long)rate);
}

enum tt_code tt_sc_set_rate(struct tt_sc_build *b, struct tt_where w,
                            uint32_t unit, int64_t rate)
{
    enum tt_code rc = check_rate(b, w, rate);

    if (rc != TT_OK)
        return rc;
    b->unit[unit].unit.rate = (uint32_t)rate;
    b->unit[unit].unit.rate_where = w;
    return TT_OK;
}

enum tt_code tt_sc_get_rates(struct tt_sc_build *b, const struct tt_doc *v,
                             const struct tt_sc_rate **out)
{
    enum tt_code rc = tt_sc_object(b, v);
    struct tt_sc_rate *list =
        rc == TT_OK ? tt_arena_alloc(b->s->arena, v->n, sizeof(*list)) : NULL;

    if (rc == TT_OK && v->n && !list)
        rc = tt_sc_no_memory(b);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *d = &v->u.child[i];
        int64_t rate = 1;

        list[i].where = d->where;
        rc = tt_sc_get_unit(b, d->key, d->key_where, &list[i].unit);
        if (rc == TT_OK)
            rc = tt_sc_integer(b, d, &rate);
        if (rc == TT_OK)
            rc = check_rate(b, d->where, rate);
        list[i].rate = (uint32_t)rate;
    }
    *out = list;
    return rc;
}

enum tt_code tt_sc_read_rates(struct tt_sc_build *b, const struct tt_doc *v)
{
    const struct tt_sc_rate *list = NULL;
    enum tt_code rc = tt_sc_get_rates(b, v, &list);

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = tt_sc_set_rate(b, list[i].where, list[i].unit, list[i].rate);
    return rc;
}

/* Quanta: one for all, or an object of them by instance. */

static enum tt_code quantum_of(struct tt_sc_build *b, const struct tt_doc *v,
                               double *out)
{
    return tt_sc_number_from(b, v, 0, "a quantum must be a number", out);
}

static enum tt_code quantum_one(struct tt_sc_build *b, const struct tt_doc *v)
{
    uint32_t unit = 0;
    enum tt_code rc;

    if (strcmp(v->key, "default") == 0)
        return quantum_of(b, v, &b->s->quantum);
    if (strcmp(v->key, "longest") == 0)
        return tt_sc_steps(b, v, MOST_RATE, &b->s->quantum_most);
    rc = tt_sc_get_unit(b, v->key, v->key_where, &unit);
    if (rc != TT_OK)
        return rc;
    b->unit[unit].unit.quantum_where = v->where;
    return quantum_of(b, v, &b->unit[unit].unit.quantum);
}

enum tt_code tt_sc_read_quanta(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_OBJECT)
        return quantum_of(b, v, &b->s->quantum);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = quantum_one(b, &v->u.child[i]);
    return rc;
}

/* Reactivity. Maestro writes "Reactive" and "Delayed" below "sigver"; both
 * spellings go in both places. */

static enum tt_code reactivity_one(struct tt_sc_build *b,
                                   const struct tt_doc *v,
                                   struct tt_sc_input_reactivity *out)
{
    static const char *const word[] = {"either", "reactive", "delayed",
                                       "Reactive", "Delayed"};
    static const int value[] = {TT_REACT_EITHER, TT_REACT_REACTIVE,
                                TT_REACT_DELAYED, TT_REACT_REACTIVE,
                                TT_REACT_DELAYED};
    static const struct tt_sc_choice when = {"a reactivity", word, 3};
    static const struct tt_sc_choice maestro = {"a reactivity", word, 5};
    const char *text = v->kind == TT_DOC_TEXT ? v->u.text : "";
    uint32_t i = 0;
    enum tt_code rc;

    rc = tt_sc_choose_doc(b, v, *text == 'R' || *text == 'D' ? &maestro : &when,
                          &i);
    if (rc != TT_OK)
        return rc;
    out->reactivity = value[i];
    return tt_sc_get_ref(b, v->key, v->key_where, &out->ref);
}

/* Called for sigver's first, then for ours, which wins by coming later. */
enum tt_code tt_sc_read_reactivity(struct tt_sc_build *b,
                                   const struct tt_doc *v)
{
    struct tt_sc_input_reactivity *list;
    uint32_t n = b->s->n_input_reactivity;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, list, (size_t)n + v->n))
        return tt_sc_no_memory(b);
    if (n > 0)
        memcpy(list, b->s->input_reactivity, n * sizeof(*list));
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = reactivity_one(b, &v->u.child[i], &list[n + i]);
    b->s->input_reactivity = list;
    b->s->n_input_reactivity = n + v->n;
    return rc;
}

enum tt_code tt_sc_read_sigver(struct tt_sc_build *b, const struct tt_doc *v)
{
    const struct tt_doc *d;
    enum tt_code rc = tt_sc_check_members(b, v, "sigver");

    if (rc != TT_OK)
        return rc;
    d = tt_sc_member(v, "reactivity");
    return d ? tt_sc_read_reactivity(b, d) : TT_OK;
}
