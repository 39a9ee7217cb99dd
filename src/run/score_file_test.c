/* SPDX-License-Identifier: MIT */
/* Score files, changed at random, against a reader and player of their own: one
 * that takes the JSON by its words (docs/reference/score-file.md), on linear
 * units (plan/crowd.h), and knows no slot, no stamp and no binding. What the
 * checker lets pass must be played as that does, to the last bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "plan/crowd.h"
#include "run/testing.h"

#define UNITS     6
#define PORTS     4
#define REGISTERS 4

/* --- the reference ------------------------------------------------------- */

struct ref_unit {
    double x, u[PORTS], y[PORTS];
};

struct ref {
    const struct tt_crowd *c;
    uint32_t n;
    struct ref_unit unit[UNITS], saved[UNITS][REGISTERS];
    struct {
        double y[PORTS], u[PORTS], guess[PORTS];
    } seen[UNITS]; /* what was read last, set last, guessed */
    double t0, t1, s0, s1;
    int init, turn, failed;
};

static const struct tt_crowd_type *type_of(const struct ref *r, uint32_t unit)
{
    return &r->c->type[r->c->scenario.unit[unit].fmu];
}

static int is_standard(const struct ref *r, uint32_t unit)
{
    return r->c->spec[r->c->scenario.unit[unit].fmu].caps.evaluates !=
           TT_EVAL_ALWAYS;
}

static void evaluate(struct ref *r, uint32_t unit)
{
    const struct tt_crowd_type *t = type_of(r, unit);
    struct ref_unit *u = &r->unit[unit];

    for (uint32_t j = 0; j < t->n_out; j++) {
        u->y[j] = t->own[j] * u->x;
        for (uint32_t k = 0; k < t->n_in; k++)
            if (t->c[j * t->n_in + k] != 0)
                u->y[j] += t->c[j * t->n_in + k] * u->u[k];
    }
}

static double at(const struct ref *r, const char *name)
{
    return strcmp(name, "T0") == 0   ? r->t0
           : strcmp(name, "T1") == 0 ? r->t1
           : strcmp(name, "S0") == 0 ? r->s0
                                     : r->s1;
}

/* Constant inputs, so all four slopes of Runge and Kutta are one. */
static void step(struct ref *r, uint32_t unit, double h)
{
    const struct tt_crowd_type *t = type_of(r, unit);
    struct ref_unit *u = &r->unit[unit];
    double d = 0;

    for (uint32_t k = 0; k < t->n_in; k++)
        d += t->rate[k] * u->u[k];
    if (t->n_in)
        u->x = u->x + h / 6 * (d + 2 * d + 2 * d + d);
    evaluate(r, unit);
}

static const char *word(json_t *op, const char *field, const char *otherwise)
{
    json_t *v = json_object_get(op, field);

    return v ? json_string_value(v) : otherwise;
}

static int yes(json_t *op, const char *field)
{
    return json_is_true(json_object_get(op, field));
}

static uint32_t number_in(const char *text)
{
    unsigned n = 0;

    assert_int_equal(sscanf(text, "%u", &n), 1);
    return n;
}

/* "{t3}.i12" is unit 12. */
static uint32_t unit_of(json_t *op)
{
    return number_in(strstr(word(op, "instance", ""), ".i") + 2);
}

static void get(struct ref *r, json_t *op)
{
    uint32_t unit = unit_of(op);
    json_t *ports = json_object_get(op, "ports"), *port;
    size_t i;

    if (r->init || !is_standard(r, unit))
        evaluate(r, unit);
    json_array_foreach(ports, i, port)
    {
        uint32_t j = number_in(json_string_value(port) + 1);

        r->seen[unit].y[j] = r->unit[unit].y[j];
    }
}

static void set(struct ref *r, json_t *op)
{
    const tt_scenario *s = &r->c->scenario;
    uint32_t unit = unit_of(op);
    json_t *ports = json_object_get(op, "ports"), *port;
    size_t i;

    json_array_foreach(ports, i, port) for (uint32_t c = 0; c < s->n_connection;
                                            c++)
    {
        const struct tt_sc_connection *conn = &s->connection[c];
        uint32_t k = (uint32_t)(conn->to.variable[1] - '0');
        uint32_t j = (uint32_t)(conn->from.variable[1] - '0');

        if (conn->to.unit != unit ||
            strcmp(conn->to.variable, json_string_value(port)) != 0)
            continue;
        r->unit[unit].u[k] = r->seen[unit].u[k] =
            yes(op, "guess") ? r->seen[conn->from.unit].guess[j]
                             : r->seen[conn->from.unit].y[j];
    }
}

