/* SPDX-License-Identifier: MIT */
/* The experiment, what is recorded, and what is decided for the user. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/testing.h"

/* One unit: inputs u, v; outputs y, z; parameter k; local x. */
struct one {
    struct tt_fake f;
    struct tt_stand st;
};

static void begin(struct one *o)
{
    tt_fake_init(&o->f);
    tt_fake_port(&o->f, "u", TT_CAUS_INPUT, TT_F64);
    tt_fake_port(&o->f, "v", TT_CAUS_INPUT, TT_F64);
    tt_fake_port(&o->f, "z", TT_CAUS_OUTPUT, TT_F64);
    tt_fake_port(&o->f, "y", TT_CAUS_OUTPUT, TT_F64);
    tt_fake_port(&o->f, "k", TT_CAUS_PARAMETER, TT_F64);
    tt_fake_port(&o->f, "x", TT_CAUS_LOCAL, TT_F64);
    tt_stand_init(&o->st);
    tt_stand_fake(&o->st, "{a}", &o->f);
}

static void end(struct one *o)
{
    tt_stand_fini(&o->st);
    tt_fake_fini(&o->f);
}

#define ALONE                                                                  \
    "{\"fmus\": {\"{a}\": \"a\"}, \"instances\": {\"{a}\": [\"a\"]},\n"        \
    "\"connections\": {}"
#define TWO                                                                    \
    "{\"fmus\": {\"{a}\": \"a\"},\n"                                           \
    "\"connections\": {\"{a}.p.y\": [\"{a}.q.u\"]}"
#define FIXED ",\n\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}"
#define UNTIL ",\n\"endTime\": 2}"

static void refused(const char *json, const char *message)
{
    struct one o;

    begin(&o);
    assert_int_equal(tt_stand_plan(&o.st, json), TT_EINPUT);
    assert_string_equal(o.st.err.msg, message);
    end(&o);
}

/* --- experiment ---------------------------------------------------------- */

static void an_experiment_is_taken_as_it_is_reported(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    assert_int_equal(
        tt_stand_plan(&o.st, TWO FIXED ", \"startTime\": 0.5, \"endTime\": 2}"),
        TT_OK);
    assert_true(o.st.plan->experiment.start == 0.5);
    assert_true(o.st.plan->experiment.end == 2);
    assert_true(o.st.plan->experiment.tolerance == 0);
    assert_true(o.st.plan->step == 0.5);
    end(&o);
}

static void several_units_need_an_end_and_a_step(void **state)
{
    (void)state;
    refused(TWO FIXED "}",
            "no end time: set \"endTime\" in the scenario or --until on the "
            "command line");
    refused(TWO UNTIL,
            "no step size: set \"algorithm\": {\"type\": \"fixed-step\", "
            "\"size\": H} in the scenario or --step on the command line");
}

static void a_single_unit_brings_its_default_experiment(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    o.f.desc.standard = (struct tt_experiment){1, 5, 1e-6};
    o.f.desc.standard_step = 0.125;
    assert_int_equal(tt_stand_plan(&o.st, ALONE "}"), TT_OK);
    assert_true(o.st.plan->experiment.start == 1);
    assert_true(o.st.plan->experiment.end == 5);
    assert_true(o.st.plan->experiment.tolerance == 1e-6);
    assert_true(o.st.plan->step == 0.125);
    assert_true(tt_stand_logged(
        &o.st, "note: step: 0.125 s (the default of the instance)"));
    assert_true(
        tt_stand_logged(&o.st, "note: end: 5 s (the default of the instance)"));
    end(&o);
}

static void what_the_scenario_states_beats_the_default(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    o.f.desc.standard = (struct tt_experiment){1, 5, 1e-6};
    o.f.desc.standard_step = 0.125;
    assert_int_equal(
        tt_stand_plan(&o.st, ALONE FIXED ", \"startTime\": 0, \"endTime\": 2}"),
        TT_OK);
    assert_true(o.st.plan->experiment.start == 0);
    assert_true(o.st.plan->experiment.end == 2);
    assert_true(o.st.plan->step == 0.5);
    assert_null(strstr(o.st.logged.data, "default"));
    end(&o);
}

static void a_single_unit_without_a_step_gets_a_500th(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    assert_int_equal(tt_stand_plan(&o.st, ALONE UNTIL), TT_OK);
    assert_true(o.st.plan->step == 2.0 / 500);
    assert_true(tt_stand_logged(
        &o.st, "note: step: 0.004 s (a 500th of the span, as neither the "
               "scenario nor the instance gives one)"));
    end(&o);
}

