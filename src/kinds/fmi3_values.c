/* SPDX-License-Identifier: MIT */
/* Unit kind fmi3: values and bound calls. */
#include "kinds/fmi3_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct tt_fmi3_fns *fns(const struct tt_k3_unit *u)
{
    return u->k.fns;
}

/* --- one FMI call, one check -------------------------------------------- */

/* Nothing is kept over the FMI call: a bound call ends in a jump to it, and its
 * status is the answer. Only what is not fmi3OK comes here, so a warning, which
 * is fine, takes the long way. */
TT_COLD static enum tt_call_result failed(struct tt_k3_unit *u,
                                          enum tt_fmi3_status s)
{
    if (s == TT_FMI3_WARNING)
        return TT_CALL_OK;
    if (s == TT_FMI3_FATAL)
        u->k.fatal = 1;
    u->k.status = (int)s;
    return TT_CALL_FAILED;
}

#define BOUND(name, value)                                                     \
    typedef enum tt_fmi3_status name##_fn(tt_fmi3_instance *c,                 \
                                          const uint32_t *vr, size_t n, value, \
                                          size_t n_value);                     \
    static enum tt_call_result name(const struct tt_call *c,                   \
                                    struct tt_now *now)                        \
    {                                                                          \
        const struct tt_what *w = c->what;                                     \
                                                                               \
        (void)now;                                                             \
        return (enum tt_call_result)((name##_fn *)w->target)(                  \
            c->handle, w->vr, w->n, c->val, w->n_val);                         \
    }
#define BOUND_CLOCK(name, value)                                               \
    typedef enum tt_fmi3_status name##_fn(                                     \
        tt_fmi3_instance *c, const uint32_t *vr, size_t n, value);             \
    static enum tt_call_result name(const struct tt_call *c,                   \
                                    struct tt_now *now)                        \
    {                                                                          \
        const struct tt_what *w = c->what;                                     \
                                                                               \
        (void)now;                                                             \
        return (enum tt_call_result)((name##_fn *)w->target)(c->handle, w->vr, \
                                                             w->n, c->val);    \
    }

BOUND(bound_get_float64, double *v)
BOUND(bound_set_float64, const double *v)
BOUND(bound_get_float32, float *v)
BOUND(bound_set_float32, const float *v)
BOUND(bound_get_int8, int8_t *v)
BOUND(bound_set_int8, const int8_t *v)
BOUND(bound_get_uint8, uint8_t *v)
BOUND(bound_set_uint8, const uint8_t *v)
BOUND(bound_get_int16, int16_t *v)
BOUND(bound_set_int16, const int16_t *v)
BOUND(bound_get_uint16, uint16_t *v)
BOUND(bound_set_uint16, const uint16_t *v)
BOUND(bound_get_int32, int32_t *v)
BOUND(bound_set_int32, const int32_t *v)
BOUND(bound_get_uint32, uint32_t *v)
BOUND(bound_set_uint32, const uint32_t *v)
BOUND(bound_get_int64, int64_t *v)
BOUND(bound_set_int64, const int64_t *v)
BOUND(bound_get_uint64, uint64_t *v)
BOUND(bound_set_uint64, const uint64_t *v)
BOUND(bound_get_boolean, bool *v)
BOUND(bound_set_boolean, const bool *v)
BOUND_CLOCK(bound_get_clock, bool *v)
BOUND_CLOCK(bound_set_clock, const bool *v)

/* How values of a type move. Texts and binaries are copied one by one and have
 * no bound call of their own. */
struct access {
    enum tt_call_result (*get)(const struct tt_call *c, struct tt_now *now);
    enum tt_call_result (*set)(const struct tt_call *c, struct tt_now *now);
    const char *get_name, *set_name;
    size_t get_at, set_at; /* in the table of functions */
};

#define ACCESS(get_fn, set_fn, member, words)                                  \
    {                                                                          \
        .get = (get_fn), .set = (set_fn), .get_name = "fmi3Get" words,         \
        .set_name = "fmi3Set" words,                                           \
        .get_at = offsetof(struct tt_fmi3_fns, get_##member),                  \
        .set_at = offsetof(struct tt_fmi3_fns, set_##member)                   \
    }
#define ACCESS_BOUND(member, words)                                            \
    ACCESS(bound_get_##member, bound_set_##member, member, words)

static const struct access access_of[TT_TYPE_N] = {
    [TT_F64] = ACCESS_BOUND(float64, "Float64"),
    [TT_F32] = ACCESS_BOUND(float32, "Float32"),
    [TT_I8] = ACCESS_BOUND(int8, "Int8"),
    [TT_U8] = ACCESS_BOUND(uint8, "UInt8"),
    [TT_I16] = ACCESS_BOUND(int16, "Int16"),
    [TT_U16] = ACCESS_BOUND(uint16, "UInt16"),
    [TT_I32] = ACCESS_BOUND(int32, "Int32"),
    [TT_U32] = ACCESS_BOUND(uint32, "UInt32"),
    [TT_I64] = ACCESS_BOUND(int64, "Int64"),
    [TT_U64] = ACCESS_BOUND(uint64, "UInt64"),
    [TT_BOOL] = ACCESS_BOUND(boolean, "Boolean"),
    [TT_ENUM64] = ACCESS_BOUND(int64, "Int64"),
    [TT_CLOCK] = ACCESS_BOUND(clock, "Clock"),
    [TT_TEXT] = ACCESS(NULL, NULL, string, "String"),
    [TT_BYTES] = ACCESS(NULL, NULL, binary, "Binary"),
};

static const char *call_name(enum tt_type type, int set)
{
    return set ? access_of[type].set_name : access_of[type].get_name;
}

static void (*target_of(const struct tt_k3_unit *u, enum tt_type type,
                        int set))(void)
{
    const struct access *a = &access_of[type];

    return tt_kfmi_fn(&u->k, set ? a->set_at : a->get_at);
}

/* The type of a span's ports, which the library must have a call for. */
static enum tt_code type_of(const struct tt_k3_unit *u, const struct tt_span *s,
                            int set, enum tt_type *type, tt_err *err)
{
    const struct access *a;

    *type = u->k.base.desc->port[s->port[0]].type;
    a = &access_of[*type];
    TT_ASSERT(a->get_name); /* FMI 3 has no other types */
    if (!tt_kfmi_fn(&u->k, set ? a->set_at : a->get_at))
        return tt_kfmi_missing(call_name(*type, set), err);
    return TT_OK;
}

/* --- texts and binaries ------------------------------------------------- */

static int grow(void *array, size_t n, size_t size)
{
    void *old, *more;

    memcpy(&old, array, sizeof(old));
    more = tt_resize(old, n, size);
    if (more)
        memcpy(array, &more, sizeof(more));
    return more != NULL;
}

static enum tt_code texts_room(struct tt_k3_texts *t, size_t n, tt_err *err)
{
    if (n <= t->n)
        return TT_OK;
    if (!grow(&t->text, n, sizeof(*t->text)) ||
        !grow(&t->bytes, n, sizeof(*t->bytes)) ||
        !grow(&t->size, n, sizeof(*t->size)))
        return tt_fail(err, TT_ENOMEM, "%zu texts", n);
    t->n = n;
    return TT_OK;
}

/* Copies what the FMU pointed to, before it is called again. */
/* Once: it may come with every step. */
static void warn_cut(struct tt_k3_unit *u, uint32_t port, size_t size)
{
    char text[256];

    if (u->told_cut)
        return;
    u->told_cut = 1;
    (void)snprintf(text, sizeof(text),
                   "the binary '%.100s' has %zu bytes, the limit is %d: only "
                   "its length and SHA-256 are recorded",
                   u->k.base.desc->port[port].name, size, TT_TEXT_MAX - 1);
    tt_log_unit(u->k.voice.log, TT_LOG_WARN, u->k.voice.unit, NULL, text);
}

static enum tt_code texts_copy(struct tt_k3_unit *u, const struct tt_span *s,
                               int binary, tt_err *err)
{
    const struct tt_k3_texts *t = &u->texts;
    struct tt_text *to = s->value;
    size_t i = 0;

    for (size_t p = 0; p < s->n; p++) {
        uint32_t n = u->k.base.desc->port[s->port[p]].n;

        for (uint32_t k = 0; k < n; k++, i++) {
            const void *from =
                binary ? (const void *)t->bytes[i] : (const void *)t->text[i];
            size_t size = 0;

            if (from)
                size = binary ? t->size[i] : strlen(t->text[i]);
            if (size >= TT_TEXT_MAX && !binary)
                return tt_kfmi_too_long(&u->k, s->port[p], size, err);
            tt_bytes_set(&to[i], from, size);
            if (tt_bytes_is_cut(&to[i]))
                warn_cut(u, s->port[p], size);
        }
    }
    return TT_OK;
}

static enum tt_code get_texts(struct tt_k3_unit *u, const struct tt_span *s,
                              const uint32_t *vr, int binary, tt_err *err)
{
    size_t n = tt_kfmi_elements(u->k.base.desc, s->port, s->n);
    struct tt_k3_texts *t = &u->texts;
    enum tt_fmi3_status status;
    enum tt_code rc = texts_room(t, n, err);

    if (rc != TT_OK)
        return rc;
    memset(t->text, 0, n * sizeof(*t->text));
    memset(t->bytes, 0, n * sizeof(*t->bytes));
    memset(t->size, 0, n * sizeof(*t->size));
    status = binary
                 ? fns(u)->get_binary(u->k.comp, vr, s->n, t->size, t->bytes, n)
                 : fns(u)->get_string(u->k.comp, vr, s->n, t->text, n);
    rc = tt_k3_check(u, call_name(binary ? TT_BYTES : TT_TEXT, 0), status, err);
    return rc == TT_OK ? texts_copy(u, s, binary, err) : rc;
}

static enum tt_code set_texts(struct tt_k3_unit *u, const struct tt_span *s,
                              const uint32_t *vr, int binary, tt_err *err)
{
    size_t n = tt_kfmi_elements(u->k.base.desc, s->port, s->n);
    const struct tt_text *from = s->value;
    struct tt_k3_texts *t = &u->texts;
    enum tt_fmi3_status status;
    enum tt_code rc = texts_room(t, n, err);

    if (rc != TT_OK)
        return rc;
    for (size_t i = 0; i < n; i++) {
        if (tt_bytes_is_cut(&from[i]))
            return tt_fail(err, TT_EUNSUPPORTED,
                           "a binary of %u bytes cannot be set, the limit is "
                           "%d",
                           (unsigned)from[i].n, TT_TEXT_MAX - 1);
        t->text[i] = from[i].s;
        t->bytes[i] = (const uint8_t *)from[i].s;
        t->size[i] = from[i].n;
    }
    status = binary
                 ? fns(u)->set_binary(u->k.comp, vr, s->n, t->size, t->bytes, n)
                 : fns(u)->set_string(u->k.comp, vr, s->n, t->text, n);
    return tt_k3_check(u, call_name(binary ? TT_BYTES : TT_TEXT, 1), status,
                       err);
}

/* --- cold path ---------------------------------------------------------- */

static enum tt_code move(struct tt_k3_unit *u, const struct tt_span *s, int set,
                         tt_err *err)
{
    struct tt_what w = {.n = s->n};
    struct tt_call c = {.what = &w, .handle = u->k.comp, .val = s->value};
    enum tt_fmi3_status said;
    enum tt_type type;
    enum tt_code rc = type_of(u, s, set, &type, err);

    if (rc == TT_OK)
        rc = tt_kfmi_refs_now(&u->k, s->port, s->n, &w.vr, err);
    if (rc != TT_OK)
        return rc;
    if (type == TT_TEXT || type == TT_BYTES)
        return (set ? set_texts : get_texts)(u, s, w.vr, type == TT_BYTES, err);
    w.n_val = tt_kfmi_elements(u->k.base.desc, s->port, s->n);
    w.target = target_of(u, type, set);
    said = (enum tt_fmi3_status)(set ? access_of[type].set
                                     : access_of[type].get)(&c, NULL);
    return tt_k3_check(u, call_name(type, set), said, err);
}

enum tt_code tt_k3_get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    return move(tt_k3_unit(base), s, 0, err);
}

/* A structural parameter may get another value as long as no array gets
 * another size by it: sizes are those of the description. */
static enum tt_code check_sizes(const struct tt_k3_unit *u, uint32_t port,
                                const void *value, tt_err *err)
{
    const struct tt_md *md = u->k.type->md;
    uint64_t wanted;

    if (md->var[port].type != TT_U64)
        return TT_OK; /* FMI 3.0.2, 2.4.7.5.1: sizes are UInt64 */
    memcpy(&wanted, value, sizeof(wanted));
    for (uint32_t i = 0; i < md->var_n; i++)
        for (uint32_t k = 0; k < md->var[i].dim_n; k++)
            if (md->var[i].dim[k].var == port &&
                md->var[i].dim[k].start != wanted)
                return tt_fail(err, TT_EUNSUPPORTED,
                               "structural parameter '%s' would change the "
                               "size of '%s', which is not supported yet",
                               md->var[port].name, md->var[i].name);
    return TT_OK;
}

static enum tt_code set_structural(struct tt_k3_unit *u,
                                   const struct tt_span *s, tt_err *err)
{
    enum tt_code rc = check_sizes(u, s->port[0], s->value, err);

    if (rc != TT_OK)
        return rc;
    if (!fns(u)->enter_configuration)
        return tt_kfmi_missing("fmi3EnterConfigurationMode", err);
    if (!fns(u)->exit_configuration)
        return tt_kfmi_missing("fmi3ExitConfigurationMode", err);
    rc = tt_k3_check(u, "fmi3EnterConfigurationMode",
                     fns(u)->enter_configuration(u->k.comp), err);
    if (rc == TT_OK)
        rc = move(u, s, 1, err);
    if (rc == TT_OK)
        rc = tt_k3_check(u, "fmi3ExitConfigurationMode",
                         fns(u)->exit_configuration(u->k.comp), err);
    return rc;
}

/* Port by port, because only structural ones are set in configuration mode. */
static enum tt_code set_mixed(struct tt_k3_unit *u, const struct tt_span *s,
                              tt_err *err)
{
    const struct tt_port *port = u->k.base.desc->port;
    char *value = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        const struct tt_port *p = &port[s->port[i]];
        struct tt_span one = {&s->port[i], 1, value};

        rc = p->causality == TT_CAUS_STRUCTURAL ? set_structural(u, &one, err)
                                                : move(u, &one, 1, err);
        value += tt_port_size(p);
    }
    return rc;
}

enum tt_code tt_k3_set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (u->n_active)
        tt_k3_end_courses(u, s->port, s->n);
    if (base->life == TT_LIFE_MADE)
        for (size_t i = 0; i < s->n; i++)
            if (base->desc->port[s->port[i]].causality == TT_CAUS_STRUCTURAL)
                return set_mixed(u, s, err);
    return move(u, s, 1, err);
}

/* --- bound calls -------------------------------------------------------- */

TT_COLD static void bound_end_courses(const struct tt_call *c)
{
    struct tt_k3_unit *u = c->unit;
    uint32_t first;
    const uint32_t *port = tt_kfmi_ports(u->k.type, c->what->vr, &first);

    for (uint32_t i = 0; i < c->what->n; i++) {
        uint32_t p = port ? port[i] : first + i;

        tt_k3_end_courses(u, &p, 1);
    }
}

/* For units that take courses: a plain set ends one. */
static enum tt_call_result bound_set_held(const struct tt_call *c,
                                          struct tt_now *now)
{
    const struct tt_k3_unit *u = c->unit;

    if (TT_UNLIKELY(u->n_active))
        bound_end_courses(c);
    return bound_set_float64(c, now);
}

/* The step is booked already; books it anew. */
TT_COLD static enum tt_call_result
step_outcome(struct tt_k3_unit *u, enum tt_fmi3_status s, struct tt_k3_answer a)
{
    tt_unit *b = &u->k.base;
    double h = b->now - u->k.was;
    struct tt_k3_span t = {u->k.was, b->now, h};
    struct tt_stepped r;

    b->now = u->k.was;
    if (s > TT_FMI3_DISCARD) {
        b->n_step--;
        tt_unit_tell(b, (struct tt_stepped){.reached = b->now});
        return failed(u, s);
    }
    r = tt_k3_outcome(u, s, &a, &t);
    tt_unit_tell(b, r);
    if (!(r.flags & TT_STEP_REJECT))
        b->now = r.reached;
    if ((r.flags & TT_STEP_LAG) && fabs(r.lag) / h > b->max_lag)
        b->max_lag = fabs(r.lag) / h;
    return r.flags & ~(unsigned)TT_STEP_LAG ? TT_CALL_OUTCOME : TT_CALL_OK;
}

/* Is the unit where it should be? It is exactly, or it added up otherwise. */
static inline int is_there(const struct tt_k3_unit *u, double own)
{
    double now = u->k.base.now;

    return own == now ||
           fabs(own - now) <= TT_K3_LAG_TOLERANCE * (now - u->k.was);
}

static enum tt_call_result bound_step(const struct tt_call *c,
                                      struct tt_now *now)
{
    struct tt_k3_unit *u = c->unit;
    tt_unit *b = &u->k.base;
    double was = b->now, to = now->t[c->to], h = tt_call_h(c, b, now);
    struct tt_k3_answer a = {.own_time = to};
    bool *said = a.said;
    enum tt_fmi3_status s;

    if (TT_UNLIKELY(!(h > 0)))
        return TT_CALL_OK;
    u->k.was = was;
    b->now = to;
    b->n_step++;
    s = u->k.do_step.v3(u->k.comp, was, h, u->k.no_prior, &said[TT_K3_EVENT],
                        &said[TT_K3_TERMINATE], &said[TT_K3_EARLY],
                        &a.own_time);
    /* byte by byte, as they were written: all at once would have to wait */
    if (TT_LIKELY(s == TT_FMI3_OK && !(said[0] | said[1] | said[2]) &&
                  is_there(u, a.own_time)))
        return TT_CALL_OK;
    return step_outcome(u, s, a);
}

/* For units that take courses: a step uses them up. */
static enum tt_call_result bound_step_course(const struct tt_call *c,
                                             struct tt_now *now)
{
    struct tt_k3_unit *u = c->unit;
    enum tt_call_result r = bound_step(c, now);

    if (u->n_active && r != TT_CALL_FAILED &&
        !(tt_unit_last(&u->k.base).flags & TT_STEP_REJECT))
        tt_k3_used_up(u);
    return r;
}

/* Of values: a step knows its outcome already. */
enum tt_call_result tt_k3_settle(tt_unit *base, const struct tt_call *c,
                                 const struct tt_now *now, int status)
{
    (void)c;
    (void)now;
    return failed(tt_k3_unit(base), (enum tt_fmi3_status)status);
}

/* Texts: the default will do, with all it needs in place. */
static enum tt_code prepare_texts(struct tt_k3_unit *u, const struct tt_span *s,
                                  size_t n_val, tt_err *err)
{
    const uint32_t *vr;
    enum tt_code rc = tt_kfmi_refs(u->k.type, s->port, s->n, &vr, err);

    if (rc == TT_OK)
        rc = texts_room(&u->texts, n_val, err);
    return rc == TT_OK ? TT_EUNSUPPORTED : rc;
}

enum tt_code tt_k3_bind(tt_unit *base, enum tt_verb verb,
                        const struct tt_span *s, struct tt_call *c, tt_err *err)
{
    static const struct tt_what step = {.fn = bound_step, .verb = TT_VERB_STEP},
                                step_course = {.fn = bound_step_course,
                                               .verb = TT_VERB_STEP};
    struct tt_k3_unit *u = tt_k3_unit(base);
    struct tt_what w = *c->what;
    int set = verb == TT_VERB_SET;
    enum tt_type type;
    enum tt_code rc;

    c->unit = u;
    c->handle = verb == TT_VERB_STEP ? (void *)&base->now : u->k.comp;
    c->what = u->course ? &step_course : &step;
    if (verb == TT_VERB_STEP)
        return TT_OK;
    rc = type_of(u, s, set, &type, err);
    if (rc != TT_OK)
        return rc;
    w.fn = set ? access_of[type].set : access_of[type].get;
    if (!w.fn)
        return prepare_texts(u, s, w.n_val, err);
    if (set && type == TT_F64 && u->course)
        w.fn = bound_set_held;
    w.target = target_of(u, type, set);
    return tt_kfmi_what(u->k.type, s, w, &c->what, err);
}

enum tt_code tt_k3_explain(tt_unit *base, const struct tt_call *c, int status,
                           tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    enum tt_fmi3_status s = (enum tt_fmi3_status)u->k.status;
    enum tt_code rc;

    (void)status; /* ours is in the unit */
    if (c->what->verb == TT_VERB_STEP)
        return tt_k3_check(u, "fmi3DoStep", s, err);
    rc = tt_k3_check(
        u, call_name((enum tt_type)c->what->type, c->what->verb == TT_VERB_SET),
        s, err);
    return tt_kfmi_name_ports(&u->k, c, rc, err);
}
