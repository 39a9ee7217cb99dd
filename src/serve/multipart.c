/* SPDX-License-Identifier: MIT */
#include "serve/multipart.h"

#include <string.h>
#include <strings.h>

/* --- parameters of a header ----------------------------------------------- */

/* The value at p, a word or a quoted text, into out; what follows it, or NULL:
 * it does not fit. A backslash hides a quote only: some send Windows paths. */
static const char *read_value(const char *p, char *out, size_t size)
{
    size_t n = 0;
    int quoted = *p == '"';

    for (p += quoted; *p && (quoted ? *p != '"' : !strchr("; \t", *p)); p++) {
        if (quoted && p[0] == '\\' && p[1] == '"')
            p++;
        if (n + 1 >= size)
            return NULL;
        out[n++] = *p;
    }
    if (quoted && *p != '"')
        return NULL;
    out[n] = '\0';
    return p + quoted;
}

/* "; key=value" in a header; -1: not there. */
static int find_parameter(const char *header, const char *key, char *out,
                          size_t size)
{
    const char *p = strchr(header, ';');
    size_t n = strlen(key);

    while (p) {
        int is_it;

        p += 1 + strspn(p + 1, " \t");
        is_it = strncasecmp(p, key, n) == 0 && p[n] == '=';
        p += strcspn(p, "=;");
        if (*p == '=')
            p = read_value(p + 1, out, size);
        if (is_it)
            return p ? 0 : -1;
        p = p ? strchr(p, ';') : NULL;
    }
    return -1;
}

enum tt_code tt_multipart_init(struct tt_multipart *m, const char *type,
                               const struct tt_multipart_cb *cb, void *ctx,
                               tt_err *err)
{
    static const char kind[] = "multipart/form-data";
    char boundary[TT_BOUNDARY_MAX + 1];

    *m = (struct tt_multipart){.cb = cb, .ctx = ctx};
    if (strncasecmp(type, kind, strlen(kind)) != 0 ||
        !strchr("; \t", type[strlen(kind)]))
        return tt_fail(err, TT_EINPUT,
                       "files come as multipart/form-data, not as '%s'", type);
    if (find_parameter(type, "boundary", boundary, sizeof(boundary)) != 0 ||
        !*boundary || strpbrk(boundary, "\r\n"))
        return tt_fail(err, TT_EINPUT,
                       "multipart/form-data without a boundary of 1 to %u "
                       "characters",
                       TT_BOUNDARY_MAX);
    memcpy(m->delimiter, "\r\n--", 4);
    memcpy(m->delimiter + 4, boundary, strlen(boundary) + 1);
    m->n_delimiter = strlen(m->delimiter);
    m->matched = 2; /* the first has no line before it */
    return TT_OK;
}

/* --- parts ---------------------------------------------------------------- */

static enum tt_code stopped(tt_err *err)
{
    return tt_fail(err, TT_ESTOPPED, "the upload was refused");
}

/* The headers are complete: NUL-separated lines, an empty one last. */
static enum tt_code begin_part(struct tt_multipart *m, tt_err *err)
{
    static const char name[] = "content-disposition:";
    char file[TT_PART_HEADERS];
    int has_file = 0;

    if (++m->n_part > TT_PARTS_MAX)
        return tt_fail(err, TT_EINPUT, "the upload has more than %u parts",
                       TT_PARTS_MAX);
    for (const char *p = m->header; *p; p += strlen(p) + 1)
        if (strncasecmp(p, name, strlen(name)) == 0)
            has_file = find_parameter(p, "filename", file, sizeof(file)) == 0;
    m->at = TT_MP_DATA;
    m->matched = 0;
    return m->cb->begin(m->ctx, has_file ? file : NULL) == 0 ? TT_OK
                                                             : stopped(err);
}

/* After a delimiter: spaces and a line end begin a part. */
static enum tt_code end_line(struct tt_multipart *m, tt_err *err)
{
    if (m->header[strspn(m->header, " \t")])
        return tt_fail(err, TT_EINPUT, "the upload has text after a boundary");
    m->at = TT_MP_HEADERS;
    m->n_header = 0;
    return TT_OK;
}

