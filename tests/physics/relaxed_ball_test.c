/* SPDX-License-Identifier: MIT */
/*
 * A soft ball whose contact is detected late. Falling by h against drag, it
 * reaches the floor after sqrt(m/(g d)) acosh(exp(h d/m)). It rests where the
 * spring carries it, at r - m g/c. The smallest delay that keeps a ball of
 * c = 50000 N/m bouncing is 1.4128697 ms (Gomes 2019, chapter 6).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define R 0.25
#define M 0.65
#define D 0.0136
#define G 9.81

static tt_table *fall(const char *c, const char *delay, const char *x)
{
    const struct play p = {
        .scenario = "relaxed-ball/scenario.json",
        .options = {"--set", c, "--set", delay, "--set", x, NULL}};

    return play(&p);
}

#define C(v)     "{ball}.ball.c=" v
#define DELAY(v) "{contact}.contact.delay=" v
#define X(v)     "{ball}.ball.x=" v

/* Heights between two rows of which the speed changes its sign. */
static size_t tops(const tt_table *t, double *top, size_t most)
{
    const double *x = column(t, "{ball}.ball.x");
    const double *v = column(t, "{ball}.ball.v");
    size_t n = 0;

    for (size_t i = 1; i < tt_table_rows(t) && n < most; i++)
        if (v[i - 1] > 0 && v[i] <= 0)
            top[n++] = fmax(x[i - 1], x[i]);
    return n;
}

/* The top after `many` bounces above the first one. */
static double growth(const char *c, const char *delay, const char *x,
                     size_t many)
{
    tt_table *t = fall(c, delay, x);
    double top[64];

    assert_true(tops(t, top, 64) > many);
    tt_table_free(t);
    return top[many] - top[0];
}

static double last(const tt_table *t, const char *name)
{
    return column(t, name)[tt_table_rows(t) - 1];
}

static void it_is_detected_so_much_after_the_floor(void **state)
{
    tt_table *t = fall(C("40000"), DELAY("0.0016"), X("0.26"));
    const double *contact = column(t, "{contact}.contact.contact");
    double floor = sqrt(M / (G * D)) * acosh(exp(0.01 * D / M));
    size_t i = 0;

    (void)state;
    while (contact[i] == 0)
        i++;
    assert_near(tt_table_time(t)[i], floor + 0.0016, 2e-9);
    tt_table_free(t);
}

static void it_rests_with_one_delay_and_not_with_another(void **state)
{
    tt_table *t = fall(C("40000"), DELAY("0.0016"), X("0.26"));

    (void)state;
    assert_near(last(t, "{ball}.ball.x"), R - M * G / 40000, 1e-9);
    assert_near(last(t, "{ball}.ball.v"), 0, 1e-6);
    assert_true(last(t, "{contact}.contact.contact") != 0);
    tt_table_free(t);

    assert_true(growth(C("40000"), DELAY("0.002"), X("0.26"), 20) > 0.02);
    assert_true(growth(C("40000"), DELAY("0.0016"), X("0.26"), 20) < -0.001);
}

static void the_published_delay_lies_between(void **state)
{
    (void)state;
    assert_true(growth(C("50000"), DELAY("0.0014"), X("0.31"), 10) < 0);
    assert_true(growth(C("50000"), DELAY("0.00143"), X("0.31"), 10) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_detected_so_much_after_the_floor),
        cmocka_unit_test(it_rests_with_one_delay_and_not_with_another),
        cmocka_unit_test(the_published_delay_lies_between),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
