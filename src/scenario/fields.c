/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"
#include "base/names.h"

#include <string.h>

/* The fields in the order in which they are read: what creates names comes
 * before what refers to them. */
const struct tt_sc_field tt_sc_fields[] = {
    {"dialect", tt_sc_read_dialect}, /* how others are read */
    {"fmus", tt_sc_read_fmus},
    {"instances", tt_sc_read_instances},
    {"connections", tt_sc_read_connections},
    {"transformations", tt_sc_read_transformations},
    {"terminals", tt_sc_read_terminals},
    {"ports", tt_sc_read_outside},
    {"logVariables", tt_sc_read_log},
    {"livestream", tt_sc_read_live},
    {"algorithm", tt_sc_read_algorithm},
    {"powerBonds", tt_sc_read_bonds},
    {"events", tt_sc_read_events},
    {"parameters", tt_sc_read_parameters},
    {"environmentParameters", tt_sc_read_environment},
    {"script", tt_sc_read_script}, /* stands on connections */
    {"modelSwaps", tt_sc_read_swaps},
    {"faultInjectConfigurationPath", tt_sc_read_fault_path},
    {"faultInjectInstances", tt_sc_read_faults}, /* in that file */
    {"expect", tt_sc_read_expect},
    {"hints", tt_sc_read_hints}, /* behind these */
    {"logLevels", tt_sc_read_levels},

    {"startTime", tt_sc_read_start},
    {"endTime", tt_sc_read_end},
    {"tolerance", tt_sc_read_positive},
    {"global_absolute_tolerance", tt_sc_read_not_negative},
    {"global_relative_tolerance", tt_sc_read_not_negative},
    {"convergenceAttempts", tt_sc_read_attempts},
    {"sampleInterval", tt_sc_read_positive},
    {"livestreamInterval", tt_sc_read_not_negative},
    {"liveLogInterval", tt_sc_read_not_negative}, /* wins over the above */

    {"policies", tt_sc_read_policies},
    {"switching", tt_sc_read_switching},
    {"master", tt_sc_read_master},
    {"sequence", tt_sc_read_sequence}, /* before order: it uses its room */
    {"allowed", tt_sc_read_allowed},
    {"order", tt_sc_read_order},
    {"score", tt_sc_read_score},
    {"approximation", tt_sc_read_approx},
    {"substeps", tt_sc_read_substeps},
    {"rollback", tt_sc_read_flag},
    {"start", tt_sc_read_start_of_steps},
    {"stabalizationEnabled", tt_sc_read_stabilise}, /* Maestro's spelling */
    {"iterate", tt_sc_read_iterate},                /* wins over the above */
    {"acceleration", tt_sc_read_accel},
    {"iteration", tt_sc_read_iteration},
    {"evaluates", tt_sc_read_evaluates},
    {"rates", tt_sc_read_rates},
    {"quanta", tt_sc_read_quanta},
    {"consistentStart", tt_sc_read_consistent},
    {"scenarioVerifier", tt_sc_read_sigver}, /* sigver's older name */
    {"sigver", tt_sc_read_sigver},
    {"reactivity", tt_sc_read_reactivity}, /* wins over the above */
    {"record", tt_sc_read_record},
    {"recordIntermediate", tt_sc_read_flag},
    {"csv", tt_sc_read_csv},

    {"visible", tt_sc_read_flag},
    {"loggingOn", tt_sc_read_flag},
    {"overrideLogLevel", tt_sc_read_log_level},
    {"parallelSimulation", tt_sc_read_flag},
    {"threads", tt_sc_read_threads}, /* wins over the above */
    {"isolate", tt_sc_read_isolate},
    {"deadline", tt_sc_read_positive},
    {"late", tt_sc_read_late},
    {"noStopTime", tt_sc_read_no_stop},
    {"hosts", tt_sc_read_hosts},
    {"interface", tt_sc_read_interface},
    {"integrator", tt_sc_read_integrator},
    {"adapt", tt_sc_read_adapt},
    {"clocks", tt_sc_read_clocks},
    {"together", tt_sc_read_together}, /* wins over interface */
    {"tokenFile", tt_sc_read_token_file},
    {"tlsCa", tt_sc_read_tls_ca},
    {"simulationProgramDelay", tt_sc_read_delay},
    {"realTime", tt_sc_read_real_time}, /* wins over the above */
    {"diagram", tt_sc_read_diagram},
    {"annotations", tt_sc_read_annotations},
    {"origin", tt_sc_read_origin},

    {"hasExternalSignals", tt_sc_read_external},
    {"externalSpecs", tt_sc_refuse_any},
    {"modelTransfers", tt_sc_refuse_any},

    /* Notes of editors and graphical tools: known, and of no effect. */
    {"$schema", NULL},
    {"reportProgress", NULL},
    {"multimodel_path", NULL},
    {"multimodel_crc", NULL},
    {"liveGraphColumns", NULL},
    {"liveGraphVisibleRowCount", NULL},
    {"graphs", NULL},
    {"postProcessingScript", NULL},
    {"enableAllLogCategoriesPerInstance", NULL},
    /* What 'tutti tune' found, beside the settings it chose. */
    {"best", NULL},
    {"tried", NULL},
    {"reasons", NULL},
};
const size_t tt_sc_n_fields = sizeof(tt_sc_fields) / sizeof(*tt_sc_fields);

#define WORDS(...)                                                             \
    (const char *const[])                                                      \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }

const struct tt_sc_members tt_sc_objects[] = {
    {"algorithm", WORDS("type", "size", "initsize", "constraints")},
    {"constraint",
     WORDS("type", "ports", "order", "abstol", "reltol", "safety",
           "skipDiscrete", "base", "rate", "startTime", "method", "correction",
           "shrink", "grid", "grow", "perUnitTime")},
    {"policy", WORDS("name", "step", "master", "order", "rates",
                     "approximation", "parameters")},
    {"switching", WORDS("pattern", "by", "rule")},
    {"expect",
     WORDS("name", "range", "min", "max", "always", "never", "eventually",
           "final", "settles", "occurs", "least", "most", "follows", "when",
           "stays", "for", "lasts", "recurs", "period", "falls", "rises",
           "smooth", "to", "tolerance", "after", "before", "until", "within",
           "fail")},
    {"software", WORDS("name", "software", "rate")},
    {"powerBondHint", WORDS("name", "powerBond")},
    {"sequence", WORDS("adapt", "pattern", "orders", "hold", "margin")},
    {"powerBond", WORDS("a", "b", "energy", "correction")},
    {"powerBondSide", WORDS("input", "output")},
    {"ports", WORDS("inputs", "outputs", "parameters")},
    {"csv", WORDS("dialect")},
    {"iteration", WORDS("absoluteTolerance", "relativeTolerance", "relaxation",
                        "maximum", "scope", "unconverged")},
    {"late", WORDS("after", "most")},
    {"realTime", WORDS("factor", "onOverrun", "tolerance", "budgets")},
    {"transformation", WORDS("factor", "offset", "keepUnit", "map")},
    {"parameter",
     WORDS("value", "unit", "factor", "offset", "keepUnit", "optional")},
    {"quantity", WORDS("name", "kg", "m", "s", "A", "K", "mol", "cd", "rad",
                       "factor", "offset")},
    {"clock", WORDS("interval", "shift")},
    {"events",
     WORDS("locate", "zeno", "select", "ties", "confluence", "limit", "map",
           "hold", "quantize", "sample", "delay", "dead-time")},
    {"hold", WORDS("to", "start", "name")},
    {"quantize", WORDS("to", "step", "hysteresis", "tolerance", "name")},
    {"sample", WORDS("to", "period", "delay", "jitter", "seed", "name")},
    {"delay", WORDS("to", "time", "name")},
    {"dead-time", WORDS("to", "time", "name")},
    {"locate", WORDS("name", "when", "direction", "tolerance", "emit", "rest")},
    {"script", WORDS("name", "at", "when", "repeat", "do")},
    {"modelSwap", WORDS("swapInstance", "stepCondition", "swapCondition",
                        "swapConnections")},
    {"do",
     WORDS("set", "override", "bias", "until", "for", "release", "connect",
           "disconnect", "switch", "carry", "rename", "stop", "because")},
    {"integrator", WORDS("method", "tolerance", "step")},
    {"sigver", WORDS("reactivity", "verification", "traceVisualization")},
};
const size_t tt_sc_n_objects = sizeof(tt_sc_objects) / sizeof(*tt_sc_objects);

static const char *field_name(const void *ctx, size_t i)
{
    (void)ctx;
    return tt_sc_fields[i].name;
}

/* One of n names? What is nearly a known field was meant to be one, and would
 * be missing. */
static enum tt_code check_name(struct tt_sc_build *b, const struct tt_doc *m,
                               size_t n, tt_name_fn get, const void *ctx)
{
    struct tt_sc_hint hint;

    for (size_t k = 0; k < n; k++)
        if (strcmp(get(ctx, k), m->key) == 0)
            return TT_OK;
    hint = tt_sc_hint(m->key, n, get, ctx);
    if (hint.s[0])
        return tt_sc_fail(b, m->key_where, TT_EINPUT, "unknown field '%s'%s",
                          m->key, hint.s);
    if (tt_sc_may_warn(b, TT_SC_WARN_FIELD))
        tt_sc_warn(b, m->key_where, NULL, "unknown field '%s' is ignored",
                   m->key);
    return TT_OK;
}

static enum tt_code check_field(struct tt_sc_build *b, const struct tt_doc *m)
{
    return check_name(b, m, tt_sc_n_fields, field_name, NULL);
}

enum tt_code tt_sc_check_members(struct tt_sc_build *b, const struct tt_doc *v,
                                 const char *object)
{
    enum tt_code rc = tt_sc_object(b, v);
    const struct tt_sc_members *o = tt_sc_objects;
    size_t n = 0;

    while (strcmp(o->object, object) != 0)
        o++;
    while (o->name[n])
        n++;
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = check_name(b, &v->u.child[i], n, tt_name_in, o->name);
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
    const struct tt_sc_field *f = tt_sc_fields;
    const struct tt_sc_field *const end = f + tt_sc_n_fields;
    enum tt_code rc = check_field(b, v);

    while (f < end && strcmp(f->name, v->key) != 0)
        f++;
    if (rc == TT_OK && f < end && f->read == tt_sc_read_events)
        rc = tt_sc_add_locators(b, v);
    if (rc == TT_OK)
        keep_given(b, v);
    return rc == TT_OK && f < end ? read_field(b, f, v) : rc;
}

enum tt_code tt_sc_read_all(struct tt_sc_build *b, const struct tt_doc *root)
{
    const struct tt_doc *fmus;
    enum tt_code rc = tt_sc_object(b, root);

    if (rc != TT_OK)
        return rc;
    for (uint32_t i = 0; i < root->n; i++) {
        enum tt_code one = check_field(b, &root->u.child[i]);

        rc = one == TT_OK ? rc : one;
        if (!tt_sc_pass(b, one, NULL))
            return one;
    }
    fmus = tt_sc_member(root, "fmus");
    if (!fmus)
        return tt_sc_fail(b, root->where, TT_EINPUT,
                          "the scenario lacks 'fmus'");
    for (size_t i = 0; i < tt_sc_n_fields; i++) {
        const struct tt_sc_field *f = &tt_sc_fields[i];
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
