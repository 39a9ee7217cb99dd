/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPORT_EXPORT_IMPL_H
#define TT_EXPORT_EXPORT_IMPL_H

/* The parts of exporting: what goes in (bundle.c), what is described of it
 * (describe.c and describe_vars.c). */

#include "base/buf.h"
#include "export/export.h"
#include "fmi/fmu.h"
#include "formats/places.h"
#include "text/archive.h"
#include "text/parcel.h"

/* Why units on other hosts are refused. */
#define TT_EXPORT_HERE "an exported FMU holds all its instances"

/* --- what goes in: bundle.c ----------------------------------------------- */

struct tt_bundle {
    tt_parcel *parcel;       /* borrowed */
    struct tt_places places; /* owned: names below resources/ */
    struct tt_opened {
        tt_fmu *fmu;         /* owned, or NULL */
        tt_archive *archive; /* owned, or NULL */
    } * opened;              /* owned: until the parcel is closed */
    size_t n_opened, cap;
    uint32_t n_fmu;        /* of these */
    const char *only_base; /* as in struct tt_export */
};

TT_NODISCARD enum tt_code tt_bundle_init(struct tt_bundle *b, tt_parcel *p,
                                         tt_err *err);
void tt_bundle_fini(struct tt_bundle *b);
/* A scenario with all it needs; *name is where it is below resources/. */
TT_NODISCARD enum tt_code tt_bundle_scenario(struct tt_bundle *b,
                                             const char *path,
                                             const char **name, tt_err *err);

/* --- descriptions: describe.c --------------------------------------------- */

struct tt_describe {
    const struct tt_desc *desc;
    int fmi;
    const char *identifier, *token;
    const struct tt_log *log;
};

/* modelDescription.xml, appended. Refuses inputs and outputs of a type that
 * this FMI does not have; others are left out, which is reported. */
TT_NODISCARD enum tt_code tt_export_describe(struct tt_buf *b,
                                             const struct tt_describe *x,
                                             uint32_t *n_variable, tt_err *err);

#endif
