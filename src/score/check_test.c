/* SPDX-License-Identifier: MIT */
/* The checker: accepts what writers write, and refuses, with the operation
 * named, whatever could give a wrong number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/crowd.h"
#include "plan/testing.h"
#include "score/testing.h"
#include "unit/call.h"

/* --- scores by hand -------------------------------------------------------
 *
 * An integrator and a gain in a circle. The written Jacobi score:
 *
 *   init  0 get i.y  1 set g.u  2 get g.y  3 set i.u  4 commit
 *   step  5 step i   6 step g
 *   exch. 7 get i.y  8 set g.u  9 get g.y 10 set i.u 11 commit
 */
#define MOST 64

struct hand {
    struct tt_stand st;
    tt_score *written;
    tt_score s; /* to be changed: refers to the arrays below */
    struct tt_op op[MOST];
    struct tt_batch batch[MOST];
    uint32_t member[MOST];
    uint32_t order[MOST];
    tt_err err;
};

enum { IY, IU, GY, GU }; /* slots, checked below */
enum { I, G };           /* units */

static void copy_out(struct hand *h)
{
    h->s = *h->written;
    memcpy(h->op, h->written->op, h->written->n_op * sizeof(*h->op));
    memcpy(h->batch, h->written->batch,
           h->written->n_batch * sizeof(*h->batch));
    memcpy(h->member, h->written->member,
           h->written->n_member * sizeof(*h->member));
    h->s.op = h->op;
    h->s.batch = h->batch;
    h->s.member = h->member;
}

static void begin_with(struct hand *h, const char *more)
{
    char json[1024];

    *h = (struct hand){.written = NULL};
    tt_stand_init(&h->st);
    tt_stand_mock(&h->st, "{i}", &tt_mock_integrator);
    tt_stand_mock(&h->st, "{g}", &tt_mock_gain);
    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "
             "{\"{i}.i.y\": [\"{g}.g.u\"], \"{g}.g.y\": [\"{i}.i.u\"]}%s, "
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
             "\"endTime\": 3}",
             more);
    assert_int_equal(tt_stand_plan(&h->st, json), TT_OK);
    assert_int_equal(tt_score_new(&h->written, h->st.plan, &h->err), TT_OK);
    copy_out(h);
}

static void begin(struct hand *h)
{
    begin_with(h, "");
}

static void end(struct hand *h)
{
    tt_score_free(h->written);
    tt_stand_fini(&h->st);
}

static void refused(struct hand *h, const char *message)
{
    assert_int_equal(tt_score_check(&h->s, &h->err), TT_ESTATE);
    assert_string_equal(h->err.msg, message);
    copy_out(h); /* as new, for the next change */
}

static void accepted(struct hand *h)
{
    if (tt_score_check(&h->s, &h->err) != TT_OK)
        fail_msg("%s", h->err.msg);
    copy_out(h);
}

static enum tt_section section_of(const tt_score *s, uint32_t at)
{
    for (int i = 0; i < TT_SEC_N; i++)
        if (at >= s->section[i].first &&
            at < s->section[i].first + s->section[i].n)
            return (enum tt_section)i;
    return TT_SEC_N;
}

static void drop(struct hand *h, uint32_t at)
{
    int sec = (int)section_of(&h->s, at);

    memmove(h->op + at, h->op + at + 1, (h->s.n_op - at - 1) * sizeof(*h->op));
    h->s.n_op--;
    h->s.section[sec].n--;
    for (sec++; sec < TT_SEC_N; sec++)
        h->s.section[sec].first--;
}

static void insert(struct hand *h, uint32_t at, int sec, struct tt_op op)
{
    memmove(h->op + at + 1, h->op + at, (h->s.n_op - at) * sizeof(*h->op));
    h->op[at] = op;
    h->s.n_op++;
    h->s.section[sec].n++;
    for (sec++; sec < TT_SEC_N; sec++)
        h->s.section[sec].first++;
}

static void swap(struct hand *h, uint32_t a, uint32_t b)
{
    struct tt_op t = h->op[a];

    h->op[a] = h->op[b];
    h->op[b] = t;
}

static void the_score_by_hand_is_what_these_tests_think(void **state)
{
    static const char *const want[] = {"get {i}.i: y; set {g}.g: u <- {i}.i.y; "
                                       "get {g}.g: y; set {i}.i: u <- "
                                       "{g}.g.y; commit",
                                       "step {i}.i to T1; step {g}.g to T1",
                                       "get {i}.i: y; set {g}.g: u <- {i}.i.y; "
                                       "get {g}.g: y; set {i}.i: u <- "
                                       "{g}.g.y"};
    struct tt_buf b;
    struct hand h;

    (void)state;
    begin(&h);
    assert_int_equal(h.s.section[TT_SEC_BEGIN].n, 0);
    assert_int_equal(h.s.section[TT_SEC_UNDO].n, 0);
    for (int i = 0; i < TT_SEC_N; i++) {
        if (h.s.section[i].n == 0)
            continue;
        tt_buf_init(&b, 4096);
        tt_testing_section(&h.s, (enum tt_section)i, &b);
        assert_string_equal(b.data, want[i == TT_SEC_STEP    ? 1
                                         : i == TT_SEC_START ? 2
                                                             : 0]);
        tt_buf_fini(&b);
    }
    assert_int_equal(tt_stand_slot(h.st.plan, "{i}.i.y"), IY);
    assert_int_equal(tt_stand_slot(h.st.plan, "{g}.g.u"), GU);
    accepted(&h);
    end(&h);
}

