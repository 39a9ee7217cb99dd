/* SPDX-License-Identifier: MIT */
/* What a search found, for people and for machines. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"
#include "tune/tune.h"

static const char *state_name(enum tt_tune_state s)
{
    static const char *const name[] = {"open", "done",     "failed", "crashed",
                                       "late", "unstable", "cut"};

    return name[s];
}

const char *tt_tune_role_name(enum tt_tune_role r)
{
    static const char *const name[] = {"candidate", "reference",
                                       "confirmation"};

    return name[r];
}

/* Candidates within the tolerance, the cheapest first, at most `keep`. Returns
 * how many; at[]: of tried. */
static uint32_t find_kept(const struct tt_tune *t, double tolerance,
                          uint32_t keep, uint32_t *at)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n_tried; i++) {
        const struct tt_tune_try *x = &t->tried[i];
        uint32_t k = n;

        if (x->role != TT_TUNE_CANDIDATE || x->state != TT_TUNE_DONE ||
            !(x->error <= tolerance) || x->why[0])
            continue;
        for (; k > 0 && t->tried[at[k - 1]].cost > x->cost; k--)
            at[k] = at[k - 1];
        at[k] = i;
        n++;
    }
    return n < keep ? n : keep;
}

static void put_number(struct tt_buf *b, double v, size_t width)
{
    char text[TT_NUM_MAX] = "";

    if (!isnan(v))
        tt_num_print_digits(text, v, 3);
    tt_show_pad(b, text, width, 1, 0);
}

static void put_row(struct tt_buf *b, const struct tt_tune *t, uint32_t i)
{
    const struct tt_tune_try *x = &t->tried[i];

    tt_buf_str(b, i == t->best ? "* " : "  ");
    tt_show_pad(b, t->way[x->way], 44, 0, 1);
    put_number(b, x->step, 10);
    put_number(b, x->error, 11);
    put_number(b, x->cost, 11);
    tt_buf_str(b, "  ");
    if (x->role != TT_TUNE_CANDIDATE)
        tt_buf_str(b, tt_tune_role_name(x->role));
    if (x->role != TT_TUNE_CANDIDATE && x->why[0])
        tt_buf_str(b, "; ");
    tt_show_clean(b, x->why);
    while (b->len && b->data[b->len - 1] == ' ')
        b->data[--b->len] = 0;
    tt_buf_char(b, '\n');
}

void tt_tune_put_begin(struct tt_buf *b, const struct tt_tune *t,
                       const char *before, const char *after)
{
    char at[TT_NUM_MAX], to[TT_NUM_MAX];

    if (!t->begin_by)
        return;
    tt_num_print_short(at, t->begin);
    tt_num_print_short(to, t->end);
    tt_buf_fmt(b, "%sErrors and costs are those of %s s to %s s.%s", before, at,
               to, after);
}

void tt_tune_text(struct tt_buf *b, const struct tt_tune *t, double tolerance,
                  uint32_t keep)
{
    uint32_t *at = tt_zalloc(t->n_tried + 1, sizeof(*at));
    uint32_t n = at ? find_kept(t, tolerance, keep, at) : 0;
    size_t from = b->len;

    tt_tune_put_begin(b, t, "", "\n\n");
    tt_buf_str(b, "  variant                                         step, s   "
                  "   error       cost\n");
    for (uint32_t i = 0; i < t->n_tried; i++)
        put_row(b, t, i);
    tt_buf_char(b, '\n');
    for (uint32_t i = 0; i < t->n_reason; i++)
        tt_buf_fmt(b, "%s\n", t->reason[i]);
    if (n > 1)
        tt_buf_str(b, "\nWithin the tolerance, the cheapest first:\n");
    for (uint32_t i = 0; n > 1 && i < n; i++)
        put_row(b, t, at[i]);
    tt_brief_text(&t->brief, b, from);
    tt_free(at);
}

