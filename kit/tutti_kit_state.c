/* SPDX-License-Identifier: MIT */
/*
 * Snapshots (save, restore, serialise) and derivatives of outputs.
 */

/* Snapshots. */

/* A snapshot is these facts, then the courses, then the model's struct. It is
 * its own serialised form, for units of the same model on the same platform. */
struct snapshot {
    uint64_t token[2], size;
    double time, next, last_successful;
    int32_t phase, last_step;
    uint8_t moving, stale, next_known, terminated, unused[4];
};

static size_t rates_size(const struct instance *k)
{
    return sizeof(double) * COURSE_ORDER * k->nu;
}

static size_t snapshot_size(const struct instance *k)
{
    return sizeof(struct snapshot) + rates_size(k) + k->model->size;
}

static void save(struct instance *k, void *to)
{
    struct snapshot head = {
        .token = {k->token[0], k->token[1]},
        .size = k->snapshot_size,
        .time = k->time,
        .next = k->next,
        .last_successful = k->last_successful,
        .phase = (int32_t)k->phase,
        .last_step = (int32_t)k->last_step,
        .moving = k->moving,
        .stale = k->stale,
        .next_known = k->next_known,
        .terminated = k->terminated,
    };
    char *p = to;

    memcpy(p, &head, sizeof(head));
    p += sizeof(head);
    if (k->nu)
        memcpy(p, k->rate, rates_size(k));
    p += rates_size(k);
    memcpy(p, model_of(k), k->model->size);
}

static void restore(struct instance *k, const void *from)
{
    struct snapshot head;
    const char *p = from;

    memcpy(&head, p, sizeof(head));
    p += sizeof(head);
    if (k->nu)
        memcpy(k->rate, p, rates_size(k));
    p += rates_size(k);
    memcpy(model_of(k), p, k->model->size);
    k->time = head.time;
    k->next = head.next;
    k->last_successful = head.last_successful;
    k->phase = (enum phase)head.phase;
    k->last_step = (enum status)head.last_step;
    k->moving = head.moving;
    k->stale = head.stale;
    k->next_known = head.next_known;
    k->terminated = head.terminated;
    k->dirty = true;
}

enum { PH_SAVE = PH_LIVE | PH_TERMINATED | PH_ERROR };

/* FMI get state: reuses *state if there is one. */
static enum status state_get(struct instance *k, const char *function,
                             void **state)
{
    enum status status = allowed(k, function, PH_SAVE);

    if (status != ST_OK)
        return status;
    if (!state)
        return report(k, ST_ERROR, "%s: no place for the state", function);
    if (!*state)
        *state = malloc(k->snapshot_size);
    if (!*state)
        return report(k, ST_ERROR, "%s: out of memory", function);
    save(k, *state);
    return ST_OK;
}

static enum status state_set(struct instance *k, const char *function,
                             const void *state)
{
    enum status status = allowed(k, function, PH_SAVE);

    if (status != ST_OK)
        return status;
    if (!state)
        return report(k, ST_ERROR, "%s: no state given", function);
    restore(k, state);
    return ST_OK;
}

static enum status state_free(struct instance *k, const char *function,
                              void **state)
{
    enum status status = allowed(k, function, PH_SAVE);

    if (status != ST_OK || !state)
        return status;
    free(*state);
    *state = NULL;
    return ST_OK;
}

static enum status state_size(struct instance *k, const char *function,
                              const void *state, size_t *size)
{
    enum status status = allowed(k, function, PH_SAVE);

    if (status != ST_OK)
        return status;
    if (!state || !size)
        return report(k, ST_ERROR, "%s: no state given", function);
    *size = k->snapshot_size;
    return ST_OK;
}

static enum status state_write(struct instance *k, const char *function,
                               const void *state, void *bytes, size_t size)
{
    enum status status = allowed(k, function, PH_SAVE);

    if (status != ST_OK)
        return status;
    if (!state || !bytes || size < k->snapshot_size)
        return report(k, ST_ERROR, "%s: the state needs %zu bytes", function,
                      k->snapshot_size);
    memcpy(bytes, state, k->snapshot_size);
    return ST_OK;
}

static enum status state_read(struct instance *k, const char *function,
                              const void *bytes, size_t size, void **state)
{
    enum status status = allowed(k, function, PH_SAVE);
    struct snapshot head;

    if (status != ST_OK)
        return status;
    if (!bytes || !state || size < k->snapshot_size)
        return report(k, ST_ERROR, "%s: the state needs %zu bytes", function,
                      k->snapshot_size);
    memcpy(&head, bytes, sizeof(head));
    if (head.size != k->snapshot_size || head.token[0] != k->token[0] ||
        head.token[1] != k->token[1])
        return report(k, ST_ERROR, "%s: not a state of this model", function);
    if (!*state)
        *state = malloc(k->snapshot_size);
    if (!*state)
        return report(k, ST_ERROR, "%s: out of memory", function);
    memcpy(*state, bytes, k->snapshot_size);
    return ST_OK;
}

