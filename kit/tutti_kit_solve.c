/* SPDX-License-Identifier: MIT */
/*
 * Input courses, the solver, and the macro step.
 *
 * A course is a polynomial of degree up to 3 per input, valid for one step. In
 * FMI 2 the importer gives its derivatives; in FMI 3 it gives values when asked
 * (intermediate update), at every time the solver looks, or at four points from
 * which a cubic follows if the solution is exact.
 */

/* Courses. */

/* Derivative number `order` of input j, at `dt` after the course's begin. */
static double course_at(const struct instance *k, uint32_t j, int order,
                        double dt)
{
    const double *rate = &k->rate[(size_t)COURSE_ORDER * j];
    double sum = 0;

    for (int i = COURSE_ORDER; i > order; i--)
        sum = (sum + rate[i - 1]) * dt / (i - order);
    return sum + (order ? rate[order - 1] : k->w.u0[j]);
}

/* A course that was not renewed is over: its inputs hold. */
static void expire_courses(struct instance *k)
{
    if (!k->stale)
        return;
    memset(k->rate, 0, sizeof(*k->rate) * COURSE_ORDER * k->nu);
    k->moving = k->stale = false;
}

static void begin_courses(struct instance *k, double t)
{
    expire_courses(k);
    k->base = t;
    k->asked = (double)NAN;
    gather(k, k->u_at, k->nu, k->w.u0);
}

static void inputs_at(struct instance *k, double t)
{
    if (k->ask && k->nu) {
        if (t != k->asked)
            k->ask(k, t);
        k->asked = t;
    } else if (k->moving) {
        for (uint32_t j = 0; j < k->nu; j++)
            *real_at(k, k->u_at[j]) = course_at(k, j, 0, t - k->base);
    }
}

/* Leaves inputs and their derivatives at the end of the course, at t. */
static void end_courses(struct instance *k, double t)
{
    inputs_at(k, t);
    if (!k->moving)
        return;
    for (uint32_t j = 0; j < k->nu; j++) {
        double *rate = &k->rate[(size_t)COURSE_ORDER * j];

        for (int i = 1; i <= COURSE_ORDER; i++)
            rate[i - 1] = course_at(k, j, i, t - k->base);
    }
    k->stale = true;
}

/* FMI 3 and exact solution: samples the course over [t0, t1] and makes it ours.
 * Four points determine a cubic; with forward differences d1, d2, d3 of spacing
 * s, its derivatives at t0 are (d1 - d2/2 + d3/3)/s, (d2 - d3)/s^2, d3/s^3. If
 * nothing changes the inputs are held, bit for bit as without being asked. */
static void sample_courses(struct instance *k, double t0, double t1)
{
    double **u = k->w.sample;
    double s = (t1 - t0) / COURSE_ORDER;
    bool moves = false;

    for (int i = 0; i <= COURSE_ORDER; i++) {
        inputs_at(k, i < COURSE_ORDER ? t0 + i * s : t1);
        gather(k, k->u_at, k->nu, u[i]);
        moves = moves || memcmp(u[i], u[0], sizeof(**u) * k->nu) != 0;
    }
    k->base = t0;
    k->moving = moves;
    memcpy(k->w.u0, u[0], sizeof(**u) * k->nu);
    for (uint32_t j = 0; j < k->nu; j++) {
        double *rate = &k->rate[(size_t)COURSE_ORDER * j];
        double d1 = u[1][j] - u[0][j];
        double e1 = u[2][j] - u[1][j];
        double d2 = e1 - d1;
        double d3 = (u[3][j] - u[2][j]) - e1 - d2;

        rate[0] = (d1 - d2 / 2 + d3 / 3) / s;
        rate[1] = (d2 - d3) / (s * s);
        rate[2] = d3 / (s * s * s);
    }
}

void tutti_inputs_at(void *model, double t)
{
    inputs_at(instance_of(model), t);
}

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_linear.c"

/* Micro-steps. */

/* Puts x0 + h k into the model and differentiates there. */
static void stage(struct instance *k, double t, double h, const double *slope,
                  double *to)
{
    for (uint32_t i = 0; i < k->nx; i++)
        *real_at(k, k->x_at[i]) = k->w.x0[i] + (h != 0 ? h * slope[i] : 0);
    inputs_at(k, t);
    derivatives(k, t, to);
}

/* One explicit micro-step from t0 to t1. Classical tableaux: forward Euler,
 * the explicit midpoint rule, and Kutta's method of order 4. */