void tt_tune_list_text(struct tt_buf *b, const struct tt_tune *t)
{
    for (uint32_t i = 0; i < t->n_variant; i++)
        tt_buf_fmt(b, "%5u  %s\n", i + 1, t->variant[i].words);
    tt_buf_str(b, "\n");
    for (uint32_t i = 0; i < t->n_reason; i++)
        tt_buf_fmt(b, "%s\n", t->reason[i]);
}

static void put_reasons(struct tt_buf *b, const struct tt_tune *t)
{
    tt_buf_str(b, "\"reasons\": [");
    for (uint32_t i = 0; i < t->n_reason; i++) {
        tt_buf_str(b, i ? ",\n    " : "\n    ");
        tt_buf_json(b, t->reason[i]);
    }
    tt_buf_str(b, "\n  ]");
}

void tt_tune_list_json(struct tt_buf *b, const struct tt_tune *t)
{
    tt_buf_str(b, "{\n  \"variants\": [");
    for (uint32_t i = 0; i < t->n_variant; i++) {
        tt_buf_str(b, i ? ",\n    " : "\n    ");
        tt_json_text(b, "{\"variant\": ", t->variant[i].words);
        tt_buf_fmt(b, ", \"settings\": %s}", t->variant[i].settings);
    }
    tt_buf_str(b, "\n  ],\n  ");
    put_reasons(b, t);
    tt_buf_str(b, "\n}\n");
}

static void put_member(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, ", \"%s\": ", name);
    tt_show_json_num(b, v);
}

static void put_try(struct tt_buf *b, const struct tt_tune *t, uint32_t i)
{
    const struct tt_tune_try *x = &t->tried[i];

    tt_json_text(b, "{\"variant\": ", t->way[x->way]);
    put_member(b, "step", x->step);
    tt_buf_fmt(b, ", \"role\": \"%s\", \"state\": \"%s\"",
               tt_tune_role_name(x->role), state_name(x->state));
    put_member(b, "error", x->error);
    put_member(b, "cost", x->cost);
    put_member(b, "rho", x->rho);
    if (x->settings)
        tt_buf_fmt(b, ", \"settings\": %s", x->settings);
    tt_json_text(b, ", \"why\": ", x->why[0] ? x->why : NULL);
    tt_buf_char(b, '}');
}

void tt_tune_members(struct tt_buf *b, const struct tt_tune *t,
                     double tolerance, uint32_t keep)
{
    uint32_t *at = tt_zalloc(t->n_tried + 1, sizeof(*at));
    uint32_t n = at ? find_kept(t, tolerance, keep, at) : 0;

    tt_buf_str(b, "\"best\": ");
    if (t->best == TT_NONE) {
        tt_buf_str(b, "null");
    } else {
        put_try(b, t, t->best);
        b->len -= b->failed ? 0 : 1; /* more members */
        tt_buf_fmt(b, ", \"within\": %s, \"confirmed\": %s, \"kept\": [",
                   t->within ? "true" : "false",
                   t->confirmed ? "true" : "false");
        for (uint32_t i = 0; i < n; i++) {
            tt_buf_str(b, i ? ", " : "");
            put_try(b, t, at[i]);
        }
        tt_buf_str(b, "]}");
    }
    tt_buf_str(b, ",\n  \"tried\": [");
    for (uint32_t i = 0; i < t->n_tried; i++) {
        tt_buf_str(b, i ? ",\n    " : "\n    ");
        put_try(b, t, i);
    }
    tt_buf_str(b, "\n  ],\n  ");
    put_reasons(b, t);
    tt_free(at);
}

void tt_tune_json(struct tt_buf *b, const struct tt_tune *t, double tolerance,
                  uint32_t keep)
{
    tt_buf_str(b, "{\n  ");
    tt_tune_members(b, t, tolerance, keep);
    if (t->begin_by) {
        tt_json_num(b, ",\n  \"warm\": {\"time\": ", t->begin);
        put_member(b, "cost", t->begin_cost);
        tt_json_text(b, ", \"by\": ", t->begin_by);
        tt_buf_char(b, '}');
    }
    tt_buf_fmt(b, ",\n  \"runs\": %u\n}\n", t->n_run);
}
