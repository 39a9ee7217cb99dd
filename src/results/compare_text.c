/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/brief.h"
#include "base/num.h"
#include "results/compare_impl.h"
#include "results/markup.h"

#define NAME_MIN 6  /* width of the first column */
#define NAME_MAX 48 /* longer names push their row to the right */
#define EXACT    22 /* powers of ten up to here are exact doubles */

/* Three digits are enough to judge an error. */
static size_t print3(char *out, double v)
{
    int e;

    if (v == 0 || !isfinite(v))
        return tt_num_print_short(out, v);
    e = (int)floor(log10(fabs(v))) - 2;
    if (e < 0 && e >= -EXACT) /* quotients of exact numbers round correctly */
        v = round(v * pow(10, -e)) / pow(10, -e);
    else if (e >= 0 && e <= EXACT)
        v = round(v / pow(10, e)) * pow(10, e);
    return tt_num_print_short(out, v);
}

static void right(struct tt_buf *b, size_t width, const char *text)
{
    for (size_t n = tt_markup_length(text); n < width; n++)
        tt_buf_char(b, ' ');
    tt_buf_str(b, text);
}

static void left(struct tt_buf *b, size_t width, const char *text)
{
    tt_buf_str(b, text);
    for (size_t n = tt_markup_length(text); n < width; n++)
        tt_buf_char(b, ' ');
}

static void number(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX];

    print3(text, v);
    right(b, 12, text);
}

static size_t name_width(const struct tt_compare *c,
                         const struct tt_brief *brief)
{
    size_t width = NAME_MIN;

    for (size_t i = 0; i < c->n; i++) {
        size_t n = tt_markup_length(tt_brief_name(brief, c->column[i].name));

        if (n > width && n <= NAME_MAX)
            width = n;
    }
    return width;
}

static void column_line(struct tt_buf *b, const struct tt_compare *c,
                        const struct tt_compare_column *col,
                        const struct tt_brief *brief, size_t width)
{
    left(b, width, tt_brief_name(brief, col->name));
    if (col->verdict == TT_COMPARE_MISSING) {
        tt_buf_fmt(b, "  missing in %s\n", c->file_a);
        return;
    }
    if (col->is_text) {
        right(b, 12, "text");
        right(b, 12, "");
    } else {
        number(b, col->max_abs);
        number(b, col->rms);
    }
    if (col->is_text && col->beyond == 0)
        right(b, 12, "");
    else
        number(b, col->at);
    if (col->verdict == TT_COMPARE_SAME)
        tt_buf_str(b, "  ok\n");
    else
        tt_buf_fmt(b, "  DIFFERENT in %zu of %zu rows\n", col->beyond,
                   c->pairs);
}

static void rows_sentence(struct tt_buf *b, const struct tt_compare *c)
{
    char t[TT_NUM_MAX];

    if (c->rows_a != c->rows_b)
        tt_buf_fmt(b, "%s has %zu rows, %s has %zu\n", c->file_a, c->rows_a,
                   c->file_b, c->rows_b);
    if (c->alone_a + c->alone_b == 0)
        return;
    tt_num_print_short(t, c->first_alone);
    if (c->interpolated)
        tt_buf_fmt(b,
                   "%zu rows of %s lie outside the times of %s, the first at "
                   "t=%s s\n",
                   c->alone_b, c->file_b, c->file_a, t);
    else
        tt_buf_fmt(b,
                   "%zu rows of %s and %zu of %s have no partner at their "
                   "time, the first at t=%s s\n",
                   c->alone_a, c->file_a, c->alone_b, c->file_b, t);
}

void compare_tolerance(struct tt_buf *b, const struct tt_compare *c)
{
    char text[TT_NUM_MAX];

    if (c->atol == 0 && c->rtol == 0) {
        tt_buf_str(b, "to the last bit");
        return;
    }
    tt_num_print_short(text, c->atol);
    tt_buf_fmt(b, "within %s", text);
    if (c->rtol > 0) {
        tt_num_print_short(text, c->rtol);
        tt_buf_fmt(b, " + %s*|b|", text);
    }
}

