/* SPDX-License-Identifier: MIT */
/* When the mock misbehaves, how, and what it puts on its tape. */
#include "unit/mock_impl.h"

#include <math.h>
#include <pthread.h> /* a unit's own thread: foreign code does not use sys/ */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "sys/sync.h"

static const char *const verb_name[] = {
#define X(name, words) [TT_MOCK_##name] = (words),
    TT_MOCK_VERBS(X)
#undef X
};

/* --- cues -------------------------------------------------------------- */

static int is_due(const struct mock *m, const struct tt_mock_cue *c,
                  enum tt_mock_verb verb, double time)
{
    if (c->at != verb)
        return 0;
    if (c->nth > 0)
        return c->every ? m->calls[verb] >= c->nth : m->calls[verb] == c->nth;
    if (!(time >= c->time))
        return 0;
    return c->every || !(m->fired >> (c - m->spec->cue) & 1);
}

static void log_text(const struct mock *m, const char *category,
                     const char *text)
{
    tt_log_unit(m->base.log, TT_LOG_WARN, m->base.name, category, text);
}

#define LONG_TEXT 100000

static void log_long(const struct mock *m)
{
    char *text = tt_alloc(LONG_TEXT + 1);

    if (!text)
        return;
    memset(text, 'x', LONG_TEXT);
    text[LONG_TEXT] = '\0';
    log_text(m, "mock", text);
    tt_free(text);
}

struct speech {
    const struct mock *m;
    const char *text;
};

static void *log_it(void *arg)
{
    struct speech *s = arg;

    log_text(s->m, "mock", s->text);
    return NULL;
}

static void log_from_thread(const struct mock *m, const char *text)
{
    struct speech s = {m, text};
    pthread_t thread;

    if (pthread_create(&thread, NULL, log_it, &s) == 0)
        (void)pthread_join(thread, NULL);
}

static void act_log(const struct mock *m, const struct tt_mock_cue *c)
{
    const char *text = c->text ? c->text : "hello";

    if (c->act == TT_MOCK_LOG)
        log_text(m, "mock", text);
    else if (c->act == TT_MOCK_LOG_NULL)
        log_text(m, NULL, NULL);
    else if (c->act == TT_MOCK_LOG_STRAY)
        log_text(m, "%s", "%s%n%d");
    else if (c->act == TT_MOCK_LOG_LONG)
        log_long(m);
    else if (c->act == TT_MOCK_LOG_BYTES)
        log_text(m, "\xff\xfe", "\xc3\x28 \x1b[31m \x01 \xed\xa0\x80\n\r");
    else if (c->act == TT_MOCK_LOG_THREAD)
        log_from_thread(m, text);
}

static enum tt_code act_now(struct mock *m, const struct tt_mock_cue *c,
                            tt_err *err)
{
    if (c->act == TT_MOCK_ERROR) {
        if (c->stays)
            m->sick = c;
        return tt_fail(err, TT_EUNIT, "%s",
                       c->text ? c->text : "asked to fail");
    }
    if (c->act == TT_MOCK_SLEEP)
        tt_sleep_ns((uint64_t)(c->value * 1e6));
    else if (c->act == TT_MOCK_SEGV)
        (void)raise(SIGSEGV);
    else if (c->act == TT_MOCK_ABORT)
        abort();
    else if (c->act == TT_MOCK_EXIT)
        exit(0);
    else
        act_log(m, c);
    return TT_OK;
}

enum tt_code mock_call(struct mock *m, enum tt_mock_verb verb, double time,
                       tt_err *err)
{
    const struct tt_mock_spec *spec = m->spec;
    enum tt_code rc = TT_OK;

    if (verb == TT_MOCK_RESET || verb == TT_MOCK_RESTORE)
        m->sick = NULL;
    m->calls[verb]++;
    m->due = 0;
    for (uint32_t i = 0; i < spec->n_cue; i++)
        if (is_due(m, &spec->cue[i], verb, time))
            m->due |= UINT64_C(1) << i;
    m->fired |= m->due;
    for (uint32_t i = 0; rc == TT_OK && i < spec->n_cue; i++)
        if (m->due >> i & 1)
            rc = act_now(m, &spec->cue[i], err);
    if (rc == TT_OK && m->sick && verb != TT_MOCK_FREE)
        rc = tt_fail(err, TT_EUNIT, "%s",
                     m->sick->text ? m->sick->text : "asked to fail");
    return rc;
}

