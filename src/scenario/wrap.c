/* SPDX-License-Identifier: MIT */
/* What stands on a connection between units of different natures, in short:
 * "hold", "sample", "quantize", "delay", "dead-time" of "events". Each is an
 * instance of something built in, with its input and outputs connected. */
#include "scenario/build_impl.h"

#include <string.h>

#include "base/num.h"

#define MOST 4 /* numbers of one */

struct wrapper {
    const char *field, *source, *in, *out;
    struct {
        const char *field, *parameter;
        int needed;
    } number[MOST];
};

/* A quantizer is a crossing that is located, of a value from the last one put
 * out. */
enum { HOLD, QUANTIZE, WRAPPERS = 5 };
static const struct wrapper wrappers[WRAPPERS] = {
    [HOLD] = {"hold", "tutti:hold", "in", "y", {{0}}},
    [QUANTIZE] = {"quantize",
                  NULL,
                  NULL,
                  "y1",
                  {{"step", NULL, 1}, {"hysteresis", NULL, 0}}},
    {"sample",
     "tutti:sample",
     "u",
     "y",
     {{"period", "period", 1},
      {"delay", "delay", 0},
      {"jitter", "jitter", 0},
      {"seed", "seed", 0}}},
    {"delay", "tutti:delay", "in", "out", {{"time", "delay", 1}}},
    {"dead-time", "tutti:dead-time", "u", "y", {{"time", "time", 1}}},
};

/* One of them: its source is the key of `from`, and v states more of it. */
struct one {
    const struct wrapper *w;
    const struct tt_doc *from, *v;
    uint32_t i;      /* of its field */
    uint32_t number; /* of all */
    struct tt_sc_locate *l;
};

static const struct tt_doc *field_of(const struct tt_doc *events,
                                     const struct wrapper *w)
{
    return events && events->kind == TT_DOC_OBJECT
               ? tt_sc_member(events, w->field)
               : NULL;
}

/* A member of one, or NULL. */
static const struct tt_doc *given(const struct one *o, const char *field)
{
    return o->v->kind == TT_DOC_OBJECT ? tt_sc_member(o->v, field) : NULL;
}

/* Several of one source are a list of objects. */
static int is_list(const struct tt_doc *v)
{
    return v->kind == TT_DOC_ARRAY && v->n &&
           v->u.child[0].kind == TT_DOC_OBJECT;
}

static uint32_t count(const struct tt_doc *events, const struct wrapper *w)
{
    const struct tt_doc *v = field_of(events, w);
    uint32_t n = 0;

    for (uint32_t i = 0; v && v->kind == TT_DOC_OBJECT && i < v->n; i++)
        n += is_list(&v->u.child[i]) ? v->u.child[i].n : 1;
    return n;
}

uint32_t tt_sc_count_quantizers(const struct tt_doc *events)
{
    return count(events, &wrappers[QUANTIZE]);
}

typedef enum tt_code each_fn(struct tt_sc_build *b, const struct one *o);

static enum tt_code each_of(struct tt_sc_build *b, const struct tt_doc *v,
                            each_fn *f, struct one *o)
{
    enum tt_code rc = tt_sc_object(b, v);

    o->i = 0;
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++) {
        o->from = &v->u.child[i];
        o->v = is_list(o->from) ? o->from->u.child : o->from;
        for (uint32_t n = is_list(o->from) ? o->from->n : 1;
             n > 0 && rc == TT_OK; n--) {
            rc = f(b, o);
            o->v++;
            o->i++;
            o->number++;
        }
    }
    return rc;
}

static enum tt_code each(struct tt_sc_build *b, const struct tt_doc *events,
                         each_fn *f, struct tt_sc_locate *l)
{
    struct one o = {.l = l};
    enum tt_code rc = TT_OK;

    for (o.w = wrappers; o.w < wrappers + WRAPPERS && rc == TT_OK; o.w++) {
        const struct tt_doc *v = field_of(events, o.w);

        if (v)
            rc = each_of(b, v, f, &o);
    }
    return rc;
}

/* --- quantize ------------------------------------------------------------- */

/* "{key}.instance.variable" as an expression has it. */
static enum tt_code quote(struct tt_sc_build *b, const struct tt_doc *from,
                          struct tt_buf *out)
{
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_ref(b, from->key, from->key_where, &p);

