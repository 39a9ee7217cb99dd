/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/num.h"

/* Times, tolerances, switches, and what is refused. */

enum tt_code tt_sc_set_start(tt_sc_build *b, double t, struct tt_where w)
{
    b->s->start = t;
    b->s->start_where = w;
    if (isfinite(t))
        return TT_OK;
    return tt_sc_fail(b, w, TT_EINPUT, "the start time must be finite");
}

enum tt_code tt_sc_set_end(tt_sc_build *b, double t, struct tt_where w)
{
    b->s->end = t;
    b->s->end_where = w;
    return TT_OK;
}

enum tt_code tt_sc_read_start(struct tt_sc_build *b, const struct tt_doc *v)
{
    double t = 0;
    enum tt_code rc = tt_sc_number(b, v, NULL, &t);

    return rc == TT_OK ? tt_sc_set_start(b, t, v->where) : rc;
}

/* null is an open end, as Maestro has it. */
enum tt_code tt_sc_read_end(struct tt_sc_build *b, const struct tt_doc *v)
{
    double t = (double)INFINITY;
    enum tt_code rc = tt_sc_is_null(v) ? TT_OK : tt_sc_number(b, v, NULL, &t);

    return rc == TT_OK ? tt_sc_set_end(b, t, v->where) : rc;
}

static double *number_of(tt_scenario *s, const char *field)
{
    static const struct {
        const char *field;
        size_t offset;
    } at[] = {
        {"tolerance", offsetof(tt_scenario, tolerance)},
        {"sampleInterval", offsetof(tt_scenario, sample)},
        {"global_absolute_tolerance", offsetof(tt_scenario, loop_abstol)},
        {"global_relative_tolerance", offsetof(tt_scenario, loop_reltol)},
        {"livestreamInterval", offsetof(tt_scenario, live_interval)},
        {"liveLogInterval", offsetof(tt_scenario, live_interval)},
        {"deadline", offsetof(tt_scenario, deadline)},
    };
    size_t i = 0;

    while (i + 1 < sizeof(at) / sizeof(*at) && strcmp(at[i].field, field) != 0)
        i++;
    TT_ASSERT(strcmp(at[i].field, field) == 0); /* every number has a place */
    return (double *)(void *)((char *)s + at[i].offset);
}

static enum tt_code read_least(struct tt_sc_build *b, const struct tt_doc *v,
                               int zero_too)
{
    double *to = number_of(b->s, v->key);
    enum tt_code rc = tt_sc_number(b, v, NULL, to);
    char text[TT_NUM_MAX];

    if (rc != TT_OK || *to > 0 || (zero_too && *to >= 0))
        return rc;
    tt_num_print_short(text, *to);
    return tt_sc_fail(b, v->where, TT_EINPUT, "'%s' must %s, not %s", v->key,
                      zero_too ? "not be negative" : "be greater than 0", text);
}

enum tt_code tt_sc_read_positive(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_least(b, v, 0);
}

enum tt_code tt_sc_read_not_negative(struct tt_sc_build *b,
                                     const struct tt_doc *v)
{
    return read_least(b, v, 1);
}

enum tt_code tt_sc_read_attempts(struct tt_sc_build *b, const struct tt_doc *v)
{
    int64_t n;
    enum tt_code rc = tt_sc_integer(b, v, &n);

    if (rc != TT_OK)
        return rc;
    if (n < 0)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' must not be negative, not %lld", v->key,
                          (long long)n);
    b->s->loop_attempts = n;
    return TT_OK;
}

enum tt_code tt_sc_read_flag(struct tt_sc_build *b, const struct tt_doc *v)
{
    tt_scenario *s = b->s;
    int on = 0;
    enum tt_code rc = tt_sc_bool(b, v, &on);

    if (rc != TT_OK)
        return rc;
    if (strcmp(v->key, "visible") == 0)
        s->visible = on;
    else if (strcmp(v->key, "loggingOn") == 0)
        s->logging_on = on;
    else if (strcmp(v->key, "rollback") == 0)
        s->rollback = on;
    else if (strcmp(v->key, "recordIntermediate") == 0)
        s->intermediate = on;
    else
        s->parallel = on;
    return TT_OK;
}

enum tt_code tt_sc_read_log_level(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const word[] = {"OFF",   "FATAL", "ERROR",
                                       "WARN",  "INFO",  "DEBUG",
                                       "TRACE", "ALL",   "Not set"};
    static const struct tt_sc_choice levels = {"'overrideLogLevel'", word, 9};
    uint32_t i;
    enum tt_code rc = tt_sc_choose_doc(b, v, &levels, &i);

    if (rc == TT_OK)
        b->s->log_level_override = i < 8 ? word[i] : NULL;
    return rc;
}

static const char *const dialect_word[] = {"maestro2", "maestro1", "maestro"};
static const enum tt_sc_dialect dialect_of[] = {TT_SC_MAESTRO2, TT_SC_MAESTRO1,
                                                TT_SC_MAESTRO2};

static void take_dialect(tt_scenario *s, uint32_t i)
{
    s->dialect = dialect_of[i];
    s->m1_dialect = s->dialect == TT_SC_MAESTRO1;
}

enum tt_code tt_sc_read_dialect(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const struct tt_sc_choice c = {"'dialect'", dialect_word, 3};
    uint32_t i;
    enum tt_code rc = tt_sc_choose_doc(b, v, &c, &i);

    if (rc == TT_OK && !b->dialect_given)
        take_dialect(b->s, i);
    return rc;
}

enum tt_code tt_sc_set_dialect(struct tt_sc_build *b, const char *text)
{
    static const struct tt_sc_choice c = {"--dialect", dialect_word, 3};
    uint32_t i;
    enum tt_code rc = tt_sc_choose(b, TT_SC_NOWHERE, &c, text, &i);

    if (rc == TT_OK)
        take_dialect(b->s, i);
    b->dialect_given = 1;
    return rc;
}

enum tt_code tt_sc_read_csv(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const word[] = {"maestro2", "maestro1"};
    static const struct tt_sc_choice dialects = {"'dialect'", word, 2};
    const struct tt_doc *dialect;
    uint32_t i = 0;
    enum tt_code rc = tt_sc_check_members(b, v, "csv");

    if (rc != TT_OK)
        return rc;
    dialect = tt_sc_member(v, "dialect");
    if (dialect)
        rc = tt_sc_choose_doc(b, dialect, &dialects, &i);
    if (!b->s->dialect)
        b->s->m1_dialect = i == 1;
    return rc;
}

/* What would change the results and cannot be done is refused: no silently
 * different numbers. */

enum tt_code tt_sc_refuse_any(struct tt_sc_build *b, const struct tt_doc *v)
{
    int empty =
        (v->kind == TT_DOC_TEXT && !*v->u.text) ||
        ((v->kind == TT_DOC_ARRAY || v->kind == TT_DOC_OBJECT) && v->n == 0);

    if (empty)
        return TT_OK;
    if (strcmp(v->key, "modelTransfers") == 0)
        return tt_sc_fail(b, v->key_where, TT_EUNSUPPORTED,
                          "'modelTransfers' is not supported: no instance is "
                          "taken over from a run that is under way");
    return tt_sc_fail(b, v->key_where, TT_EUNSUPPORTED,
                      "'%s' is not available yet; remove it to run without",
                      v->key);
}
