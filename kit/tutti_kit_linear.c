/* SPDX-License-Identifier: MIT */
/* Exact solution of the linear form. */

static void refresh_linear(struct instance *k)
{
    struct tutti_linear *sys = &k->w.sys;

    if (k->nx == 0)
        return;
    memset(sys->a[0], 0, sizeof(double) * k->nx * k->nx);
    memset(sys->b[0], 0, sizeof(double) * k->nx * k->nu);
    memset(sys->e, 0, sizeof(double) * k->nx);
    k->model->linear(model_of(k), sys);
}

/* c = a b, n by n. */
static void multiply(double *c, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t l = 0; l < n; l++)
                sum += a[i * n + l] * b[l * n + j];
            c[i * n + j] = sum;
        }
    }
}

static double row_norm(const double *a, size_t n)
{
    double norm = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t j = 0; j < n; j++)
            sum += fabs(a[i * n + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

static void add_scaled(double *to, double factor, const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * a[i];
}

/*
 * phi = exp(a h) and gamma_k = h^(k+1) phi_(k+1)(a h), so that
 *     x(h) = phi x + sum over k of gamma_k f_k
 * solves x' = a x + f_0 + f_1 t + f_2 t^2/2 + f_3 t^3/6 exactly.
 *
 * Taylor series for |a h| <= 1/2, where 20 terms reach rounding:
 *     phi = sum (a h)^i / i!,  gamma_k = sum a^i h^(i+k+1) / (i+k+1)!
 */
static void series(struct workspace *w, const double *a, double h, size_t n)
{
    enum { TERMS = 20 };
    size_t n2 = n * n;
    double *power = w->p, *next = w->q, *swap; /* a^i h^i / i! */

    memset(power, 0, sizeof(*power) * n2);
    for (size_t i = 0; i < n; i++)
        power[i * n + i] = 1;
    memset(w->phi, 0, sizeof(*w->phi) * n2);
    for (int j = 0; j <= COURSE_ORDER; j++)
        memset(w->gamma[j], 0, sizeof(double) * n2);
    for (int i = 0; i < TERMS; i++) {
        double factor = 1; /* h^(j+1) i! / (i+j+1)! */

        add_scaled(w->phi, 1, power, n2);
        for (int j = 0; j <= COURSE_ORDER; j++) {
            factor *= h / (i + j + 1);
            add_scaled(w->gamma[j], factor, power, n2);
        }
        multiply(next, a, power, n);
        for (size_t l = 0; l < n2; l++)
            next[l] *= h / (i + 1);
        swap = power;
        power = next;
        next = swap;
    }
}

/* From h to 2h: two steps in a row, where f_k has become the sum over j >= k of
 * f_j h^(j-k)/(j-k)! at the second. */
static void double_up(struct workspace *w, double h, size_t n)
{
    size_t n2 = n * n;

    for (int j = COURSE_ORDER; j >= 0; j--) {
        double factor = 1;

        multiply(w->p, w->phi, w->gamma[j], n);
        for (int i = j; i >= 0; i--) {
            add_scaled(w->p, factor, w->gamma[i], n2);
            factor *= h / (j - i + 1);
        }
        memcpy(w->gamma[j], w->p, sizeof(double) * n2);
    }
    multiply(w->p, w->phi, w->phi, n);
    memcpy(w->phi, w->p, sizeof(double) * n2);
}

/* phi and gamma for the present a and this h; kept while neither changes. */
static void exponential(struct instance *k, double h)
{
    struct workspace *w = &k->w;
    size_t n = k->nx;
    const double *a = w->sys.a[0];
    double norm;
    int halvings = 0;

    if (w->cached && w->key_h == h &&
        !memcmp(w->key_a, a, sizeof(double) * n * n))
        return;
    norm = row_norm(a, n) * h;
    if (!isfinite(norm)) {
        tutti_fail(model_of(k), "the linear form is not finite");
        return;
    }
    while (norm > 0.5) {
        norm /= 2;
        halvings++;
    }
    series(w, a, ldexp(h, -halvings), n);
    for (int i = halvings; i > 0; i--)
        double_up(w, ldexp(h, -i), n);
    memcpy(w->key_a, a, sizeof(double) * n * n);
    w->key_h = h;
    w->cached = true;
}

/* to += m v, n by n. */
static void add_product(double *to, const double *m, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[i] += m[i * n + j] * v[j];
}

/* f = b u^(order), plus e for order 0, at the begin of a piece at t0. */
static void forcing(struct instance *k, int order, double t0, double *f)
{
    const struct tutti_linear *sys = &k->w.sys;
    double *u = k->w.uk;

    if (order == 0)
        gather(k, k->u_at, k->nu, u);
    else
        for (uint32_t j = 0; j < k->nu; j++)
            u[j] = course_at(k, j, order, t0 - k->base);
    for (size_t i = 0; i < sys->nx; i++) {
        f[i] = order == 0 ? sys->e[i] : 0;
        for (size_t j = 0; j < sys->nu; j++)
            f[i] += sys->b[i][j] * u[j];
    }
}

static void solve_exactly(struct instance *k, double t0, double t1, double h)
{
    struct workspace *w = &k->w;
    size_t n = k->nx;

    if (k->ask && k->nu)
        sample_courses(k, t0, t1);
    if (n == 0)
        return;
    refresh_linear(k);
    exponential(k, h);
    if (k->ask && k->nu)
        scatter(k, k->u_at, k->nu, w->u0); /* sampling left them at t1 */
    else
        inputs_at(k, t0);
    gather(k, k->x_at, k->nx, w->x0);
    memset(w->x, 0, sizeof(*w->x) * n);
    add_product(w->x, w->phi, w->x0, n);
    for (int i = 0; i <= (k->moving ? COURSE_ORDER : 0); i++) {
        forcing(k, i, t0, w->f[i]);
        add_product(w->x, w->gamma[i], w->f[i], n);
    }
    scatter(k, k->x_at, k->nx, w->x);
    if (k->ask && k->nu)
        scatter(k, k->u_at, k->nu, w->sample[COURSE_ORDER]);
}
