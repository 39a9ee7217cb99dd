/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <string.h>

/* The fields in the order in which they are read: what creates names comes
 * before what refers to them. */
const struct tt_sc_field tt_sc_fields[] = {
    {"", "dialect", tt_sc_read_dialect}, /* how others are read */
    {"", "fmus", tt_sc_read_fmus},
    {"", "instances", tt_sc_read_instances},
    {"", "connections", tt_sc_read_connections},
    {"", "transformations", tt_sc_read_transformations},
    {"", "terminals", tt_sc_read_terminals},
    {"", "ports", tt_sc_read_outside},
    {"", "logVariables", tt_sc_read_log},
    {"", "livestream", tt_sc_read_live},
    {"", "algorithm", tt_sc_read_algorithm},
    {"", "powerBonds", tt_sc_read_bonds},
    {"", "events", tt_sc_read_events},
    {"", "parameters", tt_sc_read_parameters},
    {"", "environmentParameters", tt_sc_read_environment},
    {"", "script", tt_sc_read_script}, /* stands on connections */
    {"", "modelSwaps", tt_sc_read_swaps},
    {"", "faultInjectConfigurationPath", tt_sc_read_fault_path},
    {"", "faultInjectInstances", tt_sc_read_faults}, /* in that file */
    {"", "expect", tt_sc_read_expect},
    {"", "hints", tt_sc_read_hints}, /* behind these */
    {"", "logLevels", tt_sc_read_levels},

    {"", "startTime", tt_sc_read_start},
    {"", "endTime", tt_sc_read_end},
    {"", "tolerance", tt_sc_read_positive},
    {"", "global_absolute_tolerance", tt_sc_read_not_negative},
    {"", "global_relative_tolerance", tt_sc_read_not_negative},
    {"", "convergenceAttempts", tt_sc_read_attempts},
    {"", "sampleInterval", tt_sc_read_positive},
    {"", "livestreamInterval", tt_sc_read_not_negative},
    {"", "liveLogInterval", tt_sc_read_not_negative}, /* wins over the above */

    {"", "policies", tt_sc_read_policies},
    {"", "switching", tt_sc_read_switching},
    {"", "master", tt_sc_read_master},
    {"", "sequence", tt_sc_read_sequence}, /* before order: it uses its room */
    {"", "allowed", tt_sc_read_allowed},
    {"", "order", tt_sc_read_order},
    {"", "score", tt_sc_read_score},
    {"", "approximation", tt_sc_read_approx},
    {"", "substeps", tt_sc_read_substeps},
    {"", "rollback", tt_sc_read_flag},
    {"", "start", tt_sc_read_start_of_steps},
    {"", "stabalizationEnabled", tt_sc_read_stabilise}, /* Maestro's spelling */
    {"", "iterate", tt_sc_read_iterate}, /* wins over the above */
    {"", "acceleration", tt_sc_read_accel},
    {"", "iteration", tt_sc_read_iteration},
    {"", "evaluates", tt_sc_read_evaluates},
    {"", "rates", tt_sc_read_rates},
    {"", "quanta", tt_sc_read_quanta},
    {"", "consistentStart", tt_sc_read_consistent},
    {"", "scenarioVerifier", tt_sc_read_sigver}, /* sigver's older name */
    {"", "sigver", tt_sc_read_sigver},
    {"", "reactivity", tt_sc_read_reactivity}, /* wins over the above */
    {"", "record", tt_sc_read_record},
    {"", "recordIntermediate", tt_sc_read_flag},
    {"", "csv", tt_sc_read_csv},

    {"", "visible", tt_sc_read_flag},
    {"", "loggingOn", tt_sc_read_flag},
    {"", "overrideLogLevel", tt_sc_read_log_level},
    {"", "parallelSimulation", tt_sc_read_flag},
    {"", "threads", tt_sc_read_threads}, /* wins over the above */
    {"", "isolate", tt_sc_read_isolate},
    {"", "deadline", tt_sc_read_positive},
    {"", "noStopTime", tt_sc_read_no_stop},
    {"", "hosts", tt_sc_read_hosts},
    {"", "interface", tt_sc_read_interface},
    {"", "integrator", tt_sc_read_integrator},
    {"", "adapt", tt_sc_read_adapt},
    {"", "clocks", tt_sc_read_clocks},
    {"", "together", tt_sc_read_together}, /* wins over interface */
    {"", "tokenFile", tt_sc_read_token_file},
    {"", "tlsCa", tt_sc_read_tls_ca},
    {"", "simulationProgramDelay", tt_sc_read_delay},
    {"", "realTime", tt_sc_read_real_time}, /* wins over the above */
    {"", "diagram", tt_sc_read_diagram},
    {"", "annotations", tt_sc_read_annotations},
    {"", "origin", tt_sc_read_origin},

    {"", "hasExternalSignals", tt_sc_read_external},
    {"", "externalSpecs", tt_sc_refuse_any},
    {"", "modelTransfers", tt_sc_refuse_any},

    /* Notes of editors and graphical tools: known, and of no effect. */
    {"", "$schema", NULL},
    {"", "reportProgress", NULL},
    {"", "multimodel_path", NULL},
    {"", "multimodel_crc", NULL},
    {"", "liveGraphColumns", NULL},
    {"", "liveGraphVisibleRowCount", NULL},
    {"", "graphs", NULL},
    {"", "postProcessingScript", NULL},
    {"", "enableAllLogCategoriesPerInstance", NULL},
    /* What 'tutti tune' found, beside the settings it chose. */
    {"", "best", NULL},
    {"", "tried", NULL},
    {"", "reasons", NULL},

    {"algorithm", "type", NULL},
    {"algorithm", "size", NULL},
    {"algorithm", "initsize", NULL},
    {"algorithm", "constraints", NULL},

    {"constraint", "type", NULL},
    {"constraint", "ports", NULL},
    {"constraint", "order", NULL},
    {"constraint", "abstol", NULL},
    {"constraint", "reltol", NULL},
    {"constraint", "safety", NULL},
    {"constraint", "skipDiscrete", NULL},
    {"constraint", "base", NULL},
    {"constraint", "rate", NULL},
    {"constraint", "startTime", NULL},
    {"constraint", "method", NULL},
    {"constraint", "correction", NULL},
    {"constraint", "shrink", NULL},
    {"constraint", "grid", NULL},
    {"constraint", "grow", NULL},
    {"constraint", "perUnitTime", NULL},

    {"policy", "name", NULL},
    {"policy", "step", NULL},
    {"policy", "master", NULL},
    {"policy", "order", NULL},
    {"policy", "rates", NULL},
    {"policy", "approximation", NULL},
    {"policy", "parameters", NULL},
    {"switching", "pattern", NULL},
    {"switching", "by", NULL},
    {"switching", "rule", NULL},

    {"expect", "name", NULL},
    {"expect", "range", NULL},
    {"expect", "min", NULL},
    {"expect", "max", NULL},
    {"expect", "always", NULL},
    {"expect", "never", NULL},
    {"expect", "eventually", NULL},
    {"expect", "final", NULL},
    {"expect", "settles", NULL},
    {"expect", "occurs", NULL},
    {"expect", "least", NULL},
    {"expect", "most", NULL},
    {"expect", "follows", NULL},
    {"expect", "when", NULL},
    {"expect", "stays", NULL},
    {"expect", "for", NULL},
    {"expect", "lasts", NULL},
    {"expect", "recurs", NULL},
    {"expect", "period", NULL},
    {"expect", "falls", NULL},
    {"expect", "rises", NULL},
    {"expect", "smooth", NULL},
    {"expect", "to", NULL},
    {"expect", "tolerance", NULL},
    {"expect", "after", NULL},
    {"expect", "before", NULL},
    {"expect", "until", NULL},
    {"expect", "within", NULL},
    {"expect", "fail", NULL},
    {"software", "name", NULL},
    {"software", "software", NULL},
    {"software", "rate", NULL},
    {"powerBondHint", "name", NULL},
    {"powerBondHint", "powerBond", NULL},

    {"sequence", "adapt", NULL},
    {"sequence", "pattern", NULL},
    {"sequence", "orders", NULL},
    {"sequence", "hold", NULL},
    {"sequence", "margin", NULL},

    {"powerBond", "a", NULL},
    {"powerBond", "b", NULL},
    {"powerBond", "energy", NULL},
    {"powerBond", "correction", NULL},

    {"powerBondSide", "input", NULL},
    {"powerBondSide", "output", NULL},

    {"ports", "inputs", NULL},
    {"ports", "outputs", NULL},
    {"ports", "parameters", NULL},

    {"csv", "dialect", NULL},

    {"iteration", "absoluteTolerance", NULL},
    {"iteration", "relativeTolerance", NULL},
    {"iteration", "relaxation", NULL},
    {"iteration", "maximum", NULL},
    {"iteration", "scope", NULL},
    {"iteration", "unconverged", NULL},

    {"realTime", "factor", NULL},
    {"realTime", "onOverrun", NULL},
    {"realTime", "tolerance", NULL},
    {"realTime", "budgets", NULL},

    {"transformation", "factor", NULL},
    {"transformation", "offset", NULL},
    {"transformation", "keepUnit", NULL},
    {"transformation", "map", NULL},

    {"parameter", "value", NULL},
    {"parameter", "unit", NULL},
    {"parameter", "factor", NULL},
    {"parameter", "offset", NULL},
    {"parameter", "keepUnit", NULL},
    {"parameter", "optional", NULL},

    {"quantity", "name", NULL},
    {"quantity", "kg", NULL},
    {"quantity", "m", NULL},
    {"quantity", "s", NULL},
    {"quantity", "A", NULL},
    {"quantity", "K", NULL},
    {"quantity", "mol", NULL},
    {"quantity", "cd", NULL},
    {"quantity", "rad", NULL},
    {"quantity", "factor", NULL},
    {"quantity", "offset", NULL},

    {"clock", "interval", NULL},
    {"clock", "shift", NULL},

    {"events", "locate", NULL},
    {"events", "zeno", NULL},
    {"events", "select", NULL},
    {"events", "ties", NULL},
    {"events", "confluence", NULL},
    {"events", "limit", NULL},
    {"events", "map", NULL},
    {"events", "hold", NULL},
    {"events", "quantize", NULL},
    {"events", "sample", NULL},
    {"events", "delay", NULL},
    {"events", "dead-time", NULL},

    {"hold", "to", NULL},
    {"hold", "start", NULL},
    {"hold", "name", NULL},

    {"quantize", "to", NULL},
    {"quantize", "step", NULL},
    {"quantize", "hysteresis", NULL},
    {"quantize", "tolerance", NULL},
    {"quantize", "name", NULL},

    {"sample", "to", NULL},
    {"sample", "period", NULL},
    {"sample", "delay", NULL},
    {"sample", "jitter", NULL},
    {"sample", "seed", NULL},
    {"sample", "name", NULL},

    {"delay", "to", NULL},
    {"delay", "time", NULL},
    {"delay", "name", NULL},

    {"dead-time", "to", NULL},
    {"dead-time", "time", NULL},
    {"dead-time", "name", NULL},

    {"locate", "name", NULL},
    {"locate", "when", NULL},
    {"locate", "direction", NULL},
    {"locate", "tolerance", NULL},
    {"locate", "emit", NULL},
    {"locate", "rest", NULL},

    {"script", "name", NULL},
    {"script", "at", NULL},
    {"script", "when", NULL},
    {"script", "repeat", NULL},
    {"script", "do", NULL},

    {"modelSwap", "swapInstance", NULL},
    {"modelSwap", "stepCondition", NULL},
    {"modelSwap", "swapCondition", NULL},
    {"modelSwap", "swapConnections", NULL},

    {"do", "set", NULL},
    {"do", "override", NULL},
    {"do", "bias", NULL},
    {"do", "until", NULL},
    {"do", "for", NULL},
    {"do", "release", NULL},
    {"do", "connect", NULL},
    {"do", "disconnect", NULL},
    {"do", "switch", NULL},
    {"do", "carry", NULL},
    {"do", "rename", NULL},
    {"do", "stop", NULL},
    {"do", "because", NULL},

    {"integrator", "method", NULL},
    {"integrator", "tolerance", NULL},
    {"integrator", "step", NULL},

    {"sigver", "reactivity", NULL},
    {"sigver", "verification", NULL},
    {"sigver", "traceVisualization", NULL},
};
const size_t tt_sc_n_fields = sizeof(tt_sc_fields) / sizeof(*tt_sc_fields);

