/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/brief.h"

static void init(struct tt_brief *b, const char *const *name, size_t n)
{
    tt_brief_init(b);
    for (size_t i = 0; i < n; i++)
        tt_brief_add(b, name[i]);
}

static void text_is(const struct tt_brief *b, const char *whole,
                    const char *brief)
{
    struct tt_buf text;

    tt_buf_init(&text, 4096);
    tt_buf_str(&text, "{x2}.tank|"); /* not looked at */
    tt_buf_str(&text, whole);
    tt_brief_text(b, &text, 10);
    assert_string_equal(text.data + 10, brief);
    assert_memory_equal(text.data, "{x2}.tank|", 10);
    assert_int_equal(text.len, 10 + strlen(brief));
    tt_buf_fini(&text);
}

static void a_key_that_distinguishes_nothing_goes(void **state)
{
    static const char *const name[] = {"{x1}.controller", "{x2}.tank",
                                       "{x2}.tank.level", "{x2}.spare"};
    struct tt_brief b;

    (void)state;
    init(&b, name, 4);
    assert_string_equal(tt_brief_name(&b, "{x2}.tank"), "tank");
    assert_string_equal(tt_brief_name(&b, "{x2}.tank.level"), "tank.level");
    text_is(&b, "{x2}.tank.level -> {x1}.controller.level, rho 2",
            "tank.level -> controller.level, rho 2");
    text_is(&b, "--order {x2}.tank,{x1}.controller", "--order tank,controller");
    text_is(&b, "'{x2}.spare': \033[2m{x2}.tank\033[0m",
            "'spare': \033[2mtank\033[0m");
    tt_brief_fini(&b);
}

static void two_of_one_name_keep_their_keys(void **state)
{
    static const char *const name[] = {"{a}.tank", "{b}.tank", "{b}.pump",
                                       "{c}.alone", "alone"};
    struct tt_brief b;

    (void)state;
    init(&b, name, 5);
    text_is(&b, "{a}.tank {b}.tank {b}.pump {c}.alone alone",
            "{a}.tank {b}.tank pump {c}.alone alone");
    tt_brief_fini(&b);
}

static void what_is_no_name_of_these_stays(void **state)
{
    static const char *const name[] = {"{a}.tank", "{in}.in"};
    struct tt_brief b;

    (void)state;
    init(&b, name, 2);
    text_is(&b, "{a}.tank2 {a}.tan {b}.tank {a} {a}. {a {\"a\": 1} }.tank {",
            "{a}.tank2 {a}.tan {b}.tank {a} {a}. {a {\"a\": 1} }.tank {");
    text_is(&b, "{a}.tank.{in}.in.x", "tank.{in}.in.x"); /* inside the tank */
    text_is(&b, "{a}.tank/{in}.in (\"evaluates\": {\"{in}.in\": \"never\"})",
            "tank/{in}.in (\"evaluates\": {\"{in}.in\": \"never\"})");
    text_is(&b, "{a}\n.tank", "{a}\n.tank");
    assert_string_equal(tt_brief_name(&b, "{b}.tank"), "{b}.tank");
    assert_string_equal(tt_brief_name(&b, ""), "");
    tt_brief_fini(&b);
}

static void without_memory_names_stay_whole(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 7; n++) {
        struct tt_brief b;

        tt_mem_fail_after(n);
        tt_brief_init(&b);
        tt_brief_add(&b, "{a}.tank");
        tt_mem_fail_after(0);
        assert_string_equal(tt_brief_name(&b, "{a}.tank"),
                            b.failed ? "{a}.tank" : "tank");
        tt_brief_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_that_distinguishes_nothing_goes),
        cmocka_unit_test(two_of_one_name_keep_their_keys),
        cmocka_unit_test(what_is_no_name_of_these_stays),
        cmocka_unit_test(without_memory_names_stay_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
