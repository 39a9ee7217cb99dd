/* SPDX-License-Identifier: MIT */
#include "formats/ssp_rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/names.h"

/* Words of a table below.
 *
 * Attributes: "!name" is needed, "2name" is of SSP 2.0, ":d" a number, ":l" a
 * list of them, ":i" a whole one, ":b" a Boolean, ":n" a name that no other
 * element has, ":a,b" one of these texts.
 * Elements, in their order: "Name" is there once, "Name?" at most once,
 * "Name*" as often as wanted, "Name+" at least once, "2Name" is of SSP 2.0,
 * "A,B" one or the other, "Name=Rule" has a rule of another name. "%" begins a
 * list of elements that are looked at among any others. */
struct rule {
    const char *name, *attrs, *elements;
};

#define BASE " id:n description"
#define TOP                                                                    \
    BASE " author fileversion copyright license generationTool "               \
         "generationDateAndTime"
#define VERSION "!version:1.0,2.0"
#define META    " 2MetaData* 2Signature*"
#define NOTES   " Annotations?"
#define TYPES                                                                  \
    "Real,2Float64=Real,2Float32=Real,Integer,2Int8=Integer,2UInt8=Integer,"   \
    "2Int16=Integer,2UInt16=Integer,2Int32=Integer,2UInt32=Integer,"           \
    "2Int64=Integer,2UInt64=Integer,Boolean=Integer,String=Integer,"           \
    "Enumeration=EnumerationType,Binary=BinaryType,2Clock=ClockType"
#define GIVEN                                                                  \
    "Real=GivenReal,2Float64=GivenReal,2Float32=GivenReal,Integer=Given,"      \
    "2Int8=Given,2UInt8=Given,2Int16=Given,2UInt16=Given,2Int32=Given,"        \
    "2UInt32=Given,2Int64=Given,2UInt64=Given,Boolean=Given,"                  \
    "String=GivenText,Enumeration=GivenItem,Binary=GivenBinary"
#define TRANSFORMS                                                             \
    "LinearTransformation,BooleanMappingTransformation,"                       \
    "IntegerMappingTransformation,EnumerationMappingTransformation"
#define ELEMENT  "Connectors? ElementGeometry? ParameterBindings?" META
#define CORNERS  "!x1:d !y1:d !x2:d !y2:d"
#define SOURCE   " type source sourceBase:SSD,component"
#define RESOURCE " source sourceBase:file,resource" BASE

