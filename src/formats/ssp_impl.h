/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_SSP_IMPL_H
#define TT_FORMATS_SSP_IMPL_H

/* An SSP while it is read. */

#include "base/buf.h"
#include "base/mem.h"
#include "base/names.h"
#include "formats/ssp.h"
#include "scenario/build.h"
#include "text/xml.h"

#define SSP_ITEMS "EnumerationMappingTransformation"

#define SSP_MOST_DEPTH    32u         /* systems in each other */
#define SSP_MOST_ELEMENTS 1000000u    /* systems and components */
#define SSP_MOST_BYTES    (64u << 20) /* of one file of XML */

/* One file, read. */
struct ssp_doc {
    tt_xml *xml;   /* owned */
    uint32_t file; /* of the scenario's */
    const char *path;
    const char *dir; /* what locations in it are relative to */
    uint32_t *line;  /* owned: where each line begins */
    uint32_t n_line;
    struct ssp_doc *next;
};

/* A system, a component or a signal dictionary. */
enum ssp_what { SSP_SYSTEM, SSP_COMPONENT, SSP_DICTIONARY };
struct ssp_element {
    enum ssp_what what;
    const struct tt_xml_node *node;
    struct ssp_doc *doc;
    uint32_t up;      /* the system it is in; TT_NONE: the root */
    const char *name; /* in there */
    const char *path; /* "drive/motor"; "" of the root */
    const char *unit; /* a component's: "{key}.instance", and of a system
                       * that is nested */
    const char *key;  /* of that */
    /* A component that is a system structure of its own: bindings of the
     * component itself come after those of the system in it. */
    const struct tt_xml_node *outer;
    struct ssp_doc *outer_doc;
    const char *source; /* a component's: its file */
    int alone;          /* ... in a process of its own */
    const char *file;   /* of that structure, in full; of the root, too */
};

/* Which way values go through a connector, seen from outside its element. */
enum ssp_way { SSP_EITHER, SSP_IN, SSP_OUT };
struct ssp_pin {
    uint32_t element;
    const char *name;
    enum ssp_way way;
    struct tt_where where;
    uint32_t whole;    /* of an element of an array: the array's; or TT_NONE */
    const char *index; /* ... and which: "[2,1]" */
    uint32_t part, next_part; /* the first of its elements; the next beside */
    uint32_t driver;          /* pin; TT_NONE */
    const struct tt_sc_transform *by; /* on the way from there, or NULL */
    const struct tt_xml_node *items;  /* a table of names there, or NULL */
    const struct ssp_doc *items_doc;
    struct tt_where link; /* where that is written */
    int is_parameter;
    const char *enumeration;             /* its type's name, or NULL */
    uint32_t origin;                     /* where the chain begins ... */
    const struct tt_sc_transform *chain; /* ... and what happens on the way */
    const struct tt_sc_parameter *value; /* of a system's connector, or NULL */
};

/* What is to be done in a system that is nested, behind what is in it: a
 * connection, a port or a value. */
struct ssp_deed {
    enum { SSP_CONNECT, SSP_PORT, SSP_VALUE } what;
    const struct tt_sc_word *ref; /* the source, or what a port stands for */
    uint32_t n_ref;
    struct tt_sc_word to; /* the target, or a port's name */
    enum tt_sc_port_dir dir;
    const struct tt_sc_transform *by;
    const struct tt_sc_parameter *value; /* of `to` */
    struct ssp_deed *next;
};
struct ssp_deeds {
    struct ssp_deed *first, *last;
};

struct ssp {
    int plain;  /* the structure counts, whatever is in our annotation */
    int nested; /* systems are scenarios inside; else flattened */
    tt_sc_build *b;
    tt_arena *arena; /* owned: what is needed while reading */
    tt_err *err;
    const struct tt_log *log;
    struct ssp_doc *docs; /* owned */
    uint32_t n_file;
    struct ssp_package {
        const char *path, *dir; /* as given, and where it was unpacked */
    } * package;
    size_t n_package, cap_package;
    struct ssp_element *element;
    size_t n_element, cap_element;
    struct ssp_pin *pin;
    size_t n_pin, cap_pin;
    struct tt_names element_by, pin_by; /* "3/name" */
    struct tt_names fmu_by, key_by;     /* by location, by key */
    const char **key;                   /* of FMUs */
    size_t n_key, cap_key;
    struct ssp_drawing *drawing; /* of ssp_drawing.c, or NULL: not yet */
    struct ssp_deeds *deeds;     /* nested: of each element that is a system */
    uint32_t *fed; /* nested: how many of components a pin feeds */
    /* nested: ports by system and pin, "3>7"; names that a system has, as
     * "3:torque"; and its FMUs, "3+{motor}" */
    struct tt_names port_by;
    const char **port; /* their names */
    size_t n_port, cap_port;
};

