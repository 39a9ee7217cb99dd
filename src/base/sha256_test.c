/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static void hash_pieces(const char *s, size_t n, size_t piece, char *hex)
{
    unsigned char out[TT_SHA256_BYTES];
    struct tt_sha256 h;

    tt_sha256_init(&h);
    for (size_t at = 0; at < n; at += piece)
        tt_sha256_add(&h, s + at, n - at < piece ? n - at : piece);
    tt_sha256_end(&h, out);
    tt_sha256_hex(out, hex);
}

/* FIPS 180-4 and its example documents. */
static void published_vectors_agree(void **state)
{
    static const struct {
        const char *text, *hex;
    } vector[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb924"
             "27ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223"
                "b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[TT_SHA256_HEX];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        hash_pieces(vector[i].text, strlen(vector[i].text), 1000, hex);
        assert_string_equal(hex, vector[i].hex);
        hash_pieces(vector[i].text, strlen(vector[i].text), 3, hex);
        assert_string_equal(hex, vector[i].hex);
    }
}

static void digests_have_a_short_form(void **state)
{
    unsigned char out[TT_SHA256_BYTES];
    char text[TT_SHA256_BASE64];
    struct tt_sha256 h;

    (void)state;
    tt_sha256_init(&h);
    tt_sha256_end(&h, out);
    tt_sha256_base64(out, text);
    assert_string_equal(text, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

static void a_million_letters_agree(void **state)
{
    static char a[1000000];
    char hex[TT_SHA256_HEX];

    (void)state;
    memset(a, 'a', sizeof(a));
    for (size_t i = 0; i < 3; i++) { /* block by block, many, and mixed */
        hash_pieces(a, sizeof(a), i == 0 ? 64 : i == 1 ? sizeof(a) : 977, hex);
        assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67"
                                 "f1809a48a497200e046d39ccc7112cd0");
    }
}

static void secrets_are_compared_whole(void **state)
{
    (void)state;
    assert_true(tt_same_secret("abc", 3, "abc", 3));
    assert_false(tt_same_secret("abc", 3, "abd", 3));
    assert_false(tt_same_secret("abc", 3, "abcd", 4));
    assert_false(tt_same_secret("abc", 3, "", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors_agree),
        cmocka_unit_test(digests_have_a_short_form),
        cmocka_unit_test(a_million_letters_agree),
        cmocka_unit_test(secrets_are_compared_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
