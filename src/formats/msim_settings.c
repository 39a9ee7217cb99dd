/* SPDX-License-Identifier: MIT */
/* How a project of MasterSim is simulated, and what that is here. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "formats/msim_impl.h"

/* --- lines ------------------------------------------------------------------
 */

static int time_of(const char *name)
{
    static const char *const known[MSIM_TIMES] = {
        "tStart", "tEnd",           "hMin",      "hMax",
        "hStart", "hFallBackLimit", "hOutputMin"};

    for (int i = 0; i < MSIM_TIMES; i++)
        if (strcmp(name, known[i]) == 0)
            return i;
    return -1;
}

/* Seconds in a unit of time; 0: it is none. */
static double seconds(const char *unit)
{
    static const struct {
        const char *name;
        double s;
    } known[] = {{"ms", 1e-3}, {"s", 1},     {"sec", 1},     {"min", 60},
                 {"h", 3600},  {"d", 86400}, {"a", 31536000}};

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(unit, known[i].name) == 0)
            return known[i].s;
    return 0;
}

static enum tt_code set_time(struct msim *m, const struct msim_line *l, int i)
{
    double value = 0, unit = l->n == 3 ? seconds(l->word[2]) : 0;

    if (l->n != 3 || tt_num_parse(l->word[1], &value) != 0 || unit == 0 ||
        !isfinite(value))
        return tt_sc_fail(m->s.b, l->where, TT_EINPUT,
                          "'%s' is not a number and a unit of time: ms, s, "
                          "min, h, d or a",
                          l->rest);
    m->time[i] = unit == 1e-3 ? value / 1000 : value * unit;
    m->time_at[i] = l->where;
    return TT_OK;
}

/* Which of the list, that ends with NULL; names: those for the message. */
static enum tt_code choice(struct msim *m, const struct msim_line *l,
                           const char *const *list, const char *what,
                           const char *names, int *out)
{
    for (*out = 0; list[*out]; ++*out)
        if (strcmp(l->rest, list[*out]) == 0)
            return TT_OK;
    return tt_sc_fail(m->s.b, l->where, TT_EINPUT, "%s is '%s', and not %s",
                      what, l->rest, names);
}

static enum tt_code set_master(struct msim *m, const struct msim_line *l)
{
    static const char *const known[] = {"GAUSS_JACOBI", "GAUSS_SEIDEL",
                                        "NEWTON", NULL};
    int i;
    enum tt_code rc = choice(m, l, known, "the master",
                             "GAUSS_JACOBI, GAUSS_SEIDEL or NEWTON", &i);

    m->master = (enum msim_master)i;
    m->master_at = l->where;
    return rc;
}

static enum tt_code set_control(struct msim *m, const struct msim_line *l)
{
    static const char *const known[] = {"NONE", "CHECK", "STEP_DOUBLING",
                                        "ADAPT_STEP", NULL};
    int i;
    enum tt_code rc = choice(m, l, known, "the error control",
                             "NONE, CHECK or STEP_DOUBLING", &i);

    m->control = i > MSIM_DOUBLING ? MSIM_DOUBLING : (enum msim_control)i;
    m->control_at = l->where;
    return rc;
}

static enum tt_code set_number(struct msim *m, const struct msim_line *l,
                               double *out)
{
    if (tt_num_parse(l->rest, out) == 0 && *out >= 0 && isfinite(*out))
        return TT_OK;
    return tt_sc_fail(m->s.b, l->where, TT_EINPUT,
                      "'%s' is '%s', not a number of at least 0", l->word[0],
                      l->rest);
}

static int is_yes(const char *word)
{
    return strcmp(word, "yes") == 0 || strcmp(word, "true") == 0 ||
           strcmp(word, "1") == 0;
}

static enum tt_code set_turns(struct msim *m, const struct msim_line *l)
{
    double turns = 0;
    enum tt_code rc = set_number(m, l, &turns);

    if (rc == TT_OK && (turns < 1 || turns > 1e6 || turns != floor(turns)))
        return tt_sc_fail(m->s.b, l->where, TT_EINPUT,
                          "'maxIterations' is '%s', not a whole number from 1 "
                          "to 1000000",
                          l->rest);
    m->turns = rc == TT_OK ? (uint32_t)turns : 1;
    return rc;
}

enum tt_code msim_setting(struct msim *m, const struct msim_line *l)
{
    const char *name = l->word[0];
    int i = time_of(name);

    if (i >= 0)
        return set_time(m, l, i);
    if (strcmp(name, "MasterMode") == 0)
        return set_master(m, l);
    if (strcmp(name, "ErrorControlMode") == 0)
        return set_control(m, l);
    if (strcmp(name, "absTol") == 0)
        return set_number(m, l, &m->abstol);
    if (strcmp(name, "relTol") == 0)
        return set_number(m, l, &m->reltol);
    if (strcmp(name, "maxIterations") == 0)
        return set_turns(m, l);
    if (strcmp(name, "adjustStepSize") == 0)
        m->adjusts = is_yes(l->rest);
    else if (strcmp(name, "writeInternalVariables") == 0)
        m->all_variables = is_yes(l->rest);
    else if (strcmp(name, "outputTimeUnit") != 0 &&
             strcmp(name, "preventOversteppingOfEndTime") != 0 &&
             strcmp(name, "writeUnconnectedFileReaderVars") != 0 &&
             strcmp(name, "outputOnly") != 0)
        tt_sc_warn(m->s.b, l->where, NULL, "'%s' is not known and is left out",
                   name);
    return TT_OK;
}

