/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_CONTRACT_H
#define TT_UNIT_CONTRACT_H

/* What every unit owes. Each kind's test runs this suite:
 *
 *     assert_int_equal(tt_unit_contract_run(&subject), 0);
 *
 * The suite makes its own units, many of them, and looks at them through
 * tt_unit_*() only. What a unit cannot do must be refused well. In
 * tutti_testing only; needs no test framework. */

#include "unit/unit.h"

/* name, sentence */
#define TT_CONTRACT_RULES(X)                                                   \
    X(description, "the description is complete and consistent")               \
    X(life_order, "calls out of order are refused, named, and harmless")       \
    X(starts, "declared start values are what initialisation sees")            \
    X(round_trip, "what was set is what is got, for every type")               \
    X(batch, "ports in one call have the values they have alone")              \
    X(empty_span, "a call for no ports succeeds")                              \
    X(unknown_port, "a port that does not exist is refused by number")         \
    X(mixed_types, "ports of two types in one call are refused by name")       \
    X(no_err, "a caller that wants no message gets the same code")             \
    X(activity, "the activity names the instance, the call and the time")      \
    X(lands, "a step lands exactly on the time asked for, step after step")    \
    X(step_stay, "a step to where the instance stands changes nothing")        \
    X(step_back, "a step into the past is refused and changes nothing")        \
    X(max_step, "the largest step is a positive number")                       \
    X(restore, "after a restore the same step gives the same bits")            \
    X(registers, "state registers do not disturb each other")                  \
    X(no_register, "an empty or missing register is refused by number")        \
    X(pack, "from a packed state a new instance goes on as the old one would") \
    X(bind, "bound calls do what the cold calls do, to the bit")               \
    X(bind_stay, "a bound step to where the instance stands changes nothing")  \
    X(no_heap, "bound calls allocate nothing")                                 \
    X(independent, "instances of one type do not influence each other")        \
    X(repeatable, "two fresh instances driven alike agree to the bit")         \
    X(course, "courses are taken up to the order claimed and no further")      \
    X(rates, "output derivatives are given up to the order claimed")           \
    X(jvp, "directional derivatives agree with differences")                   \
    X(events, "event mode is entered and left, or refused")                    \
    X(clocks, "intervals of clocks are stated in event mode, or refused")      \
    X(reset,                                                                   \
      "a reset instance behaves like a new one, or the reset is refused")      \
    X(free_anywhere, "an instance can be freed in every state, ended twice")   \
    X(failure, "after a failure all is refused until restore or reset")

struct tt_contract_subject {
    /* A fresh unit of this name. Units of one subject share one type unless
     * the kind cannot. */
    enum tt_code (*make)(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err);
    /* A unit whose second step fails, with words; NULL: there is none, and
     * the rule `failure` is not checked. */
    enum tt_code (*make_failing)(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *err);
    const void *ctx;
    double start;
    double h;         /* a step the unit likes; 0 is 0.1 */
    double tolerance; /* of differences against jvp, relative; 0 is 1e-6 */
    const char *const *leave_alone; /* ports not to set */
    size_t n_leave_alone;
    const char *only; /* one rule by name; NULL: all */
    /* NULL: violations are printed to stderr. */
    void (*violated_cb)(void *ctx, const char *rule, const char *sentence,
                        const char *detail);
    void *violated_ctx;
};

/* Returns the number of violations found. */
uint32_t tt_unit_contract_run(const struct tt_contract_subject *s);

#endif