static void a_default_end_before_the_start_is_refused(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    o.f.desc.standard.end = 5;
    assert_int_equal(tt_stand_plan(&o.st, ALONE ", \"startTime\": 7}"),
                     TT_EINPUT);
    assert_string_equal(
        o.st.err.msg,
        "the default end time 5 s of instance '{a}.a' is not after "
        "the start time 7 s");
    end(&o);
}

static void an_end_that_is_not_after_the_start_is_refused(void **state)
{
    struct one o;

    (void)state;
    begin(&o); /* start comes from the unit: the scenario cannot know */
    o.f.desc.standard.start = 2;
    assert_int_equal(tt_stand_plan(&o.st, ALONE FIXED UNTIL), TT_EINPUT);
    assert_string_equal(o.st.err.msg,
                        "t.json:4:12: the end time 2 s is not after the start "
                        "time 2 s");
    end(&o);
}

static void a_default_step_that_is_no_step_is_refused(void **state)
{
    static const double bad[] = {0, -1};
    static const char *const words[] = {
        "command line: the step size 0 s is not positive",
        "command line: the step size -1 s is not positive"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct one o;

        begin(&o);
        o.f.desc.standard_step = bad[i];
        assert_int_equal(tt_stand_plan(&o.st, ALONE UNTIL), TT_EINPUT);
        assert_string_equal(o.st.err.msg, words[i]);
        end(&o);
    }
}

static void a_step_lost_in_rounding_is_refused(void **state)
{
    (void)state;
    refused(TWO ",\n\"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                "1e-12}, \"startTime\": 1e6, \"endTime\": 2e6}",
            "t.json:3:45: the step size 1e-12 s is too small for the start "
            "time");
    refused(TWO ",\n\"algorithm\": {\"type\": \"fixed-step\", \"size\": "
                "1e-12}, \"endTime\": 1e6}",
            "t.json:3:45: the step size 1e-12 s is too small for the end "
            "time");
}

/* --- columns ------------------------------------------------------------- */

static void expect_columns(const tt_plan *p, const char *names)
{
    struct tt_buf b;

    tt_buf_init(&b, 1 << 16);
    tt_buf_str(&b, "");
    for (uint32_t i = 0; i < p->n_column; i++)
        tt_buf_fmt(&b, "%s%s", i ? " " : "", p->column[i].name);
    assert_string_equal(b.data ? b.data : "", names);
    tt_buf_fini(&b);
}

static void planned_columns(const char *json, const char *names)
{
    struct one o;

    begin(&o);
    if (tt_stand_plan(&o.st, json) != TT_OK)
        fail_msg("%s", o.st.err.msg);
    expect_columns(o.st.plan, names);
    end(&o);
}

static void connected_outputs_are_recorded(void **state)
{
    (void)state;
    planned_columns(TWO FIXED UNTIL, "{a}.p.y");
}

static void without_connections_every_output_is_recorded(void **state)
{
    (void)state;
    planned_columns(ALONE FIXED UNTIL, "{a}.a.z {a}.a.y");
}

/* In the order of the units, then of the description. */
static void connected_outputs_come_before_what_is_logged(void **state)
{
    (void)state;
    planned_columns(TWO FIXED ", \"logVariables\": {\"{a}.q\": [\"x\", \"u\"], "
                              "\"{a}.p\": [\"k\", \"z\", \"v\"]}" UNTIL,
                    "{a}.p.y {a}.p.v {a}.p.z {a}.p.k {a}.q.u {a}.q.x");
}

static void patterns_choose_columns(void **state)
{
    (void)state;
    planned_columns(TWO FIXED ", \"record\": [\"q.*\"]" UNTIL,
                    "{a}.p.y {a}.q.u {a}.q.v {a}.q.z {a}.q.y {a}.q.k {a}.q.x");
    planned_columns(TWO FIXED ", \"record\": [\"x\"]" UNTIL,
                    "{a}.p.y {a}.p.x {a}.q.x");
    planned_columns(TWO FIXED ", \"record\": [\"{a}.p.?\", \"k\"]" UNTIL,
                    "{a}.p.y {a}.p.u {a}.p.v {a}.p.z {a}.p.k {a}.p.x {a}.q.k");
}