/* --- form ---------------------------------------------------------------- */

static void indices_that_do_not_exist_are_refused(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    h.op[0].code = 77;
    refused(&h, "invalid score: init, operation 1: there is no such operation");
    h.op[8].unit = 2;
    refused(&h,
            "invalid score: exchange, operation 2: there is no such instance");
    h.op[5].unit = TT_NONE;
    refused(&h, "invalid score: step, operation 1: there is no such instance");
    h.op[6].to = TT_TIME_N;
    refused(&h,
            "invalid score: step, operation 2: there is no such time register");
    h.op[8].at = TT_TIME_N;
    refused(&h, "invalid score: exchange, operation 2: there is no such time "
                "register");
    h.op[7].arg = h.s.n_batch;
    refused(&h, "invalid score: exchange, operation 1: there is no such batch");
    h.batch[h.op[7].arg].first = h.s.n_member;
    refused(&h, "invalid score: exchange, operation 1: there is no such batch");
    h.batch[h.op[7].arg].n = UINT32_MAX;
    refused(&h, "invalid score: exchange, operation 1: there is no such batch");
    h.member[h.batch[h.op[7].arg].first] = 4;
    refused(&h, "invalid score: exchange, operation 1: there is no such batch");
    h.batch[h.op[7].arg].n = 0;
    refused(&h, "invalid score: exchange, operation 1 (get {i}.i: ): it moves "
                "nothing");
    h.s.section[TT_SEC_START].n += 2;
    refused(&h, "invalid score: the start section ends after the last "
                "operation");
    h.s.section[TT_SEC_STEP].first = 17;
    refused(&h, "invalid score: the step section ends after the last "
                "operation");
    h.s.n_state = 65;
    refused(&h, "invalid score: 65 state registers, at most 64 are possible");
    end(&h);
}

static void a_batch_is_of_one_unit_direction_and_type(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    h.member[h.batch[h.op[7].arg].first] = GY;
    refused(&h, "invalid score: exchange, operation 1 (get {i}.i: y): it "
                "cannot be read from this instance: {g}.g.y");
    h.member[h.batch[h.op[7].arg].first] = IU;
    refused(&h, "invalid score: exchange, operation 1 (get {i}.i: u): it "
                "cannot be read from this instance: {i}.i.u");
    h.member[h.batch[h.op[8].arg].first] = IU;
    refused(&h, "invalid score: exchange, operation 2 (set {g}.g: u <- "
                "{g}.g.y): it cannot be set on this instance: {i}.i.u");
    h.op[8].code = TT_OP_GET;
    refused(&h, "invalid score: exchange, operation 2 (get {g}.g: u): it "
                "cannot be read from this instance: {g}.g.u");
    h.batch[h.op[7].arg].type = TT_I32;
    refused(&h, "invalid score: exchange, operation 1 (get {i}.i: y): it is of "
                "another type than its batch: {i}.i.y");
    end(&h);
}

/* --- values -------------------------------------------------------------- */

static void values_move_in_dependency_order(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    swap(&h, 7, 8);
    refused(&h, "invalid score: exchange, operation 1 (set {g}.g: u <- "
                "{i}.i.y): its source is of another instant: {g}.g.u");
    swap(&h, 0, 1);
    refused(&h, "invalid score: init, operation 1 (set {g}.g: u <- {i}.i.y): "
                "its source was never read: {g}.g.u");
    swap(&h, 8, 9);
    refused(&h, "invalid score: exchange, operation 2 (get {g}.g: y): an input "
                "it depends on is not of this instant: {g}.g.u");
    swap(&h, 1, 2);
    refused(&h, "invalid score: init, operation 2 (get {g}.g: y): an input it "
                "depends on is not of this instant: {g}.g.u");
    h.op[8].at = TT_T0; /* claims to set what was, but has what is */
    refused(&h, "invalid score: exchange, operation 2 (set {g}.g: u <- "
                "{i}.i.y): its source is of another instant: {g}.g.u");
    end(&h);
}

static void nothing_may_be_forgotten(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    drop(&h, 10);
    refused(&h, "invalid score: '{i}.i.u' does not carry its source's value of "
                "T1 when the exchange section ends");
    drop(&h, 3);
    refused(&h, "invalid score: '{i}.i.u' does not carry its source's value of "
                "T0 when the init section ends");
    drop(&h, 9);
    refused(&h, "invalid score: exchange, operation 3 (set {i}.i: u <- "
                "{g}.g.y): its source is of another instant: {i}.i.u");
    drop(&h, 5);
    refused(&h,
            "invalid score: exchange, operation 1 (get {i}.i: y): the instance "
            "does not stand at that instant");
    end(&h);
}

