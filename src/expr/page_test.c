/* SPDX-License-Identifier: MIT */
/* The page of the language and its tables have the same words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "expr/expr_impl.h"
#include "expr/testing.h"

#define PAGE TT_SOURCE_DIR "/docs/reference/expressions.md"
#define MOST 200

static char page[32768];

static int setup(void **state)
{
    FILE *f = fopen(PAGE, "rb");
    size_t n = f ? fread(page, 1, sizeof(page) - 1, f) : 0;

    (void)state;
    if (f)
        (void)fclose(f);
    return n > 0 && n < sizeof(page) - 1 ? 0 : -1;
}

struct list {
    char word[MOST][32];
    size_t n;
};

static int has(const struct list *l, const char *word)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->word[i], word))
            return 1;
    return 0;
}

/* All that stands between two of `mark`, from here to there, each once. */
static void collect(struct list *l, const char *from, const char *to, char mark)
{
    char one[2] = {mark, '\0'};

    for (const char *s = strchr(from, mark); s && s < to;
         s = strchr(s + strcspn(s, one) + 1, mark)) {
        size_t n = strcspn(++s, one);
        char word[32];

        assert_true(n < sizeof(word));
        (void)snprintf(word, sizeof(word), "%.*s", (int)n, s);
        if (has(l, word))
            continue;
        assert_true(l->n < MOST);
        memcpy(l->word[l->n++], word, sizeof(word));
    }
}

static const char *section(const char *title, const char **end)
{
    const char *s = strstr(page, title);

    assert_non_null(s);
    *end = strstr(s + strlen(title), "\n## ");
    assert_non_null(*end);
    return s;
}

/* --- the grammar ---------------------------------------------------------- */

static int is_terminal(const char *word)
{
    for (size_t i = 0; tt_expr_terminal(i); i++)
        if (!strcmp(tt_expr_terminal(i), word))
            return 1;
    return !strcmp(word, "[") || !strcmp(word, "]");
}

static void the_grammar_has_every_word_and_no_other(void **state)
{
    static const struct test_scope none = {
        NULL, 0, TT_EXPR_WITH_T | TT_EXPR_WITH_H | TT_EXPR_WITH_DER};
    struct list of = {.n = 0};
    const char *end, *s = section("## Grammar", &end);

    (void)state;
    collect(&of, strstr(s, "```ebnf"), end, '"');
    for (size_t i = 0; tt_expr_terminal(i); i++)
        if (!has(&of, tt_expr_terminal(i)))
            fail_msg("the grammar lacks '%s'", tt_expr_terminal(i));
    for (size_t i = 0; i < of.n; i++) {
        struct test_compiled c;

        if (is_terminal(of.word[i]) || !strcmp(of.word[i], "der") ||
            !strcmp(of.word[i], "pre") || !strcmp(of.word[i], "present"))
            continue;
        c = test_compile(&none, of.word[i]); /* a value of its own */
        test_drop(&c);
    }
}

/* --- functions ------------------------------------------------------------ */

/* "atan2(y, x)" as its name; answers how many arguments, 0: not stated. */
static unsigned split(char *word)
{
    char *open = strchr(word, '(');
    unsigned n = 1;

    if (!open)
        return 0;
    for (const char *s = open; *s; s++)
        n += *s == ',';
    *open = '\0';
    return n;
}

static void the_page_has_every_function_and_no_other(void **state)
{
    struct list of = {.n = 0}, name = {.n = 0};
    const char *end, *s = section("## Functions", &end);

    (void)state;
    collect(&of, s, strstr(s, "\n\nValues"), '`');
    for (size_t i = 0; i < of.n; i++) {
        unsigned n;
        uint32_t f;

        if (strchr(of.word[i], ' ') && !strstr(of.word[i], ", "))
            continue; /* a formula */
        if (strstr(of.word[i], "floor(x/y)") || strstr(of.word[i], "2.5"))
            continue;
        n = split(of.word[i]);
        f = tt_expr_find_function(of.word[i]);
        if (f == TT_NONE)
            fail_msg("there is no function '%s'", of.word[i]);
        if (n &&
            (n < tt_expr_functions[f].least || n > tt_expr_functions[f].most))
            fail_msg("'%s' does not take %u", of.word[i], n);
        if (!n && tt_expr_functions[f].least != 1)
            fail_msg("'%s' takes more than one", of.word[i]);
        memcpy(name.word[name.n++], of.word[i], sizeof(*name.word));
    }
    for (size_t i = 0; tt_expr_callable(i); i++)
        if (tt_expr_find_function(tt_expr_callable(i)) != TT_NONE &&
            !has(&name, tt_expr_callable(i)))
            fail_msg("the page lacks '%s'", tt_expr_callable(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grammar_has_every_word_and_no_other),
        cmocka_unit_test(the_page_has_every_function_and_no_other),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