static void a_pattern_that_matches_nothing_is_refused(void **state)
{
    (void)state;
    refused(TWO FIXED ", \"record\": [\"speed*\"]" UNTIL,
            "nothing to record matches 'speed*' (patterns match 'variable', "
            "'instance.variable' or '{key}.instance.variable')");
    refused(TWO FIXED ", \"record\": [\"q.zz\"]" UNTIL,
            "nothing to record is called 'q.zz', did you mean 'q.z'?");
    refused(TWO FIXED ", \"record\": [\"{a}.q.zz\"]" UNTIL,
            "nothing to record is called '{a}.q.zz', did you mean "
            "'{a}.q.z'?");
    refused(TWO FIXED ", \"record\": [\"xx\"]" UNTIL,
            "nothing to record is called 'xx', did you mean 'x'?");
    refused(TWO FIXED ", \"record\": [\"{b}.q.z\"]" UNTIL,
            "nothing to record is called '{b}.q.z', did you mean '{a}.q.z'?");
    refused(TWO FIXED ", \"record\": [\"qq.*\"]" UNTIL,
            "nothing to record is called 'qq.*', did you mean 'q.*'?");
    refused(TWO FIXED ", \"record\": [\"somewhere.else\"]" UNTIL,
            "nothing to record matches 'somewhere.else' (patterns match "
            "'variable', 'instance.variable' or '{key}.instance.variable')");
}

static void an_unknown_log_variable_is_refused(void **state)
{
    (void)state;
    refused(TWO FIXED ",\n\"logVariables\": {\"{a}.p\": [\"zz\"]}" UNTIL,
            "t.json:4:28: instance '{a}.p' has no variable 'zz', did you mean "
            "'z'?");
}

static void a_stream_of_what_is_gone_is_warned_of(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    assert_int_equal(
        tt_stand_plan(
            &o.st, TWO FIXED
            ",\n\"livestream\": {\"{a}.p\": [\"speed\", \"x\"]}" UNTIL),
        TT_OK);
    expect_columns(o.st.plan, "{a}.p.y {a}.p.x");
    assert_true(tt_stand_logged(&o.st,
                                "warning: t.json:4:26: instance '{a}.p' has "
                                "no variable 'speed'"));
    end(&o);
    refused(TWO FIXED ",\n\"livestream\": {\"{a}.p\": [\"zz\"]}" UNTIL,
            "t.json:4:26: instance '{a}.p' has no variable 'zz', did you mean "
            "'z'?");
}

static void clocks_cannot_be_recorded_and_binaries_are_reported(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    tt_fake_port(&o.f, "tick", TT_CAUS_OUTPUT, TT_CLOCK);
    assert_int_equal(
        tt_stand_plan(&o.st, TWO FIXED
                      ",\n\"logVariables\": {\"{a}.p\": [\"tick\"]}" UNTIL),
        TT_EUNSUPPORTED);
    assert_string_equal(o.st.err.msg,
                        "t.json:4:28: '{a}.p.tick' is Clock, which cannot be "
                        "recorded");
    end(&o);
    begin(&o); /* by rule or pattern they are just left out */
    tt_fake_port(&o.f, "blob", TT_CAUS_OUTPUT, TT_BYTES);
    tt_fake_port(&o.f, "tick", TT_CAUS_OUTPUT, TT_CLOCK);
    assert_int_equal(
        tt_stand_plan(&o.st, ALONE FIXED ", \"record\": [\"*\"]" UNTIL), TT_OK);
    expect_columns(o.st.plan, "{a}.a.u {a}.a.v {a}.a.z {a}.a.y {a}.a.k {a}.a.x "
                              "{a}.a.blob");
    assert_true(tt_stand_logged(
        &o.st, "note: recorded: '{a}.a.blob' is binary: .h5 has "
               "its bytes, other files its length and SHA-256"));
    end(&o);
}

static void a_unit_without_outputs_records_what_it_has_inside(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    for (uint32_t i = 0; i < o.f.desc.n_port; i++)
        if (o.f.port[i].causality == TT_CAUS_OUTPUT)
            o.f.port[i].causality = TT_CAUS_LOCAL;
    o.f.port[2].variability = TT_VAR_FIXED; /* z */
    assert_int_equal(tt_stand_plan(&o.st, ALONE FIXED UNTIL), TT_OK);
    expect_columns(o.st.plan, "{a}.a.y {a}.a.x");
    assert_true(tt_stand_logged(&o.st,
                                "note: recorded: '{a}.a' has no outputs: its 2 "
                                "local variables are recorded (--record "
                                "chooses)"));
    end(&o);
}

