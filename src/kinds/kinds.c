/* SPDX-License-Identifier: MIT */
#include "kinds/kinds.h"

#include <string.h>

#include "kinds/fmi_common.h"

static const struct tt_kind_ops *const all[] = {
    &tt_kind_signal,
    &tt_kind_coupling,
    &tt_kind_clock,
    &tt_kind_locate,
    &tt_kind_block,
    &tt_kind_formula,
    &tt_kind_script,
    &tt_kind_gate,
    &tt_kind_devs,
    &tt_kind_library,
    &tt_kind_map,
    &tt_kind_fmi1,
    &tt_kind_fmi2,
    &tt_kind_fmi3,
    /* after co-simulation, which is taken first */
    &tt_kind_fmi1me,
    &tt_kind_fmi2me,
    &tt_kind_fmi3me,
    &tt_kind_fmi3se,
};
enum { N_KIND = sizeof(all) / sizeof(all[0]) };

static const char *interface_name(enum tt_interface i)
{
    static const char *const name[] = {
        [TT_INTERFACE_ANY] = "simulation",
        [TT_INTERFACE_CO_SIMULATION] = "co-simulation",
        [TT_INTERFACE_MODEL_EXCHANGE] = "model exchange",
        [TT_INTERFACE_SCHEDULED_EXECUTION] = "scheduled execution",
    };

    return name[i];
}

static enum tt_code fmi_kind_for(const struct tt_kind_ops **kind,
                                 const struct tt_source *s, int version,
                                 tt_err *err)
{
    int known = 0;

    for (size_t i = 0; i < N_KIND; i++) {
        if (all[i]->fmi != version)
            continue;
        known = 1;
        *kind = all[i];
        if (!s->interface || all[i]->interface == s->interface)
            return TT_OK;
    }
    if (known)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s: FMI %d for %s is not supported", s->path, version,
                       interface_name(s->interface));
    return tt_fail(err, TT_EUNSUPPORTED,
                   "%s: FMI %d is not supported, only 1, 2 and 3", s->path,
                   version);
}

int tt_kind_is_builtin(const struct tt_source *s, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(s->path, name, n) && (!s->path[n] || s->path[n] == ':');
}

enum tt_code tt_kind_for(const struct tt_kind_ops **kind,
                         const struct tt_source *s, tt_err *err)
{
    int version;
    enum tt_code rc;

    for (size_t i = 0; i < N_KIND; i++)
        if (!all[i]->fmi && all[i]->accepts(s)) {
            *kind = all[i];
            return TT_OK;
        }
    if (strncmp(s->path, "tutti:", 6) == 0)
        return tt_fail(
            err, TT_EINPUT,
            "%s: there is no such instance built in, only "
            "'tutti:clock', 'tutti:coupling', 'tutti:dead-time', "
            "'tutti:formula:', 'tutti:locate:', "
            "'tutti:quantize', 'tutti:sample' and those of discrete events, "
            "'tutti:queue' for example",
            s->path);
    rc = tt_kfmi_version(s->path, &version, err);
    return rc == TT_OK ? fmi_kind_for(kind, s, version, err) : rc;
}
