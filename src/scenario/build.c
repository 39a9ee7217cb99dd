/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"

/* Facts */

enum tt_code tt_sc_no_memory(struct tt_sc_build *b)
{
    return tt_fail(b->err, TT_ENOMEM, "out of memory reading the scenario");
}

enum tt_code tt_sc_fail(struct tt_sc_build *b, struct tt_where w,
                        enum tt_code code, const char *fmt, ...)
{
    char at[512];
    va_list ap;

    if (b->starved) /* a name was not looked up: the fact may be wrong */
        return tt_sc_no_memory(b);
    va_start(ap, fmt);
    tt_vfail(b->err, code, fmt, ap);
    va_end(ap);
    if (b->err)
        tt_scenario_place(b->s, w, &b->err->place);
    return tt_context(b->err, code, "%s",
                      tt_scenario_at(b->s, w, at, sizeof(at)));
}

enum tt_code tt_sc_wrong(struct tt_sc_build *b, const struct tt_doc *v,
                         const char *parent, const char *want)
{
    if (v->key)
        return tt_sc_fail(b, v->where, TT_EINPUT, "'%s' must be %s, not %s",
                          v->key, want, tt_doc_kind_text(v->kind));
    if (parent)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "each element of '%s' must be %s, not %s", parent,
                          want, tt_doc_kind_text(v->kind));
    return tt_sc_fail(b, v->where, TT_EINPUT, "the scenario must be %s, not %s",
                      want, tt_doc_kind_text(v->kind));
}

int tt_sc_may_warn(struct tt_sc_build *b, enum tt_sc_warning kind)
{
    return b->warned[kind]++ < TT_SC_WARN_MAX;
}

static void place_of(struct tt_spot *p, const char *ref)
{
    struct tt_sc_parts parts;
    size_t n;

    if (!ref || tt_sc_split(ref, &parts) != 0)
        return;
    tt_spot_of(p, NULL, parts.variable);
    n = (size_t)(parts.instance - parts.text) + parts.n_instance;
    if (n >= sizeof(p->unit))
        return;
    memcpy(p->unit, ref, n);
    p->unit[n] = '\0';
}

void tt_sc_warn(struct tt_sc_build *b, struct tt_where w, const char *ref,
                const char *fmt, ...)
{
    tt_err warning;
    char at[512];
    va_list ap;

    va_start(ap, fmt);
    tt_vfail(&warning, TT_EINPUT, fmt, ap);
    va_end(ap);
    tt_scenario_place(b->s, w, &warning.place);
    place_of(&warning.place, ref);
    tt_context(&warning, TT_EINPUT, "%s",
               tt_scenario_at(b->s, w, at, sizeof(at)));
    tt_log_place(b->log, TT_LOG_WARN, &warning.place, warning.msg);
}

int tt_sc_pass(struct tt_sc_build *b, enum tt_code rc, const char *ref)
{
    if (rc == TT_OK)
        return 1;
    if (b->err)
        place_of(&b->err->place, ref);
    return !b->starved && tt_log_problem(b->log, rc, b->err);
}

struct tt_sc_hint tt_sc_hint(const char *wrong, size_t n, tt_name_fn get,
                             const void *ctx)
{
    const char *near = tt_names_nearest(wrong, n, get, ctx);
    struct tt_sc_hint h = {""};

    /* A name too long to be shown whole is better not shown. */
    if (near && strlen(near) < sizeof(h.s) - 32)
        snprintf(h.s, sizeof(h.s), "; did you mean '%s'?", near);
    return h;
}

/* Values */

int tt_sc_is_null(const struct tt_doc *v)
{
    return v->kind == TT_DOC_NULL;
}

const struct tt_doc *tt_sc_member(const struct tt_doc *v, const char *name)
{
    const struct tt_doc *d = tt_doc_find(v, name);

    return d && !tt_sc_is_null(d) ? d : NULL;
}

enum tt_code tt_sc_object(struct tt_sc_build *b, const struct tt_doc *v)
{
    return v->kind == TT_DOC_OBJECT ? TT_OK
                                    : tt_sc_wrong(b, v, NULL, "an object");
}

