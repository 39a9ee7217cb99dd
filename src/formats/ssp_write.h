/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_SSP_WRITE_H
#define TT_FORMATS_SSP_WRITE_H

/* An SSP while it is written, and what is ours in it.
 *
 *   SystemStructure.ssd        the structure, and in an annotation of type
 *                              urn:tutti:ssp the scenario as JSON, a hash of
 *                              the structure, and one of each part
 *   resources/parameters.ssv   start values
 *   resources/...              FMUs, tables, scenarios inside, masters
 */

#include "base/buf.h"
#include "base/sha256.h"
#include "formats/formats.h"
#include "formats/places.h"
#include "scenario/scenario.h"
#include "text/parcel.h"
#include "text/xml.h"
#include "unit/move.h"
#include "unit/unit.h"

#define SSP_VALUES "resources/parameters.ssv"

/* A file of the package, in a list. */
struct ssp_part {
    const char *name;
    char sha256[TT_SHA256_HEX];
    char states[TT_SHA256_HEX]; /* of one of SSP: ssp_hash; else "" */
};

struct ssp_out {
    const tt_scenario *s;
    int two;                   /* SSP 2.0 */
    const struct tt_log *log;  /* gets what other tools will not see */
    tt_unit_moved_cb moved_cb; /* writes adaptations */
    tt_parcel *parcel;         /* owned */
    struct tt_places places;   /* owned */
    const char **source;   /* in the arena: per FMU, its place in the package
                            * or NULL: it is not in the structure */
    const char **name;     /* per unit: of its component; or NULL */
    struct ssp_part *part; /* owned */
    size_t n_part, cap_part;
    tt_unit_type **type; /* owned, per FMU: what it declares, or NULL */
    const struct tt_quantity **unit; /* owned: those of connectors */
    size_t n_unit, cap_unit;
    struct tt_names unit_by;      /* owned: their names */
    const struct tt_sc_box **box; /* in the arena: per unit, or NULL */
    struct tt_names note_by;      /* owned: annotations, by their element */
    char *noted;                  /* in the arena: of each, is it written? */
    struct tt_buf json;           /* the scenario, with its new places */
    tt_xml *was;        /* owned: the structure it was read as, or NULL */
    struct tt_buf text; /* of that; ... */
    int again;          /* ... which is written as it was */
};

/* The structure that the scenario was read as (ssp_again.c), and whether it is
 * to be written as it was; then its files go along. `lost` counts what is not
 * kept otherwise. */
TT_NODISCARD enum tt_code
ssp_find_origin(struct ssp_out *o, struct tt_format_target *t, tt_err *err);
/* Its text with our annotation. */
TT_NODISCARD enum tt_code ssp_put_again(struct tt_buf *b,
                                        const struct ssp_out *o,
                                        const char *version, const char *hash,
                                        tt_err *err);
/* Of a structure that is written anew, what the one that was read states
 * (ssp_kept.c): attributes of its root, and of an element, "drive/motor", with
 * or without a connector; its enumerations; the name of its system; and what is
 * left out: "metadata, signatures" (ssp_notes.c). */
void ssp_put_left_out(struct tt_buf *b, const tt_xml *xml);
void ssp_put_kept_root(struct tt_buf *b, const struct ssp_out *o);
void ssp_put_kept(struct tt_buf *b, const struct ssp_out *o,
                  const char *element, const char *connector);
void ssp_put_kept_enumerations(struct tt_buf *b, const struct ssp_out *o);
/* The type of a connector that is an enumeration there; 0: it is none. */
int ssp_put_kept_type(struct tt_buf *b, const struct ssp_out *o,
                      const char *element, const char *connector);
const char *ssp_kept_name(const struct ssp_out *o);
/* Our annotation: the scenario, and hashes of all parts. */
void ssp_put_own(struct tt_buf *b, const struct ssp_out *o, const char *hash);

/* The files: fills everything but `name`. */
TT_NODISCARD enum tt_code ssp_put_files(struct ssp_out *o, tt_err *err);
/* What the FMUs declare, of those that can be read; after the files. */
TT_NODISCARD enum tt_code ssp_find_types(struct ssp_out *o, tt_err *err);
void ssp_drop_types(struct ssp_out *o);
/* What an FMU declares; NULL: it cannot be read, which is reported where it is
 * to be run. */
tt_unit_type *ssp_open_type(const char *path);
/* The declared port, or NULL; `type` per FMU of the scenario. */
const struct tt_port *ssp_port_of(const tt_scenario *s,
                                  tt_unit_type *const *type,
                                  const struct tt_sc_ref *r);
const struct tt_port *ssp_port(const struct ssp_out *o,
                               const struct tt_sc_ref *r);
/* Type, unit and dimensions of a connector; of none (NULL) nothing. */
void ssp_put_type(struct tt_buf *b, const struct ssp_out *o,
                  const struct tt_port *p);
/* Where units are drawn (ssp_drawing.c): find it, -1: out of memory; an
 * element's, and that of all. */
int ssp_find_boxes(struct ssp_out *o);
void ssp_put_box(struct tt_buf *b, const struct ssp_out *o, uint32_t unit);
void ssp_put_canvas(struct tt_buf *b, const struct ssp_out *o);
/* Annotations of other tools (ssp_notes.c): find them, -1: out of memory; those
 * of an element, or nothing; and whether it has any. */
int ssp_find_notes(struct ssp_out *o);
void ssp_put_note(struct tt_buf *b, const struct ssp_out *o, const char *of);
void ssp_put_notes(struct tt_buf *b, const struct ssp_out *o, const char *of);
/* "{key}.instance.variable"; NULL: out of memory. */
TT_PRINTF(2, 3)
const char *ssp_note_key(const struct ssp_out *o, const char *fmt, ...);
const char *ssp_ref_key(const struct ssp_out *o, const struct tt_sc_ref *r);
/* ... of the connection between two of these. */
void ssp_put_link_notes(struct tt_buf *b, const struct ssp_out *o,
                        const char *from, const char *to);
/* The texts of structure and values. Without a hash for structure "" is
 * written. */
void ssp_put_structure(struct tt_buf *b, const struct ssp_out *o,
                       const char *hash);
/* Values that SSP cannot express are reported. */
void ssp_put_values(struct tt_buf *b, const struct ssp_out *o);
/* A file of the package, and in the list of parts. */
TT_NODISCARD enum tt_code ssp_put_bytes(struct ssp_out *o, const char *name,
                                        const struct tt_buf *bytes,
                                        tt_err *err);
TT_NODISCARD enum tt_code ssp_put_file(struct ssp_out *o, const char *name,
                                       const char *path, tt_err *err);
/* A part in the list, of these bytes. */
TT_NODISCARD enum tt_code ssp_note_part(struct ssp_out *o, const char *name,
                                        const struct tt_buf *bytes,
                                        tt_err *err);

/* What a structure, or a file of values, states, without annotations, geometry,
 * descriptions, authors and tools: two files with one hash are one system. */
void ssp_hash(const tt_xml *xml, char hex[TT_SHA256_HEX]);
/* ... of a text; 0: it is no XML. */
int ssp_hash_text(const struct tt_buf *text, const char *name,
                  char hex[TT_SHA256_HEX]);

#endif