static const struct rule rules[] = {
    {"SystemStructureDescription", VERSION " !name" TOP,
     "System Enumerations? Units? DefaultExperiment?" META NOTES},
    {"System", "!name" BASE,
     ELEMENT " Elements? Connections? SignalDictionaries? SystemGeometry? "
             "GraphicalElements?" NOTES},
    {"Component",
     "!name type source "
     "implementation:any,ModelExchange,CoSimulation,2ScheduledExecution" BASE,
     ELEMENT NOTES},
    {"SignalDictionaryReference", "!name !dictionary" BASE, ELEMENT NOTES},
    {"Connectors", "", "Connector+"},
    {"Connector",
     "!name "
     "!kind:input,output,parameter,calculatedParameter,inout,"
     "2structuralParameter,2constant,2local,2unspecified" BASE,
     TYPES "? 2Dimension* 2Clock=ClockName* ConnectorGeometry?" NOTES},
    {"Real", "unit", ""},
    {"Integer", "", ""},
    {"EnumerationType", "!name", ""},
    {"BinaryType", "mime-type", ""},
    {"ClockType",
     "intervalVariability intervalDecimal:d shiftDecimal:d supportsFraction:b "
     "resolution:i intervalCounter:i shiftCounter:i priority:i",
     ""},
    {"ClockName", "!name", ""},
    {"Dimension", "size:i sizeConnector", ""},
    {"ConnectorGeometry", "!x:d !y:d 2systemInnerX:d 2systemInnerY:d", ""},
    {"ElementGeometry",
     CORNERS " rotation:d iconSource iconRotation:d iconFlip:b "
             "iconFixedAspectRatio:b",
     ""},
    {"Elements", "", "Component,SignalDictionaryReference,System+"},
    {"Connections", "", "Connection+"},
    {"Connection",
     "startElement !startConnector 2startIndices endElement !endConnector "
     "2endIndices suppressUnitConversion:b" BASE,
     TRANSFORMS "? ConnectionGeometry?" NOTES},
    {"ConnectionGeometry", "!pointsX:l !pointsY:l", ""},
    {"SignalDictionaries", "", "SignalDictionary=Dictionary+"},
    {"Dictionary", "!name type source" BASE, "% SignalDictionary"},
    {"SystemGeometry", CORNERS, ""},
    {"GraphicalElements", "", "Note+"},
    {"Note", CORNERS " !text", ""},
    {"DefaultExperiment", "startTime:d stopTime:d", "Annotations?"},
    {"ParameterBindings", "", "ParameterBinding+"},
    {"ParameterBinding", "prefix" SOURCE BASE,
     "ParameterValues? ParameterMapping=Mapping?" META NOTES},
    {"ParameterValues", "", "% ParameterSet"},
    {"Mapping", SOURCE BASE, "% ParameterMapping"},
    {"ParameterSet", VERSION " !name" TOP,
     "Parameters Enumerations? Units?" META NOTES},
    {"Parameters", "", "Parameter*"},
    {"Parameter", "!name" BASE, GIVEN " 2Dimension*" NOTES},
    {"GivenReal", "!value unit", ""},
    {"Given", "!value", ""},
    {"GivenText", "value", "2Value=Given*"},
    {"GivenItem", "value name", "2Value=Given*"},
    {"GivenBinary", "value mime-type", "2Value=Given*"},
    {"ParameterMapping", VERSION TOP, "MappingEntry*" META NOTES},
    {"MappingEntry", "!source !target suppressUnitConversion:b" BASE,
     TRANSFORMS "?" NOTES},
    {"SignalDictionary", VERSION TOP,
     "DictionaryEntry* Enumerations? Units?" META NOTES},
    {"DictionaryEntry", "!name" BASE, TYPES " 2Dimension*" NOTES},
    {"LinearTransformation", "factor:d offset:d", ""},
    {"BooleanMappingTransformation", "", "MapEntry=MapBoolean+"},
    {"IntegerMappingTransformation", "", "MapEntry=MapInteger+"},
    {"EnumerationMappingTransformation", "", "MapEntry=MapItem+"},
    {"MapBoolean", "!source:b !target:b", ""},
    {"MapInteger", "!source:i !target:i", ""},
    {"MapItem", "!source !target", ""},
    {"Enumerations", "", "Enumeration+"},
    {"Enumeration", "!name" BASE, "Item+" NOTES},
    {"Item", "!name !value:i", ""},
    {"Units", "", "Unit+"},
    {"Unit", "!name" BASE, "BaseUnit" NOTES},
    {"BaseUnit", "kg:i m:i s:i A:i K:i mol:i cd:i rad:i factor:d offset:d", ""},
    {"MetaData", "!kind:general,quality !type" RESOURCE, "Content? Signature*"},
    {"Signature", "!role:authenticity,suitability !type" RESOURCE, "Content?"},
    {"Content", BASE, "%"},
    {"Annotations", "text", "Annotation+"},
    {"Annotation", "!type", "%"},
};
#define N_RULES (sizeof(rules) / sizeof(*rules))

/* Namespaces behind TT_XML_SYSTEM, and the rules of elements that begin one:
 * all others are in that of the element around them. */
static const struct space {
    const char *name, *rules;
} spaces[] = {
    {"Description", "SystemStructureDescription"},
    {"Common", "Real Integer EnumerationType BinaryType ClockType Dimension "
               "LinearTransformation BooleanMappingTransformation "
               "IntegerMappingTransformation EnumerationMappingTransformation "
               "Enumeration Unit MetaData Signature Annotation"},
    {"ParameterValues", "ParameterSet"},
    {"ParameterMapping", "ParameterMapping"},
    {"SignalDictionary", "SignalDictionary"},
};

struct check {
    ssp_broken_cb broken_cb;
    void *ctx;
    uint32_t n;
    int two;           /* the version that is stated */
    const char *space; /* the namespace of the element */
    struct tt_names id;
};

TT_PRINTF(3, 4)
static void broken(struct check *k, int line, const char *fmt, ...)
{
    char text[TT_ERR_MAX];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    k->n++;
    if (k->broken_cb)
        k->broken_cb(k->ctx, line, text);
}

/* --- words of the tables -------------------------------------------------- */

struct word {
    const char *at;
    size_t n;
};

/* The next up to one of `ends`; 0: there is none. */
static int next_word(const char **list, const char *ends, struct word *w)
{
    *list += strspn(*list, ends);
    w->at = *list;
    w->n = strcspn(*list, ends);
    *list += w->n;
    return w->n > 0;
}