/* Derivatives. */

/*
 * A list of floating-point variables, as FMI gives it: FMI 2 references are
 * elements, FMI 3 references are whole variables.
 */
struct reals {
    const char *function;
    const uint32_t *vr;
    size_t n;
    bool whole;
};

/* A direction in which to differentiate: seeds for the elements of `of`; or 1
 * for element `one` alone if seed is NULL; or, if `of` is NULL, the way states,
 * inputs and time move now. */
struct direction {
    const struct reals *of;
    const double *seed;
    size_t one;
};

static size_t reals_width(struct instance *k, const struct reals *r, size_t i)
{
    struct place at = k->place[r->vr[i]];

    return r->whole && at.row != NONE
               ? count_in_use(k->model, &k->model->vars[at.row], model_of(k))
               : 1;
}

/* All variables exist and are floating-point, and `values` has one number for
 * each of their elements. */
static enum status reals_check(struct instance *k, const struct reals *r,
                               size_t n_values, const double *values)
{
    size_t count = 0;

    if ((r->n && !r->vr) || (n_values && !values))
        return report(k, ST_ERROR, "%s: missing arguments", r->function);
    for (size_t i = 0; i < r->n; i++) {
        struct place at;
        const struct tutti_var *v = find_place(k, r->function, r->vr[i], &at);

        if (!v)
            return ST_ERROR;
        if (v->type != TUTTI_FLOAT64)
            return wrong_type(k, r->function, v);
        if (r->whole && at.element)
            return report(k, ST_ERROR, "%s: no variable has value reference %u",
                          r->function, (unsigned)r->vr[i]);
        count += reals_width(k, r, i);
    }
    if (count != n_values)
        return report(k, ST_ERROR, "%s: number of values does not match",
                      r->function);
    return ST_OK;
}

static double *reals_at(struct instance *k, const struct reals *r, size_t i,
                        size_t j)
{
    struct place at = k->place[r->vr[i]];
    const struct tutti_var *v =
        at.row == NONE ? &time_var : &k->model->vars[at.row];

    return (double *)(void *)element_at(k, v, at.element + (uint32_t)j);
}

static double reals_nominal(const struct instance *k, const struct reals *r,
                            size_t i)
{
    struct place at = k->place[r->vr[i]];
    double nominal = at.row != NONE ? k->model->vars[at.row].nominal : 0;

    return nominal != 0 ? fabs(nominal) : 1; /* FMI's default */
}

static double seed_of(const struct direction *d, size_t element)
{
    if (d->seed)
        return d->seed[element];
    return element == d->one ? 1 : 0;
}

/* Adds h times the direction to the model. Time is no member of it; how much
 * that moves is returned. */
static double move(struct instance *k, const struct direction *d, double h)
{
    size_t element = 0;

    if (!d->of) {
        for (uint32_t i = 0; i < k->nx; i++)
            *real_at(k, k->x_at[i]) += h * k->w.k1[i];
        for (uint32_t j = 0; j < k->nu; j++)
            *real_at(k, k->u_at[j]) += h * k->rate[(size_t)COURSE_ORDER * j];
        return h;
    }
    for (size_t i = 0; i < d->of->n; i++) {
        size_t width = reals_width(k, d->of, i);

        for (size_t j = 0; j < width; j++, element++) {
            double seed = seed_of(d, element);

            if (k->place[d->of->vr[i]].row == NONE)
                return h * seed;
            *reals_at(k, d->of, i, j) += h * seed;
        }
    }
    return 0;
}

/* The largest seed relative to the size of its variable: h over it moves no
 * variable by more than about h of its size. */
static double extent(struct instance *k, const struct direction *d)
{
    size_t element = 0;
    double most = 0;

    if (!d->of) {
        for (uint32_t i = 0; i < k->nx; i++)
            most = fmax(most, fabs(k->w.k1[i]) /
                                  fmax(1, fabs(*real_at(k, k->x_at[i]))));
        for (uint32_t j = 0; j < k->nu; j++)
            most = fmax(most, fabs(k->rate[(size_t)COURSE_ORDER * j]) /
                                  fmax(1, fabs(*real_at(k, k->u_at[j]))));
        return fmax(most, 1);
    }
    for (size_t i = 0; i < d->of->n; i++) {
        size_t width = reals_width(k, d->of, i);
        double scale = reals_nominal(k, d->of, i);

        for (size_t j = 0; j < width; j++, element++) {
            most = fmax(most, fabs(seed_of(d, element)) /
                                  fmax(scale, fabs(*reals_at(k, d->of, i, j))));
        }
    }
    return most;
}

