/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_OSP_IMPL_H
#define TT_FORMATS_OSP_IMPL_H

/* An OSP system structure while it is read. Its files are XML with places, as
 * those of an SSP are: struct ssp reads them. */

#include "formats/fields.h"
#include "formats/formats.h"
#include "formats/ssp_impl.h"
#include "kinds/kinds.h"

#define OSP_ROOT        "OspSystemStructure"
#define OSP_MOST_INPUTS 1000u  /* of one sum */
#define OSP_MOST_RATE   10000u /* base steps in a macro step */

/* A simulator, or a function between simulators. */
enum osp_what { OSP_SIMULATOR, OSP_LINEAR, OSP_SUM, OSP_VECTOR };
struct osp_unit {
    enum osp_what what;
    const char *name;
    const char *unit; /* "{key}.instance"; of a VECTOR, of each dimension with
                         its number behind */
    const struct tt_xml_node *node;
    tt_unit_type *type;     /* owned: a simulator's, or NULL: cannot be read */
    struct ssp_doc *groups; /* its OspModelDescription, or NULL */
    uint32_t n_in, n_dim;   /* of a function */
    uint32_t factor;        /* its step, in base steps; 0: not known yet */
};

/* From a variable to another one. */
struct osp_link {
    uint32_t from, to; /* units */
    const char *source, *target;
    const char *bond; /* or NULL */
    struct tt_where where;
};

struct osp {
    struct ssp s;
    struct ssp_doc *doc;
    struct osp_unit *unit;
    size_t n_unit, cap_unit;
    struct tt_names unit_by;
    struct osp_link *link;
    size_t n_link, cap_link;
    double start, step;
    uint32_t many; /* base steps in a macro step */
    int scripted;  /* events are laid over it */
};

/* --- osp_units.c ------------------------------------------------------------
 */

TT_NODISCARD enum tt_code osp_add_units(struct osp *o,
                                        const struct tt_xml_node *root);
/* Initial values of the simulators. */
TT_NODISCARD enum tt_code osp_set_values(struct osp *o);
/* A unit by name; TT_NONE: there is none, and it was reported. */
TT_NODISCARD enum tt_code osp_find(struct osp *o, const char *name,
                                   struct tt_where w, uint32_t *unit);
/* "simulator.variable", for people, as a reference of ours. */
const char *osp_ref(struct osp *o, uint32_t unit, const char *variable);

/* --- osp_nets.c -------------------------------------------------------------
 */

TT_NODISCARD enum tt_code osp_connect(struct osp *o,
                                      const struct tt_xml_node *root);
/* "powerBonds" of what was connected; *n becomes how many there are. */
TT_NODISCARD enum tt_code osp_bonds(struct osp *o, struct tt_buf *json,
                                    uint32_t *n);

/* --- osp_steps.c ------------------------------------------------------------
 */

/* Times, steps of simulators, and the algorithm. */
TT_NODISCARD enum tt_code osp_set_times(struct osp *o,
                                        const struct tt_xml_node *root);

/* --- osp_events.c -----------------------------------------------------------
 */

/* Does it look like a scenario of cosim? */
int osp_is_events(const char *path);
TT_NODISCARD enum tt_code osp_add_events(struct osp *o, const char *path);

/* --- osp_write.c ------------------------------------------------------------
 */

TT_NODISCARD enum tt_code osp_write(const tt_scenario *s,
                                    struct tt_format_target *t, tt_err *err);

#endif