static int is_word(const struct word *w, const char *text)
{
    return strlen(text) == w->n && strncmp(w->at, text, w->n) == 0;
}

/* "2name": of SSP 2.0. */
static int is_new(struct word *w)
{
    int new = w->n > 1 && w->at[0] == '2' && w->at[1] != '.';

    w->at += new;
    w->n -= (size_t) new;
    return new;
}

/* --- attributes ----------------------------------------------------------- */

/* "!kind:a,b" in its parts. */
struct attr {
    struct word name;
    int needed, new;
    const char *type; /* behind the colon, up to a blank; NULL: any text */
};

static int next_attr(const char **list, struct attr *a)
{
    struct word w;
    const char *colon;

    if (!next_word(list, " ", &w))
        return 0;
    a->needed = w.at[0] == '!';
    w.at += a->needed;
    w.n -= (size_t)a->needed;
    a->new = is_new(&w);
    colon = memchr(w.at, ':', w.n);
    a->type = colon ? colon + 1 : NULL;
    a->name = w;
    if (colon)
        a->name.n = (size_t)(colon - w.at);
    return 1;
}

static int are_numbers(const char *list)
{
    char number[64];
    struct word w;
    double x;

    while (next_word(&list, " \t\r\n", &w)) {
        (void)snprintf(number, sizeof(number), "%.*s", (int)w.n, w.at);
        if (w.n >= sizeof(number) || tt_num_parse(number, &x) != 0)
            return 0;
    }
    return 1;
}

/* A name of XML without a colon. */
static int is_name(const char *s)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    if (!*s || ((unsigned char)*s < 0x80 && !strchr(first, *s)))
        return 0;
    for (; *s; s++)
        if ((unsigned char)*s < 0x80 && !strchr(first, *s) &&
            !strchr("0123456789.-", *s))
            return 0;
    return 1;
}

/* As the schema's types are written; NULL: it is one. */
static const char *why_no_value(const char *type, const char *value)
{
    double number;
    int64_t whole;
    uint64_t size;

    if (type[0] == 'd')
        return tt_num_parse(value, &number) == 0 ? NULL : "a number";
    if (type[0] == 'l')
        return are_numbers(value) ? NULL : "numbers";
    if (type[0] == 'n')
        return is_name(value) ? NULL : "a name";
    if (type[0] == 'i')
        return tt_num_parse_i64(value, &whole) == 0 ||
                       tt_num_parse_u64(value, &size) == 0
                   ? NULL
                   : "a whole number";
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ||
                   strcmp(value, "1") == 0 || strcmp(value, "0") == 0
               ? NULL
               : "true or false";
}

static void check_choice(struct check *k, const struct tt_xml_node *node,
                         const struct tt_xml_attr *a, const char *choices)
{
    char list[256] = "";
    const char *at = list;
    struct word w;

    (void)snprintf(list, sizeof(list), "%.*s", (int)strcspn(choices, " "),
                   choices);
    while (next_word(&at, ",", &w)) {
        int new = is_new(&w);

        if (!is_word(&w, a->value))
            continue;
        if (new && !k->two)
            broken(k, node->line,
                   "'%s' for '%s' of <%s> is of SSP 2.0, and the file states "
                   "version 1.0",
                   a->value, a->name, node->name);
        return;
    }
    broken(k, node->line, "'%s' is nothing that '%s' of <%s> can be", a->value,
           a->name, node->name);
}

static void check_type(struct check *k, const struct tt_xml_node *node,
                       const struct tt_xml_attr *a, const char *type)
{
    const char *wanted;

    if (type[1] && type[1] != ' ') {
        check_choice(k, node, a, type);
        return;
    }
    wanted = why_no_value(type, a->value);
    if (wanted)
        broken(k, node->line, "'%s' of <%s> is '%s', not %s", a->name,
               node->name, a->value, wanted);
    else if (type[0] == 'n' && tt_names_add(&k->id, a->value, 0) > 0)
        broken(k, node->line, "'%s' of <%s> is '%s', as that of another one is",
               a->name, node->name, a->value);
}

static void check_attr(struct check *k, const struct tt_xml_node *node,
                       const struct rule *r, const struct tt_xml_attr *a)
{
    const char *list = r->attrs;
    struct attr known;

    while (next_attr(&list, &known))
        if (is_word(&known.name, a->name)) {
            if (known.new && !k->two)
                broken(k, node->line,
                       "'%s' of <%s> is of SSP 2.0, and the file states "
                       "version 1.0",
                       a->name, node->name);
            if (known.type)
                check_type(k, node, a, known.type);
            return;
        }
    broken(k, node->line, "<%s> has no attribute '%s'", node->name, a->name);
}