static void micro_step(struct instance *k, enum tutti_method method, double t0,
                       double t1)
{
    struct workspace *w = &k->w;
    double h = t1 - t0, tm = t0 + h / 2;
    double *slope = w->dx;

    gather(k, k->x_at, k->nx, w->x0);
    stage(k, t0, 0, slope, slope);
    if (method == TUTTI_MIDPOINT) {
        stage(k, tm, h / 2, slope, w->k1);
        slope = w->k1;
    } else if (method == TUTTI_RK4) {
        stage(k, tm, h / 2, slope, w->k1);
        stage(k, tm, h / 2, w->k1, w->k2);
        stage(k, t1, h, w->k2, w->k3);
        for (uint32_t i = 0; i < k->nx; i++)
            slope[i] = (slope[i] + 2 * w->k1[i] + 2 * w->k2[i] + w->k3[i]) / 6;
    }
    for (uint32_t i = 0; i < k->nx; i++)
        *real_at(k, k->x_at[i]) = w->x0[i] + h * slope[i];
}

/* The value of an integer variable that chooses something. */
static int32_t choice(struct instance *k, const struct tutti_var *v)
{
    return *(int32_t *)(void *)element_at(k, v, 0);
}

static enum tutti_method chosen_method(struct instance *k)
{
    int32_t method =
        k->method_var ? choice(k, k->method_var) : (int32_t)k->model->method;

    if (method == TUTTI_METHOD_DEFAULT)
        return TUTTI_EULER;
    if (method < TUTTI_EULER || method > TUTTI_RK4) {
        tutti_fail(model_of(k), "no solver method has the number %d",
                   (int)method);
        return TUTTI_EULER;
    }
    return (enum tutti_method)method;
}

static int32_t chosen_microsteps(struct instance *k)
{
    int32_t n = k->microsteps_var ? choice(k, k->microsteps_var)
                                  : (int32_t)k->model->microsteps;

    if (n < 0)
        tutti_fail(model_of(k), "number of micro-steps %d is negative", (int)n);
    if (n <= 0 && !k->model->linear)
        n = 1;
    return n;
}

/* Events. */

/* Runs the event hook at an instant until it has no more to do. */
static void handle_event(struct instance *k, double t, struct tutti_step *s)
{
    struct tutti_event e = {.again = true};

    for (int i = 0; e.again && i < EVENT_ROUNDS; i++) {
        e = (struct tutti_event){.time = t};
        k->model->event(model_of(k), &e);
    }
    if (e.again)
        tutti_fail(model_of(k), "events do not come to an end after %d rounds",
                   EVENT_ROUNDS);
    k->next_known = e.next_known;
    k->next = e.next;
    if (e.terminate)
        s->outcome = TUTTI_STEP_TERMINATE;
}

/* After an internal step: does it end the macro step? */
static bool should_stop(struct instance *k, struct tutti_step *s)
{
    if (k->worst >= ST_ERROR || s->outcome == TUTTI_STEP_REJECT)
        return true;
    if (s->event && k->model->event) {
        bool last = s->reached >= s->to;

        if (k->event_mode && (k->early_allowed || last))
            return true; /* the importer runs the hook */
        handle_event(k, s->reached, s);
        s->event = false;
    }
    if (s->outcome == TUTTI_STEP_TERMINATE)
        return true;
    if (s->outcome == TUTTI_STEP_EARLY && !k->early_allowed)
        s->outcome = TUTTI_STEP_OK; /* FMI 3: the importer cannot handle it */
    return s->outcome == TUTTI_STEP_EARLY;
}

static bool after_internal_step(struct instance *k, double t,
                                struct tutti_step *s)
{
    s->reached = t;
    if (k->next_known && t >= k->next) {
        k->next_known = false;
        s->event = true;
    }
    if (k->model->after_step)
        k->model->after_step(model_of(k), s);
    return should_stop(k, s);
}

/* The end of initialisation: everything has a value, events are settled. */
static enum status leave_init(struct instance *k)
{
    struct tutti_step s = {.outcome = TUTTI_STEP_OK};

    k->dirty = true;
    evaluate(k);
    (void)chosen_method(k);
    (void)chosen_microsteps(k);
    k->phase = k->event_mode ? PH_EVENT : PH_STEP;
    if (k->events)
        begin_events(k);
    if (k->model->event && !k->event_mode) {
        handle_event(k, k->time, &s);
        k->terminated = s.outcome == TUTTI_STEP_TERMINATE;
        k->dirty = true;
    }
    return finish(k, ST_OK);
}

/* The macro step. */

/* The importer may look at the outputs where a micro-step ended. */
static void show_within(struct instance *k, double t)
{
    double time = k->time;

    inputs_at(k, t);
    k->time = t;
    k->dirty = true;
    k->show(k, t);
    k->time = time;
    k->dirty = true;
}

/* Integrates [t0, t1]. With `s`, hooks run after every internal step and true
 * means that they stopped it; h is t1 - t0 as the importer wrote it. */
