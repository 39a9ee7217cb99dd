/* SPDX-License-Identifier: MIT */
/* Where elements are drawn, in both directions.
 *
 * In an SSP y points up and a unit is a millimetre (SSP 2.0, 5.3.2.7); in a
 * diagram of ours y points down and a unit is a pixel. A quarter of a
 * millimetre for a pixel is near enough, and exact both ways. */
#include <math.h>
#include <string.h>

#include "formats/fields.h"
#include "formats/ssp_impl.h"
#include "formats/ssp_write.h"

#define PIXELS 4.0 /* in a millimetre */

/* Corners as they are written: the first may be right of the second, or above
 * it. */
struct rect {
    double x1, y1, x2, y2;
};

/* From coordinates within a system to those of the outermost one:
 * x -> ax + bx x. */
struct frame {
    int known;
    double ax, bx, ay, by;
};

struct ssp_drawing {
    uint32_t *first, *next; /* of each element: the first in it, and the next
                             * beside it; TT_NONE */
    struct frame *frame;    /* of each element that is a system */
    struct rect *canvas;    /* ... its own coordinates; x1 is NaN: unknown */
    struct rect *rect; /* of each element, in the system it is in; the same */
};

static const struct rect nowhere = {(double)NAN, (double)NAN, (double)NAN,
                                    (double)NAN};

static int is_somewhere(const struct rect *r)
{
    return isfinite(r->x1) && isfinite(r->y1) && isfinite(r->x2) &&
           isfinite(r->y2) && r->x1 != r->x2 && r->y1 != r->y2;
}

static enum tt_code read_rect(struct ssp *s, const struct ssp_doc *d,
                              const struct tt_xml_node *node, struct rect *r)
{
    enum tt_code rc = TT_OK;

    *r = nowhere;
    if (!node)
        return TT_OK;
    rc = ssp_number(s, d, node, "x1", &r->x1);
    if (rc == TT_OK)
        rc = ssp_number(s, d, node, "y1", &r->y1);
    if (rc == TT_OK)
        rc = ssp_number(s, d, node, "x2", &r->x2);
    if (rc == TT_OK)
        rc = ssp_number(s, d, node, "y2", &r->y2);
    return rc;
}

/* Lying on its side it takes as much room as it is tall. */
static enum tt_code turn(struct ssp *s, const struct ssp_doc *d,
                         const struct tt_xml_node *node, struct rect *r)
{
    double angle = 0, x = (r->x1 + r->x2) / 2, y = (r->y1 + r->y2) / 2;
    double w = (r->x2 - r->x1) / 2, h = (r->y2 - r->y1) / 2;
    enum tt_code rc = node ? ssp_number(s, d, node, "rotation", &angle) : TT_OK;

    if (rc == TT_OK && fabs(remainder(angle, 180)) > 45)
        *r = (struct rect){x - h, y - w, x + h, y + w};
    return rc;
}

static void widen(struct rect *all, const struct rect *r)
{
    all->x1 = fmin(all->x1, fmin(r->x1, r->x2));
    all->y1 = fmin(all->y1, fmin(r->y1, r->y2));
    all->x2 = fmax(all->x2, fmax(r->x1, r->x2));
    all->y2 = fmax(all->y2, fmax(r->y1, r->y2));
}

/* Where it is in its system; a structure in a component's place is where the
 * component is. Those above come first. */
static enum tt_code place_element(struct ssp *s, struct ssp_drawing *g,
                                  size_t i)
{
    const struct ssp_element *e = &s->element[i];
    const struct ssp_doc *d = e->outer ? e->outer_doc : e->doc;
    const struct tt_xml_node *at =
        ssp_child(e->outer ? e->outer : e->node, "ElementGeometry");
    enum tt_code rc = read_rect(s, d, at, &g->rect[i]);

    if (rc == TT_OK)
        rc = turn(s, d, at, &g->rect[i]);
    if (rc == TT_OK && e->what == SSP_SYSTEM)
        rc = read_rect(s, e->doc, ssp_child(e->node, "SystemGeometry"),
                       &g->canvas[i]);
    return rc;
}

