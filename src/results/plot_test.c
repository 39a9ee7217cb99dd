/* SPDX-License-Identifier: MIT */
#include "results/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sys/file.h"

static const char csv[] = "time,{a}.a.x,{a}.a.on,{b}.b.x,{b}.b.mode\n"
                          "0,0.5,true,0.25,idle\n"
                          "1,1.5,false,1.25,run\n";
static char *folder, *csv_path, *svg_path;

static int make_folder(void **state)
{
    (void)state;
    if (tt_dir_temp(&folder, NULL) != TT_OK)
        return -1;
    csv_path = tt_path_join(folder, "out.csv");
    svg_path = tt_path_join(folder, "out.svg");
    return tt_file_write(csv_path, csv, sizeof(csv) - 1, NULL) == TT_OK ? 0
                                                                        : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)!tt_dir_remove(folder, NULL);
    tt_free(folder);
    tt_free(csv_path);
    tt_free(svg_path);
    return 0;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void a_file_becomes_a_picture_and_a_text(void **state)
{
    struct tt_buf text, svg, picture;
    struct tt_plot_opts o = {
        .svg = svg_path, .picture = &picture, .text = &text};
    tt_err err = {0};

    (void)state;
    tt_buf_init(&text, 1 << 20);
    tt_buf_init(&svg, 1 << 20);
    tt_buf_init(&picture, 1 << 20);
    if (tt_plot_file(csv_path, &o, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(count(text.data, "time (s)"), 4);
    assert_int_equal(tt_file_read(&svg, svg_path, NULL), TT_OK);
    assert_non_null(strstr(svg.data, ">out.csv</text>"));
    assert_int_equal(count(svg.data, "<title>"), 4);
    /* mode is text, and 'run' begins where time ends */
    assert_int_equal(count(svg.data, " band\""), 1);
    assert_int_equal(count(svg.data, ">a</text>"), 2);
    assert_string_equal(picture.data, svg.data);
    tt_buf_fini(&picture);
    tt_buf_fini(&text);
    tt_buf_fini(&svg);
}

static void chosen_columns_share_a_panel_across_instances(void **state)
{
    static const char *const x[] = {"x"};
    struct tt_buf text;
    struct tt_plot_opts o = {.pattern = x, .n_pattern = 1, .text = &text};

    (void)state;
    tt_buf_init(&text, 1 << 20);
    assert_int_equal(tt_plot_file(csv_path, &o, NULL), TT_OK);
    assert_int_equal(count(text.data, "time (s)"), 1);
    assert_non_null(strstr(text.data, "* a.x  + b.x\n"));
    tt_buf_fini(&text);
}

static void pairs_are_drawn_over_each_other(void **state)
{
    static const char *const xy[] = {"a.x,b.x"};
    struct tt_buf text, picture;
    struct tt_plot_opts o = {
        .xy = xy, .n_xy = 1, .text = &text, .picture = &picture};

    (void)state;
    tt_buf_init(&text, 1 << 20);
    tt_buf_init(&picture, 1 << 20);
    assert_int_equal(tt_plot_file(csv_path, &o, NULL), TT_OK);
    assert_null(strstr(text.data, "time"));
    assert_non_null(strstr(text.data, "* a.x, b.x  [x]\n"));
    assert_int_equal(count(picture.data, "<title>"), 1);
    assert_non_null(strstr(picture.data, "<title>a.x, b.x</title>"));
    tt_buf_fini(&text);
    tt_buf_fini(&picture);
}

static void what_cannot_be_plotted_is_reported(void **state)
{
    static const char *const y[] = {"{a}.a.y"};
    static const char none[] = "time\n0\n1\n";
    struct tt_buf text;
    struct tt_plot_opts o = {.text = &text};
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    tt_buf_init(&text, 1 << 20);
    assert_int_equal(tt_table_parse(&t, "r.csv", none, sizeof(none) - 1, NULL),
                     TT_OK);
    assert_int_equal(tt_plot_table(t, &o, &err), TT_EINPUT);
    assert_string_equal(err.msg, "r.csv: there is nothing to plot in it");
    tt_table_free(t);
    assert_int_equal(tt_table_parse(&t, "r.csv", csv, sizeof(csv) - 1, NULL),
                     TT_OK);
    o.pattern = y;
    o.n_pattern = 1;
    assert_int_equal(tt_plot_table(t, &o, &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "r.csv has no column '{a}.a.y'; did you mean '{a}.a.x'?");
    o.n_pattern = 0;
    o.svg = "/nonexistent/p.svg";
    assert_int_equal(tt_plot_table(t, &o, &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "cannot write /nonexistent/p.svg: No such file or directory");
    tt_table_free(t);
    tt_buf_fini(&text);
}

#define EVENTS                                                                 \
    "time,microstep,instance,port,value\n"                                     \
    "0,1,{l}.l,colour,green\n0,2,{t}.t,level,0.5\n"                            \
    "4,1,{t}.t,level,1.5\n8,1,{l}.l,colour,red\n"

/* Drawn in 40 characters, and as a picture. */
static enum tt_code plot_text(const char *list, const char *const *pattern,
                              struct tt_buf *text, struct tt_buf *picture,
                              tt_err *err)
{
    const struct tt_plot_opts o = {.pattern = pattern,
                                   .n_pattern = pattern ? 1 : 0,
                                   .text = text,
                                   .picture = picture,
                                   .ascii = {.width = 40, .height = 4}};
    tt_table *t = NULL;
    enum tt_code rc;

    tt_buf_init(text, 1 << 20);
    tt_buf_init(picture, 1 << 20);
    assert_int_equal(tt_table_parse(&t, "e.csv", list, strlen(list), NULL),
                     TT_OK);
    rc = tt_plot_table(t, &o, err);
    tt_table_free(t);
    return rc;
}

static void a_list_of_events_has_stems_and_marks(void **state)
{
    struct tt_buf text, picture;

    (void)state;
    assert_int_equal(plot_text(EVENTS, NULL, &text, &picture, NULL), TT_OK);
    assert_string_equal(text.data, "        l\n"
                                   "colour ||green                         |\n"
                                   "       ++-------+-------+------+-------+\n"
                                   "        0       2       4      6       8\n"
                                   "                    time (s)\n"
                                   "\n"
                                   "   t  * level\n"
                                   "  |                  *\n"
                                   "1 +                  *\n"
                                   "  |*                 *\n"
                                   "0 +*                 *\n"
                                   "  ++--------+--------+--------+--------+\n"
                                   "   0        2        4        6        8\n"
                                   "                 time (s)\n");
    assert_int_equal(count(picture.data, "<title>green</title>"), 1);
    assert_int_equal(count(picture.data, "<title>{t}.t.level</title>"), 2);
    tt_buf_fini(&text);
    tt_buf_fini(&picture);
}

static void events_are_chosen_by_output(void **state)
{
    static const char *const level[] = {"level"}, *const none[] = {"levl"};
    struct tt_buf text, picture;
    tt_err err = {0};

    (void)state;
    assert_int_equal(plot_text(EVENTS, level, &text, &picture, NULL), TT_OK);
    assert_null(strstr(text.data, "colour"));
    assert_non_null(strstr(text.data, "* t.level\n"));
    tt_buf_fini(&text);
    tt_buf_fini(&picture);
    assert_int_equal(plot_text(EVENTS, none, &text, &picture, &err), TT_EINPUT);
    assert_string_equal(err.msg, "e.csv: there is no event of 'levl'");
    tt_buf_fini(&text);
    tt_buf_fini(&picture);
    assert_int_equal(plot_text("time,microstep,instance,port,value\n", NULL,
                               &text, &picture, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, "e.csv: there is nothing to plot in it");
    tt_buf_fini(&text);
    tt_buf_fini(&picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_a_picture_and_a_text),
        cmocka_unit_test(chosen_columns_share_a_panel_across_instances),
        cmocka_unit_test(pairs_are_drawn_over_each_other),
        cmocka_unit_test(a_list_of_events_has_stems_and_marks),
        cmocka_unit_test(events_are_chosen_by_output),
        cmocka_unit_test(what_cannot_be_plotted_is_reported),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