void *tt_sc_members(struct tt_sc_build *b, const struct tt_doc *v, size_t size,
                    enum tt_code *rc)
{
    void *room = NULL;

    *rc = tt_sc_object(b, v);
    if (*rc == TT_OK)
        room = tt_arena_alloc(b->s->arena, v->n, size);
    if (*rc == TT_OK && !room)
        *rc = tt_sc_no_memory(b);
    return room;
}

void *tt_sc_read_members(struct tt_sc_build *b, const struct tt_doc *v,
                         size_t size,
                         enum tt_code (*read)(struct tt_sc_build *b,
                                              const struct tt_doc *v, void *to),
                         uint32_t *n, enum tt_code *rc)
{
    char *room = tt_sc_members(b, v, size, rc);

    for (uint32_t i = 0; *rc == TT_OK && i < v->n; i++)
        *rc = read(b, &v->u.child[i], room + i * size);
    *n = room ? v->n : 0;
    return room;
}

enum tt_code tt_sc_number(struct tt_sc_build *b, const struct tt_doc *v,
                          const char *parent, double *out)
{
    if (v->kind == TT_DOC_INTEGER)
        *out = (double)v->u.integer;
    else if (v->kind == TT_DOC_NUMBER)
        *out = v->u.number;
    else
        return tt_sc_wrong(b, v, parent, "a number");
    return TT_OK;
}

enum tt_code tt_sc_integer(struct tt_sc_build *b, const struct tt_doc *v,
                           int64_t *out)
{
    if (v->kind != TT_DOC_INTEGER)
        return tt_sc_wrong(b, v, NULL, "an integer");
    *out = v->u.integer;
    return TT_OK;
}

enum tt_code tt_sc_maybe_bool(struct tt_sc_build *b, const struct tt_doc *v,
                              const char *name, int *out)
{
    const struct tt_doc *d = tt_sc_member(v, name);

    return d ? tt_sc_bool(b, d, out) : TT_OK;
}

enum tt_code tt_sc_maybe_number(struct tt_sc_build *b, const struct tt_doc *v,
                                const char *name, double *out)
{
    const struct tt_doc *d = tt_sc_member(v, name);

    return d ? tt_sc_number(b, d, NULL, out) : TT_OK;
}

enum tt_code tt_sc_number_from(struct tt_sc_build *b, const struct tt_doc *v,
                               unsigned least, const char *what, double *out)
{
    char text[TT_NUM_MAX];
    enum tt_code rc = tt_sc_number(b, v, NULL, out);

    if (rc != TT_OK || (*out >= least && isfinite(*out)))
        return rc;
    tt_num_print_short(text, *out);
    return tt_sc_fail(b, v->where, TT_EINPUT, "%s from %u on, not %s", what,
                      least, text);
}

enum tt_code tt_sc_steps(struct tt_sc_build *b, const struct tt_doc *v,
                         uint32_t most, uint32_t *out)
{
    int64_t n = 0;
    enum tt_code rc = tt_sc_integer(b, v, &n);

    if (rc == TT_OK && (n < 1 || n > most))
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' must be a number of steps from 1 to %u, not "
                          "%lld",
                          v->key, most, (long long)n);
    *out = (uint32_t)n;
    return rc;
}

enum tt_code tt_sc_bool(struct tt_sc_build *b, const struct tt_doc *v, int *out)
{
    if (v->kind != TT_DOC_BOOL)
        return tt_sc_wrong(b, v, NULL, "true or false");
    *out = v->u.integer != 0;
    return TT_OK;
}

enum tt_code tt_sc_text(struct tt_sc_build *b, const struct tt_doc *v,
                        const char *parent, const char **out)
{
    if (v->kind != TT_DOC_TEXT)
        return tt_sc_wrong(b, v, parent, "a string");
    *out = v->u.text;
    return TT_OK;
}

enum tt_code tt_sc_texts(struct tt_sc_build *b, const struct tt_doc *v)
{
    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL, "an array of strings");
    for (uint32_t i = 0; i < v->n; i++)
        if (v->u.child[i].kind != TT_DOC_TEXT)
            return tt_sc_wrong(b, &v->u.child[i], v->key, "a string");
    return TT_OK;
}