    if (rc == TT_OK && strchr(from->key, '\''))
        rc = tt_sc_fail(b, from->key_where, TT_EUNSUPPORTED,
                        "'%s' cannot be quantized: there is a quote in its "
                        "name",
                        from->key);
    if (rc == TT_OK)
        tt_buf_fmt(out, "%.*s.'%.*s'.'%s'", (int)p.n_key, p.text,
                   (int)p.n_instance, p.instance, p.variable);
    return rc;
}

/* Beyond half a step and the hysteresis another multiple is nearer. */
static enum tt_code write_quantizer(struct tt_sc_build *b, const struct one *o,
                                    double step, double hysteresis,
                                    struct tt_sc_expr *x)
{
    struct tt_buf u, text;
    char s[TT_NUM_MAX], band[TT_NUM_MAX];
    enum tt_code rc;

    tt_num_print(s, step);
    tt_num_print(band, step / 2 + hysteresis);
    tt_buf_init(&u, TT_DOC_MAX);
    tt_buf_init(&text, TT_DOC_MAX);
    rc = quote(b, o->from, &u);
    for (int i = 0; i < 2 && rc == TT_OK; i++) {
        const char *from = u.data ? u.data : "";

        tt_buf_clear(&text);
        if (i)
            tt_buf_fmt(&text,
                       "%s*round((held + %s*sign(%s - held)*"
                       "round(abs(%s - held)/%s))/%s)",
                       s, s, from, from, s, s);
        else
            tt_buf_fmt(&text, "%s - abs(%s - held)", band, from);
        x[i] = (struct tt_sc_expr){
            .of = o->w->field, .where = o->from->key_where, .made = 1};
        x[i].text = u.failed || text.failed ? NULL : tt_sc_keep(b, text.data);
        if (!x[i].text)
            rc = tt_sc_no_memory(b);
    }
    tt_buf_fini(&u);
    tt_buf_fini(&text);
    return rc;
}

static enum tt_code add_quantizer(struct tt_sc_build *b, const struct one *o,
                                  struct tt_sc_word key, uint32_t *unit)
{
    struct tt_sc_locate *l = &o->l[b->s->n_locate];
    struct tt_sc_expr *x = tt_arena_alloc(b->s->arena, 2, sizeof(*x));
    double step = 0, hysteresis = 0;
    enum tt_code rc = x ? tt_sc_may_locate(b, o->v) : tt_sc_no_memory(b);

    if (rc == TT_OK)
        rc = tt_sc_member_number(b, o->v, "step", &step, 0);
    if (rc == TT_OK)
        rc = tt_sc_member_number(b, o->v, "hysteresis", &hysteresis, 1);
    *l = (struct tt_sc_locate){.down = 1,
                               .leaps = 1,
                               .tolerance = TT_SC_LOCATE_TOLERANCE,
                               .where = o->v->where,
                               .expr = x,
                               .n_expr = 2};
    if (rc == TT_OK)
        rc = tt_sc_read_tolerance(b, o->v, &l->tolerance);
    if (rc == TT_OK)
        rc = write_quantizer(b, o, step, hysteresis, x);
    if (rc == TT_OK)
        rc = tt_sc_add_crossing(b, key, o->w->field, l);
    *unit = l->unit;
    b->s->n_locate += rc == TT_OK;
    return rc;
}

/* --- instances ------------------------------------------------------------ */

/* What is held before the first event states the type of all. */
static const char *source_of(const struct one *o)
{
    const struct tt_doc *start =
        o->w == &wrappers[HOLD] ? given(o, "start") : NULL;

    if (start && start->kind == TT_DOC_BOOL)
        return "tutti:hold: boolean";
    return start && start->kind == TT_DOC_TEXT ? "tutti:hold: text"
                                               : o->w->source;
}

static enum tt_code check_members(struct tt_sc_build *b, const struct one *o)
{
    enum tt_code rc;

    if (o->v->kind != TT_DOC_OBJECT)
        return o->w == &wrappers[HOLD]
                   ? TT_OK
                   : tt_sc_wrong(b, o->v, o->from->key, "an object");
    rc = tt_sc_check_members(b, o->v, o->w->field);
    if (rc == TT_OK && !given(o, "to"))
        rc = tt_sc_fail(b, o->v->where, TT_EINPUT, "'%s' lacks 'to'",
                        o->w->field);
    for (int i = 0; i < MOST && rc == TT_OK && o->w->number[i].field; i++) {
        const char *field = o->w->number[i].field;
        int needed = o->w->number[i].needed;
        double number;

        rc = needed && !given(o, field)
                 ? tt_sc_fail(b, o->v->where, TT_EINPUT, "'%s' lacks '%s'",
                              o->w->field, field)
                 : tt_sc_member_number(b, o->v, field, &number, !needed);
    }
    return rc;
}

