/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/contract.h"
#include "unit/elements.h"
#include "unit/test_unit.h"

/* --- a unit with arrays: x' = u, y = x + 2 u, element by element -----------
 */

enum { U, Y, N, S, PORTS, U2 = PORTS, Y1, U1, S2 };

static void slopes(const struct tt_mock_view *v, double *dx)
{
    memcpy(dx, v->value[U], 3 * sizeof(*dx));
}

static void outputs(const struct tt_mock_view *v)
{
    for (int i = 0; i < 3; i++)
        tt_mock_f64(v, Y)[i] = v->x[i] + 2 * tt_mock_f64(v, U)[i];
    for (int i = 0; i < 2; i++)
        ((int32_t *)v->value[S])[i] = *(const int32_t *)v->value[N] + i;
}

static const struct tt_mock_port port[] = {
    [U] = {"u", .causality = TT_CAUS_INPUT, .n = 3, .start = 1},
    [Y] = {"y", .causality = TT_CAUS_OUTPUT, .n = 3, .deps = "u"},
    [N] = {"n", TT_I32, TT_CAUS_INPUT, .start = 5},
    [S] = {"s", TT_I32, TT_CAUS_OUTPUT, .n = 2, .deps = "n"},
};
static const struct tt_mock_spec arrays = {
    .model = "arrays",
    .port = port,
    .n_port = PORTS,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .serialise = 1,
             .variable_step = 1,
             .directional = 1},
    .behaviour = {.n_x = 3, .derivative = slopes, .outputs = outputs},
};
static const struct tt_element some[] = {{U, 1}, {Y, 0}, {U, 0}, {S, 1}};

static enum tt_code make_wrapped(const void *ctx, const char *name,
                                 tt_unit **to, tt_err *e)
{
    tt_unit *inner;
    enum tt_code rc = tt_mock_make(&inner, ctx, name, e);

    return rc == TT_OK ? tt_elements_new(to, inner, some, 4,
                                         &(struct tt_make){.name = name}, e)
                       : rc;
}

static tt_unit *ready_unit(const struct tt_mock_spec *spec)
{
    tt_unit *u = NULL;

    ok(make_wrapped(spec, "a", &u, &err));
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 2, &err));
    return u;
}

static void set(tt_unit *u, uint32_t at, double v)
{
    ok(tt_unit_set(u, &(struct tt_span){&at, 1, &v}, &err));
}

static void has(tt_unit *u, uint32_t at, double a, double b, double c)
{
    double v[3];

    ok(tt_unit_get(u, &(struct tt_span){&at, 1, v}, &err));
    assert_true(v[0] == a && v[1] == b && v[2] == c);
}

static double get(tt_unit *u, uint32_t at)
{
    double v;

    ok(tt_unit_get(u, &(struct tt_span){&at, 1, &v}, &err));
    return v;
}

/* --- the contract ----------------------------------------------------------
 */

/* Setting an array changes its elements, so one of both is left alone. */
static void a_wrapped_unit_keeps_the_contract(void **state)
{
    static const char *const whole[] = {"u"}, *const single[] = {"u[1]",
                                                                 "u[2]"};
    struct tt_contract_subject s = {.make = make_wrapped,
                                    .ctx = &arrays,
                                    .leave_alone = whole,
                                    .n_leave_alone = 1};

    (void)state;
    assert_int_equal(tt_unit_contract_run(&s), 0);
    s.leave_alone = single;
    s.n_leave_alone = 2;
    assert_int_equal(tt_unit_contract_run(&s), 0);
}

/* --- description -----------------------------------------------------------
 */

static void elements_are_ports_behind_the_others(void **state)
{
    tt_unit *u = ready_unit(&arrays);
    const struct tt_desc *d = u->desc;

    (void)state;
    assert_int_equal(d->n_port, PORTS + 4);
    assert_int_equal(tt_desc_find(d, "u[2]"), U2);
    assert_int_equal(tt_desc_find(d, "y[1]"), Y1);
    assert_int_equal(tt_desc_find(d, "u[3]"), TT_NONE);
    assert_int_equal(d->port[U2].n, 1);
    assert_int_equal(d->port[U2].n_dim, 0);
    assert_true(*(const double *)d->port[U2].start == 1);
    assert_int_equal(d->run[Y].n, 3); /* u, u[2], u[1] */
    assert_int_equal(d->run[Y].port[0], U);
    assert_int_equal(d->run[Y].port[1], U2);
    assert_int_equal(d->run[Y].port[2], U1);
    assert_int_equal(d->run[Y1].n, 3);
    assert_int_equal(d->run[S2].port[0], N);
    tt_unit_free(u);
}