static const char *field_name(const void *ctx, size_t i)
{
    return ((const struct tt_sc_field *)ctx)[i].name;
}

/* The fields of an object, which stand together. */
static const struct tt_sc_field *fields_of(const char *object, size_t *n)
{
    const struct tt_sc_field *f = tt_sc_fields;

    while (strcmp(f->object, object) != 0)
        f++;
    for (*n = 0; f + *n < tt_sc_fields + tt_sc_n_fields &&
                 strcmp(f[*n].object, object) == 0;)
        ++*n;
    return f;
}

/* What is nearly a known field was meant to be one, and would be missing. */
static enum tt_code check_member(struct tt_sc_build *b, const struct tt_doc *m,
                                 const char *object)
{
    size_t n, k = 0;
    const struct tt_sc_field *f = fields_of(object, &n);
    struct tt_sc_hint hint;

    while (k < n && strcmp(f[k].name, m->key) != 0)
        k++;
    if (k < n)
        return TT_OK;
    hint = tt_sc_hint(m->key, n, field_name, f);
    if (hint.s[0])
        return tt_sc_fail(b, m->key_where, TT_EINPUT, "unknown field '%s'%s",
                          m->key, hint.s);
    if (tt_sc_may_warn(b, TT_SC_WARN_FIELD))
        tt_sc_warn(b, m->key_where, NULL, "unknown field '%s' is ignored",
                   m->key);
    return TT_OK;
}

