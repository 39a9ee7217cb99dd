/* SPDX-License-Identifier: MIT */
#include "formats/flat.h"

#include <math.h>
#include <string.h>

#include "formats/move.h"
#include "formats/ssp_write.h"
#include "sys/file.h"

/* --- names ---------------------------------------------------------------- */

static int is_fmu_file(const struct tt_sc_fmu *m)
{
    return m->path && !m->inner && !m->n_clause &&
           strncmp(m->path, "tutti:", 6) != 0 &&
           strncmp(m->path, "coe:", 4) != 0 &&
           !tt_path_ends(m->path, ".json") && !tt_path_ends(m->path, ".sa");
}

static enum tt_code name_fmus(struct tt_flat *f)
{
    const tt_scenario *s = f->s;
    tt_arena *arena = f->beside.arena;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(arena, f->source, s->n_fmu) ||
        !TT_NEW_IN(arena, f->type, s->n_fmu))
        return tt_nomem(f->err, f->t->path);
    for (uint32_t i = 0; rc == TT_OK && i < s->n_fmu; i++) {
        if (!is_fmu_file(&s->fmu[i]))
            continue;
        rc = tt_beside_name(&f->beside, s->fmu[i].path, &f->source[i], f->err);
        if (rc == TT_OK)
            f->type[i] = ssp_open_type(s->fmu[i].path);
    }
    return rc;
}

static enum tt_code name_units(struct tt_flat *f)
{
    const tt_scenario *s = f->s;

    for (uint32_t i = 0; i < s->n_unit; i++)
        if (!f->source[s->unit[i].fmu] || s->unit[i].n_clause)
            tt_format_lost(f->t, s, s->unit[i].where,
                           "'%s' is no FMU as it is; %s knows no others, and "
                           "what it is connected to goes with it",
                           s->unit[i].name, f->format);
    f->name = tt_format_names(s, f->beside.arena, f->source, '_', 0);
    return f->name ? TT_OK : tt_nomem(f->err, f->t->path);
}

enum tt_code tt_flat_begin(struct tt_flat *f, const tt_scenario *s,
                           struct tt_format_target *t, const char *format,
                           tt_err *err)
{
    static const char *const always[] = {"fmus", "instances", "connections",
                                         "transformations", "parameters"};
    enum tt_code rc;

    *f = (struct tt_flat){.s = s, .t = t, .format = format, .err = err};
    for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
        tt_flat_covers(f, always[i]);
    rc = tt_beside_begin(&f->beside, s, t, err);
    if (rc == TT_OK)
        rc = name_fmus(f);
    return rc == TT_OK ? name_units(f) : rc;
}

enum tt_code tt_flat_end(struct tt_flat *f, struct tt_buf *b, enum tt_code rc)
{
    if (rc == TT_OK)
        rc = tt_file_write_buf(f->t->path, b, f->err);
    tt_buf_fini(b);
    for (uint32_t i = 0; f->type && i < f->s->n_fmu; i++)
        if (f->type[i])
            f->type[i]->kind->close(f->type[i]);
    tt_beside_end(&f->beside);
    return rc;
}

/* --- fields --------------------------------------------------------------- */

void tt_flat_covers(struct tt_flat *f, const char *field)
{
    TT_ASSERT(f->n_covered < TT_FLAT_FIELDS);
    f->covered[f->n_covered++] = field;
}

/* Notes of tools, and settings that are as without them. */
static int is_idle(const struct tt_doc *v)
{
    static const char *const idle[] = {"$schema",
                                       "reportProgress",
                                       "multimodel_path",
                                       "multimodel_crc",
                                       "liveGraphColumns",
                                       "liveGraphVisibleRowCount",
                                       "graphs",
                                       "best",
                                       "tried",
                                       "reasons",
                                       "postProcessingScript",
                                       "enableAllLogCategoriesPerInstance"};
    static const struct {
        const char *field, *word;
    } usual[] = {{"approximation", "hold"},
                 {"acceleration", "none"},
                 {"master", "jacobi"}};

    if (tt_name_is_among(v->key, idle, sizeof(idle) / sizeof(*idle)))
        return 1;
    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        if (v->kind == TT_DOC_TEXT && strcmp(v->key, usual[i].field) == 0 &&
            strcmp(v->u.text, usual[i].word) == 0)
            return 1;
    if (v->kind == TT_DOC_ARRAY || v->kind == TT_DOC_OBJECT)
        return v->n == 0;
    return v->kind == TT_DOC_NULL || (v->kind == TT_DOC_BOOL && !v->u.integer);
}

/* One file of ours is printed as it is: then places in it are known. */
static uint32_t file_of(const tt_scenario *s, const struct tt_buf *text)
{
    return s->n_file && s->file[0].n == text->len &&
                   memcmp(s->file[0].text, text->data, text->len) == 0
               ? 0
               : TT_NONE;
}

