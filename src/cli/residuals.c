/* SPDX-License-Identifier: MIT */
/* What a run was left with, for machines: equations, energy, errors. */
#include "cli/residuals.h"

#include <inttypes.h>
#include <math.h>

#include "base/show.h"
#include "cli/print.h"

static void couplings(struct tt_buf *b, const tt_run *run)
{
    const char *before = "";

    tt_buf_str(b, "\"couplings\": [");
    for (uint32_t u = 0; u < tt_run_units(run); u++) {
        struct tt_run_coupling c;

        if (!tt_run_coupling(run, u, &c))
            continue;
        tt_buf_fmt(b, "%s{\"name\": ", before);
        tt_buf_json(b, c.name);
        tt_json_member(b, "residual", c.residual);
        tt_json_member(b, "rate_residual", c.rate_residual);
        tt_json_member(b, "ringing", c.ringing);
        tt_json_member(b, "ringing_since",
                       c.ringing > 0 ? c.ringing_since : (double)NAN);
        tt_buf_char(b, '}');
        before = ", ";
    }
    tt_buf_char(b, ']');
}

/* A section of its own; without anything to state it is null, and 0 the
 * answer. */
static int begin(struct tt_buf *b, const char *key, int is)
{
    tt_buf_fmt(b, ",\n    \"%s\": %s", key, is ? "" : "null");
    return is;
}

/* The i-th of a list begins with its name. */
static void begin_item(struct tt_buf *b, uint32_t i, const char *key,
                       const char *name)
{
    tt_buf_fmt(b, "%s{\"%s\": ", i ? ", " : "", key);
    tt_buf_json(b, name);
}

static void energy(struct tt_buf *b, const tt_run *run)
{
    uint32_t n = tt_run_bonds(run);

    tt_buf_fmt(b, ",\n    \"energy\": %s", n ? "[" : "null");
    for (uint32_t i = 0; i < n; i++) {
        struct tt_run_bond one = tt_run_bond(run, i);

        begin_item(b, i, "bond", one.name);
        tt_json_member(b, "net", one.net);
        tt_json_member(b, "gross", one.gross);
        tt_buf_fmt(b, ", \"leaps\": %" PRIu64, one.leaps);
        tt_json_member(b, "leap", one.leap);
        tt_json_member(b, "behind_leap", one.rest);
        tt_buf_fmt(b, ", \"corrected\": %s}", one.corrected ? "true" : "false");
    }
    tt_buf_str(b, n ? "]" : "");
}

static void error(struct tt_buf *b, const tt_run *run)
{
    struct tt_run_error e = tt_run_error(run);

    if (!begin(b, "error", e.estimated))
        return;
    tt_json_num(b, "{\"largest\": ", e.largest);
    tt_json_member(b, "mean", e.mean);
    tt_buf_char(b, '}');
}

static void iteration(struct tt_buf *b, const tt_run *run)
{
    struct tt_part_stats s = tt_run_stats(run);
    uint64_t steps = tt_run_steps(run);

    if (!begin(b, "iteration", s.evaluations > 0))
        return;
    tt_buf_fmt(b, "{\"evaluations\": %" PRIu64 ", \"unconverged\": %" PRIu64,
               s.evaluations, s.unconverged);
    tt_json_member(b, "per_step",
                   steps ? (double)s.evaluations / (double)steps : (double)NAN);
    tt_json_member(b, "largest", s.residual);
    tt_buf_char(b, '}');
}

static void crossings(struct tt_buf *b, const tt_run *run)
{
    uint32_t n = tt_run_crossings(run);

    tt_buf_str(b, ",\n    \"crossings\": [");
    for (uint32_t i = 0; i < n; i++) {
        struct tt_run_crossing c = tt_run_crossing(run, i);

        begin_item(b, i, "name", c.name);
        tt_buf_fmt(b,
                   ", \"n\": %" PRIu64 ", \"late\": %" PRIu64
                   ", \"attempts\": %" PRIu64,
                   c.n, c.late, c.attempts);
        tt_json_member(b, "last", c.n ? c.last : (double)NAN);
        tt_json_member(b, "error", c.n > c.late ? c.error : (double)NAN);
        tt_json_member(b, "late_mean", c.late_mean);
        tt_json_member(b, "late_most", c.late_most);
        tt_json_member(b, "sensitivity", c.moved);
        tt_buf_char(b, '}');
    }
    tt_buf_char(b, ']');
}

static void quanta(struct tt_buf *b, const tt_run *run)
{
    struct tt_run_quanta q = tt_run_quanta(run);

    if (begin(b, "quanta", q.n > 0))
        tt_buf_fmt(b,
                   "{\"instances\": %" PRIu32 ", \"steps\": %" PRIu64
                   ", \"made\": %" PRIu64 "}",
                   q.n, q.steps, q.made);
}

/* The largest error of what was predicted, and of which variable. */
static void off(struct tt_buf *b, const tt_run *run,
                const struct tt_run_late *l)
{
    const struct tt_plan_unit *u;

    if (l->unit == TT_NONE) {
        tt_buf_str(b, "null");
        return;
    }
    u = &tt_run_plan(run)->unit[l->unit];
    tt_buf_str(b, "{\"instance\": ");
    tt_buf_json(b, u->name);
    tt_buf_str(b, ", \"variable\": ");
    tt_buf_json(b, u->desc->port[l->worst.port].name);
    tt_buf_fmt(b, ", \"element\": %" PRIu32, l->worst.element + 1);
    tt_json_member(b, "time", l->worst.t);
    tt_json_member(b, "error", l->worst.error);
    tt_buf_char(b, '}');
}

static void predicted(struct tt_buf *b, const tt_run *run)
{
    struct tt_run_late l = tt_run_late(run);

    if (!begin(b, "late", l.n > 0))
        return;
    tt_buf_fmt(b,
               "{\"instances\": %" PRIu32 ", \"steps\": %" PRIu64
               ", \"predicted\": %" PRIu64 ", \"waits\": %" PRIu64
               ", \"worst\": ",
               l.n, l.steps, l.predicted, l.waits);
    off(b, run, &l);
    tt_buf_char(b, '}');
}

static void lateness(struct tt_buf *b, const struct tt_played *p)
{
    struct tt_pace_stats s = tt_run_pace(p->run);

    if (!begin(b, "lateness", p->play->scenario->real_time.factor > 0))
        return;
    tt_json_num(b, "{\"worst\": ", s.worst);
    tt_json_member(b, "mean", tt_pace_mean(&s));
    tt_buf_fmt(b, ", \"overruns\": %" PRIu64 "}", s.overruns);
}

void tt_residuals_json(struct tt_buf *b, const struct tt_played *p)
{
    tt_buf_str(b, "  \"residuals\": {\n    ");
    couplings(b, p->run);
    energy(b, p->run);
    error(b, p->run);
    iteration(b, p->run);
    crossings(b, p->run);
    quanta(b, p->run);
    predicted(b, p->run);
    lateness(b, p);
    tt_buf_str(b, "\n  },\n");
}