enum tt_code tt_sc_words(struct tt_sc_build *b, const struct tt_doc *v, int one,
                         struct tt_sc_word **out, uint32_t *n)
{
    const struct tt_doc *list = v->u.child;
    enum tt_code rc = TT_OK;

    *n = v->n;
    if (one && v->kind == TT_DOC_TEXT) {
        list = v;
        *n = 1;
    } else {
        rc = tt_sc_texts(b, v);
    }
    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->nodes, *out, *n))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < *n; i++)
        (*out)[i] = (struct tt_sc_word){list[i].u.text, list[i].where};
    return TT_OK;
}

/* "'a', 'b' or 'c'" */
static void list_words(char *out, size_t size, const struct tt_sc_choice *c)
{
    size_t used = 0;

    for (uint32_t i = 0; i < c->n && used < size; i++) {
        const char *sep = i == 0 ? "" : i + 1 == c->n ? " or " : ", ";

        used += (size_t)snprintf(out + used, size - used, "%s'%s'", sep,
                                 c->word[i]);
    }
}

enum tt_code tt_sc_choose(struct tt_sc_build *b, struct tt_where w,
                          const struct tt_sc_choice *c, const char *text,
                          uint32_t *out)
{
    char words[256];

    for (uint32_t i = 0; i < c->n; i++) {
        if (strcmp(c->word[i], text) == 0) {
            *out = i;
            return TT_OK;
        }
    }
    list_words(words, sizeof(words), c);
    return tt_sc_fail(b, w, TT_EINPUT, "%s must be %s, not '%s'%s", c->what,
                      words, text,
                      tt_sc_hint(text, c->n, tt_name_in, c->word).s);
}

enum tt_code tt_sc_choose_doc(struct tt_sc_build *b, const struct tt_doc *v,
                              const struct tt_sc_choice *c, uint32_t *out)
{
    const char *text = "";
    enum tt_code rc = tt_sc_text(b, v, NULL, &text);

    return rc == TT_OK ? tt_sc_choose(b, v->where, c, text, out) : rc;
}

enum tt_code tt_sc_member_number(struct tt_sc_build *b, const struct tt_doc *v,
                                 const char *name, double *to, int zero_too)
{
    const struct tt_doc *m = tt_sc_member(v, name);
    char text[TT_NUM_MAX];
    double d = 0;
    enum tt_code rc;

    if (!m)
        return TT_OK;
    rc = tt_sc_number(b, m, NULL, &d);
    if (rc != TT_OK)
        return rc;
    if (d > 0 || (zero_too && d == 0)) {
        *to = d;
        return TT_OK;
    }
    tt_num_print_short(text, d);
    return tt_sc_fail(b, m->where, TT_EINPUT, "'%s' must %s, not %s", name,
                      zero_too ? "not be negative" : "be greater than 0", text);
}

enum tt_code tt_sc_member_word(struct tt_sc_build *b, const struct tt_doc *v,
                               const char *name, const struct tt_sc_choice *c,
                               uint32_t *to)
{
    const struct tt_doc *m = tt_sc_member(v, name);

    if (!m)
        return TT_OK;
    return tt_sc_choose_doc(b, m, c, to);
}

/* The whole */

static void warn_unused(struct tt_sc_build *b)
{
    const tt_scenario *s = b->s;

    for (size_t i = 0; s->n_connection > 0 && i < b->n_unit; i++) {
        const struct tt_sc_draft *d = &b->unit[i];

        if (!(d->named & (TT_SC_BY_CONNECTION | TT_SC_BY_INSTANCES)) &&
            tt_sc_may_warn(b, TT_SC_WARN_UNIT))
            tt_sc_warn(b, d->unit.where, d->unit.name,
                       "instance '%s' is in no connection", d->unit.name);
    }
}

/* An FMU that nothing instantiates. */
static enum tt_code warn_idle(struct tt_sc_build *b)
{
    char *used = tt_zalloc((size_t)b->s->n_fmu + 1, 1);

