/* SPDX-License-Identifier: MIT */
/* Reads MAT v4 files as Modelica tools write them: matrices Aclass, name,
 * description, dataInfo, data_1, data_2, all of it by columns or, "binTrans",
 * transposed. dataInfo states for each name in which data matrix and column its
 * values are; a negative column is negated. data_1 holds what does not change.
 * A matrix `texts` is ours: columns whose description states it are numbers of
 * its lines, from 1. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/value.h"
#include "table/mat.h"
#include "table/table_impl.h"

struct matrix {
    const char *data;
    uint32_t type; /* MOPT */
    uint32_t rows, cols;
};

enum which { ACLASS, NAME, TEXT, INFO, DATA_1, DATA_2, TEXTS, WHICH_N };

static const char *const which_name[WHICH_N] = {
    "Aclass", "name", "description", "dataInfo", "data_1", "data_2", "texts"};

struct mat {
    const char *file;
    struct matrix of[WHICH_N];
    int transposed;
    const char **text; /* in the table's arena: the lines of `texts` */
    uint32_t n_text;
};

/* --- the file ------------------------------------------------------------ */

static uint32_t load_u32(const char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static const enum tt_type element_type[] = {TT_F64, TT_F32, TT_I32,
                                            TT_I16, TT_U16, TT_U8};

static size_t element_size(uint32_t type)
{
    uint32_t p = type / 10 % 10;

    /* little-endian, full or text, of a known element */
    if (type >= 100 || p >= sizeof(element_type) / sizeof(*element_type) ||
        type % 10 > 1)
        return 0;
    return tt_type_size(element_type[p]);
}

static enum tt_code not_mat(const char *file, size_t at, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "%s: byte %zu: no matrix of a MAT v4 file (little-endian, "
                   "real)",
                   file, at);
}

/* The matrix at *at; moves *at behind it. */
static enum tt_code next_matrix(struct mat *m, const char *data, size_t n,
                                size_t *at, tt_err *err)
{
    const char *p = data + *at, *name;
    size_t left = n - *at, size, name_len, need;
    struct matrix x;

    if (left < 20)
        return not_mat(m->file, *at, err);
    x = (struct matrix){
        .type = load_u32(p), .rows = load_u32(p + 4), .cols = load_u32(p + 8)};
    name_len = load_u32(p + 16);
    size = element_size(x.type);
    if (!size || load_u32(p + 12) || name_len < 1 || name_len > left - 20 ||
        p[20 + name_len - 1] != '\0')
        return not_mat(m->file, *at, err);
    name = p + 20;
    x.data = name + name_len;
    left -= 20 + name_len;
    if (x.rows && x.cols > left / size / x.rows)
        return tt_fail(err, TT_EINPUT,
                       "%s: matrix '%s' of %u x %u values ends after the file",
                       m->file, name, x.rows, x.cols);
    need = size * x.rows * x.cols;
    *at = (size_t)(x.data - data) + need;
    for (int i = 0; i < WHICH_N; i++)
        if (strcmp(name, which_name[i]) == 0)
            m->of[i] = x;
    return TT_OK;
}

static double element(const struct matrix *x, size_t i)
{
    return tt_value_as_double(element_type[x->type / 10 % 10],
                              x->data + i * element_size(x->type));
}

/* Of matrix x seen as "binNormal" has it: line `line`, place `place`. */
static double at(const struct mat *m, const struct matrix *x, size_t line,
                 size_t place)
{
    return element(x, m->transposed ? line * x->rows + place
                                    : place * x->rows + line);
}

static uint32_t lines(const struct mat *m, const struct matrix *x)
{
    return m->transposed ? x->cols : x->rows;
}

static uint32_t places(const struct mat *m, const struct matrix *x)
{
    return m->transposed ? x->rows : x->cols;
}