/* Nothing but the row would notice. */
static void what_is_only_recorded_must_be_read_too(void **state)
{
    struct hand h;

    (void)state;
    begin_with(&h, ", \"logVariables\": {\"{g}.g\": [\"k\"]}");
    for (uint32_t i = 0; i < h.s.n_op; i++)
        if (h.op[i].code == TT_OP_GET && h.op[i].unit == G &&
            section_of(&h.s, i) == TT_SEC_EXCHANGE)
            h.batch[h.op[i].arg].n = 1; /* y, not k */
    refused(&h, "invalid score: '{g}.g.k' was not read at T1 when the exchange "
                "section ends");
    end(&h);
}

static void a_second_read_wants_a_second_set(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    insert(&h, 11, TT_SEC_EXCHANGE, h.op[7]); /* get i.y again, at the end */
    refused(&h, "invalid score: '{g}.g.u' does not carry its source's value of "
                "T1 when the exchange section ends");
    insert(&h, 10, TT_SEC_EXCHANGE, h.op[8]); /* set g.u again, after g.y */
    refused(&h, "invalid score: '{g}.g.y' was read before an input it depends "
                "on had its value of T1 when the exchange section ends");
    insert(&h, 8, TT_SEC_EXCHANGE, h.op[7]); /* at once: harmless */
    accepted(&h);
    end(&h);
}

static void a_predicted_value_is_read_again(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    swap(&h, 8, 9); /* get g.y before set g.u, and state it */
    h.op[8].flags = TT_OP_PREDICTED;
    refused(&h, "invalid score: '{g}.g.y' was read before an input it depends "
                "on had its value of T1 when the exchange section ends");
    swap(&h, 8, 9); /* unless a loop is cut there */
    h.op[8].flags = TT_OP_PREDICTED | TT_OP_CUT;
    accepted(&h);
    end(&h);
}

static void unknown_dependencies_are_ordered_all_the_same(void **state)
{
    struct tt_stand st;
    tt_score *s = NULL;
    struct hand h = {.written = NULL};

    (void)state;
    tt_stand_init(&st);
    tt_stand_mock(&st, "{b}", &tt_testing_blurred);
    tt_stand_mock(&st, "{i}", &tt_mock_integrator);
    assert_int_equal(
        tt_stand_plan(&st,
                      "{\"fmus\": {\"{b}\": \"b\", \"{i}\": \"i\"}, "
                      "\"connections\": {\"{i}.i.y\": [\"{b}.b.u\"], "
                      "\"{b}.b.y\": [\"{i}.i.u\"]}, \"algorithm\": {\"type\": "
                      "\"fixed-step\", \"size\": 1}, \"endTime\": 3}"),
        TT_OK);
    assert_int_equal(tt_score_new(&s, st.plan, &h.err), TT_OK);
    h.written = s;
    copy_out(&h);
    swap(&h, 8, 9);
    refused(&h, "invalid score: exchange, operation 2 (get {b}.b: y): an input "
                "it depends on is not of this instant: {b}.b.u");
    tt_score_free(s);
    tt_stand_fini(&st);
}

static void a_standard_unit_is_not_read_after_setting(void **state)
{
    struct hand h;

    (void)state;
    begin_with(&h, ", \"evaluates\": {\"g\": \"never\"}");
    /* written: get i.y; get g.y; set ... in some order; make it: get i.y,
     * set g.u, get g.y, set i.u */
    for (uint32_t i = 7; i < 11; i++)
        h.op[i] = h.written->op[i - 7];
    for (uint32_t i = 7; i < 11; i++)
        h.op[i].at = h.op[i].to = TT_T1;
    refused(&h,
            "invalid score: exchange, operation 3 (get {g}.g: y): the instance "
            "forbids reading after setting without a step: {g}.g.y");
    end(&h);
}

/* Saved after setting, it comes back as it was: set, not stepped. */
static void a_restore_does_not_make_a_standard_unit_readable(void **state)
{
    struct hand h;

    (void)state;
    begin_with(&h, ", \"evaluates\": {\"g\": \"never\"}");
    h.s.n_state = 1;
    insert(&h, 11, TT_SEC_EXCHANGE,
           (struct tt_op){.code = TT_OP_SAVE, .unit = G});
    insert(&h, 12, TT_SEC_EXCHANGE,
           (struct tt_op){.code = TT_OP_RESTORE, .unit = G});
    insert(&h, 13, TT_SEC_EXCHANGE, h.op[2]); /* get g.y */
    refused(&h,
            "invalid score: exchange, operation 7 (get {g}.g: y): the instance "
            "forbids reading after setting without a step: {g}.g.y");
    end(&h);
}

/* --- time ---------------------------------------------------------------- */