static inline int ssp_is_component(const struct ssp *s, uint32_t pin)
{
    return s->element[s->pin[pin].element].what == SSP_COMPONENT;
}

/* --- ssp_doc.c --------------------------------------------------------------
 */

/* Read a file of XML whose root is `root`; a file that was read is not read
 * again. */
TT_NODISCARD enum tt_code ssp_read(struct ssp *s, const char *path,
                                   const char *root, struct ssp_doc **out);
/* ... one in an FMU. */
TT_NODISCARD enum tt_code ssp_read_inside(struct ssp *s, const char *fmu,
                                          const char *name, const char *root,
                                          struct ssp_doc **out);
void ssp_free_docs(struct ssp *s);
struct tt_where ssp_where(const struct ssp_doc *d,
                          const struct tt_xml_node *node);
/* An attribute that must be there. */
TT_NODISCARD enum tt_code ssp_need(struct ssp *s, const struct ssp_doc *d,
                                   const struct tt_xml_node *node,
                                   const char *name, const char **value);
/* ... that is a number, if it is there. */
TT_NODISCARD enum tt_code ssp_number(struct ssp *s, const struct ssp_doc *d,
                                     const struct tt_xml_node *node,
                                     const char *name, double *value);
int ssp_is_true(const struct tt_xml_node *node, const char *name);
const struct tt_xml_node *ssp_child(const struct tt_xml_node *node,
                                    const char *name);
/* A location in a file, as a path: relative ones to its folder. */
TT_NODISCARD enum tt_code ssp_path(struct ssp *s, const struct ssp_doc *d,
                                   const char *uri, const char **path);
/* Copies that live while reading; NULL: out of memory. */
TT_PRINTF(2, 3) char *ssp_text(struct ssp *s, const char *fmt, ...);

/* --- ssp.c ------------------------------------------------------------------
 */

int ssp_init(struct ssp *s); /* 0, or -1: out of memory */
void ssp_fini(struct ssp *s);
/* Unpack a package; *path becomes its description, of a variant or (NULL) the
 * main one. */
TT_NODISCARD enum tt_code ssp_unpack(struct ssp *s, const char *package,
                                     const char *variant, const char **path);

/* --- ssp_own.c --------------------------------------------------------------
 */

/* The scenario that an export of ours has put there, if the structure still is
 * the one it was written with; else *out stays. */
TT_NODISCARD enum tt_code ssp_take_own(struct ssp *s, const struct ssp_doc *d,
                                       const struct tt_sc_options *o,
                                       tt_scenario **out);

/* --- ssp_tree.c -------------------------------------------------------------
 */

/* All systems and components below a <System>, and their connectors; `path` is
 * the package or description that was given. */
TT_NODISCARD enum tt_code ssp_add_root(struct ssp *s, struct ssp_doc *d,
                                       const struct tt_xml_node *system,
                                       const char *path);
/* As an instance's name: dots and braces belong to references. */
const char *ssp_plain_name(struct ssp *s, const char *text);
/* "proxyfmu://localhost?file=x.fmu" is x.fmu in a process of its own. */
TT_NODISCARD enum tt_code ssp_unproxy(struct ssp *s, const struct ssp_doc *d,
                                      const struct tt_xml_node *node,
                                      const char **source, int *alone);
/* What an export of ours put there: "{key}.instance"; or NULL. */
const char *ssp_own_name(const struct tt_xml_node *component);
/* enum tt_interface of a component. */
uint8_t ssp_interface(const struct tt_xml_node *component);
/* The FMU at a location: what is at the same one shares it. Without a key
 * (NULL) it gets one from the file's name. */
TT_NODISCARD enum tt_code ssp_add_fmu(struct ssp *s, const struct ssp_doc *d,
                                      const char *source, const char *key,
                                      struct tt_where w, const char **out);
uint32_t ssp_find_element(struct ssp *s, uint32_t up, const char *name);
/* Made where it is not declared. TT_NONE: out of memory. */
uint32_t ssp_get_pin(struct ssp *s, uint32_t element, const char *name,
                     struct tt_where w);
/* One for an element of an array, beside the array's; TT_NONE: out of memory.
 */
uint32_t ssp_get_element_pin(struct ssp *s, uint32_t pin, const char *index);
/* A key that no other has. */
TT_NODISCARD enum tt_code ssp_new_key(struct ssp *s, const char *stem,
                                      const char **out);
/* Lists of the numbers below n: n first ones, none yet, and who follows whom.
 * Answers -1: out of memory. */
int ssp_lists(struct ssp *s, size_t n, uint32_t **first, uint32_t **next);
uint32_t ssp_find_pin(struct ssp *s, uint32_t element, const char *name);

