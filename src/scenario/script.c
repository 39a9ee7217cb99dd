/* SPDX-License-Identifier: MIT */
/* "script": at a time, or when a condition holds, something is done to the
 * scenario. Each entry becomes a cue with its actions; the end of an override
 * is a cue of its own. */
#include "scenario/script_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

#define MOST_CUES 100000u

/* --- values --------------------------------------------------------------- */

enum tt_code script_value(struct script_draft *d, const struct tt_doc *v,
                          uint32_t gate, const char **text)
{
    char number[TT_NUM_MAX];
    tt_expr e;
    enum tt_code rc;

    if (v->kind == TT_DOC_TEXT) {
        *text = v->u.text;
        rc = tt_sc_expression(d->b, v, &e);
        return rc == TT_OK ? script_variables(d, gate, v, &e) : rc;
    }
    if (v->kind == TT_DOC_BOOL)
        tt_num_print_i64(number, v->u.integer);
    else if (v->kind == TT_DOC_INTEGER || v->kind == TT_DOC_NUMBER)
        tt_num_print_short(number, tt_doc_number(v, 0));
    else
        return tt_sc_wrong(d->b, v, NULL,
                           "a number, a boolean or an expression");
    *text = tt_sc_keep(d->b, number);
    return *text ? TT_OK : tt_sc_no_memory(d->b);
}

const char *script_label(struct script_draft *d, const char *front,
                         const char *name, const char *between,
                         const char *text)
{
    const char *first = tt_sc_join(d->b, front, name, between);

    return first ? tt_sc_join(d->b, first, text, "") : NULL;
}

/* --- actions -------------------------------------------------------------- */

struct doing {
    const struct tt_doc *all; /* the action with all its members */
    const struct tt_doc *v;   /* what its verb is given */
};

static enum tt_code do_set(struct script_draft *d, const struct tt_doc *v)
{
    struct tt_sc_action a = {.act = TT_SC_ACT_SET, .where = v->key_where};
    enum tt_code rc = script_gate(d, tt_sc_key_word(v), &a.gate);

    if (rc == TT_OK && d->gate[a.gate].connected)
        rc = tt_sc_fail(d->b, v->key_where, TT_EINPUT,
                        "'%s' is connected: 'override' it, and it is not set",
                        v->key);
    if (rc == TT_OK)
        rc = script_value(d, v, TT_NONE, &a.value);
    if (rc != TT_OK)
        return rc;
    a.label = script_label(d, "set ", v->key, " to ", a.value);
    return script_add(d, &a);
}

static enum tt_code add_fault(struct script_draft *d, uint32_t gate,
                              const struct tt_doc *v, int bias)
{
    struct tt_sc_action a = {
        .act = TT_SC_ACT_FAULT, .gate = gate, .where = v->key_where};
    struct tt_sc_fault f = {.gate = gate, .bias = bias, .end = TT_NONE};
    enum tt_code rc = script_value(d, v, gate, &f.value);

    if (rc != TT_OK)
        return rc;
    if (TT_GROW(d->fault, d->s.n_fault, d->cap_fault) != 0)
        return tt_sc_no_memory(d->b);
    d->fault[d->s.n_fault++] = f;
    a.which = d->s.n_fault;
    a.label = script_label(d, bias ? "bias " : "override ", d->gate[gate].name,
                           bias ? " by " : " with ", f.value);
    return script_add(d, &a);
}

enum tt_code script_fault(struct script_draft *d, uint32_t gate,
                          const struct tt_doc *v)
{
    return add_fault(d, gate, v, 0);
}

static enum tt_code do_fault(struct script_draft *d, const struct tt_doc *v,
                             int bias)
{
    uint32_t gate;
    enum tt_code rc = script_gate(d, tt_sc_key_word(v), &gate);

    return rc == TT_OK ? add_fault(d, gate, v, bias) : rc;
}

static enum tt_code do_override(struct script_draft *d, const struct tt_doc *v)
{
    return do_fault(d, v, 0);
}

static enum tt_code do_bias(struct script_draft *d, const struct tt_doc *v)
{
    return do_fault(d, v, 1);
}

static enum tt_code do_release(struct script_draft *d, const struct tt_doc *v)
{
    struct tt_sc_word name = {v->u.text, v->where};
    struct tt_sc_action a = {.act = TT_SC_ACT_RELEASE, .where = v->where};
    enum tt_code rc = script_gate(d, name, &a.gate);

    a.label = script_label(d, "release ", name.text, "", "");
    return rc == TT_OK ? script_add(d, &a) : rc;
}

