/* SPDX-License-Identifier: MIT */
#include "scenario/json_quick.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"

enum { READ = 1, NOT_PLAIN = 0, NO_MEMORY = -1 };
enum {
    DEPTH_MAX = 100, /* more is not plain */
    DIGITS_MAX = 19, /* of an integer that may fit */
};

struct reader {
    const char *at, *begin, *end;
    uint32_t file;
    int depth;
    tt_arena *nodes, *texts;
    struct tt_doc *stack; /* owned: children of containers still open */
    size_t n, cap;
};

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
    return (struct tt_where){r->file, (uint32_t)(r->at - r->begin)};
}

static int is_plain(char c)
{
    return (unsigned char)c >= ' ' && (unsigned char)c < 0x80 && c != '"' &&
           c != '\\';
}

/* --- escapes ---------------------------------------------------------------
 */

/* Four hexadecimal digits, or -1. */
static int32_t read_unit(const char *p, const char *end)
{
    int32_t u = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *at = p[i] ? strchr(digits, p[i]) : NULL;

        if (!at)
            return -1;
        u = u * 16 + (int32_t)((at - digits) % 16);
    }
    return u;
}

/* Behind "\u": a character, of one or two units; 0: none, or not plain. */
static uint32_t read_code(const char **p, const char *end)
{
    int32_t high = read_unit(*p, end), low;

    if (high < 0)
        return 0;
    *p += 4;
    if (high < 0xD800 || high > 0xDFFF)
        return (uint32_t)high;
    if (high > 0xDBFF || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
        return 0;
    low = read_unit(*p + 2, end);
    if (low < 0xDC00 || low > 0xDFFF)
        return 0;
    *p += 6;
    return 0x10000 + (((uint32_t)high - 0xD800) << 10) +
           ((uint32_t)low - 0xDC00);
}

static char *put_code(char *to, uint32_t c)
{
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};

    *to++ = (char)(first[more] | c >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (c >> 6 * more & 0x3F));
    return to;
}

/* A text with escapes, into room for all of its bytes. */
static int unescape(char *to, const char *p, const char *end)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";

    while (p < end) {
        const char *at;
        uint32_t c;

        if (*p != '\\') {
            *to++ = *p++;
            continue;
        }
        p++; /* there is one more: the quote is not escaped */
        at = strchr(names, *p);
        c = *p == 'u' ? 0 : at ? (uint32_t)means[at - names] : 0;
        if (*p++ == 'u')
            c = read_code(&p, end);
        if (c == 0)
            return NOT_PLAIN;
        to = put_code(to, c);
    }
    *to = '\0';
    return READ;
}

static int read_string(struct reader *r, const char **out)
{
    int escapes = 0;
    const char *from;
    char *text;

    if (!take(r, '"'))
        return NOT_PLAIN;
    from = r->at;
    while (r->at < r->end && (is_plain(*r->at) || *r->at == '\\')) {
        int escape = *r->at == '\\' && r->end - r->at > 1;

        escapes |= *r->at == '\\';
        r->at += 1 + escape;
    }
    if (r->at >= r->end || *r->at != '"')
        return NOT_PLAIN;
    text = tt_arena_strndup(r->texts, from, (size_t)(r->at - from));
    *out = text;
    r->at++;
    if (!text)
        return NO_MEMORY;
    return escapes ? unescape(text, from, r->at - 1) : READ;
}

/* --- values ----------------------------------------------------------------
 */

static size_t skip_digits(struct reader *r)
{
    const char *from = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - from);
}

/* RFC 8259, 6: fraction and exponent. */
static int skip_rest(struct reader *r)
{
    if (r->at < r->end && *r->at == '.') {
        r->at++;
        if (!skip_digits(r))
            return NOT_PLAIN;
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        if (!skip_digits(r))
            return NOT_PLAIN;
    }
    return READ;
}

static int read_number(struct reader *r, struct tt_doc *out)
{
    const char *from = r->at, *first;
    size_t digits;
    uint64_t whole = 0;

    r->at += *r->at == '-';
    first = r->at;
    digits = skip_digits(r);
    if (!digits || digits > DIGITS_MAX || (*first == '0' && digits > 1))
        return NOT_PLAIN;
    if (r->at == r->end || (*r->at != '.' && *r->at != 'e' && *r->at != 'E')) {
        for (const char *p = first; p < r->at; p++)
            whole = 10 * whole + (uint64_t)(*p - '0');
        if (whole > INT64_MAX)
            return NOT_PLAIN;
        out->kind = TT_DOC_INTEGER;
        out->u.integer = *from == '-' ? -(int64_t)whole : (int64_t)whole;
        return READ;
    }
    out->kind = TT_DOC_NUMBER;
    if (!skip_rest(r) ||
        tt_num_parse_n(from, (size_t)(r->at - from), &out->u.number) != 0 ||
        !isfinite(out->u.number))
        return NOT_PLAIN;
    return READ;
}