static void every_unit_steps_once_from_t0_to_t1(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    insert(&h, 6, TT_SEC_STEP, h.op[5]);
    refused(&h,
            "invalid score: step, operation 2 (step {i}.i to T1): the instance "
            "does not stand where the step starts");
    h.op[5].at = TT_T1;
    refused(&h, "invalid score: step, operation 1 (step {i}.i to T1): a step "
                "leads from T0 to T1, or from S0 to S1");
    h.op[5].to = TT_T0;
    refused(&h, "invalid score: step, operation 1 (step {i}.i to T0): a step "
                "leads from T0 to T1, or from S0 to S1");
    insert(&h, 0, TT_SEC_INIT, h.op[5]);
    refused(&h, "invalid score: init, operation 1 (step {i}.i to T1): only the "
                "step section steps");
    insert(&h, 7, TT_SEC_EXCHANGE, h.op[5]);
    drop(&h, 5);
    refused(&h, "invalid score: exchange, operation 1 (step {i}.i to T1): only "
                "the step section steps");
    end(&h);
}

/* Gomes, Property Preservation in Co-simulation (2019), Def. 43: each of the
 * conditions of a valid step has a mutant that is refused. */
static void a_valid_step_is_that_of_the_definition(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    /* (1) calls use the latest state: there is none of T0 any more */
    swap(&h, 6, 7); /* step i, get i.y, step g */
    h.op[6].at = h.op[6].to = TT_T0;
    refused(&h, "invalid score: step, operation 2 (get {i}.i: y): the instance "
                "does not stand at that instant");
    /* (2) exactly one step of each */
    drop(&h, 5);
    refused(&h, "invalid score: exchange, operation 1 (get {i}.i: y): the "
                "instance does not stand at that instant");
    insert(&h, 7, TT_SEC_STEP, h.op[6]);
    refused(&h, "invalid score: step, operation 3 (step {g}.g to T1): the "
                "instance does not stand where the step starts");
    /* (4) what is read is set */
    drop(&h, 10);
    refused(&h, "invalid score: '{i}.i.u' does not carry its source's value of "
                "T1 when the exchange section ends");
    end(&h);
    begin_with(&h, ", \"reactivity\": {\"{g}.g.u\": \"reactive\"}");
    /* step: 5 step i, 6 get i.y, 7 set g.u, 8 step g */
    swap(&h, 7, 8); /* (3) what is set is set before the step */
    refused(&h, "invalid score: step, operation 3 (step {g}.g to T1): a "
                "reactive input is not at T1: {g}.g.u");
    swap(&h, 5, 6); /* (5) the source of a reactive input steps, is read */
    refused(&h, "invalid score: step, operation 1 (get {i}.i: y): the instance "
                "does not stand at that instant");
    end(&h);
    begin_with(&h, ", \"reactivity\": {\"{g}.g.u\": \"delayed\"}");
    /* (6) a delayed input is set before the source of its value steps.
     * 5 step i, 6 step g, 7 get i.y, 8 get g.y, 9 set g.u */
    insert(&h, 6, TT_SEC_STEP, h.op[7]);
    insert(&h, 7, TT_SEC_STEP, h.op[9]);
    refused(&h, "invalid score: step, operation 4 (step {g}.g to T1): a "
                "delayed input is not at T0: {g}.g.u");
    end(&h);
}

static void a_unit_left_behind_is_named(void **state)
{
    struct tt_stand st;
    tt_score *s = NULL;
    struct hand h = {.written = NULL};

    (void)state;
    tt_stand_init(&st);
    tt_stand_mock(&st, "{r}", &tt_mock_recorder);
    assert_int_equal(
        tt_stand_plan(&st, "{\"fmus\": {\"{r}\": \"r\"}, \"instances\": "
                           "{\"{r}\": [\"r\"]}, \"connections\": {}, "
                           "\"endTime\": 3}"),
        TT_OK);
    assert_int_equal(tt_score_new(&s, st.plan, &h.err), TT_OK);
    h.written = s;
    copy_out(&h);
    drop(&h, 1);
    refused(&h,
            "invalid score: instance '{r}.r' is not at T1 when the exchange "
            "section ends");
    tt_score_free(s);
    tt_stand_fini(&st);
}

static void reactivity_is_kept(void **state)
{
    struct hand h;

    (void)state;
    begin_with(&h, ", \"reactivity\": {\"{g}.g.u\": \"reactive\"}");
    /* step: 5 step i, 6 get i.y, 7 set g.u, 8 step g */
    drop(&h, 7);
    refused(&h, "invalid score: step, operation 3 (step {g}.g to T1): a "
                "reactive input is not at T1: {g}.g.u");
    end(&h);
    begin_with(&h, ", \"reactivity\": {\"{g}.g.u\": \"delayed\"}");
    insert(&h, 6, TT_SEC_STEP, h.op[7]); /* get i.y */
    insert(&h, 7, TT_SEC_STEP, h.op[9]); /* set g.u */
    refused(&h, "invalid score: step, operation 4 (step {g}.g to T1): a "
                "delayed input is not at T0: {g}.g.u");
    end(&h);
}