/* It holds what it has. */
static enum tt_code do_disconnect(struct script_draft *d,
                                  const struct tt_doc *v)
{
    struct tt_sc_word name = {v->u.text, v->where};
    struct tt_sc_action a = {.act = TT_SC_ACT_HOLD, .where = v->where};
    enum tt_code rc = script_gate(d, name, &a.gate);

    if (rc == TT_OK && d->s.polled)
        rc = tt_sc_fail(d->b, v->where, TT_EUNSUPPORTED,
                        "'disconnect' needs events, and there are none where "
                        "steps are Maestro's ('dialect')");
    if (rc == TT_OK && d->gate[a.gate].at_output)
        rc = tt_sc_fail(d->b, v->where, TT_EINPUT,
                        "'disconnect' names inputs, and connections begin at "
                        "'%s'",
                        name.text);
    if (rc == TT_OK)
        rc = script_watch(d, a.gate, v, &a.value);
    a.label = script_label(d, "disconnect ", name.text, "", "");
    return rc == TT_OK ? script_add(d, &a) : rc;
}

enum tt_code script_do_connect(struct script_draft *d, const struct tt_doc *v)
{
    struct tt_sc_word *to;
    uint32_t n = 0;
    enum tt_code rc = tt_sc_words(d->b, v, 1, &to, &n);

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        struct tt_sc_action a = {.act = TT_SC_ACT_CONNECT,
                                 .where = to[i].where};

        rc = script_gate(d, to[i], &a.gate);
        if (rc == TT_OK)
            rc = script_source(d, a.gate, tt_sc_key_word(v), &a.which);
        a.label = script_label(d, "connect ", v->key, " to ", to[i].text);
        if (rc == TT_OK)
            rc = script_add(d, &a);
    }
    return rc;
}

static enum tt_code do_stop(struct script_draft *d, const struct doing *is)
{
    static const char *const word[] = {"pass", "fail", "end"};
    static const struct tt_sc_choice verdicts = {"'stop'", word, 3};
    const struct tt_doc *because = tt_doc_find(is->all, "because");
    struct tt_sc_action a = {.act = TT_SC_ACT_STOP, .where = is->v->where};
    enum tt_code rc = tt_sc_choose_doc(d->b, is->v, &verdicts, &a.which);

    if (rc == TT_OK && because)
        rc = tt_sc_text(d->b, because, NULL, &a.value);
    if (rc != TT_OK)
        return rc;
    a.label = script_label(d, "stop: ", word[a.which], a.value ? ", " : "",
                           a.value ? a.value : "");
    return script_add(d, &a);
}

/* Members of an object, or texts of an array (or one alone). */
typedef enum tt_code each_fn(struct script_draft *d, const struct tt_doc *v);

static enum tt_code for_each(struct script_draft *d, const struct tt_doc *v,
                             int names, each_fn *one)
{
    struct tt_sc_word *word;
    uint32_t n = v->n;
    enum tt_code rc =
        names ? tt_sc_words(d->b, v, 1, &word, &n) : tt_sc_object(d->b, v);

    if (rc == TT_OK && !n)
        rc =
            tt_sc_fail(d->b, v->where, TT_EINPUT, "'%s' names nothing", v->key);
    if (names && v->kind == TT_DOC_TEXT && rc == TT_OK)
        return one(d, v);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = one(d, &v->u.child[i]);
    return rc;
}

static const struct verb {
    const char *name;
    each_fn *each; /* NULL: it is given something else */
    int names;     /* ... and that is names alone */
    int ends;      /* it may state when it ends */
} verbs[] = {
    {"set", do_set, 0, 0},
    {"override", do_override, 0, 1},
    {"bias", do_bias, 0, 1},
    {"release", do_release, 1, 0},
    {"connect", script_do_connect, 0, 0},
    {"disconnect", do_disconnect, 1, 0},
    {"switch", NULL, 0, 0},
    {"stop", NULL, 0, 0},
};
#define N_VERBS (sizeof(verbs) / sizeof(*verbs))

static enum tt_code find_verb(struct script_draft *d, const struct tt_doc *v,
                              const struct verb **verb)
{
    *verb = NULL;
    for (size_t i = 0; i < N_VERBS; i++) {
        if (!tt_doc_find(v, verbs[i].name))
            continue;
        if (*verb)
            return tt_sc_fail(d->b, v->where, TT_EINPUT,
                              "an action does one thing, not '%s' and '%s'",
                              (*verb)->name, verbs[i].name);
        *verb = &verbs[i];
    }
    if (*verb)
        return TT_OK;
    return tt_sc_fail(d->b, v->where, TT_EINPUT,
                      "an action is one of 'set', 'override', 'bias', "
                      "'release', 'connect', 'disconnect', 'switch', 'stop'");
}

