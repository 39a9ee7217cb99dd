/* SPDX-License-Identifier: MIT */
/* Slots and the frame: what must hold for every scenario, checked on random
 * ones; and that planning stays near-linear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plan/crowd.h"
#include "plan/testing.h"

static tt_plan *plan_of(const struct tt_crowd *c)
{
    tt_plan *p = NULL;
    tt_err err;

    if (tt_plan_new(&p, &c->scenario, c->desc, NULL, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return p;
}

static size_t size_of(const struct tt_slot *s)
{
    return tt_type_size(s->type) * s->n;
}

static void values_are_aligned_and_do_not_overlap(const tt_plan *p)
{
    uint8_t *used = tt_zalloc(p->frame_size + 1, 1);

    assert_non_null(used);
    for (uint32_t i = 0; i < p->n_slot; i++) {
        const struct tt_slot *s = &p->slot[i];
        size_t size = tt_type_size(s->type);
        size_t align = s->type == TT_TEXT || s->type == TT_BYTES ? 4 : size;

        assert_int_equal(s->offset % align, 0);
        assert_true(s->offset + size_of(s) <= p->frame_size);
        for (size_t b = s->offset; b < s->offset + size_of(s); b++) {
            assert_int_equal(used[b], 0);
            used[b] = 1;
        }
    }
    for (uint32_t i = 0; i < p->n_course; i++) {
        const struct tt_course *c = &p->course[i];
        size_t n = sizeof(double) * (c->order + 1) * p->slot[c->slot].n;

        assert_int_equal(c->history % sizeof(double), 0);
        assert_true(c->history + n <= p->frame_size);
        for (size_t b = c->history; b < c->history + n; b++) {
            assert_int_equal(used[b], 0);
            used[b] = 1;
        }
    }
    tt_free(used);
}

static int same_block(const struct tt_slot *a, const struct tt_slot *b)
{
    return a->unit == b->unit && a->type == b->type &&
           (a->dir == TT_SLOT_IN) == (b->dir == TT_SLOT_IN);
}

/* Slots of one unit, direction and type: neighbours, without a gap. */
static void blocks_are_contiguous(const tt_plan *p)
{
    for (uint32_t i = 0; i < p->n_slot; i++)
        for (uint32_t k = i + 1; k < p->n_slot; k++) {
            if (!same_block(&p->slot[i], &p->slot[k]))
                continue;
            assert_true(same_block(&p->slot[i], &p->slot[k - 1]));
            assert_int_equal(p->slot[k].offset,
                             p->slot[k - 1].offset + size_of(&p->slot[k - 1]));
        }
}

/* What is read of a type follows from unit to unit without a gap, and inputs
 * come after everything that is read. */
static void what_is_read_lies_together(const tt_plan *p)
{
    const struct tt_slot *last[TT_TYPE_N] = {NULL};
    uint32_t read_end = 0, first_in = UINT32_MAX;

    for (uint32_t i = 0; i < p->n_slot; i++) {
        const struct tt_slot *s = &p->slot[i], *before = last[s->type];

        if (s->dir == TT_SLOT_IN) {
            first_in = s->offset < first_in ? s->offset : first_in;
            continue;
        }
        if (before)
            assert_int_equal(s->offset, before->offset + size_of(before));
        last[s->type] = s;
        if (s->offset + size_of(s) > read_end)
            read_end = s->offset + (uint32_t)size_of(s);
    }
    assert_true(read_end <= first_in);
}

static void units_own_their_slots(const tt_plan *p)
{
    uint32_t next = 0;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        const struct tt_plan_unit *unit = &p->unit[u];

        assert_int_equal(unit->slot, next);
        for (uint32_t k = 0; k < unit->n_read + unit->n_in; k++, next++) {
            assert_int_equal(p->slot[next].unit, u);
            assert_int_equal(p->slot[next].dir == TT_SLOT_IN,
                             k >= unit->n_read);
        }
    }
    assert_int_equal(next, p->n_slot);
}

/* Outputs that depend on no connected input, those that do, what is only
 * recorded: within unit and type in this order. */
static int rank(const tt_plan *p, uint32_t s)
{
    const struct tt_plan_unit *u = &p->unit[p->slot[s].unit];

    if (p->slot[s].dir == TT_SLOT_EXTRA)
        return 2;
    for (uint32_t i = u->slot + u->n_read; i < u->slot + u->n_read + u->n_in;
         i++)
        if (tt_plan_depends(p, s, i, 0) > 0)
            return 1;
    return !u->desc->run[p->slot[s].port].known;
}