/* --- courses ------------------------------------------------------------- */

#define LINEAR ", \"approximation\": \"linear\", \"substeps\": 0"

static void courses_start_at_t0_and_end_in_a_value(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    h.op[10].flags = TT_OP_COURSE;
    refused(&h, "invalid score: exchange, operation 4 (set {i}.i: u <- "
                "{g}.g.y (course through past values)): the input takes no "
                "course: {i}.i.u");
    end(&h);
    begin_with(&h, LINEAR);
    /* step: 5 set i.u course, 6 step i, 7 step g; exchange 8 .. 12 */
    h.op[5].flags |= TT_OP_INTERPOLATE;
    refused(&h, "invalid score: step, operation 1 (set {i}.i: u <- {g}.g.y "
                "(course to the new value)): its source is not at T1 yet: "
                "{i}.i.u");
    h.op[5].to = TT_T0;
    refused(&h, "invalid score: step, operation 1 (set {i}.i: u <- {g}.g.y "
                "(course through past values)): a course leads from T0 to T1: "
                "{i}.i.u");
    h.op[11].flags = TT_OP_COURSE;
    h.op[11].at = TT_T0;
    refused(&h, "invalid score: exchange, operation 4 (set {i}.i: u <- "
                "{g}.g.y (course through past values)): a course is set before "
                "its instance steps: {i}.i.u");
    insert(&h, 7, TT_SEC_STEP, h.op[5]);
    refused(&h, "invalid score: step, operation 3 (set {i}.i: u <- {g}.g.y "
                "(course through past values)): a course is set before its "
                "instance steps: {i}.i.u");
    swap(&h, 5, 7); /* step g, step i, course */
    insert(&h, 6, TT_SEC_STEP, h.op[10]);
    h.op[6].flags = TT_OP_PREDICTED;
    insert(&h, 7, TT_SEC_STEP, h.op[12]);
    swap(&h, 8, 9);
    refused(&h, "invalid score: step, operation 4 (set {i}.i: u <- {g}.g.y "
                "(course through past values)): a course starts from the value "
                "of T0: {i}.i.u");
    end(&h);
}

/* --- states and loops ---------------------------------------------------- */

static struct tt_op state_op(int code, uint32_t unit, uint32_t reg)
{
    return (struct tt_op){.code = (uint8_t)code, .unit = unit, .arg = reg};
}

static struct tt_op control(int code, uint32_t arg)
{
    return (struct tt_op){.code = (uint8_t)code, .unit = TT_NONE, .arg = arg};
}

static void states_are_saved_before_they_are_restored(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    insert(&h, 5, TT_SEC_STEP, state_op(TT_OP_SAVE, I, 0));
    refused(&h, "invalid score: step, operation 1 (save {i}.i in register 0): "
                "there is no such state register");
    h.s.n_state = 1;
    insert(&h, 5, TT_SEC_STEP, state_op(TT_OP_RESTORE, I, 0));
    refused(&h, "invalid score: step, operation 1 (restore {i}.i in register "
                "0): nothing was saved in this register");
    h.s.n_state = 1;
    insert(&h, 0, TT_SEC_INIT, state_op(TT_OP_SAVE, I, 0));
    refused(&h, "invalid score: init, operation 1 (save {i}.i in register 0): "
                "an instance that initialises has no state to keep");
    h.s.n_state = 2; /* save, step, restore, step: as if nothing was */
    insert(&h, 5, TT_SEC_STEP, state_op(TT_OP_SAVE, I, 1));
    insert(&h, 7, TT_SEC_STEP, state_op(TT_OP_RESTORE, I, 1));
    insert(&h, 8, TT_SEC_STEP, h.op[6]);
    accepted(&h);
    end(&h);
}

static void a_unit_that_cannot_save_is_not_asked_to(void **state)
{
    struct tt_mock_spec spec = tt_mock_counter;
    struct tt_stand st;
    tt_score *s = NULL;
    struct hand h = {.written = NULL};

    (void)state;
    spec.caps.save = 0;
    tt_stand_init(&st);
    tt_stand_mock(&st, "{c}", &spec);
    assert_int_equal(
        tt_stand_plan(&st, "{\"fmus\": {\"{c}\": \"c\"}, \"instances\": "
                           "{\"{c}\": [\"c\"]}, \"connections\": {}, "
                           "\"endTime\": 3}"),
        TT_OK);
    assert_int_equal(tt_score_new(&s, st.plan, &h.err), TT_OK);
    h.written = s;
    copy_out(&h);
    h.s.n_state = 1;
    insert(&h, 2, TT_SEC_STEP, state_op(TT_OP_SAVE, 0, 0));
    refused(&h, "invalid score: step, operation 1 (save {c}.c in register 0): "
                "the instance cannot save its state");
    tt_score_free(s);
    tt_stand_fini(&st);
}

