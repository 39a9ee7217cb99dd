/* SPDX-License-Identifier: MIT */
#include "results/svg.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "results/xml_test.h"

static const double not_a_number = (double)NAN;
static const double t4[] = {0, 1, 2, 3};

static struct tt_buf drawn;

static xmlDoc *draw(const struct tt_panel *p, size_t n,
                    const struct tt_svg_opts *o)
{
    tt_buf_init(&drawn, 64 << 20);
    tt_svg_panels(&drawn, p, n, o);
    assert_false(drawn.failed);
    return xml_parse(drawn.data, drawn.len);
}

static void done(xmlDoc *doc)
{
    xmlFreeDoc(doc);
    tt_buf_fini(&drawn);
}

/* The d attribute of the only curve, for a plot of these values. */
static void expect_path(const double *y, int steps, const char *d)
{
    struct tt_series s = {.name = "x", .t = t4, .y = y, .n = 4, .steps = steps};
    struct tt_panel p = {.series = &s, .n = 1};
    xmlDoc *doc =
        draw(&p, 1, &(struct tt_svg_opts){.width = 344, .panel_height = 138});

    xml_expect(doc, "//s:path[s:title]/@d", 0, d);
    done(doc);
}

static void curves_are_lines_or_steps_with_gaps_at_nan(void **state)
{
    static const double y[] = {0, 1, 0.5, 0}, gap[] = {0, not_a_number, 1, 0},
                        lone[] = {not_a_number, 1, not_a_number, 0};

    (void)state;
    /* the frame is 36.9..330 by 32..106, the values fill 1/1.1 of it */
    expect_path(y, 0, "M36.9 102.6h0L134.6 35.4L232.3 69L330 102.6");
    expect_path(gap, 0, "M36.9 102.6h0M232.3 35.4h0L330 102.6");
    expect_path(lone, 0, "M134.6 35.4h0M330 102.6h0");
}

static void marks_are_dots_that_no_line_joins(void **state)
{
    static const double y[] = {0, 1, 0.5, 0};
    struct tt_series s = {.name = "x", .t = t4, .y = y, .n = 4, .marks = 1};
    struct tt_panel p = {.series = &s, .n = 1};
    xmlDoc *doc =
        draw(&p, 1, &(struct tt_svg_opts){.width = 344, .panel_height = 138});

    (void)state;
    xml_expect(doc, "//s:path[s:title]/@d", 0,
               "M36.9 102.6h0M134.6 35.4h0M232.3 69h0M330 102.6h0");
    xml_expect(doc, "//s:path[s:title]/@class", 0, "s s0 mark");
    done(doc);
}

static void texts_are_bands_and_stems(void **state)
{
    static const char *const mode[] = {"red", "red", "<off>", "red"};
    static const char *const event[] = {NULL, "on", NULL, NULL};
    static const char *const words[] = {"red", "<off>", "on"};
    const struct tt_series s[] = {
        {.name = "mode", .t = t4, .word = mode, .n = 4},
        {.name = "order", .t = t4, .word = event, .n = 4, .stems = 1}};
    struct tt_panel p = {.series = s, .n = 2, .word = words, .n_word = 3};
    xmlDoc *doc =
        draw(&p, 1, &(struct tt_svg_opts){.width = 344, .panel_height = 138});

    (void)state;
    /* the frame is 50.8..330 by 32..80, a row 24 high */
    xml_expect(doc, "//s:path[s:title='red']/@d", 0, "M50.8 44H236.9");
    xml_expect(doc, "//s:path[s:title='<off>']/@d", 0, "M236.9 44H330");
    xml_expect(doc, "//s:path[s:title='<off>']/@class", 0, "s s1 band");
    xml_expect(doc, "//s:path[s:title='on']/@d", 0, "M143.9 77V59");
    xml_expect(doc, "//s:path[s:title='on']/@class", 0, "s s2");
    done(doc);
}

static const struct tt_svg_opts narrow = {.width = 344, .panel_height = 138};

static void both_limits_of_an_event_are_an_upright_line(void **state)
{
    static const double time[] = {0, 1, 1, 3}, y[] = {0, 1, 0, 1};
    struct tt_series s = {.name = "x", .t = time, .y = y, .n = 4};
    struct tt_panel p = {.series = &s, .n = 1};
    xmlDoc *doc = draw(&p, 1, &narrow);

    (void)state;
    xml_expect(doc, "//s:path[s:title]/@d", 0,
               "M36.9 102.6h0L134.6 35.4L134.6 102.6L330 35.4");
    done(doc);
}

static void stems_stand_on_zero_and_end_in_dots(void **state)
{
    static const double y[] = {0, not_a_number, 1, not_a_number};
    struct tt_series s = {.name = "x", .t = t4, .y = y, .n = 4, .stems = 1};
    struct tt_panel p = {.series = &s, .n = 1};
    xmlDoc *doc = draw(&p, 1, &narrow);

    (void)state;
    xml_expect(doc, "//s:path[s:title]/@d", 0,
               "M36.9 102.6V102.6M232.3 102.6V35.4");
    xml_expect(doc, "//s:path[s:title]/@d", 1, "M36.9 102.6h0M232.3 35.4h0");
    done(doc);
}