enum tt_code tt_flat_rest(struct tt_flat *f)
{
    struct tt_text_file file = {.path = f->t->path};
    tt_arena *arena = f->beside.arena;
    struct tt_doc root;
    struct tt_buf text;
    enum tt_code rc;

    tt_buf_init(&text, TT_DOC_MAX);
    rc = tt_scenario_print(&text, f->s, f->err);
    file.text = text.data;
    file.n = text.len;
    if (rc == TT_OK)
        rc = tt_doc_parse(&root, &file, file_of(f->s, &text), arena, arena,
                          f->err);
    for (uint32_t i = 0; rc == TT_OK && i < root.n; i++) {
        const struct tt_doc *v = &root.u.child[i];

        if (!tt_name_is_among(v->key, f->covered, f->n_covered) && !is_idle(v))
            tt_format_lost(f->t, f->s, v->where, "%s has no word for '%s'",
                           f->format, v->key);
    }
    tt_buf_fini(&text);
    return rc;
}

/* --- connections and values ----------------------------------------------- */

const struct tt_port *tt_flat_port(const struct tt_flat *f,
                                   const struct tt_sc_ref *r)
{
    return ssp_port_of(f->s, f->type, r);
}

static int is_converted(const struct tt_flat *f,
                        const struct tt_sc_connection *c)
{
    const struct tt_port *a = tt_flat_port(f, &c->from);
    const struct tt_port *b = tt_flat_port(f, &c->to);
    const struct tt_quantity *p = a ? a->quantity : NULL;
    const struct tt_quantity *q = b ? b->quantity : NULL;

    return p && q && p->has_base && q->has_base &&
           !(c->by && c->by->keep_unit) &&
           (p->factor != q->factor || p->offset != q->offset);
}

int tt_flat_connects(struct tt_flat *f, const struct tt_sc_connection *c)
{
    if (c->from.unit == TT_NONE || c->to.unit == TT_NONE ||
        !f->name[c->from.unit] || !f->name[c->to.unit])
        return 0; /* reported with the instance */
    if (c->by && c->by->n_map) {
        tt_format_lost(f->t, f->s, c->to.where,
                       "%s cannot map values by a table: '%s.%s' is left "
                       "unconnected",
                       f->format, f->s->unit[c->to.unit].name, c->to.variable);
        return 0;
    }
    if (is_converted(f, c))
        tt_format_lost(f->t, f->s, c->to.where,
                       "%s does not convert units: '%s.%s' would get values "
                       "in '%s'",
                       f->format, f->s->unit[c->to.unit].name, c->to.variable,
                       tt_flat_port(f, &c->from)->quantity->name);
    return 1;
}

static const char *why_not(const struct tt_sc_parameter *p)
{
    if (p->value.kind == TT_SC_ARRAY)
        return "it is an array";
    if (p->quantity)
        return "it has a unit of its own";
    if (p->by)
        return "it is transformed";
    return NULL;
}

/* One that may be left out is where the FMU has no such variable. */
int tt_flat_gives(struct tt_flat *f, const struct tt_sc_parameter *p)
{
    const char *why = why_not(p);

    if (p->ref.unit == TT_NONE || !f->name[p->ref.unit] ||
        (p->optional && !tt_flat_port(f, &p->ref)))
        return 0;
    if (why)
        tt_format_lost(f->t, f->s, p->ref.where,
                       "the value of '%s.%s' cannot be written: %s",
                       f->s->unit[p->ref.unit].name, p->ref.variable, why);
    return !why;
}

struct tt_sc_value tt_flat_value(const struct tt_flat *f,
                                 const struct tt_sc_parameter *p)
{
    const struct tt_port *port = tt_flat_port(f, &p->ref);
    const char *name = p->value.kind == TT_SC_TEXT
                           ? p->value.text
                           : tt_sc_value_item(&p->value);
    const struct tt_item *item =
        port && name ? tt_items_find(port->items, name) : NULL;

    return item ? (struct tt_sc_value){.kind = TT_SC_INTEGER,
                                       .integer = item->value,
                                       .number = (double)item->value}
                : p->value;
}

void tt_flat_put_value(struct tt_buf *b, const struct tt_sc_value *v)
{
    if (v->kind == TT_SC_NUMBER)
        tt_buf_num(b, v->number);
    else if (v->kind == TT_SC_TEXT)
        tt_buf_str(b, v->text);
    else if (v->kind == TT_SC_BOOL)
        tt_buf_str(b, v->integer ? "true" : "false");
    else
        tt_buf_fmt(b, "%lld", (long long)v->integer);
}

double tt_flat_step(struct tt_flat *f)
{
    const tt_scenario *s = f->s;
    double span = s->end - (isnan(s->start) ? 0 : s->start);

    if (!isnan(s->step))
        return s->step;
    tt_format_lost(f->t, s, s->step_where,
                   "the step is left open, and %s needs one: a 500th of the "
                   "span, or 0.1 s",
                   f->format);
    return isfinite(span) && span > 0 ? span / 500 : 0.1;
}