static void arrays_have_a_column_per_element_row_by_row(void **state)
{
    static const uint32_t three[] = {3}, two_by_two[] = {2, 2};
    static const uint32_t many[] = {1, 1, 1, 1, 1, 1, 1, 2};
    struct one o;

    (void)state;
    begin(&o);
    o.f.port[2].n = 3; /* z */
    o.f.port[2].n_dim = 1;
    o.f.port[2].dim = three;
    o.f.port[3].n = 4; /* y */
    o.f.port[3].n_dim = 2;
    o.f.port[3].dim = two_by_two;
    assert_int_equal(tt_stand_plan(&o.st, ALONE FIXED UNTIL), TT_OK);
    expect_columns(o.st.plan, "{a}.a.z[1] {a}.a.z[2] {a}.a.z[3] {a}.a.y[1,1] "
                              "{a}.a.y[1,2] {a}.a.y[2,1] {a}.a.y[2,2]");
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(o.st.plan->column[3 + i].element, i);
    end(&o);
    begin(&o); /* as many dimensions as there are */
    o.f.port[3].n = 2;
    o.f.port[3].n_dim = 8;
    o.f.port[3].dim = many;
    assert_int_equal(tt_stand_plan(&o.st, ALONE FIXED UNTIL), TT_OK);
    expect_columns(o.st.plan, "{a}.a.z {a}.a.y[1,1,1,1,1,1,1,1] "
                              "{a}.a.y[1,1,1,1,1,1,1,2]");
    end(&o);
}

static void huge_names_are_kept_whole(void **state)
{
    char huge[3000];
    struct one o;

    (void)state;
    memset(huge, 'n', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    begin(&o);
    tt_fake_port(&o.f, huge, TT_CAUS_OUTPUT, TT_F64);
    assert_int_equal(tt_stand_plan(&o.st, ALONE FIXED UNTIL), TT_OK);
    assert_int_equal(strlen(o.st.plan->column[2].name), 6 + sizeof(huge) - 1);
    end(&o);
}

/* --- courses ------------------------------------------------------------- */

#define LINEAR ", \"approximation\": \"linear\""

static void linear_courses_are_placed_behind_the_values(void **state)
{
    struct one o;
    const struct tt_course *c;

    (void)state;
    begin(&o);
    assert_int_equal(tt_stand_plan(&o.st, TWO FIXED LINEAR UNTIL), TT_OK);
    assert_int_equal(o.st.plan->n_course, 1);
    assert_string_equal(o.st.plan->courses, "linear where instances can");
    c = &o.st.plan->course[0];
    assert_int_equal(c->slot, tt_stand_slot(o.st.plan, "{a}.q.u"));
    assert_int_equal(o.st.plan->slot[c->slot].course, 0);
    assert_int_equal(c->kind, TT_COURSE_VALUES);
    assert_int_equal(c->order, 1);
    assert_int_equal(c->depth, 2);
    assert_int_equal(c->history, 16);            /* after p.y and q.u */
    assert_int_equal(o.st.plan->frame_size, 40); /* a count and two values */
    assert_true(tt_stand_logged(&o.st, "note: approximation: {a}.q.u: linear, "
                                       "taken exactly by its instance"));
    end(&o);
}

static void a_sampled_course_is_reported(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    o.f.desc.caps.course_exact = 0;
    assert_int_equal(tt_stand_plan(&o.st, TWO FIXED LINEAR UNTIL), TT_OK);
    assert_true(tt_stand_logged(&o.st,
                                "note: approximation: {a}.q.u: linear, "
                                "sampled by its instance within the step"));
    end(&o);
}

/* One note for many of a type, and one for those set otherwise. */
static void the_exchange_of_a_crowd_is_reported_once(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    assert_int_equal(
        tt_stand_plan(&o.st,
                      "{\"fmus\": {\"{a}\": \"a\"}, \"instances\": {\"{a}\": "
                      "[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", "
                      "\"8\", \"9\", \"10\"]}, \"connections\": {}, "
                      "\"evaluates\": {\"{a}.1\": \"never\"}" FIXED UNTIL),
        TT_OK);
    assert_int_equal(o.st.plan->notes.n, 2);
    assert_string_equal(o.st.plan->notes.note[0].text,
                        "{a}.1: standard (set in the scenario)");
    assert_string_equal(o.st.plan->notes.note[1].text,
                        "{a}: consistent, 9 instances (declares that it "
                        "evaluates without a step)");
    end(&o);
}

static void why_an_input_is_held_is_reported(void **state)
{
    static const char *const why[] = {
        "its instance takes no course and cannot vary its step",
        "its instance takes no course for it", "it is not continuous",
        "it is not a Float64",
        "its instance takes no course and is not sub-stepped"};

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct one o;
        char words[200];

        begin(&o);
        if (i == 0 || i == 4)
            o.f.desc.caps.course_order = 0;
        if (i == 0)
            o.f.desc.caps.variable_step = 0;
        if (i == 1)
            o.f.port[0].course_ok = 0;
        if (i == 2)
            o.f.port[0].variability = TT_VAR_DISCRETE;
        if (i == 3)
            o.f.port[0].type = TT_F32;
        assert_int_equal(tt_stand_plan(&o.st, i == 4 ? TWO FIXED LINEAR
                                                  ", \"substeps\": 0" UNTIL
                                                     : TWO FIXED LINEAR UNTIL),
                         TT_OK);
        assert_int_equal(o.st.plan->n_course, 0);
        assert_int_equal(o.st.plan->unit[1].substeps.n, 0);
        snprintf(words, sizeof(words),
                 "note: approximation: {a}.q.u: hold, because %s", why[i]);
        assert_true(tt_stand_logged(&o.st, words));
        end(&o);
    }
}