static void check_attrs(struct check *k, const struct tt_xml_node *node,
                        const struct rule *r)
{
    const char *list = r->attrs;
    struct attr known;

    for (uint32_t i = 0; i < node->attr_n; i++)
        check_attr(k, node, r, &node->attr[i]);
    while (next_attr(&list, &known)) {
        uint32_t i = 0;

        while (i < node->attr_n && !is_word(&known.name, node->attr[i].name))
            i++;
        if (known.needed && i == node->attr_n)
            broken(k, node->line, "<%s> needs '%.*s'", node->name,
                   (int)known.name.n, known.name.at);
    }
}

/* --- elements ------------------------------------------------------------- */

static const struct rule *find_rule(const struct word *name)
{
    for (size_t i = 0; i < N_RULES; i++)
        if (is_word(name, rules[i].name))
            return &rules[i];
    return NULL;
}

/* One that a part of a list names: "A,2B=Rule". */
static int fits(const struct word *part, const struct tt_xml_node *node,
                const struct rule **r, int *new)
{
    char list[512];
    const char *at = list;
    struct word w;

    (void)snprintf(list, sizeof(list), "%.*s", (int)part->n, part->at);
    while (next_word(&at, ",", &w)) {
        struct word name = w, rule;
        const char *equals;

        *new = is_new(&name);
        rule = name;
        equals = memchr(name.at, '=', name.n);
        if (equals) {
            rule.at = equals + 1;
            rule.n = name.n - (size_t)(equals + 1 - name.at);
            name.n = (size_t)(equals - name.at);
        }
        if (!is_word(&name, node->name))
            continue;
        *r = find_rule(&rule);
        /* two elements have the name Clock: that of a type has no name */
        if (strcmp((*r)->name, "ClockType") != 0 || !tt_xml_value(node, "name"))
            return 1;
    }
    return 0;
}

static void check_node(struct check *k, const struct tt_xml_node *node,
                       const struct rule *r);

static void enter(struct check *k, const struct tt_xml_node *node,
                  const struct rule *r, int new)
{
    if (new && !k->two)
        broken(k, node->line,
               "<%s> is of SSP 2.0, and the file states version 1.0",
               node->name);
    check_node(k, node, r);
}

/* Elements of one part of the list; returns what stands behind them. */
static const struct tt_xml_node *check_part(struct check *k,
                                            const struct tt_xml_node *parent,
                                            const struct tt_xml_node *node,
                                            struct word part)
{
    char often = part.at[part.n - 1];
    const struct rule *r;
    uint32_t n = 0;
    int new = 0, many = often == '*' || often == '+';

    if (many || often == '?')
        part.n--;
    for (; node && (n == 0 || many) && fits(&part, node, &r, &new);
         node = node->next) {
        enter(k, node, r, new);
        n++;
    }
    if (n == 0 && often != '*' && often != '?')
        broken(k, parent->line,
               memchr(part.at, ',', part.n) ? "<%s> needs an element of a type"
                                            : "<%s> needs <%.*s>",
               parent->name, (int)strcspn(part.at, "=+ "), part.at);
    return node;
}

/* Among others: those of a list have rules. */
static void check_any(struct check *k, const struct tt_xml_node *node,
                      const char *list)
{
    for (const struct tt_xml_node *c = node->children; c; c = c->next) {
        const char *at = list;
        const struct rule *r;
        struct word w;
        int new = 0;

        while (next_word(&at, " ", &w))
            if (fits(&w, c, &r, &new))
                check_node(k, c, r);
    }
}

static void check_elements(struct check *k, const struct tt_xml_node *node,
                           const struct rule *r)
{
    const struct tt_xml_node *c = node->children;
    const char *list = r->elements;
    struct word part;

    if (list[0] == '%') {
        check_any(k, node, list + 1);
        return;
    }
    while (next_word(&list, " ", &part))
        c = check_part(k, node, c, part);
    for (; c; c = c->next)
        broken(k, c->line, "<%s> is not allowed here, in <%s>", c->name,
               node->name);
}

static const char *space_of(const struct rule *r, const char *around)
{
    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
        const char *list = spaces[i].rules;
        struct word w;

        while (next_word(&list, " ", &w))
            if (is_word(&w, r->name))
                return spaces[i].name;
    }
    return around;
}

