/* SPDX-License-Identifier: MIT */
/* Microsteps that are played by words come to what all others come to, up to
 * the last bit of a word; behind it they are played otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "player/event.h"
#include "run/event_network.h"
#include "run/run_impl.h"
#include "run/testing.h"

static uint64_t no_time(void *ctx)
{
    (void)ctx;
    return 0;
}

/* The same run twice: with a clock on its updates the second one is played as
 * large ones are. */
static void begin_both(struct stage *const st[2], const char *json)
{
    static const struct tt_event_clock clock = {.now_cb = no_time};

    for (int i = 0; i < 2; i++) {
        st[i]->unseen = 1;
        if (st_load(st[i], json) != TT_OK)
            fail_msg("%s\n%s", st[i]->err.msg, json);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(tt_run_start(st[i]->run, &st[i]->err), TT_OK);
    tt_part_event_clock(st[1]->run->part, &clock);
    assert_false(tt_part_event_is_short(st[1]->run->part));
}

static void assert_same_events(struct stage *const st[2])
{
    const tt_part *one = st[0]->run->part, *other = st[1]->run->part;

    assert_memory_equal(tt_part_events(one), tt_part_events(other),
                        tt_events_size(tt_run_plan(st[0]->run)));
    assert_int_equal(tt_part_event_looked(one), tt_part_event_looked(other));
}

/* Both to their end, side by side. Returns how many operations were looked at.
 */
static uint64_t play_both(struct stage *const st[2])
{
    assert_same_events(st);
    while (!tt_run_done(st[0]->run)) {
        for (int i = 0; i < 2; i++)
            assert_int_equal(tt_run_step(st[i]->run, &st[i]->err), TT_OK);
        assert_same_events(st);
    }
    assert_true(tt_run_done(st[1]->run));
    return tt_part_event_looked(st[0]->run->part);
}

static void short_microsteps_do_no_less_than_long_ones(void **state)
{
    uint64_t n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct stage *const st[] = {st_new(), st_new()};
        struct en_network w;
        struct tt_buf json;

        en_make(&w, seed);
        en_leave_clocks_out(&w);
        tt_buf_init(&json, 1 << 16);
        en_write(&w, "", &json);
        en_register(&w);
        begin_both(st, json.data);
        assert_true(tt_part_event_is_short(st[0]->run->part));
        n += play_both(st);
        st_free(st[0]);
        st_free(st[1]);
        tt_buf_fini(&json);
    }
    print_message("%llu operations looked at\n", (unsigned long long)n);
    assert_true(n > 10000);
}

/* --- the last bit ----------------------------------------------------------
 */

/* A source with many outputs, of which another one moves every 1/16 s; and what
 * takes and adds them. */
#define WIDTH 31
#define SUM   WIDTH
static char name[WIDTH][16];
static struct tt_mock_port out_port[WIDTH + 1], in_port[WIDTH + 1];

static void move_one(const struct tt_mock_view *v, struct tt_event_result *r)
{
    int32_t *n = v->value[WIDTH];

    ++*(int32_t *)v->value[(*n)++ % WIDTH];
    r->next_defined = 1;
    r->next = v->t + 0.0625;
}

static void add_all(const struct tt_mock_view *v, struct tt_event_result *r)
{
    int32_t sum = 0;

    (void)r;
    for (int i = 0; i < WIDTH; i++)
        sum += (i + 1) * *(int32_t *)v->value[i];
    *(int32_t *)v->value[SUM] = sum;
}

