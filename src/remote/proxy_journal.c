/* SPDX-License-Identifier: MIT */
/* What it takes to begin again: the requests since the unit was made, or since
 * its state was last packed. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "remote/proxy_impl.h"
#include "sys/clock.h"

#define STEPS      32u                /* between two packed states */
#define SINCE_ROOM ((size_t)64 << 10) /* bytes of requests, usually */
#define SINCE_MOST ((size_t)64 << 20) /* more are not kept */
#define TRIES      5u    /* in a row, without anything new in between */
#define MOST       1000u /* fresh starts of one unit */

/* --- keeping ------------------------------------------------------------ */

static void add_body(struct tt_wire *w, const char *body, size_t n)
{
    tt_wire_bytes(w, body, n);
}

/* A journal that is not whole is of no use. */
static void give_up(struct tt_journal *j)
{
    j->off = 1;
    j->has_state = 0;
    tt_wire_fini(&j->life);
    tt_wire_fini(&j->since);
    tt_wire_fini(&j->state);
}

static struct tt_wire *pages(struct tt_proxy *p)
{
    return p->base.prepared ? &p->j.since : &p->j.life;
}

void tt_proxy_jot(struct tt_proxy *p)
{
    struct tt_wire *w = pages(p);
    size_t n = w->n;

    if (p->j.off)
        return;
    add_body(w, p->out.data + TT_WIRE_HEAD, p->body_end - TT_WIRE_HEAD);
    p->j.jotted = w->n - n;
    w->n = n;
}

void tt_proxy_note(struct tt_proxy *p)
{
    struct tt_journal *j = &p->j;
    struct tt_wire *w = pages(p);

    j->tries = 0;
    if (j->news[0])
        tt_log(p->base.log, TT_LOG_WARN, "instance '%s': %s", p->base.name,
               j->news);
    j->news[0] = '\0';
    if (j->off)
        return;
    w->n += j->jotted;
    j->steps += p->base.prepared;
    if (w->failed || w->n > SINCE_MOST)
        give_up(j);
}

void tt_proxy_forget(struct tt_proxy *p)
{
    tt_wire_empty(&p->j.life);
    tt_wire_empty(&p->j.since);
    tt_wire_empty(&p->j.state);
    p->j.has_state = 0;
    p->j.steps = 0;
}

void tt_proxy_journal_fini(struct tt_proxy *p)
{
    give_up(&p->j);
    tt_wire_fini(&p->j.make);
}

/* --- states ------------------------------------------------------------- */

/* Now and then, and the less often the larger they are. */
static int is_due(const struct tt_proxy *p)
{
    const struct tt_journal *j = &p->j;

    if (j->off || !p->is_step || p->hidden == TT_NONE ||
        j->since.n * 8 < j->state.n)
        return 0;
    return j->steps >= STEPS || j->since.n > SINCE_ROOM / 4 * 3;
}

static void put_register(struct tt_wire *w, enum tt_wire_command c,
                         uint32_t reg)
{
    tt_wire_u8(w, (unsigned)c);
    tt_wire_u32(w, reg);
}

void tt_proxy_put_state(struct tt_proxy *p)
{
    p->j.asked = is_due(p);
    if (!p->j.asked)
        return;
    p->j.in_state = p->base.saved;
    put_register(&p->out, TT_WIRE_SAVE, p->hidden);
    put_register(&p->out, TT_WIRE_PACK, p->hidden);
    for (uint32_t reg = 0; reg < p->base.n_state; reg++)
        if (p->j.in_state >> reg & 1)
            put_register(&p->out, TT_WIRE_PACK, reg);
}

static int is_failure(unsigned code)
{
    return code == TT_EUNIT || code == TT_ECRASH || code == TT_EIO ||
           code == TT_ENOMEM;
}

/* The unit claims that it can be packed and fails at it, and is useless now.
 * Where it stood can be reached once more without asking. */
static enum tt_code go_on_without(struct tt_proxy *p, tt_err *err)
{
    struct tt_wire keep = p->in;
    enum tt_code rc;

    tt_log(p->base.log, TT_LOG_WARN,
           "instance '%s': its state cannot be packed although it declares so: "
           "if its process dies, it cannot go on",
           p->base.name);
    p->hidden = TT_NONE;
    p->in = (struct tt_wire){0};
    (void)snprintf(p->stream->why, sizeof(p->stream->why),
                   "its state could not be packed");
    rc = tt_proxy_revive(p, TT_STREAM_GONE, err);
    tt_wire_fini(&p->in);
    p->in = keep;
    give_up(&p->j);
    return rc;
}

