/* SPDX-License-Identifier: MIT */
#define TT_H5_LIST
#include "table/h5_lib.h"

#include <stddef.h>

#include "sys/lib.h"
#include "sys/sync.h"
#include "table/h5.h"

struct tt_h5_lib tt_h5;

#define SYMBOL(s) {#s, offsetof(struct tt_h5_lib, s)},
static const struct {
    const char *name;
    size_t at; /* in tt_h5 */
} symbol[] = {TT_H5_FUNCTIONS(SYMBOL) TT_H5_IDS(SYMBOL)};
#undef SYMBOL

static struct tt_lock lock = {PTHREAD_MUTEX_INITIALIZER};
static enum { UNTRIED, LOADED, ABSENT } state;
static tt_err why; /* if ABSENT */

static enum tt_code take_symbols(tt_lib *lib)
{
    for (size_t i = 0; i < sizeof(symbol) / sizeof(*symbol); i++)
        if (tt_lib_get(lib, symbol[i].name, (char *)&tt_h5 + symbol[i].at,
                       sizeof(void *)) != 0)
            return tt_fail(&why, TT_EINPUT, "%s has no '%s'", TT_HDF5_SONAME,
                           symbol[i].name);
    return TT_OK;
}

/* Never unloaded: files are open until the end. */
static enum tt_code load(void)
{
    static tt_lib *lib;
    enum tt_code rc = tt_lib_find(&lib, TT_HDF5_SONAME, &why);

    return rc == TT_OK ? take_symbols(lib) : rc;
}

int tt_h5_is_there(void)
{
    int there;

    tt_lock_take(&lock);
    if (state == UNTRIED)
        state = load() == TT_OK ? LOADED : ABSENT;
    there = state == LOADED;
    tt_lock_give(&lock);
    return there;
}

enum tt_code tt_h5_missing(const char *verb, const char *path, tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "cannot %s %s: %s; use .csv or .mat", verb,
                   path, why.msg);
}