/* A matrix of any numbers may stand where characters belong. */
static char character(const struct mat *m, const struct matrix *x, size_t line,
                      size_t place)
{
    double c = at(m, x, line, place);
    unsigned char byte = '?';

    if (c >= 0 && c <= UCHAR_MAX)
        byte = (unsigned char)c;
    return (char)byte;
}

/* A line of characters into out[places], without the NULs that pad it. */
static size_t whole_line(const struct mat *m, const struct matrix *x,
                         size_t line, char *out)
{
    size_t n = places(m, x);

    for (size_t i = 0; i < n; i++)
        out[i] = character(m, x, line, i);
    while (n > 0 && out[n - 1] == '\0')
        n--;
    return n;
}

/* Some tools pad with blanks, or end a line and pad then. */
static size_t line_text(const struct mat *m, const struct matrix *x,
                        size_t line, char *out)
{
    size_t n = whole_line(m, x, line, out);
    const char *end = n ? memchr(out, '\0', n) : NULL;

    if (end)
        n = (size_t)(end - out);
    while (n > 0 && out[n - 1] == ' ')
        n--;
    return n;
}

/* The fourth line of Aclass reports the order; Aclass itself is never
 * transposed. */
static enum tt_code read_class(struct mat *m, tt_err *err)
{
    const struct matrix *x = &m->of[ACLASS];
    char word[16];
    size_t n;

    if (x->data && x->rows >= 4 && x->cols >= 8 && x->cols <= sizeof(word)) {
        n = line_text(m, x, 3, word);
        m->transposed = n == 8 && memcmp(word, "binTrans", 8) == 0;
        if (m->transposed || (n == 9 && memcmp(word, "binNormal", 9) == 0))
            return TT_OK;
    }
    return tt_fail(err, TT_EINPUT,
                   "%s: no results of a Modelica tool: there is no matrix "
                   "'Aclass' with binTrans or binNormal",
                   m->file);
}

/* --- columns ------------------------------------------------------------- */

static enum tt_code read_names(tt_table *t, const struct mat *m, tt_err *err)
{
    const struct matrix *x = &m->of[NAME];
    char *line = tt_alloc(places(m, x));
    enum tt_code rc = TT_OK;

    if (!line)
        return tt_fail(err, TT_ENOMEM, "reading table %s", m->file);
    for (uint32_t i = 0; i < t->n && rc == TT_OK; i++)
        rc = table_set_name(t, i, line, line_text(m, x, i, line), err);
    tt_free(line);
    return rc;
}