/* Inputs are part of the state: what was set since is lost. */
static void a_restore_takes_inputs_back(void **state)
{
    struct hand h;

    (void)state;
    begin_with(&h, ", \"reactivity\": {\"{g}.g.u\": \"reactive\"}");
    /* step: 5 step i, 6 get i.y, 7 set g.u, 8 step g */
    h.s.n_state = 1;
    insert(&h, 7, TT_SEC_STEP, state_op(TT_OP_SAVE, G, 0));
    insert(&h, 9, TT_SEC_STEP, state_op(TT_OP_RESTORE, G, 0));
    refused(&h, "invalid score: step, operation 6 (step {g}.g to T1): a "
                "reactive input is not at T1: {g}.g.u");
    h.s.n_state = 1;
    insert(&h, 8, TT_SEC_STEP, state_op(TT_OP_SAVE, G, 0));
    insert(&h, 9, TT_SEC_STEP, state_op(TT_OP_RESTORE, G, 0));
    accepted(&h); /* saved with the input set */
    end(&h);
}

static struct tt_op time_of(uint32_t half)
{
    struct tt_op op = control(TT_OP_TIME, half);

    op.at = TT_S0;
    op.to = TT_S1;
    return op;
}

/* 5 step i, 6 step g */
static void a_step_may_be_made_in_halves(void **state)
{
    struct hand h;
    struct tt_op half;

    (void)state;
    begin(&h);
    half = h.op[5];
    half.at = TT_S0;
    half.to = TT_S1;
    h.op[5] = half;
    insert(&h, 5, TT_SEC_STEP, time_of(TT_HALF_FIRST));
    insert(&h, 7, TT_SEC_STEP, time_of(TT_HALF_SECOND));
    insert(&h, 8, TT_SEC_STEP, half);
    accepted(&h);
    h.op[5] = half;
    refused(&h, "invalid score: step, operation 1 (step {i}.i to S1): no time "
                "was given to the sub-step");
    h.op[5] = half;
    insert(&h, 5, TT_SEC_STEP, time_of(TT_HALF_SECOND));
    refused(&h,
            "invalid score: step, operation 2 (step {i}.i to S1): the instance "
            "does not stand where the step starts");
    h.op[5] = half;
    insert(&h, 5, TT_SEC_STEP, time_of(TT_HALF_FIRST));
    refused(&h,
            "invalid score: exchange, operation 1 (get {i}.i: y): the instance "
            "does not stand at that instant");
    insert(&h, 5, TT_SEC_STEP, control(TT_OP_LOOP, 2));
    insert(&h, 6, TT_SEC_STEP, time_of(TT_HALF_FIRST));
    refused(&h, "invalid score: step, operation 2 (time): a loop of sub-steps "
                "has no halves");
    insert(&h, 5, TT_SEC_STEP, control(TT_OP_LOOP, 2));
    insert(&h, 6, TT_SEC_STEP, time_of(TT_HALF_LOOP));
    insert(&h, 7, TT_SEC_STEP, time_of(TT_HALF_LOOP));
    refused(&h, "invalid score: step, operation 3 (time): it does not begin "
                "its loop");
    end(&h);
}

static void loops_are_closed_and_plain(void **state)
{
    struct tt_solver none = {0};
    struct hand h;

    (void)state;
    begin(&h);
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_LOOP, 2));
    refused(&h, "invalid score: init, operation 1 (loop 2 times): a loop "
                "without an end");
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_END, 0));
    refused(&h, "invalid score: init, operation 1 (end): an end without a "
                "loop");
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_LOOP, 2));
    insert(&h, 1, TT_SEC_INIT, control(TT_OP_LOOP, 2));
    refused(&h, "invalid score: init, operation 2 (loop 2 times): a loop "
                "within a loop of sub-steps");
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_LOOP, 2));
    insert(&h, 1, TT_SEC_INIT, control(TT_OP_LOOP, 2));
    h.op[0].until = h.op[1].until = 1;
    h.s.n_solver = 1;
    h.s.solver = &none;
    refused(&h, "invalid score: init, operation 2 (loop at most 2 times, until "
                "solved): a solver within a loop");
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_LOOP, 1));
    refused(&h, "invalid score: init, operation 1 (loop 1 times): a loop of "
                "one sub-step");
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_TIME, 0));
    refused(&h, "invalid score: init, operation 1 (time): only a step is "
                "divided");
    insert(&h, 5, TT_SEC_STEP, time_of(TT_HALF_LOOP));
    refused(&h, "invalid score: step, operation 1 (time): time is divided by "
                "counted loops only");
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_LOOP, 0));
    refused(&h, "invalid score: init, operation 1 (loop 0 times): a loop of no "
                "turns");
    insert(&h, 0, TT_SEC_INIT, control(TT_OP_LOOP, 3));
    insert(&h, 5, TT_SEC_INIT, control(TT_OP_END, 0));
    accepted(&h);
    end(&h);
}

/* A step that was given no time, one that does not join up, a unit that is left
 * behind. */
