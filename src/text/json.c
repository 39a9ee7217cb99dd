/* SPDX-License-Identifier: MIT */
/* JSON (RFC 8259), read straight into a tree with positions. */
#include "text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/hooks.h"
#include "base/num.h"
#include "base/utf8.h"

enum {
    DEPTH_MAX = 2048, /* of containers in each other */
    SHOWN_MAX = 20,   /* bytes of a token that a message shows */
};

struct reader {
    const struct tt_text_file *f;
    const char *at, *end;
    uint32_t file;
    int depth;
    tt_arena *nodes, *texts;
    struct tt_doc *stack; /* owned: children of containers still open */
    size_t n, cap;
    tt_err *err;
};

/* --- messages ------------------------------------------------------------- */

static enum tt_code no_memory(struct reader *r)
{
    return tt_fail(r->err, TT_ENOMEM, "out of memory reading JSON");
}

TT_PRINTF(3, 4)
static enum tt_code fail_at(struct reader *r, const char *at, const char *fmt,
                            ...)
{
    struct tt_text_position p = tt_text_locate(r->f, (size_t)(at - r->f->text));
    va_list ap;

    va_start(ap, fmt);
    tt_vfail(r->err, TT_EINPUT, fmt, ap);
    va_end(ap);
    if (r->err)
        tt_spot_at(&r->err->place, r->f->path, p.line, p.column);
    return tt_context(r->err, TT_EINPUT, "%s:%zu:%zu", r->f->path, p.line,
                      p.column);
}

/* A fact about what was read from `from` on: shown when it is short, and then
 * at its beginning. */
static enum tt_code fail_near(struct reader *r, const char *from,
                              const char *kind, const char *fact)
{
    size_t n = (size_t)(r->at - from);

    if (n > SHOWN_MAX)
        return fail_at(r, r->at, "%s: %s", kind, fact);
    return fail_at(r, from, "%s: %s near '%.*s'", kind, fact, (int)n, from);
}

#define NOT_JSON  "not valid JSON"
#define TOO_EARLY "JSON ends too early"

static enum tt_code fail_byte(struct reader *r, const char *from)
{
    char fact[40];

    (void)snprintf(fact, sizeof(fact), "unable to decode byte 0x%x",
                   (unsigned)(unsigned char)*r->at);
    return r->at == from ? fail_at(r, from, "text is not UTF-8: %s", fact)
                         : fail_near(r, from, "text is not UTF-8", fact);
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void skip_letters(struct reader *r)
{
    while (r->at < r->end && is_letter(*r->at))
        r->at++;
}

/* Behind the token here, if there is one. */
static void skip_token(struct reader *r)
{
    static const char number[] = "+-.0123456789eE";
    uint32_t c;

    if (is_letter(*r->at)) {
        skip_letters(r);
    } else if (*r->at == '"') {
        for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
            r->at += *r->at == '\\' && r->end - r->at > 1;
        r->at += r->at < r->end;
    } else if (*r->at && strchr(number, *r->at)) {
        while (r->at < r->end && *r->at && strchr(number, *r->at))
            r->at++;
    } else {
        r->at += tt_utf8_decode(r->at, (size_t)(r->end - r->at), &c);
    }
}

/* Something else stands here than what may. */
static enum tt_code fail_here(struct reader *r, const char *fact)
{
    const char *from = r->at;

    if (r->at == r->end)
        return fail_at(r, r->at, TOO_EARLY ": %s near end of file", fact);
    skip_token(r);
    return r->at == from ? fail_byte(r, from)
                         : fail_near(r, from, NOT_JSON, fact);
}

/* --- space ---------------------------------------------------------------- */

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' ||
                              *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

/* Skip space and then this character, if it is there. */
static int take(struct reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return 0;
    r->at++;
    return 1;
}

static struct tt_where here(struct reader *r)
{
    skip_space(r);
    return (struct tt_where){r->file, (uint32_t)(r->at - r->f->text)};
}

/* --- strings -------------------------------------------------------------- */

/* Four hexadecimal digits, or -1. */
static int32_t read_unit(const char *p, const char *end)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int32_t u = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *at = p[i] ? strchr(digits, p[i]) : NULL;

        if (!at)
            return -1;
        u = u * 16 + (int32_t)((at - digits) % 16);
    }
    return u;
}

/* Behind "\u", with digits that are known to be some: a character, of one or
 * two units (RFC 8259, 7); UINT32_MAX: half of one. */