static void verdict(struct tt_buf *b, const struct tt_compare *c)
{
    size_t missing = 0, different = 0;

    for (size_t i = 0; i < c->n; i++) {
        missing += c->column[i].verdict == TT_COMPARE_MISSING;
        different += c->column[i].verdict == TT_COMPARE_DIFFERENT;
    }
    if (c->same) {
        tt_buf_fmt(b, "same: %zu columns agree in %zu rows ", c->n, c->pairs);
        compare_tolerance(b, c);
        tt_buf_char(b, '\n');
        return;
    }
    tt_buf_fmt(b, "different: %zu of %zu columns do not agree ", different,
               c->n);
    compare_tolerance(b, c);
    if (missing)
        tt_buf_fmt(b, ", %zu missing", missing);
    if (c->alone_a + c->alone_b)
        tt_buf_fmt(b, ", %zu rows without a partner", c->alone_a + c->alone_b);
    tt_buf_char(b, '\n');
}

void tt_compare_text(struct tt_buf *b, const struct tt_compare *c)
{
    struct tt_brief brief;
    size_t width;

    if (c->events) {
        compare_events_text(b, c);
        return;
    }
    tt_brief_init(&brief);
    for (size_t i = 0; i < c->n; i++)
        tt_brief_add(&brief, c->column[i].name);
    for (size_t i = 0; i < c->n_extra; i++)
        tt_brief_add(&brief, c->extra[i]);
    width = name_width(c, &brief);
    left(b, width, "column");
    right(b, 12, "max error");
    right(b, 12, "rms");
    right(b, 12, "at t");
    tt_buf_char(b, '\n');
    for (size_t i = 0; i < c->n; i++)
        column_line(b, c, &c->column[i], &brief, width);
    for (size_t i = 0; i < c->n_extra; i++) {
        left(b, width, tt_brief_name(&brief, c->extra[i]));
        tt_buf_fmt(b, "  only in %s\n", c->file_a);
    }
    tt_brief_fini(&brief);
    rows_sentence(b, c);
    verdict(b, c);
}

/* --- JSON -------------------------------------------------------------- */

/* JSON has no NaN or infinity: these are texts that JavaScript and Python
 * turn into numbers. */
void compare_json_number(struct tt_buf *b, const char *key, double v)
{
    char text[TT_NUM_MAX];

    if (isfinite(v)) {
        tt_num_print_short(text, v);
        tt_buf_fmt(b, ",\"%s\":%s", key, text);
    } else {
        tt_num_print(text, v);
        tt_buf_fmt(b, ",\"%s\":\"%s\"", key, text);
    }
}

static void json_column(struct tt_buf *b, const struct tt_compare_column *col)
{
    static const char *const word[] = {"same", "different", "missing"};

    tt_json_text(b, "{\"name\":", col->name);
    tt_buf_fmt(b, ",\"verdict\":\"%s\"", word[col->verdict]);
    if (col->verdict != TT_COMPARE_MISSING) {
        tt_buf_fmt(b, ",\"beyond\":%zu", col->beyond);
        if (!col->is_text) {
            compare_json_number(b, "maxAbs", col->max_abs);
            compare_json_number(b, "rms", col->rms);
            compare_json_number(b, "a", col->a);
            compare_json_number(b, "b", col->b);
        }
        if (!col->is_text || col->beyond)
            compare_json_number(b, "at", col->at);
    }
    tt_buf_char(b, '}');
}

void tt_compare_json(struct tt_buf *b, const struct tt_compare *c)
{
    tt_buf_fmt(b, "{\"same\":%s,\"a\":", c->same ? "true" : "false");
    tt_buf_json(b, c->file_a);
    tt_json_text(b, ",\"b\":", c->file_b);
    compare_json_number(b, "atol", c->atol);
    compare_json_number(b, "rtol", c->rtol);
    if (c->events) {
        compare_events_json(b, c);
        return;
    }
    tt_buf_fmt(b,
               ",\"rows\":{\"a\":%zu,\"b\":%zu,\"pairs\":%zu,\"aloneA\":%zu,"
               "\"aloneB\":%zu},\"columns\":[",
               c->rows_a, c->rows_b, c->pairs, c->alone_a, c->alone_b);
    for (size_t i = 0; i < c->n; i++) {
        tt_buf_str(b, i ? "," : "");
        json_column(b, &c->column[i]);
    }
    tt_buf_str(b, "],\"extra\":[");
    for (size_t i = 0; i < c->n_extra; i++) {
        tt_buf_str(b, i ? "," : "");
        tt_buf_json(b, c->extra[i]);
    }
    tt_buf_str(b, "]}\n");
}
