/* SPDX-License-Identifier: MIT */
/* The score as a picture: a column per unit, time downwards, one operation
 * per row; curved lines where values move from a get to a set. */
#include <stdio.h>
#include <string.h>

#include "score/score.h"
#include "unit/call.h"

enum {
    LEFT = 56,
    LANE = 230,
    BOX = 206,
    ROW = 34,
    BOX_H = 24,
    HEAD = 58,
    SECTION = 40,
    MAX_LANES = 40,
    MAX_TEXT = 30,
};

struct picture {
    const tt_score *s;
    const tt_plan *p;
    struct tt_buf *out;
    int *y;            /* per operation: middle of its box */
    int *top;          /* per section: where its first box would be */
    uint32_t *read_by; /* per slot: the get that read it last */
    struct tt_brief brief;
};

static int lane_x(uint32_t unit)
{
    return LEFT + (int)unit * LANE;
}

static const char *style(void)
{
    return "<style>"
           "text{font:12px system-ui,sans-serif;fill:#1f2933}"
           ".h{font-weight:600;font-size:13px}.n{fill:#7b8794;font-size:11px}"
           ".lane{stroke:#cbd2d9;stroke-dasharray:2 4}"
           "rect{stroke-width:1.2}"
           ".get{fill:#e3f2fd;stroke:#1f77b4}.set{fill:#fff3e0;stroke:#d9730d}"
           ".step{fill:#e8f5e9;stroke:#2e7d32}"
           ".save,.restore{fill:#f3e5f5;stroke:#7b1fa2}"
           ".cut{stroke-dasharray:4 3}"
           ".feed{fill:none;stroke:#9aa5b1;stroke-width:1.4}"
           ".rule{stroke:#9aa5b1}"
           "@media(prefers-color-scheme:dark){"
           "text{fill:#e4e7eb}.n{fill:#9aa5b1}.lane,.rule{stroke:#52606d}"
           ".get{fill:#12324a}.set{fill:#4a2c0a}.step{fill:#153d1b}"
           ".save,.restore{fill:#3a1546}.bg{fill:#1f2933}}"
           ".bg{stroke:none}@media(prefers-color-scheme:light){.bg{fill:#fff}}"
           "</style>\n";
}

/* Text that fits a box; the rest is in its title. */
static void short_text(struct tt_buf *out, const char *text)
{
    char cut[MAX_TEXT + 4];
    size_t n = strlen(text);

    if (n <= MAX_TEXT) {
        tt_buf_xml(out, text);
        return;
    }
    n = MAX_TEXT;
    while (n && ((unsigned char)text[n] & 0xc0) == 0x80) /* whole UTF-8 */
        n--;
    snprintf(cut, sizeof(cut), "%.*s...", (int)n, text);
    tt_buf_xml(out, cut);
}

static void ports_text(const struct picture *pic, const struct tt_op *op,
                       struct tt_buf *text)
{
    const struct tt_batch *g = &pic->s->batch[op->arg];

    for (uint32_t k = 0; k < g->n; k++)
        tt_buf_fmt(text, "%s%s", k ? ", " : "",
                   tt_plan_port(pic->p, pic->s->member[g->first + k])->name);
}

static void draw_box(const struct picture *pic, uint32_t i)
{
    const struct tt_op *op = &pic->s->op[i];
    enum tt_op_code code = (enum tt_op_code)op->code;
    int x = lane_x(op->unit) + (LANE - BOX) / 2, y = pic->y[i];
    struct tt_buf words, title;

    tt_buf_init(&words, pic->out->max);
    tt_buf_init(&title, pic->out->max);
    tt_score_op_text(pic->s, i, &title);
    tt_brief_text(&pic->brief, &title, 0);
    tt_buf_str(&words, tt_op_name(code));
    tt_buf_char(&words, ' ');
    if (code == TT_OP_GET || code == TT_OP_SET || code == TT_OP_TICK)
        ports_text(pic, op, &words);
    if (code == TT_OP_STEP)
        tt_buf_fmt(&words, "to %s%u", op->to < TT_S0 ? "T" : "S", op->to % 2);
    tt_buf_str(pic->out, "<g><title>");
    tt_buf_xml(pic->out, title.data ? title.data : "");
    tt_buf_fmt(pic->out,
               "</title><rect class=\"%s%s\" x=\"%d\" y=\"%d\" width=\"%d\" "
               "height=\"%d\" rx=\"5\"/><text x=\"%d\" y=\"%d\" "
               "text-anchor=\"middle\">",
               tt_op_name(code),
               op->flags & (TT_OP_CUT | TT_OP_PREDICTED) ? " cut" : "", x,
               y - BOX_H / 2, BOX, BOX_H, x + BOX / 2, y + 4);
    short_text(pic->out, words.data ? words.data : "");
    tt_buf_str(pic->out, "</text></g>\n");
    tt_buf_fini(&words);
    tt_buf_fini(&title);
}

static void draw_feed(const struct picture *pic, uint32_t get, uint32_t set)
{
    int x1 = lane_x(pic->s->op[get].unit) + LANE / 2;
    int x2 = lane_x(pic->s->op[set].unit) + LANE / 2;
    int y1 = pic->y[get] + BOX_H / 2, y2 = pic->y[set] - BOX_H / 2;

    tt_buf_fmt(pic->out,
               "<path class=\"feed\" marker-end=\"url(#a)\" d=\"M%d %dC%d %d "
               "%d %d %d %d\"/>\n",
               x1, y1, x1, y1 + ROW, x2, y2 - ROW, x2, y2);
}