static void sub_steps_join_up(void **state)
{
    struct hand h;
    const struct tt_op time = {
        .code = TT_OP_TIME, .unit = TT_NONE, .at = TT_S0, .to = TT_S1};

    (void)state;
    begin(&h);
    h.op[5].at = TT_S0;
    h.op[5].to = TT_S1;
    refused(&h, "invalid score: step, operation 1 (step {i}.i to S1): no time "
                "was given to the sub-step");
    insert(&h, 5, TT_SEC_STEP, control(TT_OP_LOOP, 4));
    insert(&h, 6, TT_SEC_STEP, time);
    insert(&h, 8, TT_SEC_STEP, control(TT_OP_END, 0));
    refused(&h,
            "invalid score: step, operation 3 (step {i}.i to T1): the instance "
            "does not stand where the step starts");
    insert(&h, 5, TT_SEC_STEP, control(TT_OP_LOOP, 4));
    insert(&h, 6, TT_SEC_STEP, time);
    h.op[7].at = TT_S0;
    h.op[7].to = TT_S1;
    insert(&h, 8, TT_SEC_STEP, control(TT_OP_END, 0));
    accepted(&h);
    end(&h);
}

static void values_stand_once_at_the_end(void **state)
{
    struct hand h;

    (void)state;
    begin(&h);
    drop(&h, 11);
    refused(&h, "invalid score: the exchange section does not end with a "
                "commit");
    drop(&h, 4);
    refused(&h, "invalid score: the init section does not end with a commit");
    insert(&h, 11, TT_SEC_EXCHANGE, h.op[11]);
    refused(&h, "invalid score: exchange, operation 5 (commit): operations "
                "follow");
    swap(&h, 10, 11);
    refused(&h, "invalid score: exchange, operation 4 (commit): operations "
                "follow");
    insert(&h, 6, TT_SEC_STEP, h.op[11]);
    refused(&h, "invalid score: step, operation 2 (commit): values stand after "
                "the exchange only");
    h.op[11].to = TT_T0;
    refused(&h, "invalid score: exchange, operation 5 (commit): the values are "
                "of another instant");
    end(&h);
}

/* --- random scenarios ---------------------------------------------------- */

/* Brute force: does some value depend on itself, as declared? */
static int declared_loop(const tt_plan *p)
{
    uint32_t n = p->n_slot;
    uint8_t *r = tt_zalloc((size_t)n * n + 1, 1);
    int loop = 0;

    assert_non_null(r);
    for (uint32_t f = 0; f < p->n_feed; f++)
        r[p->feed[f].from * n + p->feed[f].to] = 1;
    for (uint32_t o = 0; o < n; o++)
        for (uint32_t i = 0; i < n; i++)
            if (p->slot[o].dir != TT_SLOT_IN && p->slot[i].dir == TT_SLOT_IN &&
                tt_plan_depends(p, o, i, 1) > 0)
                r[i * n + o] = 1;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && r[i * n + k]; j++)
                r[i * n + j] |= r[k * n + j];
    for (uint32_t v = 0; v < n; v++)
        loop |= r[v * n + v];
    tt_free(r);
    return loop;
}

/* Is there no order that steps every source before its reactive inputs? */
static int reactive_contradiction(const tt_plan *p)
{
    uint8_t r[16][16] = {{0}};
    int loop = 0;

    assert_true(p->n_unit <= 16);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t a = p->slot[p->feed[f].from].unit;
        uint32_t b = p->slot[p->feed[f].to].unit;

        if (p->slot[p->feed[f].to].reactivity != TT_REACT_REACTIVE)
            continue;
        r[a][b] = 1;
        for (uint32_t i = 0; i < p->scenario->n_order; i++) {
            if (p->scenario->order[i] == b)
                return 1; /* b comes before a, or is a */
            if (p->scenario->order[i] == a)
                break;
        }
    }
    for (int k = 0; k < 16; k++)
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 16; j++)
                r[i][j] |= r[i][k] & r[k][j];
    for (int i = 0; i < 16; i++)
        loop |= r[i][i];
    return loop;
}

static void every_unit_is_in_the_order_once(const tt_score *s)
{
    uint8_t seen[16] = {0};

    for (uint32_t i = 0; i < s->plan->n_unit; i++)
        assert_int_equal(seen[s->order[i]]++, 0);
}

/* Units of a group are neighbours, which may not agree with the rest. */
static int has_group(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].group != TT_NONE && p->unit[u].group != u)
            return 1;
    return 0;
}

struct tally {
    int scored, loops, contradictions;
};