static int is_text_column(const struct mat *m, uint32_t column)
{
    const struct matrix *x = &m->of[TEXT];
    size_t n = sizeof(TT_MAT_TEXT) - 1;

    if (!m->of[TEXTS].data || !x->data || column >= lines(m, x) ||
        places(m, x) < n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (character(m, x, column, i) != TT_MAT_TEXT[i])
            return 0;
    return 1;
}

/* Every line once, however many rows state it. Lines without places, and places
 * without lines, take no bytes of the file, so that there may be any number of
 * them: none is read. */
static enum tt_code read_lines(struct mat *m, tt_table *t, tt_err *err)
{
    const struct matrix *x = &m->of[TEXTS];
    char *line;
    int whole;

    m->n_text = places(m, x) ? lines(m, x) : 0;
    line = tt_alloc(m->n_text ? places(m, x) : 0);
    m->text = tt_arena_alloc(t->arena, m->n_text, sizeof(*m->text));
    whole = line && m->text;
    for (uint32_t i = 0; i < m->n_text && whole; i++) {
        m->text[i] =
            tt_arena_strndup(t->arena, line, whole_line(m, x, i, line));
        whole = m->text[i] != NULL;
    }
    tt_free(line);
    return whole ? TT_OK : tt_fail(err, TT_ENOMEM, "reading table %s", m->file);
}

static enum tt_code read_texts(tt_table *t, const struct mat *m, uint32_t i,
                               tt_err *err)
{
    struct column *c = &t->column[i];

    c->is_text = 1;
    if (!TT_NEW_IN(t->arena, c->text, t->rows))
        return tt_fail(err, TT_ENOMEM, "reading table %s", m->file);
    for (size_t row = 0; row < t->rows; row++) {
        double number = c->value[row];

        c->text[row] = number >= 1 && number <= m->n_text
                           ? m->text[(size_t)number - 1]
                           : "";
        c->value[row] = (double)NAN;
    }
    return TT_OK;
}

/* Values of one column, wherever dataInfo states they are. */
static enum tt_code read_column(tt_table *t, const struct mat *m, uint32_t i,
                                tt_err *err)
{
    double table = at(m, &m->of[INFO], i, 0);
    double place = at(m, &m->of[INFO], i, 1);
    int fixed = table == 1;
    const struct matrix *x = &m->of[fixed ? DATA_1 : DATA_2];
    double sign = place < 0 ? -1 : 1;

    if ((table != 0 && table != 1 && table != 2) || !(fabs(place) >= 1) ||
        fabs(place) > places(m, x) || (fixed && lines(m, x) < 1))
        return tt_fail(err, TT_EINPUT,
                       "%s: dataInfo sends '%s' to a place there is not",
                       m->file, t->column[i].name);
    for (size_t row = 0; row < t->rows; row++)
        t->column[i].value[row] =
            sign * at(m, x, fixed ? 0 : row, (size_t)fabs(place) - 1);
    t->column[i].has_point = 1;
    return is_text_column(m, i) ? read_texts(t, m, i, err) : TT_OK;
}

static enum tt_code check_parts(const struct mat *m, tt_err *err)
{
    for (int i = 0; i < WHICH_N; i++)
        if (!m->of[i].data && i != TEXT && i != TEXTS && i != DATA_1)
            return tt_fail(err, TT_EINPUT, "%s: there is no matrix '%s'",
                           m->file, which_name[i]);
    if (lines(m, &m->of[NAME]) < 1 ||
        lines(m, &m->of[INFO]) != lines(m, &m->of[NAME]) ||
        places(m, &m->of[INFO]) < 2)
        return tt_fail(err, TT_EINPUT,
                       "%s: matrices 'name' and 'dataInfo' do not fit",
                       m->file);
    return TT_OK;
}

static enum tt_code fill(tt_table *t, struct mat *m, tt_err *err)
{
    const struct matrix *moving = &m->of[DATA_2];
    /* rows without places would cost the file nothing, and us their room */
    size_t rows = places(m, moving) ? lines(m, moving) : 0;
    enum tt_code rc = table_make_room(t, lines(m, &m->of[NAME]), rows, err);

    if (rc == TT_OK)
        rc = read_names(t, m, err);
    if (rc == TT_OK)
        rc = read_lines(m, t, err);
    for (uint32_t i = 0; i < t->n && rc == TT_OK; i++)
        rc = read_column(t, m, i, err);
    return rc == TT_OK ? table_check_times(t, err) : rc;
}

enum tt_code tt_table_parse_mat(tt_table **out, const char *file,
                                const char *data, size_t n, tt_err *err)
{
    struct mat m = {.file = file};
    tt_table *t = NULL;
    enum tt_code rc = TT_OK;
    size_t pos = 0;

    if (n == 0)
        return not_mat(file, 0, err);
    while (pos < n && rc == TT_OK)
        rc = next_matrix(&m, data, n, &pos, err);
    /* Behind the rows may be what a writer that was killed had not counted
     * yet: part of a row, of a text. It has no matrix, and no name. */
    if (rc != TT_OK && m.of[DATA_2].data)
        rc = TT_OK;
    if (rc == TT_OK)
        rc = read_class(&m, err);
    if (rc == TT_OK)
        rc = check_parts(&m, err);
    if (rc == TT_OK)
        rc = table_new(&t, file, err);
    if (rc != TT_OK)
        return rc;
    rc = fill(t, &m, err);
    return TT_HAND_OVER(rc, out, t, tt_table_free);
}
