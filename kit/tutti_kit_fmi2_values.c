/* SPDX-License-Identifier: MIT */
/* Getting and setting variables as FMI 2.0 has it. */

/* What FMI 2 calls a type. */
enum fmi2_class { FMI2_REAL, FMI2_INTEGER, FMI2_BOOLEAN, FMI2_STRING };

static enum fmi2_class fmi2_class_of(const struct tutti_var *v)
{
    switch (v->type) {
    case TUTTI_FLOAT64:
    case TUTTI_FLOAT32:
        return FMI2_REAL;
    case TUTTI_BOOLEAN:
        return FMI2_BOOLEAN;
    case TUTTI_STRING:
        return FMI2_STRING;
    case TUTTI_INT8:
    case TUTTI_UINT8:
    case TUTTI_INT16:
    case TUTTI_UINT16:
    case TUTTI_INT32:
    case TUTTI_UINT32:
    case TUTTI_INT64:
    case TUTTI_UINT64:
    case TUTTI_ENUM:
    case TUTTI_CLOCK: /* of discrete events: how many there were */
        break;
    }
    return FMI2_INTEGER;
}

/* An integer element; values beyond int64_t read as its largest. */
static int64_t read_integer(const struct tutti_var *v, const void *element)
{
    switch (v->type) {
    case TUTTI_INT8:
        return *(const int8_t *)element;
    case TUTTI_UINT8:
        return *(const uint8_t *)element;
    case TUTTI_INT16:
        return *(const int16_t *)element;
    case TUTTI_UINT16:
        return *(const uint16_t *)element;
    case TUTTI_INT32:
    case TUTTI_ENUM:
        return *(const int32_t *)element;
    case TUTTI_UINT32:
        return *(const uint32_t *)element;
    case TUTTI_INT64:
        return *(const int64_t *)element;
    case TUTTI_UINT64: {
        uint64_t u = *(const uint64_t *)element;

        return u > INT64_MAX ? INT64_MAX : (int64_t)u;
    }
    case TUTTI_CLOCK:
        return ((const struct tutti_clock *)element)->count;
    case TUTTI_FLOAT64:
    case TUTTI_FLOAT32:
    case TUTTI_BOOLEAN:
    case TUTTI_STRING:
        break;
    }
    return 0;
}

/* One element out of the model into value[i]. */
static enum status fmi2_read(struct instance *k, const char *function,
                             const struct tutti_var *v, const void *element,
                             void *value, size_t i)
{
    int64_t n;

    switch (fmi2_class_of(v)) {
    case FMI2_REAL:
        ((fmi2Real *)value)[i] = v->type == TUTTI_FLOAT64
                                     ? *(const double *)element
                                     : (double)*(const float *)element;
        break;
    case FMI2_BOOLEAN:
        ((fmi2Boolean *)value)[i] = *(const bool *)element;
        break;
    case FMI2_STRING:
        ((fmi2String *)value)[i] = element;
        break;
    case FMI2_INTEGER:
        n = read_integer(v, element);
        if (n > INT32_MAX || n < INT32_MIN)
            return report(k, ST_ERROR,
                          "%s: value of '%s' does not fit into 32 bits",
                          function, var_name(v));
        ((fmi2Integer *)value)[i] = (fmi2Integer)n;
        break;
    }
    return ST_OK;
}

static enum status fmi2_write_integer(struct instance *k, const char *function,
                                      const struct tutti_var *v, void *element,
                                      fmi2Integer n)
{
    int64_t least, most;

    integer_range(v, &least, &most);
    if (n < least || n > most)
        return report(k, ST_ERROR, "%s: %d is out of range for '%s'", function,
                      n, var_name(v));
    put_number(v, element, n);
    return ST_OK;
}

/* value[i] into one element of the model. */
static enum status fmi2_write(struct instance *k, const char *function,
                              const struct tutti_var *v, void *element,
                              const void *value, size_t i)
{
    switch (fmi2_class_of(v)) {
    case FMI2_REAL:
        put_number(v, element, ((const fmi2Real *)value)[i]);
        break;
    case FMI2_BOOLEAN:
        *(bool *)element = ((const fmi2Boolean *)value)[i] != 0;
        break;
    case FMI2_STRING:
        return write_string(k, function, v, element,
                            ((const fmi2String *)value)[i]);
    case FMI2_INTEGER:
        if (v->type != TUTTI_CLOCK)
            return fmi2_write_integer(k, function, v, element,
                                      ((const fmi2Integer *)value)[i]);
        count_events(element, ((const fmi2Integer *)value)[i]);
        break;
    }
    return ST_OK;
}

static fmi2Status fmi2_get(fmi2Component c, const char *function,
                           enum fmi2_class class, const fmi2ValueReference *vr,
                           size_t n, void *value)
{
    struct instance *k = c;
    enum status status;

    if (!k)
        return fmi2Error;
    status = allowed(k, function, PH_ANY);
    if (status == ST_OK && n && (!vr || !value))
        status = report(k, ST_ERROR, "%s: missing arguments", function);
    if (status == ST_OK)
        evaluate(k);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        struct place at;
        const struct tutti_var *v = find_place(k, function, vr[i], &at);

        if (!v)
            status = ST_ERROR;
        else if (fmi2_class_of(v) != class)
            status = wrong_type(k, function, v);
        else
            status = fmi2_read(k, function, v, element_at(k, v, at.element),
                               value, i);
    }
    return (fmi2Status)finish(k, status);
}

static fmi2Status fmi2_set(fmi2Component c, const char *function,
                           enum fmi2_class class, const fmi2ValueReference *vr,
                           size_t n, const void *value)
{
    struct instance *k = c;
    enum status status;

    if (!k)
        return fmi2Error;
    status = allowed(k, function, PH_INSTANTIATED | PH_INIT | PH_RUN);
    if (status == ST_OK && n && (!vr || !value))
        status = report(k, ST_ERROR, "%s: missing arguments", function);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        struct place at;
        const struct tutti_var *v = find_place(k, function, vr[i], &at);

        if (!v)
            status = ST_ERROR;
        else if (fmi2_class_of(v) != class)
            status = wrong_type(k, function, v);
        else
            status = may_set(k, function, v);
        if (status == ST_OK) {
            status = fmi2_write(k, function, v, element_at(k, v, at.element),
                                value, i);
            input_was_set(k, at);
            k->dirty = true;
        }
    }
    return (fmi2Status)status;
}

#define FMI2_ACCESS(Name, type, class)                                         \
    fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference vr[],   \
                             size_t n, type value[])                           \
    {                                                                          \
        return fmi2_get(c, "fmi2Get" #Name, class, vr, n, value);              \
    }                                                                          \
    fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference vr[],   \
                             size_t n, const type value[])                     \
    {                                                                          \
        return fmi2_set(c, "fmi2Set" #Name, class, vr, n, value);              \
    }

FMI2_ACCESS(Real, fmi2Real, FMI2_REAL)
FMI2_ACCESS(Integer, fmi2Integer, FMI2_INTEGER)
FMI2_ACCESS(Boolean, fmi2Boolean, FMI2_BOOLEAN)
FMI2_ACCESS(String, fmi2String, FMI2_STRING)
