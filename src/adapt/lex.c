/* SPDX-License-Identifier: MIT */
/* Words of a program. */
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/utf8.h"

struct lexer {
    const char *text, *at, *row; /* row: where the line begins */
    uint32_t line;
    const struct sa_origin *o;
    tt_arena *arena;
    tt_err *err;
    struct sa_tok *tok;
    size_t n, cap;
};

int sa_is(const struct sa_tok *t, const char *word)
{
    return (t->kind == SA_NAME || t->kind == SA_SIGN) && !strcmp(t->s, word);
}

static uint32_t column_of(const struct lexer *l, const char *at)
{
    uint32_t column = 1;

    for (const char *s = l->row; s < at; s++)
        column += (*s & 0xc0) != 0x80;
    return column;
}

static enum tt_code fail(struct lexer *l, const char *at, const char *fact)
{
    return tt_fail(l->err, TT_EINPUT, "%s:%u:%u: %s", l->o->name,
                   l->o->line ? l->o->line : l->line,
                   l->o->line ? l->o->column : column_of(l, at), fact);
}

/* White space and comments; -1: a comment has no end. */
static int skip(struct lexer *l)
{
    for (;; l->at++) {
        if (*l->at == '\n') {
            l->line++;
            l->row = l->at + 1;
        } else if (l->at[0] == '/' && l->at[1] == '/') {
            l->at += strcspn(l->at, "\n") - 1;
        } else if (l->at[0] == '/' && l->at[1] == '*') {
            const char *end = strstr(l->at + 2, "*/");

            if (!end)
                return -1;
            for (; l->at < end; l->at++)
                if (*l->at == '\n') {
                    l->line++;
                    l->row = l->at + 1;
                }
            l->at++;
        } else if (*l->at != ' ' && *l->at != '\t' && *l->at != '\r') {
            return 0;
        }
    }
}

static size_t name_length(const char *s)
{
    size_t n = 0;

    while (tt_is_letter(s[n]) || tt_is_digit(s[n]) ||
           (s[n] == '.' && tt_is_letter(s[n + 1])))
        n++;
    return n;
}

/* "12", "1.5", ".5", "2e-3"; of "0..9" only the 0. */
static size_t number_length(const char *s)
{
    size_t n = 0, e;

    while (tt_is_digit(s[n]))
        n++;
    if (s[n] == '.' && tt_is_digit(s[n + 1]))
        for (n++; tt_is_digit(s[n]);)
            n++;
    e = n + (s[n] == 'e' || s[n] == 'E');
    if (e > n) {
        e += s[e] == '+' || s[e] == '-';
        while (tt_is_digit(s[e]))
            n = ++e;
    }
    return n;
}

static size_t sign_length(const char *s)
{
    static const char *const sign[] = {
        "-->", "->", "<-", ":=", "..", "<=", ">=", "==", "!=", "&&",
        "||",  ">!", "<!", ";",  ",",  "(",  ")",  "{",  "}",  "+",
        "-",   "*",  "/",  "^",  "<",  ">",  "?",  ":",  "!",  "="};

    for (size_t i = 0; i < sizeof(sign) / sizeof(sign[0]); i++)
        if (!strncmp(s, sign[i], strlen(sign[i])))
            return strlen(sign[i]);
    return 0;
}

static enum tt_code push(struct lexer *l, enum sa_tok_kind kind, size_t n,
                         size_t inside)
{
    struct sa_tok *t =
        sa_push(l->arena, (void **)&l->tok, &l->n, &l->cap, sizeof(*l->tok));
    const char *s = tt_arena_strndup(l->arena, l->at + inside, n - 2 * inside);

    if (!t || !s)
        return tt_nomem(l->err, l->o->name);
    *t = (struct sa_tok){.kind = kind,
                         .s = s,
                         .line = l->o->line ? l->o->line : l->line,
                         .column =
                             l->o->line ? l->o->column : column_of(l, l->at),
                         .from = (uint32_t)(l->at - l->text),
                         .to = (uint32_t)(l->at - l->text + (long)n)};
    l->at += n;
    return TT_OK;
}

static enum tt_code enclosed(struct lexer *l, enum sa_tok_kind kind, char end)
{
    size_t n = 1;

    while (l->at[n] && l->at[n] != '\n' && l->at[n] != end)
        n++;
    if (l->at[n] != end)
        return fail(l, l->at,
                    end == '"' ? "a text lacks its closing '\"'"
                               : "a '[' lacks its ']'");
    return push(l, kind, n + 1, kind == SA_STRING ? 1 : 0);
}

static enum tt_code next(struct lexer *l)
{
    size_t n;

    if (*l->at == '"')
        return enclosed(l, SA_STRING, '"');
    if (*l->at == '[')
        return enclosed(l, SA_BRACKET, ']');
    if (tt_is_letter(*l->at))
        return push(l, SA_NAME, name_length(l->at), 0);
    n = tt_is_digit(*l->at) || (*l->at == '.' && tt_is_digit(l->at[1]))
            ? number_length(l->at)
            : 0;
    if (n)
        return push(l, SA_NUMBER, n, 0);
    n = sign_length(l->at);
    return n ? push(l, SA_SIGN, n, 0)
             : fail(l, l->at, "a character that is not of the language");
}

enum tt_code sa_lex(struct sa_lexed *out, const char *text,
                    const struct sa_origin *o, tt_arena *a, tt_err *err)
{
    struct lexer l = {.text = text,
                      .at = text,
                      .row = text,
                      .line = 1,
                      .o = o,
                      .arena = a,
                      .err = err};
    enum tt_code rc = TT_OK;

    while (rc == TT_OK) {
        const char *from;

        from = l.at + strspn(l.at, " \t\r\n");
        if (skip(&l) != 0)
            return fail(&l, from, "a comment lacks its closing '*/'");
        if (!*l.at)
            break;
        rc = l.n < SA_TOKENS ? next(&l)
                             : fail(&l, l.at, "the program is too long");
    }
    if (rc == TT_OK)
        rc = push(&l, SA_END, 0, 0);
    out->tok = l.tok;
    out->n = (uint32_t)l.n;
    return rc;
}