static uint32_t read_code(const char **p, const char *end)
{
    uint32_t high = (uint32_t)read_unit(*p, end);
    int32_t low;

    *p += 4;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
        return UINT32_MAX;
    low = read_unit(*p + 2, end);
    if (low < 0xdc00 || low > 0xdfff)
        return UINT32_MAX;
    *p += 6;
    return 0x10000 + ((high - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
}

static const char escapes[] = "\"\\/bfnrt";

/* The string before r->at, which has escapes, into room for all its bytes. */
static enum tt_code unescape(struct reader *r, const char *from, char *to)
{
    const char *p = from + 1, *end = r->at - 1;

    while (p < end) {
        const char *start = p;
        uint32_t c;

        if (*p != '\\') {
            *to++ = *p++;
            continue;
        }
        p += 2;
        c = p[-1] == 'u' ? read_code(&p, end)
                         : (uint32_t) "\"\\/\b\f\n\r\t"[strchr(escapes, p[-1]) -
                                                        escapes];
        if (c == UINT32_MAX)
            return fail_at(r, start, NOT_JSON ": '%.6s' is half of a character",
                           start);
        if (c == 0)
            return fail_at(r, from, "a text contains \\u0000");
        to += tt_utf8_encode(to, c);
    }
    *to = '\0';
    return TT_OK;
}

/* At a backslash: behind the escape. */
static enum tt_code skip_escape(struct reader *r, const char *from)
{
    char c = r->end - r->at > 1 ? r->at[1] : '\0';
    int known =
        c == 'u' ? read_unit(r->at + 2, r->end) >= 0 : c && strchr(escapes, c);

    if (known) {
        r->at += c == 'u' ? 6 : 2;
        return TT_OK;
    }
    r->at += 1 + (c >= ' ' && (unsigned char)c < 0x80);
    return fail_near(r, from, NOT_JSON, "invalid escape");
}

/* What may not stand in a string, or ends it too early. */
static enum tt_code fail_string(struct reader *r, const char *from)
{
    int n = (int)(r->at - from);
    char fact[40];

    if (r->at == r->end)
        return fail_at(r, r->end, TOO_EARLY ": premature end of input%s%.*s%s",
                       n > SHOWN_MAX ? "" : " near '", n > SHOWN_MAX ? 0 : n,
                       from, n > SHOWN_MAX ? "" : "'");
    if ((unsigned char)*r->at >= 0x80)
        return fail_byte(r, from);
    (void)snprintf(fact, sizeof(fact), "control character 0x%x",
                   (unsigned)*r->at);
    return fail_near(r, from, NOT_JSON,
                     *r->at == '\n' ? "unexpected newline" : fact);
}

/* Behind the closing quote; *escaped: there are escapes. */
static enum tt_code skip_string(struct reader *r, int *escaped)
{
    const char *from = r->at++;

    for (; r->at < r->end && *r->at != '"';) {
        uint32_t c;
        size_t n = 1;

        if (*r->at == '\\') {
            enum tt_code rc = skip_escape(r, from);

            if (rc != TT_OK)
                return rc;
            *escaped = 1;
            continue;
        }
        if ((unsigned char)*r->at >= 0x80)
            n = tt_utf8_decode(r->at, (size_t)(r->end - r->at), &c);
        else if ((unsigned char)*r->at < ' ')
            n = 0;
        if (n == 0)
            break;
        r->at += n;
    }
    if (r->at == r->end || *r->at != '"')
        return fail_string(r, from);
    r->at++;
    return TT_OK;
}

static enum tt_code read_string(struct reader *r, const char **out)
{
    const char *from = r->at;
    int escaped = 0;
    enum tt_code rc = skip_string(r, &escaped);
    char *text;

    if (rc != TT_OK)
        return rc;
    text = tt_arena_strndup(r->texts, from + 1, (size_t)(r->at - from - 2));
    *out = text;
    if (!text)
        return no_memory(r);
    return escaped ? unescape(r, from, text) : TT_OK;
}

/* --- numbers and words ---------------------------------------------------- */

static size_t skip_digits(struct reader *r)
{
    const char *from = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - from);
}

static int skip_one_of(struct reader *r, char a, char b)
{
    if (r->at == r->end || (*r->at != a && *r->at != b))
        return 0;
    r->at++;
    return 1;
}

/* RFC 8259, 6. *real: there is a fraction or an exponent. */
static int skip_number(struct reader *r, int *real)
{
    const char *first;

    (void)skip_one_of(r, '-', '-');
    first = r->at;
    if (!skip_digits(r) || (*first == '0' && r->at - first > 1))
        return 0;
    if (skip_one_of(r, '.', '.')) {
        *real = 1;
        if (!skip_digits(r))
            return 0;
    }
    if (skip_one_of(r, 'e', 'E')) {
        *real = 1;
        (void)skip_one_of(r, '+', '-');
        return skip_digits(r) > 0;
    }
    return 1;
}

/* The digits from p to the end of the number, which has a sign or none. */
static int whole_number(const char *p, const char *end, int64_t *out)
{
    int negative = *p == '-';
    uint64_t n = 0, most = (uint64_t)INT64_MAX + (unsigned)negative;

    for (p += negative; p < end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');

        if (n > (most - digit) / 10)
            return -1;
        n = 10 * n + digit;
    }
    *out = negative && n ? -(int64_t)(n - 1) - 1 : (int64_t)n;
    return 0;
}

static enum tt_code read_number(struct reader *r, struct tt_doc *out)
{
    const char *from = r->at;
    size_t n;
    int real = 0, fits;

    if (!skip_number(r, &real)) {
        r->at = from;
        return fail_here(r, "invalid token");
    }
    n = (size_t)(r->at - from);
    out->kind = real ? TT_DOC_NUMBER : TT_DOC_INTEGER;
    fits = real ? tt_num_parse_n(from, n, &out->u.number) == 0 &&
                      isfinite(out->u.number)
                : whole_number(from, r->at, &out->u.integer) == 0;
    if (fits)
        return TT_OK;
    return fail_at(r, from, "%.*s is too large a number", (int)n, from);
}

static enum tt_code read_word(struct reader *r, struct tt_doc *out)
{
    static const struct {
        const char *word;
        enum tt_doc_kind kind;
        int value;
    } known[] = {{"true", TT_DOC_BOOL, 1},
                 {"false", TT_DOC_BOOL, 0},
                 {"null", TT_DOC_NULL, 0}};
    const char *from = r->at;
    size_t n;

    skip_letters(r);
    n = (size_t)(r->at - from);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (strlen(known[i].word) != n || memcmp(from, known[i].word, n) != 0)
            continue;
        out->kind = known[i].kind;
        out->u.integer = known[i].value;
        return TT_OK;
    }
    r->at = from;
    return fail_here(r, from == r->end || (*from && strchr("]}:,", *from))
                            ? "unexpected token"
                            : "invalid token");
}