static void steps_hold_their_value_until_the_next_point(void **state)
{
    static const double y[] = {0, 1, 3, 0};

    (void)state;
    expect_path(y, 1, "M30 102.6h0H130V80.2H230V35.4H330V102.6");
}

static void a_million_points_keep_their_peak_and_stay_small(void **state)
{
    static double t[1000000], y[1000000];
    struct tt_series s = {.name = "x", .t = t, .y = y, .n = 1000000};
    struct tt_panel p = {.series = &s, .n = 1};
    xmlDoc *doc;

    (void)state;
    for (int i = 0; i < 1000000; i++) {
        t[i] = 1e-3 * i;
        y[i] = i == 654321 ? 9 : sin(0.5 * i);
    }
    doc = draw(&p, 1, NULL);
    assert_true(drawn.len < 120000);
    assert_non_null(strstr(drawn.data, " 39.5L")); /* y of 9 */
    done(doc);
}

static void hostile_names_stay_text(void **state)
{
    static const double y[] = {0, 1, 2, 3};
    const char *evil = "</text><script>alert(1)</script>\" onload=\"x&\x01\xff";
    const char *shown = "</text><script>alert(1)</script>\" onload=\"x&"
                        "\xef\xbf\xbd\xef\xbf\xbd";
    struct tt_series s = {
        .name = evil, .full = evil, .unit = evil, .t = t4, .y = y, .n = 4};
    struct tt_panel p = {.title = evil, .unit = evil, .series = &s, .n = 1};
    xmlDoc *doc = draw(&p, 1, &(struct tt_svg_opts){.title = evil});

    (void)state;
    assert_int_equal(xml_count(doc, "//s:script"), 0);
    assert_int_equal(xml_count(doc, "//@onload"), 0);
    xml_expect(doc, "//s:text[@class='head']", 0, shown);
    xml_expect(doc, "//s:text[@class='title']", 0, shown);
    xml_expect(doc, "//s:path/s:title", 0, shown);
    done(doc);
}

static void a_picture_needs_nothing_from_elsewhere(void **state)
{
    static const double y[] = {0, 1, 2, 3};
    struct tt_series s = {.name = "x", .t = t4, .y = y, .n = 4};
    struct tt_panel p = {.series = &s, .n = 1};
    xmlDoc *doc = draw(&p, 1, NULL);

    (void)state;
    assert_int_equal(xml_count(doc, "//@href|//@src|//s:script|//s:image"), 0);
    assert_null(strstr(drawn.data, "url("));
    assert_null(strstr(drawn.data, "@import"));
    assert_int_equal(xml_count(doc, "//s:style"), 1);
    assert_non_null(strstr(drawn.data, "prefers-color-scheme:dark"));
    done(doc);
    doc = draw(&p, 1, &(struct tt_svg_opts){.embedded = 1});
    assert_int_equal(xml_count(doc, "//s:style"), 0);
    done(doc);
}

/* Every number in a path is finite and inside the picture. */
static void expect_inside(xmlDoc *doc)
{
    xmlXPathObject *o = xml_find(doc, "//s:path/@d");

    for (int i = 0; i < o->nodesetval->nodeNr; i++) {
        xmlChar *d = xmlNodeGetContent(o->nodesetval->nodeTab[i]);

        assert_null(strstr((const char *)d, "nan"));
        assert_null(strstr((const char *)d, "inf"));
        assert_null(strchr((const char *)d, '-'));
        xmlFree(d);
    }
    xmlXPathFreeObject(o);
}

static void any_range_can_be_drawn(void **state)
{
    const double cases[][4] = {
        {0, 0, 0, 0},
        {7, 7, 7, 7},
        {-1e308, 1e308, 0, 1},
        {5e-324, 0, -5e-324, 0},
        {1e-290, 2e-290, 0, 1e-300},
        {101325, 101325.001, 101325, 101325},
        {1e15, 1e15 + 1, 1e15, 1e15},
        {not_a_number, not_a_number, not_a_number, not_a_number},
        {(double)INFINITY, -(double)INFINITY, 1, not_a_number},
        {DBL_MAX, -DBL_MAX, DBL_MIN, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int steps = 0; steps < 2; steps++) {
            struct tt_series s = {
                .name = "x", .t = t4, .y = cases[i], .n = 4, .steps = steps};
            struct tt_panel p = {.series = &s, .n = 1};
            xmlDoc *doc = draw(&p, 1, NULL);

            expect_inside(doc);
            done(doc);
        }
    }
}

/* --- x-y ----------------------------------------------------------------- */

static xmlDoc *draw_xy(const double *x, const double *y, size_t n)
{
    struct tt_series s = {.name = "x, y", .t = x, .y = y, .n = n};
    struct tt_panel p = {.unit = "y", .x_name = "x", .series = &s, .n = 1};

    return draw(&p, 1, NULL);
}