static void play(struct ref *r, json_t *list, int in_parts);

/* "{t3}.i12.y2" */
static double *unknown(struct ref *r, json_t *name, int guess)
{
    unsigned unit, port;

    assert_int_equal(
        sscanf(strstr(json_string_value(name), ".i"), ".i%u.y%u", &unit, &port),
        2);
    return guess ? &r->seen[unit].guess[port] : &r->seen[unit].y[port];
}

/* The next guess is what came out; is it what was guessed? */
static int substitute(struct ref *r, json_t *solve)
{
    double atol = json_number_value(json_object_get(solve, "abstol"));
    double rtol = json_number_value(json_object_get(solve, "reltol"));
    json_t *name;
    size_t i;
    int done = 1;

    json_array_foreach(json_object_get(solve, "unknowns"), i, name)
    {
        double z = *unknown(r, name, 1), g = *unknown(r, name, 0);

        done &= fabs(g - z) <= atol + rtol * fabs(g);
    }
    json_array_foreach(json_object_get(solve, "unknowns"), i, name) *
        unknown(r, name, 1) = *unknown(r, name, 0);
    return done;
}

static void loop(struct ref *r, json_t *op, int in_parts)
{
    json_t *solve = json_object_get(op, "solve"), *name;
    json_t *parts = json_object_get(op, "substeps");
    json_t *most = json_object_get(op, "most");
    int n = (int)json_integer_value(parts  ? parts
                                    : most ? most
                                           : json_object_get(op, "times"));
    int done = 0, was = r->turn;
    size_t i;

    json_array_foreach(json_object_get(solve, "unknowns"), i, name) *
        unknown(r, name, 1) = *unknown(r, name, 0);
    for (int k = 0; k < n && !done; k++) {
        if (solve)
            r->turn = k;
        if (parts) {
            r->s0 = k ? r->s1 : r->t0;
            r->s1 =
                k == n - 1 ? r->t1 : r->t0 + (r->t1 - r->t0) * ((k + 1.0) / n);
        }
        play(r, json_object_get(op, "do"), in_parts || parts);
        done = solve && substitute(r, solve) && most;
    }
    r->failed |= most && !done;
    r->turn = was;
}

/* The length is that of the macro step, divided: not a difference of times. */
static double length(const struct ref *r, json_t *op, const char *to)
{
    double from = at(r, word(op, "from", "T0")), h = r->t1 - r->t0;

    if (to[0] == 'T')
        return h;
    return h / round(h / (r->s1 - from));
}

static void play_one(struct ref *r, json_t *op, int in_parts)
{
    const char *verb = word(op, "op", "");
    json_t *reg = json_object_get(op, "register");
    int k = (int)json_integer_value(reg);

    if (yes(op, "later") && r->turn == 0)
        return;
    if (strcmp(verb, "get") == 0) {
        get(r, op);
    } else if (strcmp(verb, "set") == 0) {
        set(r, op);
    } else if (strcmp(verb, "loop") == 0) {
        loop(r, op, in_parts);
    } else if (strcmp(verb, "step") == 0) {
        const char *to = word(op, "to", in_parts ? "S1" : "T1");

        step(r, unit_of(op),
             in_parts
                 ? (r->t1 - r->t0) / round((r->t1 - r->t0) / (r->s1 - r->s0))
                 : length(r, op, to));
    } else if (strcmp(verb, "save") == 0) {
        r->saved[unit_of(op)][k] = r->unit[unit_of(op)];
    } else if (strcmp(verb, "restore") == 0) {
        r->unit[unit_of(op)] = r->saved[unit_of(op)][k];
    } else if (strcmp(verb, "time") == 0) {
        int second = strcmp(word(op, "half", ""), "second") == 0;
        double middle = (r->t0 + r->t1) / 2;

        r->s0 = second ? middle : r->t0;
        r->s1 = second ? r->t1 : middle;
    }
}

static void play(struct ref *r, json_t *list, int in_parts)
{
    json_t *op;
    size_t i;

    json_array_foreach(list, i, op) play_one(r, op, in_parts);
}

/* --- the run ------------------------------------------------------------- */

struct seen {
    tt_observer observer;
    const struct tt_rows *rows;
    struct ref ref;
    json_t *score;
    uint64_t compared;
    char wrong[256];
};