/* out += weight * y: element by element, or the product with `dot` alone. */
static void accumulate(struct instance *k, const struct reals *y, double weight,
                       const double *dot, double *out)
{
    size_t element = 0;

    for (size_t i = 0; i < y->n; i++) {
        size_t width = reals_width(k, y, i);

        for (size_t j = 0; j < width; j++, element++) {
            double value = weight * *reals_at(k, y, i, j);

            if (dot)
                out[0] += dot[element] * value;
            else
                out[element] += value;
        }
    }
}

/* Are all variables of the direction states or course inputs? */
static bool direction_is_linear(const struct instance *k,
                                const struct direction *d)
{
    if (!k->model->linear || !k->model->affine_outputs)
        return false;
    for (size_t i = 0; d->of && i < d->of->n; i++) {
        struct place at = k->place[d->of->vr[i]];

        if (at.row == NONE ||
            (k->row_x[at.row] == NONE && k->row_u[at.row] == NONE))
            return false;
    }
    return true;
}

static void zero_states_and_inputs(struct instance *k)
{
    for (uint32_t i = 0; i < k->nx; i++)
        *real_at(k, k->x_at[i]) = 0;
    for (uint32_t j = 0; j < k->nu; j++)
        *real_at(k, k->u_at[j]) = 0;
}

/*
 * The derivative of y along a direction, added to out (see accumulate). An
 * affine unit is evaluated at the direction itself and at 0, which is exact;
 * any other by the five-point rule (f(-2) - 8 f(-1) + 8 f(1) - f(2)) / 12h.
 * The model's struct is put back afterwards.
 */
static void differentiate(struct instance *k, const struct reals *y,
                          const struct direction *d, const double *dot,
                          double *out)
{
    static const double point[] = {-2, -1, 1, 2};
    static const double weight[] = {1, -8, 8, -1};
    bool linear = direction_is_linear(k, d);
    double size = extent(k, d);
    double h = size > 0 ? 1e-3 / size : 0;
    double here = k->time;

    if (size == 0)
        return;
    memcpy(k->scratch, model_of(k), k->model->size);
    for (size_t i = 0; i < (linear ? 2 : TUTTI_COUNT(point)); i++) {
        double by = linear ? (double)i : point[i] * h;
        double factor = linear ? (i ? 1 : -1) : weight[i] / (12 * h);

        if (linear)
            zero_states_and_inputs(k);
        k->time = here + move(k, d, by);
        compute(k, k->time);
        accumulate(k, y, factor, dot, out);
        memcpy(model_of(k), k->scratch, k->model->size);
        k->time = here;
    }
}

enum { PH_DIFFERENTIATE = PH_INIT | PH_RUN | PH_INTERMEDIATE };

/* FMI directional derivative. */
static enum status directional(struct instance *k, const struct reals *unknown,
                               const struct reals *known, const double *seed,
                               size_t n_seed, double *out, size_t n_out)
{
    enum status status = allowed(k, unknown->function, PH_DIFFERENTIATE);
    const struct direction d = {.of = known, .seed = seed};

    if (status == ST_OK)
        status = reals_check(k, unknown, n_out, out);
    if (status == ST_OK)
        status = reals_check(k, known, n_seed, seed);
    if (status != ST_OK || !n_out)
        return status;
    memset(out, 0, sizeof(*out) * n_out);
    if (n_seed)
        differentiate(k, unknown, &d, NULL, out);
    return finish(k, ST_OK);
}

enum { PH_RATES = PH_RUN | PH_INTERMEDIATE | PH_TERMINATED | PH_ERROR };

/* First time derivatives of outputs: the way they change as states follow
 * their derivatives and inputs their courses. */
static enum status output_rates(struct instance *k, const struct reals *y,
                                const int32_t *order, double *out, size_t n_out)
{
    const struct direction d = {.of = NULL};
    enum status status = allowed(k, y->function, PH_RATES);

    if (status == ST_OK)
        status = reals_check(k, y, n_out, out);
    if (status != ST_OK || !n_out)
        return status;
    for (size_t i = 0; i < y->n; i++)
        if (!order || order[i] != 1)
            return report(k, ST_ERROR, "%s: only derivatives of order 1 exist",
                          y->function);
    if (!k->model->derivatives && k->model->linear)
        refresh_linear(k);
    derivatives(k, k->time, k->w.k1);
    memset(out, 0, sizeof(*out) * n_out);
    differentiate(k, y, &d, NULL, out);
    return finish(k, ST_OK);
}