static void one_input_may_have_its_own_approximation(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    assert_int_equal(
        tt_stand_plan(
            &o.st,
            "{\"fmus\": {\"{a}\": \"a\"}, \"connections\": {\"{a}.p.y\": "
            "[\"{a}.q.u\", \"{a}.q.v\"]}, \"approximation\": "
            "{\"{a}.q.v\": \"linear\"}" FIXED UNTIL),
        TT_OK);
    assert_int_equal(o.st.plan->n_course, 1);
    assert_int_equal(o.st.plan->course[0].slot,
                     tt_stand_slot(o.st.plan, "{a}.q.v"));
    end(&o);
    refused(TWO FIXED ",\n\"approximation\": {\"{a}.q.v\": \"linear\"}" UNTIL,
            "t.json:4:19: '{a}.q.v' is not a connected input, so it has no "
            "approximation");
}

/* Plans TWO with this approximation, perhaps changed before, and looks at the
 * one course and what is stated about it. */
static void becomes(struct one *o, const char *more, const char *logged,
                    struct tt_course want)
{
    const struct tt_course *c;
    char json[512], line[512];

    snprintf(json, sizeof(json), "%s, \"approximation\": %s%s", TWO FIXED, more,
             UNTIL);
    assert_int_equal(tt_stand_plan(&o->st, json), TT_OK);
    assert_int_equal(o->st.plan->n_course, 1);
    c = &o->st.plan->course[0];
    assert_int_equal(c->kind, want.kind);
    assert_int_equal(c->order, want.order);
    assert_int_equal(c->depth, want.depth);
    snprintf(line, sizeof(line), "note: approximation: {a}.q.u: %s", logged);
    assert_true(tt_stand_logged(&o->st, line));
}

static void a_unit_that_takes_no_course_is_sub_stepped(void **state)
{
    static const struct tt_course linear = {.order = 1, .depth = 2};
    struct one o;

    (void)state;
    begin(&o);
    o.f.desc.caps.course_order = 0;
    o.f.port[0].course_ok = 0;
    becomes(&o, "\"linear\"", "linear, by 2 sub-steps", linear);
    assert_true(tt_stand_logged(&o.st, "note: cost: {a}.q: 2 sub-steps in each "
                                       "step, 2 calls instead of 1"));
    assert_int_equal(o.st.plan->unit[0].substeps.n, 0); /* p has no course */
    assert_int_equal(o.st.plan->unit[1].substeps.n, 10);
    assert_int_equal(o.st.plan->unit[1].desc->caps.course_order, TT_POLY_MAX);
    assert_int_equal(o.st.plan->unit[1].desc->caps.course_exact, 0);
    assert_int_equal(o.st.plan->unit[1].desc->port[0].course_ok, 1);
    assert_int_equal(o.st.plan->unit[1].desc->port[4].course_ok, 0);
    assert_ptr_equal(o.st.plan->unit[0].desc, &o.f.desc);
    end(&o);
    begin(&o); /* a curve is worth more than a line */
    o.f.desc.caps.course_order = 0;
    becomes(&o, "\"quadratic\"", "quadratic, by 10 sub-steps",
            (struct tt_course){.order = 2, .depth = 3});
    assert_true(tt_stand_logged(&o.st,
                                "note: cost: {a}.q: 10 sub-steps in each "
                                "step, 10 calls instead of 1"));
    end(&o);
    begin(&o);
    o.f.desc.caps.course_order = 0;
    becomes(&o, "\"linear\", \"substeps\": 3", "linear, by 3 sub-steps",
            linear);
    end(&o);
    begin(&o);
    o.f.desc.caps.course_order = 0;
    becomes(&o, "\"linear\", \"substeps\": {\"default\": 3, \"q\": 1}",
            "linear, by 1 sub-step", linear);
    end(&o);
}