/* A system that states no canvas has what is drawn in it (SSP 2.0,
 * 5.3.2.7). */
static void find_canvases(struct ssp *s, struct ssp_drawing *g)
{
    for (size_t i = 1; i < s->n_element; i++) {
        uint32_t up = s->element[i].up;

        if (is_somewhere(&g->rect[i]) &&
            !ssp_child(s->element[up].node, "SystemGeometry"))
            widen(&g->canvas[up], &g->rect[i]);
    }
}

static struct rect seen_from_outside(const struct frame *f,
                                     const struct rect *r)
{
    return (struct rect){f->ax + f->bx * r->x1, f->ay + f->by * r->y1,
                         f->ax + f->bx * r->x2, f->ay + f->by * r->y2};
}

static struct frame frame_of(const struct rect *canvas, const struct rect *to)
{
    struct frame f = {.known = is_somewhere(canvas)};

    if (!f.known)
        return f;
    f.bx = (to->x2 - to->x1) / (canvas->x2 - canvas->x1);
    f.by = (to->y2 - to->y1) / (canvas->y2 - canvas->y1);
    f.ax = to->x1 - f.bx * canvas->x1;
    f.ay = to->y1 - f.by * canvas->y1;
    return f;
}

static void find_frames(struct ssp *s, struct ssp_drawing *g)
{
    g->frame[0] = (struct frame){.known = 1, .bx = 1, .by = 1};
    for (size_t i = 1; i < s->n_element; i++) {
        const struct frame *up = &g->frame[s->element[i].up];
        struct rect r;

        if (!up->known || !is_somewhere(&g->rect[i]))
            continue;
        r = seen_from_outside(up, &g->rect[i]);
        if (s->element[i].what == SSP_SYSTEM)
            g->frame[i] = frame_of(&g->canvas[i], &r);
    }
}

static void put_rect(struct tt_buf *b, const char *unit, const struct rect *r)
{
    const double at[] = {fmin(r->x1, r->x2), -fmax(r->y1, r->y2),
                         fmax(r->x1, r->x2), -fmin(r->y1, r->y2)};

    tt_fields_key(b, unit);
    for (size_t i = 0; i < 4; i++) {
        tt_buf_char(b, i ? ',' : '[');
        tt_buf_num(b, PIXELS * at[i] + 0.0); /* no negative zero */
    }
    tt_buf_char(b, ']');
}

/* In the coordinates of its system, or (`outside`) of the outermost one. */
static void put_element(struct ssp *s, uint32_t i, int outside,
                        struct tt_buf *b)
{
    const struct ssp_element *e = &s->element[i];
    const struct frame *up = &s->drawing->frame[e->up];
    struct rect r = s->drawing->rect[i];

    if (!e->unit || !is_somewhere(&r) || (outside && !up->known))
        return;
    if (outside)
        r = seen_from_outside(up, &r);
    if (is_somewhere(&r))
        put_rect(b, e->unit, &r);
}

static void put_elements(struct ssp *s, uint32_t system, struct tt_buf *b)
{
    if (system == TT_NONE)
        for (uint32_t i = 1; i < s->n_element; i++)
            put_element(s, i, 1, b);
    else
        for (uint32_t i = s->drawing->first[system]; i != TT_NONE;
             i = s->drawing->next[i])
            put_element(s, i, 0, b);
}

static void find_chains(struct ssp *s, struct ssp_drawing *g)
{
    for (size_t i = 0; i < s->n_element; i++)
        g->first[i] = TT_NONE;
    for (uint32_t i = (uint32_t)s->n_element; i-- > 1;) {
        g->next[i] = g->first[s->element[i].up];
        g->first[s->element[i].up] = i;
    }
}

