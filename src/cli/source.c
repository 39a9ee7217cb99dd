/* SPDX-License-Identifier: MIT */
#include "cli/source.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "formats/formats.h"

#define AT(member) offsetof(struct tt_base_args, member)
const struct tt_opt tt_base_opts[] = {
    TT_OPT_TEXT("--base FOLDER", base,
                "what relative FMU locations are relative to"),
    TT_OPT_TEXT("--only-base FOLDER", only_base,
                "the same, and FMUs outside of it are refused"),
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
    TT_OPT_LIST("--set REF=VALUE", set,
                "a parameter or start value: area=2, tank.area=2"),
    TT_OPT_NUMBER("--until T", o.end, "end at this time, s"),
    TT_OPT_NUMBER("--end T", o.end, NULL),
    TT_OPT_NUMBER("--start T", o.start, "start at this time, s"),
    TT_OPT_POSITIVE("--step H", o.step, "communication step, s"),
    TT_OPT_TEXT("--master jacobi|gauss-seidel", o.master,
                "how instances take turns"),
    TT_OPT_TEXT("--score FILE.json", o.score,
                "play the master in this file (tutti score --json)"),
    TT_OPT_TEXT("--order A,B", o.order, "the order of instances within a step"),
    TT_OPT_TEXT("--sequence INDICATOR", o.sequence,
                "choose the order after each step: local, global, signed, off"),
    TT_OPT_TEXT("--rates A=N,...", o.rates,
                "steps of instances within a macro step"),
    TT_OPT_TEXT("--approximation WAY", o.approximation,
                "inputs within a step: hold, linear, hermite, ..."),
    TT_OPT_NUMBER("--substeps N", o.substeps,
                  "of instances that cannot follow inputs themselves; 0: none"),
    TT_OPT_FLAG("--rollback", o.rollback,
                "roll back a step that an instance rejects, and go shorter"),
    TT_OPT_TEXT("--iterate N|converged", o.iterate,
                "repeat each step N times, or until instances agree"),
    TT_OPT_TEXT("--acceleration METHOD", o.acceleration,
                "none, relax, aitken, anderson or newton"),
    TT_OPT_TEXT("--error-control METHOD", o.error_control,
                "vary the step: richardson, orders, milne, energy, embedded"),
    TT_OPT_POSITIVE("--step-tolerance TOL", o.step_tolerance,
                    "of --error-control; default 1e-3"),
    TT_OPT_POSITIVE("--sample DT", o.sample,
                    "a row of results every DT seconds"),
    TT_OPT_LIST("--record PATTERN,...|all", record,
                "record these variables too; may be repeated"),
    TT_OPT_FLAG("--record-intermediate", o.intermediate,
                "record also what instances note within steps"),
    TT_OPT_POSITIVE("--tolerance R", o.tolerance,
                    "relative tolerance for the instances' own solvers"),
    TT_OPT_TEXT("--interface cs|me|se", o.interface,
                "use FMUs by this interface"),
    TT_OPT_TEXT("--integrator METHOD", o.integrator,
                "of model exchange: auto, explicit, stiff, rk4, ..."),
    TT_OPT_FLAG("--no-together", o.no_together,
                "connected model-exchange FMUs are integrated each alone"),
    TT_OPT_TEXT("--dialect maestro2|maestro1", o.dialect,
                "keep to that Maestro's rules, and write its CSV"),
    TT_OPT_ALL(tt_base_opts, base),
    TT_OPT_VARIANT,
    TT_OPT_FLAG("--nested", o.nested,
                "systems of an SSP are scenarios inside, not flattened"),
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

static void put_option(struct tt_buf *b, const struct tt_option *o,
                       const char *value)
{
    tt_buf_fmt(b, " --%s", o->name);
    if (value)
        put_word(b, value);
}

/* Unless it is as it is without options. */
static void put(struct tt_buf *b, const struct tt_option *o,
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
    struct tt_option o;

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