static void check_node(struct check *k, const struct tt_xml_node *node,
                       const struct rule *r)
{
    int outer = k->two;
    const char *around = k->space;
    const char *version = strstr(r->attrs, VERSION) == r->attrs
                              ? tt_xml_value(node, "version")
                              : NULL;

    if (version)
        k->two = strcmp(version, "1.0") != 0;
    k->space = space_of(r, around);
    if (node->space && k->space && strcmp(node->space, k->space) != 0)
        broken(k, node->line,
               "<%s> is of the namespace 'SystemStructure%s', not "
               "'SystemStructure%s'",
               node->name, node->space, k->space);
    check_attrs(k, node, r);
    check_elements(k, node, r);
    k->two = outer;
    k->space = around;
}

uint32_t ssp_check_rules(const tt_xml *xml, ssp_broken_cb broken_cb, void *ctx)
{
    struct check k = {.broken_cb = broken_cb, .ctx = ctx};
    const struct tt_xml_node *root = tt_xml_root(xml);
    const struct word name = {root->name, strlen(root->name)};
    const struct rule *r = find_rule(&name);

    for (const struct tt_xml_foreign *f = tt_xml_foreign(xml); f; f = f->next)
        broken(&k, f->line,
               f->attribute
                   ? "the attribute '%s' is of another namespace; the "
                     "standard allows that in annotations only"
                   : "<%s> is of another namespace; the standard allows that "
                     "in annotations only",
               f->name);
    tt_names_init(&k.id);
    if (r)
        check_node(&k, root, r);
    tt_names_fini(&k.id);
    return k.n;
}

/* --- names that are to be defined ------------------------------------------
 */

/* What the nearest structure, set or dictionary around an element defines. */
struct defined {
    struct tt_names unit, item;
    const struct check *k;
};

static int add_names(struct tt_names *names, const struct tt_xml_node *root,
                     const char *list)
{
    int rc = 0;

    for (const struct tt_xml_node *c = root->children; c; c = c->next)
        for (const struct tt_xml_node *d = c->children;
             rc >= 0 && d && strcmp(c->name, list) == 0; d = d->next)
            if (tt_xml_value(d, "name"))
                rc = tt_names_add(names, tt_xml_value(d, "name"), 0);
    return rc < 0 ? -1 : 0;
}

/* A name that is missing is reported once. */
static int check_name(struct tt_names *names, const struct tt_xml_node *node,
                      const char *attr, const struct check *k)
{
    const char *name = tt_xml_value(node, attr);
    char text[TT_ERR_MAX];
    int rc = name && *name ? tt_names_add(names, name, 0) : 1;

    if (rc == 0) {
        (void)snprintf(text, sizeof(text),
                       "the %s '%s' is not defined in this file",
                       strcmp(attr, "unit") == 0 ? attr : "enumeration", name);
        k->broken_cb(k->ctx, node->line, text);
    }
    return rc < 0 ? -1 : 0;
}

static int check_defined(const struct tt_xml_node *node, struct defined *d);

static int check_scope(const struct tt_xml_node *root, const struct check *k)
{
    struct defined d = {.k = k};
    int rc;

    tt_names_init(&d.unit);
    tt_names_init(&d.item);
    rc = add_names(&d.unit, root, "Units");
    if (rc == 0)
        rc = add_names(&d.item, root, "Enumerations");
    for (const struct tt_xml_node *c = root->children; rc == 0 && c;
         c = c->next)
        if (strcmp(c->name, "Enumerations") != 0)
            rc = check_defined(c, &d);
    tt_names_fini(&d.unit);
    tt_names_fini(&d.item);
    return rc;
}

static int check_defined(const struct tt_xml_node *node, struct defined *d)
{
    int rc = 0;

    if (strcmp(node->name, "ParameterSet") == 0 ||
        (strcmp(node->name, "SignalDictionary") == 0 &&
         !tt_xml_value(node, "name")))
        return check_scope(node, d->k);
    if (strncmp(node->name, "Real", 4) == 0 ||
        strncmp(node->name, "Float", 5) == 0)
        rc = check_name(&d->unit, node, "unit", d->k);
    else if (strcmp(node->name, "Enumeration") == 0)
        rc = check_name(&d->item, node, "name", d->k);
    for (const struct tt_xml_node *c = node->children; rc == 0 && c;
         c = c->next)
        rc = check_defined(c, d);
    return rc;
}

int ssp_check_names(const tt_xml *xml, ssp_broken_cb broken_cb, void *ctx)
{
    const struct check k = {.broken_cb = broken_cb, .ctx = ctx};

    return check_scope(tt_xml_root(xml), &k);
}