static double number(xmlDoc *doc, const char *xpath)
{
    xmlXPathObject *o = xml_find(doc, xpath);
    double v;

    assert_int_equal(o->nodesetval->nodeNr, 1);
    v = xmlXPathCastNodeToNumber(o->nodesetval->nodeTab[0]);
    xmlXPathFreeObject(o);
    return v;
}

/* A square is drawn as one: the frame is 560 px high, the values fill 1/1.1 of
 * that, in the middle of 52.9..746. */
static void paths_are_drawn_to_scale_and_go_where_they_like(void **state)
{
    static const double x[] = {0, 1, 1, 0, 0}, y[] = {0, 0, 1, 1, 0};
    xmlDoc *doc = draw_xy(x, y, 5);

    (void)state;
    xml_expect(doc, "//s:path[s:title]/@d", 0,
               "M144.9 566.5h0L654 566.5L654 57.5L144.9 57.5L144.9 566.5");
    xml_expect(doc, "//s:path/s:title", 0, "x, y");
    assert_int_equal(xml_count(doc, "//s:text[text()='x']"), 1);
    assert_int_equal(xml_count(doc, "//s:text[text()='y']"), 1);
    assert_int_equal(xml_count(doc, "//s:path[@class='zero']"), 2);
    done(doc);
}

static void a_ring_is_where_a_path_begins(void **state)
{
    const double x[] = {not_a_number, 0, 1, 1}, y[] = {0, not_a_number, 1, 0};
    xmlDoc *doc = draw_xy(x, y, 4);
    double at_x = number(doc, "//s:circle/@cx");
    double at_y = number(doc, "//s:circle/@cy");
    char start[64];

    (void)state;
    (void)snprintf(start, sizeof(start), "M%g %gh0L", at_x, at_y);
    assert_non_null(strstr(drawn.data, start));
    done(doc);
}

static void ranges_far_apart_have_scales_of_their_own(void **state)
{
    static const double x[] = {0, 1}, y[] = {0, 1000};
    xmlDoc *doc = draw_xy(x, y, 2);

    (void)state;
    assert_true(number(doc, "//s:circle/@cx") < 100);
    assert_true(number(doc, "/s:svg/@height") < 500);
    done(doc);
}

static void any_path_can_be_drawn(void **state)
{
    const double cases[][2][4] = {
        {{0, 0, 0, 0}, {0, 0, 0, 0}},
        {{-1e308, 1e308, 0, 1}, {1e308, -1e308, 0, 1}},
        {{1e300, -1e300, 0, 1}, {1e300, 1e299, 0, 1}},
        {{5e-324, 0, -5e-324, 0}, {0, 1, 2, 3}},
        {{1e15, 1e15 + 1, 1e15, 1e15}, {0, 1, 0, 1}},
        {{not_a_number, not_a_number, not_a_number, not_a_number},
         {0, 1, 2, 3}},
        {{(double)INFINITY, -(double)INFINITY, 1, not_a_number}, {0, 1, 2, 3}},
        {{0, 1, 2, 3}, {(double)INFINITY, not_a_number, 1, 2}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        xmlDoc *doc = draw_xy(cases[i][0], cases[i][1], 4);

        expect_inside(doc);
        assert_true(number(doc, "/s:svg/@height") < 700);
        done(doc);
    }
}

static void panels_without_numbers_report_it(void **state)
{
    struct tt_series s = {.name = "x"};
    struct tt_panel p[] = {{.series = &s, .n = 1}, {.n = 0}};
    xmlDoc *doc = draw(p, 2, NULL);

    (void)state;
    assert_int_equal(xml_count(doc, "//s:text[text()='no numbers to draw']"),
                     2);
    done(doc);
}

static void one_instant_can_be_drawn(void **state)
{
    static const double t[] = {5}, y[] = {2};
    struct tt_series s = {.name = "x", .t = t, .y = y, .n = 1};
    struct tt_panel p = {.series = &s, .n = 1};
    xmlDoc *doc = draw(&p, 1, NULL);

    (void)state;
    expect_inside(doc);
    assert_int_equal(xml_count(doc, "//s:path[s:title]"), 1);
    done(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_lines_or_steps_with_gaps_at_nan),
        cmocka_unit_test(marks_are_dots_that_no_line_joins),
        cmocka_unit_test(texts_are_bands_and_stems),
        cmocka_unit_test(both_limits_of_an_event_are_an_upright_line),
        cmocka_unit_test(stems_stand_on_zero_and_end_in_dots),
        cmocka_unit_test(steps_hold_their_value_until_the_next_point),
        cmocka_unit_test(a_million_points_keep_their_peak_and_stay_small),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(a_picture_needs_nothing_from_elsewhere),
        cmocka_unit_test(any_range_can_be_drawn),
        cmocka_unit_test(paths_are_drawn_to_scale_and_go_where_they_like),
        cmocka_unit_test(a_ring_is_where_a_path_begins),
        cmocka_unit_test(ranges_far_apart_have_scales_of_their_own),
        cmocka_unit_test(any_path_can_be_drawn),
        cmocka_unit_test(panels_without_numbers_report_it),
        cmocka_unit_test(one_instant_can_be_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
