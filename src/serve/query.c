/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "serve/serve_impl.h"

/* "name=value" or "name": how long is the name? */
static size_t name_length(const char *item)
{
    return strcspn(item, "=");
}

static const char *item_at(const struct tt_query *q, unsigned i)
{
    return q->text.data + q->at[i];
}

static int is_named(const char *item, const char *name)
{
    size_t n = name_length(item);

    return strlen(name) == n && memcmp(item, name, n) == 0;
}

const char *tt_query_get(const struct tt_query *q, const char *name)
{
    for (unsigned i = 0; i < q->n; i++) {
        const char *item = item_at(q, i), *value = item + name_length(item);

        if (is_named(item, name))
            return *value == '=' ? value + 1 : value;
    }
    return NULL;
}

static void unknown(struct tt_request *r, const char *item,
                    const char *const *known)
{
    char name[128];
    const char *near;
    size_t n = 0;

    snprintf(name, sizeof(name), "%.*s", (int)name_length(item), item);
    while (known && known[n])
        n++;
    near = n ? tt_names_nearest(name, n, tt_name_in, known) : NULL;
    if (near)
        tt_answer_error(&r->answer, 400,
                        "there is no parameter '%s' here; did you mean '%s'?",
                        name, near);
    else
        tt_answer_error(&r->answer, 400, "there is no parameter '%s' here",
                        name);
}

int tt_query_check(struct tt_request *r, const char *const *known)
{
    const struct tt_query *q = &r->query;
    size_t seen = 0, k;

    if (q->too_many || q->text.failed) {
        tt_answer_error(&r->answer, 400, "too many parameters");
        return -1;
    }
    for (unsigned i = 0; i < q->n; i++) {
        for (k = 0; known && known[k] && !is_named(item_at(q, i), known[k]);)
            k++;
        if (!known || !known[k]) {
            unknown(r, item_at(q, i), known);
            return -1;
        }
        if (seen & (size_t)1 << k) {
            tt_answer_error(&r->answer, 400,
                            "the parameter '%s' is there "
                            "twice",
                            known[k]);
            return -1;
        }
        seen |= (size_t)1 << k;
    }
    return 0;
}