/* A unit that steps by 0.1 inside, with a step of 0.5. */
static void sub_steps_are_multiples_of_what_a_unit_steps_by(void **state)
{
    static const struct {
        double inner;
        uint32_t n, few;
    } of[] = {{0.1, 5, 5},  {0.05, 10, 2}, {0.02, 5, 5},
              {0.25, 2, 2}, {0.5, 1, 1},   {0.3, 0, 0}};

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct one o;

        begin(&o);
        o.f.desc.caps.course_order = 0;
        o.f.desc.inner_step = of[i].inner;
        assert_int_equal(tt_stand_plan(&o.st, TWO FIXED LINEAR UNTIL), TT_OK);
        assert_int_equal(o.st.plan->unit[1].substeps.n, of[i].n);
        assert_int_equal(o.st.plan->unit[1].substeps.few, of[i].few);
        end(&o);
    }
}

/* The default leaves alone units that can; a name does not. */
static void a_unit_that_takes_courses_is_sub_stepped_by_name_only(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    becomes(
        &o, "\"cubic\", \"substeps\": 4",
        "linear, taken exactly by its instance, which takes no higher order",
        (struct tt_course){.order = 1, .depth = 2});
    end(&o);
    begin(&o);
    becomes(&o, "\"cubic\", \"substeps\": {\"{a}.q\": 4}",
            "cubic, by 4 sub-steps",
            (struct tt_course){.order = 3, .depth = 4});
    end(&o);
}

static void hermite_wants_derivatives(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    becomes(
        &o, "\"hermite\"",
        "linear, taken exactly by its instance; not hermite, because {a}.p.y "
        "has no derivatives",
        (struct tt_course){.order = 1, .depth = 2});
    end(&o);
    begin(&o);
    o.f.desc.caps.rate_order = 1;
    becomes(
        &o, "\"hermite\"",
        "hermite, taken exactly by its instance, which takes no higher order",
        (struct tt_course){.kind = TT_COURSE_HERMITE, .order = 1, .depth = 2});
    end(&o);
    begin(&o);
    o.f.desc.caps.rate_order = 1;
    o.f.desc.caps.course_order = 3;
    becomes(
        &o, "\"hermite\"", "hermite, taken exactly by its instance",
        (struct tt_course){.kind = TT_COURSE_HERMITE, .order = 3, .depth = 2});
    /* p.y and q.u, a count, two values and two derivatives */
    assert_int_equal(o.st.plan->frame_size, 16 + 8 + 32);
    assert_string_equal(o.st.plan->courses, "hermite where instances can");
    end(&o);
}

#define ITERATED ", \"iterate\": 2"