/* --- containers ----------------------------------------------------------- */

/* A name seen, by hash: the text is only compared when hashes agree. */
struct seen {
    uint32_t hash;
    uint32_t child; /* plus 1; 0: free */
};

/* Is it new? The table is never more than half full. */
static int see(struct seen *table, uint32_t mask, const struct tt_doc *child,
               uint32_t i)
{
    uint64_t h = tt_hash(TT_HASH_START, child[i].key, strlen(child[i].key));
    uint32_t hash = (uint32_t)(h ^ h >> 32), at = hash & mask;

    for (; table[at].child; at = (at + 1) & mask)
        if (table[at].hash == hash &&
            strcmp(child[table[at].child - 1].key, child[i].key) == 0)
            return 0;
    table[at] = (struct seen){hash, i + 1};
    return 1;
}

static enum tt_code fail_twice(struct reader *r, const struct tt_doc *child)
{
    const char *from = r->f->text + child->key_where.offset;
    int escaped;

    r->at = from;
    (void)skip_string(r, &escaped); /* it was read once */
    return fail_at(r, from, "%.*s is given twice in one object",
                   (int)(r->at - from), from);
}

static enum tt_code check_names(struct reader *r, const struct tt_doc *child,
                                uint32_t n)
{
    uint32_t size = 16, i = 0;
    struct seen *table;

    while (size < 2 * n)
        size *= 2; /* n is less than TT_DOC_MAX bytes */
    if (n < 2)
        return TT_OK;
    if (!TT_NEW_ARRAY(table, size))
        return no_memory(r);
    while (i < n && see(table, size - 1, child, i))
        i++;
    tt_free(table);
    return i == n ? TT_OK : fail_twice(r, &child[i]);
}

static enum tt_code read_value(struct reader *r, struct tt_doc *out);

static enum tt_code read_name(struct reader *r, struct tt_doc *child)
{
    enum tt_code rc;

