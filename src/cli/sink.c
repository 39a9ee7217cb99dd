/* SPDX-License-Identifier: MIT */
#include "cli/sink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/print.h"
#include "sys/tick.h"

#define SHOWN_MAX 5u /* messages of one unit printed without --verbose */

static const char *word(enum tt_log_level level)
{
    return level == TT_LOG_WARN ? "warning" : tt_log_level_name(level);
}

static enum tt_ink ink(enum tt_log_level level)
{
    switch (level) {
    case TT_LOG_ERROR:
        return TT_INK_RED;
    case TT_LOG_WARN:
        return TT_INK_YELLOW;
    case TT_LOG_DEBUG:
    case TT_LOG_INFO:
    case TT_LOG_NOTE:
        break;
    }
    return TT_INK_DIM;
}

static void compose(const struct tt_sink *s, const struct tt_log_record *r,
                    struct tt_buf *b)
{
    if (s->bar)
        tt_buf_str(b, "\r\033[K");
    tt_buf_fmt(b, "%stutti:%s %s: ", tt_show_ink(s->colours, ink(r->level)),
               tt_show_ink(s->colours, TT_INK_OFF), word(r->level));
    if (r->unit) {
        tt_buf_str(b, "instance '");
        tt_show_clean(b, r->unit);
        tt_buf_char(b, '\'');
    }
    if (r->unit && r->category && *r->category) {
        tt_buf_str(b, " [");
        tt_show_clean(b, r->category);
        tt_buf_char(b, ']');
    }
    if (r->unit)
        tt_buf_str(b, ": ");
    tt_show_clean(b, r->text);
    tt_buf_char(b, '\n');
}

void tt_sink_flush(struct tt_complaint *c, const char *logbook)
{
    if (!c->waits)
        return;
    c->waits = 0;
    c->text[sizeof(c->text) - 1] = '\0';
    c->line[sizeof(c->line) - 1] = '\0';
    if (!logbook || !strstr(logbook, c->text))
        tt_tty_write(2, c->line, strlen(c->line));
}

/* What fits is held back; what does not is printed at once. */
static int hold_back(struct tt_sink *s, const struct tt_log_record *r,
                     const struct tt_buf *line)
{
    size_t n = strlen(r->text);

    if (r->level != TT_LOG_ERROR || !r->unit || s->opts.verbose ||
        n >= sizeof(s->last->text) || line->len >= sizeof(s->last->line))
        return 0;
    memcpy(s->last->text, r->text, n + 1);
    memcpy(s->last->line, line->data, line->len + 1);
    s->last->waits = 1;
    return 1;
}

static void print(struct tt_sink *s, const struct tt_log_record *r)
{
    struct tt_buf b;

    tt_buf_init(&b, 65536);
    compose(s, r, &b);
    tt_sink_flush(s->last, NULL);
    if (!b.failed && !hold_back(s, r, &b))
        tt_tty_write(2, b.data, b.len);
    tt_buf_fini(&b);
}

/* How often was this unit printed? The last place is shared by the rest. */
static uint32_t *count_of(struct tt_sink *s, const char *unit)
{
    uint32_t i = 0;

    while (i < TT_SINK_UNITS - 1 && s->shown[i].name[0] &&
           strncmp(s->shown[i].name, unit, sizeof(s->shown[i].name) - 1) != 0)
        i++;
    if (!s->shown[i].name[0])
        snprintf(s->shown[i].name, sizeof(s->shown[i].name), "%s", unit);
    return &s->shown[i].n;
}

/* Of a unit that chatters, how often it was shown; 0 for ours. */
static uint32_t count_shown(struct tt_sink *s, const struct tt_log_record *r)
{
    return r->unit ? (*count_of(s, r->unit))++ : 0;
}

static void maybe_print(struct tt_sink *s, const struct tt_log_record *r)
{
    static const char enough[] =
        "further messages of this instance are not shown (--verbose shows all)";
    uint32_t shown;

    if (s->opts.verbose) {
        print(s, r);
        return;
    }
    if (r->level < (s->opts.quiet ? TT_LOG_ERROR : TT_LOG_WARN))
        return;
    shown = count_shown(s, r);
    if (shown < SHOWN_MAX)
        print(s, r);
    else if (shown == SHOWN_MAX)
        print(s, &(struct tt_log_record){
                     .level = r->level, .unit = r->unit, .text = enough});
}

/* --- warnings that are kept ----------------------------------------------- */

/* "instance 'x': text" */
static void keep_warning(struct tt_warnings *t, const char *unit,
                         const char *text)
{
    size_t room = sizeof(t->text) - t->used, n;

    t->n = t->n + 1;
    n = (size_t)(unit ? snprintf(t->text + t->used, room, "instance '%s': %s",
                                 unit, text)
                      : snprintf(t->text + t->used, room, "%s", text));
    if (n >= room)
        return; /* counted only */
    t->used = t->used + (uint32_t)n + 1;
    t->kept = t->kept + 1;
}