static void waveforms_want_values_within_steps_and_turns(void **state)
{
    static const struct tt_course line = {.order = 1, .depth = 2},
                                  wave = {.kind = TT_COURSE_WAVE,
                                          .order = 1,
                                          .depth = 2};
    struct one o;

    (void)state;
    begin(&o);
    becomes(&o, "\"waveform\"" ITERATED,
            "linear, taken exactly by its instance; not waveform, because "
            "{a}.p.y has no values within steps",
            line);
    assert_int_equal(o.st.plan->n_wave, 0);
    assert_int_equal(o.st.plan->course[0].wave, TT_NONE);
    end(&o);
    begin(&o);
    o.f.port[3].trail_ok = 1;
    becomes(&o, "\"waveform\"" ITERATED,
            "linear, taken exactly by its instance; not waveform, because "
            "{a}.p.y feeds an instance that takes one polynomial for a step",
            line);
    end(&o);
    begin(&o);
    o.f.port[3].trail_ok = 1;
    o.f.desc.caps.course_pieces = 1;
    becomes(&o, "\"waveform\"",
            "linear, taken exactly by its instance; not waveform, because "
            "{a}.p.y is not known before its step, and that is not iterated",
            line);
    end(&o);
    begin(&o);
    o.f.port[3].trail_ok = 1;
    o.f.desc.caps.course_pieces = 1;
    becomes(&o, "\"waveform\"" ITERATED,
            "waveform, taken exactly by its instance", wave);
    assert_int_equal(o.st.plan->n_wave, 1);
    assert_int_equal(o.st.plan->wave[0].slot, o.st.plan->feed[0].from);
    assert_int_equal(o.st.plan->wave[0].first, 0);
    assert_int_equal(o.st.plan->course[0].wave, 0);
    assert_string_equal(o.st.plan->courses, "waveform where instances can");
    end(&o);
    begin(&o);
    o.f.port[3].trail_ok = 1;
    o.f.desc.caps.course_pieces = 1;
    becomes(&o, "\"waveform\", \"master\": \"gauss-seidel\"",
            "waveform, taken exactly by its instance", wave);
    end(&o);
}

static void continuous_courses_are_lines(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    becomes(&o, "\"extrapolated-interpolation\"",
            "extrapolated-interpolation, taken exactly by its instance",
            (struct tt_course){
                .kind = TT_COURSE_CONTINUOUS, .order = 1, .depth = 2});
    end(&o);
    begin(&o);
    becomes(&o, "\"linear-extrapolated-interpolation\"",
            "linear-extrapolated-interpolation, taken exactly by its instance",
            (struct tt_course){
                .kind = TT_COURSE_CONTINUOUS, .order = 1, .depth = 3});
    end(&o);
}

/* What a unit that feeds courses states of its modes is watched, if connected.
 */
static void discrete_outputs_beside_a_course_are_watched(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    tt_fake_port(&o.f, "mode", TT_CAUS_OUTPUT, TT_I32);
    tt_fake_port(&o.f, "other", TT_CAUS_OUTPUT, TT_BOOL);
    tt_fake_port(&o.f, "m", TT_CAUS_INPUT, TT_I32);
    assert_int_equal(
        tt_stand_plan(
            &o.st,
            "{\"fmus\": {\"{a}\": \"a\"}, \"connections\": {\"{a}.p.y\": "
            "[\"{a}.q.u\"], \"{a}.p.mode\": [\"{a}.q.m\"]}, "
            "\"logVariables\": {\"{a}.p\": [\"other\"]}" FIXED LINEAR UNTIL),
        TT_OK);
    assert_int_equal(o.st.plan->n_mode, 1);
    assert_int_equal(o.st.plan->mode[0].slot,
                     tt_stand_slot(o.st.plan, "{a}.p.mode"));
    end(&o);
}

/* --- exchange and reactivity --------------------------------------------- */

static void which_exchange_a_unit_got_is_reported(void **state)
{
    static const struct {
        enum tt_evaluates is;
        const char *words;
        int consistent;
    } of[] = {
        {TT_EVAL_ALWAYS,
         "note: exchange: {a}.p: consistent (declares that it evaluates "
         "without a step)",
         1},
        {TT_EVAL_EVENT,
         "note: exchange: {a}.p: standard (evaluates in event mode only)", 0},
        {TT_EVAL_NEVER,
         "note: exchange: {a}.p: standard (does not declare that outputs may "
         "be read after setting)",
         0},
    };

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct one o;

        begin(&o);
        o.f.desc.caps.evaluates = of[i].is;
        assert_int_equal(tt_stand_plan(&o.st, TWO FIXED UNTIL), TT_OK);
        assert_true(tt_stand_logged(&o.st, of[i].words));
        assert_int_equal(o.st.plan->unit[0].consistent, of[i].consistent);
        end(&o);
    }
}

static void the_scenario_decides_on_exchange(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    o.f.desc.caps.evaluates = TT_EVAL_NEVER;
    assert_int_equal(
        tt_stand_plan(&o.st, TWO FIXED
                      ", \"evaluates\": {\"{a}.p\": \"always\"}" UNTIL),
        TT_OK);
    assert_true(tt_stand_logged(
        &o.st, "note: exchange: {a}.p: consistent (set in the scenario)"));
    assert_int_equal(o.st.plan->unit[0].consistent, 1);
    assert_int_equal(o.st.plan->unit[1].consistent, 0);
    end(&o);
    begin(&o);
    assert_int_equal(
        tt_stand_plan(&o.st, TWO FIXED
                      ", \"evaluates\": {\"{a}.p\": \"never\"}" UNTIL),
        TT_OK);
    assert_true(tt_stand_logged(
        &o.st, "note: exchange: {a}.p: standard (set in the scenario)"));
    assert_int_equal(o.st.plan->unit[0].consistent, 0);
    end(&o);
}