static enum tt_code see_begin(tt_observer *o, const struct tt_rows *rows,
                              tt_err *err)
{
    (void)err;
    ((struct seen *)(void *)o)->rows = rows;
    return TT_OK;
}

static double expected(const struct ref *r, const char *name)
{
    unsigned type, unit, port;
    char kind;

    assert_int_equal(sscanf(name, "{t%u}.i%u.%c%u", &type, &unit, &kind, &port),
                     4);
    return kind == 'y' ? r->seen[unit].y[port] : r->seen[unit].u[port];
}

static enum tt_code see_row(tt_observer *o, struct tt_instant at, double h,
                            tt_err *err)
{
    struct seen *s = (struct seen *)(void *)o;
    struct ref *r = &s->ref;

    (void)err;
    r->t1 = at.t;
    r->t0 = at.t - h; /* quarters: exact */
    r->init = at.t == 0;
    if (r->init) {
        play(r, json_object_get(s->score, "init"), 0);
    } else {
        play(r, json_object_get(s->score, "step"), 0);
        play(r, json_object_get(s->score, "exchange"), 0);
    }
    for (uint32_t i = 0; i < s->rows->n && !*s->wrong; i++) {
        double want = expected(r, s->rows->column[i].name);
        double got = *(const double *)s->rows->column[i].value;

        s->compared++;
        if (memcmp(&want, &got, sizeof(want)) != 0 &&
            !(isnan(want) && isnan(got)))
            snprintf(s->wrong, sizeof(s->wrong),
                     "%s at at.t=%g: %.17g, not %.17g", s->rows->column[i].name,
                     at.t, got, want);
    }
    return TT_OK;
}

static const struct tt_observer_ops see_ops = {.begin = see_begin,
                                               .row = see_row,
                                               .end = st_observer_end,
                                               .free = st_observer_free};

struct tally {
    int played, refused, unconverged;
    uint64_t values;
};

/* "my.json:3:5: ..." */
static int names_its_line(const char *message)
{
    unsigned line, column;

    return sscanf(message, "my.json:%u:%u: ", &line, &column) == 2;
}

static void perform(struct tt_crowd *c, struct seen *seen, tt_run *run,
                    struct tally *t)
{
    tt_err err;
    enum tt_code rc;

    seen->ref = (struct ref){.c = c, .n = c->scenario.n_unit};
    for (uint32_t u = 0; u < c->scenario.n_unit; u++)
        seen->ref.unit[u].x = c->x0[u];
    rc = tt_run_perform(run, &err);
    if (rc != TT_OK && strstr(err.msg, " did not converge in ")) {
        t->unconverged++;
        return;
    }
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
    assert_false(seen->ref.failed);
    t->played++;
    t->values += seen->compared;
}

/* Refused with its line, or played as written; "! ..." is not refused. */
static void try_score(struct tt_crowd *c, json_t *score, struct tally *t,
                      const char *what)
{
    char *text = json_dumps(score, JSON_INDENT(1));
    const struct tt_text_file file = {"my.json", text, strlen(text)};
    struct seen seen = {.observer = {.ops = &see_ops}, .score = score};
    tt_observer *const observer[] = {&seen.observer};
    const struct tt_run_opts ro = {
        .observer = observer, .n_observer = 1, .kind_cb = st_kind_of_mocks};
    tt_run *run = NULL;
    tt_err err;

    c->scenario.file = c->scenario.score = &file;
    c->scenario.n_file = 1;
    if (tt_run_new(&run, &c->scenario, &ro, &err) != TT_OK) {
        t->refused++;
        if (!names_its_line(err.msg) || *what == '!')
            fail_msg("%s: %s", what, err.msg);
    } else {
        perform(c, &seen, run, t);
        if (*seen.wrong)
            fail_msg("%s: %s\n%s", what, seen.wrong, text);
    }
    tt_run_free(run);
    c->scenario.file = c->scenario.score = NULL;
    c->scenario.n_file = 0;
    free(text);
}

/* --- changes ------------------------------------------------------------- */

static uint32_t below(uint64_t *seed, size_t n)
{
    return tt_crowd_below(seed, (uint32_t)n);
}

/* Some list of operations: a section, or the body of a loop in it. */
static json_t *some_list(json_t *score, uint64_t *seed)
{
    static const char *const section[] = {"init", "step", "step", "exchange"};
    json_t *list = json_object_get(score, section[below(seed, 4)]), *body;

    for (int i = 0; i < 4 && json_array_size(list); i++) {
        body = json_object_get(
            json_array_get(list, below(seed, json_array_size(list))), "do");
        if (body)
            list = body;
    }
    return list;
}