static unsigned read_packed(struct tt_wire_in *r, struct tt_wire *state,
                            uint32_t reg)
{
    struct tt_wire_in result;
    unsigned code = TT_EIO;
    const char *bytes;
    size_t n = 0;

    if (tt_wire_result(r, &code, &result) != TT_WIRE_PACK || code != TT_OK)
        return code == TT_OK ? TT_EIO : code;
    bytes = tt_wire_get_bytes(&result, &n);
    tt_wire_u32(state, reg);
    tt_wire_bytes(state, bytes, n);
    return bytes && !state->failed ? TT_OK : TT_ENOMEM;
}

enum tt_code tt_proxy_read_state(struct tt_proxy *p, struct tt_wire_in *r,
                                 tt_err *err)
{
    struct tt_journal *j = &p->j;
    struct tt_wire_in result;
    struct tt_wire state = {0};
    unsigned code = TT_EIO;

    j->steps = 0;
    if (j->off)
        return TT_OK;
    if (tt_wire_result(r, &code, &result) == TT_WIRE_SAVE && code == TT_OK)
        code = read_packed(r, &state, p->hidden);
    for (uint32_t reg = 0; reg < p->base.n_state && code == TT_OK; reg++)
        if (j->in_state >> reg & 1)
            code = read_packed(r, &state, reg);
    if (code == TT_OK) {
        tt_wire_fini(&j->state);
        j->state = state;
        j->has_state = 1;
        j->at = p->begun.to;
        tt_wire_empty(&j->since);
        return TT_OK;
    }
    tt_wire_fini(&state);
    return is_failure(code) ? go_on_without(p, err) : TT_OK;
}

/* --- beginning again ---------------------------------------------------- */

static enum tt_code start_once(struct tt_proxy *p, struct tt_wire_in *r,
                               enum tt_stream_end *gone, tt_err *err)
{
    char why[200];
    unsigned code = TT_OK;
    struct tt_wire_in all;
    enum tt_stream_end end;
    enum tt_code rc = p->link.ops->open(p->link.ctx, &p->stream, err);

    *gone = TT_STREAM_OK;
    if (rc != TT_OK)
        return rc;
    p->stream->patience_ns = (uint64_t)(p->link.deadline * 1e9);
    end = tt_proxy_write(p, p->j.make.data, p->j.make.n);
    if (end == TT_STREAM_OK)
        end = tt_proxy_read(p);
    *gone = end;
    if (end == TT_STREAM_OK) {
        all = tt_wire_from(p->in.data, p->in.n);
        if (tt_wire_result(&all, &code, r) != TT_WIRE_MAKE)
            return tt_proxy_nonsense(err);
        return code == TT_OK ? TT_OK : tt_wire_failure(code, r, err);
    }
    if (end == TT_STREAM_LATE)
        return tt_fail(err, TT_ECRASH, "instantiate: it did not answer");
    p->link.ops->obituary(p->link.ctx, p->stream, why, sizeof(why));
    return tt_fail(err, TT_ECRASH, "instantiate: %s", why);
}

static void end_stream(struct tt_proxy *p)
{
    if (p->stream)
        p->link.ops->close(p->link.ctx, p->stream, 0);
    p->stream = NULL;
}

/* A unit that has not begun loses nothing by beginning again. */
enum tt_code tt_proxy_start(struct tt_proxy *p, struct tt_wire_in *r,
                            tt_err *err)
{
    enum tt_stream_end gone;
    enum tt_code rc = start_once(p, r, &gone, err);

    for (uint32_t i = 1; gone == TT_STREAM_GONE && i < TRIES; i++) {
        end_stream(p);
        rc = start_once(p, r, &gone, err);
    }
    return rc;
}

/* Results do not matter: they were read once. */
static int ask_again(struct tt_proxy *p, const char *body, size_t n)
{
    return tt_proxy_write(p, body, n) == TT_STREAM_OK &&
           tt_proxy_read(p) == TT_STREAM_OK;
}

static int ask_all_again(struct tt_proxy *p, const struct tt_wire *w)
{
    struct tt_wire_in r = tt_wire_from(w->data, w->n);

    while (r.at < r.end && !r.bad) {
        size_t n;
        const char *body = tt_wire_get_bytes(&r, &n);

        if (!body || !ask_again(p, body, n))
            return 0;
    }
    return 1;
}

static int all_went_well(const struct tt_proxy *p)
{
    struct tt_wire_in r = tt_wire_from(p->in.data, p->in.n), result;
    unsigned code = TT_OK;

    while (tt_wire_result(&r, &code, &result))
        if (code != TT_OK)
            return 0;
    return !r.bad;
}

