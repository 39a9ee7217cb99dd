/* SPDX-License-Identifier: MIT */
#include "cli/beside.h"

#include <math.h>
#include <string.h>

#include "analysis/study.h"
#include "cli/culprit.h"
#include "cli/print.h"
#include "compose/compose.h"
#include "sys/proc.h"

void tt_beside_init(struct tt_beside *b, tt_arena *arena)
{
    *b = (struct tt_beside){.arena = arena};
    tt_buf_init(&b->json, TT_SHOW_MAX);
}

void tt_beside_fini(struct tt_beside *b)
{
    tt_buf_fini(&b->json);
}

void tt_beside_note(struct tt_beside *b, const char *topic, const char *text)
{
    const char *kept = tt_arena_strdup(b->arena, text);

    if (kept && b->n_note < TT_BESIDE_NOTES)
        b->note[b->n_note++] = (struct tt_note){.topic = topic, .text = kept};
}

/* --- stability -------------------------------------------------------------
 */

/* Shared with the process that plays. */
struct found {
    struct tt_stage stage;
    enum tt_stability verdict;
    double rho, error, step;
    char reason[TT_ERR_MAX];
    char sentence[TT_ERR_MAX];
};

struct asked {
    struct tt_case c;
    struct found *found;
};

static void put_words(char *out, size_t size, const char *text)
{
    size_t n = strlen(text);

    n = n < size ? n : size - 1;
    memcpy(out, text, n);
    out[n] = '\0';
}

static void keep(struct found *f, const struct tt_radius *r)
{
    struct tt_buf words;

    f->verdict = r->verdict;
    f->rho = r->rho;
    f->error = r->error;
    f->step = r->step;
    put_words(f->reason, sizeof(f->reason), r->reason);
    tt_buf_init(&words, TT_ERR_MAX);
    tt_study_sentence(&words, r);
    put_words(f->sentence, sizeof(f->sentence), words.failed ? "" : words.data);
    tt_buf_fini(&words);
}

static int find(void *ctx)
{
    const struct asked *a = ctx;
    struct tt_radius r;

    tt_radius_find(&r, &a->c);
    keep(a->found, &r);
    tt_radius_fini(&r);
    return 0;
}

/* It died: that is the reason. */
static void bury(struct found *f, const struct tt_proc_result *how)
{
    struct tt_culprit who = tt_culprit_find(&f->stage);
    struct tt_radius r = {.rho = (double)NAN, .error = (double)NAN};
    struct tt_buf words;

    tt_buf_init(&words, TT_ERR_MAX);
    tt_culprit_put_death(&words, &who, how);
    put_words(r.reason, sizeof(r.reason), words.failed ? "" : words.data);
    keep(f, &r);
    tt_buf_fini(&words);
}

static void put_number(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, ", \"%s\": ", name);
    tt_show_json_num(b, v);
}

static void put_found(struct tt_buf *b, const struct found *f)
{
    tt_buf_fmt(b, "  \"stability\": {\"verdict\": \"%s\", \"reason\": ",
               tt_stability_name(f->verdict));
    tt_buf_json(b, f->reason[0] ? f->reason : NULL);
    put_number(b, "rho", f->rho);
    put_number(b, "error", f->error);
    put_number(b, "step", f->step > 0 ? f->step : (double)NAN);
    tt_buf_str(b, "},\n");
}

enum tt_code tt_beside_stability(struct tt_beside *b, const struct tt_cli *cli,
                                 const struct tt_source_args *a, tt_err *err)
{
    struct asked asked = {.c = {.path = cli->words.word,
                                .n_path = cli->words.n,
                                .o = tt_source_options(a),
                                .held = TT_NONE,
                                .kind_cb = tt_compose_kind_for},
                          .found = tt_shared_alloc(sizeof(*asked.found))};
    struct found *f = asked.found;
    struct tt_proc_result how = {0};
    enum tt_code rc;

    if (!f)
        return tt_fail(err, TT_ENOMEM, "the analysis: out of memory");
    asked.c.stage = &f->stage;
    rc = tt_proc_run(find, &asked, &f->stage.done, &how, err);
    if (rc == TT_OK && !(how.how == TT_PROC_EXITED && f->stage.done))
        bury(f, &how);
    if (rc == TT_OK) {
        put_found(&b->json, f);
        tt_beside_note(b, "stability", f->sentence);
    }
    tt_shared_free(f, sizeof(*f));
    return rc;
}
