/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* A command line's options over what the files stated. */

/* The next of "a,b": commas in braces, brackets or parentheses do not part.
 * Surrounding blanks are cut. NULL: no more, or out of memory. */
static const char *next_name(struct tt_sc_build *b, const char **rest)
{
    const char *begin = *rest, *end;
    int depth = 0;

    while (*begin == ' ')
        begin++;
    for (end = begin; *end && (depth > 0 || *end != ','); end++) {
        if (strchr("{[(", *end))
            depth++;
        else if (strchr("}])", *end) && depth > 0)
            depth--;
    }
    *rest = *end ? end + 1 : NULL;
    while (end > begin && end[-1] == ' ')
        end--;
    return tt_arena_strndup(b->s->arena, begin, (size_t)(end - begin));
}

/* All of "a,b" into the arena; empty names are an error. */
static enum tt_code split_list(struct tt_sc_build *b, const char *option,
                               const char *text, const char *const **out,
                               uint32_t *n)
{
    const char **name;
    const char *rest = text;
    size_t most = 1;

    for (const char *p = text; *p; p++)
        most += *p == ',';
    if (!TT_NEW_IN(b->s->arena, name, most))
        return tt_sc_no_memory(b);
    for (*n = 0; rest; (*n)++) {
        name[*n] = next_name(b, &rest);
        if (!name[*n])
            return tt_sc_no_memory(b);
        if (!*name[*n])
            return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                              "%s '%s' contains an empty name", option, text);
    }
    *out = name;
    return TT_OK;
}

static enum tt_code apply_order(struct tt_sc_build *b, const char *text)
{
    struct tt_sc_order_names names = {0};
    enum tt_code rc = split_list(b, "--order", text, &names.name, &names.n);

    return rc == TT_OK ? tt_sc_set_order(b, TT_SC_NOWHERE, &names) : rc;
}

/* "a=10,b=2" */
static enum tt_code apply_rates(struct tt_sc_build *b, const char *text)
{
    const char *const *name;
    uint32_t n;
    enum tt_code rc = split_list(b, "--rates", text, &name, &n);

    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        const char *equal = strrchr(name[i], '=');
        const char *unit = equal ? tt_arena_strndup(b->s->arena, name[i],
                                                    (size_t)(equal - name[i]))
                                 : NULL;
        uint32_t at = 0;
        int64_t rate = 1;

        if (!equal || tt_num_parse_i64(equal + 1, &rate) != 0)
            return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                              "--rates wants INSTANCE=N, not '%s'", name[i]);
        if (!unit)
            return tt_sc_no_memory(b);
        rc = tt_sc_get_unit(b, unit, TT_SC_NOWHERE, &at);
        if (rc == TT_OK)
            rc = tt_sc_set_rate(b, TT_SC_NOWHERE, at, rate);
    }
    return rc;
}

/* Several are one long list. */
static enum tt_code apply_record(struct tt_sc_build *b,
                                 const struct tt_sc_options *o)
{
    struct tt_buf all;
    const char *text;

    tt_buf_init(&all, TT_DOC_MAX);
    for (uint32_t i = 0; i < o->n_record; i++)
        tt_buf_fmt(&all, "%s%s", i ? "," : "", o->record[i]);
    text = all.failed ? NULL
                      : tt_arena_strdup(b->s->arena, all.data ? all.data : "");
    tt_buf_fini(&all);
    if (!text)
        return tt_sc_no_memory(b);
    return split_list(b, "--record", text, &b->s->record, &b->s->n_record);
}

static enum tt_code apply_word(struct tt_sc_build *b, const char *option,
                               const struct tt_sc_choice *from,
                               const char *text, uint32_t *out)
{
    struct tt_sc_choice c = *from;

    c.what = option;
    return tt_sc_choose(b, TT_SC_NOWHERE, &c, text, out);
}

/* For all units, whatever the file states. */
static enum tt_code apply_substeps(struct tt_sc_build *b, double n)
{
    for (size_t i = 0; i < b->n_unit; i++)
        b->unit[i].unit.substeps = -1;
    return tt_sc_set_substeps(b, TT_SC_NOWHERE, "--substeps", n,
                              &b->s->substeps);
}

