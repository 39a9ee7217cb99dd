/* SPDX-License-Identifier: MIT */
/* A scenario as a project of MasterSim. */
#include <math.h>
#include <string.h>

#include "formats/flat.h"
#include "formats/msim_impl.h"

struct out {
    struct tt_flat f;
    struct tt_buf b;
    double abstol, reltol; /* MasterSim has one of each, for all */
    int has_tolerances;    /* ... which something uses by now */
};

static void put_time(struct tt_buf *b, const char *name, double seconds)
{
    tt_buf_fmt(b, "%s ", name);
    tt_buf_num(b, seconds);
    tt_buf_str(b, " s\n");
}

static void put_tolerance(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, "%s ", name);
    tt_buf_num(b, v);
    tt_buf_char(b, '\n');
}

static void use_tolerances(struct out *o, struct tt_where w, const char *of,
                           double abstol, double reltol)
{
    if (o->has_tolerances && (abstol != o->abstol || reltol != o->reltol)) {
        tt_format_lost(o->f.t, o->f.s, w,
                       "MasterSim has one absolute and one relative tolerance "
                       "for all, and %s has others",
                       of);
        return;
    }
    o->has_tolerances = 1;
    o->abstol = abstol;
    o->reltol = reltol;
}

/* --- the master ----------------------------------------------------------- */

/* MasterSim repeats steps of Gauss-Seidel, or by Newton. */
static int is_repeated(const tt_scenario *s)
{
    const struct tt_sc_iteration *i = &s->iteration;
    enum tt_sc_unconverged then = s->algorithm == TT_ALG_VARIABLE
                                      ? TT_UNCONVERGED_REDUCE
                                      : TT_UNCONVERGED_STOP;

    return i->converged && !i->loops_only && !i->at_start &&
           i->unconverged == then && i->max > 1 &&
           (s->master == TT_MASTER_GAUSS_SEIDEL ? i->accel == TT_ACCEL_NONE
                                                : i->accel == TT_ACCEL_NEWTON);
}

static void put_master(struct out *o)
{
    const tt_scenario *s = o->f.s;
    int repeated = is_repeated(s), seidel = s->master == TT_MASTER_GAUSS_SEIDEL;

    tt_flat_covers(&o->f, "master");
    tt_flat_covers(&o->f, "order");
    if (repeated) {
        tt_flat_covers(&o->f, "iterate");
        tt_flat_covers(&o->f, "iteration");
        tt_flat_covers(&o->f, "acceleration");
        use_tolerances(o, TT_SC_NOWHERE, "the iteration", s->iteration.abstol,
                       s->iteration.reltol);
    }
    tt_buf_fmt(&o->b, "MasterMode %s\n",
               seidel     ? "GAUSS_SEIDEL"
               : repeated ? "NEWTON"
                          : "GAUSS_JACOBI");
    tt_buf_fmt(&o->b, "maxIterations %u\n",
               repeated ? (unsigned)s->iteration.max : 1u);
    if (seidel && !s->n_order)
        tt_format_lost(o->f.t, s, TT_SC_NOWHERE,
                       "MasterSim steps in the order of lines, and not in one "
                       "that follows from the connections");
}

/* --- steps ---------------------------------------------------------------- */

static int is_doubling(const struct tt_sc_constraint *c)
{
    return c->kind == TT_CONSTRAINT_ERROR && c->method == TT_ERROR_RICHARDSON &&
           !c->n_port && c->unit_time == 0;
}

static void put_control(struct out *o)
{
    const tt_scenario *s = o->f.s;
    int doubles = 0;

    for (uint32_t i = 0; i < s->n_constraint; i++) {
        const struct tt_sc_constraint *c = &s->constraint[i];

        if (is_doubling(c) && !doubles++)
            use_tolerances(o, c->where, "error control", c->abstol, c->reltol);
        else
            tt_format_lost(o->f.t, s, c->where,
                           "MasterSim has no word for the constraint '%s'",
                           c->name);
    }
    tt_buf_fmt(&o->b, "ErrorControlMode %s\n",
               doubles ? "STEP_DOUBLING" : "NONE");
}

static void put_steps(struct out *o)
{
    const tt_scenario *s = o->f.s;
    int varies = s->algorithm == TT_ALG_VARIABLE;

    tt_flat_covers(&o->f, "algorithm");
    if (varies) {
        put_time(&o->b, "hMin", s->step_min);
        put_time(&o->b, "hMax", s->step_max);
    }
    put_time(&o->b, "hStart", varies ? s->step_init : tt_flat_step(&o->f));
    tt_buf_fmt(&o->b, "adjustStepSize %s\n", varies ? "yes" : "no");
    put_control(o);
}

static void put_times(struct out *o)
{
    const tt_scenario *s = o->f.s;

    tt_flat_covers(&o->f, "startTime");
    tt_flat_covers(&o->f, "sampleInterval");
    put_time(&o->b, "tStart", isnan(s->start) ? 0 : s->start);
    if (isfinite(s->end)) {
        tt_flat_covers(&o->f, "endTime");
        put_time(&o->b, "tEnd", s->end);
    } else {
        tt_format_lost(o->f.t, s, s->end_where,
                       "MasterSim needs an end: it is a year");
    }
    put_time(&o->b, "hOutputMin", isnan(s->sample) ? 0 : s->sample);
}