const struct tt_mock_cue *mock_due(const struct mock *m, enum tt_mock_act act)
{
    for (uint32_t i = 0; i < m->spec->n_cue; i++)
        if ((m->due >> i & 1) && m->spec->cue[i].act == act)
            return &m->spec->cue[i];
    return NULL;
}

void mock_poison(struct mock *m)
{
    const struct tt_mock_cue *c = mock_due(m, TT_MOCK_NAN);

    for (uint32_t i = 0; c && i < m->spec->n_port; i++) {
        const struct tt_port *p = &m->base.desc->port[i];
        int chosen = c->port ? strcmp(c->port, p->name) == 0
                             : p->causality == TT_CAUS_OUTPUT;

        for (uint32_t k = 0; chosen && k < p->n; k++) {
            if (p->type == TT_F64)
                ((double *)m->value[i])[k] = (double)NAN;
            else if (p->type == TT_F32)
                ((float *)m->value[i])[k] = NAN;
        }
    }
}

/* --- tape -------------------------------------------------------------- */

#define BIT(verb) (1U << TT_MOCK_##verb)
#define TAPE_USUAL                                                             \
    (BIT(GET) | BIT(SET) | BIT(STEP) | BIT(COURSE) | BIT(RATES) | BIT(JVP) |   \
     BIT(SAVE) | BIT(RESTORE) | BIT(EVENT_ENTER) | BIT(EVENT_UPDATE) |         \
     BIT(EVENT_LEAVE))

struct tt_buf *mock_tape(const struct mock *m, enum tt_mock_verb verb)
{
    struct tt_buf *tape = m->spec->tape;
    uint32_t wanted = m->spec->tape_verbs ? m->spec->tape_verbs : TAPE_USUAL;

    if (!tape || !(wanted >> verb & 1))
        return NULL;
    if (tape->len > 0)
        tt_buf_str(tape, "; ");
    tt_buf_fmt(tape, "%s.%s", m->label, verb_name[verb]);
    return tape;
}

static void tape_value(struct tt_buf *tape, enum tt_type type, const void *v)
{
    char text[TT_TEXT_MAX];
    double d;

    if (type == TT_F64) {
        memcpy(&d, v, sizeof(d));
        tt_num_print_short(text, d);
    } else {
        tt_value_print(text, type, v);
    }
    tt_buf_str(tape, text);
}

void mock_tape_span(const struct mock *m, enum tt_mock_verb verb,
                    const struct tt_span *s)
{
    struct tt_buf *tape = mock_tape(m, verb);
    const unsigned char *v = s->value;

    for (size_t i = 0; tape && i < s->n; i++) {
        const struct tt_port *p = &m->base.desc->port[s->port[i]];
        size_t size = tt_type_size(p->type);

        tt_buf_char(tape, i == 0 ? ' ' : ',');
        tt_buf_str(tape, p->name);
        for (uint32_t k = 0; m->spec->tape_values && v && k < p->n; k++) {
            tt_buf_char(tape, k == 0 ? '=' : '|');
            tape_value(tape, p->type, v);
            v += size;
        }
    }
}

void mock_tape_num(const struct mock *m, enum tt_mock_verb verb, double v)
{
    struct tt_buf *tape = mock_tape(m, verb);
    char text[TT_NUM_MAX];

    if (!tape)
        return;
    tt_num_print_short(text, v);
    tt_buf_fmt(tape, " %s", text);
}

void mock_tape_plain(const struct mock *m, enum tt_mock_verb verb)
{
    (void)mock_tape(m, verb);
}
