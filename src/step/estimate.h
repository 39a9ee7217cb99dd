/* SPDX-License-Identifier: MIT */
#ifndef TT_STEP_ESTIMATE_H
#define TT_STEP_ESTIMATE_H

/* Error estimates of a macro step from values already at hand. All are pure
 * functions; sums run in index order; NaN in is NaN out. */

#include <stdint.h>

/* The largest |a_i - b_i| / (atol nominal_i + rtol |b_i|), so that 1 is just
 * tolerated. Equal values count 0, also with a tolerance of 0. nominal may be
 * NULL: all 1. */
double tt_estimate_norm(const double *a, const double *b, const double *nominal,
                        uint32_t n, double atol, double rtol);

/* Richardson's: y1 by one step h, y2 by two steps h/2 of a method of order p.
 * The local error of y2 is about |y2 - y1| / (2^p - 1), and shrinks as
 * h^(p+1). Returns that factor, to be applied to the norm of (y1, y2). */
double tt_estimate_richardson(double p);

/* The same where inputs are extrapolated by polynomials of order k through the
 * last k + 1 communication points, h/2 apart as the steps that stand are: the
 * whole step looks farther ahead of the same points, so its error is less than
 * 2^(k+1) times that of the halves. With c(a) the integral of s (s + h/2) ...
 * (s + k h/2) from 0 to a, the ratio is c(h) / 2 c(h/2). k <= 3. */
double tt_estimate_doubling(uint32_t k);

/* Milne's device: predictor p and corrector c of one order with local errors
 * Cp h^q y' and Cc h^q y'. The corrector's is about |Cc / (Cc - Cp)| |c - p|.
 * Returns the factor. For input courses: p the extrapolated input at the step's
 * end, c the value that came; Cc = 1, Cp = 0 takes the difference as it is. */
double tt_estimate_milne(double cp, double cc);

/* Two orders of an input's course compared: the polynomial through the k + 2
 * points (t_i, x_i) less that through the first k + 1 of them, at `at`; newest
 * first. It is the last term of Newton's form, x[t_0..t_k+1] prod_(i<=k)
 * (at - t_i), and shrinks as h^(k+1). k + 2 <= TT_ESTIMATE_POINTS. */
#define TT_ESTIMATE_POINTS 8
double tt_estimate_orders(const double *t, const double *x, uint32_t k,
                          double at);

/* The middle of a step: the value that came there, and the nearest to it of the
 * polynomials through 1, 2, ... n - 1 points before it, with and without the
 * end (t_0, x_0) of the step played whole. Smooth values lie on one of them but
 * for an error of the order of the step's, and so does what leaps behind the
 * middle. What leapt before it lies on none, nor what came and goes again.
 * Returns that polynomial's value at `at`. 2 <= n <= TT_ESTIMATE_POINTS. */
double tt_estimate_between(const double *t, const double *x, uint32_t n,
                           double at, double came);

/* A power bond between sides a and b, where u_a follows y_b and u_b follows
 * y_a, and u*y is a power: values at the end of the step, inputs as used. */
struct tt_bond {
    double ua, ya, ub, yb;
};

/* Residual power of a bond, u_a y_a - u_b y_b: power that the coupling itself
 * makes out of nothing, 0 if u_a = y_b and u_b = y_a. */
double tt_bond_residual(const struct tt_bond *b);

/* ECCO (Sadjina, Kyllingstad, Skjong and Pedersen 2017, "Energy conservation
 * and power bonds in co-simulations: non-iterative adaptive step size control
 * and error estimation"): with dE_k = h dP_k the residual energy of bond k and
 * E_k = h max(|u_a y_a|, |u_b y_b|) what it transmits,
 *
 *     err = sqrt(1/n sum_k (dE_k / (atol e0_k + rtol E_k))^2)
 *
 * e0 is the energy level at which a bond matters, in J; NULL: all 1. The
 * residual needs no rollback. With held inputs dE shrinks as h^2. */
double tt_estimate_ecco(const struct tt_bond *bonds, const double *e0,
                        uint32_t n, double h, double atol, double rtol);

/* NEPCE (Benedikt, Watzenig, Zehetner and Hofer 2013, "NEPCE - a nearly energy
 * preserving coupling element for weak-coupled problems and co-simulation"):
 * an input u followed a course while its source y moved otherwise; the missing
 * flow r = integral of (y - u) over the step is repaid over the next step h by
 * adding gain r/h to the input. With an effort in place of a flow the energy
 * repaid is that of the bond, r times the conjugate value. */
double tt_nepce_missing(double y0, double u0, double y1, double u1, double h);
double tt_nepce_correction(double missing, double h_next, double gain);

#endif
