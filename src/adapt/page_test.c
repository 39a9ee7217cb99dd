/* SPDX-License-Identifier: MIT */
/* The page of reference has the grammar that the parser has. */
#include "adapt/test_adapt.h"

#include <ctype.h>

static void the_page_has_the_grammar(void **state)
{
    struct tt_buf page, grammar;

    (void)state;
    tt_buf_init(&page, 1 << 20);
    tt_buf_init(&grammar, 1 << 20);
    assert_ok(tt_file_read(&page, TT_SOURCE_DIR "/docs/reference/adaptation.md",
                           err));
    tt_adapt_grammar(&grammar);
    assert_non_null(strstr(page.data, grammar.data));
    tt_buf_fini(&page);
    tt_buf_fini(&grammar);
}

/* "word" with letters in it, of the grammar; returns what is behind it. */
static const char *next_word(const char *s, char *word, size_t size)
{
    const char *from = strchr(s, '"'),
               *to = from ? strchr(from + 1, '"') : NULL;

    if (!to)
        return NULL;
    (void)snprintf(word, size, "%.*s", (int)(to - from - 1), from + 1);
    return to + 1;
}

/* Each word of the grammar is coloured, between signs that are not of it. */
static void editors_know_its_words(void **state)
{
    struct tt_buf file, grammar;
    const char *at;
    char word[64];
    int n = 0;

    (void)state;
    tt_buf_init(&file, 1 << 20);
    tt_buf_init(&grammar, 1 << 20);
    assert_ok(tt_file_read(
        &file, TT_SOURCE_DIR "/docs/reference/adaptation.tmLanguage.json",
        err));
    tt_adapt_grammar(&grammar);
    at = grammar.data;
    while ((at = next_word(at, word, sizeof(word))) != NULL) {
        const char *found = file.data;
        size_t len = strlen(word);

        if (!isalpha((unsigned char)word[0]))
            continue;
        n++;
        while ((found = strstr(found, word)) != NULL &&
               !(strchr("(|", found[-1]) && strchr("|)", found[len])))
            found++;
        if (!found)
            fail_msg("no editor knows '%s'", word);
    }
    assert_true(n > 40);
    tt_buf_fini(&file);
    tt_buf_fini(&grammar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_grammar),
        cmocka_unit_test(editors_know_its_words),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