static void change_word(json_t *op, const char *field, uint64_t *seed)
{
    static const char *const registers[] = {"T0", "T1", "S0", "S1"};

    if (json_object_get(op, field))
        json_object_set_new(op, field, json_string(registers[below(seed, 4)]));
}

static void change_ports(json_t *op, uint64_t *seed)
{
    json_t *ports = json_object_get(op, "ports");
    char name[] = "y0";

    json_object_del(op, "sources");
    if (!json_array_size(ports))
        return;
    if (below(seed, 2) && json_array_size(ports) > 1) {
        json_array_remove(ports, below(seed, json_array_size(ports)));
        return;
    }
    name[0] = json_string_value(json_array_get(ports, 0))[0];
    name[1] = (char)('0' + below(seed, PORTS));
    json_array_set_new(ports, 0, json_string(name));
}

static void change_number(json_t *op, const char *field, uint64_t *seed)
{
    if (json_object_get(op, field))
        json_object_set_new(op, field, json_integer(below(seed, 4)));
}

static void toggle(json_t *op, const char *field)
{
    json_object_set_new(op, field, json_boolean(!yes(op, field)));
}

static void change_field(json_t *op, uint64_t *seed)
{
    const char *field = NULL;
    const char *key;
    json_t *value;
    uint32_t n = below(seed, json_object_size(op)), i = 0;

    json_object_foreach(op, key, value) if (i++ == n) field = key;
    switch (below(seed, 5)) {
    case 0:
        change_word(op, "at", seed);
        change_word(op, "from", seed);
        change_word(op, "to", seed);
        break;
    case 1:
        change_ports(op, seed);
        break;
    case 2:
        change_number(op, "register", seed);
        change_number(op, "times", seed);
        change_number(op, "substeps", seed);
        break;
    case 3:
        toggle(op, below(seed, 2) ? "predicted" : "cut");
        break;
    default:
        json_object_del(op, field);
    }
}

static void change_once(json_t *score, uint64_t *seed)
{
    json_t *a = some_list(score, seed), *b = some_list(score, seed), *op;
    size_t n = json_array_size(a), m = json_array_size(b);
    uint32_t i, k;

    if (!n || !m)
        return;
    i = below(seed, n);
    k = below(seed, m);
    op = json_deep_copy(json_array_get(a, i));
    switch (below(seed, 5)) {
    case 0:
        json_array_remove(a, i);
        break;
    case 1: /* twice, the second somewhere else */
        json_array_insert(b, k, op);
        break;
    case 2: /* moved within its list */
        json_array_remove(a, i);
        json_array_insert(a, below(seed, n), op);
        break;
    case 3: /* swapped with its neighbour */
        if (i + 1 < n) {
            json_array_remove(a, i);
            json_array_insert(a, i + 1, op);
        }
        break;
    default:
        change_field(json_array_get(a, i), seed);
    }
    json_decref(op);
}

/* --- masters to begin with -------------------------------------------------
 */

static json_t *printed(struct tt_crowd *c)
{
    const struct tt_run_opts ro = {.kind_cb = st_kind_of_mocks};
    struct tt_buf text;
    json_t *score = NULL;
    tt_run *run = NULL;

    if (tt_run_new(&run, &c->scenario, &ro, NULL) != TT_OK)
        return NULL;
    tt_buf_init(&text, (size_t)1 << 24);
    tt_score_print_json(tt_run_score(run), &text);
    score = json_loadb(text.data, text.len, 0, NULL);
    assert_non_null(score);
    tt_buf_fini(&text);
    tt_run_free(run);
    return score;
}

static void add(json_t *list, const char *verb, const char *unit)
{
    json_array_append_new(
        list, json_pack("{s:s, s:s}", "op", verb, "instance", unit));
}

/* The values of the middle: as the exchange, at S1 and without its commit. */
static void add_exchange(json_t *list, json_t *exchange, const char *verb)
{
    json_t *op;
    size_t i;

    json_array_foreach(exchange, i, op)
    {
        if (strcmp(word(op, "op", ""), "commit") == 0 ||
            (verb && strcmp(word(op, "op", ""), verb) != 0))
            continue;
        op = json_deep_copy(op);
        json_object_set_new(op, "at", json_string("S1"));
        json_array_append_new(list, op);
    }
}

/* A step of halves in place of Jacobi's: with the first half taken back (the
 * midpoint rule), or with a second half. */