    if (!used)
        return tt_sc_no_memory(b);
    for (size_t i = 0; i < b->n_unit; i++)
        used[b->unit[i].unit.fmu] = 1;
    for (uint32_t i = 0; i < b->s->n_fmu; i++)
        if (!used[i] && tt_sc_may_warn(b, TT_SC_WARN_UNIT))
            tt_sc_warn(b, b->s->fmu[i].where, NULL,
                       "FMU '%s' is not used: nothing names an instance of it",
                       b->s->fmu[i].key);
    tt_free(used);
    return TT_OK;
}

static void warn_rest(struct tt_sc_build *b)
{
    static const char *const what[TT_SC_WARN_N] = {
        [TT_SC_WARN_FIELD] = "unknown fields",
        [TT_SC_WARN_PARAMETER] = "unused parameters",
        [TT_SC_WARN_UNIT] = "unused instances or FMUs",
    };

    for (int k = 0; k < TT_SC_WARN_N; k++)
        if (b->warned[k] > TT_SC_WARN_MAX)
            tt_log(b->log, TT_LOG_WARN, "%s: %u more %s are not listed",
                   b->s->name, (unsigned)(b->warned[k] - TT_SC_WARN_MAX),
                   what[k]);
}

/* What has grown so far moves into the arena. */
static enum tt_code freeze(struct tt_sc_build *b)
{
    tt_scenario *s = b->s;
    struct tt_sc_unit *unit =
        tt_arena_alloc(s->arena, b->n_unit, sizeof(*unit));

    s->n_unit = (uint32_t)b->n_unit;
    s->n_port = (uint32_t)b->n_port;
    for (size_t i = 0; unit && i < b->n_unit; i++)
        unit[i] = b->unit[i].unit;
    s->unit = unit;
    s->port = tt_arena_dup(s->arena, b->port, s->n_port, sizeof(*b->port));
    s->connection = tt_arena_dup(s->arena, b->connection, s->n_connection,
                                 sizeof(*b->connection));
    s->parameter = tt_arena_dup(s->arena, b->parameter, s->n_parameter,
                                sizeof(*b->parameter));
    return s->unit && s->port && s->connection && s->parameter
               ? tt_sc_freeze_fmus(b)
               : tt_sc_no_memory(b);
}

enum tt_code tt_sc_freeze_fmus(struct tt_sc_build *b)
{
    tt_scenario *s = b->s;
    struct tt_sc_fmu *fmu =
        tt_arena_dup(s->arena, b->fmu, s->n_fmu, sizeof(*fmu));
    struct tt_text_file *file =
        tt_arena_dup(s->arena, b->file, s->n_file, sizeof(*file));

    if (!fmu || !file)
        return tt_sc_no_memory(b);
    s->fmu = fmu;
    s->file = file;
    return TT_OK;
}

static enum tt_code check_times(struct tt_sc_build *b)
{
    tt_scenario *s = b->s;
    char start[TT_NUM_MAX], end[TT_NUM_MAX];

    if (isnan(s->start) || isnan(s->end) || s->end > s->start)
        return TT_OK;
    tt_num_print_short(start, s->start);
    tt_num_print_short(end, s->end);
    return tt_sc_fail(b, s->end_where, TT_EINPUT,
                      "the end time %s s is not after the start time %s s", end,
                      start);
}

enum tt_code tt_sc_finish(struct tt_sc_build *b)
{
    enum tt_code rc;
    char at[512];

    if (b->starved)
        return tt_sc_no_memory(b);
    if (b->n_unit == 0)
        return tt_fail(b->err, TT_EINPUT,
                       "%s: there is nothing to simulate: %s",
                       b->depth ? tt_scenario_at(b->s, b->where, at, sizeof(at))
                       : b->file ? b->file[0].path
                                 : b->s->name,
                       b->s->origin ? "the structure has no component"
                                    : "no instance is named in 'connections', "
                                      "'logVariables', 'parameters' or "
                                      "'instances'");
    rc = check_times(b);
    if (rc != TT_OK)
        return rc;
    warn_unused(b);
    rc = warn_idle(b);
    if (rc == TT_OK)
        rc = tt_sc_check_environment(b);
    if (rc == TT_OK)
        rc = tt_sc_split_fmus(b);
    if (rc == TT_OK)
        rc = freeze(b);
    warn_rest(b);
    return rc;
}