/* A line is complete when its LF comes; the CR before it goes. */
static enum tt_code end_header(struct tt_multipart *m, size_t line, tt_err *err)
{
    if (m->n_header > line && m->header[m->n_header - 1] == '\r')
        m->n_header--;
    m->header[m->n_header] = '\0';
    if (m->at == TT_MP_LINE)
        return end_line(m, err);
    m->n_header++;
    return m->n_header == line + 1 ? begin_part(m, err) : TT_OK;
}

/* Where the line that comes in begins. */
static size_t line_start(const struct tt_multipart *m)
{
    size_t at = m->n_header;

    while (at > 0 && m->header[at - 1] != '\0')
        at--;
    return at;
}

static enum tt_code add_header(struct tt_multipart *m, char c, tt_err *err)
{
    if (c == '\n')
        return end_header(m, line_start(m), err);
    if (c == '\0' || m->n_header + 2 >= sizeof(m->header))
        return tt_fail(err, TT_EINPUT,
                       "the upload has a part with more than %u bytes of "
                       "headers, or a zero in them",
                       TT_PART_HEADERS - 2);
    m->header[m->n_header++] = c;
    if (m->at == TT_MP_LINE && m->n_header == 2 && m->header[0] == '-' &&
        m->header[1] == '-')
        m->at = TT_MP_AFTER; /* that was the last */
    return TT_OK;
}

/* --- what lies between the delimiters ------------------------------------- */

static enum tt_code give(struct tt_multipart *m, const char *data, size_t n,
                         tt_err *err)
{
    if (m->at == TT_MP_BEFORE || n == 0)
        return TT_OK;
    return m->cb->data(m->ctx, data, n) == 0 ? TT_OK : stopped(err);
}

static enum tt_code delimited(struct tt_multipart *m, tt_err *err)
{
    int was_part = m->at == TT_MP_DATA;

    m->at = TT_MP_LINE;
    m->n_header = m->matched = 0;
    return !was_part || m->cb->end(m->ctx) == 0 ? TT_OK : stopped(err);
}

/* Takes data up to the next delimiter, or all of it; *used: how much. The CR
 * the delimiter begins with occurs nowhere else in it, so what was taken for
 * its beginning and is not holds no other beginning. */
static enum tt_code take_data(struct tt_multipart *m, const char *data,
                              size_t n, size_t *used, tt_err *err)
{
    enum tt_code rc = TT_OK;
    const char *cr;
    size_t plain;

    *used = 1;
    if (m->matched == 0) {
        cr = memchr(data, '\r', n);
        plain = cr ? (size_t)(cr - data) : n;
        *used = plain + (cr != NULL);
        m->matched = cr != NULL;
        return give(m, data, plain, err);
    }
    if (*data == m->delimiter[m->matched]) {
        if (++m->matched == m->n_delimiter)
            rc = delimited(m, err);
        return rc;
    }
    *used = 0; /* this one is looked at again */
    rc = give(m, m->delimiter, m->matched, err);
    m->matched = 0;
    return rc;
}

enum tt_code tt_multipart_feed(struct tt_multipart *m, const char *data,
                               size_t n, tt_err *err)
{
    enum tt_code rc = TT_OK;
    size_t used;

    while (rc == TT_OK && n > 0 && m->at != TT_MP_AFTER) {
        used = 1;
        if (m->at == TT_MP_LINE || m->at == TT_MP_HEADERS)
            rc = add_header(m, *data, err);
        else
            rc = take_data(m, data, n, &used, err);
        data += used;
        n -= used;
    }
    return rc;
}

enum tt_code tt_multipart_end(const struct tt_multipart *m, tt_err *err)
{
    if (m->at == TT_MP_AFTER)
        return TT_OK;
    return tt_fail(err, TT_EINPUT, "the upload ends before its last boundary");
}