/* One line per pair of operations, however many values move. */
static void draw_feeds(const struct picture *pic, uint32_t i)
{
    const struct tt_op *op = &pic->s->op[i];
    const struct tt_batch *g = &pic->s->batch[op->arg];
    uint32_t last = TT_NONE;

    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = pic->s->member[g->first + k];
        uint32_t get = pic->read_by[pic->p->feed[pic->p->slot[slot].feed].from];

        if (get == TT_NONE || get == last)
            continue;
        draw_feed(pic, get, i);
        last = get;
    }
}

static void draw_op(const struct picture *pic, uint32_t i)
{
    const struct tt_op *op = &pic->s->op[i];
    struct tt_buf text;

    if (op->unit != TT_NONE) {
        draw_box(pic, i);
        return;
    }
    tt_buf_init(&text, 256);
    tt_score_op_text(pic->s, i, &text);
    tt_buf_fmt(pic->out, "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n",
               LEFT, pic->y[i] + 4, text.data ? text.data : "");
    tt_buf_fini(&text);
}

/* Remember what each box read; lines are drawn under the boxes. */
static void follow(const struct picture *pic, uint32_t i)
{
    const struct tt_op *op = &pic->s->op[i];

    if (op->code == TT_OP_SET)
        draw_feeds(pic, i);
    if (op->code == TT_OP_GET) {
        const struct tt_batch *g = &pic->s->batch[op->arg];

        for (uint32_t k = 0; k < g->n; k++)
            pic->read_by[pic->s->member[g->first + k]] = i;
    }
}

static int is_drawn(const struct picture *pic, int section)
{
    return pic->s->section[section].n && section != TT_SEC_START &&
           tt_score_shows(pic->s, (enum tt_section)section);
}

static int place(const struct picture *pic)
{
    int y = HEAD;

    for (int sec = 0; sec < TT_SEC_N; sec++) {
        uint32_t first = pic->s->section[sec].first;

        if (!is_drawn(pic, sec))
            continue;
        y += SECTION;
        pic->top[sec] = y;
        for (uint32_t k = 0; k < pic->s->section[sec].n; k++, y += ROW)
            pic->y[first + k] = y;
    }
    return y;
}

static void draw_frame(const struct picture *pic, int width, int height)
{
    tt_buf_fmt(pic->out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
               "height=\"%d\" viewBox=\"0 0 %d %d\">\n",
               width, height, width, height);
    tt_buf_str(pic->out, style());
    tt_buf_str(pic->out,
               "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" "
               "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
               "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#9aa5b1\"/>"
               "</marker></defs>\n");
    tt_buf_fmt(pic->out, "<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n",
               width, height);
    for (uint32_t u = 0; u < pic->p->n_unit; u++) {
        int x = lane_x(u) + LANE / 2;

        tt_buf_fmt(pic->out,
                   "<line class=\"lane\" x1=\"%d\" y1=\"44\" x2=\"%d\" "
                   "y2=\"%d\"/><text class=\"h\" x=\"%d\" y=\"30\" "
                   "text-anchor=\"middle\">",
                   x, x, height - 10, x);
        short_text(pic->out, tt_brief_name(&pic->brief, pic->p->unit[u].name));
        tt_buf_str(pic->out, "</text>\n");
    }
}

static void draw_all(const struct picture *pic)
{
    int height = place(pic) + 10;
    int width = LEFT + (int)pic->p->n_unit * LANE + 16;

    draw_frame(pic, width, height);
    for (int sec = 0; sec < TT_SEC_N; sec++) {
        uint32_t first = pic->s->section[sec].first;
        uint32_t n = pic->s->section[sec].n;
        int rule = pic->top[sec] - ROW / 2 - 3;

        if (!is_drawn(pic, sec))
            continue;
        tt_buf_fmt(pic->out,
                   "<text class=\"h\" x=\"10\" y=\"%d\">%s</text><line "
                   "class=\"rule\" x1=\"10\" y1=\"%d\" x2=\"%d\" "
                   "y2=\"%d\"/>\n",
                   rule - 5, tt_section_name((enum tt_section)sec), rule,
                   width - 10, rule);
        for (uint32_t k = 0; k < n; k++)
            follow(pic, first + k);
        for (uint32_t k = 0; k < n; k++)
            draw_op(pic, first + k);
    }
    tt_buf_str(pic->out, "</svg>\n");
}

void tt_score_svg(const tt_score *s, struct tt_buf *out)
{
    int top[TT_SEC_N] = {0};
    struct picture pic = {.s = s, .p = s->plan, .out = out, .top = top};

    if (s->plan->n_unit > MAX_LANES) {
        tt_buf_fmt(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"520\" "
                   "height=\"40\"><text x=\"10\" y=\"25\">%u instances are too "
                   "many for a picture; the table lists every operation."
                   "</text></svg>\n",
                   s->plan->n_unit);
        return;
    }
    tt_plan_brief(s->plan, &pic.brief);
    if (TT_NEW_ARRAY(pic.y, s->n_op) &&
        TT_NEW_ARRAY(pic.read_by, s->plan->n_slot)) {
        memset(pic.read_by, 0xff, s->plan->n_slot * sizeof(*pic.read_by));
        draw_all(&pic);
    } else {
        out->failed = 1;
    }
    tt_brief_fini(&pic.brief);
    TT_FREE_ALL(pic.y, pic.read_by);
}
