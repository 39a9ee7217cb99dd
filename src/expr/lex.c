/* SPDX-License-Identifier: MIT */
/* Words of an expression. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "expr/expr_impl.h"
#include "base/utf8.h"

struct tt_expr_place tt_expr_place(const struct tt_expr_parser *p,
                                   const char *at)
{
    struct tt_expr_place place;
    size_t line = 1, column = 1;

    for (const char *s = p->text; s < at; s++) {
        column += (*s & 0xc0) != 0x80; /* characters, not bytes */
        if (*s == '\n') {
            line++;
            column = 1;
        }
    }
    (void)snprintf(place.s, sizeof(place.s), "%zu:%zu", line, column);
    return place;
}

void tt_expr_fail(struct tt_expr_parser *p, const char *at, const char *fmt,
                  ...)
{
    va_list ap;

    if (p->rc != TT_OK)
        return;
    va_start(ap, fmt);
    p->rc = tt_vfail(p->err, TT_EINPUT, fmt, ap);
    va_end(ap);
    (void)tt_context(p->err, p->rc, "%s", tt_expr_place(p, at).s);
    p->tok.kind = TOK_BAD;
    p->at += strlen(p->at);
}

void tt_expr_no_memory(struct tt_expr_parser *p)
{
    if (p->rc == TT_OK)
        p->rc = tt_nomem(p->err, "an expression");
    p->tok.kind = TOK_BAD;
    p->at += strlen(p->at);
}

struct tt_expr_shown tt_expr_shown(const struct tt_expr_token *t)
{
    struct tt_expr_shown shown;
    int n = (int)(t->n < 32 ? t->n : 32);

    while (n > 0 && (size_t)n < t->n && (t->s[n] & 0xc0) == 0x80)
        n--;
    if (t->n)
        (void)snprintf(shown.s, sizeof(shown.s), "'%.*s%s'", n, t->s,
                       (size_t)n < t->n ? "..." : "");
    else
        (void)snprintf(shown.s, sizeof(shown.s), "the end");
    return shown;
}

/* "12", "1.5", ".5", "2e-3"; a dot belongs to it only before a digit. */
static void take_number(struct tt_expr_parser *p)
{
    const char *s = p->at, *e;

    while (tt_is_digit(*s))
        s++;
    if (*s == '.' && tt_is_digit(s[1]))
        for (s++; tt_is_digit(*s);)
            s++;
    e = s + (*s == 'e' || *s == 'E');
    if (e > s) {
        e += *e == '+' || *e == '-';
        while (tt_is_digit(*e))
            s = ++e;
    }
    p->tok.kind = TOK_NUMBER;
    p->tok.n = (size_t)(s - p->at);
    if (tt_num_parse_n(p->at, p->tok.n, &p->tok.number) != 0)
        tt_expr_fail(p, p->at, "%s is not a number", tt_expr_shown(&p->tok).s);
}

/* --- names ---------------------------------------------------------------- */

/* What is between quotes or braces; returns its length with both, 0: there is
 * no end, which is reported. */
static size_t enclosed(struct tt_expr_parser *p, const char *s, char end)
{
    size_t n = 1;

    while (s[n] && s[n] != '\n' && s[n] != end)
        n++;
    if (s[n] == end)
        return n + 1;
    tt_expr_fail(p, s, "a name lacks its closing '%c'", end);
    return 0;
}

/* "[2,3]" behind a word */
static size_t index_length(const char *s)
{
    size_t n = 1;

    if (*s != '[' || !tt_is_digit(s[1]))
        return 0;
    while (tt_is_digit(s[n]) || (s[n] == ',' && tt_is_digit(s[n + 1])))
        n++;
    return s[n] == ']' ? n + 1 : 0;
}

static int begins_name(char c)
{
    return tt_is_letter(c) || c == '{' || c == '\'';
}

static size_t part_length(struct tt_expr_parser *p, const char *s)
{
    size_t n = 0;

    if (*s == '{')
        return enclosed(p, s, '}');
    if (*s == '\'')
        n = enclosed(p, s, '\'');
    else
        while (tt_is_letter(s[n]) || tt_is_digit(s[n]))
            n++;
    return n + index_length(s + n);
}

/* A copy without the quotes. */
static char *unquoted(tt_arena *arena, const char *s, size_t n)
{
    char *out = tt_arena_strndup(arena, s, n), *to = out;

    for (size_t i = 0; out && i < n; i++)
        if (s[i] != '\'')
            *to++ = s[i];
    if (out)
        *to = '\0';
    return out;
}

static const struct {
    const char *word;
    enum tt_expr_token_kind kind;
} words[] = {
    {"and", TOK_AND}, {"or", TOK_OR},     {"not", TOK_NOT},
    {"if", TOK_IF},   {"then", TOK_THEN}, {"else", TOK_ELSE},
};

