/* SPDX-License-Identifier: MIT */
#include "results/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "results/xml_test.h"
#include "sys/file.h"

static const double not_a_number = (double)NAN;
static struct tt_buf page;

static xmlDoc *make(const struct tt_report *r)
{
    tt_buf_init(&page, TT_REPORT_MAX_BYTES);
    tt_report_html(&page, r);
    assert_false(page.failed);
    return xml_parse(page.data, page.len);
}

static void done(xmlDoc *doc)
{
    xmlFreeDoc(doc);
    tt_buf_fini(&page);
}

static void an_empty_report_is_a_page(void **state)
{
    struct tt_report r = {.end = 1};
    xmlDoc *doc = make(&r);

    (void)state;
    assert_int_equal(xml_count(doc, "//h:h2"), 0);
    xml_expect(doc, "//h:title", 0, "Tutti report");
    done(doc);
}

static void the_page_states_what_happened_and_what_was_decided(void **state)
{
    struct tt_report_decision d = {"step size", "0.1 s", "given"};
    struct tt_report_unit u = {.name = "{t}.tank",
                               .kind = "fmi2",
                               .model = "Tank",
                               .exchange = "standard",
                               .steps = 1234567,
                               .calls = 42,
                               .time_share = 12.34,
                               .max_lag = 0.1,
                               .notes = "late"};
    struct tt_report_log l[] = {{TT_LOG_WARN, "{t}.tank", "hot", 0.5},
                                {TT_LOG_NOTE, NULL, "done", not_a_number}};
    const char *file[] = {"out.csv"}, *warning[] = {"careful"};
    struct tt_report r = {.title = "Tank",
                          .status = "completed: 51 rows to t=10 s",
                          .trust = "fixed step, not error-controlled",
                          .end = 10,
                          .step = 0.1,
                          .master = "Jacobi",
                          .decision = &d,
                          .n_decision = 1,
                          .unit = &u,
                          .n_unit = 1,
                          .log = l,
                          .n_log = 2,
                          .warning = warning,
                          .n_warning = 1,
                          .file = file,
                          .n_file = 1,
                          .score = "STEP tank"};
    xmlDoc *doc = make(&r);

    (void)state;
    xml_expect(doc, "//h:h1", 0, "Tank");
    xml_expect(doc, "//h:p[@class='status']", 0, "completed 51 rows to t=10 s");
    xml_expect(doc, "//h:p[@class='trust']", 0,
               "fixed step, not error-controlled");
    xml_expect(doc, "//h:dd", 0, "0 s to 10 s");
    xml_expect(doc, "//h:dd", 1, "0.1 s");
    xml_expect(doc, "//h:td[@class='topic']/..", 0, "step size0.1 sgiven");
    xml_expect(doc, "//h:td[@class='n']", 0,
               "1\xe2\x80\xaf"
               "234\xe2\x80\xaf"
               "567");
    xml_expect(doc, "//h:td[h:b]", 0, "{t}.tankTanklate; largest lag 0.1 s");
    xml_expect(doc, "//h:td[@class='n']", 2, "12.3 %");
    xml_expect(doc, "//h:td[@class='level-warning']/..", 0,
               "warning0.5 s{t}.tankhot");
    xml_expect(doc, "//h:td[@class='level-note']/..", 0, "notetuttidone");
    xml_expect(doc, "//h:pre", 0, "STEP tank");
    xml_expect(doc, "//h:p[@class='note']", 0, "careful");
    xml_expect(doc, "//h:li", 0, "out.csv");
    done(doc);
}

static void steps_and_real_time_are_shown_where_there_are_any(void **state)
{
    static const double t[] = {0, 1}, y[] = {1, 2};
    struct tt_series s = {.name = "step size", .t = t, .y = y, .n = 2};
    struct tt_panel p = {.series = &s, .n = 1};
    struct tt_panels panels = {.panel = &p, .n = 1};
    struct tt_report r = {
        .end = 1, .steps = &panels, .pace = "factor 1: no step was late"};
    xmlDoc *doc = make(&r);

    (void)state;
    xml_expect(doc, "//h:h2", 0, "Steps");
    assert_int_equal(xml_count(doc, "//s:svg"), 1);
    xml_expect(doc, "//h:dl/h:div[h:dt='real time']/h:dd", 0,
               "factor 1: no step was late");
    done(doc);
    r.steps = &(struct tt_panels){0};
    doc = make(&r);
    assert_int_equal(xml_count(doc, "//h:h2"), 0);
    done(doc);
}