static struct ssp_drawing *new_drawing(tt_arena *arena, size_t n)
{
    struct ssp_drawing *g = tt_arena_alloc(arena, 1, sizeof(*g));

    if (!g)
        return NULL;
    g->first = tt_arena_alloc(arena, n, sizeof(*g->first));
    g->next = tt_arena_alloc(arena, n, sizeof(*g->next));
    g->frame = tt_arena_alloc(arena, n, sizeof(*g->frame));
    g->canvas = tt_arena_alloc(arena, n, sizeof(*g->canvas));
    g->rect = tt_arena_alloc(arena, n, sizeof(*g->rect));
    return g->first && g->next && g->frame && g->canvas && g->rect ? g : NULL;
}

/* Once, for all systems. */
static enum tt_code prepare(struct ssp *s)
{
    struct ssp_drawing *g;
    enum tt_code rc = TT_OK;

    if (s->drawing)
        return TT_OK;
    s->drawing = g = new_drawing(s->arena, s->n_element);
    if (!g)
        return tt_sc_no_memory(s->b);
    for (size_t i = 0; rc == TT_OK && i < s->n_element; i++) {
        g->rect[i] = g->canvas[i] = nowhere;
        rc = place_element(s, g, i);
    }
    if (rc != TT_OK)
        return rc;
    find_canvases(s, g);
    find_chains(s, g);
    find_frames(s, g);
    return TT_OK;
}

static void begin_drawn(struct tt_buf *b)
{
    tt_buf_init(b, SSP_MOST_BYTES);
    tt_buf_str(b, "{\"diagram\":{");
}

/* Where nothing is drawn there is no field. */
static void end_drawn(struct tt_buf *b)
{
    if (b->len && b->data[b->len - 1] == '{')
        tt_buf_clear(b);
    else
        tt_buf_str(b, "}}");
}

enum tt_code ssp_draw(struct ssp *s, tt_sc_build *b, uint32_t system)
{
    const struct ssp_element *e = &s->element[system == TT_NONE ? 0 : system];
    struct tt_buf json;
    enum tt_code rc = prepare(s);

    if (rc != TT_OK)
        return rc;
    begin_drawn(&json);
    put_elements(s, system, &json);
    end_drawn(&json);
    rc = tt_fields_read(b, &json, ssp_where(e->doc, e->node), NULL, s->arena,
                        s->err);
    tt_buf_fini(&json);
    return rc;
}

/* --- an export of ours ---------------------------------------------------- */

/* Components of it are all in the outermost system, and know their
 * instances. */
static enum tt_code put_own(struct ssp *s, const struct ssp_doc *d,
                            struct tt_buf *b)
{
    const struct tt_xml_node *system = ssp_child(tt_xml_root(d->xml), "System");
    const struct tt_xml_node *all =
        system ? ssp_child(system, "Elements") : NULL;
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *c = all ? all->children : NULL;
         rc == TT_OK && c; c = c->next) {
        const struct tt_xml_node *at = ssp_child(c, "ElementGeometry");
        const char *unit = ssp_own_name(c);
        struct rect r;

        rc = read_rect(s, d, unit ? at : NULL, &r);
        if (rc == TT_OK)
            rc = turn(s, d, unit ? at : NULL, &r);
        if (rc == TT_OK && is_somewhere(&r))
            put_rect(b, unit, &r);
    }
    return rc;
}

static int is_same(const struct tt_doc *a, const struct tt_doc *b)
{
    if (!a || a->kind != TT_DOC_ARRAY || a->n != b->n)
        return 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (tt_doc_number(&a->u.child[i], (double)NAN) !=
            tt_doc_number(&b->u.child[i], 0))
            return 0;
    return 1;
}

/* The member of that name, which probably is number i. */
static const struct tt_doc *member_at(const struct tt_doc *v, uint32_t i,
                                      const char *key)
{
    if (i < v->n && strcmp(v->u.child[i].key, key) == 0)
        return &v->u.child[i];
    return tt_doc_find(v, key);
}