/* --- what they mean ---------------------------------------------------------
 */

/* By cycle, then as they are written. */
static void put_order(const struct msim *m, struct tt_buf *b)
{
    uint32_t cycle = 0, next;

    tt_fields_key(b, "order");
    tt_buf_char(b, '[');
    for (;; cycle = next) {
        next = TT_NONE;
        for (size_t i = 0; i < m->n_slave; i++) {
            uint32_t c = m->slave[i].cycle;

            if (c > cycle && c < next)
                next = c;
            if (c != cycle || m->slave[i].is_table)
                continue;
            if (b->data && b->data[b->len - 1] != '[')
                tt_buf_char(b, ',');
            tt_buf_json(b, m->slave[i].unit);
        }
        if (next == TT_NONE)
            break;
    }
    tt_buf_char(b, ']');
}

static int has_cycles(const struct msim *m)
{
    for (size_t i = 1; i < m->n_slave; i++)
        if (m->slave[i].cycle != m->slave[0].cycle)
            return 1;
    return 0;
}

static void put_iteration(const struct msim *m, struct tt_buf *b)
{
    tt_fields_key(b, "iterate");
    tt_buf_str(b, "\"converged\"");
    if (m->master == MSIM_NEWTON) {
        tt_fields_key(b, "acceleration");
        tt_buf_str(b, "\"newton\"");
    }
    tt_fields_key(b, "iteration");
    tt_buf_char(b, '{');
    tt_fields_num(b, "absoluteTolerance", m->abstol);
    tt_fields_num(b, "relativeTolerance", m->reltol);
    tt_fields_num(b, "maximum", m->turns);
    tt_fields_key(b, "scope");
    tt_buf_str(b, has_cycles(m) ? "\"loops\"" : "\"all\"");
    tt_fields_key(b, "unconverged");
    tt_buf_str(b, m->adjusts ? "\"reduce\"" : "\"stop\"");
    tt_buf_char(b, '}');
}

static void put_master(const struct msim *m, struct tt_buf *b)
{
    tt_fields_key(b, "master");
    tt_buf_str(b, m->master == MSIM_SEIDEL ? "\"gauss-seidel\"" : "\"jacobi\"");
    if (m->master == MSIM_SEIDEL)
        put_order(m, b);
    if (m->turns > 1 && m->master != MSIM_JACOBI)
        put_iteration(m, b);
}

static void put_steps(const struct msim *m, struct tt_buf *b)
{
    tt_fields_key(b, "algorithm");
    tt_buf_str(b, "{\"type\":\"var-step\",\"size\":[");
    tt_buf_num(b, m->time[MSIM_LEAST]);
    tt_buf_char(b, ',');
    tt_buf_num(b, m->time[MSIM_MOST]);
    tt_buf_char(b, ']');
    tt_fields_num(b, "initsize", m->time[MSIM_FIRST]);
    if (m->control == MSIM_DOUBLING) {
        tt_buf_str(b, ",\"constraints\":{\"doubling\":{\"type\":\"error\","
                      "\"method\":\"richardson\",\"perUnitTime\":0");
        tt_fields_num(b, "abstol", m->abstol);
        tt_fields_num(b, "reltol", m->reltol);
        tt_buf_str(b, "}}");
    }
    tt_buf_char(b, '}');
}

static enum tt_code set_steps(struct msim *m, struct tt_buf *b)
{
    if (m->control == MSIM_DOUBLING && !m->adjusts)
        return tt_sc_fail(m->s.b, m->control_at, TT_EINPUT,
                          "STEP_DOUBLING needs 'adjustStepSize yes'");
    if (m->control == MSIM_CHECK)
        tt_sc_warn(m->s.b, m->control_at, NULL,
                   "the error is not checked without being controlled; "
                   "STEP_DOUBLING controls it");
    if (m->adjusts && m->control != MSIM_DOUBLING)
        tt_sc_warn(m->s.b, m->time_at[MSIM_MOST], NULL,
                   "without error control steps are as long as 'hMax' unless "
                   "they fail, and do not grow by 2 from 'hStart'");
    if (m->adjusts) {
        put_steps(m, b);
        return TT_OK;
    }
    return tt_sc_set_step(m->s.b, m->time[MSIM_FIRST], m->time_at[MSIM_FIRST]);
}

enum tt_code msim_apply(struct msim *m)
{
    struct tt_buf b;
    enum tt_code rc =
        tt_sc_set_start(m->s.b, m->time[MSIM_START], m->time_at[MSIM_START]);

    tt_buf_init(&b, TT_DOC_MAX);
    tt_buf_char(&b, '{');
    if (rc == TT_OK)
        rc = tt_sc_set_end(m->s.b, m->time[MSIM_END], m->time_at[MSIM_END]);
    tt_fields_num(&b, "tolerance", m->reltol);
    if (m->time[MSIM_OUTPUT] > 0)
        tt_fields_num(&b, "sampleInterval", m->time[MSIM_OUTPUT]);
    if (m->all_variables) {
        tt_fields_key(&b, "record");
        tt_buf_str(&b, "[\"all\"]");
    }
    put_master(m, &b);
    if (rc == TT_OK)
        rc = set_steps(m, &b);
    tt_buf_char(&b, '}');
    if (rc == TT_OK)
        rc = tt_fields_read(m->s.b, &b, m->master_at, NULL, m->s.arena,
                            m->s.err);
    tt_buf_fini(&b);
    return rc;
}