static void events_are_listed_and_marked_in_plots_over_time(void **state)
{
    static const double t[] = {0, 4}, y[] = {1, 2}, at[] = {1, 3, 9};
    static const struct tt_report_event e[] = {{1, 1, "{a}.a", "y", "<up>"},
                                               {3, 12, "{b}.b", "z", "2"}};
    struct tt_series s = {.name = "x", .t = t, .y = y, .n = 2};
    struct tt_panel p[] = {{.series = &s, .n = 1},
                           {.series = &s, .n = 1, .x_name = "x"}};
    struct tt_panels panels = {.panel = p, .n = 2};
    struct tt_report r = {.end = 4,
                          .panels = &panels,
                          .event = e,
                          .n_event = 2,
                          .instant = at,
                          .n_instant = 3};
    xmlDoc *doc = make(&r);

    (void)state;
    xml_expect(doc, "//h:h2", 1, "Events");
    xml_expect(doc, "//h:tr[2]/h:td", 0, "1 s");
    xml_expect(doc, "//h:tr[2]/h:td[@class='text']", 0, "<up>");
    xml_expect(doc, "//h:tr[3]/h:td[@class='n dim']", 0, "12");
    assert_int_equal(xml_count(doc, "//s:path[@class='instant']"), 1);
    assert_int_equal(xml_count(doc, "//h:p[@class='dim']"), 0);
    done(doc);
    r.n_instant = 0;
    r.more_events = 1;
    doc = make(&r);
    assert_int_equal(xml_count(doc, "//s:path[@class='instant']"), 0);
    xml_expect(doc, "//h:p[@class='dim']", 0,
               "More followed, which are neither listed nor marked in the "
               "plots.");
    done(doc);
}

static void calls_that_were_not_counted_have_no_column(void **state)
{
    struct tt_report_unit u[] = {{.name = "a", .steps = 7, .time_share = 1},
                                 {.name = "b", .steps = 8, .time_share = 2}};
    struct tt_report r = {.unit = u, .n_unit = 2};
    xmlDoc *doc = make(&r);

    (void)state;
    assert_int_equal(xml_count(doc, "//h:th"), 5);
    assert_int_equal(xml_count(doc, "//h:th[.='calls']"), 0);
    xml_expect(doc, "//h:td[@class='n']", 0, "7");
    xml_expect(doc, "//h:td[@class='n']", 1, "1 %");
    done(doc);
    u[1].calls = 3;
    doc = make(&r);
    assert_int_equal(xml_count(doc, "//h:th"), 6);
    done(doc);
}

static void hostile_texts_stay_text_wherever_they_appear(void **state)
{
    const char *evil = "</td></style><script>alert('1')</script>"
                       "<img src=x onerror=\"x\">&\x02\xc3";
    static const double t[] = {0, 1}, y[] = {0, 1};
    struct tt_series s = {
        .name = evil, .full = evil, .unit = evil, .t = t, .y = y, .n = 2};
    struct tt_panel p = {.title = evil, .unit = evil, .series = &s, .n = 1};
    struct tt_panels panels = {.panel = &p, .n = 1};
    struct tt_report_decision d = {evil, evil, evil};
    struct tt_report_unit u = {evil, evil,         evil,         evil, 1,
                               1,    not_a_number, not_a_number, evil};
    struct tt_report_log l = {TT_LOG_ERROR, evil, evil, not_a_number};
    struct tt_report_source from = {evil, evil, evil, evil, evil, evil, evil};
    struct tt_report_event e = {1, 1, evil, evil, evil};
    struct tt_report r = {evil,  evil,  evil,  evil,  evil,    TT_REPORT_FAILED,
                          evil,  evil,  0,     1,     0,       evil,
                          evil,  &d,    1,     &u,    1,       1,
                          &evil, 1,     evil,  NULL,  &l,      1,
                          &evil, 1,     &evil, 1,     &panels, &panels,
                          evil,  &evil, 1,     &from, 1,       &evil,
                          1,     &e,    1,     1,     t,       2};
    xmlDoc *doc = make(&r);

    (void)state;
    assert_int_equal(xml_count(doc, "//*[local-name()='script']"), 1);
    assert_int_equal(
        xml_count(doc, "//*[local-name()='script'][contains(., 'alert')]"), 0);
    assert_int_equal(xml_count(doc, "//*[local-name()='img']"), 0);
    assert_int_equal(xml_count(doc, "//@onerror|//@src|//@href"), 0);
    assert_int_equal(xml_count(doc, "//h:style"), 1);
    assert_int_equal(xml_count(doc, "//*[contains(., 'alert')]") > 20, 1);
    done(doc);
}