/* Our own register is unpacked and restored; the others are unpacked. */
static int give_state(struct tt_proxy *p)
{
    struct tt_wire_in r = tt_wire_from(p->j.state.data, p->j.state.n);
    struct tt_wire w = {0};
    int ok;

    while (r.at < r.end && !r.bad) {
        uint32_t reg = tt_wire_get_u32(&r);
        size_t n;
        const char *bytes = tt_wire_get_bytes(&r, &n);

        put_register(&w, TT_WIRE_UNPACK, reg);
        tt_wire_bytes(&w, bytes, n);
    }
    put_register(&w, TT_WIRE_RESTORE, p->hidden);
    ok = !r.bad && !w.failed && ask_again(p, w.data, w.n) && all_went_well(p);
    tt_wire_fini(&w);
    return ok;
}

static int put_watches_again(struct tt_proxy *p)
{
    struct tt_wire w = {0};
    int ok;

    p->n_sent = 0;
    tt_proxy_put_watches(p, &w);
    ok = !w.failed && (!w.n || ask_again(p, w.data, w.n));
    tt_wire_fini(&w);
    return ok;
}

static int begin_again(struct tt_proxy *p, tt_err *err)
{
    struct tt_wire_in r;

    if (tt_proxy_start(p, &r, err) != TT_OK)
        return 0;
    if (ask_all_again(p, &p->j.life) &&
        (!p->base.prepared || put_watches_again(p)) &&
        (!p->j.has_state || give_state(p)) && ask_all_again(p, &p->j.since))
        return 1;
    tt_fail(err, TT_ECRASH, "it died again, or did not take its state back");
    return 0;
}

/* "its process crashed (SIGSEGV)", "it did not answer within 2 s" */
static void put_why(const struct tt_proxy *p, enum tt_stream_end end, char *out,
                    size_t size)
{
    char s[TT_NUM_MAX];

    if (end == TT_STREAM_LATE) {
        tt_num_print_short(s, p->link.deadline);
        (void)snprintf(out, size, "it did not answer within %s s", s);
        return;
    }
    p->link.ops->obituary(p->link.ctx, p->stream, out, size);
}

static void keep_news(struct tt_proxy *p, const char *why)
{
    char t[TT_NUM_MAX], from[TT_NUM_MAX];

    tt_num_print_digits(t, p->base.now, 12);
    tt_num_print_digits(from, p->j.at, 12);
    (void)snprintf(p->j.news, sizeof(p->j.news),
                   "%s at t=%s; it was started again%s%s and goes on", why, t,
                   p->j.has_state ? " from its state at t=" : "",
                   p->j.has_state ? from : "");
}

/* Why it does not begin again, or NULL. */
static const char *obstacle(const struct tt_proxy *p, enum tt_stream_end end)
{
    if (!p->base.desc->caps.serialise)
        return "its state cannot be serialised, so it cannot go on elsewhere";
    if (p->j.off)
        return "its state is not known, so it cannot go on elsewhere";
    if (end == TT_STREAM_LATE && !p->link.ops->silence_is_loss)
        return "an instance that hangs is not started again";
    if (p->j.revived >= MOST)
        return "it was started again too often";
    return NULL;
}

static enum tt_code revive(struct tt_proxy *p, enum tt_stream_end end,
                           tt_err *err)
{
    const char *no = obstacle(p, end);
    char why[200];
    tt_err last = {.msg = ""};
    uint32_t most = end == TT_STREAM_LATE ? 1 : TRIES;

    put_why(p, end, why, sizeof(why));
    end_stream(p);
    if (no)
        return tt_fail(err, TT_ECRASH, "%s; %s", why, no);
    while (p->j.tries < most) {
        p->j.tries++;
        p->j.revived++;
        if (begin_again(p, &last)) {
            keep_news(p, why);
            return TT_OK;
        }
        end_stream(p);
    }
    if (!last.msg[0])
        return tt_fail(err, TT_ECRASH,
                       "%s, again and again since it was started again", why);
    return tt_fail(err, TT_ECRASH, "%s; starting it again failed: %s", why,
                   last.msg);
}

enum tt_code tt_proxy_revive(struct tt_proxy *p, enum tt_stream_end end,
                             tt_err *err)
{
    enum tt_code rc;

    tt_signs_deal(p->signs, 1);
    rc = revive(p, end, err);
    tt_signs_deal(p->signs, 0);
    return rc;
}