static void in_halves(const struct tt_crowd *c, json_t *score, int back)
{
    const tt_scenario *s = &c->scenario;
    json_t *list = json_array(), *exchange = json_object_get(score, "exchange");

    for (uint32_t u = 0; u < s->n_unit && back; u++)
        add(list, "save", s->unit[u].name);
    json_array_append_new(
        list, json_pack("{s:s, s:s}", "op", "time", "half", "first"));
    for (int half = 0; half < 2; half++) {
        for (uint32_t u = 0; u < s->n_unit; u++) {
            json_t *op = json_pack("{s:s, s:s}", "op", "step", "instance",
                                   s->unit[u].name);

            if (!(half && back)) {
                json_object_set_new(op, "from", json_string("S0"));
                json_object_set_new(op, "to", json_string("S1"));
            }
            json_array_append_new(list, op);
        }
        if (half)
            break;
        add_exchange(list, exchange, NULL);
        for (uint32_t u = 0; u < s->n_unit && back; u++)
            add(list, "restore", s->unit[u].name);
        if (back)
            add_exchange(list, exchange, "set");
        else
            json_array_append_new(
                list, json_pack("{s:s, s:s}", "op", "time", "half", "second"));
    }
    json_object_set_new(score, "step", list);
}

static struct tt_crowd_opts opts(uint64_t seed)
{
    return (struct tt_crowd_opts){
        .seed = seed,
        .n_type = 1 + (uint32_t)seed % 3,
        .n_unit = 2 + (uint32_t)seed % (UNITS - 1),
        .n_in = 1 + (uint32_t)(seed / 2) % PORTS,
        .n_out = 1 + (uint32_t)(seed / 3) % PORTS,
        .through = 30,
        .standard = (uint32_t)(seed / 7) % 3 * 30,
        .connected = 60 + (uint32_t)seed % 40,
        .delayed = (uint32_t)(seed / 13) % 2 * 20,
        .recorded = 50,
        .acyclic = 1,
        .fast = seed % 5 == 4 ? 60 : 0,
        .gauss_seidel = seed % 2 == 0,
        .order_given = (seed / 2) % 3 == 0,
        .end = 1,
    };
}

/* Jacobi, Gauss-Seidel, repeated, until they agree, in halves, with rates. */
static json_t *master(struct tt_crowd *c, uint64_t seed)
{
    json_t *score;
    int kind = (int)(seed % 5);

    c->scenario.iteration = (struct tt_sc_iteration){
        .turns = kind == 1 ? 3 : 0,
        .converged = kind == 2,
        .max = 40,
        .abstol = 1e-10,
        .reltol = 1e-10,
    };
    if (kind == 3)
        c->scenario.master = TT_MASTER_JACOBI;
    score = printed(c);
    if (score && kind == 3)
        in_halves(c, score, seed / 5 % 2 == 0);
    return score;
}

static void one_crowd(uint64_t seed, int changes, struct tally *t)
{
    const struct tt_crowd_opts o = opts(seed);
    uint64_t random = seed * 65537;
    struct tt_crowd c;
    char what[64];
    json_t *score;

    tt_crowd_init(&c, &o);
    tt_crowd_register(&c);
    score = master(&c, seed);
    for (int i = 0; score && i <= changes; i++) {
        json_t *changed = json_deep_copy(score);

        for (uint32_t k = 0; i && k <= below(&random, 3); k++)
            change_once(changed, &random);
        snprintf(what, sizeof(what), "%sseed %d, change %d",
                 i || seed % 5 == 3 ? "" : "! ", (int)seed, i);
        try_score(&c, changed, t, what);
        json_decref(changed);
    }
    json_decref(score);
    tt_mock_register(NULL, NULL);
    tt_crowd_fini(&c);
}

static void masters_are_played_as_their_files_state(void **state)
{
    struct tally t = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++)
        one_crowd(seed, 0, &t);
    print_message("%d played, %d refused, %d unconverged, %d values\n",
                  t.played, t.refused, t.unconverged, (int)t.values);
    assert_true(t.played > 500);
}

static void changed_files_are_refused_or_played_as_they_state(void **state)
{
    struct tally t = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= 250; seed++)
        one_crowd(seed, 40, &t);
    print_message("%d played, %d refused, %d unconverged, %d values\n",
                  t.played, t.refused, t.unconverged, (int)t.values);
    assert_true(t.played > 1000 && t.refused > 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masters_are_played_as_their_files_state),
        cmocka_unit_test(changed_files_are_refused_or_played_as_they_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