static bool integrate(struct instance *k, double t0, double t1, double h,
                      struct tutti_step *s)
{
    int32_t n = chosen_microsteps(k);
    enum tutti_method method = chosen_method(k);

    if (k->worst >= ST_ERROR)
        return true;
    if (n == 0 || k->nx == 0) {
        if (k->model->linear)
            solve_exactly(k, t0, t1, h);
        inputs_at(k, t1);
        return s && after_internal_step(k, t1, s);
    }
    if (!k->model->derivatives)
        refresh_linear(k);
    for (int32_t i = 0; i < n; i++) {
        double from = t0 + i * (h / n);
        double to = i + 1 < n ? t0 + (i + 1) * (h / n) : t1;

        micro_step(k, method, from, to);
        if (s && k->show && i + 1 < n)
            show_within(k, to);
        if (s && (k->model->after_step || i + 1 == n)) {
            inputs_at(k, to);
            if (after_internal_step(k, to, s))
                return true;
        }
        if (k->worst >= ST_ERROR)
            return true;
    }
    return false;
}

void tutti_integrate(void *model, double t0, double t1)
{
    (void)integrate(instance_of(model), t0, t1, t1 - t0, NULL);
}

/* Piece by piece, because the kit stops at known event times. */
static void run_pieces(struct instance *k, double h, struct tutti_step *s)
{
    double t = s->from;

    while (t < s->to) {
        bool event_first = k->next_known && k->next > t && k->next < s->to;
        double to = event_first ? k->next : s->to;
        bool whole = t == s->from && !event_first;

        if (integrate(k, t, to, whole ? h : to - t, s))
            return;
        t = to;
    }
}

/* The model's own solver; called again if it returned before the end and the
 * macro step must go on. */
static void own_step(struct instance *k, struct tutti_step *s)
{
    while (s->from < s->to) {
        s->reached = s->to;
        k->model->step(model_of(k), s);
        if (should_stop(k, s))
            return;
        if (!(s->reached > s->from) || s->reached > s->to) {
            tutti_fail(model_of(k), "the model's own step left its interval");
            return;
        }
        s->from = s->reached;
    }
}

static void save(struct instance *k, void *to);
static void restore(struct instance *k, const void *from);

/* Refuses a step that cannot begin. */
static enum status step_possible(struct instance *k, const char *function,
                                 double t, double h)
{
    char a[NUMBER_SIZE], b[NUMBER_SIZE];
    double slack = 1e-9 * fmax(fmax(fabs(t), fabs(k->time)), h);

    bool stays = k->events && !k->event_mode && h == 0;

    if (!isfinite(t) || !isfinite(h) || !(h > 0 || stays))
        return report(k, ST_ERROR, "%s: step size %s s is not positive",
                      function, number(a, h));
    if (fabs(t - k->time) > slack)
        return report(k, ST_ERROR,
                      "%s: step begins at t=%s but the model is at t=%s",
                      function, number(a, t), number(b, k->time));
    if (k->exchange)
        return report(k, ST_ERROR,
                      "%s: the model was instantiated for model exchange",
                      function);
    if (k->terminated)
        return report(k, ST_DISCARD, "%s: the model has ended at t=%s",
                      function, number(a, k->time));
    if (k->model->max_step) {
        double most = k->model->max_step(model_of(k), t);

        if (h > most * (1 + 1e-9))
            return report(k, ST_DISCARD, "%s: step %s s exceeds the maximum %s",
                          function, number(a, h), number(b, most));
    }
    return ST_OK;
}

/* One macro step. On return s reports the outcome and k->time is s->reached; a
 * rejected or failed step leaves the unit as it was. */
static enum status advance(struct instance *k, const char *function, double t,
                           double h, struct tutti_step *s)
{
    enum status status = step_possible(k, function, t, h);
    char text[NUMBER_SIZE];

    *s = (struct tutti_step){.from = t, .to = t + h, .reached = t};
    k->last_successful = k->time;
    if (status != ST_OK) {
        s->outcome = TUTTI_STEP_REJECT;
        return k->last_step = finish(k, status);
    }
    save(k, k->backup);
    begin_courses(k, t);
    if (k->events)
        step_events(k, s);
    else if (k->model->step)
        own_step(k, s);
    else
        run_pieces(k, h, s);
    if (k->worst >= ST_ERROR || s->outcome == TUTTI_STEP_REJECT) {
        restore(k, k->backup);
        s->reached = k->time;
        if (k->worst < ST_ERROR)
            status = report(k, ST_DISCARD, "%s: step from t=%s rejected",
                            function, number(text, t));
        return k->last_step = finish(k, status);
    }
    end_courses(k, s->reached);
    k->time = k->last_successful = s->reached;
    k->terminated = s->outcome == TUTTI_STEP_TERMINATE;
    k->dirty = true;
    return k->last_step = finish(k, status);
}