/* What belongs to other verbs. */
static enum tt_code check_company(struct script_draft *d,
                                  const struct tt_doc *v,
                                  const struct verb *verb)
{
    static const struct {
        const char *name, *verb;
    } of[] = {{"until", NULL},
              {"for", NULL},
              {"because", "stop"},
              {"carry", "switch"},
              {"rename", "switch"}};

    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        const struct tt_doc *m = tt_doc_find(v, of[i].name);

        if (m &&
            (of[i].verb ? strcmp(of[i].verb, verb->name) != 0 : !verb->ends))
            return tt_sc_fail(d->b, m->key_where, TT_EINPUT,
                              "'%s' does not go with '%s'", of[i].name,
                              verb->name);
    }
    return TT_OK;
}

static enum tt_code do_one(struct script_draft *d, const struct tt_doc *v)
{
    const struct verb *verb = NULL;
    struct doing is = {.all = v};
    enum tt_code rc = tt_sc_check_members(d->b, v, "do");

    if (rc == TT_OK)
        rc = find_verb(d, v, &verb);
    if (rc == TT_OK)
        rc = check_company(d, v, verb);
    if (rc != TT_OK)
        return rc;
    is.v = tt_doc_find(v, verb->name);
    if (verb->each)
        return for_each(d, is.v, verb->names, verb->each);
    if (strcmp(verb->name, "stop") == 0)
        return do_stop(d, &is);
    return script_switch(d, is.v, v);
}

/* --- cues ----------------------------------------------------------------- */

enum tt_code script_condition(struct script_draft *d, const struct tt_doc *v,
                              int ends, const char **text)
{
    tt_expr e;
    enum tt_code rc = tt_sc_text(d->b, v, NULL, text);

    if (rc == TT_OK)
        rc = tt_sc_expression(d->b, v, &e);
    if (rc == TT_OK && e.kind != TT_EXPR_BOOL)
        return tt_sc_fail(d->b, v->where, TT_EINPUT,
                          "'%s' is a condition, as 'x > 1' is, not %s", v->key,
                          tt_expr_kind_name(e.kind));
    if (rc == TT_OK && !e.n_ref)
        return tt_sc_fail(d->b, v->where, TT_EINPUT, "'%s' names no variable",
                          v->key);
    if (rc == TT_OK)
        rc = script_variables(d, TT_NONE, v, &e);
    return rc == TT_OK ? script_locate(d, v, ends) : rc;
}

enum tt_code script_cue(struct script_draft *d, const struct tt_sc_cue *c)
{
    if (d->s.n_cue == MOST_CUES)
        return tt_sc_fail(d->b, c->where, TT_EINPUT,
                          "'script' has more than %u entries", MOST_CUES);
    if (TT_GROW(d->cue, d->s.n_cue, d->cap_cue) != 0)
        return tt_sc_no_memory(d->b);
    d->cue[d->s.n_cue++] = *c;
    return TT_OK;
}

static enum tt_code read_for(struct script_draft *d, const struct tt_doc *v,
                             double *lasts)
{
    char text[TT_NUM_MAX];
    enum tt_code rc = tt_sc_number(d->b, v, NULL, lasts);

    if (rc != TT_OK || *lasts > 0)
        return rc;
    tt_num_print_short(text, *lasts);
    return tt_sc_fail(d->b, v->where, TT_EINPUT,
                      "'for' must be greater than 0, not %s", text);
}

/* Faults `first` and those behind it end together. */
static enum tt_code end_faults(struct script_draft *d, const struct tt_doc *v,
                               const char *name, uint32_t first)
{
    const struct tt_doc *until = tt_doc_find(v, "until");
    const struct tt_doc *lasts = tt_doc_find(v, "for");
    struct tt_sc_cue c = {.name = name,
                          .at = (double)NAN,
                          .lasts = (double)NAN,
                          .first = d->s.n_action,
                          .ends = 1,
                          .where = v->where};
    enum tt_code rc = TT_OK;

    if (!until && !lasts)
        return TT_OK;
    if (until && lasts)
        return tt_sc_fail(d->b, lasts->key_where, TT_EINPUT,
                          "'for' does not go with 'until'");
    if (lasts)
        rc = read_for(d, lasts, &c.lasts);
    else if (until->kind == TT_DOC_TEXT)
        rc = script_condition(d, until, 0, &c.when);
    else
        rc = tt_sc_number(d->b, until, NULL, &c.at);
    for (uint32_t f = first; f < d->s.n_fault && rc == TT_OK; f++) {
        struct tt_sc_action a = {.act = TT_SC_ACT_RELEASE,
                                 .gate = d->fault[f].gate,
                                 .which = f + 1,
                                 .where = v->where};

        d->fault[f].end = d->s.n_cue;
        a.label = script_label(d, "release ", d->gate[a.gate].name, "", "");
        rc = script_add(d, &a);
        c.n++;
    }
    return rc == TT_OK ? script_cue(d, &c) : rc;
}