static void an_element_has_one_name(void **state)
{
    static const uint32_t dim[] = {2, 3};
    const struct tt_port m = {.n = 6, .n_dim = 2, .dim = dim};
    static const struct {
        const char *text;
        int at;
    } of[] = {{"[1,1]", 0},
              {"[1,3]", 2},
              {"[2,1]", 3},
              {"[2,3]", 5},
              {"[0,1]", -1},
              {"[3,1]", -1},
              {"[1,4]", -1},
              {"[1]", -1},
              {"[1,1,1]", -1},
              {"[1, 1]", -1},
              {"[01,1]", -1},
              {"[,1]", -1},
              {"[-1,1]", -1},
              {"[1,1", -1},
              {"[1,1]]", -1},
              {"[]", -1},
              {"[99999999999999999999,1]", -1}};

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        uint32_t at = 77;
        int rc = tt_element_at(&m, of[i].text, &at);

        assert_int_equal(rc, of[i].at < 0 ? -1 : 0);
        assert_int_equal(at, of[i].at < 0 ? 77 : of[i].at);
    }
    assert_string_equal(tt_element_indices("a[1].b[2,3]"), "[2,3]");
    assert_null(tt_element_indices("a"));
    assert_null(tt_element_indices("a[1].b"));
    assert_null(tt_element_indices("[1]"));
}

/* --- values ----------------------------------------------------------------
 */

static void a_unit_is_set_by_whole_arrays(void **state)
{
    static const uint32_t both[] = {U1, U2};
    struct tt_buf tape;
    struct tt_mock_spec spec = arrays;
    double v[] = {7, 8};
    tt_unit *u;

    (void)state;
    tt_buf_init(&tape, 4096);
    spec.tape = &tape;
    u = ready_unit(&spec);
    tt_buf_clear(&tape);
    set(u, U2, 4);
    assert_string_equal(tape.data, "a.set u");
    has(u, U, 1, 4, 1);
    tt_buf_clear(&tape);
    ok(tt_unit_set(u, &(struct tt_span){both, 2, v}, &err));
    assert_string_equal(tape.data, "a.set u"); /* once */
    has(u, U, 7, 8, 1);
    ok(tt_unit_set(
        u, &(struct tt_span){(const uint32_t[]){U}, 1, (double[]){-1, -2, -3}},
        &err));
    set(u, U1, 0);
    has(u, U, 0, -2, -3); /* what was set whole is remembered */
    has(u, Y, 0, -4, -6);
    assert_true(get(u, Y1) == 0 && get(u, U2) == -2);
    tt_unit_free(u);
    tt_buf_fini(&tape);
}

static void a_mixed_call_finds_every_value(void **state)
{
    static const uint32_t of[] = {Y1, U, U2, Y, U1};
    double v[9] = {0};
    tt_unit *u = ready_unit(&arrays);

    (void)state;
    set(u, U2, 3);
    ok(tt_unit_get(u, &(struct tt_span){of, 5, v}, &err));
    assert_memory_equal(v, ((double[]){2, 1, 3, 1, 3, 2, 6, 2, 1}), sizeof(v));
    tt_unit_free(u);
}

static void what_is_remembered_goes_back_with_the_state(void **state)
{
    struct tt_bytes packed;
    tt_unit *u = ready_unit(&arrays), *other;

    (void)state;
    set(u, U2, 3);
    ok(tt_unit_save(u, 0, &err));
    set(u, U2, 9);
    ok(tt_unit_restore(u, 0, &err));
    set(u, U1, 5);
    has(u, U, 5, 3, 1);
    ok(tt_unit_pack(u, 0, &packed, &err));
    other = ready_unit(&arrays);
    ok(tt_unit_unpack(other, 1, &packed, &err));
    ok(tt_unit_restore(other, 1, &err));
    set(other, U1, 6);
    has(other, U, 6, 3, 1);
    tt_free(packed.data);
    tt_unit_free(other);
    tt_unit_free(u);
}

static void derivatives_along_elements(void **state)
{
    static const uint32_t of[] = {Y1, Y}, along[] = {U2, U1};
    double out[4], in[] = {10, 1};
    struct tt_jvp j = {of, along, 2, 2, in, out};
    tt_unit *u = ready_unit(&arrays);

    (void)state;
    ok(tt_unit_jvp(u, &j, &err));
    assert_true(out[0] == 2 && out[1] == 2 && out[2] == 20 && out[3] == 0);
    tt_unit_free(u);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 40; n++) {
        tt_unit *u = NULL, *inner = make(&arrays, "a");
        enum tt_code rc;

        tt_mem_fail_after(n);
        rc = tt_elements_new(&u, inner, some, 4, &(struct tt_make){.name = "a"},
                             &err);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
        tt_unit_free(u);
        if (rc == TT_OK)
            return;
    }
    fail_msg("it needs more than 40 allocations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrapped_unit_keeps_the_contract),
        cmocka_unit_test(elements_are_ports_behind_the_others),
        cmocka_unit_test(an_element_has_one_name),
        cmocka_unit_test(a_unit_is_set_by_whole_arrays),
        cmocka_unit_test(a_mixed_call_finds_every_value),
        cmocka_unit_test(what_is_remembered_goes_back_with_the_state),
        cmocka_unit_test(derivatives_along_elements),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