static int read_word(struct reader *r, struct tt_doc *out)
{
    static const struct {
        const char *word;
        enum tt_doc_kind kind;
        int value;
    } known[] = {{"true", TT_DOC_BOOL, 1},
                 {"false", TT_DOC_BOOL, 0},
                 {"null", TT_DOC_NULL, 0}};

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        size_t n = strlen(known[i].word);

        if ((size_t)(r->end - r->at) < n ||
            memcmp(r->at, known[i].word, n) != 0)
            continue;
        r->at += n;
        out->kind = known[i].kind;
        out->u.integer = known[i].value;
        return READ;
    }
    return NOT_PLAIN;
}

/* A name seen, by hash: the text is only looked at when hashes agree. */
struct seen {
    uint32_t hash;
    uint32_t child; /* plus 1; 0: free */
};

/* READ when it is new. The table is never more than half full. */
static int see(struct seen *table, uint32_t mask, const struct tt_doc *child,
               uint32_t i)
{
    uint64_t h = tt_hash(TT_HASH_START, child[i].key, strlen(child[i].key));
    uint32_t hash = (uint32_t)(h ^ h >> 32), at = hash & mask;

    for (; table[at].child; at = (at + 1) & mask)
        if (table[at].hash == hash &&
            strcmp(child[table[at].child - 1].key, child[i].key) == 0)
            return NOT_PLAIN;
    table[at] = (struct seen){hash, i + 1};
    return READ;
}

/* A name given twice is for jansson to tell. */
static int check_names(const struct tt_doc *child, uint32_t n)
{
    uint32_t size = 16;
    struct seen *table;
    int rc = READ;

    while (size < 2 * n)
        size *= 2; /* n is less than TT_DOC_MAX bytes */
    if (n < 2)
        return READ;
    if (!TT_NEW_ARRAY(table, size))
        return NO_MEMORY;
    for (uint32_t i = 0; rc == READ && i < n; i++)
        rc = see(table, size - 1, child, i);
    tt_free(table);
    return rc;
}

static int read_value(struct reader *r, struct tt_doc *out);

static int read_child(struct reader *r, int object)
{
    struct tt_doc child = {0};
    int rc = READ;

    if (object) {
        child.key_where = here(r);
        rc = read_string(r, &child.key);
        if (rc == READ && !take(r, ':'))
            rc = NOT_PLAIN;
    }
    if (rc == READ)
        rc = read_value(r, &child);
    if (rc == READ && TT_GROW(r->stack, r->n, r->cap) != 0)
        rc = NO_MEMORY;
    if (rc == READ)
        r->stack[r->n++] = child;
    return rc;
}

/* Children wait on the stack until their number is known. */
static int close_container(struct reader *r, size_t first, struct tt_doc *out)
{
    int rc = READ;

    out->n = (uint32_t)(r->n - first); /* fewer than bytes, which fit */
    out->u.child = tt_arena_dup(r->nodes, r->stack ? r->stack + first : NULL,
                                out->n, sizeof(*r->stack));
    r->n = first;
    if (!out->u.child)
        return NO_MEMORY;
    if (out->kind == TT_DOC_OBJECT)
        rc = check_names(out->u.child, out->n);
    return rc;
}

static int read_container(struct reader *r, struct tt_doc *out)
{
    int object = *r->at == '{', rc = READ;
    char end = object ? '}' : ']';
    size_t first = r->n;

    if (r->depth == DEPTH_MAX)
        return NOT_PLAIN;
    r->depth++;
    r->at++;
    out->kind = object ? TT_DOC_OBJECT : TT_DOC_ARRAY;
    if (!take(r, end)) {
        do
            rc = read_child(r, object);
        while (rc == READ && take(r, ','));
        if (rc == READ && !take(r, end))
            rc = NOT_PLAIN;
    }
    r->depth--;
    return rc == READ ? close_container(r, first, out) : rc;
}

static int read_value(struct reader *r, struct tt_doc *out)
{
    out->where = here(r);
    if (r->at == r->end)
        return NOT_PLAIN;
    if (*r->at == '"') {
        out->kind = TT_DOC_TEXT;
        return read_string(r, &out->u.text);
    }
    if (*r->at == '{' || *r->at == '[')
        return read_container(r, out);
    if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))
        return read_number(r, out);
    return read_word(r, out);
}

int tt_doc_quick(struct tt_doc *out, const struct tt_scenario_file *f,
                 uint32_t file, tt_arena *nodes, tt_arena *texts)
{
    struct reader r = {.at = f->text,
                       .begin = f->text,
                       .end = f->text + f->n,
                       .file = file,
                       .nodes = nodes,
                       .texts = texts};
    int rc;

    *out = (struct tt_doc){0};
    rc = read_value(&r, out);
    skip_space(&r);
    if (rc == READ && r.at != r.end)
        rc = NOT_PLAIN;
    tt_free(r.stack);
    return rc;
}
