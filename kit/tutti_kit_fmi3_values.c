/* SPDX-License-Identifier: MIT */
/* Getting and setting variables as FMI 3.0 has it. */

/* The most a structural parameter may be: the arrays have room for it. */
static uint64_t most_of(const struct tutti_model *m,
                        const struct tutti_var *size)
{
    uint64_t most = UINT32_MAX;

    for (size_t i = 0; i < m->n_vars; i++)
        for (int d = 0; d < 2; d++)
            if (size_var(m, &m->vars[i], d) == size && m->vars[i].dim[d] < most)
                most = m->vars[i].dim[d];
    if (size->min < size->max && size->max < (double)most)
        most = (uint64_t)size->max;
    return most;
}

/* Is one of the clocks active that this belongs to? */
static bool clocks_tick(struct instance *k, const struct tutti_var *v)
{
    const char *list = v->clocks, *name;
    size_t length;

    while ((name = next_name(&list, &length)) != NULL) {
        const struct tutti_var *c = find_var(k->model, name, length);

        if (c && clock_of(k, c)->active)
            return true;
    }
    return false;
}

/* FMI 3.0.2, 2.2.7.2 and 2.2.8.3: what belongs to clocks is there while one
 * ticks, and when initialising; 2.2.4: a call that is not allowed is an error.
 * So is reading it between events, as importers do that record every variable:
 * what they do not let tick has no value to record. */
static enum status may_access(struct instance *k, const char *function,
                              const struct tutti_var *v)
{
    if (!v->clocks || !((unsigned)k->phase & (PH_RUN | PH_INTERMEDIATE)) ||
        !k->event_mode || clocks_tick(k, v))
        return ST_OK;
    return report(k, ST_ERROR,
                  "%s: no clock of '%s' ticks; FMI 3 allows it in event mode "
                  "while one does",
                  function, var_name(v));
}

/* One call of a typed getter or setter, checked once. */
struct fmi3_access {
    const char *function;
    enum tutti_type type;
    size_t element_size; /* of the caller's array */
};

/* Enumerations travel as Int64; everything else under its own name. */
static bool fmi3_type_fits(const struct tutti_var *v, enum tutti_type type)
{
    return v->type == type || (v->type == TUTTI_ENUM && type == TUTTI_INT64);
}

static enum status fmi3_too_few(struct instance *k, const char *function)
{
    return report(k, ST_ERROR, "%s: number of values does not match", function);
}

/* How many elements of it there are. */
static uint32_t fmi3_count(struct instance *k, const struct tutti_var *v)
{
    return count_in_use(k->model, v, model_of(k));
}

/* A whole variable, into or out of the caller's array of `room` elements. */
static void fmi3_read(struct instance *k, const struct tutti_var *v,
                      enum tutti_type type, void *to)
{
    const char *from = element_at(k, v, 0);

    if (v->type == TUTTI_ENUM && type == TUTTI_INT64)
        for (uint32_t i = 0; i < fmi3_count(k, v); i++)
            ((int64_t *)to)[i] = ((const int32_t *)(const void *)from)[i];
    else if (v->type == TUTTI_STRING)
        *(fmi3String *)to = from;
    else
        memcpy(to, from, fmi3_count(k, v) * type_size(v));
}

static enum status fmi3_write(struct instance *k, const char *function,
                              const struct tutti_var *v, enum tutti_type type,
                              const void *from)
{
    char *to = element_at(k, v, 0);
    int64_t least, most;

    if (v->type == TUTTI_STRING)
        return write_string(k, function, v, to, *(const fmi3String *)from);
    if (v->causality == TUTTI_STRUCTURAL &&
        (*(const uint64_t *)from > most_of(k->model, v) ||
         (v->min < v->max && (double)*(const uint64_t *)from < v->min)))
        return report(k, ST_ERROR, "%s: '%s' is a size and cannot be %llu",
                      function, var_name(v),
                      (unsigned long long)*(const uint64_t *)from);
    if (v->type != TUTTI_ENUM || type != TUTTI_INT64) {
        memcpy(to, from, fmi3_count(k, v) * type_size(v));
        return ST_OK;
    }
    integer_range(v, &least, &most);
    for (uint32_t i = 0; i < fmi3_count(k, v); i++) {
        int64_t item = ((const int64_t *)from)[i];

        if (item < least || item > most)
            return report(k, ST_ERROR, "%s: '%s' has no item %lld", function,
                          var_name(v), (long long)item);
        ((int32_t *)(void *)to)[i] = (int32_t)item;
    }
    return ST_OK;
}

/* The variable of a reference, if it may be accessed as this type. FMI 3 refers
 * to whole variables, so an inner element has no number. */
