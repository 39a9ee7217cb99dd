/* SPDX-License-Identifier: MIT */
/* Types and units of connectors in an SSP that is written, as the FMUs declare
 * them. */
#include <string.h>

#include "formats/ssp_write.h"
#include "kinds/kinds.h"
#include "sys/file.h"

/* --- what FMUs declare ---------------------------------------------------- */

tt_unit_type *ssp_open_type(const char *path)
{
    struct tt_source source = {.path = path};
    const struct tt_kind_ops *kind = NULL;
    tt_unit_type *type = NULL;

    if (!tt_file_exists(path) || tt_kind_for(&kind, &source, NULL) != TT_OK ||
        kind->open(&type, &source, NULL) != TT_OK)
        return NULL;
    return type;
}

const struct tt_port *ssp_port_of(const tt_scenario *s,
                                  tt_unit_type *const *type,
                                  const struct tt_sc_ref *r)
{
    const tt_unit_type *t =
        r->unit == TT_NONE ? NULL : type[s->unit[r->unit].fmu];
    uint32_t i = t ? tt_desc_find(&t->desc, r->variable) : TT_NONE;

    return i == TT_NONE ? NULL : &t->desc.port[i];
}

const struct tt_port *ssp_port(const struct ssp_out *o,
                               const struct tt_sc_ref *r)
{
    return ssp_port_of(o->s, o->type, r);
}

/* --- units ---------------------------------------------------------------- */

static int is_same(const struct tt_quantity *a, const struct tt_quantity *b)
{
    return memcmp(a->exponent, b->exponent, sizeof(a->exponent)) == 0 &&
           a->factor == b->factor && a->offset == b->offset;
}

/* The unit of a port as the structure defines it, or NULL: it has none, or FMUs
 * define one name in two ways, and the first one stands. */
static const struct tt_quantity *unit_of(const struct ssp_out *o,
                                         const struct tt_port *p)
{
    const struct tt_quantity *q = p->quantity;
    uint32_t i =
        q && q->has_base ? tt_names_find(&o->unit_by, q->name) : TT_NONE;

    return i != TT_NONE && is_same(o->unit[i], q) ? o->unit[i] : NULL;
}

static int add_unit(struct ssp_out *o, const struct tt_sc_ref *r)
{
    const struct tt_port *p = ssp_port(o, r);
    const struct tt_quantity *q = p ? p->quantity : NULL;

    if (!q || !q->has_base || !tt_type_is_float(p->type) ||
        tt_names_find(&o->unit_by, q->name) != TT_NONE)
        return 0;
    if (TT_GROW(o->unit, o->n_unit, o->cap_unit) != 0 ||
        tt_names_add(&o->unit_by, q->name, (uint32_t)o->n_unit) < 0)
        return -1;
    o->unit[o->n_unit++] = q;
    return 0;
}

static int add_units(struct ssp_out *o)
{
    const tt_scenario *s = o->s;
    int failed = 0;

    for (uint32_t i = 0; !failed && i < s->n_connection; i++)
        failed = add_unit(o, &s->connection[i].from) != 0 ||
                 add_unit(o, &s->connection[i].to) != 0;
    for (uint32_t i = 0; !failed && i < s->n_port; i++)
        for (uint32_t k = 0; !failed && k < s->port[i].n_ref; k++)
            failed = add_unit(o, &s->port[i].ref[k]) != 0;
    return failed ? -1 : 0;
}

/* --- the whole ------------------------------------------------------------ */

enum tt_code ssp_find_types(struct ssp_out *o, tt_err *err)
{
    const tt_scenario *s = o->s;

    if (!TT_NEW_IN(o->places.arena, o->type, s->n_fmu))
        return tt_nomem(err, "exporting");
    for (uint32_t i = 0; i < s->n_fmu; i++)
        if (o->source[i])
            o->type[i] = ssp_open_type(s->fmu[i].path);
    return add_units(o) == 0 ? TT_OK : tt_nomem(err, "exporting");
}

void ssp_drop_types(struct ssp_out *o)
{
    for (uint32_t i = 0; o->type && i < o->s->n_fmu; i++)
        if (o->type[i])
            o->type[i]->kind->close(o->type[i]);
    tt_names_fini(&o->unit_by);
    tt_free(o->unit);
}

/* NULL: the format has none. Enumerations would need their items. */
static const char *type_name(const struct ssp_out *o, enum tt_type t)
{
    if (tt_type_is_enum(t) || t == TT_CLOCK)
        return NULL;
    if (o->two || tt_type_is_bool(t) || tt_type_is_text(t))
        return tt_type_name(t);
    return t == TT_F64 ? "Real" : t == TT_I32 ? "Integer" : NULL;
}

void ssp_put_type(struct tt_buf *b, const struct ssp_out *o,
                  const struct tt_port *p)
{
    const char *name = p ? type_name(o, p->type) : NULL;
    const struct tt_quantity *unit = name ? unit_of(o, p) : NULL;

    if (!name || (p->n_dim && !o->two))
        return;
    tt_buf_fmt(b, "<ssc:%s", name);
    if (unit) {
        tt_buf_str(b, " unit=\"");
        tt_buf_xml(b, unit->name);
        tt_buf_str(b, "\"");
    }
    tt_buf_str(b, "/>");
    for (uint32_t i = 0; i < p->n_dim; i++)
        tt_buf_fmt(b, "<ssc:Dimension size=\"%u\"/>", p->dim[i]);
}