/* What FMUs are given is what all is measured by. */
static void put_tolerances(struct out *o)
{
    const tt_scenario *s = o->f.s;

    tt_flat_covers(&o->f, "tolerance");
    if (!o->has_tolerances) {
        o->abstol = 1e-6;
        o->reltol = isnan(s->tolerance) ? 1e-5 : s->tolerance;
    } else if (!isnan(s->tolerance) && s->tolerance != o->reltol) {
        tt_format_lost(o->f.t, s, TT_SC_NOWHERE,
                       "MasterSim gives FMUs its relative tolerance, and not "
                       "'tolerance'");
    }
    if (isnan(s->tolerance))
        tt_format_lost(o->f.t, s, TT_SC_NOWHERE,
                       "MasterSim gives FMUs its relative tolerance; here they "
                       "are given none");
    put_tolerance(&o->b, "absTol", o->abstol);
    put_tolerance(&o->b, "relTol", o->reltol);
}

/* --- the structure -------------------------------------------------------- */

static void put_quoted(struct tt_buf *b, const char *text)
{
    tt_buf_fmt(b, strpbrk(text, " \t#") ? "\"%s\"" : "%s", text);
}

static void put_simulator(struct out *o, uint32_t unit, uint32_t cycle,
                          unsigned *n)
{
    if (!o->f.name[unit])
        return;
    tt_buf_fmt(&o->b, "simulator %u %u ", (*n)++, (unsigned)cycle);
    put_quoted(&o->b, o->f.name[unit]);
    tt_buf_fmt(&o->b, " #808080 \"%s\"\n", o->f.source[o->f.s->unit[unit].fmu]);
}

/* Those of a cycle are repeated together, in the order of lines. Where nothing
 * is repeated each has a cycle of its own, and lines are as instances are. */
static enum tt_code put_simulators(struct out *o)
{
    const tt_scenario *s = o->f.s;
    uint32_t *cycle =
        tt_arena_alloc(o->f.beside.arena, s->n_unit, sizeof(*cycle));
    int together = is_repeated(s);
    unsigned n = 0;

    if (!cycle)
        return tt_nomem(o->f.err, o->f.t->path);
    for (uint32_t i = 0; i < s->n_order; i++) {
        cycle[s->order[i]] = i + 1;
        if (together)
            put_simulator(o, s->order[i], 0, &n);
    }
    for (uint32_t i = 0; i < s->n_unit; i++)
        if (!together || !cycle[i])
            put_simulator(o, i, cycle[i], &n);
    return TT_OK;
}

static void put_ref(struct out *o, const struct tt_sc_ref *r)
{
    struct tt_buf t;

    tt_buf_init(&t, (size_t)1 << 20);
    tt_buf_fmt(&t, "%s.%s", o->f.name[r->unit], r->variable);
    tt_buf_char(&o->b, ' ');
    put_quoted(&o->b, t.failed ? "" : t.data);
    o->b.failed |= t.failed;
    tt_buf_fini(&t);
}

static void put_graph(struct out *o)
{
    const tt_scenario *s = o->f.s;

    for (uint32_t i = 0; i < s->n_connection; i++) {
        const struct tt_sc_connection *c = &s->connection[i];

        if (!tt_flat_connects(&o->f, c))
            continue;
        tt_buf_str(&o->b, "graph");
        put_ref(o, &c->from);
        put_ref(o, &c->to);
        if (c->by && (c->by->factor != 1 || c->by->offset != 0)) {
            tt_buf_char(&o->b, ' ');
            tt_buf_num(&o->b, c->by->offset);
            tt_buf_char(&o->b, ' ');
            tt_buf_num(&o->b, c->by->factor);
        }
        tt_buf_char(&o->b, '\n');
    }
}

/* With two for each backslash, and "\n" for a line's end. */
static void put_escaped(struct tt_buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || *text == '\n')
            tt_buf_char(b, '\\');
        tt_buf_char(b, *text == '\n' ? 'n' : *text);
    }
}

static void put_parameters(struct out *o)
{
    const tt_scenario *s = o->f.s;
    struct tt_buf value;

    tt_buf_init(&value, TT_DOC_MAX);
    for (uint32_t i = 0; i < s->n_parameter; i++) {
        const struct tt_sc_parameter *p = &s->parameter[i];
        struct tt_sc_value v;

        if (!tt_flat_gives(&o->f, p))
            continue;
        v = tt_flat_value(&o->f, p);
        tt_buf_clear(&value);
        tt_flat_put_value(&value, &v);
        tt_buf_str(&o->b, "parameter");
        put_ref(o, &p->ref);
        tt_buf_char(&o->b, ' ');
        put_escaped(&o->b, value.len ? value.data : "\"\"");
        tt_buf_char(&o->b, '\n');
    }
    tt_buf_fini(&value);
}

static int records_all(const tt_scenario *s)
{
    return s->n_record == 1 && strcmp(s->record[0], "all") == 0;
}

static enum tt_code put_all(struct out *o)
{
    enum tt_code rc;

    put_times(o);
    put_master(o);
    put_steps(o);
    put_tolerances(o);
    tt_buf_str(&o->b, "preventOversteppingOfEndTime yes\n");
    if (records_all(o->f.s)) {
        tt_flat_covers(&o->f, "record");
        tt_buf_str(&o->b, "writeInternalVariables yes\n");
    }
    tt_buf_char(&o->b, '\n');
    rc = put_simulators(o);
    tt_buf_char(&o->b, '\n');
    put_graph(o);
    tt_buf_char(&o->b, '\n');
    put_parameters(o);
    return rc == TT_OK ? tt_flat_rest(&o->f) : rc;
}

enum tt_code msim_write(const tt_scenario *s, struct tt_format_target *t,
                        tt_err *err)
{
    struct out o;
    enum tt_code rc = tt_flat_begin(&o.f, s, t, "MasterSim", err);

    o.has_tolerances = 0;
    tt_buf_init(&o.b, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = put_all(&o);
    return tt_flat_end(&o.f, &o.b, rc);
}