static void what_can_be_read_first_lies_first(const tt_plan *p)
{
    for (uint32_t s = 1; s < p->n_slot; s++) {
        const struct tt_slot *a = &p->slot[s - 1], *b = &p->slot[s];

        if (b->dir == TT_SLOT_IN || !same_block(a, b))
            continue;
        assert_true(rank(p, s - 1) <= rank(p, s));
        if (rank(p, s - 1) == rank(p, s))
            assert_true(a->port < b->port);
    }
}

static void feeds_match_the_scenario(const tt_plan *p)
{
    uint32_t seen = 0;

    assert_int_equal(p->n_feed, p->scenario->n_connection);
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_feed *feed = &p->feed[f];
        const struct tt_sc_connection *c =
            &p->scenario->connection[feed->connection];

        assert_true(f == 0 || p->feed[f - 1].to < feed->to);
        assert_int_equal(p->slot[feed->to].feed, f);
        assert_int_equal(p->slot[feed->to].unit, c->to.unit);
        assert_string_equal(tt_plan_port(p, feed->to)->name, c->to.variable);
        assert_int_equal(p->slot[feed->from].unit, c->from.unit);
        assert_int_equal(p->slot[feed->from].dir, TT_SLOT_OUT);
        assert_string_equal(tt_plan_port(p, feed->from)->name,
                            c->from.variable);
    }
    for (uint32_t s = 0; s < p->n_slot; s++)
        for (uint32_t k = p->out_first[s]; k < p->out_first[s + 1]; k++) {
            assert_int_equal(p->feed[p->out_feed[k]].from, s);
            seen++;
        }
    assert_int_equal(seen, p->n_feed);
}

/* The lists state the same as asking for each pair. */
static void dependencies_agree(const tt_plan *p)
{
    for (uint32_t s = 0; s < p->n_slot; s++) {
        const struct tt_plan_unit *u = &p->unit[p->slot[s].unit];
        uint32_t in = u->slot + u->n_read;

        if (p->slot[s].dir == TT_SLOT_IN)
            continue;
        for (int init = 0; init < 2; init++) {
            struct tt_plan_inputs d = tt_plan_inputs_of(p, s, init);
            uint32_t n = 0;

            for (uint32_t i = in; i < in + u->n_in; i++) {
                int depends = tt_plan_depends(p, s, i, init);
                int listed = 0;

                for (uint32_t k = 0; k < d.n; k++)
                    listed |= d.slot[k] == i;
                assert_int_equal(depends, d.known ? listed : -1);
                n += (uint32_t)listed;
            }
            assert_int_equal(n, d.n);
        }
    }
}

static void layout_holds_on_random_scenarios(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const struct tt_crowd_opts o = {
            .seed = seed,
            .n_type = 1 + (uint32_t)seed % 5,
            .n_unit = 1 + (uint32_t)seed % 11,
            .n_in = 6,
            .n_out = 6,
            .through = 30,
            .unknown = 20,
            .standard = 30,
            .connected = 60,
            .recorded = 30,
            .linear = seed % 3 ? 0 : 50,
            .mixed = seed % 2 == 0,
        };
        struct tt_crowd c;
        tt_plan *p;

        tt_crowd_init(&c, &o);
        p = plan_of(&c);
        values_are_aligned_and_do_not_overlap(p);
        blocks_are_contiguous(p);
        what_is_read_lies_together(p);
        units_own_their_slots(p);
        what_can_be_read_first_lies_first(p);
        feeds_match_the_scenario(p);
        dependencies_agree(p);
        tt_plan_free(p);
        tt_crowd_fini(&c);
    }
}

static void a_frame_beyond_its_offsets_is_refused(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""}};
    const struct tt_mock_spec spec = {
        .model = "huge", .port = port, .n_port = 1};
    const struct tt_sc_fmu fmu = {.key = "{h}"};
    struct tt_sc_unit unit = {
        .instance = "h", .name = "{h}.h", .evaluates = -1};
    tt_scenario s = {.fmu = &fmu,
                     .n_fmu = 1,
                     .unit = &unit,
                     .n_unit = 1,
                     .step = 1,
                     .end = 1};
    tt_unit_type *type = NULL;
    const struct tt_desc *desc[1];
    struct tt_desc copy;
    struct tt_port big;
    tt_plan *p = NULL;
    tt_err err;

    (void)state;
    assert_int_equal(tt_mock_type_new(&type, &spec, &err), TT_OK);
    copy = type->desc;
    big = copy.port[0];
    big.n = 600000000; /* doubles: 4.8e9 bytes, never allocated */
    copy.port = &big;
    desc[0] = &copy;
    assert_int_equal(tt_plan_new(&p, &s, desc, NULL, &err), TT_EUNSUPPORTED);
    assert_string_equal(err.msg, "connected and recorded values take "
                                 "4800000000 bytes, more than 4 GiB");
    type->kind->close(type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_holds_on_random_scenarios),
        cmocka_unit_test(a_frame_beyond_its_offsets_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
