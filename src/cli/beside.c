/* SPDX-License-Identifier: MIT */
#include "cli/beside.h"

#include <math.h>
#include <string.h>

#include "analysis/study.h"
#include "cli/culprit.h"
#include "cli/print.h"
#include "compose/compose.h"
#include "sys/capture.h"
#include "sys/clock.h"
#include "sys/in.h"
#include "sys/proc.h"

/* What may be spent where it was not asked for. */
#define GLANCE_STEPS     2000 /* of instances */
#define GLANCE_INSTANCES 4u
#define GLANCE_BYTES     1000000u /* of an FMU */
#define GLANCE_NS        300000000u

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
    struct tt_radius radius; /* what it owns is the other process's */
    char sentence[TT_ERR_MAX];
};

struct asked {
    struct tt_case c;
    struct found *found;
    int glance;     /* not asked for: silent, and not for long */
    uint64_t until; /* ns */
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

    f->radius = *r;
    tt_buf_init(&words, TT_ERR_MAX);
    tt_study_sentence(&words, r);
    put_words(f->sentence, sizeof(f->sentence), words.failed ? "" : words.data);
    tt_buf_fini(&words);
}

static int find(void *ctx)
{
    const struct asked *a = ctx;
    struct tt_radius r;

    if (a->glance)
        tt_output_to_nowhere();
    tt_radius_find(&r, &a->c);
    keep(a->found, &r);
    tt_radius_fini(&r);
    return 0;
}

/* It died: that is the reason. */
static void bury(struct found *f, const struct tt_proc_result *how)
{
    struct tt_radius r = {.rho = (double)NAN, .error = (double)NAN};
    struct tt_buf words;

    tt_buf_init(&words, TT_ERR_MAX);
    tt_culprit_death(&words, &f->stage, how);
    put_words(r.reason, sizeof(r.reason), words.failed ? "" : words.data);
    keep(f, &r);
    tt_buf_fini(&words);
}

static int is_over(void *ctx)
{
    const struct asked *a = ctx;

    return tt_clock_ns() > a->until;
}

static int is_worth(const struct asked *a)
{
    return !a->glance || (a->found->radius.affine &&
                          a->found->radius.verdict != TT_STABILITY_UNKNOWN);
}

static void state(struct tt_beside *b, const struct asked *a)
{
    if (!is_worth(a))
        return;
    tt_buf_str(&b->json, "  \"stability\": {");
    tt_radius_json(&b->json, &a->found->radius, ", ");
    tt_buf_str(&b->json, "},\n");
    tt_beside_note(b, "stability", a->found->sentence);
}

static enum tt_code look(struct tt_beside *b, struct asked *a, tt_err *err)
{
    const struct tt_proc_patience patience = {
        .notice.ms = UINT32_MAX,
        .end.ms = UINT32_MAX,
        .look_cb = a->glance ? is_over : NULL,
        .ctx = a,
    };
    struct tt_proc_result how = {0};
    struct found *f = tt_shared_alloc(sizeof(*f));
    enum tt_code rc;

    if (!f)
        return tt_nomem(err, "the analysis");
    a->found = f;
    a->c.stage = &f->stage;
    a->until = tt_clock_ns() + GLANCE_NS;
    rc = tt_proc_run_within(a->glance ? &patience : NULL, find, a,
                            &f->stage.done, &how, err);
    if (rc == TT_OK && !(how.how == TT_PROC_EXITED && f->stage.done))
        bury(f, &how);
    if (rc == TT_OK && how.asked)
        rc = tt_fail(err, TT_ESTOPPED, "stopped before the run began");
    if (rc == TT_OK)
        state(b, a);
    tt_shared_free(f, sizeof(*f));
    return rc;
}

static struct tt_case case_of(const struct tt_cli *cli,
                              const struct tt_source_args *a)
{
    return (struct tt_case){.path = cli->words.word,
                            .n_path = cli->words.n,
                            .variant = a->variant,
                            .o = tt_source_options(a),
                            .held = TT_NONE,
                            .kind_cb = tt_compose_kind_for};
}

enum tt_code tt_beside_stability(struct tt_beside *b, const struct tt_cli *cli,
                                 const struct tt_source_args *a, tt_err *err)
{
    struct asked asked = {.c = case_of(cli, a)};

    return look(b, &asked, err);
}

/* --- ... at a glance -------------------------------------------------------
 */

/* May what it names be loaded once more, at no cost worth mentioning? */
static int is_light(const struct tt_sc_fmu *f)
{
    tt_in *in = NULL;
    int light;

    if (!f->path || f->inner || tt_in_open(&in, f->path, NULL) != TT_OK)
        return 0;
    light = tt_in_size(in) <= GLANCE_BYTES;
    tt_in_close(in);
    return light;
}

/* Does a value go round, from an instance back to it? */
static int goes_round(const tt_scenario *s)
{
    unsigned reach[GLANCE_INSTANCES] = {0}; /* a bit for each */

    for (uint32_t turn = 0; turn < s->n_unit; turn++)
        for (uint32_t i = 0; i < s->n_connection; i++) {
            uint32_t to = s->connection[i].to.unit;

            reach[s->connection[i].from.unit] |= 1u << to | reach[to];
        }
    for (uint32_t u = 0; u < s->n_unit; u++)
        if (reach[u] >> u & 1)
            return 1;
    return 0;
}

static int is_small(const tt_scenario *s)
{
    if (s->n_unit < 2 || s->n_unit > GLANCE_INSTANCES || s->isolate ||
        s->host || s->n_locate || s->script || tt_sc_switches(&s->switching) ||
        tt_sc_sequences(&s->sequence) || s->n_constraint ||
        s->real_time.factor > 0)
        return 0;
    for (uint32_t i = 0; i < s->n_unit; i++)
        if (s->unit[i].isolate)
            return 0;
    for (uint32_t i = 0; i < s->n_fmu; i++)
        if (!is_light(&s->fmu[i]))
            return 0;
    return goes_round(s);
}

enum tt_code tt_beside_glance(struct tt_beside *b, const struct tt_cli *cli,
                              const struct tt_source_args *a,
                              const tt_scenario *s, tt_err *err)
{
    struct asked asked = {.c = case_of(cli, a), .glance = 1};

    asked.c.budget = GLANCE_STEPS;
    return is_small(s) ? look(b, &asked, err) : TT_OK;
}
