/* SPDX-License-Identifier: MIT */
/* What a run was made of, for machines, so that it can be made again. */
#include "cli/parts.h"
#include "cli/play.h"
#include "cli/print.h"
#include "tutti/tutti.h"

static void text(struct tt_buf *b, const char *key, const char *value)
{
    tt_buf_fmt(b, ", \"%s\": ", key);
    tt_buf_json(b, value && *value ? value : NULL);
}

static void source(struct tt_buf *b, const struct tt_run_source *s)
{
    tt_json_text(b, "{\"key\": ", s->key);
    text(b, "path", s->path);
    text(b, "kind", s->kind);
    text(b, "model", s->model);
    text(b, "version", s->version);
    text(b, "tool", s->tool);
    text(b, "token", s->token);
    text(b, "sha256", s->sha256);
    tt_buf_char(b, '}');
}

static void element(struct tt_buf *b, enum tt_type type, const void *at)
{
    char words[TT_TEXT_MAX];

    (void)tt_value_print(words, type, at);
    if (tt_type_is_float(type))
        tt_show_json_num(b, tt_value_as_double(type, at));
    else if (tt_type_is_text(type))
        tt_buf_json(b, words);
    else
        tt_buf_str(b, words);
}

static void setting(struct tt_buf *b, const tt_plan *plan,
                    const struct tt_start *s)
{
    const struct tt_port *p = &plan->unit[s->unit].desc->port[s->port];
    const char *at = s->value;

    tt_json_text(b, "{\"instance\": ", plan->unit[s->unit].name);
    tt_json_text(b, ", \"variable\": ", p->name);
    tt_buf_str(b, p->n_dim ? ", \"value\": [" : ", \"value\": ");
    for (uint32_t e = 0; e < p->n; e++, at += tt_type_size(p->type)) {
        tt_buf_str(b, e ? ", " : "");
        element(b, p->type, at);
    }
    tt_buf_str(b, p->n_dim ? "]}" : "}");
}

/* The files behind it, and what was typed. */
static void origins(struct tt_buf *b, const struct tt_play *play)
{
    struct tt_parts parts;

    tt_json_text(b, "  \"command\": ", play->typed);
    tt_json_text(b, ",\n  \"version\": ", tutti_version());
    tt_buf_str(b, ",\n  \"parts\": [");
    tt_parts_gather(&parts, play->scenario);
    for (size_t i = 0; i < parts.n; i++) {
        const struct tt_part *one = &parts.part[i];

        tt_buf_fmt(b, "%s\n    {\"role\": \"%s\"", i ? "," : "", one->role);
        text(b, "of", one->of);
        text(b, "path", one->path);
        text(b, "sha256", one->sha256);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "],\n");
    tt_parts_fini(&parts);
}

void tt_summary_json_sources(struct tt_buf *b, const struct tt_played *p)
{
    const tt_run *run = p->run;
    const tt_plan *plan = tt_run_plan(run);
    int first = 1;

    origins(b, p->play);
    tt_buf_str(b, "  \"order\": [");
    for (uint32_t i = 0; i < plan->n_unit; i++) {
        tt_buf_str(b, i ? ", " : "");
        tt_buf_json(b, plan->unit[tt_run_score(run)->order[i]].name);
    }
    tt_buf_str(b, "],\n  \"fmus\": [");
    for (uint32_t i = 0; i < tt_run_sources(run); i++) {
        tt_buf_str(b, i ? ",\n    " : "\n    ");
        source(b, tt_run_source(run, i));
    }
    tt_buf_str(b, "\n  ],\n  \"parameters\": [");
    for (uint32_t i = 0; i < plan->n_start; i++) {
        if (!plan->start[i].given)
            continue;
        tt_buf_str(b, first ? "\n    " : ",\n    ");
        setting(b, plan, &plan->start[i]);
        first = 0;
    }
    tt_buf_str(b, "],\n");
}