    child->key_where = here(r);
    if (r->at == r->end || *r->at != '"')
        return fail_here(r, "string or '}' expected");
    rc = read_string(r, &child->key);
    if (rc == TT_OK && !take(r, ':'))
        rc = fail_here(r, "':' expected");
    return rc;
}

static enum tt_code read_child(struct reader *r, int object)
{
    struct tt_doc child = {0};
    enum tt_code rc = object ? read_name(r, &child) : TT_OK;

    skip_space(r);
    if (!object && r->at == r->end)
        return fail_here(r, "']' expected");
    if (rc == TT_OK)
        rc = read_value(r, &child);
    if (rc == TT_OK && TT_GROW(r->stack, r->n, r->cap) != 0)
        rc = no_memory(r);
    if (rc == TT_OK)
        r->stack[r->n++] = child;
    return rc;
}

/* Children wait on the stack until their number is known. */
static enum tt_code close_container(struct reader *r, size_t first,
                                    struct tt_doc *out)
{
    out->n = (uint32_t)(r->n - first); /* fewer than bytes, which fit */
    out->u.child = tt_arena_dup(r->nodes, r->stack ? r->stack + first : NULL,
                                out->n, sizeof(*r->stack));
    r->n = first;
    if (!out->u.child)
        return no_memory(r);
    return out->kind == TT_DOC_OBJECT ? check_names(r, out->u.child, out->n)
                                      : TT_OK;
}

static enum tt_code read_container(struct reader *r, struct tt_doc *out)
{
    int object = *r->at == '{';
    char end = object ? '}' : ']';
    size_t first = r->n;
    enum tt_code rc = TT_OK;

    if (r->depth == DEPTH_MAX)
        return fail_at(r, r->at, "JSON is nested too deeply");
    r->depth++;
    r->at++;
    out->kind = object ? TT_DOC_OBJECT : TT_DOC_ARRAY;
    if (!take(r, end)) {
        do
            rc = read_child(r, object);
        while (rc == TT_OK && take(r, ','));
        if (rc == TT_OK && !take(r, end))
            rc = fail_here(r, object ? "'}' expected" : "']' expected");
    }
    r->depth--;
    return rc == TT_OK ? close_container(r, first, out) : rc;
}

static enum tt_code read_value(struct reader *r, struct tt_doc *out)
{
    char c;

    out->where = here(r);
    c = r->at < r->end ? *r->at : '\0';
    if (c == '"') {
        out->kind = TT_DOC_TEXT;
        return read_string(r, &out->u.text);
    }
    if (c == '{' || c == '[')
        return read_container(r, out);
    if (c == '-' || (c >= '0' && c <= '9'))
        return read_number(r, out);
    return read_word(r, out);
}

/* What is wrong with the whole of a text that was refused, if anything is:
 * better reported than its first token. */
static enum tt_code judge(struct reader *r, enum tt_code rc)
{
    const unsigned char *t = (const unsigned char *)r->f->text;
    const char *nul = memchr(r->f->text, '\0', r->f->n);

    r->at = r->f->text;
    skip_space(r);
    if (r->at == r->end)
        return fail_at(r, r->f->text, "the text is empty");
    if (r->f->n >= 2 &&
        ((t[0] == 0xff && t[1] == 0xfe) || (t[0] == 0xfe && t[1] == 0xff)))
        return fail_at(r, r->f->text, "text is UTF-16; save it as UTF-8");
    return nul ? fail_at(r, nul, "a NUL byte is not JSON") : rc;
}

enum tt_code tt_doc_parse(struct tt_doc *out, const struct tt_text_file *f,
                          uint32_t file, tt_arena *nodes, tt_arena *texts,
                          tt_err *err)
{
    struct reader r = {.f = f,
                       .at = f->text,
                       .end = f->text + f->n,
                       TT_HOOKS(, file, nodes, texts, err)};
    enum tt_code rc;

    if (f->n > TT_DOC_MAX)
        return tt_fail(err, TT_EINPUT,
                       "%s: text is %zu bytes long, more than %zu", f->path,
                       f->n, TT_DOC_MAX);
    *out = (struct tt_doc){0};
    rc = read_value(&r, out);
    skip_space(&r);
    if (rc == TT_OK && r.at != r.end)
        rc = fail_here(&r, "end of file expected");
    tt_free(r.stack);
    return rc == TT_EINPUT ? judge(&r, rc) : rc;
}
