/* SPDX-License-Identifier: MIT */
/* How a step is repeated: "iterate", "acceleration", "iteration", and
 * Maestro's "stabalizationEnabled". */
#include "scenario/build_impl.h"

#include <math.h>

#define MOST_TURNS 10000

static const char *const accel_word[] = {
    [TT_ACCEL_NONE] = "none",     [TT_ACCEL_RELAX] = "relax",
    [TT_ACCEL_AITKEN] = "aitken", [TT_ACCEL_ANDERSON] = "anderson",
    [TT_ACCEL_NEWTON] = "newton",
};
const struct tt_sc_choice tt_sc_accelerations = {"'acceleration'", accel_word,
                                                 5};

/* Maestro repeats a step at most five times and goes on whatever comes out;
 * its tolerances are the global ones. Maestro 1 counts repetitions, we count
 * evaluations, and so does Maestro 2, whose relative tolerance is 0 unless
 * stated. Fields of ours win: they come later. */
enum tt_code tt_sc_read_stabilise(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_iteration *it = &b->s->iteration;
    int second = b->s->dialect == TT_SC_MAESTRO2;
    int on;
    enum tt_code rc = tt_sc_bool(b, v, &on);

    if (rc != TT_OK || !on)
        return rc;
    it->converged = 1;
    it->at_start = 0;
    it->abstol = isnan(b->s->loop_abstol) ? 0 : b->s->loop_abstol;
    it->reltol = b->s->loop_reltol;
    if (isnan(it->reltol))
        it->reltol = second ? 0 : 0.01;
    it->max = b->s->loop_attempts > 0 ? (uint32_t)b->s->loop_attempts : 5;
    if (!second)
        it->max++;
    if (b->s->dialect == TT_SC_MAESTRO1)
        it->least = 2; /* it compares the first repetition with the step */
    it->unconverged = TT_UNCONVERGED_ACCEPT;
    return TT_OK;
}

/* "iterate" is for every step, and wins. */
enum tt_code tt_sc_read_start_of_steps(struct tt_sc_build *b,
                                       const struct tt_doc *v)
{
    static const char *const word[] = {"hold", "iterate"};
    static const struct tt_sc_choice ways = {"'start'", word, 2};
    uint32_t i = 0;
    enum tt_code rc = tt_sc_choose_doc(b, v, &ways, &i);

    b->s->iteration.converged = b->s->iteration.at_start = i == 1;
    return rc;
}

static void set_turns(struct tt_sc_build *b, int64_t n)
{
    b->s->iteration.at_start = 0;
    b->s->iteration.converged = n == 0;
    if (n)
        b->s->iteration.turns = (uint32_t)n;
}

static const struct tt_sc_count turns = {"'iterate'", "--iterate", "converged",
                                         "turns",     MOST_TURNS,  set_turns};

enum tt_code tt_sc_read_iterate(struct tt_sc_build *b, const struct tt_doc *v)
{
    return tt_sc_count_doc(b, v, &turns);
}

enum tt_code tt_sc_set_iterate(struct tt_sc_build *b, const char *text)
{
    return tt_sc_count_text(b, text, &turns);
}

enum tt_code tt_sc_read_accel(struct tt_sc_build *b, const struct tt_doc *v)
{
    uint32_t i = 0;
    enum tt_code rc = tt_sc_choose_doc(b, v, &tt_sc_accelerations, &i);

    b->s->iteration.accel = (enum tt_sc_accel)i;
    return rc;
}

enum tt_code tt_sc_read_iteration(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const scope_word[] = {"all", "loops"};
    static const char *const failed_word[] = {"stop", "accept", "reduce"};
    static const struct tt_sc_choice scopes = {"'scope'", scope_word, 2};
    static const struct tt_sc_choice failures = {"'unconverged'", failed_word,
                                                 3};
    struct tt_sc_iteration *it = &b->s->iteration;
    uint32_t scope = 0, failed = (uint32_t)it->unconverged;
    double max = it->max;
    enum tt_code rc = tt_sc_check_members(b, v, "iteration");

    if (rc != TT_OK)
        return rc;
    rc = tt_sc_member_number(b, v, "absoluteTolerance", &it->abstol, 1);
    if (rc == TT_OK)
        rc = tt_sc_member_number(b, v, "relativeTolerance", &it->reltol, 1);
    if (rc == TT_OK)
        rc = tt_sc_member_number(b, v, "relaxation", &it->relax, 0);
    if (rc == TT_OK)
        rc = tt_sc_member_number(b, v, "maximum", &max, 0);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "scope", &scopes, &scope);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "unconverged", &failures, &failed);
    it->max = max > MOST_TURNS ? MOST_TURNS : (uint32_t)max;
    it->loops_only = scope == 1;
    it->unconverged = (enum tt_sc_unconverged)failed;
    return rc;
}
