/* SPDX-License-Identifier: MIT */
#include "table/transfer.h"

#include <math.h>
#include <string.h>

#include "base/cursor.h"
#include "table/table_impl.h"

#define MAGIC UINT32_C(0x74616231)

/* --- sending ------------------------------------------------------------- */

static void put_u32(FILE *to, size_t v)
{
    uint32_t u = (uint32_t)v;

    (void)fwrite(&u, sizeof(u), 1, to);
}

static void put_text(FILE *to, const char *text)
{
    put_u32(to, strlen(text));
    (void)fwrite(text, 1, strlen(text), to);
}

static int ended(FILE *to)
{
    return ferror(to) ? -1 : 0;
}

int table_send_failure(FILE *to, const tt_err *why)
{
    put_u32(to, MAGIC);
    put_u32(to, why->code);
    put_text(to, why->msg);
    return ended(to);
}

static void put_column(FILE *to, const struct column *c, size_t rows)
{
    put_text(to, c->name ? c->name : "");
    put_u32(to, c->is_text != 0);
    put_u32(to, c->has_point != 0);
    if (!c->is_text)
        (void)fwrite(c->value, sizeof(*c->value), rows, to);
    for (size_t i = 0; c->is_text && i < rows; i++)
        put_text(to, c->text[i]);
}

int table_send(FILE *to, const tt_table *t)
{
    put_u32(to, MAGIC);
    put_u32(to, TT_OK);
    put_u32(to, t->n);
    put_u32(to, t->rows);
    for (uint32_t i = 0; i < t->n; i++)
        put_column(to, &t->column[i], t->rows);
    return ended(to);
}

/* --- receiving ----------------------------------------------------------- */

static uint32_t take_u32(struct tt_cursor *p)
{
    uint32_t v;

    tt_cursor_read(p, &v, sizeof(v));
    return v;
}

static enum tt_code not_whole(const char *file, tt_err *err)
{
    return tt_fail(err, TT_ECRASH, "reading %s: the answer is not whole", file);
}

static enum tt_code take_texts(struct tt_cursor *p, tt_table *t,
                               struct column *c, tt_err *err)
{
    c->is_text = 1;
    if (!TT_NEW_IN(t->arena, c->text, t->rows))
        return tt_fail(err, TT_ENOMEM, "reading table %s", t->file);
    for (size_t i = 0; i < t->rows; i++) {
        uint32_t n = take_u32(p);
        const char *text = tt_cursor_skip(p, n);

        c->value[i] = (double)NAN;
        if (!text)
            return not_whole(t->file, err);
        c->text[i] = tt_arena_strndup(t->arena, text, n);
        if (!c->text[i])
            return tt_fail(err, TT_ENOMEM, "reading table %s", t->file);
    }
    return TT_OK;
}

static enum tt_code take_column(struct tt_cursor *p, tt_table *t, uint32_t i,
                                tt_err *err)
{
    struct column *c = &t->column[i];
    uint32_t n = take_u32(p);
    const char *name = tt_cursor_skip(p, n), *values;
    int text = take_u32(p) != 0;
    enum tt_code rc;

    c->has_point = take_u32(p) != 0;
    if (p->bad)
        return not_whole(t->file, err);
    rc = table_set_name(t, i, name, n, err);
    if (rc != TT_OK)
        return rc;
    if (text)
        return take_texts(p, t, c, err);
    values = tt_cursor_skip(p, t->rows * sizeof(*c->value));
    if (!values)
        return not_whole(t->file, err);
    if (t->rows)
        memcpy(c->value, values, t->rows * sizeof(*c->value));
    return TT_OK;
}

static enum tt_code take_table(struct tt_cursor *p, tt_table *t, tt_err *err)
{
    uint32_t n = take_u32(p), rows = take_u32(p);
    enum tt_code rc;

    /* each takes some of its bytes: there cannot be more of them */
    if (p->bad || n < 1 || n > p->left || (rows && rows > p->left / 4 / n))
        return not_whole(t->file, err);
    rc = table_make_room(t, n, rows, err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = take_column(p, t, i, err);
    if (rc == TT_OK && p->left)
        rc = not_whole(t->file, err);
    return rc == TT_OK ? table_check_times(t, err) : rc;
}

static enum tt_code take_failure(struct tt_cursor *p, const char *file,
                                 uint32_t code, tt_err *err)
{
    uint32_t n = take_u32(p);
    const char *words = tt_cursor_skip(p, n);

    if (!words || code > TT_ECRASH)
        return not_whole(file, err);
    return tt_fail(err, (enum tt_code)code, "%.*s", n < TT_ERR_MAX ? (int)n : 0,
                   words);
}

enum tt_code table_receive(tt_table **out, const char *file,
                           const struct tt_buf *b, tt_err *err)
{
    struct tt_cursor p = {.at = b->data, .left = b->failed ? 0 : b->len};
    uint32_t magic = take_u32(&p), code = take_u32(&p);
    tt_table *t = NULL;
    enum tt_code rc;

    if (p.bad || magic != MAGIC)
        return not_whole(file, err);
    if (code != TT_OK)
        return take_failure(&p, file, code, err);
    rc = table_new(&t, file, err);
    if (rc == TT_OK)
        rc = take_table(&p, t, err);
    return TT_HAND_OVER(rc, out, t, tt_table_free);
}
