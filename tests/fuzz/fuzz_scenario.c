/* SPDX-License-Identifier: MIT */
/* Scenarios from arbitrary bytes.
 *
 * Up to three parts, parted by NUL bytes: the scenario, a second file laid
 * over it, and the text of one --set. Every position must be where the value
 * or name really begins. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "scenario/scenario.h"
#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_positions(const struct tt_doc *d,
                            const struct tt_text_file *file)
{
    static const char *const first[] = {
        [TT_DOC_NULL] = "n",
        [TT_DOC_BOOL] = "tf",
        [TT_DOC_INTEGER] = "-0123456789",
        [TT_DOC_NUMBER] = "-0123456789",
        [TT_DOC_TEXT] = "\"",
        [TT_DOC_ARRAY] = "[",
        [TT_DOC_OBJECT] = "{",
    };
    const struct tt_text_file *f = &file[d->where.file];

    TT_ASSERT(strchr(first[d->kind], f->text[d->where.offset]));
    if (d->key)
        TT_ASSERT(file[d->key_where.file].text[d->key_where.offset] == '"');
    if (d->kind == TT_DOC_ARRAY || d->kind == TT_DOC_OBJECT)
        for (uint32_t i = 0; i < d->n; i++)
            check_positions(&d->u.child[i], file);
}

static void check_document(const struct tt_text_file file[2])
{
    tt_arena *arena = tt_arena_new();
    struct tt_doc a, b;
    tt_err err;

    if (tt_doc_parse(&a, &file[0], 0, arena, arena, &err) == TT_OK) {
        check_positions(&a, file);
        if (tt_doc_parse(&b, &file[1], 1, arena, arena, &err) == TT_OK &&
            tt_doc_merge(&a, &b, arena, &err) == TT_OK)
            check_positions(&a, file);
    }
    tt_arena_free(arena);
}

static void sink(void *ctx, const struct tt_log_record *r)
{
    *(size_t *)ctx += strlen(r->text);
}

static void check_scenario(const struct tt_text_file *file, const char *set)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    size_t logged = 0;
    struct tt_log log = {.sink_cb = sink, .ctx = &logged};
    tt_scenario *s = NULL;
    char at[64];
    tt_err err;

    o.set = &set;
    o.n_set = set ? 1 : 0;
    o.inside = file->n & 1; /* as a unit of another one */
    if (tt_scenario_parse(&s, file->path, "/nowhere", file->text, file->n, &o,
                          &log, &err) != TT_OK)
        return;
    for (uint32_t i = 0; i < s->n_connection; i++) {
        TT_ASSERT(s->connection[i].from.unit < s->n_unit);
        TT_ASSERT(s->connection[i].to.unit < s->n_unit);
    }
    for (uint32_t i = 0; i < s->n_unit; i++)
        TT_ASSERT(s->unit[i].fmu < s->n_fmu);
    for (uint32_t i = 0; i < s->n_port; i++)
        for (uint32_t k = 0; k < s->port[i].n_ref; k++)
            TT_ASSERT(s->port[i].ref[k].unit < s->n_unit);
    tt_scenario_at(s, s->end_where, at, sizeof(at));
    tt_scenario_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = tt_alloc(size + 1), *second, *set = NULL;
    struct tt_text_file file[2];

    memcpy(text, data, size);
    text[size] = '\0';
    file[0] = (struct tt_text_file){"a.json", text, strlen(text)};
    second = file[0].n < size ? text + file[0].n + 1 : text + size;
    file[1] = (struct tt_text_file){"b.json", second, strlen(second)};
    if (second + file[1].n < text + size)
        set = second + file[1].n + 1;
    check_document(file);
    check_scenario(&file[0], set);
    tt_free(text);
    return 0;
}