static enum tt_code add_one(struct tt_sc_build *b, const struct one *o)
{
    const char *front = tt_sc_join(b, "{", o->w->field, " ");
    const char *what = tt_sc_join(b, "'", o->w->field, "'");
    uint32_t *unit = &b->wrapper[o->number];
    struct tt_sc_word key;
    enum tt_code rc = front && what ? check_members(b, o) : tt_sc_no_memory(b);

    if (rc == TT_OK)
        rc = tt_sc_read_name(b, o->v, what, front, o->i, &key);
    if (rc != TT_OK)
        return rc;
    return o->w->source
               ? tt_sc_add_builtin(b, key,
                                   (struct tt_sc_word){source_of(o), key.where},
                                   o->w->field, unit)
               : add_quantizer(b, o, key, unit);
}

enum tt_code tt_sc_add_wrappers(struct tt_sc_build *b,
                                const struct tt_doc *events,
                                struct tt_sc_locate *l)
{
    size_t n = 0;

    for (int i = 0; i < WRAPPERS; i++)
        n += count(events, &wrappers[i]);
    b->wrapper = tt_arena_alloc(b->nodes, n, sizeof(*b->wrapper));
    return b->wrapper ? each(b, events, add_one, l) : tt_sc_no_memory(b);
}

/* --- connections ---------------------------------------------------------- */

static enum tt_code set_number(struct tt_sc_build *b, const struct one *o,
                               const char *field, const char *port,
                               const char *unit)
{
    const struct tt_doc *v = given(o, field);
    struct tt_sc_word ref = {.where = o->v->where};
    struct tt_sc_value value;
    enum tt_code rc;

    if (!v)
        return TT_OK;
    rc = tt_sc_value(b, v, &value);
    ref.text = tt_sc_join(b, unit, ".", port);
    if (rc == TT_OK && !ref.text)
        rc = tt_sc_no_memory(b);
    return rc == TT_OK ? tt_sc_set_parameter(b, ref, &value) : rc;
}

static enum tt_code set_numbers(struct tt_sc_build *b, const struct one *o,
                                const char *unit)
{
    enum tt_code rc = TT_OK;

    if (o->w == &wrappers[HOLD])
        return set_number(b, o, "start", "start", unit);
    for (int i = 0; i < MOST && o->w->number[i].parameter && rc == TT_OK; i++)
        rc = set_number(b, o, o->w->number[i].field, o->w->number[i].parameter,
                        unit);
    return rc;
}

static enum tt_code connect_input(struct tt_sc_build *b, const struct one *o,
                                  const char *unit)
{
    struct tt_sc_word to = {.where = o->from->key_where};
    uint32_t i = 0;

    if (o->w->in) {
        to.text = tt_sc_join(b, unit, ".", o->w->in);
        return to.text ? tt_sc_connect(b, tt_sc_key_word(o->from), &to, 1)
                       : tt_sc_no_memory(b);
    }
    while (b->s->locate[i].unit != b->wrapper[o->number])
        i++;
    return tt_sc_connect_crossing(b, &b->s->locate[i]);
}

static enum tt_code connect_one(struct tt_sc_build *b, const struct one *o)
{
    const char *unit = b->unit[b->wrapper[o->number]].unit.name;
    const struct tt_doc *v = given(o, "to") ? given(o, "to") : o->v;
    struct tt_sc_word from = {.where = o->from->key_where}, *to;
    uint32_t n;
    enum tt_code rc = connect_input(b, o, unit);

    if (rc == TT_OK)
        rc = tt_sc_words(b, v, 1, &to, &n);
    if (rc != TT_OK)
        return rc;
    from.text = tt_sc_join(b, unit, ".", o->w->out);
    if (!from.text)
        return tt_sc_no_memory(b);
    rc = tt_sc_connect(b, from, to, n);
    return rc == TT_OK ? set_numbers(b, o, unit) : rc;
}

enum tt_code tt_sc_connect_wrappers(struct tt_sc_build *b,
                                    const struct tt_doc *events)
{
    return each(b, events, connect_one, NULL);
}