enum tt_code tt_sc_check_members(struct tt_sc_build *b, const struct tt_doc *v,
                                 const char *object)
{
    enum tt_code rc = tt_sc_object(b, v);

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = check_member(b, &v->u.child[i], object);
    return rc;
}

/* null stands for a field that is not given, but is a value of its own for
 * endTime. */
static enum tt_code read_field(struct tt_sc_build *b,
                               const struct tt_sc_field *f,
                               const struct tt_doc *v)
{
    if (!f->read || (tt_sc_is_null(v) && f->read != tt_sc_read_end))
        return TT_OK;
    return f->read(b, v);
}

/* So that a scenario of another format can be written as ours. */
static void keep_given(struct tt_sc_build *b, const struct tt_doc *v)
{
    if (b->given.len)
        tt_buf_str(&b->given, ",");
    tt_buf_json(&b->given, v->key);
    tt_buf_str(&b->given, ":");
    tt_doc_print(&b->given, v);
}

enum tt_code tt_sc_read(tt_sc_build *b, const struct tt_doc *v)
{
    size_t n, i = 0;
    const struct tt_sc_field *f = fields_of("", &n);
    enum tt_code rc = check_member(b, v, "");

    while (i < n && strcmp(f[i].name, v->key) != 0)
        i++;
    if (rc == TT_OK && i < n && f[i].read == tt_sc_read_events)
        rc = tt_sc_add_locators(b, v);
    if (rc == TT_OK)
        keep_given(b, v);
    return rc == TT_OK && i < n ? read_field(b, &f[i], v) : rc;
}

