/* SPDX-License-Identifier: MIT */
/* Names and sentences. */
#include "step/policy_impl.h"

#include <stdio.h>

#include "base/num.h"

/* It caps what others propose (policy.c). */
static const struct policy_ops unit_max_ops = {0};

static const struct {
    const char *name;
    const struct policy_ops *ops;
} all[] = {
    [TT_POLICY_FIXED] = {"fixed step", &tt_policy_fixed_ops},
    [TT_POLICY_ZERO] = {"zero crossing", &tt_policy_zero_ops},
    [TT_POLICY_BOUNDED] = {"bounded difference", &tt_policy_bounded_ops},
    [TT_POLICY_SAMPLING] = {"sampling rate", &tt_policy_sampling_ops},
    [TT_POLICY_UNIT_MAX] = {"maximum step", &unit_max_ops},
    [TT_POLICY_ERROR] = {"error control", &tt_policy_error_ops},
    [TT_POLICY_INSTANTS] = {"instants", &tt_policy_instants_ops},
    [TT_POLICY_LOCATE] = {"crossing", &tt_policy_locate_ops},
};

const struct policy_ops *tt_policy_ops_of(enum tt_policy_kind k)
{
    return all[k].ops;
}

const char *tt_policy_kind_name(enum tt_policy_kind k)
{
    return all[k].name;
}

const char *tt_policy_name(const struct tt_policy *p, uint32_t i)
{
    static const char *const own[TT_POLICY_OWN_COUNT] = {
        "first step", "largest step", "event", "end of the run", "instance",
    };

    return i < p->n ? (const char *)p + p->members[i].name_at : own[i - p->n];
}

struct words {
    char value[TT_NUM_MAX], limit[TT_NUM_MAX], h[TT_NUM_MAX];
    char t0[TT_NUM_MAX], t1[TT_NUM_MAX];
};

static int words_what(const struct tt_policy_ruling *r,
                      const struct tt_policy_evidence *ev,
                      const struct words *w, char *out, size_t size)
{
    switch (r->reason) {
    case TT_POLICY_FINE:
        return snprintf(out, size, "accepted");
    case TT_POLICY_NAN:
        return snprintf(out, size, "a value is %s", w->value);
    case TT_POLICY_ZERO_LENGTH:
        return snprintf(out, size, "the step has no length");
    case TT_POLICY_UNIT:
        if (ev->outcome == TT_POLICY_EARLY)
            return snprintf(out, size, "an instance returned early at %s s",
                            w->value);
        if (ev->outcome == TT_POLICY_LOST)
            return snprintf(out, size, "the instances did not agree");
        if (r->exact)
            return snprintf(
                out, size, "an instance rejected the step and could reach %s s",
                w->value);
        return snprintf(out, size, "an instance rejected the step");
    case TT_POLICY_CROSSED:
        return snprintf(out, size,
                        "a crossing, at least %s from zero at both ends, "
                        "exceeds the tolerance %s",
                        w->value, w->limit);
    case TT_POLICY_DIFFERENCE:
        return snprintf(out, size, "the difference %s exceeds the tolerance %s",
                        w->value, w->limit);
    case TT_POLICY_ERR:
        return snprintf(out, size, "the error is %s times what is tolerated",
                        w->value);
    case TT_POLICY_ZENO:
        return snprintf(out, size, "chattering: %s smallest steps within %s s",
                        w->value, w->limit);
    case TT_POLICY_LOCATING:
        return snprintf(out, size, "zero is crossed between %s s and %s s",
                        w->value, w->limit);
    }
    return 0;
}

static const char *words_then(const struct tt_policy_ruling *r)
{
    switch (r->verdict) {
    case TT_POLICY_ACCEPT:
        return "";
    case TT_POLICY_ACCEPT_WARN:
        return r->at_min ? "; kept, for it is the smallest step"
                         : "; kept, for not all instances can roll back";
    case TT_POLICY_RETRY:
        return "; retried with h = ";
    case TT_POLICY_GIVE_UP:
        if (r->reason == TT_POLICY_ZENO || r->reason == TT_POLICY_ZERO_LENGTH)
            return "; giving up";
        return r->at_min ? "; giving up at the smallest step"
                         : "; giving up, for not all instances can roll back";
    }
    return "";
}

size_t tt_policy_explain(const struct tt_policy *p,
                         const struct tt_policy_ruling *r,
                         const struct tt_policy_evidence *ev, char *out,
                         size_t size)
{
    int retry = r->verdict == TT_POLICY_RETRY, named = r->by < p->n;
    char what[256];
    struct words w;
    int len;

    tt_num_print_short(w.value, r->value);
    tt_num_print_short(w.limit, r->limit);
    tt_num_print_short(w.h, r->h);
    tt_num_print_short(w.t0, ev->t0);
    tt_num_print_short(w.t1, ev->t1);
    words_what(r, ev, &w, what, sizeof(what));
    len = snprintf(out, size, "%s%s%s%sstep from %s s to %s s: %s%s%s%s",
                   named ? tt_policy_kind_name(p->members[r->by].kind) : "",
                   named ? " '" : "", named ? tt_policy_name(p, r->by) : "",
                   named ? "': " : "", w.t0, w.t1, what, words_then(r),
                   retry ? w.h : "", retry ? " s" : "");
    return len > 0 ? (size_t)len : 0;
}