/* ... and one that passes its only input on, plus 1. */
enum { IN, OUT };
static const struct tt_mock_port relay_port[] = {
    {.name = "in", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void pass_on(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    *(int32_t *)v->value[OUT] = 1 + *(int32_t *)v->value[IN];
}

#define UNIT(ports, n, handler)                                                \
    {                                                                          \
        .model = #handler, .port = (ports), .n_port = (n),                     \
        .caps = {.evaluates = TT_EVAL_EVENT,                                   \
                 .save = 1,                                                    \
                 .variable_step = 1,                                           \
                 .event_mode = 1},                                             \
        .behaviour = {.event = (handler)}, .starts_in_event_mode = 1           \
    }
static const struct tt_mock_spec source = UNIT(out_port, WIDTH + 1, move_one);
static const struct tt_mock_spec adder = UNIT(in_port, WIDTH + 1, add_all);
static const struct tt_mock_spec relay = UNIT(relay_port, 2, pass_on);

static void name_ports(void)
{
    for (int i = 0; i < WIDTH; i++) {
        (void)snprintf(name[i], sizeof(name[i]), "x%d", i);
        out_port[i] = (struct tt_mock_port){.name = name[i],
                                            .type = TT_I32,
                                            .causality = TT_CAUS_OUTPUT,
                                            .deps = ""};
        in_port[i] = (struct tt_mock_port){
            .name = name[i], .type = TT_I32, .causality = TT_CAUS_INPUT};
    }
    out_port[WIDTH] = (struct tt_mock_port){.name = "n", .type = TT_I32};
    in_port[SUM] = (struct tt_mock_port){
        .name = "sum", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""};
}

#define HEAD                                                                   \
    "{\"fmus\": {\"{s}\": \"s\", \"{a}\": \"a\", \"{r}\": \"r\"}, "            \
    "\"connections\": {"
#define TAIL                                                                   \
    "}, %s\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "            \
    "\"endTime\": 4}"

/* All outputs are taken by an adder. */
static void write_wide(struct tt_buf *json, const char *more)
{
    tt_buf_str(json, HEAD);
    for (int i = 0; i < WIDTH; i++)
        tt_buf_fmt(json, "%s\"{s}.s.x%d\": [\"{a}.a.x%d\"]", i ? ", " : "", i,
                   i);
    tt_buf_fmt(json, TAIL, more);
}

/* DEPTH relays in a row, and perhaps one beside the first. */
#define DEPTH 12
static void write_deep(struct tt_buf *json, const char *beside,
                       const char *more)
{
    tt_buf_fmt(json, HEAD "\"{s}.s.x0\": [\"{r}.r1.in\"%s]", beside);
    for (int i = 1; i < DEPTH; i++)
        tt_buf_fmt(json, ", \"{r}.r%d.out\": [\"{r}.r%d.in\"]", i, i + 1);
    tt_buf_fmt(json, TAIL, more);
}

static int32_t value_of(const struct stage *st, const char *unit, uint32_t port)
{
    const tt_plan *p = tt_run_plan(st->run);
    int32_t v = -1;
    uint32_t u = 0;

    while (strcmp(p->unit[u].name, unit) != 0)
        u++;
    assert_int_equal(tt_run_get(st->run, u, port, &v, NULL), TT_OK);
    return v;
}

struct expected {
    uint32_t flags, operations; /* 0: whatever */
    int is_short;
    const char *unit; /* that has this in the end */
    uint32_t port;
    int32_t value;
};

static void comes_to(struct tt_buf *json, const struct expected *x)
{
    struct stage *const st[] = {st_new(), st_new()};
    const tt_plan *p;

    name_ports();
    tt_mock_register("s", &source);
    tt_mock_register("a", &adder);
    tt_mock_register("r", &relay);
    begin_both(st, json->data);
    p = tt_run_plan(st[0]->run);
    if (x->flags)
        assert_int_equal(p->n_unit + p->n_slot, x->flags);
    if (x->operations)
        assert_int_equal(tt_run_score(st[0]->run)->section[TT_SEC_EVENT].n,
                         x->operations);
    assert_int_equal(tt_part_event_is_short(st[0]->run->part), x->is_short);
    (void)play_both(st);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(value_of(st[i], x->unit, x->port), x->value);
        st_free(st[i]);
    }
    tt_buf_clear(json);
}

/* 65 events: each output moves twice, the first three once more. */
#define ADDED  (2 * WIDTH * (WIDTH + 1) / 2 + 1 + 2 + 3)
#define PASSED (3 + DEPTH)

static void a_word_of_flags_has_64(void **state)
{
    struct tt_buf json;

    (void)state;
    tt_buf_init(&json, 1 << 16);
    write_wide(&json, "");
    comes_to(&json, &(struct expected){64, 0, 1, "{a}.a", SUM, ADDED});
    write_wide(&json, "\"record\": [\"{a}.a.sum\"], ");
    comes_to(&json, &(struct expected){65, 0, 0, "{a}.a", SUM, ADDED});
    tt_buf_fini(&json);
}

static void a_word_of_operations_has_64(void **state)
{
    struct tt_buf json;

    (void)state;
    tt_buf_init(&json, 1 << 16);
    write_deep(&json, "", "\"record\": [\"{r}.r12.out\"], ");
    comes_to(&json, &(struct expected){0, 64, 1, "{r}.r12", OUT, PASSED});
    write_deep(&json, ", \"{r}.m.in\"", "");
    comes_to(&json, &(struct expected){0, 65, 0, "{r}.r12", OUT, PASSED});
    tt_buf_fini(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_microsteps_do_no_less_than_long_ones),
        cmocka_unit_test(a_word_of_flags_has_64),
        cmocka_unit_test(a_word_of_operations_has_64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
