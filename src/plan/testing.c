/* SPDX-License-Identifier: MIT */
#include "plan/testing.h"

#include <math.h>
#include <string.h>

/* --- fakes ------------------------------------------------------------- */

void tt_fake_init(struct tt_fake *f)
{
    *f = (struct tt_fake){
        .desc =
            {
                .kind = "fake",
                .model = "fake",
                .caps = {.evaluates = TT_EVAL_ALWAYS,
                         .variable_step = 1,
                         .course_order = 1,
                         .course_exact = 1},
                .standard = {(double)NAN, (double)NAN, (double)NAN},
                .standard_step = (double)NAN,
            },
    };
    f->desc.port = f->port;
    f->desc.run = f->run;
    f->desc.init = f->init;
    tt_names_init(&f->desc.by_name);
}

void tt_fake_fini(struct tt_fake *f)
{
    tt_names_fini(&f->desc.by_name);
}

struct tt_port *tt_fake_port(struct tt_fake *f, const char *name,
                             enum tt_causality causality, enum tt_type type)
{
    uint32_t i = f->desc.n_port++;
    int parameter = causality == TT_CAUS_PARAMETER;
    struct tt_port *p = &f->port[i];

    TT_ASSERT(i < TT_FAKE_PORTS);
    *p = (struct tt_port){
        .name = name,
        .type = type,
        .causality = causality,
        .variability =
            tt_type_is_float(type) ? TT_VAR_CONTINUOUS : TT_VAR_DISCRETE,
        .initial = parameter || causality == TT_CAUS_INPUT ? TT_INIT_EXACT
                                                           : TT_INIT_CALCULATED,
        .n = 1,
        .min = -HUGE_VAL,
        .max = HUGE_VAL,
        .nominal = 1,
        .derivative_of = TT_NONE,
        .course_ok = causality == TT_CAUS_INPUT,
    };
    if (parameter)
        p->variability = TT_VAR_FIXED;
    f->run[i].known = f->init[i].known = 1;
    TT_ASSERT(tt_names_add(&f->desc.by_name, name, i) == 0);
    return p;
}

/* --- the stand --------------------------------------------------------- */

static void take_record(void *ctx, const struct tt_log_record *r)
{
    struct tt_stand *st = ctx;

    tt_buf_fmt(&st->logged, "%s: %s\n", tt_log_level_name(r->level), r->text);
}

void tt_stand_init(struct tt_stand *st)
{
    *st = (struct tt_stand){
        .log = {.sink_cb = take_record, .least = TT_LOG_NOTE}};
    st->log.ctx = st;
    tt_buf_init(&st->logged, (size_t)1 << 24);
    tt_buf_str(&st->logged, "\n");
}

void tt_stand_fini(struct tt_stand *st)
{
    tt_plan_free(st->plan);
    tt_scenario_free(st->scenario);
    tt_buf_fini(&st->logged);
    for (uint32_t i = 0; i < st->n_of; i++)
        if (st->of[i].type)
            st->of[i].type->kind->close(st->of[i].type);
}

void tt_stand_fake(struct tt_stand *st, const char *key, struct tt_fake *f)
{
    TT_ASSERT(st->n_of < TT_STAND_KEYS);
    st->of[st->n_of].key = key;
    st->of[st->n_of++].desc = &f->desc;
}

void tt_stand_mock(struct tt_stand *st, const char *key,
                   const struct tt_mock_spec *spec)
{
    tt_unit_type *type = NULL;
    enum tt_code rc = tt_mock_type_new(&type, spec, &st->err);

    TT_ASSERT(rc == TT_OK && st->n_of < TT_STAND_KEYS);
    st->of[st->n_of].key = key;
    st->of[st->n_of].type = type;
    st->of[st->n_of++].desc = &type->desc;
}

static const struct tt_desc *desc_of(const struct tt_stand *st, const char *key)
{
    for (uint32_t i = 0; i < st->n_of; i++)
        if (strcmp(st->of[i].key, key) == 0)
            return st->of[i].desc;
    return NULL;
}

enum tt_code tt_stand_plan(struct tt_stand *st, const char *json)
{
    const struct tt_desc *desc[TT_STAND_KEYS] = {0};
    enum tt_code rc = tt_scenario_parse(&st->scenario, "t.json", "/", json,
                                        strlen(json), NULL, &st->log, &st->err);

    if (rc != TT_OK)
        return rc;
    TT_ASSERT(st->scenario->n_fmu <= TT_STAND_KEYS);
    for (uint32_t i = 0; i < st->scenario->n_fmu; i++)
        desc[i] = desc_of(st, st->scenario->fmu[i].key);
    return tt_plan_new(&st->plan, st->scenario, desc, &st->log, &st->err);
}

int tt_stand_logged(const struct tt_stand *st, const char *line)
{
    struct tt_buf b;
    int found;

    tt_buf_init(&b, (size_t)1 << 20);
    tt_buf_fmt(&b, "\n%s\n", line);
    found =
        b.data && st->logged.data && strstr(st->logged.data, b.data) != NULL;
    tt_buf_fini(&b);
    return found;
}

uint32_t tt_stand_slot(const tt_plan *p, const char *name)
{
    char text[512];

    for (uint32_t s = 0; s < p->n_slot; s++)
        if (strcmp(tt_plan_slot_name(p, s, text, sizeof(text)), name) == 0)
            return s;
    tt_assert_failed(name, __FILE__, __LINE__, __func__);
}

int tt_plan_depends(const tt_plan *p, uint32_t out, uint32_t in, int init)
{
    const struct tt_slot *o = &p->slot[out];
    const struct tt_desc *d = p->unit[o->unit].desc;
    const struct tt_deps *deps = init ? &d->init[o->port] : &d->run[o->port];

    if (p->slot[in].unit != o->unit)
        return 0;
    if (!deps->known)
        return -1;
    for (uint32_t i = 0; i < deps->n; i++)
        if (deps->port[i] == p->slot[in].port)
            return 1;
    return 0;
}
