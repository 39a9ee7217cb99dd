/* SPDX-License-Identifier: MIT */
/* What the processes of units may do, in the words of the public header. */
#include "api/api_impl.h"
#include "base/mem.h"

#define NEEDED (TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS)

static enum tt_code copy_folders(struct api_sandbox *a,
                                 const struct tutti_sandbox *s, tt_err *err)
{
    if (s->n_write && !s->write)
        return tt_fail(err, TT_EINPUT,
                       "sandbox: n_write is %zu, but write is NULL",
                       s->n_write);
    if (!TT_NEW_ARRAY(a->write, s->n_write + 1))
        return tt_nomem(err, "preparing the sandbox");
    for (; a->n_write < s->n_write; a->n_write++) {
        const char *path = s->write[a->n_write];

        if (!path)
            return tt_fail(err, TT_EINPUT, "sandbox: write[%zu] is NULL",
                           a->n_write);
        a->write[a->n_write] = tt_strdup(path);
        if (!a->write[a->n_write])
            return tt_nomem(err, "preparing the sandbox");
    }
    a->box.write = (const char *const *)(const void *)a->write;
    a->box.n_write = a->n_write;
    return TT_OK;
}

/* Can it be had here? Reported now, and not at the first unit. */
static enum tt_code try_box(const struct tt_sandbox *s, tt_err *err)
{
    struct tt_box box;
    enum tt_code rc = tt_box_open(&box, s, err);

    tt_box_close(&box);
    return rc;
}

enum tt_code api_sandbox_take(struct api_sandbox *a,
                              const struct tutti_sandbox *s, tt_err *err)
{
    enum tt_code rc;

    if (!s)
        return TT_OK;
    a->box.limit = (struct tt_limits){
        .memory = s->memory, .file_size = s->file_size, .cpu_s = s->cpu};
    if (s->only_limits && (s->n_write || s->network))
        return tt_fail(err, TT_EINPUT,
                       "sandbox: with only_limits nothing is refused, so %s "
                       "allows nothing",
                       s->network ? "network" : "write");
    if (!s->only_limits) {
        a->box.guards = NEEDED | TT_GUARD_SIGNALS;
        if (s->network)
            a->box.guards &= ~(unsigned)TT_GUARD_NETWORK;
        a->box.need = a->box.guards & NEEDED;
    }
    rc = copy_folders(a, s, err);
    if (rc == TT_OK)
        rc = tt_limit_check(
            s->memory, "sandbox: a memory limit of",
            "this process holds, of which instances' processes are copies",
            err);
    if (rc == TT_OK)
        rc = try_box(&a->box, err);
    a->on = rc == TT_OK;
    return rc;
}

void api_sandbox_fini(struct api_sandbox *a)
{
    for (size_t i = 0; i < a->n_write; i++)
        tt_free(a->write[i]);
    tt_free(a->write);
}