static uint32_t bytes_of(const struct tt_warnings *t)
{
    return t->used <= sizeof(t->text) ? t->used : 0;
}

/* The text at *at, on to the next one; NULL: there is none before `end`. */
static const char *next_text(const struct tt_warnings *t, uint32_t end,
                             uint32_t *at)
{
    const char *text = t->text + *at;
    const char *nul = *at < end ? memchr(text, 0, end - *at) : NULL;

    if (!nul)
        return NULL;
    *at = (uint32_t)(nul - t->text) + 1;
    return text;
}

/* How often it is before `end`. */
static uint32_t count_text(const struct tt_warnings *t, uint32_t end,
                           const char *wanted)
{
    uint32_t at = 0, n = 0;
    const char *text;

    while ((text = next_text(t, end, &at)) != NULL)
        n += strcmp(text, wanted) == 0;
    return n;
}

static uint32_t count_lost(const struct tt_warnings *t)
{
    return t->n > t->kept ? t->n - t->kept : 0;
}

static void merge(struct tt_warnings *t, const struct tt_warnings *from)
{
    uint32_t lost = count_lost(t), others = count_lost(from), at = 0;
    const char *text;

    t->n = t->kept;
    while ((text = next_text(from, bytes_of(from), &at)) != NULL)
        if (count_text(t, bytes_of(t), text) < count_text(from, at, text))
            keep_warning(t, NULL, text);
    others += count_lost(t); /* for these there was no room */
    t->n = t->kept + (others > lost ? others : lost);
}

void tt_sink_merge_warnings(struct tt_sink *s, const struct tt_warnings *from)
{
    tt_lock_take(&s->lock);
    merge(s->warnings, from);
    tt_lock_give(&s->lock);
}

void tt_sink_copy_warnings(struct tt_sink *s, struct tt_warnings *out)
{
    tt_lock_take(&s->lock);
    memcpy(out, s->warnings, sizeof(*out));
    tt_lock_give(&s->lock);
}

void tt_warnings_json(struct tt_buf *b, const struct tt_warnings *t)
{
    uint32_t used = bytes_of(t), at = 0, n = 0;
    const char *text;

    tt_buf_char(b, '[');
    while ((text = next_text(t, used, &at)) != NULL) {
        tt_buf_str(b, n++ ? ",\n    " : "\n    ");
        tt_buf_json(b, text);
    }
    if (t->n > n)
        tt_buf_fmt(b, "%s\"and %u more\"", n ? ",\n    " : "\n    ", t->n - n);
    tt_buf_char(b, ']');
}

/* --- messages as they come ------------------------------------------------ */

static void sink(void *ctx, const struct tt_log_record *r)
{
    struct tt_sink *s = ctx;
    struct tt_log_record safe = *r;

    if (!safe.text)
        safe.text = "";
    r = &safe;
    tt_lock_take(&s->lock);
    if (r->level >= TT_LOG_WARN)
        keep_warning(s->warnings, r->unit, r->text);
    maybe_print(s, r);
    if (s->opts.keep)
        tt_logbook_add(&s->logbook, r, s->t ? *s->t : (double)NAN);
    tt_lock_give(&s->lock);
}

enum tt_code tt_sink_init(struct tt_sink *s, const struct tt_sink_opts *o,
                          tt_err *err)
{
    memset(s, 0, sizeof(*s));
    s->opts = *o;
    s->last = &s->own;
    s->warnings = &s->own_warnings;
    tt_lock_init(&s->lock);
    s->colours = tt_print_colours(2);
    s->log = (struct tt_log){.sink_cb = sink, .ctx = s, .least = TT_LOG_WARN};
    if (o->keep)
        s->log.least = TT_LOG_INFO;
    if (o->verbose)
        s->log.least = TT_LOG_DEBUG;
    return tt_logbook_init(&s->logbook, err);
}

void tt_sink_play(struct tt_sink *s, const volatile double *t, int bar,
                  struct tt_complaint *last, struct tt_warnings *warnings)
{
    tt_sink_flush(s->last, NULL);
    s->last = last;
    if (warnings != s->warnings)
        memcpy(warnings, s->warnings, sizeof(*warnings));
    s->warnings = warnings;
    s->t = t;
    s->bar = bar;
}

void tt_sink_fini(struct tt_sink *s)
{
    tt_sink_flush(&s->own, NULL);
    tt_lock_fini(&s->lock);
    tt_logbook_fini(&s->logbook);
}