static const struct tutti_var *fmi3_find(struct instance *k,
                                         const struct fmi3_access *a,
                                         uint32_t vr, struct place *at)
{
    const struct tutti_var *v = find_place(k, a->function, vr, at);

    if (!v)
        return NULL;
    if (at->element != 0) {
        (void)report(k, ST_ERROR, "%s: no variable has value reference %u",
                     a->function, (unsigned)vr);
        return NULL;
    }
    if (!fmi3_type_fits(v, a->type)) {
        (void)wrong_type(k, a->function, v);
        return NULL;
    }
    return v;
}

static fmi3Status fmi3_get(fmi3Instance instance, const struct fmi3_access *a,
                           const fmi3ValueReference *vr, size_t n, void *values,
                           size_t n_values)
{
    struct instance *k = instance;
    enum status status;
    size_t done = 0;

    if (!k)
        return fmi3Error;
    status = allowed(k, a->function, PH_ANY);
    if (status == ST_OK && n && (!vr || !values))
        status = report(k, ST_ERROR, "%s: missing arguments", a->function);
    if (status == ST_OK)
        evaluate(k);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        struct place at;
        const struct tutti_var *v = fmi3_find(k, a, vr[i], &at);

        if (!v)
            status = ST_ERROR;
        else if (fmi3_count(k, v) > n_values - done)
            status = fmi3_too_few(k, a->function);
        else
            status = may_access(k, a->function, v);
        if (status == ST_OK)
            fmi3_read(k, v, a->type, (char *)values + done * a->element_size);
        done += v ? fmi3_count(k, v) : 0;
    }
    if (status == ST_OK && done != n_values)
        status = fmi3_too_few(k, a->function);
    return (fmi3Status)finish(k, status);
}

static void fmi3_was_set(struct instance *k, const struct tutti_var *v,
                         struct place at)
{
    for (; at.element < fmi3_count(k, v); at.element++)
        input_was_set(k, at);
    k->dirty = true;
}

static fmi3Status fmi3_set(fmi3Instance instance, const struct fmi3_access *a,
                           const fmi3ValueReference *vr, size_t n,
                           const void *values, size_t n_values)
{
    struct instance *k = instance;
    enum status status;
    size_t done = 0;

    if (!k)
        return fmi3Error;
    status = allowed(k, a->function, PH_LIVE | PH_INTERMEDIATE | PH_CONFIG);
    if (status == ST_OK && n && (!vr || !values))
        status = report(k, ST_ERROR, "%s: missing arguments", a->function);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        struct place at;
        const struct tutti_var *v = fmi3_find(k, a, vr[i], &at);

        if (!v)
            status = ST_ERROR;
        else if (fmi3_count(k, v) > n_values - done)
            status = fmi3_too_few(k, a->function);
        else
            status = may_set(k, a->function, v);
        if (status == ST_OK)
            status = may_access(k, a->function, v);
        if (status == ST_OK) {
            status = fmi3_write(k, a->function, v, a->type,
                                (const char *)values + done * a->element_size);
            fmi3_was_set(k, v, at);
            done += fmi3_count(k, v);
        }
    }
    if (status == ST_OK && done != n_values)
        status = fmi3_too_few(k, a->function);
    return (fmi3Status)status;
}

#define FMI3_ACCESS(Name, type)                                                \
    fmi3Status fmi3Get##Name(fmi3Instance instance,                            \
                             const fmi3ValueReference vr[], size_t n,          \
                             fmi3##Name values[], size_t n_values)             \
    {                                                                          \
        const struct fmi3_access a = {"fmi3Get" #Name, type,                   \
                                      sizeof(fmi3##Name)};                     \
                                                                               \
        return fmi3_get(instance, &a, vr, n, values, n_values);                \
    }                                                                          \
    fmi3Status fmi3Set##Name(fmi3Instance instance,                            \
                             const fmi3ValueReference vr[], size_t n,          \
                             const fmi3##Name values[], size_t n_values)       \
    {                                                                          \
        const struct fmi3_access a = {"fmi3Set" #Name, type,                   \
                                      sizeof(fmi3##Name)};                     \
                                                                               \
        return fmi3_set(instance, &a, vr, n, values, n_values);                \
    }

FMI3_ACCESS(Float64, TUTTI_FLOAT64)
FMI3_ACCESS(Float32, TUTTI_FLOAT32)
FMI3_ACCESS(Int8, TUTTI_INT8)
FMI3_ACCESS(UInt8, TUTTI_UINT8)
FMI3_ACCESS(Int16, TUTTI_INT16)
FMI3_ACCESS(UInt16, TUTTI_UINT16)
FMI3_ACCESS(Int32, TUTTI_INT32)
FMI3_ACCESS(UInt32, TUTTI_UINT32)
FMI3_ACCESS(Int64, TUTTI_INT64)
FMI3_ACCESS(UInt64, TUTTI_UINT64)
FMI3_ACCESS(Boolean, TUTTI_BOOLEAN)
FMI3_ACCESS(String, TUTTI_STRING)