static void score_one(const struct tt_crowd_opts *o, struct tally *t)
{
    struct tt_crowd c;
    tt_plan *plan = NULL;
    tt_score *score = NULL;
    tt_err err;
    enum tt_code rc;

    tt_crowd_init(&c, o);
    if (tt_plan_new(&plan, &c.scenario, c.desc, NULL, &err) != TT_OK)
        fail_msg("seed %d: %s", (int)o->seed, err.msg);
    rc = tt_score_new(&score, plan, &err);
    if (rc == TT_OK) {
        assert_int_equal(tt_score_check(score, &err), TT_OK);
        every_unit_is_in_the_order_once(score);
        assert_true(has_group(plan) || !reactive_contradiction(plan));
        assert_true(!declared_loop(plan) || score->n_solver > 0);
        t->scored++;
        t->loops += declared_loop(plan);
    } else if (strstr(err.msg, " is reactive: ")) {
        assert_int_equal(rc, TT_EINPUT);
        assert_true(reactive_contradiction(plan) || has_group(plan));
        t->contradictions++;
    } else {
        fail_msg("seed %d: %s", (int)o->seed, err.msg);
    }
    tt_score_free(score);
    tt_plan_free(plan);
    tt_crowd_fini(&c);
}

static void scores_are_valid_or_refused_for_a_true_reason(void **state)
{
    struct tally t = {0, 0, 0};

    (void)state;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        const struct tt_crowd_opts o = {
            .seed = seed,
            .n_type = 1 + (uint32_t)seed % 4,
            .n_unit = 1 + (uint32_t)seed % 7,
            .n_in = 1 + (uint32_t)seed % 4,
            .n_out = 1 + (uint32_t)(seed / 4) % 4,
            .through = (uint32_t)(seed / 3) % 4 * 15,
            .unknown = (uint32_t)(seed / 5) % 3 * 40,
            .standard = (uint32_t)(seed / 7) % 3 * 40,
            .connected = 40 + (uint32_t)seed % 60,
            .reactive = (uint32_t)(seed / 11) % 3 * 20,
            .delayed = (uint32_t)(seed / 13) % 3 * 20,
            .recorded = 30,
            .linear = seed % 5 ? 0 : 60,
            .fast = seed % 3 ? 0 : 50,
            .gauss_seidel = seed % 2 == 0,
            .order_given = (seed / 2) % 2 == 0,
        };

        score_one(&o, &t);
    }
    print_message("%d scores, %d loops, %d contradictions\n", t.scored, t.loops,
                  t.contradictions);
    assert_true(t.scored > 2000 && t.loops > 300 && t.contradictions > 300);
}

static uint32_t find_op(const struct hand *h, enum tt_op_code code, int later)
{
    uint32_t i = h->s.section[TT_SEC_STEP].first;

    while (h->op[i].code != code || !(h->op[i].flags & TT_OP_LATER) != !later)
        i++;
    return i;
}

/* Only what the state before the loop makes needless may be left out. */
static void the_first_turn_leaves_out_what_it_has_already(void **state)
{
    struct hand h;
    uint32_t step, set;

    (void)state;
    begin_with(&h, ", \"iterate\": 2");
    accepted(&h);
    step = find_op(&h, TT_OP_STEP, 0);
    set = find_op(&h, TT_OP_SET, 1);
    h.op[step].flags |= TT_OP_LATER;
    refused(&h, "invalid score: step, operation 8: it cannot be left out in "
                "the first turn");
    swap(&h, step, set);
    refused(&h, "invalid score: step, operation 7: it cannot be left out in "
                "the first turn");
    end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_score_by_hand_is_what_these_tests_think),
        cmocka_unit_test(indices_that_do_not_exist_are_refused),
        cmocka_unit_test(a_batch_is_of_one_unit_direction_and_type),
        cmocka_unit_test(values_move_in_dependency_order),
        cmocka_unit_test(nothing_may_be_forgotten),
        cmocka_unit_test(what_is_only_recorded_must_be_read_too),
        cmocka_unit_test(a_second_read_wants_a_second_set),
        cmocka_unit_test(a_predicted_value_is_read_again),
        cmocka_unit_test(unknown_dependencies_are_ordered_all_the_same),
        cmocka_unit_test(a_standard_unit_is_not_read_after_setting),
        cmocka_unit_test(a_restore_does_not_make_a_standard_unit_readable),
        cmocka_unit_test(every_unit_steps_once_from_t0_to_t1),
        cmocka_unit_test(a_valid_step_is_that_of_the_definition),
        cmocka_unit_test(a_unit_left_behind_is_named),
        cmocka_unit_test(reactivity_is_kept),
        cmocka_unit_test(courses_start_at_t0_and_end_in_a_value),
        cmocka_unit_test(states_are_saved_before_they_are_restored),
        cmocka_unit_test(a_unit_that_cannot_save_is_not_asked_to),
        cmocka_unit_test(a_restore_takes_inputs_back),
        cmocka_unit_test(a_step_may_be_made_in_halves),
        cmocka_unit_test(loops_are_closed_and_plain),
        cmocka_unit_test(sub_steps_join_up),
        cmocka_unit_test(values_stand_once_at_the_end),
        cmocka_unit_test(scores_are_valid_or_refused_for_a_true_reason),
        cmocka_unit_test(the_first_turn_leaves_out_what_it_has_already),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
