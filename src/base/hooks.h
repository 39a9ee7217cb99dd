/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_HOOKS_H
#define TT_BASE_HOOKS_H

/* Initialisers whose values are called as their members are: each name once.
 *
 *     TT_HOOKS(gain_, get, set)   .get = gain_get, .set = gain_set
 *     TT_HOOKS(, get, set)        .get = get, .set = set
 *     TT_SAME(from, t, h)         .t = (from)->t, .h = (from)->h
 *
 * and the same as statements.
 *
 *     TT_TAKE(to, from, t, h);    (to)->t = (from)->t, (to)->h = (from)->h;
 *
 * At most 24 of them. */

#define TT_HOOKS(prefix, ...) TT_EACH(TT_HOOK, prefix, __VA_ARGS__)
#define TT_SAME(from, ...)    TT_EACH(TT_SAME_ONE, from, __VA_ARGS__)

#define TT_TAKE(to, from, ...) TT_EACH(TT_TAKE_ONE, (to, from), __VA_ARGS__)

#define TT_HOOK(prefix, name)   .name = prefix##name
#define TT_SAME_ONE(from, name) .name = (from)->name

#define TT_TAKE_ONE(both, name) TT_TO both->name = TT_FROM both->name
#define TT_TO(to, from)         (to)
#define TT_FROM(to, from)       (from)

#define TT_EACH(f, p, ...)                                                     \
    TT_EACH_OF(__VA_ARGS__, TT_EACH_24, TT_EACH_23, TT_EACH_22, TT_EACH_21,    \
               TT_EACH_20, TT_EACH_19, TT_EACH_18, TT_EACH_17, TT_EACH_16,     \
               TT_EACH_15, TT_EACH_14, TT_EACH_13, TT_EACH_12, TT_EACH_11,     \
               TT_EACH_10, TT_EACH_9, TT_EACH_8, TT_EACH_7, TT_EACH_6,         \
               TT_EACH_5, TT_EACH_4, TT_EACH_3, TT_EACH_2, TT_EACH_1, 0)       \
    (f, p, __VA_ARGS__)
#define TT_EACH_OF(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13,     \
                   a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24,      \
                   each, ...)                                                  \
    each
#define TT_EACH_1(f, p, m)       f(p, m)
#define TT_EACH_2(f, p, m, ...)  f(p, m), TT_EACH_1(f, p, __VA_ARGS__)
#define TT_EACH_3(f, p, m, ...)  f(p, m), TT_EACH_2(f, p, __VA_ARGS__)
#define TT_EACH_4(f, p, m, ...)  f(p, m), TT_EACH_3(f, p, __VA_ARGS__)
#define TT_EACH_5(f, p, m, ...)  f(p, m), TT_EACH_4(f, p, __VA_ARGS__)
#define TT_EACH_6(f, p, m, ...)  f(p, m), TT_EACH_5(f, p, __VA_ARGS__)
#define TT_EACH_7(f, p, m, ...)  f(p, m), TT_EACH_6(f, p, __VA_ARGS__)
#define TT_EACH_8(f, p, m, ...)  f(p, m), TT_EACH_7(f, p, __VA_ARGS__)
#define TT_EACH_9(f, p, m, ...)  f(p, m), TT_EACH_8(f, p, __VA_ARGS__)
#define TT_EACH_10(f, p, m, ...) f(p, m), TT_EACH_9(f, p, __VA_ARGS__)
#define TT_EACH_11(f, p, m, ...) f(p, m), TT_EACH_10(f, p, __VA_ARGS__)
#define TT_EACH_12(f, p, m, ...) f(p, m), TT_EACH_11(f, p, __VA_ARGS__)
#define TT_EACH_13(f, p, m, ...) f(p, m), TT_EACH_12(f, p, __VA_ARGS__)
#define TT_EACH_14(f, p, m, ...) f(p, m), TT_EACH_13(f, p, __VA_ARGS__)
#define TT_EACH_15(f, p, m, ...) f(p, m), TT_EACH_14(f, p, __VA_ARGS__)
#define TT_EACH_16(f, p, m, ...) f(p, m), TT_EACH_15(f, p, __VA_ARGS__)
#define TT_EACH_17(f, p, m, ...) f(p, m), TT_EACH_16(f, p, __VA_ARGS__)
#define TT_EACH_18(f, p, m, ...) f(p, m), TT_EACH_17(f, p, __VA_ARGS__)
#define TT_EACH_19(f, p, m, ...) f(p, m), TT_EACH_18(f, p, __VA_ARGS__)
#define TT_EACH_20(f, p, m, ...) f(p, m), TT_EACH_19(f, p, __VA_ARGS__)
#define TT_EACH_21(f, p, m, ...) f(p, m), TT_EACH_20(f, p, __VA_ARGS__)
#define TT_EACH_22(f, p, m, ...) f(p, m), TT_EACH_21(f, p, __VA_ARGS__)
#define TT_EACH_23(f, p, m, ...) f(p, m), TT_EACH_22(f, p, __VA_ARGS__)
#define TT_EACH_24(f, p, m, ...) f(p, m), TT_EACH_23(f, p, __VA_ARGS__)

#endif