static void reactivity_is_the_units_unless_the_scenario_reports_it(void **state)
{
    struct one o;

    (void)state;
    begin(&o);
    o.f.port[0].reactivity = TT_REACT_DELAYED;
    assert_int_equal(tt_stand_plan(&o.st, TWO FIXED UNTIL), TT_OK);
    assert_int_equal(
        o.st.plan->slot[tt_stand_slot(o.st.plan, "{a}.q.u")].reactivity,
        TT_REACT_DELAYED);
    end(&o);
    begin(&o);
    o.f.port[0].reactivity = TT_REACT_DELAYED;
    assert_int_equal(
        tt_stand_plan(&o.st, TWO FIXED
                      ", \"reactivity\": {\"{a}.q.u\": \"reactive\"}" UNTIL),
        TT_OK);
    assert_int_equal(
        o.st.plan->slot[tt_stand_slot(o.st.plan, "{a}.q.u")].reactivity,
        TT_REACT_REACTIVE);
    assert_true(tt_stand_logged(
        &o.st, "note: reactivity: {a}.q.u: reactive (set in the scenario)"));
    end(&o);
    refused(TWO FIXED ",\n\"reactivity\": {\"{a}.p.u\": \"delayed\"}" UNTIL,
            "t.json:4:16: '{a}.p.u' is not a connected input, so it has no "
            "reactivity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_experiment_is_taken_as_it_is_reported),
        cmocka_unit_test(several_units_need_an_end_and_a_step),
        cmocka_unit_test(a_single_unit_brings_its_default_experiment),
        cmocka_unit_test(what_the_scenario_states_beats_the_default),
        cmocka_unit_test(a_single_unit_without_a_step_gets_a_500th),
        cmocka_unit_test(a_default_end_before_the_start_is_refused),
        cmocka_unit_test(an_end_that_is_not_after_the_start_is_refused),
        cmocka_unit_test(a_default_step_that_is_no_step_is_refused),
        cmocka_unit_test(a_step_lost_in_rounding_is_refused),
        cmocka_unit_test(connected_outputs_are_recorded),
        cmocka_unit_test(without_connections_every_output_is_recorded),
        cmocka_unit_test(connected_outputs_come_before_what_is_logged),
        cmocka_unit_test(patterns_choose_columns),
        cmocka_unit_test(a_pattern_that_matches_nothing_is_refused),
        cmocka_unit_test(an_unknown_log_variable_is_refused),
        cmocka_unit_test(a_stream_of_what_is_gone_is_warned_of),
        cmocka_unit_test(clocks_cannot_be_recorded_and_binaries_are_reported),
        cmocka_unit_test(a_unit_without_outputs_records_what_it_has_inside),
        cmocka_unit_test(arrays_have_a_column_per_element_row_by_row),
        cmocka_unit_test(huge_names_are_kept_whole),
        cmocka_unit_test(linear_courses_are_placed_behind_the_values),
        cmocka_unit_test(a_sampled_course_is_reported),
        cmocka_unit_test(the_exchange_of_a_crowd_is_reported_once),
        cmocka_unit_test(why_an_input_is_held_is_reported),
        cmocka_unit_test(one_input_may_have_its_own_approximation),
        cmocka_unit_test(a_unit_that_takes_no_course_is_sub_stepped),
        cmocka_unit_test(sub_steps_are_multiples_of_what_a_unit_steps_by),
        cmocka_unit_test(a_unit_that_takes_courses_is_sub_stepped_by_name_only),
        cmocka_unit_test(hermite_wants_derivatives),
        cmocka_unit_test(waveforms_want_values_within_steps_and_turns),
        cmocka_unit_test(continuous_courses_are_lines),
        cmocka_unit_test(discrete_outputs_beside_a_course_are_watched),
        cmocka_unit_test(which_exchange_a_unit_got_is_reported),
        cmocka_unit_test(the_scenario_decides_on_exchange),
        cmocka_unit_test(
            reactivity_is_the_units_unless_the_scenario_reports_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