enum tt_code tt_sc_read_all(struct tt_sc_build *b, const struct tt_doc *root)
{
    const struct tt_doc *fmus;
    size_t n;
    const struct tt_sc_field *f = fields_of("", &n);
    enum tt_code rc = tt_sc_object(b, root);

    if (rc != TT_OK)
        return rc;
    for (uint32_t i = 0; i < root->n; i++) {
        enum tt_code one = check_member(b, &root->u.child[i], "");

        rc = one == TT_OK ? rc : one;
        if (!tt_sc_pass(b, one, NULL))
            return one;
    }
    fmus = tt_sc_member(root, "fmus");
    if (!fmus)
        return tt_sc_fail(b, root->where, TT_EINPUT,
                          "the scenario lacks 'fmus'");
    for (; n > 0; n--, f++) {
        const struct tt_doc *v = tt_doc_find(root, f->name);
        enum tt_code one = v ? read_field(b, f, v) : TT_OK;

        if (one == TT_OK && f->read == tt_sc_read_fmus)
            one = tt_sc_add_locators(b, tt_doc_find(root, "events"));
        if (one == TT_OK)
            continue;
        rc = one;
        /* Without names nothing that refers to them can be judged. */
        if (f->read == tt_sc_read_fmus || f->read == tt_sc_read_instances ||
            !tt_sc_pass(b, rc, NULL))
            return rc;
    }
    return rc; /* a field half read is no scenario */
}
