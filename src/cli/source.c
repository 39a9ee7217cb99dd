/* SPDX-License-Identifier: MIT */
#include "cli/source.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "formats/formats.h"

#define AT(member) offsetof(struct tt_base_args, member)
const struct tt_opt tt_base_opts[] = {
    {"base", 0, TT_OPT_TEXT, AT(base), "FOLDER",
     "what relative FMU locations are relative to"},
    {"only-base", 0, TT_OPT_TEXT, AT(only_base), "FOLDER",
     "the same, and FMUs outside of it are refused"},
    {0},
};
#undef AT

void tt_base_set(struct tt_sc_options *o, const struct tt_base_args *a)
{
    o->base = a->only_base ? a->only_base : a->base;
    o->only_base = a->only_base != NULL;
}

#define AT(member) offsetof(struct tt_source_args, member)
const struct tt_opt tt_source_opts[] = {
    {"set", 0, TT_OPT_LIST, AT(set), "REF=VALUE",
     "a parameter or start value: area=2, tank.area=2"},
    {"until", 0, TT_OPT_NUMBER, AT(o.end), "T", "end at this time, s"},
    {"end", 0, TT_OPT_NUMBER, AT(o.end), "T", NULL},
    {"start", 0, TT_OPT_NUMBER, AT(o.start), "T", "start at this time, s"},
    {"step", 0, TT_OPT_POSITIVE, AT(o.step), "H", "communication step, s"},
    {"master", 0, TT_OPT_TEXT, AT(o.master), "jacobi|gauss-seidel",
     "how instances take turns"},
    {"score", 0, TT_OPT_TEXT, AT(o.score), "FILE.json",
     "play the master in this file (tutti score --json)"},
    {"order", 0, TT_OPT_TEXT, AT(o.order), "A,B",
     "the order of instances within a step"},
    {"sequence", 0, TT_OPT_TEXT, AT(o.sequence), "INDICATOR",
     "choose the order after each step: local, global, signed, off"},
    {"rates", 0, TT_OPT_TEXT, AT(o.rates), "A=N,...",
     "steps of instances within a macro step"},
    {"approximation", 0, TT_OPT_TEXT, AT(o.approximation), "WAY",
     "inputs within a step: hold, linear, hermite, ..."},
    {"substeps", 0, TT_OPT_NUMBER, AT(o.substeps), "N",
     "of instances that cannot follow inputs themselves; 0: none"},
    {"rollback", 0, TT_OPT_FLAG, AT(o.rollback), NULL,
     "roll back a step that an instance rejects, and go shorter"},
    {"iterate", 0, TT_OPT_TEXT, AT(o.iterate), "N|converged",
     "repeat each step N times, or until instances agree"},
    {"acceleration", 0, TT_OPT_TEXT, AT(o.acceleration), "METHOD",
     "none, relax, aitken, anderson or newton"},
    {"error-control", 0, TT_OPT_TEXT, AT(o.error_control), "METHOD",
     "vary the step: richardson, orders, milne, energy, embedded"},
    {"step-tolerance", 0, TT_OPT_POSITIVE, AT(o.step_tolerance), "TOL",
     "of --error-control; default 1e-3"},
    {"sample", 0, TT_OPT_POSITIVE, AT(o.sample), "DT",
     "a row of results every DT seconds"},
    {"record", 0, TT_OPT_LIST, AT(record), "PATTERN,...|all",
     "record these variables too; may be repeated"},
    {"record-intermediate", 0, TT_OPT_FLAG, AT(o.intermediate), NULL,
     "record also what instances note within steps"},
    {"tolerance", 0, TT_OPT_POSITIVE, AT(o.tolerance), "R",
     "relative tolerance for the instances' own solvers"},
    {"interface", 0, TT_OPT_TEXT, AT(o.interface), "cs|me|se",
     "use FMUs by this interface"},
    {"integrator", 0, TT_OPT_TEXT, AT(o.integrator), "METHOD",
     "of model exchange: auto, explicit, stiff, rk4, ..."},
    {"no-together", 0, TT_OPT_FLAG, AT(o.no_together), NULL,
     "connected model-exchange FMUs are integrated each alone"},
    {"dialect", 0, TT_OPT_TEXT, AT(o.dialect), "maestro2|maestro1",
     "keep to that Maestro's rules, and write its CSV"},
    {TT_OPT_ALL(tt_base_opts, base)},
    {TT_OPT_VARIANT},
    {"nested", 0, TT_OPT_FLAG, AT(o.nested), NULL,
     "systems of an SSP are scenarios inside, not flattened"},
    {0},
};

struct tt_sc_options tt_source_options(const struct tt_source_args *a)
{
    struct tt_sc_options o = a->o;

    o.set = a->set.word;
    o.n_set = a->set.n;
    o.record = a->record.word;
    o.n_record = a->record.n;
    tt_base_set(&o, &a->base);
    return o;
}

/* As a shell takes it. */
static void put_word(struct tt_buf *b, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+./:=@%{},";
    size_t n = strspn(text, plain);
    /* {a,b} would be two words */
    int is_plain = n && !text[n] && !(strchr(text, '{') && strchr(text, ','));

    tt_buf_str(b, is_plain ? " " : " '");
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            tt_buf_str(b, "'\\''");
        else
            tt_buf_char(b, *c);
    tt_buf_str(b, is_plain ? "" : "'");
}

static void put_option(struct tt_buf *b, const struct tt_opt *o,
                       const char *value)
{
    tt_buf_fmt(b, " --%s", o->name);
    if (value)
        put_word(b, value);
}

/* Unless it is as it is without options. */
static void put(struct tt_buf *b, const struct tt_opt *o,
                const struct tt_source_args *a)
{
    static const struct tt_source_args usual = TT_SOURCE_ARGS_INIT;
    const void *is = (const char *)a + o->at;
    const void *was = (const char *)&usual + o->at;

    if (o->takes == TT_TAKES_LIST) {
        const struct tt_words *w = is;

        for (uint32_t i = 0; i < w->n; i++)
            put_option(b, o, w->word[i]);
    } else if (o->takes == TT_TAKES_TEXT) {
        if (*(const char *const *)is)
            put_option(b, o, *(const char *const *)is);
    } else if (o->takes == TT_TAKES_NOTHING) {
        if (*(const int *)is)
            put_option(b, o, NULL);
    } else {
        double v = *(const double *)is, usually = *(const double *)was;
        char number[TT_NUM_MAX];

        tt_num_print_short(number, v);
        if (v != usually && !isnan(v))
            put_option(b, o, number);
    }
}

void tt_source_put(struct tt_buf *b, const struct tt_cli *cli,
                   const struct tt_source_args *a)
{
    struct tt_opt o;

    for (uint32_t i = 0; i < cli->words.n; i++)
        put_word(b, cli->words.word[i]);
    for (size_t i = 0; tt_opt_in(&o, tt_source_opts, i); i++)
        if (o.help)
            put(b, &o, a);
}

enum tt_code tt_source_load(tt_scenario **out, const struct tt_cli *cli,
                            const struct tt_source_args *a,
                            const struct tt_log *log, tt_err *err)
{
    struct tt_sc_options o = tt_source_options(a);

    return tt_format_open(out, cli->words.word, cli->words.n, a->variant, &o,
                          log, err);
}