/* Were all of these drawn there when the scenario was put in? */
static int is_as_it_was(const struct tt_doc *own, const struct tt_doc *drawn)
{
    const struct tt_doc *was = tt_doc_find(own, "diagram");

    if (was && was->kind != TT_DOC_OBJECT)
        was = NULL;
    for (uint32_t i = 0; i < drawn->n; i++)
        if (!was || !is_same(member_at(was, i, drawn->u.child[i].key),
                             &drawn->u.child[i]))
            return 0;
    return 1;
}

static enum tt_code lay_over(struct ssp *s, const char *json,
                             const struct tt_buf *drawn, struct tt_buf *out)
{
    const struct tt_text_file text = {"", json, strlen(json)};
    const struct tt_text_file over = {"", drawn->data, drawn->len};
    struct tt_doc root, more;
    enum tt_code rc =
        tt_doc_parse(&root, &text, TT_NONE, s->arena, s->arena, s->err);

    if (rc == TT_OK)
        rc = tt_doc_parse(&more, &over, TT_NONE, s->arena, s->arena, s->err);
    if (rc != TT_OK || root.kind != TT_DOC_OBJECT ||
        is_as_it_was(&root, more.u.child))
        return rc;
    rc = tt_doc_merge(&root, &more, s->arena, s->err);
    if (rc == TT_OK)
        tt_doc_print(out, &root);
    return rc;
}

enum tt_code ssp_redraw(struct ssp *s, const struct ssp_doc *d,
                        const char *json, struct tt_buf *out)
{
    struct tt_buf drawn;
    enum tt_code rc;

    begin_drawn(&drawn);
    rc = put_own(s, d, &drawn);
    end_drawn(&drawn);
    if (rc == TT_OK)
        rc = tt_buf_check(&drawn, d->path, s->err);
    if (rc == TT_OK && drawn.len)
        rc = lay_over(s, json, &drawn, out);
    tt_buf_fini(&drawn);
    return rc;
}

/* --- writing -------------------------------------------------------------- */

static void put_corners(struct tt_buf *b, const char *element,
                        const struct rect *r)
{
    const char *const name[] = {"x1", "y1", "x2", "y2"};
    const double at[] = {r->x1, -r->y2, r->x2, -r->y1};

    tt_buf_fmt(b, "<ssd:%s", element);
    for (size_t i = 0; i < 4; i++)
        tt_xml_num(b, name[i], at[i] / PIXELS + 0.0);
    tt_buf_str(b, "/>\n");
}

static struct rect box_rect(const struct tt_sc_box *x)
{
    return (struct rect){x->x1, x->y1, x->x2, x->y2};
}

int ssp_find_boxes(struct ssp_out *o)
{
    const tt_scenario *s = o->s;

    o->box = tt_arena_alloc(o->places.arena, s->n_unit, sizeof(*o->box));
    for (uint32_t i = 0; o->box && i < s->n_box; i++)
        o->box[s->box[i].unit] = &s->box[i];
    return o->box ? 0 : -1;
}

void ssp_put_box(struct tt_buf *b, const struct ssp_out *o, uint32_t unit)
{
    struct rect r;

    if (!o->box[unit])
        return;
    r = box_rect(o->box[unit]);
    tt_buf_str(b, "        ");
    put_corners(b, "ElementGeometry", &r);
}

void ssp_put_canvas(struct tt_buf *b, const struct ssp_out *o)
{
    struct rect all = nowhere;

    for (uint32_t i = 0; i < o->s->n_unit; i++)
        if (o->name[i] && o->box[i]) {
            struct rect r = box_rect(o->box[i]);

            widen(&all, &r);
        }
    if (!is_somewhere(&all))
        return;
    tt_buf_str(b, "    ");
    put_corners(b, "SystemGeometry", &all);
}