static enum tt_code apply_words(struct tt_sc_build *b,
                                const struct tt_sc_options *o)
{
    uint32_t i = 0;
    enum tt_code rc = TT_OK;

    if (o->master) {
        rc = apply_word(b, "--master", &tt_sc_masters, o->master, &i);
        b->s->master = (enum tt_sc_master)i;
    }
    if (rc == TT_OK && o->approximation) {
        rc = apply_word(b, "--approximation", &tt_sc_approximations,
                        o->approximation, &i);
        b->s->approx = (enum tt_sc_approx)i;
        b->s->n_input_approx = 0; /* for all inputs, whatever the file states */
    }
    if (rc == TT_OK && !isnan(o->substeps))
        rc = apply_substeps(b, o->substeps);
    if (rc == TT_OK && o->iterate)
        rc = tt_sc_set_iterate(b, o->iterate);
    if (rc == TT_OK && o->acceleration) {
        rc = apply_word(b, "--acceleration", &tt_sc_accelerations,
                        o->acceleration, &i);
        b->s->iteration.accel = (enum tt_sc_accel)i;
    }
    if (rc == TT_OK && o->threads)
        rc = tt_sc_set_threads(b, o->threads);
    if (rc == TT_OK && o->interface)
        rc = tt_sc_set_interface(b, o->interface);
    if (rc == TT_OK && o->integrator)
        rc = tt_sc_set_integrator(b, o->integrator);
    if (rc == TT_OK && o->sequence) {
        rc = apply_word(b, "--sequence", &tt_sc_indicators, o->sequence, &i);
        b->s->sequence.adapt = (enum tt_sc_sequence_by)i;
        b->s->sequence.n_pattern = 0;
        if (!i && !tt_sc_switches(&b->s->switching))
            b->s->allowed = NULL; /* there is nothing left to obey it */
    }
    if (rc == TT_OK && o->order)
        rc = apply_order(b, o->order);
    if (rc == TT_OK && o->rates)
        rc = apply_rates(b, o->rates);
    if (rc == TT_OK && o->n_record)
        rc = apply_record(b, o);
    return rc;
}

/* NaN: not given. */
static enum tt_code apply_positive(struct tt_sc_build *b, const char *option,
                                   double v, double *to)
{
    char text[TT_NUM_MAX];

    if (isnan(v))
        return TT_OK;
    if (v > 0 && isfinite(v)) {
        *to = v;
        return TT_OK;
    }
    tt_num_print_short(text, v);
    return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                      "%s must be greater than 0 and finite, not %s", option,
                      text);
}

static enum tt_code apply_times(struct tt_sc_build *b,
                                const struct tt_sc_options *o)
{
    tt_scenario *s = b->s;

    enum tt_code rc = TT_OK;

    if (!isnan(o->start))
        rc = tt_sc_set_start(b, o->start, TT_SC_NOWHERE);
    if (rc == TT_OK && !isnan(o->end))
        rc = tt_sc_set_end(b, o->end, TT_SC_NOWHERE);
    if (rc != TT_OK)
        return rc;
    if (!isnan(o->step)) { /* a fixed step, whatever the files state */
        s->algorithm = TT_ALG_FIXED;
        s->step_where = TT_SC_NOWHERE;
    }
    return apply_positive(b, "--step", o->step, &s->step);
}

static enum tt_code apply_real_time(struct tt_sc_build *b,
                                    const struct tt_sc_options *o)
{
    struct tt_sc_real_time *p = &b->s->real_time;
    uint32_t overrun = 0;
    enum tt_code rc =
        apply_positive(b, "--real-time", o->real_time, &p->factor);

    if (rc != TT_OK || !o->overrun)
        return rc;
    rc = apply_word(b, "--overrun", &tt_sc_overruns, o->overrun, &overrun);
    p->overrun = (enum tt_sc_overrun)overrun;
    if (rc == TT_OK && !(p->factor > 0))
        return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                          "--overrun goes with --real-time, or with 'realTime' "
                          "in the scenario");
    return rc;
}

static enum tt_code apply_path(struct tt_sc_build *b, const char *path,
                               const char **to)
{
    if (!path)
        return TT_OK;
    *to = tt_arena_strdup(b->s->arena, path);
    return *to ? TT_OK : tt_sc_no_memory(b);
}

static enum tt_code apply_numbers(struct tt_sc_build *b,
                                  const struct tt_sc_options *o)
{
    enum tt_code rc = apply_positive(b, "--sample", o->sample, &b->s->sample);

    if (rc == TT_OK)
        rc = apply_positive(b, "--tolerance", o->tolerance, &b->s->tolerance);
    return rc == TT_OK
               ? apply_positive(b, "--deadline", o->deadline, &b->s->deadline)
               : rc;
}

static enum tt_code apply_paths(struct tt_sc_build *b,
                                const struct tt_sc_options *o)
{
    enum tt_code rc = apply_path(b, o->token_file, &b->s->token_file);

    return rc == TT_OK ? apply_path(b, o->tls_ca, &b->s->tls_ca) : rc;
}

enum tt_code tt_sc_apply_options(struct tt_sc_build *b,
                                 const struct tt_sc_options *o)
{
    static enum tt_code (*const apply[])(struct tt_sc_build * b,
                                         const struct tt_sc_options *o) = {
        apply_times,     apply_numbers, apply_paths,
        apply_real_time, apply_words,   tt_sc_set_error};
    enum tt_code rc = TT_OK;

    b->s->rollback |= o->rollback;
    b->s->intermediate |= o->intermediate;
    b->s->isolate |= o->isolate;
    if (o->no_together) {
        b->s->n_together = 0;
        b->s->apart = 1;
    }
    b->s->no_stop_time |= o->no_stop_time;
    for (size_t i = 0; rc == TT_OK && i < sizeof(apply) / sizeof(*apply); i++)
        rc = apply[i](b, o);
    for (uint32_t i = 0; rc == TT_OK && i < o->n_set; i++)
        rc = tt_sc_set(b, o->set[i]);
    return rc;
}