/* What the script draws them from again. */
static void plots_have_their_values_and_frames(void **state)
{
    static const double t[] = {0, 0.5, 1, 2}, y[] = {1, 0.125, (double)NAN, 2};
    static double many_t[5000], many_y[5000];
    struct tt_series s[] = {
        {.name = "x", .full = "{a}.a.x", .t = t, .y = y, .n = 4},
        {.name = "on", .t = t, .y = y, .n = 2, .steps = 1},
        {.name = "many", .t = many_t, .y = many_y, .n = 5000}};
    struct tt_panel p = {.unit = "m", .series = s, .n = 3};
    struct tt_panels panels = {.panel = &p, .n = 1};
    struct tt_report r = {.end = 2, .panels = &panels};
    xmlDoc *doc;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        many_t[i] = i * 2.0 / 4999;
        many_y[i] = i % 2;
    }
    doc = make(&r);
    xml_expect(doc, "//s:g[@class='panel']/@data-unit", 0, "m");
    xml_expect(doc, "//s:path[s:title='{a}.a.x']/@data-v", 0,
               "0 1,0.5 0.125,,2 2,");
    xml_expect(doc, "//s:path[s:title='{a}.a.x']/@data-kind", 0, "line");
    xml_expect(doc, "//s:path[s:title='on']/@data-kind", 0, "steps");
    assert_int_equal(xml_count(doc, "//s:path[s:title='many']"
                                    "[string-length(@data-v) < 30000]"),
                     1);
    assert_int_equal(xml_count(doc, "//s:g[@class='key']"), 3);
    assert_int_equal(xml_count(doc, "//h:script"), 1);
    done(doc);
    r.panels = NULL;
    doc = make(&r);
    assert_int_equal(xml_count(doc, "//h:script"), 0);
    done(doc);
}

static void panels_of_one_instance_share_a_card(void **state)
{
    static const double t[] = {0, 1}, y[] = {0, 1};
    struct tt_series s = {.name = "x", .t = t, .y = y, .n = 2};
    struct tt_panel p[] = {{.title = "{a}.a", .series = &s, .n = 1},
                           {.title = "{b}.b", .series = &s, .n = 1},
                           {.title = "{a}.a", .series = &s, .n = 1}};
    struct tt_panels panels = {.panel = p, .n = 3};
    struct tt_report r = {.end = (double)INFINITY, .panels = &panels};
    xmlDoc *doc = make(&r);

    (void)state;
    assert_int_equal(xml_count(doc, "//s:svg"), 2);
    assert_int_equal(xml_count(doc, "//h:div[h:h3='{a}.a']//s:path[s:title]"),
                     2);
    assert_int_equal(xml_count(doc, "//h:div[h:h3='{b}.b']//s:path[s:title]"),
                     1);
    xml_expect(doc, "//h:dd", 0, "0 s to no end");
    done(doc);
}

static void too_many_panels_and_messages_are_counted_not_shown(void **state)
{
    static const double t[] = {0, 1}, y[] = {0, 1};
    static struct tt_panel p[100];
    static struct tt_report_log l[1500];
    struct tt_series s = {.name = "x", .t = t, .y = y, .n = 2};
    struct tt_panels panels = {.panel = p, .n = 100};
    struct tt_report r = {.end = 1, .panels = &panels, .log = l, .n_log = 1500};
    xmlDoc *doc;

    (void)state;
    for (int i = 0; i < 100; i++)
        p[i] = (struct tt_panel){.title = "{a}.a", .series = &s, .n = 1};
    for (int i = 0; i < 1500; i++)
        l[i].text = "tick";
    doc = make(&r);
    assert_int_equal(xml_count(doc, "//s:path[s:title]"), 60);
    xml_expect(doc, "//h:p[@class='dim']", 0,
               "40 more plots are not shown here; the result file has all "
               "values.");
    xml_expect(doc, "//h:p[@class='dim']", 1,
               "500 more messages are not shown.");
    done(doc);
}

static void a_report_reaches_its_file_or_the_reason_is_reported(void **state)
{
    struct tt_report r = {.title = "T", .end = 1};
    char *folder = NULL, *path;
    struct tt_buf b;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_dir_temp(&folder, NULL), TT_OK);
    path = tt_path_join(folder, "report.html");
    assert_int_equal(tt_report_write(path, &r, &err), TT_OK);
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    assert_memory_equal(b.data, "<!DOCTYPE html>", 15);
    tt_buf_fini(&b);
    assert_int_equal(tt_report_write("/nonexistent/r.html", &r, &err),
                     TT_EINPUT);
    assert_string_equal(
        err.msg, "cannot write /nonexistent/r.html: No such file or directory");
    assert_int_equal(tt_dir_remove(folder, NULL), TT_OK);
    tt_free(path);
    tt_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_report_is_a_page),
        cmocka_unit_test(the_page_states_what_happened_and_what_was_decided),
        cmocka_unit_test(steps_and_real_time_are_shown_where_there_are_any),
        cmocka_unit_test(events_are_listed_and_marked_in_plots_over_time),
        cmocka_unit_test(calls_that_were_not_counted_have_no_column),
        cmocka_unit_test(hostile_texts_stay_text_wherever_they_appear),
        cmocka_unit_test(plots_have_their_values_and_frames),
        cmocka_unit_test(panels_of_one_instance_share_a_card),
        cmocka_unit_test(too_many_panels_and_messages_are_counted_not_shown),
        cmocka_unit_test(a_report_reaches_its_file_or_the_reason_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
