/* SPDX-License-Identifier: MIT */
/* Bytes from a network: a worker that serves them, and a description that was
 * sent to a master. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "kinds/kinds.h"
#include "remote/wire.h"
#include "remote/worker.h"

/* A stream of what the fuzzer says; nobody hears the answers. */
struct tape {
    tt_stream base;
    const uint8_t *at;
    size_t left;
};

static enum tt_stream_end tape_write(tt_stream *s, const void *data, size_t n)
{
    (void)s;
    (void)data;
    (void)n;
    return TT_STREAM_OK;
}

static enum tt_stream_end tape_read(tt_stream *s, void *data, size_t n)
{
    struct tape *t = (struct tape *)(void *)s;

    if (n > t->left)
        return TT_STREAM_GONE;
    memcpy(data, t->at, n);
    t->at += n;
    t->left -= n;
    return TT_STREAM_OK;
}

static void tape_close(tt_stream *s)
{
    (void)s;
}

static const struct tt_stream_ops tape_ops = {
    .write = tape_write,
    .read = tape_read,
    .close = tape_close,
};

static void serve(const uint8_t *data, size_t size, int foreign)
{
    static tt_unit_type *type;
    const struct tt_source s = {.path = "tutti:coupling"};
    struct tape t = {.base = {.ops = &tape_ops}, .at = data, .left = size};
    struct tt_worker_host host = {.peer = "fuzzer"};

    if (!type && tt_kind_coupling.open(&type, &s, NULL) != TT_OK)
        return;
    if (foreign)
        host.token = "a token nobody guesses";
    else
        host.type = type;
    (void)tt_worker_serve(&t.base, &host);
}

static void describe(const uint8_t *data, size_t size)
{
    struct tt_wire_in r = tt_wire_from(data, size);
    tt_arena *a = tt_arena_new();
    struct tt_wire w = {0};
    struct tt_desc d;

    if (tt_wire_get_desc(&r, a, &d, NULL) == TT_OK)
        tt_wire_desc(&w, &d); /* what was taken can be sent */
    tt_wire_fini(&w);
    tt_names_fini(&d.by_name);
    tt_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 3 == 2)
        describe(data + 1, size - 1);
    else
        serve(data + 1, size - 1, data[0] % 3 == 1);
    return 0;
}
