/* SPDX-License-Identifier: MIT */
/* The table of variables: what a row says, start values, the fingerprint. */

static const char *var_name(const struct tutti_var *v)
{
    return v->name ? v->name : v->member;
}

static size_t type_size(const struct tutti_var *v)
{
    switch (v->type) {
    case TUTTI_FLOAT64:
    case TUTTI_INT64:
    case TUTTI_UINT64:
        return 8;
    case TUTTI_FLOAT32:
    case TUTTI_INT32:
    case TUTTI_UINT32:
    case TUTTI_ENUM:
        return 4;
    case TUTTI_INT16:
    case TUTTI_UINT16:
        return 2;
    case TUTTI_INT8:
    case TUTTI_UINT8:
    case TUTTI_BOOLEAN:
        return 1;
    case TUTTI_STRING:
        break;
    }
    return v->size;
}

static uint32_t var_count(const struct tutti_var *v)
{
    return (uint32_t)(v->size / type_size(v));
}

static enum tutti_variability var_variability(const struct tutti_var *v)
{
    if (v->variability != TUTTI_VARIABILITY_DEFAULT)
        return v->variability;
    if (v->causality == TUTTI_PARAMETER)
        return TUTTI_FIXED;
    if (v->type == TUTTI_FLOAT64 || v->type == TUTTI_FLOAT32)
        return TUTTI_CONTINUOUS;
    return TUTTI_DISCRETE;
}

/* Has a start value that counts, as opposed to being calculated. */
static bool var_has_start(const struct tutti_var *v)
{
    return v->causality == TUTTI_PARAMETER || v->causality == TUTTI_INPUT ||
           v->state || v->exact || v->variability == TUTTI_CONSTANT;
}

/* An input that follows a course during a step. */
static bool var_has_course(const struct tutti_var *v)
{
    return v->causality == TUTTI_INPUT && v->type == TUTTI_FLOAT64 &&
           var_variability(v) == TUTTI_CONTINUOUS;
}

static const struct tutti_var *find_var(const struct tutti_model *m,
                                        const char *name, size_t length)
{
    for (size_t i = 0; i < m->n_vars; i++) {
        const char *candidate = var_name(&m->vars[i]);

        if (strlen(candidate) == length && !memcmp(candidate, name, length))
            return &m->vars[i];
    }
    return NULL;
}

/* Writes a number into an element, converted to its type. */
static void put_number(const struct tutti_var *v, void *element, double x)
{
    switch (v->type) {
    case TUTTI_FLOAT64:
        *(double *)element = x;
        break;
    case TUTTI_FLOAT32:
        *(float *)element = (float)x;
        break;
    case TUTTI_INT8:
        *(int8_t *)element = (int8_t)x;
        break;
    case TUTTI_UINT8:
        *(uint8_t *)element = (uint8_t)x;
        break;
    case TUTTI_INT16:
        *(int16_t *)element = (int16_t)x;
        break;
    case TUTTI_UINT16:
        *(uint16_t *)element = (uint16_t)x;
        break;
    case TUTTI_INT32:
    case TUTTI_ENUM:
        *(int32_t *)element = (int32_t)x;
        break;
    case TUTTI_UINT32:
        *(uint32_t *)element = (uint32_t)x;
        break;
    case TUTTI_INT64:
        *(int64_t *)element = (int64_t)x;
        break;
    case TUTTI_UINT64:
        *(uint64_t *)element = (uint64_t)x;
        break;
    case TUTTI_BOOLEAN:
        *(bool *)element = x != 0;
        break;
    case TUTTI_STRING:
        break;
    }
}

/* What an integer type holds, as far as int64_t can say it. */
static void integer_range(const struct tutti_var *v, int64_t *least,
                          int64_t *most)
{
    bool is_signed = v->type == TUTTI_INT8 || v->type == TUTTI_INT16 ||
                     v->type == TUTTI_INT32 || v->type == TUTTI_INT64;
    size_t bits = 8 * type_size(v) - is_signed;

    *most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
    *least = is_signed ? -*most - 1 : 0;
    if (v->type == TUTTI_ENUM) {
        *least = 1;
        for (*most = 0; v->items && v->items[*most];)
            ++*most;
    }
}

/* Start value of every element of `v`, into the member at `to`. */
static void put_start(const struct tutti_var *v, char *to)
{
    if (v->type == TUTTI_STRING)
        (void)snprintf(to, v->size, "%s", v->text ? v->text : "");
    else if (v->starts)
        memcpy(to, v->starts, v->size);
    else if (v->type == TUTTI_ENUM && v->start == 0)
        put_number(v, to, 1); /* items count from 1 */
    else
        for (uint32_t i = 0; i < var_count(v); i++)
            put_number(v, to + i * type_size(v), v->start);
}

/* FNV-1a; a fingerprint of what importer and unit must agree on. */
static uint64_t hash_byte(uint64_t h, unsigned char byte)
{
    return (h ^ byte) * 0x100000001b3u;
}

/* With the final NUL, so that "" and NULL differ. */
static uint64_t hash_text(uint64_t h, const char *text)
{
    if (!text)
        return h;
    for (; *text; text++)
        h = hash_byte(h, (unsigned char)*text);
    return hash_byte(h, 0);
}

static uint64_t hash_number(uint64_t h, uint64_t n)
{
    for (int i = 0; i < 64; i += 8)
        h = hash_byte(h, (unsigned char)(n >> i));
    return h;
}

static uint64_t hash_model(const struct tutti_model *m, uint64_t h)
{
    h = hash_text(h, m->name);
    h = hash_text(h, m->version);
    for (size_t i = 0; i < m->n_vars; i++) {
        const struct tutti_var *v = &m->vars[i];

        h = hash_text(h, var_name(v));
        h = hash_text(h, v->unit);
        h = hash_text(h, v->depends);
        h = hash_text(h, v->derivative_of);
        h = hash_number(h, (uint64_t)v->type);
        h = hash_number(h, (uint64_t)v->causality);
        h = hash_number(h, (uint64_t)var_variability(v));
        h = hash_number(h, v->size);
        h = hash_number(h, v->dim[1]);
        h = hash_number(h, (uint64_t)v->state + 2 * (uint64_t)v->exact);
    }
    return h;
}

/* The guid of FMI 2 and the instantiation token of FMI 3. */
static void make_token(const struct tutti_model *m, uint64_t token[2],
                       char text[NUMBER_SIZE])
{
    uint64_t a = hash_model(m, 0xcbf29ce484222325u);
    uint64_t b = hash_model(m, a ^ 0x9e3779b97f4a7c15u);

    token[0] = a;
    token[1] = b;
    (void)snprintf(text, NUMBER_SIZE, "{%08x-%04x-%04x-%04x-%012llx}",
                   (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffffu,
                   (unsigned)a & 0xffffu, (unsigned)(b >> 48),
                   (unsigned long long)(b & 0xffffffffffffu));
}
