/* SPDX-License-Identifier: MIT */
/* The table of variables: what a row states, start values, the fingerprint. */

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
    case TUTTI_CLOCK:
        return sizeof(struct tutti_clock);
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
    if (v->causality == TUTTI_PARAMETER || v->causality == TUTTI_STRUCTURAL)
        return TUTTI_FIXED;
    if (v->type == TUTTI_FLOAT64 || v->type == TUTTI_FLOAT32)
        return TUTTI_CONTINUOUS;
    return TUTTI_DISCRETE;
}

/* Does it tick at intervals that are declared? */
static inline bool var_is_periodic(const struct tutti_var *v)
{
    return v->ticks == TUTTI_TICKS_PERIODIC || v->ticks == TUTTI_TICKS_FIXED ||
           v->ticks == TUTTI_TICKS_TUNABLE;
}

/* Interval or shift of a clock in seconds, from what its row has. */
static double clock_seconds(const struct tutti_var *v, double is)
{
    return v->resolution ? is / (double)v->resolution : is;
}

/* Has a start value that counts, as opposed to being calculated. */
static bool var_has_start(const struct tutti_var *v)
{
    if (v->type == TUTTI_CLOCK)
        return false;
    return v->causality == TUTTI_PARAMETER || v->causality == TUTTI_INPUT ||
           v->causality == TUTTI_STRUCTURAL || v->state || v->exact ||
           v->variability == TUTTI_CONSTANT;
}

/* An input that follows a course during a step. */
static bool var_has_course(const struct tutti_var *v)
{
    return v->causality == TUTTI_INPUT && v->type == TUTTI_FLOAT64 &&
           var_variability(v) == TUTTI_CONTINUOUS;
}

/* An output that can be read within a step. */
static inline bool var_has_trail(const struct tutti_var *v)
{
    return v->causality == TUTTI_OUTPUT && v->type == TUTTI_FLOAT64 &&
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

static bool var_is_sized(const struct tutti_var *v)
{
    return v->size_from[0] || v->size_from[1];
}

/* The structural parameter that gives size d, or NULL. */
static const struct tutti_var *size_var(const struct tutti_model *m,
                                        const struct tutti_var *v, int d)
{
    return v->size_from[d]
               ? find_var(m, v->size_from[d], strlen(v->size_from[d]))
               : NULL;
}

/* Elements in use, with the structural parameters of this model struct; NULL:
 * as they start. */
static uint32_t count_in_use(const struct tutti_model *m,
                             const struct tutti_var *v, const char *model)
{
    uint64_t n = 1, is;

    if (!var_is_sized(v))
        return var_count(v);
    for (int d = 0; d < 2; d++) {
        const struct tutti_var *size = size_var(m, v, d);

        if (!size) {
            n *= v->dim[d] ? v->dim[d] : 1;
            continue;
        }
        is = (uint64_t)size->start;
        if (model)
            memcpy(&is, model + size->offset, sizeof(is));
        n *= is;
    }
    return (uint32_t)n;
}

/* Walks a list of names separated by blanks: the next name, or NULL. */
static inline const char *next_name(const char **list, size_t *length)
{
    const char *name = *list + strspn(*list, " ");

    *length = strcspn(name, " ");
    *list = name + *length;
    return *length ? name : NULL;
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
    case TUTTI_CLOCK: /* has an interval instead */
    case TUTTI_STRING:
        break;
    }
}

/* What an integer type holds, as far as int64_t can state it. */
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
    else if (v->type == TUTTI_CLOCK)
        *(struct tutti_clock *)(void *)to =
            (struct tutti_clock){.interval = clock_seconds(v, v->interval),
                                 .shift = clock_seconds(v, v->shift)};
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
        h = hash_text(h, v->clocks);
        h = hash_number(h, (uint64_t)v->type);
        h = hash_number(h, (uint64_t)v->causality);
        h = hash_number(h, (uint64_t)var_variability(v));
        h = hash_number(h, v->size);
        h = hash_number(h, v->dim[1]);
        h = hash_text(h, v->size_from[0]);
        h = hash_text(h, v->size_from[1]);
        h = hash_number(h, (uint64_t)v->state + 2 * (uint64_t)v->exact);
        if (v->type == TUTTI_CLOCK)
            h = hash_number(h, (uint64_t)v->ticks);
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

static uint32_t count_indicators(const struct tutti_model *m)
{
    uint32_t n = 0;

    for (size_t i = 0; i < m->n_vars; i++)
        n += m->vars[i].indicator ? var_count(&m->vars[i]) : 0;
    return n;
}

/* Does some variable publish the derivative of this state? */
static bool state_is_published(const struct tutti_model *m,
                               const struct tutti_var *x)
{
    for (size_t i = 0; i < m->n_vars; i++)
        if (m->vars[i].derivative_of &&
            !strcmp(m->vars[i].derivative_of, var_name(x)))
            return true;
    return false;
}

/* The clock of a discrete-event unit's own event. */
#define INTERNAL "events_internal"

/* Does it change in events alone, or only follow inputs and time? What a clock
 * gives, or is remembered, does the first also where `outputs` computes it. */
static bool is_of_one_sort(const struct tutti_model *m,
                           const struct tutti_var *v)
{
    bool continuous =
        v->type == TUTTI_FLOAT64 && var_variability(v) == TUTTI_CONTINUOUS;

    if (!m->event)
        return continuous;
    return !continuous &&
           (!m->outputs || v->clocks || v->exact || v->type == TUTTI_CLOCK);
}

static bool is_stateless(const struct tutti_model *m)
{
    bool one_sort = !m->step && !m->max_step && (m->outputs || m->event);

    for (size_t i = 0; i < m->n_vars && one_sort; i++)
        one_sort = m->vars[i].causality != TUTTI_OUTPUT ||
                   is_of_one_sort(m, &m->vars[i]);
    return one_sort;
}

/* Is it for model exchange too? States that the hook after internal steps
 * changes are not, nor are discrete events. */
static bool model_exchanges(const struct tutti_model *m)
{
    bool states = false;

    if (m->ta || m->partition || m->after_step)
        return false;
    for (size_t i = 0; i < m->n_vars; i++) {
        states = states || m->vars[i].state;
        if (m->vars[i].state && !state_is_published(m, &m->vars[i]))
            return false;
    }
    return states ? m->derivatives || m->linear : is_stateless(m);
}