/* --- ssp_nets.c -------------------------------------------------------------
 */

/* What connections state, from pin to pin. */
TT_NODISCARD enum tt_code ssp_link(struct ssp *s);
/* ... and from component to component, as connections of the scenario; the
 * root's connectors are its ports. */
TT_NODISCARD enum tt_code ssp_connect(struct ssp *s);
/* The pin at the beginning of a chain of drivers, and what becomes of values
 * on the way. */
TT_NODISCARD enum tt_code ssp_origin(struct ssp *s, uint32_t pin,
                                     uint32_t *origin,
                                     const struct tt_sc_transform **by);

/* --- ssp_transform.c --------------------------------------------------------
 */

/* A transformation among the children of a node, or NULL in *by, as it is of
 * one that maps items of enumerations by name. It lives as long as the
 * scenario. */
TT_NODISCARD enum tt_code ssp_transform(struct ssp *s, const struct ssp_doc *d,
                                        const struct tt_xml_node *node,
                                        const struct tt_sc_transform **by);
/* Tables of names on the way to all pins, as tables of numbers: those of the
 * enumerations that the connectors have in the file, else of the variables that
 * have the same values. */
TT_NODISCARD enum tt_code ssp_map_items(struct ssp *s);
/* Is a value in its table? */
int ssp_is_mapped(const struct tt_sc_transform *by, double v);
/* First one, then another; either may be NULL. */
TT_NODISCARD enum tt_code ssp_combine(struct ssp *s,
                                      const struct tt_sc_transform *first,
                                      const struct tt_sc_transform *then,
                                      const struct tt_sc_transform **out);

/* --- ssp_spread.c -----------------------------------------------------------
 */

/* Arrays that are fed whole and read by elements, at connectors of systems, and
 * the other way round: behind this each has a source of its own kind. */
TT_NODISCARD enum tt_code ssp_spread(struct ssp *s);

/* --- ssp_nest.c -------------------------------------------------------------
 */

TT_NODISCARD enum tt_code ssp_nest_begin(struct ssp *s);
/* A connector of a component that gets its value from another one's. */
TT_NODISCARD enum tt_code ssp_nest_connect(struct ssp *s, uint32_t pin);
/* A component's variable as the outermost system names it; NULL: out of
 * memory. `via`: the connector there that it feeds or is fed by. */
const char *ssp_nest_ref(struct ssp *s, uint32_t pin, uint32_t via);
/* A port of the outermost system. */
TT_NODISCARD enum tt_code ssp_nest_port(struct ssp *s, enum tt_sc_port_dir dir,
                                        struct tt_sc_word name,
                                        const struct tt_sc_word *ref,
                                        uint32_t n);
TT_NODISCARD enum tt_code ssp_nest_give(struct ssp *s, uint32_t element,
                                        struct tt_sc_word ref,
                                        const struct tt_sc_parameter *value);
/* All systems, from the inside to the outermost one. */
TT_NODISCARD enum tt_code ssp_nest_finish(struct ssp *s);

/* --- ssp_drawing.c ---------------------------------------------------------
 */

/* The field "diagram" of `b`: what is in one system, in its own coordinates, or
 * (TT_NONE) all components in those of the outermost one. */
TT_NODISCARD enum tt_code ssp_draw(struct ssp *s, tt_sc_build *b,
                                   uint32_t system);
/* The scenario of an export of ours with what another tool has moved; nothing
 * is added to `out` where all is as it was. */
TT_NODISCARD enum tt_code ssp_redraw(struct ssp *s, const struct ssp_doc *d,
                                     const char *json, struct tt_buf *out);

/* --- ssp_notes.c -----------------------------------------------------------
 */

/* The field "annotations": what other tools wrote beside elements. */
TT_NODISCARD enum tt_code ssp_note(struct ssp *s, const struct ssp_doc *d);
/* What has no place in a scenario, as "metadata, signatures"; NULL: none, or
 * out of memory. It lives while reading. `own`: the scenario that is taken
 * instead, or NULL. */
const char *ssp_left_out(struct ssp *s, const struct ssp_doc *d,
                         const tt_scenario *own);

/* --- ssp_values.c -----------------------------------------------------------
 */

/* A value of a type as SSP and OSP name it; the text stays, as with --set. 0,
 * or -1: it is none. */
int ssp_scalar(const char *type, const char *text, struct tt_sc_value *v);
/* The child with this 'name'; NULL: none. */
const struct tt_xml_node *ssp_named(const struct tt_xml_node *list,
                                    const char *name);
/* Values of all parameter bindings. */
TT_NODISCARD enum tt_code ssp_bind_values(struct ssp *s);

#endif