static void take_name(struct tt_expr_parser *p)
{
    const char *s = p->at;
    size_t n = 0, part;

    do {
        n += n > 0; /* the dot */
        part = part_length(p, s + n);
        n += part;
    } while (part && s[n] == '.' && begins_name(s[n + 1]));
    if (!part)
        return;
    p->tok.kind = TOK_NAME;
    p->tok.n = n;
    p->tok.plain =
        !memchr(s, '.', n) && !memchr(s, '[', n) && *s != '{' && *s != '\'';
    p->tok.name = unquoted(p->arena, s, n);
    if (!p->tok.name)
        tt_expr_no_memory(p);
    for (size_t i = 0; p->tok.plain && i < sizeof(words) / sizeof(*words); i++)
        if (p->tok.name && !strcmp(p->tok.name, words[i].word))
            p->tok.kind = words[i].kind;
}

/* --- units ---------------------------------------------------------------- */

static void take_unit(struct tt_expr_parser *p)
{
    size_t n = strcspn(p->at, "]\n");

    if (p->at[n] != ']') {
        tt_expr_fail(p, p->at, "a unit lacks its closing ']'");
        return;
    }
    p->tok.kind = TOK_UNIT;
    p->tok.n = n + 1;
}

/* --- texts ---------------------------------------------------------------- */

static void take_text(struct tt_expr_parser *p)
{
    struct tt_text *text = tt_arena_alloc(p->arena, 1, sizeof(*text));
    const char *s = p->at + 1;

    if (!text) {
        tt_expr_no_memory(p);
        return;
    }
    for (; *s && *s != '"' && *s != '\n' && text->n < TT_TEXT_MAX - 1; s++) {
        s += *s == '\\' && (s[1] == '"' || s[1] == '\\');
        text->s[text->n++] = *s;
    }
    if (*s != '"') {
        tt_expr_fail(p, p->at,
                     text->n < TT_TEXT_MAX - 1
                         ? "a text lacks its closing '\"'"
                         : "a text is too long: at most %d bytes",
                     TT_TEXT_MAX - 1);
        return;
    }
    p->tok.kind = TOK_TEXT;
    p->tok.n = (size_t)(s + 1 - p->at);
    p->tok.text = text;
}

/* --- signs ---------------------------------------------------------------- */

/* Longer ones first. */
static const struct {
    const char *s;
    enum tt_expr_token_kind kind;
} signs[] = {
    {"<=", TOK_LE},   {">=", TOK_GE},  {"==", TOK_EQ},   {"!=", TOK_NE},
    {"&&", TOK_AND},  {"||", TOK_OR},  {"<", TOK_LT},    {">", TOK_GT},
    {"=", TOK_IS},    {"!", TOK_NOT},  {"+", TOK_PLUS},  {"-", TOK_MINUS},
    {"*", TOK_TIMES}, {"/", TOK_OVER}, {"^", TOK_POWER}, {"?", TOK_ASK},
    {":", TOK_COLON}, {"(", TOK_OPEN}, {")", TOK_CLOSE}, {",", TOK_COMMA},
};

const char *tt_expr_terminal(size_t i)
{
    const size_t n = sizeof(words) / sizeof(*words);

    if (i < n)
        return words[i].word;
    return i - n < sizeof(signs) / sizeof(*signs) ? signs[i - n].s : NULL;
}

/* Where the character after s begins. */
static size_t character(const char *s)
{
    size_t n = 1;

    while ((s[n] & 0xc0) == 0x80)
        n++;
    return n;
}

static void take_sign(struct tt_expr_parser *p)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (!strncmp(p->at, signs[i].s, strlen(signs[i].s))) {
            p->tok.kind = signs[i].kind;
            p->tok.n = strlen(signs[i].s);
            return;
        }
    p->tok.n = character(p->at);
    if (*p->at > ' ' && *p->at != 0x7f)
        tt_expr_fail(p, p->at, "%s has no meaning here",
                     tt_expr_shown(&p->tok).s);
    else
        tt_expr_fail(p, p->at, "a control character");
}

void tt_expr_next(struct tt_expr_parser *p)
{
    if (p->rc != TT_OK)
        return;
    p->at += strspn(p->at, " \t\r\n");
    p->tok = (struct tt_expr_token){.s = p->at};
    if (!*p->at)
        return;
    if (tt_is_digit(*p->at) || (*p->at == '.' && tt_is_digit(p->at[1])))
        take_number(p);
    else if (begins_name(*p->at))
        take_name(p);
    else if (*p->at == '"')
        take_text(p);
    else if (*p->at == '[')
        take_unit(p);
    else
        take_sign(p);
    if (p->rc == TT_OK)
        p->at += p->tok.n;
}
