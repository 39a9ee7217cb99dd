/* SPDX-License-Identifier: MIT */
#include "unit/desc.h"

#include "base/mem.h"

uint32_t tt_desc_find(const struct tt_desc *d, const char *name)
{
    return tt_names_find(&d->by_name, name);
}

struct choice {
    const struct tt_desc *desc;
    const uint32_t *port;
};

static const char *choice_name(const void *ctx, size_t i)
{
    const struct choice *c = ctx;

    return c->desc->port[c->port[i]].name;
}

const char *tt_desc_nearest(const struct tt_desc *d, const char *wrong,
                            int causality)
{
    uint32_t *port, n = 0;
    const char *name;

    if (!TT_NEW_ARRAY(port, d->n_port))
        return NULL; /* a suggestion is a courtesy */
    for (uint32_t i = 0; i < d->n_port; i++)
        if (causality < 0 || (int)d->port[i].causality == causality)
            port[n++] = i;
    name = tt_names_nearest(wrong, n, choice_name, &(struct choice){d, port});
    tt_free(port);
    return name;
}

size_t tt_port_size(const struct tt_port *p)
{
    return p->n * tt_type_size(p->type);
}

const char *tt_causality_name(enum tt_causality c)
{
    static const char *const name[] = {
        [TT_CAUS_LOCAL] = "local",
        [TT_CAUS_PARAMETER] = "parameter",
        [TT_CAUS_CALCULATED] = "calculatedParameter",
        [TT_CAUS_STRUCTURAL] = "structuralParameter",
        [TT_CAUS_INPUT] = "input",
        [TT_CAUS_OUTPUT] = "output",
        [TT_CAUS_INDEPENDENT] = "independent",
    };

    return (size_t)c < sizeof(name) / sizeof(name[0]) ? name[c] : "?";
}

const char *tt_variability_name(enum tt_variability v)
{
    static const char *const name[] = {
        [TT_VAR_CONSTANT] = "constant",     [TT_VAR_FIXED] = "fixed",
        [TT_VAR_TUNABLE] = "tunable",       [TT_VAR_DISCRETE] = "discrete",
        [TT_VAR_CONTINUOUS] = "continuous",
    };

    return (size_t)v < sizeof(name) / sizeof(name[0]) ? name[v] : "?";
}

const char *tt_initial_name(enum tt_initial i)
{
    static const char *const name[] = {
        [TT_INIT_NONE] = "none",
        [TT_INIT_EXACT] = "exact",
        [TT_INIT_APPROX] = "approx",
        [TT_INIT_CALCULATED] = "calculated",
    };

    return (size_t)i < sizeof(name) / sizeof(name[0]) ? name[i] : "?";
}

const char *tt_reactivity_name(enum tt_reactivity r)
{
    static const char *const name[] = {
        [TT_REACT_EITHER] = "either",
        [TT_REACT_REACTIVE] = "reactive",
        [TT_REACT_DELAYED] = "delayed",
    };

    return (size_t)r < sizeof(name) / sizeof(name[0]) ? name[r] : "?";
}
