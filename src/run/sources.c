/* SPDX-License-Identifier: MIT */
/* What a run was made of, so that it can be made again: the files, the models
 * in them, and the values that were set. */
#include "base/sha256.h"
#include "run/run_impl.h"
#include "sys/digest.h"

uint32_t tt_run_sources(const tt_run *r)
{
    return r->scenario->n_fmu;
}

const struct tt_run_source *tt_run_source(const tt_run *r, uint32_t i)
{
    const struct tt_sc_fmu *f = &r->scenario->fmu[i];
    struct tt_run_source *s = &r->source[i];

    _Static_assert(sizeof(s->sha256) == TT_SHA256_HEX, "room for a digest");
    if (s->digested)
        return s;
    s->key = f->key;
    s->path = f->path;
    if (r->type && r->type[i]) {
        const struct tt_desc *d = &r->type[i]->desc;

        TT_TAKE(s, d, kind, model, version, tool, token);
    }
    (void)tt_file_digest(f->path, s->sha256);
    s->digested = 1;
    return s;
}

void tt_run_setting_text(const tt_run *r, const struct tt_start *s,
                         struct tt_buf *out)
{
    const struct tt_port *p = &r->plan->unit[s->unit].desc->port[s->port];
    const char *at = s->value;
    char text[TT_TEXT_MAX];

    tt_buf_fmt(out, "%s.%s = ", r->plan->unit[s->unit].name, p->name);
    for (uint32_t e = 0; e < p->n; e++, at += tt_type_size(p->type)) {
        (void)tt_value_print(text, p->type, at);
        tt_buf_fmt(out, "%s%s", e ? ", " : "", text);
    }
    if (p->quantity)
        tt_buf_fmt(out, " %s", p->quantity->name);
}