static enum tt_code read_when(struct script_draft *d, const struct tt_doc *v,
                              struct tt_sc_cue *c)
{
    const struct tt_doc *at = tt_doc_find(v, "at");
    const struct tt_doc *when = tt_doc_find(v, "when");
    const struct tt_doc *repeat = tt_doc_find(v, "repeat");
    enum tt_code rc;

    if (!at == !when)
        return tt_sc_fail(d->b, v->where, TT_EINPUT,
                          "an entry of 'script' has either 'at' or 'when'");
    rc = repeat ? tt_sc_bool(d->b, repeat, &c->repeat) : TT_OK;
    if (rc == TT_OK)
        rc = at ? tt_sc_number(d->b, at, NULL, &c->at)
                : script_condition(d, when, c->repeat, &c->when);
    if (rc == TT_OK && c->repeat && at)
        rc = tt_sc_fail(d->b, repeat->key_where, TT_EINPUT,
                        "'repeat' does not go with 'at'");
    return rc;
}

static enum tt_code read_name(struct script_draft *d, const struct tt_doc *v,
                              uint32_t i, const char **name)
{
    const struct tt_doc *given = tt_doc_find(v, "name");
    char number[TT_NUM_MAX];

    if (given)
        return tt_sc_text(d->b, given, NULL, name);
    tt_num_print_short(number, i + 1);
    *name = tt_sc_join(d->b, "entry ", number, "");
    return *name ? TT_OK : tt_sc_no_memory(d->b);
}

static enum tt_code read_actions(struct script_draft *d, const struct tt_doc *v,
                                 struct tt_sc_cue *c)
{
    const struct tt_doc *list = tt_doc_find(v, "do");
    uint32_t n = !list ? 0 : list->kind == TT_DOC_ARRAY ? list->n : 1;
    const struct tt_doc *one =
        n && list->kind == TT_DOC_ARRAY ? list->u.child : list;
    uint32_t *first =
        tt_arena_alloc(d->b->nodes, (size_t)n + 1, sizeof(*first));
    enum tt_code rc = first ? TT_OK : tt_sc_no_memory(d->b);

    if (rc == TT_OK && !n)
        rc = tt_sc_fail(d->b, list ? list->where : v->where, TT_EINPUT,
                        "an entry of 'script' lacks 'do', a list of actions");
    c->first = d->s.n_action;
    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        first[i] = d->s.n_fault;
        rc = do_one(d, &one[i]);
    }
    c->n = d->s.n_action - c->first;
    if (rc == TT_OK)
        rc = script_cue(d, c);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        uint32_t all = d->s.n_fault;

        d->s.n_fault = i + 1 < n ? first[i + 1] : all; /* those of this one */
        rc = end_faults(d, &one[i], c->name, first[i]);
        d->s.n_fault = all;
    }
    return rc;
}

static enum tt_code read_entry(struct script_draft *d, const struct tt_doc *v,
                               uint32_t i)
{
    struct tt_sc_cue c = {
        .at = (double)NAN, .lasts = (double)NAN, .where = v->where};
    enum tt_code rc = v->kind == TT_DOC_OBJECT
                          ? tt_sc_check_members(d->b, v, "script")
                          : tt_sc_wrong(d->b, v, "script", "an object");

    if (rc == TT_OK)
        rc = read_name(d, v, i, &c.name);
    if (rc == TT_OK)
        rc = read_when(d, v, &c);
    return rc == TT_OK ? read_actions(d, v, &c) : rc;
}

/* What needs the whole: another entry may come before. */
static enum tt_code check_action(struct script_draft *d,
                                 const struct tt_sc_action *a)
{
    const struct tt_sc_gate *g;
    uint32_t f = 0;

    if (a->act != TT_SC_ACT_RELEASE && a->act != TT_SC_ACT_HOLD)
        return TT_OK;
    g = &d->gate[a->gate];
    if (a->act == TT_SC_ACT_HOLD)
        return g->n_source ? TT_OK
                           : tt_sc_fail(d->b, a->where, TT_EINPUT,
                                        "'%s' is not connected", g->name);
    while (f < d->s.n_fault && d->fault[f].gate != a->gate)
        f++;
    return f < d->s.n_fault
               ? TT_OK
               : tt_sc_fail(d->b, a->where, TT_EINPUT,
                            "nothing overrides '%s', so that there is nothing "
                            "to release",
                            g->name);
}

enum tt_code tt_sc_read_script(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct script_draft d = {.b = b};
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL, "an array of entries");
    if (!v->n)
        return TT_OK;
    rc = script_begin(&d, v);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = read_entry(&d, &v->u.child[i], i);
    for (uint32_t i = 0; i < d.s.n_action && rc == TT_OK; i++)
        rc = check_action(&d, &d.action[i]);
    return script_end(&d, rc);
}
